// DATA_FORMAT and NUM_FORMAT of the T#s of image arguments, for every order and type that OpenCL has.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "gpu/sea_islands/hsa/images.h"
#include "registers/sea_islands.h"
#include "tests/gpu/hsa/texel_orders.h"

namespace Atoll::sea_islands {
namespace {

using Word1 = SQ_IMG_RSRC_WORD1;
using Data = Word1::DATA_FORMAT;
using Number = Word1::NUM_FORMAT;

struct Row {
  std::array<uint32_t, 3> data;  // of 1, 2 and 4 components
  uint32_t number;
};
// The names say it: bits of the components, and how they are meant (Sea Islands ISA, table "Image data formats").
constexpr std::array<uint32_t, 3> bytes = {Data::IMG_DATA_FORMAT_8, Data::IMG_DATA_FORMAT_8_8, Data::IMG_DATA_FORMAT_8_8_8_8},
                                  shorts = {Data::IMG_DATA_FORMAT_16, Data::IMG_DATA_FORMAT_16_16,
                                            Data::IMG_DATA_FORMAT_16_16_16_16},
                                  words = {Data::IMG_DATA_FORMAT_32, Data::IMG_DATA_FORMAT_32_32,
                                           Data::IMG_DATA_FORMAT_32_32_32_32};
const std::map<std::string, Row> formats = {
    {"snorm8", {bytes, Number::IMG_NUM_FORMAT_SNORM}}, {"snorm16", {shorts, Number::IMG_NUM_FORMAT_SNORM}},
    {"unorm8", {bytes, Number::IMG_NUM_FORMAT_UNORM}}, {"unorm16", {shorts, Number::IMG_NUM_FORMAT_UNORM}},
    {"sint8", {bytes, Number::IMG_NUM_FORMAT_SINT}},   {"sint16", {shorts, Number::IMG_NUM_FORMAT_SINT}},
    {"sint32", {words, Number::IMG_NUM_FORMAT_SINT}},  {"uint8", {bytes, Number::IMG_NUM_FORMAT_UINT}},
    {"uint16", {shorts, Number::IMG_NUM_FORMAT_UINT}}, {"uint32", {words, Number::IMG_NUM_FORMAT_UINT}},
    {"half", {shorts, Number::IMG_NUM_FORMAT_FLOAT}},  {"float", {words, Number::IMG_NUM_FORMAT_FLOAT}}};
const std::map<std::string, uint32_t> packed = {{"unorm-short-565", Data::IMG_DATA_FORMAT_5_6_5},
                                                {"unorm-short-555", Data::IMG_DATA_FORMAT_1_5_5_5},
                                                {"unorm-int-101010", Data::IMG_DATA_FORMAT_2_10_10_10}};

TEST(LaunchImages, HaveTheFormatsOfTheirTexels) {
  unsigned stored = 0, none = 0;
  auto check = [&](const std::string& order, const std::string& type, uint32_t data, uint32_t number) {
    auto image = hsa::parse_image_description(order + "-" + type, "16x4");
    if (!data) {
      none++;
      EXPECT_FALSE(image) << order << "-" << type;
      return;
    }
    ASSERT_TRUE(image) << order << "-" << type << ": " << image.error().message;
    auto object = hsa_images.image(*image);
    ASSERT_TRUE(object) << order << "-" << type << ": " << object.error().message;
    EXPECT_EQ(Data::get(object->words[1]), data) << order << "-" << type;
    EXPECT_EQ(Number::get(object->words[1]), number) << order << "-" << type;
    stored++;
  };
  for (auto& [order, count] : hsa::test::components_of_orders) {
    for (auto& [type, row] : formats) {
      const bool srgb = type == "unorm8" && order.starts_with("s");
      check(order, type, count == 3 ? 0 : row.data[count == 4 ? 2 : count - 1],
            srgb ? uint32_t(Number::IMG_NUM_FORMAT_SRGB) : row.number);
    }
    for (auto& [type, data] : packed)
      check(order, type, order == "rgb" || order == "rgbx" ? data : 0, Number::IMG_NUM_FORMAT_UNORM);
  }
  EXPECT_EQ(stored + none, 19u * 15u);
  EXPECT_GT(stored, 150u);
}

}  // namespace
}  // namespace Atoll::sea_islands
