// Dense matrix products: matrices are laid into the lanes by the manual's tables (RDNA4 ISA 7.12.2), multiplied plainly, compared.
#include <algorithm>

#include "card_sum.h"
#include "matrix.h"

namespace Atoll::rdna4::test {
namespace {

constexpr Product products[] = {
    {"v_wmma_f32_16x16x16_f16", f16, f16, f32, 16},     {"v_wmma_f32_16x16x16_bf16", bf16, bf16, f32, 16},
    {"v_wmma_f16_16x16x16_f16", f16, f16, f16, 16},     {"v_wmma_bf16_16x16x16_bf16", bf16, bf16, bf16, 16},
    {"v_wmma_i32_16x16x16_iu8", iu8, iu8, i32, 16},     {"v_wmma_i32_16x16x16_iu4", iu4, iu4, i32, 16},
    {"v_wmma_f32_16x16x16_fp8_fp8", fp8, fp8, f32, 16}, {"v_wmma_f32_16x16x16_fp8_bf8", fp8, bf8, f32, 16},
    {"v_wmma_f32_16x16x16_bf8_fp8", bf8, fp8, f32, 16}, {"v_wmma_f32_16x16x16_bf8_bf8", bf8, bf8, f32, 16},
    {"v_wmma_i32_16x16x32_iu4", iu4, iu4, i32, 32},
};

class Wmma : public ::testing::TestWithParam<bool> {
protected:
  SingleStep wave{GetParam()};
  Layout layout{wave, GetParam()};
  Words words{GetParam() ? 21u : 20u};
  uint32_t a[16][32], b[32][16], c[16][16];  // bits

  void lay_out(const Product& p, bool exact) {
    for (uint32_t vgpr = 0; vgpr < 128; vgpr++)
      for (uint32_t lane = 0; lane < wave.lanes(); lane++) wave.v(vgpr, lane) = words.next();
    for (int k = 0; k < p.k; k++)
      for (int n = 0; n < 16; n++) {
        layout.put_ab(va, p.a, p.k, k, n, a[n][k] = pick(words, p.a, exact));
        layout.put_ab(vb, p.b, p.k, k, n, b[k][n] = pick(words, p.b, exact));
      }
    for (int row = 0; row < 16; row++)
      for (int column = 0; column < 16; column++) layout.put_c(vc, p.c, row, column, c[row][column] = pick(words, p.c, exact));
  }
  // Compares a product of f16 or bf16 that has run with card_sum.h: four k a step, with C running through.
  void expect_card_sums(const Product& p, const Instruction& i, bool largest_for_infinity) {
    const bool brain = p.a == bf16;
    const SumResult result = p.c == f32 ? SumResult::single : p.c == f16 ? SumResult::half : SumResult::brain;
    const uint32_t sign = p.c == f32 ? 0x80000000 : 0x8000;
    for (int row = 0; row < 16; row++)
      for (int column = 0; column < 16; column++) {
        uint32_t sum = c[row][column];
        if (i.neg_hi & 4) sum &= ~sign;
        if (i.neg & 4) sum ^= sign;
        for (int k = 0; k < p.k; k += 4) {
          std::array<uint32_t, 2> factors[4];
          for (int e = 0; e < 4; e++)  // the halves of a dword hold even and odd k
            for (int source = 0; source < 2; source++)
              factors[e][size_t(source)] =
                  (source ? b[k + e][column] : a[row][k + e]) ^ (((e % 2 ? i.neg_hi : i.neg) >> source & 1) ? 0x8000u : 0u);
          sum = card_sum(brain, result, factors, sum, largest_for_infinity);
        }
        ASSERT_EQ(layout.get_c(vd, p.c, row, column), sum) << p.name << " row " << row << " column " << column;
      }
  }
};
INSTANTIATE_TEST_SUITE_P(Waves, Wmma, ::testing::Bool(), [](auto& info) { return info.param ? "wave64" : "wave32"; });

// FP8 and BF8: D = C, then a fused multiply-add for each k.
TEST_P(Wmma, Bytes) {
  for (const Product& p : products)
    for (int n = 0; n < 12; n++) {
      if (p.c == i32 || size_of(p.a) != 8) continue;
      lay_out(p, n % 2);
      wave.set_exec(words.next64());  // EXEC does not count
      wave.cell(mode_cell) = words.next() & 0xff;
      Instruction i = matrix_instruction();
      if (n % 3 == 1) i.neg = uint16_t((words.next() & 1) << 2), i.neg_hi = uint16_t((words.next() & 1) << 2);
      wave.run(p.name, i);
      for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
          float sum = float(value_of(p.c, c[row][column], false));
          if (i.neg_hi & 4) sum = std::fabs(sum);
          if (i.neg & 4) sum = -sum;
          for (int k = 0; k < p.k; k++)
            sum = std::fma(float(value_of(p.a, a[row][k], false)), float(value_of(p.b, b[k][column], false)), sum);
          ASSERT_EQ(layout.get_c(vd, p.c, row, column), rounded(p.c, sum)) << p.name << " row " << row << " column " << column;
        }
    }
}

// f16 and bf16 as the card forms them (card_sum.h): four k a step, with C running through; packed results are narrowed in every step.
TEST_P(Wmma, Halves) {
  for (const Product& p : products)
    for (int n = 0; n < 300; n++) {
      if (size_of(p.a) != 16) continue;
      lay_out(p, n % 8 == 1);
      // Values of all kinds: of any bits, of exponents near to each other or anywhere, few of them not zero, large sums against small ones.
      auto halves = [&](Type t, int kind) -> uint32_t {
        const uint32_t r = words.next(), fraction = t == f16 ? 0x3ff : 0x7f, infinity = t == f16 ? 0x7c00 : 0x7f80;
        switch (kind) {
          case 0: return r & 0xffff;
          case 1: return (r & 0x8000) | (r & 1 ? 0 : pick(words, t, false) & 0x7fff);
          case 2: return (r & 0x8000) | (r & fraction);                                                          // denormal
          case 3: return (r & 0x8000) | infinity - 1 - (r >> 16 & (fraction << 1 | 1));                          // large
          case 4: return (r & 0x8000) | (t == f16 ? r >> 16 & 0x7ff : (44 + r / 65536 % 16) << 7 | (r & 0x7f));  // tiny products
          default: return words.next() % 40 ? pick(words, t, false) : (r & 0x8000) | infinity;
        }
      };
      if (n % 8 != 1)
        for (int k = 0; k < p.k; k++)
          for (int e = 0; e < 16; e++) {
            layout.put_ab(va, p.a, p.k, k, e, a[e][k] = halves(p.a, n / 8 % 5 == 4 ? e % 6 : n % 6));
            layout.put_ab(vb, p.b, p.k, k, e, b[k][e] = halves(p.b, n / 8 % 5 == 4 ? e / 3 % 6 : n / 2 % 6));
          }
      if (n % 3 == 0)
        for (int row = 0; row < 16; row++)
          for (int column = 0; column < 16; column++) {
            uint32_t x = words.next();
            if (p.c == f32)
              x = n % 2     ? x
                  : n % 4   ? x & (words.next() % 2 ? 0x80ffffff : 0x80000007)
                  : row % 3 ? 0
                            : (x & 0x807fffff) | (80 + x / 8 % 48) << 23;
            else
              x &= n % 4 ? 0xffff : words.next() % 2 ? 0x83ff : 0x8003;
            layout.put_c(vc, p.c, row, column, c[row][column] = x);
          }
      wave.set_exec(words.next64());  // EXEC does not count
      wave.cell(mode_cell) = (words.next() & 0xff) | (n % 2 ? MODE_FP16_OVFL : 0);
      Instruction i = matrix_instruction();
      if (n % 3 == 1) i.neg = words.next() & 7, i.neg_hi = words.next() & 7;
      wave.run(p.name, i);
      expect_card_sums(p, i, n % 2);
      if (HasFatalFailure()) FAIL() << "case " << n;
    }
}

// Operands of the sizes that programs have, which hosts may have quick ways for: fractions, exponents near and far from each other, zeros,
// whole numbers; C that is 0, like the products, far from them, or what cancels them.
TEST_P(Wmma, HalvesOfCommonSizes) {
  for (const Product& p : products)
    for (int n = 0; n < 400; n++) {
      if (size_of(p.a) != 16) continue;
      lay_out(p, true);
      const BinaryFormat& format = p.a == f16 ? half_format : brain_format;
      const BinaryFormat& to = p.c == f32 ? single_format : p.c == f16 ? half_format : brain_format;
      const int unit[2] = {n / 8 % 13 - 6, n / 4 % 11 - 5}, digits[2] = {1 + n / 3 % 10, 1 + n / 7 % 10};
      const uint32_t large = p.a == f16 ? 192 : 48,
                     longer[2] = {uint32_t(n / 8 % 4) + (p.a == f16 ? 0 : 2),
                                  uint32_t(n / 32 % 4) + (p.a == f16 ? 0 : 2)};  // 8 or 6 digits, and zeros
      auto half = [&](int source) -> uint32_t {
        const uint32_t r = words.next();
        const double magnitude = double(r >> 8) * 0x1p-24;
        double x = 0;
        switch (n % 8) {
          case 0: x = magnitude; break;
          case 1:
            x = std::ldexp(1 + magnitude, p.a == f16    ? int(words.next() % 29) - 14
                                          : n % 16 == 1 ? int(words.next() % 58) - 41
                                                        : int(words.next() % 18) - 60);
            break;
          case 2: x = r % 3 ? std::ldexp(1 + magnitude, unit[source] + int(words.next() % 7)) : 0; break;
          case 3: x = words.next() % 6 ? 0 : std::ldexp(magnitude, p.a == f16 ? -13 : -30); break;
          case 7:
            x = std::ldexp(large + (r >> 8) % (large / 3),
                           unit[source] + int((r >> 4 & 3) ? longer[source] : words.next() % (longer[source] + 1)));
            break;                                                                               // none negative
          default: x = std::ldexp(double(r >> 8 & ((1u << digits[source]) - 1)), unit[source]);  // whole numbers of units
        }
        return uint32_t(rounded_bits(format, (long double)(r & 1 && n % 8 != 7 ? -x : x), wave::Rounding::NearestEven)) & 0xffff;
      };
      for (int k = 0; k < p.k; k++)
        for (int e = 0; e < 16; e++) {
          layout.put_ab(va, p.a, p.k, k, e, a[e][k] = half(0));
          layout.put_ab(vb, p.b, p.k, k, e, b[k][e] = half(1));
        }
      for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
          const uint32_t r = words.next();
          double x = double(r >> 8) * 0x1p-24;
          switch (n % 8 == 7 ? 3 : n / 8 % 5) {
            case 0: x = 0; break;
            case 1: break;
            case 2: x = std::ldexp(1 + x, int(words.next() % 90) - 60); break;
            case 3: x = std::ldexp(double(r >> (9 + n / 40 % 4)), unit[0] + unit[1] - (n % 16 == 6)); break;
            default:
              for (int k = 0; k < 4; k++)
                x -= value_of(p.a, a[row][k], false) * value_of(p.b, b[k][column], false) * (1 + (r >> 8) * 0x1p-40);
          }
          c[row][column] = uint32_t(rounded_bits(to, (long double)(r & 1 ? -x : x), wave::Rounding::NearestEven));
          layout.put_c(vc, p.c, row, column, c[row][column]);
        }
      Instruction i = matrix_instruction();
      if (n % 3 == 1) i.neg = words.next() & 7, i.neg_hi = words.next() & 7;
      wave.run(p.name, i);
      expect_card_sums(p, i, false);
      if (HasFatalFailure()) FAIL() << "case " << n;
    }
}

TEST_P(Wmma, Integers) {
  for (const Product& p : products)
    for (int n = 0; n < 8; n++) {
      if (p.c != i32) continue;
      lay_out(p, false);
      Instruction i = matrix_instruction();
      i.neg = uint8_t(n & 3), i.clamp = n & 4;
      wave.run(p.name, i);
      for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
          int64_t sum = int32_t(c[row][column]);
          for (int k = 0; k < p.k; k++)
            sum += int64_t(value_of(p.a, a[row][k], n & 1)) * int64_t(value_of(p.b, b[k][column], n & 2));
          if (i.clamp) sum = std::min<int64_t>(INT32_MAX, std::max<int64_t>(INT32_MIN, sum));
          ASSERT_EQ(layout.get_c(vd, p.c, row, column), uint32_t(sum)) << p.name << " row " << row << " column " << column;
        }
    }
}

TEST_P(Wmma, ClampSaturates) {
  const Product& p = products[4];
  for (uint32_t lane = 0; lane < wave.lanes(); lane++)
    for (uint32_t n = 0; n < 8; n++) wave.v(va + n, lane) = wave.v(vb + n, lane) = 0x7f7f7f7f, wave.v(vc + n, lane) = 0x7ffffff0;
  Instruction i = matrix_instruction();
  i.neg = 3;
  wave.run(p.name, i);
  EXPECT_EQ(wave.v(vd, 0), 0x7ffffff0u + 16 * 127 * 127);
  i.clamp = true;
  wave.run(p.name, i);
  EXPECT_EQ(wave.v(vd, 0), 0x7fffffffu);
}

TEST_P(Wmma, InlineConstantsAndOverlap) {
  for (const Product& p : products) {
    if (p.c == i32) continue;
    lay_out(p, true);
    Instruction i = matrix_instruction();
    i.src[2] = FLOAT_HALF + 4, i.dst = va;  // 2.0; D over A
    wave.run(p.name, i);
    for (int row = 0; row < 16; row++)
      for (int column = 0; column < 16; column++) {
        float sum = 2;
        for (int k = 0; k < p.k; k++) sum += float(value_of(p.a, a[row][k], false) * value_of(p.b, b[k][column], false));
        ASSERT_EQ(layout.get_c(va, p.c, row, column), rounded(p.c, sum)) << p.name;
      }
  }
  const Product& integers = products[4];
  lay_out(integers, true);
  Instruction i = matrix_instruction();
  i.src[2] = INTEGER_MINUS_1;
  wave.run(integers.name, i);
  int64_t sum = -1;
  for (int k = 0; k < 16; k++) sum += a[3][k] * b[k][5];
  EXPECT_EQ(layout.get_c(vd, i32, 3, 5), uint32_t(sum));
}

// A NaN among the factors has a payload of its own (ROCm/rocm-systems, emulation/rocjitsu, tests/fixtures/float_dot/gfx1201_cases.h).
TEST_P(Wmma, NansAreTheCards) {
  for (const Product& p : products) {
    if (size_of(p.a) != 16 || p.c != f32) continue;
    const uint32_t infinity = p.a == f16 ? 0x7c00 : 0x7f80, one = p.a == f16 ? 0x3c00 : 0x3f80;
    lay_out(p, true);
    layout.put_ab(va, p.a, 16, 5, 2, infinity | 0x23);                                // signalling, in row 2
    layout.put_ab(va, p.a, 16, 6, 4, infinity), layout.put_ab(vb, p.b, 16, 6, 7, 0);  // infinity times 0
    layout.put_ab(va, p.a, 16, 9, 5, infinity), layout.put_ab(vb, p.b, 16, 9, 1, one);
    wave.run(p.name, matrix_instruction());
    EXPECT_EQ(layout.get_c(vd, f32, 2, 3), 0xffc00a3du);
    EXPECT_EQ(layout.get_c(vd, f32, 4, 7), 0xffc00000u);
    EXPECT_EQ(layout.get_c(vd, f32, 5, 1), 0x7f800000u);
  }
}

}  // namespace
}  // namespace Atoll::rdna4::test
