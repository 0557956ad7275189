// Vector float arithmetic and minima against the references of float_reference.h, in all roundings and denormal modes, both wave
// sizes.
#include <algorithm>
#include <functional>

#include "float_reference.h"
#include "single_step.h"

using namespace Atoll;
using namespace Atoll::rdna4;
using namespace Atoll::rdna4::test;

namespace {

constexpr auto f32_class = wave::FloatClass::F32, f64_class = wave::FloatClass::F64;
constexpr uint32_t modes[] = {0xf0, 0xf5, 0xfa, 0xff, 0x00, 0x50, 0xa0, 0x05, 0x0a, 0x5f};

uint64_t double_word(Words& words) {
  constexpr uint64_t edges[] = {0,
                                1,
                                0x3ff0ull << 52 >> 4,
                                0x7ffull << 52,
                                0x7ff8dead0000beef,
                                0x7ff0000000000001,
                                0x0010000000000000,
                                0x000fffffffffffff,
                                0x7fefffffffffffff,
                                0x3fe0000000000000,
                                0x4330000000000000,
                                0x4008000000000000};
  uint64_t r = words.next64();
  if (r & 1) return edges[(r >> 8) % std::size(edges)] | (r << 62 & 1ull << 63);
  uint64_t x = words.next64();
  return r & 2 ? (x & 0x800fffffffffffff) | (1000 + (r >> 8) % 40) << 52 : x;  // near each other, or anything
}
uint32_t single_word(Words& words) {
  uint32_t x = words.mixed();
  return words.next() & 1 ? x : (x & 0x807fffff) | (120 + words.next() % 12) << 23;
}
uint16_t half_word(Words& words) {
  constexpr uint16_t edges[] = {0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7e15, 0x3800, 0x3bff, 0x0400, 0x6400};
  uint32_t r = words.next();
  return r & 1 ? edges[(r >> 8) % std::size(edges)] | (r & 0x8000) : uint16_t(r >> 16);
}

template <class Bits>
struct Row {
  const char* name;
  int sources;
  std::function<Bits(Mode, Bits, Bits, Bits)> reference;
};

// Runs `row` on random operands in v2, v4, v6 with random EXEC, and compares v0 (f64: v0:1) of every lane.
template <class Bits>
void check(const Row<Bits>& row, uint64_t seed, int rounds = 300) {
  Words words(seed);
  for (bool wave64 : {false, true}) {
    SingleStep wave(wave64);
    for (int round = 0; round < rounds; round++) {
      Mode mode{modes[size_t(round) % std::size(modes)]};
      wave.cell(mode_cell) = mode.bits;
      uint64_t exec = round % 5 ? ~uint64_t(0) : words.next64();
      wave.set_exec(exec);
      for (uint32_t l = 0; l < wave.lanes(); l++) {
        for (uint32_t n : {2, 4, 6})
          if constexpr (sizeof(Bits) == 8)
            wave.set_v64(n, l, double_word(words));
          else
            wave.v(n, l) = sizeof(Bits) == 4 ? single_word(words) : half_word(words) | 0xabcd0000u;
        wave.set_v64(0, l, 0x1111222233334444);
      }
      wave.run(row.name, {.dst = 0, .src = {VGPR0 + 2, VGPR0 + 4, VGPR0 + 6}}, sizeof(Bits) == 4 ? f32_class : f64_class);
      for (uint32_t l = 0; l < wave.lanes(); l++) {
        auto operand = [&](uint32_t n) { return sizeof(Bits) == 8 ? Bits(wave.v64(n, l)) : Bits(wave.v(n, l)); };
        uint64_t want = 0x1111222233334444, got = wave.v64(0, l);
        if (wave.active(l)) {
          uint64_t result = row.reference(mode, operand(2), operand(4), operand(6)),
                   mask = sizeof(Bits) == 8 ? ~0ull : (1ull << (sizeof(Bits) * 8 % 64)) - 1;
          want = (want & ~mask) | result;
        }
        ASSERT_EQ(got, want) << row.name << std::hex << " (" << uint64_t(operand(2)) << ", " << uint64_t(operand(4)) << ", "
                             << uint64_t(operand(6)) << ") mode " << mode.bits << " lane " << std::dec << l;
      }
    }
  }
}

// --- arithmetic ---------------------------------------------------------------------------------------------------------------
template <class Bits, class Operation>
auto arithmetic(int sources, Operation operation) {
  return [=](Mode m, Bits a, Bits b, Bits c) {
    if (sources == 1) return host_float<Bits>(m, operation, {a});
    return sources == 2 ? host_float<Bits>(m, operation, {a, b}) : host_float<Bits>(m, operation, {a, b, c});
  };
}
template <class Bits, class Operation>
Row<Bits> arithmetic_row(const char* name, int sources, Operation operation) {
  return {name, sources, arithmetic<Bits>(sources, operation)};
}

TEST(ValuFloat, Singles) {
  using F = float;
  auto reversed = [](Mode m, uint32_t a, uint32_t b, uint32_t) {
    return host_float<uint32_t>(m, [](F x, F y, F) { return x - y; }, {b, a});
  };
  const Row<uint32_t> rows[] = {
      arithmetic_row<uint32_t>("v_add_f32", 2, [](F a, F b, F) { return a + b; }),
      arithmetic_row<uint32_t>("v_sub_f32", 2, [](F a, F b, F) { return a - b; }),
      {"v_subrev_f32", 2, reversed},
      arithmetic_row<uint32_t>("v_mul_f32", 2, [](F a, F b, F) { return a * b; }),
      arithmetic_row<uint32_t>("v_fma_f32", 3, [](F a, F b, F c) { return std::fma(a, b, c); }),
      arithmetic_row<uint32_t>("v_fmaak_f32", 3, [](F a, F b, F c) { return std::fma(a, b, c); }),
      arithmetic_row<uint32_t>("v_fmamk_f32", 3, [](F a, F b, F c) { return std::fma(a, b, c); }),
      arithmetic_row<uint32_t>("v_trunc_f32", 1, [](F a, F, F) { return std::trunc(a); }),
      arithmetic_row<uint32_t>("v_ceil_f32", 1, [](F a, F, F) { return std::ceil(a); }),
      arithmetic_row<uint32_t>("v_floor_f32", 1, [](F a, F, F) { return std::floor(a); }),
      arithmetic_row<uint32_t>("v_rndne_f32", 1,
                               [](F a, F, F) {
                                 HostRounding nearest(0);
                                 return std::nearbyint(a);
                               }),
      arithmetic_row<uint32_t>("v_fract_f32", 1,
                               [](F a, F, F) {
                                 return !std::isfinite(a) ? NAN
                                                          : std::fmin(a == std::floor(a) ? 0 : a - std::floor(a), 0x1.fffffep-1f);
                               }),
      {"v_mul_dx9_zero_f32", 2,
       [](Mode m, uint32_t a, uint32_t b, uint32_t) {
         auto zero = [&](uint32_t x) { return !(zero_denormal(x, m.keep_in32()) & 0x7fffffff); };
         return zero(a) || zero(b) ? 0u : host_float<uint32_t>(m, [](F x, F y, F) { return x * y; }, {a, b});
       }},
      {"v_fma_dx9_zero_f32", 3,
       [](Mode m, uint32_t a, uint32_t b, uint32_t c) {
         Mode flush{m.bits & 0xf};
         a = zero_denormal(a, false), b = zero_denormal(b, false), c = zero_denormal(c, false);
         if (!(a & 0x7fffffff) || !(b & 0x7fffffff)) return is_nan(c) ? quiet(c) : c;
         return host_float<uint32_t>(flush, [](F x, F y, F z) { return std::fma(x, y, z); }, {a, b, c});
       }},
      {"v_mullit_f32", 3,
       [](Mode m, uint32_t a, uint32_t b, uint32_t c) {
         b = zero_denormal(b, m.keep_in32()), c = zero_denormal(c, m.keep_in32());
         F fb = std::bit_cast<F>(b), fc = std::bit_cast<F>(c);
         if (fb == -0x1.fffffep127f || fb == -INFINITY || is_nan(b) || fc <= 0 || is_nan(c)) return 0xff7fffffu;
         if (!(zero_denormal(a, m.keep_in32()) & 0x7fffffff) || !(b & 0x7fffffff)) return 0u;
         return host_float<uint32_t>(m, [](F x, F y, F) { return x * y; }, {a, b});
       }},
      {"v_ldexp_f32", 2,
       [](Mode m, uint32_t a, uint32_t n, uint32_t) {
         return host_float<uint32_t>(m, [&](F x, F, F) { return F(std::ldexp(double(x), std::clamp(int32_t(n), -400, 400))); },
                                     {a});
       }},
      {"v_frexp_mant_f32", 1,
       [](Mode m, uint32_t a, uint32_t, uint32_t) {
         int n;
         return host_float<uint32_t>(m, [&](F x, F, F) { return std::isfinite(x) ? std::frexp(x, &n) : x; }, {a});
       }},
      {"v_frexp_exp_i32_f32", 1,
       [](Mode m, uint32_t a, uint32_t, uint32_t) {
         int n = 0;
         F x = std::bit_cast<F>(zero_denormal(a, m.keep_in32()));
         if (std::isfinite(x)) (void)std::frexp(x, &n);
         return uint32_t(n);
       }},
  };
  uint64_t seed = 100;
  for (auto& row : rows) check(row, seed++);
}

TEST(ValuFloat, Doubles) {
  using F = double;
  const Row<uint64_t> rows[] = {
      arithmetic_row<uint64_t>("v_add_f64", 2, [](F a, F b, F) { return a + b; }),
      arithmetic_row<uint64_t>("v_mul_f64", 2, [](F a, F b, F) { return a * b; }),
      arithmetic_row<uint64_t>("v_fma_f64", 3, [](F a, F b, F c) { return std::fma(a, b, c); }),
      arithmetic_row<uint64_t>("v_trunc_f64", 1, [](F a, F, F) { return std::trunc(a); }),
      arithmetic_row<uint64_t>("v_ceil_f64", 1, [](F a, F, F) { return std::ceil(a); }),
      arithmetic_row<uint64_t>("v_floor_f64", 1, [](F a, F, F) { return std::floor(a); }),
      arithmetic_row<uint64_t>("v_rndne_f64", 1,
                               [](F a, F, F) {
                                 HostRounding nearest(0);
                                 return std::nearbyint(a);
                               }),
      arithmetic_row<uint64_t>("v_fract_f64", 1,
                               [](F a, F, F) {
                                 return !std::isfinite(a)
                                            ? NAN
                                            : std::fmin(a == std::floor(a) ? 0 : a - std::floor(a), 0x1.fffffffffffffp-1);
                               }),
      {"v_ldexp_f64", 2,
       [](Mode m, uint64_t a, uint64_t n, uint64_t) {
         int steps = std::clamp(int32_t(uint32_t(n)), -4000, 4000);
         return host_float<uint64_t>(m, [&](F x, F, F) { return F(std::ldexp((long double)(x), steps)); }, {a});
       }},
      {"v_frexp_mant_f64", 1,
       [](Mode m, uint64_t a, uint64_t, uint64_t) {
         int n;
         return host_float<uint64_t>(m, [&](F x, F, F) { return std::isfinite(x) ? std::frexp(x, &n) : x; }, {a});
       }},
      {"v_frexp_exp_i32_f64", 1,
       [](Mode m, uint64_t a, uint64_t, uint64_t) {
         int n = 0;
         F x = std::bit_cast<F>(zero_denormal(a, m.keep_in64()));
         if (std::isfinite(x)) (void)std::frexp(x, &n);
         return 0x1111222200000000 | uint32_t(n);
       }},
  };
  uint64_t seed = 200;
  for (auto& row : rows) check(row, seed++);
}

// --- halves -------------------------------------------------------------------------------------------------------------------
uint16_t half_fma(Mode m, uint16_t a, uint16_t b, uint16_t c) {
  uint16_t raw[] = {a, b, c};
  for (uint16_t* x : {&a, &b, &c}) *x = zero_denormal(*x, m.keep_in64());
  HostRounding rounding(m.round64());
  volatile double va = half_value(a), rough = std::fma(double(va), half_value(b),
                                                       half_value(c));  // tells NaN, infinity and the sign of an exact zero
  if (std::isnan(rough)) return chosen_nan<uint16_t>({raw[0], raw[1], raw[2]});
  if (std::isinf(rough)) return rough < 0 ? 0xfc00 : 0x7c00;
  __int128 exact = half_units(a) * half_units(b) + (half_units(c) << 24);
  if (!exact) return std::signbit(rough) ? 0x8000 : 0;
  return zero_denormal(round_half(exact < 0, (unsigned __int128)(exact < 0 ? -exact : exact), -48, m.round64()), m.keep_out64());
}
template <class Operation>
uint16_t half_by_double(Mode m, Operation operation, std::initializer_list<uint16_t> raw) {
  volatile double x[2] = {};
  size_t n = 0;
  for (uint16_t bits : raw) x[n++] = half_value(zero_denormal(bits, m.keep_in64()));
  HostRounding rounding(m.round64());
  volatile double result = operation(double(x[0]), double(x[1]));
  if (std::isnan(result)) return chosen_nan(raw);
  return zero_denormal(round_half(result, m.round64()), m.keep_out64());
}

TEST(ValuFloat, Halves) {
  auto fused = [](Mode m, uint16_t a, uint16_t b, uint16_t c) { return half_fma(m, a, b, c); };
  auto binary = [](auto operation) {
    return [=](Mode m, uint16_t a, uint16_t b, uint16_t) { return half_by_double(m, operation, {a, b}); };
  };
  auto unary = [](auto operation) {
    return [=](Mode m, uint16_t a, uint16_t, uint16_t) {
      return half_by_double(m, [&](double x, double) { return operation(x); }, {a});
    };
  };
  const Row<uint16_t> rows[] = {
      {"v_add_f16", 2, binary([](double a, double b) { return a + b; })},
      {"v_sub_f16", 2, binary([](double a, double b) { return a - b; })},
      {"v_subrev_f16", 2,
       [](Mode m, uint16_t a, uint16_t b, uint16_t) {
         return half_by_double(m, [](double x, double y) { return x - y; }, {b, a});
       }},
      {"v_mul_f16", 2, binary([](double a, double b) { return a * b; })},
      {"v_fma_f16", 3, fused},
      {"v_fmaak_f16", 3, fused},
      {"v_fmamk_f16", 3, fused},
      {"v_trunc_f16", 1, unary([](double a) { return std::trunc(a); })},
      {"v_ceil_f16", 1, unary([](double a) { return std::ceil(a); })},
      {"v_floor_f16", 1, unary([](double a) { return std::floor(a); })},
      {"v_rndne_f16", 1, unary([](double a) {
         HostRounding nearest(0);
         return std::nearbyint(a);
       })},
      {"v_fract_f16", 1, unary([](double a) {
         return !std::isfinite(a) ? NAN : std::fmin(a == std::floor(a) ? 0 : a - std::floor(a), 0x1.ffcp-1);
       })},
      {"v_frexp_mant_f16", 1, unary([](double a) {
         int n;
         return std::isfinite(a) ? std::frexp(a, &n) : a;
       })},
      {"v_frexp_exp_i16_f16", 1,
       [](Mode m, uint16_t a, uint16_t, uint16_t) {
         int n = 0;
         double x = half_value(zero_denormal(a, m.keep_in64()));
         if (std::isfinite(x)) (void)std::frexp(x, &n);
         return uint16_t(n);
       }},
      {"v_ldexp_f16", 2,
       [](Mode m, uint16_t a, uint16_t n, uint16_t) {
         return half_by_double(m, [&](double x, double) { return std::ldexp(x, std::clamp<int>(int16_t(n), -200, 200)); }, {a});
       }},
  };
  uint64_t seed = 300;
  for (auto& row : rows) check(row, seed++, 1000);
}

// Arguments at which rounding the sum to f32 first would pick the wrong half.
TEST(ValuFloat, HalfFmaRoundsOnce) {
  Row<uint16_t> row{"v_fma_f16", 3, half_fma};
  SingleStep wave(true);
  Words words(31);
  uint32_t differing = 0;
  for (int round = 0; round < 20000; round++) {
    for (uint32_t l = 0; l < 64; l++) {
      // A tiny product beside an addend whose sum with another half's worth is near a middle: exponents far apart.
      wave.v(2, l) = (words.next() & 0x83ff) | (1 + words.next() % 6) << 10;
      wave.v(4, l) = (words.next() & 0x83ff) | (10 + words.next() % 20) << 10;
      wave.v(6, l) = (words.next() & 0x83ff) | (words.next() % 30) << 10;
    }
    wave.run(row.name, {.dst = 0, .src = {VGPR0 + 2, VGPR0 + 4, VGPR0 + 6}}, f64_class);
    for (uint32_t l = 0; l < 64; l++) {
      auto a = uint16_t(wave.v(2, l)), b = uint16_t(wave.v(4, l)), c = uint16_t(wave.v(6, l));
      uint16_t want = half_fma({0xf0}, a, b, c);
      ASSERT_EQ(uint16_t(wave.v(0, l)), want) << std::hex << a << " " << b << " " << c;
      differing += want != round_half(double(std::fma(float(half_value(a)), float(half_value(b)), float(half_value(c)))), 0);
    }
  }
  EXPECT_GT(differing, 0u) << "the test never met a case that matters";
}

// --- accumulating forms, halves of registers
TEST(ValuFloat, Accumulators) {
  SingleStep wave(true);
  Words words(41);
  for (int round = 0; round < 300; round++) {
    for (uint32_t l = 0; l < 64; l++)
      wave.v(0, l) = wave.v(3, l) = single_word(words), wave.v(1, l) = single_word(words), wave.v(2, l) = single_word(words);
    wave.run("v_fmac_f32", {.dst = 0, .src = {VGPR0 + 1, VGPR0 + 2}});
    for (uint32_t l = 0; l < 64; l++)
      ASSERT_EQ(wave.v(0, l), host_float<uint32_t>({0xf0}, [](float a, float b, float c) { return std::fma(a, b, c); },
                                                   {wave.v(1, l), wave.v(2, l), wave.v(3, l)}));
    for (uint32_t select = 0; select < 16; select++) {
      if (select & 4) continue;
      for (uint32_t l = 0; l < 64; l++)
        for (uint32_t n : {0, 1, 2}) wave.v(n, l) = half_word(words) | uint32_t(half_word(words)) << 16;
      for (uint32_t l = 0; l < 64; l++) wave.v(3, l) = wave.v(0, l);
      wave.run("v_fmac_f16", {.dst = 0, .src = {VGPR0 + 1, VGPR0 + 2}, .op_sel = uint8_t(select)}, f64_class);
      for (uint32_t l = 0; l < 64; l++) {
        auto half = [&](uint32_t n, uint32_t bit) { return uint16_t(wave.v(n, l) >> (select >> bit & 1 ? 16 : 0)); };
        uint32_t want = half_fma({0xf0}, half(1, 0), half(2, 1), half(3, 3)), old = wave.v(3, l);
        ASSERT_EQ(wave.v(0, l), select & 8 ? (old & 0xffff) | want << 16 : (old & 0xffff0000) | want);
      }
    }
  }
}

TEST(ValuFloat, Modifiers) {
  SingleStep wave;
  auto run = [&](Instruction i, float a, float b, const char* name = "v_add_f32") {
    wave.v(1, 0) = std::bit_cast<uint32_t>(a), wave.v(2, 0) = std::bit_cast<uint32_t>(b);
    i.src[0] = VGPR0 + 1, i.src[1] = VGPR0 + 2;
    wave.run(name, i);
    return std::bit_cast<float>(wave.v(0, 0));
  };
  EXPECT_EQ(run({.abs = 1, .neg = 3}, -3, 5), -8);
  EXPECT_EQ(run({.omod = 1}, 1, 2), 6);
  EXPECT_EQ(run({.omod = 2}, 1, 2), 12);
  EXPECT_EQ(run({.omod = 3}, 1, 2), 1.5f);
  EXPECT_EQ(run({.omod = 3, .clamp = true}, 1, 2), 1);
  EXPECT_EQ(run({.clamp = true}, 0.25f, 0.5f), 0.75f);
  for (float low : {-3.0f, -0.0f, NAN}) EXPECT_EQ(std::bit_cast<uint32_t>(run({.clamp = true}, low, low)), 0u);
  EXPECT_EQ(std::bit_cast<uint32_t>(run({.omod = 1}, -0.0f, -0.0f)), 0u);           // -0 * OMOD = +0
  EXPECT_EQ(std::bit_cast<uint32_t>(run({.omod = 3}, 0x1p-126f, 0)), 0u);           // no denormal comes out
  EXPECT_EQ(std::bit_cast<uint32_t>(run({}, 0x1p-126f, -0x1p-127f)), 0x00400000u);  // without OMOD it does
  wave.v(1, 0) = 0x0400, wave.v(2, 0) = 0x8000, wave.v(0, 0) = 0x77770000;
  wave.run("v_add_f16", {.dst = 0, .src = {VGPR0 + 1, VGPR0 + 2}, .omod = 3}, f64_class);
  EXPECT_EQ(wave.v(0, 0), 0x77770000u);
}

// OMOD moves the exponent of a result that has been rounded to its type (docs/errata.md, F10).
TEST(ValuFloat, OutputModifiersComeAfterRounding) {
  struct Case {
    const char* name;
    uint32_t a, b, mode, omod, clamp, expected;
  };
  for (const Case& c :
       {Case{"v_mul_f32", 0x80800000, 0x3f800000, 0xf0, 3, 0, 0x80000000},  // halved below the normal numbers: its sign stays
        Case{"v_mul_f32", 0x80000001, 0x3f800000, 0xf0, 1, 0, 0},           // a denormal was +0 before that
        Case{"v_mul_f32", 0x7f7fffff, 0x40000000, 0xf0, 3, 0, 0x7f800000},  // infinite before it is halved
        Case{"v_mul_f32", 0x7f000000, 0x3f800000, 0xf3, 1, 0, 0x7f7fffff},  // what is too large follows the mode's rounding
        Case{"v_mul_f32", 0xff000000, 0x3f800000, 0xf1, 1, 0, 0xff7fffff},
        Case{"v_mul_f32", 0xff000000, 0x3f800000, 0xf2, 2, 0, 0xff800000},
        Case{"v_mul_f32", 0x3f000000, 0x3f800000, 0xf0, 2, 1, 0x3f800000},
        Case{"v_mul_f32", 0x7fc00001, 0x3f800000, 0xf0, 1, 1, 0}, Case{"v_mul_f16", 0x7bff, 0x4000, 0xf0, 3, 0, 0x7c00},
        Case{"v_mul_f16", 0x7bff, 0x4000, 0xf0 | MODE_FP16_OVFL, 3, 0, 0x77ff},
        Case{"v_mul_f16", 0x7800, 0x3c00, 0xf0 | MODE_FP16_OVFL, 2, 0, 0x7bff},
        Case{"v_mul_f16", 0xf800, 0x3c00, 0xf4, 1, 0, 0xfbff}, Case{"v_mul_f16", 0x8400, 0x3c00, 0xf0, 3, 0, 0x8000},
        Case{"v_cvt_f16_f32", 0x387fefff, 0, 0xf0, 1, 0, 0},  // below the normal halves with all its digits
        Case{"v_cvt_f16_f32", 0x387ff000, 0, 0xf0, 1, 0, 0x0800}, Case{"v_cvt_f16_f32", 0x387fefff, 0, 0x70, 0, 0, 0},
        Case{"v_cvt_f16_f32", 0xb87ff000, 0, 0x70, 0, 0, 0x8400},
        Case{"v_max_num_f32", 0x7f000000, 0x7f000000, 0xf2, 1, 0, 0x7f7fffff}}) {
    SingleStep wave;
    wave.cell(mode_cell) = c.mode;
    wave.v(1, 0) = c.a, wave.v(2, 0) = c.b;
    const bool half = std::string_view(c.name).ends_with("f16");
    wave.run(c.name, {.dst = 0, .src = {VGPR0 + 1, VGPR0 + 2}, .omod = uint16_t(c.omod), .clamp = uint16_t(c.clamp)},
             half || std::string_view(c.name).starts_with("v_cvt") ? f64_class : f32_class);
    EXPECT_EQ(wave.v(0, 0), c.expected) << c.name << std::hex << " " << c.a << " " << c.b << " mode " << c.mode << " omod "
                                        << c.omod;
  }
}

// --- minima and maxima, as the pseudocode of 16.7 and 16.12 has them
template <class Bits>
bool below(Bits a, Bits b) {  // -0 < +0; no NaNs
  using L = FloatLayout<Bits>;
  auto rank = [](Bits x) { return x & L::sign ? -__int128(x & ~L::sign) - 1 : __int128(x); };
  return rank(a) < rank(b);
}
template <class Bits>
Bits number_of(Bits a, Bits b, bool largest) {
  if (is_nan(a) && is_nan(b)) return quiet(a);
  if (is_nan(a)) return b;
  if (is_nan(b)) return a;
  return (largest ? below(b, a) : below(a, b)) ? a : b;
}
template <class Bits>
Bits propagating(Bits a, Bits b, bool largest) {
  if (is_nan(a)) return quiet(a);  // the first in their order: docs/errata.md, F16
  if (is_nan(b)) return quiet(b);
  return (largest ? below(b, a) : below(a, b)) ? a : b;
}
template <class Bits>
Bits median(Bits a, Bits b, Bits c) {
  if (is_nan(a) || is_nan(b) || is_nan(c)) return number_of(number_of(a, b, false), c, false);
  Bits sorted[] = {a, b, c};  // -0 before +0: docs/errata.md, F17
  std::ranges::sort(sorted, below<Bits>);
  return sorted[1];
}
template <class Bits>
void check_minima(const char* type) {
  using Function = Bits (*)(Bits, Bits, Bits);
  struct {
    const char* name;
    Function function;
    bool f64;
  } static constexpr rows[] = {
      {"v_min_num_", [](Bits a, Bits b, Bits) { return number_of(a, b, false); }, true},
      {"v_max_num_", [](Bits a, Bits b, Bits) { return number_of(a, b, true); }, true},
      {"v_minimum_", [](Bits a, Bits b, Bits) { return propagating(a, b, false); }, true},
      {"v_maximum_", [](Bits a, Bits b, Bits) { return propagating(a, b, true); }, true},
      {"v_min3_num_", [](Bits a, Bits b, Bits c) { return number_of(number_of(a, b, false), c, false); }, false},
      {"v_max3_num_", [](Bits a, Bits b, Bits c) { return number_of(number_of(a, b, true), c, true); }, false},
      {"v_minimum3_", [](Bits a, Bits b, Bits c) { return propagating(propagating(a, b, false), c, false); }, false},
      {"v_maximum3_", [](Bits a, Bits b, Bits c) { return propagating(propagating(a, b, true), c, true); }, false},
      {"v_med3_num_", [](Bits a, Bits b, Bits c) { return median(a, b, c); }, false},
      {"v_minmax_num_", [](Bits a, Bits b, Bits c) { return number_of(number_of(a, b, false), c, true); }, false},
      {"v_maxmin_num_", [](Bits a, Bits b, Bits c) { return number_of(number_of(a, b, true), c, false); }, false},
      {"v_minimummaximum_", [](Bits a, Bits b, Bits c) { return propagating(propagating(a, b, false), c, true); }, false},
      {"v_maximumminimum_", [](Bits a, Bits b, Bits c) { return propagating(propagating(a, b, true), c, false); }, false},
  };
  uint64_t seed = 400;
  for (auto& row : rows) {
    if (sizeof(Bits) == 8 && !row.f64) continue;
    std::string name = std::string(row.name) + type;
    Function function = row.function;
    check<Bits>({name.c_str(), 3,
                 [=](Mode m, Bits a, Bits b, Bits c) {
                   bool keep = sizeof(Bits) == 4 ? m.keep_in32() : m.keep_in64();
                   return function(zero_denormal(a, keep), zero_denormal(b, keep), zero_denormal(c, keep));
                 }},
                seed++, 600);
  }
}
TEST(ValuFloat, MinimaOfSingles) { check_minima<uint32_t>("f32"); }
TEST(ValuFloat, MinimaOfDoubles) { check_minima<uint64_t>("f64"); }
TEST(ValuFloat, MinimaOfHalves) { check_minima<uint16_t>("f16"); }

// --- packed and mixed
TEST(ValuFloat, PackedHalves) {
  using Function = uint16_t (*)(Mode, uint16_t, uint16_t, uint16_t);
  auto keep = [](Mode m, uint16_t x) { return zero_denormal(x, m.keep_in64()); };
  static auto flush = keep;
  struct {
    const char* name;
    Function function;
  } const rows[] = {
      {"v_pk_add_f16", [](Mode m, uint16_t a, uint16_t b,
                          uint16_t) { return half_by_double(m, [](double x, double y) { return x + y; }, {a, b}); }},
      {"v_pk_mul_f16", [](Mode m, uint16_t a, uint16_t b,
                          uint16_t) { return half_by_double(m, [](double x, double y) { return x * y; }, {a, b}); }},
      {"v_pk_fma_f16", half_fma},
      {"v_pk_min_num_f16", [](Mode m, uint16_t a, uint16_t b, uint16_t) { return number_of(flush(m, a), flush(m, b), false); }},
      {"v_pk_max_num_f16", [](Mode m, uint16_t a, uint16_t b, uint16_t) { return number_of(flush(m, a), flush(m, b), true); }},
      {"v_pk_minimum_f16", [](Mode m, uint16_t a, uint16_t b, uint16_t) { return propagating(flush(m, a), flush(m, b), false); }},
      {"v_pk_maximum_f16", [](Mode m, uint16_t a, uint16_t b, uint16_t) { return propagating(flush(m, a), flush(m, b), true); }},
  };
  Words words(51);
  for (bool wave64 : {false, true}) {
    SingleStep wave(wave64);
    for (auto& row : rows)
      for (int round = 0; round < 300; round++) {
        Mode mode{modes[size_t(round) % std::size(modes)]};
        wave.cell(mode_cell) = mode.bits;
        uint32_t r = words.next();
        Instruction i{.dst = 0, .src = {VGPR0 + 1, VGPR0 + 2, VGPR0 + 3}};
        i.neg = r & 7, i.neg_hi = r >> 3 & 7, i.op_sel = r >> 6 & 7, i.op_sel_hi = r >> 9 & 7;
        for (uint32_t l = 0; l < wave.lanes(); l++)
          for (uint32_t n : {1, 2, 3}) wave.v(n, l) = half_word(words) | uint32_t(half_word(words)) << 16;
        wave.run(row.name, i, f64_class);
        for (uint32_t l = 0; l < wave.lanes(); l++) {
          uint32_t want = 0;
          for (bool high : {false, true}) {
            auto source = [&](uint32_t n) {
              bool top = (high ? i.op_sel_hi : i.op_sel) >> n & 1, minus = (high ? i.neg_hi : i.neg) >> n & 1;
              return uint16_t(wave.v(n + 1, l) >> (top ? 16 : 0) ^ (minus ? 0x8000 : 0));
            };
            want |= uint32_t(row.function(mode, source(0), source(1), source(2))) << (high ? 16 : 0);
          }
          ASSERT_EQ(wave.v(0, l), want) << row.name << std::hex << " " << wave.v(1, l) << " " << wave.v(2, l) << " "
                                        << wave.v(3, l) << " mode " << mode.bits;
        }
      }
    wave.cell(mode_cell) = MODE_DEFAULT;
    wave.v(0, 1) = 0x3c004000, wave.v(1, 1) = 0x40004200, wave.v(2, 1) = 0x44003c00;
    wave.run("v_pk_fmac_f16", {.dst = 0, .src = {VGPR0 + 1, VGPR0 + 2}}, f64_class);
    EXPECT_EQ(wave.v(0, 1), 0x48804500u);  // 2 * 4 + 1 = 9, 3 * 1 + 2 = 5
    // A float constant stands in the low half.
    wave.v(1, 1) = 0x3c003c00;
    wave.run("v_pk_add_f16", {.dst = 0, .src = {VGPR0 + 1, FLOAT_HALF + 2}, .op_sel_hi = 3}, f64_class);
    EXPECT_EQ(wave.v(0, 1), 0x3c004000u);
    wave.run("v_pk_add_f16", {.dst = 0, .src = {VGPR0 + 1, FLOAT_HALF + 2}, .op_sel_hi = 1, .clamp = true}, f64_class);
    EXPECT_EQ(wave.v(0, 1), 0x3c003c00u);
  }
}

// a + b in 53 bits, the last of which says that there was more.
double odd_sum(double a, double b) {
  const double sum = a + b, rest = sum - a, error = (a - (sum - rest)) + (b - rest);
  if (!std::isfinite(sum) || error == 0) return sum;
  return std::bit_cast<double>((std::bit_cast<uint64_t>(sum) - ((error < 0) != (sum < 0))) | 1);
}
// With all its 11 digits and an exponent of any size.
bool below_normal_halves(double x, int rounding) {
  const double size = std::fabs(x);
  if (!(size > 0) || size >= 0x1p-14) return false;
  HostRounding host(rounding);
  return size < 0x1p-15 || std::fabs(std::nearbyint(x * 0x1p25)) < 0x1p11;
}

TEST(ValuFloat, Mixed) {
  SingleStep wave(true);
  Words words(61);
  for (int round = 0; round < 3000; round++) {
    constexpr uint32_t mixed_modes[] = {0xf0, 0xf5, 0xfa, 0xff, 0xf1, 0xf4, 0xfe, 0xf3, 0x00, 0x50, 0xa0, 0xc4};
    Mode mode{mixed_modes[size_t(round) % std::size(mixed_modes)]};
    wave.cell(mode_cell) = mode.bits;
    uint32_t r = words.next();
    Instruction i{.dst = 0, .src = {VGPR0 + 1, VGPR0 + 2, VGPR0 + 3}};
    i.neg = r & 7, i.abs = r >> 3 & 7, i.op_sel = r >> 6 & 7, i.op_sel_hi = r >> 9 & 7;
    for (uint32_t l = 0; l < 64; l++) {
      for (uint32_t n : {1, 2, 3})
        wave.v(n, l) = i.op_sel_hi >> (n - 1) & 1 ? half_word(words) | uint32_t(half_word(words)) << 16 : single_word(words);
      wave.v(0, l) = 0x12345678;
    }
    const char* name = round % 3 == 0 ? "v_fma_mix_f32" : round % 3 == 1 ? "v_fma_mixlo_f16" : "v_fma_mixhi_f16";
    wave.run(name, i);
    for (uint32_t l = 0; l < 64; l++) {
      auto source = [&](uint32_t n) {
        uint32_t x = wave.v(n + 1, l);
        if (i.op_sel_hi >> n & 1) {
          auto half = zero_denormal(uint16_t(x >> (i.op_sel >> n & 1 ? 16 : 0)), mode.keep_in64());
          x = is_nan(half) ? uint32_t(half & 0x8000) << 16 | 0x7fc00000 | uint32_t(half & 0x3ff) << 13
                           : std::bit_cast<uint32_t>(float(half_value(half)));
        }
        if (i.abs >> n & 1) x &= 0x7fffffff;
        return i.neg >> n & 1 ? x ^ 0x80000000 : x;
      };
      uint32_t want = host_float<uint32_t>(mode, [](float a, float b, float c) { return std::fma(a, b, c); },
                                           {source(0), source(1), source(2)});
      // 0 * infinity is the default NaN whatever is added, and a half is rounded once, from the exact sum, in its own mode: docs/errata.md.
      float x[3];
      for (uint32_t n : {0, 1, 2})
        x[n] = std::bit_cast<float>(i.op_sel_hi >> n & 1 ? source(n) : zero_denormal(source(n), mode.keep_in32()));
      const bool no_product = std::isnan(x[0] * x[1]) && !std::isnan(x[0]) && !std::isnan(x[1]);
      if (no_product) want = 0xffc00000;
      if (round % 3) {
        const double product = double(x[0]) * x[1], sum = odd_sum(product, x[2]);
        uint16_t half =
            is_nan(want) ? uint16_t((want >> 16 & 0x8000) | 0x7e00 | (want >> 13 & 0x3ff)) : round_half(sum, mode.round64());
        if (sum == 0) {  // of the terms' sign, else -0 where the half's mode rounds down
          const bool a = std::signbit(product), b = std::signbit(x[2]);
          half = (mode.round64() == 2 ? a || b : a && b) ? 0x8000 : 0;
        }
        if (!mode.keep_out64() && below_normal_halves(sum, mode.round64())) half &= 0x8000;
        want = round % 3 == 1 ? 0x12340000u | half : 0x5678u | uint32_t(half) << 16;
      }
      ASSERT_EQ(wave.v(0, l), want) << name << std::hex << " " << source(0) << " " << source(1) << " " << source(2) << " mode "
                                    << mode.bits;
    }
  }
}

TEST(ValuFloat, CubeMaps) {
  SingleStep wave(true);
  Words words(71);
  for (int round = 0; round < 500; round++) {
    for (uint32_t l = 0; l < 64; l++)
      for (uint32_t n : {1, 2, 3}) {
        uint32_t x = single_word(words);
        wave.v(n, l) = is_nan(x) ? 0x3f800000 : x;
      }
    const char* names[] = {"v_cubeid_f32", "v_cubesc_f32", "v_cubetc_f32", "v_cubema_f32"};
    for (uint16_t n = 0; n < 4; n++) wave.run(names[n], {.dst = uint16_t(4 + n), .src = {VGPR0 + 1, VGPR0 + 2, VGPR0 + 3}});
    for (uint32_t l = 0; l < 64; l++) {
      auto component = [&](uint32_t n) { return std::bit_cast<float>(zero_denormal(wave.v(n, l), false)); };
      // Denormals choose as zeros and pass as they are; the major axis has no -0: docs/errata.md, F8.
      auto given = [&](uint32_t n) { return std::bit_cast<float>(wave.v(n, l)); };
      float x = component(1), y = component(2), z = component(3), id, s, t, major;
      if (std::fabs(z) >= std::fabs(x) && std::fabs(z) >= std::fabs(y))
        id = z < 0 ? 5 : 4, s = z < 0 ? -given(1) : given(1), t = -given(2), major = z;
      else if (std::fabs(y) >= std::fabs(x))
        id = y < 0 ? 3 : 2, s = given(1), t = y < 0 ? -given(3) : given(3), major = y;
      else
        id = x < 0 ? 1 : 0, s = x < 0 ? given(3) : -given(3), t = -given(2), major = x;
      float want[] = {id, s, t, major == 0 ? 0 : major * 2};
      for (uint32_t n = 0; n < 4; n++)
        ASSERT_EQ(wave.v(4 + n, l), std::bit_cast<uint32_t>(want[n])) << names[n] << " " << x << " " << y << " " << z;
    }
  }
}

}  // namespace
