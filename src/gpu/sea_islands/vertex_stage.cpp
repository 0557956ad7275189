#include "gpu/sea_islands/vertex_stage.h"

#include <bit>
#include <cstring>

#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

bool SeaIslandsVertexStage::prepare(Context& context, QueueEnvironment& environment) {
  context_ = &context, environment_ = &environment;
  const Registers& r = context.registers;
  uint64_t address = (uint64_t(r[SPI_SHADER_PGM_HI_VS::address()] & 0xff) << 32 | r[SPI_SHADER_PGM_LO_VS::address()]) << 8;
  auto shader = context.shaders->find(address);
  if (!shader) return context.lose(fmt::format("{}: vertex shader: {}", context.place(), shader.error().message));
  uint32_t rsrc1 = r[SPI_SHADER_PGM_RSRC1_VS::address()], rsrc2 = r[SPI_SHADER_PGM_RSRC2_VS::address()];
  setup_.shader = *shader;
  setup_.stage = "vertex";
  setup_.user_sgprs = std::min(SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::get(rsrc2), 16u);
  for (unsigned n = 0; n < setup_.user_sgprs; n++) setup_.user_data[n] = r[SPI_SHADER_USER_DATA_VS::address(n)];
  setup_.vgprs = (SPI_SHADER_PGM_RSRC1_VS::VGPRS::get(rsrc1) + 1) * 4;
  setup_.mode = SPI_SHADER_PGM_RSRC1_VS::FLOAT_MODE::get(rsrc1) | SPI_SHADER_PGM_RSRC1_VS::DX10_CLAMP::get(rsrc1) << 8 |
                SPI_SHADER_PGM_RSRC1_VS::IEEE_MODE::get(rsrc1) << 9;
  setup_.scratch = SPI_SHADER_PGM_RSRC2_VS::SCRATCH_EN::get(rsrc2);
  setup_.scratch_bytes_per_wave = SPI_TMPRING_SIZE::WAVESIZE::get(r[SPI_TMPRING_SIZE::address()]) * 1024;
  streamout_ = SPI_SHADER_PGM_RSRC2_VS::SO_EN::get(rsrc2);
  using Two = SPI_SHADER_PGM_RSRC2_VS;
  streamout_bases_ = uint8_t(Two::SO_BASE0_EN::get(rsrc2) | Two::SO_BASE1_EN::get(rsrc2) << 1 |
                             Two::SO_BASE2_EN::get(rsrc2) << 2 | Two::SO_BASE3_EN::get(rsrc2) << 3);
  loaded_vgprs_ = SPI_SHADER_PGM_RSRC1_VS::VGPR_COMP_CNT::get(rsrc1) + 1;
  parameters_ = SPI_VS_OUT_CONFIG::VS_EXPORT_COUNT::get(r[SPI_VS_OUT_CONFIG::address()]) + 1;
  out_ = r[PA_CL_VS_OUT_CNTL::address()];
  user_clip_planes_ = r[PA_CL_CLIP_CNTL::address()] & 0x3f;
  step_rate_[0] = std::max(1u, r[VGT_INSTANCE_STEP_RATE_0::address()]);
  step_rate_[1] = std::max(1u, r[VGT_INSTANCE_STEP_RATE_1::address()]);
  primitive_id_ = VGT_PRIMITIVEID_EN::PRIMITIVEID_EN::get(r[VGT_PRIMITIVEID_EN::address()]);
  return true;
}

wave::Wave& SeaIslandsVertexStage::start(unsigned worker, const pipeline::VertexBatch& batch, uint32_t written,
                                         uint32_t write_index) {
  using namespace gcn2;
  unsigned count = unsigned(batch.number.size());
  wave::Wave& w = start_wave(*context_, *environment_, setup_, 0, count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1);
  unsigned sgpr = setup_.user_sgprs;
  if (streamout_) {
    put_sgpr(w, sgpr++, written << 16);  // the stream-out configuration: vertices to write in 22:16
    put_sgpr(w, sgpr++, write_index);
  }
  constexpr uint32_t offsets[4] = {VGT_STRMOUT_BUFFER_OFFSET_0::address(), VGT_STRMOUT_BUFFER_OFFSET_1::address(),
                                   VGT_STRMOUT_BUFFER_OFFSET_2::address(), VGT_STRMOUT_BUFFER_OFFSET_3::address()};
  for (unsigned n = 0; n < 4; n++)
    if (streamout_bases_ >> n & 1) put_sgpr(w, sgpr++, context_->registers[offsets[n]]);
  if (setup_.scratch) put_sgpr(w, sgpr, worker * setup_.scratch_bytes_per_wave);
  // v0: vertex; v1: instance by the first step rate; v2: by the second, or the primitive's number; v3: the instance.
  std::memcpy(words_of(w, vgpr_cell(0)), batch.number.data(), count * 4);
  if (loaded_vgprs_ > 1)
    for (unsigned n = 0; n < count; n++) words_of(w, vgpr_cell(1))[n] = batch.instance[n] / step_rate_[0];
  if (loaded_vgprs_ > 2 && !primitive_id_)
    for (unsigned n = 0; n < count; n++) words_of(w, vgpr_cell(2))[n] = batch.instance[n] / step_rate_[1];
  if (loaded_vgprs_ > 3) std::memcpy(words_of(w, vgpr_cell(3)), batch.instance.data(), count * 4);
  return w;
}

void SeaIslandsVertexStage::count(const wave::Wave& w) {
  auto& s = context_->statistics;
  std::atomic_ref(s.waves).fetch_add(1, std::memory_order_relaxed);
  std::atomic_ref(s.compiled).fetch_add(w.compiled, std::memory_order_relaxed);
  std::atomic_ref(s.called).fetch_add(w.called, std::memory_order_relaxed);
  std::atomic_ref(s.interpreted).fetch_add(w.interpreted, std::memory_order_relaxed);
}

bool SeaIslandsVertexStage::stream_out(const pipeline::VertexBatch& batch, uint32_t write_index) {
  wave::Wave& w = start(0, batch, uint32_t(batch.number.size()), write_index);
  if (!finish_wave(*context_, setup_, w)) return false;
  count(w);
  return true;
}

bool SeaIslandsVertexStage::shade(unsigned worker, const pipeline::VertexBatch& batch, pipeline::Vertex* vertices,
                                  float* attributes) {
  using namespace gcn2;
  unsigned count = unsigned(batch.number.size());
  wave::Wave& w = start(worker, batch, 0, 0);
  if (!finish_wave(*context_, setup_, w)) return false;

  using Out = PA_CL_VS_OUT_CNTL;
  uint32_t next = POS0 + 1;  // positions after the first are packed: what is not enabled takes no place
  uint32_t misc = Out::VS_OUT_MISC_VEC_ENA::get(out_) ? next++ : 0;
  uint32_t distances[2] = {Out::VS_OUT_CCDIST0_VEC_ENA::get(out_) ? next++ : 0,
                           Out::VS_OUT_CCDIST1_VEC_ENA::get(out_) ? next++ : 0};
  const float* position[4];
  for (unsigned c = 0; c < 4; c++) position[c] = lanes_of(w, export_cell(POS0, c));
  uint32_t written = wave::word_of(w, export_enable_cell(POS0));
  for (unsigned n = 0; n < count; n++) {
    pipeline::Vertex& v = vertices[n];
    v = {};
    for (unsigned c = 0; c < 4; c++) v.position[c] = written >> c & 1 ? position[c][n] : c == 3 ? 1.0f : 0.0f;
  }
  if (misc) {
    const uint32_t* channel[4];
    for (unsigned c = 0; c < 4; c++) channel[c] = words_of(w, export_cell(misc, c));
    uint32_t has = wave::word_of(w, export_enable_cell(misc));
    for (unsigned n = 0; n < count; n++) {
      if (Out::USE_VTX_POINT_SIZE::get(out_) && has & 1) vertices[n].point_size = std::bit_cast<float>(channel[0][n]);
      if (Out::USE_VTX_EDGE_FLAG::get(out_) && has & 2) vertices[n].edge = channel[1][n] & 1;
      if (Out::USE_VTX_RENDER_TARGET_INDX::get(out_) && has & 4) vertices[n].layer = channel[2][n];
      if (Out::USE_VTX_VIEWPORT_INDX::get(out_) && has & 8) vertices[n].viewport = channel[3][n];
    }
  }
  for (unsigned d = 0; d < 8; d++) {
    if (!distances[d / 4]) continue;
    const float* lane = lanes_of(w, export_cell(distances[d / 4], d % 4));
    if (wave::word_of(w, export_enable_cell(distances[d / 4])) >> d % 4 & 1)
      for (unsigned n = 0; n < count; n++) vertices[n].clip_distance[d] = lane[n];
  }
  for (unsigned plane = 0; user_clip_planes_ >> plane; plane++) {
    if (!(user_clip_planes_ >> plane & 1)) continue;
    float p[4];
    for (unsigned c = 0; c < 4; c++) p[c] = std::bit_cast<float>(context_->registers[PA_CL_UCP_X::address(plane) + c * 4]);
    for (unsigned n = 0; n < count; n++) {
      const float* x = vertices[n].position;
      vertices[n].clip_distance[plane] = x[0] * p[0] + x[1] * p[1] + x[2] * p[2] + x[3] * p[3];
    }
  }
  for (unsigned a = 0; a < parameters_; a++) {
    if (a >= 32) break;
    uint32_t has = wave::word_of(w, export_enable_cell(PARAM0 + a));
    for (unsigned c = 0; c < 4; c++) {
      const float* lane = lanes_of(w, export_cell(PARAM0 + a, c));
      float* to = attributes + a * 4 + c;
      for (unsigned n = 0; n < count; n++, to += parameters_ * 4) *to = has >> c & 1 ? lane[n] : 0.0f;
    }
  }
  this->count(w);
  return true;
}

}  // namespace Atoll::sea_islands
