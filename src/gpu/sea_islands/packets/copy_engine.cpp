#include "gpu/sea_islands/packets/copy_engine.h"

#include <fmt/format.h>

#include <cstring>

#include "gpu/amd/packets/copy_engine.h"
#include "gpu/sea_islands/packets/register_access.h"
#include "registers/lookup.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {
namespace {

using namespace packets;
using gpu::amd::address_of;
using gpu::amd::Body;
using gpu::amd::CopyRole;

constexpr uint32_t max_bytes = (1u << 22) - 1;  // of a copy or fill

void copy_linear(Context& c, uint32_t, Body b) {
  if (b[1]) c.unknown("SDMA_COPY with byte swap");
  gpu::amd::copy_bytes(c, address_of(b[2], b[3]), address_of(b[4], b[5]), b[0] & max_bytes);
}

// {source, x | y << 16, z | pitch - 1 << 16, slice - 1} and the same of the destination, then width | height << 16, depth;
// all in elements of 1 << header[31:29] bytes.
void copy_linear_window(Context& c, uint32_t header, Body b) {
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
      gpu::amd::copy_bytes(c, row(from, y, z), row(to, y, z), uint64_t(width) * element);
      if (c.lost()) return;
      if (c.stop.load(std::memory_order_relaxed)) return void(c.lose_stopped());
    }
}

// {address, value, bytes}: header 31:30 says whether the value is a byte or a dword.
void constant_fill(Context& c, uint32_t header, Body b) {
  uint64_t address = address_of(b[0], b[1]), bytes = b[3] & max_bytes;
  uint32_t value = b[2];
  switch (header >> 30) {
    case SDMA_CONSTANT_FILL_SIZE::BYTE: value = (value & 0xff) * 0x01010101; break;
    case SDMA_CONSTANT_FILL_SIZE::DWORD: break;
    default: return c.unknown(fmt::format("SDMA_CONSTANT_FILL of size {}", header >> 30));
  }
  gpu::amd::fill_bytes(c, address, bytes, value);
}

// {address}: header 30 signal, 29 writes 1 instead of adding it, 31 a mailbox.
void semaphore(Context& c, uint32_t header, Body b) {
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
void generate_entries(Context& c, uint32_t, Body b) {
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

void timestamp(Context& c, uint32_t header, Body b) {
  const uint32_t form = gpu::amd::sdma_sub_opcode(header);
  if (form == SDMA_TIMESTAMP_SUB_OPCODE::SET_LOCAL) return;
  // A global timestamp at an address that is no multiple of 32 is 0 (AMD PAL, oss2DmaCmdBuffer.cpp, WriteTimestampCmd()).
  const bool misplaced = form == SDMA_TIMESTAMP_SUB_OPCODE::GET_GLOBAL && b[0] % 32 >= 8;
  uint64_t now = misplaced ? 0 : c.clock();
  c.write(address_of(b[0] & ~7u, b[1]), &now, 8, "timestamp");
}

void register_write(Context& c, uint32_t, Body b) {
  uint32_t address = (b[0] & 0xffff) * 4;
  if (known_register(c, address)) write_register(c, address, b[1]);
}

struct Sdma {
  using Context = sea_islands::Context;
  using Row = gpu::amd::CopyRow<Context>;
  static constexpr unsigned address_bits = 64;
  static const Row rows[14];
  static uint64_t more_dwords(const Row& row, uint32_t header, Body body) {
    return row.opcode == SDMA_NOP::opcode ? header >> 16 & 0x3fff : row.role == CopyRole::write ? body[2] : 0;
  }
};

void poll(Context& c, uint32_t header, Body b) {
  if (header >> 26 & 1) return c.unknown("SDMA_POLL_REG_MEM that writes");
  gpu::amd::copy_poll<Sdma>(c, header, b);
}

constexpr Sdma::Row Sdma::rows[14] = {
    {SDMA_NOP::opcode, Row::any, "SDMA_NOP", 0, CopyRole::handler, gpu::amd::copy_nothing},
    {SDMA_COPY::opcode, SDMA_COPY_SUB_OPCODE::LINEAR, "SDMA_COPY", 6, CopyRole::handler, copy_linear},
    {SDMA_COPY::opcode, SDMA_COPY_SUB_OPCODE::LINEAR_SUB_WINDOW, "SDMA_COPY", 12, CopyRole::handler, copy_linear_window},
    {SDMA_WRITE::opcode, SDMA_WRITE_SUB_OPCODE::LINEAR, "SDMA_WRITE", 3, CopyRole::write},
    {SDMA_INDIRECT_BUFFER::opcode, Row::any, "SDMA_INDIRECT_BUFFER", 3, CopyRole::call},
    {SDMA_FENCE::opcode, Row::any, "SDMA_FENCE", 3, CopyRole::handler, gpu::amd::copy_fence<Sdma>},
    // An interrupt, for the kernel, and what it is told (ROCR-Runtime 5.2.3 sdma_registers.h, of GFX7 as well; cik_sdma.c leaves that out and
    // lets what it pads its ring with follow).
    {SDMA_TRAP::opcode, Row::any, "SDMA_TRAP", 1, CopyRole::handler, gpu::amd::copy_nothing},
    {SDMA_SEMAPHORE::opcode, Row::any, "SDMA_SEMAPHORE", 2, CopyRole::handler, semaphore},
    {SDMA_POLL_REG_MEM::opcode, Row::any, "SDMA_POLL_REG_MEM", 5, CopyRole::handler, poll},
    {SDMA_COND_EXEC::opcode, Row::any, "SDMA_COND_EXEC", 4, CopyRole::condition},
    {SDMA_CONSTANT_FILL::opcode, Row::any, "SDMA_CONSTANT_FILL", 4, CopyRole::handler, constant_fill},
    {SDMA_GENERATE_PTE_PDE::opcode, Row::any, "SDMA_GENERATE_PTE_PDE", 9, CopyRole::handler, generate_entries},
    {SDMA_TIMESTAMP::opcode, Row::any, "SDMA_TIMESTAMP", 2, CopyRole::handler, timestamp},
    {SDMA_SRBM_WRITE::opcode, Row::any, "SDMA_SRBM_WRITE", 2, CopyRole::handler, register_write},
};

}  // namespace

bool run_copy_engine(Context& context, std::span<const gpu::CommandBuffer> buffers) {
  return gpu::amd::run_copy_buffers<Sdma>(context, buffers);
}

bool run_copy_engine(Context& context, uint64_t address, std::vector<uint32_t> words) {
  return gpu::amd::with_copy_engine<Sdma>(context,
                                          [&](auto engine) { engine.run(gpu::CommandReader(address, std::move(words)), 0); });
}

}  // namespace Atoll::sea_islands
