#include "surface/tile_parts.h"

#include <algorithm>
#include <array>
#include <bit>

namespace Atoll::surface {

namespace {
constexpr size_t max_starts = 1 << 16;  // of parts in all slices
}

std::optional<TileParts> TileParts::make(const BankedSurface& s, unsigned first_slice, unsigned slices) {
  const ArrangementRow& arrangement = row(s.tiling.arrangement);
  if (s.tiling.arrangement == Arrangement::linear || arrangement.thickness != 1) return {};
  BankedSurface tile = s;
  tile.tiling.arrangement = Arrangement::micro_thin;
  tile.pitch = tile.height = 8;
  if (!check(tile)) return {};
  const unsigned elements = s.samples * 64, tile_bytes = elements * s.element_bytes;
  const unsigned part_bytes = std::min({s.tiling.tile_split_bytes, s.tiling.pipe_interleave_bytes, tile_bytes});
  if (part_bytes < s.element_bytes || tile_bytes / part_bytes > max_parts) return {};

  TileParts t;
  t.parts_ = tile_bytes / part_bytes;
  if (size_t(slices) * t.parts_ > max_starts) return {};
  t.places_.resize(elements);
  std::array<ElementPlace, max_parts> first{};  // of each part
  for (unsigned n = 0; n < elements; n++) {
    const ElementPlace place{.x = n % 8, .y = n / 8 % 8, .sample = n / 64};
    const unsigned at = unsigned(surface::address(tile, place));
    t.places_[n] = {uint16_t(at / part_bytes), uint16_t(at % part_bytes)};
    if (at % part_bytes == 0) first[at / part_bytes] = place;
  }
  if (arrangement.macro) {
    t.low_bits_ = unsigned(std::countr_zero(s.tiling.pipe_interleave_bytes));
    t.count_ = unsigned(std::countr_zero(pipes(s.tiling.pipe_config) * s.tiling.banks));
    t.low_ = (uint64_t(1) << t.low_bits_) - 1;
  }
  auto at = [&](const ElementPlace& place) { return t.split(surface::address(s, place)); };
  auto steps = [&](std::vector<Step>& all, unsigned count, auto place) {
    const Step origin = at({});
    for (unsigned n = 0; n < count; n++) {
      const Step here = at(place(n));
      all.push_back({here.offset - origin.offset, here.swizzle ^ origin.swizzle});
    }
  };
  steps(t.columns_, s.pitch / 8, [](unsigned n) { return ElementPlace{.x = n * 8}; });
  steps(t.rows_, s.height / 8, [](unsigned n) { return ElementPlace{.y = n * 8}; });
  for (unsigned slice = 0; slice < slices; slice++)
    for (unsigned part = 0; part < t.parts_; part++) {
      ElementPlace place = first[part];
      place.slice = first_slice + slice;
      t.slices_.push_back(at(place));
    }
  return t;
}

}  // namespace Atoll::surface
