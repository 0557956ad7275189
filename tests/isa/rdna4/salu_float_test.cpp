// Scalar float instructions against references written apart: halves in exact integer arithmetic, f32 on the host's FPU in the same
// rounding mode, minima and maxima and comparisons from the manual's pseudocode.
#include <bit>
#include <cfenv>
#include <cmath>
#include <string>

#include "half_reference.h"
#include "single_step.h"

namespace Atoll::rdna4::test {
namespace {

constexpr int host_rounding[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

bool nan32(uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; }
bool nan16(uint32_t x) { return (x & 0x7fff) > 0x7c00; }
uint32_t flush32(bool flush, uint32_t x) { return flush && !(x & 0x7f800000) ? x & 0x80000000 : x; }
float value32(uint32_t x) { return std::bit_cast<float>(x); }

// The result of an f32 operation by nan.h, if the plain result is `r`.
template <class... Operands>
uint32_t ruled(float r, Operands... operands) {
  if (r == r) return std::bit_cast<uint32_t>(r);
  uint32_t found = 0xffc00000;
  bool any = false;
  ((nan32(operands) && !any ? (found = operands | 0x400000, any = true) : false), ...);
  return found;
}

uint32_t mode_bits(int round, bool flush) { return uint32_t(round | round << 2) | (flush ? 0u : 0xf0u); }

TEST(SaluFloat, F32Arithmetic) {
  Words words(7);
  SingleStep wave;
  for (int n = 0; n < 20000; n++) {
    int round = n & 3;
    bool flush = n >> 2 & 1;
    wave.cell(mode_cell) = mode_bits(round, flush);
    uint32_t a = words.mixed(), b = words.mixed(), c = words.mixed();
    if (n % 3 == 0) b = (a & 0xff800000) | (b & 0x7fffff);  // near in size
    Instruction i;
    i.src[0] = 1, i.src[1] = 2, i.dst = 3;
    uint32_t fa = flush32(flush, a), fb = flush32(flush, b), fc = flush32(flush, c);
    const char* names[] = {"s_add_f32", "s_sub_f32", "s_mul_f32", "s_fmac_f32", "s_fmaak_f32", "s_fmamk_f32"};
    for (const char* name : names) {
      wave.s(1) = a, wave.s(2) = b, wave.s(3) = c;
      std::string what = name;
      i.src[1] = 2, i.src[2] = NULL_SGPR, i.literal = c;
      if (what == "s_fmaak_f32") i.src[2] = LITERAL;
      if (what == "s_fmamk_f32") i.src[1] = LITERAL, i.literal = b, i.src[2] = 3;
      wave.run(name, i);
      std::fesetround(host_rounding[round]);
      volatile float x = value32(fa), y = value32(fb), z = value32(fc), r;
      if (what == "s_add_f32")
        r = x + y;
      else if (what == "s_sub_f32")
        r = x - y;
      else if (what == "s_mul_f32")
        r = x * y;
      else
        r = std::fma(x, y, z);
      std::fesetround(FE_TONEAREST);
      bool three = what.starts_with("s_fma");
      float plain = r;
      uint32_t expected = flush32(flush, three ? ruled(plain, fa, fb, fc) : ruled(plain, fa, fb));
      ASSERT_EQ(wave.s(3), expected) << name << std::hex << " " << a << " " << b << " " << c << " gives " << wave.s(3)
                                     << " round " << round << " flush " << flush;
    }
  }
}

TEST(SaluFloat, F16Arithmetic) {
  Words words(8);
  SingleStep wave;
  for (int n = 0; n < 60000; n++) {
    int round = n & 3;
    bool flush = n >> 2 & 1;
    wave.cell(mode_cell) = mode_bits(round, flush);
    uint32_t a = words.mixed(), b = words.mixed(), c = words.mixed();
    if (n % 3 == 0)
      c = (c & 0xffff83ff) | (uint32_t(std::max(0, int(a >> 10 & 31) + int(b >> 10 & 31) - 15 - int(n / 8 % 26))) & 31) << 10;
    Instruction i;
    i.src[0] = 1, i.src[1] = 2, i.dst = 3;
    uint16_t ha = flush16(flush, uint16_t(a)), hb = flush16(flush, uint16_t(b)), hc = flush16(flush, uint16_t(c));
    auto check = [&](const char* name, uint16_t expected) {
      wave.s(1) = a, wave.s(2) = b, wave.s(3) = c;
      wave.run(name, i, wave::FloatClass::F64);
      ASSERT_EQ(wave.s(3), uint32_t(flush16(flush, expected)))
          << name << std::hex << " " << a << " " << b << " " << c << " gives " << wave.s(3) << " round " << round << " flush "
          << flush;
    };
    check("s_add_f16", half_add(ha, hb, round));
    check("s_sub_f16", half_sub(ha, hb, round));
    check("s_mul_f16", half_mul(ha, hb, round));
    check("s_fmac_f16", half_fma(ha, hb, hc, round));
    if (HasFatalFailure()) return;
  }
}

TEST(SaluFloat, Extrema) {
  Words words(9);
  SingleStep wave;
  for (int n = 0; n < 4000; n++) {
    uint32_t a = words.mixed(), b = words.mixed();
    if (n % 7 == 0) b = a ^ 0x80000000;
    if (n % 7 == 1) a &= 0x80000000, b &= 0x80000000;
    if (n % 7 == 2) a &= 0xffff8000, b &= 0xffff8000;
    bool flush = n & 1;
    wave.cell(mode_cell) = mode_bits(0, flush);
    wave.s(1) = a, wave.s(2) = b;
    Instruction i;
    i.src[0] = 1, i.src[1] = 2, i.dst = 3;
    for (int kind = 0; kind < 8; kind++) {
      bool half = kind & 1, largest = kind & 2, propagate = kind & 4;
      std::string name = std::string("s_") +
                         (propagate ? largest ? "maximum" : "minimum"
                          : largest ? "max_num"
                                    : "min_num") +
                         (half ? "_f16" : "_f32");
      uint32_t x = half ? flush16(flush, uint16_t(a)) : flush32(flush, a),
               y = half ? flush16(flush, uint16_t(b)) : flush32(flush, b);
      auto nan = half ? nan16 : nan32;
      uint32_t quiet = half ? 0x200 : 0x400000, sign = half ? 0x8000 : 0x80000000, expected;
      double fx = half ? half_value(uint16_t(x)) : value32(x), fy = half ? half_value(uint16_t(y)) : value32(y);
      bool zeros = fx == 0 && fy == 0;
      bool first = largest ? fx > fy || (zeros && !(x & sign) && (y & sign)) : fx < fy || (zeros && (x & sign) && !(y & sign));
      if (!propagate)
        expected = nan(x) && nan(y) ? x | quiet : nan(x) ? y : nan(y) ? x : first ? x : y;
      else
        expected = nan(x) ? x | quiet : nan(y) ? y | quiet : first ? x : y;  // the first NaN: docs/errata.md, F16
      wave.run(name.c_str(), i, half ? wave::FloatClass::F64 : wave::FloatClass::F32);
      ASSERT_EQ(wave.s(3), expected) << name << std::hex << " " << a << " " << b << " gives " << wave.s(3);
    }
  }
}

TEST(SaluFloat, Comparisons) {
  Words words(10);
  SingleStep wave;
  const char* names[] = {"lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg", "ngt", "nle", "neq", "nlt"};
  for (int n = 0; n < 3000; n++) {
    uint32_t a = words.mixed(), b = n % 5 ? words.mixed() : a;
    wave.s(1) = a, wave.s(2) = b;
    for (int half = 0; half < 2; half++) {
      double x = half ? half_value(uint16_t(a)) : value32(a), y = half ? half_value(uint16_t(b)) : value32(b);
      bool lt = x < y, eq = x == y, gt = x > y, un = x != x || y != y;
      bool expected[] = {lt, eq, lt || eq, gt, lt || gt, gt || eq, !un, un, !(gt || eq), !(lt || gt), !gt, !(lt || eq), !eq, !lt};
      for (size_t k = 0; k < std::size(names); k++) {
        Instruction i;
        i.src[0] = 1, i.src[1] = 2;
        wave.scc() = n & 1;
        std::string name = std::string("s_cmp_") + names[k] + (half ? "_f16" : "_f32");
        wave.run(name.c_str(), i, half ? wave::FloatClass::F64 : wave::FloatClass::F32);
        ASSERT_EQ(wave.scc(), uint32_t(expected[k])) << name << std::hex << " " << a << " " << b;
      }
    }
  }
}

TEST(SaluFloat, RoundingsAndConversions) {
  Words words(11);
  SingleStep wave;
  for (int n = 0; n < 20000; n++) {
    uint32_t a = words.mixed(), b = words.mixed();
    if (n % 3 == 0) a = (a & 0x807fffff) | (120 + n / 3 % 32) << 23;  // sizes where rounding does something
    if (n % 3 == 1) a = (a & 0x807fffff) | (98 + n / 3 % 50) << 23;
    int round = n >> 1 & 3;
    wave.cell(mode_cell) = mode_bits(round, false);
    wave.s(1) = a, wave.s(2) = b;
    Instruction i;
    i.src[0] = 1, i.src[1] = 2, i.dst = 3;
    float x = value32(a);
    auto check = [&](const char* name, uint32_t expected, wave::FloatClass c = wave::FloatClass::F32) {
      wave.run(name, i, c);
      ASSERT_EQ(wave.s(3), expected) << name << std::hex << " " << a << " gives " << wave.s(3) << " round " << round;
    };
    check("s_ceil_f32", ruled(std::ceil(x), a));
    check("s_floor_f32", ruled(std::floor(x), a));
    check("s_trunc_f32", ruled(std::trunc(x), a));
    check("s_rndne_f32", ruled(std::nearbyint(x), a));
    check("s_cvt_i32_f32", x != x              ? 0u
                           : x >= 2147483648.f ? 0x7fffffffu
                           : x < -2147483648.f ? 0x80000000u
                                               : uint32_t(int32_t(x)));
    check("s_cvt_u32_f32", !(x > 0) ? 0u : x >= 4294967296.f ? 0xffffffffu : uint32_t(x));
    std::fesetround(host_rounding[round]);
    volatile int32_t si = int32_t(a);
    volatile uint32_t ui = a;
    volatile float from_signed = float(si), from_unsigned = float(ui);
    std::fesetround(FE_TONEAREST);
    check("s_cvt_f32_i32", std::bit_cast<uint32_t>(float(from_signed)));
    check("s_cvt_f32_u32", std::bit_cast<uint32_t>(float(from_unsigned)));
    constexpr auto f16 = wave::FloatClass::F64;
    check("s_cvt_f16_f32", half_from_float(a, round), f16);
    check("s_cvt_pk_rtz_f16_f32", half_from_float(a, 3) | uint32_t(half_from_float(b, 3)) << 16, f16);
    auto widened = [](uint16_t h) {
      if (nan16(h)) return uint32_t(h & 0x8000) << 16 | 0x7fc00000 | uint32_t(h & 0x3ff) << 13;
      return std::bit_cast<uint32_t>(float(half_value(h)));
    };
    check("s_cvt_f32_f16", widened(uint16_t(a)), f16);
    check("s_cvt_hi_f32_f16", widened(uint16_t(a >> 16)), f16);
    uint16_t h = uint16_t(a);
    double v = half_value(h);
    auto half_rounded = [&](double r) {
      return nan16(h) ? uint32_t(h | 0x200) : half_from_float(std::bit_cast<uint32_t>(float(r)), 0);
    };
    check("s_ceil_f16", half_rounded(std::ceil(v)), f16);
    check("s_floor_f16", half_rounded(std::floor(v)), f16);
    check("s_trunc_f16", half_rounded(std::trunc(v)), f16);
    check("s_rndne_f16", half_rounded(std::nearbyint(v)), f16);
    if (HasFatalFailure()) return;
  }
}

// Float constants of 16-bit operations are halves (RDNA4 ISA 4.1).
TEST(SaluFloat, HalfConstants) {
  SingleStep wave;
  wave.s(1) = 0x3c00;
  Instruction i;
  i.src[0] = 1, i.src[1] = FLOAT_HALF, i.dst = 3;
  wave.run("s_add_f16", i, wave::FloatClass::F64);
  EXPECT_EQ(wave.s(3), 0x3e00u);
  i.src[1] = LITERAL, i.literal = 0xabcd3800;
  wave.run("s_add_f16", i, wave::FloatClass::F64);
  EXPECT_EQ(wave.s(3), 0x3e00u);
}

}  // namespace
}  // namespace Atoll::rdna4::test
