// Work-groups whose waves signal, join, leave, wait, sleep and wake at random: the same on the interpreter and on the JIT, deadlocks
// included; and whoever has passed a barrier has left it in the state that a count of signals gives.
#include <fmt/ranges.h>

#include "group_machine.h"
#include "single_step.h"

namespace Atoll::rdna4::test {
namespace {

using wave::Stop;

// The same program for all waves, with parts that only one of them goes through.
std::vector<std::string> random_program(test::Words& words, unsigned waves) {
  auto below = [&](uint32_t n) { return words.next() % n; };
  std::vector<std::string> lines;
  auto barrier = [&] { return std::to_string(1 + below(3)); };
  unsigned place = 10;
  for (unsigned n = 0; n < 14; n++) {
    std::vector<std::string> part;
    switch (below(12)) {
      case 0:
        part = {"s_mov_b32 m0, " + fmt::format("{:#x}", (1 + below(waves)) << 16 | (1 + below(3))), "s_barrier_init m0"};
        break;
      case 1:
      case 2: part = {"s_barrier_join " + barrier()}; break;
      case 3:
      case 4: part = {"s_barrier_signal " + barrier()}; break;
      case 5:
        part = {"s_mov_b32 m0, " + fmt::format("{:#x}", below(waves + 1) << 16 | (1 + below(3))), "s_barrier_signal_isfirst m0"};
        break;
      case 6: part = {"s_barrier_wait 1"}; break;
      case 7: part = {"s_barrier_leave"}; break;
      case 8: part = {"s_barrier_signal -1", "s_barrier_wait -1"}; break;
      case 9: part = {below(2) ? "s_wakeup" : "s_wakeup_barrier " + barrier()}; break;
      case 10: part = {below(4) ? "s_sleep 1" : "s_sleep 0x8000"}; break;
      default: part = {"s_get_barrier_state s" + std::to_string(place++) + ", " + (below(4) ? barrier() : "-1")}; break;
    }
    // The progress of each wave so far: a number that counts up in LDS.
    part.push_back("s_cselect_b32 s" + std::to_string(place++) + ", 1, 0");
    for (const char* line : {"v_mov_b32 v2, 0", "v_mov_b32 v3, 1", "ds_add_rtn_u32 v4, v2, v3", "s_wait_dscnt 0x0"})
      part.push_back(line);
    part.push_back("v_readfirstlane_b32 s" + std::to_string(place++) + ", v4");
    if (below(3) == 0) {
      const size_t size = assembled(part, 32).size();
      lines.push_back("s_cmp_eq_u32 s0, " + std::to_string(below(waves)));
      lines.push_back(fmt::format("s_cbranch_scc{} {}", below(2), size));
    }
    lines.insert(lines.end(), part.begin(), part.end());
  }
  return lines;
}

struct Outcome {
  Stop stop;
  size_t wave;
  std::vector<uint64_t> state;
  bool operator==(const Outcome&) const = default;
};

TEST(RandomBarriers, SameOnBothEngines) {
  test::Words words(5);
  const char* count = std::getenv("ATOLL_BOUNDS");
  const unsigned programs = count ? unsigned(std::strtoul(count, nullptr, 10)) : 600;
  unsigned ended = 0, deadlocks = 0;
  for (unsigned p = 0; p < programs; p++) {
    const unsigned waves = 1 + words.next() % 5, size = words.next() % 2 ? 64 : 32;
    auto lines = random_program(words, waves);
    Outcome outcomes[2];
    for (int e = 0; e < 2; e++) {
      GroupMachine m({size, waves}, lines);
      for (unsigned n = 0; n < waves; n++) m.s(n, 0) = n;
      auto end = m.run(both_engines[e]);
      outcomes[e] = {end.stop, end.wave, {}};
      for (unsigned n = 0; n < waves; n++) {
        const wave::Wave& w = *m.waves[n];
        outcomes[e].state.push_back(w.pc);
        outcomes[e].state.push_back(uint64_t(w.waits_at_barrier) | uint64_t(w.named_barrier) << 8 |
                                    uint64_t(w.wakeup_credit) << 16);
        for (unsigned s = 0; s < 100; s++) outcomes[e].state.push_back(m.s(n, s));
      }
      for (const wave::NamedBarrier& b : m.group.named) {
        outcomes[e].state.push_back(b.members | b.signals << 8);
        if (b.members) EXPECT_LT(b.signals, b.members) << "a round that was complete is over";
      }
    }
    ended += outcomes[0].stop == Stop::End, deadlocks += outcomes[0].stop == Stop::Barrier;
    ASSERT_TRUE(outcomes[0] == outcomes[1]) << "program " << p << ", " << waves << " waves of " << size << "\n"
                                            << fmt::format("{}", fmt::join(lines, "\n"));
  }
  EXPECT_GT(ended, programs / 10);
  EXPECT_GT(deadlocks, programs / 10);
  std::printf("  %u programs: %u end, %u in a deadlock\n", programs, ended, deadlocks);
}

}  // namespace
}  // namespace Atoll::rdna4::test
