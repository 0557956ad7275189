// The packet processor of AQL queues: one packet after the other, each to its end (HSA Platform System Architecture 1.2, 2.9; what ROCm's
// runtime expects beside it: ROCR-Runtime 5.2.3 amd_aql_queue.cpp).
#include <cstring>

#include "base/log.h"
#include "drm/kfd/queue.h"
#include "gpu/hsa/aql.h"
#include "gpu/open/launch.h"

namespace Atoll::drm::kfd {
namespace {

using hsa::PacketType;
using hsa::QueueLayout;
using hsa::SignalLayout;

class AqlQueue : public Queue {
public:
  AqlQueue(Driver& driver, Gpu& gpu, const QueueSetup& setup)
      : Queue(driver, gpu, setup, gpu::QueueKind::compute),
        target_(gpu::hsa_target(gpu.process->chip())),
        queue_address_(setup.read_address - QueueLayout::read_index),
        commands_(commands_address + uint64_t(setup.id) * page_bytes) {}
  ~AqlQueue() override {
    stop();
    if (!commands_buffer_) return;
    std::lock_guard alone(gpu_.tables);
    gpu_.memory->clear(commands_, page_bytes, {});
  }
  bool prepare();

protected:
  bool step(const QueueSetup& setup) override;

private:
  enum class Outcome : uint8_t { done, again, halted };
  Outcome dispatch(const hsa::PacketBytes& bytes, uint64_t packet_address);
  Outcome vendor_packet(const hsa::PacketBytes& bytes, uint64_t packet_address);
  Outcome wait_for_signals(const hsa::BarrierPacket& packet, bool all);
  Outcome refuse(hsa::QueueError error, const std::string& why);
  Outcome report(const std::string& why);
  bool read_scratch(uint32_t lane_bytes, hsa::ScratchMemory& scratch, uint32_t& queue_lane_bytes);
  void complete(uint64_t signal, uint64_t begin);
  void tell(uint64_t signal);

  const hsa::Target target_;
  const uint64_t queue_address_, commands_;
  BufferPtr commands_buffer_;
  uint8_t* commands_host_ = nullptr;
  uint64_t read_index_ = 0;
};

bool AqlQueue::prepare() {
  commands_buffer_ = driver_.make_buffer(*gpu_.process, page_bytes, 1, UINT64_MAX);
  commands_host_ = commands_buffer_ ? commands_buffer_->host() : nullptr;
  return commands_host_ && gpu_.memory->map(commands_buffer_, commands_, 0, page_bytes, false, {}) == 0;
}

bool AqlQueue::step(const QueueSetup& setup) {
  uint64_t written = 0;
  const uint64_t slots = setup.ring_bytes / hsa::aql_packet_bytes;
  if (!load(setup.write_address, written) || read_index_ >= written || !slots) return false;
  const uint64_t slot = setup.ring_address + read_index_ % slots * hsa::aql_packet_bytes;
  // (the whole packet is there when its header says so)
  uint16_t header = 0;
  hsa::PacketBytes packet;
  if (!load(slot, header)) {
    raise_memory_fault(slot, false);
    halt();
    return false;
  }
  const PacketType type = hsa::packet_type(header);
  if (type == PacketType::invalid) return false;
  if (!read(slot, packet.data(), packet.size())) return false;
  const uint64_t begin = gpu_clock(gpu_.process->chip());
  Outcome outcome = Outcome::done;
  switch (type) {
    case PacketType::kernel_dispatch: outcome = dispatch(packet, slot); break;
    case PacketType::barrier_and: outcome = wait_for_signals(hsa::read_barrier_packet(packet), true); break;
    case PacketType::barrier_or: outcome = wait_for_signals(hsa::read_barrier_packet(packet), false); break;
    case PacketType::agent_dispatch: outcome = refuse(hsa::error_format, "an agent dispatch, which is no GPU's"); break;
    case PacketType::vendor_specific: outcome = vendor_packet(packet, slot); break;
    default: outcome = refuse(hsa::error_format, fmt::format("of type {}", header & 0xff)); break;
  }
  if (outcome == Outcome::again) return true;
  if (outcome == Outcome::halted) {
    halt();
    return false;
  }
  // The slot is the program's again before its signal says that the packet is done.
  store(slot, uint16_t(PacketType::invalid));
  store(setup.read_address, ++read_index_);
  complete(hsa::completion_signal_of(packet), begin);
  return true;
}

AqlQueue::Outcome AqlQueue::refuse(hsa::QueueError error, const std::string& why) {
  uint64_t signal = 0;
  log(LogLevel::warn, "kfd", "a packet of a queue is not carried out: {}", why);
  if (!load(queue_address_ + QueueLayout::inactive_signal, signal) || !signal) return Outcome::halted;
  store(signal + SignalLayout::value, int64_t(error));
  tell(signal);
  return Outcome::halted;
}

// The signal's event, if it has one.
void AqlQueue::tell(uint64_t signal) {
  uint64_t mailbox = 0;
  uint32_t event = 0;
  if (!load(signal + SignalLayout::mailbox, mailbox) || !mailbox || !load(signal + SignalLayout::event_id, event)) return;
  store(mailbox, uint64_t(event));
  driver_.events().look_at_slots();
}

void AqlQueue::complete(uint64_t signal, uint64_t begin) {
  if (!signal) return;
  uint32_t properties = 0;
  if (load(queue_address_ + QueueLayout::properties, properties) && properties & QueueLayout::profiles) {
    store(signal + SignalLayout::start, begin);
    store(signal + SignalLayout::end, gpu_clock(gpu_.process->chip()));
  }
  if (!subtract_one(signal + SignalLayout::value)) return raise_memory_fault(signal + SignalLayout::value, true);
  tell(signal);
}

AqlQueue::Outcome AqlQueue::wait_for_signals(const hsa::BarrierPacket& packet, bool all) {
  constexpr uint64_t shortest = 20'000, longest = 1'000'000;  // nanoseconds
  for (uint64_t sleep = shortest; !stopping(); sleep = std::min(sleep * 2, longest)) {
    bool any = false, some_left = false, some_done = false;
    for (uint64_t signal : packet.signals) {
      if (!signal) continue;
      any = true;
      int64_t value = 0;
      if (!load(signal + SignalLayout::value, value)) {
        raise_memory_fault(signal + SignalLayout::value, false);
        return Outcome::halted;
      }
      (value == 0 ? some_done : some_left) = true;
    }
    if (!any || (all ? !some_left : some_done)) return Outcome::done;
    driver_.sleep(sleep);
  }
  return Outcome::halted;
}

// The queue's scratch memory. False: a lane has too little.
bool AqlQueue::read_scratch(uint32_t lane_bytes, hsa::ScratchMemory& scratch, uint32_t& queue_lane_bytes) {
  uint32_t setup = 0;
  uint64_t location = 0;
  queue_lane_bytes = 0;
  load(queue_address_ + QueueLayout::scratch_lane_bytes, queue_lane_bytes);
  if (lane_bytes > queue_lane_bytes) return false;
  load(queue_address_ + QueueLayout::ring_setup, setup);
  load(queue_address_ + QueueLayout::scratch_location, location);
  for (unsigned n = 0; n < 4; n++) load(queue_address_ + QueueLayout::scratch_descriptor + 4 * n, scratch.descriptor[n]);
  scratch.address = gpu_.scratch_base + location;
  scratch.waves = setup & 0xfff, scratch.wave_blocks = setup >> 12 & 0x1fff;  // COMPUTE_TMPRING_SIZE
  return true;
}

AqlQueue::Outcome AqlQueue::dispatch(const hsa::PacketBytes& bytes, uint64_t packet_address) {
  const hsa::KernelPacket packet = hsa::read_kernel_packet(bytes);
  std::array<uint8_t, 64> code{};
  if (!read(packet.kernel_object, code.data(), code.size()))
    return refuse(hsa::error_code, fmt::format("a kernel at {:#x}, where nothing is mapped", packet.kernel_object));
  const KernelDescriptor descriptor = read_descriptor(code);
  hsa::ScratchMemory scratch;
  uint32_t lane_bytes = 0;
  if (packet.private_bytes && !read_scratch(packet.private_bytes, scratch, lane_bytes)) {
    // The program gets more and says so by a 0.
    uint64_t signal = 0;
    int64_t value = hsa::error_scratch;
    if (!load(queue_address_ + QueueLayout::inactive_signal, signal) || !store(signal + SignalLayout::value, value))
      return refuse(hsa::error_code, "scratch memory for a queue without a signal to ask by");
    tell(signal);
    while (!stopping() && load(signal + SignalLayout::value, value) && value == hsa::error_scratch) driver_.sleep(50'000);
    return value == 0 ? Outcome::again : Outcome::halted;
  }
  hsa::QueueError error{};
  auto dispatch = hsa::dispatch_of(target_, packet, descriptor,
                                   {.packet_address = packet_address, .queue_address = queue_address_, .index = read_index_},
                                   lane_bytes, error);
  if (!dispatch) return refuse(error, dispatch.error().message);
  auto words = gpu::dispatch_commands(gpu_.process->chip(), *dispatch, scratch);
  if (!words) return refuse(hsa::error_code, words.error().message);
  ATOLL_ASSERT(words->size() * 4 <= page_bytes);
  std::memcpy(commands_host_, words->data(), words->size() * 4);
  auto done = run({{.address = commands_, .dwords = uint32_t(words->size())}}, false);
  return done ? Outcome::done : report(done.error().message);
}

// PM4 from GFX9 on: the packet has a call of a buffer with commands behind its header.
AqlQueue::Outcome AqlQueue::vendor_packet(const hsa::PacketBytes& bytes, uint64_t packet_address) {
  const uint32_t format = hsa::vendor_format(bytes);
  if (!gpu_.facts->discovered || format != hsa::vendor_format_pm4) {
    driver_.lacks(fmt::format("an AQL packet of the vendor's own format {}", format));
    return refuse(hsa::error_vendor_packet, "of the vendor's own format");
  }
  auto done = run({{.address = packet_address + 4, .dwords = 4}}, true);
  driver_.events().look_at_slots();  // the commands may have raised some
  return done ? Outcome::done : report(done.error().message);
}

// A kernel that did not end: the program is told what it did.
AqlQueue::Outcome AqlQueue::report(const std::string& why) {
  if (driver_.ending()) return Outcome::halted;
  using gpu::FaultKind;
  hsa::QueueError error = hsa::error_exception;
  if (fault_ && fault_->kind <= FaultKind::InstructionFetch) {
    raise_memory_fault(fault_->address, fault_->kind == FaultKind::Store || fault_->kind == FaultKind::Atomic);
    return Outcome::halted;
  }
  if (fault_ && fault_->kind == FaultKind::IllegalInstruction) error = hsa::error_instruction;
  uint64_t signal = 0;
  if (load(queue_address_ + QueueLayout::inactive_signal, signal) && signal) {
    store(signal + SignalLayout::value, int64_t(error));
    tell(signal);
  }
  log(LogLevel::info, "kfd", "the queue is told {:#x}: {}", uint32_t(error), why);
  return Outcome::halted;
}

}  // namespace

std::unique_ptr<Queue> make_aql_queue(Driver& driver, Gpu& gpu, const QueueSetup& setup) {
  auto queue = std::make_unique<AqlQueue>(driver, gpu, setup);
  if (!queue->prepare()) return nullptr;
  return queue;
}

}  // namespace Atoll::drm::kfd
