#include "surface/block_compression.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "surface/bptc.h"
#include "surface/etc.h"
#include "surface/fxt1.h"
#include "surface/number.h"

namespace Atoll::surface {

namespace {

uint64_t load64(const uint8_t* bytes) {
  uint64_t v;
  std::memcpy(&v, bytes, 8);
  return v;
}

// A colour block: two colours of 5:6:5, then two bits a texel. BC1 alone has the form with a third colour and (transparent)
// black, chosen by the order of its two colours; `alpha` comes out as 0 for that black. sRGB colours are interpolated as they are
// stored, then turned into linear light.
void decode_colour(uint64_t block, unsigned texel, bool is_bc1, bool srgb, std::array<float, 4>& out) {
  uint32_t end[2] = {uint32_t(block & 0xffff), uint32_t(block >> 16 & 0xffff)};
  unsigned code = block >> (32 + 2 * texel) & 3;
  bool three_colours = is_bc1 && end[0] <= end[1];
  out[3] = 1;
  if (three_colours && code == 3) {
    out = {0, 0, 0, 0};
    return;
  }
  // weight[0] parts of colour 0 and weight[1] parts of colour 1
  constexpr uint8_t four[4][2] = {{3, 0}, {0, 3}, {2, 1}, {1, 2}}, three[3][2] = {{2, 0}, {0, 2}, {1, 1}};
  auto& weight = three_colours ? three[code] : four[code];
  constexpr Field field[3] = {{11, 5}, {5, 6}, {0, 5}};  // red is in the upper bits
  for (int i = 0; i < 3; i++) {
    uint32_t most = (1u << field[i].bits) - 1;
    uint32_t a = end[0] >> field[i].first_bit & most, b = end[1] >> field[i].first_bit & most;
    uint32_t sum = a * weight[0] + b * weight[1], highest = most * (weight[0] + weight[1]);
    out[i] = srgb ? std::bit_cast<float>(srgb_ratios(highest)[sum]) : float(sum) / float(highest);
  }
}

// An alpha (RGTC) block: two bytes, then three bits a texel.
float decode_ramp(uint64_t block, unsigned texel, bool is_signed) {
  int first = int(block & 0xff), second = int(block >> 8 & 0xff), lowest = 0;
  if (is_signed) {
    first = std::max<int>(int8_t(first), -127);
    second = std::max<int>(int8_t(second), -127);
    lowest = -127;
  }
  int highest = is_signed ? 127 : 255;
  // The stored values decide between the two forms: -128 and -127 differ there.
  bool eight = is_signed ? int8_t(block) > int8_t(block >> 8) : first > second;
  int code = int(block >> (16 + 3 * texel) & 7);
  if (code == 0) return float(first) / float(highest);
  if (code == 1) return float(second) / float(highest);
  if (eight) return float((8 - code) * first + (code - 1) * second) / float(7 * highest);
  if (code == 6) return float(lowest) / float(highest);
  if (code == 7) return 1;
  return float((6 - code) * first + (code - 1) * second) / float(5 * highest);
}

float decode_eac(const uint8_t* block, Number number, unsigned x, unsigned y) {
  const bool is_signed = number == Number::snorm;
  return float(decode_eac_11(block, is_signed, x, y)) / (is_signed ? 1023.0f : 2047.0f);
}

}  // namespace

std::array<float, 4> decode_block_texel(Layout layout, Number number, const uint8_t* block, unsigned x, unsigned y) {
  unsigned texel = (y & 3) * 4 + (x & 3);
  const bool srgb = number == Number::srgb;
  std::array<float, 4> colour = {0, 0, 0, 1};
  switch (layout) {
    case Layout::bc1: decode_colour(load64(block), texel, true, srgb, colour); break;
    case Layout::bc2:
      decode_colour(load64(block + 8), texel, false, srgb, colour);
      colour[3] = from_unorm(load64(block) >> 4 * texel & 15, 4);
      break;
    case Layout::bc3:
      decode_colour(load64(block + 8), texel, false, srgb, colour);
      colour[3] = decode_ramp(load64(block), texel, false);
      break;
    case Layout::bc5: colour[1] = decode_ramp(load64(block + 8), texel, number == Number::snorm); [[fallthrough]];
    case Layout::bc4: colour[0] = decode_ramp(load64(block), texel, number == Number::snorm); break;
    case Layout::bc6h: {
      auto half = decode_bc6h_texel(block, number == Number::snorm, texel);
      for (int i = 0; i < 3; i++) colour[i] = from_half(half[i]);
      break;
    }
    case Layout::bc7: {
      auto bytes = decode_bc7_texel(block, texel);
      for (int i = 0; i < 4; i++)
        colour[i] = srgb && i < 3 ? std::bit_cast<float>(srgb_ratios(255)[bytes[i]]) : from_unorm(bytes[i], 8);
      break;
    }
    case Layout::etc2:
    case Layout::etc2_pta:
    case Layout::etc2_eac: {
      auto bytes = decode_etc2_texel(layout == Layout::etc2_eac ? block + 8 : block, layout == Layout::etc2_pta, x, y);
      if (layout == Layout::etc2_eac) bytes[3] = decode_eac_alpha(block, x, y);
      for (int i = 0; i < 4; i++) colour[i] = srgb && i < 3 ? from_srgb8(bytes[i]) : from_unorm(bytes[i], 8);
      break;
    }
    case Layout::eac_rg11: colour[1] = decode_eac(block + 8, number, x, y); [[fallthrough]];
    case Layout::eac_r11: colour[0] = decode_eac(block, number, x, y); break;
    case Layout::fxt1: {
      auto bytes = decode_fxt1_texel(block, x, y);
      for (int i = 0; i < 4; i++) colour[i] = from_unorm(bytes[i], 8);
      break;
    }
    // Chroma belongs to both texels of a pair (PRM volume 5, "Sampler Output Channel Mapping" of YCRCB_: Cr, Y, Cb).
    case Layout::yuyv:
    case Layout::uyvy: {
      const unsigned luma = layout == Layout::yuyv ? 0 : 1, chroma = 1 - luma;
      auto field = [&](unsigned byte) { return std::bit_cast<float>(decode_field(block[byte], 8, number)); };
      colour = {field(chroma + 2), field(luma + 2 * (x & 1)), field(chroma), 1};
      if (is_integer(number)) colour[3] = std::bit_cast<float>(1u);
      break;
    }
    case Layout::bits_1:
    case Layout::bits_1_reversed: {
      const unsigned bit = block[0] >> (layout == Layout::bits_1 ? x & 7 : 7 - (x & 7)) & 1;
      colour[0] = std::bit_cast<float>(decode_field(bit, 1, number));
      if (is_integer(number)) colour[3] = std::bit_cast<float>(1u);
      break;
    }
    default: ATOLL_ASSERT(!"a compressed layout");
  }
  return colour;
}

}  // namespace Atoll::surface
