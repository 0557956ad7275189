#include "gpu/sea_islands/draw/colour_format.h"

#include <algorithm>
#include <span>

namespace Atoll::sea_islands {

using surface::Layout;
using surface::Number;
using surface::Select;

namespace {

using Info = CB_COLOR_INFO;

struct ColourRow {
  uint32_t format;
  Layout layout;  // named from the lowest bits; the hardware counts from the highest
  unsigned components;
};
using F = Info::FORMAT;
constexpr ColourRow colour_rows[] = {
    {F::COLOR_8, Layout::bits_8, 1},
    {F::COLOR_16, Layout::bits_16, 1},
    {F::COLOR_8_8, Layout::bits_8_8, 2},
    {F::COLOR_32, Layout::bits_32, 1},
    {F::COLOR_16_16, Layout::bits_16_16, 2},
    {F::COLOR_10_11_11, Layout::bits_11_11_10, 3},
    {F::COLOR_11_11_10, Layout::bits_10_11_11, 3},
    {F::COLOR_10_10_10_2, Layout::bits_2_10_10_10, 4},
    {F::COLOR_2_10_10_10, Layout::bits_10_10_10_2, 4},
    {F::COLOR_8_8_8_8, Layout::bits_8_8_8_8, 4},
    {F::COLOR_32_32, Layout::bits_32_32, 2},
    {F::COLOR_16_16_16_16, Layout::bits_16_16_16_16, 4},
    {F::COLOR_32_32_32_32, Layout::bits_32_32_32_32, 4},
    {F::COLOR_5_6_5, Layout::bits_5_6_5, 3},
    {F::COLOR_1_5_5_5, Layout::bits_5_5_5_1, 4},
    {F::COLOR_5_5_5_1, Layout::bits_1_5_5_5, 4},
    {F::COLOR_4_4_4_4, Layout::bits_4_4_4_4, 4},
    {F::COLOR_8_24, Layout::bits_24_8, 2},
    {F::COLOR_24_8, Layout::bits_8_24, 2},
    {F::COLOR_X24_8_32_FLOAT, Layout::bits_32_8_24, 2},
};

// From which field red, green, blue and alpha are taken, by components and COMP_SWAP (Mesa 22.3.6
// src/gallium/drivers/radeonsi/si_state.c: si_translate_colorswap).
constexpr Select X = Select::field_0, Y = Select::field_1, Z = Select::field_2, W = Select::field_3, O = Select::zero,
                 I = Select::one;
constexpr surface::Order orders[4][4] = {
    {{X, O, O, I}, {O, X, O, I}, {O, O, X, I}, {O, O, O, X}},
    {{X, Y, O, I}, {X, O, O, Y}, {Y, X, O, I}, {Y, O, O, X}},
    {{X, Y, Z, I}, {X, Y, O, Z}, {Z, Y, X, I}, {Z, Y, O, X}},
    {{X, Y, Z, W}, {Z, Y, X, W}, {W, Z, Y, X}, {Y, Z, W, X}},
};

}  // namespace

Expected<surface::Format> colour_format(registers::access::Word<CB_COLOR_INFO> info) {
  static constexpr Number numbers[] = {Number::unorm, Number::snorm, Number::uscaled, Number::sscaled,
                                       Number::uint,  Number::sint,  Number::srgb,    Number::floating};
  for (const ColourRow& row : colour_rows) {
    if (row.format != Info::FORMAT::get(info)) continue;
    Number number = numbers[Info::NUMBER_TYPE::get(info)];
    if (row.layout == Layout::bits_24_8 || row.layout == Layout::bits_8_24 || row.layout == Layout::bits_32_8_24)
      number = Number::depth_stencil;
    surface::Order order = orders[row.components - 1][Info::COMP_SWAP::get(info)];
    // (Field 0 of that layout is the depth, though the stencil lies below it.)
    if (row.layout == Layout::bits_8_24)
      for (Select& select : order) select = select == X ? Y : select == Y ? X : select;
    return surface::make_format(row.layout, number, order);
  }
  return fail("CB format {}", Info::FORMAT::get(info));
}

bool has_small_components(registers::access::Word<CB_COLOR_INFO> info) {
  const auto* row = std::ranges::find(colour_rows, Info::FORMAT::get(info), &ColourRow::format);
  if (row == std::end(colour_rows)) return false;
  const surface::LayoutRow& layout = surface::row(row->layout);
  return std::ranges::all_of(std::span(layout.field).first(layout.fields),
                             [](const surface::Field& field) { return field.bits <= 11; });
}

}  // namespace Atoll::sea_islands
