#include "pipeline/surface_target.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace Atoll::pipeline {

SurfaceTarget::SurfaceTarget(surface::Texture t, unsigned width, unsigned height, unsigned level)
    : texture(std::move(t)),
      level(level),
      width(width),
      height(height),
      layers(texture.slices(level)),
      samples(texture.description().samples),
      texel_bytes(surface::row(texture.format().layout).bytes) {}

void SurfaceTarget::find_runs() {
  const surface::TextureDescription& d = texture.description();
  parts_ = surface::TileParts::make(d.levels[level].place, {.element_bytes = texel_bytes,
                                                            .samples = samples,
                                                            .columns = width,
                                                            .rows = height,
                                                            .first_slice = d.first_layer,
                                                            .slices = layers});
  if (!parts_) return;
  std::vector<surface::TileParts::Place> places;
  for (unsigned n = 0; n < samples * pixels_in_block; n++) {
    const unsigned pixel = n % pixels_in_block;
    places.push_back(parts_->place(x_in_block(pixel), y_in_block(pixel), n / pixels_in_block));
  }
  // As many texels at once as follow each other everywhere.
  auto follow = [&](unsigned count) {
    for (unsigned n = 0; n < places.size(); n++) {
      const auto &first = places[n - n % count], &here = places[n];
      if (here.part != first.part || here.offset != first.offset + n % count * texel_bytes) return false;
    }
    return true;
  };
  unsigned run = 8;
  while (!follow(run)) run /= 2;
  runs_.clear();
  for (unsigned n = 0; n < places.size(); n += run) runs_.push_back(places[n]);
  run_bytes_ = run * texel_bytes;
  // Displayed surfaces of 32 bits: rows of four pixels, where the pipeline has two quads of two rows.
  crossed_ = run_bytes_ == 8 && runs_.size() % 4 == 0;
  for (size_t n = 0; crossed_ && n < runs_.size(); n++) {
    const auto &first = runs_[n - n % 4], &here = runs_[n];
    crossed_ = here.part == first.part && here.offset == first.offset + std::array{0, 16, 8, 24}[n % 4];
  }
}

namespace {

// 32 bytes, of whose quarters the second and the third change places.
[[gnu::always_inline]] inline void cross(uint8_t* to, const uint8_t* from) { cross_rows(to, to + 16, from, from + 16); }

}  // namespace

[[gnu::always_inline]] inline void SurfaceTarget::find_parts(unsigned bx, unsigned by, unsigned layer, uint8_t** part) const {
  uint8_t* base = texture.level(level).base;
  for (unsigned p = 0; p < parts_->count(); p++) part[p] = base + parts_->address(bx, by, layer, p);
}

// Calls with a run's bytes, a constant where it is a usual one. Code of every load and store of a block is inlined by demand:
// left to the compiler, gears took 2 % longer.
template <class Copy>
[[gnu::always_inline]] inline void SurfaceTarget::copy_runs(Copy copy_with) const {
  switch (run_bytes_) {
    case 1: copy_with(std::integral_constant<size_t, 1>{}); break;
    case 2: copy_with(std::integral_constant<size_t, 2>{}); break;
    case 4: copy_with(std::integral_constant<size_t, 4>{}); break;
    case 8: copy_with(std::integral_constant<size_t, 8>{}); break;
    case 16: copy_with(std::integral_constant<size_t, 16>{}); break;
    case 32: copy_with(std::integral_constant<size_t, 32>{}); break;
    default: copy_with(size_t(run_bytes_));
  }
}

void SurfaceTarget::copy_texel(uint8_t* to, const uint8_t* from) const {
  switch (texel_bytes) {
    case 1: *to = *from; break;
    case 2: std::memcpy(to, from, 2); break;
    case 4: std::memcpy(to, from, 4); break;
    case 8: std::memcpy(to, from, 8); break;
    default: std::memcpy(to, from, texel_bytes);
  }
}

void SurfaceTarget::move_out(unsigned bx, unsigned by, unsigned layer, uint8_t* texels) const {
  if (!is_inside(bx, by, layer)) {
    std::memset(texels, 0, size_t(samples) * pixels_in_block * texel_bytes);
    return;
  }
  if (moves_by_runs(bx, by)) {
    uint8_t* part[surface::TileParts::max_parts];
    find_parts(bx, by, layer, part);
    if (crossed_) {
      for (size_t n = 0; n < runs_.size(); n += 4) cross(texels + n * 8, part[runs_[n].part] + runs_[n].offset);
      return;
    }
    copy_runs([&](auto bytes) {
      for (size_t n = 0; n < runs_.size(); n++) std::memcpy(texels + n * bytes, part[runs_[n].part] + runs_[n].offset, bytes);
    });
    return;
  }
  each_texel(texture, bx, by, layer, [&](unsigned index, uint8_t* at) {
    uint8_t* texel = texels + size_t(index) * texel_bytes;
    if (at)
      copy_texel(texel, at);
    else
      std::memset(texel, 0, texel_bytes);
  });
}

void SurfaceTarget::move_in(unsigned bx, unsigned by, unsigned layer, const uint8_t* texels) const {
  if (moves_by_runs(bx, by)) {
    uint8_t* part[surface::TileParts::max_parts];
    find_parts(bx, by, layer, part);
    if (crossed_) {
      for (size_t n = 0; n < runs_.size(); n += 4) cross(part[runs_[n].part] + runs_[n].offset, texels + n * 8);
      return;
    }
    copy_runs([&](auto bytes) {
      for (size_t n = 0; n < runs_.size(); n++) std::memcpy(part[runs_[n].part] + runs_[n].offset, texels + n * bytes, bytes);
    });
    return;
  }
  each_texel(texture, bx, by, layer, [&](unsigned index, uint8_t* at) {
    if (at) copy_texel(at, texels + size_t(index) * texel_bytes);
  });
}

bool SurfaceTarget::keeps_upper_bytes(unsigned bx, unsigned by, unsigned layer) const {
  return is_inside(bx, by, layer) && moves_by_runs(bx, by) && !crossed_ && run_bytes_ % 8 == 0 && run_bytes_ <= 32 &&
         texel_bytes == 4;
}

void SurfaceTarget::move_depths_in(unsigned bx, unsigned by, unsigned layer, const uint8_t* texels) const {
  uint8_t* part[surface::TileParts::max_parts];
  find_parts(bx, by, layer, part);
  copy_runs([&](auto bytes) {
    for (size_t n = 0; n < runs_.size(); n++, texels += bytes) {
      uint8_t* to = part[runs_[n].part] + runs_[n].offset;
      std::array<uint32_t, 8> before, now;  // (at most 32 bytes, moved together)
      std::memcpy(before.data(), to, bytes);
      std::memcpy(now.data(), texels, bytes);
      for (size_t k = 0; k < bytes / 4; k++) now[k] = (now[k] & 0x00ffffff) | (before[k] & 0xff000000);
      std::memcpy(to, now.data(), bytes);
    }
  });
}

bool SurfaceTarget::find_change(const PixelChange& change, std::array<RunChange, max_samples>& of_sample) const {
  if (!parts_ || change.samples != samples || change.texel_bytes() != texel_bytes || run_bytes_ > 32) return false;
  for (unsigned s = 0; s < samples; s++)
    for (unsigned n = 0; n < 32; n++) {
      of_sample[s].keep[n] = change.keep[s * texel_bytes + n % texel_bytes];
      of_sample[s].flip[n] = change.flip[s * texel_bytes + n % texel_bytes];
    }
  return true;
}

void SurfaceTarget::change_in_memory(unsigned bx, unsigned by, unsigned layer,
                                     const std::array<RunChange, max_samples>& of_sample, bool keeps) const {
  const size_t runs_of_sample = runs_.size() / samples;
  uint8_t* part[surface::TileParts::max_parts];
  find_parts(bx, by, layer, part);
  copy_runs([&](auto bytes) {
    for (unsigned s = 0; s < samples; s++) {
      const RunChange run = of_sample[s];
      for (size_t n = s * runs_of_sample, end = n + runs_of_sample; n < end; n++) {
        uint8_t* to = part[runs_[n].part] + runs_[n].offset;
        if (!keeps) {
          std::memcpy(to, run.flip, bytes);
          continue;
        }
        // (Runs of fewer bytes than a word's are moved in words that begin with them.)
        constexpr size_t words = sizeof run.keep / sizeof(uint64_t);
        std::array<uint64_t, words> texels{}, keep, flip;
        std::memcpy(texels.data(), to, bytes);
        std::memcpy(keep.data(), run.keep, sizeof keep), std::memcpy(flip.data(), run.flip, sizeof flip);
        for (size_t k = 0; k < words && k * sizeof(uint64_t) < bytes; k++) texels[k] = (texels[k] & keep[k]) ^ flip[k];
        std::memcpy(to, texels.data(), bytes);
      }
    }
  });
}

PixelPlace SurfaceTarget::place_of(unsigned x, unsigned y, unsigned layer, unsigned sample) const {
  if (x >= width || y >= height || layer >= layers) return {};
  PixelPlace place;
  place.texel = texture.texel(level, x, y, layer, sample % samples);
  for (unsigned s = 0; s < samples; s++) place.bytes.push_back({texture.texel(level, x, y, layer, s), texel_bytes});
  return place;
}

void SurfaceTarget::load(unsigned x, unsigned y, unsigned layer, uint8_t* texels) { move_out(x, y, layer, texels); }

void SurfaceTarget::store(unsigned x, unsigned y, unsigned layer, const uint8_t* texels) {
  if (is_inside(x, y, layer)) move_in(x, y, layer, texels);
}

void SurfaceTarget::store_depths(unsigned x, unsigned y, unsigned layer, const uint8_t* texels, unsigned samples_now) {
  if (!keeps_upper_bytes(x, y, layer)) return Target::store_depths(x, y, layer, texels, samples_now);
  move_depths_in(x, y, layer, texels);
}

void SurfaceTarget::fill_area(const Rectangle& area, unsigned layer, const PixelChange& change) {
  fill_blocks(area, layer, change, [](unsigned, unsigned) { return false; }, [](unsigned, unsigned) {});
}

}  // namespace Atoll::pipeline
