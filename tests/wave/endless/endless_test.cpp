// Nobody waits for a compilation: not who destroys the executor, raises the stop flag or ends the process, and least of all the child
// of a fork, which has no thread that compiles. Here it has no end (compiler.cpp), so that whoever waits for it does so for ever; CTest
// ends such a test.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "../../isa/gfx7/machine.h"
#include "wave/executor.h"

namespace Atoll::wave {
namespace {

using gfx7::test::Machine;

// A program whose compilation is under way, on the executor's thread (auto) or on one that runs a wave (jit).
struct Compiling {
  Machine m;
  const std::vector<uint32_t> code = gfx7::test::assemble(lines());
  Program program{gfx7::isa(), Machine::code_base, code};
  std::atomic<int> stop{0};
  std::unique_ptr<Wave> like;
  std::unique_ptr<Executor> executor;
  std::thread runs;

  explicit Compiling(EngineChoice engine) {
    m.w->program = &program;
    m.w->stop_flag = &stop;
    m.set_exec(~uint64_t(0));
    like = std::make_unique<Wave>(*m.w);
    executor = std::make_unique<Executor>(program, engine, *like, ExecutorOptions{.hot_instructions = 1000});
    auto run = [this] {
      m.w->pc = Machine::code_base;
      executor->run(*m.w);
    };
    if (engine == EngineChoice::Jit)
      runs = std::thread(run);
    else
      for (int n = 0; n < 100; n++) run();
    while (turns() == 0) ::usleep(100);
  }
  static std::vector<std::string> lines() {
    std::vector<std::string> out(100, "v_add_i32 v1, vcc, v1, v2");
    out.push_back("s_endpgm");
    return out;
  }
  static uint64_t turns() {
    void* library = ::dlopen(STAND_IN, RTLD_NOW | RTLD_NOLOAD);
    auto count = library ? reinterpret_cast<uint64_t (*)()>(::dlsym(library, "endless_turns")) : nullptr;
    return count ? count() : 0;
  }
};

int status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

// Each in a process of its own.
class Endless : public testing::Test {
protected:
  Endless() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(Endless, TheExecutorGoes) {
  EXPECT_EXIT(
      {
        auto* all = new Compiling(EngineChoice::Auto);
        all->executor.reset();
        ::_exit(3);
      },
      testing::ExitedWithCode(3), "");
}

TEST_F(Endless, ManyExecutorsGo) {
  EXPECT_EXIT(
      {
        for (int n = 0; n < 20; n++) Compiling(EngineChoice::Auto).executor.reset();
        ::_exit(3);
      },
      testing::ExitedWithCode(3), "");
}

TEST_F(Endless, TheStopFlagIsRaised) {
  EXPECT_EXIT(
      {
        auto* all = new Compiling(EngineChoice::Jit);
        all->stop = 1;
        all->runs.join();
        ::_exit(3);
      },
      testing::ExitedWithCode(3), "");
}

TEST_F(Endless, TheProcessEnds) {
  EXPECT_EXIT(
      {
        new Compiling(EngineChoice::Auto);
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
  EXPECT_EXIT(
      {
        new Compiling(EngineChoice::Jit);
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
}

TEST_F(Endless, ChildrenEnd) {
  EXPECT_EXIT(
      {
        new Compiling(EngineChoice::Auto);
        int wrong = 0;
        for (int n = 0; n < 20; n++) {
          pid_t child = ::fork();
          if (child == 0) std::exit(5);
          wrong += status_of(child) != 5;
          child = ::fork();
          if (child == 0) {
            ::execl("/nonexistent", "nonexistent", nullptr);
            std::exit(127);
          }
          wrong += status_of(child) != 127;
          child = ::_Fork();  // (which calls no handlers of pthread_atfork)
          if (child == 0) std::exit(6);
          wrong += status_of(child) != 6;
        }
        std::exit(wrong ? 4 : 3);
      },
      testing::ExitedWithCode(3), "");
}

// It has the memory of its parent, whose compilation goes on; what exit() does there it does to both.
TEST_F(Endless, AChildThatBorrowsTheMemoryEnds) {
  EXPECT_EXIT(
      {
        new Compiling(EngineChoice::Auto);
        pid_t child = ::vfork();
        if (child == 0) {
          ::execl("/nonexistent", "nonexistent", nullptr);
          std::exit(127);
        }
        const uint64_t before = Compiling::turns();
        while (Compiling::turns() == before) ::usleep(100);
        ::_exit(status_of(child) == 127 ? 3 : 4);
      },
      testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace Atoll::wave
