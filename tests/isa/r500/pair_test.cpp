// R5xx pairs on both engines: against values worked out by hand, against a scalar model of one pixel that reads the words on its
// own, and both engines bit for bit on random programs.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>

#include "isa/r500/machine.h"
#include "isa/r500/random_words.h"
#include "isa/r500/text.h"

namespace Atoll::r500 {
namespace {

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
float number(uint32_t x) { return std::bit_cast<float>(x); }

// Denormals are 0 where the model computes.
struct NoDenormals {
  unsigned before = _mm_getcsr();
  NoDenormals() { _mm_setcsr(before | 0x8040); }
  ~NoDenormals() { _mm_setcsr(before); }
};

// --- the scalar model: one pixel, plain C++ floats, bits as the manual's tables have them
struct Pixel {
  float t[kTemporaries][4], c[kConstants][4], o[kOutputs][4], depth;
  bool p[4], alu_result, zero_rule;
  uint32_t loop;

  static uint32_t cut(uint32_t word, int high, int low) { return uint32_t(word << (31 - high)) >> (31 - high + low); }
  // Channel `n` of source `which` at an address word (US_ALU_RGB_ADDR, US_ALU_ALPHA_ADDR).
  float address(uint32_t word, int which, int n) const {
    int at = which * 10;
    uint32_t number = cut(word, at + 7, at);
    bool constant = word >> (at + 8) & 1, relative = word >> (at + 9) & 1;
    if (!constant && number >= 128) {
      uint32_t exponent = number >> 3 & 15, mantissa = number & 7;
      return exponent ? std::ldexp(1 + float(mantissa) / 8, int(exponent) - 7) : std::ldexp(float(mantissa) / 8, -6);
    }
    if (relative) number += loop;
    return constant ? c[number % 256][n] : t[number % 128][n];
  }
  float source(const Words& w, uint32_t select, uint32_t swizzle) const {
    if (swizzle == 4 || swizzle == 7) return 0;
    if (swizzle == 5) return 0.5f;
    if (swizzle == 6) return 1;
    uint32_t word = w[swizzle == 3 ? 2 : 1];
    int n = int(swizzle);
    if (select < 3) return address(word, int(select), n);
    float a0 = address(word, 0, n), a1 = address(word, 1, n);
    switch (word >> 30) {
      case 0: return 1 - 2 * a0;
      case 1: return a1 - a0;
      case 2: return a1 + a0;
      default: return 1 - a0;
    }
  }
  // Operand A, B or C (0 to 2) for channel n.
  float read(const Words& w, int which, int n) const {
    static constexpr int rgb_at[] = {0, 13, 12}, alpha_at[] = {12, 19, 25};
    uint32_t word = n < 3 ? w[which == 2 ? 5 : 3] : w[which == 2 ? 5 : 4];
    int at = n < 3 ? rgb_at[which] : alpha_at[which], modifiers = n < 3 ? at + 11 : at + 5,
        swizzle = at + 2 + (n < 3 ? n * 3 : 0);
    float x = source(w, cut(word, at + 1, at), cut(word, swizzle + 2, swizzle));
    if (word >> (modifiers + 1) & 1) x = std::fabs(x);
    return word >> modifiers & 1 ? -x : x;
  }
  // A * B for channel n; 1 of the instruction itself leaves the other factor as it is.
  float product(const Words& w, int n) const {
    auto is_one = [&](int which) {
      uint32_t word = n < 3 ? w[3] : w[4];
      int at = n < 3 ? 2 + which * 13 + n * 3 : 14 + which * 7, sign = n < 3 ? 11 + which * 13 : 17 + which * 7;
      return cut(word, at + 2, at) == 6 && !(word >> sign & 1);
    };
    float a = read(w, 0, n), b = read(w, 1, n);
    if (is_one(0)) return b;
    if (is_one(1)) return a;
    return zero_rule && (a == 0 || b == 0) ? 0 : a * b;
  }
  // The sine of a + shift turns, exact where the host's sin(k * pi) is not.
  static float turns(float a, double shift) {
    double r = std::remainder(double(a), 1.0);
    r = std::remainder(r + shift, 1.0);
    if (std::fabs(r) > 0.25) r = std::copysign(0.5, r) - r;
    return float(std::sin(r * 2 * M_PI));
  }
  // The value after an output modifier of 1: no denormals.
  static float standardised(float x) { return bits(x) & 0x7f800000 ? x : number(bits(x) & 0x80000000); }
  static bool compare(uint32_t how, float x) { return how == 0 ? x == 0 : how == 1 ? x < 0 : how == 2 ? x >= 0 : x != 0; }
  float channel_result(const Words& w, int n) const {
    float a = read(w, 0, n), b = read(w, 1, n), third = read(w, 2, n);
    static const char* rgb_names[] = {"mad", "", "", "", "min", "max", "", "cnd", "cmp", "frc", "", "mdh", "mdv", "", "", ""};
    static const char* alpha_names[] = {"mad", "",    "min", "max", "",    "cnd", "cmp", "frc",
                                        "ex2", "ln2", "rcp", "rsq", "sin", "cos", "mdh", "mdv"};
    std::string_view op = n < 3 ? rgb_names[w[5] & 15] : alpha_names[w[4] & 15];
    if (op == "mad") {
      volatile float rounded = product(w, n);  // not fused
      return rounded + third;
    }
    if (op == "min") return a < b ? a : b;
    if (op == "max") return a >= b ? a : b;
    if (op == "cnd") return third > 0.5f ? a : b;
    if (op == "cmp") return third >= 0 ? a : b;
    if (op == "frc") return a - std::floor(a);
    if (op == "ex2") return float(std::exp2(double(a)));
    if (op == "ln2") return float(std::log2(double(a)));
    if (op == "rcp") return 1 / a;
    if (op == "rsq") return a < 0 ? NAN : float(1 / std::sqrt(double(a)));
    if (op == "sin") return turns(a, 0);
    if (op == "cos") return turns(a, 0.25);
    return 0;
  }
  void step(const Words& w) {
    NoDenormals guard;
    float value[4];
    for (int n = 0; n < 4; n++) value[n] = channel_result(w, n);
    uint32_t rgb_op = w[5] & 15, alpha_op = w[4] & 15;
    if (rgb_op >= 1 && rgb_op <= 3) {
      volatile float sum = 0, one = 0;
      for (int n = 0; n < (rgb_op == 2 ? 4 : rgb_op == 1 ? 3 : 2); n++) {
        one = product(w, n);
        sum = n ? sum + one : one;
      }
      if (rgb_op == 3) sum = sum + read(w, 2, 2);
      value[0] = value[1] = value[2] = sum;
      if (alpha_op == 1) value[3] = sum;
    }
    if (rgb_op == 10) value[0] = value[1] = value[2] = value[3];
    const bool before[4] = {p[0], p[1], p[2], p[3]};
    const bool output = w[0] & 1;
    for (int n = 0; n < 4; n++) {
      float x = value[n];
      uint32_t inst = n < 3 ? w[3] : w[4], omod = cut(inst, 28, 26), target = cut(inst, 30, 29);
      if (omod == 0) x = standardised(x);
      if (omod >= 1 && omod <= 3) x *= float(1 << omod);
      if (omod >= 4 && omod <= 6) x /= float(1 << (omod - 3));
      if (w[0] >> (n < 3 ? 19 : 20) & 1 && omod != 7) x = !(x > 0) ? 0 : x > 1 ? 1 : x;
      if (w[3] >> 31 && n == (w[0] >> 21 & 1 ? 3 : 0)) alu_result = compare(cut(w[0], 24, 23), x);
      uint32_t predicate = n < 3 ? cut(w[0], 5, 3) : cut(w[0], 27, 25);
      bool inverted = w[0] >> (n < 3 ? 6 : 22) & 1;
      if (predicate && before[predicate == 1 ? n : int(predicate) - 2] == inverted) continue;
      uint32_t destination = cut(n < 3 ? w[5] : w[4], 10, 4) + ((n < 3 ? w[5] : w[4]) >> 11 & 1 ? loop : 0);
      if (w[0] >> (11 + n) & 1) t[destination % 128][n] = x;
      if (n == 3 && w[4] >> 31) depth = x;
      if (!(w[0] >> (15 + n) & 1)) continue;
      if (output)
        o[target][n] = x;
      else
        p[n] = compare(target, x);
    }
  }
};

Pixel pixel_of(Machine& m, uint32_t l) {
  Pixel x{};
  for (uint32_t c = 0; c < 4; c++) {
    for (uint32_t n = 0; n < kTemporaries; n++) x.t[n][c] = number(m.t(n, c, l));
    for (uint32_t n = 0; n < kConstants; n++) x.c[n][c] = number(m.word(constant_cell(n, c)));
    for (uint32_t n = 0; n < kOutputs; n++) x.o[n][c] = number(m.o(n, c, l));
    x.p[c] = m.word(predicate_cell(c)) >> l & 1;
  }
  x.depth = number(m.word(depth_cell + l * 4)), x.alu_result = m.word(alu_result_cell) >> l & 1;
  x.zero_rule = m.word(config_cell) & 2, x.loop = m.word(loop_register_cell);
  return x;
}
void expect_like(uint32_t is, float model, const char* what, uint32_t n, uint32_t c, uint32_t l) {
  if (std::isnan(model))
    EXPECT_TRUE(std::isnan(number(is))) << what << n << " channel " << c << " pixel " << l << ": " << number(is);
  else
    EXPECT_EQ(is, bits(model)) << what << n << " channel " << c << " pixel " << l << ": " << number(is) << ", not " << model;
}

// --- random programs -----------------------------------------------------------------------------------------------------------
// Temporaries and constants 0 to 9: 0 to 3 are named, and the loop register is at most 6.
void fill(Random& random, Machine& m) {
  for (uint32_t c = 0; c < 4; c++) {
    for (uint32_t n = 0; n < 10; n++) {
      m.word(constant_cell(n, c)) = random.value();
      for (uint32_t l = 0; l < tested_pixels; l++) {
        m.t(n, c, l) = random.value();
        if (n < kOutputs) m.o(n, c, l) = random.value();
      }
    }
    m.word(predicate_cell(c)) = random.word();
  }
  m.word(alu_result_cell) = random.word();
  m.word(config_cell) = random.below(2) * 2;
  m.word(loop_register_cell) = random.below(7);
  m.word(active_cell) = random.below(2) ? ~0u : random.word();
}

TEST(Engines, RandomProgramsGiveTheSameBits) {
  for (uint32_t seed = 1; seed <= 200; seed++) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<Words> program;
    uint64_t called = 0;
    for (int n = 0; n < 12; n++) {
      program.push_back(random.pair(true, n % 4 == 3));
      Pair p = pair_of(program.back());
      called += p.relative() || is_quad(p.rgb.op) || is_quad(p.alpha.op) || p.write_inactive;
    }
    Machine a, b;
    fill(random, a);
    std::memcpy(wave::bytes_of(*b.w, wave::register_file_offset), a.registers().data(), register_file_bytes);
    a.run(program, wave::EngineChoice::Interpreter);
    b.run(program, wave::EngineChoice::Jit, called);
    ASSERT_TRUE(std::ranges::equal(a.registers(), b.registers()));
  }
}

class Pairs : public testing::TestWithParam<wave::EngineChoice> {
protected:
  Machine m;
  // Every pixel's t, i from its own values; constants shared.
  void run(std::initializer_list<const char*> text, uint64_t called = 0) {
    std::vector<Words> program;
    for (const char* line : text) {
      auto parsed = parse(line);
      ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
      program.push_back(*parsed);
    }
    m.run(program, GetParam(), called);
  }
  void set(uint32_t n, float x, float y, float z, float w) {
    const float v[] = {x, y, z, w};
    for (uint32_t c = 0; c < 4; c++)
      for (uint32_t l = 0; l < tested_pixels; l++) m.t(n, c, l) = bits(v[c]);
  }
  void constant(uint32_t n, float x, float y, float z, float w) {
    const float v[] = {x, y, z, w};
    for (uint32_t c = 0; c < 4; c++) m.word(constant_cell(n, c)) = bits(v[c]);
  }
  void expect(uint32_t n, float x, float y, float z, float w) {
    const float v[] = {x, y, z, w};
    for (uint32_t c = 0; c < 4; c++)
      for (uint32_t l = 0; l < tested_pixels; l++)
        ASSERT_EQ(m.t(n, c, l), bits(v[c])) << "channel " << c << " pixel " << l << ": " << number(m.t(n, c, l));
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Pairs, testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit),
                         [](const auto& info) { return info.param == wave::EngineChoice::Jit ? "Jit" : "Interpreter"; });

TEST_P(Pairs, SwizzlesModifiersAndMasks) {
  set(0, 9, 9, 9, 9), set(1, 1, 2, 3, 4), set(2, -8, 0.25f, 5, -16), constant(0, 10, 20, 30, 40);
  run({"mad t0.rb, t1.zyx, c0.wh1, -t2.zzz | rcp t0.a, |t2.w|"});
  expect(0, 3 * 40 - 5, 9, 1 * 1 - 5, 1.0f / 16);
}

TEST_P(Pairs, BothReadBeforeEitherWrites) {
  set(0, 1, 2, 3, 4);
  run({"mad t0.rgb, t0.www, 1, t0.yzx | mad t0.a, t0.x, 1, t0.y"});
  expect(0, 6, 7, 5, 3);
}

TEST_P(Pairs, DotsAndTheOtherUnitsResult) {
  set(1, 1, 2, 3, 4), constant(3, 10, 20, 30, 40);
  run({"dp3 t0.rgb, t1, c3 | dp t0.a", "dp4 t2.g, t1.xyzw, c3.wzyx | dp t2.a", "d2a t3.b, t1, c3, c3.xyw",
       "sop t4.rgb | ex2 t4.a, t1.z"});
  expect(0, 140, 140, 140, 140);
  expect(2, 0, 200, 0, 200);
  expect(3, 0, 0, 90, 0);
  expect(4, 8, 8, 8, 8);
}

TEST_P(Pairs, OutputModifiers) {
  set(1, 0.25f, 3, -2, 4);
  run({"mad.x4 t0.rgb, t1, 1, 0 | mad.d8 t0.a, t1.w, 1, 0", "mad.sat.x2 t2.rgb, t1, 1, 0 | ln2.sat t2.a, t1.x",
       "frc t3.rgb, -t1.xxy | rsq t3.a, t1.w", "mad o2.rgb+t5.r, t1, 1, 0 | min.exact o2.a, t1.w, t1.y"});
  expect(0, 1, 12, -8, 0.5f);
  expect(2, 0.5f, 1, 0, 0);
  expect(3, 0.75f, 0.75f, 0, 0.5f);
  expect(5, 0.25f, 0, 0, 0);
  EXPECT_EQ(m.o(2, 0, 31), bits(0.25f));
  EXPECT_EQ(m.o(2, 3, 31), bits(3));
}

TEST_P(Pairs, PredicateOfEveryPixel) {
  for (uint32_t l = 0; l < tested_pixels; l++) m.i(0, 0, l) = bits(float(l) - 10), m.i(0, 1, l) = bits(l % 2 ? 1.0f : 0.0f);
  set(7, -1, -1, -1, -1);
  m.word(active_cell) = 0x7fffffff;
  run({"mad.lt p.rg, i0.xyx, 1, 0", "(p.r) mad t7.rgb, 1, 1, 0 | (!p.r) mad t7.a, 1, 1, 1", "mad.ne t8.g+p.g, i0.xyx, 1, 0",
       "(p) mad t9.rgb, 1, 1, 1"});
  for (uint32_t l = 0; l < tested_pixels; l++) {
    bool active = l < 31, less = l < 10, odd = l % 2;
    EXPECT_EQ(m.t(7, 0, l), bits(active && less ? 1 : -1)) << l;
    EXPECT_EQ(m.t(7, 3, l), bits(active && !less ? 2 : -1)) << l;
    EXPECT_EQ(m.t(8, 1, l), bits(active && odd ? 1 : 0)) << l;
    EXPECT_EQ(m.t(9, 0, l), bits(active && less ? 2 : 0)) << l;
    EXPECT_EQ(m.t(9, 1, l), bits(active && odd ? 2 : 0)) << l;
    EXPECT_EQ(m.t(9, 2, l), 0u) << l;
  }
}

TEST_P(Pairs, NaN) {
  set(1, NAN, 1, -1, NAN), set(2, 2, NAN, 3, 5);
  run({"min t0.rgb, t1, t2 | max t0.a, t1.w, t2.w", "cmp t3.rgb, 1, 0, t1.xyz | cnd t3.a, 1, 0, t1.x",
       "mad.sat t4.rgb, t1.x, 1, 0", "mad.ne p.r, t1.x, 1, 0 | mad.ge p.a, t1.w, 1, 0"});
  EXPECT_EQ(m.t(0, 0, 0), bits(2));
  EXPECT_TRUE(std::isnan(number(m.t(0, 1, 0))));
  EXPECT_EQ(m.t(0, 2, 0), bits(-1));
  EXPECT_EQ(m.t(0, 3, 0), bits(5));
  expect(3, 0, 1, 0, 0);
  expect(4, 0, 0, 0, 0);
  EXPECT_EQ(m.word(predicate_cell(0)), ~0u);
  EXPECT_EQ(m.word(predicate_cell(3)), 0u);
}

TEST_P(Pairs, PresubtractInlineConstantsAndDepth) {
  set(1, 1, 2, 3, 4), set(2, 10, 20, 30, 40);
  m.word(config_cell) = 0;
  run({"{t1, t2, 0, 1-2*s0 | t2, t1, 0, s1-s0} mad t3.rgb, sp.xyz, 1, 0 | mad t3.a, sp.w, 1, 0",
       "{t1, t2, 0, s1+s0 | t2, t1, 0, 1-s0} mad t4.rgb, sp.zyw, 1, 0 | mad t4.a, sp.x, 1, 0",
       "mad t5.rgb, 2.5, t1, 0.001953125 | mad t5.a+depth, 480, 1, 0"});
  expect(3, -1, -3, -5, 4 - 40);
  expect(4, 33, 22, 1 - 40, 11);
  expect(5, 2.5f + 1 / 512.0f, 5 + 1 / 512.0f, 7.5f + 1 / 512.0f, 480);
  EXPECT_EQ(m.word(depth_cell + 31 * 4), bits(480));
}

TEST_P(Pairs, ZeroTimesAnything) {
  set(1, INFINITY, 0, NAN, 2);
  for (uint32_t rule : {0u, 2u}) {
    m.word(config_cell) = rule;
    run({"mad t0.rgb, t1, 0, 1 | mad t0.a, t1.z, t1.y, 1", "dp3 t2.rgb, t1.xyz, 0 | dp t2.a"});
    for (uint32_t c : {0u, 2u, 3u}) EXPECT_EQ(std::isnan(number(m.t(0, c, 5))), rule == 0) << c;
    EXPECT_EQ(m.t(0, 1, 5), bits(1));
    EXPECT_EQ(std::isnan(number(m.t(2, 0, 5))), rule == 0);
    if (rule) expect(0, 1, 1, 1, 1), expect(2, 0, 0, 0, 0);
  }
}

TEST_P(Pairs, AluResult) {
  for (uint32_t l = 0; l < tested_pixels; l++) m.t(1, 0, l) = bits(float(l) - 3), m.t(1, 3, l) = bits(l == 7 ? 0.0f : 1.0f);
  m.word(active_cell) = 0xffff;
  run({"mad _, t1.x, 1, 0 | nop @alu_wmask @alu_result_op=lt"});
  EXPECT_EQ(m.word(alu_result_cell), 7u);
  run({"nop | mad _, t1.w, 1, 0 @alu_wmask @alu_result_sel=alpha @alu_result_op=eq"});
  EXPECT_EQ(m.word(alu_result_cell), 1u << 7);
  run({"nop | mad t2.a, t1.w, 1, 0 @alu_result_sel=alpha @alu_result_op=ne"});  // without ALU_WMASK
  EXPECT_EQ(m.word(alu_result_cell), 1u << 7);
}

// A pixel and its neighbours: mdh takes the right one of the upper row, mdv the lower one of the left column.
TEST_P(Pairs, Quads) {
  for (uint32_t l = 0; l < tested_pixels; l++)
    for (uint32_t c = 0; c < 4; c++) m.t(1, c, l) = bits(float(l * l + c * 100));
  run({"{t1, 1, 1 | t1, 1, 1} mdh t2.rgb, s0.xyz, -1, s0.xyz | mdv t2.a, s0.w, -1, s0.w"}, GetParam() == wave::EngineChoice::Jit);
  for (uint32_t l = 0; l < tested_pixels; l++) {
    uint32_t q = l & ~3u;
    for (uint32_t c = 0; c < 3; c++) EXPECT_EQ(m.t(2, c, l), bits(float((q + 1) * (q + 1)) - float(q * q))) << l;
    EXPECT_EQ(m.t(2, 3, l), bits(float((q + 2) * (q + 2)) - float(q * q))) << l;
  }
}

TEST_P(Pairs, RelativeAddressesAndInactivePixels) {
  set(5, 1, 2, 3, 4), constant(13, 5, 6, 7, 8), m.word(loop_register_cell) = 3, m.word(active_cell) = 2;
  run({"mad t[al+127].rgb, t[al+2].xyz, 1, c[al+10].xyz | mad t[al+4].a, t[al+2].w, 1, 0 @write_inactive", "mad t9.rgb, 1, 1, 0"},
      GetParam() == wave::EngineChoice::Jit);
  expect(2, 6, 8, 10, 0);
  expect(7, 0, 0, 0, 4);
  EXPECT_EQ(m.word(active_cell), 2u);
  EXPECT_EQ(m.t(9, 0, 0), 0u);
  EXPECT_EQ(m.t(9, 0, 1), bits(1));
}

TEST_P(Pairs, TexkillAndWhatIsNotThere) {
  for (uint32_t l = 0; l < tested_pixels; l++) m.t(1, 2, l) = bits(l % 3 == 0 ? -1.0f : 1.0f), m.t(1, 1, l) = bits(-1);
  m.word(active_cell) = 0xff, m.word(killed_cell) = 1u << 31;
  run({"texkill t1.xzzw", "texnop"}, 0);
  EXPECT_EQ(m.word(killed_cell), 1u << 31 | 1 | 1 << 3 | 1 << 6);
  for (const char* text : {"ld t0.rgba, tex0, t1", "{t0, t1, t2 | t0, t1, t2} sop t0.r | mad _, 0, 0, 0"}) {
    Machine machine;
    auto words = parse(text);
    ASSERT_TRUE(words) << text;
    std::vector<uint32_t> code(words->begin(), words->end());
    wave::Program program(fragment_isa(), 0x1000, code);
    machine.w->pc = 0x1000;
    wave::Executor executor(program, GetParam(), *machine.w);
    executor.run(*machine.w);
    EXPECT_EQ(machine.w->stop, wave::Stop::Fault) << text;
    EXPECT_EQ(machine.w->fault.kind, wave::FaultKind::Illegal) << text;
    EXPECT_EQ(machine.w->fault.pc, 0x1000u) << text;
  }
}

TEST_P(Pairs, RandomPairsGiveWhatTheModelSays) {
  Random random(99);
  for (int round = 0; round < 100; round++) {
    Machine machine;
    fill(random, machine);
    std::vector<Words> program = {random.pair(false, false), random.pair(false, true)};
    program[1][0] &= ~(1u << 7);  // the model has active pixels alone
    Pair second = pair_of(program[1]);
    if (is_quad(second.rgb.op) || is_quad(second.alpha.op)) continue;  // and no neighbours
    SCOPED_TRACE(print(program[0]) + " ; " + print(program[1]));
    // The same where the rule for zeros is known as the program is decoded, whatever the register says.
    Machine known;
    std::memcpy(wave::bytes_of(*known.w, wave::register_file_offset), machine.registers().data(), register_file_bytes);
    known.zero_rule = machine.word(config_cell) & 2 ? ZeroRule::on : ZeroRule::off;
    known.word(config_cell) ^= 2;
    std::vector<Pixel> model;
    for (uint32_t l = 0; l < tested_pixels; l++) {
      model.push_back(pixel_of(machine, l));
      if (machine.word(active_cell) >> l & 1)
        for (const Words& words : program) model[l].step(words);
    }
    machine.run(program, GetParam(), GetParam() == wave::EngineChoice::Jit && second.relative());
    known.run(program, GetParam(), GetParam() == wave::EngineChoice::Jit && second.relative());
    known.word(config_cell) ^= 2;
    EXPECT_TRUE(std::ranges::equal(known.registers(), machine.registers()));
    for (uint32_t l = 0; l < tested_pixels; l++) {
      for (uint32_t c = 0; c < 4; c++) {
        for (uint32_t n = 0; n < 10; n++) {
          expect_like(machine.t(n, c, l), model[l].t[n][c], "t", n, c, l);
          if (n < kOutputs) expect_like(machine.o(n, c, l), model[l].o[n][c], "o", n, c, l);
        }
        EXPECT_EQ(machine.word(predicate_cell(c)) >> l & 1, uint32_t(model[l].p[c])) << "p " << c << " pixel " << l;
      }
      expect_like(machine.word(depth_cell + l * 4), model[l].depth, "depth", 0, 0, l);
      EXPECT_EQ(machine.word(alu_result_cell) >> l & 1, uint32_t(model[l].alu_result)) << "ALU result of pixel " << l;
    }
    if (HasFailure()) return;
  }
}

// The functions against the host's in f64: at most the last bit differs, and special values do not.
TEST_P(Pairs, Functions) {
  Random random(5);
  for (const char* line :
       {"ex2 t1.a, t0.x", "ln2 t1.a, t0.x", "rcp t1.a, t0.x", "rsq t1.a, t0.x", "sin t1.a, t0.x", "cos t1.a, t0.x"}) {
    SCOPED_TRACE(line);
    auto pair = parse(line);
    ASSERT_TRUE(pair);
    for (int round = 0; round < 60; round++) {
      for (uint32_t l = 0; l < tested_pixels; l++) m.t(0, 0, l) = random.value();
      m.run({*pair}, GetParam());
      for (uint32_t l = 0; l < tested_pixels; l++) {
        Pixel x = pixel_of(m, l);
        x.step(*pair);
        uint32_t is = m.t(1, 3, l), wanted = bits(x.t[1][3]);
        if (std::isnan(number(wanted)))
          EXPECT_TRUE(std::isnan(number(is))) << x.t[0][0];
        else if (number(wanted) == 0)  // of a sine at whole turns either sign
          EXPECT_EQ(number(is), 0) << x.t[0][0];
        else
          EXPECT_LE(is > wanted ? is - wanted : wanted - is, std::isfinite(number(wanted)) ? 1u : 0u)
              << x.t[0][0] << ": " << number(is);
      }
    }
  }
}

// For every significand and both parities of the exponent, and for other values: 1 / sqrt(x) rounded once.
TEST_P(Pairs, EveryReciprocalRoot) {
  constexpr uint32_t operands = 120 * tested_pixels;  // of a run: a temporary register each for the pixels'
  std::vector<uint32_t> code;
  for (uint32_t n = 0; n < operands / tested_pixels; n++) {
    auto pair = parse(fmt::format("rsq t{}.a, t{}.x", n, n));
    ASSERT_TRUE(pair);
    code.insert(code.end(), pair->begin(), pair->end());
  }
  wave::Program program(fragment_isa(no_last_instruction, ZeroRule::by_register), 0x1000, code);
  wave::Executor executor(program, GetParam(), *m.w);
  std::vector<uint32_t> others = {0,           0x80000000u, 1,           0x807fffffu, 0x7f800000u,
                                  0xff800000u, 0x7f812345u, 0xffc12345u, 0xbf800000u};
  for (uint32_t exponent = 1; exponent < 255; exponent++)
    for (uint32_t mantissa : {0u, 1u, 0x7ffffeu, 0x7fffffu, 0x123456u}) others.push_back(exponent << 23 | mantissa);
  constexpr uint32_t first = 0x3f800000u, count = 1u << 24;
  const uint32_t all = count + uint32_t(others.size());
  auto operand = [&](uint32_t n) { return n < count ? first + n : n < all ? others[n - count] : first; };
  uint32_t wrong = 0;
  for (uint32_t begin = 0; begin < all; begin += operands) {
    for (uint32_t n = 0; n < operands; n++) m.t(n / tested_pixels, 0, n % tested_pixels) = operand(begin + n);
    m.w->pc = 0x1000;
    executor.run(*m.w);
    ASSERT_EQ(m.w->fault.kind, wave::FaultKind::Fetch);
    NoDenormals scope;
    for (uint32_t n = 0; n < operands; n++) {
      const uint32_t x = operand(begin + n), is = m.t(n / tested_pixels, 3, n % tested_pixels);
      const float root = float(1 / std::sqrt(double(number(x))));
      const bool good = std::isnan(root) ? std::isnan(number(is)) : is == bits(root);
      if (!good && wrong++ < 5) ADD_FAILURE() << fmt::format("rsq of {:#010x}: {:#010x} instead of {:#010x}", x, is, bits(root));
    }
  }
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace Atoll::r500
