#include "gpu/amd/command_stream.h"

#include <fmt/format.h>

namespace Atoll::gpu::amd {

using registers::PacketType;

constexpr size_t max_frames = 4;  // ring, buffer, buffer called by it, and one to spare

CommandStream::CommandStream(QueueState& queue, registers::Pm4Dialect dialect, const CommandBuffer& buffer)
    : queue_(queue), dialect_(dialect) {
  call(buffer.address, buffer.dwords, false);
}

CommandStream::CommandStream(QueueState& queue, registers::Pm4Dialect dialect, uint64_t address, std::vector<uint32_t> words)
    : queue_(queue), dialect_(dialect) {
  frames_.emplace_back(address, std::move(words));
}

bool CommandStream::call(uint64_t address, uint64_t dwords, bool chain) {
  if (chain && !frames_.empty()) frames_.pop_back();
  if (!queue_.within(queue_.budget.buffers())) return false;
  if (frames_.size() >= max_frames) return queue_.lose(fmt::format("command buffer at {:#x} is called too deep", address));
  if (dwords == 0) return true;
  if (address & 3) return queue_.lose(fmt::format("command buffer at {:#x}, which is no multiple of 4", address));
  if (!queue_.memory(address, dwords * 4, false, "fetch of a command buffer")) return false;
  frames_.emplace_back(address, dwords);
  return true;
}

bool CommandStream::next(Packet& packet) {
  auto read = [&](uint64_t address, uint32_t* to, uint64_t bytes) {
    return queue_.read(address, to, bytes, "fetch of a command buffer");
  };
  while (!frames_.empty()) {
    CommandReader& frame = frames_.back();
    if (frame.left() == 0) {
      frames_.pop_back();
      continue;
    }
    if (queue_.lost()) return false;
    packet.address = queue_.packet_address = frame.address();
    std::span<const uint32_t> words = frame.peek(1, read);
    if (words.empty()) return false;
    const uint32_t word = words[0];
    packet.header = registers::read_header(word, dialect_);
    const uint32_t behind = packet.header.dwords;
    if (behind > frame.left() - 1) {
      queue_.packet = "packet";
      return queue_.lose(
          fmt::format("header {:#x} announces {} dwords, its buffer ends after {}", word, behind, frame.left() - 1));
    }
    if (packet.header.type == PacketType::reserved) {
      queue_.packet = "packet";
      return queue_.lose(fmt::format("header {:#x} is of type 1, which does not exist", word));
    }
    if (behind) words = frame.peek(1 + behind, read);
    if (words.empty()) return false;
    packet.body = words.subspan(1);
    last_ = 1 + behind;
    frame.skip(last_);
    return true;
  }
  return false;
}

void CommandStream::skip(uint32_t dwords) {
  if (!frames_.empty()) frames_.back().skip(dwords);
}

void CommandStream::back() {
  if (!frames_.empty()) frames_.back().back(last_);
}

}  // namespace Atoll::gpu::amd
