#include "gpu/sea_islands/draw/pixel_stage.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/sea_islands/shaders/effects.h"
#include "gpu/sea_islands/state/field_lists.h"
#include "isa/gfx7/isa.h"
#include "pipeline/cylinder.h"
#include "pipeline/workers.h"
#include "pixel/direct_waves.h"

namespace Atoll::sea_islands {

using pipeline::max_pixels;
using pipeline::PixelBatch;
using pipeline::PixelResults;
using Export = SPI_SHADER_EX_FORMAT;

PixelStage::~PixelStage() {
  for (const PerWorker& worker : workers_) context_->statistics += worker.counters;
}

void PixelStage::prepare(ShaderContext& context, QueueEnvironment& environment, gpu::Reports::Kept& reports,
                         std::shared_ptr<const PixelState> state) {
  context_ = &context, environment_ = &environment, reports_ = &reports;
  state_ = std::move(state);
  setup_ = state_->setup;
  read_user_data<stages::PS>(context.registers, setup_);
  setup_.shader->executor->put_off(false);
  workers_.resize(context.workers->count());
  for (PerWorker& worker : workers_) worker.lds.resize(state_->lds_bytes);
  if (state_->ordered_waves) {
    order_.emplace(0, state_->ordered_waves);
    environment.keep_order(1, *order_);
  }
  set_direct(state_->direct);
}

void PixelStage::set_direct(std::shared_ptr<const DirectPrograms> direct) {
  direct_ = std::move(direct);
  if (!direct_) return;
  for (size_t kind = 0; kind < direct_setup_.size(); kind++)
    if (direct_->framed[kind]) direct_setup_[kind] = setup_, direct_setup_[kind].framed = direct_->framed[kind];
}

// (Where programs are watched, all their waves run.)
uint8_t PixelStage::writes_always() const { return context_->shaders->watches() ? 0 : state_->writes_always(); }

bool PixelStage::wants_line_coordinate() const { return state_->enabled >> LINE_STIPPLE_TEX & 1; }

void PixelStage::fill_attributes(unsigned worker, wave::Wave& w, const PixelBatch& batch) {
  if (workers_[worker].attributes.is_of(batch)) return;
  pixel::each_primitive(batch, [&](const pipeline::PrimitiveAttributes& p, unsigned q, unsigned end) {
    bool point = p.kind == pipeline::PrimitiveKind::point;
    for (const PixelChannel& c : state_->channels) {
      float p0 = 0, p10 = 0, p20 = 0;
      switch (point ? c.sprite : c.source) {
        case PixelChannel::smooth:
          p0 = p.a[c.parameter], p10 = p.b[c.parameter] - p0, p20 = p.c[c.parameter] - p0;
          if (c.wraps) p10 = pipeline::short_way(p10), p20 = pipeline::short_way(p20);
          break;
        case PixelChannel::flat: p0 = p.provoking[c.parameter]; break;
        case PixelChannel::constant: p0 = point ? c.sprite_value : c.value; break;
        case PixelChannel::sprite_s: p10 = 1; break;
        case PixelChannel::sprite_t: p20 = 1; break;
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
  });
}

uint32_t PixelStage::facing_word(bool front) const {
  if (state_->front_face_all_bits) return front ? ~0u : 0;
  return std::bit_cast<uint32_t>(front ? 1.0f : -1.0f);
}

// The coverage of more samples than the program sees: those beyond are left out, unless that leaves none (0), left out (1), or stand for
// the others in turn (2).
uint32_t PixelStage::exposed(uint32_t coverage) const {
  const uint32_t low = coverage & state_->coverage_seen;
  if (state_->detail_to_exposed == 1 || (state_->detail_to_exposed != 2 && low)) return low;
  uint32_t all = 0;
  for (const int seen = std::popcount(state_->coverage_seen); coverage; coverage >>= seen)
    all |= coverage & state_->coverage_seen;
  return all;
}

void PixelStage::fill_vgprs(wave::Wave& w, const PixelBatch& batch) const {
  using gfx7::vgpr_cell;
  unsigned lanes = batch.quads * 4;
  auto load = [&](unsigned input, unsigned part, auto value) {
    if (state_->vgpr_of[input] < 0) return;
    auto* to = reinterpret_cast<decltype(value(0))*>(wave::bytes_of(w, vgpr_cell(unsigned(state_->vgpr_of[input]) + part)));
    for (unsigned l = 0; l < lanes; l++) to[l] = value(l);
  };
  for (unsigned n = PERSP_SAMPLE; n <= LINEAR_CENTROID; n++) {
    if (state_->vgpr_of[n] < 0) continue;
    const auto& set = batch.barycentric[state_->set_of[n]];
    if (n == PERSP_PULL_MODEL) {  // I/W, J/W, 1/W
      load(n, 0, [&](unsigned l) { return set[0][l] * batch.one_over_w[l]; });
      load(n, 1, [&](unsigned l) { return set[1][l] * batch.one_over_w[l]; });
      load(n, 2, [&](unsigned l) { return batch.one_over_w[l]; });
      continue;
    }
    std::memcpy(lanes_of(w, vgpr_cell(unsigned(state_->vgpr_of[n]))), set[0].data(), lanes * 4);
    std::memcpy(lanes_of(w, vgpr_cell(unsigned(state_->vgpr_of[n]) + 1)), set[1].data(), lanes * 4);
  }
  float at_x = 0.5f, at_y = 0.5f;
  if (state_->position_is_corner)
    at_x = at_y = 0;
  else if (state_->place == PixelState::Place::sample)
    at_x = float(state_->samples[batch.pixel][batch.sample].x) / 16,
    at_y = float(state_->samples[batch.pixel][batch.sample].y) / 16;
  const bool centroids = state_->place == PixelState::Place::centroid;
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
  results.has_second_source = state_->dual_source;
  results.killed = wave::word_of(w, export_valid_seen_cell) ? batch.covered & ~mask_of(w, export_valid_cell) : 0;
  for (unsigned n = 0; n < 8; n++) {
    const uint64_t exported = mask_of(w, export_mask_cell(MRT0 + n));
    if (!exported) continue;
    const uint32_t format = state_->export_format[n];
    if (format == Export::SPI_SHADER_ZERO || state_->target_of[n] == PixelState::no_target) continue;
    auto& colour = results.colour[state_->target_of[n]];
    results.outputs |= uint8_t(1u << state_->target_of[n]);
    results.unwritten[state_->target_of[n]] = batch.covered & ~exported;
    const uint32_t enabled = wave::word_of(w, export_enable_cell(MRT0 + n));
    const bool compressed = wave::word_of(w, export_compressed_cell(MRT0 + n));
    // Channels that are not exported are 0, not what an earlier wave left there. (A pair of halves is kept if either is enabled.)
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
      results.halves[state_->target_of[n]] =
          reinterpret_cast<const uint32_t(*)[max_pixels]>(words_of(w, export_cell(MRT0 + n, 0)));
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
  const uint64_t exported = mask_of(w, export_mask_cell(MRTZ));
  if (!exported) return;
  const uint32_t* channel[4];
  for (unsigned c = 0; c < 4; c++) {
    uint32_t* const lane = words_of(w, export_cell(MRTZ, c));
    // (Lanes that exported colours alone: what an earlier wave left there is not theirs.)
    for (uint64_t left = batch.covered & ~exported; left; left &= left - 1) lane[std::countr_zero(left)] = 0;
    channel[c] = lane;
  }
  bool compressed =
      wave::word_of(w, export_compressed_cell(MRTZ));  // stencil in bits 23:16 of the first, mask in the second dword
  if (state_->depth_exported && !compressed) {
    results.has_depth = true;
    std::memcpy(results.depth.data(), channel[0], lanes * 4);
  }
  if (state_->stencil_exported) {
    results.has_stencil = true;
    for (unsigned l = 0; l < lanes; l++) results.stencil[l] = (compressed ? channel[0][l] >> 16 : channel[1][l]) & 0xff;
  }
  if (state_->stencil_op_exported) {  // green's second byte
    results.has_stencil_op = true;
    for (unsigned l = 0; l < lanes; l++) results.stencil_op[l] = (compressed ? channel[0][l] >> 24 : channel[1][l] >> 8) & 0xff;
  }
  if (state_->mask_exported) {
    results.has_coverage = true;
    // If fewer samples are exported than the targets have, they stand for those in turn.
    const unsigned exported = unsigned(std::popcount(state_->coverage_exported));
    for (unsigned l = 0; l < lanes; l++) {
      uint32_t mask = (compressed ? channel[1][l] : channel[2][l]) & state_->coverage_exported;
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
  if (state_->lds_bytes) {
    // On a chip LDS holds what an earlier wave left, which depends on the order of waves. Here it begins as zeros, so that
    // pictures do not.
    std::vector<uint8_t>& lds = workers_[worker].lds;
    std::ranges::fill(lds, uint8_t(0));
    w.lds = lds.data(), w.lds_bytes = state_->lds_bytes;
    wave::word_of(w, gfx7::lds_allocation_cell) = state_->lds_bytes;
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
  if (direct_ && direct_->has(pipeline::DirectKind::any)) setup_.shader->framed.note_lack();
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
  const uint32_t format = state_->export_format[number];
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

// Finds what its waves need to write their pixels themselves, or why they cannot.
pipeline::PixelWay PixelStage::make_pixel_frame(const pipeline::DirectOutputs& outputs, PixelFrame& frame) const {
  using pipeline::PixelWay;
  constexpr uint32_t known = 1u << PERSP_SAMPLE | 1u << PERSP_CENTER | 1u << PERSP_CENTROID | 1u << LINEAR_SAMPLE |
                             1u << LINEAR_CENTER | 1u << LINEAR_CENTROID | 1u << POS_X | 1u << POS_Y | 1u << FRONT_FACE;
  if (order_ || state_->lds_bytes || setup_.traps.present) return PixelWay::program;
  const ColourExports& exports = setup_.shader->colour_exports();
  if (!exports.can_be_framed) return PixelWay::program;
  // Inputs are made, and blending counts where that is not apart, as the pipeline does it: to the nearest, and without denormals where
  // it makes no difference.
  const wave::FloatMode mode = gfx7::float_mode_of(setup_.mode);
  const bool usual = mode.round32 == wave::Rounding::NearestEven && mode.flush_in32 && mode.flush_out32;
  const bool fills = outputs.interpolated || state_->enabled & ~known || !usual || state_->no_perspective;
  for (unsigned n = 0; n < 3 && !fills; n++) {
    frame.perspective[n] = int16_t(state_->vgpr_of[PERSP_SAMPLE + n]);
    frame.linear[n] = int16_t(state_->vgpr_of[LINEAR_SAMPLE + n]);
  }
  if (!fills) {
    frame.position_x = int16_t(state_->vgpr_of[POS_X]), frame.position_y = int16_t(state_->vgpr_of[POS_Y]);
    frame.front_face = int16_t(state_->vgpr_of[FRONT_FACE]);
  }
  frame.fills = fills;
  frame.centre = state_->position_is_corner ? 0.0f : 0.5f;
  frame.samples = uint8_t(outputs.samples);
  frame.apart = outputs.apart || !usual || exports.changes_mode || state_->stencil_exported || state_->stencil_op_exported ||
                state_->depth_exported || state_->mask_exported;
  if (state_->dual_source && (outputs.targets != 1 || !exports.colour[1].found)) return PixelWay::exports;
  for (uint8_t n = 0; n < 8; n++) {
    const unsigned to = state_->target_of[n];
    if (to == PixelState::no_target || !(outputs.targets >> to & 1) || !exports.colour[n].found) continue;
    if (state_->export_format[n] == Export::SPI_SHADER_ZERO) continue;
    const auto colour = framed_export(n), second = framed_export(state_->dual_source ? 1 : n);
    if (!colour || !second) return PixelWay::exports;
    PixelFrame::Target& target = frame.targets[to];
    target = {.colour = *colour, .second_source = {}, .state = {outputs.path[to], outputs.blend[to]}};
    if (state_->dual_source) target.second_source = *second;
    std::ranges::fill(target.state.path.constant, 0.0f);  // they are data
  }
  return PixelWay::direct;
}

pipeline::DirectKinds PixelStage::begin_direct(const pipeline::DirectOutputs& outputs) {
  Shader& shader = *setup_.shader;
  direct_ = state_->direct = nullptr;
  PixelFrame frame;
  const pipeline::PixelWay why = make_pixel_frame(outputs, frame);
  std::shared_ptr<DirectPrograms> found;
  pipeline::DirectKinds kinds = pixel::find_direct_programs<PixelFrame>(
      {*shader.program, shader.address, shader.like, *shader.executor, shader.framed, context_->shaders->engine(),
       gfx7::float_mode_of(setup_.mode), context_->shaders->watches()},
      outputs, frame, why, frame.fills, found);
  if (!found) return kinds;
  found->changes_mode = shader.colour_exports().changes_mode;
  state_->direct = found;
  set_direct(std::move(found));
  kinds.alike = !kinds.apart && !frame.fills && outputs.samples == 1 && state_->same_in_blocks();
  return kinds;
}

// A worker's waves as pixel/direct_waves.h runs them.
struct PixelStage::DirectSeries {
  PixelStage& stage;
  const unsigned worker;
  const WaveSetup& setup;
  const DirectPrograms& direct;
  pipeline::QuadFeed& feed;
  wave::Wave* w = nullptr;  // since start()
  std::optional<WaveSeries> series{};

  wave::Wave& start(const PixelBatch& batch) {
    uint64_t number;
    w = &stage.begin_wave(worker, setup, batch, number);
    load(batch);
    series.emplace(setup, *w);
    return *w;
  }
  void restart(const PixelBatch& batch) {
    series->restart(batch.covered);
    restore_mode();
    stage.fill_attributes(worker, *w, batch);
    load(batch);
  }
  void written(const PixelBatch& batch, uint64_t (&lanes)[8]) const {
    const PixelState& state = *stage.state_;
    const uint64_t all = setup.framed->apart ? feed.drawn[0] : batch.covered & valid();
    for (unsigned n = 0; n < 8; n++)
      if (state.target_of[n] != PixelState::no_target)
        lanes[state.target_of[n]] = all & mask_of(*w, gfx7::export_mask_cell(gfx7::MRT0 + n));
  }
  void results(const PixelBatch& batch, PixelResults& results) const {
    if (direct.alpha_to_coverage)
      stage.take_exports(*w, batch, results);
    else
      stage.take_depth(*w, batch, results);
    results.killed = batch.covered & ~valid();
  }
  void begin_write(const PixelBatch& batch) const {
    put_exec(*w, batch.covered);
    restore_mode();
  }
  bool run(wave::Wave& wave, bool (*next)(void*), void* data) const {
    const bool good = finish_series(*stage.context_, setup, wave, next, data);
    wave::Counters& counters = stage.workers_[worker].counters;
    counters.add(wave);
    if (good) counters.waves--;  // counted as they ended
    return good;
  }

private:
  // Lanes that the program has not killed.
  uint64_t valid() const {
    return wave::word_of(*w, gfx7::export_valid_seen_cell) ? mask_of(*w, gfx7::export_valid_cell) : ~uint64_t(0);
  }
  void restore_mode() const {
    if (direct.changes_mode) wave::word_of(*w, gfx7::mode_cell) = setup.mode, w->code_table = nullptr;
  }
  void load(const PixelBatch& batch) const {
    const PixelState& state = *stage.state_;
    if (direct.fills) return stage.fill_vgprs(*w, batch);
    if (state.vgpr_of[FRONT_FACE] < 0) return;
    for (unsigned q = 0; q < batch.quads; q++)
      feed.facing[q] = stage.facing_word(batch.primitive[batch.one_primitive ? 0 : q].front);
  }
};

bool PixelStage::shade_direct(unsigned worker, pipeline::DirectKind kind, pipeline::DirectWaves& waves, uint8_t* const* texels) {
  const WaveSetup& setup = direct_setup_[size_t(kind)];
  gpu::Reports::Keeping keeping(*reports_);
  pipeline::QuadFeed& feed = quad_feed();
  DirectSeries series{*this, worker, setup, *direct_, feed};
  return pixel::run_direct_waves({*setup.framed, waves, feed, texels, workers_[worker].counters, context_->progress}, series);
}

}  // namespace Atoll::sea_islands
