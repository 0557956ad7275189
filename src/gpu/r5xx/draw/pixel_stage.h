// The pixel shader as the pipeline calls it: the rasteriser's registers of 64 pixels are filled from barycentrics, a wave of the
// program runs, its outputs go to the render targets as US_OUT_FMT says, the alpha function kills pixels. R5xx Acceleration
// v1.3, 10.3 (FG_ALPHA_FUNC, FG_DEPTH_SRC), 10.6, 10.10.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device/program_listing.h"
#include "gpu/r5xx/draw/pixel_fog.h"
#include "gpu/r5xx/draw/pixel_registers.h"
#include "gpu/r5xx/shaders/pixel_frame.h"
#include "gpu/r5xx/shaders/routing.h"
#include "gpu/r5xx/shaders/waves.h"
#include "pipeline/stages.h"
#include "pixel/direct_programs.h"
#include "pixel/primitive_runs.h"
#include "wave/environment.h"

namespace Atoll::r5xx {

AlphaTest alpha_test_of(const RegisterFile& registers);

// Programs of waves that write their pixels themselves, as a stage was told that it has them.
struct DirectPrograms : pixel::DirectPrograms {
  const Shader* program = nullptr;  // that they are made of
  bool ends_anywhere = false;
  pipeline::PrimitiveKind kind = pipeline::PrimitiveKind::triangle;
};

// The part of a draw's state that the stage uses.
struct PixelState {
  // By pipeline::PrimitiveKind: polygons may be drawn as lines or points, whose coordinates are stuffed.
  std::array<Routing, 3> routing;
  std::array<OutputRoute, 4> outputs;
  AlphaTest alpha;
  FogBlend fog;
  bool writes_depth = false, rasterised_depth = false;
  std::array<uint32_t, 32> integer_constants{};
  uint32_t boolean_constants = 0, config = 0, code_offset = 0;
  uint8_t barycentrics = 0;
  bool wants_fog = false, wants_depth = false;
  // Programs of the last draw that asked for them (PixelStage::begin_direct). Only the thread that executes draws looks here.
  mutable std::shared_ptr<const DirectPrograms> direct;
};
// All but routes and outputs, which it goes by.
void read_registers(PixelState& state, const RegisterFile& registers);

class PixelStage : public pipeline::PixelStage {
public:
  struct Setup {
    std::shared_ptr<const PixelState> state;
    std::shared_ptr<Shader> program;
    wave::EngineChoice engine = wave::EngineChoice::Auto;
    wave::Environment* environment = nullptr;
    const wave::TextureSlots* textures = nullptr;
    StageOfDraw stage{};
    KeptWaves* waves = nullptr;  // one for each worker
    bool textures_kill = false;  // lookups may kill pixels
  };
  // Constants are copied.
  PixelStage(Setup setup, const PixelMemory& memory);

  unsigned batch_size() const override;
  uint8_t barycentrics() const override { return state_.barycentrics; }
  bool wants_depth() const override { return state_.wants_depth; }
  uint8_t writes_always() const override;
  void bind_worker(unsigned worker) override { workers_[worker].wave = nullptr, workers_[worker].fed.forget(); }
  // (Its instructions stand in registers.)
  pipeline::StageProgram program() const override {
    return {0, gpu::list_program(*setup_.program->program, setup_.program->first_pc)};
  }
  bool shade(unsigned worker, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) override;
  pipeline::DirectKinds begin_direct(const pipeline::DirectOutputs& outputs) override;
  bool shade_direct(unsigned worker, pipeline::DirectKind kind, pipeline::DirectWaves& waves, uint8_t* const* texels) override;

  // True if the programs found for an earlier draw of the same state, if any, belong to this draw's program.
  bool has_programs_of_state() const { return !state_.direct || direct_; }
  wave::Counters counters() const { return counters_of(workers_); }

private:
  // A worker's wave, and the registers that have to be set before it starts.
  struct alignas(64) Worker : WorkerWave {         // (each in lines of its own)
    bool planned = false;                          // the following is of this wave; those that write their pixels do without
    const std::vector<uint32_t>* reads = nullptr;  // Executor::reads_at_start() when this was made
    std::array<std::vector<Route>, 3> routes;      // by pipeline::PrimitiveKind
    std::array<std::vector<uint32_t>, 3> cleared;  // cells
    pixel::StandingPrimitive fed;                  // of the RoutePayload
  };
  struct DirectSeries;
  Worker& prepare(unsigned worker);
  const std::vector<uint32_t>* reads_at_start() const;
  void plan(Worker& worker, const std::vector<uint32_t>* reads) const;
  void start(Worker& worker, const pipeline::PixelBatch& batch) const;
  static void clear_state(wave::Wave& wave, const pipeline::PixelBatch& batch);
  bool make_pixel_frame(const pipeline::DirectOutputs& outputs, PixelFrame& frame) const;
  void fill_routes(Worker& worker, const pipeline::PixelBatch& batch) const;
  void take_results(wave::Wave& wave, unsigned lanes, pipeline::PixelResults& results) const;
  void blend_with_fog(const pipeline::PixelBatch& batch, pipeline::PixelResults& results) const;
  uint64_t killed_of(wave::Wave& wave, unsigned lanes) const;
  void take_depth(wave::Wave& wave, unsigned lanes, pipeline::PixelResults& results) const;

  Setup setup_;
  const PixelState& state_;  // the setup's
  std::vector<uint32_t> constants_;
  std::vector<Worker> workers_;
  std::shared_ptr<const DirectPrograms> direct_;
};

}  // namespace Atoll::r5xx
