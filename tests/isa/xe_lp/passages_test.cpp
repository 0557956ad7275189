// Part of a passage (wave/jit/passages.h) that is entered by itself: behind a NaN whose bits matter. `auto` waits for no code
// for it and makes it once that proves worth it; whatever runs, registers are the interpreter's.
#include <gtest/gtest.h>

#include "isa/xe_lp/isa.h"
#include "isa/xe_lp/program.h"
#include "isa/xe_lp/registers.h"
#include "wave/executor.h"
#include "wave/storage.h"

namespace Atoll::xe_lp {
namespace {

constexpr uint32_t all_bytes = kRegisters * kRegisterBytes;

// Three regions in the order in which a wave goes through them. The second one uses its sum as bits.
const std::vector<std::string> text = {"(W) add (8|M0) r40.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f",
                                       "(W&f0.0) jmpi (1|M0) one",
                                       "(W) mov (8|M0) r45.0<1>:ud 1:ud",
                                       "one: (W) add (8|M0) r41.0<1>:f r12.0<8;8,1>:f r13.0<8;8,1>:f",
                                       "(W) xor (8|M0) r42.0<1>:ud r41.0<8;8,1>:ud 0x55:ud",
                                       "(W&f0.0) jmpi (1|M0) two",
                                       "(W) mov (8|M0) r46.0<1>:ud 2:ud",
                                       "two: (W) add (8|M0) r43.0<1>:f r40.0<8;8,1>:f r10.0<8;8,1>:f",
                                       "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}"};

struct Thread {
  wave::Storage storage{wave::register_file_offset + register_file_bytes};
  std::atomic<int> stop{0};

  wave::Wave& start(bool nan) {
    wave::Wave& w = storage.reset();
    w.lanes = kChannels, w.stop_flag = &stop, w.window_bytes = 0, w.pc = 0x4000;
    for (uint32_t n = 0; n < all_bytes / 4; n++) wave::word_of(w, grf_cell + n * 4) = 0x3f800000 + n * 0x1001;
    for (uint32_t lane = 0; nan && lane < 8; lane++) {
      wave::word_of(w, grf_cell + 12 * kRegisterBytes + lane * 4) = 0x7fc00120 + lane;
      wave::word_of(w, grf_cell + 13 * kRegisterBytes + lane * 4) = 0xffc00450 + lane;
    }
    wave::word_of(w, active_cell) = ~0u, wave::word_of(w, control_cell) = 0x4c0, wave::word_of(w, flag_cell(0)) = 1;
    return w;
  }
};

std::vector<uint8_t> registers(wave::Wave& w) { return {wave::bytes_of(w, grf_cell), wave::bytes_of(w, grf_cell) + all_bytes}; }

std::vector<uint8_t> interpreted(const wave::Program& program, bool nan) {
  Thread thread;
  wave::Wave& w = thread.start(nan);
  wave::Executor executor(program, wave::EngineChoice::Interpreter, w);
  executor.run(w);
  return registers(w);
}

TEST(XeLpPassages, NobodyWaitsForCodeThatANanAsksFor) {
  auto words = assemble(text);
  ASSERT_TRUE(words) << words.error().message;
  const wave::Program program(isa(), 0x4000, *words);
  const std::vector<uint8_t> expected[] = {interpreted(program, false), interpreted(program, true)};
  Thread first, thread;
  wave::Executor executor(program, wave::EngineChoice::Auto, first.start(false), {.hot_instructions = 0});
  auto run = [&](bool nan) -> wave::Wave& {
    wave::Wave& w = thread.start(nan);
    executor.run(w);
    EXPECT_EQ(w.stop, wave::Stop::End);
    EXPECT_EQ(registers(w), expected[nan]);
    return w;
  };
  run(false), run(false);
  executor.wait_for_compilation();
  EXPECT_EQ(run(false).interpreted, 0u);
  const wave::Wave& met = run(true);
  EXPECT_EQ(executor.nan_exits(), 1u);
  // The first region ran in the passage; no code was made for the other two, of three and two instructions.
  EXPECT_EQ(met.compiled, 2u);
  EXPECT_EQ(met.interpreted, 5u);
  for (int n = 0; n < 100; n++) run(true);
  executor.wait_for_compilation();
  EXPECT_EQ(run(true).interpreted, 0u);
  EXPECT_EQ(executor.error(), "");
}

// The JIT makes what is entered before it runs.
TEST(XeLpPassages, PartsAreCompiledWhereTheyAreEntered) {
  auto words = assemble(text);
  ASSERT_TRUE(words) << words.error().message;
  const wave::Program program(isa(), 0x4000, *words);
  Thread thread;
  wave::Executor executor(program, wave::EngineChoice::Jit, thread.start(false), {.first_tier = wave::Tier::Full});
  for (bool nan : {false, true, true, false}) {
    wave::Wave& w = thread.start(nan);
    executor.run(w);
    EXPECT_EQ(w.interpreted, 0u);
    EXPECT_EQ(registers(w), interpreted(program, nan));
  }
  EXPECT_EQ(executor.nan_exits(), 2u);
}

}  // namespace
}  // namespace Atoll::xe_lp
