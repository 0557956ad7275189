// Queues of the chip's own packets: SDMA's, whose pointers count bytes, and PM4 for compute, where they count dwords. Up to GFX8 they are
// places in the ring (Linux kfd_mqd_manager_cik.c, update_mqd, update_mqd_sdma); after that they have 64 bits and go on counting, the
// doorbell is the write pointer itself, and what is told as read of PM4 is still a place in the ring (ROCT-Thunk 5.2.3 tests/kfdtest
// PM4Queue.cpp, SDMAQueue.cpp).
#include <bit>
#include <cstring>

#include "base/log.h"
#include "drm/kfd/queue.h"

namespace Atoll::drm::kfd {
namespace {

class RingQueue : public Queue {
public:
  RingQueue(Driver& driver, Gpu& gpu, const QueueSetup& setup, gpu::QueueKind kind)
      : Queue(driver, gpu, setup, kind),
        unit_(kind == gpu::QueueKind::copy ? 1 : 4),
        counts_on_(gpu.facts->discovered),
        round_(round_address + setup.id * most_round_bytes) {
    if (uint8_t* doorbells = counts_on_ ? gpu.doorbells->host() : nullptr)
      doorbell_ = reinterpret_cast<uint64_t*>(doorbells + doorbell_offset(gpu, setup.id));
    if (doorbell_) __atomic_store_n(doorbell_, 0, __ATOMIC_RELAXED);
  }
  ~RingQueue() override {
    stop();
    if (!round_buffer_) return;
    std::lock_guard alone(gpu_.tables);
    gpu_.memory->clear(round_, round_buffer_->bytes(), {});
  }

protected:
  bool step(const QueueSetup& setup) override;

private:
  bool written(const QueueSetup& setup, uint64_t& position);
  bool go_round(const QueueSetup& setup, uint64_t from, uint64_t bytes, gpu::CommandBuffer& commands);
  bool give_up(const std::string& why) {
    driver_.lacks(why);
    halt();
    return false;
  }

  const uint32_t unit_;  // bytes
  const bool counts_on_;
  const uint64_t round_;
  BufferPtr round_buffer_;
  uint64_t* doorbell_ = nullptr;
  uint64_t read_ = 0;
};

bool RingQueue::written(const QueueSetup& setup, uint64_t& position) {
  if (!counts_on_) {
    uint32_t place = 0;
    const bool there = load(setup.write_address, place);
    position = place;
    return there;
  }
  uint64_t in_memory = 0;
  const bool there = load(setup.write_address, in_memory);
  const uint64_t rung = doorbell_ ? __atomic_load_n(doorbell_, __ATOMIC_ACQUIRE) : 0;
  position = std::max(there ? in_memory : 0, rung);
  return there || rung;
}

// Packets go on from the ring's end to its start: they are read from a copy.
bool RingQueue::go_round(const QueueSetup& setup, uint64_t from, uint64_t bytes, gpu::CommandBuffer& commands) {
  if (bytes > most_round_bytes) return give_up(fmt::format("{} bytes of packets round the end of a ring", bytes));
  if (!round_buffer_ || round_buffer_->bytes() < bytes) {
    {
      std::lock_guard alone(gpu_.tables);
      if (round_buffer_) gpu_.memory->clear(round_, round_buffer_->bytes(), {});
    }
    round_buffer_ = driver_.make_buffer(*gpu_.process, std::bit_ceil(bytes), 1, UINT64_MAX);
    if (!round_buffer_ || gpu_.memory->map(round_buffer_, round_, 0, round_buffer_->bytes(), false, {}) != 0) {
      round_buffer_.reset();
      return give_up("memory for packets round the end of a ring");
    }
  }
  uint8_t* to = round_buffer_->host();
  const uint64_t first = setup.ring_bytes - from;
  if (!to || !read(setup.ring_address + from, to, first) || !read(setup.ring_address, to + first, bytes - first)) {
    raise_memory_fault(setup.ring_address, false);
    halt();
    return false;
  }
  commands = {.address = round_, .dwords = uint32_t(bytes / 4)};
  return true;
}

bool RingQueue::step(const QueueSetup& setup) {
  uint64_t position = 0;
  if (!written(setup, position) || position == read_) return false;
  const uint64_t ring = setup.ring_bytes, from = read_ * unit_, to = position * unit_;
  const bool behind = counts_on_ ? position < read_ : to < from;
  const uint64_t bytes = counts_on_ || !behind ? to - from : ring - from + to;
  if (to % 4 || (counts_on_ ? behind || position - read_ > ring / unit_ : to >= ring || from >= ring))
    return give_up(fmt::format("a ring of {} bytes with pointers {} and {}", ring, from, to));
  gpu::CommandBuffer commands{.address = setup.ring_address + from % ring, .dwords = uint32_t(bytes / 4)};
  if (from % ring + bytes > ring && !go_round(setup, from % ring, bytes, commands)) return false;
  if (auto done = run({commands}, true); !done) {
    if (!driver_.ending()) report_fault();
    halt();
    return false;
  }
  read_ = position;
  if (!counts_on_)
    store(setup.read_address, uint32_t(position));
  else
    store(setup.read_address, unit_ == 4 ? position % (ring / 4) : position);
  driver_.events().look_at_slots();
  return true;
}

}  // namespace

std::unique_ptr<Queue> make_ring_queue(Driver& driver, Gpu& gpu, const QueueSetup& setup, gpu::QueueKind kind) {
  return std::make_unique<RingQueue>(driver, gpu, setup, kind);
}

}  // namespace Atoll::drm::kfd
