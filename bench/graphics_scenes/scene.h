// The scenes in OpenGL, and what they share.
#pragma once
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include <span>
#include <vector>

#include "measure.h"

namespace scenes {

constexpr int width = 800, height = 600;

struct Scene {
  const char *name, *about;
  int least_version;  // of OpenGL: 21, 43
  void (*make)();
  void (*draw)(int frame);
  Picture (*read_picture)() = nullptr;  // where it is not the framebuffer's
};

// A table each, of pixels.cpp, shaders.cpp, geometry.cpp, compute.cpp and gears.cpp.
std::span<const Scene> pixel_scenes();
std::span<const Scene> shader_scenes();
std::span<const Scene> geometry_scenes();
std::span<const Scene> compute_scenes();
std::span<const Scene> gears_scenes();

// Ends the program with the compiler's words where it does not compile. Attributes have their places in the list's order.
GLuint make_program(const char* vertex, const char* fragment, std::span<const char* const> attributes);
GLuint make_compute_program(const char* source);

// A quad over the whole screen: a strip of four vertices.
struct Corner {
  float position[4], colour[4], coordinates[2];
};
using Quad = std::vector<Corner>;
Quad screen_quad(float depth);

// The corners of all quads in one buffer, bound, as the attributes "position", "colour" and "coordinates" in places 0, 1 and 2.
void bind_corners(std::span<const Quad> quads);
inline constexpr const char* corner_attributes[] = {"position", "colour", "coordinates"};

}  // namespace scenes
