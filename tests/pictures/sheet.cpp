#include "sheet.h"

#include <png.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../../examples/gears/context.h"

namespace sheet {
namespace {

constexpr int cell = 72, inside = 64, columns = 10;

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
  const char* png = nullptr;
  int only = -1, count = int(squares.size()), rows = (count + columns - 1) / columns;
  auto usage = [&] {
    std::fprintf(stderr, "usage: %s [--list] [--only N] PNG\n", name);
    return 2;
  };
  for (int i = 1; i < argc; i++) {
    std::string option = argv[i];
    if (option == "--list") {
      for (int n = 0; n < count; n++)
        std::printf("%d (%d, %d): %s\n", n, n % columns * cell, n / columns * cell, squares[size_t(n)].name.c_str());
      return 0;
    }
    if (option == "--only" && i + 1 < argc)
      only = std::atoi(argv[++i]);
    else if (!png && option.rfind("--", 0) != 0)
      png = argv[i];
    else
      return usage();
  }
  if (!png) return usage();
  int width = columns * cell, height = rows * cell, status = 0;
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
    if (only >= 0 && n != only) continue;
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
  auto picture = gears::read_picture(width, height);
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = png_uint_32(width);
  image.height = png_uint_32(height);
  image.format = PNG_FORMAT_RGBA;
  if (!png_image_write_to_file(&image, png, 0, picture.data(), 0, nullptr)) {
    std::fprintf(stderr, "%s: %s: %s\n", name, png, image.message);
    return 1;
  }
  return status;
}

}  // namespace sheet
