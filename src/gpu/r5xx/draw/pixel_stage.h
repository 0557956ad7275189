// The pixel shader as the pipeline calls it: the rasteriser's registers of 64 pixels are filled from barycentrics, a wave of the
// program runs, its outputs go to the render targets as US_OUT_FMT says, the alpha function kills pixels. R5xx Acceleration
// v1.3, 10.3 (FG_ALPHA_FUNC, FG_DEPTH_SRC), 10.6, 10.10.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gpu/r5xx/draw/pixel_fog.h"
#include "gpu/r5xx/draw/pixel_registers.h"
#include "gpu/r5xx/shaders/pixel_frame.h"
#include "gpu/r5xx/shaders/routing.h"
#include "gpu/r5xx/shaders/waves.h"
#include "pipeline/stages.h"
#include "wave/environment.h"

namespace Atoll::r5xx {

AlphaTest alpha_test_of(const RegisterFile& registers);

class PixelStage : public pipeline::PixelStage {
public:
  struct Setup {
    std::shared_ptr<Shader> program;
    wave::EngineChoice engine = wave::EngineChoice::Auto;
    // By pipeline::PrimitiveKind: polygons may be drawn as lines or points, whose coordinates are stuffed.
    std::array<Routing, 3> routing;
    std::array<OutputRoute, 4> outputs;
    AlphaTest alpha;
    FogBlend fog;
    bool writes_depth = false, rasterised_depth = false;
    wave::Environment* environment = nullptr;
    const wave::TextureSlots* textures = nullptr;
    std::atomic<int>* stop = nullptr;
    std::atomic<uint64_t>* progress = nullptr;  // counts waves that end
    KeptWaves* waves = nullptr;                 // one for each worker
  };
  // Constants and flow control registers are copied.
  PixelStage(Setup setup, const RegisterFile& registers, const PixelMemory& memory);

  unsigned batch_size() const override;
  uint8_t barycentrics() const override { return barycentrics_; }
  bool wants_depth() const override { return wants_depth_; }
  void take_up(unsigned worker) override { workers_[worker].wave = nullptr, workers_[worker].fed = false; }
  bool shade(unsigned worker, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) override;
  pipeline::DirectKinds begin_direct(const pipeline::DirectOutputs& outputs) override;
  bool shade_direct(unsigned worker, pipeline::DirectKind kind, pipeline::DirectWaves& waves, uint8_t* const* texels) override;

  // Why shade() returned false.
  std::string report() const { return report_of(workers_); }
  wave::Counters counters() const { return counters_of(workers_); }

private:
  // What a wave's registers have to be given before it starts.
  struct Worker : WorkerWave {
    const std::vector<uint32_t>* reads = nullptr;  // Executor::reads_at_start() when this was made
    std::array<std::vector<Route>, 3> routes;      // by pipeline::PrimitiveKind
    std::array<std::vector<uint32_t>, 3> cleared;  // cells
    // All quads of the RouteFeed have the attributes of this primitive of this segment.
    bool fed = false;
    pipeline::PrimitiveAttributes primitive;
    uint32_t segment = 0;
  };
  Worker& prepare(unsigned worker);
  const std::vector<uint32_t>* reads_at_start() const;
  void plan(Worker& worker, const std::vector<uint32_t>* reads) const;
  void start(Worker& worker, const pipeline::PixelBatch& batch) const;
  static void clear_state(wave::Wave& wave, const pipeline::PixelBatch& batch);
  bool make_pixel_frame(const pipeline::DirectOutputs& outputs, PixelFrame& frame) const;
  void feed_routes(Worker& worker, const pipeline::PixelBatch& batch) const;
  void take_results(wave::Wave& wave, unsigned lanes, pipeline::PixelResults& results) const;
  void blend_with_fog(const pipeline::PixelBatch& batch, pipeline::PixelResults& results) const;
  uint64_t killed_of(wave::Wave& wave, unsigned lanes) const;
  void take_depth(wave::Wave& wave, unsigned lanes, pipeline::PixelResults& results) const;

  Setup setup_;
  std::vector<uint32_t> constants_;
  std::array<uint32_t, 32> integer_constants_{};
  uint32_t boolean_constants_ = 0, config_ = 0, code_offset_ = 0;
  uint8_t barycentrics_ = 0;
  bool wants_fog_ = false, wants_depth_ = false;
  std::vector<Worker> workers_;
  // Of waves that write their pixels themselves, by pipeline::DirectKind.
  std::array<std::shared_ptr<pixel::FramedProgram>, 3> framed_;
  bool alpha_to_coverage_ = false, ends_anywhere_ = false, fills_ = false;
  pipeline::PrimitiveKind direct_kind_ = pipeline::PrimitiveKind::triangle;
};

}  // namespace Atoll::r5xx
