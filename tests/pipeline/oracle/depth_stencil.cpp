#include "depth_stencil.h"

#include <bit>
#include <cstring>

namespace Atoll::pipeline::oracle {

bool DepthBuffer::has_depth() const {
  return target_.depth && (target_.depth_bits == 16 || target_.depth_bits == 24 || target_.depth_bits == 32);
}
uint32_t DepthBuffer::depth(unsigned x, unsigned y, unsigned sample) const {
  uint32_t word = 0;
  std::memcpy(&word, buffers_.depth.at(x, y, sample), bits() == 16 ? 2 : 4);
  return bits() == 24 ? word & 0xffffff : word;
}
void DepthBuffer::set_depth(unsigned x, unsigned y, unsigned sample, uint32_t value) {
  std::memcpy(buffers_.depth.at(x, y, sample), &value, bits() / 8);  // 24: the upper byte stays
}
uint8_t DepthBuffer::stencil(unsigned x, unsigned y, unsigned sample) const {
  return in_upper_byte() ? buffers_.depth.at(x, y, sample)[3] : *buffers_.stencil.at(x, y, sample);
}
void DepthBuffer::set_stencil(unsigned x, unsigned y, unsigned sample, uint8_t value) {
  (in_upper_byte() ? buffers_.depth.at(x, y, sample)[3] : *buffers_.stencil.at(x, y, sample)) = value;
}

bool tests(const DepthStencil& state, const DepthBuffer& buffer) {
  return (buffer.has_depth() && (state.depth_test || state.bounds_test)) || (buffer.has_stencil() && state.stencil_test);
}

namespace {

uint32_t to_unorm(float z, unsigned bits) {
  z = z > 0 ? z : 0;
  z = z < 1 ? z : 1;
  return uint32_t(double(z) * double((1u << bits) - 1) + 0.5);
}

// A word as a number of the kind that the state compares.
int64_t number_of(uint32_t word, unsigned bits, DepthSign sign) {
  const bool upper = word >> (bits - 1) & 1;
  const int64_t rest = word & ((1u << (bits - 1)) - 1);
  switch (sign) {
    case DepthSign::none: return word;
    case DepthSign::twos_complement: return upper ? rest - (int64_t(1) << (bits - 1)) : rest;
    case DepthSign::magnitude: return upper ? -rest : rest;
  }
  return word;
}

uint8_t stencil_result(StencilOp op, unsigned old, unsigned reference, unsigned value) {
  switch (op) {
    case StencilOp::keep: return uint8_t(old);
    case StencilOp::zero: return 0;
    case StencilOp::replace: return uint8_t(reference);
    case StencilOp::increment_clamp: return uint8_t(old + value > 255 ? 255 : old + value);
    case StencilOp::decrement_clamp: return uint8_t(old < value ? 0 : old - value);
    case StencilOp::invert: return uint8_t(~old);
    case StencilOp::increment_wrap: return uint8_t(old + value);
    case StencilOp::decrement_wrap: return uint8_t(old - value);
    case StencilOp::ones: return 255;
    case StencilOp::replace_op: return uint8_t(value);
    case StencilOp::and_op: return uint8_t(old & value);
    case StencilOp::or_op: return uint8_t(old | value);
    case StencilOp::xor_op: return uint8_t(old ^ value);
    case StencilOp::nand_op: return uint8_t(~(old & value));
    case StencilOp::nor_op: return uint8_t(~(old | value));
    case StencilOp::xnor_op: return uint8_t(~(old ^ value));
  }
  return uint8_t(old);
}

}  // namespace

bool passes(const DepthStencil& state, DepthBuffer& buffer, const TestedSample& at) {
  const unsigned x = at.x, y = at.y, s = at.sample;
  const bool is_float = buffer.bits() == 32;
  if (buffer.has_depth() && state.bounds_test) {
    const uint32_t old = buffer.depth(x, y, s);
    const bool within =
        is_float ? std::bit_cast<float>(old) >= state.bounds_low && std::bit_cast<float>(old) <= state.bounds_high
                 : old >= to_unorm(state.bounds_low, buffer.bits()) && old <= to_unorm(state.bounds_high, buffer.bits());
    if (!within) return false;
  }
  bool depth_passed = true;
  uint32_t fresh_depth = 0;
  const bool depth_test = buffer.has_depth() && state.depth_test;
  if (depth_test) {
    const uint32_t old = buffer.depth(x, y, s);
    fresh_depth = is_float ? std::bit_cast<uint32_t>(at.z) : to_unorm(at.z, buffer.bits());
    depth_passed = is_float ? compare(state.depth_compare, at.z, std::bit_cast<float>(old))
                            : compare(state.depth_compare, number_of(fresh_depth, buffer.bits(), state.depth_sign),
                                      number_of(old, buffer.bits(), state.depth_sign));
  }
  bool stencil_passed = true;
  if (state.stencil_test && buffer.has_stencil()) {
    const StencilFace& face = at.front ? state.front : state.back;
    const uint8_t old = buffer.stencil(x, y, s), reference = at.reference ? uint8_t(*at.reference) : face.reference;
    stencil_passed = compare(face.compare, unsigned(reference & face.compare_mask), unsigned(old & face.compare_mask));
    const StencilOp op = !stencil_passed ? face.fail : !depth_passed ? face.depth_fail : face.pass;
    const uint8_t fresh = stencil_result(op, old, reference, face.op_value);
    buffer.set_stencil(x, y, s, uint8_t((fresh & face.write_mask) | (old & ~face.write_mask)));
  }
  const bool passed = depth_passed && stencil_passed;
  if (passed && depth_test && state.depth_write) buffer.set_depth(x, y, s, fresh_depth);
  return passed;
}

}  // namespace Atoll::pipeline::oracle
