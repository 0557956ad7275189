#include "registers/stream_walk.h"

#include <algorithm>

namespace Atoll::registers {

void StreamWalk::walk(const std::string& name, std::span<const uint32_t> words) { walk(name, words, 0, false); }

void StreamWalk::walk(const std::string& name, std::span<const uint32_t> words, unsigned depth, bool called) {
  // Buffers that this one chained to, and that they did, one after the other: none of them comes back.
  struct Chain {
    std::vector<Buffer*> buffers;
    ~Chain() {
      for (Buffer* b : buffers) b->active = false;
    }
  } chain;
  const std::string* place = &name;
  for (size_t offset = 0; offset < words.size();) {
    if (called && called_packets_++ >= limits_.packets) {
      if (called_packets_ == limits_.packets + 1)
        problem(*place, offset, fmt::format("more than {} packets in called buffers: the others are not read", limits_.packets));
      return;
    }
    auto read = read_packet(family_, words, offset);
    if (!read) return problem(*place, offset, read.error().message + ": the rest is not read");
    packet(*read, {*place, depth, called});
    if (read->truncated())
      return problem(*place, offset,
                     fmt::format("{} of {} dwords are there: the stream is truncated", read->words.size(), read->length));
    offset += read->length;
    if (!read->buffer) continue;
    bool there = false;
    Buffer* buffer = enter(*read, *place, depth, there);
    const bool chained = read->buffer->chained;
    if (!buffer && chained && there) return;  // what follows is never reached
    if (!buffer) continue;
    auto inside = std::span<const uint32_t>(buffer->words).first(std::min<size_t>(buffer->words.size(), read->buffer->dwords));
    buffer->active = true;
    if (chained) {
      chain.buffers.push_back(buffer);
      place = &buffer->name;
      words = inside, offset = 0;
      called = true;
    } else {
      walk(buffer->name, inside, depth + 1, true);
      buffer->active = false;
    }
  }
}

StreamWalk::Buffer* StreamWalk::enter(const StreamPacket& packet, const std::string& name, unsigned depth, bool& there) {
  Buffer* found = find(*packet.buffer);
  there = found;
  if (!found) return nullptr;
  auto refuse = [&](const std::string& text) { return problem(name, packet.offset, text), nullptr; };
  if (found->active) return refuse(fmt::format("the buffer at {:#x} calls itself", packet.buffer->address));
  if (depth >= limits_.depth && !packet.buffer->chained)
    return refuse(fmt::format("buffers call each other more than {} deep", limits_.depth));
  if (called_buffers_ == limits_.buffers) {
    called_buffers_++;
    return refuse(fmt::format("more than {} buffers are called: the others are not read", limits_.buffers));
  }
  if (called_buffers_ > limits_.buffers) return nullptr;
  called_buffers_++;
  if (found->words.size() < packet.buffer->dwords)
    problem(name, packet.offset,
            fmt::format("the buffer has {} dwords, and {} has {}", packet.buffer->dwords, found->name, found->words.size()));
  return found;
}

}  // namespace Atoll::registers
