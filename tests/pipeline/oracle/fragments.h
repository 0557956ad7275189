// The steps after rasterisation, pixel by pixel and sample by sample: early tests, the pixel stage's outputs, alpha test,
// coverage, late tests, copies of depth, colours into the targets. The pipeline's code for these steps is compared with this,
// whichever way it works. The oracle computes one value at a time, in the order of the primitives.
#pragma once
#include <functional>
#include <span>

#include "colour.h"
#include "depth_stencil.h"
#include "pipeline/draw.h"

namespace Atoll::pipeline::oracle {

// A pixel of a primitive before any test.
struct Fragment {
  unsigned x = 0, y = 0;
  uint32_t primitive = 0;
  bool front = true;
  uint32_t viewport = 0;
  uint32_t coverage = 0;      // a bit a place (of the targets' samples, or more of them for a target of one)
  std::array<float, 16> z{};  // by sample of the targets
};

// The pixel stage's outputs for one fragment.
struct Outputs {
  std::array<Colour, 8> colour{};
  uint8_t written = 0;  // bit n: colour[n] is one
  uint8_t halves = 0;   // bit n: of colour[n], words 0 and 1 hold two halves each, low one first
  bool killed = false, has_second_source = false, has_depth = false, has_stencil = false, has_coverage = false;
  float depth = 0;
  uint32_t stencil = 0, coverage = 0;
};
// Fragment `index` of the draw; `sample` counts under sample shading.
using Shader = std::function<Outputs(size_t index, const Fragment& fragment, unsigned sample)>;

struct Counts {
  uint64_t samples_passed = 0, pixel_invocations = 0;
};

// The pointers to targets in `draw` are not followed: those that are not null stand for the buffers.
Counts draw_fragments(const Draw& draw, std::span<const Fragment> fragments, const Shader& shader, Buffers& buffers);

}  // namespace Atoll::pipeline::oracle
