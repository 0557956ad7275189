// Dense matrix products: matrices are laid into the lanes by the manual's tables (RDNA4 ISA 7.12.2), multiplied plainly, compared.
#include <algorithm>

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
};
INSTANTIATE_TEST_SUITE_P(Waves, Wmma, ::testing::Bool(), [](auto& info) { return info.param ? "wave64" : "wave32"; });

TEST_P(Wmma, Floats) {
  for (const Product& p : products)
    for (int n = 0; n < 12; n++) {
      if (p.c == i32) continue;
      bool exact = n % 2;
      lay_out(p, exact);
      wave.set_exec(words.next64());  // EXEC does not count
      wave.cell(mode_cell) = words.next() & 0xff;
      Instruction i = matrix_instruction();
      bool halves = size_of(p.a) == 16;
      if (n % 3 == 1 && halves) i.neg = words.next() & 3, i.neg_hi = words.next() & 3;
      if (n % 3 == 1) i.neg |= (words.next() & 1) << 2, i.neg_hi |= (words.next() & 1) << 2;
      wave.run(p.name, i);
      for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
          auto signed_value = [&](Type t, uint32_t x, int k, int source) {
            float v = float(value_of(t, x, false));
            // The halves of a dword hold even and odd k.
            return size_of(t) == 16 && ((k % 2 ? i.neg_hi : i.neg) >> source & 1) ? -v : v;
          };
          float sum = float(value_of(p.c, c[row][column], false));
          if (i.neg_hi & 4) sum = std::fabs(sum);
          if (i.neg & 4) sum = -sum;
          for (int k = 0; k < p.k; k++)
            sum = std::fma(signed_value(p.a, a[row][k], k, 0), signed_value(p.b, b[k][column], k, 1), sum);
          ASSERT_EQ(layout.get_c(vd, p.c, row, column), rounded(p.c, sum))
              << p.name << " row " << row << " column " << column << " exact " << exact;
        }
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

// NaNs by wave/nan.h: an operand's, quieted, else the default one.
TEST_P(Wmma, NanAndInfinity) {
  const Product& p = products[0];
  lay_out(p, true);
  layout.put_ab(va, f16, 16, 5, 2, 0x7d23);                                       // signalling, in row 2
  layout.put_ab(va, f16, 16, 6, 4, 0x7c00), layout.put_ab(vb, f16, 16, 6, 7, 0);  // infinity times 0
  layout.put_ab(va, f16, 16, 9, 5, 0x7c00), layout.put_ab(vb, f16, 16, 9, 1, 0x3c00);
  wave.run(p.name, matrix_instruction());
  EXPECT_EQ(layout.get_c(vd, f32, 2, 3), 0x7fc00000u | 0x123 << 13);
  EXPECT_EQ(layout.get_c(vd, f32, 4, 7), 0xffc00000u);
  EXPECT_EQ(layout.get_c(vd, f32, 5, 1), 0x7f800000u);
}

}  // namespace
}  // namespace Atoll::rdna4::test
