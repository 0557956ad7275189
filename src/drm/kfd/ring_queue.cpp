// Queues of the chip's own packets: SDMA's, whose pointers count bytes, and PM4 for compute, where they count dwords. Up to GFX8 they are
// places in the ring (Linux kfd_mqd_manager_cik.c, update_mqd, update_mqd_sdma).
#include "base/log.h"
#include "drm/kfd/queue.h"

namespace Atoll::drm::kfd {
namespace {

class RingQueue : public Queue {
public:
  RingQueue(Driver& driver, Gpu& gpu, const QueueSetup& setup, gpu::QueueKind kind)
      : Queue(driver, gpu, setup, kind), unit_(kind == gpu::QueueKind::copy ? 1 : 4) {}
  ~RingQueue() override { stop(); }

protected:
  bool step(const QueueSetup& setup) override {
    uint32_t written = 0;
    if (!load(setup.write_address, written) || written == read_) return false;
    const uint64_t from = uint64_t(read_) * unit_, to = uint64_t(written) * unit_;
    if (to >= setup.ring_bytes || from >= setup.ring_bytes || to % 4) {
      driver_.lacks(fmt::format("a ring of {} bytes with pointers {} and {}", setup.ring_bytes, from, to));
      halt();
      return false;
    }
    std::vector<gpu::CommandBuffer> commands;
    auto add = [&](uint64_t begin, uint64_t end) {
      if (begin < end) commands.push_back({.address = setup.ring_address + begin, .dwords = uint32_t((end - begin) / 4)});
    };
    if (to > from) {
      add(from, to);
    } else {
      add(from, setup.ring_bytes);
      add(0, to);
    }
    auto done = run(std::move(commands));
    if (!done) {
      if (!driver_.ending()) raise_memory_fault(fault_ ? fault_->address : 0, false);
      halt();
      return false;
    }
    read_ = written;
    store(setup.read_address, written);
    driver_.events().look_at_slots();
    return true;
  }

private:
  const uint32_t unit_;  // bytes
  uint32_t read_ = 0;
};

}  // namespace

std::unique_ptr<Queue> make_ring_queue(Driver& driver, Gpu& gpu, const QueueSetup& setup, gpu::QueueKind kind) {
  return std::make_unique<RingQueue>(driver, gpu, setup, kind);
}

}  // namespace Atoll::drm::kfd
