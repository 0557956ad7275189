// Clears of colour, depth and stencil among draws, at random, in framebuffers of several sizes, formats and numbers of samples; after
// some steps what is there, as a number: for drivers that clear in several ways (fast_clears_on).
// fast_clears SEED STEPS
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "../../examples/gears/context.h"

namespace {

std::mt19937 random_numbers;
unsigned upto(unsigned count) { return unsigned(random_numbers() % count); }
template <class T, size_t N>
T one_of(const T (&all)[N]) {
  return all[upto(unsigned(N))];
}

struct Framebuffer {
  GLuint name = 0, colour = 0, depth = 0;
  int width, height, samples;
  GLenum colour_format, depth_format;
  bool has_stencil() const { return depth_format == GL_DEPTH24_STENCIL8; }
};

GLuint renderbuffer(int samples, GLenum format, int width, int height) {
  GLuint name = 0;
  glGenRenderbuffers(1, &name);
  glBindRenderbuffer(GL_RENDERBUFFER, name);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
  return name;
}

bool make(Framebuffer& f) {
  glGenFramebuffers(1, &f.name);
  glBindFramebuffer(GL_FRAMEBUFFER, f.name);
  f.colour = renderbuffer(f.samples, f.colour_format, f.width, f.height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, f.colour);
  if (f.depth_format) {
    f.depth = renderbuffer(f.samples, f.depth_format, f.width, f.height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, f.depth);
    if (f.has_stencil()) glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, f.depth);
  }
  return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

constexpr GLenum functions[] = {GL_NEVER, GL_LESS, GL_LEQUAL, GL_EQUAL, GL_GEQUAL, GL_GREATER, GL_NOTEQUAL, GL_ALWAYS},
                 operations[] = {GL_KEEP, GL_ZERO, GL_REPLACE, GL_INCR, GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP};

// Mesa cuts the halves of a fast clear's value toward zero (22.3.6 src/util/format/u_format_pack.py), what is drawn is rounded: floats
// get values that halves have, fixed point those that it has.
void clear(bool halves) {
  constexpr GLbitfield masks[] = {GL_DEPTH_BUFFER_BIT,
                                  GL_COLOR_BUFFER_BIT,
                                  GL_STENCIL_BUFFER_BIT,
                                  GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT,
                                  GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT,
                                  GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT};
  const float whole = halves ? 16 : 15;
  glClearColor(float(upto(16)) / whole, float(upto(16)) / whole, float(upto(16)) / whole,
               float(upto(4)) / (halves ? 4.0f : 3.0f));
  glClearDepth(upto(3) ? double(upto(16)) / 15 : 1);
  glClearStencil(int(upto(256)));
  glClear(one_of(masks));
}

void draw() {
  const auto place = [] { return float(upto(33)) / 16 - 1; };
  const float left = place(), right = place(), bottom = place(), top = place();
  glColor4f(float(upto(16)) / 15, float(upto(16)) / 15, float(upto(16)) / 15, 1);
  glBegin(GL_TRIANGLE_FAN);
  // (Deeper at one corner, now and then.)
  const float near = place(), far = upto(2) ? near : place();
  glVertex3f(left, bottom, near), glVertex3f(right, bottom, near), glVertex3f(right, top, far), glVertex3f(left, top, near);
  glEnd();
}

void change_state() {
  switch (upto(5)) {
    case 0:
      upto(4) ? glEnable(GL_DEPTH_TEST) : glDisable(GL_DEPTH_TEST);
      glDepthFunc(one_of(functions));
      break;
    case 1:
      upto(2) ? glEnable(GL_STENCIL_TEST) : glDisable(GL_STENCIL_TEST);
      glStencilFunc(one_of(functions), int(upto(256)), upto(2) ? 0xff : upto(256));
      glStencilOp(one_of(operations), one_of(operations), one_of(operations));
      break;
    case 2:
      glDepthMask(upto(4) != 0);
      glStencilMask(upto(4) ? 0xff : upto(256));
      break;
    case 3:
      upto(3) ? glDisable(GL_SCISSOR_TEST) : glEnable(GL_SCISSOR_TEST);
      glScissor(int(upto(40)), int(upto(40)), int(upto(200)), int(upto(200)));
      break;
    default: glColorMask(upto(8) != 0, upto(8) != 0, upto(8) != 0, upto(8) != 0);
  }
}

uint64_t sum_of(const std::vector<uint8_t>& bytes) {
  uint64_t sum = 14695981039346656037u;  // FNV-1a
  for (uint8_t b : bytes) sum = (sum ^ b) * 1099511628211u;
  return sum;
}

void show(unsigned step, const Framebuffer& f, const Framebuffer& plain) {
  std::vector<uint8_t> bytes(size_t(f.width) * size_t(f.height) * 4);
  std::printf("%u: %dx%d, %d samples, %#x with %#x:", step, f.width, f.height, f.samples, f.colour_format, f.depth_format);
  if (f.samples) {
    glPushAttrib(GL_ALL_ATTRIB_BITS);
    glDisable(GL_SCISSOR_TEST);
    glColorMask(1, 1, 1, 1);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, plain.name);
    glBlitFramebuffer(0, 0, f.width, f.height, 0, 0, f.width, f.height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, plain.name);
    glPopAttrib();
  }
  glReadPixels(0, 0, f.width, f.height, GL_RGBA, GL_UNSIGNED_BYTE, bytes.data());
  std::printf(" colour %016jx", uintmax_t(sum_of(bytes)));
  if (!f.samples && f.depth_format) {
    glReadPixels(0, 0, f.width, f.height, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, bytes.data());
    std::printf(" depth %016jx", uintmax_t(sum_of(bytes)));
    bytes.resize(bytes.size() / 4);
    if (f.has_stencil()) {
      glReadPixels(0, 0, f.width, f.height, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, bytes.data());
      std::printf(" stencil %016jx", uintmax_t(sum_of(bytes)));
    }
  }
  std::printf("\n");
  glBindFramebuffer(GL_FRAMEBUFFER, f.name);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("fast_clears SEED STEPS\n", stderr), 2;
  random_numbers.seed(uint32_t(std::strtoul(argv[1], nullptr, 0)));
  const unsigned steps = unsigned(std::strtoul(argv[2], nullptr, 0));
  if (const std::string error = gears::make_context(gears::Platform::surfaceless, ""); !error.empty())
    return std::fprintf(stderr, "fast_clears: %s\n", error.c_str()), 1;
  std::printf("GL_RENDERER: %s\n", reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);

  constexpr std::array<std::array<int, 2>, 5> sizes = {{{64, 64}, {100, 37}, {200, 150}, {333, 219}, {16, 10}}};
  constexpr GLenum colours[] = {GL_RGBA8, GL_RGB10_A2, GL_RGBA16F},
                   depths[] = {GL_DEPTH24_STENCIL8, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT16, 0};
  constexpr int samples[] = {0, 0, 0, 2, 4, 6};
  std::vector<Framebuffer> all, plain;  // plain[n]: what all[n] is resolved into
  for (unsigned n = 0; n < 10; n++) {
    const auto& size = sizes[n % sizes.size()];
    Framebuffer f{.width = size[0],
                  .height = size[1],
                  .samples = one_of(samples),
                  .colour_format = one_of(colours),
                  .depth_format = one_of(depths)};
    if (n % 3 == 0) f.colour_format = GL_RGBA8, f.depth_format = GL_DEPTH24_STENCIL8;
    if (!f.samples) f.colour_format = GL_RGBA8;
    Framebuffer to = f;
    to.samples = 0, to.depth_format = 0;
    if (!make(f) || !make(to)) continue;
    for (const Framebuffer* each : {&f, &to}) {
      glBindFramebuffer(GL_FRAMEBUFFER, each->name);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    }
    all.push_back(f), plain.push_back(to);
  }
  if (all.empty()) return std::fputs("fast_clears: no framebuffers\n", stderr), 1;
  unsigned at = 0;
  for (unsigned step = 0; step < steps; step++) {
    const unsigned what = upto(20);
    if (step == 0 || what == 0) {
      at = upto(unsigned(all.size()));
      glBindFramebuffer(GL_FRAMEBUFFER, all[at].name);
      glViewport(0, 0, all[at].width, all[at].height);
    } else if (what == 1) {
      show(step, all[at], plain[at]);
    } else if (what < 7) {
      clear(all[at].colour_format == GL_RGBA16F);
    } else if (what < 12) {
      change_state();
    } else {
      draw();
    }
  }
  for (size_t n = 0; n < all.size(); n++) {
    glBindFramebuffer(GL_FRAMEBUFFER, all[n].name);
    show(steps, all[n], plain[n]);
  }
  if (const GLenum error = glGetError()) return std::fprintf(stderr, "fast_clears: error %#x\n", error), 1;
  return 0;
}
