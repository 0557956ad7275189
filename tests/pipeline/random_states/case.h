// A few draws of random state into the same random targets.
#pragma once
#include <string>
#include <vector>

#include "pipeline/canvas.h"
#include "shader.h"

namespace Atoll::pipeline::test {

struct RandomDraw {
  Draw draw;  // without stages and targets' memory
  Shader shader;
  bool depth_only = false;  // no pixel stage
  TableVertices vertices;
  std::vector<uint32_t> indices;
};

struct Case {
  explicit Case(uint64_t seed);
  uint64_t seed;
  unsigned width, height, samples, threads;
  std::array<ColourTarget, 8> colour;  // target not used
  std::array<bool, 8> has_colour{};
  unsigned depth_bits = 0;  // 0: none
  bool stencil = false, stencil_in_upper_byte = false;
  bool layers = false;  // large primitives, whose depth is tested early: what is known of whole blocks counts
  bool clamps_depth = false;
  bool any_nans = false;  // NaNs of any form: nothing is blended then, as which of two NaNs a sum keeps is not told
  std::vector<std::unique_ptr<RandomDraw>> draws;
  oracle::Buffers buffers;  // what is there before
};

// A description of the draw, for people.
std::string text_of(const Case& c);
std::string text_of(const Case& c, const RandomDraw& draw);

}  // namespace Atoll::pipeline::test
