// The global data share and the global wave sync (GDS, GWS): DS instructions with GDS set.
//
// Memory: M0[31:16] is the base of the shader's part in bytes, M0[15:0] its size; both count within the part that the queue has
// (CLRX doc/GcnInstrsDs.md; Linux gfx_v7_0.c, gfx_v7_0_ring_emit_gds_switch). One instruction of one wave at a time, lanes in
// order. Ordered count: M0[31:16] is the counter's base, M0[15:0] the wave's id; the offset's bits 7:2 are the unit, which also
// counts dwords from the base, bit 8 releases the unit to the next wave, bit 9 all of them, bits 11:10 are the stage (0 compute,
// 1 pixel, 2 vertex, 3 geometry), bit 12 exchanges instead of adding (LLVM AMDGPU, llvm.amdgcn.ds.ordered.add; the guide's
// "count_bits(exec_mask)" is not what compilers rely on).
// GWS: the resource is M0[21:16] plus the offset, modulo 64 (LLVM AMDGPU, SelectDS_GWS). A barrier's counter holds how many more
// waves must arrive before the one that completes it (ROCm device-libs gws.cl: the number of waves less one); the last one loads
// it anew. The register GDS_GWS_RESOURCE names the parts of a resource's state.
#pragma once
#include "isa/gfx7/adaptor.h"
#include "isa/gfx7/semantics/semantics.h"
#include "wave/global_share.h"

namespace Atoll::gfx7 {

// Says if an instruction that is not done has to wait: it is executed again when the wave next has its turn.
enum class Waits : bool { No, Yes };

// Puts the part of the GDS that the wave may touch in LDS's place while it lives, under the GDS's lock.
class GdsInLdsPlace {
public:
  explicit GdsInLdsPlace(wave::Wave& wave);  // the wave stops with a fault if it has none
  ~GdsInLdsPlace();
  GdsInLdsPlace(const GdsInLdsPlace&) = delete;
  GdsInLdsPlace& operator=(const GdsInLdsPlace&) = delete;
  bool there() const { return share_ != nullptr; }

private:
  wave::Wave& wave_;
  wave::GlobalShare* share_;
  uint8_t* lds_;
  uint32_t lds_bytes_, m0_;
};

// Counts and barriers (global_share.cpp). Data of GWS instructions is that of the first active lane.
Waits ds_ordered_count_now(wave::Wave& wave, const Instruction& i);
Waits ds_gws_barrier_now(wave::Wave& wave, const Instruction& i);
Waits ds_gws_sema_p_now(wave::Wave& wave, const Instruction& i);
void ds_gws_init(wave::Wave& wave, const Instruction& i);
void ds_gws_sema_v(wave::Wave& wave, const Instruction& i);
void ds_gws_sema_br(wave::Wave& wave, const Instruction& i);
void ds_gws_sema_release_all(wave::Wave& wave, const Instruction& i);

#define ATOLL_GDS_WAITING(X) X(ds_ordered_count) X(ds_gws_barrier) X(ds_gws_sema_p)
#define ATOLL_DEFINE(name)                                                    \
  template <class A>                                                          \
  void name(A& e, const Instruction& i) {                                     \
    if constexpr (A::Core::recording) {                                       \
      e.core.call_instead();                                                  \
    } else if (name##_now(e.core.wave, i) == Waits::Yes) {                    \
      e.core.jump(e.core.pc());                                               \
      if (e.core.wave.stop == wave::Stop::Run) e.core.stop(wave::Stop::Wait); \
    }                                                                         \
  }
ATOLL_GDS_WAITING(ATOLL_DEFINE)
#undef ATOLL_DEFINE

// Counters and resources lock the share themselves; what reads and writes memory runs with the GDS in LDS's place.
template <class A>
void gds_access(A& e, const Instruction& i) {
  if constexpr (A::Core::recording) {
    e.core.call_instead();
  } else {
    wave::InterpretFunction run = find_semantics(i.opcode->name)->interpret;
    if (i.opcode->has(Flag::LocksShare)) return run(&e.core, *e.core.step);
    GdsInLdsPlace gds(e.core.wave);
    if (gds.there()) run(&e.core, *e.core.step);
  }
}

#define ATOLL_GLOBAL_SHARE(SCALAR, LANES, WHOLE) \
  ATOLL_GDS_WAITING(SCALAR)                      \
  WHOLE(ds_gws_init) WHOLE(ds_gws_sema_v) WHOLE(ds_gws_sema_br) WHOLE(ds_gws_sema_release_all) SCALAR(gds_access)

}  // namespace Atoll::gfx7
