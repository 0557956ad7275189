#include "scene.h"

#include <cstdio>
#include <cstdlib>

namespace scenes {

namespace {

void check(GLuint object, bool program) {
  GLint good = 0;
  program ? glGetProgramiv(object, GL_LINK_STATUS, &good) : glGetShaderiv(object, GL_COMPILE_STATUS, &good);
  if (good) return;
  char log[2048] = "";
  program ? glGetProgramInfoLog(object, sizeof log, nullptr, log) : glGetShaderInfoLog(object, sizeof log, nullptr, log);
  std::fprintf(stderr, "%s\n", log);
  std::exit(1);
}

GLuint compile(GLenum kind, const char* source) {
  GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  check(shader, false);
  return shader;
}

}  // namespace

GLuint make_program(const char* vertex, const char* fragment, std::span<const char* const> attributes) {
  GLuint program = glCreateProgram();
  glAttachShader(program, compile(GL_VERTEX_SHADER, vertex));
  glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment));
  for (size_t n = 0; n < attributes.size(); n++) glBindAttribLocation(program, GLuint(n), attributes[n]);
  glLinkProgram(program);
  check(program, true);
  return program;
}

GLuint make_compute_program(const char* source) {
  GLuint program = glCreateProgram();
  glAttachShader(program, compile(GL_COMPUTE_SHADER, source));
  glLinkProgram(program);
  check(program, true);
  return program;
}

Quad screen_quad(float depth) {
  Quad quad(4);
  for (int n = 0; n < 4; n++) {
    float x = n % 2 ? 1 : -1, y = n / 2 ? 1 : -1;
    quad[size_t(n)] = {{x, y, depth, 1}, {n % 2 ? 1.0f : 0.1f, n / 2 ? 0.9f : 0.2f, 0.5f, 1}, {x * 0.5f + 0.5f, y * 0.5f + 0.5f}};
  }
  return quad;
}

void bind_corners(std::span<const Quad> quads) {
  std::vector<Corner> corners;
  for (const Quad& quad : quads) corners.insert(corners.end(), quad.begin(), quad.end());
  GLuint buffer;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(corners.size() * sizeof(Corner)), corners.data(), GL_STATIC_DRAW);
  const GLint sizes[] = {4, 4, 2};
  const size_t offsets[] = {offsetof(Corner, position), offsetof(Corner, colour), offsetof(Corner, coordinates)};
  for (GLuint n = 0; n < 3; n++) {
    glVertexAttribPointer(n, sizes[n], GL_FLOAT, GL_FALSE, sizeof(Corner), reinterpret_cast<const void*>(offsets[n]));
    glEnableVertexAttribArray(n);
  }
}

}  // namespace scenes
