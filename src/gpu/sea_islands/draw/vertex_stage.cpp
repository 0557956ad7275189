#include "gpu/sea_islands/draw/vertex_stage.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/half.h"
#include "gpu/amd/lane_vectors.h"
#include "gpu/sea_islands/draw/raster_state.h"
#include "gpu/sea_islands/state/field_lists.h"

namespace Atoll::sea_islands {

namespace {

using gpu::amd::each_vector, gpu::amd::f32x4;

alignas(64) constexpr std::array<float, 64> zeros{};
alignas(64) constexpr std::array<float, 64> ones = [] {
  std::array<float, 64> all;
  all.fill(1);
  return all;
}();

// The channels of an exported position, in the format that the register gives it.
struct PositionExport {
  const float* lanes[4];
  uint32_t has = 0;
  alignas(64) float halves[4][64];

  PositionExport(const PositionExport&) = delete;  // `lanes` may be in it
  PositionExport(wave::Wave& w, uint32_t target, uint8_t format, unsigned count) {
    using namespace gfx7;
    using Format = SPI_SHADER_FORMAT;
    const uint32_t written = wave::word_of(w, export_enable_cell(target));
    for (unsigned c = 0; c < 4; c++) lanes[c] = lanes_of(w, export_cell(target, c));
    switch (format) {
      case Format::SPI_SHADER_NONE: break;
      case Format::SPI_SHADER_1COMP: has = written & 1; break;
      case Format::SPI_SHADER_2COMP: has = written & 3; break;
      case Format::SPI_SHADER_4COMPRESS:
        // Two dwords of two halves.
        has = (written & 1 ? 3 : 0) | (written & 2 ? 12 : 0);
        for (unsigned c = 0; c < 4; c++) {
          const uint32_t* packed = words_of(w, export_cell(target, c / 2));
          for (unsigned n = 0; n < count; n++) halves[c][n] = float_from_half(uint16_t(packed[n] >> c % 2 * 16));
          lanes[c] = halves[c];
        }
        break;
      default: has = written;
    }
  }
};

}  // namespace

bool VertexStage::prepare(DrawContext& context, const StageSelection& stages) {
  context_ = &context;
  const RegisterFile& r = context.registers;
  if (!prepare_stage<stages::VS>(context, setup_)) return false;
  using Two = SPI_SHADER_PGM_RSRC2_VS;
  const auto rsrc2 = r.read<Two>();
  streamout_ = Two::SO_EN::get(rsrc2);
  streamout_bases_ = uint8_t(Two::SO_BASE0_EN::get(rsrc2) | Two::SO_BASE1_EN::get(rsrc2) << 1 |
                             Two::SO_BASE2_EN::get(rsrc2) << 2 | Two::SO_BASE3_EN::get(rsrc2) << 3);
  offchip_ = Two::OC_LDS_EN::get(rsrc2);
  loading_ = vertex_loading<stages::VS>(r, stages.last, nullptr, stages.grouper);
  parameters_ = r.get<SPI_VS_OUT_CONFIG::VS_EXPORT_COUNT>() + 1;
  out_ = r.read<PA_CL_VS_OUT_CNTL>();
  const auto formats = r.read<SPI_SHADER_POS_FORMAT>();
  for (unsigned n = 0; n < position_formats_.size(); n++) {
    position_formats_[n] = uint8_t(PositionFormats::get(formats, n));
    if (position_formats_[n] > SPI_SHADER_FORMAT::SPI_SHADER_4COMP)
      context.unknown(fmt::format("SPI_SHADER_POS_FORMAT.POS{}_EXPORT_FORMAT {}", n, position_formats_[n]));
  }
  user_clip_planes_ = UserClipPlanes::bits(r.read<PA_CL_CLIP_CNTL>());
  discard_ = discard_band_of(r);
  using Vte = PA_CL_VTE_CNTL;
  const auto vte = r.read<Vte>();
  depth_form_ = pipeline::depth_form(Vte::VTX_XY_FMT::get(vte), Vte::VTX_Z_FMT::get(vte), !Vte::VTX_W0_FMT::get(vte));
  return true;
}

void VertexStage::begin(QueueEnvironment& environment) {
  environment_ = &environment;
  read_user_data<stages::VS>(context_->registers, setup_);
}

wave::Wave& VertexStage::start(unsigned worker, const pipeline::VertexBatch& batch, unsigned stream, uint32_t written,
                               uint32_t write_index) {
  wave::Wave& w = start_wave(*context_, *environment_, setup_, vertex_wave, lanes_mask(batch.number.size()));
  if (!lds_.empty()) {
    w.lds = lds_.data(), w.lds_bytes = uint32_t(lds_.size());
    wave::word_of(w, gfx7::lds_allocation_cell) = w.lds_bytes;
  }
  unsigned sgpr = setup_.user_sgprs;
  // The stream-out configuration: vertices to write in 22:16, the stream in 25:24; bit 31: the hull shader's outputs are off
  // chip.
  if (streamout_ || offchip_) put_sgpr(w, sgpr++, written << 16 | stream << 24 | uint32_t(offchip_) << 31);
  if (streamout_) put_sgpr(w, sgpr++, write_index);
  for (unsigned n = 0; n < 4; n++)
    if (streamout_bases_ >> n & 1) put_sgpr(w, sgpr++, StreamOffsets::get(context_->registers, n));
  if (offchip_) put_sgpr(w, sgpr++, loading_.domain ? loading_.domain->offchip_offset : 0);
  if (setup_.scratch) put_sgpr(w, sgpr, worker * setup_.scratch_bytes_per_wave);
  load_vertices(w, loading_, batch);
  return w;
}

bool VertexStage::stream_out(const pipeline::VertexBatch& batch, unsigned stream, uint32_t write_index) {
  wave::Wave& w = start(0, batch, stream, uint32_t(batch.number.size()), write_index);
  if (!finish_wave(*context_, setup_, w)) return false;
  context_->statistics.share(w);
  return true;
}

bool VertexStage::shade(unsigned worker, const pipeline::VertexBatch& batch, pipeline::Vertex* vertices, float* attributes) {
  using namespace gfx7;
  unsigned count = unsigned(batch.number.size());
  wave::Wave& w = start(worker, batch, 0, 0, 0);
  if (!finish_wave(*context_, setup_, w)) return false;

  using Out = PA_CL_VS_OUT_CNTL;
  uint32_t next = POS0 + 1;  // positions after the first are packed: what is not enabled takes no place
  uint32_t misc = Out::VS_OUT_MISC_VEC_ENA::get(out_) ? next++ : 0;
  uint32_t distances[2] = {Out::VS_OUT_CCDIST0_VEC_ENA::get(out_) ? next++ : 0,
                           Out::VS_OUT_CCDIST1_VEC_ENA::get(out_) ? next++ : 0};
  auto exported = [&](uint32_t target) { return PositionExport(w, target, position_formats_[target - POS0], count); };
  const PositionExport first = exported(POS0);
  const float* position[4];
  for (unsigned c = 0; c < 4; c++) position[c] = first.has >> c & 1 ? first.lanes[c] : c == 3 ? ones.data() : zeros.data();
  each_vector(position, count, [&](unsigned n, const f32x4& v) { std::memcpy(vertices[n].position, &v, sizeof v); });
  if (depth_form_ != pipeline::DepthForm::as_xy)
    for (unsigned n = 0; n < count; n++) pipeline::make_depth_as_xy(depth_form_, vertices[n].position);
  if (misc) {
    const PositionExport extra = exported(misc);
    const uint32_t has = extra.has;
    auto word = [&](unsigned c, unsigned n) { return std::bit_cast<uint32_t>(extra.lanes[c][n]); };
    for (unsigned n = 0; n < count; n++) {
      if (Out::USE_VTX_POINT_SIZE::get(out_) && has & 1) vertices[n].point_size = extra.lanes[0][n];
      if (Out::USE_VTX_EDGE_FLAG::get(out_) && has & 2) vertices[n].edge = word(1, n) & 1;
      if (Out::USE_VTX_RENDER_TARGET_INDX::get(out_) && has & 4) vertices[n].layer = word(2, n);
      if (Out::USE_VTX_KILL_FLAG::get(out_) && has & 4) vertices[n].killed = word(2, n) & 1;
      if (Out::USE_VTX_VIEWPORT_INDX::get(out_) && has & 8) vertices[n].viewport = word(3, n);
    }
  }
  for (unsigned v = 0; v < 2; v++) {
    if (!distances[v]) continue;
    const PositionExport four = exported(distances[v]);
    for (unsigned c = 0; c < 4; c++)
      if (four.has >> c & 1)
        for (unsigned n = 0; n < count; n++) vertices[n].clip_distance[4 * v + c] = four.lanes[c][n];
  }
  for (unsigned plane = 0; user_clip_planes_ >> plane; plane++) {
    if (!(user_clip_planes_ >> plane & 1)) continue;
    const RegisterFile& r = context_->registers;
    const float p[4] = {r.as_float<PA_CL_UCP_X>(plane), r.as_float<PA_CL_UCP_Y>(plane), r.as_float<PA_CL_UCP_Z>(plane),
                        r.as_float<PA_CL_UCP_W>(plane)};
    for (unsigned n = 0; n < count; n++) {
      const float* x = vertices[n].position;
      vertices[n].clip_distance[plane] = x[0] * p[0] + x[1] * p[1] + x[2] * p[2] + x[3] * p[3];
    }
  }
  if (discard_.distances())
    for (unsigned n = 0; n < count; n++) discard_.give_distances(vertices[n]);
  for (unsigned a = 0; a < parameters_; a++) {
    if (a >= 32) break;
    uint32_t has = wave::word_of(w, export_enable_cell(PARAM0 + a));
    const float* channel[4];
    for (unsigned c = 0; c < 4; c++) channel[c] = has >> c & 1 ? lanes_of(w, export_cell(PARAM0 + a, c)) : zeros.data();
    each_vector(channel, count,
                [&](unsigned n, const f32x4& v) { std::memcpy(attributes + (size_t(n) * parameters_ + a) * 4, &v, sizeof v); });
  }
  context_->statistics.share(w);
  return true;
}

}  // namespace Atoll::sea_islands
