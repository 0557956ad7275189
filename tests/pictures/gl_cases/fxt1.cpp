// Random FXT1 blocks in textures of every shape that has them: uploaded whole, in parts, from buffers and copied; each texel of each level, filtered
// samples with borders, and what is read back. Judged by the model of tests/surface, and kept, since llvmpipe samples them by Mesa's
// decoder. A driver without the extension has no cases.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "../../surface/fxt1_model.h"
#include "cases.h"

namespace gl_cases {
namespace {

struct Shape {
  const char* name;
  GLenum target;
  int width, height, layers;
};
// Sizes that are multiples of the block and others; levels down to one texel.
constexpr Shape shapes[] = {{"8x4", GL_TEXTURE_2D, 8, 4, 1},
                            {"1x1", GL_TEXTURE_2D, 1, 1, 1},
                            {"5x3", GL_TEXTURE_2D, 5, 3, 1},
                            {"37x19", GL_TEXTURE_2D, 37, 19, 1},
                            {"64x32", GL_TEXTURE_2D, 64, 32, 1},
                            {"9x130", GL_TEXTURE_2D, 9, 130, 1},
                            {"203x77", GL_TEXTURE_2D, 203, 77, 1},
                            {"layers of 21x13", GL_TEXTURE_2D_ARRAY, 21, 13, 3},
                            {"layers of 70x34", GL_TEXTURE_2D_ARRAY, 70, 34, 5}};
enum class Upload { whole, storage, parts, buffer };
constexpr const char* upload_names[] = {"whole", "into storage", "in parts", "from a buffer"};

struct Level {
  int width, height, across, down;
  std::vector<uint8_t> blocks;  // of all layers
};

struct Texture {
  GLuint name = 0;
  GLenum target = 0;
  bool alpha = false;
  int layers = 1;
  std::vector<Level> levels;
  std::array<float, 4> texel(const Level& level, int layer, int x, int y) const {
    const uint8_t* block = &level.blocks[size_t((layer * level.down + y / 4) * level.across + x / 8) * 16];
    const fxt1_model::Texel model = fxt1_model::decode(block).at[y % 4][x % 8];
    return {float(model[0]) / 255, float(model[1]) / 255, float(model[2]) / 255, alpha ? float(model[3]) / 255 : 1.0f};
  }
};

GLenum format_of(bool alpha) { return alpha ? GL_COMPRESSED_RGBA_FXT1_3DFX : GL_COMPRESSED_RGB_FXT1_3DFX; }

std::vector<uint8_t> random_blocks(Random& random, size_t count) {
  std::vector<uint8_t> blocks(count * 16);
  for (uint8_t& byte : blocks) byte = uint8_t(random.below(256));
  return blocks;
}

void upload_level(const Texture& t, int n, Upload how) {
  const Level& level = t.levels[size_t(n)];
  const GLenum format = format_of(t.alpha);
  const bool layered = t.target == GL_TEXTURE_2D_ARRAY;
  const auto bytes = GLsizei(level.blocks.size());
  if (how == Upload::whole) {
    if (layered)
      glCompressedTexImage3D(t.target, n, format, level.width, level.height, t.layers, 0, bytes, level.blocks.data());
    else
      glCompressedTexImage2D(t.target, n, format, level.width, level.height, 0, bytes, level.blocks.data());
    return;
  }
  GLuint buffer = 0;
  const uint8_t* from = level.blocks.data();
  if (how == Upload::buffer) {
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    glBufferData(GL_PIXEL_UNPACK_BUFFER, bytes + 48, nullptr, GL_STATIC_DRAW);
    glBufferSubData(GL_PIXEL_UNPACK_BUFFER, 48, bytes, from);
    from = reinterpret_cast<const uint8_t*>(48);
  }
  // In parts: one block after the other; the last of a row and a column are cut by the level.
  const bool parts = how == Upload::parts;
  const int columns = parts ? 8 : level.width, rows = parts ? 4 : level.height;
  for (int layer = 0; layer < t.layers; layer++)
    for (int y = 0; y < level.height; y += rows)
      for (int x = 0; x < level.width; x += columns) {
        const int w = std::min(columns, level.width - x), h = std::min(rows, level.height - y);
        const uint8_t* block = from + size_t((layer * level.down + y / 4) * level.across + x / 8) * 16;
        const GLsizei size = parts ? 16 : level.across * level.down * 16;
        if (layered)
          glCompressedTexSubImage3D(t.target, n, x, y, layer, w, h, 1, format, size, block);
        else
          glCompressedTexSubImage2D(t.target, n, x, y, w, h, format, size, block);
      }
  if (buffer) glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0), glDeleteBuffers(1, &buffer);
}

Texture make_texture(const Shape& s, bool alpha, Upload how, Random& random) {
  Texture t;
  t.target = s.target, t.alpha = alpha, t.layers = s.layers;
  for (int w = s.width, h = s.height;; w = std::max(1, w / 2), h = std::max(1, h / 2)) {
    Level level{w, h, (w + 7) / 8, (h + 3) / 4, {}};
    level.blocks = random_blocks(random, size_t(level.across * level.down * s.layers));
    t.levels.push_back(std::move(level));
    if (w == 1 && h == 1) break;
  }
  const int count = int(t.levels.size());
  glGenTextures(1, &t.name);
  glBindTexture(t.target, t.name);
  glTexParameteri(t.target, GL_TEXTURE_MAX_LEVEL, count - 1);
  glTexParameteri(t.target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
  if (how != Upload::whole) {
    if (s.target == GL_TEXTURE_2D_ARRAY)
      glTexStorage3D(t.target, count, format_of(alpha), s.width, s.height, s.layers);
    else
      glTexStorage2D(t.target, count, format_of(alpha), s.width, s.height);
  }
  for (int n = 0; n < count; n++) upload_level(t, n, how);
  return t;
}

std::string sampler_of(GLenum target) { return target == GL_TEXTURE_2D_ARRAY ? "sampler2DArray" : "sampler2D"; }

std::vector<uint32_t> run(GLuint program, const std::vector<uint32_t>& places) {
  const size_t count = places.size() / 4;
  const GLuint in = make_buffer(GL_SHADER_STORAGE_BUFFER, 0, places),
               out = make_buffer(GL_SHADER_STORAGE_BUFFER, 1, std::vector<uint32_t>(places.size(), 0));
  glUseProgram(program);
  glDispatchCompute(GLuint((count + 63) / 64), 1, 1);
  std::vector<uint32_t> words = words_of(out, places.size());
  glDeleteBuffers(1, &in);
  glDeleteBuffers(1, &out);
  return words;
}

std::string text_of(const float* found, const std::array<float, 4>& wanted) {
  std::string text;
  for (size_t c = 0; c < 4; c++)
    text += (c ? ", " : " ") + std::to_string(found[c] * 255) + "/" + std::to_string(wanted[c] * 255);
  return text;
}

// Every texel of every level and layer, as it is.
void look_at_texels(const std::string& name, const Texture& t) {
  static GLuint programs[2];
  const bool layered = t.target == GL_TEXTURE_2D_ARRAY;
  if (!programs[layered])
    programs[layered] =
        compute_program("layout(local_size_x = 64) in; layout(binding = 0) uniform " + sampler_of(t.target) +
                        " t; layout(std430, binding = 0) readonly buffer I { ivec4 at[]; }; layout(std430, binding = 1) buffer R "
                        "{ vec4 results[]; }; "
                        "void main() { uint n = gl_GlobalInvocationID.x; if (n < at.length()) results[n] = texelFetch(t, " +
                        (layered ? "at[n].xyz" : "at[n].xy") + ", at[n].w); }");
  glBindTexture(t.target, t.name);
  std::vector<uint32_t> places;
  for (size_t n = 0; n < t.levels.size(); n++)
    for (int layer = 0; layer < t.layers; layer++)
      for (int y = 0; y < t.levels[n].height; y++)
        for (int x = 0; x < t.levels[n].width; x++)
          for (int word : {x, y, layer, int(n)}) places.push_back(uint32_t(word));
  const std::vector<uint32_t> words = run(programs[layered], places);
  std::string detail;
  int bad = 0;
  for (size_t n = 0; n < places.size(); n += 4) {
    const auto wanted = t.texel(t.levels[places[n + 3]], int(places[n + 2]), int(places[n]), int(places[n + 1]));
    float found[4];
    std::memcpy(found, &words[n], sizeof found);
    bool same = true;
    for (size_t c = 0; c < 4; c++) same &= std::abs(found[c] - wanted[c]) < 1e-6f;
    if (same) continue;
    if (bad++ < 3)
      detail += " [" + std::to_string(places[n]) + "," + std::to_string(places[n + 1]) + " of level " +
                std::to_string(places[n + 3]) + "]" + text_of(found, wanted);
  }
  judge(name + ": texels", bad ? std::to_string(bad) + " of " + std::to_string(places.size() / 4) + ":" + detail : "");
  keep(name + ": texels", {.floats = true, .absolute = 1e-6}, words);
}

// Bilinear samples of each level, a third of them across its edges.
void sample(const std::string& name, const Texture& t, Random& random) {
  static GLuint programs[2];
  const bool layered = t.target == GL_TEXTURE_2D_ARRAY;
  if (!programs[layered])
    programs[layered] =
        compute_program("layout(local_size_x = 64) in; layout(binding = 0) uniform " + sampler_of(t.target) +
                        " t; layout(std430, binding = 0) readonly buffer I { vec4 at[]; }; layout(std430, binding = "
                        "1) buffer R { vec4 results[]; }; void main() { uint n = gl_GlobalInvocationID.x; if (n < "
                        "at.length()) results[n] = textureLod(t, " +
                        (layered ? "at[n].xyz" : "at[n].xy") + ", at[n].w); }");
  constexpr float border[4] = {0.9f, 0.1f, 0.6f, 0.3f};
  glBindTexture(t.target, t.name);
  glTexParameterfv(t.target, GL_TEXTURE_BORDER_COLOR, border);
  glTexParameteri(t.target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
  glTexParameteri(t.target, GL_TEXTURE_WRAP_T, GL_REPEAT);
  glTexParameteri(t.target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(t.target, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
  std::vector<float> at;
  constexpr int count = 512;
  for (int n = 0; n < count; n++) {
    at.push_back(random.unit() * 3 - 1), at.push_back(random.unit() * 3 - 1);
    at.push_back(float(random.below(uint32_t(t.layers)))), at.push_back(float(random.below(uint32_t(t.levels.size()))));
  }
  std::vector<uint32_t> places(at.size());
  std::memcpy(places.data(), at.data(), at.size() * 4);
  const std::vector<uint32_t> words = run(programs[layered], places);
  std::string detail;
  int bad = 0;
  for (size_t n = 0; n < at.size(); n += 4) {
    const Level& level = t.levels[size_t(at[n + 3])];
    const double u = double(at[n]) * level.width - 0.5, v = double(at[n + 1]) * level.height - 0.5;
    std::array<float, 4> wanted{};
    for (int corner = 0; corner < 4; corner++) {
      const int x = int(std::floor(u)) + (corner & 1), y = int(std::floor(v)) + corner / 2;
      const double weight =
          (corner & 1 ? u - std::floor(u) : 1 - u + std::floor(u)) * (corner / 2 ? v - std::floor(v) : 1 - v + std::floor(v));
      std::array<float, 4> texel = {border[0], border[1], border[2], t.alpha ? border[3] : 1.0f};
      if (x >= 0 && x < level.width) texel = t.texel(level, int(at[n + 2]), x, (y % level.height + level.height) % level.height);
      for (size_t c = 0; c < 4; c++) wanted[c] += float(weight * double(texel[c]));
    }
    float found[4];
    std::memcpy(found, &words[n], sizeof found);
    bool same = true;
    for (size_t c = 0; c < 4; c++) same &= std::abs(found[c] - wanted[c]) <= 3.2f / 256;
    if (!same && bad++ < 3) detail += " [" + std::to_string(n / 4) + "]" + text_of(found, wanted);
  }
  judge(name + ": bilinear", bad ? std::to_string(bad) + ":" + detail : "");
  keep(name + ": bilinear", {.floats = true, .absolute = 3.2 / 256}, words);
}

// The blocks as they came, and all layers' texels as bytes. (The alpha of RGB textures is left out: iris reads them back by a draw whose
// view has the block's alpha, since isl's FXT1 names no channel for it: Mesa 22.3.6 iris_formats.c, iris_format_for_usage.)
void read_back(const std::string& name, const Texture& t) {
  glBindTexture(t.target, t.name);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  std::string detail;
  for (size_t n = 0; n < t.levels.size(); n++) {
    const Level& level = t.levels[n];
    std::vector<uint8_t> blocks(level.blocks.size());
    glGetCompressedTexImage(t.target, GLint(n), blocks.data());
    if (blocks != level.blocks) detail += " blocks of level " + std::to_string(n);
    std::vector<uint8_t> bytes(size_t(level.width * level.height * t.layers * 4));
    glGetTexImage(t.target, GLint(n), GL_RGBA, GL_UNSIGNED_BYTE, bytes.data());
    int bad = 0;
    for (int layer = 0; layer < t.layers; layer++)
      for (int y = 0; y < level.height; y++)
        for (int x = 0; x < level.width; x++) {
          const auto wanted = t.texel(level, layer, x, y);
          const uint8_t* found = &bytes[size_t(((layer * level.height + y) * level.width + x) * 4)];
          for (size_t c = 0; c < (t.alpha ? 4 : 3); c++) bad += std::abs(float(found[c]) - wanted[c] * 255) > 0.01f;
        }
    if (bad) detail += " " + std::to_string(bad) + " bytes of level " + std::to_string(n);
  }
  judge(name + ": read back", detail);
}

// Blocks copied on the GPU, into another place of another texture.
void copy(bool alpha, Random& random) {
  const std::string name = std::string(alpha ? "RGBA" : "RGB") + " copied";
  const Texture from = make_texture({"", GL_TEXTURE_2D, 64, 32, 1}, alpha, Upload::whole, random);
  Texture to = make_texture({"", GL_TEXTURE_2D_ARRAY, 96, 40, 2}, alpha, Upload::storage, random);
  struct Part {
    int from_level, from_x, from_y, to_level, to_x, to_y, layer, width, height;
  };
  constexpr Part parts[] = {{0, 8, 4, 0, 24, 16, 1, 40, 20}, {1, 0, 0, 1, 16, 8, 0, 32, 12}, {0, 56, 28, 2, 16, 4, 1, 8, 4}};
  for (const Part& p : parts) {
    glCopyImageSubData(from.name, GL_TEXTURE_2D, p.from_level, p.from_x, p.from_y, 0, to.name, GL_TEXTURE_2D_ARRAY, p.to_level,
                       p.to_x, p.to_y, p.layer, p.width, p.height, 1);
    const Level& source = from.levels[size_t(p.from_level)];
    Level& target = to.levels[size_t(p.to_level)];
    for (int y = 0; y < (p.height + 3) / 4; y++)
      for (int x = 0; x < (p.width + 7) / 8; x++)
        std::copy_n(&source.blocks[size_t((p.from_y / 4 + y) * source.across + p.from_x / 8 + x) * 16], 16,
                    &target.blocks[size_t((p.layer * target.down + p.to_y / 4 + y) * target.across + p.to_x / 8 + x) * 16]);
  }
  look_at_texels(name, to);
  read_back(name, to);
  glDeleteTextures(1, &from.name);
  glDeleteTextures(1, &to.name);
}

// Pixels that the driver makes blocks of, and levels of them: Mesa's encoder, the same for all drivers.
void compress(bool alpha, Random& random) {
  const std::string name = std::string(alpha ? "RGBA" : "RGB") + " compressed by the driver";
  constexpr int width = 45, height = 22;
  std::vector<uint8_t> pixels(width * height * 4);
  for (size_t n = 0; n < pixels.size(); n++)
    pixels[n] = uint8_t(n / 4 % width * 5 + (n % 4) * (n / 4 / width) * 3 + random.below(40));
  Texture t;
  t.target = GL_TEXTURE_2D, t.alpha = alpha;
  glGenTextures(1, &t.name);
  glBindTexture(t.target, t.name);
  glTexParameteri(t.target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
  glTexImage2D(t.target, 0, GLint(format_of(alpha)), width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  glTexSubImage2D(t.target, 0, 16, 8, 24, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  // The model has what the driver says that its blocks are.
  Level level{width, height, (width + 7) / 8, (height + 3) / 4, std::vector<uint8_t>(6 * 6 * 16)};
  GLint is_compressed = 0;
  glGetTexLevelParameteriv(t.target, 0, GL_TEXTURE_COMPRESSED, &is_compressed);
  glGetCompressedTexImage(t.target, 0, level.blocks.data());
  t.levels.push_back(std::move(level));
  judge(name, is_compressed ? "" : "it is not compressed");
  glTexParameteri(t.target, GL_TEXTURE_MAX_LEVEL, 0);
  look_at_texels(name, t);
  glDeleteTextures(1, &t.name);
}

bool advertised() {
  GLint count = 0;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint n = 0; n < count; n++)
    if (!std::strcmp(reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, GLuint(n))), "GL_3DFX_texture_compression_FXT1"))
      return true;
  return false;
}

}  // namespace

void fxt1() {
  if (!advertised()) return;
  Random random{1999};
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  for (const Shape& s : shapes)
    for (bool alpha : {false, true})
      for (Upload how : {Upload::whole, Upload::storage, Upload::parts, Upload::buffer}) {
        const std::string name = std::string(alpha ? "RGBA " : "RGB ") + s.name + " " + upload_names[size_t(how)];
        const Texture t = make_texture(s, alpha, how, random);
        look_at_texels(name, t);
        if (how == Upload::whole) sample(name, t, random), read_back(name, t);
        glDeleteTextures(1, &t.name);
      }
  for (bool alpha : {false, true}) copy(alpha, random), compress(alpha, random);
}

}  // namespace gl_cases
