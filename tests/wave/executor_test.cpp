// The executor's compilations, and their times, seen by the counters of its waves.
#include "wave/executor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <immintrin.h>
#include <sys/mman.h>

#include <barrier>
#include <filesystem>
#include <thread>

#include "../isa/gfx7/machine.h"

namespace Atoll::wave {
namespace {

using gfx7::test::Machine;

struct Shares {
  uint64_t compiled, interpreted;
};

// Runs waves of `lines` on `auto` until `instructions` were interpreted, waits for the compiler, and gives what one more wave
// was.
Shares after_learning(const std::vector<std::string>& lines, uint64_t instructions) {
  Machine m;
  std::vector<uint32_t> code = gfx7::test::assemble(lines);
  Program program(gfx7::isa(), Machine::code_base, code);
  m.w->program = &program;
  m.set_exec(~uint64_t(0));
  const Wave like = *m.w;
  Executor executor(program, EngineChoice::Auto, like);
  auto run = [&] {
    m.w->pc = Machine::code_base;
    m.w->compiled = m.w->called = m.w->interpreted = 0;
    word_of(*m.w, gfx7::mode_cell) = gfx7::MODE_DEFAULT;
    executor.run(*m.w);
    EXPECT_EQ(m.w->stop, Stop::End);
  };
  for (uint64_t all = 0; all <= instructions; all += m.w->interpreted + m.w->compiled) run();
  for (unsigned n = 0; n < 3; n++) {  // what was asked for may lead to more
    executor.wait_for_compilation();
    run();
  }
  EXPECT_EQ(executor.error(), "");
  return {m.w->compiled, m.w->interpreted};
}

// The stretch from a program's start to its first taken jump is code like any other.
TEST(Executor, AutoCompilesTheStretchBeforeALoop) {
  std::vector<std::string> lines(40, "v_add_i32 v1, vcc, v1, v2");
  lines.push_back("s_movk_i32 s2, 0x10");
  lines.push_back("v_xor_b32 v3, v3, v1");  // the loop
  lines.push_back("s_sub_u32 s2, s2, 1");
  lines.push_back("s_cmp_lg_u32 s2, 0");
  lines.push_back("s_cbranch_scc1 65532");
  lines.push_back("s_endpgm");
  Shares s = after_learning(lines, 300000);
  EXPECT_EQ(s.interpreted, 0u);
  EXPECT_EQ(s.compiled, 41u + 16 * 4 + 1);
}

// The number of instructions that `auto` interprets of a grid of so many work-groups, each of one wave with a loop.
uint64_t interpreted_of(uint64_t waves) {
  Machine m;
  std::vector<std::string> lines = {"s_movk_i32 s2, 0x80"};
  for (unsigned n = 0; n < 30; n++) lines.push_back("v_mul_u32_u24 v3, v3, v1");
  for (const char* line : {"s_sub_u32 s2, s2, 1", "s_cmp_lg_u32 s2, 0", "s_cbranch_scc1 65503", "s_endpgm"})
    lines.push_back(line);
  const std::vector<uint32_t> code = gfx7::test::assemble(lines);
  Program program(gfx7::isa(), Machine::code_base, code);
  m.w->program = &program;
  m.set_exec(~uint64_t(0));
  const Wave like = *m.w;
  Executor executor(program, EngineChoice::Auto, like);
  SharedRange groups(waves, 1);
  SharedRange::Stretch own;
  WorkGroup group;
  group.grid = &groups;
  m.w->group = &group;
  for (uint64_t number; groups.take(own, number);) {
    reset(group, 1);
    m.w->pc = Machine::code_base;
    executor.run(*m.w);
    EXPECT_EQ(m.w->stop, Stop::End);
  }
  EXPECT_EQ(executor.error(), "");
  return m.w->interpreted;
}

// With many work-groups to come, a thread waits for code instead of interpreting on while it is made; few are interpreted.
TEST(Executor, AutoWaitsForTheCodeOfManyWorkGroups) {
  EXPECT_LT(interpreted_of(20000), 120000u);
  EXPECT_EQ(interpreted_of(20), 20 * (1 + 128 * 33 + 1u));
}

// Functions of operands at the ends of their range have NaNs on their way to results that are none: no reason to leave fast code.
TEST(Executor, NansThatNobodySeesCostNothing) {
  Machine m;
  const std::vector<uint32_t> code =
      gfx7::test::assemble({"v_exp_f32 v2, v1", "v_log_f32 v3, v1", "v_rcp_f32 v4, v1", "v_rsq_f32 v5, v1", "v_sqrt_f32 v6, v1",
                            "v_log_f32 v7, 0", "v_exp_f32 v8, v7", "v_sin_f32 v9, v0", "v_cos_f32 v10, v0", "s_endpgm"});
  Program program(gfx7::isa(), Machine::code_base, code);
  m.w->program = &program;
  m.set_exec(~uint64_t(0));
  const Wave like = *m.w;
  Executor executor(program, EngineChoice::Jit, like);
  constexpr uint32_t operands[] = {0, 0x7f800000, 1, 0x007fffff, 0x7f7fffff, 0x3f800000, 0x42fe0000, 0x43000000};
  for (unsigned lane = 0; lane < 64; lane++) {
    m.v(0, lane) = 0x3e000000 + lane;
    m.v(1, lane) = operands[lane % std::size(operands)];
  }
  m.w->pc = Machine::code_base;
  executor.run(*m.w);
  ASSERT_EQ(m.w->stop, Stop::End);
  EXPECT_EQ(m.w->interpreted, 0u);
  EXPECT_EQ(executor.nan_exits(), 0u);
  EXPECT_EQ(m.v(2, 1), 0x7f800000u);  // 2^infinity
  EXPECT_EQ(m.v(8, 0), 0u);           // 2^-infinity
}

// The same as the stretch before a loop, where it changes the floating-point mode: it belongs to one table, what follows it to another.
TEST(Executor, AutoCompilesBehindAChangeOfMode) {
  std::vector<std::string> lines = {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0xf0"};
  for (unsigned n = 0; n < 40; n++) lines.push_back("v_add_f32 v1, v1, v2");
  lines.push_back("s_movk_i32 s2, 0x10");
  lines.push_back("v_mul_f32 v3, v3, v1");
  lines.push_back("s_sub_u32 s2, s2, 1");
  lines.push_back("s_cmp_lg_u32 s2, 0");
  lines.push_back("s_cbranch_scc1 65532");
  lines.push_back("s_endpgm");
  EXPECT_EQ(after_learning(lines, 300000).interpreted, 0u);
}

// Threads that reach instructions of several words while another decodes them go on behind them, not within. A wave that takes a
// literal constant for an instruction meets one that is none.
TEST(Executor, ThreadsThatDecodeTheSameProgramTogether) {
  std::vector<std::string> lines(2000, "v_xor_b32 v1, 0xfafafafa, v1");
  lines.push_back("s_endpgm");
  const std::vector<uint32_t> code = gfx7::test::assemble(lines);
  constexpr unsigned threads = 3, programs = 300;
  Machine machines[threads];
  for (unsigned n = 0; n < programs; n++) {
    Program program(gfx7::isa(), Machine::code_base, code);
    Executor executor(program, EngineChoice::Interpreter, *machines[0].w);
    std::barrier together(threads);
    std::vector<std::jthread> all;
    for (Machine& m : machines)
      all.emplace_back([&] {
        m.w->program = &program;
        m.w->pc = Machine::code_base;
        together.arrive_and_wait();
        executor.run(*m.w);
      });
    all.clear();
    for (Machine& m : machines) ASSERT_EQ(m.w->stop, Stop::End) << "program " << n << ", instruction at " << m.w->pc;
  }
}

// If other programs are to take its place it is interpreted, however hot; afterwards it has to prove hot by itself.
TEST(Executor, AutoCompilesNothingThatIsPutOff) {
  Machine m;
  std::vector<std::string> lines(100, "v_add_i32 v1, vcc, v1, v2");
  lines.push_back("s_endpgm");
  std::vector<uint32_t> code = gfx7::test::assemble(lines);
  Program program(gfx7::isa(), Machine::code_base, code);
  m.set_exec(~uint64_t(0));
  const Wave like = *m.w;
  Executor executor(program, EngineChoice::Auto, like);
  auto run = [&](unsigned times) {
    for (unsigned n = 0; n < times; n++) {
      m.w->pc = Machine::code_base;
      executor.run(*m.w);
    }
    executor.wait_for_compilation();
  };
  executor.put_off(true);
  run(3000);
  EXPECT_TRUE(executor.is_hot());
  EXPECT_EQ(executor.instructions_compiled(), 0u);
  executor.put_off(false);
  run(10);
  EXPECT_EQ(executor.instructions_compiled(), 0u);
  run(3000);
  EXPECT_EQ(executor.instructions_compiled(), 101u);
}

// The code that makes the next wave of a series computes as its caller does, whatever the rounding was in which the wave before
// ended.
TEST(Executor, WavesOfASeriesFollowInTheCallersFloatMode) {
  for (EngineChoice engine : {EngineChoice::Interpreter, EngineChoice::Jit})
    for (unsigned rounding = 0; rounding < 4; rounding++)
      for (unsigned denormals : {0x00u, 0x10u, 0x20u, 0x30u}) {
        Machine m;
        const std::vector<uint32_t> code = gfx7::test::assemble(
            {fmt::format("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), {:#x}", rounding | rounding << 2 | denormals),
             "v_mul_f32 v1, v2, v3", "s_endpgm"});
        Program program(gfx7::isa(), Machine::code_base, code);
        m.set_exec(~uint64_t(0));
        m.w->program = &program;
        Executor executor(program, engine, *m.w);
        m.w->pc = Machine::code_base;
        struct Seen {
          Machine& machine;
          unsigned waves = 0, others = 0;
        } seen{m};
        executor.run_series(
            *m.w,
            [](void* data) {
              Seen& s = *static_cast<Seen*>(data);
              const uint32_t control = _mm_getcsr() & 0xffc0;
              s.others += control != 0x1f80 && control != 0x9fc0;  // nearest, with denormals or without
              s.machine.w->pc = Machine::code_base;
              word_of(*s.machine.w, gfx7::mode_cell) = gfx7::MODE_DEFAULT;
              s.machine.w->code_table = nullptr;
              return ++s.waves < 5;
            },
            &seen);
        EXPECT_EQ(seen.waves, 5u);
        EXPECT_EQ(seen.others, 0u) << int(engine) << " rounding " << rounding << " denormals " << denormals;
        EXPECT_EQ(_mm_getcsr() & 0xffc0, 0x1f80u);
      }
}

// A program that was compiled keeps no thread for what may still come.
TEST(Executor, NoThreadStaysBehind) {
  auto threads = [] {
    auto tasks = std::filesystem::directory_iterator("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  Machine m;
  std::vector<uint32_t> code = gfx7::test::assemble({"v_add_i32 v1, vcc, v1, v2", "s_endpgm"});
  Program program(gfx7::isa(), Machine::code_base, code);
  m.set_exec(~uint64_t(0));
  const Wave like = *m.w;
  auto before = threads();
  std::vector<std::unique_ptr<Executor>> executors;
  for (unsigned n = 0; n < 20; n++) {
    executors.push_back(std::make_unique<Executor>(program, EngineChoice::Jit, like));
    for (unsigned round = 0; round < 20; round++) {  // enough for the full tier to be asked for
      m.w->pc = Machine::code_base;
      executors.back()->run(*m.w);
    }
    executors.back()->wait_for_compilation();
  }
  // A thread that has nothing left to do ends soon.
  for (unsigned wait = 0; wait < 1000 && threads() > before; wait++) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(threads(), before);
}

// Code that programs have in common is made once, and stays while one of them has it: what it reaches of a program (the steps that
// its checked accesses and calls are of, where it goes on) is that of the program which runs.
TEST(Executor, ProgramsShareTheCodeOfRegionsThatAreTheSame) {
  struct Case {
    std::vector<uint32_t> code;
    Program program;
    std::vector<CodeFunction> functions;
    std::unique_ptr<Executor> executor;
    std::shared_ptr<void> kept;
    Case(const char* first, const Wave& like)
        : code(gfx7::test::assemble({first, "s_branch 0x0", "ds_read_b32 v4, v5", "v_add_i32 v4, vcc, v4, v1", "s_endpgm"})),
          program(gfx7::isa(), Machine::code_base, code) {
      executor = std::make_unique<Executor>(program, EngineChoice::Jit, like, ExecutorOptions{.first_tier = Tier::Full});
    }
    void compile(const Wave& like) {
      auto compiler = host_compiler();
      ASSERT_TRUE(compiler);
      auto set = std::make_shared<RegionSet>(cut_regions(program, Machine::code_base, like, program.isa().float_mode(like), 100));
      ASSERT_EQ(set->regions.size(), 2u);
      auto made = (*compiler)->compile(program, set, {.direct = true});
      ASSERT_TRUE(made) << made.error().message;
      functions = made->functions, kept = made->code;
      if (set->regions[0].pc != Machine::code_base) std::swap(functions[0], functions[1]);
    }
  };
  Machine m;
  m.set_exec(~uint64_t(0));
  m.s(gfx7::M0) = 0xffffffff;
  for (unsigned l = 0; l < 64; l++) m.v(5, l) = (63 - l) * 4, std::memcpy(m.lds.data() + l * 4, &l, 4);
  const Wave like = *m.w;
  auto run = [&](Case& c) {
    m.w->pc = Machine::code_base;
    m.v(1, 7) = 0;
    c.executor->run(*m.w);
    EXPECT_EQ(m.w->stop, Stop::End);
    return m.v(4, 7);
  };
  auto one = std::make_unique<Case>("v_mov_b32 v1, 1", like);
  Case two("v_mov_b32 v1, 2", like);
  one->compile(like), two.compile(like);
  ASSERT_TRUE(one->kept && two.kept);
  EXPECT_NE(one->functions[0], two.functions[0]);
  EXPECT_EQ(one->functions[1], two.functions[1]);
  EXPECT_EQ(run(*one), 57u);
  EXPECT_EQ(run(two), 58u);
  one.reset();
  EXPECT_EQ(run(two), 58u);
}

// An image access is C++ that may meet memory that is not there (any more). It is gone through again to find out what it was, and
// meets it again: a report, not the program's end.
TEST(Executor, FaultsInsideOfImageAccessesAreReported) {
  void* nothing = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(nothing, MAP_FAILED);
  for (gfx7::test::Way way : gfx7::test::ways) {
    Machine m;
    unsigned asked = 0;
    m.on_image = [&](ImageAccess& access) {
      asked++;
      access.data[0][0] = *static_cast<volatile uint32_t*>(nothing);
    };
    m.run({"v_mov_b32 v0, 0", "v_mov_b32 v1, 0", "image_load v[4:7], v[0:1], s[8:15] dmask:0xf unorm"}, way,
          [](Machine& k) { k.set_exec(~uint64_t(0)); });
    EXPECT_EQ(m.w->stop, Stop::Fault) << gfx7::test::name(way);
    EXPECT_EQ(m.w->fault.kind, FaultKind::Load);
    EXPECT_EQ(m.w->fault.pc, Machine::code_base + 8);
    EXPECT_EQ(m.w->fault.address, uint64_t(static_cast<uint8_t*>(nothing) - m.w->window));
    EXPECT_GE(asked, 1u);
  }
  munmap(nothing, 4096);
}

}  // namespace
}  // namespace Atoll::wave
