// Lane moves and indexed registers against loops written from the manual's pseudocode (RDNA4 ISA 16.7, 16.8, 16.12, 16.15).
#include <bit>
#include <functional>

#include "single_step.h"

namespace Atoll::rdna4::test {
namespace {

class CrossLane : public ::testing::TestWithParam<bool> {
protected:
  SingleStep wave{GetParam()};
  Words words{GetParam() ? 5u : 4u};
  uint32_t lanes = wave.lanes();

  void fill() {
    for (uint32_t vgpr = 0; vgpr < 8; vgpr++)
      for (uint32_t lane = 0; lane < lanes; lane++) wave.v(vgpr, lane) = words.next();
    wave.set_exec(words.next() % 4 ? words.next64() : ~uint64_t(0));
  }
  // Runs, then compares the destination lane by lane: `expected(lane)` for active lanes, unchanged otherwise.
  void check(const char* name, const Instruction& i, uint32_t dst, const std::function<uint32_t(uint32_t)>& expected) {
    std::vector<uint32_t> want(lanes);
    for (uint32_t lane = 0; lane < lanes; lane++) want[lane] = wave.active(lane) ? expected(lane) : wave.v(dst, lane);
    wave.run(name, i);
    for (uint32_t lane = 0; lane < lanes; lane++) ASSERT_EQ(wave.v(dst, lane), want[lane]) << name << " lane " << lane;
  }
};
INSTANTIATE_TEST_SUITE_P(Waves, CrossLane, ::testing::Bool(), [](auto& info) { return info.param ? "wave64" : "wave32"; });

TEST_P(CrossLane, ReadAndWriteLane) {
  for (int n = 0; n < 200; n++) {
    fill();
    uint32_t select = words.next(), value = words.next();
    wave.s(1) = select, wave.s(2) = value;
    Instruction i;
    i.src[0] = VGPR0 + 3, i.src[1] = 1, i.dst = 5;
    wave.run("v_readlane_b32", i);
    EXPECT_EQ(wave.s(5), wave.v(3, select % lanes));
    wave.run("v_readfirstlane_b32", i);
    EXPECT_EQ(wave.s(5), wave.v(3, wave.exec() ? uint32_t(std::countr_zero(wave.exec())) : 0));
    i.src[0] = 2, i.dst = 4;
    std::vector<uint32_t> want(lanes);
    for (uint32_t lane = 0; lane < lanes; lane++) want[lane] = lane == select % lanes ? value : wave.v(4, lane);
    wave.run("v_writelane_b32", i);
    for (uint32_t lane = 0; lane < lanes; lane++) ASSERT_EQ(wave.v(4, lane), want[lane]);
  }
  wave.set_exec(0);
  Instruction i;
  i.src[0] = VGPR0 + 3, i.dst = 5;
  wave.run("v_readfirstlane_b32", i);
  EXPECT_EQ(wave.s(5), wave.v(3, 0)) << "no lane active: lane 0";
}

TEST_P(CrossLane, PermuteRows) {
  for (int n = 0; n < 400; n++)
    for (bool across : {false, true})
      for (bool var : {false, true}) {
        fill();
        Instruction i;
        i.dst = n % 3 ? 1 : 0;  // also onto its source
        i.src[0] = VGPR0, i.op_sel = uint8_t(n & 3);
        if (var)
          i.src[1] = VGPR0 + 2;
        else
          i.src[1] = 1, i.src[2] = 2, wave.s(1) = words.next(), wave.s(2) = words.next();
        std::vector<uint32_t> source(lanes);
        for (uint32_t lane = 0; lane < lanes; lane++) source[lane] = wave.v(0, lane);
        uint64_t exec = wave.exec();
        auto expected = [&](uint32_t lane) {
          uint32_t row = lane / 16, select = var ? wave.v(2, lane) & 15 : uint32_t(wave.s64(1) >> 4 * (lane % 16)) & 15;
          uint32_t from = (across ? row ^ 1 : row) * 16 + select;
          if (i.op_sel & 1 || (exec >> from & 1)) return source[from];
          return i.op_sel & 2 ? 0 : wave.v(i.dst, lane);
        };
        check(var      ? across ? "v_permlanex16_var_b32" : "v_permlane16_var_b32"
              : across ? "v_permlanex16_b32"
                       : "v_permlane16_b32",
              i, i.dst, expected);
      }
}

// The rotation of the manual's example.
TEST_P(CrossLane, PermuteRowsExample) {
  for (uint32_t lane = 0; lane < lanes; lane++) wave.v(0, lane) = lane;
  wave.s(0) = 0x87654321, wave.s(1) = 0x0fedcba9;
  Instruction i;
  i.dst = 1, i.src[0] = VGPR0, i.src[1] = 0, i.src[2] = 1;
  check("v_permlane16_b32", i, 1, [&](uint32_t lane) { return lane / 16 * 16 + (lane + 1) % 16; });
}

TEST_P(CrossLane, SwapHalvesOfTheWave) {
  fill();
  Instruction i;
  i.dst = 1, i.src[0] = VGPR0;
  check("v_permlane64_b32", i, 1, [&](uint32_t lane) { return wave.wave64 ? wave.v(0, lane ^ 32) : wave.v(1, lane); });
}

TEST_P(CrossLane, Permutes) {
  for (int n = 0; n < 200; n++) {
    fill();
    Instruction i;
    i.address = 1, i.data = 2, i.dst = uint16_t(n % 3), i.offset = n & 1 ? int32_t(words.next() & 0xffff) : 0;
    uint64_t exec = wave.exec();
    std::vector<uint32_t> data(lanes), at(lanes), forward(lanes);
    for (uint32_t lane = 0; lane < lanes; lane++)
      data[lane] = wave.v(2, lane), at[lane] = (wave.v(1, lane) + uint32_t(i.offset)) / 4 % lanes;
    for (uint32_t lane = 0; lane < lanes; lane++)
      if (exec >> lane & 1) forward[at[lane]] = data[lane];
    switch (n / 3 % 3) {
      case 0: check("ds_permute_b32", i, i.dst, [&](uint32_t lane) { return forward[lane]; }); break;
      case 1: check("ds_bpermute_b32", i, i.dst, [&](uint32_t lane) { return exec >> at[lane] & 1 ? data[at[lane]] : 0; }); break;
      case 2: check("ds_bpermute_fi_b32", i, i.dst, [&](uint32_t lane) { return data[at[lane]]; }); break;
    }
  }
}

// The lists the manual gives for DS_SWIZZLE_B32, in hexadecimal, lanes counted from 1.
TEST_P(CrossLane, SwizzleExamples) {
  struct {
    uint32_t offset;
    uint8_t lanes[32];
  } examples[] = {
      {0xe000, {0x01, 0x11, 0x09, 0x19, 0x05, 0x15, 0x0d, 0x1d, 0x03, 0x13, 0x0b, 0x1b, 0x07, 0x17, 0x0f, 0x1f,
                0x02, 0x12, 0x0a, 0x1a, 0x06, 0x16, 0x0e, 0x1e, 0x04, 0x14, 0x0c, 0x1c, 0x08, 0x18, 0x10, 0x20}},
      {0xe010, {0x01, 0x09, 0x05, 0x0d, 0x03, 0x0b, 0x07, 0x0f, 0x02, 0x0a, 0x06, 0x0e, 0x04, 0x0c, 0x08, 0x10,
                0x11, 0x19, 0x15, 0x1d, 0x13, 0x1b, 0x17, 0x1f, 0x12, 0x1a, 0x16, 0x1e, 0x14, 0x1c, 0x18, 0x20}},
      {0xc000 | 1 << 5 | 1, {0x01, 0x04, 0x03, 0x06, 0x05, 0x08, 0x07, 0x0a, 0x09, 0x0c, 0x0b, 0x0e, 0x0d, 0x10, 0x0f, 0x12,
                             0x11, 0x14, 0x13, 0x16, 0x15, 0x18, 0x17, 0x1a, 0x19, 0x1c, 0x1b, 0x1e, 0x1d, 0x20, 0x1f, 0x02}},
      {0xc000 | 1 << 10 | 1 << 5 | 1,
       {0x1f, 0x02, 0x01, 0x04, 0x03, 0x06, 0x05, 0x08, 0x07, 0x0a, 0x09, 0x0c, 0x0b, 0x0e, 0x0d, 0x10,
        0x0f, 0x12, 0x11, 0x14, 0x13, 0x16, 0x15, 0x18, 0x17, 0x1a, 0x19, 0x1c, 0x1b, 0x1e, 0x1d, 0x20}},
  };
  for (auto& x : examples) {
    for (uint32_t lane = 0; lane < lanes; lane++) wave.v(1, lane) = lane + 1;
    Instruction i;
    i.address = 1, i.dst = 2, i.offset = int32_t(x.offset);
    check("ds_swizzle_b32", i, 2, [&](uint32_t lane) { return x.lanes[lane % 32] + lane / 32 * 32u; });
  }
}

TEST_P(CrossLane, Swizzles) {
  for (int n = 0; n < 500; n++) {
    fill();
    uint32_t offset = words.next() & 0xffff;
    Instruction i;
    i.address = 1, i.dst = uint16_t(1 + n % 2), i.offset = int32_t(offset);
    uint64_t exec = wave.exec();
    std::vector<uint32_t> source(lanes);
    for (uint32_t lane = 0; lane < lanes; lane++) source[lane] = wave.v(1, lane);
    check("ds_swizzle_b32", i, i.dst, [&](uint32_t n) -> uint32_t {
      int k = int(n), j;
      if (offset >= 0xe000) {
        j = 0;
        for (int bit = 0; bit < 5; bit++) j |= (k >> bit & 1) << (4 - bit);
        j = (j >> std::popcount(offset & 31)) | (k & int(offset & 31));
      } else if (offset >= 0xc000) {
        int rotate = int(offset >> 5 & 31), mask = int(offset & 31);
        if (offset & 0x400) rotate = -rotate;
        j = ((k & mask) | ((k + rotate) & ~mask)) & 31;
      } else if (offset & 0x8000) {
        j = (k & 0x1c) | int(offset >> 2 * (k & 3) & 3);
      } else {
        j = (((k & 31) & int(offset & 31)) | int(offset >> 5 & 31)) ^ int(offset >> 10 & 31);
      }
      j = (j & 31) | (k & 32);
      return exec >> j & 1 ? source[size_t(j)] : 0;
    });
  }
}

TEST_P(CrossLane, Swaps) {
  for (int n = 0; n < 100; n++) {
    fill();
    std::vector<uint32_t> a(lanes), b(lanes);
    for (uint32_t lane = 0; lane < lanes; lane++) a[lane] = wave.v(1, lane), b[lane] = wave.v(2, lane);
    Instruction i;
    i.dst = 1, i.src[0] = VGPR0 + 2;
    check("v_swap_b32", i, 1, [&](uint32_t lane) { return b[lane]; });
    for (uint32_t lane = 0; lane < lanes; lane++) ASSERT_EQ(wave.v(2, lane), wave.active(lane) ? a[lane] : b[lane]);
    wave.run("v_swap_b32", i);  // and back
    i.op_sel = uint8_t((n & 1) | (n & 2) << 2);
    bool source_high = n & 1, high = n & 2;
    auto replaced = [](uint32_t word, bool high, uint32_t half) {
      return high ? (word & 0xffff) | half << 16 : (word & 0xffff0000) | half;
    };
    auto half = [](uint32_t word, bool high) { return high ? word >> 16 : word & 0xffff; };
    check("v_swap_b16", i, 1, [&](uint32_t lane) { return replaced(a[lane], high, half(b[lane], source_high)); });
    for (uint32_t lane = 0; lane < lanes; lane++)
      ASSERT_EQ(wave.v(2, lane), wave.active(lane) ? replaced(b[lane], source_high, half(a[lane], high)) : b[lane]);
  }
  fill();
  Instruction i;
  i.dst = 3, i.src[0] = VGPR0 + 3, i.op_sel = 8;
  std::vector<uint32_t> before(lanes);
  for (uint32_t lane = 0; lane < lanes; lane++) before[lane] = wave.v(3, lane);
  check("v_swap_b16", i, 3, [&](uint32_t lane) { return before[lane] << 16 | before[lane] >> 16; });
}

TEST_P(CrossLane, IndexedRegisters) {
  auto refill = [&] {
    for (uint32_t vgpr = 0; vgpr < 256; vgpr++)
      for (uint32_t lane = 0; lane < lanes; lane++) wave.v(vgpr, lane) = vgpr * 1000 + lane;
  };
  refill();
  wave.set_exec(0x5a5a5a5a12345678);
  Instruction i;
  i.dst = 5, i.src[0] = VGPR0 + 7;
  wave.s(M0) = 10;
  check("v_movreld_b32", i, 15, [](uint32_t lane) { return 7000 + lane; });
  check("v_movrels_b32", i, 5, [](uint32_t lane) { return 17000 + lane; });
  refill();
  check("v_movrelsd_b32", i, 15, [](uint32_t lane) { return 17000 + lane; });
  wave.s(M0) = 20 << 16 | 10;
  check("v_movrelsd_2_b32", i, 25, [](uint32_t lane) { return 17000 + lane; });
  refill();
  check("v_swaprel_b32", i, 25, [](uint32_t lane) { return 17000 + lane; });
  for (uint32_t lane = 0; lane < lanes; lane++) EXPECT_EQ(wave.v(17, lane), wave.active(lane) ? 25000 + lane : 17000 + lane);
  refill();
  wave.cell(vgpr_count_cell) = 24, wave.s(M0) = 20;
  check("v_movrels_b32", i, 5, [](uint32_t lane) { return lane; });  // v27 is not the wave's: v0
  wave.s(M0) = 19;
  check("v_movreld_b32", i, 24, [](uint32_t lane) { return 24000 + lane; });  // nor v24: nothing
  check("v_swaprel_b32", i, 5, [&](uint32_t lane) { return wave.v(5, lane); });
  wave.s(M0) = 0xfffffffe;
  check("v_movrels_b32", i, 5, [](uint32_t lane) { return lane; });
  i.src[0] = INTEGER_0 + 9, wave.s(M0) = 1;
  check("v_movreld_b32", i, 6, [](uint32_t) { return 9u; });
}

}  // namespace
}  // namespace Atoll::rdna4::test
