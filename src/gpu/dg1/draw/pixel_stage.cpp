#include "gpu/dg1/draw/pixel_stage.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "base/progress.h"
#include "gpu/device/program_listing.h"
#include "gpu/dg1/draw/pixel_messages.h"
#include "gpu/dg1/draw/pixel_payload.h"
#include "gpu/dg1/draw/push_constants.h"
#include "gpu/dg1/draw/stage_threads.h"
#include "gpu/dg1/draw/targets.h"
#include "gpu/dg1/threads/always_written.h"
#include "isa/xe_lp/isa.h"
#include "isa/xe_lp/registers.h"
#include "pixel/direct_programs.h"
#include "pixel/inner_coverage.h"
#include "pixel/narrow_waves.h"
#include "pixel/primitive_runs.h"

namespace Atoll::dg1 {

using namespace commands;

namespace {

using PS = _3DSTATE_PS;
using Extra = _3DSTATE_PS_EXTRA;
using pipeline::PixelBatch;
using pipeline::PixelResults;

// The environment of a worker's threads: that of all threads, and the batch at hand.
class PixelEnvironment : public wave::Environment {
public:
  PixelEnvironment(wave::Environment& all, const PixelPayload& payload, bool sample_shading)
      : all_(all), payload_(payload), sample_shading_(sample_shading) {}
  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override { return all_.mapped(address, bytes, writable); }
  uint64_t clock() override { return all_.clock(); }
  uint64_t message(wave::Wave& wave, uint32_t message, uint32_t m0) override { return all_.message(wave, message, m0); }
  void image(wave::Wave& wave, wave::ImageAccess& access) override { all_.image(wave, access); }
  const wave::SampledTexture* sampled_texture(const uint32_t* resource, const uint32_t* sampler, uint32_t slot,
                                              wave::TextureUse use) override {
    return all_.sampled_texture(resource, sampler, slot, use);
  }
  void fixed_function(wave::Wave&, wave::FixedFunctionMessage& sent) override {
    switch (xe_lp::Sfid(sent.function)) {
      case xe_lp::Sfid::RenderTarget: {
        xe_lp::RenderTargetMessage m;
        sent.fault = xe_lp::read_render_target_message(sent.descriptor, sent.extended, m);
        if (sent.fault) return;
        sent.fault = m.read ? read_render_target(m, sent, *thread, payload_.width, outputs)
                            : write_render_target(m, sent, *thread, payload_.width, outputs);
        return;
      }
      case xe_lp::Sfid::PixelInterpolator: {
        xe_lp::InterpolatorMessage m;
        sent.fault = xe_lp::read_interpolator_message(sent.descriptor, m);
        if (!sent.fault) sent.fault = interpolate(m, sent, *thread, payload_, sample_shading_);
        return;
      }
      default: sent.fault = "a message to the URB from a pixel thread";
    }
  }

  const ThreadPixels* thread = nullptr;
  PixelOutputs outputs;

private:
  wave::Environment& all_;
  const PixelPayload& payload_;
  const bool sample_shading_;
};

// Programs of threads that write their pixels themselves.
struct DirectPrograms : pixel::DirectPrograms {
  RegisterSet kept;  // PixelFrame::kept
};

class PixelStage : public pipeline::PixelStage {
public:
  // `targets`, `reads`: find_read_targets() has them.
  PixelStage(Context& context, const AttributeMap& attributes, PixelPayload payload, std::unique_ptr<StageThreads> threads,
             const std::array<uint16_t, 8>& targets, uint8_t reads, gpu::Reports::Kept* reports)
      : context_(context),
        attributes_(attributes),
        payload_(std::move(payload)),
        threads_(std::move(threads)),
        reads_(reads),
        reports_(reports) {
    for (unsigned n = 0; n < read_.size(); n++)
      if (reads >> n & 1) read_[n] = targets[n];
    const GraphicsState& state = context.graphics;
    every_lane_ = state.get<PS::Vector_Mask_Enable>();
    pulls_ = state.get<Extra::Pixel_Shader_Pulls_Bary>();
    sample_shading_ = state.get<Extra::Pixel_Shader_Is_Per_Sample>();
    kills_ = state.get<Extra::Pixel_Shader_Kills_Pixel>();
    data_.mask = state.get<Extra::oMask_Present_to_Render_Target>();
    data_.depth = state.get<Extra::Pixel_Shader_Computed_Depth_Mode>() != Extra::Pixel_Shader_Computed_Depth_Mode::PSCDEPTH_OFF;
    data_.stencil = state.get<Extra::Pixel_Shader_Computes_Stencil>();
    for (unsigned n = 0; n < payload_sets.size(); n++)
      if (payload_.barycentrics >> n & 1) sets_ |= uint8_t(1u << payload_sets[n]);
    if (pulls_) sets_ |= interpolator_sets;
    if (payload_.perspective_planes) sets_ |= uint8_t(1u << pipeline::PERSPECTIVE_CENTRE);
    if (payload_.linear_planes) sets_ |= uint8_t(1u << pipeline::LINEAR_CENTRE);
    if (payload_.inner_coverage) sets_ |= pixel::inner_coverage_weights;
    for (unsigned n = 0; n < context.workers->count(); n++) workers_.push_back(std::make_unique<Worker>(*this));
  }
  ~PixelStage() override {
    for (const auto& worker : workers_) static_cast<wave::Counters&>(context_.statistics) += worker->counters;
  }

  unsigned batch_size() const override { return pipeline::max_pixels; }
  uint8_t barycentrics() const override { return sets_; }
  bool wants_depth() const override {
    return payload_.depth || payload_.depth_plane || payload_.perspective_planes || payload_.w || pulls_;
  }
  bool wants_centroids() const override { return payload_.offsets == PixelPayload::Offsets::centroid || payload_.zw_at_centroid; }
  bool wants_coverage_before_tests() const override { return payload_.own_coverage; }
  bool one_primitive() const override { return true; }
  uint8_t reads_colours() const override { return reads_; }
  uint8_t writes_always() const override {
    const bool some_only =
        kills_ || sample_shading_ || data_.mask || data_.depth || data_.stencil || context_.options.findings != nullptr;
    return some_only ? 0 : always_written(*threads_->kernel->program, payload_.width);
  }
  void bind_worker(unsigned worker) override {
    workers_[worker]->thread.forget();
    workers_[worker]->standing.forget();
  }
  pipeline::StageProgram program() const override {
    const Kernel& kernel = *threads_->kernel;
    return {kernel.address, gpu::list_program(*kernel.program, kernel.address)};
  }
  bool shade(unsigned worker, const PixelBatch& batch, PixelResults& results) override;
  pipeline::DirectKinds begin_direct(const pipeline::DirectOutputs& outputs) override;
  bool shade_direct(unsigned worker, pipeline::DirectKind kind, pipeline::DirectWaves& waves, uint8_t* const* texels) override;

private:
  // One host thread's.
  struct alignas(64) Worker {
    explicit Worker(const PixelStage& stage)
        : environment(*stage.context_.environment, stage.payload_, stage.sample_shading_),
          thread(*stage.threads_, environment),
          planes(stage.payload_.planes * size_t(xe_lp::kRegisterBytes / 4)) {}
    PixelEnvironment environment;
    StageThread thread;
    std::array<ThreadCode, 2> direct;  // by pipeline::DirectKind
    std::vector<uint32_t> planes;      // of the primitive that stands
    pixel::StandingPrimitive standing;
    wave::Counters counters;
  };

  // While it stands, what this host thread says is kept, if anybody takes it.
  struct KeptReports {
    std::optional<gpu::Reports::Keeping> keeping;
    explicit KeptReports(gpu::Reports::Kept* reports) {
      if (reports) keeping.emplace(*reports);
    }
  };
  pipeline::PixelPath make_frame(const pipeline::DirectOutputs& outputs, PixelFrame& frame) const;
  // False: it stands already.
  bool note_primitive(Worker& worker, const PixelBatch& batch) const {
    if (worker.standing.is_of(batch)) return false;
    if (payload_.planes) make_planes(attributes_, batch.primitive[0], worker.planes);
    return true;
  }
  void find_registers(PixelFrame& frame) const;
  // `planes`: these alone, behind the constants of the thread before.
  void put_setup(Worker& worker, const RegisterSet& kept, bool planes) const;
  // sr0.2, before sr0.3 the vector mask.
  static void put_drawn(wave::Wave& wave, uint32_t drawn) { wave::word_of(wave, xe_lp::state_cell + 8) = drawn; }

  Context& context_;
  const AttributeMap attributes_;
  const PixelPayload payload_;
  const uint32_t payload_bytes_ = payload_.contiguous_bytes();
  const std::unique_ptr<StageThreads> threads_;
  const uint8_t reads_;
  std::array<uint16_t, 8> read_{};  // by target, PixelOutputs::read
  gpu::Reports::Kept* const reports_;
  xe_lp::RenderTargetOutputs data_;
  uint8_t sets_ = 0;
  bool every_lane_ = false, pulls_ = false, sample_shading_ = false, kills_ = false;
  std::shared_ptr<const DirectPrograms> direct_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

bool PixelStage::shade(unsigned worker, const PixelBatch& batch, PixelResults& results) {
  const KeptReports keeping(reports_);
  Worker& mine = *workers_[worker];
  note_primitive(mine, batch);
  if (direct_ && direct_->has(pipeline::DirectKind::any)) threads_->kernel->framed.count_miss();
  PixelOutputs& outputs = mine.environment.outputs;
  outputs = {.results = &results, .surfaces = threads_->kernel->targets, .read = read_, .data = data_};
  results.outputs = 0;
  results.has_depth = results.has_stencil = results.has_stencil_op = results.has_coverage = results.has_second_source = false;
  const unsigned quads = payload_.width / 4;
  ThreadPixels pixels{batch, 0, std::min(quads, batch.quads), every_lane_};
  mine.environment.thread = &pixels;
  uint64_t threads = 0;
  // Quads of which nothing is drawn start no thread of their own: they come with others.
  auto begin = [&] {
    mine.thread.start(pixels.running(), worker, payload_bytes_);
    uint32_t* registers = mine.thread.registers();
    fill_payload(payload_, pixels, mine.planes, registers);
    put_drawn(mine.thread.wave(), pixels.drawn());
    threads++;
  };
  begin();
  mine.thread.wave().lanes = xe_lp::kChannels;
  const bool good = mine.thread.run([&] {
    pixels.first += quads;
    if (pixels.first >= batch.quads) return false;
    pixels.quads = std::min(quads, batch.quads - pixels.first);
    begin();
    return true;
  });
  wave::Wave& w = mine.thread.wave();
  mine.counters.add(w);
  mine.counters.waves += threads - 1;
  w.compiled = w.called = w.interpreted = 0;
  if (!good) return false;
  advance(context_.progress);
  const char* why = finish_outputs(batch, outputs);
  return !why || context_.lose(fmt::format("pixel shader at {:#x}: {}", threads_->kernel->address, why));
}

// Finds what its threads need to write their pixels themselves, or why they cannot.
pipeline::PixelPath PixelStage::make_frame(const pipeline::DirectOutputs& outputs, PixelFrame& frame) const {
  using pipeline::PixelPath;
  const Kernel& kernel = *threads_->kernel;
  // Inputs are made and colours blended as the pipeline does it, to the nearest and without denormals.
  const wave::FloatMode mode = xe_lp::float_mode_of(threads_->dispatch.control);
  const bool usual = !(threads_->dispatch.control & xe_lp::kAlternateFloats) && mode.round32 == wave::Rounding::NearestEven &&
                     mode.flush_in32 && mode.flush_out32;
  if (outputs.second_pass || !usual || pulls_ || sample_shading_ || !kernel.can_be_framed(payload_.width))
    return PixelPath::program;
  if (data_.mask || data_.depth || data_.stencil) return PixelPath::exports;
  frame.width = uint8_t(payload_.width);
  frame.barycentrics = payload_.barycentrics;
  frame.fills = outputs.interpolated || payload_.depth || payload_.w || payload_.coverage || payload_.has_planes() ||
                payload_.requested_sizes || payload_.offsets != PixelPayload::Offsets::none;
  frame.every_lane = every_lane_, frame.coarse = payload_.coarse;
  if (!frame.fills) find_registers(frame);
  frame.samples = uint8_t(outputs.samples);
  for (unsigned n = 0; n < frame.targets.size(); n++) {
    if (!(outputs.targets >> n & 1) || !kernel.targets[n]) continue;
    frame.targets[n] = {true, {outputs.path[n], outputs.blend[n]}};
    std::ranges::fill(frame.targets[n].state.path.constant, 0.0f);  // they are data
  }
  return PixelPath::direct;
}

pipeline::DirectKinds PixelStage::begin_direct(const pipeline::DirectOutputs& given) {
  direct_ = nullptr;
  pipeline::DirectOutputs outputs = given;
  outputs.has_overlaps = false;  // of one primitive no pixel comes twice
  PixelFrame frame;
  const pipeline::PixelPath why = make_frame(outputs, frame);
  Kernel& kernel = *threads_->kernel;
  wave::Wave like = kernel.like;
  like.lanes = payload_.width;
  std::shared_ptr<DirectPrograms> found;
  pipeline::DirectKinds kinds = pixel::find_direct_programs<PixelFrame>(
      {*kernel.program, kernel.address, like, *kernel.executor, kernel.framed, context_.options.engine,
       xe_lp::float_mode_of(threads_->dispatch.control), context_.options.findings != nullptr},
      outputs, frame, why, frame.fills, found);
  if (!found) return kinds;
  for (const auto& worker : workers_)
    for (size_t kind = 0; kind < worker->direct.size(); kind++)
      if (const auto& framed = found->framed[kind]) worker->direct[kind] = {&framed->executor, framed->begin()};
  found->kept = frame.kept;
  kinds.parts_as_blocks = true;  // QuadPayload::covered says which pixels are drawn
  direct_ = std::move(found);
  return kinds;
}

// Finds the registers that need their initial value again for every thread, because the kernel
// overwrites them.
void PixelStage::find_registers(PixelFrame& frame) const {
  const RegisterSet& written = threads_->kernel->registers_written();
  for (unsigned n = 0; n < written.size(); n++) {
    const bool is_setup = n >= payload_.setup && n < payload_.registers();
    frame.kept[n] = written[n] && (!n || is_setup);
    frame.cleared[n] = written[n] && !is_setup && n >= payload_bytes_ / xe_lp::kRegisterBytes;
  }
}

void PixelStage::put_setup(Worker& worker, const RegisterSet& kept, bool planes) const {
  uint32_t* registers = worker.thread.registers();
  const unsigned first = planes ? payload_.registers() - payload_.planes : payload_.setup;
  if (!planes)
    fill_setup(payload_, worker.planes, registers);
  else if (payload_.planes)
    std::memcpy(registers + first * register_words, worker.planes.data(), payload_.planes * size_t(xe_lp::kRegisterBytes));
  for (unsigned n = first; n < payload_.registers(); n++)
    if (kept[n])
      std::memcpy(wave::bytes_of(worker.thread.wave(), kept_cell(n)), registers + n * register_words, xe_lp::kRegisterBytes);
}

bool PixelStage::shade_direct(unsigned worker, pipeline::DirectKind kind, pipeline::DirectWaves& waves, uint8_t* const* texels) {
  const KeptReports keeping(reports_);
  Worker& mine = *workers_[worker];
  ThreadCode& code = mine.direct[size_t(kind)];
  wave::Wave& w = mine.thread.wave();
  w.targets = texels, w.lanes = payload_.width;
  auto& payload = *reinterpret_cast<pipeline::QuadPayload*>(wave::bytes_of(w, quad_payload_cell));
  pixel::NarrowWaves narrow(waves, payload, payload_.width, reinterpret_cast<uint64_t*>(wave::bytes_of(w, written_cell(0))));
  uint64_t threads = 0;
  const bool fills = direct_->fills;
  bool goes_on = false;  // code runs all of the batch
  auto begin = [&] {
    const PixelBatch& batch = narrow.batch();
    const bool is_new = note_primitive(mine, batch);
    ThreadPixels pixels{batch, narrow.first() / 4, std::min(payload_.width, batch.quads * 4 - narrow.first()) / 4, every_lane_};
    // Code that goes on by itself has all but this.
    if (goes_on)
      mine.thread.start_again(code, pixels.running());
    else
      mine.thread.start(code, pixels.running(), worker, payload_bytes_);
    if (fills) {
      fill_payload(payload_, pixels, mine.planes, mine.thread.registers());
    } else {
      payload.facing[0] = facing_and_layer(batch.primitive[0]);
      // (What was cleared may lie in a gap of the payload.)
      if (is_new || !goes_on) put_setup(mine, direct_->kept, goes_on);
      if (!goes_on && direct_->kept[0])
        std::memcpy(wave::bytes_of(w, kept_cell(0)), mine.thread.registers(), xe_lp::kRegisterBytes);
    }
    put_drawn(w, narrow.drawn());
    goes_on = !fills && code.clearing.is_found();  // (what is not written stays cleared)
    wave::word_of(w, first_pixel_cell) = narrow.first(), wave::word_of(w, goes_on_cell) = goes_on;
    threads += goes_on ? narrow.waves_of_batch() : 1;
  };
  if (!narrow.next_batch()) return true;
  begin();
  const bool good = mine.thread.run(code, [&] {
    advance_in_a_row(context_.progress, threads);
    if (!narrow.next(goes_on)) return false;
    begin();
    return true;
  });
  mine.counters.add(w);
  mine.counters.waves += threads - 1;
  w.compiled = w.called = w.interpreted = 0;
  return good;
}

// The dispatch that 3DSTATE_PS sets for all threads; the kernel is that of `width`, which is enabled.
StageDispatch dispatch_of(const GraphicsState& state, unsigned width) {
  StageDispatch d{.stage = "pixel shader"};
  if (const auto start = kernel_start(state, width)) d.kernel = *start;
  d.binding_table = state.get<_3DSTATE_BINDING_TABLE_POINTERS_PS::Pointer_to_PS_Binding_Table>();
  d.samplers = state.get<_3DSTATE_SAMPLER_STATE_POINTERS_PS::Pointer_to_PS_Sampler_State>();
  d.scratch_offset = state.get<PS::Scratch_Space_Base_Pointer>();
  d.scratch_bytes = least_thread_scratch << state.get<PS::Per_Thread_Scratch_Space>();
  d.control = stage_control(state.get<PS::Floating_Point_Mode>() == PS::Floating_Point_Mode::Alternate,
                            state.get<PS::Single_Program_Flow>(),
                            state.get<PS::Single_Precision_Denormal_Mode>() == PS::Single_Precision_Denormal_Mode::Retained,
                            uint32_t(state.get<PS::Rounding_Mode>()));
  d.exceptions = control_exceptions(state.get<PS::Software_Exception_Enable>(), state.get<PS::Illegal_Opcode_Exception_Enable>(),
                                    state.get<PS::Mask_Stack_Exception_Enable>());
  return d;
}

}  // namespace

std::unique_ptr<pipeline::PixelStage> make_pixel_stage(Context& c, const AttributeMap& attributes, std::string& problem,
                                                       gpu::Reports::Kept* reports) {
  const GraphicsState& state = c.graphics;
  if (!state.get<Extra::Pixel_Shader_Valid>()) return nullptr;
  const unsigned width = widest_threads(state);
  if (!width) {
    problem = "3DSTATE_PS enables threads of no width, of 8, 16 and 32 pixels";
    return nullptr;
  }
  if (state.get<PS::Dual_SIMD8_Dispatch_Enable>()) {
    problem = "3DSTATE_PS.Dual SIMD8 Dispatch Enable is not executed";
    return nullptr;
  }
  std::vector<uint32_t> constants;
  if (state.get<PS::Push_Constant_Enable>() && !read_push_constants(c, Stage::PS, constants)) return nullptr;
  PixelPayload payload;
  if (!find_payload(state, attributes, width, std::move(constants), payload, problem)) return nullptr;
  std::array<uint16_t, 8> targets{};
  uint8_t reads = 0;
  if (!find_written_targets(c, targets) || !find_read_targets(c, targets, reads)) return nullptr;
  payload.coarse = state.get<Extra::Pixel_Shader_Is_Per_Coarse_Pixel>();
  auto threads = find_stage_threads(c, dispatch_of(state, width));
  if (!threads) return nullptr;
  return std::make_unique<PixelStage>(c, attributes, std::move(payload), std::move(threads), targets, reads, reports);
}

}  // namespace Atoll::dg1
