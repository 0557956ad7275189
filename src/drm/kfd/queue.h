// Queues that programs write packets into by themselves: a thread each, which looks at the write pointer in the program's memory and has
// a ring of the GPU carry out what is new.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "drm/core/ring.h"
#include "drm/kfd/driver.h"
#include "gpu/device/fault.h"

namespace Atoll::drm::kfd {

struct QueueSetup {
  uint32_t id = 0;
  uint64_t ring_address = 0;
  uint32_t ring_bytes = 0;
  uint32_t percentage = 0;  // 0: it stands still
  uint64_t read_address = 0, write_address = 0;
};

class Queue {
public:
  Queue(Driver& driver, Gpu& gpu, const QueueSetup& setup, gpu::QueueKind kind);
  virtual ~Queue() = default;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // ENOMEM where no thread is to be had.
  int start();
  // Ends the thread, when what runs has ended; before a derived class goes.
  void stop();
  void update(uint64_t ring_address, uint32_t ring_bytes, uint32_t percentage);
  bool copies_on(const Gpu& gpu) const { return &gpu == &gpu_ && kind_ == gpu::QueueKind::copy; }

protected:
  // Carries out what is next. False: there is nothing for now.
  virtual bool step(const QueueSetup& setup) = 0;

  bool stopping() const { return stopping_.load(std::memory_order_relaxed) || driver_.ending(); }
  // Nothing of the queue is carried out any more.
  void halt() { halted_ = true; }
  bool halted() const { return halted_; }

  // The program's memory by the GPU's page tables, a value at a multiple of its size. False: it is not there.
  template <class T>
  bool load(uint64_t address, T& value);
  template <class T>
  bool store(uint64_t address, T value);
  bool subtract_one(uint64_t address);
  bool read(uint64_t address, void* to, uint64_t bytes);

  // Returns when the commands have been carried out. An error: the report, and fault_ if a program did it.
  Expected<void> run(std::vector<gpu::CommandBuffer> commands, bool polled);
  std::optional<gpu::Fault> fault_;

  // Tells the program why run() failed, by an event of memory or of the hardware.
  void report_fault();
  // Tells the program of memory that is not there, or not to be written.
  void raise_memory_fault(uint64_t address, bool writes);

  Driver& driver_;
  Gpu& gpu_;
  const gpu::QueueKind kind_;

private:
  void work();
  uint8_t* at(uint64_t address, uint64_t bytes, bool writes) const;

  std::mutex mutex_;  // setup_
  QueueSetup setup_;
  std::atomic<bool> stopping_{false};
  bool halted_ = false;
  std::unique_ptr<Ring> ring_;
  std::thread thread_;
};

// KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, and the others, whose packets are the chip's own.
std::unique_ptr<Queue> make_aql_queue(Driver& driver, Gpu& gpu, const QueueSetup& setup);
std::unique_ptr<Queue> make_ring_queue(Driver& driver, Gpu& gpu, const QueueSetup& setup, gpu::QueueKind kind);

// The place of a queue's doorbell in the GPU's.
uint64_t doorbell_offset(const Gpu& gpu, uint32_t queue);

// The ticks of the chip's crystal, as its own clock counts them.
uint64_t gpu_clock(const gpu::Chip& chip);

template <class T>
bool Queue::load(uint64_t address, T& value) {
  std::shared_lock lock(gpu_.tables);
  const uint8_t* from = address % sizeof value ? nullptr : at(address, sizeof value, false);
  if (from) value = __atomic_load_n(reinterpret_cast<const T*>(from), __ATOMIC_ACQUIRE);
  return from;
}

template <class T>
bool Queue::store(uint64_t address, T value) {
  std::shared_lock lock(gpu_.tables);
  uint8_t* to = address % sizeof value ? nullptr : at(address, sizeof value, true);
  if (to) __atomic_store_n(reinterpret_cast<T*>(to), value, __ATOMIC_RELEASE);
  return to;
}

}  // namespace Atoll::drm::kfd
