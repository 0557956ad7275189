// Packets that wait: for memory, registers, semaphores, and for what was drawn before (which is done already here: packets
// follow each other, and targets are written back before these).
#include <fmt/format.h>

#include "gpu/sea_islands/packets/packet_handlers.h"
#include "gpu/sea_islands/packets/register_access.h"
#include "gpu/sea_islands/packets/waiting.h"
#include "gpu/sea_islands/shaders/shaders.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

using namespace packets;

void wait_reg_mem(CommandProcessor& cp, Body body) {
  using Op = WAIT_REG_MEM::OP;
  Context& c = cp.c;
  uint32_t function = Op::FUNCTION::get(body[0]), reference = body[3], mask = body[4];
  if (Op::OPERATION::get(body[0]) == Op::OPERATION::WR_WAIT_WR_REG) {
    // Writes the reference to the first register, then waits for the second to have its bits of the mask.
    uint32_t written = (body[1] & 0xffff) * 4, waited = (body[2] & 0xffff) * 4;
    if (known_register(c, written)) write_register(c, written, reference);
    if (known_register(c, waited))
      wait_for_register(c, waited, [&](uint32_t value) { return compare(function, value & mask, reference & mask); });
    return;
  }
  if (Op::MEM_SPACE::get(body[0]) == Op::MEM_SPACE::MEMORY) {
    uint64_t address = address_of(body[1] & ~3u, body[2] & 0xffff);
    wait_until(c, [&] {
      uint32_t value;
      return !c.read(address, &value, 4, "polled memory") || compare(function, value & mask, reference);
    });
    return;
  }
  uint32_t address = (body[1] & 0xffff) * 4;
  if (!known_register(c, address)) return;
  wait_for_register(c, address, [&](uint32_t value) { return compare(function, value & mask, reference); });
}

void cond_write(CommandProcessor& cp, Body body) {
  Context& c = cp.c;
  uint32_t value = 0;
  using Control = COND_WRITE::CONTROL;
  if (Control::POLL_SPACE::get(body[0]) == Control::POLL_SPACE::MEMORY) {
    if (!c.read(address_of(body[1] & ~3u, body[2] & 0xffff), &value, 4, "condition")) return;
  } else if (uint32_t address = (body[1] & 0xffff) * 4; known_register(c, address)) {
    value = read_register(c, address);
  }
  if (!compare(Control::FUNCTION::get(body[0]), value & body[4], body[3])) return;
  if (Control::WRITE_SPACE::get(body[0]) == Control::WRITE_SPACE::MEMORY) {
    c.write(address_of(body[5] & ~3u, body[6] & 0xffff), &body[7], 4, "conditional write");
  } else if (uint32_t address = (body[5] & 0xffff) * 4; known_register(c, address)) {
    write_register(c, address, body[7]);
  }
}

// A semaphore is a 64-bit count in memory: signalling adds 1 (or writes 1), waiting takes 1 away once it is there.
void mem_semaphore(CommandProcessor& cp, Body body) {
  using Control = MEM_SEMAPHORE::CONTROL;
  Context& c = cp.c;
  uint64_t address = address_of(body[0] & ~7u, Control::ADDRESS_HI::get(body[1]));
  if (Control::USE_MAILBOX::get(body[1])) c.unknown("MEM_SEMAPHORE with a mailbox");
  auto access = [&](auto operation) {
    uint8_t* at = c.memory(address, 8, true, "semaphore");
    return at && c.guarded(address, 8, "semaphore", [&] { operation(reinterpret_cast<uint64_t*>(at)); });
  };
  switch (Control::SEM_SEL::get(body[1])) {
    case Control::SEM_SEL::SIGNAL:
      access([&](uint64_t* count) {
        if (Control::SIGNAL_TYPE::get(body[1]))
          __atomic_store_n(count, 1, __ATOMIC_RELEASE);
        else
          __atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL);
      });
      return;
    case Control::SEM_SEL::WAIT:
      wait_until(c, [&] {
        bool taken = false;
        bool there = access([&](uint64_t* count) {
          uint64_t now = __atomic_load_n(count, __ATOMIC_ACQUIRE);
          while (now && !taken)
            taken = __atomic_compare_exchange_n(count, &now, now - 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
        });
        return taken || !there;
      });
      return;
    default: c.unknown(fmt::format("MEM_SEMAPHORE operation {}", Control::SEM_SEL::get(body[1])));
  }
}

namespace {

void coherence(Context& c, uint32_t control) {
  if (CP_COHER_CNTL::SH_ICACHE_ACTION_ENA::get(control) && c.shaders) c.shaders->invalidate();
}

}  // namespace

void surface_sync(CommandProcessor& cp, Body body) { coherence(cp.c, body[0]); }
void acquire_mem(CommandProcessor& cp, Body body) { coherence(cp.c, body[0]); }

}  // namespace Atoll::sea_islands
