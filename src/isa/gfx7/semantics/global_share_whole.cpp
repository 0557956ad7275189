// The counters of the global data share and the resources of the global wave sync (global_share.h).
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/removable_check.h"
#include "isa/gfx7/semantics/global_share.h"
#include "isa/gfx7/semantics/whole.h"
#include "wave/environment.h"

namespace Atoll::gfx7 {
namespace {

using wave::GlobalPart;
using wave::GlobalShare;
using wave::WaveOrder;

constexpr uint32_t counter_mask = 0xfff;  // GDS_GWS_RESOURCE.COUNTER

void refuse(wave::Wave& wave, const char* reason) {
  wave.stop = wave::Stop::Fault;
  wave.fault = {wave::FaultKind::Illegal, 0, 0, wave.step ? wave.step->pc : wave.pc, -1, reason};
}

uint32_t first_lane(wave::Wave& wave) {
  uint64_t active = exec_of(wave);
  return active ? uint32_t(std::countr_zero(active)) : 0;
}

// Its resource, under the lock; null, with the wave stopped, if the queue has none of that number.
struct Locked {
  std::unique_lock<std::mutex> lock;
  GlobalShare::Resource* resource = nullptr;
};
Locked lock_resource(wave::Wave& wave, const Instruction& i) {
  GlobalPart part = wave.environment->global_part();
  if (!part.share) return refuse(wave, "the GWS, of which there is none here"), Locked{};
  uint32_t number = ((register_of(wave, M0) >> 16 & 63) + i.ds_offset()) % GlobalShare::resources;
  if (number >= part.resources) return refuse(wave, "a resource of the GWS that the queue has not been given"), Locked{};
  return {std::unique_lock(part.share->mutex), &part.share->resource[part.first_resource + number]};
}
uint32_t data_of(wave::Wave& wave, const Instruction& i) { return lane_of(wave, i.address, first_lane(wave)) & counter_mask; }

constexpr uint32_t at_barrier = 1, at_semaphore = 2;  // low bits of gws_wait_cell; above: the barrier's round
constexpr uint32_t barrier_wait(uint32_t round) { return at_barrier | round << 2; }

}  // namespace

GdsInLdsPlace::GdsInLdsPlace(wave::Wave& wave) : wave_(wave), share_(nullptr) {
  GlobalPart part = wave.environment->global_part();
  if (!part.share) {
    refuse(wave, "an access to the GDS, of which there is none here");
    return;
  }
  share_ = part.share;
  share_->mutex.lock();
  lds_ = wave.lds, lds_bytes_ = wave.lds_bytes;
  uint32_t& m0 = wave::word_of(wave, scalar_cell(M0));
  m0_ = m0;
  uint32_t base = m0_ >> 16 & ~3u, size = m0_ & 0xffff;
  if (!ATOLL_CHECK_REMOVED("gds.bounds")) base = std::min(base, part.bytes), size = std::min(size, part.bytes - base);
  wave.lds = share_->memory.data() + part.base + base;
  wave.lds_bytes = m0 = size;
}
GdsInLdsPlace::~GdsInLdsPlace() {
  if (!share_) return;
  wave_.lds = lds_, wave_.lds_bytes = lds_bytes_;
  wave::word_of(wave_, scalar_cell(M0)) = m0_;
  share_->mutex.unlock();
}

Waits ds_ordered_count_now(wave::Wave& wave, const Instruction& i) {
  GlobalPart part = wave.environment->global_part();
  WaveOrder* order = wave.environment->order(i.offset1 >> 2 & 3);
  if (!part.share) return refuse(wave, "an access to the GDS, of which there is none here"), Waits::No;
  if (!order)
    return refuse(wave, "waves of this stage were launched without an order (ORDERED_APPEND_ENBL, WAVE_CNT_EN)"), Waits::No;
  const uint32_t m0 = register_of(wave, M0), id = m0 & 0xffff, unit = i.offset0 >> 2 & 63;
  const bool releases = i.offset1 & 1, done = i.offset1 & 2, exchanges = i.offset1 & 16;
  uint64_t number;
  switch (order->turn(unit, id, number)) {
    case WaveOrder::Turn::Now: break;
    case WaveOrder::Turn::Later: return Waits::Yes;
    case WaveOrder::Turn::Past: return refuse(wave, "the wave has given this turn away already"), Waits::No;
    case WaveOrder::Turn::Unknown: return refuse(wave, "M0[15:0] is the id of no wave that runs"), Waits::No;
  }
  uint64_t active = exec_of(wave);
  uint32_t address = (m0 >> 16 & ~3u) + unit * 4, old = 0, data = active ? lane_of(wave, i.address, first_lane(wave)) : 0;
  if (address + 4 <= part.bytes) {
    std::lock_guard lock(part.share->mutex);
    uint8_t* place = part.share->memory.data() + part.base + address;
    std::memcpy(&old, place, 4);
    uint32_t now = exchanges ? data : old + data;
    if (active) std::memcpy(place, &now, 4);
  }
  for (uint64_t rest = active; rest; rest &= rest - 1) lane_of(wave, i.dst, uint32_t(std::countr_zero(rest))) = old;
  if (releases) order->release(unit, number);
  if (done) order->finish(number);
  return Waits::No;
}

Waits ds_gws_barrier_now(wave::Wave& wave, const Instruction& i) {
  Locked locked = lock_resource(wave, i);
  if (!locked.resource) return Waits::No;
  GlobalShare::Resource& r = *locked.resource;
  uint32_t& wait = wave::word_of(wave, gws_wait_cell);
  if (wait) {  // has arrived before
    if (wait == barrier_wait(r.round & 0x3fffffff)) return Waits::Yes;
  } else if (r.counter) {
    r.counter--;
    wait = barrier_wait(r.round & 0x3fffffff);
    return Waits::Yes;
  } else {
    r.round++;
    r.counter = data_of(wave, i);
  }
  wait = 0;
  return Waits::No;
}

Waits ds_gws_sema_p_now(wave::Wave& wave, const Instruction& i) {
  Locked locked = lock_resource(wave, i);
  if (!locked.resource) return Waits::No;
  GlobalShare::Resource& r = *locked.resource;
  uint32_t& wait = wave::word_of(wave, gws_wait_cell);
  if (!r.counter) {
    if (!wait) r.waiting++;
    wait = at_semaphore;
    return Waits::Yes;
  }
  r.counter--;
  if (wait) r.waiting--;
  wait = 0;
  return Waits::No;
}

void ds_gws_init(wave::Wave& wave, const Instruction& i) {
  if (Locked locked = lock_resource(wave, i); locked.resource) locked.resource->counter = data_of(wave, i);
}
void ds_gws_sema_v(wave::Wave& wave, const Instruction& i) {
  if (Locked locked = lock_resource(wave, i); locked.resource)
    locked.resource->counter = (locked.resource->counter + 1) & counter_mask;
}
void ds_gws_sema_br(wave::Wave& wave, const Instruction& i) {
  if (Locked locked = lock_resource(wave, i); locked.resource)
    locked.resource->counter = (locked.resource->counter + data_of(wave, i)) & counter_mask;
}
void ds_gws_sema_release_all(wave::Wave& wave, const Instruction& i) {
  if (Locked locked = lock_resource(wave, i); locked.resource) locked.resource->counter = locked.resource->waiting;
}

}  // namespace Atoll::gfx7
