// Random ASTC blocks in textures of layers and levels, each texel as the driver's GPU has it beside what surface/astc.h makes of its block.
// On llvmpipe Mesa decodes them, into bytes: the two decoders then say each other's faults (linear ones by a step of 255, since Mesa keeps
// no halves there). astc_blocks [SEED]
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "../../examples/gears/context.h"
#include "base/half.h"
#include "surface/astc.h"

namespace {

using Atoll::surface::AstcSize;

constexpr int columns = 13, rows = 11, layers = 2, levels = 3;
constexpr AstcSize sizes[] = {{4, 4}, {5, 4},  {5, 5},  {6, 5},  {6, 6},   {8, 5},   {8, 6},
                              {8, 8}, {10, 5}, {10, 6}, {10, 8}, {10, 10}, {12, 10}, {12, 12}};

std::mt19937 random_numbers;
uint32_t upto(uint32_t count) { return uint32_t(random_numbers() % count); }

void put(uint8_t* block, unsigned first, unsigned count, uint32_t value) {
  for (unsigned n = 0; n < count; n++) {
    uint8_t& byte = block[(first + n) / 8];
    byte = uint8_t((byte & ~(1u << (first + n) % 8)) | (value >> n & 1) << (first + n) % 8);
  }
}

// Any bits, of which most are made encodings of the LDR profile: others are all the same colour.
void make_block(uint8_t* block) {
  constexpr uint8_t low_range[] = {0, 1, 4, 5, 6, 8, 9, 10, 12, 13};  // endpoint modes that are not of HDR
  for (unsigned n = 0; n < 16; n++) block[n] = uint8_t(random_numbers());
  switch (upto(8)) {
    case 0:
      // (Mesa does not look at the reserved bits of one colour, which ARM's decoder refuses where they are not ones.)
      if (block[0] == 0xfc && block[1] & 1) block[1] |= 0x0c;
      return;
    case 1:  // one colour, anywhere or in places that are or are not in order
      put(block, 0, 12, 0xdfc);
      if (upto(2)) put(block, 12, 32, ~0u), put(block, 44, 20, ~0u);
      return;
    default:
      put(block, 11, 2, upto(3) ? 0 : upto(4));
      // A grid of 4x4 or 5x4 weights, or any.
      if (upto(4)) put(block, 0, 4, 1 + upto(2)), put(block, 5, 4, 2 | upto(2) << 2 * upto(2)), put(block, 10, 1, !upto(4));
      if (!(block[1] >> 3 & 3))
        put(block, 13, 4, low_range[upto(std::size(low_range))]);
      else if (upto(2))
        put(block, 23, 2, 0), put(block, 25, 4, low_range[upto(std::size(low_range))]);
  }
}

GLuint program(bool srgb) {
  const std::string fragment =
      std::string("#version 330\nuniform sampler2DArray t; uniform int layer, level; out uvec4 bits;\nvoid main() {\n") +
      "  vec4 c = texelFetch(t, ivec3(gl_FragCoord.xy, layer), level);\n" +
      (srgb ? "  vec3 low = c.rgb * 12.92, high = 1.055 * pow(c.rgb, vec3(1 / 2.4)) - 0.055;\n"
              "  c.rgb = mix(high, low, lessThanEqual(c.rgb, vec3(0.0031308)));\n"
              "  bits = uvec4(round(c * 255));\n}"
            : "  bits = floatBitsToUint(c);\n}");
  const std::string vertex =
      "#version 330\nvoid main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1, 0, 1); }";
  const GLuint made = glCreateProgram();
  for (const auto& [kind, text] : {std::pair{GL_VERTEX_SHADER, &vertex}, std::pair{GL_FRAGMENT_SHADER, &fragment}}) {
    const GLuint shader = glCreateShader(GLenum(kind));
    const char* source = text->c_str();
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    glAttachShader(made, shader);
  }
  glLinkProgram(made);
  return made;
}

struct Counts {
  unsigned blocks = 0, texels = 0, wrong = 0, magenta = 0;
};

// Texels of one level and layer.
void compare(const std::vector<uint32_t>& seen, const std::vector<uint8_t>& blocks, AstcSize size, int width, int height,
             bool srgb, bool bytes, Counts& counts) {
  const int across = (width + int(size.width) - 1) / int(size.width);
  uint16_t texels[144][4];
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++, counts.texels++) {
      const uint8_t* block = &blocks[size_t(y / int(size.height) * across + x / int(size.width)) * 16];
      Atoll::surface::decode_astc_block(block, size, srgb, texels);
      const uint16_t* expected = texels[unsigned(y) % size.height * size.width + unsigned(x) % size.width];
      const uint32_t* got = &seen[size_t(y * width + x) * 4];
      bool same = true;
      for (int c = 0; c < 4; c++) {
        if (srgb) {
          same &= got[c] == expected[c];
        } else if (bytes) {
          const float value = Atoll::float_from_half(expected[c]);
          same &= std::abs(std::bit_cast<float>(got[c]) * 255 - std::min(std::floor(value * 256), 255.0f)) <= 1.01f;
        } else {
          same &= got[c] == std::bit_cast<uint32_t>(Atoll::float_from_half(expected[c]));
        }
      }
      const uint16_t top = srgb ? 0xff : 0x3c00;
      counts.magenta += expected[0] == top && expected[1] == 0 && expected[2] == top;
      if (same) continue;
      if (counts.wrong++ < 3) {
        std::printf("  %ux%u%s, texel %d %d:", size.width, size.height, srgb ? " srgb" : "", x, y);
        for (int c = 0; c < 4; c++) std::printf(" %x/%x", got[c], expected[c]);
        std::printf(" of");
        for (int n = 15; n >= 0; n--) std::printf(" %02x", block[n]);
        std::printf("\n");
      }
    }
}

void try_format(AstcSize size, unsigned number, bool srgb, bool bytes, Counts& counts) {
  const auto format = GLenum((srgb ? GL_COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR : GL_COMPRESSED_RGBA_ASTC_4x4_KHR) + int(number));
  const int width = columns * int(size.width) - 2, height = rows * int(size.height) - 1;
  GLuint texture = 0, frame = 0, target = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
  glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAX_LEVEL, levels - 1);
  glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
  std::vector<std::vector<uint8_t>> blocks;
  auto texels = [](int all, int level) { return std::max(1, all >> level); };
  for (int level = 0; level < levels; level++) {
    const int across = (texels(width, level) + int(size.width) - 1) / int(size.width),
              down = (texels(height, level) + int(size.height) - 1) / int(size.height);
    std::vector<uint8_t> all;
    for (int layer = 0; layer < layers; layer++) {
      auto& own = blocks.emplace_back(size_t(across * down) * 16);
      for (int n = 0; n < across * down; n++) make_block(&own[size_t(n) * 16]);
      counts.blocks += unsigned(across * down);
      all.insert(all.end(), own.begin(), own.end());
    }
    glCompressedTexImage3D(GL_TEXTURE_2D_ARRAY, level, format, texels(width, level), texels(height, level), layers, 0,
                           int(all.size()), all.data());
  }
  glGenFramebuffers(1, &frame);
  glBindFramebuffer(GL_FRAMEBUFFER, frame);
  glGenRenderbuffers(1, &target);
  glBindRenderbuffer(GL_RENDERBUFFER, target);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA32UI, width, height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target);
  const GLuint shaders = program(srgb);
  glUseProgram(shaders);
  for (int level = 0; level < levels; level++)
    for (int layer = 0; layer < layers; layer++) {
      const int w = texels(width, level), h = texels(height, level);
      glViewport(0, 0, w, h);
      glUniform1i(glGetUniformLocation(shaders, "layer"), layer);
      glUniform1i(glGetUniformLocation(shaders, "level"), level);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      std::vector<uint32_t> seen(size_t(w) * size_t(h) * 4);
      glReadPixels(0, 0, w, h, GL_RGBA_INTEGER, GL_UNSIGNED_INT, seen.data());
      compare(seen, blocks[size_t(level * layers + layer)], size, w, h, srgb, bytes, counts);
    }
  glDeleteProgram(shaders);
  glDeleteFramebuffers(1, &frame);
  glDeleteRenderbuffers(1, &target);
  glDeleteTextures(1, &texture);
}

}  // namespace

int main(int argc, char** argv) {
  random_numbers.seed(argc > 1 ? uint32_t(std::atoi(argv[1])) : 1);
  if (const std::string problem = gears::make_context(gears::Platform::surfaceless, ""); !problem.empty()) {
    std::fprintf(stderr, "astc_blocks: %s\n", problem.c_str());
    return 2;
  }
  const std::string renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  std::printf("GL_RENDERER: %s\n", renderer.c_str());
  GLuint vertices = 0;
  glGenVertexArrays(1, &vertices);
  glBindVertexArray(vertices);
  Counts counts;
  for (unsigned n = 0; n < std::size(sizes); n++)
    for (bool srgb : {false, true}) try_format(sizes[n], n, srgb, renderer.starts_with("llvmpipe"), counts);
  if (const GLenum error = glGetError()) std::printf("OpenGL error %#x\n", error), counts.wrong++;
  std::printf("%u blocks, %u texels, %u magenta, %u wrong\n", counts.blocks, counts.texels, counts.magenta, counts.wrong);
  return counts.wrong ? 1 : 0;
}
