#include "gpu/sea_islands/state/chip_config.h"

#include "base/expected.h"
#include "gpu/chips/rows.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {
namespace {

// --- tile modes
// GB_TILE_MODEn: how surfaces of index n lie. Chips differ in the pipe configuration, the micro tiling of thick
// modes (thin on Bonaire, as gfx_v7_0.c has it), and on Hawaii the modes of partially resident textures.
using Tile = GB_TILE_MODE;
enum : uint32_t {
  LINEAR = 1,
  THIN1_1D = 2,
  THICK_1D = 3,
  THIN1_2D = 4,
  THIN1_PRT = 5,
  THIN1_PRT_2D = 6,
  THICK_2D = 7,
  XTHICK_2D = 8,
  THICK_PRT = 9,
  THIN1_3D = 12,
  THICK_3D = 13,
  XTHICK_3D = 14,
};
enum : uint32_t { DISPLAY, THIN, DEPTH, ROTATED, THICK };
// `split`: of depth surfaces 0 to 6 for 64 bytes to 4 KiB; ROW: as long as a row of memory.
constexpr uint32_t ROW = ~0u;

struct TileRow {
  uint32_t array = 0, micro = DISPLAY, split = 0, sample_split = 0;
};
constexpr TileRow tile_rows[31] = {
    {THIN1_2D, DEPTH, 0},
    {THIN1_2D, DEPTH, 1},
    {THIN1_2D, DEPTH, 2},
    {THIN1_2D, DEPTH, 3},
    {THIN1_2D, DEPTH, ROW},
    {THIN1_1D, DEPTH},
    {THIN1_PRT, DEPTH, ROW},
    {0, 0, ROW},
    {LINEAR},
    {THIN1_1D, DISPLAY},
    {THIN1_2D, DISPLAY, 0, 1},
    {THIN1_PRT, DISPLAY, 0, 3},
    {0, 0, ROW},
    {THIN1_1D, THIN},
    {THIN1_2D, THIN, 0, 1},
    {THIN1_3D, THIN, 0, 1},
    {THIN1_PRT, THIN, 0, 3},
    {0, 0, ROW},
    {THICK_1D, THIN},
    {THICK_1D, THICK},
    {THICK_2D, THICK},
    {THICK_3D, THICK},
    {THICK_PRT, THICK},
    {0, 0, ROW},
    {THICK_2D, THIN},
    {XTHICK_2D, THICK},
    {XTHICK_3D, THICK},
    {THIN1_1D, ROTATED},
    {THIN1_2D, ROTATED, 0, 1},
    {THIN1_PRT, ROTATED, 0, 3},
    {0, 0, ROW},
};

constexpr uint32_t tile_mode(const TileRow& row, uint32_t pipes, uint32_t row_split, bool thick) {
  if (row.array == 0) return Tile::TILE_SPLIT::of(row_split);
  uint32_t micro = row.micro == THICK && !thick ? uint32_t(THIN) : row.micro;
  return Tile::ARRAY_MODE::of(row.array) | Tile::PIPE_CONFIG::of(pipes) |
         Tile::TILE_SPLIT::of(row.split == ROW ? row_split : row.split) | Tile::MICRO_TILE_MODE_NEW::of(micro) |
         Tile::SAMPLE_SPLIT::of(row.sample_split);
}

constexpr std::array<uint32_t, 32> tile_modes(uint32_t pipes, uint32_t row_split, bool thick) {
  std::array<uint32_t, 32> modes{};
  for (unsigned n = 0; n < 31; n++) modes[n] = tile_mode(tile_rows[n], pipes, row_split, thick);
  return modes;
}

constexpr std::array<uint32_t, 32> hawaii_tile_modes(uint32_t row_split) {
  auto modes = tile_modes(Tile::PIPE_CONFIG::ADDR_SURF_P16_32x32_16x16, row_split, true);
  constexpr uint32_t four = Tile::PIPE_CONFIG::ADDR_SURF_P4_16x16;
  modes[5] |= Tile::TILE_SPLIT::of(row_split);
  modes[7] = tile_mode({THIN1_PRT, DEPTH, ROW}, four, row_split, true);
  modes[12] = tile_mode({THIN1_PRT_2D, DISPLAY, 0, 3}, four, row_split, true);
  modes[17] = tile_mode({THIN1_PRT, THIN, 0, 3}, four, row_split, true);
  modes[23] = tile_mode({THICK_PRT, THICK}, four, row_split, true);
  modes[30] = tile_mode({THIN1_PRT, ROTATED, 0, 3}, four, row_split, true);
  return modes;
}

// --- macro tile modes: GB_MACROTILE_MODEn, in banks' width, height, aspect and number of banks as they are (not as logarithms).
constexpr uint32_t log2(uint32_t n) { return n > 1 ? 1 + log2(n / 2) : 0; }
struct MacroRow {
  uint32_t width = 0, height = 0, aspect = 0, banks = 0;
};
using MacroRows = std::array<MacroRow, 16>;
constexpr std::array<uint32_t, 16> macro_modes(const MacroRows& rows) {
  std::array<uint32_t, 16> modes{};
  using Macro = GB_MACROTILE_MODE;
  for (unsigned n = 0; n < 16; n++)
    if (rows[n].width)
      modes[n] = Macro::BANK_WIDTH::of(log2(rows[n].width)) | Macro::BANK_HEIGHT::of(log2(rows[n].height)) |
                 Macro::MACRO_TILE_ASPECT::of(log2(rows[n].aspect)) | Macro::NUM_BANKS::of(log2(rows[n].banks) - 1);
  return modes;
}
constexpr MacroRow unused;
// clang-format off
constexpr MacroRows bonaire_macro_rows{{
    {1, 4, 4, 16}, {1, 2, 4, 16}, {1, 1, 2, 16}, {1, 1, 2, 16}, {1, 1, 2, 16}, {1, 1, 2, 8}, {1, 1, 1, 4}, unused,
    {2, 8, 4, 16}, {2, 4, 4, 16}, {1, 4, 4, 16}, {1, 2, 4, 16}, {1, 1, 2, 16}, {1, 1, 2, 8}, {1, 1, 1, 4}, unused}};
constexpr MacroRows hawaii_macro_rows{{
    {1, 4, 2, 16}, {1, 2, 2, 16}, {1, 1, 1, 16}, {1, 1, 1, 16}, {1, 1, 1, 8}, {1, 1, 1, 4}, {1, 1, 1, 4}, unused,
    {1, 4, 2, 16}, {1, 2, 2, 16}, {1, 1, 1, 16}, {1, 1, 1, 8}, {1, 1, 2, 16}, {1, 1, 2, 8}, {1, 1, 1, 4}, unused}};
constexpr MacroRows apu_macro_rows{{
    {1, 4, 4, 8}, {1, 2, 4, 8}, {1, 2, 2, 8}, {1, 1, 2, 8}, {1, 1, 2, 8}, {1, 1, 2, 8}, {1, 1, 2, 8}, unused,
    {4, 8, 4, 16}, {4, 4, 4, 16}, {2, 4, 4, 16}, {2, 2, 4, 16}, {1, 2, 4, 16}, {1, 1, 4, 16}, {1, 1, 2, 8}, unused}};
// clang-format on

constexpr uint32_t P2 = PipeConfig::ADDR_SURF_P2, P4 = PipeConfig::ADDR_SURF_P4_16x16;
constexpr uint32_t split_1k = TileSplit::ADDR_SURF_TILE_SPLIT_1KB, split_2k = TileSplit::ADDR_SURF_TILE_SPLIT_2KB;

// GB_ADDR_CONFIG: the "golden" values of gfx_v7_0.c with the row size of the memory behind (2 KiB; 1 KiB of the APUs).
// MC_ARB_RAMCFG is the board's: 16 banks and rows of 2 KiB here (unverified).
constexpr uint32_t golden = 0x12010001, golden_hawaii = 0x12011003;
constexpr uint32_t small_rows = GB_ADDR_CONFIG::ROW_SIZE::set(golden, 0);
constexpr uint32_t memory_16_banks_2k = MC_ARB_RAMCFG::NOOFBANK::of(2) | MC_ARB_RAMCFG::NOOFCOLS::of(1);

constexpr uint32_t bonaire_raster = PA_SC_RASTER_CONFIG::RB_MAP_PKR0::of(2) | PA_SC_RASTER_CONFIG::RB_XSEL2::of(1) |
                                    PA_SC_RASTER_CONFIG::SE_MAP::of(2) | PA_SC_RASTER_CONFIG::SE_XSEL::of(1) |
                                    PA_SC_RASTER_CONFIG::SE_YSEL::of(1);
constexpr uint32_t hawaii_raster =
    PA_SC_RASTER_CONFIG::RB_MAP_PKR0::of(2) | PA_SC_RASTER_CONFIG::RB_MAP_PKR1::of(2) | PA_SC_RASTER_CONFIG::RB_XSEL2::of(1) |
    PA_SC_RASTER_CONFIG::PKR_MAP::of(2) | PA_SC_RASTER_CONFIG::PKR_XSEL::of(1) | PA_SC_RASTER_CONFIG::PKR_YSEL::of(1) |
    PA_SC_RASTER_CONFIG::SE_MAP::of(2) | PA_SC_RASTER_CONFIG::SE_XSEL::of(2) | PA_SC_RASTER_CONFIG::SE_YSEL::of(3);
constexpr uint32_t hawaii_raster_1 = PA_SC_RASTER_CONFIG_1::SE_PAIR_MAP::of(2) | PA_SC_RASTER_CONFIG_1::SE_PAIR_XSEL::of(3) |
                                     PA_SC_RASTER_CONFIG_1::SE_PAIR_YSEL::of(2);
constexpr uint32_t kaveri_raster = PA_SC_RASTER_CONFIG::RB_MAP_PKR0::of(2);

// clang-format off
constexpr ChipConfig all[] = {
    // chip, GB_ADDR_CONFIG, PA_SC_RASTER_CONFIG, MC_ARB_RAMCFG, tile modes
    {&gpu::chip("bonaire"), golden, {bonaire_raster, 0}, memory_16_banks_2k,
     tile_modes(P4, split_2k, false), macro_modes(bonaire_macro_rows)},
    {&gpu::chip("hawaii"), golden_hawaii, {hawaii_raster, hawaii_raster_1}, memory_16_banks_2k,
     hawaii_tile_modes(split_2k), macro_modes(hawaii_macro_rows)},
    {&gpu::chip("kaveri"), small_rows, {kaveri_raster, 0}, 0,
     tile_modes(P2, split_1k, true), macro_modes(apu_macro_rows)},
    {&gpu::chip("kabini"), small_rows, {0, 0}, 0,
     tile_modes(P2, split_1k, true), macro_modes(apu_macro_rows)},
};
// clang-format on

// Each stands where its chip's number says, and none is missing.
constexpr bool complete() {
  unsigned chips = 0;
  for (auto& chip : gpu::chip_rows)
    if (chip.family == gpu::Family::sea_islands) chips++;
  for (unsigned n = 0; n < std::size(all); n++)
    if (all[n].chip->family != gpu::Family::sea_islands || all[n].chip->number_in_family != n) return false;
  return chips == std::size(all);
}
static_assert(complete());

}  // namespace

const ChipConfig& config_of(const gpu::Chip& chip) {
  ATOLL_ASSERT(chip.family == gpu::Family::sea_islands);
  return all[chip.number_in_family];
}

uint32_t* tile_mode_entry(ChipConfig& config, uint32_t address) {
  if (address >= GB_TILE_MODE::address(0) && address <= GB_TILE_MODE::address(31))
    return &config.tile_modes[(address - GB_TILE_MODE::address(0)) / 4];
  if (address >= GB_MACROTILE_MODE::address(0) && address <= GB_MACROTILE_MODE::address(15))
    return &config.macrotile_modes[(address - GB_MACROTILE_MODE::address(0)) / 4];
  return nullptr;
}

uint32_t max_waves(const gpu::Chip& chip) { return chip.shader_engines * chip.shader_arrays * chip.compute_units * 40; }

std::vector<ResetValue> reset_values(const gpu::Chip& chip) {
  const ChipConfig& config = config_of(chip);
  std::vector<ResetValue> all = {
      {GB_ADDR_CONFIG::address(), config.gb_addr_config},
      {PA_SC_RASTER_CONFIG::address(), config.raster_config[0]},
      {PA_SC_RASTER_CONFIG_1::address(), config.raster_config[1]},
      {MC_ARB_RAMCFG::address(), config.mc_arb_ramcfg},
      {CC_RB_BACKEND_DISABLE::address(), 0},
      {CB_HW_CONTROL::address(), CB_HW_CONTROL::DISABLE_INTNORM_LE11BPC_CLAMPING::of(1)},
      // A queue has all of the GDS, the GWS and the ordered append units until somebody says otherwise.
      {GDS_VMID_SIZE::address(0), 65536},
      {GDS_GWS_VMID::address(0), GDS_GWS_VMID::SIZE::of(64)},
      {GDS_OA_VMID::address(0), 0xffff},
      // As many as can run at once: 40 on each unit (the value that cikd.h has for bonaire, 0x22f).
      {GDS_COMPUTE_MAX_WAVE_ID::address(), max_waves(chip) - 1},
      {SPI_PS_MAX_WAVE_ID::address(), max_waves(chip) - 1},
      // Idle.
      {GRBM_STATUS::address(), 0},
      {GRBM_STATUS2::address(), 0},
      {SRBM_STATUS::address(), 0},
      {SRBM_STATUS2::address(), 0},
      {SDMA_STATUS_REG::address(0), 1},
      {SDMA_STATUS_REG::address(1), 1},
  };
  for (uint32_t n = 0; n < config.tile_modes.size(); n++) all.push_back({GB_TILE_MODE::address(n), config.tile_modes[n]});
  for (uint32_t n = 0; n < config.macrotile_modes.size(); n++)
    all.push_back({GB_MACROTILE_MODE::address(n), config.macrotile_modes[n]});
  return all;
}

}  // namespace Atoll::sea_islands
