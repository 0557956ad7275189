// Sparse matrix products against the layouts that AMD publishes: the equations that its matrix instruction calculator prints
// (github.com/ROCm/amd_matrix_instruction_calculator, matrix_calculator.py -a rdna4 -i v_swmmac_... -w 32 or 64 -d, and --opsel for
// the sets of indices). The `layouts:` comments of ck_tile (composable_kernel, include/ck_tile/core/arch/mma/sparse/wmma/
// sparse_gfx12.hpp) and ROCm/hip-fpsan's amdgcn_swmmac_gfx12.hpp, whose tests compare with a gfx1201, say the same.
#include <algorithm>

#include "matrix.h"

namespace Atoll::rdna4::test {
namespace {

// The places of element k of the expanded A and of element k of B: a lane, to which the row or the column is
// added, and the lowest bit in the lane's registers, 32 for each VGPR. Indices are in the lane of their pair.
struct PublishedLayout {
  int bits, k;
  bool wave64;
  int sets;  // of indices, for OP_SEL
  int (*pair_lane)(int k), (*pair_bit)(int k), (*index_bit)(int k), (*b_lane)(int k), (*b_bit)(int k);
};
// clang-format off: a table
constexpr PublishedLayout layouts[] = {
    {16, 32, false, 2,
     [](int k) { return 16 * (k / 8 % 2); }, [](int k) { return 32 * (2 * (k / 16) + k / 4 % 2); }, [](int k) { return 8 * (k / 16) + 4 * (k / 4 % 2); },
     [](int k) { return 16 * (k / 8 % 2); }, [](int k) { return 32 * (4 * (k / 16) + k / 2 % 4) + 16 * (k % 2); }},
    {16, 32, true, 4,
     [](int k) { return 16 * (k / 8); }, [](int k) { return 32 * (k / 4 % 2); }, [](int k) { return 4 * (k / 4 % 2); },
     [](int k) { return 16 * (k / 8); }, [](int k) { return 32 * (k / 2 % 4) + 16 * (k % 2); }},
    {8, 32, false, 2,
     [](int k) { return 16 * (k / 16); }, [](int k) { return 32 * (k / 8 % 2) + 16 * (k / 4 % 2); }, [](int k) { return 4 * (k / 4 % 4); },
     [](int k) { return 16 * (k / 16); }, [](int k) { return 32 * (k / 4 % 4) + 8 * (k % 4); }},
    {8, 32, true, 4,
     [](int k) { return 32 * (k / 8 % 2) + 16 * (k / 16); }, [](int k) { return 16 * (k / 4 % 2); }, [](int k) { return 4 * (k / 4 % 2); },
     [](int k) { return 32 * (k / 8 % 2) + 16 * (k / 16); }, [](int k) { return 32 * (k / 4 % 2) + 8 * (k % 4); }},
    {4, 32, false, 2,
     [](int k) { return 16 * (k / 16); }, [](int k) { return 8 * (k / 4 % 4); }, [](int k) { return 4 * (k / 4 % 4); },
     [](int k) { return 16 * (k / 16); }, [](int k) { return 32 * (k / 8 % 2) + 4 * (k % 8); }},
    {4, 32, true, 2,  // A and its indices in the first 32 lanes, B in all
     [](int k) { return 16 * (k / 16); }, [](int k) { return 8 * (k / 4 % 4); }, [](int k) { return 4 * (k / 4 % 4); },
     [](int k) { return 32 * (k / 8 % 2) + 16 * (k / 16); }, [](int k) { return 4 * (k % 8); }},
    {4, 64, false, 1,
     [](int k) { return 16 * (k / 32); }, [](int k) { return 32 * (k / 16 % 2) + 8 * (k / 4 % 4); }, [](int k) { return 4 * (k / 4 % 8); },
     [](int k) { return 16 * (k / 32); }, [](int k) { return 32 * (k / 8 % 4) + 4 * (k % 8); }},
    {4, 64, true, 2,
     [](int k) { return 32 * (k / 16 % 2) + 16 * (k / 32); }, [](int k) { return 8 * (k / 4 % 4); }, [](int k) { return 4 * (k / 4 % 4); },
     [](int k) { return 32 * (k / 16 % 2) + 16 * (k / 32); }, [](int k) { return 32 * (k / 8 % 2) + 4 * (k % 8); }},
};
// clang-format on
constexpr Product products[] = {
    {"v_swmmac_f32_16x16x32_f16", f16, f16, f32, 32},     {"v_swmmac_f32_16x16x32_bf16", bf16, bf16, f32, 32},
    {"v_swmmac_f16_16x16x32_f16", f16, f16, f16, 32},     {"v_swmmac_bf16_16x16x32_bf16", bf16, bf16, bf16, 32},
    {"v_swmmac_i32_16x16x32_iu8", iu8, iu8, i32, 32},     {"v_swmmac_i32_16x16x32_iu4", iu4, iu4, i32, 32},
    {"v_swmmac_i32_16x16x64_iu4", iu4, iu4, i32, 64},     {"v_swmmac_f32_16x16x32_fp8_fp8", fp8, fp8, f32, 32},
    {"v_swmmac_f32_16x16x32_fp8_bf8", fp8, bf8, f32, 32}, {"v_swmmac_f32_16x16x32_bf8_fp8", bf8, fp8, f32, 32},
    {"v_swmmac_f32_16x16x32_bf8_bf8", bf8, bf8, f32, 32},
};

class Swmmac : public ::testing::TestWithParam<bool> {
protected:
  SingleStep wave{GetParam()};
  Layout results{wave, GetParam()};
  Words words{GetParam() ? 31u : 30u};
  const PublishedLayout* layout = nullptr;
  uint32_t c[16][16];

  // Bits of the registers from `base` on.
  uint32_t get(uint32_t base, int lane, int bit, int size) {
    return wave.v(base + uint32_t(bit / 32), uint32_t(lane)) >> bit % 32 & ((uint64_t(1) << size) - 1);
  }
  void put(uint32_t base, int lane, int bit, int size, uint32_t x) {
    results.put(base + uint32_t(bit / 32), uint32_t(lane), size, bit % 32 / size, x);
  }
  const PublishedLayout& layout_of(const Product& p) {
    return *std::find_if(std::begin(layouts), std::end(layouts), [&](const PublishedLayout& l) {
      return l.bits == size_of(p.a) && l.k == p.k && l.wave64 == wave.wave64;
    });
  }
  // A, B and the indices, everything else full of random bits.
  void lay_out(const Product& p, bool exact, bool any_indices, int set) {
    layout = &layout_of(p);
    for (uint32_t vgpr = 0; vgpr < 128; vgpr++)
      for (uint32_t lane = 0; lane < wave.lanes(); lane++) wave.v(vgpr, lane) = words.next();
    constexpr uint32_t ascending[6] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    const int bits = layout->bits;
    for (int n = 0; n < 16; n++) {
      for (int k = 0; k < p.k; k++) put(vb, layout->b_lane(k) + n, layout->b_bit(k), bits, pick(words, p.b, exact));
      for (int k = 0; k < p.k; k += 4) {
        const int lane = layout->pair_lane(k) + n;
        for (int e = 0; e < 2; e++) put(va, lane, layout->pair_bit(k) + e * bits, bits, pick(words, p.a, exact));
        put(vc, lane, set * 32 / layout->sets + layout->index_bit(k), 4,
            any_indices ? words.next() & 15 : ascending[words.next() % 6]);
      }
      for (int row = 0; row < 16; row++) results.put_c(vd, p.c, row, n, c[row][n] = pick(words, p.c, exact));
    }
  }
  // Calls what(k of B, bit of A's element, its value, B's value) for the products of a row and a column, k ascending.
  template <class What>
  void for_products(int row, int column, int set, What what) {
    const int bits = layout->bits;
    for (int k = 0; k < layout->k; k += 4) {
      const int lane = layout->pair_lane(k) + row, bit = layout->pair_bit(k);
      const uint32_t indices = get(vc, lane, set * 32 / layout->sets + layout->index_bit(k), 4);
      const int to[2] = {int(indices & 3), int(indices >> 2)};
      for (int e : {to[1] < to[0] ? 1 : 0, to[1] < to[0] ? 0 : 1}) {
        const int in_b = k + to[e];
        what(in_b, bit + e * bits, get(va, lane, bit + e * bits, bits),
             get(vb, layout->b_lane(in_b) + column, layout->b_bit(in_b), bits));
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Waves, Swmmac, ::testing::Bool(), [](auto& info) { return info.param ? "wave64" : "wave32"; });

TEST_P(Swmmac, Floats) {
  for (const Product& p : products)
    for (int n = 0; n < 24; n++) {
      if (p.c == i32) continue;
      const bool exact = n % 2;
      const int set = n / 2 % (wave.wave64 ? 4 : 2);
      lay_out(p, exact, n % 3 == 0, set);
      wave.set_exec(words.next64());  // EXEC does not count
      wave.cell(mode_cell) = words.next() & 0xff;
      Instruction i = matrix_instruction();
      i.op_sel = uint8_t(set);
      if (n % 3 == 1 && layout->bits == 16) i.neg = words.next() & 3, i.neg_hi = words.next() & 3;
      float expected[16][16];
      for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
          float sum = float(value_of(p.c, c[row][column], false));
          for_products(row, column, set, [&](int k, int a_bit, uint32_t x, uint32_t y) {
            float a = float(value_of(p.a, x, false)), b = float(value_of(p.b, y, false));
            if ((a_bit & 16 ? i.neg_hi : i.neg) & 1) a = -a;  // the halves of a dword
            if ((layout->b_bit(k) & 16 ? i.neg_hi : i.neg) & 2) b = -b;
            sum = std::fma(a, b, sum);
          });
          expected[row][column] = sum;
        }
      wave.run(p.name, i);
      for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++)
          ASSERT_EQ(results.get_c(vd, p.c, row, column), rounded(p.c, expected[row][column]))
              << p.name << " row " << row << " column " << column << " exact " << exact << " set " << set;
    }
}

TEST_P(Swmmac, Integers) {
  for (const Product& p : products)
    for (int n = 0; n < 32; n++) {
      if (p.c != i32) continue;
      const int set = n % layout_of(p).sets;
      lay_out(p, false, n & 16, set);
      Instruction i = matrix_instruction();
      i.op_sel = uint8_t(set), i.neg = uint8_t(n >> 1 & 3), i.clamp = n & 8;
      int64_t expected[16][16];
      for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
          int64_t sum = int32_t(c[row][column]);
          for_products(row, column, set, [&](int, int, uint32_t x, uint32_t y) {
            sum += int64_t(value_of(p.a, x, i.neg & 1)) * int64_t(value_of(p.b, y, i.neg & 2));
          });
          if (i.clamp) sum = std::min<int64_t>(INT32_MAX, std::max<int64_t>(INT32_MIN, sum));
          expected[row][column] = sum;
        }
      wave.run(p.name, i);
      for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++)
          ASSERT_EQ(results.get_c(vd, p.c, row, column), uint32_t(expected[row][column]))
              << p.name << " row " << row << " column " << column << " set " << set;
    }
}

}  // namespace
}  // namespace Atoll::rdna4::test
