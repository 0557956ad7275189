// The four chips of the R5xx family, and the state in which a kernel driver hands them to its first user.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "gpu/r5xx/state.h"

namespace Atoll::r5xx {

struct Chip {
  std::string_view name;
  unsigned pipes;         // pixel pipes of four pixels' width (GB_TILE_CONFIG.PIPE_COUNT)
  unsigned z_pipes;       // of RV530, whose depth units are selected apart (RV530_FG_ZBREG_DEST)
  unsigned vertex_units;  // vertex engines (VAP_CNTL_STATUS.MAX_MPS)
};

std::span<const Chip> chips();
const Chip* find_chip(std::string_view name);

// The manual's defaults, and over them what Linux programs before the first user's buffer: drivers/gpu/drm/radeon/rv515.c
// (rv515_ring_start), r420.c (r420_pipes_init).
void reset(RegisterFile& registers, const Chip& chip);

}  // namespace Atoll::r5xx
