#include "surface/format.h"

#include <iterator>

namespace Atoll::surface {

namespace {

constexpr uint16_t bit(Number n) { return uint16_t(1u << unsigned(n)); }
constexpr uint16_t normal = bit(Number::unorm) | bit(Number::snorm);
constexpr uint16_t integers = bit(Number::uint) | bit(Number::sint);
constexpr uint16_t scaled = bit(Number::uscaled) | bit(Number::sscaled);
constexpr uint16_t fixed = normal | integers | scaled;
constexpr uint16_t floats = bit(Number::floating), clamped = bit(Number::floats_clamped);
constexpr uint16_t srgb = bit(Number::srgb);
constexpr uint16_t depth_stencil = bit(Number::depth_stencil);
constexpr uint16_t unorm_or_srgb = bit(Number::unorm) | srgb;
constexpr uint16_t packed_pair = normal | bit(Number::uint) | srgb;
constexpr uint16_t mixed = bit(Number::signed_first), mixed_floats = bit(Number::floats_first) | bit(Number::floats_6e4_first);

constexpr LayoutRow table[] = {
    // layout, name, bytes, block, fields, {first bit, bits} of each, numbers
    {Layout::bits_8, "8", 1, 1, 1, 1, {{{0, 8}}}, fixed | srgb},
    {Layout::bits_16, "16", 2, 1, 1, 1, {{{0, 16}}}, fixed | floats},
    {Layout::bits_32, "32", 4, 1, 1, 1, {{{0, 32}}}, fixed | floats | clamped},
    {Layout::bits_4_4, "4_4", 1, 1, 1, 2, {{{0, 4}, {4, 4}}}, fixed},
    {Layout::bits_8_8, "8_8", 2, 1, 1, 2, {{{0, 8}, {8, 8}}}, fixed | srgb},
    {Layout::bits_16_16, "16_16", 4, 1, 1, 2, {{{0, 16}, {16, 16}}}, fixed | floats},
    {Layout::bits_32_32, "32_32", 8, 1, 1, 2, {{{0, 32}, {32, 32}}}, fixed | floats},
    {Layout::bits_3_3_2, "3_3_2", 1, 1, 1, 3, {{{0, 3}, {3, 3}, {6, 2}}}, fixed},
    {Layout::bits_2_3_3, "2_3_3", 1, 1, 1, 3, {{{0, 2}, {2, 3}, {5, 3}}}, fixed},
    {Layout::bits_5_6_5, "5_6_5", 2, 1, 1, 3, {{{0, 5}, {5, 6}, {11, 5}}}, fixed | srgb},
    {Layout::bits_5_5_6, "5_5_6", 2, 1, 1, 3, {{{0, 5}, {5, 5}, {10, 6}}}, fixed | srgb | mixed, 2},
    {Layout::bits_6_5_5, "6_5_5", 2, 1, 1, 3, {{{0, 6}, {6, 5}, {11, 5}}}, fixed | srgb},
    {Layout::bits_8_8_8, "8_8_8", 3, 1, 1, 3, {{{0, 8}, {8, 8}, {16, 8}}}, fixed | srgb},
    {Layout::bits_10_11_11, "10_11_11", 4, 1, 1, 3, {{{0, 10}, {10, 11}, {21, 11}}}, fixed | floats},
    {Layout::bits_11_11_10, "11_11_10", 4, 1, 1, 3, {{{0, 11}, {11, 11}, {22, 10}}}, fixed | floats},
    {Layout::bits_16_16_16, "16_16_16", 6, 1, 1, 3, {{{0, 16}, {16, 16}, {32, 16}}}, fixed | floats},
    {Layout::bits_32_32_32, "32_32_32", 12, 1, 1, 3, {{{0, 32}, {32, 32}, {64, 32}}}, fixed | floats},
    {Layout::bits_4_4_4_4, "4_4_4_4", 2, 1, 1, 4, {{{0, 4}, {4, 4}, {8, 4}, {12, 4}}}, fixed | srgb},
    {Layout::bits_5_5_5_1, "5_5_5_1", 2, 1, 1, 4, {{{0, 5}, {5, 5}, {10, 5}, {15, 1}}}, fixed | srgb},
    {Layout::bits_1_5_5_5, "1_5_5_5", 2, 1, 1, 4, {{{0, 1}, {1, 5}, {6, 5}, {11, 5}}}, fixed},
    {Layout::bits_8_8_8_8, "8_8_8_8", 4, 1, 1, 4, {{{0, 8}, {8, 8}, {16, 8}, {24, 8}}}, fixed | srgb},
    {Layout::bits_10_10_10_2,
     "10_10_10_2",
     4,
     1,
     1,
     4,
     {{{0, 10}, {10, 10}, {20, 10}, {30, 2}}},
     fixed | srgb | mixed | mixed_floats,
     3},
    {Layout::bits_2_10_10_10, "2_10_10_10", 4, 1, 1, 4, {{{0, 2}, {2, 10}, {12, 10}, {22, 10}}}, fixed},
    {Layout::bits_16_16_16_16, "16_16_16_16", 8, 1, 1, 4, {{{0, 16}, {16, 16}, {32, 16}, {48, 16}}}, fixed | floats},
    {Layout::bits_32_32_32_32, "32_32_32_32", 16, 1, 1, 4, {{{0, 32}, {32, 32}, {64, 32}, {96, 32}}}, fixed | floats},
    {Layout::bits_9_9_9_e5, "9_9_9_e5", 4, 1, 1, 3, {{{0, 9}, {9, 9}, {18, 9}}}, floats},
    {Layout::bits_24_8, "24_8", 4, 1, 1, 2, {{{0, 24}, {24, 8}}}, depth_stencil | fixed},
    {Layout::bits_8_24, "8_24", 4, 1, 1, 2, {{{8, 24}, {0, 8}}}, depth_stencil | fixed},
    {Layout::bits_32_8_24, "32_8_24", 8, 1, 1, 2, {{{0, 32}, {32, 8}}}, depth_stencil},
    {Layout::bc1, "bc1", 8, 4, 4, 4, {}, unorm_or_srgb},
    {Layout::bc2, "bc2", 16, 4, 4, 4, {}, unorm_or_srgb},
    {Layout::bc3, "bc3", 16, 4, 4, 4, {}, unorm_or_srgb},
    {Layout::bc4, "bc4", 8, 4, 4, 1, {}, normal},
    {Layout::bc5, "bc5", 16, 4, 4, 2, {}, normal},
    {Layout::bc6h, "bc6h", 16, 4, 4, 3, {}, normal},
    {Layout::bc7, "bc7", 16, 4, 4, 4, {}, unorm_or_srgb},
    {Layout::etc2, "etc2", 8, 4, 4, 3, {}, unorm_or_srgb},
    {Layout::etc2_pta, "etc2_pta", 8, 4, 4, 4, {}, unorm_or_srgb},
    {Layout::etc2_eac, "etc2_eac", 16, 4, 4, 4, {}, unorm_or_srgb},
    {Layout::eac_r11, "eac_r11", 8, 4, 4, 1, {}, normal},
    {Layout::eac_rg11, "eac_rg11", 16, 4, 4, 2, {}, normal},
    {Layout::fxt1, "fxt1", 16, 8, 4, 4, {}, bit(Number::unorm)},
    {Layout::yuyv, "yuyv", 4, 2, 1, 3, {}, packed_pair},
    {Layout::uyvy, "uyvy", 4, 2, 1, 3, {}, packed_pair},
    {Layout::bits_1, "1", 1, 8, 1, 1, {}, bit(Number::unorm) | bit(Number::uint)},
    {Layout::bits_1_reversed, "1_reversed", 1, 8, 1, 1, {}, bit(Number::unorm) | bit(Number::uint)},
};
static_assert(std::size(table) == layout_count);
static_assert([] {
  for (int i = 0; i < layout_count; i++)
    if (int(table[i].layout) != i) return false;
  return true;
}());

constexpr std::string_view number_names[number_count] = {
    "unorm", "snorm",         "uint",         "sint",         "uscaled",          "sscaled",       "floating",
    "srgb",  "depth_stencil", "signed_first", "floats_first", "floats_6e4_first", "floats_clamped"};

}  // namespace

const LayoutRow& row(Layout layout) {
  ATOLL_ASSERT(int(layout) < layout_count);
  return table[int(layout)];
}

std::span<const LayoutRow> layouts() { return table; }

std::string_view name(Number number) {
  ATOLL_ASSERT(int(number) < number_count);
  return number_names[int(number)];
}

Expected<Format> make_format(Layout layout, Number number, Order order) {
  if (int(layout) >= layout_count || int(number) >= number_count)
    return fail("no pixel format has layout {} and numbers {}", int(layout), int(number));
  if (!(row(layout).numbers & bit(number))) return fail("the pixel layout {} has no {} numbers", row(layout).name, name(number));
  for (auto select : order)
    if (select > Select::one) return fail("{} is no source of a colour's component", int(select));
  return Format{layout, number, order};
}

}  // namespace Atoll::surface
