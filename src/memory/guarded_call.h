// Someone else's code that may never come back: it runs on a thread of its own, and is given up where it crashes, overflows its
// stack or takes too much of the processor's time.
#pragma once
#include <cstddef>
#include <string>

namespace Atoll {

struct GuardedCallLimits {
  size_t stack_bytes = size_t(4) << 20;
  double processor_seconds = 60;  // of the thread alone, whatever else the machine does
  // Asked every few milliseconds with `data`, where there is one: whether nobody wants the result any more. Then the call comes back
  // without it, and the body goes on by itself: it is left after another `processor_seconds_alone`, or at once where several do
  // that already. If it does come back, `dispose(data)` is called, on a thread of its own.
  bool (*unwanted)(void* data) = nullptr;
  void (*dispose)(void* data) = nullptr;
  double processor_seconds_alone = 1;
};

// Calls body(data). Empty if it came back, else why it did not, as what follows a name: "overflows its stack". Then it was left in the
// middle of its work, without any destructor, and nothing that it may hold on to is to be used or destroyed.
// Body is taken out for its time only while it executes code of the loaded object that `library` lies in (an address of its code or
// data): not inside the C library's allocator, whose locks it would keep. If it crashes or overflows its stack in there, its
// thread stays, asleep, until the process ends, and with it the part of the allocator (an arena) that it had locked.
std::string guarded_call(void (*body)(void* data), void* data, const void* library, const GuardedCallLimits& limits);

// The answer where `unwanted` said so: `data` is no longer the caller's.
inline constexpr const char* guarded_call_unwanted = "is not waited for any more";

// For the end of the process: all bodies are left as soon as they execute code of their library, and later calls at once. Comes back
// when none runs any more, after a second in any case.
void leave_guarded_calls();

// In the child of a fork, which has none of the threads: the process has no calls under way.
void forget_guarded_calls();

}  // namespace Atoll
