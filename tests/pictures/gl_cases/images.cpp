// Images, buffers and memory that work-groups share: stores and loads of each format and target, atomics, layouts of blocks.
#include <cstring>

#include "../sheet.h"
#include "cases.h"

namespace gl_cases {
namespace {

struct Format {
  const char* name;
  GLenum format;
  char kind;  // f, i, u
};
constexpr Format formats[] = {{"rgba32f", GL_RGBA32F, 'f'},
                              {"rgba16f", GL_RGBA16F, 'f'},
                              {"rg32f", GL_RG32F, 'f'},
                              {"rg16f", GL_RG16F, 'f'},
                              {"r32f", GL_R32F, 'f'},
                              {"r16f", GL_R16F, 'f'},
                              {"r11f_g11f_b10f", GL_R11F_G11F_B10F, 'f'},
                              {"rgba16", GL_RGBA16, 'f'},
                              {"rgb10_a2", GL_RGB10_A2, 'f'},
                              {"rgba8", GL_RGBA8, 'f'},
                              {"rg16", GL_RG16, 'f'},
                              {"rg8", GL_RG8, 'f'},
                              {"r16", GL_R16, 'f'},
                              {"r8", GL_R8, 'f'},
                              {"rgba16_snorm", GL_RGBA16_SNORM, 'f'},
                              {"rgba8_snorm", GL_RGBA8_SNORM, 'f'},
                              {"rg16_snorm", GL_RG16_SNORM, 'f'},
                              {"rg8_snorm", GL_RG8_SNORM, 'f'},
                              {"r16_snorm", GL_R16_SNORM, 'f'},
                              {"r8_snorm", GL_R8_SNORM, 'f'},
                              {"rgba32i", GL_RGBA32I, 'i'},
                              {"rgba16i", GL_RGBA16I, 'i'},
                              {"rgba8i", GL_RGBA8I, 'i'},
                              {"rg32i", GL_RG32I, 'i'},
                              {"rg16i", GL_RG16I, 'i'},
                              {"rg8i", GL_RG8I, 'i'},
                              {"r32i", GL_R32I, 'i'},
                              {"r16i", GL_R16I, 'i'},
                              {"r8i", GL_R8I, 'i'},
                              {"rgba32ui", GL_RGBA32UI, 'u'},
                              {"rgba16ui", GL_RGBA16UI, 'u'},
                              {"rgb10_a2ui", GL_RGB10_A2UI, 'u'},
                              {"rgba8ui", GL_RGBA8UI, 'u'},
                              {"rg32ui", GL_RG32UI, 'u'},
                              {"rg16ui", GL_RG16UI, 'u'},
                              {"rg8ui", GL_RG8UI, 'u'},
                              {"r32ui", GL_R32UI, 'u'},
                              {"r16ui", GL_R16UI, 'u'},
                              {"r8ui", GL_R8UI, 'u'}};

struct Target {
  const char* type;
  GLenum target;
  const char* at;    // of the invocation `p` (0 to 11, 0 to 11, 0 to 5)
  const char* size;  // as uvec4, of image `im`
  bool layered;
};
constexpr Target targets[] = {
    {"image2D", GL_TEXTURE_2D, "p.xy", "uvec4(imageSize(im), 0, 0)", false},
    {"image1D", GL_TEXTURE_1D, "p.x", "uvec4(imageSize(im), 0, 0, 0)", false},
    {"image3D", GL_TEXTURE_3D, "p", "uvec4(imageSize(im), 0)", true},
    {"image2DArray", GL_TEXTURE_2D_ARRAY, "p", "uvec4(imageSize(im), 0)", true},
    {"image1DArray", GL_TEXTURE_1D_ARRAY, "p.xz", "uvec4(imageSize(im), 0, 0)", false},
    {"imageCube", GL_TEXTURE_CUBE_MAP, "p", "uvec4(imageSize(im), 0, 0)", true},
    {"imageCubeArray", GL_TEXTURE_CUBE_MAP_ARRAY, "ivec3(p.xy, p.z + 6)", "uvec4(imageSize(im), 0)", true},
    {"image2DRect", GL_TEXTURE_RECTANGLE, "p.xy", "uvec4(imageSize(im), 0, 0)", false},
    {"imageBuffer", GL_TEXTURE_BUFFER, "p.x + 12 * p.y", "uvec4(imageSize(im), 0, 0, 0)", false}};

GLuint make_texture(const Target& t, GLenum format, GLuint& buffer) {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(t.target, texture);
  switch (t.target) {
    case GL_TEXTURE_1D: glTexStorage1D(t.target, 2, format, 20); break;
    case GL_TEXTURE_2D: glTexStorage2D(t.target, 2, format, 20, 20); break;
    case GL_TEXTURE_RECTANGLE: glTexStorage2D(t.target, 1, format, 10, 10); break;
    case GL_TEXTURE_1D_ARRAY: glTexStorage2D(t.target, 2, format, 20, 5); break;
    case GL_TEXTURE_CUBE_MAP: glTexStorage2D(t.target, 2, format, 20, 20); break;
    case GL_TEXTURE_3D: glTexStorage3D(t.target, 2, format, 20, 20, 10); break;
    case GL_TEXTURE_2D_ARRAY: glTexStorage3D(t.target, 2, format, 20, 20, 5); break;
    case GL_TEXTURE_CUBE_MAP_ARRAY: glTexStorage3D(t.target, 2, format, 20, 20, 18); break;
    default:
      glGenBuffers(1, &buffer);
      glBindBuffer(GL_TEXTURE_BUFFER, buffer);
      glBufferData(GL_TEXTURE_BUFFER, 144 * 16, nullptr, GL_DYNAMIC_COPY);
      glTexBuffer(GL_TEXTURE_BUFFER, format, buffer);
  }
  return texture;
}

// Texels stored in one dispatch and loaded in the next, with places beyond the image, which are 0 and lose their stores.
void store_and_load(const Format& f, const Target& t) {
  const bool mips = t.target != GL_TEXTURE_RECTANGLE && t.target != GL_TEXTURE_BUFFER;
  GLuint buffer = 0;
  const GLuint texture = make_texture(t, f.format, buffer);
  const std::string prefix = f.kind == 'f' ? "" : std::string(1, f.kind), vec = (f.kind == 'f' ? "" : prefix) + "vec4";
  const std::string image = "layout(" + std::string(f.name) + ", binding = 0) uniform " + prefix + t.type + " im;\n";
  const std::string head = "layout(local_size_x = 12, local_size_y = 12) in;\n" + image;
  const std::string value =
      f.kind == 'f'
          ? "vec4((p.x * 7 + p.y * 3 + p.z) % 17, (p.x * 5 + p.y * 11) % 13, p.y - 4, p.x + p.z) / vec4(12.0, -9.0, 4.0, 15.0)"
      : f.kind == 'i' ? "ivec4(p.x * 7001 - p.y * 70001, p.y * 11 - 40, p.z - 3, p.x * p.y - 9)"
                      : "uvec4(p.x * 7001 + p.y * 70001, p.y * 11, p.z + 250, p.x * p.y)";
  const GLuint stores = compute_program(head + "void main() { ivec3 p = ivec3(gl_GlobalInvocationID); imageStore(im, " + t.at +
                                        ", " + value + "); }");
  const std::string bits = f.kind == 'f' ? "floatBitsToUint" : "uvec4";
  const GLuint loads = compute_program(head + "layout(std430, binding = 1) buffer Results { uvec4 size; uvec4 results[]; };\n" +
                                       "void main() { ivec3 p = ivec3(gl_GlobalInvocationID); size = " + t.size +
                                       "; results[p.x + 12 * (p.y + 12 * p.z)] = " + bits + "(imageLoad(im, " + t.at + ")); }");
  const unsigned depth = t.layered || t.target == GL_TEXTURE_1D_ARRAY ? 6 : 1, count = 4 * (1 + 144 * depth);
  const std::string name = std::string(f.name) + " " + t.type;
  if (!stores || !loads) judge(name, "no program");
  for (int level = 0; level < (mips ? 2 : 1); level++) {
    if (mips && level == 0 && f.kind == 'i') continue;
    const GLuint target = make_buffer(GL_SHADER_STORAGE_BUFFER, 1, std::vector<uint32_t>(count, 0x55555555));
    glBindImageTexture(0, texture, level, GL_TRUE, 0, GL_READ_WRITE, f.format);
    glUseProgram(stores);
    glDispatchCompute(1, 1, depth);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    glUseProgram(loads);
    glDispatchCompute(1, 1, depth);
    auto words = words_of(target, count);
    keep(name + " level " + std::to_string(level),
         f.kind == 'f' ? Bound{.floats = true, .relative = 1.0 / 64, .absolute = 1.0 / 250, .share = 0} : exact, words);
    glDeleteBuffers(1, &target);
  }
  glDeleteProgram(stores);
  glDeleteProgram(loads);
  glDeleteTextures(1, &texture);
  if (buffer) glDeleteBuffers(1, &buffer);
}

struct Atomic {
  const char* name;
  const char* value;  // of `uint n`
};
constexpr Atomic atomics[] = {{"Add", "n * 3u + 1u"},
                              {"Min", "(n * 7919u) ^ 0x80000100u"},
                              {"Max", "(n * 7919u) ^ 0x80000100u"},
                              {"And", "~(1u << (n % 29u))"},
                              {"Or", "1u << (n % 29u)"},
                              {"Xor", "n * 40503u"}};

// Each cell gets 64 operations, whose order does not matter; the results of additions are all different.
void memory_atomics() {
  for (auto& a : atomics)
    for (const char* type : {"uint", "int"})
      for (const char* where : {"buffer", "shared", "image2D", "image3D", "image2DArray", "imageBuffer", "image2D of pixels"}) {
        const std::string s = type, w = where;
        const bool image = w.rfind("image", 0) == 0, pixels = w == "image2D of pixels";
        const std::string kind = pixels ? "image2D" : w;
        const Target* t = nullptr;
        for (auto& each : targets)
          if (kind == each.type) t = &each;
        const std::string value = s + "(" + a.value + ")", initial = "0x0f0f0f0fu";
        GLuint texture = 0, buffer = 0;
        std::string head = "layout(std430, binding = 1) coherent buffer Cells { " + s + " cells[]; };\n", operation, before,
                    after;
        const std::string cell = "(n * 5u) % 16u";
        if (image) {
          texture = make_texture(*t, s == "int" ? GL_R32I : GL_R32UI, buffer);
          glBindImageTexture(0, texture, 0, GL_TRUE, 0, GL_READ_WRITE, s == "int" ? GL_R32I : GL_R32UI);
          head += "layout(" + std::string(s == "int" ? "r32i" : "r32ui") + ", binding = 0) coherent uniform " +
                  (s == "int" ? "i" : "u") + kind + " im;\n";
          const std::string at = std::string("ivec3 p = ivec3(c & 3u, c >> 2, 1); ");
          operation = "uint c = " + cell + "; " + at + "imageAtomic" + a.name + "(im, " + t->at + ", " + value + ");";
          before =
              "uint c = n; " + at + "imageStore(im, " + t->at + ", " + (s == "int" ? "ivec4" : "uvec4") + "(" + initial + "));";
          after = "uint c = n; " + at + "cells[n] = imageLoad(im, " + t->at + ").x;";
        } else if (w == "shared") {
          head += "shared " + s + " mine[16];\n";
          operation = "if (n < 16u) mine[n] = " + s + "(" + initial + "); barrier(); atomic" + a.name + "(mine[" + cell + "], " +
                      value + "); barrier(); if (n < 16u) cells[n] = mine[n];";
        } else {
          operation = std::string("atomic") + a.name + "(cells[" + cell + "], " + value + ");";
        }
        const GLuint target = make_buffer(GL_SHADER_STORAGE_BUFFER, 1, std::vector<uint32_t>(16, 0x0f0f0f0f));
        const std::string shape =
            w == "shared" ? "layout(local_size_x = 1024) in;\n" : "layout(local_size_x = 32, local_size_y = 2) in;\n";
        auto dispatch = [&](const std::string& text, unsigned groups) {
          const GLuint program = compute_program(
              head + shape +
              "void main() { uint n = gl_LocalInvocationIndex + gl_WorkGroupID.x * gl_WorkGroupSize.x * gl_WorkGroupSize.y; " +
              text + " }");
          glUseProgram(program);
          glDispatchCompute(groups, 1, 1);
          glMemoryBarrier(GL_ALL_BARRIER_BITS);
          glDeleteProgram(program);
        };
        if (image) dispatch("if (n < 16u) { " + before + " }", 1);
        if (pixels) {
          GLuint framebuffer = 0;
          glGenFramebuffers(1, &framebuffer);
          glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
          glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH, 32);
          glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT, 32);
          glViewport(0, 0, 32, 32);
          const GLuint program = sheet::make_program(
              {{GL_VERTEX_SHADER,
                "#version 450\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); "
                "}"},
               {GL_FRAGMENT_SHADER, "#version 450\n" + head +
                                        "void main() { uint n = uint(gl_FragCoord.x) + 32u * uint(gl_FragCoord.y); " + operation +
                                        " }"}});
          glUseProgram(program);
          glDrawArrays(GL_TRIANGLES, 0, 3);
          glMemoryBarrier(GL_ALL_BARRIER_BITS);
          glDeleteProgram(program);
          glDeleteFramebuffers(1, &framebuffer);
        } else {
          dispatch(operation, w == "shared" ? 1 : 16);
        }
        if (image) dispatch("if (n < 16u) { " + after + " }", 1);
        keep(std::string("atomic ") + a.name + " " + type + " " + where, exact, words_of(target, 16));
        glDeleteBuffers(1, &target);
        if (texture) glDeleteTextures(1, &texture);
        if (buffer) glDeleteBuffers(1, &buffer);
      }
}

struct Program {
  const char* name;
  const char* text;
  unsigned groups[3], count;
};
constexpr Program programs[] = {
    {"exchanges are a permutation",
     "layout(local_size_x = 64) in; shared uint s; void main() { if (gl_LocalInvocationIndex == 0u) s = 1000u; barrier(); "
     "uint o = atomicExchange(s, gl_LocalInvocationIndex); if (o == 1000u) o = 64u; atomicAdd(results[o], 1u); barrier(); if "
     "(gl_LocalInvocationIndex == 0u) "
     "atomicAdd(results[s], 1u); }",
     {1, 1, 1},
     65},
    {"compare and swap counts",
     "layout(local_size_x = 48) in; void main() { for (int i = 0; i < 200; i++) { uint o = results[0]; if "
     "(atomicCompSwap(results[0], o, o + 3u) == o) break; } }",
     {1, 1, 1},
     1},
    {"atomic counters",
     "layout(binding = 0, offset = 4) uniform atomic_uint c; layout(local_size_x = 33) in; void main() { uint n = "
     "atomicCounterIncrement(c); results[n & 127u] = n; }",
     {3, 1, 1},
     128},
    {"scan of 1024 with barriers",
     "layout(local_size_x = 1024) in; shared uint s[1024]; void main() { uint n = gl_LocalInvocationIndex; s[n] = n * "
     "2654435761u >> 24; barrier(); "
     "for (uint d = 1u; d < 1024u; d *= 2u) { uint v = n >= d ? s[n - d] : 0u; barrier(); s[n] += v; barrier(); } results[n] = "
     "s[n]; }",
     {1, 1, 1},
     1024},
    {"odd shapes of work-groups",
     "layout(local_size_x = 7, local_size_y = 3, local_size_z = 5) in; void main() { uint n = gl_LocalInvocationIndex + 105u * "
     "(gl_WorkGroupID.x + 2u * "
     "(gl_WorkGroupID.y + 3u * gl_WorkGroupID.z)); results[n] = gl_GlobalInvocationID.x | gl_GlobalInvocationID.y << 8 | "
     "gl_GlobalInvocationID.z << 16 | "
     "gl_NumWorkGroups.y << 28; }",
     {2, 3, 2},
     1260},
    {"matrices, arrays and structures of std430",
     "struct S { vec3 a; float b; mat2x3 m; uint t[3]; }; layout(std430, binding = 2) buffer T { float x; S s[2]; "
     "layout(row_major) mat3x2 r; ivec2 e[]; }; "
     "layout(local_size_x = 1) in; void main() { uint n = 0u; results[n++] = uint(e.length()); for (int i = 0; i < 2; i++) { "
     "results[n++] = floatBitsToUint(s[i].a.z); "
     "results[n++] = floatBitsToUint(s[i].b); results[n++] = floatBitsToUint(s[i].m[1].y); results[n++] = s[i].t[2]; } "
     "results[n++] = floatBitsToUint(r[2].y); "
     "results[n++] = uint(e[3].y); s[1].m[1] = vec3(1.0, 2.0, 3.0); r[1] = vec2(5.0, 6.0); results[n++] = "
     "floatBitsToUint(s[1].m[1][2] + r[1].x); }",
     {1, 1, 1},
     16},
    {"matrices, arrays and structures of std140",
     "struct S { vec3 a; float b; mat2x3 m; uint t[3]; }; layout(std140, binding = 2) uniform T { float x; S s[2]; "
     "layout(row_major) mat3x2 r; ivec2 e[4]; }; "
     "layout(local_size_x = 4) in; void main() { uint i = gl_LocalInvocationIndex & 1u, k = gl_LocalInvocationIndex; uint n = k "
     "* 8u; results[n++] = "
     "floatBitsToUint(s[i].a[k % 3u]); results[n++] = floatBitsToUint(s[i].b); results[n++] = floatBitsToUint(s[i].m[i][k % "
     "3u]); results[n++] = s[i].t[k % 3u]; "
     "results[n++] = floatBitsToUint(r[k % 3u][i]); results[n++] = uint(e[k].y); }",
     {1, 1, 1},
     32},
    {"swizzled stores to vectors",
     "layout(std430, binding = 3) buffer V { vec4 v[8]; uvec3 w[4]; }; layout(local_size_x = 8) in; void main() { uint n = "
     "gl_LocalInvocationIndex; v[n].zx = vec2(n, 2u * n); "
     "v[n][n & 3u] = 9.0; w[n & 3u].y = 77u + (n & 3u); memoryBarrierBuffer(); barrier(); results[4u * n] = "
     "floatBitsToUint(v[n].x); results[4u * n + 1u] = floatBitsToUint(v[n].z); "
     "results[4u * n + 2u] = floatBitsToUint(v[n][n & 3u]); results[4u * n + 3u] = w[n & 3u].y; }",
     {1, 1, 1},
     32},
    {"groups without a thread's last lanes",
     "layout(local_size_x = 19) in; shared uint s[19]; void main() { uint n = gl_LocalInvocationIndex; s[n] = n * n; barrier(); "
     "results[gl_WorkGroupID.x * 19u + n] = s[18u - n] + gl_WorkGroupID.x; }",
     {9, 1, 1},
     171},
    {"ballots of ARB_shader_ballot",
     "layout(local_size_x = 32) in; void main() { results[gl_LocalInvocationIndex] = gl_LocalInvocationIndex; }",
     {1, 1, 1},
     32},
};

void memory() {
  std::vector<uint32_t> words(256);
  for (uint32_t n = 0; n < 256; n++) words[n] = 0x3f800000 + n * 0x8000;
  for (auto& p : programs) {
    const GLuint results = make_buffer(GL_SHADER_STORAGE_BUFFER, 1, std::vector<uint32_t>(p.count, 0)),
                 counter = make_buffer(GL_ATOMIC_COUNTER_BUFFER, 0, {5, 6, 7}),
                 block = make_buffer(GL_SHADER_STORAGE_BUFFER, 2, words), uniform = make_buffer(GL_UNIFORM_BUFFER, 2, words),
                 vectors = make_buffer(GL_SHADER_STORAGE_BUFFER, 3, words);
    const GLuint program =
        compute_program(std::string("layout(std430, binding = 1) coherent buffer Results { uint results[]; };\n") + p.text);
    if (!program) judge(p.name, "no program");
    glUseProgram(program);
    glDispatchCompute(p.groups[0], p.groups[1], p.groups[2]);
    auto all = words_of(results, p.count);
    for (GLuint more : {counter, block, vectors}) {
      auto rest = words_of(more, more == counter ? 3 : 256);
      all.insert(all.end(), rest.begin(), rest.end());
    }
    keep(p.name, exact, all);
    glDeleteProgram(program);
    for (GLuint each : {results, counter, block, uniform, vectors}) glDeleteBuffers(1, &each);
  }
  // The same by arguments in memory.
  const GLuint results = make_buffer(GL_SHADER_STORAGE_BUFFER, 1, std::vector<uint32_t>(64, 0)),
               arguments = make_buffer(GL_SHADER_STORAGE_BUFFER, 2, {9, 9, 3, 2, 2, 9});
  const GLuint program = compute_program(
      "layout(local_size_x = 2) in; layout(std430, binding = 1) buffer R { uint results[]; }; void main() { "
      "atomicAdd(results[gl_GlobalInvocationID.x + 8u * "
      "gl_GlobalInvocationID.y + 16u * gl_GlobalInvocationID.z], gl_NumWorkGroups.x); }");
  glUseProgram(program);
  glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, arguments);
  glDispatchComputeIndirect(8);
  keep("indirect dispatch", exact, words_of(results, 64));
  glDeleteProgram(program);
  glDeleteBuffers(1, &results);
  glDeleteBuffers(1, &arguments);
}

}  // namespace

void images() {
  for (auto& f : formats) {
    store_and_load(f, targets[0]);
    // (Buffers have no others.)
    if (!std::strstr(f.name, "snorm") && !std::strstr(f.name, "10")) store_and_load(f, targets[8]);
  }
  for (auto& t : targets)
    for (const Format& f : {formats[0], formats[9], formats[26], formats[31]})
      if (&t != &targets[0] && &t != &targets[8]) store_and_load(f, t);
  memory_atomics();
  memory();
}

}  // namespace gl_cases
