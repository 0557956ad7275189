// A sheet of squares, one a use of depth or stencil images in Vulkan: comparisons, writes, clears, biases, ranges, stencil
// operations, formats, layers, levels and samples, and what copies and shaders find in the images afterwards. Two drivers' sheets
// are compared by compare_pictures. vulkan_depth_sheet [--list] [--only N] PNG
#include <algorithm>
#include <cstdio>

#include "sheet_page.h"
#include "vulkan/depth_square.h"

namespace {

using namespace vulkan;
using Formats = std::vector<VkFormat>;

struct Named {
  const char* name;
  Formats formats;
};

// 24-bit depth is none of these: RADV has no format with it.
const Formats d16{VK_FORMAT_D16_UNORM}, d32{VK_FORMAT_D32_SFLOAT}, d32s8{VK_FORMAT_D32_SFLOAT_S8_UINT}, s8{VK_FORMAT_S8_UINT};
// A format that lavapipe lacks is drawn with one of more bits.
const Formats d16s8{VK_FORMAT_D16_UNORM_S8_UINT, VK_FORMAT_D32_SFLOAT_S8_UINT};
const Named depths[] = {{"D16", d16}, {"D32", d32}, {"D16S8", d16s8}, {"D32S8", d32s8}};
const Named stencils[] = {{"S8", s8}, {"D16S8", d16s8}, {"D32S8", d32s8}};
constexpr const char* compares[] = {"never", "less", "equal", "less or equal", "greater", "not equal", "greater or equal",
                                    "always"};
constexpr const char* operations[] = {"keep",      "zero",   "replace",          "increment",
                                      "decrement", "invert", "increment around", "decrement around"};

constexpr std::array<float, 4> red{0.9f, 0.2f, 0.1f, 0}, green{0.1f, 0.8f, 0.3f, 1}, blue{0.2f, 0.3f, 0.9f, 0.5f};
constexpr std::array<float, 4> to_right{0.1f, 0.9f, 0.1f, 0.9f}, to_bottom{0.2f, 0.2f, 0.8f, 0.8f}, half{0.5f, 0.5f, 0.5f, 0.5f};
constexpr std::array<float, 4> middle{-0.6f, -0.6f, 0.6f, 0.6f};

Draw slope(VkCompareOp compare = VK_COMPARE_OP_ALWAYS) { return {.depths = to_right, .colour = red, .compare = compare}; }

VkStencilOpState stencil_state(VkStencilOp fail, VkStencilOp pass, VkStencilOp depth_fail, VkCompareOp compare,
                               uint32_t reference, uint32_t read = 0xff, uint32_t write = 0xff) {
  return {fail, pass, depth_fail, compare, read, write, reference};
}

Draw with_stencil(Draw draw, const VkStencilOpState& state) {
  draw.stencil = true;
  draw.front = draw.back = state;
  return draw;
}

std::vector<Square> make_squares() {
  std::vector<Square> squares;
  auto add = [&](std::string name, Square square) {
    square.name = std::move(name);
    squares.push_back(std::move(square));
  };
  auto cleared = [](std::vector<Draw> draws, float depth = 1, uint32_t stencil = 0) {
    return Pass{.draws = std::move(draws), .clear = Clear::by_load, .depth = depth, .stencil = stencil};
  };

  // Comparisons and writes: a slope to the right, another downwards over it, and the depth that remains.
  for (int op = 0; op < 8; op++)
    for (const Named& format : depths)
      for (Show show : {Show::colour, Show::depth}) {
        if ((show == Show::depth) != (op % 2 != 0) && format.formats != d32) continue;
        Draw over{.depths = to_bottom, .colour = green, .rectangle = middle, .compare = VkCompareOp(op)};
        add(std::string(format.name) + " " + compares[op] + (show == Show::depth ? ", depth" : ""),
            {.formats = format.formats, .passes = {cleared({slope(), over})}, .show = show});
      }
  for (const Named& format : depths) {
    Draw unwritten{.depths = to_bottom, .colour = green, .write = false}, after{.depths = half, .colour = blue};
    add(std::string(format.name) + " written by the first alone",
        {.formats = format.formats, .passes = {cleared({slope(VK_COMPARE_OP_LESS), unwritten, after})}});
    Draw untested{.depths = to_bottom, .colour = green, .rectangle = middle, .test = false};
    add(std::string(format.name) + " without a test, depth",
        {.formats = format.formats, .passes = {cleared({slope(VK_COMPARE_OP_LESS), untested})}, .show = Show::depth});
    Draw depth_only{.depths = to_bottom, .colour = green, .rectangle = middle, .colours = false};
    add(std::string(format.name) + " of depth alone",
        {.formats = format.formats, .passes = {cleared({depth_only, slope(VK_COMPARE_OP_GREATER)})}});
    Draw holes{.depths = to_bottom, .colour = green, .paint = Paint::discards};
    add(std::string(format.name) + " with discards",
        {.formats = format.formats, .passes = {cleared({holes, slope(VK_COMPARE_OP_LESS)})}});
    Draw written{.depths = half, .colour = green, .paint = Paint::writes_depth};
    add(std::string(format.name) + " written by the shader",
        {.formats = format.formats,
         .passes = {cleared({slope(), written, {.depths = half, .colour = blue, .rectangle = middle}})}});

    // Clears.
    for (float depth : {0.0f, 0.3f})
      for (Clear clear : {Clear::by_load, Clear::by_command, Clear::by_attachments}) {
        constexpr const char* how[] = {"load", "command", "attachments"};
        add(std::string(format.name) + " cleared by " + how[int(clear)] + (depth == 0 ? " to 0, depth" : " to 0.3"),
            {.formats = format.formats,
             .passes = {{.draws = {slope(VK_COMPARE_OP_LESS)}},
                        {.draws = {{.depths = to_bottom, .colour = green}}, .clear = clear, .depth = depth}},
             .show = depth == 0 ? Show::depth : Show::colour});
      }

    // Biases. A unit of floats is 2^-24 for a primitive whose greatest depth is in [0.5, 1); of 16 bits 2^-16, or twice that,
    // which Vulkan allows and lavapipe does: there it decides with a bound only.
    bool shallow = format.formats == d16;
    for (float sign : {1.0f, -1.0f})
      if (format.formats != d16s8) {  // whose stand-in has other units
        float units = sign * 0.25f * (shallow ? 65536 : 16777216);
        Draw constant{
            .depths = to_right, .colour = green, .rectangle = middle, .compare = VK_COMPARE_OP_ALWAYS, .bias = {units, 0, 0}};
        if (!shallow)
          add(std::string(format.name) + (sign > 0 ? " bias +0.25, depth" : " bias -0.25, depth"),
              {.formats = format.formats, .passes = {cleared({slope(), constant})}, .show = Show::depth});
        Draw by_slope{
            .depths = to_right, .colour = green, .rectangle = middle, .compare = VK_COMPARE_OP_ALWAYS, .bias = {0, 0, sign * 32}};
        add(std::string(format.name) + (sign > 0 ? " bias 32 slopes, depth" : " bias -32 slopes, depth"),
            {.formats = format.formats, .passes = {cleared({slope(), by_slope})}, .show = Show::depth});
        Draw bounded = by_slope;
        bounded.bias = {units, sign * 0.1f, sign * 32};
        add(std::string(format.name) + (sign > 0 ? " bias up to 0.1, depth" : " bias down to -0.1, depth"),
            {.formats = format.formats, .passes = {cleared({slope(), bounded})}, .show = Show::depth});
      }

    // Ranges of the viewport, and depths beyond the near and far planes, cut off or clamped.
    for (bool clamps : {false, true}) {
      Draw beyond{.depths = {-0.5f, 1.5f, -0.5f, 1.5f},
                  .colour = green,
                  .compare = VK_COMPARE_OP_ALWAYS,
                  .clamps = clamps,
                  .range = {0.2f, 0.7f}};
      add(std::string(format.name) + (clamps ? " clamped, depth" : " clipped, depth"),
          {.formats = format.formats, .passes = {cleared({beyond}, 0.9f)}, .show = Show::depth});
    }
    Draw reversed{.depths = to_right, .colour = green, .rectangle = middle, .range = {1, 0}};
    add(std::string(format.name) + " reversed",
        {.formats = format.formats, .passes = {cleared({slope(VK_COMPARE_OP_LESS), reversed})}});

    // Values that shaders find.
    for (Show show : {Show::sampled, Show::compared})
      add(std::string(format.name) + (show == Show::sampled ? " as a texture" : " compared with a half"),
          {.formats = format.formats,
           .passes = {cleared({slope(), {.depths = to_bottom, .colour = green, .rectangle = middle}})},
           .show = show});
    // Several passes, in both layouts.
    for (bool general : {false, true})
      add(std::string(format.name) + (general ? " in the general layout" : " over two passes") + ", depth",
          {.formats = format.formats,
           .passes = {cleared({slope(VK_COMPARE_OP_LESS)}),
                      {.draws = {{.depths = to_bottom, .colour = green, .rectangle = middle}}}},
           .show = Show::depth,
           .general = general});
    // Layers and levels: what was drawn, and that their neighbours stay as they were.
    for (uint32_t shown : {1u, 2u})
      add(std::string(format.name) + " of layer 2, depth of layer " + std::to_string(shown),
          {.formats = format.formats,
           .passes = {cleared({slope(VK_COMPARE_OP_LESS)})},
           .show = Show::depth,
           .layers = 3,
           .drawn_layer = 2,
           .shown_layer = shown});
    for (uint32_t shown : {0u, 1u})
      add(std::string(format.name) + " of level 1, depth of level " + std::to_string(shown),
          {.formats = format.formats,
           .passes = {cleared({slope(VK_COMPARE_OP_LESS)})},
           .show = Show::depth,
           .levels = 3,
           .drawn_level = 1,
           .shown_level = shown});
    // Four samples.
    for (Show show : {Show::colour, Show::sampled})
      add(std::string(format.name) + " of four samples" + (show == Show::sampled ? ", their average" : ""),
          {.formats = format.formats,
           .passes = {cleared({slope(VK_COMPARE_OP_LESS), {.depths = to_bottom, .colour = green, .rectangle = middle}})},
           .show = show,
           .multisample = true});
  }

  // Stencil.
  for (const Named& format : stencils) {
    bool alone = format.formats == s8;
    auto name = [&](const std::string& what) { return std::string(format.name) + " " + what; };
    auto at = [](float left, float right) { return std::array<float, 4>{left, -1, right, 1}; };
    constexpr auto keep = VK_STENCIL_OP_KEEP, replace = VK_STENCIL_OP_REPLACE;
    constexpr auto always = VK_COMPARE_OP_ALWAYS;
    // A staircase of values, then the operation where the test passes, where it fails, and where the depth test fails.
    auto steps = [&] {
      std::vector<Draw> draws;
      for (int i = 0; i < 4; i++)
        draws.push_back(with_stencil(
            {.depths = half, .colour = blue, .rectangle = at(-1 + 0.5f * float(i), -0.5f + 0.5f * float(i)), .write = false},
            stencil_state(keep, replace, keep, always, std::array{0u, 1u, 0x55u, 0xffu}[size_t(i)])));
      return draws;
    };
    for (int op = 0; op < 8; op++) {
      auto draws = steps();
      auto operation = VkStencilOp(op);
      draws.push_back(with_stencil({.depths = half, .colour = green, .rectangle = {-1, -0.9f, 1, -0.4f}},
                                   stencil_state(keep, operation, keep, always, 0x33)));
      draws.push_back(with_stencil({.depths = half, .colour = green, .rectangle = {-1, -0.3f, 1, 0.2f}},
                                   stencil_state(operation, keep, keep, VK_COMPARE_OP_NEVER, 0x33)));
      if (!alone)
        draws.push_back(
            with_stencil({.depths = half, .colour = green, .rectangle = {-1, 0.3f, 1, 0.8f}, .compare = VK_COMPARE_OP_GREATER},
                         stencil_state(keep, keep, operation, always, 0x33)));
      add(name(operations[op]) + ", stencil", {.formats = format.formats, .passes = {cleared(draws)}, .show = Show::stencil});
    }
    for (int op = 0; op < 8; op++) {
      auto draws = steps();
      draws.push_back(with_stencil({.depths = half, .colour = green, .rectangle = middle},
                                   stencil_state(keep, keep, keep, VkCompareOp(op), 0x55)));
      add(name("where the reference is ") + compares[op], {.formats = format.formats, .passes = {cleared(draws)}});
    }
    auto masked = steps();
    masked.push_back(with_stencil({.depths = half, .colour = green, .rectangle = middle},
                                  stencil_state(keep, VK_STENCIL_OP_INVERT, keep, VK_COMPARE_OP_EQUAL, 0x51, 0x01, 0x3c)));
    add(name("masked"), {.formats = format.formats, .passes = {cleared(masked)}});
    add(name("masked, stencil"), {.formats = format.formats, .passes = {cleared(masked)}, .show = Show::stencil});
    auto faces = steps();
    for (bool away : {false, true}) {
      Draw draw{.depths = half,
                .colour = away ? green : red,
                .rectangle = away ? std::array{0.9f, -0.5f, 0.1f, 0.5f} : std::array{-0.9f, -0.5f, -0.1f, 0.5f}};
      draw.stencil = true;
      draw.front = stencil_state(keep, VK_STENCIL_OP_INCREMENT_AND_WRAP, keep, always, 9);
      draw.back = stencil_state(keep, replace, keep, VK_COMPARE_OP_NOT_EQUAL, 0x55, 0xff, 0x0f);
      faces.push_back(draw);
    }
    add(name("by faces"), {.formats = format.formats, .passes = {cleared(faces)}});
    add(name("by faces, stencil"), {.formats = format.formats, .passes = {cleared(faces)}, .show = Show::stencil});
    add(name("as a texture"), {.formats = format.formats, .passes = {cleared(steps())}, .show = Show::sampled_stencil});
    for (Clear clear : {Clear::by_load, Clear::by_command, Clear::by_attachments}) {
      constexpr const char* how[] = {"load", "command", "attachments"};
      Pass pass{.draws = {}, .clear = clear, .stencil = 0x77, .aspects = VK_IMAGE_ASPECT_STENCIL_BIT};
      add(name("alone cleared by ") + how[int(clear)] + ", stencil",
          {.formats = format.formats, .passes = {cleared(steps()), pass}, .show = Show::stencil});
      if (!alone)
        add(name("alone cleared by ") + how[int(clear)] + ", depth",
            {.formats = format.formats, .passes = {cleared({slope()}, 1, 3), pass}, .show = Show::depth});
      pass.aspects = VK_IMAGE_ASPECT_DEPTH_BIT;
      if (!alone)
        add(name("kept, depth cleared by ") + how[int(clear)] + ", stencil",
            {.formats = format.formats, .passes = {cleared(steps()), pass}, .show = Show::stencil});
    }
    for (uint32_t shown : {1u, 2u})
      add(name("of layer 2, stencil of layer ") + std::to_string(shown), {.formats = format.formats,
                                                                          .passes = {cleared(steps())},
                                                                          .show = Show::stencil,
                                                                          .layers = 3,
                                                                          .drawn_layer = 2,
                                                                          .shown_layer = shown});
    for (uint32_t shown : {0u, 1u})
      add(name("of level 1, stencil of level ") + std::to_string(shown), {.formats = format.formats,
                                                                          .passes = {cleared(steps())},
                                                                          .show = Show::stencil,
                                                                          .levels = 3,
                                                                          .drawn_level = 1,
                                                                          .shown_level = shown});
    auto sampled = steps();
    sampled.push_back(with_stencil({.depths = half, .colour = green, .rectangle = middle},
                                   stencil_state(keep, keep, keep, VK_COMPARE_OP_EQUAL, 0x55)));
    add(name("of four samples"), {.formats = format.formats, .passes = {cleared(sampled)}, .multisample = true});
  }
  return squares;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr const char* program = "vulkan_depth_sheet";
  auto squares = make_squares();
  std::vector<std::string> names;
  for (const Square& square : squares) names.push_back(square.name);
  int status = 0;
  auto options = sheet::read_options(program, argc, argv, names, status);
  if (!options) return status;
  status = 0;
  int width = sheet::columns * sheet::cell, height = sheet::rows(int(squares.size())) * sheet::cell;
  std::vector<uint8_t> page(size_t(width) * size_t(height) * 4, 128);
  Device device(program);
  std::printf("device: %s\n", device.name().c_str());
  for (int n = 0; n < int(squares.size()); n++) {
    if (options->only >= 0 && n != options->only) continue;
    auto picture = draw(device, squares[size_t(n)]);
    if (picture.empty()) {
      status = 1;
      continue;
    }
    int left = n % sheet::columns * sheet::cell + 4, top = n / sheet::columns * sheet::cell + 4;
    for (int y = 0; y < sheet::inside; y++)
      std::copy_n(picture.begin() + y * sheet::inside * 4, sheet::inside * 4, page.begin() + ((top + y) * width + left) * 4);
  }
  return sheet::write_png(program, options->png, width, height, page) ? status : 1;
}
