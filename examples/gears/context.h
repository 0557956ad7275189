// An OpenGL context without a window, and a framebuffer object to draw into.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gears {

// The way by which Mesa finds the GPU: the surfaceless platform asks for the first one, GBM opens a render
// node.
enum class Platform { surfaceless, gbm };

// Makes a compatibility context current on this thread; an empty string, or what went wrong.
std::string make_context(Platform platform, const std::string& device);

// Colour (RGBA, 8 bits) and depth (24 bits); bound until the program ends. An empty string, or what went wrong.
std::string make_framebuffer(int width, int height);

// The picture: RGBA, rows from the top.
std::vector<uint8_t> read_picture(int width, int height);

}  // namespace gears
