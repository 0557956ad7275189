#include "gpu/r5xx/shaders/texture_formats.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "surface/number.h"
#include "surface/texture.h"

namespace Atoll::r5xx {
namespace {

using surface::Colour;
using surface::Format;
using surface::Layout;
using surface::Number;
using surface::Order;
using surface::Select;
using Fmt = TX_FORMAT1::TXFORMAT;

constexpr uint32_t msb = 32;  // TX_FORMAT2.TXFORMAT_MSB above TX_FORMAT1.TXFORMAT
struct FormatRow {
  uint32_t number;
  Layout layout;
  bool is_float;
  // The layout of the border colour's bits (Mesa 22.3.6 r300_state_derived.c, r300_get_border_color): 8 bits a component
  // where the format's own components do not fit into 32 bits.
  Layout border;
};
constexpr FormatRow rows[] = {
    {Fmt::TX_FMT_8_or_TX_FMT_1, Layout::bits_8, false, Layout::bits_8_8_8_8},
    {Fmt::TX_FMT_16_or_TX_FMT_1_REVERSE, Layout::bits_16, false, Layout::bits_16_16},
    {Fmt::TX_FMT_4_4_or_TX_FMT_10, Layout::bits_4_4, false, Layout::bits_4_4_4_4},
    {Fmt::TX_FMT_8_8_or_TX_FMT_10_10, Layout::bits_8_8, false, Layout::bits_8_8_8_8},
    {Fmt::TX_FMT_16_16_or_TX_FMT_10_10_10_10, Layout::bits_16_16, false, Layout::bits_16_16},
    {Fmt::TX_FMT_3_3_2_or_TX_FMT_ATI1N, Layout::bits_2_3_3, false, Layout::bits_2_3_3},
    {Fmt::TX_FMT_5_6_5, Layout::bits_5_6_5, false, Layout::bits_5_6_5},
    {Fmt::TX_FMT_6_5_5, Layout::bits_5_5_6, false, Layout::bits_5_5_6},
    {Fmt::TX_FMT_11_11_10, Layout::bits_10_11_11, false, Layout::bits_10_11_11},
    {Fmt::TX_FMT_10_11_11, Layout::bits_11_11_10, false, Layout::bits_11_11_10},
    {Fmt::TX_FMT_4_4_4_4, Layout::bits_4_4_4_4, false, Layout::bits_4_4_4_4},
    {Fmt::TX_FMT_1_5_5_5, Layout::bits_5_5_5_1, false, Layout::bits_5_5_5_1},
    {Fmt::TX_FMT_8_8_8_8, Layout::bits_8_8_8_8, false, Layout::bits_8_8_8_8},
    {Fmt::TX_FMT_2_10_10_10, Layout::bits_10_10_10_2, false, Layout::bits_10_10_10_2},
    {Fmt::TX_FMT_16_16_16_16, Layout::bits_16_16_16_16, false, Layout::bits_8_8_8_8},
    {Fmt::TX_FMT_DXT1, Layout::bc1, false, Layout::bits_8_8_8_8},
    {Fmt::TX_FMT_DXT3, Layout::bc2, false, Layout::bits_8_8_8_8},
    {Fmt::TX_FMT_DXT5, Layout::bc3, false, Layout::bits_8_8_8_8},
    {Fmt::TX_FMT_16_MPEG, Layout::bits_16, false, Layout::bits_16_16},
    {Fmt::TX_FMT_16_16_MPEG, Layout::bits_16_16, false, Layout::bits_16_16},
    {Fmt::TX_FMT_16f, Layout::bits_16, true, Layout::bits_16_16},
    {Fmt::TX_FMT_16f_16f, Layout::bits_16_16, true, Layout::bits_16_16},
    {Fmt::TX_FMT_16f_16f_16f_16f, Layout::bits_16_16_16_16, true, Layout::bits_8_8_8_8},
    {Fmt::TX_FMT_32f, Layout::bits_32, true, Layout::bits_32},
    {Fmt::TX_FMT_32f_32f, Layout::bits_32_32, true, Layout::bits_8_8_8_8},
    {Fmt::TX_FMT_32f_32f_32f_32f, Layout::bits_32_32_32_32, true, Layout::bits_8_8_8_8},
    {Fmt::TX_FMT_ATI2N, Layout::bc5, false, Layout::bits_8_8_8_8},
    {msb | Fmt::TX_FMT_3_3_2_or_TX_FMT_ATI1N, Layout::bc4, false, Layout::bits_4_4_4_4},
    {Fmt::TX_FMT_AVYU444, Layout::bits_8_8_8_8, false, Layout::bits_8_8_8_8},
    // Mesa's R500_TX_FORMAT_Y8X24: 24 bits of depth above 8 of stencil.
    {msb | Fmt::TX_FMT_5_6_5, Layout::bits_8_24, false, Layout::bits_8_24},
};

// Formats that are named but not read.
constexpr struct {
  uint32_t number;
  const char* why;
} unknown_rows[] = {
    {Fmt::TX_FMT_Y8, "TX_FORMAT1.TXFORMAT Y8 (CxV8U8)"},
    {Fmt::TX_FMT_VYUY422, "TX_FORMAT1.TXFORMAT VYUY422"},
    {Fmt::TX_FMT_YVYU422, "TX_FORMAT1.TXFORMAT YVYU422"},
    {Fmt::TX_FMT_W24_FP, "TX_FORMAT1.TXFORMAT W24_FP"},
    {msb | Fmt::TX_FMT_8_or_TX_FMT_1, "TX_FORMAT1.TXFORMAT 1"},
    {msb | Fmt::TX_FMT_16_or_TX_FMT_1_REVERSE, "TX_FORMAT1.TXFORMAT 1_REVERSE"},
    {msb | Fmt::TX_FMT_4_4_or_TX_FMT_10, "TX_FORMAT1.TXFORMAT 10"},
    {msb | Fmt::TX_FMT_8_8_or_TX_FMT_10_10, "TX_FORMAT1.TXFORMAT 10_10"},
    {msb | Fmt::TX_FMT_16_16_or_TX_FMT_10_10_10_10, "TX_FORMAT1.TXFORMAT 10_10_10_10"},
};

bool is_dxt(Layout layout) { return layout == Layout::bc1 || layout == Layout::bc2 || layout == Layout::bc3; }

}  // namespace

TexelFormat texel_format_of(const RegisterFile& r, unsigned n) {
  const auto format1 = r.read<TX_FORMAT1>(n);
  const auto format2 = r.read<TX_FORMAT2>(n);
  const auto offset = r.read<TX_OFFSET>(n);
  const uint32_t number = TX_FORMAT1::TXFORMAT::get(format1) | (TX_FORMAT2::TXFORMAT_MSB::get(format2) ? msb : 0);
  TexelFormat found{{}, Layout::bits_8_8_8_8};
  auto fault = [&](const char* why) { found.unknown = found.unknown ? found.unknown : why; };

  auto row = std::find_if(std::begin(rows), std::end(rows), [&](const FormatRow& f) { return f.number == number; });
  if (row == std::end(rows)) {
    auto named = std::find_if(std::begin(unknown_rows), std::end(unknown_rows), [&](auto& f) { return f.number == number; });
    fault(named == std::end(unknown_rows) ? "TX_FORMAT1.TXFORMAT: a reserved format" : named->why);
    found.readable = false;
    return found;
  }
  found.format.layout = row->layout, found.border = row->border;
  const unsigned fields = surface::row(row->layout).fields;

  const uint32_t all_signs = (1u << fields) - 1,
                 signs = FieldList<TX_FORMAT1::SIGNED_COMP0, TX_FORMAT1::SIGNED_COMP1, TX_FORMAT1::SIGNED_COMP2,
                                   TX_FORMAT1::SIGNED_COMP3>::bits(format1) &
                         all_signs;
  if (row->is_float) {
    found.format.number = Number::floating;
  } else if (signs) {
    found.format.number = Number::snorm;
    if (signs != all_signs) fault("TX_FORMAT1.SIGNED_COMP: signed and unsigned components in one texel");
  } else if (TX_FORMAT1::GAMMA::get(format1)) {
    found.format.number = Number::srgb;
  }
  if (!surface::make_format(found.format.layout, found.format.number)) {
    fault("TX_FORMAT1.GAMMA, SIGNED_COMP: not for this format");
    found.format.number = Number::unorm;
  }
  if (TX_FORMAT2::POW2FIX2FLT::peek(format2)) fault("TX_FORMAT2.POW2FIX2FLT");

  // Components are counted from the lowest bits, of swapped words from the highest.
  std::array<uint8_t, 4> component{0, 1, 2, 3};
  const uint32_t swap = TX_OFFSET::ENDIAN_SWAP::get(offset);
  if (swap == TX_OFFSET::ENDIAN_SWAP::_32_bit_swap && row->layout == Layout::bits_8_8_8_8)
    component = {3, 2, 1, 0};
  else if (swap == TX_OFFSET::ENDIAN_SWAP::_16_bit_swap && row->layout == Layout::bits_8_8)
    component = {1, 0, 2, 3};
  else if (swap && surface::row(row->layout).bytes > 1)
    fault("TX_OFFSET.ENDIAN_SWAP of this format");
  // Colours of DXT blocks count as blue, green, red where TX_FILTER1's bit 21 lets them be swizzled (Mesa:
  // R400_DXTC_SWIZZLE_ENABLE).
  if (is_dxt(row->layout) && TX_FILTER1::Reserved___::get(r.read<TX_FILTER1>(n))) component = {2, 1, 0, 3};
  auto select = [&](uint32_t value) {
    if (value > 5) fault("TX_FORMAT1.SEL: no such component");
    return value < 4 ? Select(component[value]) : value == 5 ? Select::one : Select::zero;
  };
  // Signs and selects are not for it: V, Y and U are red, green and blue.
  if (number == Fmt::TX_FMT_AVYU444) {
    found.format.number = Number::unorm;
    found.format.order = surface::bgra_order;
    return found;
  }
  found.format.order = {select(TX_FORMAT1::SEL_RED::get(format1)), select(TX_FORMAT1::SEL_GREEN::get(format1)),
                        select(TX_FORMAT1::SEL_BLUE::get(format1)), select(TX_FORMAT1::SEL_ALPHA::get(format1))};
  return found;
}

Colour border_colour(const TexelFormat& f, uint32_t bits) {
  Format border{f.border, f.format.number, surface::natural_order};
  if (border.number == Number::floating && !surface::make_format(border.layout, border.number)) border.number = Number::unorm;
  const bool srgb = border.number == Number::srgb;
  if (srgb || !surface::make_format(border.layout, border.number)) border.number = Number::unorm;
  uint8_t bytes[4];
  std::memcpy(bytes, &bits, 4);
  Colour fields = surface::read_texel(border, bytes);
  // Mesa packs a DXT texture's border with blue in the lowest byte, and ATI1N's into the second component.
  if (is_dxt(f.format.layout)) std::swap(fields[0], fields[2]);
  if (f.format.layout == Layout::bc4) fields[0] = fields[1];
  Colour colour = surface::in_order(f.format, fields);
  // sRGB applies to what is drawn as red, green and blue; the same component as alpha is linear.
  for (int c = 0; srgb && c < 3; c++)
    if (f.format.order[c] <= Select::field_3)
      colour[c] = std::bit_cast<uint32_t>(surface::linear_from_srgb(std::bit_cast<float>(colour[c])));
  return colour;
}

}  // namespace Atoll::r5xx
