// A sheet of stippled lines: patterns and factors of OpenGL 2.1 on separate lines, strips, loops and outlines of polygons.
// stipple_sheet [--solid] PNG: --solid draws the same lines without the pattern.
#include <cstring>

#include "sheet.h"

namespace {

bool solid = false;

struct Stipple {
  int factor;
  GLushort pattern;
};
constexpr Stipple stipples[] = {{1, 0x00ff}, {1, 0x5555}, {1, 0x0f8f}, {1, 0x8cef}, {2, 0x838f},
                                {3, 0xf731}, {7, 0x3333}, {1, 0x0001}, {1, 0xfffe}, {256, 0x5555}};
struct Kind {
  const char* name;
  GLenum mode;
  bool outline;
};
constexpr Kind kinds[] = {
    {"lines", GL_LINES, false}, {"strip", GL_LINE_STRIP, false}, {"loop", GL_LINE_LOOP, false}, {"outline", GL_POLYGON, true}};

// Sides along pixels' centres, and one that slopes gently.
void draw(const Kind& kind, const Stipple& stipple) {
  if (!solid) glEnable(GL_LINE_STIPPLE);
  glLineStipple(stipple.factor, stipple.pattern);
  glPolygonMode(GL_FRONT_AND_BACK, kind.outline ? GL_LINE : GL_FILL);
  glMatrixMode(GL_PROJECTION);
  glLoadIdentity();
  glOrtho(0, 64, 0, 64, -1, 1);
  glColor3f(1, 1, 0.2f);
  constexpr float corners[][2] = {{4.5f, 4.5f}, {58.5f, 4.5f}, {58.5f, 50.5f}, {30.5f, 59.5f}, {4.5f, 50.5f}, {4.5f, 20.5f}};
  glBegin(kind.mode);
  for (auto& corner : corners) glVertex2fv(corner);
  glEnd();
  glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  glDisable(GL_LINE_STIPPLE);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--solid") == 0) solid = true, argv[1] = argv[0], argc--, argv++;
  std::vector<sheet::Square> squares;
  for (auto& kind : kinds)
    for (auto& stipple : stipples)
      squares.push_back({std::string(kind.name) + " " + std::to_string(stipple.factor), [&] {
                           draw(kind, stipple);
                           return true;
                         }});
  return sheet::run("stipple_sheet", argc, argv, squares, [] { return true; });
}
