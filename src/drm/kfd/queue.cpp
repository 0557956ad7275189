#include "drm/kfd/queue.h"

#include <linux/kfd_ioctl.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/log.h"
#include "base/start_thread.h"

namespace Atoll::drm::kfd {
namespace {

// How long a queue without work sleeps before it looks again, by how long it has had none. (ROCm's libraries wait for 200 us without a
// system call, and by one after that, which wakes the queues.)
struct Patience {
  uint64_t idle, sleep;  // nanoseconds
};
constexpr Patience patience[] = {
    {2'000'000, 20'000}, {100'000'000, 200'000}, {1'000'000'000, 1'000'000}, {UINT64_MAX, 5'000'000}};

bool may_spin() {
  cpu_set_t all;
  return ::sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) > 1;
}

// access_ok() of x86-64: an address of the program's half, whatever is there.
bool is_program_address(uint64_t address) { return address < (uint64_t(1) << 47) - page_bytes; }

}  // namespace

uint64_t gpu_clock(const gpu::Chip& chip) {
  using namespace std::chrono;
  const auto now = duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
  return uint64_t(static_cast<unsigned __int128>(now) * chip.crystal_clock / 1'000'000);
}

uint64_t doorbell_offset(const Gpu& gpu, uint32_t queue) { return kfd_doorbell_bytes(*gpu.facts) / kfd_most_queues * queue; }

Queue::Queue(Driver& driver, Gpu& gpu, const QueueSetup& setup, gpu::QueueKind kind)
    : driver_(driver), gpu_(gpu), kind_(kind), setup_(setup) {
  ring_ = std::make_unique<Ring>(*gpu.process, kind, gpu.memory, fmt::format("compute driver's queue {}", setup.id),
                                 std::make_shared<std::atomic<bool>>(false));
}

int Queue::start() {
  auto started = start_thread([this] { work(); });
  if (!started) {
    log(LogLevel::error, "kfd", "{}", started.error().message);
    return -ENOMEM;
  }
  thread_ = std::move(*started);
  return 0;
}

void Queue::stop() {
  stopping_ = true;
  driver_.wake_queues();
  if (thread_.joinable()) thread_.join();
}

void Queue::update(uint64_t ring_address, uint32_t ring_bytes, uint32_t percentage) {
  std::lock_guard lock(mutex_);
  setup_.ring_address = ring_address;
  setup_.ring_bytes = ring_bytes;
  setup_.percentage = percentage;
}

void Queue::work() {
  const bool spins = may_spin();
  constexpr uint64_t spin_time = 30'000;
  uint64_t last = monotonic_nanoseconds();
  while (!stopping()) {
    QueueSetup setup;
    {
      std::lock_guard lock(mutex_);
      setup = setup_;
    }
    bool worked = false;
    try {
      worked = !halted_ && setup.percentage && setup.ring_address && setup.ring_bytes && step(setup);
    } catch (const std::bad_alloc&) {
      log(LogLevel::error, "kfd", "queue {}: out of memory", setup.id);
      halt();
    }
    const uint64_t now = monotonic_nanoseconds();
    if (worked) {
      last = now;
      continue;
    }
    const uint64_t idle = now - last;
    if (spins && idle < spin_time) {
      __builtin_ia32_pause();
      continue;
    }
    const Patience* row = patience;
    while (idle > row->idle) row++;
    driver_.sleep(row->sleep);
  }
}

uint8_t* Queue::at(uint64_t address, uint64_t bytes, bool writes) const {
  AddressSpace& space = gpu_.memory->space();
  if (address >= space.size() || bytes > space.size() - address || !space.contains(address, bytes, writes)) return nullptr;
  return space.host(address);
}

bool Queue::subtract_one(uint64_t address) {
  std::shared_lock lock(gpu_.tables);
  uint8_t* value = address % 8 ? nullptr : at(address, 8, true);
  if (value) __atomic_fetch_sub(reinterpret_cast<int64_t*>(value), 1, __ATOMIC_ACQ_REL);
  return value;
}

bool Queue::read(uint64_t address, void* to, uint64_t bytes) {
  std::shared_lock lock(gpu_.tables);
  const uint8_t* from = at(address, bytes, false);
  if (from) std::memcpy(to, from, bytes);
  return from;
}

Expected<void> Queue::run(std::vector<gpu::CommandBuffer> commands, bool polled) {
  auto report = std::make_shared<std::string>();
  auto fault = std::make_shared<std::optional<gpu::Fault>>();
  Submission submission;
  submission.commands = std::move(commands);
  submission.memory = gpu_.memory;
  submission.memory_mark = gpu_.memory->mark();
  submission.polled = polled;
  submission.failed = [report, fault](const std::string& why, const gpu::Queue* queue) {
    *report = why;
    if (queue) *fault = queue->fault();
  };
  Submitted submitted;
  if (ring_->submit(std::move(submission), submitted) != 0) return fail("no thread is to be had");
  const FencePtr done = submitted.done;
  wait_all(*gpu_.process->session(), {&done, 1}, UINT64_MAX, [this] { return driver_.ending(); });
  if (!done->done()) return fail("the program ends");
  if (!submitted.done->failed) return {};
  fault_ = *fault;
  return fail("{}", *report);
}

void Queue::report_fault() {
  if (!fault_ || fault_->kind > gpu::FaultKind::InstructionFetch) return driver_.events().raise(HardwareException{gpu_.id});
  raise_memory_fault(fault_->address, fault_->kind == gpu::FaultKind::Store || fault_->kind == gpu::FaultKind::Atomic);
}

void Queue::raise_memory_fault(uint64_t address, bool writes) {
  MemoryFault fault{.gpu_id = gpu_.id, .address = address & ~(page_bytes - 1)};
  AddressSpace& space = gpu_.memory->space();
  fault.read_only = writes && address < space.size() && space.contains(address, 1);
  fault.not_present = !fault.read_only;
  driver_.events().raise(fault);
}

// --- the driver's part: kfd_chardev.c, set_queue_properties_from_user; kfd_process_queue_manager.c

namespace {

constexpr uint32_t copy_by_engine = 4;  // KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, of version 1.17

bool is_of_packets(uint32_t type) { return type == KFD_IOC_QUEUE_TYPE_COMPUTE || type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL; }

// Newer kernels make a queue only of memory that the GPU has, and of areas as large as they tell (kfd_queue.c, kfd_queue_acquire_buffers).
bool has_its_memory(Gpu& gpu, const kfd_ioctl_create_queue_args& a) {
  std::shared_lock lock(gpu.tables);
  AddressSpace& space = gpu.memory->space();
  auto there = [&](uint64_t address, uint64_t bytes) {
    return address < space.size() && bytes <= space.size() - address && space.contains(address, bytes);
  };
  if (!there(a.write_pointer_address, 8) || !there(a.read_pointer_address, 8) || !there(a.ring_base_address, a.ring_size))
    return false;
  if (!is_of_packets(a.queue_type)) return true;
  if (a.eop_buffer_address && (a.eop_buffer_size != kfd_end_of_pipe_bytes || !there(a.eop_buffer_address, a.eop_buffer_size)))
    return false;
  const KfdSaveSizes sizes = kfd_save_sizes(*gpu.facts, gpu.process->chip());
  return a.ctl_stack_size == sizes.control && a.ctx_save_restore_size >= sizes.all &&
         there(a.ctx_save_restore_address, a.ctx_save_restore_size + sizes.debug);
}

}  // namespace

int Driver::create_queue(kfd_ioctl_create_queue_args& a) {
  constexpr unsigned by_engine_minor = 17, parts_minor = 13;
  // Bits 15:8 name the part of a chip that takes PM4, of chips with several.
  const uint32_t percentage = minor_version() >= parts_minor ? a.queue_percentage & 0xff : a.queue_percentage;
  if (percentage > KFD_MAX_QUEUE_PERCENTAGE || a.queue_priority > KFD_MAX_QUEUE_PRIORITY) return -EINVAL;
  if (a.ring_size && !std::has_single_bit(a.ring_size)) return -EINVAL;
  for (uint64_t address : {uint64_t(a.ring_base_address), uint64_t(a.read_pointer_address), uint64_t(a.write_pointer_address),
                           uint64_t(a.eop_buffer_address), uint64_t(a.ctx_save_restore_address)})
    if (!is_program_address(address)) return -EFAULT;
  constexpr int not_supported = 524;  // ENOTSUPP, of the kernel's own
  if (a.queue_type > (minor_version() >= by_engine_minor ? copy_by_engine : uint32_t(KFD_IOC_QUEUE_TYPE_SDMA_XGMI)))
    return -not_supported;
  if (int error = why_not_ready(a.gpu_id, -ESRCH)) return error;
  Gpu* gpu = find(a.gpu_id);
  if (gpu->facts->discovered && !has_its_memory(*gpu, a)) return -EINVAL;
  if (a.queue_type == KFD_IOC_QUEUE_TYPE_SDMA_XGMI) return -ENOMEM;  // it has no such engines (kfd_device_queue_manager.c)
  const bool copies = !is_of_packets(a.queue_type);
  std::lock_guard lock(queues_mutex_);
  QueueSetup setup{.ring_address = a.ring_base_address,
                   .ring_bytes = a.ring_size,
                   .percentage = percentage,
                   .read_address = a.read_pointer_address,
                   .write_address = a.write_pointer_address};
  // allocate_sdma_queue
  const auto of_copies = std::ranges::count_if(queues_, [&](auto& row) { return row.second->copies_on(*gpu); });
  if (copies && unsigned(of_copies) >= gpu->facts->copy_queues * kfd_copy_engines) return -ENOMEM;
  while (setup.id < kfd_most_queues && queues_.count(setup.id)) setup.id++;
  if (setup.id == kfd_most_queues) return -ENOMEM;
  const gpu::QueueKind kind = copies ? gpu::QueueKind::copy : gpu::QueueKind::compute;
  std::unique_ptr<Queue> queue = a.queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL ? make_aql_queue(*this, *gpu, setup)
                                                                                : make_ring_queue(*this, *gpu, setup, kind);
  if (!queue) return -ENOMEM;
  if (int error = queue->start()) return error;
  queues_.emplace(setup.id, std::move(queue));
  a.queue_id = setup.id;
  // The queue's doorbell in the process's frame is told on chips that have discovery; the others' is by the queue's number.
  a.doorbell_offset = gpu->doorbells->offset() + (gpu->facts->discovered ? doorbell_offset(*gpu, setup.id) : 0);
  return 0;
}

int Driver::destroy_queue(uint32_t id) {
  std::unique_ptr<Queue> queue;
  {
    std::lock_guard lock(queues_mutex_);
    auto found = queues_.find(id);
    if (found == queues_.end()) return -EINVAL;
    queue = std::move(found->second);
    queues_.erase(found);
  }
  return 0;
}

int Driver::update_queue(const kfd_ioctl_update_queue_args& a) {
  if (a.queue_percentage > KFD_MAX_QUEUE_PERCENTAGE || a.queue_priority > KFD_MAX_QUEUE_PRIORITY) return -EINVAL;
  if (a.ring_size && !std::has_single_bit(a.ring_size)) return -EINVAL;
  if (!is_program_address(a.ring_base_address)) return -EFAULT;
  std::lock_guard lock(queues_mutex_);
  auto found = queues_.find(a.queue_id);
  if (found == queues_.end()) return -EFAULT;  // pqm_update_queue_properties
  found->second->update(a.ring_base_address, a.ring_size, a.queue_percentage);
  return 0;
}

bool Driver::has_queue(uint32_t id) {
  std::lock_guard lock(queues_mutex_);
  return queues_.count(id);
}

bool Driver::has_queues() {
  std::lock_guard lock(queues_mutex_);
  return !queues_.empty();
}

}  // namespace Atoll::drm::kfd
