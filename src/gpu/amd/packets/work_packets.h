// Draws and dispatches, as packets and registers begin them: what is counted, reported and handed over around a family's own draw() and
// dispatch(), which are found by the types of their calls.
#pragma once
#include <fmt/format.h>

#include "gpu/amd/packets/drawn_targets.h"
#include "gpu/amd/packets/family.h"
#include "gpu/amd/register_file.h"

namespace Atoll::gpu::amd {

// For fields that are not modelled yet: how a report names the work that met them.
template <class Context>
auto reporter_of_work(Context& c, const char* kind) {
  return [&c, kind](std::string what) {
    c.unknown(std::move(what), fmt::format(", {} {}", kind, c.statistics.draws + c.statistics.dispatches));
  };
}

// `within`: answers false where the call asks for more than the budget has, and has lost the context then.
template <class Context, class DrawCall, class Within>
void run_draw(Context& c, const DrawCall& call, Within within) {
  c.statistics.draws++;
  if (c.kind != QueueKind::graphics) return c.unknown("draw on a compute queue");
  c.not_yet.at_draw(c.registers, reporter_of_work(c, "draw"));
  if (c.lost() || !within()) return;
  if constexpr (requires { c.shader_files; })
    if (c.shader_files) c.shader_files->draw(c);
  if (!draw(c, call))
    c.lose("the draw failed");
  else
    hand_over_targets(c);
}

// The number of vertices that the last transform feedback left in a buffer (VGT_DRAW_INITIATOR.USE_OPAQUE). Size, offset and stride
// have one unit: dwords from radeonsi (Mesa si_state_draw.cpp, si_emit_draw_packets), bytes from RADV (radv_cmd_buffer.c). `F`: as
// family.h has it, with the three registers.
template <class F>
uint32_t opaque_count(const RegisterFile& r) {
  const uint64_t size = r.whole<typename F::VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE>();
  const uint64_t offset = r.whole<typename F::VGT_STRMOUT_DRAW_OPAQUE_OFFSET>();
  const uint64_t stride = r.whole<typename F::VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE>();
  return size > offset && stride ? uint32_t((size - offset) / stride) : 0;
}

// Gives a draw its indices: `first` and `limit` in indices of `call.index_bytes`, `limit` counted from `base`.
template <class DrawCall>
void put_indices(DrawCall& call, uint64_t base, uint64_t limit, uint32_t first) {
  call.index_address = base + uint64_t(first) * call.index_bytes;
  call.index_limit = uint32_t(limit > first ? limit - first : 0);
}

template <class Context, class DispatchCall>
void run_dispatch(Context& c, const DispatchCall& call) {
  c.statistics.dispatches++;
  c.not_yet.at_dispatch(c.registers, reporter_of_work(c, "dispatch"));
  if (c.lost()) return;
  if constexpr (requires { c.shader_files; })
    if (c.shader_files) c.shader_files->dispatch(c);
  const uint64_t before = c.dispatches.invocations;
  const bool good = dispatch(c, c.dispatches, call);
  // The graphics queue counts between PIPELINESTAT_START and _STOP. Compute queues know neither: a register says so, where the family has
  // it (`CountsInvocations`; Mesa 25.0.7 radv_cs.c, radv_emit_cache_flush, RADV_CMD_FLAG_START_PIPELINE_STATS).
  bool counts = c.counts;
  if constexpr (requires { typename DispatchCall::CountsInvocations; })
    if (c.kind != QueueKind::graphics) counts = c.registers.template get<typename DispatchCall::CountsInvocations>() != 0;
  if (!counts) c.dispatches.uncounted += c.dispatches.invocations - before;
  if (!good)
    c.lose("the dispatch failed");
  else
    hand_over_targets(c);
}

// DISPATCH_DIRECT
template <class DispatchCall, class Context>
void dispatch_direct(Context& c, Body body) {
  run_dispatch(c, DispatchCall{{body[0], body[1], body[2]}, decltype(DispatchCall::initiator)(body[3])});
}

// DISPATCH_INDIRECT. Compute queues give the arguments' address, the graphics queue an offset from SET_BASE (Mesa 22.3.6
// radv_cmd_buffer.c; 25.0.7 there, radv_emit_dispatch_packets).
template <class DispatchCall, class Context>
void dispatch_indirect(Context& c, Body body) {
  const bool by_address = body.size() >= 3;
  const uint64_t address = by_address ? address_of(body[0] & ~3u, body[1] & 0xffff) : c.indirect_base + body[0];
  DispatchCall call;
  if (!c.read(address, call.groups, 12, "arguments of a dispatch")) return;
  call.initiator = decltype(call.initiator)(body[by_address ? 2 : 1]);
  run_dispatch(c, call);
}

}  // namespace Atoll::gpu::amd
