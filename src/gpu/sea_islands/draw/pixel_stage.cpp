#include "gpu/sea_islands/draw/pixel_stage.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/progress.h"
#include "gpu/sea_islands/shaders/effects.h"
#include "gpu/sea_islands/state/field_lists.h"
#include "isa/gfx7/isa.h"
#include "pipeline/cylinder.h"
#include "pipeline/workers.h"

namespace Atoll::sea_islands {

using pipeline::max_pixels;
using pipeline::PixelBatch;
using pipeline::PixelResults;
using Export = SPI_SHADER_EX_FORMAT;

namespace {

// Inputs in the order of their VGPRs: the bits of SPI_PS_INPUT_ENA and SPI_PS_INPUT_ADDR.
enum Input : unsigned {
  PERSP_SAMPLE,
  PERSP_CENTER,
  PERSP_CENTROID,
  PERSP_PULL_MODEL,
  LINEAR_SAMPLE,
  LINEAR_CENTER,
  LINEAR_CENTROID,
  LINE_STIPPLE_TEX,
  POS_X,
  POS_Y,
  POS_Z,
  POS_W,
  FRONT_FACE,
  ANCILLARY,
  SAMPLE_COVERAGE,
  POS_FIXED_PT,
  kInputs,
};
constexpr unsigned input_vgprs[kInputs] = {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};

constexpr uint8_t no_target = 0xff;

}  // namespace

PixelStage::~PixelStage() {
  for (const PerWorker& worker : workers_) context_->statistics += worker.counters;
}

bool PixelStage::prepare(ShaderContext& context, QueueEnvironment& environment, gpu::Reports::Kept& reports,
                         const pipeline::Rasterization& raster) {
  context_ = &context, environment_ = &environment, reports_ = &reports;
  workers_.resize(context.workers->count());
  const RegisterFile& r = context.registers;
  if (!prepare_stage<stages::PS>(context, setup_)) return false;
  setup_.shader->executor->put_off(false);
  if (r.get<SPI_SHADER_PGM_RSRC2_PS::WAVE_CNT_EN>()) {
    order_.emplace(0, r.get<SPI_PS_MAX_WAVE_ID::MAX_WAVE_ID>() + 1);
    environment.keep_order(1, *order_);
  }
  // Beside the attributes, which are no memory here (the reference has 127 as the most that may be set).
  lds_bytes_ = std::min(r.get<SPI_SHADER_PGM_RSRC2_PS::EXTRA_LDS_SIZE>(), 127u) * 512;
  for (PerWorker& worker : workers_) worker.lds.resize(lds_bytes_);

  const uint32_t addressed = PixelInputsAddressed::bits(r.read<SPI_PS_INPUT_ADDR>());
  enabled_ = PixelInputsEnabled::bits(r.read<SPI_PS_INPUT_ENA>()) & addressed;
  int vgpr = 0;
  for (unsigned n = 0; n < kInputs; n++) {
    vgpr_of_[n] = -1;
    if (!(addressed >> n & 1)) continue;
    if (enabled_ >> n & 1) vgpr_of_[n] = vgpr;
    vgpr += int(input_vgprs[n]);
  }
  if (vgpr > int(setup_.vgprs)) setup_.vgprs = unsigned(vgpr + 3) / 4 * 4;

  using Baryc = SPI_BARYC_CNTL;
  const auto baryc = r.read<Baryc>();
  set_of_[PERSP_SAMPLE] = pipeline::PERSPECTIVE_SAMPLE;
  set_of_[PERSP_CENTER] = Baryc::PERSP_CENTER_CNTL::get(baryc) ? pipeline::PERSPECTIVE_CENTROID : pipeline::PERSPECTIVE_CENTRE;
  set_of_[PERSP_CENTROID] =
      Baryc::PERSP_CENTROID_CNTL::get(baryc) ? pipeline::PERSPECTIVE_CENTRE : pipeline::PERSPECTIVE_CENTROID;
  set_of_[PERSP_PULL_MODEL] = pipeline::PERSPECTIVE_CENTRE;
  set_of_[LINEAR_SAMPLE] = pipeline::LINEAR_SAMPLE;
  set_of_[LINEAR_CENTER] = Baryc::LINEAR_CENTER_CNTL::get(baryc) ? pipeline::LINEAR_CENTROID : pipeline::LINEAR_CENTRE;
  set_of_[LINEAR_CENTROID] = Baryc::LINEAR_CENTROID_CNTL::get(baryc) ? pipeline::LINEAR_CENTRE : pipeline::LINEAR_CENTROID;
  // (What the pull model works out itself is left as it is.)
  constexpr unsigned linear = pipeline::LINEAR_SAMPLE - pipeline::PERSPECTIVE_SAMPLE;
  no_perspective_ = r.get<PA_SU_SC_MODE_CNTL::PERSP_CORR_DIS>();
  if (no_perspective_)
    for (unsigned n : {PERSP_SAMPLE, PERSP_CENTER, PERSP_CENTROID}) set_of_[n] += linear;
  barycentrics_ = 0;
  for (unsigned n = PERSP_SAMPLE; n <= LINEAR_CENTROID; n++)
    if (enabled_ >> n & 1) barycentrics_ |= uint8_t(1u << set_of_[n]);
  wants_depth_ = enabled_ & (1u << PERSP_PULL_MODEL | 1u << POS_Z | 1u << POS_W);
  position_is_corner_ = Baryc::POS_FLOAT_ULC::get(baryc);
  const bool wants_place = enabled_ & (1u << POS_X | 1u << POS_Y) && !position_is_corner_;
  const uint32_t location = wants_place ? Baryc::POS_FLOAT_LOCATION::get(baryc) : 0;
  place_ = location == 1 ? Place::centroid : location == 2 && raster.sample_shading ? Place::sample : Place::centre;
  front_face_all_bits_ = Baryc::FRONT_FACE_ALL_BITS::get(baryc);
  auto mask_of_samples = [](uint32_t log) { return log < 4 ? (1u << (1u << log)) - 1 : 0xffffu; };
  coverage_seen_ = mask_of_samples(r.get<PA_SC_AA_CONFIG::MSAA_EXPOSED_SAMPLES>());
  detail_to_exposed_ = r.get<PA_SC_AA_CONFIG::DETAIL_TO_EXPOSED_MODE>();
  coverage_exported_ = mask_of_samples(r.get<DB_EQAA::MASK_EXPORT_NUM_SAMPLES>());
  samples_.fill(raster.sample_positions);
  for (unsigned n = 0; raster.other_pixels && n < 3; n++) samples_[n + 1] = (*raster.other_pixels)[n].positions;

  for (unsigned n = 0; n < 8; n++) export_format_[n] = ExportFormats::get(r, n);
  depth_exported_ = r.get<DB_SHADER_CONTROL::Z_EXPORT_ENABLE>();
  stencil_exported_ = r.get<DB_SHADER_CONTROL::STENCIL_TEST_VAL_EXPORT_ENABLE>();
  stencil_op_exported_ = r.get<DB_SHADER_CONTROL::STENCIL_OP_VAL_EXPORT_ENABLE>();
  mask_exported_ = r.get<DB_SHADER_CONTROL::MASK_EXPORT_ENABLE>();
  const auto blend = r.read<CB_BLEND_CONTROL>(0);
  auto second = [](uint32_t factor) {
    return factor >= sea_islands::BlendOp::BLEND_SRC1_COLOR && factor <= sea_islands::BlendOp::BLEND_INV_SRC1_ALPHA;
  };
  dual_source_ =
      CB_BLEND_CONTROL::ENABLE::get(blend) &&
      (second(CB_BLEND_CONTROL::COLOR_SRCBLEND::get(blend)) || second(CB_BLEND_CONTROL::COLOR_DESTBLEND::get(blend)) ||
       (CB_BLEND_CONTROL::SEPARATE_ALPHA_BLEND::get(blend) &&
        (second(CB_BLEND_CONTROL::ALPHA_SRCBLEND::get(blend)) || second(CB_BLEND_CONTROL::ALPHA_DESTBLEND::get(blend)))));
  // Exports are numbered without holes: the n-th is for the n-th target that CB_SHADER_MASK says the program writes (Mesa 22.3.6
  // si_state_shaders.cpp, si_get_spi_shader_col_format: holes are removed there, and left in the mask).
  unsigned exported = 0;
  std::ranges::fill(target_of_, no_target);
  for (uint8_t target = 0; target < 8; target++)
    if (OutputEnables::get(r, target)) target_of_[exported++] = target;
  if (dual_source_) target_of_[0] = 0, target_of_[1] = 1;  // both are target 0's
  prepare_channels(r, r.get<SPI_VS_OUT_CONFIG::VS_EXPORT_COUNT>() + 1);
  return true;
}

bool PixelStage::wants_line_coordinate() const { return enabled_ >> LINE_STIPPLE_TEX & 1; }

bool PixelStage::may_wait() const { return !order_ && !setup_.traps.present && setup_.shader->only_reads(); }

void PixelStage::prepare_channels(const RegisterFile& r, unsigned parameters) {
  using Cntl = SPI_PS_INPUT_CNTL;
  using Interp = SPI_INTERP_CONTROL_0;
  const auto interp = r.read<Interp>();
  unsigned inputs = r.get<SPI_PS_IN_CONTROL::NUM_INTERP>();
  const bool generated = r.get<SPI_PS_IN_CONTROL::PARAM_GEN>();
  channels_.clear();
  for (uint8_t slot : setup_.shader->attributes_read) {
    Channel c{};
    c.attribute = slot / 4, c.channel = slot % 4;
    // Behind the interpolated ones: the place in the primitive. (Mesa 22.3.6, ac_nir_to_llvm.c, has it in Z and W; docs/errata.md)
    if (generated && c.attribute == inputs) {
      c.source = c.sprite = c.channel % 2 ? Channel::sprite_t : Channel::sprite_s;
      channels_.push_back(c);
      continue;
    }
    const registers::access::Word<Cntl> cntl = c.attribute < 32 && c.attribute < inputs
                                                   ? r.read<Cntl>(c.attribute)
                                                   : registers::access::Word<Cntl>(Cntl::OFFSET::of(0x20));
    uint32_t offset = Cntl::OFFSET::get(cntl);
    if (offset & 0x20 || offset >= parameters) {
      uint32_t kind = Cntl::DEFAULT_VAL::get(cntl);  // bit 1: red, green and blue; bit 0: alpha
      c.source = Channel::constant;
      c.value = (c.channel == 3 ? kind & 1 : kind >> 1 & 1) ? 1.0f : 0.0f;
    } else {
      c.parameter = uint16_t(offset * 4 + c.channel);
      c.source = Cntl::FLAT_SHADE::get(cntl) && Interp::FLAT_SHADE_ENA::get(interp) ? Channel::flat : Channel::smooth;
      c.wraps = Cntl::CYL_WRAP::get(cntl) >> c.channel & 1;
    }
    c.sprite = c.source, c.sprite_value = c.value;
    if (Cntl::PT_SPRITE_TEX::get(cntl) && Interp::PNT_SPRITE_ENA::get(interp)) {
      uint32_t selects[] = {Interp::PNT_SPRITE_OVRD_X::get(interp), Interp::PNT_SPRITE_OVRD_Y::get(interp),
                            Interp::PNT_SPRITE_OVRD_Z::get(interp), Interp::PNT_SPRITE_OVRD_W::get(interp)};
      switch (selects[c.channel]) {
        case SPI_PNT_SPRITE_OVERRIDE::SPI_PNT_SPRITE_SEL_0: c.sprite = Channel::constant, c.sprite_value = 0; break;
        case SPI_PNT_SPRITE_OVERRIDE::SPI_PNT_SPRITE_SEL_1: c.sprite = Channel::constant, c.sprite_value = 1; break;
        case SPI_PNT_SPRITE_OVERRIDE::SPI_PNT_SPRITE_SEL_S: c.sprite = Channel::sprite_s; break;
        case SPI_PNT_SPRITE_OVERRIDE::SPI_PNT_SPRITE_SEL_T: c.sprite = Channel::sprite_t; break;
        default: break;
      }
    }
    channels_.push_back(c);
  }
}

void PixelStage::fill_attributes(unsigned worker, wave::Wave& w, const PixelBatch& batch) {
  // Large primitives fill many waves, whose attributes stand there from the one before.
  PerWorker& kept = workers_[worker];
  const bool one = batch.one_primitive;
  const auto& first = batch.primitive[0];
  const auto& last = kept.primitive;
  if (one && kept.whole_wave && kept.segment == batch.segment && first.a == last.a && first.b == last.b && first.c == last.c &&
      first.provoking == last.provoking && first.kind == last.kind)
    return;
  kept.whole_wave = one, kept.primitive = first, kept.segment = batch.segment;
  // Quads of one primitive follow each other.
  for (unsigned q = 0; q < batch.quads;) {
    const pipeline::PrimitiveAttributes& p = batch.primitive[q];
    unsigned end = one ? pipeline::max_quads : q + 1;
    while (end < batch.quads && batch.primitive[end].a == p.a && batch.primitive[end].b == p.b && batch.primitive[end].c == p.c &&
           batch.primitive[end].provoking == p.provoking)
      end++;
    bool point = p.kind == pipeline::PrimitiveKind::point;
    for (const Channel& c : channels_) {
      float p0 = 0, p10 = 0, p20 = 0;
      switch (point ? c.sprite : c.source) {
        case Channel::smooth:
          p0 = p.a[c.parameter], p10 = p.b[c.parameter] - p0, p20 = p.c[c.parameter] - p0;
          if (c.wraps) p10 = pipeline::short_way(p10), p20 = pipeline::short_way(p20);
          break;
        case Channel::flat: p0 = p.provoking[c.parameter]; break;
        case Channel::constant: p0 = point ? c.sprite_value : c.value; break;
        case Channel::sprite_s: p10 = 1; break;
        case Channel::sprite_t: p20 = 1; break;
      }
      float* to0 = lanes_of(w, gfx7::attribute_cell(c.attribute, c.channel, gfx7::P0));
      float* to10 = lanes_of(w, gfx7::attribute_cell(c.attribute, c.channel, gfx7::P10));
      float* to20 = lanes_of(w, gfx7::attribute_cell(c.attribute, c.channel, gfx7::P20));
      if (end - q == pipeline::max_quads) {
        for (unsigned l = 0; l < pipeline::max_quads; l++) to0[l] = p0;
        for (unsigned l = 0; l < pipeline::max_quads; l++) to10[l] = p10;
        for (unsigned l = 0; l < pipeline::max_quads; l++) to20[l] = p20;
      } else {
        for (unsigned l = q; l < end; l++) to0[l] = p0, to10[l] = p10, to20[l] = p20;
      }
    }
    q = end;
  }
}

uint32_t PixelStage::facing_word(bool front) const {
  if (front_face_all_bits_) return front ? ~0u : 0;
  return std::bit_cast<uint32_t>(front ? 1.0f : -1.0f);
}

// The coverage of more samples than the program sees: those beyond are left out, unless that leaves none (0), left out (1), or stand for
// the others in turn (2).
uint32_t PixelStage::exposed(uint32_t coverage) const {
  const uint32_t low = coverage & coverage_seen_;
  if (detail_to_exposed_ == 1 || (detail_to_exposed_ != 2 && low)) return low;
  uint32_t all = 0;
  for (const int seen = std::popcount(coverage_seen_); coverage; coverage >>= seen) all |= coverage & coverage_seen_;
  return all;
}

void PixelStage::fill_vgprs(wave::Wave& w, const PixelBatch& batch) const {
  using gfx7::vgpr_cell;
  unsigned lanes = batch.quads * 4;
  auto load = [&](unsigned input, unsigned part, auto value) {
    if (vgpr_of_[input] < 0) return;
    auto* to = reinterpret_cast<decltype(value(0))*>(wave::bytes_of(w, vgpr_cell(unsigned(vgpr_of_[input]) + part)));
    for (unsigned l = 0; l < lanes; l++) to[l] = value(l);
  };
  for (unsigned n = PERSP_SAMPLE; n <= LINEAR_CENTROID; n++) {
    if (vgpr_of_[n] < 0) continue;
    const auto& set = batch.barycentric[set_of_[n]];
    if (n == PERSP_PULL_MODEL) {  // I/W, J/W, 1/W
      load(n, 0, [&](unsigned l) { return set[0][l] * batch.one_over_w[l]; });
      load(n, 1, [&](unsigned l) { return set[1][l] * batch.one_over_w[l]; });
      load(n, 2, [&](unsigned l) { return batch.one_over_w[l]; });
      continue;
    }
    std::memcpy(lanes_of(w, vgpr_cell(unsigned(vgpr_of_[n]))), set[0].data(), lanes * 4);
    std::memcpy(lanes_of(w, vgpr_cell(unsigned(vgpr_of_[n]) + 1)), set[1].data(), lanes * 4);
  }
  float at_x = 0.5f, at_y = 0.5f;
  if (position_is_corner_)
    at_x = at_y = 0;
  else if (place_ == Place::sample)
    at_x = float(samples_[batch.pixel][batch.sample].x) / 16, at_y = float(samples_[batch.pixel][batch.sample].y) / 16;
  const bool centroids = place_ == Place::centroid;
  load(LINE_STIPPLE_TEX, 0, [&](unsigned l) { return batch.line_coordinate[l]; });
  load(POS_X, 0, [&](unsigned l) { return float(batch.x[l]) + (centroids ? batch.centroid[0][l] : at_x); });
  load(POS_Y, 0, [&](unsigned l) { return float(batch.y[l]) + (centroids ? batch.centroid[1][l] : at_y); });
  load(POS_Z, 0, [&](unsigned l) { return batch.z[l]; });
  load(POS_W, 0, [&](unsigned l) { return 1.0f / batch.one_over_w[l]; });
  load(FRONT_FACE, 0, [&](unsigned l) { return facing_word(batch.primitive[l / 4].front); });
  load(ANCILLARY, 0, [&](unsigned l) { return uint32_t(batch.sample << 8 | (batch.primitive[l / 4].layer & 0x7ff) << 16); });
  load(SAMPLE_COVERAGE, 0, [&](unsigned l) { return exposed(batch.coverage[l]); });
  load(POS_FIXED_PT, 0, [&](unsigned l) { return uint32_t((batch.x[l] & 0xffff) | batch.y[l] << 16); });
}

void PixelStage::take_exports(wave::Wave& w, const PixelBatch& batch, PixelResults& results) const {
  using namespace gfx7;
  unsigned lanes = batch.quads * 4;
  results.outputs = 0;
  results.has_second_source = dual_source_;
  results.killed = wave::word_of(w, export_valid_seen_cell) ? batch.covered & ~mask_of(w, export_valid_cell) : 0;
  for (unsigned n = 0; n < 8; n++) {
    if (!mask_of(w, export_mask_cell(MRT0 + n))) continue;
    const uint32_t format = export_format_[n];
    if (format == Export::SPI_SHADER_ZERO || target_of_[n] == no_target) continue;
    auto& colour = results.colour[target_of_[n]];
    results.outputs |= uint8_t(1u << target_of_[n]);
    const uint32_t enabled = wave::word_of(w, export_enable_cell(MRT0 + n));
    const bool compressed = wave::word_of(w, export_compressed_cell(MRT0 + n));
    // What is not exported is 0, not what an earlier wave left there. (A pair of halves is kept where either is enabled.)
    for (unsigned c = 0; c < (compressed ? 2 : 4); c++)
      if (!(compressed ? enabled >> 2 * c & 3 : enabled >> c & 1))
        std::memset(words_of(w, export_cell(MRT0 + n, c)), 0, lanes * 4);
    if (!compressed) {
      for (unsigned c = 0; c < 4; c++) std::memcpy(colour[c].data(), words_of(w, export_cell(MRT0 + n, c)), lanes * 4);
      // The second of two channels is alpha.
      if (format == Export::SPI_SHADER_32_AR && !(enabled & 8)) std::swap(colour[1], colour[3]);
      continue;
    }
    if (format == Export::SPI_SHADER_FP16_ABGR) {
      static_assert(export_cell(MRT0, 1) - export_cell(MRT0, 0) == max_pixels * 4);
      results.halves[target_of_[n]] = reinterpret_cast<const uint32_t(*)[max_pixels]>(words_of(w, export_cell(MRT0 + n, 0)));
      continue;
    }
    for (unsigned c = 0; c < 4; c++) {
      const uint32_t* packed = words_of(w, export_cell(MRT0 + n, c / 2));
      unsigned shift = c % 2 * 16;
      uint32_t* to = colour[c].data();
      switch (format) {
        case Export::SPI_SHADER_UNORM16_ABGR:
          for (unsigned l = 0; l < lanes; l++)
            to[l] = std::bit_cast<uint32_t>(float(uint16_t(packed[l] >> shift)) * (1.0f / 65535));
          break;
        case Export::SPI_SHADER_SNORM16_ABGR:
          for (unsigned l = 0; l < lanes; l++)
            to[l] = std::bit_cast<uint32_t>(std::max(float(int16_t(packed[l] >> shift)) * (1.0f / 32767), -1.0f));
          break;
        case Export::SPI_SHADER_SINT16_ABGR:
          for (unsigned l = 0; l < lanes; l++) to[l] = uint32_t(int32_t(int16_t(packed[l] >> shift)));
          break;
        default:
          for (unsigned l = 0; l < lanes; l++) to[l] = packed[l] >> shift & 0xffff;
      }
    }
  }
  take_depth(w, batch, results);
}

void PixelStage::take_depth(wave::Wave& w, const PixelBatch& batch, PixelResults& results) const {
  using namespace gfx7;
  const unsigned lanes = batch.quads * 4;
  results.has_depth = results.has_stencil = results.has_stencil_op = results.has_coverage = false;
  if (!mask_of(w, export_mask_cell(MRTZ))) return;
  const uint32_t* channel[4];
  for (unsigned c = 0; c < 4; c++) channel[c] = words_of(w, export_cell(MRTZ, c));
  bool compressed =
      wave::word_of(w, export_compressed_cell(MRTZ));  // stencil in bits 23:16 of the first, mask in the second dword
  if (depth_exported_ && !compressed) {
    results.has_depth = true;
    std::memcpy(results.depth.data(), channel[0], lanes * 4);
  }
  if (stencil_exported_) {
    results.has_stencil = true;
    for (unsigned l = 0; l < lanes; l++) results.stencil[l] = (compressed ? channel[0][l] >> 16 : channel[1][l]) & 0xff;
  }
  if (stencil_op_exported_) {  // green's second byte
    results.has_stencil_op = true;
    for (unsigned l = 0; l < lanes; l++) results.stencil_op[l] = (compressed ? channel[0][l] >> 24 : channel[1][l] >> 8) & 0xff;
  }
  if (mask_exported_) {
    results.has_coverage = true;
    // Of fewer samples than the targets have, they stand for those in turn.
    const unsigned exported = unsigned(std::popcount(coverage_exported_));
    for (unsigned l = 0; l < lanes; l++) {
      uint32_t mask = (compressed ? channel[1][l] : channel[2][l]) & coverage_exported_;
      for (unsigned n = exported; n < 16; n *= 2) mask |= mask << n;
      results.coverage[l] = mask;
    }
  }
}

// A wave with what all have; its number is for end_wave().
wave::Wave& PixelStage::begin_wave(unsigned worker, const WaveSetup& setup, const PixelBatch& batch, uint64_t& number) {
  wave::Wave& w = start_wave(*context_, *environment_, setup, pixel_wave, batch.covered);
  unsigned sgpr = setup.user_sgprs;
  put_sgpr(w, sgpr++, 0);  // for M0: where attributes begin in LDS; here they are registers
  number = order_ ? order_->launch() : 0;
  if (order_) put_sgpr(w, sgpr++, order_->id_of(number));
  if (setup.scratch) put_sgpr(w, sgpr, worker * setup.scratch_bytes_per_wave);
  if (lds_bytes_) {
    // What a wave before left there depends on which ran before it on a chip: it begins as zeros, so that pictures do not.
    std::vector<uint8_t>& lds = workers_[worker].lds;
    std::ranges::fill(lds, uint8_t(0));
    w.lds = lds.data(), w.lds_bytes = lds_bytes_;
    wave::word_of(w, gfx7::lds_allocation_cell) = lds_bytes_;
  }
  fill_attributes(worker, w, batch);
  return w;
}

bool PixelStage::end_wave(unsigned worker, const WaveSetup& setup, wave::Wave& w, uint64_t number) {
  if (!finish_wave(*context_, setup, w)) return false;
  if (order_) order_->finish(number);
  workers_[worker].counters.add(w);
  return true;
}

bool PixelStage::shade(unsigned worker, const PixelBatch& batch, PixelResults& results) {
  gpu::Reports::Keeping keeping(*reports_);
  uint64_t number;
  wave::Wave& w = begin_wave(worker, setup_, batch, number);
  fill_vgprs(w, batch);
  if (direct_setup_[size_t(pipeline::DirectKind::any)].framed) setup_.shader->framed.note_lack();
  if (!end_wave(worker, setup_, w, number)) return false;
  take_exports(w, batch, results);
  return true;
}

// An export whose shape is the same wherever the program makes it.
std::optional<PixelFrame::Export> PixelStage::framed_export(uint8_t number) const {
  using Shape = PixelFrame::Shape;
  const auto& exported = setup_.shader->colour_exports().colour[number];
  if (!exported.same) return {};
  PixelFrame::Export of{.is_made = true, .number = number, .enabled = uint8_t(exported.enabled)};
  const uint32_t format = export_format_[number];
  if (!exported.halves) {
    of.alpha_is_second = format == Export::SPI_SHADER_32_AR && !(exported.enabled & 8);
    return of;
  }
  of.enabled = uint8_t((exported.enabled & 3 ? 1 : 0) | (exported.enabled & 0xc ? 2 : 0));
  switch (format) {
    case Export::SPI_SHADER_FP16_ABGR: of.shape = Shape::halves; break;
    case Export::SPI_SHADER_UNORM16_ABGR: of.shape = Shape::unorm16; break;
    case Export::SPI_SHADER_SNORM16_ABGR: of.shape = Shape::snorm16; break;
    case Export::SPI_SHADER_SINT16_ABGR: of.shape = Shape::sint16; break;
    default: of.shape = Shape::uint16;
  }
  return of;
}

// What its waves need to write their pixels themselves, or why they cannot.
pipeline::PixelWay PixelStage::make_pixel_frame(const pipeline::DirectOutputs& outputs, PixelFrame& frame) const {
  using pipeline::PixelWay;
  constexpr uint32_t known = 1u << PERSP_SAMPLE | 1u << PERSP_CENTER | 1u << PERSP_CENTROID | 1u << LINEAR_SAMPLE |
                             1u << LINEAR_CENTER | 1u << LINEAR_CENTROID | 1u << POS_X | 1u << POS_Y | 1u << FRONT_FACE;
  if (order_ || lds_bytes_ || setup_.traps.present) return PixelWay::program;
  const ColourExports& exports = setup_.shader->colour_exports();
  if (!exports.can_be_framed) return PixelWay::program;
  // Inputs are made, and blending counts where that is not apart, as the pipeline does it: to the nearest, and without denormals where
  // it makes no difference.
  const wave::FloatMode mode = gfx7::float_mode_of(setup_.mode);
  const bool usual = mode.round32 == wave::Rounding::NearestEven && mode.flush_in32 && mode.flush_out32;
  const bool fills = outputs.interpolated || enabled_ & ~known || !usual || no_perspective_;
  for (unsigned n = 0; n < 3 && !fills; n++) {
    frame.perspective[n] = int16_t(vgpr_of_[PERSP_SAMPLE + n]);
    frame.linear[n] = int16_t(vgpr_of_[LINEAR_SAMPLE + n]);
  }
  if (!fills) {
    frame.position_x = int16_t(vgpr_of_[POS_X]), frame.position_y = int16_t(vgpr_of_[POS_Y]);
    frame.front_face = int16_t(vgpr_of_[FRONT_FACE]);
  }
  frame.fills = fills;
  frame.centre = position_is_corner_ ? 0.0f : 0.5f;
  frame.samples = uint8_t(outputs.samples);
  frame.apart = outputs.apart || !usual || exports.changes_mode || stencil_exported_ || stencil_op_exported_ || depth_exported_ ||
                mask_exported_;
  if (dual_source_ && (outputs.targets != 1 || !exports.colour[1].found)) return PixelWay::exports;
  for (uint8_t n = 0; n < 8; n++) {
    const unsigned to = target_of_[n];
    if (to == no_target || !(outputs.targets >> to & 1) || !exports.colour[n].found) continue;
    if (export_format_[n] == Export::SPI_SHADER_ZERO) continue;
    const auto colour = framed_export(n), second = framed_export(dual_source_ ? 1 : n);
    if (!colour || !second) return PixelWay::exports;
    PixelFrame::Target& target = frame.targets[to];
    target = {.colour = *colour, .second_source = {}, .state = {outputs.path[to], outputs.blend[to]}};
    if (dual_source_) target.second_source = *second;
    std::ranges::fill(target.state.path.constant, 0.0f);  // they are data
  }
  return PixelWay::direct;
}

// Whether blocks that a primitive covers whole are all alike where its attributes are the same everywhere.
bool PixelStage::same_in_blocks() const {
  if (lds_bytes_) return false;
  if (std::ranges::any_of(channels_, [](const Channel& channel) { return is_place(channel.source); })) return false;
  constexpr uint32_t barycentrics = 1u << PERSP_SAMPLE | 1u << PERSP_CENTER | 1u << PERSP_CENTROID | 1u << LINEAR_SAMPLE |
                                    1u << LINEAR_CENTER | 1u << LINEAR_CENTROID;
  if (enabled_ & ~(barycentrics | 1u << FRONT_FACE) || !may_wait()) return false;
  std::vector<unsigned> varying;
  for (unsigned n = 0; n < kInputs; n++)
    if (barycentrics >> n & 1 && vgpr_of_[n] >= 0)
      for (unsigned part = 0; part < input_vgprs[n]; part++) varying.push_back(unsigned(vgpr_of_[n]) + part);
  return setup_.shader->same_in_blocks(varying);
}

bool PixelStage::pixels_alike() const {
  return same_in_blocks() && std::ranges::none_of(channels_, [](const Channel& channel) { return is_place(channel.sprite); });
}

// Where code is made in the background, the pipeline does it until there is some: the same, bit for bit.
pipeline::DirectKinds PixelStage::begin_direct(const pipeline::DirectOutputs& outputs) {
  const Shader& shader = *setup_.shader;
  const wave::EngineChoice engine = context_->shaders->engine();
  const bool automatic = engine == wave::EngineChoice::Auto;
  PixelFrame frame;
  const auto why = make_pixel_frame(outputs, frame);
  shader.executor->put_off(why == pipeline::PixelWay::direct);  // what is in a frame takes its place
  if ((automatic && !shader.executor->is_hot()) || context_->shaders->watches()) return {};
  if (why != pipeline::PixelWay::direct) return {.why = why};
  using enum pipeline::DirectKind;
  const bool apart = frame.apart;
  auto found = setup_.shader->framed.find(frame);
  auto framed = [&](pipeline::DirectKind kind) {
    return found.ready(kind, engine, gfx7::float_mode_of(setup_.mode), [&] {
      auto state = std::make_shared<PixelFrame>(frame);
      state->one_primitive = kind == blocks, state->apart = apart || kind == twice;
      return std::make_shared<pixel::FramedProgram>(*shader.program, shader.address, make_frame(std::move(state)), engine,
                                                    shader.like);
    });
  };
  direct_setup_.fill(setup_);
  auto& any_framed = direct_setup_[size_t(any)].framed = framed(any);
  // Code of their own for blocks and for pixels that come twice is made once there is much for it to do.
  const bool has_blocks = !frame.fills && (!automatic || (any_framed && any_framed->has_run_long()));
  auto& blocks_framed = direct_setup_[size_t(blocks)].framed = has_blocks ? framed(blocks) : nullptr;
  const bool has_twice = outputs.has_twice && !apart && (!automatic || setup_.shader->framed.lacks());
  auto& twice_framed = direct_setup_[size_t(twice)].framed = has_twice ? framed(twice) : nullptr;
  if (any_framed) shader.executor->put_off(has_twice && !twice_framed);
  if (!blocks_framed) blocks_framed = any_framed;
  alpha_to_coverage_ = outputs.alpha_to_coverage, fills_ = frame.fills;
  changes_mode_ = setup_.shader->colour_exports().changes_mode;
  return {.blocks = bool(blocks_framed) && !fills_,
          .any = bool(any_framed),
          .twice = bool(twice_framed),
          .apart = apart,
          .interpolated = fills_,
          .alike = !apart && !fills_ && outputs.samples == 1 && same_in_blocks()};
}

bool PixelStage::shade_direct(unsigned worker, pipeline::DirectKind kind, pipeline::DirectWaves& waves, uint8_t* const* texels) {
  const WaveSetup& setup = direct_setup_[size_t(kind)];
  const bool apart = setup.framed->apart;
  pipeline::QuadFeed& feed = quad_feed();
  const PixelBatch* batch = waves.next(feed);
  if (!batch) return true;
  gpu::Reports::Keeping keeping(*reports_);
  uint64_t number;
  wave::Wave& w = begin_wave(worker, setup, *batch, number);
  w.targets = texels;
  auto load = [&] {
    feed.covered = batch->covered;
    if (fills_) return fill_vgprs(w, *batch);
    if (vgpr_of_[FRONT_FACE] < 0) return;
    for (unsigned q = 0; q < batch->quads; q++)
      feed.facing[q] = facing_word(batch->primitive[batch->one_primitive ? 0 : q].front);
  };
  load();
  WaveSeries series(setup, w);
  auto restore_mode = [&] {
    if (changes_mode_) wave::word_of(w, gfx7::mode_cell) = setup.mode, w.code_table = nullptr;
  };
  bool shading = true;  // (else it has written)
  auto next = [&] {
    using namespace gfx7;
    const uint64_t valid = wave::word_of(w, export_valid_seen_cell) ? mask_of(w, export_valid_cell) : ~uint64_t(0);
    if (!apart || !shading) {
      uint64_t written[8] = {};
      const uint64_t lanes = apart ? feed.drawn[0] : batch->covered & valid;
      for (unsigned n = 0; n < 8; n++)
        if (target_of_[n] != no_target) written[target_of_[n]] = lanes & mask_of(w, export_mask_cell(MRT0 + n));
      waves.wrote(written);
    }
    if (apart) {
      if (shading) {
        PixelResults& results = waves.results();
        if (alpha_to_coverage_)
          take_exports(w, *batch, results);
        else
          take_depth(w, *batch, results);
        results.killed = batch->covered & ~valid;
      }
      shading = !waves.part(feed);
      if (!shading) {
        put_exec(w, batch->covered);
        restore_mode();
        w.pc = setup.framed->write();
        return true;
      }
    }
    workers_[worker].counters.waves++;
    batch = waves.next(feed);
    if (!batch) return false;
    advance_in_a_row(context_->progress, workers_[worker].counters.waves);
    series.restart(batch->covered);
    restore_mode();
    fill_attributes(worker, w, *batch);
    load();
    return true;
  };
  const bool good = finish_series(*context_, setup, w, [](void* data) { return (*static_cast<decltype(next)*>(data))(); }, &next);
  workers_[worker].counters.add(w);
  if (good) workers_[worker].counters.waves--;  // counted as they ended
  return good;
}

}  // namespace Atoll::sea_islands
