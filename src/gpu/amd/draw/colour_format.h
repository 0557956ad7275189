// The formats of colour buffers, by CB_COLORn_INFO's FORMAT, NUMBER_TYPE and COMP_SWAP, which several families have under the same names
// (`R`: raster_state.h).
#pragma once
#include <algorithm>
#include <array>
#include <span>

#include "base/expected.h"
#include "registers/accessors.h"
#include "surface/format.h"

namespace Atoll::gpu::amd {

struct ColourRow {
  uint32_t format;
  surface::Layout layout;  // named from the lowest bits; the hardware counts from the highest
  unsigned components;
};

template <class R>
constexpr auto colour_rows() {
  using F = typename R::CB_COLOR_INFO::FORMAT;
  using surface::Layout;
  constexpr std::array rows{
      ColourRow{F::COLOR_8, Layout::bits_8, 1},
      ColourRow{F::COLOR_16, Layout::bits_16, 1},
      ColourRow{F::COLOR_8_8, Layout::bits_8_8, 2},
      ColourRow{F::COLOR_32, Layout::bits_32, 1},
      ColourRow{F::COLOR_16_16, Layout::bits_16_16, 2},
      ColourRow{F::COLOR_10_11_11, Layout::bits_11_11_10, 3},
      ColourRow{F::COLOR_11_11_10, Layout::bits_10_11_11, 3},
      ColourRow{F::COLOR_10_10_10_2, Layout::bits_2_10_10_10, 4},
      ColourRow{F::COLOR_2_10_10_10, Layout::bits_10_10_10_2, 4},
      ColourRow{F::COLOR_8_8_8_8, Layout::bits_8_8_8_8, 4},
      ColourRow{F::COLOR_32_32, Layout::bits_32_32, 2},
      ColourRow{F::COLOR_16_16_16_16, Layout::bits_16_16_16_16, 4},
      ColourRow{F::COLOR_32_32_32_32, Layout::bits_32_32_32_32, 4},
      ColourRow{F::COLOR_5_6_5, Layout::bits_5_6_5, 3},
      ColourRow{F::COLOR_1_5_5_5, Layout::bits_5_5_5_1, 4},
      ColourRow{F::COLOR_5_5_5_1, Layout::bits_1_5_5_5, 4},
      ColourRow{F::COLOR_4_4_4_4, Layout::bits_4_4_4_4, 4},
      ColourRow{F::COLOR_8_24, Layout::bits_24_8, 2},
      ColourRow{F::COLOR_24_8, Layout::bits_8_24, 2},
      ColourRow{F::COLOR_X24_8_32_FLOAT, Layout::bits_32_8_24, 2},
  };
  if constexpr (requires { F::COLOR_5_9_9_9; }) {
    std::array<ColourRow, rows.size() + 1> more{};
    std::ranges::copy(rows, more.begin());
    more.back() = {F::COLOR_5_9_9_9, Layout::bits_9_9_9_e5, 3};
    return more;
  } else {
    return rows;
  }
}

template <class R>
Expected<surface::Format> colour_format(registers::access::Word<typename R::CB_COLOR_INFO> info) {
  using Info = typename R::CB_COLOR_INFO;
  using surface::Layout;
  using surface::Number;
  using surface::Select;
  static constexpr auto rows = colour_rows<R>();
  static constexpr Number numbers[] = {Number::unorm, Number::snorm, Number::uscaled, Number::sscaled,
                                       Number::uint,  Number::sint,  Number::srgb,    Number::floating};
  // From which field red, green, blue and alpha are taken, by components and COMP_SWAP (Mesa si_state.c, si_translate_colorswap;
  // ac_formats.c, ac_translate_colorswap).
  constexpr Select X = Select::field_0, Y = Select::field_1, Z = Select::field_2, W = Select::field_3, O = Select::zero,
                   I = Select::one;
  static constexpr surface::Order orders[4][4] = {
      {{X, O, O, I}, {O, X, O, I}, {O, O, X, I}, {O, O, O, X}},
      {{X, Y, O, I}, {X, O, O, Y}, {Y, X, O, I}, {Y, O, O, X}},
      {{X, Y, Z, I}, {X, Y, O, Z}, {Z, Y, X, I}, {Z, Y, O, X}},
      {{X, Y, Z, W}, {Z, Y, X, W}, {W, Z, Y, X}, {Y, Z, W, X}},
  };
  const auto* row = std::ranges::find(rows, Info::FORMAT::get(info), &ColourRow::format);
  if (row == rows.end()) return fail("CB format {}", Info::FORMAT::get(info));
  Number number = numbers[Info::NUMBER_TYPE::get(info)];
  if (row->layout == Layout::bits_24_8 || row->layout == Layout::bits_8_24 || row->layout == Layout::bits_32_8_24)
    number = Number::depth_stencil;
  surface::Order order = orders[row->components - 1][Info::COMP_SWAP::get(info)];
  // (Field 0 of that layout is the depth, though the stencil lies below it.)
  if (row->layout == Layout::bits_8_24)
    for (Select& select : order) select = select == X ? Y : select == Y ? X : select;
  return surface::make_format(row->layout, number, order);
}

// True if no component of CB_COLORn_INFO's FORMAT has more than 11 bits.
template <class R>
bool has_small_components(registers::access::Word<typename R::CB_COLOR_INFO> info) {
  static constexpr auto rows = colour_rows<R>();
  const auto* row = std::ranges::find(rows, R::CB_COLOR_INFO::FORMAT::get(info), &ColourRow::format);
  if (row == rows.end()) return false;
  const surface::LayoutRow& layout = surface::row(row->layout);
  return std::ranges::all_of(std::span(layout.field).first(layout.fields),
                             [](const surface::Field& field) { return field.bits <= 11; });
}

}  // namespace Atoll::gpu::amd
