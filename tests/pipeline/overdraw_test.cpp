// Pixels that later primitives overwrite are not drawn (tiles/overdraw.h): targets and counts are those of draws of which nothing
// is left out, and no more is left out than may be, and no less.
#include "pipeline/tiles/overdraw.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "canvas.h"
#include "pipeline/tiles/scene.h"

namespace Atoll::pipeline {
namespace {

constexpr unsigned width = 200, height = 136;  // whole blocks; tiles that are not whole

// A pixel stage that says what it does.
struct Stage : FunctionPixels {
  using FunctionPixels::FunctionPixels;
  uint8_t always = 0, read = 0;
  uint8_t writes_always() const override { return always; }
  uint8_t reads_colours() const override { return read; }
  bool one_primitive() const override { return read; }
};

// The targets that all draws of a series share.
struct Pictures {
  explicit Pictures(unsigned samples = 1, unsigned layers = 1) {
    for (int n = 0; n < 3; n++) colour.push_back(std::make_unique<MemoryTarget>(width, height, 4, samples, layers));
    depth = std::make_unique<MemoryTarget>(width, height, 4, samples, layers);
    stencil = std::make_unique<MemoryTarget>(width, height, 1, samples, layers);
    depth->fill(0x800000);
  }
  std::vector<std::unique_ptr<MemoryTarget>> colour;
  std::unique_ptr<MemoryTarget> depth, stencil;
  bool operator==(const Pictures& p) const {
    for (size_t n = 0; n < colour.size(); n++)
      if (colour[n]->texels != p.colour[n]->texels) return false;
    return depth->texels == p.depth->texels && stencil->texels == p.stencil->texels;
  }
};

// One draw, as it is made for each series anew.
struct Layer {
  std::vector<Vertex> vertices;
  std::vector<float> attributes;
  Draw draw;            // without targets and stages
  uint8_t targets = 1;  // bit n: colour target n
  bool has_depth = false, vouches = true, waits = true;
  uint8_t read = 0;
  FunctionPixels::Function function;
};

class OwnDraw : public WaitingDraw {
public:
  OwnDraw(const Layer& layer, const Pictures& pictures, bool vouches, Counters& counters)
      : WaitingDraw(layer.draw), pixels_(layer.function), counters_(counters) {
    vertices_.vertices = layer.vertices, vertices_.attributes = layer.attributes;
    draw.vertex_stage = &vertices_, draw.pixel_stage = &pixels_;
    draw.vertices.count = uint32_t(layer.vertices.size());
    draw.stays_open = true;
    pixels_.read = layer.read;
    for (unsigned n = 0; n < pictures.colour.size(); n++)
      if (layer.targets >> n & 1) draw.targets.colour[n] = {pictures.colour[n].get(), {}, 4, false};
    if (vouches && layer.vouches) pixels_.always = layer.targets;
    if (layer.has_depth) draw.targets.depth = {pictures.depth.get(), 24, pictures.stencil.get(), false};
  }
  void finished(const Counters& counters, bool good) override {
    EXPECT_TRUE(good);
    counters_ = counters;
  }

private:
  TableVertices vertices_;
  Stage pixels_;
  Counters& counters_;
};

// The provoking vertex's colour to all outputs.
void flat_everywhere(const PixelBatch& batch, PixelResults& results) {
  flat_colour(batch, results);
  for (unsigned n = 1; n < 3; n++) results.colour[n] = results.colour[0];
  results.outputs = 7;
}

struct Series {
  std::unique_ptr<Pictures> pictures;
  std::vector<Counters> counters;
  uint64_t hidden() const {
    uint64_t all = 0;
    for (const Counters& c : counters) all += c.pixels_by_path[size_t(PixelPath::hidden)];
    return all;
  }
};

Series draw(const std::vector<Layer>& layers, unsigned threads, SceneLimits limits, bool vouches, unsigned samples,
            unsigned array) {
  scene_limits() = limits;
  Series series{std::make_unique<Pictures>(samples, array), std::vector<Counters>(layers.size())};
  Workers workers(threads);
  std::atomic<int> stop{0};
  for (size_t n = 0; n < layers.size(); n++) {
    auto execution = std::make_unique<OwnDraw>(layers[n], *series.pictures, vouches, series.counters[n]);
    if (layers[n].waits)
      EXPECT_TRUE(run(std::move(execution), workers, stop));
    else
      EXPECT_TRUE(run(execution->draw, workers, series.counters[n], stop));
  }
  EXPECT_TRUE(write_back(workers));
  scene_limits() = {};
  return series;
}

// Draws with nothing left out, and deferred; gives the pixels that were left out with one thread.
uint64_t compare(const std::vector<Layer>& layers, const std::string& what, unsigned samples = 1, unsigned array = 1) {
  const Series all = draw(layers, 1, {.draws = 1}, false, samples, array);
  EXPECT_EQ(all.hidden(), 0u) << what;
  uint64_t hidden = 0;
  struct {
    unsigned threads;
    SceneLimits limits;
  } ways[] = {{2, {}}, {1, {.draws = 1}}, {1, {.primitives = 7}}, {2, {.draws = 3}}, {1, {}}};
  for (const auto& [threads, limits] : ways) {
    const Series some = draw(layers, threads, limits, true, samples, array);
    EXPECT_TRUE(*all.pictures == *some.pictures) << what << ", " << threads << " threads, " << limits.draws << " draws";
    for (size_t n = 0; n < layers.size(); n++) {
      EXPECT_EQ(all.counters[n].pixel_invocations, some.counters[n].pixel_invocations) << what << ", draw " << n;
      EXPECT_EQ(all.counters[n].samples_passed, some.counters[n].samples_passed) << what << ", draw " << n;
    }
    hidden = some.hidden();
  }
  return hidden;
}

void add(Layer& layer, float x, float y, float z, uint32_t array, const std::vector<float>& colour) {
  Vertex vertex;
  vertex.position[0] = x, vertex.position[1] = y, vertex.position[2] = z, vertex.position[3] = 1;
  vertex.layer = array;
  layer.vertices.push_back(vertex);
  layer.attributes.insert(layer.attributes.end(), colour.begin(), colour.end());
}

Layer layer_of(unsigned samples = 1) {
  Layer layer;
  layer.draw.clip.enable = layer.draw.clip.divide = layer.draw.clip.viewport_transform = false;
  layer.draw.targets.width = width, layer.draw.targets.height = height;
  layer.draw.targets.samples = layer.draw.rasterization.samples = samples;
  if (samples > 1) std::copy_n(standard_positions.begin(), 16, layer.draw.rasterization.sample_positions.begin());
  layer.draw.assembly.topology = Topology::quads;
  layer.function = flat_everywhere;
  return layer;
}
void add_quad(Layer& layer, float left, float top, float right, float bottom, const std::vector<float>& colour, float z = 0.25f) {
  for (auto [x, y] : {std::pair{left, top}, {right, top}, {right, bottom}, {left, bottom}}) add(layer, x, y, z, 0, colour);
}
Layer whole(float value, unsigned samples = 1) {
  Layer layer = layer_of(samples);
  add_quad(layer, 0, 0, width, height, {value, value, value, value});
  return layer;
}

constexpr uint64_t all_pixels = uint64_t(width) * height;

TEST(Overdraw, OnlyTheLastLayerIsDrawn) {
  EXPECT_EQ(compare({whole(0.25f), whole(0.5f), whole(1)}, "three"), 2 * all_pixels);
  // Layers of one draw.
  Layer many = layer_of();
  for (int n = 0; n < 40; n++) add_quad(many, 0, 0, width, height, {float(n) / 40, 1, 0, 1});
  EXPECT_EQ(compare({many}, "one draw"), 39 * all_pixels);
  for (unsigned samples : {2u, 4u, 8u})
    EXPECT_GE(compare({whole(0.25f, samples), whole(1, samples)}, "samples", samples), all_pixels);
}

// Quads of all forms: as strips, fans and lists of triangles, whose two halves cover blocks together.
TEST(Overdraw, HalvesOfAQuadCoverItTogether) {
  for (Topology topology : {Topology::triangle_strip, Topology::triangle_fan, Topology::triangles, Topology::quad_strip,
                            Topology::polygon, Topology::rectangles}) {
    for (int turn = 0; turn < 4; turn++) {
      Layer last = layer_of();
      last.draw.assembly.topology = topology;
      const std::pair<float, float> corners[] = {{0, 0}, {width, 0}, {width, height}, {0, height}};
      auto corner = [&](int n) {
        const auto [x, y] = corners[(n + turn) % 4];
        add(last, x, y, 0, 0, {1, 1, 1, 1});
      };
      std::vector<int> order = {0, 1, 2, 3};
      if (topology == Topology::triangle_strip || topology == Topology::quad_strip) order = {0, 1, 3, 2};
      if (topology == Topology::triangles) order = {0, 1, 2, 0, 2, 3};
      if (topology == Topology::rectangles) order = {0, 1, 2};
      for (int n : order) corner(n);
      EXPECT_EQ(compare({whole(0.5f), last}, "topology"), all_pixels) << int(topology) << " " << turn;
    }
  }
}

// Rectangles hide the blocks that lie in them, and no others.
TEST(Overdraw, WholeBlocksAlone) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; round++) {
    const int left = int(random() % width), top = int(random() % height);
    const int right = left + 1 + int(random() % (width - unsigned(left))),
              bottom = top + 1 + int(random() % (height - unsigned(top)));
    Layer last = layer_of();
    add_quad(last, float(left), float(top), float(right), float(bottom), {1, 1, 1, 1});
    const int columns = std::max(0, right / 8 - (left + 7) / 8), rows = std::max(0, bottom / 8 - (top + 7) / 8);
    EXPECT_EQ(compare({whole(0.5f), last}, "rectangle"), uint64_t(columns) * unsigned(rows) * 64)
        << left << " " << top << " " << right << " " << bottom;
  }
}

// Conditions for the layer above to cover anything, each alone.
TEST(Overdraw, WhatCoversNothing) {
  struct {
    const char* what;
    void (*change)(Layer&);
  } changes[] = {
      {"its stage may leave pixels out", [](Layer& l) { l.vouches = false; }},
      {"alpha test",
       [](Layer& l) {
         l.draw.colour.alpha_test = true, l.draw.colour.alpha_compare = Compare::less, l.draw.colour.alpha_reference = 0.1f;
       }},
      {"alpha to coverage", [](Layer& l) { l.draw.colour.alpha_to_coverage = true; }},
      {"blending",
       [](Layer& l) { l.draw.colour.blend[0].enable = true, l.draw.colour.blend[0].target_colour = BlendFactor::one; }},
      {"some channels", [](Layer& l) { l.draw.colour.blend[0].write_mask = 7; }},
      {"a logic operation", [](Layer& l) { l.draw.colour.logic_op_enable = true, l.draw.colour.logic_op = 6; }},
      {"flipped bits", [](Layer& l) { l.draw.colour.flip = {.enable = true, .colour = 0x11, .mask = 0xff, .flip = 0xff}; }},
      {"dropped colours",
       [](Layer& l) {
         l.draw.colour.blend[0].enable = true;
         l.draw.colour.blend[0].discard = {SourceDiscard::When::from, 1, {0.1f, 0, 0, 0}};
       }},
      {"depth test",
       [](Layer& l) {
         l.has_depth = l.draw.depth_stencil.depth_test = true, l.draw.depth_stencil.depth_compare = Compare::greater;
       }},
      {"stencil test",
       [](Layer& l) {
         l.has_depth = l.draw.depth_stencil.stencil_test = true;
         l.draw.depth_stencil.front.compare = l.draw.depth_stencil.back.compare = Compare::not_equal;
       }},
      {"depth bounds",
       [](Layer& l) { l.has_depth = l.draw.depth_stencil.bounds_test = true, l.draw.depth_stencil.bounds_high = 0.1f; }},
      {"colours where tests fail",
       [](Layer& l) {
         l.has_depth = l.draw.depth_stencil.depth_test = true, l.draw.depth_stencil.early = false;
         l.draw.depth_stencil.no_colour_where_passed = true;
       }},
      {"depths as colours", [](Layer& l) { l.has_depth = l.draw.depth_stencil.copy_depth = true; }},
      {"clip rectangles",
       [](Layer& l) { l.draw.rasterization.use_clip_rectangles = true, l.draw.rasterization.clip_rectangle_rule = 0; }},
      {"stipple", [](Layer& l) { l.draw.rasterization.polygon_stipple = true; }},
      {"margins", [](Layer& l) { l.draw.rasterization.block_margin_x = 3; }},
      {"another target", [](Layer& l) { l.targets = 2; }},
      {"a scissor", [](Layer& l) { l.draw.rasterization.scissors = {{9, 0, 15, int(height)}}; }},
      {"no rasterisation", [](Layer& l) { l.draw.rasterization.discard = true; }},
  };
  for (const auto& [what, change] : changes) {
    Layer last = whole(1);
    change(last);
    EXPECT_EQ(compare({whole(0.5f), last}, what), 0u) << what;
  }
  // With several samples.
  Layer masked = whole(1, 4);
  masked.draw.rasterization.sample_mask = 7;
  EXPECT_EQ(compare({whole(0.5f, 4), masked}, "sample mask", 4), 0u);
  Layer apart = whole(1, 4);
  apart.draw.rasterization.other_pixels = std::array<Rasterization::PixelSamples, 3>{};
  for (auto& pixel : *apart.draw.rasterization.other_pixels)
    std::copy_n(standard_positions.begin(), 16, pixel.positions.begin()), pixel.mask = 1;
  EXPECT_EQ(compare({whole(0.5f, 4), apart}, "samples by pixel", 4), 0u);
  // One of two targets.
  Layer both = whole(0.5f);
  both.targets = 3;
  EXPECT_EQ(compare({both, whole(1)}, "one of two targets"), 0u);
  Layer second = whole(1);
  second.targets = 2;
  EXPECT_EQ(compare({both, whole(1), second}, "two targets by two draws"), all_pixels);
  // Lines and points.
  for (Topology topology : {Topology::lines, Topology::points}) {
    Layer last = layer_of();
    last.draw.assembly.topology = topology;
    last.draw.rasterization.line_width = 400;
    last.draw.rasterization.line_stipple = true, last.draw.rasterization.line_stipple_pattern = 0x5555;
    last.draw.rasterization.point_width = last.draw.rasterization.point_height = 90;
    if (topology == Topology::points) last.draw.rasterization.round_points = Rasterization::SmoothLines::Ramp{};
    add(last, 0, 60, 0, 0, {1, 1, 1, 1}), add(last, width, 60, 0, 0, {1, 1, 1, 1});
    EXPECT_EQ(compare({whole(0.5f), last}, "line or point"), 0u) << int(topology);
  }
}

// Layers that still cover, though it may look otherwise.
TEST(Overdraw, WhatCoversAll) {
  struct {
    const char* what;
    void (*change)(Layer&);
  } changes[] = {
      {"tests that pass",
       [](Layer& l) {
         l.has_depth = l.draw.depth_stencil.depth_test = l.draw.depth_stencil.depth_write = l.draw.depth_stencil.stencil_test =
             true;
         l.draw.depth_stencil.front.pass = l.draw.depth_stencil.back.pass = StencilOp::increment_wrap;
       }},
      {"late tests that pass",
       [](Layer& l) {
         l.has_depth = l.draw.depth_stencil.depth_test = l.draw.depth_stencil.depth_write = true;
         l.draw.depth_stencil.early = false, l.draw.depth_stencil.count_samples = true;
       }},
      {"more places than samples",
       [](Layer& l) { l.draw.rasterization.samples = 4, l.draw.rasterization.over_rasterize = true; }},
      {"more targets", [](Layer& l) { l.targets = 7; }},
      {"an alpha of one", [](Layer& l) { l.draw.colour.alpha_to_one = true; }},
  };
  for (const auto& [what, change] : changes) {
    Layer last = whole(1);
    change(last);
    EXPECT_EQ(compare({whole(0.5f), last}, what), all_pixels) << what;
  }
}

// Layers that may be left out, and those that may not.
TEST(Overdraw, WhatMayBeHidden) {
  struct {
    const char* what;
    bool may_be;
    void (*change)(Layer&);
  } changes[] = {
      {"blending", true,
       [](Layer& l) { l.draw.colour.blend[0].enable = true, l.draw.colour.blend[0].target_colour = BlendFactor::one; }},
      {"an alpha test", true,
       [](Layer& l) {
         l.draw.colour.alpha_test = true, l.draw.colour.alpha_compare = Compare::greater, l.draw.colour.alpha_reference = 0.1f;
       }},
      {"a stage that leaves pixels out", true, [](Layer& l) { l.vouches = false; }},
      {"early tests, which count and write", true,
       [](Layer& l) {
         l.has_depth = l.draw.depth_stencil.depth_test = l.draw.depth_stencil.depth_write = l.draw.depth_stencil.count_samples =
             true;
         l.draw.depth_stencil.depth_compare = Compare::less, l.draw.depth_stencil.stencil_test = true;
         l.draw.depth_stencil.front.pass = l.draw.depth_stencil.back.depth_fail = StencilOp::increment_wrap;
       }},
      {"samples that are counted", true, [](Layer& l) { l.draw.depth_stencil.count_samples = true; }},
      {"late tests", false,
       [](Layer& l) {
         l.has_depth = l.draw.depth_stencil.depth_test = l.draw.depth_stencil.depth_write = true;
         l.draw.depth_stencil.early = false;
       }},
      {"samples that are counted late", false,
       [](Layer& l) {
         l.draw.depth_stencil.count_samples = true, l.draw.depth_stencil.early = false;
         l.draw.colour.alpha_test = true, l.draw.colour.alpha_compare = Compare::greater, l.draw.colour.alpha_reference = 0.9f;
       }},
      {"depths as colours", false, [](Layer& l) { l.has_depth = l.draw.depth_stencil.copy_depth = true; }},
      {"a stage that may do more", false, [](Layer& l) { l.waits = false; }},
      {"a stage that reads colours", false, [](Layer& l) { l.read = 1; }},
  };
  for (const auto& [what, may_be, change] : changes) {
    Layer first = whole(0.5f);
    change(first);
    EXPECT_EQ(compare({first, whole(1)}, what), may_be ? all_pixels : 0) << what;
  }
  Layer by_sample = whole(0.5f, 4);
  by_sample.draw.rasterization.sample_shading = true;
  EXPECT_EQ(compare({by_sample, whole(1, 4)}, "sample shading", 4), 0u);
  Layer apart = whole(0.5f, 4);
  apart.draw.rasterization.other_pixels = std::array<Rasterization::PixelSamples, 3>{};
  for (auto& pixel : *apart.draw.rasterization.other_pixels) std::copy_n(standard_positions.begin(), 16, pixel.positions.begin());
  EXPECT_EQ(compare({apart, whole(1, 4)}, "samples by pixel", 4), 0u);
  // A stage that reads what is below it wants that drawn.
  Layer reads = whole(0.5f);
  reads.targets = 2, reads.read = 1;
  reads.function = [](const PixelBatch& batch, PixelResults& results) {
    results.colour[1] = results.colour[0];
    flat_colour(batch, results);
    results.outputs = 2;
  };
  reads.draw.colour.blend[0].write_mask = 0;
  reads.targets = 3;
  EXPECT_EQ(compare({whole(0.25f), reads, whole(1)}, "read in between"), 0u);
}

// Random layers of all of these, with layers of arrays, several samples, small triangles and large ones.
TEST(Overdraw, SameBits) {
  uint64_t hidden = 0;
  for (unsigned seed = 0; seed < 60; seed++) {
    std::mt19937 random(seed);
    auto pick = [&](unsigned n) { return unsigned(random() % n); };
    std::uniform_real_distribution<float> x(-20, width + 20), y(-20, height + 20), unit(0, 1);
    const unsigned samples = 1u << (seed % 4 == 3 ? 1 + pick(3) : 0), array = seed % 5 ? 1 : 3;
    std::vector<Layer> layers;
    for (unsigned n = 0; n < 14; n++) {
      Layer l = layer_of(samples);
      l.draw.targets.layers = array;
      std::vector<float> colour = {unit(random), unit(random), unit(random), unit(random)};
      switch (pick(4)) {
        case 0: add_quad(l, 0, 0, width, height, colour, unit(random)); break;
        case 1:
          for (unsigned q = 1 + pick(5); q--;) {
            const float left = x(random), top = y(random);
            add_quad(l, left, top, left + 150 * unit(random), top + 120 * unit(random), {unit(random), 0, 1, unit(random)},
                     unit(random));
          }
          break;
        default:
          l.draw.assembly.topology = pick(2) ? Topology::triangles : Topology::triangle_strip;
          const float size = pick(3) ? 300 : 12;
          for (unsigned v = 3 * (1 + pick(size > 20 ? 4 : 40)); v--;)
            add(l, x(random) / 2 + size * (unit(random) - 0.2f), y(random) / 2 + size * (unit(random) - 0.2f), unit(random),
                pick(array + 1), colour);
      }
      if (array > 1)
        for (Vertex& v : l.vertices) v.layer = l.draw.assembly.topology == Topology::quads ? n % array : v.layer;
      l.targets = pick(3) ? 1 : uint8_t(1 + pick(7));
      if (pick(4) == 0)
        l.draw.colour.blend[0].enable = true, l.draw.colour.blend[0].target_colour = BlendFactor::one_minus_source_alpha;
      if (pick(8) == 0) l.draw.colour.blend[0].write_mask = uint8_t(pick(16));
      if (pick(8) == 0)
        l.draw.colour.alpha_test = true, l.draw.colour.alpha_compare = Compare(pick(8)), l.draw.colour.alpha_reference = 0.5f;
      if (pick(8) == 0) l.draw.colour.logic_op_enable = true, l.draw.colour.logic_op = LogicOp(pick(16));
      if (pick(6) == 0) l.draw.rasterization.scissors = {{int(pick(60)), int(pick(60)), int(60 + pick(140)), int(60 + pick(70))}};
      if (pick(8) == 0) l.draw.rasterization.sample_mask = pick(16);
      DepthStencil& state = l.draw.depth_stencil;
      state.count_samples = pick(2);
      if (pick(3) == 0) {
        l.has_depth = true;
        state.depth_test = pick(4), state.depth_write = pick(2),
        state.depth_compare = pick(2) ? Compare::always : Compare(pick(8));
        state.stencil_test = pick(3) == 0, state.early = pick(3);
        state.front.compare = state.back.compare = pick(2) ? Compare::always : Compare::not_equal;
        state.front.pass = state.back.depth_fail = StencilOp::increment_wrap;
      }
      if (pick(3) == 0) {
        // It leaves pixels out.
        l.vouches = false;
        l.function = [](const PixelBatch& batch, PixelResults& results) {
          flat_everywhere(batch, results);
          for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
            if ((batch.x[lane] / 4 + batch.y[lane]) % 3 == 0) results.killed |= uint64_t(1) << lane;
        };
        if (state.depth_write || state.stencil_test || state.count_samples) state.early = pick(2);
      }
      layers.push_back(std::move(l));
    }
    hidden += compare(layers, "seed " + std::to_string(seed), samples, array);
    if (HasFailure()) return;
  }
  EXPECT_GT(hidden, 60 * all_pixels);
}

}  // namespace
}  // namespace Atoll::pipeline
