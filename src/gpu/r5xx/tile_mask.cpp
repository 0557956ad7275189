#include "gpu/r5xx/tile_mask.h"

#include <algorithm>

namespace Atoll::r5xx {
namespace {

// Tiles of a dword by the number of pipes, one to four, both ways: 16 of each pipe.
constexpr unsigned columns_of[] = {4, 8, 12, 8}, rows_of[] = {4, 4, 4, 8};
constexpr unsigned tiles_of_pipe = 16;

unsigned row_of(unsigned pipes) { return std::clamp(pipes, 1u, 4u) - 1; }

}  // namespace

TileMask::TileMask(unsigned pipes, uint32_t dwords)
    : columns_(columns_of[row_of(pipes)]),
      rows_(rows_of[row_of(pipes)]),
      all_(~uint64_t(0) >> (64 - columns_ * rows_)),
      dwords_(dwords) {}

bool TileMask::set(uint32_t start, uint32_t count, uint32_t value) {
  unsigned clear = 0;
  for (unsigned n = 0; n < tiles_of_pipe; n++) clear += (value >> n * 2 & 3) == 0;
  const bool cleared = clear == tiles_of_pipe;
  if (start < dwords_ && (cleared || !cleared_.empty())) {
    cleared_.resize(dwords_);
    std::fill_n(cleared_.begin() + start, std::min(count, dwords_ - start), cleared ? all_ : 0);
    taken_.reset();
  }
  return cleared || clear == 0;
}

uint32_t TileMask::word(uint32_t at) const { return at < cleared_.size() && cleared_[at] == all_ ? 0 : ~0u; }

std::vector<pipeline::Rectangle> TileMask::take(const Place& place, unsigned width, unsigned height) {
  std::vector<pipeline::Rectangle> found;
  if (cleared_.empty() || !place.pitch) return found;
  width = std::min(width, place.pitch);
  const Taken all{place, width, height};
  if (taken_ == all) return found;
  taken_ = all;
  const unsigned tile = place.tile, across = (width + tile - 1) / tile, down = (height + tile - 1) / tile;
  const uint64_t in_row = (place.pitch + columns_ * tile - 1) / (columns_ * tile);
  size_t above = 0;  // where the rectangles that end at this row begin
  for (unsigned y = 0; y < down; y++) {
    const size_t here = found.size();
    int begin = -1;  // of the run of tiles at hand
    for (unsigned x = 0; x <= across; x++) {
      const uint64_t at = place.offset + y / rows_ * in_row + x / columns_;
      const uint64_t bit = uint64_t(1) << (y % rows_ * columns_ + x % columns_);
      if (x < across && at < dwords_ && (cleared_[at] & bit)) {
        cleared_[at] &= ~bit;
        if (begin < 0) begin = int(x);
      } else if (begin >= 0) {
        found.push_back({begin * int(tile), int(y * tile), int(x * tile), int((y + 1) * tile)});
        begin = -1;
      }
    }
    // Rows of the same runs are one rectangle each.
    const auto same = [](const pipeline::Rectangle& a, const pipeline::Rectangle& b) {
      return a.left == b.left && a.right == b.right && a.bottom == b.top;
    };
    const bool goes_on = std::equal(found.begin() + ptrdiff_t(above), found.begin() + ptrdiff_t(here),
                                    found.begin() + ptrdiff_t(here), found.end(), same);
    if (goes_on) {
      for (size_t n = above; n < here; n++) found[n].bottom = int((y + 1) * tile);
      found.resize(here);
    } else {
      above = here;
    }
  }
  return found;
}

}  // namespace Atoll::r5xx
