// Dispatches and draws of the sheet of formats: what is bound, and the pipelines.
#pragma once
#include <array>

#include "device.h"
#include "format_shaders.h"
#include "format_uses.h"

namespace vulkan {

inline constexpr uint32_t format_image_side = 16;  // texels

// The resource at binding 0: one of them.
struct Bound {
  VkImageView view = {};
  VkSampler sampler = {};
  VkBufferView texels = {};
};

// The greatest integer of each component that the format has.
std::array<uint32_t, 4> greatest(const FormatRow& row);
VkClearColorValue clear_value(const FormatRow& row);

VkSampler make_sampler(Device& device, bool filter, bool integers);
VkBufferView make_buffer_view(Device& device, const Buffer& buffer, VkFormat format);

// A compute shader over groups x groups, with the buffer at binding 1 and 16 bytes of constants. Images are in the general layout.
// The shader says the format of what it loads, or none (VK_FORMAT_UNDEFINED).
void dispatch(Device& device, const FormatShader& shader, int variant, VkDescriptorType type, const Bound& bound,
              const Buffer& buffer, const void* constants, uint32_t groups, VkFormat said);

// Both leave the image in the general layout.
void paint(Device& device, const FormatRow& row, const Image& image, Use::Paint how);
void paint_samples(Device& device, const FormatRow& row, const Image& image, const Image& resolved);

// A pixel of `image` for each of 16 x 16 vertices whose attribute of the row's format is in the buffer.
void draw_points(Device& device, const FormatRow& row, const Image& image, const Buffer& vertices);

}  // namespace vulkan
