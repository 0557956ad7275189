// Packets that write and copy memory and registers.
#pragma once
#include <fmt/format.h>

#include "gpu/amd/packets/atomic_operation.h"
#include "gpu/amd/packets/family.h"
#include "gpu/amd/packets/waiting.h"

namespace Atoll::gpu::amd {

template <class F>
void write_data(typename F::Processor& cp, Body body) {
  using Control = typename F::WRITE_DATA::CONTROL;
  using Destination = typename Control::DST_SEL;
  auto& c = cp.c;
  Body values = body.subspan(3);
  bool one_address = Control::WR_ONE_ADDR::get(body[0]);
  const uint32_t destination = Destination::get(body[0]);
  if constexpr (requires { Destination::GDS; }) {
    if (destination == Destination::GDS) {
      uint32_t offset = body[1] & 0xffff;
      for (uint32_t value : values) {
        F::write_gds(c, offset, &value, 4);
        if (!one_address) offset += 4;
      }
      return;
    }
  }
  switch (destination) {
    case Destination::MEM_MAPPED_REGISTER: {
      uint32_t address = (body[1] & F::register_number_mask) * 4;
      for (uint32_t value : values) {
        if (F::known_register(c, address)) F::write_register(c, address, value);
        if (!one_address) address += 4;
      }
      return;
    }
    case Destination::MEM_GRBM:
    case Destination::TC_L2:
    case Destination::MEM: {
      uint64_t address = address_of(body[1] & ~3u, body[2] & 0xffff);
      if (values.empty()) return;
      if (one_address) {
        for (uint32_t value : values)
          if (!c.write(address, &value, 4, "write of data")) return;
      } else {
        c.write(address, values.data(), values.size_bytes(), "write of data");
      }
      return;
    }
    default: c.unknown(fmt::format("WRITE_DATA to {}", destination));
  }
}

namespace copies {

// COPY_DATA's value, of 4 or 8 bytes; false: there is none, and that is reported.
template <class F>
bool source(typename F::Context& c, Body body, bool wide, uint64_t& value) {
  using Source = typename F::COPY_DATA::CONTROL::SRC_SEL;
  const uint32_t select = Source::get(body[0]);
  if constexpr (requires { Source::GDS; })
    if (select == Source::GDS) return F::read_gds(c, body[1] & 0xffff, &value, wide ? 8 : 4), true;
  if constexpr (requires { Source::SYSTEM_CLOCK; })
    if (select == Source::SYSTEM_CLOCK) return value = c.clock(), true;
  switch (select) {
    case Source::REG:
    case Source::PERF: {
      uint32_t address = (body[1] & F::register_number_mask) * 4;
      if (!F::known_register(c, address)) return false;
      value = F::read_register(c, address);
      if (wide) value |= uint64_t(F::read_register(c, address + 4)) << 32;
      return true;
    }
    case Source::SRC_MEM:
    case Source::TC_L2: return c.read(address_of(body[1] & ~3u, body[2] & 0xffff), &value, wide ? 8 : 4, "copied data");
    case Source::IMM: return value = address_of(body[1], body[2]), true;
    case Source::TIMESTAMP: return value = c.clock(), true;
    default: c.unknown(fmt::format("COPY_DATA from {}", select)); return false;
  }
}

}  // namespace copies

template <class F>
void copy_data(typename F::Processor& cp, Body body) {
  using Control = typename F::COPY_DATA::CONTROL;
  using Destination = typename Control::DST_SEL;
  auto& c = cp.c;
  bool wide = Control::COUNT_SEL::get(body[0]);
  uint64_t value = 0;
  if (!copies::source<F>(c, body, wide, value)) return;
  const uint32_t destination = Destination::get(body[0]);
  if constexpr (requires { Destination::GDS; })
    if (destination == Destination::GDS) return F::write_gds(c, body[3] & 0xffff, &value, wide ? 8 : 4);
  switch (destination) {
    case Destination::REG:
    case Destination::PERF: {
      uint32_t address = (body[3] & F::register_number_mask) * 4;
      if (!F::known_register(c, address)) return;
      F::write_register(c, address, uint32_t(value));
      if (wide) F::write_register(c, address + 4, uint32_t(value >> 32));
      break;
    }
    case Destination::DST_MEM_GRBM:
    case Destination::TC_L2:
    case Destination::DST_MEM: c.write(address_of(body[3] & ~3u, body[4] & 0xffff), &value, wide ? 8 : 4, "copy of data"); break;
    default: c.unknown(fmt::format("COPY_DATA to {}", destination));
  }
}

// The older form.
template <class F>
void copy_dw(typename F::Processor& cp, Body body) {
  using Control = typename F::COPY_DW::CONTROL;
  auto& c = cp.c;
  uint32_t value = 0;
  if (Control::SRC_IS_MEM::get(body[0])) {
    if (!c.read(address_of(body[1] & ~3u, body[2] & 0xffff), &value, 4, "copied dword")) return;
  } else if (uint32_t address = (body[1] & F::register_number_mask) * 4; F::known_register(c, address)) {
    value = F::read_register(c, address);
  }
  if (Control::DST_IS_MEM::get(body[0])) {
    c.write(address_of(body[3] & ~3u, body[4] & 0xffff), &value, 4, "copy of a dword");
  } else if (uint32_t address = (body[3] & F::register_number_mask) * 4; F::known_register(c, address)) {
    F::write_register(c, address, value);
  }
}

template <class F>
void atomic_mem(typename F::Processor& cp, Body body) {
  using Control = typename F::ATOMIC_MEM::CONTROL;
  auto& c = cp.c;
  const uint32_t operation = Control::ATOMIC::get(body[0]);
  const bool wide = atomics::Wide::get(operation);
  uint64_t address = address_of(body[1] & (wide ? ~7u : ~3u), body[2] & 0xffff), bytes = wide ? 8 : 4;
  uint64_t data = address_of(body[3], body[4]), comparand = address_of(body[5], body[6]);
  bool known = true, swapped = true;
  auto once = [&] {
    uint8_t* at = c.memory(address, bytes, true, "atomic operation");
    if (!at) return true;
    c.guarded(address, bytes, "atomic operation", [&] { known = apply_atomic(at, operation, data, comparand, swapped); });
    return !known || swapped;
  };
  if (Control::COMMAND::get(body[0]) == Control::COMMAND::LOOP)
    wait_until(c, once);
  else
    once();
  if (!known) c.unknown(fmt::format("ATOMIC_MEM operation {:#x}", operation));
}

}  // namespace Atoll::gpu::amd
