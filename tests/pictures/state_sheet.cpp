// A sheet of squares, one a piece of OpenGL's fixed state: blending, logic operations, stencil, depth, lines, points, clipping,
// scissors. state_sheet [--list] [--only N] PNG
#include <cmath>
#include <cstdio>
#include <iterator>

#include "sheet.h"
#include "state_squares.h"

namespace {

using namespace state_sheet;

void quad(float left, float bottom, float right, float top, float z = 0) {
  glBegin(GL_QUADS);
  glVertex3f(left, bottom, z), glVertex3f(right, bottom, z), glVertex3f(right, top, z), glVertex3f(left, top, z);
  glEnd();
}

// Squares of colours that no driver's rounding changes.
void checks(float left, float bottom, float right, float top, unsigned seed) {
  for (int n = 0; n < 16; n++) {
    seed = seed * 1664525 + 1013904223;
    glColor4f(float(seed >> 28) / 15, float(seed >> 24 & 15) / 15, float(seed >> 20 & 15) / 15, seed >> 31 ? 1 : 0);
    float x = left + (right - left) * float(n % 4) / 4, y = bottom + (top - bottom) * float(n / 4) / 4;
    quad(x, y, x + (right - left) / 4, y + (top - bottom) / 4);
  }
}

// Colours that differ over the square, alpha as well.
void ramp(float left, float bottom, float right, float top, bool turned) {
  glBegin(GL_QUADS);
  for (int n = 0; n < 4; n++) {
    float x = n == 1 || n == 2 ? 1 : 0, y = n >= 2 ? 1 : 0;
    if (turned)
      glColor4f(y, 0.2f + 0.6f * x, 1 - x, 0.1f + 0.8f * y);
    else
      glColor4f(x, y, 0.3f + 0.5f * (1 - y), 0.9f - 0.8f * x);
    glVertex2f(left + (right - left) * x, bottom + (top - bottom) * y);
  }
  glEnd();
}

GLuint texture = 0, framebuffer = 0;
GLint outside[4], outside_framebuffer;

// Draws into a texture of that format, and shows it.
void in_texture(GLenum format, const std::function<void()>& draw) {
  glGetIntegerv(GL_VIEWPORT, outside);
  glGetIntegerv(GL_FRAMEBUFFER_BINDING, &outside_framebuffer);
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexStorage2D(GL_TEXTURE_2D, 1, format, 64, 64);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  glViewport(0, 0, 64, 64);
  glDisable(GL_TEXTURE_2D);
  draw();
  glBindFramebuffer(GL_FRAMEBUFFER, GLuint(outside_framebuffer));
  glViewport(outside[0], outside[1], outside[2], outside[3]);
  glDisable(GL_BLEND);
  glDisable(GL_COLOR_LOGIC_OP);
  glColorMask(1, 1, 1, 1);
  glEnable(GL_TEXTURE_2D);
  glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
  glBegin(GL_QUADS);
  glTexCoord2f(0, 0), glVertex2f(-1, -1), glTexCoord2f(1, 0), glVertex2f(1, -1), glTexCoord2f(1, 1), glVertex2f(1, 1),
      glTexCoord2f(0, 1), glVertex2f(-1, 1);
  glEnd();
  glDisable(GL_TEXTURE_2D);
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteTextures(1, &texture);
}

std::vector<sheet::Square> squares;
void add(std::string name, std::function<void()> draw) {
  squares.push_back({std::move(name), [draw] {
                       glPushAttrib(GL_ALL_ATTRIB_BITS);
                       draw();
                       glPopAttrib();
                       return glGetError() == GL_NO_ERROR;
                     }});
}

void rays(int count, float length) {
  glBegin(GL_LINES);
  for (int n = 0; n < count; n++) {
    float a = 6.2831853f * (float(n) + 0.3f) / float(count);
    glColor4f(1, 1, float(n % 2), 1);
    glVertex2f(0.15f * std::cos(a), 0.15f * std::sin(a)), glVertex2f(length * std::cos(a), length * std::sin(a));
  }
  glEnd();
}

void make_squares() {
  // --- lines
  for (float width : {1.0f, 3.0f}) {
    add("smooth lines", [width] {
      glEnable(GL_LINE_SMOOTH), glEnable(GL_BLEND), glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA), glLineWidth(width);
      rays(14, 0.9f);
    });
    add("lines", [width] {
      glLineWidth(width);
      rays(14, 0.9f);
    });
  }
  add("smooth polygon", [] {
    glEnable(GL_POLYGON_SMOOTH), glEnable(GL_BLEND), glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glColor3f(1, 0.8f, 0.1f);
    glBegin(GL_TRIANGLES);
    glVertex2f(-0.8f, -0.7f), glVertex2f(0.9f, -0.3f), glVertex2f(-0.1f, 0.9f);
    glEnd();
  });
  for (GLenum mode : {GL_LINES, GL_LINE_STRIP, GL_LINE_LOOP, GL_POLYGON}) {
    add("stippled lines", [mode] {
      glEnable(GL_LINE_STIPPLE), glLineStipple(2, 0x3b67), glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
      glColor3f(1, 1, 1);
      glBegin(mode);
      constexpr float at[6][2] = {{-0.8f, -0.8f}, {0.8f, -0.8f}, {0.8f, 0.4f}, {0.05f, 0.8f}, {-0.8f, 0.4f}, {-0.5f, 0.1f}};
      for (auto& p : at) glVertex2f(p[0] + 0.01f, p[1] + 0.01f);
      glEnd();
    });
  }
  add("polygon stipple", [] {
    GLubyte pattern[128];
    for (int n = 0; n < 128; n++) pattern[n] = GLubyte(n * 37 ^ n >> 2);
    glEnable(GL_POLYGON_STIPPLE), glPolygonStipple(pattern);
    glColor3f(0, 1, 1);
    quad(-0.9f, -0.8f, 0.8f, 0.9f);
  });
  // --- clipping
  for (int planes = 1; planes < 64; planes = planes * 2 + 1)
    add("clip planes", [planes] {
      for (int n = 0; n < 6; n++) {
        double a = 1.0472 * n, equation[4] = {-std::cos(a), -std::sin(a), 0, 0.7};
        glClipPlane(GLenum(GL_CLIP_PLANE0 + n), equation);
        if (planes >> n & 1) glEnable(GLenum(GL_CLIP_PLANE0 + n));
      }
      ramp(-1, -1, 1, 1, false);
    });
  for (bool clamp : {false, true})
    add("near and far planes", [clamp] {
      if (clamp) glEnable(GL_DEPTH_CLAMP);
      glBegin(GL_TRIANGLES);
      glColor3f(1, 0, 0), glVertex3f(-1, -1, -3), glColor3f(0, 1, 0), glVertex3f(1, -1, 2), glColor3f(0, 0, 1),
          glVertex3f(0.2f, 1, 3);
      glEnd();
    });
  // --- blending
  for (const BlendPair& pair : blend_pairs()) {
    const auto over = [](const Blend& b) {
      return [b] {
        in_texture(b.format.format, [b] {
          ramp(-1, -1, 1, 1, true);
          glEnable(GL_BLEND);
          glBlendColor(blend_colour[0], blend_colour[1], blend_colour[2], blend_colour[3]);
          glBlendEquationSeparate(b.equation, b.alpha_equation);
          glBlendFuncSeparate(b.source, b.target, b.source_alpha, b.target_alpha);
          ramp(-0.8f, -0.8f, 0.8f, 0.8f, false);
        });
      };
    };
    if (pair.has_blending) add(std::string("blending in ") + pair.blending.format.name, over(pair.blending));
    add(std::string("alpha of a target in ") + pair.of_target.format.name, over(pair.of_target));
  }
  for (GLenum op = GL_CLEAR; op <= GL_SET; op++)
    for (GLenum format : {GL_RGBA8, GL_RGBA4})
      add("logic operation", [op, format] {
        in_texture(format, [op] {
          checks(-1, -1, 1, 1, 1);
          glEnable(GL_COLOR_LOGIC_OP), glLogicOp(op);
          checks(-0.75f, -0.75f, 0.75f, 0.75f, 7);
        });
      });
  for (int mask = 0; mask < 16; mask += 5)
    for (const Format& format : masked_formats)
      add(std::string("colour mask in ") + format.name, [mask, format] {
        in_texture(format.format, [mask] {
          ramp(-1, -1, 1, 1, true);
          glColorMask(mask & 1, mask & 2, mask & 4, mask & 8);
          glEnable(GL_BLEND), glBlendFunc(GL_SRC_ALPHA, GL_ONE), glBlendEquation(GL_FUNC_ADD);
          ramp(-0.8f, -0.8f, 0.8f, 0.8f, false);
        });
      });
}

// How many bits of each component a driver gives these formats, for whoever judges the picture.
bool show_formats() {
  std::vector<Format> all(std::begin(blended_formats), std::end(blended_formats));
  all.insert(all.end(), std::begin(masked_formats), std::end(masked_formats));
  for (const Format& format : all) {
    GLuint name = 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexStorage2D(GL_TEXTURE_2D, 1, format.format, 1, 1);
    std::printf("format %s:", format.name);
    for (const GLenum component : {GL_TEXTURE_RED_SIZE, GL_TEXTURE_GREEN_SIZE, GL_TEXTURE_BLUE_SIZE, GL_TEXTURE_ALPHA_SIZE}) {
      GLint bits = 0;
      glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, component, &bits);
      std::printf(" %d", bits);
    }
    std::printf("\n");
    glDeleteTextures(1, &name);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  make_squares();
  return sheet::run("state_sheet", argc, argv, squares, show_formats);
}
