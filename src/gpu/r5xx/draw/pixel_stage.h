// The pixel shader as the pipeline calls it: the rasteriser's registers of 64 pixels are filled from barycentrics, a wave of the
// program runs, its outputs go to the render targets as US_OUT_FMT says, the alpha function kills pixels. R5xx Acceleration
// v1.3, 10.3 (FG_ALPHA_FUNC, FG_DEPTH_SRC), 10.6, 10.10.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gpu/r5xx/draw/pixel_registers.h"
#include "gpu/r5xx/shaders/routing.h"
#include "gpu/r5xx/shaders/waves.h"
#include "pipeline/stages.h"
#include "wave/environment.h"

namespace Atoll::r5xx {

// FG_ALPHA_FUNC: alpha as an integer of `bits` (8 or 10), or as a float, against a reference.
struct AlphaTest {
  bool enable = false;
  uint8_t function = 7;  // AF_FUNC: never, less, equal, less or equal, greater, not equal, greater or equal, always
  unsigned bits = 8;     // 0: floats
  uint32_t reference = 0;
  float float_reference = 0;
  // Of integers: the least alpha that is the reference, and the least that is more. NaN: none is.
  float least_equal = 0, least_greater = 0;
  bool passes(float alpha) const {
    bool less, equal;
    if (bits) {
      less = reference != 0 && !(alpha >= least_equal);
      equal = !less && !(alpha >= least_greater);
    } else {
      alpha = as_stored(alpha);
      less = alpha < float_reference, equal = alpha == float_reference;
    }
    // The functions' numbers are masks: bit 0 less, bit 1 equal, bit 2 greater.
    return function >> (less ? 0 : equal ? 1 : 2) & 1;
  }

private:
  static float as_stored(float alpha);  // alpha comes to the comparison as the format of the reference
};
AlphaTest alpha_test_of(const RegisterFile& registers);

// The shader's channels (0 red to 3 alpha) that a target's four components take.
struct OutputRoute {
  bool used = false;
  uint8_t shader_output = 0;
  std::array<uint8_t, 4> channel{0, 1, 2, 3};
};

class PixelStage : public pipeline::PixelStage {
public:
  struct Setup {
    std::shared_ptr<Shader> program;
    // By pipeline::PrimitiveKind: polygons may be drawn as lines or points, whose coordinates are stuffed.
    std::array<Routing, 3> routing;
    std::array<OutputRoute, 4> outputs;
    AlphaTest alpha;
    bool writes_depth = false;
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
  bool wants_depth() const override { return false; }
  bool shade(unsigned worker, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) override;

  // Why shade() returned false.
  std::string report() const { return report_of(workers_); }
  wave::Counters counters() const { return counters_of(workers_); }

private:
  // What a wave's registers have to be given before it starts.
  struct Worker : WorkerWave {
    const std::vector<uint32_t>* reads = nullptr;  // Executor::reads_at_start() when this was made
    std::array<std::vector<Route>, 3> routes;      // by pipeline::PrimitiveKind
    std::array<std::vector<uint32_t>, 3> cleared;  // cells
  };
  Worker& prepare(unsigned worker);
  const std::vector<uint32_t>* reads_at_start() const;
  void plan(Worker& worker, const std::vector<uint32_t>* reads) const;
  void start(Worker& worker, const pipeline::PixelBatch& batch) const;
  void take_results(wave::Wave& wave, unsigned lanes, pipeline::PixelResults& results) const;

  Setup setup_;
  std::vector<uint32_t> constants_;
  std::array<uint32_t, 32> integer_constants_{};
  uint32_t boolean_constants_ = 0, config_ = 0, code_offset_ = 0;
  uint8_t barycentrics_ = 0;
  std::vector<Worker> workers_;
};

}  // namespace Atoll::r5xx
