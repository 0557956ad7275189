// Partially resident images: texels whose memory is not mapped read as zeros and tell so in a status word; stores to them do nothing.
// RDNA4 ISA 10.1.1, 10.10: TEXEL_FAIL | LOD_WARNING << 1 | LOD << 16.
#include <bit>
#include <cmath>

#include "gpu/amd/image_operations.h"
#include "gpu/amd/images.h"
#include "gpu/images/texel_access.h"
#include "memory/partial_view.h"

namespace Atoll::gpu::amd {

using images::for_active;
using surface::Lanes;
using wave::ImageAccess;
using wave::ImageOperation;

// `missing` has the image's shape and texels that are 1 in the first component where the image's memory is missing, elsewhere 0: what a
// filter makes of them is more than 0 where one of its texels is missing.
struct Images::PartialImage {
  std::unique_ptr<PartialView> memory, absence;
  std::unique_ptr<surface::Texture> texture, missing;
};

Images::Entry::Entry() = default;
Images::Entry::~Entry() = default;

namespace {

constexpr uint64_t most_bytes = uint64_t(1) << 36;  // of address space that a view takes
constexpr uint32_t texel_fail = 1, lod_warning = 2;

// A format of the same shape with floats or codes that filters mix, and a texel of it that is 1.
struct Marker {
  surface::Layout layout;
  surface::Number number;
  std::array<uint32_t, 4> one;
};
Expected<Marker> marker_of(const surface::LayoutRow& layout) {
  using enum surface::Layout;
  constexpr uint32_t f = 0x3f800000;
  if (layout.block_width == 4 && layout.block_height == 4) {
    if (layout.bytes == 8) return Marker{bc1, surface::Number::unorm, {0xffff, 0, 0xffff, 0}};  // the first colour, white
    if (layout.bytes == 16) return Marker{bc3, surface::Number::unorm, {0xff, 0, 0xffff, 0}};
  }
  if (layout.block_width == 1) switch (layout.bytes) {
      case 1: return Marker{bits_8, surface::Number::unorm, {~0u, ~0u, ~0u, ~0u}};
      case 2: return Marker{bits_16, surface::Number::unorm, {~0u, ~0u, ~0u, ~0u}};
      case 4: return Marker{bits_32, surface::Number::floating, {f, f, f, f}};
      case 8: return Marker{bits_32_32, surface::Number::floating, {f, f, f, f}};
      case 12: return Marker{bits_32_32_32, surface::Number::floating, {f, f, f, f}};
      case 16: return Marker{bits_32_32_32_32, surface::Number::floating, {f, f, f, f}};
      default: break;
    }
  return fail("a partially resident image of {} bytes for {} x {} texels", layout.bytes, layout.block_width, layout.block_height);
}

bool samples(const ImageAccess& access) {
  return access.operation == ImageOperation::sample || access.operation == ImageOperation::gather;
}

}  // namespace

const Images::PartialImage* Images::partial_image(Entry& entry, ImageAccess& access) {
  std::lock_guard lock(mutex_);
  if (entry.partial_made.load() == submission_) return entry.partial.get();
  auto made = std::make_unique<PartialImage>();
  const ImageResource& r = entry.resource;
  auto fill = [&]() -> Expected<void> {
    if (r.bytes > most_bytes) return fail("a partially resident image of {} bytes", r.bytes);
    auto marker = marker_of(surface::row(r.description.format.layout));
    if (!marker) return std::unexpected(marker.error());
    auto memory = PartialView::make(space_, r.address, r.bytes);
    if (!memory) return std::unexpected(memory.error());
    auto absence = PartialView::missing(space_, r.address, r.bytes, marker->one);
    if (!absence) return std::unexpected(absence.error());
    surface::TextureDescription marked = r.description;
    marked.format = {marker->layout, marker->number, surface::natural_order};
    surface::TextureDescription own = r.description;
    own.format = entry.texture->format();
    auto texture = surface::Texture::make(own, (*memory)->data(), r.bytes);
    auto missing = surface::Texture::make(marked, (*absence)->data(), r.bytes);
    if (!texture || !missing) return std::unexpected((texture ? missing : texture).error());
    *made = {std::move(*memory), std::move(*absence), std::make_unique<surface::Texture>(std::move(*texture)),
             std::make_unique<surface::Texture>(std::move(*missing))};
    return {};
  };
  if (auto filled = fill(); !filled) {
    reports_.unknown(filled.error().message);
    return nullptr;
  }
  entry.partial = std::move(made);
  entry.partial_made.store(submission_);
  (void)access;
  return entry.partial.get();
}

// The levels that lanes sample, as the status word counts them: from the first level that the image has, whole ones.
void Images::warn_of_level(const Entry& entry, ImageAccess& access, uint64_t border_colours) {
  if (!samples(access) || !(entry.resource.min_lod_warning > 0)) return;
  std::array<Lanes, 4> levels;
  surface::query_lod(*entry.texture, sampler_of(access, entry, border_colours),
                     sample_lanes(entry.resource, *entry.texture, access), levels);
  for_active(access, [&](unsigned lane) {
    const float level = std::bit_cast<float>(levels[0][lane]);
    if (!access.status[lane] && level < entry.resource.min_lod_warning)
      access.status[lane] = lod_warning | uint32_t(std::floor(level)) << 16;
  });
}

void Images::access_partial(const Entry& entry, const PartialImage& partial, ImageAccess& access, uint64_t border_colours) {
  const uint32_t bytes = surface::row(partial.texture->format().layout).bytes;
  std::array<uint32_t, wave::image_lanes> level{};
  std::array<bool, wave::image_lanes> failed{};
  if (samples(access)) {
    surface::Sampler sampler = sampler_of(access, entry, border_colours);
    surface::SampleLanes call = sample_lanes(entry.resource, *partial.missing, access);
    std::array<Lanes, 4> levels, found;
    surface::query_lod(*partial.missing, sampler, call, levels);
    call.reference = nullptr;
    call.gather_component = 0;
    call.gather_from_nearest = access.operation == ImageOperation::gather && surface::is_integer(entry.texture->format().number);
    sampler.compare = false, sampler.border = {0, 0, 0, 0}, sampler.reduction = surface::Reduction::average;
    if (surface::is_integer(entry.texture->format().number)) {  // which no filter mixes
      sampler.min_filter = sampler.mag_filter = surface::Filter::nearest;
      if (sampler.mip_filter == surface::MipFilter::linear) sampler.mip_filter = surface::MipFilter::nearest;
    }
    const bool gathers = access.operation == ImageOperation::gather;
    gathers ? surface::gather(*partial.missing, sampler, call, found) : surface::sample(*partial.missing, sampler, call, found);
    for_active(access, [&](unsigned lane) {
      for (size_t n = 0; n < (gathers ? 4u : 1u) && !gathers_hidden(entry.resource, access); n++)
        failed[lane] |= std::bit_cast<float>(found[n][lane]) > 0;
      level[lane] = uint32_t(std::floor(std::bit_cast<float>(levels[0][lane])));
    });
  } else {
    const bool writes = access.operation == ImageOperation::store || access.operation == ImageOperation::atomic;
    const unsigned samples = access.operation == ImageOperation::load_samples ? 4 : 1;
    const uint64_t asked = access.active;
    for_active(access, [&](unsigned lane) {
      for (unsigned n = 0; n < samples; n++) {
        const uint8_t* texel = texel_of_access(entry.resource, *partial.texture, access, lane, n);
        failed[lane] |= texel && !partial.memory->is_there(texel, bytes, writes);
      }
      level[lane] = access.explicit_level ? access.lod[lane] : 0;
      if (failed[lane] && writes) access.active &= ~(uint64_t(1) << lane);
    });
    run(entry, *partial.texture, access, border_colours);
    if (writes)
      for (uint64_t rest = asked & ~access.active; rest; rest &= rest - 1)
        for (auto& lanes : access.data) lanes[size_t(std::countr_zero(rest))] = 0;
    access.active = asked;
  }
  if (samples(access)) run(entry, *partial.texture, access, border_colours);
  if (access.tfe)
    for_active(access, [&](unsigned lane) {
      if (failed[lane]) access.status[lane] = texel_fail | level[lane] << 16;
    });
  if (access.lwe) warn_of_level(entry, access, border_colours);
}

}  // namespace Atoll::gpu::amd
