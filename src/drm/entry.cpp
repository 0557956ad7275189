// The entry points that the preloaded library calls in libatoll.so: one process object, made at the first ioctl.
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "drm/core/file.h"
#include "drm/core/process.h"
#include "drm/kfd/driver.h"
#include "drm/session/kfd_facts.h"
#include "drm/session/session_file.h"
#include "drm/session/sync_file.h"

namespace Atoll::drm {
namespace {

std::mutex mutex;
// By the number of the GPU. Never destroyed: rings may run until the program's last instruction.
struct Device {
  Process* process = nullptr;
  std::shared_ptr<Process>* owner = nullptr;
  bool failed = false;
} devices[max_devices];
pid_t maker = 0;  // the process that made them: vfork's children have the same memory, _Fork's a copy without the threads
kfd::Driver* compute_driver = nullptr;     // /dev/kfd, which is all GPUs' at once; never destroyed either
std::set<uint64_t>* lost_files = nullptr;  // of the process that forked this one

// The name with that number among those that the environment has, with commas between them.
std::string gpu_of_environment(unsigned number) {
  for (const char* variable : {"ATOLL_GPU", "AMDGPU_GPU_ID", "RADEON_GPU_ID"}) {
    const char* value = std::getenv(variable);
    if (!value || !*value) continue;
    std::string_view rest = value;
    for (; number && rest.find(',') != rest.npos; --number) rest.remove_prefix(rest.find(',') + 1);
    return number ? "" : std::string(rest.substr(0, rest.find(',')));
  }
  return "";
}

// The child has none of the threads: its files are lost until it opens the node again.
void in_child() {
  new (&mutex) std::mutex;
  // left as they are, since locks in them may be held; but not forgotten, or LeakSanitizer would find them in the program
  [[clang::no_destroy]] static std::vector<std::shared_ptr<Process>*> lost;
  [[clang::no_destroy]] static std::vector<kfd::Driver*> lost_drivers;
  if (compute_driver) lost_drivers.push_back(std::exchange(compute_driver, nullptr));
  for (Device& device : devices) {
    if (!device.process) continue;
    if (!lost_files) lost_files = new std::set<uint64_t>;
    device.process->list_files(*lost_files);
    lost.push_back(device.owner);
    device.process = nullptr;
    device.owner = nullptr;
  }
}

// A file that the parent opened. Its handles and page tables are the parent's alone.
bool is_lost(uint64_t position) {
  if (!lost_files || !lost_files->count(position)) return false;
  static pid_t told = 0;
  if (std::exchange(told, ::getpid()) != ::getpid())
    log(LogLevel::error, "drm",
        "process {} is the child of a fork: the GPU that its parent opened is refused (ENODEV): open the device file, or the "
        "display, "
        "after the fork, or exec",
        ::getpid());
  return true;
}

void at_exit(int, void*) {
  if (maker != ::getpid()) return;
  for (Device& device : devices)
    if (device.process) device.process->finish();
  // (what has ended may go on: libraries' own handlers submit and wait as well)
  for (Device& device : devices)
    if (compute_driver && device.process && device.process->ending()) compute_driver->end();
}

// A dma-buf is no GPU's: whichever is there.
unsigned device_for(uint64_t position) {
  if (is_node(position)) return device_of(position);
  for (unsigned i = 0; i < max_devices; ++i)
    if (devices[i].process) return i;
  return 0;
}

Process* process_of(int session, unsigned number) {
  Device& device = devices[number];
  if (device.process || device.failed) return device.process;
  static bool watched = false;
  if (!std::exchange(watched, true)) ::pthread_atfork(nullptr, nullptr, in_child);  // before the mutex may be held for long
  auto made = Process::create(session, gpu_of_environment(number));
  if (!made) {
    log(LogLevel::error, "drm", "{}", made.error().message);
    device.failed = true;
    return nullptr;
  }
  device.owner = new std::shared_ptr<Process>(std::move(*made));
  device.process = device.owner->get();
  maker = ::getpid();
  static bool registered = false;
  if (!std::exchange(registered, true)) finish_first();
  return device.process;
}

Process* process_for(int session, uint64_t position) {
  std::lock_guard lock(mutex);
  return process_of(session, device_for(position));
}

// Null: amdkfd knows none of the GPUs.
kfd::Driver* compute_driver_for(int session) {
  std::lock_guard lock(mutex);
  if (compute_driver) return compute_driver;
  std::vector<kfd::Driver::Known> gpus;
  for (unsigned n = 0; n < max_devices; ++n) {
    const gpu::Chip* chip = gpu::find_chip(gpu_of_environment(n));
    if (!chip || !kfd_facts(*chip)) continue;
    Process* process = process_of(session, n);
    if (!process) return nullptr;
    gpus.push_back({n, process});
  }
  if (!gpus.empty()) compute_driver = new kfd::Driver(gpus);
  return compute_driver;
}

// The process whose it is alone may use it (kfd_chardev.c, kfd_ioctl).
bool is_own_kfd(uint64_t position) { return (position & position_id) >> 32 == uint64_t(::getpid()); }

}  // namespace

// Handlers that are registered last run first. (atexit() would end in libatoll.so's own __cxa_atexit.)
void finish_first() { ::on_exit(at_exit, nullptr); }

}  // namespace Atoll::drm

using namespace Atoll::drm;

extern "C" __attribute__((visibility("default"))) int atoll_drm_ioctl(int session, int descriptor, uint64_t position,
                                                                      unsigned long request, void* argument) {
  try {
    if (position == 0) return sync_file_ioctl(descriptor, request, argument);
    if (is_syncobj(position)) return -ENOTTY;
    if (is_kfd(position)) {
      if (!is_own_kfd(position)) return -EBADF;
      kfd::Driver* driver = compute_driver_for(session);
      return driver ? driver->ioctl(request, argument) : -ENODEV;
    }
    if (is_lost(position)) return -ENODEV;
    Process* made = process_for(session, position);
    if (!made) return -ENODEV;
    if (is_dma_buf(position)) return dma_buf_ioctl(*made, position, request, argument);
    return made->file(position)->ioctl(request, argument);
  } catch (const std::bad_alloc&) {
    return -ENOMEM;
  }
}

extern "C" __attribute__((visibility("default"))) int atoll_drm_dma_buf(int session, uint64_t position, DmaBuf* found) {
  try {
    Process* made = process_for(session, position);
    if (!made) return -ENODEV;
    uint32_t index = 0;
    const SharedAllocation* allocation = made->session()->find_dma_buf(position, index);
    if (!allocation) return -EINVAL;
    *found = {allocation->offset, allocation->bytes};
    return 0;
  } catch (const std::bad_alloc&) {
    return -ENOMEM;
  }
}
