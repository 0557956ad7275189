#include "surface/texel.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "surface/block_compression.h"

namespace Atoll::surface {

namespace {

// Up to 32 bits from any bit of a texel; layouts never let a field cross more than five bytes.
uint32_t load_field(const uint8_t* texel, unsigned bytes, Field field) {
  unsigned first_byte = field.first_bit / 8, last_byte = (field.first_bit + field.bits + 7u) / 8;
  uint64_t word = 0;
  for (unsigned i = first_byte; i < last_byte && i < bytes; i++) word |= uint64_t(texel[i]) << 8 * (i - first_byte);
  return uint32_t(word >> field.first_bit % 8) & uint32_t((uint64_t(1) << field.bits) - 1);
}

void or_field(uint8_t* texel, Field field, uint32_t value) {
  uint64_t word = uint64_t(value) << field.first_bit % 8;
  for (unsigned i = field.first_bit / 8; word; i++, word >>= 8) texel[i] |= uint8_t(word);
}

// The meaning of field `index` of the format: alpha of an sRGB texel is linear. Alpha is field 3 of four, else the field that is
// alpha and nothing else (luminance and alpha in two fields).
Number number_of(const Format& format, unsigned index) {
  if (is_mixed(format.number)) {
    if (index >= row(format.layout).mixed_fields) return Number::unorm;
    if (format.number == Number::floats_6e4_first) return format.number;
    return format.number == Number::signed_first ? Number::snorm : Number::floating;
  }
  if (format.number != Number::srgb) return format.number;
  const Order& order = format.order;
  const Select field = Select(index);
  const bool only_alpha = row(format.layout).fields < 4 && order[3] == field &&
                          std::find(order.begin(), order.begin() + 3, field) == order.begin() + 3;
  return index == 3 || only_alpha ? Number::unorm : format.number;
}

uint32_t one_of(Number number) { return is_integer(number) ? 1u : std::bit_cast<uint32_t>(1.0f); }

Colour in_order(const Format& format, const uint32_t (&fields)[4]) {
  Colour colour;
  for (int i = 0; i < 4; i++) {
    Select select = format.order[i];
    colour[i] = select == Select::zero ? 0 : select >= Select::one ? one_of(format.number) : fields[int(select)];
  }
  return colour;
}

// For each field the component that is written to it, or -1.
std::array<int, 4> sources(const Order& order) {
  std::array<int, 4> source = {-1, -1, -1, -1};
  for (int component = 3; component >= 0; component--)
    if (order[component] <= Select::field_3) source[int(order[component])] = component;
  return source;
}

// c / 255 of every byte.
const std::array<uint32_t, 256>& unorm8_table() {
  [[clang::no_destroy]] static const auto table = [] {
    std::array<uint32_t, 256> t;
    for (unsigned c = 0; c < 256; c++) t[c] = std::bit_cast<uint32_t>(from_unorm(c, 8));
    return t;
  }();
  return table;
}

bool plain_order(const Order& order) { return order == natural_order || order == bgra_order; }

}  // namespace

Colour read_texel(const Format& format, const uint8_t* texel, unsigned x, unsigned y) {
  const LayoutRow& layout = row(format.layout);
  uint32_t fields[4] = {0, 0, 0, one_of(format.number)};
  if (layout.block_width > 1) {
    auto components = decode_block_texel(format.layout, format.number, texel, x, y);
    for (int i = 0; i < 4; i++) fields[i] = std::bit_cast<uint32_t>(components[i]);
  } else if (format.layout == Layout::bits_9_9_9_e5) {
    Rgb rgb = from_shared_exponent(load_field(texel, 4, {0, 32}));
    fields[0] = std::bit_cast<uint32_t>(rgb.red);
    fields[1] = std::bit_cast<uint32_t>(rgb.green);
    fields[2] = std::bit_cast<uint32_t>(rgb.blue);
  } else {
    for (unsigned i = 0; i < layout.fields; i++)
      fields[i] = decode_field(load_field(texel, layout.bytes, layout.field[i]), layout.field[i].bits, number_of(format, i));
  }
  return in_order(format, fields);
}

void write_texel(const Format& format, uint8_t* texel, const Colour& colour, Rounding rounding) {
  const LayoutRow& layout = row(format.layout);
  ATOLL_ASSERT(layout.block_width == 1);
  auto source = sources(format.order);
  std::memset(texel, 0, layout.bytes);
  auto component = [&](int i) { return source[i] < 0 ? 0 : colour[source[i]]; };
  if (format.layout == Layout::bits_9_9_9_e5) {
    auto value = [&](int i) { return std::bit_cast<float>(component(i)); };
    or_field(texel, {0, 32}, to_shared_exponent({value(0), value(1), value(2)}));
    return;
  }
  for (unsigned i = 0; i < layout.fields; i++)
    or_field(texel, layout.field[i], encode_field(component(i), layout.field[i].bits, number_of(format, i), rounding));
}

void read_row(const Format& format, const uint8_t* texels, size_t count, Colour* colours) {
  const LayoutRow& layout = row(format.layout);
  ATOLL_ASSERT(layout.block_width == 1);
  bool unorm = format.number == Number::unorm;
  if (format.layout == Layout::bits_8_8_8_8 && unorm && plain_order(format.order)) {
    auto& table = unorm8_table();
    unsigned red = format.order == natural_order ? 0 : 2;
    for (size_t i = 0; i < count; i++, texels += 4)
      colours[i] = {table[texels[red]], table[texels[1]], table[texels[2 - red]], table[texels[3]]};
    return;
  }
  if (format.layout == Layout::bits_8_8_8_8 && format.number == Number::srgb && plain_order(format.order)) {
    auto& table = unorm8_table();
    unsigned red = format.order == natural_order ? 0 : 2;
    auto linear = [](uint8_t c) { return std::bit_cast<uint32_t>(from_srgb8(c)); };
    for (size_t i = 0; i < count; i++, texels += 4)
      colours[i] = {linear(texels[red]), linear(texels[1]), linear(texels[2 - red]), table[texels[3]]};
    return;
  }
  if (format.layout == Layout::bits_32_32_32_32 && format.order == natural_order &&
      (format.number == Number::floating || is_integer(format.number))) {
    std::memcpy(colours, texels, count * sizeof(Colour));
    return;
  }
  for (size_t i = 0; i < count; i++) colours[i] = read_texel(format, texels + i * layout.bytes);
}

void write_row(const Format& format, uint8_t* texels, size_t count, const Colour* colours, Rounding rounding) {
  const LayoutRow& layout = row(format.layout);
  ATOLL_ASSERT(layout.block_width == 1);
  if (format.layout == Layout::bits_8_8_8_8 && format.number == Number::unorm && plain_order(format.order)) {
    // value * 255 + 0.5 in a float may round up to the next code just below a half; a double's product is exact.
    auto byte = [](uint32_t bits) {
      double f = std::bit_cast<float>(bits);
      f = f > 0 ? f : 0;
      return uint8_t((f < 1 ? f : 1) * 255 + 0.5);
    };
    unsigned red = format.order == natural_order ? 0 : 2;
    for (size_t i = 0; i < count; i++, texels += 4) {
      texels[red] = byte(colours[i][0]);
      texels[1] = byte(colours[i][1]);
      texels[2 - red] = byte(colours[i][2]);
      texels[3] = byte(colours[i][3]);
    }
    return;
  }
  if (format.layout == Layout::bits_32_32_32_32 && format.order == natural_order &&
      (format.number == Number::floating || is_integer(format.number))) {
    std::memcpy(texels, colours, count * sizeof(Colour));
    return;
  }
  for (size_t i = 0; i < count; i++) write_texel(format, texels + i * layout.bytes, colours[i], rounding);
}

}  // namespace Atoll::surface
