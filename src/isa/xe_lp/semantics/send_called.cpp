#include "isa/xe_lp/semantics/send_called.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "base/half.h"
#include "base/removable_check.h"
#include "isa/xe_lp/registers.h"
#include "isa/xe_lp/surface_state.h"
#include "wave/environment.h"
#include "wave/interpreter/atomics.h"
#include "wave/probe.h"

namespace Atoll::xe_lp {
namespace {

using wave::AtomicOp;
using wave::FaultKind;

constexpr uint64_t address_mask = (uint64_t(1) << Sections::address_bits) - 1;

uint32_t* register_at(wave::Wave& wave, unsigned n) {
  return reinterpret_cast<uint32_t*>(
      wave::bytes_of(wave, grf_cell + (ATOLL_CHECK_REMOVED("xe_lp.registers") ? n : n % kRegisters) * kRegisterBytes));
}

template <class Body>
void for_lanes(uint32_t lanes, Body body) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1) body(unsigned(std::countr_zero(rest)));
}

// The memory that a message's addresses point into.
struct Place {
  enum class Kind : uint8_t { Memory, Stateless, Surface, Slm } kind = Kind::Memory;
  uint64_t base = 0, bytes = 0;
};

// False: a fault.
bool place_of(SendCall& c, const DataMessage& m, Place& place) {
  if (m.a64) return true;
  const ThreadContext& context = context_of(c.wave);
  if (m.bti == BTI_SLM) {
    place = {Place::Kind::Slm, 0, c.wave.lds_bytes};
  } else if (is_stateless(m.bti)) {
    // With a header the thread's scratch: its dword 5, and its size in dword 3.
    place = {Place::Kind::Stateless, context.general_state_base, 0};
    if (m.header && m.access != DataAccess::Untyped && m.access != DataAccess::Atomic) place.base += c.payload(0)[5] & ~1023u;
  } else {
    const uint32_t* state = surface_state(c, m.bti);
    if (!state) return false;
    BufferSurface surface = buffer_surface(state);
    place = {Place::Kind::Surface, surface.address, surface.bytes};
  }
  return true;
}

// Null: out of bounds, which reads 0 and writes nothing, or a fault.
uint8_t* byte_at(SendCall& c, const Place& place, uint64_t offset, unsigned bytes, FaultKind kind, int lane) {
  switch (place.kind) {
    case Place::Kind::Slm:
      offset &= 0xffff;
      return ATOLL_CHECK("xe_lp.slm.bounds", offset + bytes <= place.bytes) ? c.wave.lds + offset : nullptr;
    case Place::Kind::Surface:
      if (!ATOLL_CHECK("xe_lp.surface.called", offset <= place.bytes && bytes <= place.bytes - offset)) return nullptr;
      return c.memory(place.base + offset, bytes, kind, lane);
    case Place::Kind::Stateless: return c.window(place.base + offset, bytes, kind, lane);
    default: return c.memory(offset, bytes, kind, lane);
  }
}

uint64_t lane_address(const SendCall& c, const DataMessage& m, unsigned first, unsigned lane) {
  if (!m.a64) return uint64_t(c.payload(first + lane / 8)[lane % 8]) << m.address_shift;
  const uint32_t* pair = c.payload(first + lane / 4) + lane % 4 * 2;
  return pair[0] | uint64_t(pair[1]) << 32;
}

// The word of lane `lane`'s element in a payload or answer whose elements take registers_each.
unsigned element_register(const DataMessage& m, unsigned element, unsigned lane) {
  unsigned per_register = m.element_bytes == 8 ? 4 : 8;
  return element * (m.lanes / per_register) + lane / per_register;
}
unsigned element_dword(const DataMessage& m, unsigned lane) { return m.element_bytes == 8 ? lane % 4 * 2 : lane % 8; }
unsigned address_registers(const DataMessage& m) { return m.lanes / (m.a64 ? 4u : 8u); }

void access_elements(SendCall& c, const DataMessage& m, const Place& place) {
  const unsigned first = m.header, data = first + address_registers(m), bytes = m.element_bytes;
  const FaultKind kind = m.write ? FaultKind::Store : FaultKind::Load;
  const uint32_t lanes = c.enabled & ((1u << m.lanes) - 1);
  uint64_t addresses[16];
  for_lanes(lanes, [&](unsigned lane) { addresses[lane] = lane_address(c, m, first, lane); });
  // Loaded data may overwrite the addresses: an instruction acts element by element, each for all lanes.
  for_lanes(lanes, [&](unsigned lane) {
    unsigned from = 0;
    for (unsigned e = 0; e < m.elements; e++) {
      uint64_t value = 0;
      if (m.access == DataAccess::Untyped)
        while (!(m.channels >> from & 1)) from++;
      uint8_t* p = byte_at(c, place, addresses[lane] + uint64_t(from++) * bytes, bytes, kind, int(lane));
      if (c.fault != FaultKind::None) return;
      const unsigned n = element_register(m, e, lane), dword = element_dword(m, lane);
      if (m.write) {
        if (p && !c.probing) std::memcpy(p, c.payload(data + n) + dword, bytes);
      } else if (c.has_answer()) {
        if (p) std::memcpy(&value, p, bytes);
        std::memcpy(c.answer(n) + dword, &value, bytes == 8 ? 8 : 4);
      }
    }
  });
}

void access_block(SendCall& c, const DataMessage& m, Place place) {
  if (!m.header) return void(c.fail("a block message without a header"));
  const uint32_t* header = c.payload(0);
  uint64_t offset = m.a64 ? header[0] | uint64_t(header[1]) << 32 : uint64_t(header[2]) << m.address_shift;
  const FaultKind kind = m.write ? FaultKind::Store : FaultKind::Load;
  for (unsigned d = 0; d < m.elements; d++) {
    uint8_t* p = byte_at(c, place, offset + d * 4, 4, kind, -1);
    if (c.fault != FaultKind::None) return;
    const unsigned at = d + (m.high_half ? 4 : 0);
    if (m.write) {
      if (p && !c.probing) std::memcpy(p, c.payload(1 + at / 8) + at % 8, 4);
    } else if (c.has_answer()) {
      uint32_t value = 0;
      if (p) std::memcpy(&value, p, 4);
      c.answer(at / 8)[at % 8] = value;
    }
  }
}

void access_scratch(SendCall& c, const DataMessage& m) {
  if (!m.header) return void(c.fail("a scratch message without a header"));
  const uint32_t* header = c.payload(0);
  const uint64_t bytes = uint64_t(1024) << (header[3] & 15), offset = uint64_t(m.scratch_offset) * kRegisterBytes;
  if (!ATOLL_CHECK("xe_lp.scratch.bounds", offset + m.elements * kRegisterBytes <= bytes))
    return void(c.fail("a scratch message beyond the thread's scratch"));
  const uint64_t start = context_of(c.wave).general_state_base + (header[5] & ~1023u) + offset;
  for (unsigned n = 0; n < m.elements; n++) {
    uint8_t* p = c.window(start + n * kRegisterBytes, kRegisterBytes, m.write ? FaultKind::Store : FaultKind::Load);
    if (!p) return;
    if (m.write && !c.probing) std::memcpy(p, c.payload(1 + n), kRegisterBytes);
    if (!m.write && c.has_answer()) std::memcpy(c.answer(n), p, kRegisterBytes);
  }
}

struct Update {
  AtomicOp op = AtomicOp::Add;
  uint64_t data = 0, compare = 0;
};
// False: none that is executed. `operands`: those of the message.
bool update_of(const DataMessage& m, const uint64_t (&operands)[2], Update& u) {
  u = {AtomicOp::Add, operands[0], 0};
  if (m.floats) {
    switch (FloatAtomic(m.operation)) {
      case FloatAtomic::Maximum: u.op = AtomicOp::MaxF32; return true;
      case FloatAtomic::Minimum: u.op = AtomicOp::MinF32; return true;
      case FloatAtomic::CompareExchange: u = {AtomicOp::CompareSwapF32, operands[1], operands[0]}; return true;
      case FloatAtomic::Add: u.op = AtomicOp::AddF32; return true;
      case FloatAtomic::Subtract:
        u = {AtomicOp::AddF32, operands[0] ^ (m.element_bytes == 2 ? 0x8000u : 0x80000000u), 0};
        return true;
      default: return false;
    }
  }
  switch (IntegerAtomic(m.operation)) {
    case IntegerAtomic::And: u.op = AtomicOp::And; return true;
    case IntegerAtomic::Or: u.op = AtomicOp::Or; return true;
    case IntegerAtomic::Xor: u.op = AtomicOp::Xor; return true;
    case IntegerAtomic::Move: u.op = AtomicOp::Swap; return true;
    case IntegerAtomic::Increment: u.data = 1; return true;
    case IntegerAtomic::Decrement:
    case IntegerAtomic::PreDecrement: u.data = ~uint64_t(0); return true;
    case IntegerAtomic::Add: return true;
    case IntegerAtomic::Subtract: u.op = AtomicOp::Sub; return true;
    case IntegerAtomic::ReverseSubtract: u.op = AtomicOp::ReverseSub; return true;
    case IntegerAtomic::SignedMaximum: u.op = AtomicOp::SMax; return true;
    case IntegerAtomic::SignedMinimum: u.op = AtomicOp::SMin; return true;
    case IntegerAtomic::UnsignedMaximum: u.op = AtomicOp::UMax; return true;
    case IntegerAtomic::UnsignedMinimum: u.op = AtomicOp::UMin; return true;
    case IntegerAtomic::CompareExchange: u = {AtomicOp::CompareSwap, operands[1], operands[0]}; return true;
    default: return false;
  }
}

// 16 bits in the words of 32: halves are chosen and compared as the floats that they are exactly.
uint16_t result_of_16(const Update& u, uint16_t old) {
  auto widened = [&](uint64_t x) -> uint64_t {
    const bool with_sign = u.op == AtomicOp::SMin || u.op == AtomicOp::SMax;
    return with_sign ? uint32_t(int32_t(int16_t(x))) : uint16_t(x);
  };
  auto real = [](uint64_t half) { return uint64_t(std::bit_cast<uint32_t>(float_from_half(uint16_t(half)))); };
  switch (u.op) {
    case AtomicOp::AddF32: return uint16_t(wave::atomic_result(AtomicOp::PackedAddF16, 4, old, uint16_t(u.data), 0));
    case AtomicOp::MinF32:
    case AtomicOp::MaxF32:
    case AtomicOp::CompareSwapF32: {
      const uint64_t result = wave::atomic_result(u.op, 4, real(old), real(u.data), real(u.compare));
      return half_from_float(std::bit_cast<float>(uint32_t(result)));
    }
    default: return uint16_t(wave::atomic_result(u.op, 4, widened(old), widened(u.data), widened(u.compare)));
  }
}
// Gives what was there.
uint64_t update_of_16(const Update& u, uint8_t* p) {
  std::atomic_ref word(*reinterpret_cast<uint16_t*>(p));
  uint16_t old = word.load();
  while (!word.compare_exchange_weak(old, result_of_16(u, old))) {
  }
  return old;
}

void atomic_lanes(SendCall& c, const DataMessage& m, const Place& place) {
  const unsigned first = m.header, data = first + address_registers(m), bytes = m.element_bytes, count = atomic_operands(m);
  const uint32_t lanes = c.enabled & ((1u << m.lanes) - 1);
  uint64_t results[16] = {};
  for_lanes(lanes, [&](unsigned lane) {
    if (c.fault != FaultKind::None) return;
    uint64_t operands[2] = {0, 0};
    for (unsigned n = 0; n < count; n++)
      std::memcpy(&operands[n], c.payload(data + element_register(m, n, lane)) + element_dword(m, lane), bytes);
    Update u;
    if (!update_of(m, operands, u)) return void(c.fail("an atomic operation that is not executed"));
    const uint64_t address = lane_address(c, m, first, lane);
    uint8_t* p = byte_at(c, place, address, bytes, FaultKind::Atomic, int(lane));
    if (c.fault != FaultKind::None || !p) return;
    if (!ATOLL_CHECK("xe_lp.atomics.alignment", !(reinterpret_cast<uintptr_t>(p) & (bytes - 1u)))) {
      c.fault = FaultKind::Atomic, c.address = address, c.bytes = bytes, c.lane = int(lane);
      c.reason = "not aligned to its size";
      return;
    }
    if (c.probing) return;
    results[lane] = bytes == 2 ? update_of_16(u, p) : wave::atomic_update(u.op, bytes, p, u.data, u.compare);
    if (!m.floats && IntegerAtomic(m.operation) == IntegerAtomic::PreDecrement) results[lane]--;
    if (bytes == 2) results[lane] &= 0xffff;
  });
  if (c.fault != FaultKind::None || !m.returns || !c.has_answer()) return;
  for_lanes(lanes, [&](unsigned lane) {
    std::memcpy(c.answer(element_register(m, 0, lane)) + element_dword(m, lane), &results[lane], bytes == 8 ? 8 : 4);
  });
}

}  // namespace

uint32_t* SendCall::payload(unsigned n) const {
  const unsigned length = descriptor >> 25 & 15;
  return n < length ? register_at(wave, instruction.src[0].number + n)
                    : register_at(wave, instruction.src[1].number + n - length);
}
uint32_t* SendCall::answer(unsigned n) const { return register_at(wave, instruction.dst.number + n); }

uint8_t* SendCall::memory(uint64_t gpu_address, unsigned size, FaultKind kind, int of_lane) {
  return window(Sections::of_window(wave.window).window_address(gpu_address & address_mask), size, kind, of_lane);
}
uint8_t* SendCall::window(uint64_t at, unsigned size, FaultKind kind, int of_lane) {
  const bool inside = at < wave.window_bytes && size <= wave.window_bytes - at;
  if (ATOLL_CHECK("xe_lp.memory.window", inside) && (!probing || is_mapped(wave, kind, at, size))) return wave.window + at;
  if (fault == FaultKind::None) fault = kind, address = at, bytes = size, lane = of_lane;
  return nullptr;
}

const uint32_t* surface_state(SendCall& c, uint8_t bti) {
  const ThreadContext& context = context_of(c.wave);
  uint64_t state = 0;
  if (bti == BTI_BINDLESS) {
    // The number of a 64-byte state behind the base is in bits 31:12 (Mesa 22.3.6 src/intel/vulkan/anv_device.c, max_bindless_views; Intel's
    // compute-runtime, DataPortBindlessSurfaceExtendedMessageDescriptor).
    state = context.bindless_surface_base + uint64_t(c.extended >> 12) * 64;
  } else {
    const uint8_t* at = c.window(context.binding_table + bti * 4u, 4, FaultKind::ScalarLoad);
    if (!at) return nullptr;
    uint32_t entry;
    std::memcpy(&entry, at, 4);
    state = context.surface_state_base + dg1::structures::BINDING_TABLE_STATE::Surface_State_Pointer::get(&entry);
  }
  return reinterpret_cast<const uint32_t*>(c.window(state & ~uint64_t(3), 64, FaultKind::ScalarLoad));
}

BufferSurface buffer_surface(const uint32_t* state) {
  if (SurfaceState::Surface_Type::get(state) != SurfaceState::Surface_Type::SURFTYPE_BUFFER) return {};
  return {SurfaceState::Surface_Base_Address::get(state), buffer_entries(state) * buffer_entry_bytes(state)};
}

KeptSurface kept_surface(const uint32_t* state, const Sections& sections) {
  const BufferSurface surface = buffer_surface(state);
  return {sections.window_address(surface.address & address_mask), uint32_t(std::min<uint64_t>(surface.bytes, ~0u))};
}

void run_data_message(SendCall& c, const DataMessage& m) {
  if (m.access == DataAccess::Fence) {  // memory is what it is; a synchronized one answers
    if (c.has_answer() && m.response_length && !c.probing) std::memset(c.answer(0), 0, kRegisterBytes);
    return;
  }
  if (m.access == DataAccess::Typed || m.access == DataAccess::TypedAtomic) return run_typed_message(c, m);
  if (m.access == DataAccess::ScratchBlock) return access_scratch(c, m);
  if (m.access == DataAccess::MediaBlock) return run_media_block(c, m);
  Place place;
  if (!place_of(c, m, place)) return;
  switch (m.access) {
    case DataAccess::Untyped:
    case DataAccess::Scattered: return access_elements(c, m, place);
    case DataAccess::Block: return access_block(c, m, place);
    case DataAccess::Atomic: return atomic_lanes(c, m, place);
    default: c.fail("a message to a data port that is not executed");
  }
}

// Payload and answer as they stand in the registers: one that reaches beyond them is refused, whose lengths a0 may have given.
void run_fixed_function(SendCall& c) {
  if (c.probing) return;
  wave::FixedFunctionMessage message;
  message.function = c.instruction.function;
  message.descriptor = c.descriptor, message.extended = c.extended;
  message.enabled = c.enabled, message.ends = c.instruction.end_of_thread;
  const unsigned length[] = {c.descriptor >> 25 & 15, c.extended >> 6 & 31}, answer = c.descriptor >> 20 & 31;
  auto words = [&](const Operand& o, unsigned registers) -> std::span<uint32_t> {
    if (o.file != File::Grf || !registers) return {};
    if (o.number + registers > kRegisters) {
      c.fail("a message reaches beyond the register file");
      return {};
    }
    return {register_at(c.wave, o.number), registers * (kRegisterBytes / 4)};
  };
  for (unsigned n = 0; n < 2; n++) message.payload[n] = words(c.instruction.src[n], length[n]);
  message.answer = words(c.instruction.dst, answer);
  if (c.fault != FaultKind::None) return;
  c.wave.environment->fixed_function(c.wave, message);
  if (message.fault) c.fail(message.fault);
}

void run_send(SendCall& c) {
  const auto function = Sfid(c.instruction.function);
  switch (function) {
    case Sfid::DataPort0:
    case Sfid::DataPort1:
    case Sfid::ConstantPort: {
      DataMessage m;
      if (const char* why = read_data_message(function, c.descriptor, m)) return void(c.fail(why));
      return run_data_message(c, m);
    }
    case Sfid::Sampler: return run_sampler_message(c);
    case Sfid::Urb: return run_urb_message(c);
    case Sfid::RenderTarget:
    case Sfid::PixelInterpolator: return run_fixed_function(c);
    default: c.fail("a message to a shared function that is not executed");
  }
}

}  // namespace Atoll::xe_lp
