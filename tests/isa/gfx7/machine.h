// One Sea Islands wave with registers, LDS and a stretch of memory of its own, on which programs run on each engine: interpreted,
// compiled at once, and compiled again with what was learnt about addresses. Used by the tests of memory, images and exports.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "isa/gfx7/encode.h"
#include "isa/gfx7/isa.h"
#include "isa/gfx7/parse.h"
#include "isa/gfx7/registers.h"
#include "wave/environment.h"
#include "wave/executor.h"

namespace Atoll::gfx7::test {

enum class Way { Interpreted, Compiled, Learnt };
inline constexpr Way ways[] = {Way::Interpreted, Way::Compiled, Way::Learnt};
inline const char* name(Way way) {
  return way == Way::Interpreted ? "interpreted" : way == Way::Compiled ? "compiled" : "learnt";
}

inline std::vector<uint32_t> assemble(const std::vector<std::string>& lines) {
  std::vector<uint32_t> code;
  for (const std::string& line : lines) {
    auto parsed = parse(line);
    if (!parsed) {
      ADD_FAILURE() << line << ": " << parsed.error().message;
      return {};
    }
    auto words = encode(*parsed);
    if (!words) {
      ADD_FAILURE() << line << ": " << words.error().message;
      return {};
    }
    for (unsigned n = 0; n < words->count; n++) code.push_back(words->dwords[n]);
  }
  return code;
}

class Machine : public wave::Environment {
public:
  static constexpr uint64_t memory_base = 0x100000;
  static constexpr uint32_t memory_bytes = 1 << 17, lds_bytes = 4096;
  static constexpr uint64_t code_base = 0x4000;

  Machine() {
    size_t bytes = (register_file_end + 127) / 128 * 128;
    storage_.reset(static_cast<uint8_t*>(std::aligned_alloc(128, bytes)));
    std::memset(storage_.get(), 0, bytes);
    w = new (storage_.get()) wave::Wave;
    w->lanes = 64;
    w->stop_flag = &stop_;
    w->environment = this;
    memory.resize(memory_bytes);
    lds.resize(lds_bytes);
    w->window = memory.data() - memory_base;
    w->lds = lds.data(), w->lds_bytes = lds_bytes;
    w->flat_shared_high = 0x20000, w->flat_private_high = 0x30000;
    wave::word_of(*w, mode_cell) = MODE_DEFAULT;
    wave::word_of(*w, vgpr_count_cell) = kVgprCount;
  }
  uint32_t& s(uint32_t n) { return wave::word_of(*w, scalar_cell(n)); }
  uint32_t& v(uint32_t n, uint32_t lane) { return wave::word_of(*w, lane_cell(vgpr_cell(n), lane)); }
  uint32_t& word(uint32_t cell) { return wave::word_of(*w, cell); }
  void set_exec(uint64_t exec) { s(EXEC_LO) = uint32_t(exec), s(EXEC_HI) = uint32_t(exec >> 32); }
  uint64_t exec() { return s(EXEC_LO) | uint64_t(s(EXEC_HI)) << 32; }

  // Lets `set` give the state and runs `lines` in the given way. With Learnt the program has run several times before, from the
  // same state. `set` is called once before all runs as well: the executor looks at what all waves have in common.
  void run(const std::vector<std::string>& lines, Way way, const std::function<void(Machine&)>& set) {
    std::vector<std::string> all = lines;
    all.push_back("s_endpgm");
    code_ = assemble(all);
    program_ = std::make_unique<wave::Program>(isa(), code_base, code_);
    w->program = program_.get();
    set(*this);
    const wave::Wave like = *w;
    wave::Executor executor(*program_, way == Way::Interpreted ? wave::EngineChoice::Interpreter : wave::EngineChoice::Jit, like);
    ASSERT_EQ(executor.error(), "");
    for (int n = 0; n < (way == Way::Learnt ? 40 : 1); n++) {
      if (n == 39) executor.wait_for_compilation();
      w->pc = code_base;
      w->stop = wave::Stop::Run;
      w->compiled = w->called = w->interpreted = 0;
      set(*this);
      executor.run(*w);
    }
  }

  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override {
    return address >= memory_base && address + bytes <= memory_base + memory_bytes;
  }
  uint64_t clock() override { return ++ticks; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
  void image(wave::Wave&, wave::ImageAccess& access) override { on_image(access); }
  wave::GlobalPart global_part() override { return part; }
  wave::WaveOrder* order(uint32_t stage) override { return stage == 0 ? waves : nullptr; }
  wave::TrapAnswer trap(wave::Wave&) override { return traps; }
  std::function<void(wave::ImageAccess&)> on_image = [](wave::ImageAccess& access) { access.fault = "no images here"; };

  wave::Wave* w = nullptr;
  std::vector<uint8_t> memory, lds;
  uint64_t ticks = 0;
  wave::GlobalPart part;             // without a share: none
  wave::WaveOrder* waves = nullptr;  // of compute waves
  wave::TrapAnswer traps = wave::TrapAnswer::Fault;

private:
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  std::unique_ptr<uint8_t, Free> storage_;
  std::atomic<int> stop_{0};
  std::vector<uint32_t> code_;
  std::unique_ptr<wave::Program> program_;
};

// A repeatable source of numbers (SplitMix64).
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next64() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  uint32_t next() { return uint32_t(next64() >> 32); }
  uint32_t below(uint32_t n) { return next() % n; }

private:
  uint64_t state_;
};

}  // namespace Atoll::gfx7::test
