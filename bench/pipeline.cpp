// The pipeline without a GPU: stages are C++ loops that cost next to nothing, targets lie in memory by blocks. Prints vertices,
// triangles and pixels a second.
#include <benchmark/benchmark.h>

#include <bit>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "pipeline/draw.h"
#include "pipeline/workers.h"

namespace {

using namespace Atoll::pipeline;

class BlockTarget : public Target {
public:
  BlockTarget(unsigned width, unsigned height, unsigned bytes)
      : across_((width + 7) / 8), bytes_(64 * bytes), texels_(size_t(across_) * ((height + 7) / 8) * bytes_) {}
  void load(unsigned x, unsigned y, unsigned, uint8_t* to) override { std::memcpy(to, at(x, y), bytes_); }
  void store(unsigned x, unsigned y, unsigned, const uint8_t* from) override { std::memcpy(at(x, y), from, bytes_); }
  void fill(uint8_t value) { std::fill(texels_.begin(), texels_.end(), value); }

private:
  uint8_t* at(unsigned x, unsigned y) { return texels_.data() + (size_t(y) * across_ + x) * bytes_; }
  unsigned across_;
  size_t bytes_;
  std::vector<uint8_t> texels_;
};

struct Corner {
  float x, y, z, colour[4];
};

class CornerStage : public VertexStage {
public:
  std::vector<Corner> corners;
  unsigned attribute_count() const override { return 1; }
  unsigned batch_size() const override { return 64; }
  bool shade(unsigned, const VertexBatch& batch, Vertex* vertices, float* attributes) override {
    for (size_t n = 0; n < batch.number.size(); n++) {
      const Corner& corner = corners[batch.number[n]];
      vertices[n].position[0] = corner.x, vertices[n].position[1] = corner.y, vertices[n].position[2] = corner.z,
      vertices[n].position[3] = 1;
      std::memcpy(attributes + 4 * n, corner.colour, 16);
    }
    return true;
  }
};

// The interpolated colour.
class ColourStage : public PixelStage {
public:
  unsigned batch_size() const override { return 64; }
  uint8_t barycentrics() const override { return 1 << PERSPECTIVE_CENTRE; }
  bool shade(unsigned, const PixelBatch& batch, PixelResults& results) override {
    results.outputs = 1;
    for (unsigned q = 0; q < batch.quads; q++) {
      const PrimitiveAttributes& p = batch.primitive[q];
      for (unsigned c = 0; c < 4; c++)
        for (unsigned lane = 4 * q; lane < 4 * q + 4; lane++)
          results.colour[0][c][lane] =
              std::bit_cast<uint32_t>(p.a[c] + batch.barycentric[PERSPECTIVE_CENTRE][0][lane] * (p.b[c] - p.a[c]) +
                                      batch.barycentric[PERSPECTIVE_CENTRE][1][lane] * (p.c[c] - p.a[c]));
    }
    return true;
  }
};

constexpr unsigned width = 1024, height = 1024;

struct Scene {
  BlockTarget colour{width, height, 4}, depth{width, height, 4};
  CornerStage vertices;
  ColourStage pixels;
  Draw draw;
  Scene() {
    draw.targets.width = width, draw.targets.height = height;
    draw.targets.colour[0] = {&colour, {}, 4, false};
    draw.vertex_stage = &vertices;
    draw.pixel_stage = &pixels;
    draw.viewports[0].scale = {width / 2, height / 2, 1};
    draw.viewports[0].offset = {width / 2, height / 2, 0};
    draw.clip.depth_from_zero = true;
    draw.clip.guard_band_x = draw.clip.guard_band_y = 8;
  }
  void test_depth() {
    draw.targets.depth = {&depth, 24, nullptr, false};
    draw.depth_stencil.depth_test = draw.depth_stencil.depth_write = true;
    draw.depth_stencil.depth_compare = Compare::less_equal;
    depth.fill(0xff);
  }
  void blend() {
    auto& blend = draw.colour.blend[0];
    blend.enable = true;
    blend.source_colour = BlendFactor::source_alpha, blend.target_colour = BlendFactor::one_minus_source_alpha;
    blend.source_alpha = BlendFactor::one, blend.target_alpha = BlendFactor::one_minus_source_alpha;
  }
  void rectangle() {
    draw.assembly.topology = Topology::rectangles;
    vertices.corners = {{-1, -1, 0.5f, {1, 0, 0, 1}}, {1, -1, 0.5f, {0, 1, 0, 0.5f}}, {-1, 1, 0.5f, {0, 0, 1, 0.5f}}};
    draw.vertices.count = 3;
  }
  // Triangles of about `area` pixels, anywhere.
  void triangles(unsigned count, float area) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> place(-1, 1), unit(0, 1);
    float side = std::sqrt(area * 2) * 2 / float(width);
    for (unsigned t = 0; t < count; t++) {
      float x = place(random), y = place(random), z = unit(random);
      float colour[4] = {unit(random), unit(random), unit(random), unit(random)};
      for (auto [dx, dy] : {std::pair{0.f, 0.f}, {1.f, 0.1f}, {0.2f, 1.f}}) {
        Corner corner{x + dx * side, y + dy * side, z, {colour[0], colour[1], colour[2], colour[3]}};
        vertices.corners.push_back(corner);
      }
    }
    draw.vertices.count = 3 * count;
  }
  void measure(benchmark::State& state) {
    Workers workers{unsigned(state.range(0))};
    std::atomic<int> stop{0};
    Counters counters;
    for (auto _ : state) {
      run(draw, workers, counters, stop);
    }
    state.counters["triangles/s"] = benchmark::Counter(double(counters.primitives), benchmark::Counter::kIsRate);
    state.counters["pixels/s"] = benchmark::Counter(double(counters.pixel_invocations), benchmark::Counter::kIsRate);
  }
};

void fill_screen(benchmark::State& state) {
  Scene scene;
  scene.rectangle();
  scene.measure(state);
}
void blend_screen(benchmark::State& state) {
  Scene scene;
  scene.rectangle();
  scene.blend();
  scene.measure(state);
}
void depth_screen(benchmark::State& state) {
  Scene scene;
  scene.rectangle();
  scene.test_depth();
  scene.measure(state);
}
void depth_only(benchmark::State& state) {
  Scene scene;
  scene.rectangle();
  scene.test_depth();
  scene.draw.pixel_stage = nullptr;
  scene.measure(state);
}
// A screen of another format, blended.
void blend_format(benchmark::State& state, Atoll::surface::Layout layout, Atoll::surface::Number number, unsigned bytes) {
  Scene scene;
  scene.rectangle();
  scene.blend();
  BlockTarget target(width, height, bytes);
  scene.draw.targets.colour[0] = {&target, {layout, number, Atoll::surface::natural_order}, bytes, false};
  scene.measure(state);
}
void triangles_of(benchmark::State& state, unsigned count, float area) {
  Scene scene;
  scene.triangles(count, area);
  scene.test_depth();
  scene.measure(state);
}
void tiny_triangles(benchmark::State& state) { triangles_of(state, 200000, 2); }
void small_triangles(benchmark::State& state) { triangles_of(state, 100000, 30); }
void middle_triangles(benchmark::State& state) { triangles_of(state, 20000, 500); }
void large_triangles(benchmark::State& state) { triangles_of(state, 500, 50000); }
void small_draw(benchmark::State& state) { triangles_of(state, 10, 100); }

BENCHMARK(fill_screen)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(blend_screen)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(depth_screen)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(depth_only)->Arg(1)->Arg(2)->UseRealTime();
using Atoll::surface::Layout, Atoll::surface::Number;
BENCHMARK_CAPTURE(blend_format, srgb, Layout::bits_8_8_8_8, Number::srgb, 4)->Arg(1)->UseRealTime();
BENCHMARK_CAPTURE(blend_format, half, Layout::bits_16_16_16_16, Number::floating, 8)->Arg(1)->UseRealTime();
BENCHMARK_CAPTURE(blend_format, float, Layout::bits_32_32_32_32, Number::floating, 16)->Arg(1)->UseRealTime();
BENCHMARK_CAPTURE(blend_format, 5_6_5, Layout::bits_5_6_5, Number::unorm, 2)->Arg(1)->UseRealTime();
BENCHMARK_CAPTURE(blend_format, 8, Layout::bits_8, Number::unorm, 1)->Arg(1)->UseRealTime();
BENCHMARK_CAPTURE(blend_format, 10_10_10_2, Layout::bits_10_10_10_2, Number::unorm, 4)->Arg(1)->UseRealTime();
BENCHMARK(tiny_triangles)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(small_triangles)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(middle_triangles)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(large_triangles)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(small_draw)->Arg(1)->Arg(2)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
