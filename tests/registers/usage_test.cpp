// Counts of register writes: from packets, added up over processes, as text and back, and against what is said of a driver.
#include "registers/usage.h"

#include <gtest/gtest.h>

#include "registers/stream_walk.h"

namespace Atoll::registers {
namespace {

constexpr uint32_t type3(uint32_t opcode, uint32_t dwords) { return 3u << 30 | (dwords - 1) << 16 | opcode << 8; }
constexpr uint32_t set_config = 0x68, set_context = 0x69, set_uconfig = 0x79, draw_auto = 0x2d, dispatch = 0x15,
                   num_instances = 0x2f;

std::vector<uint32_t> set(uint32_t opcode, uint32_t base, uint32_t address, std::vector<uint32_t> values) {
  std::vector<uint32_t> words{type3(opcode, uint32_t(values.size()) + 1), (address - base) / 4};
  words.insert(words.end(), values.begin(), values.end());
  return words;
}
std::vector<uint32_t> context(uint32_t address, std::vector<uint32_t> values) {
  return set(set_context, 0x28000, address, values);
}
std::vector<uint32_t> draw(uint32_t count) { return {type3(draw_auto, 2), count, 2}; }

struct Walk : StreamWalk {
  UsageCounter counter{sea_islands_tables, "bonaire"};
  std::map<uint64_t, Buffer> buffers;
  Walk() : StreamWalk(sea_islands_tables, {1000, 10}) {}
  Buffer* find(const IndirectBuffer& called) override {
    auto found = buffers.find(called.address);
    return found == buffers.end() ? nullptr : &found->second;
  }
  void packet(const StreamPacket& p, const Place&) override { counter.packet(p); }
  void problem(const std::string&, size_t, const std::string& text) override { counter.problem(text); }

  void submit(const std::vector<std::vector<uint32_t>>& packets, const char* ring = "graphics") {
    std::vector<uint32_t> words;
    for (auto& p : packets) words.insert(words.end(), p.begin(), p.end());
    counter.begin_submission(ring);
    walk("stream", words);
  }
  const Usage& usage() { return counter.usage(); }
};

using By = std::map<std::pair<std::string, std::string>, uint64_t>;

TEST(RegisterUsage, CountsWritesValuesDrawsAndWriters) {
  Walk w;
  w.submit({context(0x28238, {0xf}),
            context(0x28238, {0xf}),
            draw(3),
            context(0x28238, {1}),
            draw(3),
            draw(3),
            context(0x28238, {0xf}),
            {type3(dispatch, 4), 1, 1, 1, 1}});
  w.submit({set(set_uconfig, 0x30000, 0x30908, {4}), draw(6)});
  const Usage& u = w.usage();
  EXPECT_EQ(u.submissions, 2u);
  EXPECT_EQ(u.draws, 4u);
  EXPECT_EQ(u.dispatches, 1u);
  const RegisterUse& mask = u.registers.at(0x28238);
  EXPECT_EQ(mask.writes, 4u);
  EXPECT_EQ(mask.changes, 3u);
  EXPECT_EQ(mask.draws, 3u);
  EXPECT_EQ(mask.before_draw, 2u);
  EXPECT_EQ(mask.first_draw, 0u);
  EXPECT_EQ(mask.by, (By{{{"SET_CONTEXT_REG", "graphics"}, 4}}));
  EXPECT_EQ(mask.values, (std::map<uint32_t, uint64_t>{{1, 1}, {0xf, 3}}));
  EXPECT_EQ(u.registers.at(0x30908).first_draw, 4u);
  EXPECT_EQ(u.registers.at(0x30908).before_draw, 1u) << "draws of an earlier submission do not count";
  // words of packets that are registers
  EXPECT_EQ(u.registers.at(0x30930).by, (By{{{"DRAW_INDEX_AUTO", "graphics"}, 4}})) << "VGT_NUM_INDICES";
  ASSERT_EQ(u.first_draws.size(), 5u);
  EXPECT_EQ(u.first_draws[1].packet, "DRAW_INDEX_AUTO");
  EXPECT_EQ(u.first_draws[1].writes.front(), (std::pair<uint32_t, uint32_t>{0x28238, 1}));
  EXPECT_EQ(u.first_draws[4].submission, 1u);
}

TEST(RegisterUsage, FollowsCalledBuffersAndSaysWhatItCannotRead) {
  Walk w;
  auto inner = context(0x28414, {7, 8, 9, 10});
  w.buffers[0x1000] = {"0x1000", inner, false};
  uint32_t size = uint32_t(inner.size());
  w.submit({{type3(0x3f, 3), 0x1000, 0, size}, {type3(0x3f, 3), 0x1000, 0, size + 4}, {type3(0xee, 2), 0, 0}, {0x40000000}});
  EXPECT_EQ(w.usage().registers.at(0x28420).writes, 2u);
  EXPECT_EQ(w.usage().packets.at({"opcode 0xee", "graphics"}), 1u);
  EXPECT_EQ(w.usage().problems.size(), 2u);  // a buffer that is too small, and a header of type 1
}

TEST(RegisterUsage, KeepsNoMoreValuesThanItMay) {
  Walk w;
  for (uint32_t n = 0; n < 1000; n++) w.submit({context(0x28238, {n}), draw(1)});
  w.submit({draw(1)});
  const RegisterUse& use = w.usage().registers.at(0x28238);
  EXPECT_EQ(use.values.size(), Usage::max_values);
  EXPECT_EQ(use.other_values, 1000 - Usage::max_values);
  EXPECT_EQ(w.usage().first_draws.size(), Usage::max_draws);
  EXPECT_EQ(w.usage().draws, 1001u);
}

TEST(RegisterUsage, TextComesBackAndProcessesAddUp) {
  Walk a, b;
  a.submit({context(0x28238, {0xf}), draw(3)});
  b.submit({context(0x28238, {3}), draw(3), draw(3)}, "compute");
  auto read = read_usage(usage_text(a.usage()));
  ASSERT_TRUE(read);
  EXPECT_EQ(usage_text(*read), usage_text(a.usage()));
  Usage all = *read;
  all.add(*read_usage(usage_text(b.usage())));
  EXPECT_EQ(all.processes, 2u);
  EXPECT_EQ(all.draws, 3u);
  EXPECT_EQ(all.registers.at(0x28238).writes, 2u);
  EXPECT_EQ(all.registers.at(0x28238).by.size(), 2u);
  EXPECT_EQ(all.first_draws.size(), 3u);
  EXPECT_EQ(all.first_draws[1].submission, 1u);
  EXPECT_FALSE(read_usage("{}"));
  EXPECT_FALSE(read_usage("{\"gpu\":"));
}

TEST(RegisterUsage, StatementsAboutADriverHoldOrDoNot) {
  auto verdict = [](Walk& w, std::string_view name) {
    for (auto& s : check_statements(sea_islands_tables, w.usage()))
      if (s.entry->name == name) return s.verdict;
    ADD_FAILURE() << name;
    return Statement::Verdict::Holds;
  };
  using enum Statement::Verdict;
  Walk w;
  EXPECT_EQ(verdict(w, "VGT_ES_PER_GS"), NotReached);
  EXPECT_EQ(verdict(w, "PA_SC_AA_CONFIG"), Holds) << "never written";
  w.submit({context(0x28a58, {1}), {type3(num_instances, 1), 1}, draw(3)});
  EXPECT_EQ(verdict(w, "VGT_ES_PER_GS"), Holds) << "at the start";
  EXPECT_EQ(verdict(w, "VGT_NUM_INSTANCES"), Holds) << "by the packet";
  w.submit({draw(3), context(0x28a58, {1}), context(0x28be0, {0}), set(set_uconfig, 0x30000, 0x30934, {2}), draw(3)});
  EXPECT_EQ(verdict(w, "VGT_ES_PER_GS"), Differs) << "behind a draw";
  EXPECT_EQ(verdict(w, "PA_SC_AA_CONFIG"), Differs) << "written";
  EXPECT_EQ(verdict(w, "VGT_NUM_INSTANCES"), Differs) << "by another packet";
}

}  // namespace
}  // namespace Atoll::registers
