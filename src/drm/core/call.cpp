#include "drm/core/call.h"

#include <sched.h>
#include <unistd.h>

#include "drm/session/session.h"

namespace Atoll::drm {
namespace {

thread_local Call* current = nullptr;

}  // namespace

Call::Call() : outer_(current) { current = this; }

Call::~Call() {
  current = outer_;
  if (out_) out_->store(true, std::memory_order_release);
}

std::shared_ptr<const std::atomic<bool>> Call::out_of_current() {
  if (!current) return nullptr;
  if (!current->out_) current->out_ = std::make_shared<std::atomic<bool>>(false);
  return current->out_;
}

void wait_until_out(const std::atomic<bool>& out) {
  // As a rule it is out before the ring's thread has come, or within a microsecond. Its thread may have lost the processor; or left the
  // call by a jump out of a signal handler, and then nobody will say so.
  constexpr uint64_t spins = 20'000, yields = 200'000, longest = 1'000'000'000;  // nanoseconds
  if (out.load(std::memory_order_acquire)) return;
  const uint64_t begin = monotonic_nanoseconds();
  for (uint64_t past = 0; !out.load(std::memory_order_acquire) && past < longest; past = monotonic_nanoseconds() - begin) {
    if (past < spins)
      __builtin_ia32_pause();
    else if (past < yields)
      ::sched_yield();
    else
      ::usleep(50);
  }
}

}  // namespace Atoll::drm
