// Draws and dispatches once with each of its OpenGL programs, so that the driver gives the GPU shaders of every stage: what they
// compute is not looked at. shader_programs [--only TEXT]
// Prints GL_RENDERER, then "ran NAME" for each program. Ends with 1 where one does not compile, link or run.
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "../../examples/gears/context.h"
#include "shader_sources.h"

namespace {

constexpr int size = 32;  // of the targets and textures, pixels

bool failed(const char* name, const char* what, const char* text) {
  std::fprintf(stderr, "shader_programs: %s: %s: %s\n", name, what, text);
  return false;
}

bool attach(const char* name, GLuint program, GLenum stage, const char* source) {
  if (!*source) return true;
  std::string whole = std::string(shaders::head) + (stage == GL_VERTEX_SHADER ? shaders::vertex_head : "") + source;
  const char* text = whole.c_str();
  GLuint shader = glCreateShader(stage);
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  GLint good = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
  char log[4096] = "";
  if (!good) glGetShaderInfoLog(shader, sizeof log, nullptr, log);
  glAttachShader(program, shader);
  return good || failed(name, "a shader does not compile", log);
}

// Targets of four formats and depth, `samples` of a pixel.
void make_targets(int samples) {
  GLuint framebuffer, buffers[5];
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glGenRenderbuffers(5, buffers);
  constexpr GLenum formats[5] = {GL_RGBA8, GL_RGBA16F, GL_R32UI, GL_RGBA16I, GL_DEPTH32F_STENCIL8};
  constexpr GLenum places[5] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2, GL_COLOR_ATTACHMENT3,
                                GL_DEPTH_STENCIL_ATTACHMENT};
  for (int n = 0; n < 5; n++) {
    glBindRenderbuffer(GL_RENDERBUFFER, buffers[n]);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, formats[n], size, size);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, places[n], GL_RENDERBUFFER, buffers[n]);
  }
  glDrawBuffers(4, places);
}

void texture(unsigned unit, GLenum target, GLenum format, bool shadow = false) {
  GLuint name;
  glGenTextures(1, &name);
  glActiveTexture(GL_TEXTURE0 + unit);
  glBindTexture(target, name);
  switch (target) {
    case GL_TEXTURE_1D: glTexStorage1D(target, 3, format, size); break;
    case GL_TEXTURE_3D:
    case GL_TEXTURE_2D_ARRAY: glTexStorage3D(target, 3, format, size, size, 4); break;
    case GL_TEXTURE_CUBE_MAP_ARRAY: glTexStorage3D(target, 3, format, size, size, 12); break;
    case GL_TEXTURE_2D_MULTISAMPLE: glTexStorage2DMultisample(target, 4, format, size, size, GL_TRUE); return;
    default: glTexStorage2D(target, target == GL_TEXTURE_RECTANGLE ? 1 : 3, format, size, size);
  }
  if (shadow) glTexParameteri(target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
}

void image(unsigned unit, GLenum format) {
  GLuint name;
  glGenTextures(1, &name);
  glActiveTexture(GL_TEXTURE0 + 16 + unit);
  glBindTexture(GL_TEXTURE_2D, name);
  glTexStorage2D(GL_TEXTURE_2D, 1, format, size, size);
  glBindImageTexture(unit, name, 0, GL_FALSE, 0, GL_READ_WRITE, format);
}

void make_resources() {
  // samplers of shader_sources.h, by unit
  texture(0, GL_TEXTURE_2D, GL_RGBA8);
  texture(1, GL_TEXTURE_3D, GL_RGBA16F);
  texture(2, GL_TEXTURE_CUBE_MAP, GL_RGBA8);
  texture(3, GL_TEXTURE_2D_ARRAY, GL_RG32F);
  texture(4, GL_TEXTURE_2D, GL_DEPTH_COMPONENT32F, true);
  texture(5, GL_TEXTURE_2D, GL_RGBA32UI);
  texture(6, GL_TEXTURE_2D_MULTISAMPLE, GL_RGBA8);
  texture(7, GL_TEXTURE_CUBE_MAP_ARRAY, GL_DEPTH_COMPONENT24, true);
  texture(8, GL_TEXTURE_1D, GL_R8);
  texture(9, GL_TEXTURE_RECTANGLE, GL_RGBA8);
  GLuint names[8];
  glGenBuffers(8, names);
  std::vector<float> zeros(65536);
  for (GLuint name : names) {
    glBindBuffer(GL_ARRAY_BUFFER, name);
    glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(zeros.size() * sizeof zeros[0]), zeros.data(), GL_STATIC_DRAW);
  }
  for (unsigned n = 0; n < 2; n++) glBindBufferBase(GL_UNIFORM_BUFFER, n, names[n]);
  for (unsigned n = 0; n < 2; n++) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, n, names[2 + n]);
  glBindBufferBase(GL_ATOMIC_COUNTER_BUFFER, 0, names[4]);
  for (unsigned n = 0; n < 2; n++) glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, n, names[5 + n]);
  GLuint texels;
  glGenTextures(1, &texels);
  glActiveTexture(GL_TEXTURE0 + 10);
  glBindTexture(GL_TEXTURE_BUFFER, texels);
  glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, names[7]);
  image(0, GL_RGBA8);
  image(1, GL_R32UI);
  image(2, GL_RGBA32F);
  GLuint vertices;
  glGenBuffers(1, &vertices);
  glBindBuffer(GL_ARRAY_BUFFER, vertices);
  static const float corners[3][8] = {
      {-1, -1, 0, 1, 0.1f, 0.2f, 0.3f, 1}, {3, -1, 0, 1, 0.4f, 0.5f, 0.6f, 1}, {-1, 3, 0, 1, 0.7f, 0.8f, 0.9f, 1}};
  glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
  auto at = [](size_t bytes) { return reinterpret_cast<const void*>(bytes); };
  glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 32, at(0));
  glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 32, at(16));
  glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, 32, at(16));
  glVertexAttribIPointer(3, 2, GL_SHORT, 32, at(16));
  for (GLuint n = 0; n < 4; n++) glEnableVertexAttribArray(n);
  glVertexAttribDivisor(2, 2);
}

bool run(const shaders::Program& p) {
  GLuint program = glCreateProgram();
  bool good = attach(p.name, program, GL_VERTEX_SHADER,
                     p.compute[0]  ? ""
                     : p.vertex[0] ? p.vertex
                                   : shaders::plain_vertex) &&
              attach(p.name, program, GL_TESS_CONTROL_SHADER, p.control) &&
              attach(p.name, program, GL_TESS_EVALUATION_SHADER, p.evaluation) &&
              attach(p.name, program, GL_GEOMETRY_SHADER, p.geometry) &&
              attach(p.name, program, GL_FRAGMENT_SHADER, p.fragment) && attach(p.name, program, GL_COMPUTE_SHADER, p.compute);
  if (!good) return false;
  std::vector<const char*> captured;
  for (const char* name : p.captured)
    if (name) captured.push_back(name);
  if (!captured.empty()) glTransformFeedbackVaryings(program, GLsizei(captured.size()), captured.data(), GL_INTERLEAVED_ATTRIBS);
  glLinkProgram(program);
  GLint linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  char log[4096] = "";
  if (!linked) glGetProgramInfoLog(program, sizeof log, nullptr, log);
  if (!linked) return failed(p.name, "does not link", log);
  glUseProgram(program);
  if (p.compute[0]) {
    glDispatchCompute(2, 2, 1);
  } else {
    if (!captured.empty()) glBeginTransformFeedback(GL_TRIANGLES);
    glDrawArraysInstanced(p.evaluation[0] ? GL_PATCHES : GL_TRIANGLES, 0, 3, 2);
    if (!captured.empty()) glEndTransformFeedback();
  }
  glFinish();
  if (GLenum error = glGetError()) return failed(p.name, "OpenGL error", std::to_string(error).c_str());
  std::printf("ran %s\n", p.name);
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  std::string_view only = count == 3 && !std::strcmp(arguments[1], "--only") ? arguments[2] : "";
  if (count != 1 && only.empty()) return std::fputs("usage: shader_programs [--only TEXT]\n", stderr), 2;
  if (std::string why = gears::make_context(gears::Platform::gbm, "/dev/dri/renderD128"); !why.empty())
    return failed("OpenGL", "no context", why.c_str()), 1;
  std::printf("GL_RENDERER: %s\n", reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
  make_resources();
  bool good = true;
  for (int samples : {1, 4}) {
    make_targets(samples);
    glViewport(0, 0, size, size);
    for (const shaders::Program& p : shaders::programs)
      if (p.samples == samples && std::string_view(p.name).find(only) != std::string_view::npos) {
        p.enable ? glEnable(p.enable) : (void)0;
        good &= run(p);
        p.enable ? glDisable(p.enable) : (void)0;
      }
  }
  return !good;
}
