#include "gpu/r5xx/draw/colour_formats.h"

#include "registers/r5xx.h"

namespace Atoll::r5xx {
namespace {

using surface::Layout;
using surface::Order;
using surface::Select;
using ColourFormat = RB3D_COLORPITCH::COLORFORMAT;
using OutFormat = US_OUT_FMT::OUT_FMT;

constexpr Order bgra = surface::bgra_order, rgba = surface::natural_order;
constexpr Order replicated = {Select::field_0, Select::field_0, Select::field_0, Select::field_0};
// The target's alpha is 1 to the blender (docs/errata.md, "R5xx colour buffers").
constexpr Order low_red_high_blue = {Select::field_0, Select::field_0, Select::field_1, Select::one};
constexpr Order two_fields = {Select::field_0, Select::field_1, Select::zero, Select::one};
constexpr Order one_field = {Select::field_0, Select::zero, Select::zero, Select::one};

constexpr Components by_name = {{2, 1, 0, 3}, {2, 1, 0, 3}, {2, 1, 0, 3}};
// Mesa 22.3.6 r300_state.c (r300_set_blend_color): the one component takes the constant's green.
constexpr Components one_by_name = {{2, 1, 0, 3}, {2, 1, 0, 3}, {1, 1, 0, 3}};
constexpr Components in_order = {{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}};
constexpr Components two_words = {{0, 1, 2, 3}, {2, 0, 0, 0}, {0, 1, 2, 3}};         // C0 and C1
constexpr Components two_double_words = {{0, 2, 1, 3}, {2, 0, 0, 0}, {0, 2, 1, 3}};  // C0 and C2

constexpr ColourRow colour_rows[] = {
    {ColourFormat::ARGB8888, OutFormat::C4_8, Layout::bits_8_8_8_8, false, bgra, by_name},
    {ColourFormat::RGB565, OutFormat::C4_8, Layout::bits_5_6_5, false, bgra, by_name},
    {ColourFormat::ARGB1555, OutFormat::C4_8, Layout::bits_5_5_5_1, false, bgra, by_name},
    {ColourFormat::ARGB4444, OutFormat::C4_8, Layout::bits_4_4_4_4, false, bgra, by_name},
    {ColourFormat::I8, OutFormat::C4_8, Layout::bits_8, false, replicated, one_by_name},
    {ColourFormat::UV88, OutFormat::C4_8, Layout::bits_8_8, false, low_red_high_blue, by_name},
    {ColourFormat::ARGB2101010, OutFormat::C4_10, Layout::bits_10_10_10_2, false, bgra, by_name},
    {ColourFormat::ARGB2101010, OutFormat::C_2_10_10_10, Layout::bits_10_10_10_2, false, bgra, by_name},
    {ColourFormat::UV88, OutFormat::C_16, Layout::bits_16, false, one_field, in_order},
    {ColourFormat::ARGB8888, OutFormat::C2_16, Layout::bits_16_16, false, two_fields, two_words},
    {ColourFormat::ARGB16161616, OutFormat::C4_16, Layout::bits_16_16_16_16, false, rgba, in_order},
    {ColourFormat::UV88, OutFormat::C_16_FP, Layout::bits_16, true, one_field, in_order},
    {ColourFormat::ARGB8888, OutFormat::C2_16_FP, Layout::bits_16_16, true, two_fields, two_words},
    {ColourFormat::ARGB16161616, OutFormat::C4_16_FP, Layout::bits_16_16_16_16, true, rgba, in_order},
    {ColourFormat::ARGB8888, OutFormat::C_32_FP, Layout::bits_32, true, one_field, in_order},
    {ColourFormat::ARGB16161616, OutFormat::C2_32_FP, Layout::bits_32_32, true, two_fields, two_double_words},
    {ColourFormat::ARGB32323232, OutFormat::C4_32_FP, Layout::bits_32_32_32_32, true, rgba, in_order},
};

}  // namespace

const ColourRow* colour_row(uint32_t colour_format, uint32_t out_format) {
  for (const ColourRow& row : colour_rows)
    if (row.colour_format == colour_format && row.out_format == out_format) return &row;
  return nullptr;
}
const ColourRow* colour_row(uint32_t colour_format) {
  const ColourRow* last = nullptr;
  for (const ColourRow& row : colour_rows)
    if (row.colour_format == colour_format) last = &row;
  return last;
}

uint8_t source_bits(uint32_t out_format) {
  switch (out_format) {
    case OutFormat::C4_8: return 8;
    case OutFormat::C4_10:
    case OutFormat::C_2_10_10_10: return 10;
    case OutFormat::C_16:
    case OutFormat::C2_16:
    case OutFormat::C4_16: return 16;
    default: return 0;
  }
}

}  // namespace Atoll::r5xx
