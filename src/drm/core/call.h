// The ioctl that a thread is in. Work that it submits begins when it is out, and is reported as done when its thread has gone on.
//
// A driver keeps books around the call: it counts a buffer as busy until its own thread is back from the call and has gone through its
// buffers (Mesa's amdgpu_cs.c and radeon_drm_cs.c, num_active_ioctls; amdgpu's tells other threads the fence before that). On hardware
// the GPU takes its time to begin and to end; here it could be done, its fence and all that it writes there to be seen by another thread,
// before the call has returned, or while its thread waits for a processor right behind it.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

namespace Atoll::drm {

struct Caller;

// The end of a call that submits.
struct CallEnd {
  std::atomic<bool> out{false};  // set by the last thing that it does
  // The thread's times then, in nanoseconds: of the processor, and of the clock.
  uint64_t processor_time = 0, time = 0;
  std::shared_ptr<Caller> caller;
  uint64_t number = 0;  // of all calls of the thread
};

class Call {
public:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // The end of the call that the thread is in; null outside of one.
  static std::shared_ptr<CallEnd> end_of_current();

private:
  Call* const outer_;  // which a signal handler interrupted
  uint64_t number_;
  std::shared_ptr<CallEnd> end_;
};

// Returns when that call is out. No event is waited for: one that its thread reported would be reported before the call is out, and
// whoever it wakes may take the processor from that thread there and then.
void wait_until_out(const CallEnd& end);
// Returns when its thread has gone on: it is in another call, sleeps, is gone, or has run for as long as it takes to put its books in
// order. That is so at once, unless others have taken the processor from it.
void wait_until_gone_on(const CallEnd& end);

}  // namespace Atoll::drm
