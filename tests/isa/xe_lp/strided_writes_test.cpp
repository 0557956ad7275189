// Destinations with strides in compiled code of both tiers: what stands between their elements stays.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "isa/xe_lp/isa.h"
#include "isa/xe_lp/program.h"
#include "isa/xe_lp/registers.h"
#include "wave/executor.h"
#include "wave/storage.h"

namespace Atoll::xe_lp {
namespace {

constexpr uint32_t flag = 0x5a6c3911, all_bytes = kRegisters * kRegisterBytes;

struct Thread {
  wave::Storage storage{wave::register_file_offset + register_file_bytes};
  std::atomic<int> stop{0};

  wave::Wave& start() {
    wave::Wave& w = storage.reset();
    w.lanes = kChannels, w.stop_flag = &stop, w.window_bytes = 0;
    for (uint32_t n = 0; n < all_bytes; n++) *wave::bytes_of(w, grf_cell + n) = uint8_t(n * 7 + n / 251);
    wave::word_of(w, active_cell) = ~0u, wave::word_of(w, control_cell) = 0x4c0, wave::word_of(w, flag_cell(0)) = flag;
    return w;
  }
};

struct Case {
  const char* type;
  uint32_t bytes, stride, lanes, sub;
  bool predicated, scalar;  // a source for each lane, or one for all
};

void check(const Case& c, wave::Tier tier) {
  const std::string size = fmt::format("({}|M0)", c.lanes), type = c.type;
  const std::string source = c.scalar ? "<0;1,0>:" : c.lanes == 32 ? "<16;16,1>:" : "<8;8,1>:";
  // The one for all stands between the destination's elements.
  const uint32_t place = c.scalar ? c.sub + 1 + 2 * c.stride : 0, from = (c.scalar ? 40 : 10) * kRegisterBytes + place * c.bytes;
  const std::vector<std::string> text = {
      fmt::format("{}mov {} r40.{}<{}>:{} r{}.{}{}{}", c.predicated ? "(f0.0) " : "(W) ", size, c.sub, c.stride, type,
                  from / kRegisterBytes, from % kRegisterBytes / c.bytes, source, type),
      "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}"};
  auto words = assemble(text);
  ASSERT_TRUE(words) << words.error().message;
  const wave::Program program(isa(), 0x4000, *words);
  Thread thread;
  wave::Wave& w = thread.start();
  std::vector<uint8_t> expected(wave::bytes_of(w, grf_cell), wave::bytes_of(w, grf_cell) + all_bytes);
  for (uint32_t lane = 0; lane < c.lanes; lane++)
    if (!c.predicated || (flag >> lane & 1))
      std::memcpy(&expected[40 * kRegisterBytes + (c.sub + lane * c.stride) * c.bytes],
                  wave::bytes_of(w, grf_cell + from + (c.scalar ? 0 : lane * c.bytes)), c.bytes);
  w.pc = 0x4000;
  wave::ExecutorOptions options;
  options.first_tier = tier;
  wave::Executor executor(program, wave::EngineChoice::Jit, w, options);
  executor.run(w);
  ASSERT_EQ(executor.error(), "");
  EXPECT_EQ(w.stop, wave::Stop::End);
  EXPECT_GT(w.compiled, 0u);
  EXPECT_EQ(std::memcmp(expected.data(), wave::bytes_of(w, grf_cell), expected.size()), 0)
      << text[0] << (tier == wave::Tier::Full ? ", full tier" : ", quick tier");
}

TEST(XeLpStridedWrites, LeaveWhatStandsBetweenTheirElements) {
  struct Row {
    const char* type;
    uint32_t bytes;
  };
  for (const Row& row : {Row{"ub", 1}, Row{"uw", 2}, Row{"ud", 4}, Row{"f", 4}, Row{"uq", 8}})
    for (uint32_t stride : {1u, 2u, 4u})
      for (uint32_t lanes : {4u, 8u, 16u, 32u})
        for (bool predicated : {false, true})
          for (bool scalar : {false, true})
            for (wave::Tier tier : {wave::Tier::Quick, wave::Tier::Full})
              check({row.type, row.bytes, stride, lanes, lanes == 8 ? 0u : 3u, predicated, scalar}, tier);
}

}  // namespace
}  // namespace Atoll::xe_lp
