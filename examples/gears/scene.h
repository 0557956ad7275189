// The scene: three gears on a floor, a ball, a pane of glass, sparks and lines. OpenGL 2.1: fixed function and GLSL 1.20.
#pragma once
#include <string>

namespace gears {

// Textures, buffers, display lists and shaders; needs a current context. An empty string, or what went wrong.
std::string make_scene(int width, int height);

// Clears and draws; frames are 2 degrees of the large gear apart.
void draw_scene(int frame);

}  // namespace gears
