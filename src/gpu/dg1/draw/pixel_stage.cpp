#include "gpu/dg1/draw/pixel_stage.h"

#include <cstring>
#include <vector>

#include "base/progress.h"
#include "gpu/dg1/draw/pixel_messages.h"
#include "gpu/dg1/draw/pixel_payload.h"
#include "gpu/dg1/draw/push_constants.h"
#include "gpu/dg1/draw/stage_threads.h"
#include "gpu/dg1/draw/targets.h"
#include "isa/xe_lp/registers.h"
#include "pixel/primitive_runs.h"

namespace Atoll::dg1 {

using namespace commands;

namespace {

using PS = _3DSTATE_PS;
using Extra = _3DSTATE_PS_EXTRA;
using pipeline::PixelBatch;
using pipeline::PixelResults;

// What a worker's threads ask of the GPU around them: as all threads do, and of the batch at hand.
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

class PixelStage : public pipeline::PixelStage {
public:
  // `targets`, `reads`: find_read_targets() has them.
  PixelStage(Context& context, const AttributeMap& attributes, PixelPayload payload, std::unique_ptr<StageThreads> threads,
             const std::array<uint16_t, 8>& targets, uint8_t reads)
      : context_(context), attributes_(attributes), payload_(std::move(payload)), threads_(std::move(threads)), reads_(reads) {
    for (unsigned n = 0; n < read_.size(); n++)
      if (reads >> n & 1) read_[n] = targets[n];
    const GraphicsState& state = context.graphics;
    every_lane_ = state.get<PS::Vector_Mask_Enable>();
    pulls_ = state.get<Extra::Pixel_Shader_Pulls_Bary>();
    sample_shading_ = state.get<Extra::Pixel_Shader_Is_Per_Sample>();
    data_.mask = state.get<Extra::oMask_Present_to_Render_Target>();
    data_.depth = state.get<Extra::Pixel_Shader_Computed_Depth_Mode>() != Extra::Pixel_Shader_Computed_Depth_Mode::PSCDEPTH_OFF;
    data_.stencil = state.get<Extra::Pixel_Shader_Computes_Stencil>();
    for (unsigned n = 0; n < payload_sets.size(); n++)
      if (payload_.barycentrics >> n & 1) sets_ |= uint8_t(1u << payload_sets[n]);
    if (pulls_) sets_ |= interpolator_sets;
    for (unsigned n = 0; n < context.workers->count(); n++) workers_.push_back(std::make_unique<Worker>(*this));
  }
  ~PixelStage() override {
    for (const auto& worker : workers_) static_cast<wave::Counters&>(context_.statistics) += worker->counters;
  }

  unsigned batch_size() const override { return pipeline::max_pixels; }
  uint8_t barycentrics() const override { return sets_; }
  bool wants_depth() const override { return payload_.depth || payload_.depth_plane || payload_.w || pulls_; }
  bool wants_centroids() const override { return payload_.offsets == PixelPayload::Offsets::centroid; }
  bool one_primitive() const override { return true; }
  uint8_t reads_colours() const override { return reads_; }
  void take_up(unsigned worker) override {
    workers_[worker]->thread.forget();
    workers_[worker]->standing.forget();
  }
  bool shade(unsigned worker, const PixelBatch& batch, PixelResults& results) override;

private:
  // One host thread's.
  struct alignas(64) Worker {
    explicit Worker(const PixelStage& stage)
        : environment(*stage.context_.environment, stage.payload_, stage.sample_shading_),
          thread(*stage.threads_, environment),
          planes(stage.payload_.planes * size_t(xe_lp::kRegisterBytes / 4)) {}
    PixelEnvironment environment;
    StageThread thread;
    std::vector<uint32_t> planes;  // of the primitive that stands
    pixel::StandingPrimitive standing;
    wave::Counters counters;
  };

  Context& context_;
  const AttributeMap attributes_;
  const PixelPayload payload_;
  const std::unique_ptr<StageThreads> threads_;
  const uint8_t reads_;
  std::array<uint16_t, 8> read_{};  // by target, PixelOutputs::read
  xe_lp::RenderTargetOutputs data_;
  uint8_t sets_ = 0;
  bool every_lane_ = false, pulls_ = false, sample_shading_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
};

bool PixelStage::shade(unsigned worker, const PixelBatch& batch, PixelResults& results) {
  Worker& mine = *workers_[worker];
  if (payload_.planes && !mine.standing.is_of(batch)) make_planes(attributes_, batch.primitive[0], mine.planes);
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
    mine.thread.start(pixels.running(), worker, payload_.contiguous_bytes());
    uint32_t* registers = mine.thread.registers();
    fill_payload(payload_, pixels, mine.planes, registers);
    wave::word_of(mine.thread.wave(), xe_lp::state_cell + 8) = pixels.drawn();  // sr0.2, before sr0.3 the vector mask
    threads++;
  };
  begin();
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

// What 3DSTATE_PS says of all threads; the kernel is that of `width`, which is enabled.
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
  return d;
}

// A shader of coarse pixels, as anv makes it wherever a program could ask for them, whose pixels are single ones: by the size of every
// viewport (Mesa 22.3.6 src/intel/vulkan/genX_state.c, init_cps_device_state: of pixels in s3.7, as genxml has it).
bool is_one_by_one(Context& c, std::string& problem) {
  using Size = structures::CPS_STATE;
  const GraphicsState& state = c.graphics;
  const uint64_t array = c.bases.dynamic + state.get<commands::_3DSTATE_CPS_POINTERS::Coarse_Pixel_Shading_State_Array_Pointer>();
  const unsigned viewports = unsigned(state.get<commands::_3DSTATE_CLIP::Maximum_VP_Index>()) + 1;
  for (unsigned n = 0; n < viewports; n++) {
    uint32_t words[Size::dwords];
    if (!c.load(array + n * sizeof words, words, sizeof words, "read of CPS_STATE")) return false;
    constexpr uint32_t one = 1 << 7;
    const uint32_t mode = Size::Coarse_Pixel_Shading_Mode::get(words);
    if (mode == Size::Coarse_Pixel_Shading_Mode::CPS_MODE_NONE) continue;
    if (mode == Size::Coarse_Pixel_Shading_Mode::CPS_MODE_CONSTANT && Size::Min_CP_Size_X::get(words) == one &&
        Size::Min_CP_Size_Y::get(words) == one)
      continue;
    problem = fmt::format("CPS_STATE {}: pixels of other sizes than 1x1 are not executed (mode {}, {}/128 x {}/128)", n, mode,
                          uint32_t(Size::Min_CP_Size_X::get(words)), uint32_t(Size::Min_CP_Size_Y::get(words)));
    return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<pipeline::PixelStage> make_pixel_stage(Context& c, const AttributeMap& attributes, std::string& problem) {
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
  const bool coarse = state.get<Extra::Pixel_Shader_Is_Per_Coarse_Pixel>();
  if (coarse && !is_one_by_one(c, problem)) return nullptr;
  std::vector<uint32_t> constants;
  if (state.get<PS::Push_Constant_Enable>() && !read_push_constants(c, Stage::PS, constants)) return nullptr;
  PixelPayload payload;
  if (!find_payload(state, attributes, width, std::move(constants), payload, problem)) return nullptr;
  std::array<uint16_t, 8> targets{};
  uint8_t reads = 0;
  if (!find_written_targets(c, targets) || !find_read_targets(c, targets, reads)) return nullptr;
  payload.coarse = coarse;
  auto threads = find_stage_threads(c, dispatch_of(state, width));
  if (!threads) return nullptr;
  return std::make_unique<PixelStage>(c, attributes, std::move(payload), std::move(threads), targets, reads);
}

}  // namespace Atoll::dg1
