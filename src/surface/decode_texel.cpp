#include "surface/decode_texel.h"

#include <array>
#include <bit>
#include <cstring>

#include "surface/texel.h"

namespace Atoll::surface {

namespace {

using Words = uint32_t __attribute__((vector_size(16)));

Four any(const Format& format, const uint8_t* texel, unsigned x, unsigned y) {
  return std::bit_cast<Four>(read_texel(format, texel, x, y));
}

// Fields are in their order; of those that a layout lacks the fourth is one.
Four in_order(const Format& format, Four fields) {
  if (format.order == natural_order) return fields;
  Four colour;
  for (int i = 0; i < 4; i++) {
    Select select = format.order[i];
    colour[i] = select == Select::zero ? 0.0f : select == Select::one ? 1.0f : fields[int(select)];
  }
  return colour;
}

// n / (2^bits - 1) of up to 8 bits, the tables after each other: that of `bits` begins at 2^bits.
const float* unorm_tables() {
  [[clang::no_destroy]] static const auto tables = [] {
    std::array<float, 512> t{};
    for (unsigned bits = 1; bits <= 8; bits++)
      for (unsigned n = 0; n < 1u << bits; n++) t[(1u << bits) + n] = from_unorm(n, bits);
    return t;
  }();
  return tables.data();
}

// Up to 8 bits a field, 32 a texel.
Four small_unorm(const Format& format, const uint8_t* texel, unsigned, unsigned) {
  const LayoutRow& layout = row(format.layout);
  const float* tables = unorm_tables();
  uint32_t word = layout.bytes == 1 ? texel[0] : layout.bytes == 2 ? uint32_t(texel[0] | texel[1] << 8) : 0;
  if (layout.bytes > 2) std::memcpy(&word, texel, layout.bytes);
  float fields[4] = {0, 0, 0, 1};
  for (unsigned i = 0; i < layout.fields; i++) {
    uint32_t size = uint32_t(1) << layout.field[i].bits;
    fields[i] = tables[size + (word >> layout.field[i].first_bit & (size - 1))];
  }
  return in_order(format, Four{fields[0], fields[1], fields[2], fields[3]});
}

Four bytes4(const Format& format, const uint8_t* texel, unsigned, unsigned) {
  const float* table = unorm_tables() + 256;
  return in_order(format, Four{table[texel[0]], table[texel[1]], table[texel[2]], table[texel[3]]});
}

Four srgb8(const Format& format, const uint8_t* texel, unsigned, unsigned) {
  return in_order(format, Four{from_srgb8(texel[0]), from_srgb8(texel[1]), from_srgb8(texel[2]), float(texel[3]) / 255.0f});
}

Four words4(const Format& format, const uint8_t* texel, unsigned, unsigned) {
  Four fields;
  std::memcpy(&fields, texel, sizeof fields);
  return fields;
}

// One word, natural order.
template <uint32_t one>
Four word1(const Format&, const uint8_t* texel, unsigned, unsigned) {
  uint32_t word;
  std::memcpy(&word, texel, 4);
  return std::bit_cast<Four>(Words{word, 0, 0, one});
}

Four float1(const Format& format, const uint8_t* texel, unsigned, unsigned) {
  Four fields = {0, 0, 0, 1};
  std::memcpy(&fields, texel, 4);
  return in_order(format, fields);
}

Four clamped1(const Format& format, const uint8_t* texel, unsigned, unsigned) {
  float field;
  std::memcpy(&field, texel, 4);
  return in_order(format, Four{within_one(field), 0, 0, 1});
}

// Halves: what is not tiny, infinite or NaN by moving bits, four at a time.
Four half4(const Format& format, const uint8_t* texel, unsigned, unsigned) {
  uint16_t half[4];
  std::memcpy(half, texel, sizeof half);
  Words bits = {half[0], half[1], half[2], half[3]};
  Words exponent = bits & 0x7c00;
  Four fields = std::bit_cast<Four>((bits & 0x8000) << 16 | ((bits & 0x7fff) + (112 << 10)) << 13);
  for (int i = 0; i < 4; i++)
    if (exponent[i] == 0 || exponent[i] == 0x7c00) fields[i] = from_half(half[i]);
  return in_order(format, fields);
}

}  // namespace

DecodeTexel texel_decoder(const Format& format) {
  const LayoutRow& layout = row(format.layout);
  if (layout.block_width == 1 && format.number == Number::unorm && layout.bytes <= 4) {
    bool fits = true;
    for (unsigned i = 0; i < layout.fields; i++) fits = fits && layout.field[i].bits <= 8;
    if (fits) return format.layout == Layout::bits_8_8_8_8 ? bytes4 : small_unorm;
  }
  if (format.layout == Layout::bits_8_8_8_8 && format.number == Number::srgb) return srgb8;
  if (format.layout == Layout::bits_32_32_32_32 && format.order == natural_order &&
      (format.number == Number::floating || is_integer(format.number)))
    return words4;
  if (format.layout == Layout::bits_32 && is_integer(format.number) && format.order == natural_order) return word1<1>;
  if (format.layout == Layout::bits_32 && format.number == Number::floating) return float1;
  if (format.number == Number::floats_clamped) return clamped1;
  if (format.layout == Layout::bits_16_16_16_16 && format.number == Number::floating) return half4;
  return any;
}

}  // namespace Atoll::surface
