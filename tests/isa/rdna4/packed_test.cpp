// Packed 16-bit integers, and dot products of integers and of small floats, against scalar references. RDNA4 ISA 7.7, 16.10.
#include "card_sum.h"
#include "exact_floats.h"
#include "vector_check.h"

namespace Atoll::rdna4::test {
namespace {

using In = LaneInput;
using wave::FloatClass;
using wave::Rounding;

uint32_t source(const In& in, int n) { return n == 0 ? in.a[0] : n == 1 ? in.b[0] : in.c[0]; }
uint16_t picked(const In& in, int n, bool high) {
  bool upper = (high ? in.i->op_sel_hi : in.i->op_sel) >> n & 1;
  return uint16_t(upper ? source(in, n) >> 16 : source(in, n));
}
int64_t held(int64_t x, int bits, bool is_signed, bool clamp) {
  int64_t most = (int64_t(1) << (is_signed ? bits - 1 : bits)) - 1, least = is_signed ? -most - 1 : 0;
  return clamp ? std::clamp(x, least, most) : x;
}

TEST(Packed, Integers) {
  struct Row {
    const char* name;
    bool is_signed;
    int64_t (*exact)(int64_t a, int64_t b, int64_t c);
  };
  const Row rows[] = {
      {"v_pk_add_u16", false, [](int64_t a, int64_t b, int64_t) { return a + b; }},
      {"v_pk_add_i16", true, [](int64_t a, int64_t b, int64_t) { return a + b; }},
      {"v_pk_sub_u16", false, [](int64_t a, int64_t b, int64_t) { return a - b; }},
      {"v_pk_sub_i16", true, [](int64_t a, int64_t b, int64_t) { return a - b; }},
      {"v_pk_mul_lo_u16", false, [](int64_t a, int64_t b, int64_t) { return a * b; }},
      {"v_pk_mad_u16", false, [](int64_t a, int64_t b, int64_t c) { return a * b + c; }},
      {"v_pk_mad_i16", true, [](int64_t a, int64_t b, int64_t c) { return a * b + c; }},
      {"v_pk_max_u16", false, [](int64_t a, int64_t b, int64_t) { return std::max(a, b); }},
      {"v_pk_max_i16", true, [](int64_t a, int64_t b, int64_t) { return std::max(a, b); }},
      {"v_pk_min_u16", false, [](int64_t a, int64_t b, int64_t) { return std::min(a, b); }},
      {"v_pk_min_i16", true, [](int64_t a, int64_t b, int64_t) { return std::min(a, b); }},
      {"v_pk_lshlrev_b16", false, [](int64_t a, int64_t b, int64_t) { return (b << (a & 15)) & 0xffff; }},
      {"v_pk_lshrrev_b16", false, [](int64_t a, int64_t b, int64_t) { return b >> (a & 15); }},
      {"v_pk_ashrrev_i16", true, [](int64_t a, int64_t b, int64_t) { return b >> (a & 15); }},
  };
  for (const Row& row : rows)
    check_vector({.name = row.name, .clamp = true, .packed = true}, [&](const In& in) {
      auto half = [&](bool high) {
        auto x = [&](int n) { return row.is_signed ? int64_t(int16_t(picked(in, n, high))) : int64_t(picked(in, n, high)); };
        return uint32_t(held(row.exact(x(0), x(1), x(2)), 16, row.is_signed, in.i->clamp)) & 0xffff;
      };
      return LaneOutput{{half(false) | half(true) << 16}};
    });
}

// An inline constant is its 32 bits: an integer fills both halves with its sign, a float is the upper half of an f32.
TEST(Packed, InlineConstants) {
  SingleStep wave;
  wave.v(1, 0) = 0x00050007;
  wave.run("v_pk_add_u16", {.dst = 2, .src = {VGPR0 + 1, INTEGER_MINUS_1}, .op_sel_hi = 7});
  EXPECT_EQ(wave.v(2, 0), 0x00040006u);
  wave.run("v_pk_add_u16", {.dst = 2, .src = {VGPR0 + 1, FLOAT_HALF + 2}, .op_sel_hi = 7});
  EXPECT_EQ(wave.v(2, 0), 0x3f850007u);
  wave.v(1, 0) = 0x02020202;
  wave.run("v_dot4_u32_u8", {.dst = 2, .src = {VGPR0 + 1, INTEGER_0 + 3, INTEGER_0 + 1}, .op_sel = 2, .op_sel_hi = 5});
  EXPECT_EQ(wave.v(2, 0), 7u);
}

uint32_t rearranged(const In& in, int n) { return picked(in, n, false) | uint32_t(picked(in, n, true)) << 16; }

TEST(Packed, IntegerDots) {
  for (int bits : {8, 4})
    for (bool mixed : {true, false}) {
      const char* name = bits == 8 ? (mixed ? "v_dot4_i32_iu8" : "v_dot4_u32_u8") : (mixed ? "v_dot8_i32_iu4" : "v_dot8_u32_u4");
      check_vector({.name = name, .clamp = true, .packed = true, .negations = mixed}, [=](const In& in) {
        int64_t sum = mixed ? int64_t(int32_t(in.c[0])) : in.c[0];
        auto element = [&](int n, int at) {
          int64_t x = rearranged(in, n) >> (bits * at) & ((1u << bits) - 1);
          return mixed && in.i->neg >> n & 1 && x >> (bits - 1) ? x - (1 << bits) : x;
        };
        for (int at = 0; at < 32 / bits; at++) sum += element(0, at) * element(1, at);
        return LaneOutput{{uint32_t(held(sum, 32, mixed, in.i->clamp))}};
      });
    }
}

// --- floats

// Small floats in every part of a word, of like size so that sums keep bits of all.
uint32_t float_words(Words& w) {
  uint32_t r = w.next();
  switch (w.next() % 6) {
    case 0: return w.mixed();
    case 1: return (r & 0x83ff83ffu) | 0x3c003c00u + (w.next() & 0x1c001c00u);  // halves around 1
    case 2: return (r & 0x807f807fu) | 0x3f803f80u + (w.next() & 0x07800780u);  // bf16 around 1
    case 3: return (r & 0x80ffffffu) | 0x3f000000u;                             // f32 around 1
    case 4: return (r & 0x80000000u) | (w.next() % 254 + 1) << 23 | (r & 0x7fffffu);
    default: return r;
  }
}
// fma in the value language's rule of NaNs (wave/nan.h).
float fma_by_rule(float a, float b, float c) {
  for (float x : {a, b, c})
    if (std::isnan(x)) return std::bit_cast<float>(std::bit_cast<uint32_t>(x) | 0x400000u);
  float r = std::fma(a, b, c);
  return std::isnan(r) ? std::bit_cast<float>(0xffc00000u) : r;
}
float half_as_float(uint32_t x) {
  if ((x & 0x7fff) > 0x7c00) return std::bit_cast<float>((x & 0x8000) << 16 | 0x7fc00000 | (x & 0x3ff) << 13);
  return float(half_format.value(x));
}
float brain_as_float(uint32_t x) { return std::bit_cast<float>(x << 16); }
LaneOutput word(float x) { return {{std::bit_cast<uint32_t>(x)}}; }

// As the card forms them (card_sum.h).
TEST(Dot, SixteenBitFloatsIntoSingle) {
  for (bool brain : {false, true})
    check_vector({.name = brain ? "v_dot2_f32_bf16" : "v_dot2_f32_f16", .packed = true, .negations = true, .words = float_words},
                 [=](const In& in) {
                   auto x = [&](int n, bool high) {
                     return picked(in, n, high) ^ ((high ? in.i->neg_hi : in.i->neg) >> n & 1 ? 0x8000u : 0u);
                   };
                   const std::array<uint32_t, 2> factors[] = {{x(0, false), x(1, false)}, {x(0, true), x(1, true)}};
                   return LaneOutput{{card_sum(brain, SumResult::single, factors, in.c[0] ^ (in.i->neg & 4 ? 0x80000000u : 0u))}};
                 });
  for (bool brain : {false, true})
    check_vector({.name = brain ? "v_dot2acc_f32_bf16" : "v_dot2acc_f32_f16", .words = float_words}, [=](const In& in) {
      const std::array<uint32_t, 2> factors[] = {{in.a[0] & 0xffff, in.b[0] & 0xffff}, {in.a[0] >> 16, in.b[0] >> 16}};
      return LaneOutput{{card_sum(brain, SumResult::single, factors, in.old[0])}};
    });
}

TEST(Dot, EightBitFloatsRoundToNearestInEveryMode) {
  auto value = [](bool fp8, uint32_t x) {
    if (fp8 && (x & 0x7f) == 0x7f) return std::bit_cast<float>((x & 0x80) << 24 | 0x7ff00000);
    if (!fp8) return half_as_float(x << 8);
    return float(e4m3_format.value(x));
  };
  for (bool a : {false, true})
    for (bool b : {false, true}) {
      std::string name = std::string("v_dot4_f32_") + (a ? "fp8" : "bf8") + (b ? "_fp8" : "_bf8");
      for (uint32_t mode : {0xf0u, 0x03u})
        check_vector({.name = name.c_str(),
                      .clamp = true,
                      .negations = true,
                      .float_class = FloatClass::Nearest,
                      .mode = mode,
                      .words = float_words},
                     [=](const In& in) {
                       float sum = std::bit_cast<float>(in.c[0]);
                       if (in.i->neg_hi & 4) sum = std::fabs(sum);
                       if (in.i->neg & 4) sum = -sum;
                       for (int shift : {0, 8, 16, 24})
                         sum = fma_by_rule(value(a, in.a[0] >> shift & 255), value(b, in.b[0] >> shift & 255), sum);
                       return word(sum);
                     });
    }
}

TEST(Dot, SixteenBitFloatsIntoSixteenBits) {
  for (bool brain : {false, true})
    for (uint32_t mode : {0xf0u, 0x0fu, 0xf0u | MODE_FP16_OVFL}) {
      SingleStep wave(true);
      wave.cell(mode_cell) = mode;
      Words random(7);
      for (int round = 0; round < 200; round++) {
        Instruction i{.dst = 4, .src = {VGPR0 + 1, VGPR0 + 2, VGPR0 + 3}};
        i.op_sel = random.next() & 12, i.neg = random.next() & 7;
        for (uint32_t lane = 0; lane < 64; lane++)
          for (uint32_t n = 1; n < 5; n++) wave.v(n, lane) = float_words(random);
        auto before = [&, old = std::vector<uint32_t>()](uint32_t lane) mutable {
          if (old.empty())
            for (uint32_t l = 0; l < 64; l++) old.push_back(wave.v(4, l));
          return old[lane];
        };
        before(0);
        wave.run(brain ? "v_dot2_bf16_bf16" : "v_dot2_f16_f16", i, FloatClass::Nearest);
        for (uint32_t lane = 0; lane < 64; lane++) {
          uint32_t sum = (i.op_sel & 4 ? wave.v(3, lane) >> 16 : wave.v(3, lane) & 0xffff) ^ (i.neg & 4 ? 0x8000 : 0);
          std::array<uint32_t, 2> factors[2];
          for (int k = 0; k < 2; k++)
            for (uint32_t n = 0; n < 2; n++)
              factors[k][n] = (wave.v(n + 1, lane) >> 16 * k & 0xffff) ^ (i.neg >> n & 1 ? 0x8000u : 0u);
          sum = card_sum(brain, brain ? SumResult::brain : SumResult::half, factors, sum, mode & MODE_FP16_OVFL);
          uint32_t got = i.op_sel & 8 ? wave.v(4, lane) >> 16 : wave.v(4, lane) & 0xffff;
          uint32_t kept = i.op_sel & 8 ? 0xffff : 0xffff0000;
          ASSERT_EQ(wave.v(4, lane) & kept, before(lane) & kept);
          ASSERT_EQ(got, sum) << brain << std::hex << " " << wave.v(1, lane) << " " << wave.v(2, lane) << " " << wave.v(3, lane);
        }
      }
    }
}

// 1.0 in both halves (RDNA4 ISA 7.2.2).
TEST(Dot, InlineConstantsStandInBothHalves) {
  SingleStep wave;
  wave.v(1, 0) = 0x40003c00;  // halves 2, 1
  wave.run("v_dot2_f32_f16", {.dst = 2, .src = {VGPR0 + 1, FLOAT_HALF + 2, INTEGER_0}, .op_sel_hi = 7});
  EXPECT_EQ(wave.v(2, 0), 0x40400000u);
  wave.v(1, 0) = 0x40003f80;  // bf16 2, 1
  wave.run("v_dot2_f32_bf16", {.dst = 2, .src = {VGPR0 + 1, FLOAT_HALF + 2, INTEGER_0}, .op_sel_hi = 7});
  EXPECT_EQ(wave.v(2, 0), 0x40400000u);
}

}  // namespace
}  // namespace Atoll::rdna4::test
