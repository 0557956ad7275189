#include "sheet.h"

#include <cstdio>

#include "../../examples/gears/context.h"
#include "sheet_page.h"

namespace sheet {
namespace {

bool check(GLuint object, bool program) {
  GLint good = 0;
  program ? glGetProgramiv(object, GL_LINK_STATUS, &good) : glGetShaderiv(object, GL_COMPILE_STATUS, &good);
  if (good) return true;
  char log[2048] = "";
  program ? glGetProgramInfoLog(object, sizeof log, nullptr, log) : glGetShaderInfoLog(object, sizeof log, nullptr, log);
  std::fprintf(stderr, "%s\n", log);
  return false;
}

}  // namespace

GLuint make_program(const std::vector<std::pair<GLenum, std::string>>& shaders) {
  GLuint program = glCreateProgram();
  for (auto& [kind, source] : shaders) {
    GLuint shader = glCreateShader(kind);
    const char* text = source.c_str();
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    if (!check(shader, false)) return 0;
    glAttachShader(program, shader);
  }
  glLinkProgram(program);
  return check(program, true) ? program : 0;
}

int run(const char* name, int argc, char** argv, const std::vector<Square>& squares, const std::function<bool()>& begin) {
  std::vector<std::string> names;
  for (const Square& square : squares) names.push_back(square.name);
  int count = int(squares.size()), status = 0;
  auto options = read_options(name, argc, argv, names, status);
  if (!options) return status;
  int width = columns * cell, height = rows(count) * cell;
  status = 0;
  std::string error = gears::make_context(gears::Platform::surfaceless, "");
  if (error.empty()) error = gears::make_framebuffer(width, height);
  if (!error.empty()) {
    std::fprintf(stderr, "%s: %s\n", name, error.c_str());
    return 1;
  }
  std::printf("GL_RENDERER: %s\n", reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
  glClearColor(0.5f, 0.5f, 0.5f, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  if (!begin()) status = 1;
  for (int n = 0; n < count; n++) {
    if (options->only >= 0 && n != options->only) continue;
    const Square& square = squares[size_t(n)];
    glViewport(n % columns * cell + 4, height - n / columns * cell - 4 - inside, inside, inside);
    if (!square.draw()) {
      std::fprintf(stderr, "%s: %s: not drawn\n", name, square.name.c_str());
      status = 1;
    }
    if (GLenum code = glGetError(); code != GL_NO_ERROR) {
      std::fprintf(stderr, "%s: %s: OpenGL error 0x%04x\n", name, square.name.c_str(), code);
      status = 1;
    }
  }
  if (!write_png(name, options->png, width, height, gears::read_picture(width, height))) return 1;
  return status;
}

}  // namespace sheet
