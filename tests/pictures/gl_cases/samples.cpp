// Multisampling: shading of each sample, where what is interpolated is taken, masks in and out, coverage by alpha, resolves.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "../sheet.h"
#include "cases.h"

namespace gl_cases {
namespace {

constexpr int width = 24, height = 16;
constexpr const char* head = "#version 450\n#extension GL_ARB_post_depth_coverage : enable\n";

// Targets of `samples` samples a pixel; what a pixel shader puts there is read sample by sample.
struct Target {
  GLuint framebuffer = 0, textures[2] = {}, depth = 0;
  int samples;
  explicit Target(int count, GLenum format = GL_RGBA32F) : samples(count) {
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glGenTextures(2, textures);
    for (int n = 0; n < 2; n++) {
      glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, textures[n]);
      glTexStorage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, count, n ? GL_RGBA32UI : format, width, height, GL_TRUE);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GLenum(GL_COLOR_ATTACHMENT0 + n), GL_TEXTURE_2D_MULTISAMPLE, textures[n], 0);
    }
    glGenTextures(1, &depth);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, depth);
    glTexStorage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, count, GL_DEPTH32F_STENCIL8, width, height, GL_TRUE);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_TEXTURE_2D_MULTISAMPLE, depth, 0);
    const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    glDrawBuffers(2, both);
    glViewport(0, 0, width, height);
    const GLfloat nothing[4] = {-1, -1, -1, -1}, far = 1;
    const GLuint none[4] = {99, 99, 99, 99};
    const GLint zero = 0;
    glClearBufferfv(GL_COLOR, 0, nothing);
    glClearBufferuiv(GL_COLOR, 1, none);
    glClearBufferfv(GL_DEPTH, 0, &far);
    glClearBufferiv(GL_STENCIL, 0, &zero);
  }
  ~Target() {
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(2, textures);
    glDeleteTextures(1, &depth);
  }
  // Eight words a sample: of the floats, and of the integers.
  std::vector<uint32_t> read() const {
    const GLuint results =
        make_buffer(GL_SHADER_STORAGE_BUFFER, 1, std::vector<uint32_t>(size_t(8 * samples * width * height), 0));
    const GLuint program = compute_program(
        "layout(local_size_x = 8, local_size_y = 8) in; layout(std430, binding = 1) buffer R { uvec4 results[]; }; "
        "layout(binding = 0) uniform sampler2DMS f; layout(binding = 1) "
        "uniform usampler2DMS u; void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy); int s = int(gl_GlobalInvocationID.z), "
        "n = (p.x + " +
        std::to_string(width) +
        " * p.y) * textureSamples(f) + s; results[2 * n] = floatBitsToUint(texelFetch(f, p, s)); results[2 * n + 1] = "
        "texelFetch(u, p, s); }");
    glUseProgram(program);
    for (GLuint n = 0; n < 2; n++) glActiveTexture(GL_TEXTURE0 + n), glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, textures[n]);
    glActiveTexture(GL_TEXTURE0);
    glDispatchCompute(width / 8, height / 8, GLuint(samples));
    auto words = words_of(results, size_t(8 * samples * width * height));
    glUseProgram(0);
    glDeleteProgram(program);
    glDeleteBuffers(1, &results);
    return words;
  }
};

float as_float(uint32_t word) {
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}

// A triangle whose `at` is linear in the window: at = window coordinates.
constexpr float corners[3][2] = {{1.3f, 0.7f}, {22.6f, 3.2f}, {7.1f, 15.4f}};
GLuint program_of(const std::string& fragment) {
  const std::string vertex = std::string(head) +
                             "out vec2 at; sample out vec2 at_sample; void main() { const vec2 c[3] = vec2[](vec2(1.3, 0.7), "
                             "vec2(22.6, 3.2), vec2(7.1, 15.4)); "
                             "at = at_sample = c[gl_VertexID]; gl_Position = vec4(at / vec2(12.0, 8.0) - 1.0, 0.25, 1.0); }";
  return sheet::make_program({{GL_VERTEX_SHADER, vertex}, {GL_FRAGMENT_SHADER, head + fragment}});
}
bool inside(double x, double y, double margin) {
  for (int n = 0; n < 3; n++) {
    const float *a = corners[n], *b = corners[(n + 1) % 3];
    const double dx = double(b[0] - a[0]), dy = double(b[1] - a[1]);
    if ((dx * (y - double(a[1])) - dy * (x - double(a[0]))) / std::hypot(dx, dy) < margin) return false;
  }
  return true;
}

// The samples that are covered, and their shader's inputs, by the sample positions that the driver names.
void positions(int samples) {
  const std::string name = std::to_string(samples) + " samples: ";
  struct Kind {
    const char* name;
    const char* in;
    const char* at;  // what `at` should be: c centre, s sample, o centre and offset, i inside of the triangle
    const char* text;
  };
  const Kind kinds[] = {
      {"at centres", "in vec2 at;", "c", "at"},
      {"at centroids", "centroid in vec2 at;", "i", "at"},
      {"at samples", "sample in vec2 at_sample;", "s", "at_sample"},
      {"interpolateAtSample", "in vec2 at;", "s", "interpolateAtSample(at, gl_SampleID)"},
      {"interpolateAtSample of centroids", "centroid in vec2 at;", "s", "interpolateAtSample(at, gl_SampleID)"},
      {"interpolateAtCentroid", "in vec2 at;", "i", "interpolateAtCentroid(at)"},
      {"interpolateAtOffset", "in vec2 at;", "o", "interpolateAtOffset(at, vec2(0.25, -0.3125))"},
      {"interpolateAtOffset by pixels", "in vec2 at;", "p",
       "interpolateAtOffset(at, vec2(fract(gl_FragCoord.x * 0.25) * 0.5 - 0.25, fract(gl_FragCoord.y * 0.25) - 0.5))"},
      {"gl_FragCoord of samples", "in vec2 at;", "f", "gl_FragCoord.xy + min(float(gl_SampleID), 0.0)"},
      {"gl_SamplePosition", "in vec2 at;", "s", "floor(gl_FragCoord.xy) + gl_SamplePosition"},
  };
  float place[16][2] = {};
  {
    Target target(samples);
    for (int n = 0; n < samples; n++) glGetMultisamplefv(GL_SAMPLE_POSITION, GLuint(n), place[n]);
  }
  for (auto& k : kinds) {
    Target target(samples);
    const GLuint program = program_of(
        std::string(k.in) + " layout(location = 0) out vec4 f; layout(location = 1) out uvec4 u; void main() { f = vec4(" +
        k.text + ", 0.0, 1.0); u = uvec4(gl_SampleMaskIn[0], 7, 0, 0); }");
    glUseProgram(program);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glUseProgram(0);
    glDeleteProgram(program);
    auto words = target.read();
    std::string detail;
    int bad = 0, covered = 0;
    for (int p = 0; p < width * height; p++)
      for (int s = 0; s < samples; s++) {
        const uint32_t* w = &words[size_t(8 * (p * samples + s))];
        const double x = p % width + double(place[s][0]), y = p / width + double(place[s][1]);
        const bool drawn = w[5] == 7;
        char text[128] = "";
        if (drawn != inside(x, y, 0) && inside(x, y, 0.01) == inside(x, y, -0.01))
          std::snprintf(text, sizeof text, " (%d, %d) sample %d: %s", p % width, p / width, s, drawn ? "drawn" : "not drawn");
        if (drawn) {
          covered++;
          const double a = double(as_float(w[0])), b = double(as_float(w[1]));
          double u = p % width + 0.5, v = p / width + 0.5;
          if (*k.at == 's') u = x, v = y;
          if (*k.at == 'o') u += 0.25, v -= 0.3125;
          // gl_FragCoord is the sample's where the shader runs for each; here it runs for pixels.
          if (*k.at == 'p') u += std::fmod(u * 0.25, 1.0) * 0.5 - 0.25, v += std::fmod(v * 0.25, 1.0) - 0.5;
          // If a shader runs for samples gl_FragCoord is theirs; among Intel's drivers anv alone does so (nir_lower_wpos_center
          // in Mesa 22.3.6 and 25.0.7), and iris leaves the pixel's centre.
          if (*k.at == 'f' && (std::abs(a - u) >= 0.005 || std::abs(b - v) >= 0.005)) u = x, v = y;
          const bool good = *k.at == 'i' ? inside(a, b, -0.02) && std::abs(a - u) <= 0.51 && std::abs(b - v) <= 0.51
                                         : std::abs(a - u) < 0.005 && std::abs(b - v) < 0.005;
          if (!good)
            std::snprintf(text, sizeof text, " (%d, %d) sample %d: %g, %g where %g, %g is asked", p % width, p / width, s, a, b,
                          u, v);
        }
        if (*text && bad++ < 3) detail += text;
      }
    if (!program) detail = "no program";
    if (covered < samples * 80) detail += " covered " + std::to_string(covered);
    judge(name + k.name, detail.empty() ? "" : std::to_string(bad) + ":" + detail);
  }
}

// Masks: what a shader sees, what it leaves, with glSampleMask, GL_SAMPLE_COVERAGE, alpha and MIN_SAMPLE_SHADING.
void masks(int samples) {
  struct Kind {
    const char* name;
    const char* body;
    void (*set)();
    char rule;
  };
  const Kind kinds[] = {
      {"gl_SampleMaskIn", "u = uvec4(gl_SampleMaskIn[0], 7u, 0u, 0u);", [] {}, 'i'},
      {"gl_SampleMaskIn of samples", "u = uvec4(gl_SampleMaskIn[0], 7u, gl_SampleID, 0u);", [] {}, 'e'},
      {"gl_SampleMask", "gl_SampleMask[0] = 0x5a5a; u = uvec4(gl_SampleMaskIn[0], 7u, 0u, 0u);", [] {}, 'o'},
      {"glSampleMaski", "u = uvec4(0u, 7u, 0u, 0u);", [] { glEnable(GL_SAMPLE_MASK), glSampleMaski(0, 0x5a5a); }, 'm'},
      {"gl_SampleMask and glSampleMaski", "gl_SampleMask[0] = 0x3c3c; u = uvec4(0u, 7u, 0u, 0u);",
       [] { glEnable(GL_SAMPLE_MASK), glSampleMaski(0, 0x6666); }, 'b'},
      {"GL_SAMPLE_COVERAGE 0", "u = uvec4(0u, 7u, 0u, 0u);", [] { glEnable(GL_SAMPLE_COVERAGE), glSampleCoverage(0, false); },
       '0'},
      {"GL_SAMPLE_COVERAGE 0 inverted", "u = uvec4(0u, 7u, 0u, 0u);",
       [] { glEnable(GL_SAMPLE_COVERAGE), glSampleCoverage(0, true); }, '1'},
      {"alpha 0 to coverage", "f.a = 0.0; u = uvec4(0u, 7u, 0u, 0u);", [] { glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE); }, '0'},
      {"alpha 1 to coverage", "f.a = 1.0; u = uvec4(0u, 7u, 0u, 0u);", [] { glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE); }, '1'},
      {"half of alpha to coverage", "f.a = 0.5; u = uvec4(0u, 7u, 0u, 0u);", [] { glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE); }, 'h'},
      {"alpha to one", "f.a = 0.25; u = uvec4(0u, 7u, 0u, 0u);", [] { glEnable(GL_SAMPLE_ALPHA_TO_ONE); }, 'a'},
      {"sample shading", "u = uvec4(gl_SampleMaskIn[0], 7u, 0u, 0u);", [] { glEnable(GL_SAMPLE_SHADING), glMinSampleShading(1); },
       'e'},
      {"discard of samples", "if ((gl_SampleID & 1) == 1) discard; u = uvec4(0u, 7u, 0u, 0u);", [] {}, 'd'},
      {"depth of samples", "gl_FragDepth = (gl_SampleID & 1) == 1 ? 0.75 : 0.25; u = uvec4(0u, 7u, 0u, 0u);",
       [] {
         glEnable(GL_DEPTH_TEST);
         const float half = 0.5f;
         glClearBufferfv(GL_DEPTH, 0, &half);
       },
       'd'},
  };
  for (auto& k : kinds) {
    Target target(samples);
    k.set();
    const GLuint program = sheet::make_program(
        {{GL_VERTEX_SHADER,
          std::string(head) +
              "void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.5, 1.0); }"},
         {GL_FRAGMENT_SHADER,
          std::string(head) + "layout(location = 0) out vec4 f; layout(location = 1) out uvec4 u; void main() { f = vec4(0.5); " +
              k.body + " }"}});
    glUseProgram(program);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glUseProgram(0);
    glDeleteProgram(program);
    for (GLenum each : {GL_SAMPLE_MASK, GL_SAMPLE_COVERAGE, GL_SAMPLE_ALPHA_TO_COVERAGE, GL_SAMPLE_ALPHA_TO_ONE,
                        GL_SAMPLE_SHADING, GL_DEPTH_TEST})
      glDisable(each);
    auto words = target.read();
    std::string detail = program ? "" : "no program";
    const uint32_t all = (1u << samples) - 1;
    int drawn_samples = 0;
    for (int n = 0; n < width * height * samples; n++) {
      const int s = n % samples;
      const uint32_t* w = &words[size_t(8 * n)];
      const bool drawn = w[5] == 7;
      drawn_samples += drawn;
      bool good = true;
      switch (k.rule) {
        case 'i': good = drawn && w[4] == all; break;
        case 'e': good = drawn && w[4] == 1u << s; break;
        case 'o': good = drawn == (0x5a5a >> s & 1); break;
        case 'm': good = drawn == (0x5a5a >> s & 1); break;
        case 'b': good = drawn == bool((0x3c3c & 0x6666) >> s & 1); break;
        case '0': good = !drawn; break;
        case '1': good = drawn; break;
        case 'a': good = drawn && as_float(w[3]) == 1; break;
        case 'd': good = drawn == !(s & 1); break;
        default: break;
      }
      if (!good && detail.size() < 100)
        detail += " (" + std::to_string(n / samples % width) + ", " + std::to_string(n / samples / width) + ") sample " +
                  std::to_string(s) + (drawn ? " drawn " : " not drawn ") + std::to_string(w[4]);
    }
    if (k.rule == 'h' && std::abs(drawn_samples - width * height * samples / 2) > width * height)
      detail = std::to_string(drawn_samples) + " samples";
    judge(std::to_string(samples) + " samples: " + k.name, detail);
  }
}

// Colours of samples, averaged; depths and stencils, copied; the order of what is blended.
void resolves(int samples, GLenum format, const char* format_name) {
  Target target(samples, format);
  const GLuint program = program_of(
      "layout(location = 0) out vec4 f; layout(location = 1) out uvec4 u; void main() { f = vec4(float(gl_SampleID) / 16.0, "
      "gl_FragCoord.x / 24.0, 0.25, 1.0); u = uvec4(0u); }");
  glUseProgram(program);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glUseProgram(0);
  glDeleteProgram(program);
  auto words = target.read();
  GLuint framebuffer = 0, texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  glReadBuffer(GL_COLOR_ATTACHMENT0);
  glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  std::vector<float> resolved(size_t(4 * width * height));
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, resolved.data());
  std::string detail;
  const bool whole = format == GL_RGBA32F || format == GL_RGBA16F;
  for (int p = 0; p < width * height; p++)
    for (int c = 0; c < (format == GL_RGB10_A2 ? 3 : 4); c++) {
      double sum = 0;
      for (int s = 0; s < samples; s++) sum += double(as_float(words[size_t(8 * (p * samples + s) + c)]));
      const double off = std::abs(sum / samples - double(resolved[size_t(4 * p + c)]));
      if (off > (whole ? 0.002 : format == GL_SRGB8_ALPHA8 ? 0.006 : 0.0045) && detail.size() < 100)
        detail += " (" + std::to_string(p % width) + ", " + std::to_string(p / width) + ")." + std::to_string(c) + " " +
                  std::to_string(resolved[size_t(4 * p + c)]) + " of " + std::to_string(sum / samples);
    }
  judge(std::to_string(samples) + " samples resolved, " + format_name, detail);
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteTextures(1, &texture);
}

}  // namespace

void samples() {
  GLint most = 0;
  glGetIntegerv(GL_MAX_SAMPLES, &most);
  for (int count : {2, 4, 8, 16}) {
    if (count > most) continue;
    positions(count);
    masks(count);
    resolves(count, GL_RGBA32F, "RGBA32F");
    resolves(count, GL_RGBA8, "RGBA8");
    resolves(count, GL_RGBA16F, "RGBA16F");
    resolves(count, GL_RGB10_A2, "RGB10_A2");
  }
}

}  // namespace gl_cases
