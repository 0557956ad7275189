// Blits, copies, views, layers.
#include <string>

#include "picture.h"

namespace gl_cases {
namespace {

// Blits: scaled, turned, by halves, of depths and stencils, integers, between formats.
void blit_pictures() {
  struct Blit {
    const char* name;
    GLint from[4], to[4];
  };
  constexpr Blit all[] = {
      {"as it is", {0, 0, 16, 16}, {0, 0, 16, 16}},      {"part", {2, 3, 9, 11}, {5, 1, 12, 9}},
      {"twice", {1, 2, 8, 9}, {0, 0, 14, 14}},           {"half", {0, 0, 16, 16}, {3, 2, 11, 10}},
      {"turned", {0, 0, 16, 16}, {16, 0, 0, 16}},        {"upside down and scaled", {2, 1, 12, 14}, {1, 15, 14, 3}},
      {"beyond both", {-4, -2, 10, 13}, {-3, 2, 20, 17}}};
  constexpr GLenum formats[] = {GL_RGBA8, GL_RGBA32F, GL_R16F, GL_SRGB8_ALPHA8, GL_RGB10_A2};
  for (auto& b : all)
    for (GLenum from : formats)
      for (bool linear : {false, true}) {
        Picture source(from, 16, 16), target(GL_RGBA32F, 16, 16);
        glBindFramebuffer(GL_FRAMEBUFFER, source.framebuffer);
        {
          Program program(everywhere,
                          "#version 450\nout vec4 colour; void main() { vec2 p = floor(gl_FragCoord.xy); colour = vec4(mod(p.x * "
                          "5.0 + p.y * 3.0, 16.0), mod(p.x * 3.0 + p.y * 7.0, 16.0), p.x, 15.0) / 15.0; }");
          glDrawArrays(GL_TRIANGLES, 0, 3);
        }
        glBindFramebuffer(GL_READ_FRAMEBUFFER, source.framebuffer);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target.framebuffer);
        glBlitFramebuffer(b.from[0], b.from[1], b.from[2], b.from[3], b.to[0], b.to[1], b.to[2], b.to[3], GL_COLOR_BUFFER_BIT,
                          linear ? GL_LINEAR : GL_NEAREST);
        keep(std::string("blit ") + b.name + (linear ? " linear " : " ") + std::to_string(from),
             {.floats = true, .relative = 0, .absolute = linear ? 0.012 : 0.005, .share = linear ? 0 : 0.05}, target.read());
      }
  for (auto& b : all)
    for (GLenum format : {GL_DEPTH24_STENCIL8, GL_DEPTH32F_STENCIL8}) {
      Picture source(GL_RGBA8, 16, 16, format), target(GL_RGBA8, 16, 16, format);
      glPushAttrib(GL_ALL_ATTRIB_BITS);
      glBindFramebuffer(GL_FRAMEBUFFER, source.framebuffer);
      glEnable(GL_SCISSOR_TEST);
      for (int n = 0; n < 64; n++)
        glScissor(n % 8 * 2, n / 8 * 2, 2, 2), glClearDepth(n / 64.0), glClearStencil(n * 3),
            glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
      glPopAttrib();
      glBindFramebuffer(GL_READ_FRAMEBUFFER, source.framebuffer);
      glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target.framebuffer);
      glBlitFramebuffer(b.from[0], b.from[1], b.from[2], b.from[3], b.to[0], b.to[1], b.to[2], b.to[3],
                        GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT, GL_NEAREST);
      keep(std::string("blit of depths ") + b.name + " " + std::to_string(format),
           {.floats = true, .relative = 0, .absolute = 1e-6, .share = 0.05}, target.read(GL_DEPTH_COMPONENT));
      keep(std::string("blit of stencils ") + b.name + " " + std::to_string(format),
           {.floats = false, .relative = 0, .absolute = 0, .share = 0.05}, target.read(GL_STENCIL_INDEX, GL_UNSIGNED_INT));
    }
}

// Copies and views: memory of one format as another.
void copies() {
  struct Pair {
    GLenum from, to;
  };
  constexpr Pair pairs[] = {{GL_RGBA8, GL_R32UI},   {GL_RGBA8UI, GL_RG16F}, {GL_RGB10_A2, GL_RGB10_A2UI},
                            {GL_RGBA16, GL_RG32UI}, {GL_RGBA16F, GL_RG32I}, {GL_RGBA32F, GL_RGBA32UI},
                            {GL_R8, GL_R8I},        {GL_RG8, GL_R16UI},     {GL_RGBA8, GL_SRGB8_ALPHA8}};
  for (auto& p : pairs)
    for (bool view : {false, true}) {
      GLuint textures[2];
      glGenTextures(2, textures);
      glBindTexture(GL_TEXTURE_2D_ARRAY, textures[0]);
      glTexStorage3D(GL_TEXTURE_2D_ARRAY, 3, p.from, 16, 12, 3);
      // Its words, by a view of whole numbers, whatever the format.
      Random random{p.from * 3 + p.to};
      for (int level = 0; level < 3; level++) {
        std::vector<uint32_t> bytes;
        for (int n = 0; n < 16 * 12 * 3 * 4; n++) bytes.push_back(random.word() & 0x3f3f3f3f);
        const bool integer = p.from == GL_RGBA8UI;
        glTexSubImage3D(GL_TEXTURE_2D_ARRAY, level, 0, 0, 0, 16 >> level, 12 >> level, 3, integer ? GL_RGBA_INTEGER : GL_RGBA,
                        p.from == GL_RGBA16F || p.from == GL_RGBA32F ? GL_FLOAT
                        : p.from == GL_RGBA16                        ? GL_UNSIGNED_SHORT
                        : p.from == GL_RGB10_A2                      ? GL_UNSIGNED_INT_2_10_10_10_REV
                                                                     : GL_UNSIGNED_BYTE,
                        bytes.data());
      }
      if (view) {
        glTextureView(textures[1], GL_TEXTURE_2D, textures[0], p.to, 1, 2, 1, 1);
      } else {
        glBindTexture(GL_TEXTURE_2D, textures[1]);
        glTexStorage2D(GL_TEXTURE_2D, 2, p.to, 8, 6);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, GL_RGBA, GL_FLOAT, nullptr);
        const GLuint zero[4] = {};
        const bool integer = p.to == GL_R32UI || p.to == GL_RGB10_A2UI || p.to == GL_RG32UI || p.to == GL_RG32I ||
                             p.to == GL_RGBA32UI || p.to == GL_R8I || p.to == GL_R16UI;
        glClearTexImage(textures[1], 0, integer ? GL_RGBA_INTEGER : GL_RGBA,
                        integer ? (p.to == GL_RG32I || p.to == GL_R8I ? GL_INT : GL_UNSIGNED_INT) : GL_FLOAT, zero);
        while (glGetError()) {
        }
        glCopyImageSubData(textures[0], GL_TEXTURE_2D_ARRAY, 1, 1, 2, 1, textures[1], GL_TEXTURE_2D, 0, 2, 0, 0, 5, 4, 1);
      }
      glBindTexture(GL_TEXTURE_2D, textures[1]);
      const bool integer = p.to == GL_R32UI || p.to == GL_RGB10_A2UI || p.to == GL_RG32UI || p.to == GL_RG32I ||
                           p.to == GL_RGBA32UI || p.to == GL_R8I || p.to == GL_R16UI;
      std::vector<uint32_t> words(4 * 48);
      glGetTexImage(GL_TEXTURE_2D, 0, integer ? GL_RGBA_INTEGER : GL_RGBA,
                    integer ? (p.to == GL_RG32I || p.to == GL_R8I ? GL_INT : GL_UNSIGNED_INT) : GL_FLOAT, words.data());
      keep(std::string(view ? "view " : "copy ") + std::to_string(p.from) + " as " + std::to_string(p.to),
           integer ? exact : Bound{.floats = true, .relative = 1e-6, .absolute = 1e-6, .share = 0}, words);
      glDeleteTextures(2, textures);
    }
}

// Layers by geometry shaders and by vertex shaders, clears of all.
void layers() {
  GLuint texture = 0, framebuffer = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_3D, texture);
  glTexStorage3D(GL_TEXTURE_3D, 1, GL_RGBA8, 8, 8, 6);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
  glViewport(0, 0, 8, 8);
  glClearColor(0.2f, 0.4f, 0.6f, 0.8f), glClear(GL_COLOR_BUFFER_BIT);
  const GLuint program = sheet::make_program(
      {{GL_VERTEX_SHADER, "#version 450\nout int k; void main() { k = gl_VertexID; gl_Position = vec4(0.0); }"},
       {GL_GEOMETRY_SHADER,
        "#version 450\nlayout(points, invocations = 3) in; layout(triangle_strip, max_vertices = 4) out; in int k[]; flat out "
        "int layer; void main() { for (int n = 0; n < 4; n++) { gl_Layer = gl_InvocationID * 2 + k[0]; layer = gl_Layer; "
        "gl_PrimitiveID = 7; "
        "gl_Position = vec4(vec2(n & 1, n >> 1) * 1.2 - 0.9 + 0.1 * float(gl_InvocationID), 0.0, 1.0); EmitVertex(); } }"},
       {GL_FRAGMENT_SHADER,
        "#version 450\nflat in int layer; out vec4 colour; void main() { colour = vec4(layer, gl_Layer, gl_PrimitiveID, 9) / "
        "15.0; }"}});
  glUseProgram(program);
  glDrawArrays(GL_POINTS, 0, 2);
  std::vector<uint32_t> words(8 * 8 * 6);
  glGetTexImage(GL_TEXTURE_3D, 0, GL_RGBA, GL_UNSIGNED_BYTE, words.data());
  keep("layers of a volume", exact, words);
  glUseProgram(0);
  glDeleteProgram(program);
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteTextures(1, &texture);
}

}  // namespace

void blits() {
  blit_pictures();
  copies();
  layers();
}

}  // namespace gl_cases
