// The copy engines (SDMA) of all families: how their packets are read, and those that are alike. Each is a template over F, a struct of the
// family's with
//
//   Context                 its queue's context (on gpu::QueueState), for which known_register() and wait_for_register() are declared
//   rows                    the packets, an array of CopyRow<Context>
//   more_dwords(row, header, body)   the dwords of a whole packet beyond its row's
//   address_bits            how many bits of an address count
//
// Linux drivers/gpu/drm/radeon/cikd.h (SDMA_*), drivers/gpu/drm/amd/amdgpu/sdma_v6_0_0_pkt_open.h.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/amd/packets/family.h"
#include "gpu/amd/packets/waiting.h"
#include "gpu/device/command_reader.h"
#include "gpu/device/queue_state.h"

namespace Atoll::gpu::amd {

// A packet's header: opcode 7:0, sub-opcode 15:8, the other bits are the opcode's own.
constexpr uint32_t sdma_opcode(uint32_t header) { return header & 0xff; }
constexpr uint32_t sdma_sub_opcode(uint32_t header) { return header >> 8 & 0xff; }

// The executor of a packet: its handler, or the engine if the packet concerns the buffer it stands in.
enum class CopyRole : uint8_t {
  handler,
  write,      // {address, a count}, and behind that the values
  call,       // {address, dwords}: another buffer
  condition,  // {address, reference, dwords}: those are executed if memory holds the reference
};

template <class Context>
struct CopyRow {
  static constexpr uint32_t any = ~0u;
  uint32_t opcode, sub_opcode;
  const char* name;
  uint32_t dwords;  // behind the header, at least
  CopyRole role = CopyRole::handler;
  void (*handler)(Context& c, uint32_t header, Body body) = nullptr;
};

template <class F>
uint64_t copy_address(uint32_t low, uint32_t high) {
  return address_of(low, high) & (~uint64_t(0) >> (64 - F::address_bits));
}

// --- packets that are alike

template <class Context>
void copy_nothing(Context&, uint32_t, Body) {}

template <class Context>
void copy_bytes(Context& c, uint64_t from, uint64_t to, uint64_t bytes) {
  if (!c.within(c.budget.bytes(bytes))) return;
  const uint8_t* source = c.memory(from, bytes, false, "copy from");
  uint8_t* destination = source ? c.memory(to, bytes, true, "copy to") : nullptr;
  if (destination) c.guarded(to, bytes, "copy", [&] { std::memmove(destination, source, bytes); });
}

template <class Context>
void fill_bytes(Context& c, uint64_t address, uint64_t bytes, uint32_t value) {
  uint8_t* to = c.memory(address, bytes, true, "fill");
  if (!to || !c.within(c.budget.bytes(bytes))) return;
  c.guarded(address, bytes, "fill", [&] {
    for (uint64_t n = 0; n < bytes; n += 4) std::memcpy(to + n, &value, std::min<uint64_t>(4, bytes - n));
  });
}

// {address, value}
template <class F>
void copy_fence(typename F::Context& c, uint32_t, Body b) {
  c.write(copy_address<F>(b[0] & ~3u, b[1]), &b[2], 4, "fence");
}

// {address, reference, mask, interval}: header 31 memory, 30:28 comparison.
template <class F>
void copy_poll(typename F::Context& c, uint32_t header, Body b) {
  auto met = [&](uint32_t value) { return compare(header >> 28 & 7, value & b[3], b[2]); };
  if (header >> 31) {
    const uint64_t address = copy_address<F>(b[0] & ~3u, b[1]);
    wait_until(c, [&] {
      uint32_t value;
      return !c.read(address, &value, 4, "polled memory") || met(value);
    });
  } else if (known_register(c, b[0])) {
    wait_for_register(c, b[0], met);
  }
}

// --- buffers

template <class F>
class CopyBuffers {
public:
  using Context = typename F::Context;
  explicit CopyBuffers(Context& context) : c(context) {}

  void run_buffer(uint64_t address, uint32_t dwords, unsigned depth) {
    constexpr unsigned max_depth = 3;  // of buffers that call buffers
    if (dwords == 0) return;
    if (!c.within(c.budget.buffers())) return;
    if (depth > max_depth) return void(c.lose(fmt::format("buffer at {:#x} is called too deep", address)));
    if (address & 3) return void(c.lose(fmt::format("buffer at {:#x}, which is no multiple of 4", address)));
    if (c.memory(address, uint64_t(dwords) * 4, false, "fetch of a command buffer")) run(CommandReader(address, dwords), depth);
  }

  void run(CommandReader reader, unsigned depth) {
    while (reader.left() && !c.lost()) {
      c.packet = "packet", c.packet_address = reader.address();
      if (c.stop.load(std::memory_order_relaxed)) return void(c.lose_stopped());
      c.statistics.packets++;
      c.progress.fetch_add(1, std::memory_order_relaxed);
      std::span<const uint32_t> words = peek(reader, 1);
      if (words.empty()) return;
      const uint32_t header = words[0];
      const CopyRow<Context>* row = find_row(header);
      // Its length is not known either: nothing behind it can be read.
      if (!row) {
        std::string what = fmt::format("SDMA packet {:#x}, sub-opcode {:#x}", sdma_opcode(header), sdma_sub_opcode(header));
        c.unknown(what);
        return void(c.lose(what + " is not understood"));
      }
      c.packet = row->name;
      c.begin_packet();
      uint64_t length = row->dwords, there = reader.left() - 1;
      if (length <= there) {
        words = peek(reader, 1 + length);
        if (words.empty()) return;
        length += F::more_dwords(*row, header, words.subspan(1));
      }
      if (length > there)
        return void(c.lose(fmt::format("needs {} dwords behind its header, its buffer ends after {}", length, there)));
      if (!c.within(c.budget.packets()) || !c.within(c.budget.dwords(1 + length))) return;
      const Body body = words.subspan(1);
      reader.skip(words.size());
      execute(*row, header, body, length - row->dwords, reader, depth);
    }
  }

private:
  Context& c;

  static const CopyRow<Context>* find_row(uint32_t header) {
    for (const CopyRow<Context>& row : F::rows)
      if (row.opcode == sdma_opcode(header) && (row.sub_opcode == row.any || row.sub_opcode == sdma_sub_opcode(header)))
        return &row;
    return nullptr;
  }

  std::span<const uint32_t> peek(CommandReader& reader, uint64_t dwords) {
    return reader.peek(dwords, [this](uint64_t address, uint32_t* to, uint64_t bytes) {
      return c.read(address, to, bytes, "fetch of a command buffer");
    });
  }

  // `more`: dwords that are left of the packet. (`body` is the reader's, as long as nothing more is taken from it.)
  void execute(const CopyRow<Context>& row, uint32_t header, Body body, uint64_t more, CommandReader& reader, unsigned depth) {
    if (row.role == CopyRole::handler) {
      row.handler(c, header, body);
      reader.skip(more);
      return;
    }
    const uint64_t address = copy_address<F>(body[0] & ~3u, body[1]);
    if (row.role == CopyRole::write) return write_values(reader, address, more);
    if (row.role == CopyRole::call) return run_buffer(address, body[2] & 0xfffff, depth + 1);
    const uint32_t reference = body[2], dwords = body[3] & 0x3fff;
    uint32_t value;
    if (!c.read(address, &value, 4, "condition")) return;
    if (value != reference) reader.skip(dwords);
  }

  // The values stand behind the packet's first dwords, as many as the buffer has: they are taken piece by piece.
  void write_values(CommandReader& reader, uint64_t address, uint64_t dwords) {
    if (!dwords || !c.memory(address, dwords * 4, true, "write of data")) return;
    while (dwords) {
      auto values = peek(reader, std::min(dwords, CommandReader::block_dwords));
      if (values.empty() || !c.write(address, values.data(), values.size_bytes(), "write of data")) return;
      reader.skip(values.size());
      address += values.size_bytes(), dwords -= values.size();
    }
  }
};

// Calls `run` with the engine. False: the context is lost.
template <class F, class Run>
bool with_copy_engine(typename F::Context& c, Run run) {
  FaultRecovery recovery;
  c.recovery = &recovery;
  run(CopyBuffers<F>(c));
  c.recovery = nullptr;
  return !c.lost();
}

template <class F>
bool run_copy_buffers(typename F::Context& c, std::span<const CommandBuffer> buffers) {
  return with_copy_engine<F>(c, [&](CopyBuffers<F> engine) {
    for (const CommandBuffer& buffer : buffers) {
      c.packet = "command buffer", c.packet_address = buffer.address;
      if (!c.lost()) engine.run_buffer(buffer.address, buffer.dwords, 1);
    }
  });
}

}  // namespace Atoll::gpu::amd
