// The end of work that is under way when the program ends.
//
// On hardware nobody waits for it, or not for long, and the GPU does it once the program is gone: amdgpu waits while a ring's jobs have not
// been given to the hardware, a second at the most (amdgpu_drv.c, amdgpu_flush; drm_sched_entity_flush), i915 leaves contexts that are
// persistent to themselves and resets others (i915_gem_context.c, context_close), radeon waits for nothing (radeon_kms.c,
// radeon_driver_postclose_kms); buffers live until their fences are signalled. Here the GPU goes with the program. So what others can see
// is carried out first, within two seconds, and what nobody will ever see is left undone.
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

#include "base/environment.h"
#include "drm/core/process.h"

namespace Atoll::drm {
namespace {

struct Range {
  uint64_t begin, end;
};

// The program's memory that other processes may have too (proc(5), /proc/PID/maps: the fourth letter of what is allowed).
std::vector<Range> shared_mappings() {
  std::vector<Range> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    Range range{};
    char dash = 0;
    std::string allowed;
    std::istringstream fields(line);
    if (fields >> std::hex >> range.begin >> dash >> range.end >> allowed && allowed.size() == 4 && allowed[3] == 's')
      found.push_back(range);
  }
  return found;
}

uint64_t processor_nanoseconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

}  // namespace

void Process::finish() {
  bool idle = finish_submissions();
  if (recording_) recording_->finish(idle);
  if (register_usage_) register_usage_->finish();
}

bool Process::others_see_work() {
  if (recording_ || register_usage_ || findings_ || !environment_text("ATOLL_SHADERS").empty()) return true;
  std::vector<BufferPtr> in_use;
  {
    std::lock_guard lock(buffers_mutex_);
    for (auto& [index, known] : buffers_)
      if (auto buffer = known.lock(); buffer && buffer->in_use()) in_use.push_back(std::move(buffer));
  }
  std::vector<Range> mappings;
  for (auto& buffer : in_use) {
    if (buffer->shared().shared) return true;
    if (!buffer->user_bytes) continue;
    if (mappings.empty()) mappings = shared_mappings();
    for (const Range& range : mappings)
      if (range.begin < buffer->user_address + buffer->user_bytes && buffer->user_address < range.end) return true;
  }
  return false;
}

bool Process::finish_submissions() {
  // Work that is nearly done is counted (--stats) on a busy machine too, where it has had no processor for a while.
  constexpr uint64_t brief = 100'000'000, brief_work = 50'000'000, busy = 500'000'000;
  constexpr uint64_t patience = 2'000'000'000, more = 1'000'000'000;
  constexpr uint64_t often = 1'000'000;  // (the end of counting is no event)
  constexpr uint64_t look = 10'000'000;
  auto idle = [this] {
    std::lock_guard lock(submissions_mutex_);
    return in_flight_.empty() && counting_.load(std::memory_order_acquire) == 0;
  };
  const uint64_t begin = monotonic_nanoseconds(), worked = processor_nanoseconds();
  if (wait_until(*session_, begin + brief, often, idle)) return true;
  for (uint64_t now; (now = monotonic_nanoseconds()) < begin + patience;) {
    const bool had_its_time = now >= begin + busy || processor_nanoseconds() >= worked + brief_work;
    if (had_its_time && !others_see_work()) break;
    if (wait_until(*session_, now + look, often, idle)) return true;
  }
  ending_ = true;
  session_->notify();  // for rings that wait for others' work
  {
    std::lock_guard lock(device_mutex_);
    if (device_) device_->stop = 1;
  }
  wait_until(*session_, monotonic_nanoseconds() + more, UINT64_MAX, idle);
  return false;
}

}  // namespace Atoll::drm
