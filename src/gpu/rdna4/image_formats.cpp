// FORMAT of T#s: RDNA4 ISA 10.7 (table 62). The names count from the top bit, src/surface's layouts from bit 0.
#include "gpu/rdna4/image_formats.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "gpu/rdna4/image_descriptors.h"

namespace Atoll::rdna4 {

namespace {

using surface::Layout;
using surface::Number;
using surface::Order;
using surface::Select;

struct FormatRow {
  std::string_view name = "reserved";
  bool supported = false;
  Layout layout{};
  Number number{};
};

constexpr auto formats = [] {
  std::array<FormatRow, 256> rows{};
  unsigned next = 0;
  auto row = [&](std::string_view name, Layout layout, Number number) { rows[next++] = {name, true, layout, number}; };
  auto none = [&](std::string_view name) { rows[next++] = {name}; };
  auto small = [&](std::string_view name, Layout layout) {
    for (Number number : {Number::unorm, Number::snorm, Number::uscaled, Number::sscaled, Number::uint, Number::sint})
      row(name, layout, number);
  };
  auto wide = [&](std::string_view name, Layout layout) {
    for (Number number : {Number::uint, Number::sint, Number::floating}) row(name, layout, number);
  };
  none("INVALID");
  small("8", Layout::bits_8);  // 1
  small("16", Layout::bits_16);
  row("16_FLOAT", Layout::bits_16, Number::floating);  // 13
  small("8_8", Layout::bits_8_8);
  wide("32", Layout::bits_32);  // 20
  small("16_16", Layout::bits_16_16);
  row("16_16_FLOAT", Layout::bits_16_16, Number::floating);        // 29
  row("10_11_11_FLOAT", Layout::bits_11_11_10, Number::floating);  // 30
  row("11_11_10_FLOAT", Layout::bits_10_11_11, Number::floating);
  for (Number number : {Number::unorm, Number::snorm, Number::uint, Number::sint})
    row("10_10_10_2", Layout::bits_2_10_10_10, number);  // 32
  small("2_10_10_10", Layout::bits_10_10_10_2);          // 36
  small("8_8_8_8", Layout::bits_8_8_8_8);                // 42
  wide("32_32", Layout::bits_32_32);                     // 48
  small("16_16_16_16", Layout::bits_16_16_16_16);        // 51
  row("16_16_16_16_FLOAT", Layout::bits_16_16_16_16, Number::floating);
  wide("32_32_32", Layout::bits_32_32_32);        // 58
  wide("32_32_32_32", Layout::bits_32_32_32_32);  // 61
  row("8_SRGB", Layout::bits_8, Number::srgb);    // 64
  row("8_8_SRGB", Layout::bits_8_8, Number::srgb);
  row("8_8_8_8_SRGB", Layout::bits_8_8_8_8, Number::srgb);
  row("5_9_9_9_FLOAT", Layout::bits_9_9_9_e5, Number::floating);
  row("5_6_5_UNORM", Layout::bits_5_6_5, Number::unorm);  // 68
  row("1_5_5_5_UNORM", Layout::bits_5_5_5_1, Number::unorm);
  row("5_5_5_1_UNORM", Layout::bits_1_5_5_5, Number::unorm);
  row("4_4_4_4_UNORM", Layout::bits_4_4_4_4, Number::unorm);
  row("4_4_UNORM", Layout::bits_4_4, Number::unorm);
  row("1_UNORM", Layout::bits_1, Number::unorm);  // 73
  row("1_REVERSED_UNORM", Layout::bits_1_reversed, Number::unorm);
  row("32_FLOAT_CLAMP", Layout::bits_32, Number::floats_clamped);
  row("8_24_UNORM", Layout::bits_24_8, Number::unorm);  // 76
  row("8_24_UINT", Layout::bits_24_8, Number::uint);
  row("24_8_UNORM", Layout::bits_8_24, Number::unorm);
  row("24_8_UINT", Layout::bits_8_24, Number::uint);
  row("X24_8_32_UINT", Layout::bits_32_8_24, Number::depth_stencil);
  row("X24_8_32_FLOAT", Layout::bits_32_8_24, Number::depth_stencil);
  for (Number number : {Number::unorm, Number::snorm, Number::uint, Number::srgb}) row("GB_GR", Layout::uyvy, number);  // 82
  for (Number number : {Number::unorm, Number::snorm, Number::uint, Number::srgb}) row("BG_RG", Layout::yuyv, number);
  next = 109;
  auto block = [&](std::string_view name, Layout layout, Number first, Number second) {
    row(name, layout, first), row(name, layout, second);
  };
  block("BC1", Layout::bc1, Number::unorm, Number::srgb);
  block("BC2", Layout::bc2, Number::unorm, Number::srgb);
  block("BC3", Layout::bc3, Number::unorm, Number::srgb);
  block("BC4", Layout::bc4, Number::unorm, Number::snorm);
  block("BC5", Layout::bc5, Number::unorm, Number::snorm);
  block("BC6", Layout::bc6h, Number::unorm, Number::snorm);
  block("BC7", Layout::bc7, Number::unorm, Number::srgb);
  rows[205] = {"YCBCR_UNORM"}, rows[206] = {"YCBCR_SRGB"};  // planes of video; no public text says how a T# names them
  next = 227;
  row("6E4_FLOAT", Layout::bits_10_10_10_2, Number::floats_6e4_first);
  return rows;
}();
static_assert(formats[42].layout == Layout::bits_8_8_8_8 && formats[63].number == Number::floating &&
              formats[89].name == "BG_RG");

}  // namespace

uint32_t image_format_number(Layout layout, Number number) {
  auto found = std::ranges::find_if(
      formats, [&](const FormatRow& row) { return row.supported && row.layout == layout && row.number == number; });
  return found == formats.end() ? 0 : uint32_t(found - formats.begin());
}

Expected<surface::Format> image_format(unsigned format, Order order) {
  const FormatRow& row = formats[format & 255];
  if (!row.supported) return fail("image format {} ({})", format, row.name);
  // Components count from bit 0; field 0 of this layout is the depth in the upper bits.
  if (row.layout == Layout::bits_8_24)
    for (Select& select : order)
      if (select == Select::field_0 || select == Select::field_1)
        select = select == Select::field_0 ? Select::field_1 : Select::field_0;
  // Red, blue and two greens: the layouts count from what stands second in the pair.
  if (row.layout == Layout::uyvy || row.layout == Layout::yuyv)
    for (Select& select : order)
      if (select == Select::field_0 || select == Select::field_2)
        select = select == Select::field_0 ? Select::field_2 : Select::field_0;
  auto made = surface::make_format(row.layout, row.number, order);
  if (!made) return fail("image format {} ({}): {}", format, row.name, made.error().message);
  return made;
}

}  // namespace Atoll::rdna4
