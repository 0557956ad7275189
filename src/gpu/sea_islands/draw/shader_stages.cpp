#include "gpu/sea_islands/draw/shader_stages.h"

#include "registers/sea_islands.h"

namespace Atoll::sea_islands {
namespace {

struct StageRow {
  const char* name;  // for reports
  uint32_t low, high, resource1, resource2, user_data;
  uint32_t trap_base;   // TBA_LO, TBA_HI, TMA_LO and TMA_HI follow each other
  unsigned exceptions;  // first bit of EXCP_EN in RSRC2
};
#define ATOLL_ROW(name, stage)               \
  {name,                                     \
   SPI_SHADER_PGM_LO_##stage::address(),     \
   SPI_SHADER_PGM_HI_##stage::address(),     \
   SPI_SHADER_PGM_RSRC1_##stage::address(),  \
   SPI_SHADER_PGM_RSRC2_##stage::address(),  \
   SPI_SHADER_USER_DATA_##stage::address(0), \
   SPI_SHADER_TBA_LO_##stage::address(),     \
   SPI_SHADER_PGM_RSRC2_##stage::EXCP_EN::low}
constexpr StageRow rows[] = {ATOLL_ROW("local (LS)", LS),    ATOLL_ROW("hull (HS)", HS), ATOLL_ROW("export (ES)", ES),
                             ATOLL_ROW("geometry (GS)", GS), ATOLL_ROW("vertex", VS),    ATOLL_ROW("pixel", PS)};
#undef ATOLL_ROW

}  // namespace

uint32_t resource2_of(const Registers& registers, HardwareStage stage) { return registers[rows[size_t(stage)].resource2]; }

unsigned loaded_vgprs_of(const Registers& registers, HardwareStage stage) {
  return SPI_SHADER_PGM_RSRC1_VS::VGPR_COMP_CNT::get(registers[rows[size_t(stage)].resource1]) + 1;
}

bool prepare_stage(Context& context, HardwareStage stage, WaveSetup& setup) {
  const StageRow& row = rows[size_t(stage)];
  const Registers& r = context.registers;
  uint64_t address = (uint64_t(SPI_SHADER_PGM_HI_VS::MEM_BASE::get(r[row.high])) << 32 | r[row.low]) << 8;
  auto shader = context.shaders->find(address);
  if (!shader) return context.lose(fmt::format("{}: {} shader: {}", context.place(), row.name, shader.error().message));
  using One = SPI_SHADER_PGM_RSRC1_VS;
  using Two = SPI_SHADER_PGM_RSRC2_VS;
  uint32_t rsrc1 = r[row.resource1], rsrc2 = r[row.resource2];
  setup.shader = *shader;
  setup.stage = row.name;
  setup.user_sgprs = std::min(Two::USER_SGPR::get(rsrc2), 16u);
  for (unsigned n = 0; n < setup.user_sgprs; n++) setup.user_data[n] = r[row.user_data + n * 4];
  setup.vgprs = (One::VGPRS::get(rsrc1) + 1) * 4;
  setup.mode = One::FLOAT_MODE::get(rsrc1) | One::DX10_CLAMP::get(rsrc1) << 8 | One::IEEE_MODE::get(rsrc1) << 9;
  setup.mode |= (rsrc2 >> row.exceptions & 0x1ff) << gfx7::MODE_EXCP_EN_SHIFT;
  setup.traps.read(r, Two::TRAP_PRESENT::get(rsrc2), row.trap_base);
  setup.scratch = Two::SCRATCH_EN::get(rsrc2);
  setup.scratch_bytes_per_wave = SPI_TMPRING_SIZE::WAVESIZE::get(r[SPI_TMPRING_SIZE::address()]) * 1024;
  return true;
}

bool stages_of(Context& context, StageSelection& s) {
  using Stages = VGT_SHADER_STAGES_EN;
  uint32_t value = context.registers[Stages::address()];
  s.tessellation = Stages::HS_EN::get(value);
  s.geometry = Stages::GS_EN::get(value);
  s.dynamic_hs = Stages::DYNAMIC_HS::get(value);
  s.before = s.tessellation ? VertexKind::domain : VertexKind::api;
  s.last = s.geometry ? VertexKind::copy : s.before;
  // LS_STAGE_ON, ES_STAGE_DS 1 and ES_STAGE_REAL 2, VS_STAGE_REAL 0, VS_STAGE_DS 1 and VS_STAGE_COPY_SHADER 2.
  uint32_t es = s.geometry ? s.tessellation ? 1 : 2 : 0, vs = s.geometry ? 2 : s.tessellation ? 1 : 0;
  if (Stages::LS_EN::get(value) == uint32_t(s.tessellation) && Stages::ES_EN::get(value) == es && Stages::VS_EN::get(value) == vs)
    return true;
  context.unknown(fmt::format("shader stages 0x{:x}", value));
  return false;
}

}  // namespace Atoll::sea_islands
