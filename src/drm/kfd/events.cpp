#include "drm/kfd/events.h"

#include <linux/kfd_ioctl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "drm/core/file.h"

namespace Atoll::drm::kfd {
namespace {

constexpr uint64_t unsignaled = ~uint64_t(0);  // a slot that nothing was written into
constexpr uint32_t first_other = 0x40000000;   // events without a slot are numbered from there (kfd_events.h)
constexpr uint32_t most_events = 1 << 16;      // of them
constexpr auto look_often = std::chrono::milliseconds(1), look_seldom = std::chrono::milliseconds(20);

bool has_slot(uint32_t type) { return type == KFD_IOC_EVENT_SIGNAL || type == KFD_IOC_EVENT_DEBUG_EVENT; }

}  // namespace

bool Events::set_page(BufferPtr page) {
  if (!page || page->bytes() < slots * 8) return false;
  uint8_t* host = page->host();
  std::lock_guard lock(mutex_);
  if (page_ || !host) return false;
  std::memset(host, 0xff, slots * 8);
  page_ = std::move(page);
  return true;
}

bool Events::has_page() const {
  std::lock_guard lock(mutex_);
  return page_ != nullptr;
}

int Events::create(kfd_ioctl_create_event_args& a) {
  std::lock_guard lock(mutex_);
  uint32_t id;
  if (has_slot(a.event_type)) {
    // from 1: a signal with the number 0 has no event (ROCR-Runtime 5.2.3 interrupt_signal.cpp)
    for (id = 1; id < slots && events_.count(id);) id++;
    if (id == slots) return -ENOSPC;
    a.event_slot_index = id;
  } else {
    if (events_.size() >= most_events) return -ENOSPC;
    do id = first_other + next_other_++ % most_events;
    while (events_.count(id));
  }
  Event& event = events_[id];
  event.type = a.event_type;
  event.auto_reset = a.auto_reset != 0;
  a.event_id = a.event_trigger_data = id;
  return 0;
}

int Events::destroy(uint32_t id) {
  std::lock_guard lock(mutex_);
  auto found = events_.find(id);
  if (found == events_.end()) return -EINVAL;
  for (Waiter* waiter : found->second.waiters) waiter->gone = true;
  events_.erase(found);
  changed_.notify_all();
  return 0;
}

// An event that is reset by itself is kept for whoever comes next only if nobody waits (set_event).
void Events::signal(Event& event) {
  event.signaled = !event.auto_reset || event.waiters.empty();
  for (Waiter* waiter : event.waiters) waiter->activated = true;
  changed_.notify_all();
}

int Events::set(uint32_t id) {
  std::lock_guard lock(mutex_);
  auto found = events_.find(id);
  if (found == events_.end() || found->second.type != KFD_IOC_EVENT_SIGNAL) return -EINVAL;
  signal(found->second);
  return 0;
}

int Events::reset(uint32_t id) {
  std::lock_guard lock(mutex_);
  auto found = events_.find(id);
  if (found == events_.end() || found->second.type != KFD_IOC_EVENT_SIGNAL) return -EINVAL;
  found->second.signaled = false;
  return 0;
}

void Events::look_at_slots() {
  std::lock_guard lock(mutex_);
  look_at_slots_locked();
}

void Events::look_at_slots_locked() {
  if (!page_) return;
  auto* slot = reinterpret_cast<uint64_t*>(page_->host());
  for (auto& [id, event] : events_) {
    if (id >= slots) break;
    if (__atomic_load_n(&slot[id], __ATOMIC_ACQUIRE) == unsignaled) continue;
    __atomic_store_n(&slot[id], unsignaled, __ATOMIC_RELEASE);
    signal(event);
  }
}

void Events::raise(const MemoryFault& fault) {
  std::lock_guard lock(mutex_);
  for (auto& [id, event] : events_)
    if (event.type == KFD_IOC_EVENT_MEMORY) {
      event.fault = fault;
      signal(event);
    }
}

void Events::raise(const HardwareException& exception) {
  std::lock_guard lock(mutex_);
  for (auto& [id, event] : events_)
    if (event.type == KFD_IOC_EVENT_HW_EXCEPTION) {
      event.exception = exception;
      signal(event);
    }
}

void Events::end() {
  std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

bool Events::is_over(const std::vector<Waiter>& waiters, bool all, bool& failed) const {
  failed = ended_ || std::any_of(waiters.begin(), waiters.end(), [](auto& w) { return w.gone; });
  if (failed) return true;
  auto activated = [](auto& w) { return w.activated; };
  return all ? std::all_of(waiters.begin(), waiters.end(), activated) : std::any_of(waiters.begin(), waiters.end(), activated);
}

// Slots are looked at now and then as well: a kernel's own messages and copy engines that wait for the program write there in the middle
// of a submission.
int Events::wait(kfd_ioctl_wait_events_args& a) {
  std::vector<kfd_event_data> data;
  if (!read_user(data, a.events_ptr, a.num_events)) return -EFAULT;
  a.wait_result = KFD_IOC_WAIT_RESULT_FAIL;
  std::vector<Waiter> waiters(data.size());
  using Clock = std::chrono::steady_clock;
  const bool for_ever = a.timeout == UINT32_MAX;
  const auto begin = Clock::now(), deadline = begin + std::chrono::milliseconds(a.timeout);
  bool failed = false, over = false;
  {
    std::unique_lock lock(mutex_);
    look_at_slots_locked();
    for (auto& one : data)
      if (!events_.count(one.event_id)) return -EINVAL;
    for (size_t n = 0; n < data.size(); n++) {
      Event& event = events_.at(data[n].event_id);
      waiters[n].id = data[n].event_id;
      waiters[n].activated = event.signaled;
      if (event.auto_reset) event.signaled = false;
      event.waiters.push_back(&waiters[n]);
    }
    while (!(over = is_over(waiters, a.wait_for_all, failed))) {
      const auto now = Clock::now();
      if (!for_ever && now >= deadline) break;
      auto until = now + (now - begin < std::chrono::seconds(1) ? look_often : look_seldom);
      if (!for_ever) until = std::min(until, deadline);
      changed_.wait_until(lock, until);
      look_at_slots_locked();
    }
    for (auto& waiter : waiters)
      if (auto found = events_.find(waiter.id); found != events_.end()) {
        Event& event = found->second;
        std::erase(event.waiters, &waiter);
        if (!over || !waiter.activated) continue;
        kfd_event_data& to = data[size_t(&waiter - waiters.data())];
        if (event.type == KFD_IOC_EVENT_HW_EXCEPTION) {  // (since Linux 6.8)
          to.hw_exception_data = {.reset_type = KFD_HW_EXCEPTION_PER_ENGINE_RESET,
                                  .reset_cause = KFD_HW_EXCEPTION_GPU_HANG,
                                  .memory_lost = 0,
                                  .gpu_id = event.exception.gpu_id};
          continue;
        }
        if (event.type != KFD_IOC_EVENT_MEMORY) continue;
        kfd_hsa_memory_exception_data& told = to.memory_exception_data;
        told = {};
        told.failure = {.NotPresent = event.fault.not_present,
                        .ReadOnly = event.fault.read_only,
                        .NoExecute = event.fault.no_execute,
                        .imprecise = 0};
        told.va = event.fault.address;
        told.gpu_id = event.fault.gpu_id;
      }
  }
  if (failed) return -EIO;
  if (!over) {
    a.wait_result = KFD_IOC_WAIT_RESULT_TIMEOUT;
    return 0;
  }
  a.wait_result = KFD_IOC_WAIT_RESULT_COMPLETE;
  return write_user(a.events_ptr, data.data(), data.size() * sizeof data[0]) ? 0 : -EFAULT;
}

}  // namespace Atoll::drm::kfd
