// Events and the values that they write. Everything drawn or dispatched before is done when a packet is reached, and targets are
// written back before these packets: flushes, and the waits of RELEASE_MEM and ACQUIRE_MEM in pairs ("pixel wait sync"), need no
// more work here. Layouts in memory: Mesa 25.0.7 src/gallium/drivers/radeonsi/si_query.c and src/amd/vulkan/radv_query.c (counts
// of samples, pipeline statistics).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpu/amd/packets/counts.h"
#include "gpu/amd/packets/end_of_pipe.h"
#include "gpu/gfx12/packets/packet_handlers.h"
#include "gpu/gfx12/shaders/shaders.h"

namespace Atoll::gfx12 {

using namespace packets;

namespace {

// Eleven as on every chip, then mesh shaders' invocations and primitives, and task shaders' invocations, which run on compute queues
// (radv_query.c, pipeline_statistics_indices and radv_end_ms_prim_query: from GFX11 on no shader counts them). Compute queues write the
// invocations of compute shaders alone, at the address itself (radv_begin_pipeline_stat_query, where radv_cmd_buffer_uses_mec).
void write_pipeline_statistics(Context& c, uint64_t address) {
  const uint64_t computed = gpu::amd::compute_invocations(c);
  if (c.kind != gpu::QueueKind::graphics) return void(c.write(address, &computed, sizeof computed, "pipeline statistics"));
  std::array<uint64_t, 14> values{};
  std::ranges::copy(gpu::amd::pipeline_statistics(c), values.begin());
  values[11] = c.mesh_invocations, values[12] = c.mesh_primitives;
  c.write(address, values.data(), sizeof values, "pipeline statistics");
}

}  // namespace

void event(Context& c, uint32_t type) {
  switch (type) {
    case EVENT_TYPE::PIPELINESTAT_START: c.counts = true; break;
    case EVENT_TYPE::PIPELINESTAT_STOP: c.counts = false; break;
    case EVENT_TYPE::RST_PIX_CNT: c.counters.samples_passed = 0; break;
    // Order only.
    case EVENT_TYPE::CACHE_FLUSH_TS:
    case EVENT_TYPE::CONTEXT_DONE:
    case EVENT_TYPE::CACHE_FLUSH:
    case EVENT_TYPE::CS_PARTIAL_FLUSH:
    case EVENT_TYPE::BREAK_BATCH:
    case EVENT_TYPE::VS_PARTIAL_FLUSH:
    case EVENT_TYPE::PS_PARTIAL_FLUSH:
    case EVENT_TYPE::CACHE_FLUSH_AND_INV_TS_EVENT:
    case EVENT_TYPE::CACHE_FLUSH_AND_INV_EVENT:
    case EVENT_TYPE::CS_CONTEXT_DONE:
    case EVENT_TYPE::VGT_FLUSH:
    case EVENT_TYPE::SQ_NON_EVENT:  // a delay (Mesa 25.0.7 si_state_draw.cpp, radv_cmd_buffer.c: behind transform feedback)
    case EVENT_TYPE::SC_SEND_DB_VPZ:
    case EVENT_TYPE::BOTTOM_OF_PIPE_TS:
    case EVENT_TYPE::DB_CACHE_FLUSH_AND_INV:
    case EVENT_TYPE::FLUSH_AND_INV_DB_DATA_TS:
    case EVENT_TYPE::FLUSH_AND_INV_DB_META:
    case EVENT_TYPE::FLUSH_AND_INV_CB_DATA_TS:
    case EVENT_TYPE::FLUSH_AND_INV_CB_META:
    case EVENT_TYPE::CS_DONE:
    case EVENT_TYPE::PS_DONE:
    case EVENT_TYPE::FLUSH_AND_INV_CB_PIXEL_DATA:
    case EVENT_TYPE::CONTEXT_SUSPEND:
    case EVENT_TYPE::DRAW_DONE:
    // Performance counters count nothing here: their registers read 0.
    case EVENT_TYPE::PERFCOUNTER_START:
    case EVENT_TYPE::PERFCOUNTER_STOP:
    case EVENT_TYPE::PERFCOUNTER_SAMPLE: break;
    default: c.unknown(fmt::format("event {}", type));
  }
}

void Pm4::event(Context& c, uint32_t type) { gfx12::event(c, type); }

// Not those that say what is counted of draws from now on (drivers put them round each clear), and that wait for vertices alone.
bool event_concerns_targets(Body body) {
  switch (EVENT_WRITE::VGT_EVENT_INITIATOR::EVENT_TYPE::get(body[0])) {
    case EVENT_TYPE::PIPELINESTAT_START:
    case EVENT_TYPE::PIPELINESTAT_STOP:
    case EVENT_TYPE::BREAK_BATCH:
    case EVENT_TYPE::VS_PARTIAL_FLUSH:
    case EVENT_TYPE::VGT_FLUSH:
    case EVENT_TYPE::SQ_NON_EVENT: return false;
    default: return true;
  }
}

// radeonsi sends one behind every draw with HiZ that writes nothing, flushes nothing and tells nobody (Mesa 25.0.7 si_build_pm4.h,
// radeon_emit_alt_hiz_logic).
bool release_concerns_targets(Body body) {
  using Op = RELEASE_MEM::RELEASE_MEM_OP;
  constexpr uint32_t event = Op::EVENT_TYPE::mask | Op::EVENT_INDEX::mask;
  return Op::EVENT_TYPE::get(body[0]) != EVENT_TYPE::BOTTOM_OF_PIPE_TS || body[0] & ~event || body[1];
}

void event_write(CommandProcessor& cp, Body body) {
  using Initiator = EVENT_WRITE::VGT_EVENT_INITIATOR;
  Context& c = cp.c;
  const uint32_t type = Initiator::EVENT_TYPE::get(body[0]);
  auto with_address = [&](auto write) {
    if (body.size() >= 3)
      write(address_of(body[1] & ~7u, body[2] & 0xffff));
    else
      c.unknown(fmt::format("event {} without an address", type));
  };
  switch (type) {
    case EVENT_TYPE::PIXEL_PIPE_STAT_DUMP: with_address([&](uint64_t at) { gpu::amd::write_samples_passed(c, at); }); break;
    case EVENT_TYPE::PIXEL_PIPE_STAT_CONTROL:
    case EVENT_TYPE::PIXEL_PIPE_STAT_RESET: break;  // all backends count, from wherever they stand
    case EVENT_TYPE::SAMPLE_PIPELINESTAT: with_address([&](uint64_t at) { write_pipeline_statistics(c, at); }); break;
    default: event(c, type);
  }
}

void event_write_zpass(CommandProcessor& cp, Body body) {
  gpu::amd::write_samples_passed(cp.c, address_of(body[0] & ~7u, body[1] & 0xffff));
}

namespace {

constexpr bool invalidates_instructions(Body body) {
  using Cntl = ACQUIRE_MEM::GCR_CNTL;
  return Cntl::GLI_INV::get(body[Cntl::index]) != Cntl::GLI_INV::GLI_NOP;
}

}  // namespace

// Programs are looked at again; all else is coherent.
void acquire_mem(CommandProcessor& cp, Body body) {
  if (invalidates_instructions(body)) cp.c.shaders->invalidate();
}

}  // namespace Atoll::gfx12
