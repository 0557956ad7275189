// A sheet of squares, one a way in which OpenGL 4.5 looks at depth and stencil that were drawn: formats, sizes, levels, layers
// and samples by sampling, reading pixels, copies and blits. Surfaces whose stencil plane has another pitch than their depth
// plane are sampled from a copy in a colour buffer (Mesa radeonsi si_blit_dbcb_copy).
// depth_sheet [--no-layer-reads] [--list] [--only N] PNG
// --no-layer-reads: no pixels of a layer are read. Mesa 25.0.7 reads those of layer 0 instead, on llvmpipe as well, where it has a compute
// shader for it, which on radeonsi it makes meanwhile (findings/mesa-reads-of-a-layer-by-compute.sh).
#include <cstdint>
#include <string_view>

#include "sheet.h"

namespace {

enum class Look { sampled, read, copied, blitted };

struct Way {
  GLenum format;
  const char* format_name;
  int width, height, levels, level, layers, samples;
  bool stencil;
  Look look;
};

GLuint painting, showing[6];

bool is_stencil_format(GLenum format) { return format != GL_DEPTH_COMPONENT16 && format != GL_DEPTH_COMPONENT32F; }

GLenum target_of(const Way& w) {
  return w.samples > 1 ? GL_TEXTURE_2D_MULTISAMPLE : w.layers ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D;
}

GLuint make_texture(const Way& w) {
  GLuint texture;
  glGenTextures(1, &texture);
  GLenum target = target_of(w);
  glBindTexture(target, texture);
  if (w.samples > 1) {
    glTexStorage2DMultisample(target, w.samples, w.format, w.width, w.height, GL_TRUE);
    return texture;
  }
  if (w.layers)
    glTexStorage3D(target, w.levels, w.format, w.width, w.height, w.layers);
  else
    glTexStorage2D(target, w.levels, w.format, w.width, w.height);
  glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
  glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  return texture;
}

void attach(const Way& w, GLuint framebuffer, GLuint texture, int layer) {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  GLenum point = is_stencil_format(w.format) ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT;
  if (w.layers)
    glFramebufferTextureLayer(GL_FRAMEBUFFER, point, texture, w.level, layer);
  else
    glFramebufferTexture2D(GL_FRAMEBUFFER, point, target_of(w), texture, w.level);
}

// A cleared surface with two slopes of depth on it and rectangles of stencil, the samples apart.
void paint(const Way& w, int width, int height, int layer) {
  glViewport(0, 0, width, height);
  glClearDepth(0.75);
  glClearStencil(0x21);
  glStencilMask(0xff);
  glDepthMask(GL_TRUE);
  glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
  glUseProgram(painting);
  glEnable(GL_DEPTH_TEST);
  glEnable(GL_STENCIL_TEST);
  glDepthFunc(GL_ALWAYS);
  glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
  glEnable(GL_SAMPLE_MASK);
  glEnable(GL_SCISSOR_TEST);
  for (int n = 0; n < 4 * w.samples; n++) {
    glSampleMaski(0, 1u << n % w.samples);
    glStencilFunc(GL_ALWAYS, 37 * (n + 1) + 16 * layer, 0xff);
    int part = n / w.samples;
    glScissor(width * part / 5, height * part / 6, width * (4 + part) / 8, height * (3 + part) / 6);
    // (Where samples lie is the driver's affair: no slopes where there are several.)
    glUniform3f(0, 0.1f + 0.2f * float(part), 0.05f * float(n % w.samples) + 0.1f * float(layer), w.samples > 1 ? 0.0f : 0.5f);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  }
  glDisable(GL_SAMPLE_MASK);
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_STENCIL_TEST);
  glDisable(GL_DEPTH_TEST);
}

bool show(const Way& w) {
  GLint viewport[4], framebuffer;
  glGetIntegerv(GL_VIEWPORT, viewport);
  glGetIntegerv(GL_FRAMEBUFFER_BINDING, &framebuffer);
  int width = std::max(1, w.width >> w.level), height = std::max(1, w.height >> w.level);
  GLuint texture = make_texture(w), own, other = 0, second = 0;
  glGenFramebuffers(1, &own);
  for (int layer = 0; layer < std::max(1, w.layers); layer++) {
    attach(w, own, texture, layer);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return false;
    paint(w, width, height, layer);
  }
  Way shown = w;
  GLuint source = texture;
  if (w.look == Look::copied || w.look == Look::blitted) {
    shown.samples = 1, shown.layers = 0;
    if (w.look == Look::blitted) shown.levels = 1, shown.level = 0, shown.width = width, shown.height = height;
    second = source = make_texture(shown);
    if (w.look == Look::copied) {
      glCopyImageSubData(texture, target_of(w), w.level, 0, 0, std::max(0, w.layers - 1), second, GL_TEXTURE_2D, w.level, 0, 0, 0,
                         width, height, 1);
    } else {
      glGenFramebuffers(1, &other);
      attach(shown, other, second, 0);
      glBindFramebuffer(GL_READ_FRAMEBUFFER, own);
      glBlitFramebuffer(0, 0, width, height, 0, 0, width, height,
                        is_stencil_format(w.format) ? GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT : GL_DEPTH_BUFFER_BIT,
                        GL_NEAREST);
    }
  } else if (w.look == Look::read) {
    // As floats in a texture of its own.
    std::vector<float> depths(size_t(width) * size_t(height));
    std::vector<uint8_t> stencils(depths.size());
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    if (w.stencil) {
      glReadPixels(0, 0, width, height, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, stencils.data());
      for (size_t n = 0; n < depths.size(); n++) depths[n] = float(stencils[n]) / 255;
    } else {
      glReadPixels(0, 0, width, height, GL_DEPTH_COMPONENT, GL_FLOAT, depths.data());
    }
    glGenTextures(1, &second);
    source = second;
    glBindTexture(GL_TEXTURE_2D, second);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32F, width, height);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RED, GL_FLOAT, depths.data());
    shown.samples = 1, shown.layers = 0, shown.level = 0, shown.stencil = false;
  }
  glBindFramebuffer(GL_FRAMEBUFFER, GLuint(framebuffer));
  glViewport(viewport[0], viewport[1], viewport[2], viewport[3]);
  GLenum target = target_of(shown);
  glBindTexture(target, source);
  if (w.look != Look::read)
    glTexParameteri(target, GL_DEPTH_STENCIL_TEXTURE_MODE, shown.stencil ? GL_STENCIL_INDEX : GL_DEPTH_COMPONENT);
  glUseProgram(showing[(shown.samples > 1 ? 4 : shown.layers ? 2 : 0) + (shown.stencil ? 1 : 0)]);
  glUniform2i(0, width, height);
  glUniform2i(1, shown.level, shown.samples > 1 ? shown.samples : std::max(1, shown.layers));
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glDeleteTextures(1, &texture);
  if (second) glDeleteTextures(1, &second);
  glDeleteFramebuffers(1, &own);
  if (other) glDeleteFramebuffers(1, &other);
  return glGetError() == GL_NO_ERROR;
}

bool begin() {
  GLuint array;
  glGenVertexArrays(1, &array);
  glBindVertexArray(array);
  painting = sheet::make_program({{GL_VERTEX_SHADER,
                                   "#version 430\nlayout(location = 0) uniform vec3 depth;\n"
                                   "void main() { vec2 c = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                                   "  gl_Position = vec4(c * 2.0 - 1.0, depth.x + depth.z * (c.x - 0.4 * c.y) - depth.y, 1); }"},
                                  {GL_FRAGMENT_SHADER, "#version 430\nvoid main() {}"}});
  if (!painting) return false;
  for (int n = 0; n < 6; n++) {
    static const char* const kinds[] = {"sampler2D", "sampler2DArray", "sampler2DMS"};
    static const char* const fetches[] = {"texelFetch(image, at, what.x)", "texelFetch(image, ivec3(at, part), what.x)",
                                          "texelFetch(image, at, part)"};
    std::string source = "#version 430\nlayout(location = 0) uniform ivec2 size; layout(location = 1) uniform ivec2 what;\n";
    source += std::string("uniform ") + (n & 1 ? "u" : "") + kinds[n / 2] + " image;\nin vec2 place; out vec4 colour;\n";
    // Layers and samples beside each other.
    source +=
        "void main() { float across = place.x * float(what.y); int part = int(across);\n"
        "  ivec2 at = ivec2(vec2(n_x(across), place.y) * vec2(size));\n";
    source += std::string("  float v = float(") + fetches[n / 2] + ".x)" + (n & 1 ? " / 255.0" : "") + ";\n";
    source += "  colour = vec4(v, abs(fract(v * 8.0) * 2.0 - 1.0), abs(fract(v * 32.0) * 2.0 - 1.0) * 0.5, 1); }";
    source.replace(source.find("n_x("), 4, n < 2 ? "(place.x + 0.0 * " : "fract(");
    showing[n] =
        sheet::make_program({{GL_VERTEX_SHADER,
                              "#version 430\nout vec2 place;\nvoid main() { place = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                              "  gl_Position = vec4(place * 2.0 - 1.0, 0, 1); }"},
                             {GL_FRAGMENT_SHADER, source}});
    if (!showing[n]) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const bool layer_reads = argc < 2 || std::string_view(argv[1]) != "--no-layer-reads";
  if (!layer_reads) argv[1] = argv[0], argv++, argc--;
  std::vector<Way> ways;
  struct Format {
    GLenum format;
    const char* name;
  };
  constexpr Format formats[] = {{GL_DEPTH_COMPONENT16, "16"},
                                {GL_DEPTH24_STENCIL8, "24 and stencil"},
                                {GL_DEPTH_COMPONENT32F, "32 float"},
                                {GL_DEPTH32F_STENCIL8, "32 float and stencil"}};
  struct Size {
    int width, height, levels, level, layers, samples;
  };
  // Levels of less than 32 texels: the stencil plane's pitch is the larger one.
  constexpr Size sizes[] = {{64, 64, 1, 0, 0, 1},   {200, 120, 4, 1, 0, 1}, {600, 400, 5, 2, 0, 1}, {520, 96, 3, 0, 3, 1},
                            {96, 64, 1, 0, 0, 4},   {64, 64, 7, 0, 0, 1},   {64, 64, 7, 2, 0, 1},   {64, 64, 7, 3, 0, 1},
                            {300, 200, 9, 0, 0, 1}, {300, 200, 9, 3, 0, 1}, {52, 20, 6, 0, 3, 1},   {52, 20, 6, 1, 3, 1}};
  for (const Format& f : formats)
    for (const Size& s : sizes)
      for (bool stencil : {false, true})
        for (Look look : {Look::sampled, Look::read, Look::copied, Look::blitted}) {
          if (stencil && !is_stencil_format(f.format)) continue;
          if (s.samples > 1 && (look == Look::read || look == Look::copied)) continue;
          if (look == Look::read && s.layers && !layer_reads) continue;
          ways.push_back({f.format, f.name, s.width, s.height, s.levels, s.level, s.layers, s.samples, stencil, look});
        }
  std::vector<sheet::Square> squares;
  for (const Way& w : ways) {
    static const char* const looks[] = {"sampled", "read", "copied", "blitted"};
    squares.push_back({std::string(w.stencil ? "stencil of " : "depth of ") + w.format_name + ", " + std::to_string(w.width) +
                           "x" + std::to_string(w.height) + ", level " + std::to_string(w.level) + " of " +
                           std::to_string(w.levels) + ", " + std::to_string(w.layers) + " layers, " + std::to_string(w.samples) +
                           " samples, " + looks[int(w.look)],
                       [&w] { return show(w); }});
  }
  return sheet::run("depth_sheet", argc, argv, squares, begin);
}
