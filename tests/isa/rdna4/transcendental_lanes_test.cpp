// The transcendental functions where lanes side by side hold operands of different kinds: what few of them need is computed only where
// one does (seldom(), transcendental_unit.h). No lane's result depends on its neighbours: expected is what the scalar forms give,
// which have no neighbours and compute in integers; of sines and cosines, what a wave of one and the same operand gives.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "isa/rdna4/table.h"
#include "repeated.h"

namespace Atoll::rdna4::test {
namespace {

using wave::EngineChoice;

const Opcode* row_of(const std::string& name) {
  for (const Opcode& row : opcodes())
    if (row.name == name && (row.format == Format::VOP1 || row.format == Format::VOP3)) return &row;
  return nullptr;
}

// Ends of the ranges that have rules of their own, both sides of each.
constexpr uint32_t edges[] = {
    0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000,  // kinds of numbers
    0x7e7fffff, 0x7e800000, 0x7e800001,                                                  // 1 / x: the least normal ones
    0x3f7bffff, 0x3f7c0000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3f83ffff, 0x3f840000,  // close to 1
    0x337fffff, 0x33800000, 0x42fc0000, 0x42fc0001, 0x42ffffff, 0x43000000,              // 2^x
    0x39bfffff, 0x39c00000, 0x3e800000, 0x3f000000, 0x4b000000, 0x3e000000, 0x3b000000, 0x3c000000,  // turns
};

class TranscendentalLanes : public testing::TestWithParam<EngineChoice> {};
INSTANTIATE_TEST_SUITE_P(Engines, TranscendentalLanes, testing::Values(EngineChoice::Interpreter, EngineChoice::Jit),
                         [](const auto& p) { return p.param == EngineChoice::Jit ? "Jit" : "Interpreter"; });

TEST_P(TranscendentalLanes, DoNotDependOnTheirNeighbours) {
  for (uint32_t rounding : {0x0u, 0xfu})
    for (const char* name : {"rcp", "rsq", "sqrt", "log", "exp", "sin", "cos"}) {
      const bool is_turn = std::string(name) == "sin" || std::string(name) == "cos";
      SingleStep wave(true), alone(false);
      wave.cell(mode_cell) = alone.cell(mode_cell) = 0xf0 | rounding;
      std::map<uint32_t, uint32_t> known;
      auto expected = [&](uint32_t x) {
        auto [at, is_new] = known.try_emplace(x);
        if (is_new && is_turn) {
          for (uint32_t lane = 0; lane < 32; lane++) alone.v(1, lane) = x;
          alone.run((std::string("v_") + name + "_f32").c_str(), {.dst = 0, .src = {VGPR0 + 1}});
          at->second = alone.v(0, 31);
        } else if (is_new) {
          alone.s(5) = x;
          alone.run((std::string("v_s_") + name + "_f32").c_str(), {.dst = 4, .src = {5}});
          at->second = alone.s(4);
        }
        return at->second;
      };
      Instruction i;
      i.opcode = row_of(std::string("v_") + name + "_f32");
      ASSERT_NE(i.opcode, nullptr);
      i.dst = 0, i.src[0] = VGPR0 + 1;
      Repeated step(wave, i, GetParam());
      Words words(7);
      int wrong = 0;
      // In a chunk of ordinary operands one of each edge in each place, then many mixed ones.
      for (uint32_t round = 0; round < 1200; round++) {
        uint32_t operands[64];
        for (uint32_t lane = 0; lane < 64; lane++) {
          operands[lane] = 0x3f900000 + (words.next() & 0x7fffff);
          const uint32_t edge = edges[words.next() % std::size(edges)] | (words.next() & 0x80000000);
          if (round < 600 ? lane % 16 == round % 16 : words.next() % 4 == 0) operands[lane] = edge;
          if (round >= 900 && words.next() % 2) operands[lane] = words.mixed();
          wave.v(1, lane) = operands[lane];
        }
        step();
        for (uint32_t lane = 0; lane < 64; lane++)
          if (wave.v(0, lane) != expected(operands[lane]) && wrong++ < 4)
            ADD_FAILURE() << name << std::hex << " of " << operands[lane] << " in lane " << lane << ": " << wave.v(0, lane)
                          << ", not " << expected(operands[lane]);
      }
      EXPECT_EQ(wrong, 0) << name;
    }
}

}  // namespace
}  // namespace Atoll::rdna4::test
