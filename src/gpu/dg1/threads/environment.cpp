#include "gpu/dg1/threads/environment.h"

#include <chrono>

#include "isa/xe_lp/registers.h"

namespace Atoll::dg1 {

// Threads reach memory by its addresses in the window (Sections).
bool ThreadEnvironment::mapped(uint64_t window_address, uint64_t bytes, bool writable) const {
  if (window_address >= space_.window_bytes()) return false;
  auto gpu = space_.gpu_address_of(space_.base() + window_address);
  return gpu && *gpu >= 0 && space_.contains(uint64_t(*gpu), bytes, writable);
}

uint64_t ThreadEnvironment::clock() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) * 12 / 625;
}

void ThreadEnvironment::image(wave::Wave& wave, wave::ImageAccess& access) {
  images_.access(access, xe_lp::context_of(wave).dynamic_state_base);
}

}  // namespace Atoll::dg1
