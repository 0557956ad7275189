// Code that crashes, overflows its stack or comes to no end is left, and the process goes on.
#include "memory/guarded_call.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace Atoll {
namespace {

const char in_this_program = 0;
const GuardedCallLimits small{.stack_bytes = 256 << 10, .processor_seconds = 0.05};

template <class Body>
std::string call(Body body, const GuardedCallLimits& limits = small, const void* library = &in_this_program) {
  return guarded_call([](void* data) { (*static_cast<Body*>(data))(); }, &body, library, limits);
}

// Accesses that the sanitizers would report before the processor does.
__attribute__((no_sanitize("undefined", "address"))) void read_word(uintptr_t address) {
  (void)*reinterpret_cast<volatile uint32_t*>(address);
}

__attribute__((noinline, no_sanitize("undefined", "address"))) uint32_t descend(uint32_t depth) {
  volatile uint32_t frame[64];
  frame[depth % 64] = depth;
  return depth == ~0u ? 0 : descend(depth + 1) + frame[depth % 64];
}

TEST(GuardedCall, ComesBackWithWhatItDid) {
  std::thread::id where = std::this_thread::get_id();
  EXPECT_EQ(call([&] { where = std::this_thread::get_id(); }), "");
  EXPECT_NE(where, std::this_thread::get_id());
}

TEST(GuardedCall, CrashesAreTold) {
  EXPECT_EQ(call([] { read_word(12); }).substr(0, 19), "crashes (SIGSEGV at");
  EXPECT_EQ(call([] {}), "");
}

TEST(GuardedCall, TheStackHasTheSizeAskedFor) {
  EXPECT_EQ(call([] { descend(0); }), "overflows its stack of 256 KiB");
  // Enough for what overflows the small one.
  EXPECT_EQ(call([] { descend(~0u - 2000); }, {.stack_bytes = 4 << 20}), "");
  EXPECT_EQ(call([] { descend(~0u - 2000); }), "overflows its stack of 256 KiB");
}

// If every level allocates, the deepest frame is often the allocator's.
__attribute__((noinline, no_sanitize("undefined", "address"))) uint32_t descend_allocating(uint32_t depth) {
  if (depth == ~0u) return 0;
  volatile uint32_t frame[32];
  void* block = std::malloc(3000 + depth % 5000);
  frame[depth % 32] = uint32_t(reinterpret_cast<uintptr_t>(block));
  const uint32_t below = descend_allocating(depth + 1);
  std::free(block);
  return below + frame[depth % 32];
}

TEST(GuardedCall, TheStackEndsInTheAllocator) {
  EXPECT_EQ(call([] { descend_allocating(0); }, {.stack_bytes = 128 << 10, .processor_seconds = 5}),
            "overflows its stack of 128 KiB");
  for (size_t n = 0; n < 1000; n++) std::free(std::malloc(3000 + n));
  EXPECT_EQ(call([] {}), "");
}

TEST(GuardedCall, CrashesInsideOfTheCLibrary) {
  EXPECT_EQ(call([] {
              volatile uintptr_t none = 16;
              volatile size_t bytes = 100;  // (a number that is known would be stored without a call)
              std::memset(reinterpret_cast<void*>(none), 1, bytes);
            }).substr(0, 19),
            "crashes (SIGSEGV at");
}

TEST(GuardedCall, WhatTakesTooLongIsLeft) {
  std::atomic<uint64_t> turns{0};
  EXPECT_EQ(call([&] {
              for (;;) turns.fetch_add(1, std::memory_order_relaxed);
            }),
            "takes too long");
  const uint64_t then = turns;
  ::usleep(2000);
  EXPECT_EQ(turns, then);  // it does not go on
}

// Left in the allocator it would keep its locks.
TEST(GuardedCall, WhatAllocatesAllTheTimeIsLeftOutsideOfTheAllocator) {
  for (int round = 0; round < 5; round++) {
    EXPECT_EQ(call([] {
                std::vector<void*> blocks(64);
                for (size_t n = 0;; n++) {
                  void*& block = blocks[n % blocks.size()];
                  std::free(block);
                  block = std::malloc(100 + n % 5000);
                }
              }),
              "takes too long");
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int n = 0; n < 4; n++)
      threads.emplace_back([] {
        for (size_t i = 0; i < 1000; i++) std::free(std::malloc(i * 10));
      });
    for (auto& t : threads) t.join();
  }
}

// Only the thread's own time counts.
TEST(GuardedCall, WaitingTakesNoTime) {
  EXPECT_EQ(call([] { ::usleep(300000); }), "");
}

TEST(GuardedCall, AHandlerThatTheApplicationInstallsMeanwhile) {
  struct sigaction before{};
  ::sigaction(SIGSEGV, nullptr, &before);
  EXPECT_EQ(call([] {
              struct sigaction theirs{};
              theirs.sa_handler = [](int) { ::_exit(7); };
              ::sigaction(SIGSEGV, &theirs, nullptr);
              for (volatile int n = 0;;) n = n + 1;
            }),
            "takes too long");
  ::sigaction(SIGSEGV, &before, nullptr);
}

TEST(GuardedCall, NothingIsLeftOutsideOfTheLibrary) {
  std::atomic<bool> stop{false};
  std::thread later([&] {
    ::usleep(300000);
    stop = true;
  });
  // Code of this program, asked to be left in that of the C library alone.
  EXPECT_EQ(call(
                [&] {
                  while (!stop.load(std::memory_order_relaxed)) {
                  }
                },
                small, reinterpret_cast<const void*>(&::getpid)),
            "");
  later.join();
}

// A call that nobody waits for goes on by itself: its data is its own, and goes with its end.
TEST(GuardedCall, WhatIsUnwantedGoesOnAlone) {
  struct Work {
    std::atomic<bool> begun{false}, may_end{false}, *disposed;
  };
  std::atomic<bool> disposed{false};
  auto* work = new Work;
  work->disposed = &disposed;
  GuardedCallLimits limits;
  limits.processor_seconds_alone = 1000;
  limits.unwanted = [](void* data) { return static_cast<Work*>(data)->begun.load(); };
  limits.dispose = [](void* data) {
    auto* all = static_cast<Work*>(data);
    all->disposed->store(true);
    all->disposed->notify_all();
    delete all;
  };
  EXPECT_EQ(guarded_call(
                [](void* data) {
                  auto* all = static_cast<Work*>(data);
                  all->begun = true;
                  while (!all->may_end.load(std::memory_order_relaxed)) {
                  }
                },
                work, &in_this_program, limits),
            guarded_call_unwanted);
  EXPECT_FALSE(disposed);
  work->may_end = true;
  disposed.wait(false);
}

// More of them than may be, and each endless: all are left in time, and none is disposed of.
TEST(GuardedCall, WhatIsUnwantedAndEndlessIsLeft) {
  static std::atomic<uint64_t> turns{0};
  static std::atomic<int> disposed{0};
  GuardedCallLimits limits;
  limits.processor_seconds_alone = 0.05;
  limits.unwanted = [](void*) { return turns.load() > 0; };
  limits.dispose = [](void*) { disposed++; };
  for (int n = 0; n < 12; n++) {
    const std::string why = guarded_call(
        [](void*) {
          for (;;) turns.fetch_add(1, std::memory_order_relaxed);
        },
        nullptr, &in_this_program, limits);
    EXPECT_TRUE(why == guarded_call_unwanted || why == "takes too long") << why;
  }
  for (uint64_t then = turns;; then = turns) {  // until nothing turns any more
    ::usleep(20000);
    if (turns == then) break;
  }
  EXPECT_EQ(disposed, 0);
}

}  // namespace
}  // namespace Atoll
