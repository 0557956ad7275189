// A square of the sheet of depth and stencil: what is cleared and drawn, and which image is then looked at.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "device.h"

namespace vulkan {

enum class Paint { plain, discards, writes_depth };

struct Draw {
  std::array<float, 4> depths;  // at the corners: left and right at the top, then at the bottom
  std::array<float, 4> colour;
  std::array<float, 4> rectangle = {-1, -1, 1, 1};  // left, top, right, bottom; a mirrored one faces away
  bool test = true, write = true, colours = true;
  VkCompareOp compare = VK_COMPARE_OP_LESS;
  std::array<float, 3> bias = {};  // constant, clamp, slope
  bool clamps = false;
  std::array<float, 2> range = {0, 1};
  bool stencil = false;
  VkStencilOpState front = {}, back = {};
  Paint paint = Paint::plain;
};

enum class Show { colour, depth, stencil, sampled, compared, sampled_stencil };
enum class Clear { by_load, by_command, by_attachments, never };

// Between passes the images' contents are stored and loaded.
struct Pass {
  std::vector<Draw> draws;
  Clear clear = Clear::never;
  float depth = 1;
  uint32_t stencil = 0;
  VkImageAspectFlags aspects = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;  // that are cleared
};

struct Square {
  std::string name = {};
  std::vector<VkFormat> formats = {};  // the first that the device has
  std::vector<Pass> passes = {};
  Show show = Show::colour;
  uint32_t layers = 1, levels = 1;
  uint32_t drawn_layer = 0, shown_layer = 0, drawn_level = 0, shown_level = 0;
  bool multisample = false;
  bool general = false;  // layout
};

// The square's picture, RGBA of sheet::inside squared; empty: it said why not.
std::vector<uint8_t> draw(Device& device, const Square& square);

}  // namespace vulkan
