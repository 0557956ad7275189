// Children of a process that compiles all the time, on several threads: each compiles for itself, and ends by exit().
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "../isa/gfx7/machine.h"
#include "wave/executor.h"

namespace Atoll::wave {
namespace {

using gfx7::test::Machine;

// v1 = the sum of `count` times v2 = 3, by the JIT; each seed's code is another.
uint32_t sum_of(uint32_t count, uint32_t seed) {
  Machine m;
  std::vector<std::string> lines = {fmt::format("v_mov_b32 v3, {:#x}", 0x10000 + seed), "v_mov_b32 v1, 0", "v_mov_b32 v2, 3"};
  for (uint32_t n = 0; n < count; n++) lines.push_back("v_add_i32 v1, vcc, v1, v2");
  lines.push_back("s_endpgm");
  const std::vector<uint32_t> code = gfx7::test::assemble(lines);
  const Program program(gfx7::isa(), Machine::code_base, code);
  std::atomic<int> stop{0};
  m.w->program = &program;
  m.w->stop_flag = &stop;
  m.set_exec(~uint64_t(0));
  const Wave like = *m.w;
  Executor executor(program, EngineChoice::Jit, like);
  m.w->pc = Machine::code_base;
  executor.run(*m.w);
  const bool compiled = m.w->stop == Stop::End && m.w->interpreted == 0 && executor.error().empty();
  return compiled ? m.v(1, 17) : 0;
}

TEST(Forks, ChildrenOfAProcessThatCompilesCompile) {
  ASSERT_EQ(sum_of(20, 0), 60u);
  std::atomic<bool> enough{false};
  std::atomic<uint32_t> seed{1}, wrong{0};
  std::vector<std::jthread> threads;
  for (int n = 0; n < 2; n++)
    threads.emplace_back([&] {
      while (!enough) wrong += sum_of(100, seed++) != 300;
    });
  for (uint32_t n = 0; n < 60; n++) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(100);  // (a child that waits for a thread which it has not is ended)
      std::exit(sum_of(50 + n, 1u << 20) == 3 * (50 + n) ? 5 : 6);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 5) << "child " << n << ": " << status;
  }
  enough = true;
  threads.clear();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace Atoll::wave
