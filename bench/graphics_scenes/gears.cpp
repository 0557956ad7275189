// The demo of examples/gears, as a whole program draws: fixed function and GLSL, textures, blending, lines.
#include <cstdio>
#include <cstdlib>

#include "../../examples/gears/scene.h"
#include "scene.h"

namespace scenes {

namespace {

void make() {
  std::string error = gears::make_scene(width, height);
  if (error.empty()) return;
  std::fprintf(stderr, "gears: %s\n", error.c_str());
  std::exit(1);
}

constexpr Scene table[] = {{"gears", "the demo of examples/gears", 21, make, gears::draw_scene}};

}  // namespace

std::span<const Scene> gears_scenes() { return table; }

}  // namespace scenes
