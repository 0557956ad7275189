// Vertices, constants and depths of random states of AMD's families.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "amd_states.h"

namespace Atoll::random_states {

struct RandomVertices {
  uint32_t type;                              // VGT_PRIMITIVE_TYPE, which has the same values on all families
  std::vector<std::array<float, 12>> values;  // a position and two attributes each
};
// One primitive that fills blocks, or small ones, or both.
RandomVertices random_vertices(Random& r);

// User SGPR `n` of pixel programs: factors that numbers of targets' ranges come of, a mask of samples.
uint32_t random_constant(Random& r, unsigned n);

// Depths from 0 to 1, or those of primitives that lie at one depth; stencil values of a few bits, or of all. `format`: DB_Z_INFO's.
void fill_depths(Random& r, Random& content, std::span<uint8_t> depth, std::span<uint8_t> stencil, uint32_t format);

}  // namespace Atoll::random_states
