#include "surface/etc.h"

#include <algorithm>

namespace Atoll::surface {
namespace {

using Rgb = std::array<int, 3>;

uint64_t big_endian(const uint8_t* block) {
  uint64_t word = 0;
  for (int n = 0; n < 8; n++) word = word << 8 | block[n];
  return word;
}
constexpr int bits(uint64_t block, unsigned low, unsigned count) { return int(block >> low & ((1u << count) - 1)); }
constexpr int signed3(int n) { return n >= 4 ? n - 8 : n; }

// Numbers of 4 to 7 bits as 8: their upper bits follow again.
constexpr int widened(int n, unsigned from) { return n << (8 - from) | n >> (2 * from - 8); }
constexpr uint8_t byte_of(int n) { return uint8_t(std::clamp(n, 0, 255)); }

std::array<uint8_t, 4> opaque(const Rgb& c) { return {byte_of(c[0]), byte_of(c[1]), byte_of(c[2]), 255}; }
Rgb moved(const Rgb& c, int by) { return {c[0] + by, c[1] + by, c[2] + by}; }

// Table 21.3: what is added for the indices 0 and 1; 2 and 3 take it away.
constexpr uint8_t modifiers[8][2] = {{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}};
// Table 22.4: how far the colours of the T and H modes lie apart.
constexpr uint8_t distances[8] = {3, 6, 11, 16, 23, 32, 41, 64};
constexpr std::array<uint8_t, 4> transparent{};

// Two halves of a base colour and a table each.
std::array<uint8_t, 4> halves(uint64_t b, const Rgb (&base)[2], bool clear_zero, unsigned index, unsigned x, unsigned y) {
  const bool flipped = bits(b, 32, 1), second = flipped ? y > 1 : x > 1;
  const auto& table = modifiers[bits(b, second ? 34 : 37, 3)];
  if (clear_zero && index == 2) return transparent;
  int by = index & 1 ? table[1] : clear_zero ? 0 : table[0];
  if (index & 2) by = -by;
  return opaque(moved(base[second], by));
}

std::array<uint8_t, 4> t_mode(uint64_t b, bool clear, unsigned index) {
  const Rgb first{widened(bits(b, 59, 2) << 2 | bits(b, 56, 2), 4), widened(bits(b, 52, 4), 4), widened(bits(b, 48, 4), 4)};
  const Rgb second{widened(bits(b, 44, 4), 4), widened(bits(b, 40, 4), 4), widened(bits(b, 36, 4), 4)};
  const int distance = distances[bits(b, 34, 2) << 1 | bits(b, 32, 1)];
  switch (index) {
    case 0: return opaque(first);
    case 1: return opaque(moved(second, distance));
    case 2: return clear ? transparent : opaque(second);
    default: return opaque(moved(second, -distance));
  }
}

std::array<uint8_t, 4> h_mode(uint64_t b, bool clear, unsigned index) {
  const int r1 = bits(b, 59, 4), g1 = bits(b, 56, 3) << 1 | bits(b, 52, 1), b1 = bits(b, 51, 1) << 3 | bits(b, 47, 3);
  const int r2 = bits(b, 43, 4), g2 = bits(b, 39, 4), b2 = bits(b, 35, 4);
  const bool ordered = (r1 << 8 | g1 << 4 | b1) >= (r2 << 8 | g2 << 4 | b2);
  const int distance = distances[bits(b, 34, 1) << 2 | bits(b, 32, 1) << 1 | int(ordered)];
  const Rgb first{widened(r1, 4), widened(g1, 4), widened(b1, 4)}, second{widened(r2, 4), widened(g2, 4), widened(b2, 4)};
  switch (index) {
    case 0: return opaque(moved(first, distance));
    case 1: return opaque(moved(first, -distance));
    case 2: return clear ? transparent : opaque(moved(second, distance));
    default: return opaque(moved(second, -distance));
  }
}

std::array<uint8_t, 4> planar_mode(uint64_t b, unsigned x, unsigned y) {
  const Rgb origin{widened(bits(b, 57, 6), 6), widened(bits(b, 56, 1) << 6 | bits(b, 49, 6), 7),
                   widened(bits(b, 48, 1) << 5 | bits(b, 43, 2) << 3 | bits(b, 39, 3), 6)};
  const Rgb across{widened(bits(b, 34, 5) << 1 | bits(b, 32, 1), 6), widened(bits(b, 25, 7), 7), widened(bits(b, 19, 6), 6)};
  const Rgb down{widened(bits(b, 13, 6), 6), widened(bits(b, 6, 7), 7), widened(bits(b, 0, 6), 6)};
  Rgb out;
  for (size_t c = 0; c < 3; c++)
    out[c] = (int(x) * (across[c] - origin[c]) + int(y) * (down[c] - origin[c]) + 4 * origin[c] + 2) >> 2;
  return opaque(out);
}

// Table 22.7.
constexpr int8_t eac_modifiers[16][8] = {
    {-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12}, {-2, -5, -8, -13, 1, 4, 7, 12},
    {-2, -4, -6, -13, 1, 3, 5, 12}, {-3, -6, -8, -12, 2, 5, 7, 11},  {-3, -7, -9, -11, 2, 6, 8, 10},
    {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},  {-2, -6, -8, -10, 1, 5, 7, 9},
    {-2, -5, -8, -10, 1, 4, 7, 9},  {-2, -4, -8, -10, 1, 3, 7, 9},   {-2, -5, -7, -10, 1, 4, 6, 9},
    {-3, -4, -7, -10, 2, 3, 6, 9},  {-1, -2, -3, -10, 0, 1, 2, 9},   {-4, -6, -8, -9, 3, 5, 7, 8},
    {-3, -5, -7, -9, 2, 4, 6, 8}};
int eac_modifier(uint64_t b, unsigned x, unsigned y) { return eac_modifiers[bits(b, 48, 4)][bits(b, 45 - 3 * (x * 4 + y), 3)]; }

}  // namespace

std::array<uint8_t, 4> decode_etc2_texel(const uint8_t* block, bool punch_through, unsigned x, unsigned y) {
  const uint64_t b = big_endian(block);
  x &= 3, y &= 3;
  const unsigned place = x * 4 + y, index = unsigned(bits(b, 16 + place, 1) << 1 | bits(b, place, 1));
  const bool bit33 = bits(b, 33, 1), clear = punch_through && !bit33;
  Rgb base[2];
  if (!bit33 && !punch_through) {
    for (size_t c = 0; c < 3; c++)
      for (size_t half = 0; half < 2; half++) base[half][c] = widened(bits(b, unsigned(60 - 8 * c - 4 * half), 4), 4);
    return halves(b, base, false, index, x, y);
  }
  // The second colour is a difference to the first; where that leaves the range of five bits, another mode begins.
  for (size_t c = 0; c < 3; c++) {
    const int first = bits(b, unsigned(59 - 8 * c), 5), second = first + signed3(bits(b, unsigned(56 - 8 * c), 3));
    if (second < 0 || second > 31)
      return c == 0 ? t_mode(b, clear, index) : c == 1 ? h_mode(b, clear, index) : planar_mode(b, x, y);
    base[0][c] = widened(first, 5), base[1][c] = widened(second, 5);
  }
  return halves(b, base, clear, index, x, y);
}

uint8_t decode_eac_alpha(const uint8_t* block, unsigned x, unsigned y) {
  const uint64_t b = big_endian(block);
  return byte_of(bits(b, 56, 8) + eac_modifier(b, x & 3, y & 3) * bits(b, 52, 4));
}

int decode_eac_11(const uint8_t* block, bool is_signed, unsigned x, unsigned y) {
  const uint64_t b = big_endian(block);
  const int multiplier = bits(b, 52, 4), by = eac_modifier(b, x & 3, y & 3) * (multiplier ? multiplier * 8 : 1);
  if (!is_signed) return std::clamp(bits(b, 56, 8) * 8 + 4 + by, 0, 2047);
  return std::clamp(std::max(int(int8_t(bits(b, 56, 8))), -127) * 8 + by, -1023, 1023);
}

}  // namespace Atoll::surface
