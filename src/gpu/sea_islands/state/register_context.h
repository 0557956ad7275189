// The context that everything in this room may use: the queue (its memory, its reports, the limits of a submission) with the
// chip's registers and the threads that work is shared among. The floors above add their own: shaders/shader_context.h,
// draw/draw_context.h, packets/context.h.
#pragma once
#include "gpu/amd/register_context.h"
#include "gpu/sea_islands/state/chip_config.h"

namespace Atoll::sea_islands {

using gpu::amd::RegisterFile;

inline constexpr uint32_t registers_end = 0x40000;  // byte addresses of registers lie below

// A queue of the command processor: micro engine 0 has the graphics queue, 1 and 2 have the compute pipes.
struct HardwareQueue {
  uint32_t engine = 0, pipe = 0, queue = 0;
};

struct RegisterContext : gpu::amd::RegisterContext {
  RegisterContext(const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options,
                  std::atomic<int>& stop);

  ChipConfig config;  // the chip's; its tables of tile modes follow the registers
  HardwareQueue hardware_queue;
};

}  // namespace Atoll::sea_islands
