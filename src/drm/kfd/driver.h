// /dev/kfd of one process: the kernel's compute driver as ROCm's libraries talk to it (Linux 6.1 include/uapi/linux/kfd_ioctl.h,
// drivers/gpu/drm/amd/amdkfd). Buffers, page tables and command queues are those of the GPU's render node, which the program brings.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <vector>

#include "drm/core/file.h"
#include "drm/core/process.h"
#include "drm/kfd/events.h"
#include "drm/kfd/program_pages.h"
#include "drm/session/kfd_facts.h"

struct kfd_ioctl_create_queue_args;
struct kfd_ioctl_update_queue_args;

namespace Atoll::drm::kfd {

class Queue;

// A GPU that amdkfd knows.
struct Gpu {
  uint32_t id = 0;
  Process* process = nullptr;
  const KfdFacts* facts = nullptr;
  // The render node that the program has brought (ACQUIRE_VM), and its own: set once, before `ready`.
  std::shared_ptr<File> file;
  std::shared_ptr<VirtualMemory> memory;
  BufferPtr doorbells;
  std::atomic<bool> ready{false};
  std::atomic<uint64_t> scratch_base{0};  // SET_SCRATCH_BACKING_VA
  // Held by who touches memory by the page tables, alone by who takes something out of them.
  std::shared_mutex tables;
};

struct MemoryObject {
  Gpu* gpu = nullptr;
  uint64_t address = 0, bytes = 0;          // the GPU's
  bool writable = false, mirrored = false;  // mirrored: each half of the addresses is the whole memory
  std::vector<ProgramPages::Piece> pieces = {};
  std::vector<Gpu*> mapped = {};  // into their page tables
};

// Places of a GPU's addresses that the driver uses itself: below those of programs a page of commands for each queue, and above those of
// programs of 40 bits room for what goes round the end of its ring.
inline constexpr uint64_t commands_address = 0x100000;
inline constexpr uint64_t round_address = uint64_t(1) << 39, most_round_bytes = uint64_t(1) << 28;

class Driver {
public:
  struct Known {
    unsigned number;  // in the session
    Process* process;
  };
  explicit Driver(const std::vector<Known>& gpus);
  ~Driver();

  // 0 or a negative errno. `session`: a descriptor of the session's file.
  int ioctl(unsigned long request, void* argument);

  // The program ends: queues take nothing more up.
  void end();
  bool ending() const { return ending_.load(std::memory_order_relaxed); }

  Gpu* find(uint32_t id);  // null: there is none of that number
  // 0 for one that is there and ready; EINVAL where there is none, `error` where its render node is missing: the kernel answers ENODEV
  // (kfd_bind_process_to_device), and several ioctls ESRCH in its place (kfd_chardev.c).
  int why_not_ready(uint32_t id, int error);
  int acquire(Gpu& gpu, std::shared_ptr<File> file);
  std::vector<std::unique_ptr<Gpu>>& gpus() { return gpus_; }
  Events& events() { return events_; }
  ProgramPages& pages() { return pages_; }
  void lacks(std::string_view what);

  std::atomic<bool> runtime_enabled{false};  // RUNTIME_ENABLE

  // memory.cpp
  struct Allocation {
    uint64_t address, bytes, user_address;
    uint32_t gpu_id, flags;
    uint64_t handle = 0, offset = 0;
  };
  int allocate(Allocation& a);
  int free(uint64_t handle);
  int map(uint64_t handle, uint64_t ids, uint32_t count, uint32_t& done);
  int unmap(uint64_t handle, uint64_t ids, uint32_t count, uint32_t& done);
  int use_as_event_page(uint64_t handle);
  int make_event_page(uint64_t& offset);
  BufferPtr make_buffer(Process& process, uint64_t bytes, uint32_t domains, uint64_t most, uint64_t alignment = page_bytes);

  // queue.cpp
  int create_queue(kfd_ioctl_create_queue_args& a);
  int destroy_queue(uint32_t id);
  int update_queue(const kfd_ioctl_update_queue_args& a);
  bool has_queue(uint32_t id);
  bool has_queues();
  // The KFD_IOCTL_MINOR_VERSION of a kernel that knows all of the GPUs.
  unsigned minor_version() const;

  // Something was asked for that queues may have work by: those that sleep look at once.
  void wake_queues();
  // Sleeps so long, or until that.
  void sleep(uint64_t nanoseconds);

private:
  // For MAP_MEMORY_TO_GPU and its opposite: calls `change` with the object and each GPU of the list from the `done`th on, which counts those
  // that are done.
  int for_each_gpu(uint64_t handle, uint64_t ids, uint32_t count, uint32_t& done, bool bound,
                   int (*change)(Gpu& gpu, MemoryObject& object));
  static int map_into(Gpu& gpu, const MemoryObject& object);
  static void unmap_from(Gpu& gpu, const MemoryObject& object);

  std::vector<std::unique_ptr<Gpu>> gpus_;
  Events events_;
  ProgramPages pages_;
  std::mutex acquire_mutex_;
  std::mutex memory_mutex_;  // objects_
  std::map<uint64_t, MemoryObject> objects_;
  uint64_t next_object_ = 1, event_page_ = 0;
  BufferPtr own_event_page_;
  std::mutex queues_mutex_;
  std::map<uint32_t, std::unique_ptr<Queue>> queues_;
  std::mutex wake_mutex_;
  std::condition_variable wake_;
  uint64_t wakes_ = 0;
  std::atomic<bool> ending_{false};
};

}  // namespace Atoll::drm::kfd
