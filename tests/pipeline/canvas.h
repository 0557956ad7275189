// Targets in plain memory and stages that are C++ functions, for the tests of the pipeline.
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <functional>
#include <mutex>
#include <vector>

#include "pipeline/draw.h"
#include "pipeline/workers.h"

namespace Atoll::pipeline {

// One of the 19 factors: their numbers have a hole.
inline BlendFactor any_factor(int n) {
  const int hole = int(BlendFactor::source_alpha_saturate) + 1;
  return BlendFactor(n < hole ? n : n + 1);
}

// Places of 16 samples in sixteenths of a pixel, no two in a row or column; fewer samples take the first.
inline constexpr std::array<SamplePosition, 16> standard_positions{{{9, 9},
                                                                    {7, 5},
                                                                    {5, 10},
                                                                    {12, 7},
                                                                    {3, 6},
                                                                    {10, 13},
                                                                    {13, 11},
                                                                    {11, 3},
                                                                    {6, 14},
                                                                    {8, 1},
                                                                    {4, 2},
                                                                    {2, 12},
                                                                    {0, 8},
                                                                    {15, 4},
                                                                    {14, 15},
                                                                    {1, 0}}};

// Pixels row after row, samples of a pixel side by side.
class MemoryTarget : public Target {
public:
  MemoryTarget(unsigned width, unsigned height, unsigned bytes, unsigned samples = 1, unsigned layers = 1)
      : width(width),
        height(height),
        bytes(bytes),
        samples(samples),
        layers(layers),
        texels(size_t(width) * height * bytes * samples * layers) {}

  uint8_t* at(unsigned x, unsigned y, unsigned sample = 0, unsigned layer = 0) {
    return texels.data() + (((size_t(layer) * height + y) * width + x) * samples + sample) * bytes;
  }
  uint32_t word(unsigned x, unsigned y, unsigned sample = 0, unsigned layer = 0) {
    uint32_t value = 0;
    std::memcpy(&value, at(x, y, sample, layer), std::min(bytes, 4u));
    return value;
  }
  void fill(uint32_t value) {
    for (size_t n = 0; n < texels.size(); n += bytes) std::memcpy(&texels[n], &value, std::min(bytes, 4u));
  }
  void load(unsigned x, unsigned y, unsigned layer, uint8_t* to) override {
    each(x, y, layer, [&](uint8_t* texel, size_t offset) {
      texel ? std::memcpy(to + offset, texel, bytes) : std::memset(to + offset, 0, bytes);
    });
  }
  void store(unsigned x, unsigned y, unsigned layer, const uint8_t* from) override {
    each(x, y, layer, [&](uint8_t* texel, size_t offset) {
      if (texel) std::memcpy(texel, from + offset, bytes);
    });
  }

  unsigned width, height, bytes, samples, layers;
  std::vector<uint8_t> texels;

private:
  template <class Texel>
  void each(unsigned bx, unsigned by, unsigned layer, Texel&& texel) {
    for (unsigned s = 0; s < samples; s++)
      for (unsigned py = 0; py < 8; py++)
        for (unsigned px = 0; px < 8; px++) {
          unsigned x = bx * 8 + px, y = by * 8 + py;
          bool inside = x < width && y < height && layer < layers;
          texel(inside ? at(x, y, s, layer) : nullptr, size_t(s * 64 + number_in_block(px, py)) * bytes);
        }
  }
};

// Says how often blocks are loaded and stored.
class CountedTarget : public MemoryTarget {
public:
  using MemoryTarget::MemoryTarget;
  void load(unsigned x, unsigned y, unsigned layer, uint8_t* to) override {
    loads++;
    MemoryTarget::load(x, y, layer, to);
  }
  void store(unsigned x, unsigned y, unsigned layer, const uint8_t* from) override {
    stores++;
    MemoryTarget::store(x, y, layer, from);
  }
  std::atomic<unsigned> loads{0}, stores{0};
};

// Another target's memory.
class View : public Target {
public:
  explicit View(MemoryTarget& of) : of_(of), range_{of.texels.data(), of.texels.size()} {}
  void load(unsigned x, unsigned y, unsigned layer, uint8_t* to) override { of_.load(x, y, layer, to); }
  void store(unsigned x, unsigned y, unsigned layer, const uint8_t* from) override { of_.store(x, y, layer, from); }
  std::span<const MemoryRange> memory() const override { return {&range_, 1}; }

private:
  MemoryTarget& of_;
  const MemoryRange range_;
};

// Vertex n comes from vertices[n]; its attributes from attributes[n * 4 * count].
class TableVertices : public VertexStage {
public:
  std::vector<Vertex> vertices;
  std::vector<float> attributes;
  unsigned count = 1;  // attributes
  std::atomic<uint64_t> shaded{0};

  unsigned attribute_count() const override { return count; }
  unsigned batch_size() const override { return 64; }
  bool shade(unsigned, const VertexBatch& batch, Vertex* out, float* values) override {
    for (size_t n = 0; n < batch.number.size(); n++) {
      uint32_t number = batch.number[n];
      if (number < vertices.size()) out[n] = vertices[number];
      for (unsigned k = 0; k < 4 * count; k++) {
        size_t at = size_t(number) * 4 * count + k;
        values[n * 4 * count + k] = at < attributes.size() ? attributes[at] : 0;
      }
    }
    shaded += batch.number.size();
    return true;
  }
  uint32_t add(float x, float y, float z = 0, float w = 1, std::vector<float> attribute = {}) {
    Vertex vertex;
    vertex.position[0] = x, vertex.position[1] = y, vertex.position[2] = z, vertex.position[3] = w;
    vertices.push_back(vertex);
    attribute.resize(4 * count);
    attributes.insert(attributes.end(), attribute.begin(), attribute.end());
    return uint32_t(vertices.size() - 1);
  }
};

class FunctionPixels : public PixelStage {
public:
  using Function = std::function<void(const PixelBatch&, PixelResults&)>;
  Function function;
  uint8_t sets = 1 << PERSPECTIVE_CENTRE;
  unsigned lanes = 64;
  explicit FunctionPixels(Function function) : function(std::move(function)) {}
  unsigned batch_size() const override { return lanes; }
  uint8_t barycentrics() const override { return sets; }
  bool shade(unsigned, const PixelBatch& batch, PixelResults& results) override {
    function(batch, results);
    return true;
  }
};

// Attribute `k` (component) of lane `lane`, interpolated.
inline float interpolated(const PixelBatch& batch, unsigned lane, unsigned k, BarycentricSet set = PERSPECTIVE_CENTRE) {
  const PrimitiveAttributes& p = batch.primitive[lane / 4];
  return p.a[k] + batch.barycentric[set][0][lane] * (p.b[k] - p.a[k]) + batch.barycentric[set][1][lane] * (p.c[k] - p.a[k]);
}

// Attribute 0 as the colour of output 0.
inline void attribute_colour(const PixelBatch& batch, PixelResults& results) {
  for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
    for (unsigned k = 0; k < 4; k++) results.colour[0][k][lane] = std::bit_cast<uint32_t>(interpolated(batch, lane, k));
  results.outputs = 1;
}
// The provoking vertex's.
inline void flat_colour(const PixelBatch& batch, PixelResults& results) {
  for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
    for (unsigned k = 0; k < 4; k++) results.colour[0][k][lane] = std::bit_cast<uint32_t>(batch.primitive[lane / 4].provoking[k]);
  results.outputs = 1;
}

// A draw in window coordinates into one target of 8_8_8_8.
struct Canvas {
  Canvas(unsigned width, unsigned height, unsigned samples = 1) : colour(width, height, 4, samples) {
    draw.targets.width = width, draw.targets.height = height;
    draw.targets.samples = samples;
    draw.rasterization.samples = samples;
    draw.targets.colour[0] = {&colour, {}, 4, false};
    draw.clip.enable = false, draw.clip.divide = false, draw.clip.viewport_transform = false;
    draw.vertex_stage = &vertices;
    draw.pixel_stage = &pixels;
  }
  bool run(Workers& workers) {
    draw.vertices.count = draw.vertices.index_bytes ? draw.vertices.count : uint32_t(vertices.vertices.size());
    return pipeline::run(draw, workers, counters, stop);
  }
  bool run() {
    Workers workers(1);
    return run(workers);
  }
  // A viewport over the whole target, clip space as OpenGL has it.
  void clip_space() {
    draw.clip.enable = draw.clip.divide = draw.clip.viewport_transform = true;
    for (auto& viewport : draw.viewports) {
      viewport.scale = {float(colour.width) / 2, -float(colour.height) / 2, 0.5f};
      viewport.offset = {float(colour.width) / 2, float(colour.height) / 2, 0.5f};
    }
  }
  MemoryTarget colour;
  TableVertices vertices;
  FunctionPixels pixels{attribute_colour};
  Draw draw;
  Counters counters;
  std::atomic<int> stop{0};
};

}  // namespace Atoll::pipeline
