// A sheet of squares, one a way in which a shader of OpenGL 4.5 looks into textures: levels, gradients, gathers, fetches,
// shadows, arrays, cubes, formats, images. Two drivers' sheets are compared by compare_pictures. shader_sheet [--list] [--only N]
// PNG
#include <cmath>
#include <cstdint>

#include "sheet.h"

namespace {

// `colour` is a vec4 made from `at`, 0 to 1 in both directions.
struct Square {
  const char* name;
  const char* declarations;
  const char* colour;
};
const Square squares[] = {
    {"texture", "", "texture(plain, at * 1.37)"},
    {"textureLod 0", "", "textureLod(levels, at, 0.0)"},
    {"textureLod along x", "", "textureLod(levels, at, at.x * 5.0)"},
    {"bias", "", "texture(levels, at, 2.3)"},
    {"textureGrad", "", "textureGrad(levels, at, vec2(0.05 * at.x, 0.01), vec2(0.0, 0.05 * at.y))"},
    {"textureOffset", "", "textureOffset(plain, at, ivec2(3, -2))"},
    {"texelFetch", "", "texelFetch(levels, ivec2(at * 64.0), 0)"},
    {"texelFetch level 2", "", "texelFetch(levels, ivec2(at * 16.0), 2)"},
    {"texelFetchOffset", "", "texelFetchOffset(plain, ivec2(at * 12.0) + 3, 0, ivec2(-2, 1))"},
    {"textureProj", "", "textureProj(plain, vec3(at * (1.0 + at.y), 1.0 + at.y))"},
    {"textureGather red", "", "textureGather(plain, at * 0.97 + 0.0113)"},
    {"textureGather blue", "", "textureGather(plain, at * 0.97 + 0.0113, 2)"},
    {"textureGatherOffset", "", "textureGatherOffset(plain, at * 0.97 + 0.0113, ivec2(2, 1), 1)"},
    {"textureSize", "",
     "vec4(vec2(textureSize(levels, 1)) / 64.0, float(textureQueryLevels(levels)) / 8.0, float(textureSize(array, 2).z) / 8.0)"},
    {"textureQueryLod", "", "vec4(textureQueryLod(levels, at * at * 9.0) / 6.0, 0.0, 1.0)"},
    {"array", "", "texture(array, vec3(at, at.x * 4.9 - 0.7))"},
    {"array, textureLod", "", "textureLod(array, vec3(at, 2.0), 1.5)"},
    {"array, texelFetch", "", "texelFetch(array, ivec3(at * 32.0, int(at.y * 4.0)), 0)"},
    {"3D", "", "texture(volume, vec3(at, 0.5 * at.x + 0.5 * at.y))"},
    {"3D, texelFetch", "", "texelFetch(volume, ivec3(at * 16.0, int(at.x * 8.0)), 0)"},
    {"1D array", "", "texture(lines, vec2(at.x, at.y * 7.9))"},
    {"cube", "", "texture(cube, vec3(at * 2.2 - 1.1, 1.0 - 1.5 * at.x))"},
    {"cube, textureLod", "", "textureLod(cube, vec3(1.0 - 2.0 * at.y, at * 2.2 - 1.1), 2.4)"},
    {"cube array", "", "texture(cubes, vec4(at * 2.2 - 1.1, 0.9, at.x * 1.9))"},
    {"cube, textureGather", "", "textureGather(cube, vec3(at * 1.8 - 0.9, -1.0))"},
    {"shadow", "", "vec4(texture(shadow, vec3(at * 0.97 + 0.0113, 0.513)))"},
    {"shadow, textureLod", "", "vec4(textureLod(shadow, vec3(at * 0.97 + 0.0113, at.x), 0.0))"},
    {"shadow, textureGather", "", "textureGather(shadow, at * 0.97 + 0.0113, 0.513)"},
    {"shadow, textureProj", "", "vec4(textureProj(shadow, vec4(at * 2.0, 0.9, 2.0)))"},
    {"rgba16f", "", "texture(halves, at) * 0.25 + 0.5"},
    {"rgba32f", "", "texture(floats, at) * 0.25 + 0.5"},
    {"r11f_g11f_b10f", "", "texture(small_floats, at) * 0.5"},
    {"rgb9_e5", "", "texture(shared_exponent, at) * 0.5"},
    {"rgba8_snorm", "", "texture(signed_bytes, at) * 0.5 + 0.5"},
    {"rgba16", "", "texture(shorts, at)"},
    {"rgb10_a2", "", "texture(tens, at)"},
    {"srgb8_alpha8", "", "texture(srgb, at)"},
    {"r8 swizzled", "", "texture(swizzled, at)"},
    {"rgba8ui", "", "vec4(texture(unsigned_bytes, at)) / 255.0"},
    {"r32i", "", "vec4(vec3(texelFetch(signed_words, ivec2(at * 16.0), 0).x) / 1.0e6, 1.0)"},
    {"rg32ui", "", "vec4(vec2(texture(word_pairs, at).xy) / 4294967295.0, 0.0, 1.0)"},
    {"BC4", "", "texture(bc4, at)"},
    {"BC5 signed", "", "texture(bc5, at) * 0.5 + 0.5"},
    {"BC6H", "", "texture(bc6, at) * 0.05"},
    {"BC7", "", "texture(bc7, at)"},
    {"buffer", "", "texelFetch(words, int(at.x * 15.0) + 16 * int(at.y * 15.0))"},
    {"dependent", "", "texture(plain, texture(levels, at).xy * 0.8 + 0.1)"},
    {"in branches", "", "at.x + at.y < 1.0 ? textureLod(plain, at, 0.0) : textureLod(levels, at, 1.0)"},
    {"loop",
     "vec4 walk() { vec4 c = vec4(0.0); for (int i = 0; i < 1 + int(at.x * 9.0); i++) c += textureLod(plain, at + 0.03 * "
     "float(i), 0.0); return c / (1.0 + floor(at.x * 9.0)); }",
     "walk()"},
    {"derivatives", "", "vec4(abs(dFdx(at * at)) * 40.0, abs(dFdy(at.x * at.y)) * 40.0, 1.0)"},
    {"imageLoad", "layout(rgba8) uniform readonly image2D stored;", "imageLoad(stored, ivec2(at * 32.0))"},
    {"imageSize", "layout(rgba8) uniform readonly image2D stored;", "vec4(vec2(imageSize(stored)) / 64.0, 0.0, 1.0)"},
    {"lod clamped", "", "texture(clamped, at * 9.0)"},
    {"mirror once", "", "texture(mirror_once, at * 4.0 - 2.0)"},
    {"border", "", "texture(bordered, at * 2.0 - 0.5)"},
};

struct Sampler {
  const char* type;
  const char* name;
};
const Sampler samplers[] = {
    {"sampler2D", "plain"},         {"sampler2D", "levels"},       {"sampler2DArray", "array"},
    {"sampler3D", "volume"},        {"sampler1DArray", "lines"},   {"samplerCube", "cube"},
    {"samplerCubeArray", "cubes"},  {"sampler2DShadow", "shadow"}, {"sampler2D", "halves"},
    {"sampler2D", "floats"},        {"sampler2D", "small_floats"}, {"sampler2D", "shared_exponent"},
    {"sampler2D", "signed_bytes"},  {"sampler2D", "shorts"},       {"sampler2D", "tens"},
    {"sampler2D", "srgb"},          {"sampler2D", "swizzled"},     {"usampler2D", "unsigned_bytes"},
    {"isampler2D", "signed_words"}, {"usampler2D", "word_pairs"},  {"sampler2D", "bc4"},
    {"sampler2D", "bc5"},           {"sampler2D", "bc6"},          {"sampler2D", "bc7"},
    {"samplerBuffer", "words"},     {"sampler2D", "clamped"},      {"sampler2D", "mirror_once"},
    {"sampler2D", "bordered"},
};
constexpr int sampler_count = int(sizeof samplers / sizeof *samplers);

float wave(float v) { return 0.5f + 0.5f * std::sin(v); }

// Four components a texel, smooth.
std::vector<float> pattern(int width, int height, float shift = 0) {
  std::vector<float> texels;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      float u = (float(x) + 0.5f) / float(width), v = (float(y) + 0.5f) / float(height);
      for (float c : {wave(4 * u + shift), wave(5 * v + 1 + 2 * shift), wave(3 * (u + v) - shift), 0.3f + 0.6f * u})
        texels.push_back(c);
    }
  return texels;
}

void filters(GLenum target, GLenum min = GL_LINEAR, GLenum mag = GL_LINEAR, GLenum wrap = GL_REPEAT) {
  glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GLint(min));
  glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GLint(mag));
  for (GLenum axis : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R}) glTexParameteri(target, axis, GLint(wrap));
}

void upload(GLint internal, int size, float scale = 1, float offset = 0) {
  auto texels = pattern(size, size);
  for (float& t : texels) t = t * scale + offset;
  glTexImage2D(GL_TEXTURE_2D, 0, internal, size, size, 0, GL_RGBA, GL_FLOAT, texels.data());
}

void upload_levels(int size) {
  for (int level = 0; size >> level; level++)
    glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, size >> level, size >> level, 0, GL_RGBA, GL_FLOAT,
                 pattern(size >> level, size >> level, float(level) * 0.2f).data());
}

// Blocks of 16 bytes (8): bytes that change slowly; BC6H and BC7 in a mode whose block is easily made.
void upload_blocks(GLenum format, int bytes, uint8_t mode) {
  std::vector<uint8_t> blocks;
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 8; x++)
      for (int i = 0; i < bytes; i++)
        blocks.push_back(uint8_t(i == 0 && mode ? mode : 37 * i + 9 * x + 5 * y + (i > 1 ? 11 * x * i : 0)));
  glCompressedTexImage2D(GL_TEXTURE_2D, 0, format, 32, 32, 0, GLsizei(blocks.size()), blocks.data());
  filters(GL_TEXTURE_2D);
}

// The texture of a sampler, by its name.
GLenum make_texture(const std::string& name) {
  auto two = [&](GLint internal, float scale = 1, float offset = 0) {
    upload(internal, 16, scale, offset);
    filters(GL_TEXTURE_2D);
  };
  GLenum target = name == "array"    ? GL_TEXTURE_2D_ARRAY
                  : name == "volume" ? GL_TEXTURE_3D
                  : name == "lines"  ? GL_TEXTURE_1D_ARRAY
                  : name == "cube"   ? GL_TEXTURE_CUBE_MAP
                  : name == "cubes"  ? GL_TEXTURE_CUBE_MAP_ARRAY
                  : name == "words"  ? GL_TEXTURE_BUFFER
                                     : GL_TEXTURE_2D;
  GLuint texture;
  glGenTextures(1, &texture);
  glBindTexture(target, texture);
  if (name == "plain") {
    two(GL_RGBA8);
  } else if (name == "levels" || name == "clamped") {
    upload_levels(64);
    filters(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR);
    if (name == "clamped")
      glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MIN_LOD, 1.5f), glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_LOD, 2.25f);
  } else if (name == "array") {
    glTexImage3D(target, 0, GL_RGBA8, 32, 32, 4, 0, GL_RGBA, GL_FLOAT, nullptr);
    glTexImage3D(target, 1, GL_RGBA8, 16, 16, 4, 0, GL_RGBA, GL_FLOAT, nullptr);
    glTexImage3D(target, 2, GL_RGBA8, 8, 8, 4, 0, GL_RGBA, GL_FLOAT, nullptr);
    for (int level = 0; level < 3; level++)
      for (int layer = 0; layer < 4; layer++)
        glTexSubImage3D(target, level, 0, 0, layer, 32 >> level, 32 >> level, 1, GL_RGBA, GL_FLOAT,
                        pattern(32 >> level, 32 >> level, float(layer) * 0.9f + float(level) * 0.2f).data());
    glTexParameteri(target, GL_TEXTURE_MAX_LEVEL, 2);
    filters(target, GL_LINEAR_MIPMAP_LINEAR);
  } else if (name == "volume") {
    std::vector<float> texels;
    for (int z = 0; z < 8; z++) {
      auto slice = pattern(16, 16, float(z) * 0.5f);
      texels.insert(texels.end(), slice.begin(), slice.end());
    }
    glTexImage3D(target, 0, GL_RGBA8, 16, 16, 8, 0, GL_RGBA, GL_FLOAT, texels.data());
    filters(target, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE);
  } else if (name == "lines") {
    glTexImage2D(target, 0, GL_RGBA8, 16, 8, 0, GL_RGBA, GL_FLOAT, pattern(16, 8).data());
    filters(target);
  } else if (name == "cube") {
    for (int face = 0; face < 6; face++)
      for (int level = 0; level < 5; level++)
        glTexImage2D(GLenum(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face), level, GL_RGBA8, 16 >> level, 16 >> level, 0, GL_RGBA,
                     GL_FLOAT, pattern(16 >> level, 16 >> level, float(face) * 0.8f + float(level) * 0.2f).data());
    filters(target, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE);
  } else if (name == "cubes") {
    glTexImage3D(target, 0, GL_RGBA8, 16, 16, 12, 0, GL_RGBA, GL_FLOAT, nullptr);
    for (int face = 0; face < 12; face++)
      glTexSubImage3D(target, 0, 0, 0, face, 16, 16, 1, GL_RGBA, GL_FLOAT, pattern(16, 16, float(face) * 0.6f).data());
    filters(target, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE);
  } else if (name == "shadow") {
    std::vector<float> depths;
    for (int i = 0; i < 256; i++) depths.push_back(0.5f + 0.4f * std::sin(float(i % 16) * 0.7f) * std::cos(float(i / 16) * 0.5f));
    glTexImage2D(target, 0, GL_DEPTH_COMPONENT24, 16, 16, 0, GL_DEPTH_COMPONENT, GL_FLOAT, depths.data());
    filters(target, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE);
    glTexParameteri(target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(target, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
  } else if (name == "halves") {
    two(GL_RGBA16F, 4, -2);
  } else if (name == "floats") {
    two(GL_RGBA32F, 4, -2);
  } else if (name == "small_floats") {
    two(GL_R11F_G11F_B10F, 2);
  } else if (name == "shared_exponent") {
    two(GL_RGB9_E5, 2);
  } else if (name == "signed_bytes") {
    two(GL_RGBA8_SNORM, 2, -1);
  } else if (name == "shorts") {
    two(GL_RGBA16);
  } else if (name == "tens") {
    two(GL_RGB10_A2);
  } else if (name == "srgb") {
    two(GL_SRGB8_ALPHA8);
  } else if (name == "swizzled") {
    const GLint swizzle[4] = {GL_ONE, GL_RED, GL_ZERO, GL_RED};
    two(GL_R8);
    glTexParameteriv(target, GL_TEXTURE_SWIZZLE_RGBA, swizzle);
  } else if (name == "unsigned_bytes") {
    std::vector<uint8_t> texels;
    for (float t : pattern(16, 16)) texels.push_back(uint8_t(t * 255));
    glTexImage2D(target, 0, GL_RGBA8UI, 16, 16, 0, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, texels.data());
    filters(target, GL_NEAREST, GL_NEAREST);
  } else if (name == "signed_words") {
    std::vector<int32_t> texels;
    for (int i = 0; i < 256; i++) texels.push_back(i * 3900 - 20000);
    glTexImage2D(target, 0, GL_R32I, 16, 16, 0, GL_RED_INTEGER, GL_INT, texels.data());
    filters(target, GL_NEAREST, GL_NEAREST);
  } else if (name == "word_pairs") {
    std::vector<uint32_t> texels;
    for (uint32_t i = 0; i < 512; i++) texels.push_back(i * 8388607u);
    glTexImage2D(target, 0, GL_RG32UI, 16, 16, 0, GL_RG_INTEGER, GL_UNSIGNED_INT, texels.data());
    filters(target, GL_NEAREST, GL_NEAREST);
  } else if (name == "bc4") {
    upload_blocks(GL_COMPRESSED_RED_RGTC1, 8, 0);
  } else if (name == "bc5") {
    upload_blocks(GL_COMPRESSED_SIGNED_RG_RGTC2, 16, 0);
  } else if (name == "bc6") {
    upload_blocks(GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT, 16, 3);  // ten bits an endpoint, one subset
  } else if (name == "bc7") {
    upload_blocks(GL_COMPRESSED_RGBA_BPTC_UNORM, 16, 0x40);  // seven bits an endpoint, one subset
  } else if (name == "words") {
    GLuint buffer;
    std::vector<uint8_t> texels;
    for (float t : pattern(16, 16)) texels.push_back(uint8_t(t * 255));
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_TEXTURE_BUFFER, buffer);
    glBufferData(GL_TEXTURE_BUFFER, GLsizeiptr(texels.size()), texels.data(), GL_STATIC_DRAW);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, buffer);
  } else if (name == "mirror_once") {
    two(GL_RGBA8);
    filters(target, GL_LINEAR, GL_LINEAR, GL_MIRROR_CLAMP_TO_EDGE);
  } else if (name == "bordered") {
    const float border[4] = {0.2f, 0.9f, 0.6f, 1};
    two(GL_RGBA8);
    filters(target, GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_BORDER);
    glTexParameterfv(target, GL_TEXTURE_BORDER_COLOR, border);
  }
  return target;
}

GLuint stored_image;  // of imageLoad: written by a shader, not by the CPU

bool make_stored_image() {
  glGenTextures(1, &stored_image);
  glBindTexture(GL_TEXTURE_2D, stored_image);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 32, 32);
  GLuint program = sheet::make_program({{GL_COMPUTE_SHADER,
                                         "#version 450\n"
                                         "layout(local_size_x = 8, local_size_y = 8) in;\n"
                                         "layout(rgba8, binding = 0) uniform writeonly image2D stored;\n"
                                         "void main() {\n"
                                         "  vec2 p = vec2(gl_GlobalInvocationID.xy) / 32.0;\n"
                                         "  imageStore(stored, ivec2(gl_GlobalInvocationID.xy), vec4(p, p.x * p.y, 1.0));\n"
                                         "}\n"}});
  if (!program) return false;
  glUseProgram(program);
  glBindImageTexture(0, stored_image, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
  glDispatchCompute(4, 4, 1);
  glMemoryBarrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
  return true;
}

bool draw(const Square& square) {
  std::string source = "#version 450\nin vec2 at;\nout vec4 colour;\n", body = std::string(square.colour) + square.declarations;
  std::vector<int> used;
  for (int n = 0; n < sampler_count; n++)
    if (body.find(samplers[n].name) != std::string::npos) {
      source += std::string("uniform ") + samplers[n].type + " " + samplers[n].name + ";\n";
      used.push_back(n);
    }
  source += std::string(square.declarations) + "\nvoid main() { colour = " + square.colour + "; }\n";
  GLuint program = sheet::make_program({{GL_VERTEX_SHADER,
                                         "#version 450\nout vec2 at;\n"
                                         "void main() {\n"
                                         "  at = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                                         "  gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0);\n"
                                         "}\n"},
                                        {GL_FRAGMENT_SHADER, source}});
  if (!program) return false;
  glUseProgram(program);
  for (int unit = 0; unit < int(used.size()); unit++) {
    glActiveTexture(GLenum(GL_TEXTURE0 + unit));
    make_texture(samplers[used[size_t(unit)]].name);
    glUniform1i(glGetUniformLocation(program, samplers[used[size_t(unit)]].name), unit);
  }
  if (body.find("stored") != std::string::npos) glBindImageTexture(0, stored_image, 0, GL_FALSE, 0, GL_READ_ONLY, GL_RGBA8);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<sheet::Square> list;
  for (const Square& square : squares) list.push_back({square.name, [&square] { return draw(square); }});
  return sheet::run("shader_sheet", argc, argv, list, [] {
    glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
    return make_stored_image();
  });
}
