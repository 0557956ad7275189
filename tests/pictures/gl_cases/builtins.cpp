// Functions of GLSL 4.50 in vertex, pixel and compute shaders: integers and packing to the bit, floats within what the specification
// (4.7.1) allows of two implementations.
#include <cmath>
#include <cstring>

#include "../sheet.h"
#include "cases.h"

namespace gl_cases {
namespace {

constexpr unsigned lanes = 512;

struct Function {
  const char* name;
  const char* body;  // sets `uvec4 r` of `uvec4 a, b` and `vec4 f, g`
  Bound bound = exact;
};
constexpr Bound floats(double relative, double absolute = 0) {
  return {.floats = true, .relative = relative, .absolute = absolute};
}

const Function functions[] = {
    {"bitfieldExtract",
     "r = uvec4(bitfieldExtract(a.x, int(b.x & 31u), int(b.y % (33u - (b.x & 31u)))), "
     "uint(bitfieldExtract(int(a.y), int(b.x & 31u), int(b.y % (33u - (b.x & 31u))))), "
     "bitfieldExtract(a.zw, 5, 0))"},
    {"bitfieldInsert",
     "int o = int(b.x & 31u), n = int(b.y % (33u - (b.x & 31u))); r = uvec4(bitfieldInsert(a.xy, a.zw, o, n), "
     "uvec2(bitfieldInsert(ivec2(a.yx), ivec2(b.zw), o, n)))"},
    {"bitfieldReverse", "r = bitfieldReverse(a)"},
    {"bitCount", "r = uvec4(bitCount(a))"},
    {"findLSB", "r = uvec4(findLSB(a & (b << (b.x & 31u))))"},
    {"findMSB unsigned", "r = uvec4(findMSB(a >> (b & 31u)))"},
    {"findMSB signed", "r = uvec4(findMSB(ivec4(a) >> ivec4(b & 31u)))"},
    {"uaddCarry", "uvec2 c; uvec2 s = uaddCarry(a.xy, b.xy, c); r = uvec4(s, c)"},
    {"usubBorrow", "uvec2 c; uvec2 s = usubBorrow(a.xy, b.xy, c); r = uvec4(s, c)"},
    {"umulExtended", "uvec2 h, l; umulExtended(a.xy, b.xy, h, l); r = uvec4(h, l)"},
    {"imulExtended", "ivec2 h, l; imulExtended(ivec2(a.xy), ivec2(b.xy), h, l); r = uvec4(h, l)"},
    {"unsigned division", "uvec4 d = max(b >> (a.wzyx & 31u), uvec4(1)); r = a / d"},
    {"unsigned remainder", "uvec4 d = max(b >> (a.wzyx & 31u), uvec4(1)); r = a % d"},
    {"signed division",
     "ivec4 d = ivec4(b) >> ivec4(a.wzyx & 31u); d += ivec4(equal(d, ivec4(0))); r = uvec4((ivec4(a) >> 1) / d)"},
    {"signed remainder", "ivec4 d = max(ivec4(b >> 1) >> ivec4(a.wzyx & 31u), 1); r = uvec4(ivec4(a >> 1) % d)"},
    {"division by constants", "r = uvec4(a.x / 7u, uint(int(a.y) / -13), a.z % 1000u, uint(int(a.w) / 65537))"},
    {"shifts", "r = uvec4(a.x << (b.x & 31u), a.y >> (b.y & 31u), uint(int(a.z) >> (b.z & 31u)), uint(int(a.w) << (b.w & 31u)))"},
    {"products", "r = uvec4(a.x * b.x, uint(int(a.y) * int(b.y)), (a.z & 0xffffu) * b.z, uint((int(a.w) >> 16) * int(b.w)))"},
    {"extremes of integers",
     "r = uvec4(min(a.x, b.x), max(int(a.y), int(b.y)), clamp(a.z, b.z & 0xffu, b.z | 0xff00u), "
     "uint(sign(int(a.w)) + abs(int(b.w))))"},
    {"comparisons of integers",
     "r = uvec4(lessThan(ivec4(a), ivec4(b))) + 2u * uvec4(lessThan(a, b)) + 4u * uvec4(equal(a & 3u, b & 3u))"},
    {"mix of integers", "r = mix(a, b, lessThan(a.wzyx, b.wzyx))"},
    {"packUnorm2x16", "r = uvec4(packUnorm2x16(f.xy), packUnorm2x16(f.zw), packUnorm2x16(g.xy), packUnorm2x16(abs(g.zw)))"},
    {"packSnorm2x16", "r = uvec4(packSnorm2x16(f.xy), packSnorm2x16(f.zw), packSnorm2x16(g.xy), packSnorm2x16(g.zw))"},
    {"packUnorm4x8", "r = uvec4(packUnorm4x8(f), packUnorm4x8(g), packUnorm4x8(abs(f)), packUnorm4x8(f.wzyx))"},
    {"packSnorm4x8", "r = uvec4(packSnorm4x8(f), packSnorm4x8(g), packSnorm4x8(-f), packSnorm4x8(g.wzyx))"},
    {"unpackUnorm", "r = floatBitsToUint(vec4(unpackUnorm2x16(a.x), unpackUnorm4x8(a.y).xw))", floats(1e-6)},
    {"unpackSnorm", "r = floatBitsToUint(vec4(unpackSnorm2x16(a.x), unpackSnorm4x8(a.y).xw))", floats(1e-6)},
    {"unpackHalf2x16",
     "r = floatBitsToUint(vec4(unpackHalf2x16(a.x & 0xbfffbfffu), unpackHalf2x16((a.y & 0x3ff03ff0u) | 0x40004u)))", floats(0)},
    {"packHalf2x16 of halves",
     "r = uvec4(packHalf2x16(unpackHalf2x16(a.x & 0xbfffbfffu)), packHalf2x16(unpackHalf2x16(b.x & 0xbfffbfffu)), "
     "packHalf2x16(vec2(1e6, -1e6)) & 0xf800f800u, 0u)"},
    {"floor, ceil, trunc", "r = floatBitsToUint(vec4(floor(f.x * 9.0), ceil(f.y * 9.0), trunc(f.z * 9.0), round(f.w * 9.0)))",
     floats(0)},
    {"roundEven", "r = floatBitsToUint(roundEven(vec4(ivec4(a) >> 24) * 0.5))", floats(0)},
    {"fract and mod", "r = floatBitsToUint(vec4(fract(f.xy * 9.0), mod(g.xy * 9.0, vec2(2.0, 0.5))))", floats(0, 2e-6)},
    {"modf", "vec2 w; vec2 p = modf(f.xy * 9.0, w); r = floatBitsToUint(vec4(p, w))", floats(0, 1e-6)},
    {"frexp", "ivec2 e; vec2 m = frexp(f.xy, e); r = uvec4(floatBitsToUint(m), e)"},
    {"ldexp", "r = floatBitsToUint(ldexp(f, ivec4(b & 63u) - 32))", floats(0)},
    {"ldexp far", "r = floatBitsToUint(ldexp(f, ivec4(b % 240u) - 120))", floats(0, 1.2e-38)},
    {"conversions", "r = uvec4(ivec4(f * 1.0e6)) + uvec4(abs(g) * 1.0e3)"},
    {"integers to floats", "r = floatBitsToUint(vec4(vec2(a.xy), vec2(ivec2(a.zw))))", floats(1.2e-7)},
    {"NaN and infinity",
     "vec4 x = uintBitsToFloat(a | (b & 0x7f800000u) | ((b.x & 1u) * 0x7f800000u)); r = uvec4(isnan(x)) + 2u * uvec4(isinf(x))"},
    {"extremes of floats", "r = floatBitsToUint(vec4(min(f.x, g.x), max(f.y, g.y), clamp(f.z, -0.5, 0.5), sign(f.w)))",
     floats(0)},
    {"step and mix",
     "r = floatBitsToUint(vec4(step(f.x, g.x), smoothstep(-0.5, 0.75, f.y), mix(f.z, g.z, 0.25), mix(f.w, g.w, a.x > b.x)))",
     floats(2e-6, 1e-6)},
    {"fma", "r = floatBitsToUint(fma(f, g, f.wzyx))", floats(1e-6, 1e-6)},
    {"quotients", "r = floatBitsToUint(f / (g + sign(g) * 0.01))", floats(4e-7, 1e-30)},
    {"square roots", "r = floatBitsToUint(vec4(sqrt(abs(f.xy)), inversesqrt(abs(f.zw) + 0.001)))", floats(6e-7, 1e-30)},
    {"exponentials", "r = floatBitsToUint(vec4(exp2(f.x * 9.0), exp(f.y * 9.0), exp2(-f.z), exp(g.w)))", floats(4e-6)},
    {"logarithms",
     "r = floatBitsToUint(vec4(log2(abs(f.x) + 0.001), log(abs(f.y) + 0.001), log2(float(a.z | 1u)), log(float(a.w | 1u))))",
     floats(1e-6, 1e-6)},
    {"powers", "r = floatBitsToUint(pow(abs(f) + 0.01, g * 4.0))", floats(3e-5)},
    {"sines", "r = floatBitsToUint(vec4(sin(f.xy * 3.14), cos(f.zw * 3.14)))", floats(0, 1e-3)},
    {"tangents", "r = floatBitsToUint(vec4(tan(f.x), sinh(f.y), cosh(f.z), tanh(f.w * 4.0)))", floats(2e-3, 2e-3)},
    {"arc functions",
     "r = floatBitsToUint(vec4(asin(clamp(f.x, -1.0, 1.0)), acos(clamp(f.y, -1.0, 1.0)), atan(f.z * 9.0), atan(f.w, g.w)))",
     floats(1e-3, 1e-3)},
    {"areal functions",
     "r = floatBitsToUint(vec4(asinh(f.x), acosh(1.0 + abs(f.y)), atanh(clamp(f.z, -0.9, 0.9)), degrees(radians(f.w))))",
     floats(2e-3, 2e-3)},
    {"lengths", "r = floatBitsToUint(vec4(length(f.xyz), distance(f, g), dot(f, g), normalize(f.xyz + 2.0).y))",
     floats(3e-6, 1e-5)},
    {"vectors",
     "r = floatBitsToUint(vec4(cross(f.xyz, g.xyz), 0.0) + reflect(f, normalize(g)) + refract(normalize(f), normalize(g), 0.7) + "
     "faceforward(f, g, f.wzyx))",
     floats(3e-5, 3e-5)},
    {"matrices", "mat3 m = mat3(f.xyz, g.yzw, f.wxy) + mat3(3.0); r = floatBitsToUint(vec4(inverse(m) * g.xyz, determinant(m)))",
     floats(1e-4, 1e-4)},
    {"matrices of 4",
     "mat4 m = outerProduct(f, g) + mat4(4.0); r = floatBitsToUint(transpose(matrixCompMult(m, mat4(f, g, f, g))) * (inverse(m) "
     "* f))",
     floats(2e-4, 2e-4)},
    {"indexed arrays",
     "uint t[8]; for (int i = 0; i < 8; i++) t[i] = a[i & 3] * uint(i + 1); t[b.x & 7u] += 5u; vec4 v = f; v[b.z & 3u] = 7.0; "
     "r = uvec4(t[b.y & 7u], t[b.x & 7u], floatBitsToUint(v[b.w & 3u]), floatBitsToUint(v[b.z & 3u]))"},
    {"loops",
     "uint x = a.x | 1u, n = 0u; while (x != 1u && n < 40u) { x = (x & 1u) != 0u ? 3u * x + 1u : x >> 1; n++; if ((x & 0xffu) == "
     "b.y) continue; "
     "if (x == b.x) break; } r = uvec4(x, n, a.z, b.w)"},
    {"switches",
     "uint s = 0u; switch (a.x & 7u) { case 0u: s += 1u; case 1u: s += 10u; break; case 5u: s = 7u; break; case 6u: for (uint i "
     "= 0u; "
     "i < (b.x & 15u); i++) s += i; default: s += 100u; } r = uvec4(s)"},
};

std::string body_of(const Function& f) {
  return std::string("uvec4 result(uvec4 a, uvec4 b, vec4 f, vec4 g) { uvec4 r; ") + f.body + "; return r; }\n";
}
constexpr const char* inputs =
    "layout(std430, binding = 0) readonly buffer Inputs { uvec4 words[]; };\n"
    "layout(std430, binding = 1) writeonly buffer Results { uvec4 results[]; };\n";
constexpr const char* call =
    "results[n] = result(words[4u * n], words[4u * n + 1u], uintBitsToFloat(words[4u * n + 2u]), uintBitsToFloat(words[4u * n + "
    "3u]));";

std::vector<uint32_t> input_words() {
  Random random{7};
  std::vector<uint32_t> words;
  for (unsigned lane = 0; lane < lanes; lane++)
    for (unsigned n = 0; n < 16; n++) {
      if (n < 8) {
        uint32_t word = random.word();
        if (lane % 8 == 1) word = 0xffffffffu << random.below(32);
        if (lane % 8 == 2) word >>= random.below(32);
        if (lane % 64 == 3) word = 0;
        if (lane % 64 == 4) word = n & 1 ? 0xffffffffu : 0x80000000u;
        words.push_back(word);
      } else {
        float value = 2.5f * random.unit() - 1.25f;
        if (lane % 16 == 5) value = float(int(random.below(9)) - 4) / 4;
        if (lane % 16 == 6) value *= 0.001f;
        uint32_t word;
        std::memcpy(&word, &value, 4);
        words.push_back(word);
      }
    }
  return words;
}

}  // namespace

void builtins() {
  const GLuint source = make_buffer(GL_SHADER_STORAGE_BUFFER, 0, input_words());
  GLuint texture = 0, framebuffer = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_R8, 32, 16);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  glViewport(0, 0, 32, 16);
  for (auto& f : functions)
    for (const char* stage : {"vertex", "pixel", "compute"}) {
      const GLuint target = make_buffer(GL_SHADER_STORAGE_BUFFER, 1, std::vector<uint32_t>(4 * lanes, 0x55555555));
      const std::string head = std::string("#version 450\n") + inputs + body_of(f);
      const std::string name = std::string(f.name) + ", " + stage;
      GLuint program = 0;
      if (*stage == 'c') {
        program = sheet::make_program(
            {{GL_COMPUTE_SHADER,
              head + "layout(local_size_x = 64) in; void main() { uint n = gl_GlobalInvocationID.x; " + call + " }"}});
        glUseProgram(program);
        glDispatchCompute(lanes / 64, 1, 1);
      } else if (*stage == 'v') {
        program = sheet::make_program(
            {{GL_VERTEX_SHADER, head + "void main() { uint n = uint(gl_VertexID); " + call + " gl_Position = vec4(2.0); }"}});
        glUseProgram(program);
        glEnable(GL_RASTERIZER_DISCARD);
        glDrawArrays(GL_POINTS, 0, lanes);
        glDisable(GL_RASTERIZER_DISCARD);
      } else {
        program = sheet::make_program(
            {{GL_VERTEX_SHADER,
              "#version 450\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }"},
             {GL_FRAGMENT_SHADER,
              head + "out vec4 colour; void main() { uint n = uint(gl_FragCoord.x) + 32u * uint(gl_FragCoord.y); " + call +
                  " colour = vec4(1.0); }"}});
        glUseProgram(program);
        glDrawArrays(GL_TRIANGLES, 0, 3);
      }
      if (!program) judge(name, "no program");
      keep(name, f.bound, words_of(target, 4 * lanes));
      glUseProgram(0);
      glDeleteProgram(program);
      glDeleteBuffers(1, &target);
    }
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteTextures(1, &texture);
  glDeleteBuffers(1, &source);
}

}  // namespace gl_cases
