// Counts of the commands in batches of Intel's command streamers, of their fields and of the registers that they load.
#include <gtest/gtest.h>

#include <algorithm>

#include "registers/batch_walk.h"
#include "registers/usage.h"

namespace Atoll::registers {
namespace {

// Headers as Mesa's src/intel/genxml has them (gen120.xml), lengths in the lowest bits.
constexpr uint32_t load_register_imm = 0x11000001, load_two_registers = 0x11000003, from_engine = 1 << 19, walker = 0x7105000d,
                   walker_dwords = 15, batch_end = 0x05000000, call = 0x18800001 | 1 << 22, chain = 0x18800001, noop = 0;

struct Walk : BatchWalk {
  UsageCounter counter{dg1_tables, "dg1"};
  std::vector<uint32_t> memory;
  explicit Walk(uint64_t limit = 1000) : BatchWalk(dg1_tables, limit) {}
  void command(const Command& row, uint64_t, std::span<const uint32_t> words, size_t) override { counter.command(row, words); }
  void problem(const std::string&, uint64_t, const std::string& text) override { counter.problem(text); }

  void submit(const char* ring = "graphics", const char* engine = "render") {
    counter.begin_submission(ring);
    walk("batch", 0, memory.size(), engine, [this](uint64_t address, uint32_t* to, uint32_t dwords) {
      if (address / 4 > memory.size() || dwords > memory.size() - address / 4) return false;
      std::copy_n(memory.begin() + ptrdiff_t(address / 4), dwords, to);
      return true;
    });
  }
  void put(std::vector<uint32_t> words) { memory.insert(memory.end(), words.begin(), words.end()); }
  void put_walker(uint32_t groups) {
    std::vector<uint32_t> words(walker_dwords);
    words[0] = walker, words[7] = groups;
    put(words);
  }
  const Usage& usage() { return counter.usage(); }
};

TEST(BatchUsage, CountsCommandsFieldsAndRegisters) {
  Walk w;
  w.put({load_register_imm, 0x7008, 0x00400040});
  w.put_walker(4);
  w.put({load_two_registers | from_engine, 0x600, 5, 0x604, 6});
  w.put_walker(4);
  w.put_walker(9);
  w.put({batch_end, 0xffffffff});  // what follows the end is not read
  w.submit();
  const Usage& u = w.usage();
  EXPECT_TRUE(u.problems.empty());
  EXPECT_EQ(u.dispatches, 3u);
  EXPECT_EQ(u.draws, 0u);
  EXPECT_EQ(u.packets.at({"GPGPU_WALKER", "graphics"}), 3u);
  const FieldUse& groups = u.fields.at("GPGPU_WALKER").at("Thread Group ID X Dimension");
  EXPECT_EQ(groups.writes, 3u);
  EXPECT_EQ(groups.changes, 2u);
  EXPECT_EQ(groups.values, (std::map<uint64_t, uint64_t>{{4, 2}, {9, 1}}));
  // Repeated values count as the same field; offsets have their lowest bits.
  EXPECT_EQ(u.fields.at("MI_LOAD_REGISTER_IMM").at("Register Offset").values,
            (std::map<uint64_t, uint64_t>{{0x600, 1}, {0x604, 1}, {0x7008, 1}}));
  EXPECT_EQ(u.registers.at(0x7008).last, 0x00400040u);
  EXPECT_EQ(u.registers.at(0x2600).last, 5u) << "CS_GPR, counted from the engine's registers";
  EXPECT_EQ(u.registers.at(0x2604).last, 6u);
  ASSERT_EQ(u.first_draws.size(), 3u);
  EXPECT_EQ(u.first_draws[1].writes.size(), 2u);
}

TEST(BatchUsage, FollowsCallsAndChainsAndEndsWhereNothingIs) {
  Walk w;
  w.put({call, 10 * 4, 0, chain, 13 * 4, 0, noop, noop, noop, noop});
  w.put({load_register_imm, 0x7008, 1});
  w.put({batch_end});
  // The call comes back to the chain behind it, which leads to the same end.
  w.submit();
  EXPECT_EQ(w.usage().registers.at(0x7008).writes, 1u);
  EXPECT_TRUE(w.usage().problems.empty());
  Walk lost;
  lost.put({chain, 0x1000, 0});
  lost.submit();
  EXPECT_EQ(lost.usage().problems.size(), 1u);
}

TEST(BatchUsage, CountsCopyEnginesRegistersAndEndsAtItsLimit) {
  Walk w(3);
  w.put({load_register_imm | from_engine, 0x600, 7, noop, noop, noop, noop});
  w.submit("copy", "blitter");
  EXPECT_EQ(w.usage().registers.at(0x22600).last, 7u);
  EXPECT_EQ(w.usage().packets.at({"MI_NOOP", "copy"}), 2u);
  EXPECT_EQ(w.usage().problems.size(), 1u);
}

TEST(BatchUsage, TextComesBackAndProcessesAddUp) {
  Walk a, b;
  a.put_walker(4);
  a.put({batch_end});
  a.submit();
  b.put_walker(5);
  b.put({batch_end});
  b.submit();
  auto read = read_usage(usage_text(a.usage()));
  ASSERT_TRUE(read);
  EXPECT_EQ(usage_text(*read), usage_text(a.usage()));
  Usage all = *read;
  all.add(*read_usage(usage_text(b.usage())));
  const FieldUse& groups = all.fields.at("GPGPU_WALKER").at("Thread Group ID X Dimension");
  EXPECT_EQ(groups.writes, 2u);
  EXPECT_EQ(groups.values, (std::map<uint64_t, uint64_t>{{4, 1}, {5, 1}}));
  EXPECT_EQ(groups.last, 5u);
}

}  // namespace
}  // namespace Atoll::registers
