// Shaders that load from images and buffers whose format they say: not every driver lets them do without (lavapipe does not).
#pragma once
#include <vector>

#include "format_shaders.h"

namespace vulkan {

// SPIR-V's number of the format (SPIR-V 1.6, "Image Format"), or 0 where it has none.
uint32_t storage_format(VkFormat format);

// The shader with the format in the types of its storage images and texel buffers.
std::vector<uint32_t> with_storage_format(const ShaderWords& shader, VkFormat format);

}  // namespace vulkan
