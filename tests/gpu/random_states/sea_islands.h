// What random states of Sea Islands are made of.
#pragma once
#include <array>
#include <bit>

#include "random_gpu.h"
#include "tests/gpu/sea_islands/stream.h"

namespace Atoll::random_states {

using namespace sea_islands;
using sea_islands::test::Words;

inline constexpr unsigned width = 96, height = 80, side = 128;  // what is drawn into, and the surfaces around it
inline constexpr unsigned max_targets = 4;

struct ColourBuffer {
  uint32_t format = 0, number = 0, swap = 0, bytes = 4, components = 4;
  Content content = Content::bytes;
  bool integer = false, is_signed = false, alpha_is_one = false;
};

// The surfaces of a state, which all of its draws have.
struct Surfaces {
  unsigned log_samples = 0, targets = 1;
  // Shaders see what the tests before them left (centroids, coverage): the oracle, which has the shader run before all tests, is not
  // asked then.
  bool coverage_seen = false;
  bool over_rasterize = false;  // targets of one sample, drawn where any of several places is inside
  std::array<ColourBuffer, max_targets> colour;
  uint32_t depth_format = 0;  // DB_Z_INFO
  bool stencil = false;
};

// A pixel shader: its text, and what registers say of it.
struct PixelShader {
  std::vector<std::string> lines;
  uint32_t col_format = 0, shader_mask = 0, input_ena = 0, input_addr = 0;
  bool exports_depth = false, exports_stencil = false, exports_mask = false, kills = false;
};
inline constexpr unsigned user_sgprs = 12;

Surfaces random_surfaces(Random& r);
PixelShader random_shader(Random& r, const Surfaces& surfaces, bool dual_source);
// Registers of blending, depth, stencil, samples, rasterization. Of blending: whether target 0 has two sources.
bool random_blending(Random& r, const Surfaces& surfaces, Words& w);
void random_depth_stencil(Random& r, const Surfaces& surfaces, const PixelShader& shader, Words& w);
// How attributes come to pixels.
void random_inputs(Random& r, Words& w);
void random_rasterization(Random& r, const Surfaces& surfaces, Words& w);

inline uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

}  // namespace Atoll::random_states
