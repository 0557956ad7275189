#include "gpu/sea_islands/packets/copy_engine.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "gpu/amd/packets/waiting.h"
#include "gpu/device/command_reader.h"
#include "gpu/sea_islands/packets/register_access.h"
#include "registers/lookup.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {
namespace {

using namespace packets;

constexpr unsigned max_depth = 3;               // of buffers that call buffers
constexpr uint32_t max_bytes = (1u << 22) - 1;  // of a copy or fill

uint64_t address_of(uint32_t low, uint32_t high) { return uint64_t(high) << 32 | low; }

// Header: opcode 7:0, sub-opcode 15:8, what is left is the opcode's own.
constexpr uint32_t opcode_of(uint32_t header) { return header & 0xff; }
constexpr uint32_t sub_opcode_of(uint32_t header) { return header >> 8 & 0xff; }

class CopyEngine {
public:
  explicit CopyEngine(Context& context) : c(context) {}

  void run_buffer(uint64_t address, uint32_t dwords, unsigned depth) {
    if (dwords == 0) return;
    if (!c.within(c.budget.buffers())) return;
    if (depth > max_depth) return void(c.lose(fmt::format("buffer at {:#x} is called too deep", address)));
    if (address & 3) return void(c.lose(fmt::format("buffer at {:#x}, which is no multiple of 4", address)));
    if (c.memory(address, uint64_t(dwords) * 4, false, "fetch of a command buffer"))
      run(gpu::CommandReader(address, dwords), depth);
  }
  void run(gpu::CommandReader reader, unsigned depth);

private:
  Context& c;

  using Body = std::span<const uint32_t>;
  struct Row {
    const char* name;
    uint32_t dwords;  // behind the header, at least
    void (CopyEngine::*handler)(uint32_t header, Body body);
  };
  static const Row* find_row(uint32_t header);
  // Dwords of the whole packet beyond its row's.
  static uint64_t more_dwords(uint32_t header, Body body);
  std::span<const uint32_t> peek(gpu::CommandReader& reader, uint64_t dwords) {
    return reader.peek(dwords, [this](uint64_t address, uint32_t* to, uint64_t bytes) {
      return c.read(address, to, bytes, "fetch of a command buffer");
    });
  }

  void copy(uint64_t from, uint64_t to, uint64_t bytes) {
    if (!c.within(c.budget.bytes(bytes))) return;
    const uint8_t* source = c.memory(from, bytes, false, "copy from");
    uint8_t* destination = source ? c.memory(to, bytes, true, "copy to") : nullptr;
    if (destination) c.guarded(to, bytes, "copy", [&] { std::memmove(destination, source, bytes); });
  }

  void nop(uint32_t, Body) {}
  void copy_linear(uint32_t, Body b) {
    if (b[1]) c.unknown("SDMA_COPY with byte swap");
    copy(address_of(b[2], b[3]), address_of(b[4], b[5]), b[0] & max_bytes);
  }
  void copy_linear_window(uint32_t header, Body b);
  void write_linear(gpu::CommandReader& reader, uint64_t address, uint64_t dwords);
  void constant_fill(uint32_t header, Body b);
  void fence(uint32_t, Body b) { c.write(address_of(b[0] & ~3u, b[1]), &b[2], 4, "fence"); }
  void poll(uint32_t header, Body b);
  void semaphore(uint32_t header, Body b);
  void timestamp(uint32_t header, Body b) {
    if (sub_opcode_of(header) == SDMA_TIMESTAMP_SUB_OPCODE::SET_LOCAL) return;
    // A global timestamp at an address that is no multiple of 32 is 0 (AMD PAL, oss2DmaCmdBuffer.cpp, WriteTimestampCmd()).
    const bool misplaced = sub_opcode_of(header) == SDMA_TIMESTAMP_SUB_OPCODE::GET_GLOBAL && b[0] % 32 >= 8;
    uint64_t now = misplaced ? 0 : c.clock();
    c.write(address_of(b[0] & ~7u, b[1]), &now, 8, "timestamp");
  }
  void register_write(uint32_t, Body b) {
    uint32_t address = (b[0] & 0xffff) * 4;
    if (known_register(c, address)) write_register(c, address, b[1]);
  }
  void generate_entries(uint32_t, Body b);
  friend struct Table;
};

struct Table {
  struct Entry {
    uint32_t opcode, sub_opcode;
    CopyEngine::Row row;
  };
  static constexpr uint32_t any = ~0u;
  static constexpr Entry entries[] = {
      {SDMA_NOP::opcode, any, {"SDMA_NOP", 0, &CopyEngine::nop}},
      {SDMA_COPY::opcode, SDMA_COPY_SUB_OPCODE::LINEAR, {"SDMA_COPY", 6, &CopyEngine::copy_linear}},
      {SDMA_COPY::opcode, SDMA_COPY_SUB_OPCODE::LINEAR_SUB_WINDOW, {"SDMA_COPY", 12, &CopyEngine::copy_linear_window}},
      {SDMA_WRITE::opcode, SDMA_WRITE_SUB_OPCODE::LINEAR, {"SDMA_WRITE", 3, nullptr}},
      {SDMA_INDIRECT_BUFFER::opcode, any, {"SDMA_INDIRECT_BUFFER", 3, nullptr}},
      {SDMA_FENCE::opcode, any, {"SDMA_FENCE", 3, &CopyEngine::fence}},
      {SDMA_TRAP::opcode, any, {"SDMA_TRAP", 0, &CopyEngine::nop}},  // an interrupt, for the kernel
      {SDMA_SEMAPHORE::opcode, any, {"SDMA_SEMAPHORE", 2, &CopyEngine::semaphore}},
      {SDMA_POLL_REG_MEM::opcode, any, {"SDMA_POLL_REG_MEM", 5, &CopyEngine::poll}},
      {SDMA_COND_EXEC::opcode, any, {"SDMA_COND_EXEC", 4, nullptr}},
      {SDMA_CONSTANT_FILL::opcode, any, {"SDMA_CONSTANT_FILL", 4, &CopyEngine::constant_fill}},
      {SDMA_GENERATE_PTE_PDE::opcode, any, {"SDMA_GENERATE_PTE_PDE", 9, &CopyEngine::generate_entries}},
      {SDMA_TIMESTAMP::opcode, any, {"SDMA_TIMESTAMP", 2, &CopyEngine::timestamp}},
      {SDMA_SRBM_WRITE::opcode, any, {"SDMA_SRBM_WRITE", 2, &CopyEngine::register_write}},
  };
};

const CopyEngine::Row* CopyEngine::find_row(uint32_t header) {
  for (const Table::Entry& entry : Table::entries)
    if (entry.opcode == opcode_of(header) && (entry.sub_opcode == Table::any || entry.sub_opcode == sub_opcode_of(header)))
      return &entry.row;
  return nullptr;
}

uint64_t CopyEngine::more_dwords(uint32_t header, Body body) {
  if (opcode_of(header) == SDMA_NOP::opcode) return header >> 16 & 0x3fff;
  if (opcode_of(header) == SDMA_WRITE::opcode) return body[2];
  return 0;
}

void CopyEngine::run(gpu::CommandReader reader, unsigned depth) {
  while (reader.left() && !c.lost()) {
    c.packet = "packet", c.packet_address = reader.address();
    if (c.stop.load(std::memory_order_relaxed)) return void(c.lose_stopped());
    c.statistics.packets++;
    c.progress.fetch_add(1, std::memory_order_relaxed);
    std::span<const uint32_t> words = peek(reader, 1);
    if (words.empty()) return;
    const uint32_t header = words[0];
    const Row* row = find_row(header);
    // Its length is not known either: nothing behind it can be read.
    if (!row) {
      std::string what = fmt::format("SDMA packet {:#x}, sub-opcode {:#x}", opcode_of(header), sub_opcode_of(header));
      c.unknown(what);
      return void(c.lose(what + " is not understood"));
    }
    c.packet = row->name;
    uint64_t length = row->dwords, there = reader.left() - 1;
    if (length <= there) {
      words = peek(reader, 1 + length);
      if (words.empty()) return;
      length += more_dwords(header, words.subspan(1));
    }
    if (length > there)
      return void(c.lose(fmt::format("needs {} dwords behind its header, its buffer ends after {}", length, there)));
    if (!c.within(c.budget.packets()) || !c.within(c.budget.dwords(1 + length))) return;
    Body body = words.subspan(1);
    reader.skip(words.size());
    if (row->handler) {
      (this->*row->handler)(header, body);
      reader.skip(length - row->dwords);
    } else if (opcode_of(header) == SDMA_WRITE::opcode) {
      write_linear(reader, address_of(body[0] & ~3u, body[1]), body[2]);
    } else if (opcode_of(header) == SDMA_INDIRECT_BUFFER::opcode) {
      run_buffer(address_of(body[0] & ~3u, body[1]), body[2] & 0xfffff, depth + 1);
    } else {  // SDMA_COND_EXEC: {address, reference, dwords}: those are executed if memory holds the reference
      uint32_t value;
      if (!c.read(address_of(body[0] & ~3u, body[1]), &value, 4, "condition")) return;
      if (value != body[2]) reader.skip(body[3] & 0x3fff);
    }
  }
}

// The values stand behind the packet's first dwords, as many as the buffer has: they are taken piece by piece.
void CopyEngine::write_linear(gpu::CommandReader& reader, uint64_t address, uint64_t dwords) {
  if (!dwords || !c.memory(address, dwords * 4, true, "write of data")) return;
  while (dwords) {
    auto values = peek(reader, std::min(dwords, gpu::CommandReader::piece));
    if (values.empty() || !c.write(address, values.data(), values.size_bytes(), "write of data")) return;
    reader.skip(values.size());
    address += values.size_bytes(), dwords -= values.size();
  }
}

// {source, x | y << 16, z | pitch - 1 << 16, slice - 1} and the same of the destination, then width | height << 16, depth;
// all in elements of 1 << header[31:29] bytes.
void CopyEngine::copy_linear_window(uint32_t header, Body b) {
  unsigned element = 1u << (header >> 29);
  if (element > 16) return c.unknown("SDMA_COPY of elements beyond 16 bytes");
  struct Window {
    uint64_t address, x, y, z, pitch, slice;
  };
  auto window = [&](unsigned n) {
    return Window{address_of(b[n], b[n + 1]),    b[n + 2] & 0x3fff,
                  b[n + 2] >> 16 & 0x3fff,       b[n + 3] & 0x7ff,
                  (b[n + 3] >> 16 & 0x3fff) + 1, (b[n + 4] & 0xfffffff) + uint64_t(1)};
  };
  Window from = window(0), to = window(5);
  uint32_t width = b[10] & 0x3fff, height = b[10] >> 16 & 0x3fff, depth = b[11] & 0x7ff;
  auto row = [&](const Window& w, uint64_t y, uint64_t z) {
    return w.address + ((w.z + z) * w.slice + (w.y + y) * w.pitch + w.x) * element;
  };
  for (uint32_t z = 0; z < depth; z++)
    for (uint32_t y = 0; y < height && width; y++) {
      if (!c.within(c.budget.packets())) return;
      copy(row(from, y, z), row(to, y, z), uint64_t(width) * element);
      if (c.lost()) return;
      if (c.stop.load(std::memory_order_relaxed)) return void(c.lose_stopped());
    }
}

// {address, value, bytes}: header 31:30 says whether the value is a byte or a dword.
void CopyEngine::constant_fill(uint32_t header, Body b) {
  uint64_t address = address_of(b[0], b[1]), bytes = b[3] & max_bytes;
  uint32_t value = b[2];
  switch (header >> 30) {
    case SDMA_CONSTANT_FILL_SIZE::BYTE: value = (value & 0xff) * 0x01010101; break;
    case SDMA_CONSTANT_FILL_SIZE::DWORD: break;
    default: return c.unknown(fmt::format("SDMA_CONSTANT_FILL of size {}", header >> 30));
  }
  uint8_t* to = c.memory(address, bytes, true, "fill");
  if (!to || !c.within(c.budget.bytes(bytes))) return;
  c.guarded(address, bytes, "fill", [&] {
    for (uint64_t n = 0; n < bytes; n += 4) std::memcpy(to + n, &value, std::min<uint64_t>(4, bytes - n));
  });
}

// {address, reference, mask, interval}: header 31 memory, 30:28 comparison, 26 the writing form.
void CopyEngine::poll(uint32_t header, Body b) {
  uint32_t function = header >> 28 & 7;
  if (header >> 26 & 1) return c.unknown("SDMA_POLL_REG_MEM that writes");
  if (header >> 31) {
    uint64_t address = address_of(b[0] & ~3u, b[1]);
    gpu::amd::wait_until(c, [&] {
      uint32_t value;
      return !c.read(address, &value, 4, "polled memory") || gpu::amd::compare(function, value & b[3], b[2]);
    });
  } else if (known_register(c, b[0])) {
    wait_for_register(c, b[0], [&](uint32_t value) { return gpu::amd::compare(function, value & b[3], b[2]); });
  }
}

// {address}: header 30 signal, 29 writes 1 instead of adding it, 31 a mailbox.
void CopyEngine::semaphore(uint32_t header, Body b) {
  if (header >> 31) return c.unknown("SDMA_SEMAPHORE with a mailbox");
  uint64_t address = address_of(b[0] & ~7u, b[1]);
  bool taken = false;
  auto once = [&] {
    uint8_t* at = c.memory(address, 8, true, "semaphore");
    if (!at) return true;
    c.guarded(address, 8, "semaphore", [&] {
      uint64_t* count = reinterpret_cast<uint64_t*>(at);
      if (header >> 30 & 1) {
        if (header >> 29 & 1)
          __atomic_store_n(count, 1, __ATOMIC_RELEASE);
        else
          __atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL);
        taken = true;
        return;
      }
      uint64_t now = __atomic_load_n(count, __ATOMIC_ACQUIRE);
      while (now && !taken) taken = __atomic_compare_exchange_n(count, &now, now - 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    });
    return taken || c.lost();
  };
  gpu::amd::wait_until(c, once);
}

// Page table entries: {address, mask, first value, increment, count}, 8 bytes each.
void CopyEngine::generate_entries(uint32_t, Body b) {
  uint64_t address = address_of(b[0] & ~7u, b[1]), mask = address_of(b[2], b[3]), value = address_of(b[4], b[5]);
  uint64_t increment = address_of(b[6], b[7]);
  const uint64_t bytes = uint64_t(b[8] & 0x7ffff) * 8;
  uint8_t* to = c.memory(address, bytes, true, "page table entries");
  if (!to || !c.within(c.budget.bytes(bytes))) return;
  c.guarded(address, bytes, "page table entries", [&] {
    for (uint64_t n = 0; n < bytes; n += 8) {
      uint64_t entry = (value + n / 8 * increment) | mask;
      std::memcpy(to + n, &entry, 8);
    }
  });
}

template <class Body>
bool run(Context& c, Body body) {
  FaultRecovery recovery;
  c.recovery = &recovery;
  body(CopyEngine(c));
  c.recovery = nullptr;
  return !c.lost();
}

}  // namespace

bool run_copy_engine(Context& context, std::span<const gpu::CommandBuffer> buffers) {
  return run(context, [&](CopyEngine engine) {
    for (const gpu::CommandBuffer& buffer : buffers) {
      context.packet = "command buffer", context.packet_address = buffer.address;
      if (!context.lost()) engine.run_buffer(buffer.address, buffer.dwords, 1);
    }
  });
}

bool run_copy_engine(Context& context, uint64_t address, std::vector<uint32_t> words) {
  return run(context, [&](CopyEngine engine) { engine.run(gpu::CommandReader(address, std::move(words)), 0); });
}

}  // namespace Atoll::sea_islands
