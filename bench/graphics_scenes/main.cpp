// Draws one of the scenes in OpenGL without a window and says what its frames cost: see bench/README.md.
#include <cstdio>
#include <cstdlib>

#include "../../examples/gears/context.h"
#include "scene.h"

namespace {

std::vector<scenes::Scene> all_scenes() {
  std::vector<scenes::Scene> all;
  for (auto table : {scenes::pixel_scenes(), scenes::geometry_scenes(), scenes::shader_scenes(), scenes::compute_scenes(),
                     scenes::gears_scenes()})
    all.insert(all.end(), table.begin(), table.end());
  return all;
}

[[noreturn]] void fail(const std::string& error) {
  std::fprintf(stderr, "graphics_scenes: %s\n", error.c_str());
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::pair<std::string, std::string>> names;
  auto all = all_scenes();
  names.reserve(all.size());
  for (auto& scene : all) names.emplace_back(scene.name, scene.about);
  auto options = scenes::read_options(argc, argv, "graphics_scenes", names);
  const scenes::Scene* scene = nullptr;
  for (auto& each : all)
    if (each.name == options.scene) scene = &each;

  std::string error = gears::make_context(gears::Platform::surfaceless, "");
  if (error.empty()) error = gears::make_framebuffer(scenes::width, scenes::height);
  if (!error.empty()) fail(error);
  int major = 0, minor = 0;
  std::sscanf(reinterpret_cast<const char*>(glGetString(GL_VERSION)), "%d.%d", &major, &minor);
  if (major * 10 + minor < scene->least_version) {
    std::fprintf(stderr, "graphics_scenes: %s needs OpenGL %d.%d, this driver has %d.%d\n", scene->name,
                 scene->least_version / 10, scene->least_version % 10, major, minor);
    return 77;
  }
  glViewport(0, 0, scenes::width, scenes::height);
  scene->make();

  scenes::Running running;
  running.renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  running.draw = [&](int frame) {
    scene->draw(frame);
    glFinish();
  };
  running.read_picture = [&] {
    if (scene->read_picture) return scene->read_picture();
    return scenes::Picture{scenes::width, scenes::height, gears::read_picture(scenes::width, scenes::height)};
  };
  int status = scenes::measure(options, running);
  if (GLenum code = glGetError(); code != GL_NO_ERROR) {
    std::fprintf(stderr, "graphics_scenes: %s: OpenGL error 0x%04x\n", scene->name, code);
    return 1;
  }
  return status;
}
