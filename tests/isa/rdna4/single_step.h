// One wave with registers, LDS, scratch and a stretch of memory of its own, on which single instructions are run by mnemonic:
//
//   SingleStep wave(false);                       // wave32; true: wave64
//   wave.v(1, 5) = 7;                             // lane 5 of v1
//   wave.run("v_add_nc_u32", {.dst = 0, .src = {VGPR0 + 1, INTEGER_0 + 3}});
//   EXPECT_EQ(wave.v(0, 5), 10u);
//
// Used by the tests of semantics, which compare with scalar references written apart from them.
#pragma once
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "isa/rdna4/instruction.h"
#include "isa/rdna4/registers.h"
#include "isa/rdna4/semantics/semantics.h"
#include "wave/environment.h"
#include "wave/interpreter/level.h"
#include "wave/program.h"

namespace Atoll::rdna4::test {

// An Isa with a register file and a mode, and no decoder: steps are made by hand.
class StepIsa : public wave::Isa {
public:
  explicit StepIsa(bool wave64) : wave64_(wave64) {}
  const char* name() const override { return "single step"; }
  wave::RegisterFile register_file() const override { return {register_file_bytes(wave64_), scalar_cell(EXEC_LO)}; }
  Expected<void> decode(std::span<const uint32_t>, wave::Step&, std::vector<std::shared_ptr<void>>&) const override {
    return fail("single steps are not decoded");
  }
  std::string text(const wave::Step&) const override { return {}; }
  wave::FloatMode float_mode(const wave::Wave& wave) const override {
    uint32_t mode = wave::word_of(const_cast<wave::Wave&>(wave), mode_cell);
    auto rounding = [](uint32_t bits) { return wave::Rounding(bits & 3); };  // the same four in MODE and in wave::Rounding
    return {.round32 = rounding(mode),
            .round64 = rounding(mode >> 2),
            .flush_in32 = !(mode >> 4 & 1),
            .flush_out32 = !(mode >> 5 & 1),
            .flush_in64 = !(mode >> 6 & 1),
            .flush_out64 = !(mode >> 7 & 1),
            .clamp_halves = bool(mode >> 23 & 1)};
  }

private:
  bool wave64_;
};

class SingleStep : public wave::Environment {
public:
  static constexpr uint64_t memory_base = 0x100000;  // GPU address of the first byte of `memory`
  static constexpr uint64_t code_base = 0x4000;      // pc of the instruction
  static constexpr uint32_t lds_bytes = 4096, scratch_bytes = 256;

  explicit SingleStep(bool wave64 = false) : wave64(wave64), isa(wave64), program(isa, code_base, code) {
    size_t bytes = (wave::register_file_offset + register_file_bytes(wave64) + 127) / 128 * 128;
    storage.reset(static_cast<uint8_t*>(std::aligned_alloc(128, bytes)));
    std::memset(storage.get(), 0, bytes);
    w = new (storage.get()) wave::Wave;
    w->lanes = wave64 ? 64 : 32;
    w->stop_flag = &stop_flag;
    w->environment = this;
    w->program = &program;
    w->window = memory.data() - memory_base;
    w->lds = lds.data(), w->lds_bytes = lds_bytes;
    w->scratch = scratch.data(), w->scratch_bytes = scratch_bytes;
    w->flat_shared_high = 0x00020000, w->flat_private_high = 0x00030000;
    cell(mode_cell) = MODE_DEFAULT;
    cell(vgpr_count_cell) = kVgprCount;
    set_exec(~uint64_t(0));
  }

  // --- state
  uint32_t& cell(uint32_t c) { return wave::word_of(*w, c); }
  uint32_t& s(uint32_t n) { return cell(scalar_cell(n)); }
  uint64_t s64(uint32_t n) { return s(n) | uint64_t(s(n + 1)) << 32; }
  void set_s64(uint32_t n, uint64_t x) { s(n) = uint32_t(x), s(n + 1) = uint32_t(x >> 32); }
  uint32_t& scc() { return cell(scc_cell); }
  uint32_t& v(uint32_t n, uint32_t lane) { return cell(vgpr_cell(n, wave64) + lane * 4); }
  uint64_t v64(uint32_t n, uint32_t lane) { return v(n, lane) | uint64_t(v(n + 1, lane)) << 32; }
  void set_v64(uint32_t n, uint32_t lane, uint64_t x) { v(n, lane) = uint32_t(x), v(n + 1, lane) = uint32_t(x >> 32); }
  uint32_t lanes() const { return wave64 ? 64 : 32; }
  uint64_t exec() { return wave64 ? s64(EXEC_LO) : s(EXEC_LO); }
  void set_exec(uint64_t mask) { s(EXEC_LO) = uint32_t(mask), s(EXEC_HI) = wave64 ? uint32_t(mask >> 32) : 0; }
  uint64_t mask(uint32_t n) { return wave64 ? s64(n) : s(n); }
  bool active(uint32_t lane) { return exec() >> lane & 1; }

  // --- running
  // Runs the instruction in the wave's float mode (of the class named). The wave's pc is code_base before; w->pc the next after.
  void run(const char* mnemonic, Instruction i, wave::FloatClass float_class = wave::FloatClass::F32) {
    const SemanticEntry* entry = find_semantics(mnemonic);
    ASSERT_NE(entry, nullptr) << mnemonic << " has no semantics";
    ASSERT_NE(entry->interpret, nullptr) << mnemonic;
    if (!i.bytes) i.bytes = 4;
    for (size_t n = 0; n < steps.size(); n++) steps[n].pc = code_base + 4 * n;
    steps[0].interpret = entry->interpret;
    steps[0].instruction = &i;
    steps[0].words = uint8_t(i.bytes / 4);
    steps[0].decoded = true;
    steps[0].float_class = float_class;
    w->pc = code_base;
    w->stop = wave::Stop::Run;
    w->fault = {};
    uint32_t saved = _mm_getcsr();
    _mm_setcsr(wave::mxcsr_for(isa.float_mode(*w), float_class));
    wave::level_entries().run_one(*w, program, steps[0], isa.float_mode(*w));
    _mm_setcsr(saved);
  }

  // --- Environment
  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override {
    return address >= memory_base && address + bytes <= memory_base + memory.size();
  }
  uint64_t clock() override { return ++ticks; }
  uint64_t message(wave::Wave&, uint32_t number, uint32_t m0) override {
    messages.push_back({number, m0});
    return reply;
  }

  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  bool wave64;
  StepIsa isa;
  std::array<uint32_t, 64> code{};
  wave::Program program;
  std::array<wave::Step, 8> steps{};
  std::unique_ptr<uint8_t, Free> storage;
  wave::Wave* w = nullptr;
  std::atomic<int> stop_flag{0};
  std::vector<uint8_t> memory = std::vector<uint8_t>(65536), lds = std::vector<uint8_t>(lds_bytes),
                       scratch = std::vector<uint8_t>(size_t(scratch_bytes) * 64);
  uint64_t ticks = 0, reply = 0;
  std::vector<std::pair<uint32_t, uint32_t>> messages;
};

// A repeatable stream of test words: edge values first come often, then anything (splitmix64, public domain by S. Vigna).
class Words {
public:
  explicit Words(uint64_t seed) : state_(seed) {}
  uint64_t next64() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  uint32_t next() { return uint32_t(next64() >> 32); }
  // An edge value of integers and of floats half of the time.
  uint32_t mixed() {
    static constexpr uint32_t edges[] = {
        0,          1,          2,          31,         32,         33,         0x7fff,     0x8000,     0xffff,     0x10000,
        0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x3f800000, 0xbf800000, 0x3f000000, 0x00800000, 0x007fffff,
        0x80000001, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fa00001, 0xffc12345, 0x4b000000, 0x4f000000, 0xcf000000,
        0x4f800000, 0x3c003c00, 0x7c00fc00, 0x7e007d01, 0x00010400, 0x7bff8001, 0x33000000, 0x477fe000};
    uint64_t r = next64();
    return r & 1 ? edges[(r >> 8) % std::size(edges)] : uint32_t(r >> 32);
  }

private:
  uint64_t state_;
};

}  // namespace Atoll::rdna4::test
