// The vertex engine as the pipeline calls it: vertices are fetched, shaded by a wave of 32 (or passed on where the engine is
// bypassed), and handed over as positions, point sizes, clip distances and attributes. R5xx Acceleration v1.3, 10.11.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/r5xx/draw/raster_state.h"
#include "gpu/r5xx/draw/vertex_fetch.h"
#include "gpu/r5xx/shaders/routing.h"
#include "gpu/r5xx/shaders/waves.h"
#include "pipeline/front/depth_form.h"
#include "pipeline/stages.h"
#include "wave/environment.h"

namespace Atoll::r5xx {

// State that a worker keeps from draw to draw: a wave, whose registers hold anything, and the vertices that were fetched.
struct KeptVertices {
  wave::Storage wave;
  std::vector<InputVectors> inputs;
  uint32_t vectors_written = 0;  // of the inputs, since they were 0: bit n, vector n
};

class VertexStage : public pipeline::VertexStage {
public:
  struct Setup {
    VertexFetcher fetcher;
    VertexOutputs outputs;
    std::shared_ptr<Shader> program;  // null: bypassed
    wave::Environment* environment = nullptr;
    StageOfDraw stage{};
    std::vector<KeptVertices>* kept = nullptr;  // one for each worker
    std::span<const uint8_t> edges{};           // edge flags by vertex; empty: all have theirs
  };
  VertexStage(Setup setup, const RegisterFile& registers, const VertexMemory& memory);

  unsigned attribute_count() const override { return setup_.outputs.attributes; }
  unsigned batch_size() const override { return vertices_per_wave; }
  bool shade(unsigned worker, const pipeline::VertexBatch& batch, pipeline::Vertex* vertices, float* attributes) override;

  wave::Counters counters() const { return counters_of(workers_); }

private:
  static constexpr unsigned vertices_per_wave = 32;
  struct alignas(64) Worker : WorkerWave {  // (each in lines of its own)
    InputVectors* inputs = nullptr;         // of a wave's vertices
  };
  Worker& prepare(unsigned worker);
  const std::vector<uint32_t>* reads_at_start() const;
  bool fetch(Worker& worker, std::span<const uint32_t> vertices) const;
  bool run(Worker& worker, unsigned count);
  template <class Vector>
  void hand_over(const Vector& vector, pipeline::Vertex& vertex, float* attributes) const;

  Setup setup_;
  std::span<const uint32_t> constants_;  // as the vertex memory has them during the draw
  std::array<std::array<float, 4>, 6> clip_planes_{};
  uint8_t clip_planes_enabled_ = 0;
  bool clamp_rgb_ = false, clamp_alpha_ = false;
  pipeline::DiscardBand discard_;
  uint32_t clamped_textures_ = 0;  // bit n: coordinates n (VAP_TEX_TO_COLOR_CNTL)
  pipeline::DepthForm depth_form_ = pipeline::DepthForm::as_xy;
  std::vector<Worker> workers_;
};

}  // namespace Atoll::r5xx
