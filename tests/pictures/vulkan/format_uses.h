// Uses of images and buffers of a colour format, each as a small result that two drivers should agree on.
#pragma once
#include <span>

#include "device.h"
#include "format_values.h"

namespace vulkan {

enum class Act {
  copy,
  show,
  load,
  store,
  fetch,
  load_buffer,
  store_buffer,
  attribute,
  attach,
  clear_image,
  blit_from,
  blit_to,
  resolve
};

struct Use {
  const char* name;
  Act act;
  VkFormatFeatureFlags needs;
  VkImageUsageFlags usage = 0;  // of an image beside copies
  Tolerance tolerance = Tolerance::rounding;
  bool filter = false;
  VkImageTiling tiling = VK_IMAGE_TILING_OPTIMAL;
  uint32_t levels = 1, layers = 1, depth = 1;
  float level = 0;
  enum Paint { fill, replace, blend, subtract, greatest, masked, clear_by_load, clear_rectangle } paint = fill;
};

std::span<const Use> uses();
const Use* find_use(const std::string& name);

// True if the device says that it can.
bool possible(const Device& device, const FormatRow& row, const Use& use);

// A Vulkan call that fails ends the program.
Found find(Device& device, const FormatRow& row, const Use& use);

// How closely two results of the use have to agree.
Tolerance tolerance(const FormatRow& row, const Use& use);

}  // namespace vulkan
