// The parts of random states of R5xx.
#pragma once
#include <array>

#include "random_gpu.h"
#include "registers/r5xx.h"
#include "tests/gpu/r5xx/stream.h"

namespace Atoll::random_states::r500_states {

using namespace r5xx;
using r5xx::test::bits;
using r5xx::test::Stream;

inline constexpr unsigned width = 96, height = 80;
inline constexpr unsigned max_targets = 4;

struct ColourBuffer {
  uint32_t colour_format, out_format;
  unsigned bytes;
  Content content = Content::bytes;
  std::array<uint32_t, 4> select{};  // C0_SEL to C3_SEL
};

// The surfaces of a state, which all of its draws have.
struct Surfaces {
  unsigned samples = 1, targets = 1;
  bool copied = false;  // output 0 goes into all targets
  std::array<ColourBuffer, max_targets> colour;
  uint32_t depth_format = 2;  // ZB_FORMAT: 16 bits, or 24 with stencil
  // Places in twelfths of a pixel, which no binary number is: what interpolates depth for the oracle and what does for the test may
  // then differ in the last bit.
  bool twelfths = false;
  bool has_halves = false;  // the first target's blend constant is halves
};

Surfaces random_surfaces(Random& r);
// Lines of a pixel shader from colours in t0 and t1 and constants c0 to c3; `depth`: it gives one.
std::vector<std::string> random_shader(Random& r, const Surfaces& surfaces, bool depth);
void random_blending(Random& r, const Surfaces& surfaces, Stream& s);
// Gives whether the primitives' own depth is tested.
bool random_depth_stencil(Random& r, const Surfaces& surfaces, bool depth_of_shader, Stream& s);
void set_samples(const Surfaces& surfaces, Stream& s);

}  // namespace Atoll::random_states::r500_states
