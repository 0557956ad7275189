// Packets that wait: for memory, registers and semaphores.
#pragma once
#include <fmt/format.h>

#include "gpu/amd/packets/family.h"
#include "gpu/amd/packets/waiting.h"

namespace Atoll::gpu::amd {

template <class F>
void wait_reg_mem(typename F::Processor& cp, Body body) {
  using Op = typename F::WAIT_REG_MEM::OP;
  auto& c = cp.c;
  uint32_t function = Op::FUNCTION::get(body[0]), reference = body[3], mask = body[4];
  if (Op::OPERATION::get(body[0]) == Op::OPERATION::WR_WAIT_WR_REG) {
    // Writes the reference to the first register, then waits for the second to have its bits of the mask.
    uint32_t written = (body[1] & F::register_number_mask) * 4, waited = (body[2] & F::register_number_mask) * 4;
    if (F::known_register(c, written)) F::write_register(c, written, reference);
    if (F::known_register(c, waited))
      F::wait_for_register(c, waited, [&](uint32_t value) { return compare(function, value & mask, reference & mask); });
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
  uint32_t address = (body[1] & F::register_number_mask) * 4;
  if (!F::known_register(c, address)) return;
  F::wait_for_register(c, address, [&](uint32_t value) { return compare(function, value & mask, reference); });
}

template <class F>
void cond_write(typename F::Processor& cp, Body body) {
  using Control = typename F::COND_WRITE::CONTROL;
  auto& c = cp.c;
  uint32_t value = 0;
  if (Control::POLL_SPACE::get(body[0]) == Control::POLL_SPACE::MEMORY) {
    if (!c.read(address_of(body[1] & ~3u, body[2] & 0xffff), &value, 4, "condition")) return;
  } else if (uint32_t address = (body[1] & F::register_number_mask) * 4; F::known_register(c, address)) {
    value = F::read_register(c, address);
  }
  if (!compare(Control::FUNCTION::get(body[0]), value & body[4], body[3])) return;
  if (Control::WRITE_SPACE::get(body[0]) == Control::WRITE_SPACE::MEMORY) {
    c.write(address_of(body[5] & ~3u, body[6] & 0xffff), &body[7], 4, "conditional write");
  } else if (uint32_t address = (body[5] & F::register_number_mask) * 4; F::known_register(c, address)) {
    F::write_register(c, address, body[7]);
  }
}

// A semaphore is a 64-bit count in memory: signalling adds 1 (or writes 1), waiting takes 1 away once it is there.
template <class F>
void mem_semaphore(typename F::Processor& cp, Body body) {
  using Control = typename F::MEM_SEMAPHORE::CONTROL;
  auto& c = cp.c;
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

}  // namespace Atoll::gpu::amd
