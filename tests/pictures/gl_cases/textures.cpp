// Textures: every way to wrap with every filter, of sizes that are no powers of two, in one to three dimensions, of layers and cubes; judged
// by a model in doubles. Edges between texels are kept away from.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "../sheet.h"
#include "cases.h"

namespace gl_cases {
namespace {

constexpr unsigned lanes = 256;
constexpr float border[4] = {0.9f, 0.1f, 0.6f, 0.3f};
struct Wrap {
  const char* name;
  GLint mode;
};
constexpr Wrap wraps[] = {{"repeat", GL_REPEAT},
                          {"mirrored", GL_MIRRORED_REPEAT},
                          {"edge", GL_CLAMP_TO_EDGE},
                          {"border", GL_CLAMP_TO_BORDER},
                          {"mirrored once", GL_MIRROR_CLAMP_TO_EDGE}};

struct Format {
  const char* name;
  GLenum format;
  double step;
};
constexpr Format formats[] = {{"RGBA8", GL_RGBA8, 1 / 255.0},         {"RGBA32F", GL_RGBA32F, 0},
                              {"RGB5_A1", GL_RGB5_A1, 1 / 31.0},      {"RGBA16F", GL_RGBA16F, 0.0005},
                              {"RG8_SNORM", GL_RG8_SNORM, 1 / 127.0}, {"R16", GL_R16, 1 / 65535.0}};

float as_float(uint32_t word) {
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}

// The texel that a coordinate stands for: its number, or -1 for the border (OpenGL 4.5, table 8.20).
int wrapped(int i, int size, GLint mode) {
  auto mod = [](int a, int b) { return (a % b + b) % b; };
  auto mirror = [](int a) { return a >= 0 ? a : -(1 + a); };
  switch (mode) {
    case GL_REPEAT: return mod(i, size);
    case GL_MIRRORED_REPEAT: return size - 1 - mirror(mod(i, 2 * size) - size);
    case GL_CLAMP_TO_EDGE: return std::clamp(i, 0, size - 1);
    case GL_MIRROR_CLAMP_TO_EDGE: return std::clamp(mirror(i), 0, size - 1);
    default: return i < 0 || i >= size ? -1 : i;
  }
}

struct Volume {
  int size[3];
  std::vector<float> texels;  // four each
  const float* at(int x, int y, int z) const {
    return x < 0 || y < 0 || z < 0 ? border : &texels[size_t(4 * (x + size[0] * (y + size[1] * z)))];
  }
};
// Coordinates in texels of a level, by dimension; layers are whole.
void sample(const Volume& v, const double* at, const GLint* modes, int dimensions, bool linear, double* result) {
  int first[3] = {}, count[3] = {1, 1, 1};
  double part[3] = {};
  for (int d = 0; d < dimensions; d++) {
    const double u = linear ? at[d] - 0.5 : at[d];
    first[d] = int(std::floor(u));
    if (linear) count[d] = 2, part[d] = u - std::floor(u);
  }
  if (dimensions == 2 && v.size[2] > 1) first[2] = int(at[2]);
  for (int c = 0; c < 4; c++) result[c] = 0;
  for (int z = 0; z < count[2]; z++)
    for (int y = 0; y < count[1]; y++)
      for (int x = 0; x < count[0]; x++) {
        const int offsets[3] = {x, y, z};
        double weight = 1;
        int texel[3];
        for (int d = 0; d < 3; d++) {
          if (d < dimensions && linear) weight *= offsets[d] ? part[d] : 1 - part[d];
          texel[d] = d < dimensions ? wrapped(first[d] + offsets[d], v.size[d], modes[d]) : first[d];
        }
        const float* t = v.at(texel[0], texel[1], texel[2]);
        for (int c = 0; c < 4; c++) result[c] += weight * double(t[c]);
      }
}

struct Shape {
  const char* name;
  GLenum target;
  int dimensions, size[3], levels;
};
constexpr Shape shapes[] = {
    {"1D of 13", GL_TEXTURE_1D, 1, {13, 1, 1}, 4},     {"2D of 13x7", GL_TEXTURE_2D, 2, {13, 7, 1}, 4},
    {"2D of 16x16", GL_TEXTURE_2D, 2, {16, 16, 1}, 5}, {"2D of 5x1", GL_TEXTURE_2D, 2, {5, 1, 1}, 3},
    {"3D of 5x6x7", GL_TEXTURE_3D, 3, {5, 6, 7}, 3},   {"layers of 9x9", GL_TEXTURE_2D_ARRAY, 2, {9, 9, 5}, 4},
    {"3D of 16x4x2", GL_TEXTURE_3D, 3, {16, 4, 2}, 5}};

std::string sampler_of(GLenum target) {
  return target == GL_TEXTURE_1D         ? "sampler1D"
         : target == GL_TEXTURE_3D       ? "sampler3D"
         : target == GL_TEXTURE_2D_ARRAY ? "sampler2DArray"
                                         : "sampler2D";
}

void shape(const Shape& s, const Format& f) {
  Random random{uint64_t(s.size[0] * 1000 + s.size[1])};
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(s.target, texture);
  std::vector<Volume> levels;
  if (s.dimensions == 1)
    glTexStorage1D(s.target, s.levels, f.format, s.size[0]);
  else if (s.target == GL_TEXTURE_2D)
    glTexStorage2D(s.target, s.levels, f.format, s.size[0], s.size[1]);
  else
    glTexStorage3D(s.target, s.levels, f.format, s.size[0], s.size[1], s.size[2]);
  const bool layers = s.target == GL_TEXTURE_2D_ARRAY;
  for (int l = 0; l < s.levels; l++) {
    Volume v{{std::max(s.size[0] >> l, 1), std::max(s.size[1] >> l, 1), layers ? s.size[2] : std::max(s.size[2] >> l, 1)}, {}};
    for (int n = 0; n < 4 * v.size[0] * v.size[1] * v.size[2]; n++) v.texels.push_back(float(random.below(256)) / 255);
    if (s.dimensions == 1)
      glTexSubImage1D(s.target, l, 0, v.size[0], GL_RGBA, GL_FLOAT, v.texels.data());
    else if (s.target == GL_TEXTURE_2D)
      glTexSubImage2D(s.target, l, 0, 0, v.size[0], v.size[1], GL_RGBA, GL_FLOAT, v.texels.data());
    else
      glTexSubImage3D(s.target, l, 0, 0, 0, v.size[0], v.size[1], v.size[2], GL_RGBA, GL_FLOAT, v.texels.data());
    levels.push_back(v);
  }
  const bool red = f.format == GL_R16, two = f.format == GL_RG8_SNORM;
  const std::string coordinate = s.dimensions == 1 ? "c.x" : s.target == GL_TEXTURE_2D ? "c.xy" : "c.xyz";
  const GLuint program = compute_program("layout(local_size_x = 64) in; layout(binding = 0) uniform " + sampler_of(s.target) +
                                         " t; layout(std430, binding = 0) readonly buffer I { vec4 at[]; }; layout(std430, "
                                         "binding = 1) buffer R { vec4 results[]; }; void main() { uint n = "
                                         "gl_GlobalInvocationID.x; vec4 c = at[n]; results[n] = textureLod(t, " +
                                         coordinate + ", c.w); }");
  if (!program) judge(s.name, "no program");
  glTexParameterfv(s.target, GL_TEXTURE_BORDER_COLOR, border);
  for (size_t w = 0; w < std::size(wraps); w++)
    for (int filter = 0; filter < 4; filter++) {  // nearest, linear, and both between levels
      const GLint modes[3] = {wraps[w].mode, wraps[(w + 1) % 5].mode, wraps[(w + 3) % 5].mode};
      const bool linear = filter & 1, between = filter & 2;
      glTexParameteri(s.target, GL_TEXTURE_WRAP_S, modes[0]);
      glTexParameteri(s.target, GL_TEXTURE_WRAP_T, modes[1]);
      glTexParameteri(s.target, GL_TEXTURE_WRAP_R, modes[2]);
      glTexParameteri(s.target, GL_TEXTURE_MAG_FILTER, linear ? GL_LINEAR : GL_NEAREST);
      glTexParameteri(s.target, GL_TEXTURE_MIN_FILTER,
                      between  ? (linear ? GL_LINEAR_MIPMAP_LINEAR : GL_NEAREST_MIPMAP_LINEAR)
                      : linear ? GL_LINEAR_MIPMAP_NEAREST
                               : GL_NEAREST_MIPMAP_NEAREST);
      std::vector<uint32_t> places;
      for (unsigned n = 0; n < lanes; n++) {
        float at[4];
        for (int d = 0; d < 3; d++) {
          // Eighths of a texel of the finest level, off its edges and, where levels are not powers of two, off theirs.
          const int parts = 16 * s.size[d];
          at[d] = (float(int(random.below(unsigned(3 * parts))) - parts) + 0.37f) / float(parts);
        }
        if (layers) at[2] = float(random.below(unsigned(s.size[2])));
        at[3] = between ? float(random.below(unsigned(8 * s.levels))) / 8 : float(random.below(unsigned(s.levels)));
        for (float value : at) {
          uint32_t word;
          std::memcpy(&word, &value, 4);
          places.push_back(word);
        }
      }
      const GLuint in = make_buffer(GL_SHADER_STORAGE_BUFFER, 0, places),
                   out = make_buffer(GL_SHADER_STORAGE_BUFFER, 1, std::vector<uint32_t>(4 * lanes, 0));
      glUseProgram(program);
      glDispatchCompute(lanes / 64, 1, 1);
      const auto results = words_of(out, 4 * lanes);
      std::string detail;
      int bad = 0;
      for (unsigned n = 0; n < lanes; n++) {
        const double lod = std::clamp(double(as_float(places[4 * n + 3])), 0.0, double(s.levels - 1));
        const int first = between ? int(lod) : int(std::ceil(lod + 0.5) - 1), second = std::min(first + 1, s.levels - 1);
        double wanted[4] = {}, other[4] = {};
        bool near_edge = false;
        double at[3];
        for (int pass = 0; pass < 2; pass++) {
          const Volume& v = levels[size_t(pass ? second : first)];
          for (int d = 0; d < 3; d++) {
            at[d] = double(as_float(places[4 * n + unsigned(d)])) * (layers && d == 2 ? 1 : v.size[d]);
            if (!linear && d < s.dimensions && std::abs(at[d] - std::round(at[d])) < 0.01) near_edge = true;
          }
          sample(v, at, modes, s.dimensions, linear, pass ? other : wanted);
        }
        if (near_edge) continue;
        const double part = between ? lod - first : 0;
        for (unsigned c = 0; c < (f.format == GL_RGB5_A1 ? 3u : 4u); c++) {
          double value = wanted[c] * (1 - part) + other[c] * part;
          if (c == 3 && (red || two)) value = 1;
          if ((red && (c == 1 || c == 2)) || (two && c == 2)) value = 0;
          const double found = double(as_float(results[4 * n + c]));
          if (std::abs(found - value) <= f.step * 0.51 + (linear ? 1.6 * s.dimensions / 256 : 0.0005) + (between ? 1.0 / 256 : 0))
            continue;
          char text[160];
          std::snprintf(text, sizeof text, " [%u].%u %g, %g, %g of level %g: %g where %g is asked", n, c, at[0], at[1], at[2],
                        lod, found, value);
          if (bad++ < 2) detail += text;
        }
      }
      if (bad) detail = std::to_string(bad) + ":" + detail;
      judge(std::string(s.name) + " " + f.name + " " + wraps[w].name + (linear ? " linear" : " nearest") +
                (between ? " between levels" : ""),
            detail);
      glDeleteBuffers(1, &in);
      glDeleteBuffers(1, &out);
    }
  glUseProgram(0);
  glDeleteProgram(program);
  glDeleteTextures(1, &texture);
}

// Gathers and comparisons of one level, by the same places.
void gathers(const Wrap& wrap) {
  constexpr int w = 13, h = 7;
  Random random{99};
  GLuint textures[2];
  glGenTextures(2, textures);
  Volume v{{w, h, 1}, {}};
  std::vector<float> depths;
  for (int n = 0; n < w * h; n++) {
    for (int c = 0; c < 4; c++) v.texels.push_back(float(random.below(256)) / 255);
    depths.push_back(v.texels[size_t(4 * n)]);
  }
  for (int n = 0; n < 2; n++) {
    glActiveTexture(GLenum(GL_TEXTURE0 + n));
    glBindTexture(GL_TEXTURE_2D, textures[n]);
    glTexStorage2D(GL_TEXTURE_2D, 1, n ? GL_DEPTH_COMPONENT32F : GL_RGBA32F, w, h);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, w, h, n ? GL_DEPTH_COMPONENT : GL_RGBA, GL_FLOAT,
                    n ? depths.data() : v.texels.data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap.mode);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap.mode);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, border);
  }
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
  glActiveTexture(GL_TEXTURE0);
  struct Kind {
    const char* name;
    const char* text;
    int dx[4], dy[4], channel;
  };
  const Kind kinds[] = {
      {"textureGather", "textureGather(t, c)", {0, 1, 1, 0}, {1, 1, 0, 0}, 0},
      {"textureGather of alpha", "textureGather(t, c, 3)", {0, 1, 1, 0}, {1, 1, 0, 0}, 3},
      {"textureGatherOffset", "textureGatherOffset(t, c, ivec2(-5, 6), 1)", {-5, -4, -4, -5}, {7, 7, 6, 6}, 1},
      {"textureGatherOffset computed", "textureGatherOffset(t, c, ivec2(o, -o), 2)", {2, 3, 3, 2}, {-1, -1, -2, -2}, 2},
      {"textureGatherOffsets",
       "textureGatherOffsets(t, c, ivec2[](ivec2(3, 1), ivec2(-8, 7), ivec2(0, 0), ivec2(1, -2)), 0)",
       {3, -8, 0, 1},
       {1, 7, 0, -2},
       0},
      {"textureGather of comparisons", "textureGather(s, c, 0.5)", {0, 1, 1, 0}, {1, 1, 0, 0}, -1},
      {"textureGatherOffset of comparisons", "textureGatherOffset(s, c, 0.5, ivec2(2, -3))", {2, 3, 3, 2}, {-2, -2, -3, -3}, -1}};
  for (auto& k : kinds)
    for (GLenum function : {GL_LEQUAL, GL_GREATER, GL_NOTEQUAL}) {
      if (k.channel >= 0 && function != GL_LEQUAL) continue;
      glActiveTexture(GL_TEXTURE1);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GLint(function));
      glActiveTexture(GL_TEXTURE0);
      std::vector<uint32_t> places;
      for (unsigned n = 0; n < 2 * lanes; n++) {
        const int size = n & 1 ? h : w;
        const float value = (float(int(random.below(unsigned(24 * size))) - 8 * size) / 8 + 0.07f) / float(size);
        uint32_t word;
        std::memcpy(&word, &value, 4);
        places.push_back(word);
      }
      const GLuint in = make_buffer(GL_SHADER_STORAGE_BUFFER, 0, places),
                   out = make_buffer(GL_SHADER_STORAGE_BUFFER, 1, std::vector<uint32_t>(4 * lanes, 0));
      const GLuint program = compute_program(
          std::string("layout(local_size_x = 64) in; layout(binding = 0) uniform sampler2D t; layout(binding = 1) uniform "
                      "sampler2DShadow s; layout(std430, binding = 0) readonly buffer I { "
                      "vec2 at[]; }; layout(std430, binding = 1) buffer R { vec4 results[]; }; void main() { uint n = "
                      "gl_GlobalInvocationID.x; vec2 c = at[n]; int o = 1 + int(gl_NumWorkGroups.y); results[n] = ") +
          k.text + "; }");
      glUseProgram(program);
      glDispatchCompute(lanes / 64, 1, 1);
      const auto results = words_of(out, 4 * lanes);
      std::string detail = program ? "" : "no program";
      for (unsigned n = 0; n < lanes; n++)
        for (unsigned c = 0; c < 4; c++) {
          const int x = int(std::floor(double(as_float(places[2 * n])) * w - 0.5)) + k.dx[c],
                    y = int(std::floor(double(as_float(places[2 * n + 1])) * h - 0.5)) + k.dy[c];
          const int i = wrapped(x, w, wrap.mode), j = wrapped(y, h, wrap.mode);
          double wanted = double(v.at(i, j, 0)[std::max(k.channel, 0)]);
          if (k.channel < 0) wanted = function == GL_LEQUAL ? 0.5 <= wanted : function == GL_GREATER ? 0.5 > wanted : true;
          const double found = double(as_float(results[4 * n + c]));
          if (std::abs(wanted - found) > 1e-5 && detail.size() < 200)
            detail += " [" + std::to_string(n) + "]." + std::to_string(c) + " texel " + std::to_string(x) + ", " +
                      std::to_string(y) + ": " + std::to_string(found) + " where " + std::to_string(wanted) + " is asked";
        }
      judge(std::string(k.name) + " " + std::to_string(function) + ", " + wrap.name, detail);
      glUseProgram(0);
      glDeleteProgram(program);
      glDeleteBuffers(1, &in);
      glDeleteBuffers(1, &out);
    }
  glDeleteTextures(2, textures);
}

// Cubes without seams: a level of 8x8 on each face whose texels are their direction; what is between faces is between their values.
void cubes() {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_CUBE_MAP_ARRAY, texture);
  glTexStorage3D(GL_TEXTURE_CUBE_MAP_ARRAY, 1, GL_RGBA32F, 8, 8, 12);
  std::vector<float> texels;
  for (int layer = 0; layer < 12; layer++)
    for (int y = 0; y < 8; y++)
      for (int x = 0; x < 8; x++) {
        const double s = (x + 0.5) / 4 - 1, t = (y + 0.5) / 4 - 1;
        const double d[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
        const double* v = d[layer % 6];
        const double length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (int c = 0; c < 3; c++) texels.push_back(float(v[c] / length));
        texels.push_back(float(layer / 6));
      }
  glTexSubImage3D(GL_TEXTURE_CUBE_MAP_ARRAY, 0, 0, 0, 0, 8, 8, 12, GL_RGBA, GL_FLOAT, texels.data());
  glTexParameteri(GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
  Random random{5};
  std::vector<uint32_t> places;
  for (unsigned n = 0; n < lanes; n++)
    for (int c = 0; c < 4; c++) {
      float value = c == 3 ? float(n & 1) : 2 * random.unit() - 1;
      if (n % 4 == 1 && c == 1) value = as_float(places[4 * n]) * (n & 8 ? 0.999f : -1.001f);  // along an edge
      uint32_t word;
      std::memcpy(&word, &value, 4);
      places.push_back(word);
    }
  const GLuint in = make_buffer(GL_SHADER_STORAGE_BUFFER, 0, places),
               out = make_buffer(GL_SHADER_STORAGE_BUFFER, 1, std::vector<uint32_t>(4 * lanes, 0));
  const GLuint program = compute_program(
      "layout(local_size_x = 64) in; layout(binding = 0) uniform samplerCubeArray t; layout(std430, binding = 0) readonly buffer "
      "I { vec4 at[]; }; layout(std430, binding = 1) buffer R { "
      "vec4 results[]; }; void main() { uint n = gl_GlobalInvocationID.x; results[n] = textureLod(t, at[n], 0.0); }");
  glUseProgram(program);
  glDispatchCompute(lanes / 64, 1, 1);
  const auto results = words_of(out, 4 * lanes);
  std::string detail;
  for (unsigned n = 0; n < lanes; n++) {
    double length = 0;
    for (unsigned c = 0; c < 3; c++) length += double(as_float(places[4 * n + c])) * double(as_float(places[4 * n + c]));
    for (unsigned c = 0; c < 4; c++) {
      const double wanted = c == 3 ? double(n & 1) : double(as_float(places[4 * n + c])) / std::sqrt(length),
                   found = double(as_float(results[4 * n + c]));
      if (std::abs(wanted - found) > 0.03 && detail.size() < 200)
        detail += " [" + std::to_string(n) + "]." + std::to_string(c) + " " + std::to_string(found) + " where " +
                  std::to_string(wanted) + " is asked";
    }
  }
  judge("layers of cubes without seams", detail);
  glUseProgram(0);
  glDeleteProgram(program);
  glDeleteTextures(1, &texture);
  glDeleteBuffers(1, &in);
  glDeleteBuffers(1, &out);
}

}  // namespace

void textures() {
  for (auto& s : shapes)
    for (auto& f : formats)
      if (&f < &formats[2] || &s == &shapes[1]) shape(s, f);
  for (auto& wrap : wraps) gathers(wrap);
  cubes();
}

}  // namespace gl_cases
