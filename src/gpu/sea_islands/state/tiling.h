// The meaning of the chip's tile mode tables: GB_TILE_MODE n and GB_MACROTILE_MODE n as src/surface takes them.
// Colour buffers and textures name a tile mode by its index; a depth buffer spells its mode out in DB_DEPTH_INFO. Sea Islands
// 3D/Compute Register Reference: GB_TILE_MODE, GB_MACROTILE_MODE, DB_DEPTH_INFO, GB_ADDR_CONFIG.
#pragma once
#include <cstdint>

#include "gpu/sea_islands/state/chip_config.h"
#include "registers/sea_islands.h"
#include "surface/banked_tiling.h"

namespace Atoll::sea_islands {

// The fields' values as src/surface names them; an error for reserved values.
Expected<surface::Arrangement> arrangement_of(uint32_t array_mode);
Expected<surface::PipeConfig> pipe_config_of(uint32_t pipe_config);

// Tile mode `index` for elements of that many bytes and samples.
Expected<surface::BankedTiling> tiling_of(const ChipConfig& config, unsigned index, unsigned element_bytes, unsigned samples);

// The tiling of a depth or stencil plane, from DB_DEPTH_INFO's value and TILE_SPLIT of DB_Z_INFO or DB_STENCIL_INFO.
Expected<surface::BankedTiling> depth_tiling_of(const ChipConfig& config, registers::access::Word<DB_DEPTH_INFO> info,
                                                unsigned tile_split, unsigned element_bytes);

// The start of a surface from its base address: the address bits below the alignment of macro-tiled surfaces, in units of the
// interleave, give the pipe and bank swizzle, which goes into `tiling` (Mesa 22.3.6 addrlib egbaddrlib.cpp,
// GetBankPipeSwizzle; ac_surface.c, tile_swizzle).
uint64_t surface_start(uint64_t base_address, surface::BankedTiling& tiling);

// Bytes that follow each other in a pipe, and in a DRAM row (GB_ADDR_CONFIG).
unsigned pipe_interleave_bytes(const ChipConfig& config);
unsigned row_bytes(const ChipConfig& config);

}  // namespace Atoll::sea_islands
