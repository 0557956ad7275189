// The PS stage as the pipeline calls it: waves of 16 quads, what they start with, their exports as colours, depth and masks, as the
// draw's PixelState has them.
#pragma once
#include <optional>
#include <vector>

#include "gpu/amd/draw/direct_series.h"
#include "gpu/device/program_listing.h"
#include "gpu/sea_islands/draw/pixel_state.h"
#include "gpu/sea_islands/shaders/pixel_frame.h"
#include "pipeline/stages.h"
#include "pipeline/state.h"
#include "pixel/primitive_runs.h"
#include "wave/counters.h"

namespace Atoll::sea_islands {

class PixelStage : public pipeline::PixelStage {
public:
  PixelStage() = default;
  PixelStage(const PixelStage&) = delete;
  PixelStage& operator=(const PixelStage&) = delete;
  ~PixelStage() override;
  // User data are read from the registers. Reports of its waves go to `reports`.
  void prepare(ShaderContext& context, QueueEnvironment& environment, gpu::Reports::Kept& reports,
               std::shared_ptr<const PixelState> state);
  unsigned batch_size() const override { return pipeline::max_pixels; }
  uint8_t barycentrics() const override { return state_->barycentrics; }
  bool wants_depth() const override { return state_->wants_depth; }
  bool wants_centroids() const override { return state_->place == PixelState::Place::centroid; }
  bool wants_line_coordinate() const override { return state_->enabled >> gpu::amd::LINE_STIPPLE_TEX & 1; }
  uint8_t writes_always() const override;
  void bind_worker(unsigned worker) override { workers_[worker].attributes.forget(); }
  pipeline::StageProgram program() const override {
    return {setup_.shader->address, gpu::list_program(*setup_.shader->program, setup_.shader->address)};
  }
  bool shade(unsigned worker, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) override;
  pipeline::DirectKinds begin_direct(const pipeline::DirectOutputs& outputs) override;
  bool shade_direct(unsigned worker, pipeline::DirectKind kind, pipeline::DirectWaves& waves, uint8_t* const* texels) override;

private:
  ShaderContext* context_ = nullptr;
  QueueEnvironment* environment_ = nullptr;
  gpu::Reports::Kept* reports_ = nullptr;
  std::shared_ptr<const PixelState> state_;
  WaveSetup setup_;                               // the state's, with the draw's user data
  std::array<WaveSetup, 3> direct_setup_;         // of waves that write their pixels themselves, by pipeline::DirectKind
  std::shared_ptr<const DirectPrograms> direct_;  // null: there are none
  std::optional<wave::WaveOrder> order_;          // where waves are ordered
  struct alignas(64) PerWorker {
    wave::Counters counters;  // added to the queue's when the draw is done
    pixel::StandingPrimitive attributes;
    std::vector<uint8_t> lds;  // of a wave
  };
  std::vector<PerWorker> workers_;

  friend gpu::amd::DirectSeries<PixelStage>;
  using WaveSetup = sea_islands::WaveSetup;
  using WaveSeries = sea_islands::WaveSeries;
  using DirectPrograms = sea_islands::DirectPrograms;
  const PixelState& state() const { return *state_; }
  wave::Counters& counters(unsigned worker) { return workers_[worker].counters; }
  wave::Wave& begin_direct_wave(unsigned worker, const WaveSetup& setup, const pipeline::PixelBatch& batch) {
    uint64_t number;  // (ordered waves are none of these)
    return begin_wave(worker, setup, batch, number);
  }
  void fill_direct_wave(unsigned worker, wave::Wave& wave, const pipeline::PixelBatch& batch) {
    fill_attributes(worker, wave, batch);
  }
  bool finish_direct_waves(const WaveSetup& setup, wave::Wave& wave, bool (*next)(void*), void* data) {
    return finish_series(*context_, setup, wave, next, data);
  }
  uint64_t alive(wave::Wave& wave, uint64_t covered) const;
  uint64_t exported_lanes(wave::Wave& wave, unsigned n) const { return mask_of(wave, gfx7::export_mask_cell(gfx7::MRT0 + n)); }

  void set_direct(std::shared_ptr<const DirectPrograms> direct);
  wave::Wave& begin_wave(unsigned worker, const WaveSetup& setup, const pipeline::PixelBatch& batch, uint64_t& number);
  bool end_wave(unsigned worker, const WaveSetup& setup, wave::Wave& wave, uint64_t number);
  pipeline::PixelPath make_pixel_frame(const pipeline::DirectOutputs& outputs, PixelFrame& frame) const;
  std::optional<PixelFrame::Export> framed_export(uint8_t number) const;

  void fill_attributes(unsigned worker, wave::Wave& wave, const pipeline::PixelBatch& batch);
  void fill_vgprs(wave::Wave& wave, const pipeline::PixelBatch& batch) const;
  void take_exports(wave::Wave& wave, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) const;
  void take_depth(wave::Wave& wave, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) const;
};

}  // namespace Atoll::sea_islands
