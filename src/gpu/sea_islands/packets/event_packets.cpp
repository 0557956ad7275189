// Events and the values that they write. Everything drawn or dispatched before is done when a packet is reached, and targets are
// written back before these packets: flushes need no more work here. Layouts in memory: Mesa 22.3.6
// src/gallium/drivers/radeonsi/si_query.c (ZPASS_DONE, pipeline and stream-out statistics).
#include <fmt/format.h>

#include <array>

#include "gpu/amd/packets/counts.h"
#include "gpu/amd/packets/end_of_pipe.h"
#include "gpu/sea_islands/packets/packet_handlers.h"
#include "gpu/sea_islands/packets/register_access.h"
#include "gpu/sea_islands/shaders/shaders.h"
#include "gpu/sea_islands/state/field_lists.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

using namespace packets;

namespace {

void write_pipeline_statistics(Context& c, uint64_t address) {
  const std::array<uint64_t, 11> values = gpu::amd::pipeline_statistics(c);
  c.write(address, values.data(), sizeof values, "pipeline statistics");
}

void write_streamout_statistics(Context& c, unsigned stream, uint64_t address) {
  const uint64_t values[2] = {gpu::amd::count_is_there | c.streamout_needed[stream],
                              gpu::amd::count_is_there | c.streamout_written[stream]};
  c.write(address, values, sizeof values, "stream-out statistics");
}

}  // namespace

void event(Context& c, uint32_t type) {
  switch (type) {
    // (Drivers stop what they count of streams with the same events: Mesa 22.3.6 si_state.c, si_set_active_query_state.)
    case EVENT_TYPE::PIPELINESTAT_START: c.counts = true; break;
    case EVENT_TYPE::PIPELINESTAT_STOP: c.counts = false; break;
    case EVENT_TYPE::SO_VGTSTREAMOUT_FLUSH:
      c.registers.set(CP_STRMOUT_CNTL::address(),
                      CP_STRMOUT_CNTL::OFFSET_UPDATE_DONE::set(c.registers.raw(CP_STRMOUT_CNTL::address()), 1));
      break;
    case EVENT_TYPE::RST_PIX_CNT: c.counters.samples_passed = 0; break;
    // Order only.
    case EVENT_TYPE::CACHE_FLUSH_TS:
    case EVENT_TYPE::CONTEXT_DONE:
    case EVENT_TYPE::CACHE_FLUSH:
    case EVENT_TYPE::CS_PARTIAL_FLUSH:
    case EVENT_TYPE::VGT_STREAMOUT_SYNC:
    case EVENT_TYPE::VGT_STREAMOUT_RESET:
    case EVENT_TYPE::END_OF_PIPE_INCR_DE:
    case EVENT_TYPE::END_OF_PIPE_IB_END:
    case EVENT_TYPE::VS_PARTIAL_FLUSH:
    case EVENT_TYPE::PS_PARTIAL_FLUSH:
    case EVENT_TYPE::FLUSH_HS_OUTPUT:
    case EVENT_TYPE::FLUSH_LS_OUTPUT:
    case EVENT_TYPE::CACHE_FLUSH_AND_INV_TS_EVENT:
    case EVENT_TYPE::CACHE_FLUSH_AND_INV_EVENT:
    case EVENT_TYPE::FLUSH_ES_OUTPUT:
    case EVENT_TYPE::FLUSH_GS_OUTPUT:
    case EVENT_TYPE::BLOCK_CONTEXT_DONE:
    case EVENT_TYPE::CS_CONTEXT_DONE:
    case EVENT_TYPE::VGT_FLUSH:
    case EVENT_TYPE::SC_SEND_DB_VPZ:
    case EVENT_TYPE::BOTTOM_OF_PIPE_TS:
    case EVENT_TYPE::FLUSH_SX_TS:
    case EVENT_TYPE::DB_CACHE_FLUSH_AND_INV:
    case EVENT_TYPE::FLUSH_AND_INV_DB_DATA_TS:
    case EVENT_TYPE::FLUSH_AND_INV_DB_META:
    case EVENT_TYPE::FLUSH_AND_INV_CB_DATA_TS:
    case EVENT_TYPE::FLUSH_AND_INV_CB_META:
    case EVENT_TYPE::CS_DONE:
    case EVENT_TYPE::PS_DONE:
    case EVENT_TYPE::FLUSH_AND_INV_CB_PIXEL_DATA:
    case EVENT_TYPE::CONTEXT_SUSPEND:
    // Performance counters count nothing here: their registers read 0.
    case EVENT_TYPE::PERFCOUNTER_START:
    case EVENT_TYPE::PERFCOUNTER_STOP:
    case EVENT_TYPE::PERFCOUNTER_SAMPLE: break;
    default: c.unknown(fmt::format("event {}", type));
  }
}

void Pm4::event(Context& c, uint32_t type) { sea_islands::event(c, type); }

// Not those that say what is counted of draws from now on (drivers put them round each clear), and that wait for vertices alone.
bool event_concerns_targets(Body body) {
  switch (EVENT_WRITE::VGT_EVENT_INITIATOR::EVENT_TYPE::get(body[0])) {
    case EVENT_TYPE::PIPELINESTAT_START:
    case EVENT_TYPE::PIPELINESTAT_STOP:
    case EVENT_TYPE::VS_PARTIAL_FLUSH:
    case EVENT_TYPE::VGT_FLUSH: return false;
    default: return true;
  }
}

void event_write(CommandProcessor& cp, Body body) {
  using Initiator = EVENT_WRITE::VGT_EVENT_INITIATOR;
  Context& c = cp.c;
  uint32_t type = Initiator::EVENT_TYPE::get(body[0]);
  bool has_address = body.size() >= 3;
  uint64_t address = has_address ? address_of(body[1] & ~7u, EVENT_WRITE::ADDRESS_HI::ADDRESS_HI_::get(body[2])) : 0;
  auto with_address = [&](auto write) {
    if (has_address)
      write();
    else
      c.unknown(fmt::format("event {} without an address", type));
  };
  switch (type) {
    case EVENT_TYPE::ZPASS_DONE:
    case EVENT_TYPE::PIXEL_PIPE_STAT_DUMP: with_address([&] { gpu::amd::write_samples_passed(c, address); }); break;
    case EVENT_TYPE::PIXEL_PIPE_STAT_CONTROL:
    case EVENT_TYPE::PIXEL_PIPE_STAT_RESET: break;  // all backends count, from wherever they stand
    case EVENT_TYPE::SAMPLE_PIPELINESTAT: with_address([&] { write_pipeline_statistics(c, address); }); break;
    case EVENT_TYPE::SAMPLE_STREAMOUTSTATS: with_address([&] { write_streamout_statistics(c, 0, address); }); break;
    case EVENT_TYPE::SAMPLE_STREAMOUTSTATS1: with_address([&] { write_streamout_statistics(c, 1, address); }); break;
    case EVENT_TYPE::SAMPLE_STREAMOUTSTATS2: with_address([&] { write_streamout_statistics(c, 2, address); }); break;
    case EVENT_TYPE::SAMPLE_STREAMOUTSTATS3: with_address([&] { write_streamout_statistics(c, 3, address); }); break;
    default: event(c, type);
  }
}

void event_write_eop(CommandProcessor& cp, Body body) {
  uint64_t address = address_of(body[1], EVENT_WRITE_EOP::DATA_CNTL::ADDRESS_HI::get(body[2]));
  // RELEASE_MEM's words in another order.
  gpu::amd::end_of_pipe<Pm4>(cp.c, EVENT_WRITE_EOP::VGT_EVENT_INITIATOR::EVENT_TYPE::get(body[0]), body[2], address, body[3],
                             body[4]);
}

void event_write_eos(CommandProcessor& cp, Body body) {
  using Control = EVENT_WRITE_EOS::DATA_CNTL;
  Context& c = cp.c;
  event(c, EVENT_WRITE_EOS::VGT_EVENT_INITIATOR::EVENT_TYPE::get(body[0]));
  if (Control::DATA_SEL::get(body[2]) == Control::DATA_SEL::GDS)
    return gpu::amd::write_gds_dwords<Pm4>(c, address_of(body[1] & ~3u, Control::ADDRESS_HI::get(body[2])), body[3]);
  if (Control::DATA_SEL::get(body[2]) != Control::DATA_SEL::VALUE_32BIT)
    return c.unknown(fmt::format("end-of-shader data {}", Control::DATA_SEL::get(body[2])));
  c.write(address_of(body[1] & ~3u, Control::ADDRESS_HI::get(body[2])), &body[3], 4, "end-of-shader value");
}

namespace {

void coherence(Context& c, uint32_t control) {
  if (CP_COHER_CNTL::SH_ICACHE_ACTION_ENA::get(control) && c.shaders) c.shaders->invalidate();
}

}  // namespace

void surface_sync(CommandProcessor& cp, Body body) { coherence(cp.c, body[0]); }
void acquire_mem(CommandProcessor& cp, Body body) { coherence(cp.c, body[0]); }

// Sets where the next stream-out to a buffer begins, and stores how far the last one came. Registers count dwords, memory counts
// bytes if DATA_TYPE is set (Mesa si_state_streamout.c).
void strmout_buffer_update(CommandProcessor& cp, Body body) {
  using Control = STRMOUT_BUFFER_UPDATE::CONTROL;
  using Source = Control::OFFSET_SOURCE;
  constexpr uint32_t offsets[4] = {VGT_STRMOUT_BUFFER_OFFSET_0::address(), VGT_STRMOUT_BUFFER_OFFSET_1::address(),
                                   VGT_STRMOUT_BUFFER_OFFSET_2::address(), VGT_STRMOUT_BUFFER_OFFSET_3::address()};
  Context& c = cp.c;
  unsigned buffer = Control::SELECT_BUFFER::get(body[0]);
  bool bytes = Control::DATA_TYPE::get(body[0]);
  if (Control::STORE_BUFFER_FILLED_SIZE::get(body[0])) {
    uint32_t size = StreamFilledSizes::get(c.registers, buffer) << (bytes ? 2 : 0);
    if (!c.write(address_of(body[1] & ~3u, body[2] & 0xffff), &size, 4, "filled size")) return;
  }
  switch (Source::get(body[0])) {
    case Source::FROM_PACKET: write_register(c, offsets[buffer], body[3]); break;
    case Source::FROM_VGT_FILLED_SIZE: write_register(c, offsets[buffer], StreamFilledSizes::get(c.registers, buffer)); break;
    case Source::FROM_MEM: {
      uint32_t offset;
      if (!c.read(address_of(body[3] & ~3u, body[4] & 0xffff), &offset, 4, "stream-out offset")) return;
      write_register(c, offsets[buffer], offset >> (bytes ? 2 : 0));
      break;
    }
    default: break;  // NONE: only the size is stored
  }
}

}  // namespace Atoll::sea_islands
