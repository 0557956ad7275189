// A square with a triangle of which every pixel counts that it touches (INTEL_conservative_rasterization), where the driver has that.
// conservative_sheet [--list] [--only N] PNG
#include "sheet.h"

int main(int argc, char** argv) {
  const sheet::Square square{"conservative rasterization", [] {
                               GLint count = 0;
                               glGetIntegerv(GL_NUM_EXTENSIONS, &count);
                               bool has = false;
                               for (GLint n = 0; n < count; n++)
                                 has |= std::string("GL_INTEL_conservative_rasterization") ==
                                        reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, GLuint(n)));
                               if (has) glEnable(GL_CONSERVATIVE_RASTERIZATION_INTEL);
                               glBegin(GL_TRIANGLES);
                               glVertex2f(-0.8f, -0.7f), glVertex2f(0.9f, -0.3f), glVertex2f(-0.1f, 0.9f);
                               glEnd();
                               if (has) glDisable(GL_CONSERVATIVE_RASTERIZATION_INTEL);
                               return glGetError() == GL_NO_ERROR;
                             }};
  return sheet::run("conservative_sheet", argc, argv, {square}, [] { return true; });
}
