#include "gpu/sea_islands/state/tiling.h"

#include <algorithm>

namespace Atoll::sea_islands {

using surface::Arrangement;
using surface::BankedTiling;

Expected<Arrangement> arrangement_of(uint32_t array_mode) {
  // ArrayMode; linear general differs from linear aligned in what it is aligned to only.
  static constexpr Arrangement arrangements[] = {
      Arrangement::linear,
      Arrangement::linear,
      Arrangement::micro_thin,
      Arrangement::micro_thick,
      Arrangement::macro_2d_thin,
      Arrangement::resident_thin,
      Arrangement::resident_2d_thin,
      Arrangement::macro_2d_thick,
      Arrangement::macro_2d_extra_thick,
      Arrangement::resident_thick,
      Arrangement::resident_2d_thick,
      Arrangement::resident_3d_thin,
      Arrangement::macro_3d_thin,
      Arrangement::macro_3d_thick,
      Arrangement::macro_3d_extra_thick,
      Arrangement::resident_3d_thick,
  };
  if (array_mode >= std::size(arrangements)) return fail("array mode {}", array_mode);
  return arrangements[array_mode];
}

Expected<surface::PipeConfig> pipe_config_of(uint32_t value) {
  using surface::PipeConfig;
  using Field = GB_TILE_MODE::PIPE_CONFIG;
  switch (value) {
    case sea_islands::PipeConfig::ADDR_SURF_P2: return PipeConfig::p2;
    case sea_islands::PipeConfig::ADDR_SURF_P4_8x16: return PipeConfig::p4_8x16;
    case sea_islands::PipeConfig::ADDR_SURF_P4_16x16: return PipeConfig::p4_16x16;
    case sea_islands::PipeConfig::ADDR_SURF_P4_16x32: return PipeConfig::p4_16x32;
    case sea_islands::PipeConfig::ADDR_SURF_P4_32x32: return PipeConfig::p4_32x32;
    case sea_islands::PipeConfig::ADDR_SURF_P8_16x32_8x16: return PipeConfig::p8_16x32_8x16;
    case sea_islands::PipeConfig::ADDR_SURF_P8_16x32_16x16: return PipeConfig::p8_16x32_16x16;
    case sea_islands::PipeConfig::ADDR_SURF_P8_32x32_8x16: return PipeConfig::p8_32x32_8x16;
    case sea_islands::PipeConfig::ADDR_SURF_P8_32x32_16x16: return PipeConfig::p8_32x32_16x16;
    case sea_islands::PipeConfig::ADDR_SURF_P8_32x32_16x32: return PipeConfig::p8_32x32_16x32;
    case sea_islands::PipeConfig::ADDR_SURF_P8_32x64_32x32: return PipeConfig::p8_32x64_32x32;
    case Field::ADDR_SURF_P16_32x32_8x16: return PipeConfig::p16_32x32_8x16;
    case Field::ADDR_SURF_P16_32x32_16x16: return PipeConfig::p16_32x32_16x16;
    default: return fail("pipe configuration {}", value);
  }
}

uint64_t surface_start(uint64_t base_address, BankedTiling& tiling) {
  if (!surface::row(tiling.arrangement).macro) return base_address;
  unsigned pipes = surface::pipes(tiling.pipe_config);
  uint64_t swizzle = base_address / tiling.pipe_interleave_bytes % (uint64_t(pipes) * tiling.banks);
  tiling.pipe_swizzle = unsigned(swizzle % pipes);
  tiling.bank_swizzle = unsigned(swizzle / pipes);
  return base_address - swizzle * tiling.pipe_interleave_bytes;
}

unsigned pipe_interleave_bytes(const ChipConfig& config) {
  return 256u << std::min(GB_ADDR_CONFIG::PIPE_INTERLEAVE_SIZE::peek(config.gb_addr_config), 1u);
}
unsigned row_bytes(const ChipConfig& config) {
  return 1024u << std::min(GB_ADDR_CONFIG::ROW_SIZE::peek(config.gb_addr_config), 2u);
}

Expected<BankedTiling> tiling_of(const ChipConfig& config, unsigned index, unsigned element_bytes, unsigned samples) {
  using Mode = GB_TILE_MODE;
  uint32_t mode = config.tile_modes[index % config.tile_modes.size()];
  auto arrangement = arrangement_of(Mode::ARRAY_MODE::get(mode));
  if (!arrangement) return fail("tile mode {}: {}", index, arrangement.error().message);
  BankedTiling tiling;
  tiling.arrangement = *arrangement;
  tiling.pipe_interleave_bytes = pipe_interleave_bytes(config);
  if (*arrangement == Arrangement::linear) return tiling;
  auto pipes = pipe_config_of(Mode::PIPE_CONFIG::get(mode));
  if (!pipes) return fail("tile mode {}: {}", index, pipes.error().message);
  tiling.pipe_config = *pipes;
  const surface::ArrangementRow& row = surface::row(*arrangement);
  bool depth = false;
  switch (Mode::MICRO_TILE_MODE_NEW::get(mode)) {
    case Mode::MICRO_TILE_MODE_NEW::ADDR_SURF_DISPLAY_MICRO_TILING: tiling.order = surface::MicroOrder::display; break;
    case Mode::MICRO_TILE_MODE_NEW::ADDR_SURF_THIN_MICRO_TILING: tiling.order = surface::MicroOrder::thin; break;
    case Mode::MICRO_TILE_MODE_NEW::ADDR_SURF_DEPTH_MICRO_TILING: tiling.order = surface::MicroOrder::depth, depth = true; break;
    case Mode::MICRO_TILE_MODE_NEW::ADDR_SURF_ROTATED_MICRO_TILING: tiling.order = surface::MicroOrder::rotated; break;
    case Mode::MICRO_TILE_MODE_NEW::ADDR_SURF_THICK_MICRO_TILING: tiling.order = surface::MicroOrder::thick; break;
    default: return fail("tile mode {}: micro tile mode {}", index, Mode::MICRO_TILE_MODE_NEW::get(mode));
  }
  unsigned split = surface::tile_split(depth, 64u << Mode::TILE_SPLIT::get(mode), 1u << Mode::SAMPLE_SPLIT::get(mode),
                                       element_bytes, row.thickness, row_bytes(config));
  tiling.tile_split_bytes = split;
  if (!row.macro) return tiling;
  bool resident = *arrangement >= Arrangement::resident_thin;
  unsigned setting = surface::bank_setting(split, element_bytes, row.thickness, samples, resident);
  uint32_t banks = config.macrotile_modes[setting % config.macrotile_modes.size()];
  tiling.bank_width = 1u << GB_MACROTILE_MODE::BANK_WIDTH::get(banks);
  tiling.bank_height = 1u << GB_MACROTILE_MODE::BANK_HEIGHT::get(banks);
  tiling.macro_aspect = 1u << GB_MACROTILE_MODE::MACRO_TILE_ASPECT::get(banks);
  tiling.banks = 2u << GB_MACROTILE_MODE::NUM_BANKS::get(banks);
  return tiling;
}

Expected<BankedTiling> depth_tiling_of(const ChipConfig& config, registers::access::Word<DB_DEPTH_INFO> info, unsigned tile_split,
                                       unsigned element_bytes) {
  auto arrangement = arrangement_of(DB_DEPTH_INFO::ARRAY_MODE::get(info));
  if (!arrangement) return fail("DB_DEPTH_INFO: {}", arrangement.error().message);
  BankedTiling tiling;
  tiling.arrangement = *arrangement;
  tiling.order = surface::MicroOrder::depth;
  tiling.pipe_interleave_bytes = pipe_interleave_bytes(config);
  if (*arrangement == Arrangement::linear) return tiling;
  auto pipes = pipe_config_of(DB_DEPTH_INFO::PIPE_CONFIG::get(info));
  if (!pipes) return fail("DB_DEPTH_INFO: {}", pipes.error().message);
  tiling.pipe_config = *pipes;
  tiling.tile_split_bytes =
      surface::tile_split(true, 64u << tile_split, 1, element_bytes, surface::row(*arrangement).thickness, row_bytes(config));
  tiling.bank_width = 1u << DB_DEPTH_INFO::BANK_WIDTH::get(info);
  tiling.bank_height = 1u << DB_DEPTH_INFO::BANK_HEIGHT::get(info);
  tiling.macro_aspect = 1u << DB_DEPTH_INFO::MACRO_TILE_ASPECT::get(info);
  tiling.banks = 2u << DB_DEPTH_INFO::NUM_BANKS::get(info);
  return tiling;
}

}  // namespace Atoll::sea_islands
