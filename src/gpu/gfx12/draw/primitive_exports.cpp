#include "gpu/gfx12/draw/primitive_exports.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/half.h"
#include "gpu/amd/lane_vectors.h"
#include "gpu/gfx12/draw/raster_state.h"
#include "gpu/gfx12/state/draw_registers.h"

namespace Atoll::gfx12 {
namespace {

using gpu::amd::each_vector, gpu::amd::f32x4;
using registers::access::FieldList;

using PositionFormats = FieldList<SPI_SHADER_POS_FORMAT::POS0_EXPORT_FORMAT, SPI_SHADER_POS_FORMAT::POS1_EXPORT_FORMAT,
                                  SPI_SHADER_POS_FORMAT::POS2_EXPORT_FORMAT, SPI_SHADER_POS_FORMAT::POS3_EXPORT_FORMAT>;

alignas(64) constexpr std::array<float, 64> zeros{};
alignas(64) constexpr std::array<float, 64> ones = [] {
  std::array<float, 64> all;
  all.fill(1);
  return all;
}();

// The channels that an export of a position has, by the format that the register gives it.
struct PositionRows {
  const float* lanes[4];
  uint32_t has = 0;
  alignas(64) float halves[4][64];

  PositionRows(const PositionRows&) = delete;  // `lanes` may be in it
  PositionRows(const ExportRows& rows, uint8_t format, unsigned count) {
    using Format = SPI_SHADER_FORMAT;
    for (unsigned c = 0; c < 4; c++) lanes[c] = reinterpret_cast<const float*>(rows.source[c]);
    switch (format) {
      case Format::SPI_SHADER_NONE: break;
      case Format::SPI_SHADER_1COMP: has = rows.enabled & 1; break;
      case Format::SPI_SHADER_2COMP: has = rows.enabled & 3; break;
      case Format::SPI_SHADER_4COMPRESS:
        // Two dwords of two halves.
        has = (rows.enabled & 1 ? 3 : 0) | (rows.enabled & 2 ? 12 : 0);
        for (unsigned c = 0; c < 4; c++) {
          if (!(has >> c & 1)) continue;
          for (unsigned n = 0; n < count; n++) halves[c][n] = float_from_half(uint16_t(rows.source[c / 2][n] >> c % 2 * 16));
          lanes[c] = halves[c];
        }
        break;
      default: has = rows.enabled;
    }
  }
};

}  // namespace

ExportRows rows_of(wave::Wave& w, uint32_t target) {
  const bool wide = w.lanes == 64;
  ExportRows rows{.enabled = wave::word_of(w, rdna4::export_enable_cell(target, wide))};
  for (unsigned c = 0; c < 4; c++) rows.source[c] = words_of(w, rdna4::export_cell(target, c, wide));
  return rows;
}

void clear_lanes_without_export(wave::Wave& w, uint32_t target, unsigned count) {
  const bool wide = w.lanes == 64;
  uint64_t missing = lanes_mask(count) & ~mask_of(w, rdna4::export_mask_cell(target, wide));
  for (; missing; missing &= missing - 1)
    for (unsigned c = 0; c < 4; c++) words_of(w, rdna4::export_cell(target, c, wide))[std::countr_zero(missing)] = 0;
}

void PrimitiveExports::prepare(DrawContext& context, bool provoking_last) {
  const RegisterFile& r = context.registers;
  using Out = PA_CL_VS_OUT_CNTL;
  const auto out = r.read<Out>();
  // Exports behind the first are packed: what is not enabled takes no place.
  place_.fill(nothing), place_[0] = position;
  unsigned next = 1;
  if (Out::VS_OUT_MISC_VEC_ENA::get(out)) place_[next++] = misc;
  if (Out::VS_OUT_CCDIST0_VEC_ENA::get(out)) place_[next++] = distances_low;
  if (Out::VS_OUT_CCDIST1_VEC_ENA::get(out)) place_[next++] = distances_high;
  targets_ = (1u << next) - 1;
  point_size_ = Out::USE_VTX_POINT_SIZE::get(out), edge_flag_ = Out::USE_VTX_EDGE_FLAG::get(out);
  layer_ = Out::USE_VTX_RENDER_TARGET_INDX::get(out), viewport_ = Out::USE_VTX_VIEWPORT_INDX::get(out);
  kill_flag_ = Out::USE_VTX_KILL_FLAG::get(out), rate_ = Out::USE_VTX_VRS_RATE::get(out);
  if (Out::USE_VTX_LINE_WIDTH::peek(out)) context.unknown("PA_CL_VS_OUT_CNTL.USE_VTX_LINE_WIDTH");
  const auto formats = r.read<SPI_SHADER_POS_FORMAT>();
  for (unsigned n = 0; n < format_.size(); n++) {
    format_[n] = uint8_t(PositionFormats::get(formats, n));
    if (format_[n] > SPI_SHADER_FORMAT::SPI_SHADER_4COMP)
      context.unknown(fmt::format("SPI_SHADER_POS_FORMAT.POS{}_EXPORT_FORMAT {}", n, format_[n]));
  }
  user_clip_planes_ = UserClipPlanes::bits(r.read<PA_CL_CLIP_CNTL>());
  for (unsigned n = 0; n < planes_.size(); n++)
    planes_[n] = {r.as_float<PA_CL_UCP_X>(n), r.as_float<PA_CL_UCP_Y>(n), r.as_float<PA_CL_UCP_Z>(n), r.as_float<PA_CL_UCP_W>(n)};
  band_ = discard_band_of(r);
  using Vte = PA_CL_VTE_CNTL;
  const auto vte = r.read<Vte>();
  depth_form_ = pipeline::depth_form(Vte::VTX_XY_FMT::get(vte), Vte::VTX_Z_FMT::get(vte), !Vte::VTX_W0_FMT::get(vte));
  using Type = VGT_GS_OUT_PRIM_TYPE::OUTPRIM_TYPE;
  const uint32_t type = r.get<Type>();
  using Output = VGT_GS_OUTPRIM_TYPE;
  if (type > Output::RECTLIST) context.unknown(fmt::format("VGT_GS_OUT_PRIM_TYPE.OUTPRIM_TYPE {}", type));
  kind_ = type == Output::POINTLIST   ? pipeline::PrimitiveKind::point
          : type == Output::LINESTRIP ? pipeline::PrimitiveKind::line
                                      : pipeline::PrimitiveKind::triangle;
  rectangles_ = type == Output::RECT_2D || type == Output::RECTLIST;
  edges_given_ = r.get<PA_CL_NGG_CNTL::INDEX_BUF_EDGE_FLAG_ENA>();
  provoking_last_ = provoking_last;
  using Format = SPI_SHADER_FORMAT;
  const uint32_t format = r.get<SPI_SHADER_IDX_FORMAT::IDX0_EXPORT_FORMAT>();
  two_words_ = format == Format::SPI_SHADER_2COMP;
  if (format != Format::SPI_SHADER_1COMP && format != Format::SPI_SHADER_2COMP)
    context.unknown(fmt::format("SPI_SHADER_IDX_FORMAT.IDX0_EXPORT_FORMAT {}", format));
}

void PrimitiveExports::to_vertices(uint32_t target, const ExportRows& rows, unsigned count, pipeline::Vertex* vertices) const {
  const unsigned number = target - rdna4::POS0;
  if (number >= place_.size() || !count) return;
  const Place place = place_[number];
  if (place == nothing) return;
  const PositionRows from(rows, format_[number], count);
  if (place == position) {
    const float* channel[4];
    for (unsigned c = 0; c < 4; c++) channel[c] = from.has >> c & 1 ? from.lanes[c] : c == 3 ? ones.data() : zeros.data();
    each_vector(channel, count, [&](unsigned n, const f32x4& v) { std::memcpy(vertices[n].position, &v, sizeof v); });
    return;
  }
  if (place == misc) {
    auto word = [&](unsigned c, unsigned n) { return std::bit_cast<uint32_t>(from.lanes[c][n]); };
    for (unsigned n = 0; n < count; n++) {
      pipeline::Vertex& v = vertices[n];
      if (point_size_ && from.has & 1) v.point_size = from.lanes[0][n];
      if (edge_flag_ && from.has & 2) v.edge = word(1, n) & 1;
      if (rate_ && from.has & 2) v.rate = rate_of(word(1, n) >> 2 & 15);
      if (kill_flag_ && from.has & 4) v.killed = word(2, n) & 1;
      if (layer_ && from.has & 4) v.layer = word(2, n) & 0x1fff;
      if (viewport_ && from.has & 4) v.viewport = word(2, n) >> 16 & 15;
    }
    return;
  }
  const unsigned first = place == distances_low ? 0 : 4;
  for (unsigned c = 0; c < 4; c++)
    if (from.has >> c & 1)
      for (unsigned n = 0; n < count; n++) vertices[n].clip_distance[first + c] = from.lanes[c][n];
}

void PrimitiveExports::finish(unsigned count, pipeline::Vertex* vertices) const {
  if (depth_form_ != pipeline::DepthForm::as_xy)
    for (unsigned n = 0; n < count; n++) pipeline::make_depth_as_xy(depth_form_, vertices[n].position);
  for (unsigned plane = 0; user_clip_planes_ >> plane; plane++) {
    if (!(user_clip_planes_ >> plane & 1)) continue;
    const auto& p = planes_[plane];
    for (unsigned n = 0; n < count; n++) {
      const float* x = vertices[n].position;
      vertices[n].clip_distance[plane] = x[0] * p[0] + x[1] * p[1] + x[2] * p[2] + x[3] * p[3];
    }
  }
  if (band_.distances())
    for (unsigned n = 0; n < count; n++) band_.give_distances(vertices[n]);
}

// Vertex n in 8 bits from 9n on, above it the flag of the edge that begins there; bit 31: a null primitive (RDNA4 ISA 14.3; Mesa
// ac_nir_lower_ngg.c, emit_pack_ngg_prim_exp_arg).
bool PrimitiveExports::to_primitive(uint32_t word, uint32_t first_slot, unsigned vertices, pipeline::Assembled& out) const {
  if (word >> 31) return false;
  const unsigned corners = kind_ == pipeline::PrimitiveKind::point ? 1 : kind_ == pipeline::PrimitiveKind::line ? 2 : 3;
  out = {};
  for (unsigned n = 0; n < 3; n++) {
    const uint32_t at = n < corners ? word >> 9 * n & 0xff : word & 0xff;
    if (at >= vertices) return false;
    out.slot[n] = first_slot + at;
  }
  out.provoking = out.slot[provoking_last_ ? corners - 1 : 0];
  out.kind = kind_;
  out.rectangle = rectangles_;
  out.stipple = corners == 2 ? 0 : ~0u;
  out.edges = edges_given_ && corners == 3 ? uint8_t((word >> 8 & 1) | (word >> 17 & 1) << 1 | (word >> 26 & 1) << 2) : 7;
  return true;
}

}  // namespace Atoll::gfx12
