#include "surface/tile_parts.h"

#include <algorithm>
#include <array>
#include <bit>

namespace Atoll::surface {

namespace {

constexpr size_t max_starts = 1 << 16;        // of parts in all slices
constexpr uint64_t max_part_bytes = 1 << 15;  // Place::offset

// True if all blocks of 8x8 elements are alike: the level begins with one, and slices with a tile.
struct BlocksAreUniform {
  const BlockArea& area;
  bool operator()(const LinearSurface&) const { return area.samples == 1; }
  bool operator()(const BankedSurface& s) const {
    // (Thick tiles interleave four or eight slices.)
    return row(s.tiling.arrangement).thickness == 1 && s.samples == area.samples;
  }
  bool operator()(const R300Surface&) const { return area.samples == 1; }
  bool operator()(const IntelSurface& s) const {
    const bool one_slice = area.slices == 1 && (s.samples == 1 || s.interleaved);
    const bool slices_begin_tiles = s.slice_rows % tile_rows(s.tiling) == 0 || one_slice;
    return s.samples == area.samples && s.x_bytes % (8 * area.element_bytes) == 0 && s.y_rows % 8 == 0 && slices_begin_tiles &&
           (area.first_slice == 0 || s.slice_rows % tile_rows(s.tiling) == 0);
  }
  bool operator()(const IntelStandardSurface& s) const {
    return s.samples == area.samples && s.first_x % 8 == 0 && s.first_y % 8 == 0 && !s.volume;
  }
  bool operator()(const PageNumbers&) const { return false; }
  bool operator()(const Gfx12Surface& s) const {
    return s.samples == area.samples && s.first_x % 8 == 0 && s.first_y % 8 == 0 && !is_3d(s.swizzle);
  }
};

}  // namespace

std::optional<TileParts> TileParts::make(const LevelPlace& level, const BlockArea& area) {
  if (!std::visit(BlocksAreUniform{area}, level) || area.columns < 8 || area.rows < 8 || area.slices == 0) return {};
  TileParts t;
  t.bits_ = swizzled_bits(level);
  t.low_ = t.bits_.count ? (uint64_t(1) << t.bits_.low) - 1 : ~uint64_t(0);
  auto at = [&](ElementPlace place) {
    place.slice += area.first_slice;
    return split(address_of(level, area.element_bytes, place), t.bits_);
  };
  const SplitAddress origin = at({});
  auto from_origin = [&](const ElementPlace& place) {
    const SplitAddress here = at(place);
    return SplitAddress{here.offset - origin.offset, here.swizzle ^ origin.swizzle};
  };
  for (unsigned n = 0; n < area.columns / 8; n++) t.columns_.push_back(from_origin({.x = n * 8}));
  for (unsigned n = 0; n < area.rows / 8; n++) t.rows_.push_back(from_origin({.y = n * 8}));

  // Parts are as large as the multiples that all blocks begin at, and end below the swizzled bits.
  uint64_t starts = origin.offset | (t.bits_.count ? uint64_t(1) << t.bits_.low : max_part_bytes) | max_part_bytes;
  for (const auto* steps : {&t.columns_, &t.rows_})
    for (const SplitAddress& step : *steps) starts |= step.offset;
  for (unsigned slice = 1; slice < area.slices; slice++) starts |= from_origin({.slice = slice}).offset;
  const uint64_t part_bytes = starts & -starts;

  struct Part {
    uint64_t number;  // bytes from the block's start, in parts
    uint32_t swizzle;
    ElementPlace first;  // the element with the least offset
    uint64_t offset;     // that
  };
  std::vector<Part> parts;
  const unsigned elements = area.samples * 64;
  t.places_.resize(elements);
  std::vector<uint64_t> offsets(elements);
  for (unsigned n = 0; n < elements; n++) {
    const ElementPlace place{.x = n % 8, .y = n / 8 % 8, .sample = n / 64};
    const SplitAddress here = from_origin(place);
    const uint64_t number = here.offset / part_bytes, offset = here.offset % part_bytes;
    if (offset + area.element_bytes > part_bytes) return {};
    auto part = std::ranges::find_if(parts, [&](const Part& p) { return p.number == number && p.swizzle == here.swizzle; });
    if (part == parts.end()) {
      if (parts.size() == max_parts) return {};
      parts.push_back({number, here.swizzle, place, offset});
      part = parts.end() - 1;
    }
    if (offset < part->offset) part->offset = offset, part->first = place;
    offsets[n] = offset;
    t.places_[n].part = uint16_t(part - parts.begin());
  }
  for (unsigned n = 0; n < elements; n++) t.places_[n].offset = uint16_t(offsets[n] - parts[t.places_[n].part].offset);
  t.parts_ = unsigned(parts.size());
  if (size_t(area.slices) * t.parts_ > max_starts) return {};
  for (unsigned slice = 0; slice < area.slices; slice++)
    for (const Part& part : parts) {
      ElementPlace place = part.first;
      place.slice = slice;
      t.slices_.push_back(at(place));
    }
  return t;
}

}  // namespace Atoll::surface
