// A work-group of waves with registers, LDS and a stretch of memory of their own, which run assembled text on one of the engines:
//
//   GroupMachine m({.wave_size = 32, .waves = 3}, {"s_barrier_signal -1", "s_barrier_wait -1"});   // s_endpgm is added
//   m.s(1, 4) = 7;                                // s4 of wave 1
//   EXPECT_EQ(m.run(wave::EngineChoice::Jit).stop, wave::Stop::End);
#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "isa/rdna4/isa.h"
#include "isa/rdna4/parse.h"
#include "isa/rdna4/registers.h"
#include "wave/environment.h"
#include "wave/executor.h"
#include "wave/storage.h"
#include "wave/work_group.h"

namespace Atoll::rdna4::test {

inline constexpr wave::EngineChoice both_engines[] = {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit};

inline std::vector<uint32_t> assembled(const std::vector<std::string>& lines, unsigned wave_size) {
  std::vector<uint32_t> code;
  for (const std::string& line : lines) {
    auto decoded = parse(line, {wave_size});
    auto words = decoded ? encode(decoded->main, {wave_size}) : Expected<Words>(std::unexpected(decoded.error()));
    EXPECT_TRUE(words) << line << ": " << (words ? "" : words.error().message);
    if (words) code.insert(code.end(), words->dwords.begin(), words->dwords.begin() + words->count);
  }
  return code;
}

class GroupMachine : public wave::Environment {
public:
  static constexpr uint64_t code_base = 0x4000, memory_base = 0x100000;
  static constexpr uint32_t lds_bytes = 4096;
  struct Shape {
    unsigned wave_size = 32, waves = 1;
    Allocation allocation{};
    Exceptions exceptions = Exceptions::unseen;
  };

  GroupMachine(const Shape& shape, std::vector<std::string> lines)
      : shape(shape), isa(rdna4::isa(shape.wave_size, shape.allocation, shape.exceptions)) {
    lines.push_back("s_endpgm");
    code = assembled(lines, shape.wave_size);
    program = std::make_unique<wave::Program>(isa, code_base, code);
    const size_t bytes = wave::register_file_offset + register_file_bytes(shape.wave_size == 64);
    for (unsigned n = 0; n < shape.waves; n++) storage.emplace_back(bytes);
    for (unsigned n = 0; n < shape.waves; n++) waves.push_back(&*storage[n]);
    reset();
  }

  // As at the start: v1 holds 1000 times its wave's number, and the lane.
  void reset() {
    std::fill(memory.begin(), memory.end(), uint8_t(0));
    std::fill(lds.begin(), lds.end(), uint8_t(0));
    for (unsigned n = 0; n < shape.waves; n++) {
      wave::Wave& w = storage[n].reset();
      std::memset(wave::bytes_of(w, wave::register_file_offset), 0, register_file_bytes(shape.wave_size == 64));
      w.lanes = shape.wave_size, w.index = n, w.pc = code_base;
      w.stop_flag = &stop_flag, w.environment = this, w.group = &group;
      w.window = memory.data() - memory_base, w.window_bytes = memory_base + memory.size();
      w.lds = lds.data(), w.lds_bytes = lds_bytes;
      cell(n, mode_cell) = MODE_DEFAULT;
      cell(n, vgpr_count_cell) = shape.allocation.block ? shape.allocation.block : shape.allocation.vgprs;
      cell(n, vgpr_block_cell) = shape.allocation.block;
      s(n, EXEC_LO) = ~0u, s(n, EXEC_HI) = shape.wave_size == 64 ? ~0u : 0;
      for (uint32_t lane = 0; lane < shape.wave_size; lane++) v(n, 1, lane) = n * 1000 + lane;
    }
  }

  wave::Executor::GroupEnd run(wave::EngineChoice engine) {
    wave::Executor executor(*program, engine, *waves[0]);
    EXPECT_EQ(executor.error(), "");
    auto end = executor.run_group(group, waves);
    executor.wait_for_compilation();
    return end;
  }

  uint32_t& cell(unsigned w, uint32_t c) { return wave::word_of(*waves[w], c); }
  uint32_t& s(unsigned w, uint32_t n) { return cell(w, scalar_cell(n)); }
  uint32_t& v(unsigned w, uint32_t n, uint32_t lane) { return cell(w, vgpr_cell(n, shape.wave_size == 64) + lane * 4); }
  uint32_t& dword(size_t byte) { return *reinterpret_cast<uint32_t*>(memory.data() + byte); }
  std::string reason(unsigned w) const { return waves[w]->fault.reason ? waves[w]->fault.reason : ""; }

  // --- Environment
  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override {
    return address >= memory_base && address + bytes <= memory_base + memory.size();
  }
  uint64_t clock() override { return ++ticks; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
  wave::TrapAnswer trap(wave::Wave&) override { return base.handler ? wave::TrapAnswer::Enter : answer; }
  wave::TrapBase trap_base(wave::Wave&) override { return base; }

  const Shape shape;
  const wave::Isa& isa;
  std::vector<uint32_t> code;
  std::unique_ptr<wave::Program> program;
  std::vector<wave::Storage> storage;
  std::vector<wave::Wave*> waves;
  wave::WorkGroup group;
  std::atomic<int> stop_flag{0};
  std::vector<uint8_t> memory = std::vector<uint8_t>(65536), lds = std::vector<uint8_t>(lds_bytes + 64);
  uint64_t ticks = 0;
  wave::TrapAnswer answer = wave::TrapAnswer::Fault;
  wave::TrapBase base;
};

}  // namespace Atoll::rdna4::test
