// The context that everything in this room may use: the queue (its memory, its reports, the limits of a submission) with the
// chip's registers and the threads that work is shared among. The floors above add their own: shaders/shader_context.h,
// draw/draw_context.h, packets/context.h.
#pragma once
#include "gpu/amd/register_context.h"
#include "registers/gfx12.h"

namespace Atoll::gfx12 {

using gpu::amd::RegisterFile;

inline constexpr uint32_t registers_end = 0x40000;  // byte addresses of registers lie below

// GB_ADDR_CONFIG, which the kernel's driver tells programs as well: what the chip is made of. No address of a surface depends on it on
// GFX12 (Mesa 25.0.7 src/amd/addrlib/src/gfx12/gfx12SwizzlePattern.h).
inline constexpr uint32_t gb_addr_config = 0x444;

struct RegisterContext : gpu::amd::RegisterContext {
  RegisterContext(const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options,
                  std::atomic<int>& stop);
};

}  // namespace Atoll::gfx12
