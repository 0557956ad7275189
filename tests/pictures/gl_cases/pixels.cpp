// Inputs of pixel shaders, viewports, clipping, stencils, stippled lines.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "picture.h"

namespace gl_cases {
namespace {

struct PixelCase {
  const char* name;
  const char* fragment;  // sets `colour`; may have declarations in front of "void main"
  void (*set)();
  int vertices = 3;
  GLenum mode = GL_TRIANGLES;
  const char* vertex = nullptr;
};
const PixelCase pixel_cases[] = {
    {"gl_FragCoord", "out vec4 colour; void main() { colour = gl_FragCoord; }", [] {}},
    {"gl_FragCoord, integer centres",
     "layout(pixel_center_integer) in vec4 gl_FragCoord; out vec4 colour; void main() { colour = gl_FragCoord; }", [] {}},
    {"gl_FragCoord from above",
     "layout(origin_upper_left) in vec4 gl_FragCoord; out vec4 colour; void main() { colour = gl_FragCoord; }", [] {}},
    {"derivatives, fine",
     "out vec4 colour; void main() { vec2 p = gl_FragCoord.xy; colour = vec4(dFdxFine(p.x * p.x), dFdyFine(p.y * p.y), "
     "dFdxFine(p.x * p.y), dFdyFine(p.x * p.y)); }",
     [] {}},
    {"fwidth, fine",
     "out vec4 colour; void main() { vec2 p = gl_FragCoord.xy; colour = vec4(fwidthFine(p.x * p.x - p.y), fwidthFine(p.x * p.y), "
     "0.0, 1.0); }",
     [] {}},
    {"derivatives after discard",
     "out vec4 colour; void main() { vec2 p = gl_FragCoord.xy; if (mod(floor(p.x), 2.0) == 0.0) discard; colour = "
     "vec4(dFdxFine(p.x * p.x), dFdyFine(p.y), 0.0, 1.0); }",
     [] {}},
    {"gl_HelperInvocation",
     "layout(std430, binding = 1) buffer R { uint n[]; }; out vec4 colour; void main() { if (gl_HelperInvocation) "
     "atomicAdd(n[0], 1u); colour = vec4(gl_HelperInvocation); }",
     [] {}, 3, GL_TRIANGLES,
     "#version 450\nvoid main() { gl_Position = vec4(vec2[](vec2(-0.9, -0.9), vec2(0.8, -0.7), vec2(-0.3, 0.9))[gl_VertexID], "
     "0.5, 1.0); }"},
    {"gl_PrimitiveID", "out vec4 colour; void main() { colour = vec4(gl_PrimitiveID); }", [] {}, 12, GL_TRIANGLE_STRIP,
     "#version 450\nvoid main() { gl_Position = vec4(float(gl_VertexID >> 1) / 3.0 - 1.0, float(gl_VertexID & 1) * 2.0 - 1.0, "
     "0.5, 1.0); }"},
    {"gl_FrontFacing", "out vec4 colour; void main() { colour = vec4(gl_FrontFacing); }", [] { glFrontFace(GL_CW); }, 12,
     GL_TRIANGLES,
     "#version 450\nvoid main() { int n = gl_VertexID % 3, k = gl_VertexID / 3; vec2 p = vec2(n == 1, n == 2); if ((k & 1) == 1) "
     "p = p.yx; gl_Position = vec4(p * 0.9 + vec2(k & 1, k >> 1) - 1.0, 0.5, 1.0); }"},
    {"gl_PointCoord", "out vec4 colour; void main() { colour = vec4(gl_PointCoord, 0.0, 1.0); }",
     [] { glEnable(GL_PROGRAM_POINT_SIZE), glEnable(GL_POINT_SPRITE); }, 4, GL_POINTS,
     "#version 450\nvoid main() { gl_PointSize = float(gl_VertexID * 3 + 2); gl_Position = vec4(vec2(gl_VertexID & 1, "
     "gl_VertexID >> 1) - 0.47, 0.5, 1.0); }"},
    {"gl_PointCoord from below", "out vec4 colour; void main() { colour = vec4(gl_PointCoord, 0.0, 1.0); }",
     [] {
       glEnable(GL_PROGRAM_POINT_SIZE), glEnable(GL_POINT_SPRITE), glPointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, GL_LOWER_LEFT);
     },
     4, GL_POINTS,
     "#version 450\nvoid main() { gl_PointSize = float(gl_VertexID * 3 + 2); gl_Position = vec4(vec2(gl_VertexID & 1, "
     "gl_VertexID >> 1) - 0.47, 0.5, 1.0); }"},
    {"flat, last vertex", "flat in vec4 v; out vec4 colour; void main() { colour = v; }",
     [] { glProvokingVertex(GL_LAST_VERTEX_CONVENTION); }, 9, GL_TRIANGLE_FAN,
     "#version 450\nflat out vec4 v; void main() { v = vec4(gl_VertexID, 0.5, 0.25, 1.0); float a = float(gl_VertexID) * 0.7; "
     "gl_Position = gl_VertexID == 0 ? vec4(0.0, 0.0, 0.5, 1.0) : vec4(cos(a), sin(a), 0.5, 1.0); }"},
    {"flat, first vertex", "flat in vec4 v; out vec4 colour; void main() { colour = v; }",
     [] { glProvokingVertex(GL_FIRST_VERTEX_CONVENTION); }, 9, GL_TRIANGLE_FAN,
     "#version 450\nflat out vec4 v; void main() { v = vec4(gl_VertexID, 0.5, 0.25, 1.0); float a = float(gl_VertexID) * 0.7; "
     "gl_Position = gl_VertexID == 0 ? vec4(0.0, 0.0, 0.5, 1.0) : vec4(cos(a), sin(a), 0.5, 1.0); }"},
    {"perspective", "in vec4 v; out vec4 colour; void main() { colour = vec4(v.xy, 0.0, 1.0); }", [] {}, 3, GL_TRIANGLES,
     "#version 450\nout vec4 v; void main() { float k = 1.0 + float(gl_VertexID) * 1.5; v = vec4(gl_VertexID == 1, gl_VertexID "
     "== 2, 0.0, 1.0); gl_Position = vec4((vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0) * k, 0.5 * k, k); }"},
    {"clip distances", "out vec4 colour; void main() { colour = vec4(gl_ClipDistance[0], gl_ClipDistance[2], 0.0, 1.0); }",
     [] { glEnable(GL_CLIP_DISTANCE0), glEnable(GL_CLIP_DISTANCE2); }, 3, GL_TRIANGLES,
     "#version 450\nout float gl_ClipDistance[3]; void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 "
     "- 1.0, 0.5, 1.0); gl_ClipDistance[0] = gl_Position.x + 0.53; gl_ClipDistance[1] = -1.0; gl_ClipDistance[2] = gl_Position.x "
     "- gl_Position.y * 0.7 + 0.4; }"},
    {"cull distances", "out vec4 colour; void main() { colour = vec4(float(gl_PrimitiveID), gl_CullDistance[0], 0.0, 1.0); }",
     [] {}, 12, GL_TRIANGLES,
     "#version 450\n#extension GL_ARB_cull_distance : require\nout float gl_CullDistance[2]; void main() { int n = gl_VertexID % "
     "3, k = gl_VertexID / 3; gl_Position = vec4(vec2(n == 1, n == 2) * 0.9 + vec2(k & 1, k >> 1) - 1.0, 0.5, 1.0); "
     "gl_CullDistance[0] = k == 1 ? -1.0 : float(n) - "
     "0.5; gl_CullDistance[1] = k == 2 ? -0.25 * float(n + 1) : 1.0; }"},
    {"viewports", "out vec4 colour; void main() { colour = vec4(gl_ViewportIndex, gl_FragCoord.z, 0.0, 1.0); }",
     [] {
       for (GLuint n = 0; n < 6; n++)
         glViewportIndexedf(n, float(2 * n), float(n), 9, 6), glDepthRangeIndexed(n, 0.1 * n, 1 - 0.1 * n),
             glScissorIndexed(n, int(n), int(n * 2), 12, 7), glEnablei(GL_SCISSOR_TEST, n);
     },
     18, GL_TRIANGLES,
     "#version 450\n#extension GL_ARB_shader_viewport_layer_array : require\nvoid main() { int n = gl_VertexID % 3; "
     "gl_ViewportIndex = gl_VertexID / 3; gl_Position = vec4(vec2(n & 1, n >> 1) * 4.0 - 1.0, 0.3, 1.0); }"},
    {"depth written, less",
     "out vec4 colour; void main() { gl_FragDepth = fract(gl_FragCoord.x * 0.3); colour = vec4(gl_FragCoord.z); }",
     [] { glEnable(GL_DEPTH_TEST), glClearDepth(0.5), glClear(GL_DEPTH_BUFFER_BIT), glDepthFunc(GL_LESS); }},
    {"depth written, as layout says",
     "layout(depth_greater) out float gl_FragDepth; out vec4 colour; void main() { gl_FragDepth = gl_FragCoord.z + 0.3 * "
     "fract(gl_FragCoord.x * 0.3); colour = vec4(1.0); }",
     [] { glEnable(GL_DEPTH_TEST), glClearDepth(0.9), glClear(GL_DEPTH_BUFFER_BIT), glDepthFunc(GL_LEQUAL); }},
    {"early tests",
     "layout(early_fragment_tests) in; layout(std430, binding = 1) buffer R { uint n[]; }; out vec4 colour; void main() { "
     "atomicAdd(n[1], 1u); gl_FragDepth = 0.0; if (gl_FragCoord.x < 5.0) discard; colour = vec4(1.0); }",
     [] {
       glEnable(GL_DEPTH_TEST), glEnable(GL_SCISSOR_TEST), glScissor(0, 0, 9, 9), glClearDepth(0.2), glClear(GL_DEPTH_BUFFER_BIT),
           glDisable(GL_SCISSOR_TEST);
     }},
    {"polygon offset", "out vec4 colour; void main() { colour = vec4(gl_FragCoord.z * 1000.0); }",
     [] { glEnable(GL_POLYGON_OFFSET_FILL), glPolygonOffset(1.5f, 4), glEnable(GL_DEPTH_TEST); }, 3, GL_TRIANGLES,
     "#version 450\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, float(gl_VertexID) * "
     "0.3, 1.0); }"},
    {"dual sources",
     "layout(location = 0, index = 0) out vec4 colour; layout(location = 0, index = 1) out vec4 other; void main() { colour = "
     "vec4(0.5, gl_FragCoord.x / 16.0, 0.25, 0.75); other = vec4(gl_FragCoord.y / 16.0, 0.5, 1.0, 0.25); }",
     [] {
       glEnable(GL_BLEND), glBlendFuncSeparate(GL_SRC1_COLOR, GL_ONE_MINUS_SRC1_COLOR, GL_SRC1_ALPHA, GL_ONE_MINUS_SRC1_ALPHA);
     }},
    {"loops that end at different times",
     "out vec4 colour; void main() { float s = 0.0; for (int i = 0; i < int(gl_FragCoord.x) * 3 + int(gl_FragCoord.y); i++) { if "
     "(i % 7 == 5) continue; s += float(i); if (s > 300.0) break; } colour = vec4(s); }",
     [] {}},
    {"multiplied by lines", "out vec4 colour; void main() { colour = gl_FragCoord; }", [] { glLineWidth(1); }, 8, GL_LINE_STRIP,
     "#version 450\nvoid main() { gl_Position = vec4(cos(float(gl_VertexID) * 1.1) * 0.83, sin(float(gl_VertexID) * 1.7) * 0.77, "
     "float(gl_VertexID) * 0.1, 1.0); }"},
};

void pixel_shaders() {
  for (auto& c : pixel_cases)
    for (GLenum format : {GL_RGBA32F, GL_RGBA16F}) {
      glPushAttrib(GL_ALL_ATTRIB_BITS);
      const GLuint results = make_buffer(GL_SHADER_STORAGE_BUFFER, 1, std::vector<uint32_t>(16, 0));
      {
        Picture picture(format, 16, 16);
        c.set();
        Program program(c.vertex ? c.vertex : everywhere,
                        std::string("#version 450\n") +
                            (std::strstr(c.name, "viewports") ? "#extension GL_ARB_fragment_layer_viewport : enable\n" : "") +
                            (std::strstr(c.name, "cull") ? "#extension GL_ARB_cull_distance : enable\n" : "") + c.fragment);
        if (!program.id) judge(c.name, "no program");
        glDrawArrays(c.mode, 0, c.vertices);
        const std::string name = std::string(c.name) + (format == GL_RGBA32F ? "" : ", halves");
        keep(name, {.floats = true, .relative = 1e-3, .absolute = 2e-3, .share = 0.02}, picture.read());
        keep(name + ", depth", {.floats = true, .relative = 0, .absolute = 1e-6, .share = 0.02},
             picture.read(GL_DEPTH_COMPONENT));
        if (std::strstr(c.name, "early")) keep(name + ", memory", exact, words_of(results, 2));
      }
      glDeleteBuffers(1, &results);
      glPopAttrib();
      while (glGetError()) {
      }  // (the buffers of a framebuffer that is gone are restored)
      glPointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, GL_UPPER_LEFT);
    }
}

// Interpolation by window coordinates (llvmpipe has no numbers there).
void without_perspective() {
  Picture picture(GL_RGBA32F, 16, 16);
  Program program(
      "#version 450\nnoperspective out vec2 w; void main() { float k = 1.0 + float(gl_VertexID) * 1.5; w = vec2(gl_VertexID == "
      "1, gl_VertexID == 2); gl_Position = vec4((vec2(gl_VertexID & 1, "
      "gl_VertexID >> 1) * 4.0 - 1.0) * k, 0.5 * k, k); }",
      "#version 450\nnoperspective in vec2 w; out vec4 colour; void main() { colour = vec4(w, 0.0, 1.0); }");
  glDrawArrays(GL_TRIANGLES, 0, 3);
  const auto words = picture.read();
  std::string detail = program.id ? "" : "no program";
  for (int n = 0; n < 256; n++) {
    float at[2];
    std::memcpy(at, &words[size_t(4 * n)], 8);
    if (!(std::abs(double(at[0]) - (n % 16 + 0.5) / 32) < 1e-4 && std::abs(double(at[1]) - (n / 16 + 0.5) / 32) < 1e-4))
      detail = std::to_string(n) + ": " + std::to_string(at[0]) + ", " + std::to_string(at[1]);
  }
  judge("without perspective", detail);
}

// Stippled strips by what their lines cover one by one: each fragment counts (OpenGL 4.6 compatibility profile 14.5.2). llvmpipe adds
// the lengths of lines instead.
void stippled_strips() {
  constexpr float corners[6][2] = {{-0.8f, -0.8f}, {0.8f, -0.8f}, {0.8f, 0.4f}, {0.05f, 0.8f}, {-0.8f, 0.4f}, {-0.5f, 0.1f}};
  constexpr int size = 64, factor = 2;
  constexpr unsigned pattern = 0x3b67;
  for (GLenum mode : {GL_LINE_STRIP, GL_LINE_LOOP})
    for (float shift : {0.01f, 0.013f, -0.02f}) {
      Picture picture(GL_R32F, size, size);
      auto line = [&](int first, int count, GLenum as) {
        glClear(GL_COLOR_BUFFER_BIT);
        glColor3f(1, 1, 1);
        glBegin(as);
        for (int n = first; n < first + count; n++) glVertex2f(corners[n % 6][0] + shift, corners[n % 6][1] + shift);
        glEnd();
        std::vector<float> reds(size_t(size * size));
        glReadPixels(0, 0, size, size, GL_RED, GL_FLOAT, reds.data());
        return reds;
      };
      std::vector<bool> wanted(size_t(size * size), false);
      int counted = 0;
      for (int n = 0; n < (mode == GL_LINE_LOOP ? 6 : 5); n++) {
        const auto reds = line(n, 2, GL_LINES);
        const float dx = corners[(n + 1) % 6][0] - corners[n][0], dy = corners[(n + 1) % 6][1] - corners[n][1];
        for (int along = 0; along < size; along++)
          for (int across = 0; across < size; across++) {
            const bool by_x = std::abs(dx) >= std::abs(dy);
            const int step = (by_x ? dx : dy) < 0 ? size - 1 - along : along, x = by_x ? step : across, y = by_x ? across : step;
            if (reds[size_t(x + size * y)] != 1) continue;
            if (pattern >> (counted / factor % 16) & 1) wanted[size_t(x + size * y)] = true;
            counted++;
          }
      }
      glEnable(GL_LINE_STIPPLE), glLineStipple(factor, pattern);
      const auto reds = line(0, 6, mode);
      glDisable(GL_LINE_STIPPLE);
      int off = 0;
      for (size_t n = 0; n < wanted.size(); n++) off += wanted[n] != (reds[n] == 1);
      judge(std::string("stippled ") + (mode == GL_LINE_LOOP ? "loop " : "strip ") + std::to_string(shift),
            off ? std::to_string(off) + " of " + std::to_string(counted) + " fragments" : "");
    }
}

// Every stencil operation and function, by model: the front's and the back's.
void stencils() {
  constexpr GLenum operations[] = {GL_KEEP, GL_ZERO, GL_REPLACE, GL_INCR, GL_INCR_WRAP, GL_DECR, GL_DECR_WRAP, GL_INVERT};
  Random random{3};
  for (int n = 0; n < 120; n++) {
    const GLenum function = GL_NEVER + random.below(8), depth = GL_NEVER + random.below(8);
    const GLenum ops[3] = {operations[random.below(8)], operations[random.below(8)], operations[random.below(8)]};
    const uint32_t reference = random.below(256), mask = random.below(3) ? 0xff : random.below(256),
                   write = random.below(3) ? 0xff : random.below(256),
                   before = random.below(4) == 0 ? 255 * random.below(2) : random.below(256);
    const bool back = random.below(2);
    Picture picture(GL_RGBA8, 4, 4, n & 1 ? GL_DEPTH24_STENCIL8 : GL_DEPTH32F_STENCIL8);
    glPushAttrib(GL_ALL_ATTRIB_BITS);
    glClearStencil(int(before)), glClearDepth(0.5), glClear(GL_STENCIL_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_STENCIL_TEST), glEnable(GL_DEPTH_TEST), glDepthFunc(depth);
    const GLenum face = back ? GL_BACK : GL_FRONT;
    glStencilFuncSeparate(face, function, int(reference), mask), glStencilOpSeparate(face, ops[0], ops[1], ops[2]),
        glStencilMaskSeparate(face, write);
    glFrontFace(back ? GL_CW : GL_CCW);
    {
      Program program(
          "#version 450\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, -0.5, 1.0); }",
          "#version 450\nout vec4 colour; void main() { colour = vec4(1.0); }");
      glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    glPopAttrib();
    auto holds = [](GLenum f, double a, double b) {
      return f == GL_ALWAYS || (f == GL_LESS && a < b) || (f == GL_EQUAL && a == b) || (f == GL_LEQUAL && a <= b) ||
             (f == GL_GREATER && a > b) || (f == GL_NOTEQUAL && a != b) || (f == GL_GEQUAL && a >= b);
    };
    const bool passes = holds(function, reference & mask, before & mask), nearer = holds(depth, 0.25, 0.5);
    uint32_t after = before;
    switch (ops[!passes ? 0 : nearer ? 2 : 1]) {
      case GL_ZERO: after = 0; break;
      case GL_REPLACE: after = reference; break;
      case GL_INCR: after = std::min(before + 1, 255u); break;
      case GL_INCR_WRAP: after = (before + 1) & 255; break;
      case GL_DECR: after = before ? before - 1 : 0; break;
      case GL_DECR_WRAP: after = (before - 1) & 255; break;
      case GL_INVERT: after = ~before & 255; break;
      default: break;
    }
    after = (before & ~write) | (after & write);
    std::vector<uint8_t> found(16);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, picture.framebuffer);
    glReadPixels(0, 0, 4, 4, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, found.data());
    const auto colours = picture.read();
    float red;
    std::memcpy(&red, &colours[20], 4);
    std::string detail;
    for (uint8_t value : found)
      if (value != after && detail.empty())
        detail = std::to_string(value) + " of " + std::to_string(before) + " where " + std::to_string(after) + " is asked";
    if ((red == 1) != (passes && nearer)) detail += " colour";
    judge("stencil " + std::to_string(n), detail);
  }
}

}  // namespace

void pixels() {
  pixel_shaders();
  without_perspective();
  stippled_strips();
  stencils();
}

}  // namespace gl_cases
