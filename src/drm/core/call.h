// The ioctl that a thread is in. What it submits begins when it is out.
//
// A driver keeps books around the call: it counts a buffer as busy until its thread is back (Mesa's amdgpu_cs.c and radeon_drm_cs.c,
// num_active_ioctls), and writes down the submission's number, where its fence will be found, after that. On hardware the GPU takes its
// time to begin; here it could be done, its fence and all that it writes there to be seen by another thread, before the call has returned.
#pragma once
#include <atomic>
#include <memory>

namespace Atoll::drm {

class Call {
public:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Of the call that the thread is in: becomes true with the last thing that it does. Null outside of one.
  static std::shared_ptr<const std::atomic<bool>> out_of_current();

private:
  Call* const outer_;  // which a signal handler interrupted
  std::shared_ptr<std::atomic<bool>> out_;
};

// Returns when that call is out. No event is waited for: one that its thread reported would be reported before the call is out, and
// whoever it wakes may take the processor from that thread there and then.
void wait_until_out(const std::atomic<bool>& out);

}  // namespace Atoll::drm
