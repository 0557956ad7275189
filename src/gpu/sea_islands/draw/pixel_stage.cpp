#include "gpu/sea_islands/draw/pixel_stage.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/sea_islands/shaders/effects.h"
#include "isa/gfx7/isa.h"
#include "pipeline/cylinder.h"
#include "pipeline/workers.h"

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

void PixelStage::fill_attributes(unsigned worker, wave::Wave& w, const PixelBatch& batch) {
  if (workers_[worker].attributes.is_of(batch)) return;
  pixel::each_primitive(batch, [&](const pipeline::PrimitiveAttributes& p, unsigned q, unsigned end) {
    bool point = p.kind == pipeline::PrimitiveKind::point;
    for (const PixelChannel& c : state_->channels) {
      float p0 = 0, p10 = 0, p20 = 0;
      switch (point ? c.sprite : c.source) {
        case PixelChannel::smooth:
          p0 = p.a[c.parameter], p10 = p.b[c.parameter] - p0, p20 = p.c[c.parameter] - p0;
          if (c.wraps) p10 = pipeline::shorter_distance(p10), p20 = pipeline::shorter_distance(p20);
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

void PixelStage::fill_vgprs(wave::Wave& w, const PixelBatch& batch) const {
  using namespace gpu::amd;
  load_pixel_inputs(w, *state_, batch, true);
  load_pixel_input(w, *state_, batch, true, ANCILLARY, 0,
                   [&](unsigned l) { return uint32_t(batch.sample << 8 | (batch.primitive[l / 4].layer & 0x7ff) << 16); });
  load_pixel_input(w, *state_, batch, true, SAMPLE_COVERAGE, 0, [&](unsigned l) { return state_->exposed(batch.coverage[l]); });
}

// The lanes that the program has not killed.
uint64_t PixelStage::alive(wave::Wave& w, uint64_t covered) const {
  return wave::word_of(w, gfx7::export_valid_seen_cell) ? covered & mask_of(w, gfx7::export_valid_cell) : covered;
}

void PixelStage::take_exports(wave::Wave& w, const PixelBatch& batch, PixelResults& results) const {
  using namespace gfx7;
  unsigned lanes = batch.quads * 4;
  results.outputs = 0;
  results.has_second_source = state_->dual_source;
  results.killed = batch.covered & ~alive(w, batch.covered);
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
    gpu::amd::unpack_components(gpu::amd::shape_of<Export>(format), words_of(w, export_cell(MRT0 + n, 0)),
                                words_of(w, export_cell(MRT0 + n, 1)), lanes, colour);
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
    for (unsigned l = 0; l < lanes; l++) results.coverage[l] = state_->coverage_of(compressed ? channel[1][l] : channel[2][l]);
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
  if (direct_ && direct_->has(pipeline::DirectKind::any)) setup_.shader->framed.count_miss();
  if (!end_wave(worker, setup_, w, number)) return false;
  take_exports(w, batch, results);
  return true;
}

// An export whose shape is the same wherever the program makes it.
std::optional<PixelFrame::Export> PixelStage::framed_export(uint8_t number) const {
  const auto& exported = setup_.shader->colour_exports().colour[number];
  if (!exported.same) return {};
  PixelFrame::Export of{.is_made = true, .number = number, .enabled = uint8_t(exported.enabled)};
  const uint32_t format = state_->export_format[number];
  if (!exported.halves) {
    of.alpha_is_second = format == Export::SPI_SHADER_32_AR && !(exported.enabled & 8);
    return of;
  }
  of.enabled = uint8_t((exported.enabled & 3 ? 1 : 0) | (exported.enabled & 0xc ? 2 : 0));
  of.shape = gpu::amd::shape_of<Export>(format);
  if (of.shape == gpu::amd::ExportShape::dwords) of.shape = gpu::amd::ExportShape::uint16;
  return of;
}

// Finds what its waves need to write their pixels themselves, or why they cannot.
pipeline::PixelPath PixelStage::make_pixel_frame(const pipeline::DirectOutputs& outputs, PixelFrame& frame) const {
  using pipeline::PixelPath;
  if (order_ || state_->lds_bytes || setup_.traps.present) return PixelPath::program;
  const ColourExports& exports = setup_.shader->colour_exports();
  if (!exports.can_be_framed) return PixelPath::program;
  // Inputs are made, and blending counts where that is no second pass, as the pipeline does it: to the nearest, and without denormals where
  // it makes no difference.
  const wave::FloatMode mode = gfx7::float_mode_of(setup_.mode);
  const bool usual = gpu::amd::is_usual(mode);
  frame.inputs = gpu::amd::frame_inputs(*state_, outputs.interpolated || !usual);
  frame.samples = uint8_t(outputs.samples);
  frame.second_pass = outputs.second_pass || !usual || exports.changes_mode || state_->is_tested_late();
  if (state_->dual_source && (outputs.targets != 1 || !exports.colour[1].found)) return PixelPath::exports;
  for (uint8_t n = 0; n < 8; n++) {
    const unsigned to = state_->target_of[n];
    if (to == PixelState::no_target || !(outputs.targets >> to & 1) || !exports.colour[n].found) continue;
    if (state_->export_format[n] == Export::SPI_SHADER_ZERO) continue;
    const auto colour = framed_export(n), second = framed_export(state_->dual_source ? 1 : n);
    if (!colour || !second) return PixelPath::exports;
    PixelFrame::Target& target = frame.targets[to];
    target = {.colour = *colour, .second_source = {}, .state = {outputs.path[to], outputs.blend[to]}};
    if (state_->dual_source) target.second_source = *second;
    std::ranges::fill(target.state.path.constant, 0.0f);  // they are data
  }
  return PixelPath::direct;
}

pipeline::DirectKinds PixelStage::begin_direct(const pipeline::DirectOutputs& outputs) {
  Shader& shader = *setup_.shader;
  direct_ = state_->direct = nullptr;
  PixelFrame frame;
  const pipeline::PixelPath why = make_pixel_frame(outputs, frame);
  std::shared_ptr<DirectPrograms> found;
  pipeline::DirectKinds kinds = pixel::find_direct_programs<PixelFrame>(
      {*shader.program, shader.address, shader.like, *shader.executor, shader.framed, context_->shaders->engine(),
       gfx7::float_mode_of(setup_.mode), context_->shaders->watches()},
      outputs, frame, why, frame.inputs.fills, found);
  if (!found) return kinds;
  found->changes_mode = shader.colour_exports().changes_mode;
  state_->direct = found;
  set_direct(std::move(found));
  kinds.uniform = !kinds.second_pass && !frame.inputs.fills && outputs.samples == 1 && state_->same_in_blocks();
  return kinds;
}

bool PixelStage::shade_direct(unsigned worker, pipeline::DirectKind kind, pipeline::DirectWaves& waves, uint8_t* const* texels) {
  const WaveSetup& setup = direct_setup_[size_t(kind)];
  gpu::Reports::Keeping keeping(*reports_);
  pipeline::QuadPayload& payload = quad_payload();
  gpu::amd::DirectSeries<PixelStage> series{*this, worker, setup, *direct_, payload};
  return pixel::run_direct_waves({*setup.framed, waves, payload, texels, workers_[worker].counters, context_->progress}, series);
}

}  // namespace Atoll::sea_islands
