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

// The registers after a program in which the channels of `active` are on.
std::vector<uint8_t> run(std::vector<std::string> text, uint32_t active, wave::EngineChoice engine, wave::Tier tier) {
  text.push_back("(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}");
  auto words = assemble(text);
  if (!words) return ADD_FAILURE() << words.error().message, std::vector<uint8_t>();
  const wave::Program program(isa(), 0x4000, *words);
  Thread thread;
  wave::Wave& w = thread.start();
  wave::word_of(w, active_cell) = active;
  w.pc = 0x4000;
  wave::ExecutorOptions options;
  options.first_tier = tier;
  wave::Executor executor(program, engine, w, options);
  executor.run(w);
  EXPECT_EQ(executor.error(), "");
  EXPECT_EQ(w.stop, wave::Stop::End);
  return {wave::bytes_of(w, grf_cell), wave::bytes_of(w, grf_cell) + all_bytes};
}

// Bytes and halves that lie anywhere in two registers, of channels that are not all on: LLVM once shuffled some of them for ever.
TEST(XeLpStridedWrites, OddBytesOfSomeChannels) {
  for (const char* type : {"ub", "uw", "d"})
    for (uint32_t stride : {1u, 2u, 4u})
      for (uint32_t lanes : {2u, 4u, 8u})
        for (uint32_t sub : {0u, 1u, 3u, 7u, 13u, 15u, 29u, 31u})
          for (const char* operation : {"lzd", "mov"}) {
            const uint32_t bytes = type[1] == 'b' ? 1 : type[1] == 'w' ? 2 : 4;
            if (sub * bytes >= kRegisterBytes || (sub + (lanes - 1) * stride) * bytes >= 2 * kRegisterBytes) continue;
            const std::string text =
                fmt::format("{} ({}|M0) r11.{}<{}>:{} r5.14<{};{},1>:ub", operation, lanes, sub, stride, type, lanes, lanes);
            SCOPED_TRACE(text);
            // Alone, and where the first register is written whole afterwards.
            for (const std::vector<std::string>& program : {std::vector{text}, {text, "(W) rndd (8|M0) r11.0<1>:f 0xB4:hf"}}) {
              const auto expected = run(program, 0x35, wave::EngineChoice::Interpreter, wave::Tier::Quick);
              for (wave::Tier tier : {wave::Tier::Quick, wave::Tier::Full})
                EXPECT_EQ(run(program, 0x35, wave::EngineChoice::Jit, tier), expected);
            }
          }
}

}  // namespace
}  // namespace Atoll::xe_lp
