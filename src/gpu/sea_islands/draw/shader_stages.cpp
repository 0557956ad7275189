#include "gpu/sea_islands/draw/shader_stages.h"

#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

template <class Stage>
bool prepare_stage(ShaderContext& context, WaveSetup& setup) {
  using One = typename Stage::Resource1;
  using Two = typename Stage::Resource2;
  const RegisterFile& r = context.registers;
  const auto one = r.read<One>();
  setup.privileged = One::PRIV::get(one);
  auto shader = context.shaders->find(program_address<Stage>(r), setup.privileged);
  if (!shader) return context.lose(fmt::format("{}: {} shader: {}", context.place(), Stage::name, shader.error().message));
  const auto two = r.read<Two>();
  setup.shader = *shader;
  setup.stage = Stage::name;
  setup.user_sgprs = std::min(Two::USER_SGPR::get(two), 16u);
  read_user_data<Stage>(r, setup);
  setup.vgprs = (One::VGPRS::get(one) + 1) * 4;
  setup.mode = One::FLOAT_MODE::get(one) | One::DX10_CLAMP::get(one) << 8 | One::IEEE_MODE::get(one) << 9;
  setup.mode |= Two::EXCP_EN::get(two) << gfx7::MODE_EXCP_EN_SHIFT;
  setup.traps.read<Stage>(context, setup.mode);
  setup.scratch = Two::SCRATCH_EN::get(two);
  setup.scratch_bytes_per_wave = r.get<SPI_TMPRING_SIZE::WAVESIZE>() * 1024;
  return true;
}
template bool prepare_stage<stages::LS>(ShaderContext&, WaveSetup&);
template bool prepare_stage<stages::HS>(ShaderContext&, WaveSetup&);
template bool prepare_stage<stages::ES>(ShaderContext&, WaveSetup&);
template bool prepare_stage<stages::GS>(ShaderContext&, WaveSetup&);
template bool prepare_stage<stages::VS>(ShaderContext&, WaveSetup&);
template bool prepare_stage<stages::PS>(ShaderContext&, WaveSetup&);

bool stages_of(ShaderContext& context, StageSelection& s) {
  using Stages = VGT_SHADER_STAGES_EN;
  const auto value = context.registers.read<Stages>();
  s.tessellation = Stages::HS_EN::get(value);
  s.geometry = Stages::GS_EN::get(value);
  s.dynamic_hs = Stages::DYNAMIC_HS::get(value);
  s.before = s.tessellation ? VertexKind::domain : VertexKind::api;
  s.last = s.geometry ? VertexKind::copy : s.before;
  // LS_STAGE_ON, ES_STAGE_DS 1 and ES_STAGE_REAL 2, VS_STAGE_REAL 0, VS_STAGE_DS 1 and VS_STAGE_COPY_SHADER 2.
  uint32_t es = s.geometry ? s.tessellation ? 1 : 2 : 0, vs = s.geometry ? 2 : s.tessellation ? 1 : 0;
  if (Stages::LS_EN::get(value) == uint32_t(s.tessellation) && Stages::ES_EN::get(value) == es && Stages::VS_EN::get(value) == vs)
    return true;
  context.unknown(fmt::format("shader stages 0x{:x}", value.key()));
  return false;
}

}  // namespace Atoll::sea_islands
