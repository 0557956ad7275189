// Someone else's code that may never come back: it runs on a thread of its own, and is given up where it crashes, overflows its
// stack or takes too much of the processor's time.
#pragma once
#include <cstddef>
#include <string>

namespace Atoll {

struct GuardedCallLimits {
  size_t stack_bytes = size_t(4) << 20;
  double processor_seconds = 60;  // of the thread alone, whatever else the machine does
};

// Calls body(data). Empty if it came back, else why it did not, as what follows a name: "overflows its stack". Then it was left in the
// middle of its work, without any destructor, and nothing that it may hold on to is to be used or destroyed.
// Body is taken out for its time only while it executes code of the loaded object that `library` lies in (an address of its code or
// data): not inside the C library's allocator, whose locks it would keep. Where it crashes or overflows its stack in there, its thread
// stays, asleep, until the process ends, and with it the part of the allocator (an arena) that it had locked.
std::string guarded_call(void (*body)(void* data), void* data, const void* library, const GuardedCallLimits& limits);

}  // namespace Atoll
