#include "surface/bptc.h"

#include <bit>
#include <cstring>
#include <string_view>

namespace Atoll::surface {

namespace {

// Two bits a texel: its subset, in blocks of two and of three subsets.
constexpr uint32_t two_subsets[64] = {
    0x50505050, 0x40404040, 0x54545454, 0x54505040, 0x50404000, 0x55545450, 0x55545040, 0x54504000, 0x50400000, 0x55555450,
    0x55544000, 0x54400000, 0x55555440, 0x55550000, 0x55555500, 0x55000000, 0x55150100, 0x00004054, 0x15010000, 0x00405054,
    0x00004050, 0x15050100, 0x05010000, 0x40505054, 0x00404050, 0x05010100, 0x14141414, 0x05141450, 0x01155440, 0x00555500,
    0x15014054, 0x05414150, 0x44444444, 0x55005500, 0x11441144, 0x05055050, 0x05500550, 0x11114444, 0x41144114, 0x44111144,
    0x15055054, 0x01055040, 0x05041050, 0x05455150, 0x14414114, 0x50050550, 0x41411414, 0x00141400, 0x00041504, 0x00105410,
    0x10541000, 0x04150400, 0x50410514, 0x41051450, 0x05415014, 0x14054150, 0x41050514, 0x41505014, 0x40011554, 0x54150140,
    0x50505500, 0x00555050, 0x15151010, 0x54540404,
};
constexpr uint32_t three_subsets[64] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050, 0xaa550000, 0xaa555500,
    0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250, 0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0,
    0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500, 0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414,
    0x50a4a450, 0x6a5a0200, 0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600, 0xaa444444, 0x54a854a8,
    0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000, 0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000,
    0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
};

// A hexadecimal digit a partition: the texel whose index has one bit less, of the second of two subsets, of the second and of the
// third of three. For the first subset it is texel 0.
constexpr std::string_view anchors_second_of_two = "fffffffffffffffff282288f28228822ff6828ff28222ff66268ff22fffff22f";
constexpr std::string_view anchors_second_of_three = "33ff83ff88666533338f336a588685ff8f356a8ff3f5ffff3f55585a5a8dfc33";
constexpr std::string_view anchors_third_of_three = "f883ff38fffffff8f8f3f8f83f6affa8f3faa89a6f8f3668f3ffffffffff3ff8";

constexpr unsigned digit(char c) { return unsigned(c <= '9' ? c - '0' : c - 'a' + 10); }

unsigned subset_of(unsigned subsets, unsigned partition, unsigned texel) {
  if (subsets == 1) return 0;
  return (subsets == 2 ? two_subsets : three_subsets)[partition] >> 2 * texel & 3;
}

bool is_anchor(unsigned subsets, unsigned partition, unsigned texel) {
  if (texel == 0) return true;
  if (subsets == 2) return texel == digit(anchors_second_of_two[partition]);
  if (subsets == 3)
    return texel == digit(anchors_second_of_three[partition]) || texel == digit(anchors_third_of_three[partition]);
  return false;
}

constexpr uint8_t weights_2[] = {0, 21, 43, 64}, weights_3[] = {0, 9, 18, 27, 37, 46, 55, 64},
                  weights_4[] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};

int interpolated(int from, int to, unsigned index, unsigned index_bits) {
  int weight = (index_bits == 2 ? weights_2 : index_bits == 3 ? weights_3 : weights_4)[index];
  return (from * (64 - weight) + to * weight + 32) >> 6;
}

// The block's 128 bits, taken from the lowest upwards.
class Bits {
public:
  explicit Bits(const uint8_t* block) {
    std::memcpy(&low_, block, 8);
    std::memcpy(&high_, block + 8, 8);
  }
  unsigned at(unsigned place, unsigned count) const {
    if (count == 0) return 0;
    uint64_t word = place >= 64 ? high_ >> (place - 64) : place == 0 ? low_ : low_ >> place | high_ << (64 - place);
    return unsigned(word) & ((1u << count) - 1);
  }
  unsigned take(unsigned count) {
    place_ += count;
    return at(place_ - count, count);
  }
  void skip(unsigned count) { place_ += count; }

  // The index of a texel, of indices that begin here.
  unsigned index(unsigned bits, unsigned subsets, unsigned partition, unsigned texel) const {
    unsigned place = place_;
    for (unsigned t = 0; t < texel; t++) place += bits - is_anchor(subsets, partition, t);
    return at(place, bits - is_anchor(subsets, partition, texel));
  }

private:
  uint64_t low_, high_;
  unsigned place_ = 0;
};

struct Bc7Mode {
  uint8_t subsets, partition_bits, rotation_bits, selection_bits, colour_bits, alpha_bits;
  uint8_t parity_bits;  // lowest bits of endpoints: 0, 1 a subset, or 2 (one each endpoint)
  uint8_t index_bits, second_index_bits;
};
constexpr Bc7Mode bc7_modes[8] = {
    {3, 4, 0, 0, 4, 0, 2, 3, 0}, {2, 6, 0, 0, 6, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 2, 2, 0},
    {1, 0, 2, 1, 5, 6, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 2, 2}, {1, 0, 0, 0, 7, 7, 2, 4, 0}, {2, 6, 0, 0, 5, 5, 2, 2, 0},
};

// Bits of a BC6H block after its mode, in order: component and endpoint, and which of its bits, from the first to the second
// named.
struct Bc6Mode {
  uint8_t mode, mode_bits;
  bool deltas;  // endpoints 1 to 3 are differences to endpoint 0
  uint8_t partition_bits, bits;
  uint8_t other_bits[3];  // of endpoints 1 to 3
  std::string_view layout;
};
constexpr Bc6Mode bc6_modes[] = {
    {0b00,
     2,
     true,
     5,
     10,
     {5, 5, 5},
     "g2[4] b2[4] b3[4] r0[9:0] g0[9:0] b0[9:0] r1[4:0] g3[4] g2[3:0] g1[4:0] b3[0] g3[3:0] b1[4:0] b3[1] b2[3:0] r2[4:0] b3[2] "
     "r3[4:0] b3[3]"},
    {0b01,
     2,
     true,
     5,
     7,
     {6, 6, 6},
     "g2[5] g3[4] g3[5] r0[6:0] b3[0] b3[1] b2[4] g0[6:0] b2[5] b3[2] g2[4] b0[6:0] b3[3] b3[5] b3[4] r1[5:0] g2[3:0] g1[5:0] "
     "g3[3:0] b1[5:0] b2[3:0] r2[5:0] r3[5:0]"},
    {0b00010,
     5,
     true,
     5,
     11,
     {5, 4, 4},
     "r0[9:0] g0[9:0] b0[9:0] r1[4:0] r0[10] g2[3:0] g1[3:0] g0[10] b3[0] g3[3:0] b1[3:0] b0[10] b3[1] b2[3:0] r2[4:0] b3[2] "
     "r3[4:0] b3[3]"},
    {0b00011, 5, false, 0, 10, {10, 10, 10}, "r0[9:0] g0[9:0] b0[9:0] r1[9:0] g1[9:0] b1[9:0]"},
    {0b00110,
     5,
     true,
     5,
     11,
     {4, 5, 4},
     "r0[9:0] g0[9:0] b0[9:0] r1[3:0] r0[10] g3[4] g2[3:0] g1[4:0] g0[10] g3[3:0] b1[3:0] b0[10] b3[1] b2[3:0] r2[3:0] b3[0] "
     "b3[2] r3[3:0] g2[4] b3[3]"},
    {0b00111, 5, true, 0, 11, {9, 9, 9}, "r0[9:0] g0[9:0] b0[9:0] r1[8:0] r0[10] g1[8:0] g0[10] b1[8:0] b0[10]"},
    {0b01010,
     5,
     true,
     5,
     11,
     {4, 4, 5},
     "r0[9:0] g0[9:0] b0[9:0] r1[3:0] r0[10] b2[4] g2[3:0] g1[3:0] g0[10] b3[0] g3[3:0] b1[4:0] b0[10] b2[3:0] r2[3:0] b3[1] "
     "b3[2] r3[3:0] b3[4] b3[3]"},
    {0b01011, 5, true, 0, 12, {8, 8, 8}, "r0[9:0] g0[9:0] b0[9:0] r1[7:0] r0[10:11] g1[7:0] g0[10:11] b1[7:0] b0[10:11]"},
    {0b01110,
     5,
     true,
     5,
     9,
     {5, 5, 5},
     "r0[8:0] b2[4] g0[8:0] g2[4] b0[8:0] b3[4] r1[4:0] g3[4] g2[3:0] g1[4:0] b3[0] g3[3:0] b1[4:0] b3[1] b2[3:0] r2[4:0] b3[2] "
     "r3[4:0] b3[3]"},
    {0b01111, 5, true, 0, 16, {4, 4, 4}, "r0[9:0] g0[9:0] b0[9:0] r1[3:0] r0[10:15] g1[3:0] g0[10:15] b1[3:0] b0[10:15]"},
    {0b10010,
     5,
     true,
     5,
     8,
     {6, 5, 5},
     "r0[7:0] g3[4] b2[4] g0[7:0] b3[2] g2[4] b0[7:0] b3[3] b3[4] r1[5:0] g2[3:0] g1[4:0] b3[0] g3[3:0] b1[4:0] b3[1] b2[3:0] "
     "r2[5:0] r3[5:0]"},
    {0b10110,
     5,
     true,
     5,
     8,
     {5, 6, 5},
     "r0[7:0] b3[0] b2[4] g0[7:0] g2[5] g2[4] b0[7:0] g3[5] b3[4] r1[4:0] g3[4] g2[3:0] g1[5:0] g3[3:0] b1[4:0] b3[1] b2[3:0] "
     "r2[4:0] b3[2] r3[4:0] b3[3]"},
    {0b11010,
     5,
     true,
     5,
     8,
     {5, 5, 6},
     "r0[7:0] b3[1] b2[4] g0[7:0] b2[5] g2[4] b0[7:0] b3[5] b3[4] r1[4:0] g3[4] g2[3:0] g1[4:0] b3[0] g3[3:0] b1[5:0] b2[3:0] "
     "r2[4:0] b3[2] r3[4:0] b3[3]"},
    {0b11110,
     5,
     false,
     5,
     6,
     {6, 6, 6},
     "r0[5:0] g3[4] b3[0] b3[1] b2[4] g0[5:0] g2[5] b2[5] b3[2] g2[4] b0[5:0] g3[5] b3[3] b3[5] b3[4] r1[5:0] g2[3:0] g1[5:0] "
     "g3[3:0] b1[5:0] b2[3:0] r2[5:0] r3[5:0]"},
};

int sign_extended(unsigned value, unsigned bits) { return int32_t(value << (32 - bits)) >> (32 - bits); }

// Fields such as "r0[9:0]" or "g2[4]" of a layout. In [high:low] the lowest bit comes first, in [low:high] the highest.
void read_endpoints(std::string_view layout, Bits& bits, unsigned (&endpoint)[4][3]) {
  size_t at = 0;
  auto number = [&] {
    unsigned value = 0;
    while (layout[at] >= '0' && layout[at] <= '9') value = value * 10 + unsigned(layout[at++] - '0');
    return value;
  };
  while (at < layout.size()) {
    unsigned component = layout[at] == 'r' ? 0 : layout[at] == 'g' ? 1 : 2;
    unsigned& value = endpoint[layout[at + 1] - '0'][component];
    at += 3;
    unsigned first = number(), second = first;
    if (layout[at] == ':') {
      at++;
      second = number();
    }
    at += 2;  // "] "
    if (first >= second)
      value |= bits.take(first - second + 1) << second;
    else
      for (unsigned bit = second; bit + 1 > first; bit--) value |= bits.take(1) << bit;
  }
}

int unquantized(int value, unsigned bits, bool is_signed) {
  if (!is_signed) {
    if (bits >= 15 || value == 0) return value;
    return value == (1 << bits) - 1 ? 0xffff : ((value << 16) + 0x8000) >> bits;
  }
  if (bits >= 16) return value;
  int magnitude = value < 0 ? -value : value;
  int full = magnitude == 0 ? 0 : magnitude >= (1 << (bits - 1)) - 1 ? 0x7fff : ((magnitude << 15) + 0x4000) >> (bits - 1);
  return value < 0 ? -full : full;
}

}  // namespace

std::array<uint8_t, 4> decode_bc7_texel(const uint8_t* block, unsigned texel) {
  if (block[0] == 0) return {0, 0, 0, 0};
  unsigned number = unsigned(std::countr_zero(block[0]));
  const Bc7Mode& mode = bc7_modes[number];
  Bits bits(block);
  bits.skip(number + 1);
  unsigned partition = bits.take(mode.partition_bits), rotation = bits.take(mode.rotation_bits);
  bool selected = bits.take(mode.selection_bits);
  unsigned endpoint[6][4];
  for (unsigned c = 0; c < 4; c++)
    for (unsigned e = 0; e < 2u * mode.subsets; e++) endpoint[e][c] = bits.take(c < 3 ? mode.colour_bits : mode.alpha_bits);
  unsigned parity[6] = {};
  for (unsigned e = 0; e < 2u * mode.subsets; e++)
    if (mode.parity_bits == 2)
      parity[e] = bits.take(1);
    else if (mode.parity_bits == 1)
      parity[e] = e % 2 ? parity[e - 1] : bits.take(1);
  for (unsigned e = 0; e < 2u * mode.subsets; e++)
    for (unsigned c = 0; c < 4; c++) {
      unsigned width = c < 3 ? mode.colour_bits : mode.alpha_bits, value = endpoint[e][c];
      if (width == 0) {
        endpoint[e][c] = 255;
        continue;
      }
      if (mode.parity_bits) {
        value = value << 1 | parity[e];
        width++;
      }
      endpoint[e][c] = (value << (8 - width) | value >> (2 * width - 8)) & 255;
    }
  unsigned subset = subset_of(mode.subsets, partition, texel);
  unsigned index = bits.index(mode.index_bits, mode.subsets, partition, texel), second = index;
  unsigned index_bits = mode.index_bits, second_bits = index_bits;
  if (mode.second_index_bits) {
    bits.skip(16u * mode.index_bits - 1);
    second = bits.index(mode.second_index_bits, 1, 0, texel);
    second_bits = mode.second_index_bits;
  }
  if (selected) {
    std::swap(index, second);
    std::swap(index_bits, second_bits);
  }
  std::array<uint8_t, 4> colour;
  for (unsigned c = 0; c < 4; c++)
    colour[c] = uint8_t(interpolated(int(endpoint[2 * subset][c]), int(endpoint[2 * subset + 1][c]), c < 3 ? index : second,
                                     c < 3 ? index_bits : second_bits));
  if (rotation) std::swap(colour[3], colour[rotation - 1]);
  return colour;
}

std::array<uint16_t, 3> decode_bc6h_texel(const uint8_t* block, bool is_signed, unsigned texel) {
  const Bc6Mode* mode = nullptr;
  for (const Bc6Mode& m : bc6_modes)
    if ((block[0] & ((1u << m.mode_bits) - 1)) == m.mode) mode = &m;
  if (!mode) return {0, 0, 0};
  Bits bits(block);
  bits.skip(mode->mode_bits);
  unsigned raw[4][3] = {};
  read_endpoints(mode->layout, bits, raw);
  unsigned partition = bits.take(mode->partition_bits), subsets = mode->partition_bits ? 2 : 1;
  unsigned subset = subset_of(subsets, partition, texel), index_bits = subsets == 2 ? 3 : 4;
  unsigned index = bits.index(index_bits, subsets, partition, texel);
  std::array<uint16_t, 3> half;
  for (unsigned c = 0; c < 3; c++) {
    int ends[2];
    for (unsigned e = 0; e < 2; e++) {
      unsigned n = 2 * subset + e, value = raw[n][c];
      if (n > 0 && mode->deltas) value = raw[0][c] + unsigned(sign_extended(value, mode->other_bits[c]));
      value &= (1u << mode->bits) - 1;
      ends[e] = unquantized(is_signed ? sign_extended(value, mode->bits) : int(value), mode->bits, is_signed);
    }
    int value = interpolated(ends[0], ends[1], index, index_bits);
    if (!is_signed)
      half[c] = uint16_t(value * 31 >> 6);
    else
      half[c] = uint16_t(value < 0 ? 0x8000 | -value * 31 >> 5 : value * 31 >> 5);
  }
  return half;
}

}  // namespace Atoll::surface
