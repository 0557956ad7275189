// A square with a triangle of which every pixel counts that it touches (INTEL_conservative_rasterization), where the driver has that: in
// contexts of the core profile (MESA_GL_VERSION_OVERRIDE=4.6FC). conservative_sheet [--list] [--only N] PNG
#include "sheet.h"

namespace {

GLuint program = 0;

bool begin() {
  program = sheet::make_program({{GL_VERTEX_SHADER, R"(#version 420
void main() { gl_Position = vec4(vec2[](vec2(-0.8, -0.7), vec2(0.9, -0.3), vec2(-0.1, 0.9))[gl_VertexID], 0, 1); })"},
                                 {GL_FRAGMENT_SHADER, R"(#version 420
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1, 0.8, 0.1, 1); })"}});
  return program;
}

bool draw() {
  GLint count = 0;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  bool has = false;
  for (GLint n = 0; n < count; n++)
    has |= std::string("GL_INTEL_conservative_rasterization") ==
           reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, GLuint(n)));
  if (has) glEnable(GL_CONSERVATIVE_RASTERIZATION_INTEL);
  GLuint array = 0;
  glGenVertexArrays(1, &array), glBindVertexArray(array);
  glUseProgram(program);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glUseProgram(0), glDeleteVertexArrays(1, &array);
  if (has) glDisable(GL_CONSERVATIVE_RASTERIZATION_INTEL);
  return glGetError() == GL_NO_ERROR;
}

}  // namespace

int main(int argc, char** argv) {
  return sheet::run("conservative_sheet", argc, argv, {{"conservative rasterization", draw}}, begin);
}
