// V_DUAL_DOT2ACC_F32_F16 and _BF16 in both halves of VOPD, on both engines, against the card's sums (card_sum.h). RDNA4 ISA 7.8, 16.11.
#include <cmath>

#include "card_sum.h"
#include "program_wave.h"
#include "single_step.h"

namespace Atoll::rdna4::test {
namespace {

class DualDot : public testing::TestWithParam<wave::EngineChoice> {};
INSTANTIATE_TEST_SUITE_P(Engines, DualDot, testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit),
                         [](const auto& info) { return info.param == wave::EngineChoice::Jit ? "jit" : "interpreter"; });

uint32_t dot(uint32_t a, uint32_t b, uint32_t sum, bool brain) {
  const std::array<uint32_t, 2> factors[] = {{a & 0xffff, b & 0xffff}, {a >> 16, b >> 16}};
  return card_sum(brain, SumResult::single, factors, sum);
}

TEST_P(DualDot, BothHalvesAgreeWithTheModel) {
  Words words(5);
  for (bool brain : {false, true}) {
    const std::string name = brain ? "v_dual_dot2acc_f32_bf16" : "v_dual_dot2acc_f32_f16";
    struct Case {
      std::string text;
      bool x, y;              // which halves are dot products
      bool reads_x;           // Y's source is what X writes
      uint32_t constant = 0;  // both halves of X's source 0
    };
    const Case cases[] = {
        {name + " v1, v2, v3 :: v_dual_mov_b32 v4, v5", true, false, false},
        {"v_dual_mov_b32 v1, v5 :: " + name + " v4, v2, v3", false, true, false},
        {name + " v1, v2, v3 :: " + name + " v4, v1, v2", true, true, true},
        {name + " v1, 2.0, v3 :: v_dual_add_f32 v4, v1, v5", true, false, true, brain ? 0x40004000u : 0x40004000u},
        {name + " v1, s7, v3 :: " + name + " v4, s7, v5", true, true, false}};
    for (const Case& c : cases) {
      ProgramWave wave({c.text}, 32, GetParam());
      for (int round = 0; round < 16; round++) {
        // numbers, large and small ones among them, of either kind
        for (uint32_t n : {1, 2, 3, 4, 5})
          for (uint32_t lane = 0; lane < 32; lane++) wave.v(n, lane) = (words.next() & 0xb7ffb7ff) | (round & 1 ? 0x30003000 : 0);
        wave.s(7) = words.next() & 0xb7ffb7ff;
        wave.set_exec(round % 3 ? words.next64() : ~uint64_t(0));
        const bool scalar = c.text.find("s7") != std::string::npos;
        std::vector<uint32_t> want1(32), want4(32);
        for (uint32_t lane = 0; lane < 32; lane++) {
          auto v = [&](uint32_t n) { return wave.v(n, lane); };
          want1[lane] = v(1), want4[lane] = v(4);
          if (!wave.active(lane)) continue;
          const uint32_t first = c.constant ? c.constant : scalar ? wave.s(7) : v(2);
          want1[lane] = c.x ? dot(first, v(3), v(1), brain) : v(5);
          if (c.y)
            want4[lane] =
                c.reads_x ? dot(v(1), v(2), v(4), brain) : dot(scalar ? wave.s(7) : v(2), scalar ? v(5) : v(3), v(4), brain);
          else
            want4[lane] = c.reads_x ? std::bit_cast<uint32_t>(std::bit_cast<float>(v(1)) + std::bit_cast<float>(v(5))) : v(5);
        }
        wave.run();
        ASSERT_EQ(wave.w->stop, wave::Stop::End) << c.text;
        if (GetParam() == wave::EngineChoice::Jit) ASSERT_EQ(wave.w->called + wave.w->interpreted, 0u) << c.text;
        for (uint32_t lane = 0; lane < 32; lane++) {
          ASSERT_EQ(wave.v(1, lane), want1[lane]) << c.text << " lane " << lane;
          ASSERT_EQ(wave.v(4, lane), want4[lane]) << c.text << " lane " << lane;
        }
      }
    }
  }
}

}  // namespace
}  // namespace Atoll::rdna4::test
