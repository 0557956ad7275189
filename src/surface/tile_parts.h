// The places of blocks of 8x8 elements in a surface by table, for what reads and writes whole blocks, as render targets do.
//
// A block lies in parts of bytes that follow each other: rows of a linear surface, micro tiles, what pipe interleave and tile split
// leave together. The part that an element is in, and its place there, are the same in all blocks. A part's start is a sum of
// what the block's column, its row, and the slice with the part add, but for the bits that are the exclusive or of the three
// (element_address.h).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "surface/element_address.h"

namespace Atoll::surface {

// Elements of a level that are looked at in blocks.
struct BlockArea {
  unsigned element_bytes = 4, samples = 1;
  unsigned columns = 0, rows = 0;  // elements; blocks that are not whole have no parts
  unsigned first_slice = 0, slices = 1;
};

class TileParts {
public:
  static constexpr unsigned max_parts = 128;  // of a block

  // Nothing where blocks are in too many parts, or are not alike: levels that begin inside of a tile.
  static std::optional<TileParts> make(const LevelPlace& level, const BlockArea& area);

  struct Place {
    uint16_t part, offset;  // bytes
  };
  Place place(unsigned x, unsigned y, unsigned sample) const { return places_[(sample * 8 + y) * 8 + x]; }
  unsigned count() const { return parts_; }
  // Numbers of whole blocks.
  unsigned columns() const { return unsigned(columns_.size()); }
  unsigned rows() const { return unsigned(rows_.size()); }
  // From the level's start; the slice counts from the first.
  [[gnu::always_inline]] uint64_t address(unsigned column, unsigned row, unsigned slice, unsigned part) const {
    const SplitAddress &x = columns_[column], &y = rows_[row], &z = slices_[slice * parts_ + part];
    const uint64_t offset = x.offset + y.offset + z.offset;
    return (offset & low_) | (offset & ~low_) << bits_.count | uint64_t(x.swizzle ^ y.swizzle ^ z.swizzle) << bits_.low;
  }

private:
  TileParts() = default;

  SwizzledBits bits_;
  uint64_t low_ = 0;  // the bits below them
  unsigned parts_ = 0;
  std::vector<Place> places_;
  std::vector<SplitAddress> columns_, rows_, slices_;
};

}  // namespace Atoll::surface
