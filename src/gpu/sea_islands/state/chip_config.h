// Differences between the Sea Islands chips that are not in gpus/gpus.tsv: the registers that describe a chip.
// Values: Linux drivers/gpu/drm/amd/amdgpu/gfx_v7_0.c (gfx_v7_0_gpu_early_init, gfx_v7_0_tiling_mode_table_init,
// gfx_v7_0_raster_config), drivers/gpu/drm/radeon/cik.c.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "gpu/chips/chip.h"

namespace Atoll::sea_islands {

struct ChipConfig {
  const gpu::Chip* chip;
  uint32_t gb_addr_config;                   // GB_ADDR_CONFIG
  uint32_t raster_config[2];                 // PA_SC_RASTER_CONFIG, PA_SC_RASTER_CONFIG_1
  uint32_t mc_arb_ramcfg;                    // MC_ARB_RAMCFG: banks and rows of the memory
  std::array<uint32_t, 32> tile_modes;       // GB_TILE_MODE0 to 31
  std::array<uint32_t, 16> macrotile_modes;  // GB_MACROTILE_MODE0 to 15
};

// `chip` is of the family.
const ChipConfig& config_of(const gpu::Chip& chip);

// The entry of a table of tile modes that the register at this address is; null: none.
uint32_t* tile_mode_entry(ChipConfig& config, uint32_t address);

// The number of waves that run at once: 4 SIMDs of 10 waves on each compute unit.
uint32_t max_waves(const gpu::Chip& chip);

// Values of the chip's registers after reset, by byte address: those that the kernel's driver sets up or that describe the chip.
struct ResetValue {
  uint32_t address, value;
};
std::vector<ResetValue> reset_values(const gpu::Chip& chip);

}  // namespace Atoll::sea_islands
