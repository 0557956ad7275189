// Draws a frame of a small scene without a window and writes it as a PNG file. See usage().
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "../png_file.h"
#include "context.h"
#include "scene.h"

namespace {

int usage() {
  std::fprintf(stderr,
               "usage: gears [--frame N] [--frames N] [--size WxH] [--platform surfaceless|gbm] [--device NODE] [PNG]\n"
               "  --frame N       the frame that is drawn (0)\n"
               "  --frames N      draws N frames, the first of them --frame, and prints how long they took; the last is written\n"
               "  --platform P    how Mesa is asked for the GPU (surfaceless)\n"
               "  --device NODE   what GBM opens (/dev/dri/renderD128)\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  int frame = 0, frames = 0, width = 800, height = 600;
  gears::Platform platform = gears::Platform::surfaceless;
  std::string device = "/dev/dri/renderD128";
  const char* png = nullptr;
  for (int i = 1; i < argc; i++) {
    std::string option = argv[i];
    if (option.rfind("--", 0) != 0) {
      if (png) return usage();
      png = argv[i];
      continue;
    }
    if (++i == argc) return usage();
    std::string value = argv[i];
    if (option == "--frame")
      frame = std::atoi(argv[i]);
    else if (option == "--frames")
      frames = std::atoi(argv[i]);
    else if (option == "--size" && std::sscanf(argv[i], "%dx%d", &width, &height) == 2 && width > 0 && height > 0)
      continue;
    else if (option == "--platform" && value == "surfaceless")
      platform = gears::Platform::surfaceless;
    else if (option == "--platform" && value == "gbm")
      platform = gears::Platform::gbm;
    else if (option == "--device")
      device = value;
    else
      return usage();
  }
  std::string error = gears::make_context(platform, device);
  if (error.empty()) {
    std::printf("GL_RENDERER: %s\nGL_VERSION: %s\n", reinterpret_cast<const char*>(glGetString(GL_RENDERER)),
                reinterpret_cast<const char*>(glGetString(GL_VERSION)));
    std::fflush(stdout);
    error = gears::make_framebuffer(width, height);
  }
  if (error.empty()) error = gears::make_scene(width, height);
  if (!error.empty()) {
    std::fprintf(stderr, "gears: %s\n", error.c_str());
    return 1;
  }
  auto started = std::chrono::steady_clock::now();
  for (int n = 0; n < (frames > 0 ? frames : 1); n++) {
    gears::draw_scene(frame + n);
    glFinish();
    if (n == 0 && frames > 1) started = std::chrono::steady_clock::now();  // the first one compiles shaders
  }
  if (frames > 1) {
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    std::printf("%d frames in %.3f seconds: %.1f frames a second\n", frames - 1, seconds, (frames - 1) / seconds);
  }
  auto picture = gears::read_picture(width, height);
  if (GLenum code = glGetError(); code != GL_NO_ERROR) {
    std::fprintf(stderr, "gears: OpenGL error 0x%04x\n", code);
    return 1;
  }
  return !png || write_png("gears", png, width, height, picture.data()) ? 0 : 1;
}
