// Texels of compressed blocks in the words of the engine: what src/surface/block_compression.cpp has lane by lane, in every bit.
// BC6H and BC7, whose blocks have many forms, have no code.
#pragma once
#include <array>
#include <cstdint>

#include "surface/number.h"

namespace Atoll::sampling {

// A block's dwords, and which of its 16 texels (row after row) a lane wants.
template <class E>
class Block {
public:
  using U32 = typename E::U32;
  using F32 = typename E::F32;
  using M = typename E::M;

  Block(E& e, const std::array<U32, 4>& dwords, U32 texel) : e_(e), dwords_(dwords), texel_(texel) {}

  // Red, green or blue of a colour block that begins at dword `first`.
  F32 colour(unsigned first, bool is_bc1, bool srgb, unsigned component) {
    constexpr unsigned first_bit[3] = {11, 5, 0}, bits[3] = {5, 6, 5};
    const Code& code = code_of(first, is_bc1);
    const uint32_t most = (1u << bits[component]) - 1;
    U32 ends = dwords_[first], a = (ends >> int(first_bit[component])) & most;
    U32 b = (ends >> int(16 + first_bit[component])) & most, sum = a * code.weight[0] + b * code.weight[1];
    F32 value = e_.f32(0);
    if (srgb) {
      U32 linear = e_.constant_word(surface::srgb_ratios(3 * most).data(), 8, sum);
      if (is_bc1) linear = select(code.three, e_.constant_word(surface::srgb_ratios(2 * most).data(), 8, sum), linear);
      value = as_f32(linear);
    } else {
      F32 highest = e_.f32(float(3 * most));
      if (is_bc1) highest = select(code.three, e_.f32(float(2 * most)), highest);
      value = cvt_f32_s32(sum) / highest;
    }
    return is_bc1 ? select(code.black, e_.f32(0), value) : value;
  }
  F32 bc1_alpha() { return select(code_of(0, true).black, e_.f32(0), e_.f32(1)); }

  // Four bits a texel.
  F32 bc2_alpha() {
    U32 half = select(texel_ < 8u, dwords_[0], dwords_[1]);
    return cvt_f32_s32((half >> ((texel_ & 7u) << 2)) & 15u) / 15.0f;
  }

  // Two bytes, then three bits a texel.
  F32 ramp(unsigned first_dword, bool is_signed) {
    U32 low = dwords_[first_dword], high = dwords_[first_dword + 1];
    auto byte = [&](unsigned n) { return is_signed ? ashr(low << int(24 - 8 * n), 24) : (low >> int(8 * n)) & 0xffu; };
    U32 first = byte(0), second = byte(1);
    M eight = is_signed ? sgt(first, second) : first > second;
    if (is_signed) first = smax(first, e_.u32(uint32_t(-127))), second = smax(second, e_.u32(uint32_t(-127)));
    const float highest = is_signed ? 127 : 255;
    U32 bit = texel_ * 3u + 16u;
    U32 code = select(bit < 32u, fshr(high, low, bit & 31u), high >> (bit & 31u)) & 7u;
    U32 steps = select(eight, e_.u32(7), e_.u32(5));
    U32 weight = code - 1u, sum = (steps - weight) * first + weight * second;
    sum = select(code == 0u, first, select(code == 1u, second, sum));
    F32 whole = select(eight, e_.f32(7 * highest), e_.f32(5 * highest));
    whole = select(code < 2u, e_.f32(highest), whole);
    F32 value = cvt_f32_s32(sum) / whole;
    value = select(~eight & (code == 6u), e_.f32(is_signed ? -1.0f : 0.0f), value);
    return select(~eight & (code == 7u), e_.f32(1), value);
  }

private:
  // The texel's two bits, as what they say of both colours.
  struct Code {
    U32 weight[2];
    M three, black;
  };
  E& e_;
  const std::array<U32, 4> dwords_;
  const U32 texel_;

  Code code_of(unsigned first, bool is_bc1) {
    U32 ends = dwords_[first], code = (dwords_[first + 1] >> (texel_ << 1)) & 3u, shift = code << 2;
    // parts of the second colour, four bits for each code
    U32 second = (e_.u32(0x2130) >> shift) & 3u;
    if (!is_bc1) return {{e_.u32(3) - second, second}, e_.m(false), e_.m(false)};
    M three = (ends & 0xffffu) <= (ends >> 16);
    second = select(three, (e_.u32(0x0120) >> shift) & 3u, second);
    return {{select(three, e_.u32(2), e_.u32(3)) - second, second}, three, three & (code == 3u)};
  }
};

}  // namespace Atoll::sampling
