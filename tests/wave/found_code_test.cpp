// Code that another process has left on disk is there before a program's first instruction runs, wherever the program lies. Each process
// is a child of this one, which has opened neither the cache nor LLVM.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "../isa/gfx7/machine.h"
#include "base/file_cache.h"
#include "wave/executor.h"

namespace Atoll::wave {
namespace {

using gfx7::test::Machine;
namespace fs = std::filesystem;

struct Process {
  uint64_t first_interpreted = 0;  // by the first wave
  uint64_t later_interpreted = 0;  // by the last
  uint64_t found = 0, missing = 0, stored = 0;
  uint32_t result = 0;    // the sum of v1 over the lanes
  Stop stop = Stop::Run;  // of the last
  FaultReport fault;
  bool well = false;
};

// A loop over loads at addresses that differ from lane to lane, with a jump forward, and an f64 stretch in another mode of the host's.
std::vector<std::string> lines_with(uint32_t constant) {
  std::vector<std::string> lines = {fmt::format("v_mov_b32 v1, {:#x}", constant), "s_movk_i32 s2, 0x100"};
  lines.push_back("ds_read_b32 v4, v5");  // the loop
  lines.push_back("v_add_i32 v1, vcc, v1, v4");
  for (unsigned n = 0; n < 12; n++) lines.push_back("v_mul_u32_u24 v6, v1, v4");
  lines.push_back("v_xor_b32 v1, v1, v6");
  lines.push_back("s_sub_u32 s2, s2, 1");
  lines.push_back("s_cmp_lg_u32 s2, 0");
  lines.push_back("s_cbranch_scc1 65517");
  lines.push_back("v_add_f64 v[8:9], v[8:9], v[8:9]");
  lines.push_back("s_endpgm");
  return lines;
}

Process run_at(uint64_t base, EngineChoice engine, const std::vector<std::string>& lines, unsigned waves) {
  Process run;
  Machine m;
  const std::vector<uint32_t> code = gfx7::test::assemble(lines);
  Program program(gfx7::isa(), base, code);
  m.w->program = &program;
  m.set_exec(~uint64_t(0));
  m.s(gfx7::M0) = 0xffffffff;
  for (unsigned l = 0; l < 64; l++) {
    const uint32_t number = l * 77 + 5;
    m.v(5, l) = (63 - l) * 4, std::memcpy(m.lds.data() + l * 4, &number, 4);
  }
  const Wave like = *m.w;
  Executor executor(program, engine, like);
  run.well = true;
  for (unsigned n = 0; n < waves; n++) {
    m.w->pc = base;
    m.w->interpreted = 0;
    executor.run(*m.w);
    run.well = run.well && m.w->stop == (n ? run.stop : m.w->stop);
    run.stop = m.w->stop, run.fault = m.w->fault;
    if (n == 0) run.first_interpreted = m.w->interpreted;
    run.later_interpreted = m.w->interpreted;
    if (n % 8 == 7) executor.wait_for_compilation();
  }
  for (unsigned l = 0; l < 64; l++) run.result += m.v(1, l);
  run.well = run.well && executor.error().empty();
  const FileCache::Counts counts = file_caches();
  run.found = counts.found, run.missing = counts.missing, run.stored = counts.stored;
  return run;
}

class FoundCode : public testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("atoll-found-code-{}", ::getpid());
    fs::remove_all(folder_);
    ::setenv("ATOLL_CACHE", folder_.c_str(), 1);
    shared_ = static_cast<Process*>(::mmap(nullptr, sizeof(Process), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  }
  void TearDown() override {
    ::munmap(shared_, sizeof(Process));
    ::unsetenv("ATOLL_CACHE");
    fs::remove_all(folder_);
  }

  Process in_process(uint64_t base, EngineChoice engine, const std::vector<std::string>& lines, unsigned waves = 32,
                     Stop ends = Stop::End) {
    *shared_ = Process();
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(200);
      *shared_ = run_at(base, engine, lines, waves);
      std::_Exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(shared_->well);
    EXPECT_EQ(shared_->stop, ends);
    return *shared_;
  }
  static uint32_t interpreters_result(const std::vector<std::string>& lines) {
    return run_at(Machine::code_base, EngineChoice::Interpreter, lines, 1).result;
  }
  std::vector<fs::path> files(const char* part) {
    std::vector<fs::path> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / part))
      if (entry.is_regular_file()) all.push_back(entry.path());
    return all;
  }

  fs::path folder_;
  Process* shared_ = nullptr;
};

TEST_F(FoundCode, TheNextProcessInterpretsNothing) {
  const auto lines = lines_with(7);
  const uint32_t result = interpreters_result(lines);
  const Process first = in_process(Machine::code_base, EngineChoice::Auto, lines);
  EXPECT_GT(first.first_interpreted, 0u);
  EXPECT_EQ(first.later_interpreted, 0u);
  EXPECT_GT(first.stored, 0u);
  EXPECT_EQ(first.result, result);
  // At the same place and at others, of which one is beyond 32 bits.
  for (uint64_t base : {Machine::code_base, uint64_t(0x7000), uint64_t(0x7f12'3456'7000)}) {
    const Process next = in_process(base, EngineChoice::Auto, lines);
    EXPECT_EQ(next.first_interpreted, 0u) << std::hex << base;
    EXPECT_EQ(next.missing, 0u) << std::hex << base;
    EXPECT_EQ(next.stored, 0u) << std::hex << base;
    EXPECT_EQ(next.result, result) << std::hex << base;
  }
}

// The quick tier is passed over where the last one is there.
TEST_F(FoundCode, TheJitBeginsWithTheLastTier) {
  const auto lines = lines_with(9);
  const Process first = in_process(Machine::code_base, EngineChoice::Jit, lines);
  EXPECT_GT(first.stored, 1u);  // of both tiers
  const Process next = in_process(0x9000, EngineChoice::Jit, lines);
  EXPECT_EQ(next.missing, 0u);
  EXPECT_EQ(next.stored, 0u);
  EXPECT_LT(next.found, first.stored);
  EXPECT_EQ(next.result, interpreters_result(lines));
}

TEST_F(FoundCode, OtherProgramsHaveNone) {
  in_process(Machine::code_base, EngineChoice::Auto, lines_with(7));
  const auto lines = lines_with(8);
  const Process other = in_process(Machine::code_base, EngineChoice::Auto, lines, 1);
  EXPECT_GT(other.first_interpreted, 0u);
  EXPECT_EQ(other.result, interpreters_result(lines));
}

// A note without its code, and code without its note.
TEST_F(FoundCode, WhatIsDamagedIsMadeAnew) {
  const auto lines = lines_with(11);
  const uint32_t result = interpreters_result(lines);
  for (const char* part : {"code", "notes"}) {
    in_process(Machine::code_base, EngineChoice::Auto, lines);
    const auto damaged = files(part);
    ASSERT_FALSE(damaged.empty());
    for (const fs::path& file : damaged) {
      std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
      stream.seekp(std::streamoff(fs::file_size(file)) - 1);
      stream.put('\x55');
    }
    const Process again = in_process(Machine::code_base, EngineChoice::Auto, lines);
    EXPECT_GT(again.first_interpreted, 0u) << part;
    EXPECT_EQ(again.later_interpreted, 0u) << part;
    EXPECT_EQ(again.result, result) << part;
    const Process last = in_process(Machine::code_base, EngineChoice::Auto, lines, 1);
    EXPECT_EQ(last.first_interpreted, 0u) << part;
    EXPECT_EQ(last.result, result) << part;
  }
}

// A step that code hands over to the interpreter is one of the program that runs, and so is what a fault names.
TEST_F(FoundCode, FaultsAreOfTheProgramThatRuns) {
  const std::vector<std::string> lines = {"v_mov_b32 v0, 0", "s_branch 0x0", "v_mov_b32 v1, 0",
                                          "image_load v[4:7], v[0:1], s[8:15] dmask:0xf unorm", "s_endpgm"};
  const Process first = in_process(Machine::code_base, EngineChoice::Jit, lines, 32, Stop::Fault);
  EXPECT_EQ(first.fault.pc, Machine::code_base + 12);
  EXPECT_GT(first.stored, 0u);
  for (uint64_t base : {uint64_t(0x7000), uint64_t(0x7f12'3456'7000)}) {
    const Process next = in_process(base, EngineChoice::Jit, lines, 32, Stop::Fault);
    EXPECT_EQ(next.fault.kind, first.fault.kind);
    EXPECT_EQ(next.fault.pc, base + 12);
    EXPECT_EQ(next.missing, 0u) << std::hex << base;
    EXPECT_EQ(next.first_interpreted, 0u);
  }
}

// Without a folder nothing is looked for.
TEST_F(FoundCode, OffMeansOff) {
  ::setenv("ATOLL_CACHE", "off", 1);
  const auto lines = lines_with(7);
  in_process(Machine::code_base, EngineChoice::Auto, lines);
  const Process next = in_process(Machine::code_base, EngineChoice::Auto, lines);
  EXPECT_GT(next.first_interpreted, 0u);
  EXPECT_EQ(next.found + next.missing + next.stored, 0u);
  EXPECT_FALSE(fs::exists(folder_));
}

}  // namespace
}  // namespace Atoll::wave
