// Values: Khronos EGL 1.5 and OpenGL ES 2.0 (egl.h, gl2.h).
#include "cli/triangle.h"

#include <dlfcn.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace Atoll::cli {
namespace {

constexpr int size = 64;
constexpr int EGL_NONE = 0x3038, EGL_OPENGL_ES_API = 0x30a0, EGL_CONTEXT_CLIENT_VERSION = 0x3098,
              EGL_PLATFORM_SURFACELESS = 0x31dd, EGL_RENDERABLE_TYPE = 0x3040, EGL_OPENGL_ES2_BIT = 4, EGL_SURFACE_TYPE = 0x3033;
constexpr unsigned GL_RENDERER = 0x1f01, GL_FRAMEBUFFER = 0x8d40, GL_RENDERBUFFER = 0x8d41, GL_COLOR_ATTACHMENT0 = 0x8ce0,
                   GL_RGBA8 = 0x8058, GL_RGBA4 = 0x8056, GL_FRAMEBUFFER_COMPLETE = 0x8cd5, GL_VERTEX_SHADER = 0x8b31,
                   GL_FRAGMENT_SHADER = 0x8b30, GL_FLOAT = 0x1406, GL_TRIANGLES = 4, GL_RGBA = 0x1908, GL_UNSIGNED_BYTE = 0x1401,
                   GL_COLOR_BUFFER_BIT = 0x4000, GL_LINK_STATUS = 0x8b82;

template <class Function>
Function find(void* library, const char* name) {
  auto found = reinterpret_cast<Function>(dlsym(library, name));
  if (!found) {
    std::fprintf(stderr, "triangle: no %s\n", name);
    std::exit(3);
  }
  return found;
}

int failed(const char* what) {
  std::fprintf(stderr, "triangle: %s\n", what);
  return 1;
}

constexpr const char* vertex_shader = R"(
attribute vec2 place;
attribute vec3 paint;
varying vec3 colour;
void main() { gl_Position = vec4(place, 0.0, 1.0); colour = paint; })";
constexpr const char* fragment_shader = R"(
precision mediump float;
varying vec3 colour;
void main() { gl_FragColor = vec4(colour, 1.0); })";

}  // namespace

int draw_triangle() {
  void* egl = dlopen("libEGL.so.1", RTLD_NOW);
  void* gl = dlopen("libGLESv2.so.2", RTLD_NOW);
  if (!egl || !gl) {
    std::fprintf(stderr, "triangle: %s\n", dlerror());
    return 3;
  }
  auto display =
      find<void* (*)(unsigned, void*, const intptr_t*)>(egl, "eglGetPlatformDisplay")(EGL_PLATFORM_SURFACELESS, nullptr, nullptr);
  int major = 0, minor = 0;
  if (!display || !find<unsigned (*)(void*, int*, int*)>(egl, "eglInitialize")(display, &major, &minor))
    return failed("EGL finds no driver");
  find<unsigned (*)(unsigned)>(egl, "eglBindAPI")(EGL_OPENGL_ES_API);
  const int config_wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_NONE};
  void* config = nullptr;
  int configs = 0;
  find<unsigned (*)(void*, const int*, void**, int, int*)>(egl, "eglChooseConfig")(display, config_wanted, &config, 1, &configs);
  const int context_wanted[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
  auto context = find<void* (*)(void*, void*, void*, const int*)>(egl, "eglCreateContext")(display, configs ? config : nullptr,
                                                                                           nullptr, context_wanted);
  if (!context || !find<unsigned (*)(void*, void*, void*, void*)>(egl, "eglMakeCurrent")(display, nullptr, nullptr, context))
    return failed("no OpenGL ES 2 context");
  const auto* renderer = find<const unsigned char* (*)(unsigned)>(gl, "glGetString")(GL_RENDERER);
  std::printf("%s\n", renderer ? reinterpret_cast<const char*>(renderer) : "");
  std::fflush(stdout);

  unsigned frame = 0, buffer = 0;
  find<void (*)(int, unsigned*)>(gl, "glGenFramebuffers")(1, &frame);
  find<void (*)(unsigned, unsigned)>(gl, "glBindFramebuffer")(GL_FRAMEBUFFER, frame);
  find<void (*)(int, unsigned*)>(gl, "glGenRenderbuffers")(1, &buffer);
  find<void (*)(unsigned, unsigned)>(gl, "glBindRenderbuffer")(GL_RENDERBUFFER, buffer);
  auto storage = find<void (*)(unsigned, unsigned, int, int)>(gl, "glRenderbufferStorage");
  find<void (*)(unsigned, unsigned, unsigned, unsigned)>(gl, "glFramebufferRenderbuffer")(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                                                                          GL_RENDERBUFFER, buffer);
  auto status = find<unsigned (*)(unsigned)>(gl, "glCheckFramebufferStatus");
  bool complete = false;
  for (unsigned format : {GL_RGBA8, GL_RGBA4}) {
    storage(GL_RENDERBUFFER, format, size, size);
    if ((complete = status(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)) break;
  }
  if (!complete) return failed("the framebuffer is not complete");

  unsigned program = find<unsigned (*)()>(gl, "glCreateProgram")();
  for (auto [kind, text] : {std::pair(GL_VERTEX_SHADER, vertex_shader), {GL_FRAGMENT_SHADER, fragment_shader}}) {
    unsigned shader = find<unsigned (*)(unsigned)>(gl, "glCreateShader")(kind);
    find<void (*)(unsigned, int, const char* const*, const int*)>(gl, "glShaderSource")(shader, 1, &text, nullptr);
    find<void (*)(unsigned)>(gl, "glCompileShader")(shader);
    find<void (*)(unsigned, unsigned)>(gl, "glAttachShader")(program, shader);
  }
  auto bind = find<void (*)(unsigned, unsigned, const char*)>(gl, "glBindAttribLocation");
  bind(program, 0, "place");
  bind(program, 1, "paint");
  find<void (*)(unsigned)>(gl, "glLinkProgram")(program);
  int linked = 0;
  find<void (*)(unsigned, unsigned, int*)>(gl, "glGetProgramiv")(program, GL_LINK_STATUS, &linked);
  if (!linked) return failed("the shaders do not link");
  find<void (*)(unsigned)>(gl, "glUseProgram")(program);

  // the lower left half, red, green and blue at its corners
  constexpr float places[] = {-1, -1, 1, -1, -1, 1}, paints[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  auto pointer = find<void (*)(unsigned, int, unsigned, unsigned char, int, const void*)>(gl, "glVertexAttribPointer");
  auto enable = find<void (*)(unsigned)>(gl, "glEnableVertexAttribArray");
  pointer(0, 2, GL_FLOAT, 0, 0, places);
  pointer(1, 3, GL_FLOAT, 0, 0, paints);
  enable(0);
  enable(1);
  find<void (*)(int, int, int, int)>(gl, "glViewport")(0, 0, size, size);
  find<void (*)(float, float, float, float)>(gl, "glClearColor")(0.2f, 0.4f, 0.6f, 1.0f);
  find<void (*)(unsigned)>(gl, "glClear")(GL_COLOR_BUFFER_BIT);
  find<void (*)(unsigned, int, int)>(gl, "glDrawArrays")(GL_TRIANGLES, 0, 3);
  std::vector<uint8_t> pixels(size * size * 4);
  find<void (*)(int, int, int, int, unsigned, unsigned, void*)>(gl, "glReadPixels")(0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE,
                                                                                    pixels.data());

  int wrong = 0;
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      if (x + y == size - 1) continue;  // its edge
      float u = (float(x) + 0.5f) / size, v = (float(y) + 0.5f) / size;
      bool inside = u + v < 1;
      std::array<float, 3> expected = inside ? std::array{1 - u - v, u, v} : std::array{0.2f, 0.4f, 0.6f};
      for (size_t i = 0; i < 3; ++i) wrong += std::abs(float(pixels[size_t(y * size + x) * 4 + i]) - expected[i] * 255) > 18;
    }
  if (wrong) {
    std::fprintf(stderr, "triangle: %d of %d colours are wrong\n", wrong, size * size * 3);
    return 1;
  }
  return 0;
}

}  // namespace Atoll::cli
