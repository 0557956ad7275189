// The global data share as the command processor sees it: packets that read and write it, and the registers that are its ports.
// Linux drivers/gpu/drm/amd/include/asic_reg/gca/gfx_7_2_d.h (GDS_RD_ADDR to GDS_OA_RING_SIZE), gfx_7_2_sh_mask.h.
#pragma once
#include "gpu/sea_islands/shaders/shader_context.h"

namespace Atoll::sea_islands {

// Bytes at an offset of the queue's part; beyond it writes are dropped and reads give zeros.
void read_gds(ShaderContext& c, uint32_t offset, void* to, uint32_t bytes);
void write_gds(ShaderContext& c, uint32_t offset, const void* from, uint32_t bytes);

// Byte addresses of the ports' registers. Some do something when they are read or written: data goes to or comes from the
// address that stands beside them (bursts count it on), GDS_ATOM_OP runs a DS instruction, GDS_GWS_RESOURCE shows what
// GDS_GWS_RESOURCE_CNTL names.
inline constexpr uint32_t gds_registers_begin = 0x31000, gds_registers_end = 0x31088;
void write_gds_register(ShaderContext& c, uint32_t address, uint32_t value);    // which has been stored
std::optional<uint32_t> read_gds_register(ShaderContext& c, uint32_t address);  // nothing: what was written last

}  // namespace Atoll::sea_islands
