// The places of micro tiles in a banked surface by table: for what reads and writes whole tiles, as render targets do.
//
// A tile lies in parts of bytes that follow each other: what pipe interleave and tile split leave together. Which part an element
// is in, and where in it, is the same in all tiles. Where a part begins is a sum of what the tile's column, its row, and the slice
// with the part add, but for the bits that name pipe and bank, which are the exclusive or of the three (texture.h, AddressPart).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "surface/banked_tiling.h"

namespace Atoll::surface {

class TileParts {
public:
  static constexpr unsigned max_parts = 128;  // of a tile

  // Of slices `first_slice` and on. Nothing where tiles are thick, or in too many parts.
  static std::optional<TileParts> make(const BankedSurface& surface, unsigned first_slice, unsigned slices);

  struct Place {
    uint16_t part, offset;  // bytes
  };
  Place place(unsigned x, unsigned y, unsigned sample) const { return places_[(sample * 8 + y) * 8 + x]; }
  unsigned count() const { return parts_; }
  // From the surface's start; the slice counts from the first.
  [[gnu::always_inline]] uint64_t address(unsigned column, unsigned row, unsigned slice, unsigned part) const {
    const Step &x = columns_[column], &y = rows_[row], &z = slices_[slice * parts_ + part];
    const uint64_t offset = x.offset + y.offset + z.offset;
    return (offset & low_) | (offset & ~low_) << count_ | uint64_t(x.swizzle ^ y.swizzle ^ z.swizzle) << low_bits_;
  }

private:
  struct Step {
    uint64_t offset = 0;   // without the bits of pipe and bank
    uint32_t swizzle = 0;  // these
  };
  TileParts() = default;
  Step split(uint64_t address) const {
    return {(address & low_) | (address >> count_ & ~low_), uint32_t(address >> low_bits_ & ((uint64_t(1) << count_) - 1))};
  }

  unsigned low_bits_ = 0, count_ = 0;  // where the bits of pipe and bank begin, and how many they are
  uint64_t low_ = 0;
  unsigned parts_ = 0;
  std::vector<Place> places_;
  std::vector<Step> columns_, rows_, slices_;
};

}  // namespace Atoll::surface
