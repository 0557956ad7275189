#include "format_storage.h"

namespace vulkan {
namespace {

// In the order of SPIR-V's numbers, from 1.
constexpr VkFormat in_order[] = {
    VK_FORMAT_R32G32B32A32_SFLOAT,
    VK_FORMAT_R16G16B16A16_SFLOAT,
    VK_FORMAT_R32_SFLOAT,
    VK_FORMAT_R8G8B8A8_UNORM,
    VK_FORMAT_R8G8B8A8_SNORM,
    VK_FORMAT_R32G32_SFLOAT,
    VK_FORMAT_R16G16_SFLOAT,
    VK_FORMAT_B10G11R11_UFLOAT_PACK32,
    VK_FORMAT_R16_SFLOAT,
    VK_FORMAT_R16G16B16A16_UNORM,
    VK_FORMAT_A2B10G10R10_UNORM_PACK32,
    VK_FORMAT_R16G16_UNORM,
    VK_FORMAT_R8G8_UNORM,
    VK_FORMAT_R16_UNORM,
    VK_FORMAT_R8_UNORM,
    VK_FORMAT_R16G16B16A16_SNORM,
    VK_FORMAT_R16G16_SNORM,
    VK_FORMAT_R8G8_SNORM,
    VK_FORMAT_R16_SNORM,
    VK_FORMAT_R8_SNORM,
    VK_FORMAT_R32G32B32A32_SINT,
    VK_FORMAT_R16G16B16A16_SINT,
    VK_FORMAT_R8G8B8A8_SINT,
    VK_FORMAT_R32_SINT,
    VK_FORMAT_R32G32_SINT,
    VK_FORMAT_R16G16_SINT,
    VK_FORMAT_R8G8_SINT,
    VK_FORMAT_R16_SINT,
    VK_FORMAT_R8_SINT,
    VK_FORMAT_R32G32B32A32_UINT,
    VK_FORMAT_R16G16B16A16_UINT,
    VK_FORMAT_R8G8B8A8_UINT,
    VK_FORMAT_R32_UINT,
    VK_FORMAT_A2B10G10R10_UINT_PACK32,
    VK_FORMAT_R32G32_UINT,
    VK_FORMAT_R16G16_UINT,
    VK_FORMAT_R8G8_UINT,
    VK_FORMAT_R16_UINT,
    VK_FORMAT_R8_UINT,
};

// SPIR-V 1.6, sections 2.3, 3.31 and 3.42.
constexpr uint32_t header_words = 5, op_capability = 17, op_type_image = 25, read_without_format = 55, extended_formats = 49,
                   sampled_operand = 7, format_operand = 8, storage = 2;

}  // namespace

uint32_t storage_format(VkFormat format) {
  uint32_t number = 1;
  for (VkFormat other : in_order) {
    if (other == format) return number;
    number++;
  }
  return 0;
}

std::vector<uint32_t> with_storage_format(const ShaderWords& shader, VkFormat format) {
  std::vector<uint32_t> words(shader.words, shader.words + shader.bytes / 4);
  for (size_t at = header_words; at < words.size() && words[at] >> 16; at += words[at] >> 16) {
    uint32_t operation = words[at] & 0xffff;
    if (operation == op_capability && words[at + 1] == read_without_format) words[at + 1] = extended_formats;
    if (operation == op_type_image && words[at + sampled_operand] == storage) words[at + format_operand] = storage_format(format);
  }
  return words;
}

}  // namespace vulkan
