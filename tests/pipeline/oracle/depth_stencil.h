// The tests of one sample, and what they write (Vulkan 1.3 27.12 to 27.14).
#pragma once
#include "pipeline/state.h"
#include "pipeline/target.h"
#include "targets.h"

namespace Atoll::pipeline::oracle {

// The depth and stencil buffers that a draw has.
class DepthBuffer {
public:
  DepthBuffer(const DepthTarget& target, Buffers& buffers) : target_(target), buffers_(buffers) {}

  bool has_depth() const;
  bool has_stencil() const { return in_upper_byte() || target_.stencil; }
  unsigned bits() const { return target_.depth_bits; }
  // Unorm, or a float's bits.
  uint32_t depth(unsigned x, unsigned y, unsigned sample) const;
  uint8_t stencil(unsigned x, unsigned y, unsigned sample) const;
  void set_depth(unsigned x, unsigned y, unsigned sample, uint32_t value);
  void set_stencil(unsigned x, unsigned y, unsigned sample, uint8_t value);

private:
  bool in_upper_byte() const { return has_depth() && target_.depth_bits == 24 && target_.stencil_in_upper_byte; }
  const DepthTarget& target_;
  Buffers& buffers_;
};

template <class Value>
bool compare(Compare with, Value a, Value b) {
  switch (with) {
    case Compare::never: return false;
    case Compare::less: return a < b;
    case Compare::equal: return a == b;
    case Compare::less_equal: return a <= b;
    case Compare::greater: return a > b;
    case Compare::not_equal: return a != b;
    case Compare::greater_equal: return a >= b;
    case Compare::always: return true;
  }
  return true;
}

// True if there is anything to test.
bool tests(const DepthStencil& state, const DepthBuffer& buffer);

struct TestedSample {
  unsigned x, y, sample;
  bool front;
  float z;
  const uint32_t* reference;  // of the pixel stage, or null
};
bool passes(const DepthStencil& state, DepthBuffer& buffer, const TestedSample& at);

}  // namespace Atoll::pipeline::oracle
