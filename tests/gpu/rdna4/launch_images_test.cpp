// FORMAT of the T#s of image arguments, for every order and type that OpenCL has.
#include "gpu/rdna4/launch_images.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "gpu/rdna4/image_descriptors.h"
#include "tests/gpu/hsa/texel_orders.h"

namespace Atoll::rdna4 {
namespace {

// RDNA4 ISA, table 62: of 1, 2 and 4 components.
const std::map<std::string, std::array<uint32_t, 3>> formats = {
    {"snorm8", {2, 15, 43}},  {"snorm16", {8, 24, 52}}, {"unorm8", {1, 14, 42}},  {"unorm16", {7, 23, 51}},
    {"sint8", {6, 19, 47}},   {"sint16", {12, 28, 56}}, {"sint32", {21, 49, 62}}, {"uint8", {5, 18, 46}},
    {"uint16", {11, 27, 55}}, {"uint32", {20, 48, 61}}, {"half", {13, 29, 57}},   {"float", {22, 50, 63}}};
// With a color space of their own.
constexpr std::array<uint32_t, 3> srgb = {64, 65, 66};
const std::map<std::string, uint32_t> packed = {{"unorm-short-565", 68}, {"unorm-short-555", 69}, {"unorm-int-101010", 36}};

TEST(LaunchImages, HaveTheFormatsOfTheirTexels) {
  unsigned stored = 0, none = 0;
  auto check = [&](const std::string& order, const std::string& type, uint32_t expected) {
    auto image = hsa::parse_image_description(order + "-" + type, "16x4");
    if (!expected) {
      none++;
      EXPECT_FALSE(image) << order << "-" << type;
      return;
    }
    ASSERT_TRUE(image) << order << "-" << type << ": " << image.error().message;
    auto object = launch_images.image(*image);
    ASSERT_TRUE(object) << order << "-" << type << ": " << object.error().message;
    EXPECT_EQ(image_resource_field::Format::get(object->words), expected) << order << "-" << type;
    stored++;
  };
  for (auto& [order, count] : hsa::test::components_of_orders) {
    for (auto& [type, row] : formats) {
      const auto& numbers = type == "unorm8" && order.starts_with("s") ? srgb : row;
      check(order, type, count == 3 ? 0 : numbers[count == 4 ? 2 : count - 1]);
    }
    for (auto& [type, number] : packed) check(order, type, order == "rgb" || order == "rgbx" ? number : 0);
  }
  EXPECT_EQ(stored + none, 19u * 15u);
  EXPECT_GT(stored, 150u);
}

}  // namespace
}  // namespace Atoll::rdna4
