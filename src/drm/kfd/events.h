// Events of /dev/kfd: what programs wait for and the GPU raises (Linux drivers/gpu/drm/amd/amdkfd/kfd_events.c). A queue's packet raises one by
// writing its number into the event's slot of a page that both see, and by an interrupt.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "drm/session/buffer.h"

struct kfd_ioctl_create_event_args;
struct kfd_ioctl_wait_events_args;

namespace Atoll::drm::kfd {

struct MemoryFault {
  uint32_t gpu_id = 0;
  uint64_t address = 0;
  bool not_present = false, read_only = false, no_execute = false;
};

// KFD_IOC_EVENT_HW_EXCEPTION: a queue that cannot go on.
struct HardwareException {
  uint32_t gpu_id = 0;
};

class Events {
public:
  static constexpr uint32_t slots = 4096;  // KFD_SIGNAL_EVENT_LIMIT

  // The ioctls. Each returns 0 or a negative errno.
  int create(kfd_ioctl_create_event_args& argument);
  int destroy(uint32_t id);
  int set(uint32_t id);
  int reset(uint32_t id);
  int wait(kfd_ioctl_wait_events_args& argument);

  // False: there is one already.
  bool set_page(BufferPtr page);
  bool has_page() const;

  // An interrupt of the GPU: raises the events whose slots hold something. Cheap where there is none.
  void look_at_slots();
  // Raises the events of that kind, with what they tell.
  void raise(const MemoryFault& fault);
  void raise(const HardwareException& exception);
  // The program ends: nobody waits any longer.
  void end();

private:
  struct Waiter {
    uint32_t id;
    bool activated = false, gone = false;
  };
  struct Event {
    uint32_t type = 0;
    bool auto_reset = false, signaled = false;
    MemoryFault fault;
    HardwareException exception;
    std::vector<Waiter*> waiters;
  };

  void signal(Event& event);
  void look_at_slots_locked();
  bool is_over(const std::vector<Waiter>& waiters, bool all, bool& failed) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint32_t, Event> events_;
  BufferPtr page_;
  uint32_t next_other_ = 0;
  bool ended_ = false;
};

}  // namespace Atoll::drm::kfd
