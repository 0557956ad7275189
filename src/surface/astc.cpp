#include "surface/astc.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <optional>

namespace Atoll::surface {
namespace {

constexpr unsigned block_bits = 128, most_weights = 64, most_colours = 18, most_partitions = 4;

// 128 bits, the first in bit 0 of byte 0; behind them are zeros.
struct Bits {
  uint64_t low = 0, high = 0;
  uint32_t at(unsigned first, unsigned count) const {
    if (!count || first >= block_bits) return 0;
    const auto all = (static_cast<unsigned __int128>(high) << 64 | low) >> first;
    return uint32_t(uint64_t(all) & ((uint64_t(1) << count) - 1));
  }
  Bits reversed() const { return {reverse(high), reverse(low)}; }
  // The bits before bit `end`.
  Bits before(unsigned end) const {
    if (end >= block_bits) return *this;
    if (end >= 64) return {low, end == 64 ? 0 : high & ((uint64_t(1) << (end - 64)) - 1)};
    return {low & ((uint64_t(1) << end) - 1), 0};
  }

private:
  static uint64_t reverse(uint64_t x) { return __builtin_bitreverse64(x); }
};

// --- integer sequences (23.12)

struct Range {
  uint8_t bits, trits, quints;
  unsigned bits_of(unsigned count) const {
    return count * bits + (trits ? (8 * count + 4) / 5 : 0) + (quints ? (7 * count + 2) / 3 : 0);
  }
};
// By how many levels they have: 2 to 32 are weights', from 6 on colours'.
constexpr Range ranges[] = {{1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {0, 0, 1}, {1, 1, 0}, {3, 0, 0}, {1, 0, 1},
                            {2, 1, 0}, {4, 0, 0}, {2, 0, 1}, {3, 1, 0}, {5, 0, 0}, {3, 0, 1}, {4, 1, 0},
                            {6, 0, 0}, {4, 0, 1}, {5, 1, 0}, {7, 0, 0}, {5, 0, 1}, {6, 1, 0}, {8, 0, 0}};
constexpr unsigned first_colour_range = 4;

struct Digits {
  uint8_t bits, digit;  // the low bits, and the trit or quint above them
};

void read_trits(const Bits& source, unsigned at, unsigned bits, uint8_t (&digit)[5], uint8_t (&low)[5]) {
  constexpr uint8_t parts[] = {2, 2, 1, 2, 1};
  unsigned t = 0, have = 0;
  for (unsigned n = 0; n < 5; n++) {
    low[n] = uint8_t(source.at(at, bits)), at += bits;
    t |= source.at(at, parts[n]) << have, at += parts[n], have += parts[n];
  }
  unsigned c;
  if ((t >> 2 & 7) == 7) {
    c = (t >> 5 & 7) << 2 | (t & 3);
    digit[4] = digit[3] = 2;
  } else {
    c = t & 31;
    if ((t >> 5 & 3) == 3)
      digit[4] = 2, digit[3] = uint8_t(t >> 7);
    else
      digit[4] = uint8_t(t >> 7), digit[3] = uint8_t(t >> 5 & 3);
  }
  if ((c & 3) == 3) {
    digit[2] = 2, digit[1] = uint8_t(c >> 4);
    digit[0] = uint8_t((c >> 3 & 1) << 1 | (c >> 2 & 1 & ~(c >> 3)));
  } else if ((c >> 2 & 3) == 3) {
    digit[2] = digit[1] = 2, digit[0] = uint8_t(c & 3);
  } else {
    digit[2] = uint8_t(c >> 4), digit[1] = uint8_t(c >> 2 & 3);
    digit[0] = uint8_t((c >> 1 & 1) << 1 | (c & 1 & ~(c >> 1)));
  }
}

void read_quints(const Bits& source, unsigned at, unsigned bits, uint8_t (&digit)[5], uint8_t (&low)[5]) {
  constexpr uint8_t parts[] = {3, 2, 2};
  unsigned q = 0, have = 0;
  for (unsigned n = 0; n < 3; n++) {
    low[n] = uint8_t(source.at(at, bits)), at += bits;
    q |= source.at(at, parts[n]) << have, at += parts[n], have += parts[n];
  }
  if ((q >> 1 & 3) == 3 && (q >> 5 & 3) == 0) {
    const unsigned q0 = q & 1;
    digit[2] = uint8_t(q0 << 2 | (q >> 4 & 1 & ~q0) << 1 | (q >> 3 & 1 & ~q0));
    digit[1] = digit[0] = 4;
    return;
  }
  unsigned c;
  if ((q >> 1 & 3) == 3)
    digit[2] = 4, c = (q >> 3 & 3) << 3 | (~(q >> 5) & 3) << 1 | (q & 1);
  else
    digit[2] = uint8_t(q >> 5 & 3), c = q & 31;
  if ((c & 7) == 5)
    digit[1] = 4, digit[0] = uint8_t(c >> 3);
  else
    digit[1] = uint8_t(c >> 3), digit[0] = uint8_t(c & 7);
}

void read_sequence(const Bits& source, Range range, unsigned count, Digits* to) {
  const unsigned each = range.trits    ? 5
                        : range.quints ? 3
                                       : 1,
                 step = range.bits * each + (range.trits    ? 8
                                             : range.quints ? 7
                                                            : 0);
  for (unsigned n = 0, at = 0; n < count; n += each, at += step) {
    uint8_t digit[5] = {}, low[5] = {};
    if (range.trits)
      read_trits(source, at, range.bits, digit, low);
    else if (range.quints)
      read_quints(source, at, range.bits, digit, low);
    else
      low[0] = uint8_t(source.at(at, range.bits));
    for (unsigned k = 0; k < each && n + k < count; k++) to[n + k] = {low[k], digit[k]};
  }
}

// The low bits above the first, each at the places that a table of the specification gives it.
unsigned spread(unsigned low, std::initializer_list<int8_t> places) {
  unsigned out = 0;
  for (int8_t place : places) out = out << 1 | (place < 0 ? 0 : low >> place & 1);
  return out;
}

uint8_t colour_of(Range range, Digits d) {
  const unsigned v = d.bits;
  if (!range.trits && !range.quints) {
    unsigned out = 0;
    for (int shift = 8 - range.bits; shift > -int(range.bits); shift -= range.bits) out |= shift >= 0 ? v << shift : v >> -shift;
    return uint8_t(out);
  }
  unsigned b = 0, c = 0;
  if (range.trits) {
    switch (range.bits) {
      case 1: c = 204; break;
      case 2: c = 93, b = spread(v, {1, -1, -1, -1, 1, -1, 1, 1, -1}); break;
      case 3: c = 44, b = spread(v, {2, 1, -1, -1, -1, 2, 1, 2, 1}); break;
      case 4: c = 22, b = spread(v, {3, 2, 1, -1, -1, -1, 3, 2, 1}); break;
      case 5: c = 11, b = spread(v, {4, 3, 2, 1, -1, -1, -1, 4, 3}); break;
      default: c = 5, b = spread(v, {5, 4, 3, 2, 1, -1, -1, -1, 5}); break;
    }
  } else {
    switch (range.bits) {
      case 1: c = 113; break;
      case 2: c = 54, b = spread(v, {1, -1, -1, -1, -1, 1, 1, -1, -1}); break;
      case 3: c = 26, b = spread(v, {2, 1, -1, -1, -1, -1, 2, 1, 2}); break;
      case 4: c = 13, b = spread(v, {3, 2, 1, -1, -1, -1, -1, 3, 2}); break;
      default: c = 6, b = spread(v, {4, 3, 2, 1, -1, -1, -1, -1, 4}); break;
    }
  }
  const unsigned a = v & 1 ? 0x1ff : 0, t = (d.digit * c + b) ^ a;
  return uint8_t((a & 0x80) | t >> 2);
}

uint8_t weight_of(Range range, Digits d) {
  const unsigned v = d.bits;
  unsigned w;
  if (!range.trits && !range.quints) {
    w = 0;
    for (int shift = 6 - range.bits; shift > -int(range.bits); shift -= range.bits) w |= shift >= 0 ? v << shift : v >> -shift;
  } else if (!range.bits) {
    constexpr uint8_t trits[] = {0, 32, 63}, quints[] = {0, 16, 32, 47, 63};
    w = range.trits ? trits[d.digit] : quints[d.digit];
  } else {
    unsigned b = 0, c;
    if (range.trits) {
      c = range.bits == 1 ? 50 : range.bits == 2 ? 23 : 11;
      if (range.bits == 2) b = spread(v, {1, -1, -1, -1, 1, -1, 1});
      if (range.bits == 3) b = spread(v, {2, 1, -1, -1, -1, 2, 1});
    } else {
      c = range.bits == 1 ? 28 : 13;
      if (range.bits == 2) b = spread(v, {1, -1, -1, -1, -1, 1, -1});
    }
    const unsigned a = v & 1 ? 0x7f : 0, t = (d.digit * c + b) ^ a;
    w = (a & 0x20) | t >> 2;
  }
  return uint8_t(w > 32 ? w + 1 : w);
}

// --- the block's parts

struct Mode {
  unsigned width = 0, height = 0;  // of the grid of weights
  bool dual = false;
  Range range{};
  unsigned count() const { return width * height * (dual ? 2 : 1); }
};

// 23.10; none: reserved.
std::optional<Mode> mode_of(unsigned m) {
  Mode mode;
  unsigned r;
  bool precise = m >> 9 & 1;
  mode.dual = m >> 10 & 1;
  const unsigned a = m >> 5 & 3, b = m >> 7 & 3;
  if (m & 3) {
    r = (m >> 4 & 1) | (m & 3) << 1;
    switch (m >> 2 & 3) {
      case 0: mode.width = b + 4, mode.height = a + 2; break;
      case 1: mode.width = b + 8, mode.height = a + 2; break;
      case 2: mode.width = a + 2, mode.height = b + 8; break;
      default:
        if (b & 2)
          mode.width = (b & 1) + 2, mode.height = a + 2;
        else
          mode.width = a + 2, mode.height = (b & 1) + 6;
    }
  } else {
    r = (m >> 4 & 1) | (m >> 2 & 3) << 1;
    switch (b) {
      case 0: mode.width = 12, mode.height = a + 2; break;
      case 1: mode.width = a + 2, mode.height = 12; break;
      case 2: mode.width = a + 6, mode.height = (m >> 9 & 3) + 6, mode.dual = precise = false; break;
      default:
        if (a > 1) return {};
        mode.width = a ? 10 : 6, mode.height = a ? 6 : 10;
    }
  }
  if (r < 2) return {};
  mode.range = ranges[r - 2 + (precise ? 6 : 0)];
  return mode;
}

// The partition that a texel is in (23.21).
unsigned partition_of(unsigned index, unsigned x, unsigned y, unsigned count, bool small) {
  if (small) x <<= 1, y <<= 1;
  const uint32_t seed = index + (count - 1) * 1024;
  uint32_t p = seed;
  p ^= p >> 15, p -= p << 17, p += p << 7, p += p << 4, p ^= p >> 5, p += p << 16, p ^= p >> 7, p ^= p >> 3, p ^= p << 6,
      p ^= p >> 17;
  uint32_t s[8];
  for (unsigned n = 0; n < 8; n++) s[n] = p >> 4 * n & 15, s[n] *= s[n];
  unsigned first = count == 3 ? 6 : 5, second = seed & 2 ? 4 : 5;
  if (seed & 1) std::swap(first, second);
  for (unsigned n = 0; n < 8; n++) s[n] >>= n % 2 ? second : first;
  const unsigned a = (s[0] * x + s[1] * y + (p >> 14)) & 63, b = (s[2] * x + s[3] * y + (p >> 10)) & 63;
  const unsigned c = count < 3 ? 0 : (s[4] * x + s[5] * y + (p >> 6)) & 63,
                 d = count < 4 ? 0 : (s[6] * x + s[7] * y + (p >> 2)) & 63;
  if (a >= b && a >= c && a >= d) return 0;
  if (b >= c && b >= d) return 1;
  return c >= d ? 2 : 3;
}

// --- endpoints (23.14)

using Colour = std::array<int, 4>;
struct Endpoints {
  Colour low, high;
};

void transfer(int& a, int& b) {
  b = b >> 1 | (a & 0x80);
  a = a >> 1 & 0x3f;
  if (a & 0x20) a -= 0x40;
}
Colour contracted(Colour c) { return {(c[0] + c[2]) >> 1, (c[1] + c[2]) >> 1, c[2], c[3]}; }

// None: a mode of HDR, whose partition is magenta.
std::optional<Endpoints> endpoints_of(unsigned mode, const uint8_t* bytes) {
  int v[8];
  std::copy_n(bytes, 2 * (mode / 4 + 1), v);
  Endpoints e;
  switch (mode) {
    case 0: e = {{v[0], v[0], v[0], 255}, {v[1], v[1], v[1], 255}}; break;
    case 1: {
      const int l0 = v[0] >> 2 | (v[1] & 0xc0), l1 = std::min(l0 + (v[1] & 0x3f), 255);
      e = {{l0, l0, l0, 255}, {l1, l1, l1, 255}};
      break;
    }
    case 4: e = {{v[0], v[0], v[0], v[2]}, {v[1], v[1], v[1], v[3]}}; break;
    case 5: {
      transfer(v[1], v[0]), transfer(v[3], v[2]);
      const int l = v[0] + v[1];
      e = {{v[0], v[0], v[0], v[2]}, {l, l, l, v[2] + v[3]}};
      break;
    }
    case 6:
    case 10: {
      const bool alphas = mode == 10;
      e = {{v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, alphas ? v[4] : 255}, {v[0], v[1], v[2], alphas ? v[5] : 255}};
      break;
    }
    case 8:
    case 12: {
      const Colour a{v[0], v[2], v[4], mode == 12 ? v[6] : 255}, b{v[1], v[3], v[5], mode == 12 ? v[7] : 255};
      if (v[1] + v[3] + v[5] >= v[0] + v[2] + v[4])
        e = {a, b};
      else
        e = {contracted(b), contracted(a)};
      break;
    }
    case 9:
    case 13: {
      transfer(v[1], v[0]), transfer(v[3], v[2]), transfer(v[5], v[4]);
      if (mode == 13) transfer(v[7], v[6]);
      const Colour a{v[0], v[2], v[4], mode == 13 ? v[6] : 255},
          b{v[0] + v[1], v[2] + v[3], v[4] + v[5], mode == 13 ? v[6] + v[7] : 255};
      if (v[1] + v[3] + v[5] >= 0)
        e = {a, b};
      else
        e = {contracted(b), contracted(a)};
      break;
    }
    default: return {};
  }
  for (Colour* c : {&e.low, &e.high})
    for (int& x : *c) x = std::clamp(x, 0, 255);
  return e;
}

// --- results (23.19)

// The half-precision number for `value` / 65536, rounded towards zero.
uint16_t half_of(unsigned value) {
  if (value == 65535) return 0x3c00;
  if (value < 4) return uint16_t(value << 8);
  const unsigned exponent = unsigned(std::bit_width(value)) - 1;
  const unsigned mantissa = exponent > 10 ? value >> (exponent - 10) : value << (10 - exponent);
  return uint16_t((exponent - 1) << 10 | (mantissa & 0x3ff));
}

using Texel = std::array<uint16_t, 4>;
Texel magenta(bool srgb) {
  const uint16_t top = srgb ? 0xff : 0x3c00;
  return {top, 0, top, top};
}

void fill(AstcSize size, uint16_t (*texels)[4], const Texel& colour) {
  for (unsigned n = 0; n < size.width * size.height; n++) std::ranges::copy(colour, texels[n]);
}

bool decode_constant(const Bits& bits, bool srgb, Texel& colour) {
  if (bits.at(9, 3) != 6) return false;  // of HDR, or reserved bits that are not ones
  const unsigned s0 = bits.at(12, 13), s1 = bits.at(25, 13), t0 = bits.at(38, 13), t1 = bits.at(51, 13);
  constexpr unsigned nowhere = 0x1fff;
  if ((s0 & s1 & t0 & t1) != nowhere && (s0 >= s1 || t0 >= t1)) return false;
  for (unsigned c = 0; c < 4; c++) {
    const unsigned value = bits.at(64 + 16 * c, 16);
    colour[c] = srgb ? uint16_t(value >> 8) : half_of(value);
  }
  return true;
}

bool decode(const Bits& bits, AstcSize size, bool srgb, uint16_t (*texels)[4]) {
  const auto mode = mode_of(bits.at(0, 11));
  if (!mode || mode->width > size.width || mode->height > size.height || mode->count() > most_weights) return false;
  const unsigned weight_bits = mode->range.bits_of(mode->count()), partitions = bits.at(11, 2) + 1;
  if (weight_bits < 24 || weight_bits > 96 || (partitions == most_partitions && mode->dual)) return false;

  // Each partition's endpoint mode, and the bits where colours begin and end (23.11, 23.20).
  unsigned modes[most_partitions], begin, end = block_bits - weight_bits;
  if (partitions == 1) {
    modes[0] = bits.at(13, 4), begin = 17;
  } else {
    begin = 29;
    const unsigned selector = bits.at(23, 2);
    if (!selector) {
      std::fill_n(modes, partitions, bits.at(25, 4));
    } else {
      const unsigned more = 3 * partitions - 4;
      end -= more;
      const unsigned fields = bits.at(25, 4) | bits.at(end, more) << 4;
      for (unsigned n = 0; n < partitions; n++)
        modes[n] = (selector - 1 + (fields >> n & 1)) * 4 + (fields >> (partitions + 2 * n) & 3);
    }
  }
  if (mode->dual) end -= 2;
  const unsigned second = mode->dual ? bits.at(end, 2) : 4;  // the component of the second plane

  unsigned colours = 0;
  for (unsigned n = 0; n < partitions; n++) colours += 2 * (modes[n] / 4 + 1);
  if (colours > most_colours || end < begin || end - begin < (13 * colours + 4) / 5) return false;
  unsigned range = std::size(ranges) - 1;
  while (range > first_colour_range && ranges[range].bits_of(colours) > end - begin) range--;
  Digits digits[most_weights];
  const Bits colour_data = bits.before(begin + ranges[range].bits_of(colours));
  const auto shifted = (static_cast<unsigned __int128>(colour_data.high) << 64 | colour_data.low) >> begin;
  read_sequence({uint64_t(shifted), uint64_t(shifted >> 64)}, ranges[range], colours, digits);
  uint8_t bytes[most_colours];
  for (unsigned n = 0; n < colours; n++) bytes[n] = colour_of(ranges[range], digits[n]);
  std::optional<Endpoints> ends[most_partitions];
  for (unsigned n = 0, at = 0; n < partitions; at += 2 * (modes[n] / 4 + 1), n++) {
    ends[n] = endpoints_of(modes[n], bytes + at);
  }

  // Weights stand from the block's end backwards, those of two planes in turn. Behind the grid are zeros.
  read_sequence(bits.reversed().before(weight_bits), mode->range, mode->count(), digits);
  uint8_t grid[2][most_weights + 16] = {};
  for (unsigned n = 0; n < mode->count(); n++) (mode->dual ? grid[n % 2][n / 2] : grid[0][n]) = weight_of(mode->range, digits[n]);
  const unsigned scale_x = (1024 + size.width / 2) / (size.width - 1), scale_y = (1024 + size.height / 2) / (size.height - 1);
  for (unsigned y = 0; y < size.height; y++)
    for (unsigned x = 0; x < size.width; x++) {
      const unsigned gx = (scale_x * x * (mode->width - 1) + 32) >> 6, gy = (scale_y * y * (mode->height - 1) + 32) >> 6;
      const unsigned fx = gx & 15, fy = gy & 15, at = (gx >> 4) + (gy >> 4) * mode->width;
      const unsigned w11 = (fx * fy + 8) >> 4, w10 = fy - w11, w01 = fx - w11, w00 = 16 - fx - fy + w11;
      auto weight = [&](const uint8_t* g) {
        return int((g[at] * w00 + g[at + 1] * w01 + g[at + mode->width] * w10 + g[at + mode->width + 1] * w11 + 8) >> 4);
      };
      const int weights[2] = {weight(grid[0]), mode->dual ? weight(grid[1]) : 0};
      const auto& e = ends[partitions == 1 ? 0 : partition_of(bits.at(13, 10), x, y, partitions, size.width * size.height < 31)];
      uint16_t* texel = texels[y * size.width + x];
      if (!e) {
        std::ranges::copy(magenta(srgb), texel);
        continue;
      }
      for (unsigned c = 0; c < 4; c++) {
        const int w = weights[c == second];
        auto wide = [&](int v) { return srgb ? v << 8 | 0x80 : v << 8 | v; };
        const auto value = unsigned((wide(e->low[c]) * (64 - w) + wide(e->high[c]) * w + 32) >> 6);
        texel[c] = srgb ? uint16_t(value >> 8) : half_of(value);
      }
    }
  return true;
}

}  // namespace

void decode_astc_block(const uint8_t* block, AstcSize size, bool srgb, uint16_t (*texels)[4]) {
  Bits bits;
  std::memcpy(&bits.low, block, 8), std::memcpy(&bits.high, block + 8, 8);
  const Texel error = magenta(srgb);
  Texel constant;
  if (bits.at(0, 9) == 0x1fc) return fill(size, texels, decode_constant(bits, srgb, constant) ? constant : error);
  if (!decode(bits, size, srgb, texels)) fill(size, texels, error);
}

}  // namespace Atoll::surface
