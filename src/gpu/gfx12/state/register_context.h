// The context that everything in this room may use: the queue (its memory, its reports, the limits of a submission) with the
// chip's registers and the threads that work is shared among. The floors above add their own: shaders/shader_context.h,
// draw/draw_context.h, packets/context.h.
#pragma once
#include "gpu/amd/not_yet.h"
#include "gpu/amd/register_file.h"
#include "gpu/chips/chip.h"
#include "gpu/device/queue_state.h"
#include "registers/gfx12.h"

namespace Atoll::pipeline {
class Workers;
}

namespace Atoll::gfx12 {

using gpu::amd::RegisterFile;

inline constexpr uint32_t registers_end = 0x40000;  // byte addresses of registers lie below

// GB_ADDR_CONFIG, which the kernel's driver tells programs as well: what the chip is made of. No address of a surface depends on it on
// GFX12 (Mesa 25.0.7 src/amd/addrlib/src/gfx12/gfx12SwizzlePattern.h).
inline constexpr uint32_t gb_addr_config = 0x444;

struct RegisterContext : gpu::QueueState {
  RegisterContext(const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options,
                  std::atomic<int>& stop);

  const gpu::Chip& chip;
  const gpu::QueueKind kind;
  RegisterFile registers;
  const gpu::amd::NotYet& not_yet;
  const unsigned threads;                // to share work among, at least 1
  pipeline::Workers* workers = nullptr;  // of the device; null on queues that do not draw

  // Draws the pixels of deferred draws (pipeline/tiles/scene.h) and stores the cached blocks of targets (pipeline/tiles/tile_cache.h).
  // Call it before anything looks at memory or changes it: the command processor does so before every packet except where
  // packet_table.cpp says otherwise. False: the context is lost, by a deferred draw.
  bool write_back_targets();
  uint64_t write_backs = 0;  // how often it was called

  // The GPU's clock, counting as the crystal does (amdgpu's gpu_counter_freq). Under determinism a count of the times it was
  // asked.
  uint64_t clock();

private:
  std::atomic<uint64_t> clock_reads_{0};
};

}  // namespace Atoll::gfx12
