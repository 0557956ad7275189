#include "drm/kfd/driver.h"

#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "base/log.h"
#include "drm/kfd/queue.h"

namespace Atoll::drm::kfd {
namespace {

uint64_t time_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

int get_version(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_get_version_args*>(argument);
  a = {KFD_IOCTL_MAJOR_VERSION, driver.minor_version()};
  return 0;
}

int create_queue(Driver& driver, void* argument) {
  return driver.create_queue(*static_cast<kfd_ioctl_create_queue_args*>(argument));
}
int destroy_queue(Driver& driver, void* argument) {
  return driver.destroy_queue(static_cast<kfd_ioctl_destroy_queue_args*>(argument)->queue_id);
}
int update_queue(Driver& driver, void* argument) {
  return driver.update_queue(*static_cast<kfd_ioctl_update_queue_args*>(argument));
}

// The policy is checked and has no effect: memory goes through no caches here.
int set_memory_policy(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_set_memory_policy_args*>(argument);
  auto known = [](uint32_t policy) {
    return policy == KFD_IOC_CACHE_POLICY_COHERENT || policy == KFD_IOC_CACHE_POLICY_NONCOHERENT;
  };
  if (!known(a.default_policy) || !known(a.alternate_policy)) return -EINVAL;
  return driver.why_not_ready(a.gpu_id, -ESRCH);
}

// The GPU's clock as its programs and packets read it: the crystal's ticks.
int get_clock_counters(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_get_clock_counters_args*>(argument);
  a.gpu_clock_counter = 0;
  if (Gpu* gpu = driver.find(a.gpu_id)) a.gpu_clock_counter = gpu_clock(gpu->process->chip());
  a.cpu_clock_counter = time_of(CLOCK_MONOTONIC_RAW);
  a.system_clock_counter = time_of(CLOCK_BOOTTIME);
  a.system_clock_freq = 1'000'000'000;
  return 0;
}

kfd_process_device_apertures apertures_of(const Gpu& gpu) {
  const KfdFacts& facts = *gpu.facts;
  return {.lds_base = kfd_lds_base(facts),
          .lds_limit = kfd_lds_base(facts) | kfd_aperture_mask,
          .scratch_base = kfd_scratch_base(facts),
          .scratch_limit = kfd_scratch_base(facts) | kfd_aperture_mask,
          .gpuvm_base = kfd_first_address,
          .gpuvm_limit = kfd_last_address(facts),
          .gpu_id = gpu.id,
          .pad = 0};
}

int get_apertures(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_get_process_apertures_args*>(argument);
  a.num_of_nodes = 0;
  for (auto& gpu : driver.gpus())
    if (a.num_of_nodes < NUM_OF_SUPPORTED_GPUS) a.process_apertures[a.num_of_nodes++] = apertures_of(*gpu);
  return 0;
}

int get_apertures_new(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_get_process_apertures_new_args*>(argument);
  const uint32_t count = uint32_t(driver.gpus().size());
  if (a.num_of_nodes == 0) {  // how many there are
    a.num_of_nodes = count;
    return 0;
  }
  std::vector<kfd_process_device_apertures> all;
  for (auto& gpu : driver.gpus()) all.push_back(apertures_of(*gpu));
  a.num_of_nodes = std::min(a.num_of_nodes, count);
  return write_user(a.kfd_process_device_apertures_ptr, all.data(), a.num_of_nodes * sizeof all[0]) ? 0 : -EFAULT;
}

int create_event(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_create_event_args*>(argument);
  if (a.event_page_offset)
    if (int error = driver.use_as_event_page(a.event_page_offset)) return error;
  const bool has_slot = a.event_type == KFD_IOC_EVENT_SIGNAL || a.event_type == KFD_IOC_EVENT_DEBUG_EVENT;
  uint64_t offset = a.event_page_offset;
  if (has_slot)
    if (int error = driver.make_event_page(offset)) return error;
  const int result = driver.events().create(a);
  if (result == 0 && has_slot) a.event_page_offset = offset;
  return result;
}
int destroy_event(Driver& driver, void* argument) {
  return driver.events().destroy(static_cast<kfd_ioctl_destroy_event_args*>(argument)->event_id);
}
int set_event(Driver& driver, void* argument) {
  return driver.events().set(static_cast<kfd_ioctl_set_event_args*>(argument)->event_id);
}
int reset_event(Driver& driver, void* argument) {
  return driver.events().reset(static_cast<kfd_ioctl_reset_event_args*>(argument)->event_id);
}
int wait_events(Driver& driver, void* argument) {
  return driver.events().wait(*static_cast<kfd_ioctl_wait_events_args*>(argument));
}

int set_scratch_backing(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_set_scratch_backing_va_args*>(argument);
  if (int error = driver.why_not_ready(a.gpu_id, -ENODEV)) return error;
  driver.find(a.gpu_id)->scratch_base = a.va_addr << 16;
  return 0;
}

int set_trap_handler(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_set_trap_handler_args*>(argument);
  if (int error = driver.why_not_ready(a.gpu_id, -ESRCH)) return error;
  driver.lacks("a trap handler for compute queues (AMDKFD_IOC_SET_TRAP_HANDLER)");
  return -ENOSYS;
}

int acquire_vm(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_acquire_vm_args*>(argument);
  Gpu* gpu = driver.find(a.gpu_id);
  if (!gpu) return -EINVAL;
  const long at = ::syscall(SYS_lseek, int(a.drm_fd), 0, SEEK_CUR);
  if (at < 0 || !gpu->process->session()->is_own(int(a.drm_fd))) return -EINVAL;
  const uint64_t position = uint64_t(at);
  if (!is_node(position) || kfd_gpu_id(device_of(position)) != a.gpu_id) return -EINVAL;
  return driver.acquire(*gpu, gpu->process->file(position));
}

int allocate_memory(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_alloc_memory_of_gpu_args*>(argument);
  Driver::Allocation allocation{
      .address = a.va_addr, .bytes = a.size, .user_address = a.mmap_offset, .gpu_id = a.gpu_id, .flags = a.flags};
  if (int error = driver.allocate(allocation)) return error;
  a.handle = allocation.handle;
  if (!(a.flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR)) a.mmap_offset = allocation.offset;
  return 0;
}
int free_memory(Driver& driver, void* argument) {
  return driver.free(static_cast<kfd_ioctl_free_memory_of_gpu_args*>(argument)->handle);
}
int map_memory(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_map_memory_to_gpu_args*>(argument);
  return driver.map(a.handle, a.device_ids_array_ptr, a.n_devices, a.n_success);
}
int unmap_memory(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_unmap_memory_from_gpu_args*>(argument);
  return driver.unmap(a.handle, a.device_ids_array_ptr, a.n_devices, a.n_success);
}

// The registers that say how images lie in memory (amdgpu_amdkfd.c, amdgpu_amdkfd_get_tile_config; addresses of GFX7, gfx_v7_0.c).
int get_tile_config(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_get_tile_config_args*>(argument);
  constexpr uint32_t address_config = 0x98f8, tile_modes = 0x9910, macro_modes = 0x9990, memory_config = 0x2760;
  constexpr uint32_t tile_count = 32, macro_count = 16;
  Gpu* gpu = driver.find(a.gpu_id);
  if (!gpu) return -EINVAL;
  auto device = gpu->process->device();
  if (!device) return -ENODEV;
  auto registers = [&](uint32_t first, uint32_t count) {
    std::vector<uint32_t> values;
    for (uint32_t n = 0; n < count; n++) values.push_back((*device)->read_register(first + n * 4));
    return values;
  };
  a.num_tile_configs = std::min(a.num_tile_configs, tile_count);
  a.num_macro_tile_configs = std::min(a.num_macro_tile_configs, macro_count);
  const auto tiles = registers(tile_modes, a.num_tile_configs), macros = registers(macro_modes, a.num_macro_tile_configs);
  if (!write_user(a.tile_config_ptr, tiles.data(), tiles.size() * 4)) return -EFAULT;
  if (!write_user(a.macro_tile_config_ptr, macros.data(), macros.size() * 4)) return -EFAULT;
  a.gb_addr_config = (*device)->read_register(address_config);
  const uint32_t memory = (*device)->read_register(memory_config);
  a.num_banks = memory & 3, a.num_ranks = memory >> 2 & 1;  // MC_ARB_RAMCFG's NOOFBANK and NOOFRANKS
  return 0;
}

// The mask is checked and has no effect: waves run on threads of the host, not on compute units.
int set_cu_mask(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_set_cu_mask_args*>(argument);
  if (a.num_cu_mask == 0 || a.num_cu_mask % 32) return -EINVAL;
  std::vector<uint32_t> mask;
  if (!read_user(mask, a.cu_mask_ptr, std::min<uint32_t>(a.num_cu_mask, 1024) / 32)) return -EFAULT;
  return driver.has_queue(a.queue_id) ? 0 : -EFAULT;  // pqm_update_mqd
}

int available_memory(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_get_available_memory_args*>(argument);
  Gpu* gpu = driver.find(a.gpu_id);
  if (!gpu) return -EINVAL;
  const uint64_t all = gpu->process->chip().vram_bytes, used = gpu->process->session()->used_bytes(4);
  a.available = all - std::min(all, used);
  return 0;
}

// Page faults that waves are told to try again, of GFX9 and later ones alone.
int set_xnack_mode(Driver& driver, void* argument) {
  auto& a = *static_cast<kfd_ioctl_set_xnack_mode_args*>(argument);
  if (a.xnack_enabled > 0) return driver.has_queues() ? -EBUSY : -EPERM;
  if (a.xnack_enabled == 0 && driver.has_queues()) return -EBUSY;
  a.xnack_enabled = 0;
  return 0;
}

// The debugger's first interface, which the kernel has taken back.
int debug_registers(Driver&, void*) { return -EPERM; }

// Kernels after Debian 12's have these (include/uapi/linux/kfd_ioctl.h of Linux 6.13).
struct RuntimeEnable {
  uint64_t r_debug;
  uint32_t mode_mask, capabilities_mask;
};
constexpr unsigned long runtime_enable_request = _IOWR('K', 0x25, RuntimeEnable);

// A debugger would be told of the runtime by it: there is none (kfd_ioctl_runtime_enable, runtime_enable and runtime_disable).
int runtime_enable(Driver& driver, void* argument) {
  auto& a = *static_cast<RuntimeEnable*>(argument);
  constexpr uint32_t enable = 1;  // KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK
  if (!(a.mode_mask & enable)) return 0;
  if (driver.runtime_enabled) return -EBUSY;
  if (driver.has_queues()) return -EEXIST;
  driver.runtime_enabled = true;
  a.capabilities_mask = 0;
  return 0;
}

struct Row {
  unsigned long request;
  const char* name;
  int (*handle)(Driver& driver, void* argument);  // null: refused, and said
  unsigned minor = 11;                            // of the first kernel that has it
};
constexpr Row rows[] = {
    {AMDKFD_IOC_GET_VERSION, "GET_VERSION", get_version},
    {AMDKFD_IOC_CREATE_QUEUE, "CREATE_QUEUE", create_queue},
    {AMDKFD_IOC_DESTROY_QUEUE, "DESTROY_QUEUE", destroy_queue},
    {AMDKFD_IOC_SET_MEMORY_POLICY, "SET_MEMORY_POLICY", set_memory_policy},
    {AMDKFD_IOC_GET_CLOCK_COUNTERS, "GET_CLOCK_COUNTERS", get_clock_counters},
    {AMDKFD_IOC_GET_PROCESS_APERTURES, "GET_PROCESS_APERTURES", get_apertures},
    {AMDKFD_IOC_UPDATE_QUEUE, "UPDATE_QUEUE", update_queue},
    {AMDKFD_IOC_CREATE_EVENT, "CREATE_EVENT", create_event},
    {AMDKFD_IOC_DESTROY_EVENT, "DESTROY_EVENT", destroy_event},
    {AMDKFD_IOC_SET_EVENT, "SET_EVENT", set_event},
    {AMDKFD_IOC_RESET_EVENT, "RESET_EVENT", reset_event},
    {AMDKFD_IOC_WAIT_EVENTS, "WAIT_EVENTS", wait_events},
    {AMDKFD_IOC_DBG_REGISTER_DEPRECATED, "DBG_REGISTER", debug_registers},
    {AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED, "DBG_UNREGISTER", debug_registers},
    {AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED, "DBG_ADDRESS_WATCH", debug_registers},
    {AMDKFD_IOC_DBG_WAVE_CONTROL_DEPRECATED, "DBG_WAVE_CONTROL", debug_registers},
    {AMDKFD_IOC_SET_SCRATCH_BACKING_VA, "SET_SCRATCH_BACKING_VA", set_scratch_backing},
    {AMDKFD_IOC_GET_TILE_CONFIG, "GET_TILE_CONFIG", get_tile_config},
    {AMDKFD_IOC_SET_TRAP_HANDLER, "SET_TRAP_HANDLER", set_trap_handler},
    {AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, "GET_PROCESS_APERTURES_NEW", get_apertures_new},
    {AMDKFD_IOC_ACQUIRE_VM, "ACQUIRE_VM", acquire_vm},
    {AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, "ALLOC_MEMORY_OF_GPU", allocate_memory},
    {AMDKFD_IOC_FREE_MEMORY_OF_GPU, "FREE_MEMORY_OF_GPU", free_memory},
    {AMDKFD_IOC_MAP_MEMORY_TO_GPU, "MAP_MEMORY_TO_GPU", map_memory},
    {AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, "UNMAP_MEMORY_FROM_GPU", unmap_memory},
    {AMDKFD_IOC_SET_CU_MASK, "SET_CU_MASK", set_cu_mask},
    {AMDKFD_IOC_GET_QUEUE_WAVE_STATE, "GET_QUEUE_WAVE_STATE", nullptr},
    {AMDKFD_IOC_GET_DMABUF_INFO, "GET_DMABUF_INFO", nullptr},
    {AMDKFD_IOC_IMPORT_DMABUF, "IMPORT_DMABUF", nullptr},
    {AMDKFD_IOC_ALLOC_QUEUE_GWS, "ALLOC_QUEUE_GWS", nullptr},
    {AMDKFD_IOC_SMI_EVENTS, "SMI_EVENTS", nullptr},
    {AMDKFD_IOC_SVM, "SVM", nullptr},
    {AMDKFD_IOC_SET_XNACK_MODE, "SET_XNACK_MODE", set_xnack_mode},
    {AMDKFD_IOC_CRIU_OP, "CRIU_OP", nullptr},
    {AMDKFD_IOC_AVAILABLE_MEMORY, "AVAILABLE_MEMORY", available_memory},
    {_IOC(_IOC_READ | _IOC_WRITE, 'K', 0x24, 16), "EXPORT_DMABUF", nullptr, 12},
    {runtime_enable_request, "RUNTIME_ENABLE", runtime_enable, 13},
    {_IOC(_IOC_READ | _IOC_WRITE, 'K', 0x26, 40), "DBG_TRAP", nullptr, 13},
};

}  // namespace

Driver::Driver(const std::vector<Known>& gpus) {
  for (auto& known : gpus) {
    auto gpu = std::make_unique<Gpu>();
    gpu->id = kfd_gpu_id(known.number);
    gpu->process = known.process;
    gpu->facts = kfd_facts(known.process->chip());
    gpus_.push_back(std::move(gpu));
  }
}

Driver::~Driver() {
  end();
  queues_.clear();
}

// As the kernel does: a shorter argument is filled up with zeros, of a longer one the front counts (kfd_ioctl).
int Driver::ioctl(unsigned long request, void* argument) {
  const unsigned number = _IOC_NR(unsigned(request));
  auto row = std::ranges::find_if(rows, [&](auto& one) { return _IOC_NR(unsigned(one.request)) == number; });
  if (row == std::end(rows) || row->minor > minor_version()) {
    log(LogLevel::info, "kfd", "ioctl {:#x} is not there", number);
    return -EINVAL;
  }
  if (!row->handle) {
    lacks(fmt::format("AMDKFD_IOC_{}", row->name));
    return -EINVAL;
  }
  alignas(16) uint8_t room[1024]{};
  const unsigned known = _IOC_SIZE(unsigned(row->request)), common = std::min(known, unsigned(_IOC_SIZE(unsigned(request))));
  static_assert(sizeof(kfd_ioctl_get_process_apertures_args) <= sizeof room);
  const unsigned direction = _IOC_DIR(unsigned(row->request));
  if ((direction & _IOC_WRITE) && !read_user(room, reinterpret_cast<uint64_t>(argument), common)) return -EFAULT;
  if (row->handle != get_clock_counters) wake_queues();
  const int result = row->handle(*this, room);
  if ((direction & _IOC_READ) && !write_user(reinterpret_cast<uint64_t>(argument), room, common)) return -EFAULT;
  log(LogLevel::trace, "ioctl", "AMDKFD_IOC_{} -> {}", row->name, result);
  return result;
}

void Driver::end() {
  ending_ = true;
  events_.end();
  wake_queues();
}

Gpu* Driver::find(uint32_t id) {
  for (auto& gpu : gpus_)
    if (gpu->id == id) return gpu.get();
  return nullptr;
}

int Driver::why_not_ready(uint32_t id, int error) {
  Gpu* gpu = find(id);
  return !gpu ? -EINVAL : gpu->ready ? 0 : error;
}

// Several threads of a program may bring a node at once: one of them does, and only the same node may come again.
int Driver::acquire(Gpu& gpu, std::shared_ptr<File> file) {
  std::lock_guard lock(acquire_mutex_);
  if (gpu.ready) return gpu.file->position() == file->position() ? 0 : -EBUSY;
  // Programs use the processor's addresses on the chips that reach them all.
  auto memory = gpu.facts->discovered ? file->memory_of_48_bits() : file->memory();
  // (they take the frame of doorbells to begin at a multiple of its size)
  const uint64_t bytes = kfd_doorbell_bytes(*gpu.facts);
  BufferPtr doorbells = make_buffer(*gpu.process, bytes, 1, UINT64_MAX, bytes);
  if (!memory || !doorbells) return -ENOMEM;
  gpu.memory = std::move(memory);
  gpu.doorbells = std::move(doorbells);
  gpu.file = std::move(file);
  gpu.ready = true;
  return 0;
}

unsigned Driver::minor_version() const {
  unsigned newest = 0;
  for (auto& gpu : gpus_) newest = std::max(newest, gpu->facts->minor);
  return newest;
}

void Driver::lacks(std::string_view what) {
  if (gpus_.front()->process->session()->count_refused(what) == 0)
    log(LogLevel::warn, "kfd", "refused, since Atoll does not have it: {}", what);
}

void Driver::wake_queues() {
  {
    std::lock_guard lock(wake_mutex_);
    wakes_++;
  }
  wake_.notify_all();
}

void Driver::sleep(uint64_t nanoseconds) {
  std::unique_lock lock(wake_mutex_);
  const uint64_t seen = wakes_;
  wake_.wait_for(lock, std::chrono::nanoseconds(nanoseconds), [&] { return wakes_ != seen; });
}

}  // namespace Atoll::drm::kfd
