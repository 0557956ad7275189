// The division steps: each against its cases (RDNA4 ISA 16.12, errata F1, F2, F5), and the compiler's whole sequence against C's
// quotient.
#include <cfenv>
#include <cmath>

#include "single_step.h"

using namespace Atoll;
using namespace Atoll::rdna4;
using rdna4::test::SingleStep;
using rdna4::test::Words;

namespace {

constexpr auto f64_class = wave::FloatClass::F64;

// v1 = n, v2 = d: LLVM's expansion of a correctly rounded f32 quotient (AMDGPU LowerFDIV32), result in v0.
void divide32(SingleStep& wave) {
  auto v = [](uint16_t n) { return uint16_t(VGPR0 + n); };
  wave.run("v_div_scale_f32", {.dst = 3, .sdst = 10, .src = {v(2), v(2), v(1)}});
  wave.run("v_div_scale_f32", {.dst = 4, .sdst = VCC_LO, .src = {v(1), v(2), v(1)}});
  wave.run("v_rcp_f32", {.dst = 5, .src = {v(3)}});
  wave.run("v_fma_f32", {.dst = 6, .src = {v(3), v(5), FLOAT_HALF + 2}, .neg = 1});
  wave.run("v_fmac_f32", {.dst = 5, .src = {v(6), v(5)}});
  wave.run("v_mul_f32", {.dst = 7, .src = {v(4), v(5)}});
  wave.run("v_fma_f32", {.dst = 6, .src = {v(3), v(7), v(4)}, .neg = 1});
  wave.run("v_fmac_f32", {.dst = 7, .src = {v(6), v(5)}});
  wave.run("v_fma_f32", {.dst = 6, .src = {v(3), v(7), v(4)}, .neg = 1});
  wave.run("v_div_fmas_f32", {.dst = 6, .src = {v(6), v(5), v(7)}});
  wave.run("v_div_fixup_f32", {.dst = 0, .src = {v(6), v(2), v(1)}});
}
// v2:3 = n, v4:5 = d: the same in f64 (LowerFDIV64), result in v0:1.
void divide64(SingleStep& wave) {
  auto v = [](uint16_t n) { return uint16_t(VGPR0 + n); };
  constexpr uint16_t one = FLOAT_HALF + 2;
  wave.run("v_div_scale_f64", {.dst = 6, .sdst = 10, .src = {v(4), v(4), v(2)}}, f64_class);
  wave.run("v_rcp_f64", {.dst = 8, .src = {v(6)}}, f64_class);
  wave.run("v_fma_f64", {.dst = 10, .src = {v(6), v(8), one}, .neg = 1}, f64_class);
  wave.run("v_fma_f64", {.dst = 8, .src = {v(8), v(10), v(8)}}, f64_class);
  wave.run("v_fma_f64", {.dst = 10, .src = {v(6), v(8), one}, .neg = 1}, f64_class);
  wave.run("v_fma_f64", {.dst = 8, .src = {v(8), v(10), v(8)}}, f64_class);
  wave.run("v_div_scale_f64", {.dst = 10, .sdst = VCC_LO, .src = {v(2), v(4), v(2)}}, f64_class);
  wave.run("v_mul_f64", {.dst = 12, .src = {v(10), v(8)}}, f64_class);
  wave.run("v_fma_f64", {.dst = 14, .src = {v(6), v(12), v(10)}, .neg = 1}, f64_class);
  wave.run("v_div_fmas_f64", {.dst = 16, .src = {v(14), v(8), v(12)}}, f64_class);
  wave.run("v_div_fixup_f64", {.dst = 0, .src = {v(16), v(4), v(2)}}, f64_class);
}

template <class Float, class Bits>
bool same(Float want, Bits got) {
  return std::isnan(want) ? std::isnan(std::bit_cast<Float>(got)) : std::bit_cast<Bits>(want) == got;
}

TEST(Division, WholeSequenceF32) {
  for (bool wave64 : {false, true}) {
    SingleStep wave(wave64);
    Words words(21);
    for (int round = 0; round < 20000; round++) {
      for (uint32_t l = 0; l < wave.lanes(); l++) {
        uint32_t n = words.mixed(), d = words.mixed();
        // Quotients around the borders too: denormal results, overflow, both operands huge or tiny.
        if (round % 3 == 1)
          n = (n & 0x807fffff) | (words.next() % 40) << 23, d = (d & 0x807fffff) | (100 + words.next() % 50) << 23;
        if (round % 3 == 2)
          n = (n & 0x807fffff) | (90 + words.next() % 165) << 23,
          d = (d & 0x807fffff) | (words.next() % 2 ? words.next() % 30 : 225 + words.next() % 30) << 23;
        wave.v(1, l) = n, wave.v(2, l) = d;
      }
      divide32(wave);
      for (uint32_t l = 0; l < wave.lanes(); l++) {
        float n = std::bit_cast<float>(wave.v(1, l)), d = std::bit_cast<float>(wave.v(2, l));
        ASSERT_TRUE(same(n / d, wave.v(0, l))) << std::hex << wave.v(1, l) << " / " << wave.v(2, l) << " = " << wave.v(0, l)
                                               << ", not " << std::bit_cast<uint32_t>(n / d);
      }
    }
  }
}

TEST(Division, WholeSequenceF64) {
  SingleStep wave(true);
  Words words(22);
  for (int round = 0; round < 10000; round++) {
    for (uint32_t l = 0; l < 64; l++) {
      uint64_t n = words.next64(), d = words.next64(), fraction = 0x800fffffffffffff;
      if (round % 4 == 1)
        n = (n & fraction) | uint64_t(words.next() % 80) << 52, d = (d & fraction) | uint64_t(900 + words.next() % 250) << 52;
      if (round % 4 == 2)
        n = (n & fraction) | uint64_t(900 + words.next() % 1147) << 52,
        d = (d & fraction) | uint64_t(words.next() % 2 ? words.next() % 60 : 1980 + words.next() % 67) << 52;
      if (round % 4 == 3) n = uint64_t(words.mixed()) << 32, d = uint64_t(words.mixed()) << 32;
      wave.set_v64(2, l, n), wave.set_v64(4, l, d);
    }
    divide64(wave);
    for (uint32_t l = 0; l < 64; l++) {
      double n = std::bit_cast<double>(wave.v64(2, l)), d = std::bit_cast<double>(wave.v64(4, l));
      ASSERT_TRUE(same(n / d, wave.v64(0, l))) << std::hex << wave.v64(2, l) << " / " << wave.v64(4, l) << " = " << wave.v64(0, l)
                                               << ", not " << std::bit_cast<uint64_t>(n / d);
    }
  }
}

TEST(Division, ScaleCases) {
  SingleStep wave;
  auto scale = [&](float value, float d, float n) {
    wave.v(1, 3) = std::bit_cast<uint32_t>(value), wave.v(2, 3) = std::bit_cast<uint32_t>(d),
              wave.v(3, 3) = std::bit_cast<uint32_t>(n);
    wave.run("v_div_scale_f32", {.dst = 0, .sdst = VCC_LO, .src = {VGPR0 + 1, VGPR0 + 2, VGPR0 + 3}});
    return std::pair(std::bit_cast<float>(wave.v(0, 3)), wave.s(VCC_LO) >> 3 & 1);
  };
  EXPECT_EQ(scale(3, 3, 5), std::pair(3.0f, 0u));
  EXPECT_EQ(scale(5, 3, 5), std::pair(5.0f, 0u));
  EXPECT_EQ(scale(0x1p-60f, 0x1p-60f, 0x1p36f), std::pair(0x1p4f, 1u));       // large quotient: the denominator up
  EXPECT_EQ(scale(0x1p36f, 0x1p-60f, 0x1p36f), std::pair(0x1p36f, 1u));       // ... and the numerator not
  EXPECT_EQ(scale(0x1p-140f, 0x1p-140f, 0x1p-50f), std::pair(0x1p-76f, 0u));  // denormal denominator: both up
  EXPECT_EQ(scale(0x1p-50f, 0x1p-140f, 0x1p-50f), std::pair(0x1p14f, 0u));
  EXPECT_EQ(scale(0x1p127f, 0x1p127f, 0x1p60f), std::pair(0x1p63f, 0u));  // denormal reciprocal: both down
  EXPECT_EQ(scale(0x1p60f, 0x1p127f, 0x1p60f), std::pair(0x1p-4f, 0u));
  EXPECT_EQ(scale(0x1p127f, 0x1p127f, 0.25f), std::pair(0x1p63f, 1u));  // and denormal quotient: the denominator down
  EXPECT_EQ(scale(0.25f, 0x1p127f, 0.25f), std::pair(0.25f, 1u));
  EXPECT_EQ(scale(0x1p-90f, 0x1p40f, 0x1p-90f), std::pair(0x1p-26f, 1u));  // denormal quotient: the numerator up
  EXPECT_EQ(scale(0x1p40f, 0x1p40f, 0x1p-90f), std::pair(0x1p40f, 1u));
  EXPECT_EQ(scale(0x1p-110f, 2, 0x1p-110f), std::pair(0x1p-46f, 1u));  // the same of a tiny numerator
  EXPECT_EQ(scale(2, 2, 0x1p-110f), std::pair(2.0f, 1u));
  EXPECT_EQ(scale(0x1p-103f, 0x1p-8f, 0x1p-103f), std::pair(0x1p-39f, 0u));  // ... and with a usual quotient both up
  EXPECT_EQ(scale(0x1p-8f, 0x1p-8f, 0x1p-103f), std::pair(0x1p56f, 0u));
  EXPECT_TRUE(std::isnan(scale(0, 0, 1).first));
  EXPECT_TRUE(std::isnan(scale(1, 1, 0).first));
  // Inactive lanes' bits of the mask become 0.
  wave.s(VCC_LO) = ~0u;
  wave.set_exec(0);
  wave.run("v_div_scale_f32", {.dst = 0, .sdst = VCC_LO, .src = {VGPR0 + 1, VGPR0 + 2, VGPR0 + 3}});
  EXPECT_EQ(wave.s(VCC_LO), 0u);
}

TEST(Division, FixupCases) {
  SingleStep wave;
  auto fixup = [&](uint32_t q, uint32_t d, uint32_t n) {
    wave.v(1, 0) = q, wave.v(2, 0) = d, wave.v(3, 0) = n;
    wave.run("v_div_fixup_f32", {.dst = 0, .src = {VGPR0 + 1, VGPR0 + 2, VGPR0 + 3}});
    return wave.v(0, 0);
  };
  constexpr uint32_t one = 0x3f800000, inf = 0x7f800000, minus = 0x80000000;
  EXPECT_EQ(fixup(one, 0x7f800001, 0x7f800002), 0x7fc00002u);
  EXPECT_EQ(fixup(one, 0xff800001, one), 0xffc00001u);
  EXPECT_EQ(fixup(one, 0, minus), 0xffc00000u);
  EXPECT_EQ(fixup(one, inf, minus | inf), 0xffc00000u);
  EXPECT_EQ(fixup(one, minus, one), minus | inf);
  EXPECT_EQ(fixup(one, one, inf), inf);
  EXPECT_EQ(fixup(one, inf, minus | one), minus);
  EXPECT_EQ(fixup(one, minus | one, 0), minus);
  EXPECT_EQ(fixup(one, 200u << 23, 40u << 23), 0u);
  EXPECT_EQ(fixup(0x7fc12345, one, minus | one), minus | inf);  // the refinement overflowed
  EXPECT_EQ(fixup(minus | one, one, one), one);
  EXPECT_EQ(fixup(one, minus | one, one), minus | one);
  wave.cell(mode_cell) = MODE_DEFAULT | 1;  // toward +infinity
  EXPECT_EQ(fixup(one, 200u << 23, 40u << 23), 1u);
  EXPECT_EQ(fixup(one, minus | 200u << 23, 40u << 23), minus);
  wave.cell(mode_cell) = 0xc0 | 1;  // denormal results are not allowed, denormal operands are zeros
  EXPECT_EQ(fixup(one, 200u << 23, 40u << 23), 0u);
  EXPECT_EQ(fixup(one, 1, one), inf);
  wave.cell(mode_cell) = MODE_DEFAULT;
  auto fixup16 = [&](uint32_t q, uint32_t d, uint32_t n) {
    wave.v(0, 0) = 0xaaaa5555, wave.v(1, 0) = q, wave.v(2, 0) = d, wave.v(3, 0) = n;
    wave.run("v_div_fixup_f16", {.dst = 0, .src = {VGPR0 + 1, VGPR0 + 2, VGPR0 + 3}, .op_sel = 8}, f64_class);
    return wave.v(0, 0);
  };
  EXPECT_EQ(fixup16(0x3c00, 0, 0x8000), 0xfe005555);
  EXPECT_EQ(fixup16(0x3c00, 0x8000, 0x3c00), 0xfc005555);
  EXPECT_EQ(fixup16(0x3c00, 0xbc00, 0x3c00), 0xbc005555);
  EXPECT_EQ(fixup16(0x3c00, 0x7c01, 0x3c00), 0x7e015555u);
}

}  // namespace
