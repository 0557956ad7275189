// The registers of a wave of pixels that the rasteriser fills, from barycentrics and attributes (RS_INST). Compiled for each host
// level: the same bits on all.
#pragma once
#include <span>

#include "base/host_level.h"
#include "gpu/r5xx/shaders/routing.h"
#include "isa/r500/registers.h"
#include "pipeline/stages.h"
#include "wave/wave.h"

namespace Atoll::r5xx {

inline uint32_t cell_of(const Route& route) {
  return route.to_depth ? r500::depth_cell : r500::temporary_cell(route.temporary % r500::kTemporaries, route.channel);
}

// Fills the registers of the quads whose primitive is of `kind`, which `routing` is for.
using FillRegisters = void(wave::Wave& wave, const pipeline::PixelBatch& batch, pipeline::PrimitiveKind kind,
                           const Routing& routing, std::span<const Route> routes);
ATOLL_IN_LEVELS(FillRegisters fill_registers;)

}  // namespace Atoll::r5xx
