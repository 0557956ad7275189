// A wave of pixels that runs a program of words to its end. The tests look at 32 pixels: all of the wave, or (ATOLL_WIDE_WAVES, a
// build of its own of some tests) the upper half of one of 64, whose lower half is not active.
#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "isa/r500/isa.h"
#include "isa/r500/registers.h"
#include "wave/environment.h"
#include "wave/executor.h"

namespace Atoll::r500 {

#ifdef ATOLL_WIDE_WAVES
inline constexpr uint32_t tested_pixels = 32, first_pixel = 32;
#else
inline constexpr uint32_t tested_pixels = 32, first_pixel = 0;
#endif

class NoMemory : public wave::Environment {
public:
  bool mapped(uint64_t, uint64_t, bool) const override { return false; }
  uint64_t clock() override { return 0; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
};

struct Machine {
  Machine() {
    size_t bytes = (wave::register_file_offset + register_file_bytes + 127) / 128 * 128;
    storage.reset(static_cast<uint8_t*>(std::aligned_alloc(128, bytes)));
    std::memset(storage.get(), 0, bytes);
    w = new (storage.get()) wave::Wave;
    w->lanes = first_pixel + tested_pixels;
    w->stop_flag = &stop;
    w->environment = &environment;
    word(active_cell) = ~0u;
  }
  // The tested pixels' part of what is theirs.
  uint32_t& word(uint32_t cell) {
    if (cell >= lanes_base) cell += first_pixel * 4;
    if (cell >= active_cell && cell < uncovered_cell + 8) cell += first_pixel / 8;
    return wave::word_of(*w, cell);
  }
  uint32_t& t(uint32_t n, uint32_t c, uint32_t pixel) { return word(temporary_cell(n, c) + pixel * 4); }
  uint32_t& o(uint32_t n, uint32_t c, uint32_t pixel) { return word(output_cell(n, c) + pixel * 4); }
  uint32_t& i(uint32_t n, uint32_t c, uint32_t pixel) { return word(input_cell(n, c) + pixel * 4); }
  void run(const std::vector<Words>& program_words, wave::EngineChoice engine, std::optional<uint64_t> called = 0) {
    std::vector<uint32_t> code;
    for (const Words& words : program_words) code.insert(code.end(), words.begin(), words.end());
    wave::Program program(fragment_isa(no_last_instruction, zero_rule), 0x1000, code);
    w->pc = 0x1000;
    wave::Executor executor(program, engine, *w);
    ASSERT_EQ(executor.error(), "");
    executor.run(*w);
    executor.wait_for_compilation();
    // A program ends by running past its last instruction.
    ASSERT_EQ(w->stop, wave::Stop::Fault);
    ASSERT_EQ(w->fault.kind, wave::FaultKind::Fetch);
    ASSERT_EQ(w->fault.pc, 0x1000 + code.size() * 4);
    if (engine == wave::EngineChoice::Jit) {
      if (!called) return;  // a program that jumps
      EXPECT_GE(w->compiled + w->called, program_words.size());
      EXPECT_EQ(w->called, *called);
    }
  }
  std::span<const uint32_t> registers() {
    return {reinterpret_cast<uint32_t*>(wave::bytes_of(*w, wave::register_file_offset)), register_file_bytes / 4};
  }
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  ZeroRule zero_rule = ZeroRule::by_register;
  std::unique_ptr<uint8_t, Free> storage;
  wave::Wave* w;
  std::atomic<int> stop{0};
  NoMemory environment;
};

}  // namespace Atoll::r500
