#include "gpu/r5xx/draw/surface_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "gpu/r5xx/byte_swap.h"

namespace Atoll::r5xx {

SurfaceTarget::SurfaceTarget(const SurfacePlace& place, const AddressSpace& space, const SurfaceTarget* like)
    : given_(place), place_(place), space_(space) {
  const auto& s = place_.surface;
  if (place_.samples == 1) {
    auto tile = surface::r300_tile(s.element_bytes, s.micro, false);
    run_ = s.micro == surface::R300MicroTile::linear ? std::min(8u, 64 / s.element_bytes) : tile ? std::min(tile->width, 8u) : 1;
  }
  tiles_of_4x2_ = place_.samples == 1 && s.element_bytes == 4 && s.micro == surface::R300MicroTile::tiled;
  // Bytes are swapped in whole dwords.
  if (place_.swap && s.element_bytes < 4) place_.width = (place_.width + 3) & ~3u;
  place_.width = std::min(place_.width, s.pitch - std::min(s.pitch, place_.left));
  // Tiles are whole in memory, whatever of them may be drawn into.
  auto tile = surface::r300_tile(s.element_bytes, s.micro, s.macro);
  uint64_t rows = place_.height ? place_.top + place_.height : 0;
  if (tile) rows = (rows + tile->height - 1) / tile->height * tile->height;
  const uint64_t bytes = rows * s.pitch * s.element_bytes * place_.samples;
  all_mapped_ = rows == 0 || space.contains(place_.address, bytes, true);
  memory_ = {space.host(place_.address), bytes};
  if (like && like->place_.surface == s && like->place_.samples == place_.samples && like->place_.width == place_.width &&
      like->place_.height == place_.height && like->place_.left == place_.left && like->place_.top == place_.top) {
    parts_ = like->parts_;
    return;
  }
  auto parts = std::make_shared<Parts>();
  for (unsigned x = 0; x < place_.width; x += run_) parts->columns.push_back(part_of(place_.left + x, 0));
  for (unsigned y = 0; y < place_.height; y++) parts->rows.push_back(part_of(0, place_.top + y));
  parts_ = std::move(parts);
}

SurfaceTarget::Part SurfaceTarget::part_of(unsigned x, unsigned y) const {
  const uint64_t at = surface::address(place_.surface, x, y) * place_.samples;
  const uint32_t swizzled = place_.surface.macro ? 31 << 6 : 0;  // (never of several samples)
  return {at & ~uint64_t(swizzled), uint32_t(at) & swizzled};
}

// Calls move(number of the texel in the block, address, bytes) for the block's pixels inside the surface: two at a time where they
// are adjacent in memory.
template <class Move>
void SurfaceTarget::each_pair(unsigned block_x, unsigned block_y, Move&& move) const {
  const auto& s = place_.surface;
  const unsigned x0 = block_x * pipeline::block_size, y0 = block_y * pipeline::block_size;
  for (unsigned py = 0; py < pipeline::block_size && y0 + py < place_.height; py++)
    for (unsigned px = 0; px < pipeline::block_size && x0 + px < place_.width; px += run_) {
      const unsigned count = std::min(run_, place_.width - (x0 + px));
      const uint64_t at = run_at((x0 + px) / run_, y0 + py);
      for (unsigned sample = 0; sample < place_.samples; sample++)
        for (unsigned n = 0; n < count; n += 2)
          move(sample * pipeline::pixels_in_block + pipeline::number_in_block(px + n, py),
               at + (n * place_.samples + sample) * s.element_bytes, std::min(count - n, 2u) * s.element_bytes);
    }
}

pipeline::PixelPlace SurfaceTarget::place_of(unsigned x, unsigned y, unsigned, unsigned sample) const {
  if (x >= place_.width || y >= place_.height || !all_mapped_) return {};
  const unsigned bytes = place_.surface.element_bytes;
  const uint64_t at = run_at(x / run_, y) + uint64_t(x % run_) * place_.samples * bytes;
  const bool as_it_is = !place_.swap && !place_.stencil_low;
  const uint64_t first = place_.swap ? at & ~uint64_t(3) : at, end = at + uint64_t(place_.samples) * bytes;
  return {.texel = as_it_is ? space_.host(at + sample % place_.samples * bytes) : nullptr,
          .bytes = {{space_.host(first), place_.swap ? (end - first + 3) & ~uint64_t(3) : end - first}}};
}

// Converts texels between memory's form and the pipeline's: byte order, and stencils below their depths.
void SurfaceTarget::arrange(uint8_t* texels, unsigned pixels, bool store) const {
  const unsigned bytes = pixels * place_.surface.element_bytes;
  // Four pixels of a row are a dword: halves of two quads.
  const bool of_quads = place_.surface.element_bytes == 1;
  auto swap = [&] { of_quads ? swap_bytes_of_quads(texels, bytes, place_.swap) : swap_bytes(texels, bytes, place_.swap); };
  if (!store && place_.swap) swap();
  if (place_.stencil_low)
    for (unsigned n = 0; n < bytes; n += 4) {
      uint32_t word;
      std::memcpy(&word, texels + n, 4);
      word = store ? std::rotl(word, 8) : std::rotr(word, 8);
      std::memcpy(texels + n, &word, 4);
    }
  if (store && place_.swap) swap();
}

// Moves two rows of eight pixels of 4 bytes: two successive micro tiles in memory, four quads in a block. In both directions the second
// and third of each four pairs of pixels change places.
void move_strip(uint8_t* to, const uint8_t* from) {
  typedef uint64_t u64x8 __attribute__((vector_size(64)));
  u64x8 pairs;
  std::memcpy(&pairs, from, sizeof pairs);
  pairs = __builtin_shufflevector(pairs, pairs, 0, 2, 1, 3, 4, 6, 5, 7);
  std::memcpy(to, &pairs, sizeof pairs);
}

// Moves a block of one sample that lies in the surface whole. False: it does not, and nothing was done.
template <unsigned pair_bytes, bool store>
bool SurfaceTarget::move_whole(unsigned block_x, unsigned block_y, uint8_t* texels) const {
  constexpr unsigned size = pipeline::block_size;
  const unsigned x0 = block_x * size, y0 = block_y * size;
  if (place_.samples != 1 || !all_mapped_ || run_ % 2 || x0 + size > place_.width || y0 + size > place_.height) return false;
  if constexpr (pair_bytes == 8) {
    if (tiles_of_4x2_) {
      for (unsigned py = 0; py < size; py += 2) {
        uint8_t *strip = space_.host(run_at(x0 / run_, y0 + py)), *quads = texels + pipeline::number_in_block(0, py) * 4;
        if (store)
          move_strip(strip, quads);
        else
          move_strip(quads, strip);
      }
      return true;
    }
    // Two rows of four pixels at once, which are two quads.
    for (unsigned py = 0; run_ % 4 == 0 && py < size; py += 2)
      for (unsigned px = 0; px < size; px += 4) {
        const unsigned run = (x0 + px) / run_, first = (x0 + px) % run_ * 4;
        uint8_t *above = space_.host(run_at(run, y0 + py)) + first, *below = space_.host(run_at(run, y0 + py + 1)) + first;
        uint8_t* quads = texels + pipeline::number_in_block(px, py) * 4;
        if (store)
          pipeline::cross_rows(above, below, quads, quads + 16);
        else
          pipeline::cross_rows(quads, quads + 16, above, below);
      }
    if (run_ % 4 == 0) return true;
  }
  for (unsigned py = 0; py < size; py++)
    for (unsigned px = 0; px < size; px += run_) {
      uint8_t* at = space_.host(run_at((x0 + px) / run_, y0 + py));
      for (unsigned n = 0; n < run_; n += 2, at += pair_bytes) {
        uint8_t* texel = texels + pipeline::number_in_block(px + n, py) * (pair_bytes / 2);
        if (store)
          std::memcpy(at, texel, pair_bytes);
        else
          std::memcpy(texel, at, pair_bytes);
      }
    }
  return true;
}

// Texels of 2, 4 and 8 bytes have a fast path.
template <bool store>
bool SurfaceTarget::move_whole(unsigned block_x, unsigned block_y, uint8_t* texels) const {
  switch (place_.surface.element_bytes) {
    case 2: return move_whole<4, store>(block_x, block_y, texels);
    case 4: return move_whole<8, store>(block_x, block_y, texels);
    case 8: return move_whole<16, store>(block_x, block_y, texels);
    default: return false;
  }
}

// True if the block has depths above stencils in tiles of 4x2, and lies in the surface whole: then it moves by strips.
bool SurfaceTarget::in_strips(unsigned x, unsigned y) const {
  constexpr unsigned size = pipeline::block_size;
  return tiles_of_4x2_ && all_mapped_ && place_.stencil_low && !place_.swap && (x + 1) * size <= place_.width &&
         (y + 1) * size <= place_.height;
}

// As move_strip(), for words that are rotated by the stencil's 8 bits in memory.
template <bool store>
static void move_turned(uint8_t* to, const uint8_t* from) {
  typedef uint32_t u32x16 __attribute__((vector_size(64)));
  u32x16 words;
  move_strip(reinterpret_cast<uint8_t*>(&words), from);
  words = store ? words << 8 | words >> 24 : words >> 8 | words << 24;
  std::memcpy(to, &words, sizeof words);
}

void SurfaceTarget::load(unsigned x, unsigned y, unsigned, uint8_t* texels) {
  if (in_strips(x, y)) {
    for (unsigned py = 0; py < pipeline::block_size; py += 2)
      move_turned<false>(texels + pipeline::number_in_block(0, py) * 4,
                         space_.host(run_at(x * pipeline::block_size / run_, y * pipeline::block_size + py)));
    return;
  }
  const unsigned pixels = pipeline::block_size * pipeline::block_size * place_.samples;
  if (!move_whole<false>(x, y, texels)) {
    std::memset(texels, 0, pixels * place_.surface.element_bytes);
    each_pair(x, y, [&](unsigned number, uint64_t address, unsigned bytes) {
      if (!all_mapped_ && !space_.contains(address, bytes)) {
        uint64_t none = 0;
        unmapped_.compare_exchange_strong(none, address);
        return;
      }
      std::memcpy(texels + number * place_.surface.element_bytes, space_.host(address), bytes);
    });
  }
  if (place_.swap || place_.stencil_low) arrange(texels, pixels, false);
}

void SurfaceTarget::store(unsigned x, unsigned y, unsigned, const uint8_t* texels) {
  if (in_strips(x, y)) {
    for (unsigned py = 0; py < pipeline::block_size; py += 2)
      move_turned<true>(space_.host(run_at(x * pipeline::block_size / run_, y * pipeline::block_size + py)),
                        texels + pipeline::number_in_block(0, py) * 4);
    return;
  }
  const unsigned pixels = pipeline::block_size * pipeline::block_size * place_.samples;
  alignas(64) uint8_t arranged[8 * 8 * 8 * 16];
  if (place_.swap || place_.stencil_low) {
    std::memcpy(arranged, texels, pixels * place_.surface.element_bytes);
    arrange(arranged, pixels, true);
    texels = arranged;
  }
  if (move_whole<true>(x, y, const_cast<uint8_t*>(texels))) return;
  each_pair(x, y, [&](unsigned number, uint64_t address, unsigned bytes) {
    if (!all_mapped_ && !space_.contains(address, bytes, true)) {
      uint64_t none = 0;
      unmapped_.compare_exchange_strong(none, address);
      return;
    }
    std::memcpy(space_.host(address), texels + number * place_.surface.element_bytes, bytes);
  });
}

// Stores the depths of a strip (move_strip()) above the stencils that are in memory.
static void put_depths(uint8_t* strip, const uint8_t* quads) {
  typedef uint32_t u32x16 __attribute__((vector_size(64)));
  u32x16 fresh, old;
  move_strip(reinterpret_cast<uint8_t*>(&fresh), quads);
  std::memcpy(&old, strip, sizeof old);
  fresh = fresh << 8 | (old & 0xff);
  std::memcpy(strip, &fresh, sizeof fresh);
}

void SurfaceTarget::store_depths(unsigned x, unsigned y, unsigned layer, const uint8_t* texels, unsigned samples) {
  constexpr unsigned size = pipeline::block_size;
  const unsigned x0 = x * size, y0 = y * size;
  if (!in_strips(x, y)) return Target::store_depths(x, y, layer, texels, samples);
  for (unsigned py = 0; py < size; py += 2)
    put_depths(space_.host(run_at(x0 / run_, y0 + py)), texels + pipeline::number_in_block(0, py) * 4);
}

// Whole tiles are contiguous in memory, a row of them at a time; the area's borders go run by run.
void SurfaceTarget::fill_area(const pipeline::Rectangle& area, unsigned layer, const pipeline::PixelChange& change) {
  const auto& s = place_.surface;
  // Byte order that crosses pixels, and memory that is not mapped: block by block.
  if (!all_mapped_ || place_.left || place_.top || (place_.swap && s.element_bytes < 4) ||
      change.texel_bytes() != s.element_bytes)
    return Target::fill_area(area, layer, change);
  const unsigned left = unsigned(std::max(area.left, 0)), right = std::min(unsigned(std::max(area.right, 0)), place_.width);
  const unsigned top = unsigned(std::max(area.top, 0)), bottom = std::min(unsigned(std::max(area.bottom, 0)), place_.height);
  if (left >= right || top >= bottom) return;

  // 16 pixels in memory's order.
  constexpr unsigned times = 16;
  const unsigned pixel_bytes = s.element_bytes * place_.samples;
  alignas(64) std::array<uint8_t, times * 16 * 8> keep, flip;
  for (unsigned n = 0; n < times; n++) {
    std::ranges::copy(change.keep, keep.begin() + n * pixel_bytes);
    std::ranges::copy(change.flip, flip.begin() + n * pixel_bytes);
  }
  arrange(keep.data(), times * place_.samples, true);
  arrange(flip.data(), times * place_.samples, true);
  const size_t chunk = times * pixel_bytes;
  const bool keeps = std::ranges::any_of(change.keep, [](uint8_t v) { return v != 0; });
  auto put = [&](uint64_t at, size_t bytes) {
    uint8_t* to = space_.host(place_.address + at);
    for (; bytes; to += std::min(bytes, chunk), bytes -= std::min(bytes, chunk)) {
      const size_t here = std::min(bytes, chunk);
      if (!keeps) {
        std::memcpy(to, flip.data(), here);
      } else {
        for (size_t n = 0; n < here; n++) to[n] = uint8_t((to[n] & keep[n]) ^ flip[n]);
      }
    }
  };

  const bool rows = s.micro == surface::R300MicroTile::linear && !s.macro;
  if (rows) {
    for (unsigned y = top; y < bottom; y++)
      put(surface::address(s, left, y) * place_.samples, size_t(right - left) * pixel_bytes);
    return;
  }
  const auto tile = surface::r300_tile(s.element_bytes, s.micro, s.macro);
  const unsigned w = tile->width, h = tile->height, tile_bytes = w * h * s.element_bytes;
  const unsigned whole_left = (left + w - 1) / w * w, whole_right = std::max(right / w * w, whole_left);
  auto by_runs = [&](unsigned y, unsigned from, unsigned to) {
    for (unsigned x = from, next; x < to; x = next) {
      next = std::min(to, (x / run_ + 1) * run_);
      put(surface::address(s, x, y), size_t(next - x) * pixel_bytes);
    }
  };
  for (unsigned y = top; y < bottom;) {
    if (y % h || y + h > bottom || whole_left == whole_right) {
      by_runs(y++, left, right);
      continue;
    }
    put(surface::address(s, whole_left, y) / tile_bytes * tile_bytes, size_t(whole_right - whole_left) / w * tile_bytes);
    for (unsigned row = y; row < y + h; row++) by_runs(row, left, std::min(whole_left, right)), by_runs(row, whole_right, right);
    y += h;
  }
}

std::string SurfaceTarget::fault() const {
  uint64_t address = unmapped_.load();
  return address ? fmt::format("render target memory at {:#x} is not mapped", address) : std::string();
}

}  // namespace Atoll::r5xx
