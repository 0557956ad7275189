// The cleared tiles of a depth or colour buffer: the memories beside the ZB's and the CB's caches that hold 2 bits for each
// tile, 0 of which says that the tile has the clear value whatever memory holds (R5xx Acceleration v1.3, ZB_DEPTHCLEARVALUE,
// RB3D_COLOR_CLEAR_VALUE). The other values of the bits (how a tile is compressed) are not published, and nothing is stored
// compressed here: an entry is "cleared" or "as memory has it" (docs/errata.md, "R5xx cleared tiles").
//
// The size of the piece of the picture that a dword stands for, by the number of pipes: Mesa 22.3.6
// src/gallium/drivers/r300/r300_texture_desc.c (r300_setup_hyperz_properties, r300_setup_cmask_properties).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/state.h"

namespace Atoll::r5xx {

class TileMask {
public:
  // `pipes`: those that have such a memory, each a part of it; `dwords` of them all.
  TileMask(unsigned pipes, uint32_t dwords);

  // Entries of these dwords become what `value` says of each. False: cleared ones beside others, of which nobody knows which tiles
  // they are; all of them are as memory has them then.
  bool set(uint32_t start, uint32_t count, uint32_t value);
  // All cleared: 0; none of them: all ones.
  uint32_t word(uint32_t at) const;

  // The position of a surface's entries.
  struct Place {
    uint32_t offset = 0;  // dwords
    unsigned pitch = 0;   // pixels; 0: it has none
    unsigned tile = 4;    // pixels of a tile, both ways
    bool operator==(const Place&) const = default;
  };
  // The cleared tiles of the picture's first `width` by `height` pixels, as rectangles of whole tiles in the order of rows. They are
  // cleared no longer: whoever takes them writes their memory.
  std::vector<pipeline::Rectangle> take(const Place& place, unsigned width, unsigned height);

private:
  struct Taken {
    Place place;
    unsigned width, height;
    bool operator==(const Taken&) const = default;
  };
  const unsigned columns_, rows_;  // of tiles that a dword of each pipe stands for
  const uint64_t all_;             // a bit for each of them
  const uint32_t dwords_;
  std::vector<uint64_t> cleared_;  // by dword; none before the first is cleared
  std::optional<Taken> taken_;     // nothing of this is cleared
};

}  // namespace Atoll::r5xx
