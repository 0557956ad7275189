// Packets that say what is executed: buffers called, conditions, predication.
#pragma once
#include <fmt/format.h>

#include "gpu/amd/packets/family.h"

namespace Atoll::gpu::amd {

template <class F>
void indirect_buffer(typename F::Processor& cp, Body body) {
  using Control = typename F::INDIRECT_BUFFER::IB_CONTROL;
  cp.stream->call(address_of(body[0] & ~3u, body[1] & 0xffff), Control::IB_SIZE::get(body[2]), Control::CHAIN::get(body[2]));
}

// The next dwords are executed if the dword in memory is not 0.
template <class F>
void cond_exec(typename F::Processor& cp, Body body) {
  uint32_t value;
  if (!cp.c.read(address_of(body[0] & ~3u, body[1] & 0xffff), &value, 4, "condition")) return;
  if (value == 0) cp.stream->skip(F::COND_EXEC::EXEC_COUNT::EXEC_COUNT_::get(body[3]));
}

// The next dwords are for the devices of a mask; there is one.
template <class F>
void pred_exec(typename F::Processor& cp, Body body) {
  using Control = typename F::PRED_EXEC::CONTROL;
  if (!(Control::DEVICE_SELECT::get(body[0]) & 1)) cp.stream->skip(Control::EXEC_COUNT::get(body[0]));
}

namespace predication {

// Samples counted by any render backend between begin and end: a pair of 64-bit counts each. Bit 63 says that a count is there.
template <class F>
bool any_sample(typename F::Context& c, uint64_t address, bool& visible) {
  for (unsigned backend = 0; backend < F::render_backends(c); backend++) {
    uint64_t pair[2];
    if (!c.read(address + backend * 16, pair, 16, "occlusion result")) return false;
    if ((pair[0] & pair[1]) >> 63 && pair[0] != pair[1]) visible = true;
  }
  return true;
}

// Finds out whether stream-out had room: {needed, written} at begin, then at end.
template <class Context>
bool no_overflow(Context& c, uint64_t address, bool& visible) {
  uint64_t counts[4];
  if (!c.read(address, counts, 32, "stream-out statistics")) return false;
  visible = counts[2] - counts[0] == counts[3] - counts[1];
  return true;
}

// The alignment of a predicate's address: 16 if it holds a query's pairs of counts, 8 if it is one number of 64 bits (AMD PAL,
// gfx6CmdUtil.cpp, BuildSetPredication()), 4 if it is one of 32 (VkConditionalRenderingBeginInfoEXT::offset, which RADV passes
// on).
template <class Op>
uint64_t alignment(uint32_t operation) {
  return operation == Op::BOOL64 ? 8 : operation == Op::BOOL32 ? 4 : 16;
}

}  // namespace predication

template <class F>
void set_predication(typename F::Processor& cp, Body body) {
  using Control = typename F::SET_PREDICATION::CONTROL;
  using Op = typename Control::PRED_OP;
  auto& c = cp.c;
  const uint32_t control = body[Control::index], operation = Op::get(control);
  uint64_t address = F::predicate_address(body) & ~(predication::alignment<Op>(operation) - 1);
  bool visible = false;
  uint64_t value = 0;
  bool and_with_others = false;
  switch (operation) {
    case Op::CLEAR: c.predicate.fails = false; return;
    case Op::ZPASS:
      if (!predication::any_sample<F>(c, address, visible)) return;
      break;
    case Op::PRIMCOUNT:
      if (!predication::no_overflow(c, address, visible)) return;
      and_with_others = true;
      break;
    case Op::BOOL64:
      if (!c.read(address, &value, 8, "predicate")) return;
      visible = value != 0;
      break;
    case Op::BOOL32:
      if (!c.read(address, &value, 4, "predicate")) return;
      visible = value != 0;
      break;
    default: c.unknown(fmt::format("SET_PREDICATION operation {}", operation)); return;
  }
  if (Control::CONTINUE::get(control))
    visible = and_with_others ? visible && c.predicate.visible : visible || c.predicate.visible;
  c.predicate.visible = visible;
  c.predicate.fails = visible != (Control::PREDICATION_BOOLEAN::get(control) == Control::PREDICATION_BOOLEAN::DRAW_VISIBLE);
}

}  // namespace Atoll::gpu::amd
