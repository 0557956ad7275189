// A sheet of squares whose fragment shaders see what is in the framebuffer: advanced blending (KHR_blend_equation_advanced_coherent) and
// framebuffer fetch (EXT_shader_framebuffer_fetch), with primitives of one draw on top of each other, of several formats and samples.
// fetch_sheet [--list] [--only N] PNG
#include <cstdio>

#include "sheet.h"

namespace {

constexpr char vertex_shader[] = R"(#version 420
layout(location = 0) in vec2 place;
layout(location = 1) in vec4 colour_in;
out vec4 colour;
void main() { gl_Position = vec4(place, 0, 1); colour = colour_in; })";
constexpr char blending_shader[] = R"(#version 420
#extension GL_KHR_blend_equation_advanced : require
layout(blend_support_all_equations) out;
in vec4 colour;
layout(location = 0) out vec4 result;
void main() { result = colour; })";
// The colour that it finds is turned, so that order counts.
constexpr char fetching_shader[] = R"(#version 420
#extension GL_EXT_shader_framebuffer_fetch : require
in vec4 colour;
layout(location = 0) inout vec4 result;
void main() { result = vec4(result.gbr * 0.75 + colour.rgb * 0.25, 0.5 * result.a + 0.25); })";
constexpr char integer_shader[] = R"(#version 420
#extension GL_EXT_shader_framebuffer_fetch : require
in vec4 colour;
layout(location = 0) inout uvec4 result;
void main() { result = uvec4(result.g + 31u, result.b ^ 90u, result.r * 3u, 255u) & 255u; })";
// The second target is only read from in the first one's sum.
constexpr char two_shader[] = R"(#version 420
#extension GL_EXT_shader_framebuffer_fetch : require
in vec4 colour;
layout(location = 0) inout vec4 result;
layout(location = 1) inout vec4 other;
void main() {
  vec4 before = result;
  result = vec4(other.brg * 0.5 + before.rgb * 0.5, 1);
  other = vec4(colour.rgb * 0.5 + before.gbr * 0.5, 1);
})";
constexpr char showing_vertex_shader[] = R"(#version 420
out vec2 at;
void main() { at = vec2(gl_VertexID & 1, gl_VertexID >> 1); gl_Position = vec4(at * 2 - 1, 0, 1); })";
constexpr char showing_shader[] = R"(#version 420
in vec2 at;
uniform sampler2D picture;
layout(location = 0) out vec4 result;
void main() { result = vec4(texelFetch(picture, ivec2(at * 64), 0).rgb, 1); })";
constexpr char showing_integers[] = R"(#version 420
in vec2 at;
uniform usampler2D picture;
layout(location = 0) out vec4 result;
void main() { result = vec4(vec3(texelFetch(picture, ivec2(at * 64), 0).rgb) / 255, 1); })";

GLuint blending = 0, fetching = 0, fetching_integers = 0, fetching_two = 0, showing = 0, showing_of_integers = 0;

bool begin() {
  auto make = [](const char* vertex, const char* fragment) {
    return sheet::make_program({{GL_VERTEX_SHADER, vertex}, {GL_FRAGMENT_SHADER, fragment}});
  };
  blending = make(vertex_shader, blending_shader);
  fetching = make(vertex_shader, fetching_shader), fetching_integers = make(vertex_shader, integer_shader);
  fetching_two = make(vertex_shader, two_shader);
  showing = make(showing_vertex_shader, showing_shader), showing_of_integers = make(showing_vertex_shader, showing_integers);
  return blending && fetching && fetching_integers && fetching_two && showing && showing_of_integers;
}

// Triangles over each other in one draw; the last one lies within the others.
void triangles(int first, int count) {
  static const float corners[][6] = {
      {-0.9f, -0.8f, 0.1f, 0.2f, 0.9f, 0.7f}, {0.8f, -0.9f, 0.9f, 0.1f, 0.2f, 0.5f}, {0.1f, 0.9f, 0.2f, 0.8f, 0.1f, 0.9f},
      {-0.7f, 0.8f, 0.6f, 0.5f, 0.1f, 0.8f},  {0.9f, 0.5f, 0.3f, 0.9f, 0.6f, 0.4f},  {-0.3f, -0.9f, 0.9f, 0.2f, 0.7f, 0.6f},
      {-0.95f, 0.2f, 0.2f, 0.4f, 0.8f, 0.6f}, {0.6f, -0.3f, 0.7f, 0.7f, 0.1f, 0.9f}, {0.4f, 0.7f, 0.1f, 0.9f, 0.5f, 0.3f}};
  GLuint array = 0, buffer = 0;
  glGenVertexArrays(1, &array), glBindVertexArray(array);
  glGenBuffers(1, &buffer), glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
  glEnableVertexAttribArray(0), glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 24, nullptr);
  glEnableVertexAttribArray(1), glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 24, reinterpret_cast<void*>(8));
  glDrawArrays(GL_TRIANGLES, first * 3, count * 3);
  glDeleteBuffers(1, &buffer), glDeleteVertexArrays(1, &array);
}

// Draws into 64x64 pixels of that format and so many samples, cleared to something, and shows them (of two targets the second one).
bool in_texture(GLenum format, int samples, int targets, bool integers, const std::function<void()>& draw) {
  GLint viewport[4], outside = 0;
  glGetIntegerv(GL_VIEWPORT, viewport), glGetIntegerv(GL_FRAMEBUFFER_BINDING, &outside);
  GLuint texture[2], frame[2], buffer[2];
  glGenTextures(2, texture), glGenFramebuffers(2, frame), glGenRenderbuffers(2, buffer);
  const GLenum names[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
  for (int n = 0; n < targets; n++) {
    glBindTexture(GL_TEXTURE_2D, texture[n]), glTexStorage2D(GL_TEXTURE_2D, 1, format, 64, 64);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST),
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, frame[0]);
    glFramebufferTexture2D(GL_FRAMEBUFFER, names[n], GL_TEXTURE_2D, texture[n], 0);
    if (samples == 1) continue;
    glBindRenderbuffer(GL_RENDERBUFFER, buffer[n]), glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, 64, 64);
    glBindFramebuffer(GL_FRAMEBUFFER, frame[1]);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, names[n], GL_RENDERBUFFER, buffer[n]);
  }
  glDrawBuffers(targets, names);
  glViewport(0, 0, 64, 64);
  const GLfloat colour[] = {0.3f, 0.6f, 0.45f, 0.7f}, other[] = {0.9f, 0.1f, 0.5f, 1};
  const GLuint numbers[] = {77, 150, 33, 255};
  if (integers)
    glClearBufferuiv(GL_COLOR, 0, numbers);
  else
    for (int n = 0; n < targets; n++) glClearBufferfv(GL_COLOR, n, n ? other : colour);
  draw();
  if (samples > 1) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, frame[1]), glBindFramebuffer(GL_DRAW_FRAMEBUFFER, frame[0]);
    glBlitFramebuffer(0, 0, 64, 64, 0, 0, 64, 64, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  }
  glDisable(GL_BLEND);
  glBindFramebuffer(GL_FRAMEBUFFER, GLuint(outside)), glViewport(viewport[0], viewport[1], viewport[2], viewport[3]);
  GLuint array = 0;
  glGenVertexArrays(1, &array), glBindVertexArray(array);
  glBindTexture(GL_TEXTURE_2D, texture[targets - 1]);
  glUseProgram(integers ? showing_of_integers : showing);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glUseProgram(0), glDeleteVertexArrays(1, &array);
  glDeleteFramebuffers(2, frame), glDeleteTextures(2, texture), glDeleteRenderbuffers(2, buffer);
  return glGetError() == GL_NO_ERROR;
}

std::vector<sheet::Square> squares() {
  std::vector<sheet::Square> list;
  constexpr struct {
    GLenum equation;
    const char* name;
  } equations[] = {{GL_MULTIPLY_KHR, "multiply"},         {GL_SCREEN_KHR, "screen"},
                   {GL_OVERLAY_KHR, "overlay"},           {GL_DARKEN_KHR, "darken"},
                   {GL_LIGHTEN_KHR, "lighten"},           {GL_COLORDODGE_KHR, "colour dodge"},
                   {GL_COLORBURN_KHR, "colour burn"},     {GL_HARDLIGHT_KHR, "hard light"},
                   {GL_SOFTLIGHT_KHR, "soft light"},      {GL_DIFFERENCE_KHR, "difference"},
                   {GL_EXCLUSION_KHR, "exclusion"},       {GL_HSL_HUE_KHR, "hue"},
                   {GL_HSL_SATURATION_KHR, "saturation"}, {GL_HSL_COLOR_KHR, "colour"},
                   {GL_HSL_LUMINOSITY_KHR, "luminosity"}};
  constexpr struct {
    GLenum format;
    const char* name;
    int samples;
  } kinds[] = {{GL_RGBA8, "RGBA8", 1},       {GL_RGBA16F, "RGBA16F", 1}, {GL_RGB10_A2, "RGB10_A2", 1},
               {GL_SRGB8_ALPHA8, "sRGB", 1}, {GL_RGBA8, "RGBA8", 4},     {GL_RGBA16F, "RGBA16F", 4}};
  for (const auto& kind : kinds) {
    const std::string where = std::string(" in ") + kind.name + " of " + std::to_string(kind.samples);
    for (const auto& e : equations)
      list.push_back({e.name + where, [=] {
                        return in_texture(kind.format, kind.samples, 1, false, [&] {
                          glUseProgram(blending);
                          glEnable(GL_BLEND), glBlendEquation(e.equation);
                          triangles(0, 3);
                          glBlendEquation(GL_FUNC_ADD);
                        });
                      }});
    list.push_back({"fetch" + where, [=] {
                      return in_texture(kind.format, kind.samples, 1, false, [&] {
                        glUseProgram(fetching);
                        triangles(0, 3);
                        triangles(1, 2);
                      });
                    }});
  }
  for (GLenum format : {GL_RGBA8UI, GL_RGBA16UI, GL_RGBA32UI})
    list.push_back({"fetch of integers", [=] {
                      return in_texture(format, 1, 1, true, [] {
                        glUseProgram(fetching_integers);
                        triangles(0, 3);
                      });
                    }});
  for (GLenum format : {GL_RGBA8, GL_RGBA16F, GL_R11F_G11F_B10F, GL_RG16})
    list.push_back({"fetch of two", [=] {
                      return in_texture(format, 1, 2, false, [] {
                        glUseProgram(fetching_two);
                        triangles(0, 3);
                        glColorMaski(0, 0, 0, 0, 0);
                        triangles(0, 2);
                        glColorMaski(0, 1, 1, 1, 1);
                      });
                    }});
  return list;
}

}  // namespace

int main(int argc, char** argv) { return sheet::run("fetch_sheet", argc, argv, squares(), begin); }
