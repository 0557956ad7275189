// The parts of random states of DG1.
#pragma once
#include <array>
#include <bit>

#include "pipeline/draw.h"
#include "random_gpu.h"
#include "registers/dg1.h"
#include "tests/gpu/dg1/batch.h"

namespace Atoll::random_states::dg1_states {

using dg1::Batch;

inline constexpr unsigned width = 96, height = 80;
inline constexpr unsigned max_targets = 4;

struct ColourBuffer {
  uint32_t format = 0;
  unsigned bytes = 4;
  Content content = Content::bytes;
  bool blends = true, logic = true;  // what the format allows
  bool integer = false;
  bool beyond_unorm = false;  // it holds more than 0 to 1
  uint32_t tile = 0;          // Tile Mode
  bool null = false;          // the surface is of type NULL
};

// The surfaces of a state, which all of its draws have.
struct Surfaces {
  unsigned log2_samples = 0, targets = 1;
  // Shaders see what the tests before them left (centroids, coverage): the oracle, which has the shader run before all tests, is not
  // asked then.
  bool coverage_seen = false;
  bool over_rasterize = false;  // targets of one sample, drawn where any of several places is inside
  std::array<ColourBuffer, max_targets> colour;
  uint32_t depth_format = 0;  // 0: none
  bool stencil = false;
  unsigned samples() const { return 1u << log2_samples; }
};

// A pixel shader: its text, and what 3DSTATE_PS, _PS_EXTRA and _WM say of it.
struct PixelShader {
  std::vector<std::string> lines;
  unsigned pixels = 8;  // of a thread
  uint32_t barycentrics = 0, depth_mode = 0, offsets = 0;
  bool depth = false, w = false, coverage = false, per_sample = false;
  bool stencil = false, mask = false, kills = false, dual_source = false, source0_alpha = false;
  bool valid = true;
  uint8_t written = 0;  // targets
};
// The first register of constants and of two attributes' planes, whatever stands before them.
inline constexpr unsigned setup_register = 50;

// The expected state of a draw, made with it from the same choices, by tables of its own.
struct Expectation {
  pipeline::DepthStencil tests;
  pipeline::ColourOutput colour;
  pipeline::Rasterization raster;
  pipeline::Clip clip;
  std::array<pipeline::Viewport, 4> viewports{};
  std::array<pipeline::Rectangle, 4> scissors{};
};
// Empty: it has.
std::string difference(const Expectation& expected, const pipeline::Draw& draw);

// Structures of a draw, from the dynamic base on.
struct Dynamic {
  uint8_t* host = nullptr;
  uint32_t offset = 0;
  static constexpr uint32_t sf_viewports = 0, cc_viewports = 0x100, scissors = 0x140, blend = 0x180, colour_calc = 0x200,
                            constants = 0x240, bytes = 0x400;
  template <class T>
  T* at(uint32_t structure) const {
    return reinterpret_cast<T*>(host + offset + structure);
  }
};

Surfaces random_surfaces(Random& r);
PixelShader random_shader(Random& r, const Surfaces& surfaces, bool dual_source);
// Commands and structures of blending, depth, stencil, clipping, rasterization and attributes, and what has to come of them.
bool random_dual_source(Random& r, const Surfaces& surfaces);
void random_blending(Random& r, const Surfaces& surfaces, const PixelShader& shader, const Dynamic& dynamic, Batch& b,
                     Expectation& e);
void random_depth_stencil(Random& r, const Surfaces& surfaces, Batch& b, Expectation& e);
void random_viewports(Random& r, const Dynamic& dynamic, bool rectangles, Batch& b, Expectation& e);
void random_rasterization(Random& r, const Surfaces& surfaces, const PixelShader& shader, Batch& b, Expectation& e);
void random_inputs(Random& r, Batch& b);
void set_shader(const PixelShader& shader, uint64_t kernel, Batch& b);

inline uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

}  // namespace Atoll::random_states::dg1_states
