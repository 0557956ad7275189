// gl_programs RENDERER FOLDER SHADER [CASE...|-CASE...]: runs the cases of shader.comp through OpenGL 4.3 and leaves their buffers and images
// in FOLDER. 77: the renderer's name does not hold RENDERER.
#define EGL_EGLEXT_PROTOTYPES
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "compute_cases.h"

using namespace Atoll::compute;

namespace {

bool make_context() {
  EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  if (!eglInitialize(display, nullptr, nullptr)) return false;
  eglBindAPI(EGL_OPENGL_API);
  const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
  EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
  return context && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
}

GLuint program_of(const std::string& source, std::string_view name) {
  const size_t line = source.find('\n') + 1;
  const std::string text = source.substr(0, line) + "#define " + std::string(name) + "\n" + source.substr(line);
  const char* at = text.c_str();
  GLuint program = glCreateShaderProgramv(GL_COMPUTE_SHADER, 1, &at);
  GLint linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  if (linked) return program;
  char log[4096] = {};
  glGetProgramInfoLog(program, sizeof log, nullptr, log);
  std::fprintf(stderr, "gl_programs: %s: %s\n", std::string(name).c_str(), log);
  std::exit(1);
}

GLuint buffer_of(GLenum target, const std::vector<uint32_t>& values) {
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBuffer(target, buffer);
  glBufferData(target, GLsizeiptr(values.size() * 4), values.data(), GL_DYNAMIC_COPY);
  return buffer;
}
GLuint buffer_of(GLenum target, GLuint binding, const std::vector<uint32_t>& values) {
  GLuint buffer = buffer_of(target, values);
  glBindBufferBase(target, binding, buffer);
  return buffer;
}

// A buffer that is read where it lies: drivers of GPUs with memory of their own draw or copy to read another.
GLuint result_buffer(GLuint binding, const std::vector<uint32_t>& values, const uint32_t*& at) {
  constexpr GLbitfield mapped = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, buffer);
  const auto bytes = GLsizeiptr(values.size() * 4);
  glBufferStorage(GL_SHADER_STORAGE_BUFFER, bytes, values.data(), mapped | GL_CLIENT_STORAGE_BIT);
  at = static_cast<const uint32_t*>(glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, bytes, mapped));
  if (at) return buffer;
  std::fprintf(stderr, "gl_programs: failed to map a buffer\n");
  std::exit(1);
}

void run(const std::string& source, std::string_view name, const std::string& folder) {
  const GLuint program = program_of(source, name);
  glUseProgram(program);
  GLuint a = buffer_of(GL_SHADER_STORAGE_BUFFER, 0, start_values(elements, 1));
  const uint32_t* results = nullptr;
  GLuint out = result_buffer(1, start_values(elements, 2), results);
  GLuint uniforms = buffer_of(GL_UNIFORM_BUFFER, 2, start_values(64, 3));
  GLuint textures[2];
  glGenTextures(2, textures);
  const bool has_image = name == "IMAGES", has_texture = name == "TEXTURES";
  if (name == "STORES") {
    glBindTexture(GL_TEXTURE_2D, textures[0]);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, image_size, image_size);
    glBindImageTexture(3, textures[0], 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
  }
  if (has_image) {
    auto pixels = start_values(image_size * image_size, 4);
    glBindTexture(GL_TEXTURE_2D, textures[0]);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, image_size, image_size);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, image_size, image_size, GL_RED_INTEGER, GL_UNSIGNED_INT, pixels.data());
    glBindImageTexture(3, textures[0], 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
  }
  if (has_texture) {
    auto pixels = start_values(image_size * image_size, 5);
    glActiveTexture(GL_TEXTURE0 + 4);
    glBindTexture(GL_TEXTURE_2D, textures[1]);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, image_size, image_size);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, image_size, image_size, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  }
  if (name == "GROUPS") {  // as many groups as a buffer says
    buffer_of(GL_DISPATCH_INDIRECT_BUFFER, {99, elements / group, 1, 1});
    glDispatchComputeIndirect(4);
  } else {
    glDispatchCompute(elements / group, 1, 1);
  }
  glMemoryBarrier(GL_ALL_BARRIER_BITS);
  glFinish();
  save(folder, name, results, elements * 4);
  if (has_image) {
    glBindTexture(GL_TEXTURE_2D, textures[0]);
    std::vector<uint32_t> result(elements);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, result.data());
    save(folder, "IMAGES_STORED", result.data(), elements * 4);
  }
  glDeleteTextures(2, textures);
  for (GLuint buffer : {a, out, uniforms}) glDeleteBuffers(1, &buffer);
  glDeleteProgram(program);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return std::fprintf(stderr, "gl_programs RENDERER FOLDER SHADER [CASE...|-CASE...]\n"), 2;
  if (!make_context()) return std::fprintf(stderr, "gl_programs: no OpenGL 4.3\n"), 77;
  const char* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  if (!std::strstr(renderer, argv[1])) return std::fprintf(stderr, "gl_programs: the renderer is %s\n", renderer), 77;
  std::printf("device: %s, %s\n", renderer, reinterpret_cast<const char*>(glGetString(GL_VERSION)));
  std::ifstream in(argv[3]);
  std::stringstream source;
  source << in.rdbuf();
  for (auto name : gl_cases)
    if (is_wanted(name, argc, argv, 4)) run(source.str(), name, argv[2]);
  return glGetError() == GL_NO_ERROR ? 0 : 1;
}
