// The formats of T#s: data format and number format as src/surface has them.
#include "gpu/sea_islands/shaders/image_formats.h"

#include <algorithm>

#include "gpu/sea_islands/shaders/descriptors.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

namespace {

using surface::Layout;
using surface::Number;
using surface::Order;
using surface::Select;

// A row for each of the 64 data formats. The names count from the top bit, the layouts from bit 0.
struct DataFormatRow {
  const char* name = "reserved";
  std::optional<Layout> layout = {};  // none: not supported
  FragmentMask fragment_mask = {};
};
constexpr auto data_formats = [] {
  std::array<DataFormatRow, 64> rows{};
  rows[0] = {"INVALID"};
  rows[1] = {"8", Layout::bits_8};
  rows[2] = {"16", Layout::bits_16};
  rows[3] = {"8_8", Layout::bits_8_8};
  rows[4] = {"32", Layout::bits_32};
  rows[5] = {"16_16", Layout::bits_16_16};
  rows[6] = {"10_11_11", Layout::bits_11_11_10};
  rows[7] = {"11_11_10", Layout::bits_10_11_11};
  rows[8] = {"10_10_10_2", Layout::bits_2_10_10_10};
  rows[9] = {"2_10_10_10", Layout::bits_10_10_10_2};
  rows[10] = {"8_8_8_8", Layout::bits_8_8_8_8};
  rows[11] = {"32_32", Layout::bits_32_32};
  rows[12] = {"16_16_16_16", Layout::bits_16_16_16_16};
  rows[13] = {"32_32_32", Layout::bits_32_32_32};
  rows[14] = {"32_32_32_32", Layout::bits_32_32_32_32};
  rows[16] = {"5_6_5", Layout::bits_5_6_5};
  rows[17] = {"1_5_5_5", Layout::bits_5_5_5_1};
  rows[18] = {"5_5_5_1", Layout::bits_1_5_5_5};
  rows[19] = {"4_4_4_4", Layout::bits_4_4_4_4};
  rows[20] = {"8_24", Layout::bits_24_8};
  rows[21] = {"24_8", Layout::bits_8_24};
  rows[22] = {"X24_8_32", Layout::bits_32_8_24};
  rows[32] = {"GB_GR", Layout::uyvy};
  rows[33] = {"BG_RG", Layout::yuyv};
  rows[34] = {"5_9_9_9", Layout::bits_9_9_9_e5};
  rows[35] = {"BC1", Layout::bc1};
  rows[36] = {"BC2", Layout::bc2};
  rows[37] = {"BC3", Layout::bc3};
  rows[38] = {"BC4", Layout::bc4};
  rows[39] = {"BC5", Layout::bc5};
  rows[40] = {"BC6", Layout::bc6h};
  rows[41] = {"BC7", Layout::bc7};
  rows[44] = {"FMASK8_S2_F1", Layout::bits_8, {2, 1}};
  rows[45] = {"FMASK8_S4_F1", Layout::bits_8, {4, 1}};
  rows[46] = {"FMASK8_S8_F1", Layout::bits_8, {8, 1}};
  rows[47] = {"FMASK8_S2_F2", Layout::bits_8, {2, 1}};
  rows[48] = {"FMASK8_S4_F2", Layout::bits_8, {4, 2}};
  rows[49] = {"FMASK8_S4_F4", Layout::bits_8, {4, 2}};
  rows[50] = {"FMASK16_S16_F1", Layout::bits_16, {16, 1}};
  rows[51] = {"FMASK16_S8_F2", Layout::bits_16, {8, 2}};
  rows[52] = {"FMASK32_S16_F2", Layout::bits_32, {16, 2}};
  rows[53] = {"FMASK32_S8_F4", Layout::bits_32, {8, 4}};
  rows[54] = {"FMASK32_S8_F8", Layout::bits_32, {8, 4}};
  rows[55] = {"FMASK64_S16_F4", Layout::bits_32_32, {16, 4}};
  rows[56] = {"FMASK64_S16_F8", Layout::bits_32_32, {16, 4}};
  rows[57] = {"4_4", Layout::bits_4_4};
  rows[58] = {"6_5_5", Layout::bits_5_5_6};
  rows[59] = {"1", Layout::bits_1};
  rows[60] = {"1_REVERSED", Layout::bits_1_reversed};
  rows[61] = {"32_AS_8"};
  rows[62] = {"32_AS_8_8"};
  rows[63] = {"32_AS_32_32_32_32"};
  return rows;
}();

std::optional<Number> number_of(unsigned number_format) {
  using Field = SQ_IMG_RSRC_WORD1::NUM_FORMAT;
  switch (number_format) {
    case Field::IMG_NUM_FORMAT_UNORM: return Number::unorm;
    case Field::IMG_NUM_FORMAT_SNORM: return Number::snorm;
    case Field::IMG_NUM_FORMAT_USCALED: return Number::uscaled;
    case Field::IMG_NUM_FORMAT_SSCALED: return Number::sscaled;
    case Field::IMG_NUM_FORMAT_UINT: return Number::uint;
    case Field::IMG_NUM_FORMAT_SINT: return Number::sint;
    case Field::IMG_NUM_FORMAT_FLOAT: return Number::floating;
    case Field::IMG_NUM_FORMAT_SRGB: return Number::srgb;
    default: return {};
  }
}

}  // namespace

std::optional<ImageFormatNumbers> image_format_numbers(Layout layout, Number number) {
  constexpr unsigned number_formats = 16;
  auto data = std::ranges::find_if(data_formats,
                                   [&](const DataFormatRow& row) { return row.layout == layout && !row.fragment_mask.samples; });
  for (unsigned n = 0; data != data_formats.end() && n < number_formats; n++)
    if (number_of(n) == number) return ImageFormatNumbers{uint32_t(data - data_formats.begin()), n};
  return {};
}

Expected<surface::Format> image_format(unsigned data_format, unsigned number_format, Order order) {
  const DataFormatRow& row = data_formats[data_format & 63];
  if (!row.layout) return fail("image data format {} ({})", data_format, row.name);
  if (row.fragment_mask.samples) return surface::make_format(*row.layout, Number::uint, order);
  auto number = number_of(number_format);
  if (!number) return fail("image number format {} (data format {})", number_format, row.name);
  // A float or unorm depth beside a stencil of 8 bits has numbers of its own.
  if (*row.layout == Layout::bits_32_8_24) number = Number::depth_stencil;
  // Components count from bit 0; field 0 of this layout is the depth in the upper bits.
  if (*row.layout == Layout::bits_8_24)
    for (Select& select : order)
      if (select == Select::field_0 || select == Select::field_1)
        select = select == Select::field_0 ? Select::field_1 : Select::field_0;
  // Red, blue and two greens: the layouts count from what stands second in the pair.
  if (*row.layout == Layout::uyvy || *row.layout == Layout::yuyv)
    for (Select& select : order)
      if (select == Select::field_0 || select == Select::field_2)
        select = select == Select::field_0 ? Select::field_2 : Select::field_0;
  return surface::make_format(*row.layout, *number, order);
}

FragmentMask fragment_mask(unsigned data_format) { return data_formats[data_format & 63].fragment_mask; }

}  // namespace Atoll::sea_islands
