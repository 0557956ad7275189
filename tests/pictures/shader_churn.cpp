// Makes, draws with and destroys distinct programs, COUNT to warm up and COUNT more, and says how much memory each of the latter
// left behind. Fails where that is more than MOST bytes. (Mesa 22.3.6's radeonsi itself keeps about 10 KB of each.)
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "../../examples/gears/context.h"
#include "../heap_bytes.h"
#include "sheet.h"

namespace {

long resident_bytes() {
  // whose heap keeps what is freed
  if (Atoll::address_sanitizer) return long(Atoll::heap_bytes());
  long all = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &all, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return resident * 4096;
}

bool draw_once(int number) {
  std::string fragment = "uniform vec4 given;\nvoid main() {\n  vec4 c = given;\n";
  for (int n = 0; n < 6; n++)
    fragment += "  c = sin(c * " + std::to_string(1 + number * 0.001 + n * 0.1) + ") + vec4(" +
                std::to_string(number * 0.01 + n) + ");\n";
  GLuint program = sheet::make_program({{GL_VERTEX_SHADER, "void main() { gl_Position = gl_Vertex; }"},
                                        {GL_FRAGMENT_SHADER, fragment + "  gl_FragColor = c;\n}"}});
  if (!program) return false;
  glUseProgram(program);
  glBegin(GL_TRIANGLES);
  glVertex2f(-1, -1), glVertex2f(1, -1), glVertex2f(0, 1);
  glEnd();
  glFinish();
  glUseProgram(0);
  GLuint shaders[2];
  GLsizei attached = 0;
  glGetAttachedShaders(program, 2, &attached, shaders);
  for (GLsizei n = 0; n < attached; n++) glDeleteShader(shaders[n]);
  glDeleteProgram(program);
  return glGetError() == GL_NO_ERROR;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: shader_churn RENDERER COUNT MOST\n");
    return 2;
  }
  int count = std::atoi(argv[2]);
  std::string error = gears::make_context(gears::Platform::surfaceless, "");
  if (error.empty()) error = gears::make_framebuffer(64, 64);
  const char* renderer = error.empty() ? reinterpret_cast<const char*>(glGetString(GL_RENDERER)) : "";
  if (!error.empty() || !std::strstr(renderer, argv[1])) {
    std::fprintf(stderr, "shader_churn: %s, and not %s: %s\n", renderer, argv[1], error.c_str());
    return 1;
  }
  glViewport(0, 0, 64, 64);
  long before = 0;
  for (int n = 0; n < 2 * count; n++) {
    if (n == count) malloc_trim(0), before = resident_bytes();
    if (!draw_once(n)) return 1;
  }
  malloc_trim(0);
  double each = double(resident_bytes() - before) / count;
  std::printf("%s: %d programs left %.0f bytes each\n", renderer, count, each);
  return each > std::atof(argv[3]);
}
