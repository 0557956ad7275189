#include "gpu/gfx12/draw/pixel_stage.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/gfx12/draw/primitive_exports.h"
#include "isa/rdna4/isa.h"
#include "pipeline/workers.h"
#include "pixel/inner_coverage.h"

namespace Atoll::gfx12 {

using pipeline::max_pixels;
using pipeline::PixelBatch;
using pipeline::PixelResults;
using Export = SPI_SHADER_EX_FORMAT;
using namespace rdna4;

namespace {

constexpr uint32_t parameter_bytes = 48;  // of one attribute of one primitive: P0, P10 and P20 (RDNA4 ISA 12.2.1)

// Dwords of an export that its format has.
uint32_t dwords_of(uint32_t format) {
  switch (format) {
    case Export::SPI_SHADER_ZERO: return 0;
    case Export::SPI_SHADER_32_R: return 1;
    case Export::SPI_SHADER_32_ABGR: return 0xf;
    default: return 3;
  }
}

}  // namespace

PixelStage::~PixelStage() {
  for (const PerWorker& worker : workers_) context_->statistics += worker.counters;
}

void PixelStage::prepare(ShaderContext& context, QueueEnvironment& environment, gpu::Reports::Kept& reports,
                         std::shared_ptr<const PixelState> state) {
  context_ = &context, environment_ = &environment, reports_ = &reports;
  state_ = std::move(state);
  setup_ = state_->setup;
  read_user_data<stages::PS>(context.registers, setup_);
  program_ = &setup_.shader->pixel_program();
  setup_.shader->executor->put_off(false);
  parameters_begin_ = state_->lds_bytes;
  workers_.resize(context.workers->count());
  for (PerWorker& worker : workers_)
    worker.lds.resize(parameters_begin_ + size_t(state_->attributes) * pipeline::max_quads * parameter_bytes);
  set_direct(state_->direct);
}

void PixelStage::set_direct(std::shared_ptr<const DirectPrograms> direct) {
  direct_ = std::move(direct);
  if (!direct_) return;
  for (size_t kind = 0; kind < direct_setup_.size(); kind++)
    if (direct_->framed[kind]) direct_setup_[kind] = setup_, direct_setup_[kind].framed = direct_->framed[kind];
}

// Parameters into LDS. Words that the program does not read are 0, those before the parameters as well: what a wave before left there
// depends on which ran before it on a chip. `begins`: a bit for each quad that begins another primitive.
void PixelStage::fill_lds(PerWorker& mine, wave::Wave& w, const PixelBatch& batch, uint32_t begins) const {
  const unsigned primitives = unsigned(std::popcount(begins));
  const uint32_t bytes = parameters_begin_ + state_->attributes * primitives * parameter_bytes;
  uint8_t* const lds = mine.lds.data();
  w.lds = lds, w.lds_bytes = bytes;
  wave::word_of(w, lds_allocation_cell) = bytes;
  if (mine.in_lds.is_of(batch) && !program_->touches_share) return;
  if (bytes) std::memset(lds, 0, bytes);
  unsigned primitive = 0;
  for (uint32_t left = begins; left; left &= left - 1, primitive++) {
    for (const PixelChannel& c : state_->channels) {
      if (c.attribute >= state_->attributes) continue;
      uint8_t* to = lds + parameters_begin_ + (c.attribute * primitives + primitive) * parameter_bytes + c.channel * 4u;
      const std::array<uint32_t, 3> words = parameters_of(c, batch.primitive[unsigned(std::countr_zero(left))]);
      for (const uint32_t& word : words) std::memcpy(to, &word, 4), to += 16;
    }
  }
}

// The same into the cells of a framed program.
void PixelStage::fill_cells(wave::Wave& w, const PixelBatch& batch) const {
  pixel::each_primitive(batch, [&](const pipeline::PrimitiveAttributes& p, unsigned first, unsigned end) {
    for (size_t n = 0; n < state_->channels.size(); n++) {
      const std::array<uint32_t, 3> words = parameters_of(state_->channels[n], p);
      for (unsigned part = 0; part < 3; part++) {
        uint32_t* to = words_of(w, PixelFrame::parameter_cell(n, part));
        if (end - first == pipeline::max_quads)
          for (unsigned q = 0; q < pipeline::max_quads; q++) to[q] = words[part];
        else
          for (unsigned q = first; q < end; q++) to[q] = words[part];
      }
    }
  });
}

// Parameters, and the SGPRs that tell where those of each quad are.
void PixelStage::fill_parameters(unsigned worker, wave::Wave& w, const PixelBatch& batch, bool cells) {
  PerWorker& mine = workers_[worker];
  uint32_t begins = 1;  // a bit for each quad that begins another primitive
  for (unsigned q = 1; !batch.one_primitive && q < batch.quads; q++)
    begins |= uint32_t(!pixel::same_attributes(batch.primitive[q], batch.primitive[q - 1])) << q;
  if (!cells)
    fill_lds(mine, w, batch, begins);
  else if (!mine.in_cells.is_of(batch))
    fill_cells(w, batch);
  const unsigned sgpr = setup_.user_sgprs;
  put_sgpr(w, sgpr, begins >> 1 << 16 | parameters_begin_);  // for M0 (RDNA4 ISA 3.5.3.1)
  // (a, b and c are the vertices in the primitive's own order, whichever provokes.)
  if (state_->loads_provoking) put_sgpr(w, sgpr + 1, 0);
}

void PixelStage::fill_vgprs(wave::Wave& w, const PixelBatch& batch) const {
  using namespace gpu::amd;
  const bool wide = setup_.wide();
  load_pixel_inputs(w, *state_, batch, wide);
  // The layer has 14 bits (Mesa 25.0.7 ac_nir_lower_intrinsics_to_args.c, nir_intrinsic_load_layer_id), logarithms of the pixel's width and
  // height two each (aco_instruction_selection.cpp, emit_load_frag_shading_rate).
  const unsigned size = unsigned(std::countr_zero(batch.coarse.width)) << 2 | unsigned(std::countr_zero(batch.coarse.height))
                                                                                  << 4;
  load_pixel_input(w, *state_, batch, wide, ANCILLARY, 0, [&](unsigned l) {
    const pipeline::PrimitiveAttributes& p = batch.primitive[l / 4];
    return uint32_t(p.kind) | size | uint32_t(batch.sample << 8 | (p.layer & 0x3fff) << 16);
  });
  // (What tests have left is part of what was there before them.)
  load_pixel_input(w, *state_, batch, wide, SAMPLE_COVERAGE, 0, [&](unsigned l) {
    if (state_->inner_coverage && !pixel::lies_inside(batch, l)) return 0u;
    const uint32_t coverage = batch.coverage[l];
    return state_->exposed(state_->coverage_before_tests ? (coverage | coverage >> 16) & 0xffff : coverage);
  });
}

// The lanes of target 21 are those of even pixels, those of 22 odd ones (RDNA4 ISA 14.1).
static uint64_t exported_lanes(wave::Wave& w, uint32_t target, bool wide) {
  if (target != DUAL_SOURCE0) return mask_of(w, export_mask_cell(target, wide));
  constexpr uint64_t even = 0x5555'5555'5555'5555;
  return (mask_of(w, export_mask_cell(DUAL_SOURCE0, wide)) & even) | (mask_of(w, export_mask_cell(DUAL_SOURCE1, wide)) & ~even);
}

uint64_t PixelStage::exported_lanes(wave::Wave& w, unsigned n) const {
  const bool pairs = program_->exported >> DUAL_SOURCE0 & 1;
  return gfx12::exported_lanes(w, pairs && n == 0 ? uint32_t(DUAL_SOURCE0) : MRT0 + n, setup_.wide());
}

// The lanes that the program has not killed: those that it exports (RDNA4 ISA 14.1, "this must be the final mask value"), unless it
// exports nothing at all.
uint64_t PixelStage::alive(wave::Wave& w, uint64_t covered) const {
  const bool wide = setup_.wide();
  if (state_->skips_exports() || !wave::word_of(w, export_count_cell(wide))) return covered;
  uint64_t lanes = 0;
  for (uint32_t left = program_->exported; left; left &= left - 1)
    if (const auto target = uint32_t(std::countr_zero(left)); target != DUAL_SOURCE1)
      lanes |= gfx12::exported_lanes(w, target, wide);
  return covered & lanes;
}

void PixelStage::take_exports(wave::Wave& w, const PixelBatch& batch, PixelResults& results) const {
  const bool wide = setup_.wide();
  const unsigned lanes = batch.quads * 4;
  const PixelProgram& program = *program_;
  const bool pairs = program.exported >> DUAL_SOURCE0 & 1;
  results.outputs = 0;
  results.has_second_source = state_->dual_source;
  results.killed = batch.covered & ~alive(w, batch.covered);
  for (unsigned n = 0; n < 8; n++) {
    const uint32_t format = state_->export_format[pairs && n < 2 ? 0 : n];
    if (format == Export::SPI_SHADER_ZERO || state_->target_of[n] == PixelState::no_target) continue;
    const uint32_t from = pairs && n < 2 ? uint32_t(DUAL_SOURCE0) : MRT0 + n;
    const uint64_t exported = gfx12::exported_lanes(w, from, wide);
    if (!exported) continue;
    auto& colour = results.colour[state_->target_of[n]];
    results.outputs |= uint8_t(1u << state_->target_of[n]);
    results.unwritten[state_->target_of[n]] = batch.covered & ~exported;
    const uint32_t enabled = program.enabled[from] & dwords_of(format);
    alignas(64) uint32_t swapped[4][max_pixels];
    const uint32_t* dword[4];
    for (unsigned c = 0; c < 4; c++) {
      dword[c] = swapped[c];
      if (!(enabled >> c & 1))
        std::memset(swapped[c], 0, lanes * 4);
      else if (from != DUAL_SOURCE0)
        dword[c] = words_of(w, export_cell(from, c, wide));
      else {
        const uint32_t* of[2] = {words_of(w, export_cell(DUAL_SOURCE0, c, wide)),
                                 words_of(w, export_cell(DUAL_SOURCE1, c, wide))};
        for (unsigned l = 0; l < lanes; l++) swapped[c][l] = of[l & 1][(l & ~1u) | n];
      }
    }
    switch (format) {
      case Export::SPI_SHADER_32_AR:  // the second of two is alpha
        std::swap(dword[1], dword[3]);
        [[fallthrough]];
      case Export::SPI_SHADER_32_R:
      case Export::SPI_SHADER_32_GR:
      case Export::SPI_SHADER_32_ABGR:
        for (unsigned c = 0; c < 4; c++) std::memcpy(colour[c].data(), dword[c], lanes * 4);
        break;
      case Export::SPI_SHADER_FP16_ABGR:
        static_assert(export_cell(MRT0, 1, true) - export_cell(MRT0, 0, true) == max_pixels * 4);
        if (wide && from != DUAL_SOURCE0 && enabled == 3) {
          results.halves[state_->target_of[n]] =
              reinterpret_cast<const uint32_t(*)[max_pixels]>(words_of(w, export_cell(from, 0, wide)));
          break;
        }
        [[fallthrough]];
      default: gpu::amd::unpack_components(gpu::amd::shape_of<Export>(format), dword[0], dword[1], lanes, colour);
    }
  }
  take_depth(w, batch, results);
}

// SPI_SHADER_Z_FORMAT: depth, stencil, coverage, and the alpha of the first colour for alpha to coverage (Mesa 25.0.7 ac_shader_util.c,
// ac_get_spi_shader_z_format; ac_nir_lower_ps_late.c, emit_ps_mrtz_export).
void PixelStage::take_depth(wave::Wave& w, const PixelBatch& batch, PixelResults& results) const {
  const bool wide = setup_.wide();
  const unsigned lanes = batch.quads * 4;
  results.has_depth = results.has_stencil = results.has_stencil_op = results.has_coverage = results.has_alpha = false;
  if (!(program_->exported >> MRTZ & 1) || !state_->depth_format) return;
  clear_lanes_without_export(w, MRTZ, lanes);
  const bool packed = state_->depth_format == Export::SPI_SHADER_UINT16_ABGR;  // stencil in the first dword's upper half
  const bool second_is_alpha = state_->depth_format == Export::SPI_SHADER_32_AR;
  const uint32_t enabled = program_->enabled[MRTZ] & dwords_of(state_->depth_format);
  const uint32_t* channel[4];
  for (unsigned c = 0; c < 4; c++) channel[c] = words_of(w, export_cell(MRTZ, c, wide));
  if (state_->depth_exported && !packed && enabled & 1) {
    results.has_depth = true;
    std::memcpy(results.depth.data(), channel[0], lanes * 4);
  }
  const bool has_stencil = packed ? enabled & 1 : enabled & 2 && !second_is_alpha;
  auto stencil = [&](unsigned l) { return packed ? channel[0][l] >> 16 : channel[1][l]; };
  if (state_->stencil_exported && has_stencil) {
    results.has_stencil = true;
    for (unsigned l = 0; l < lanes; l++) results.stencil[l] = stencil(l) & 0xff;
  }
  if (state_->stencil_op_exported && has_stencil) {  // the second byte
    results.has_stencil_op = true;
    for (unsigned l = 0; l < lanes; l++) results.stencil_op[l] = stencil(l) >> 8 & 0xff;
  }
  const unsigned mask_at = packed ? 1 : 2;
  if (state_->mask_exported && enabled >> mask_at & 1) {
    results.has_coverage = true;
    for (unsigned l = 0; l < lanes; l++) results.coverage[l] = state_->coverage_of(channel[mask_at][l]);
  }
  const unsigned alpha_at = second_is_alpha ? 1 : 3;
  if (!packed && enabled >> alpha_at & 1) {
    results.has_alpha = true;
    std::memcpy(results.alpha.data(), channel[alpha_at], lanes * 4);
  }
}

// A wave with what all have.
wave::Wave& PixelStage::begin_wave(unsigned worker, const WaveSetup& setup, const PixelBatch& batch, bool cells) {
  wave::Wave& w = start_wave(*context_, *environment_, setup, pixel_wave, batch.covered);
  fill_parameters(worker, w, batch, cells);
  return w;
}

uint8_t PixelStage::writes_always() const { return context_->shaders->watches() ? 0 : state_->writes_always; }

bool PixelStage::shade(unsigned worker, const PixelBatch& batch, PixelResults& results) {
  gpu::Reports::Keeping keeping(*reports_);
  wave::Wave& w = begin_wave(worker, setup_, batch, false);
  fill_vgprs(w, batch);
  for (uint32_t left = program_->uneven; left; left &= left - 1)
    std::memset(wave::bytes_of(w, export_cell(uint32_t(std::countr_zero(left)), 0, setup_.wide())), 0, setup_.lanes() * 16);
  if (direct_ && direct_->has(pipeline::DirectKind::any)) setup_.shader->framed.count_miss();
  if (!finish_wave(*context_, setup_, w)) return false;
  workers_[worker].counters.add(w);
  take_exports(w, batch, results);
  return true;
}

// The export whose shape its format says.
PixelFrame::Export PixelStage::framed_export(uint8_t number) const {
  const PixelProgram& program = *program_;
  const bool pairs = number == 0 && program.exported >> DUAL_SOURCE0 & 1;
  PixelFrame::Export of{.number = uint8_t(pairs ? uint32_t(DUAL_SOURCE0) : MRT0 + number)};
  const uint32_t format = state_->export_format[number];
  of.is_made = program.exported >> of.number & 1 && format != Export::SPI_SHADER_ZERO;
  of.enabled = uint8_t(program.enabled[of.number] & dwords_of(format));
  of.alpha_is_second = format == Export::SPI_SHADER_32_AR;
  of.shape = gpu::amd::shape_of<Export>(format);
  return of;
}

// Finds what its waves need to write their pixels themselves, or why they cannot.
pipeline::PixelPath PixelStage::make_pixel_frame(const pipeline::DirectOutputs& outputs, PixelFrame& frame) const {
  using pipeline::PixelPath;
  const PixelProgram& program = *program_;
  if (state_->lds_bytes || state_->is_ordered || !program.can_be_framed) return PixelPath::program;
  // Inputs are made, and blending counts where that is no second pass, as the pipeline does it: to the nearest, and without denormals where
  // it makes no difference.
  const wave::FloatMode mode = float_mode_of(setup_.mode);
  const bool usual = gpu::amd::is_usual(mode);
  frame.inputs = gpu::amd::frame_inputs(*state_, outputs.interpolated || !usual);
  frame.wave64 = setup_.wide();
  frame.samples = uint8_t(outputs.samples);
  frame.skips_exports = state_->skips_exports();
  frame.exported = program.exported, frame.uneven = program.uneven;
  frame.second_pass = outputs.second_pass || !usual || program.changes_mode || state_->is_tested_late();
  // If M0 is what the wave began with, and nothing else looks at LDS, nobody can tell where parameters are.
  if (program.parameters_sgpr == int(setup_.user_sgprs) && !program.touches_share &&
      program.attributes_read.size() <= PixelFrame::most_parameters)
    frame.parameters = program.attributes_read, frame.uses = program.uses, frame.moves_unseen = program.exec_moves.unseen;
  frame.exec_moves = program.exec_moves.pcs;
  const bool pairs = program.exported >> DUAL_SOURCE0 & 1;
  // (Two sources in exports of their own are no program's of this chip.)
  if (state_->dual_source && (outputs.targets != 1 || !pairs)) return PixelPath::exports;
  for (uint8_t n = 0; n < 8; n++) {
    const unsigned to = state_->target_of[n];
    if (to == PixelState::no_target || !(outputs.targets >> to & 1)) continue;
    const PixelFrame::Export colour = framed_export(n);
    if (!colour.is_made) continue;
    PixelFrame::Target& target = frame.targets[to];
    target = {.colour = colour, .state = {outputs.path[to], outputs.blend[to]}};
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
       float_mode_of(setup_.mode), context_->shaders->watches()},
      outputs, frame, why, frame.inputs.fills, found);
  if (!found) return kinds;
  found->changes_mode = shader.pixel_program().changes_mode;
  found->cells = !frame.parameters.empty();
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

}  // namespace Atoll::gfx12
