#include "surface/fxt1.h"

#include <cstddef>

namespace Atoll::surface {
namespace {

using Fxt1Colour = std::array<uint8_t, 4>;

// Colours are five bits each of blue, green and red, from bit 64 on (of CC_HI from 96 on). Indices begin at bit 0.
struct Fxt1Block {
  static constexpr unsigned colour_bits = 15, first_colour = 64, first_of_high = 96;
  const uint8_t* bytes;

  unsigned bits(unsigned first, unsigned count) const;
  Fxt1Colour colour(unsigned n, unsigned first = first_colour) const;
  Fxt1Colour colour_and_green_bit(unsigned n, unsigned least_of_green) const;
  Fxt1Colour colour_and_alpha(unsigned n) const;
  Fxt1Colour high(unsigned index) const;
  Fxt1Colour mixed(unsigned half, unsigned index) const;
  Fxt1Colour with_alphas(unsigned half, unsigned index) const;
};
constexpr Fxt1Colour fxt1_nothing{};  // transparent black

unsigned Fxt1Block::bits(unsigned first, unsigned count) const {
  unsigned value = 0;
  for (unsigned n = 0; n < count; n++) value |= (bytes[(first + n) / 8] >> (first + n) % 8 & 1u) << n;
  return value;
}

// n / (2^bits - 1) as the nearest 255th.
constexpr uint8_t nearest_255th(unsigned n, unsigned bits) {
  const unsigned most = (1u << bits) - 1;
  return uint8_t((n * 510 + most) / (2 * most));
}

// The part `part / parts` of b and the rest of a, to the nearest.
Fxt1Colour between(const Fxt1Colour& a, const Fxt1Colour& b, unsigned part, unsigned parts) {
  Fxt1Colour made;
  for (size_t c = 0; c < 4; c++) made[c] = uint8_t(((parts - part) * a[c] + part * b[c] + parts / 2) / parts);
  return made;
}

Fxt1Colour Fxt1Block::colour(unsigned n, unsigned first) const {
  auto field = [&](unsigned at) { return nearest_255th(bits(first + n * colour_bits + at, 5), 5); };
  return {field(10), field(5), field(0), 255};
}
Fxt1Colour Fxt1Block::colour_and_green_bit(unsigned n, unsigned least_of_green) const {
  Fxt1Colour made = colour(n);
  made[1] = nearest_255th(bits(first_colour + n * colour_bits + 5, 5) << 1 | least_of_green, 6);
  return made;
}
Fxt1Colour Fxt1Block::colour_and_alpha(unsigned n) const {
  Fxt1Colour made = colour(n);
  made[3] = nearest_255th(bits(first_colour + 3 * colour_bits + 5 * n, 5), 5);
  return made;
}

// CC_HI: seven colours from one to the other.
Fxt1Colour Fxt1Block::high(unsigned index) const {
  return index == 7 ? fxt1_nothing : between(colour(0, first_of_high), colour(1, first_of_high), index, 6);
}

// CC_MIXED: each half has two colours of its own. Without alpha the least bit of the first one's green comes of the upper bit of the half's
// first index.
Fxt1Colour Fxt1Block::mixed(unsigned half, unsigned index) const {
  const unsigned first = 2 * half, green_bit = bits(125 + half, 1);
  const bool alpha = bits(124, 1);
  const Fxt1Colour last = colour_and_green_bit(first + 1, green_bit);
  if (!alpha) return between(colour_and_green_bit(first, green_bit ^ bits(32 * half + 1, 1)), last, index, 3);
  if (index == 3) return fxt1_nothing;
  Fxt1Colour made = colour(first);
  if (index == 2) made = last;
  if (index == 1)
    for (size_t c = 0; c < 4; c++) made[c] = uint8_t((made[c] + last[c]) / 2);  // (rounded down)
  return made;
}

// CC_ALPHA: three colours with an alpha each, as they are; or each half's own, 0 and 2, towards colour 1.
Fxt1Colour Fxt1Block::with_alphas(unsigned half, unsigned index) const {
  if (bits(124, 1)) return between(colour_and_alpha(2 * half), colour_and_alpha(1), index, 3);
  return index == 3 ? fxt1_nothing : colour_and_alpha(index);
}

}  // namespace

std::array<uint8_t, 4> decode_fxt1_texel(const uint8_t* bytes, unsigned x, unsigned y) {
  const Fxt1Block block{bytes};
  // Row after row of the left half, then of the right one.
  const unsigned half = x >> 2 & 1, texel = half * 16 + (y & 3) * 4 + (x & 3);
  const unsigned mode = block.bits(125, 3);
  if (mode < 2) return block.high(block.bits(3 * texel, 3));
  const unsigned index = block.bits(2 * texel, 2);
  switch (mode) {
    case 2: return block.colour(index);  // CC_CHROMA
    case 3: return block.with_alphas(half, index);
    default: return block.mixed(half, index);
  }
}

}  // namespace Atoll::surface
