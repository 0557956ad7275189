// The state of one queue of an R5xx chip besides what any queue has: its registers and shader memories. Packets, draws and
// shaders get it by reference. R5xx Acceleration v1.3, 10.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "gpu/device/program_files.h"
#include "gpu/device/queue_state.h"
#include "gpu/r5xx/reset.h"
#include "gpu/r5xx/state.h"
#include "gpu/r5xx/tile_mask.h"
#include "surface/sampler.h"

namespace Atoll::r5xx {

struct Context : gpu::QueueState {
  Context(const gpu::Chip& chip, const gpu::Options& options, AddressSpace& space, std::atomic<int>& stop)
      : QueueState(space, options, stop), chip(chip), not_yet(not_yet_of(chip)) {
    reset(registers, chip);
  }

  const gpu::Chip& chip;
  RegisterFile registers{registers_end};
  const gpu::amd::NotYet& not_yet;  // of the chip
  VertexMemory vertex_memory;
  PixelMemory pixel_memory;
  HierarchicalDepthMemory hierarchical_depth;
  // Tile masks of depth buffers, in the Z pipes, and of colour buffers, in the other ones. Sizes: Mesa 22.3.6 r300_chipset.c,
  // r300_texture_desc.c.
  TileMask depth_tiles{std::max(chip.pixel_pipes, chip.depth_pipes), 4096 * std::max(chip.pixel_pipes, chip.depth_pipes)};
  TileMask colour_tiles{chip.pixel_pipes, chip.pixel_pipes == 1 ? 5120 : 4096 * chip.pixel_pipes};
  // The weights that TX_FILTER4 has loaded; units keep what their draw has met.
  std::shared_ptr<const surface::FourTaps> four_taps = std::make_shared<surface::FourTaps>();
  std::array<std::array<uint32_t, 4>, 2> user_colours{};  // of immediate mode (VAP_VTX_STATE_CNTL)
  std::array<uint32_t, 4> z_passed{};                     // samples that passed, by pipe (ZB_ZPASS_DATA)
  gpu::ProgramFiles* program_files = nullptr;             // of the device; null: programs are not written to files
};

}  // namespace Atoll::r5xx
