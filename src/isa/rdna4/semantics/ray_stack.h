// The short stack of ray-tracing traversals in LDS: ds_bvh_stack_push4_pop1_rtn_b32, push8_pop1 and push8_pop2. RDNA4 ISA 12.5.3,
// 16.15; what the manual leaves open as in GPURT, rtip3_ds_stack_emulation.hlsl (order, skipping, underflow, changes between trees)
// and Mesa's radv_build_bvh_stack_rtn_addr (entries of a lane stand 32 dwords apart).
#pragma once
#include <cstdint>

#include "isa/rdna4/adaptor.h"
#include "wave/wave.h"

namespace Atoll::rdna4 {

// A lane's stack as its ADDR holds it: a ring of up to 31 dwords.
struct RayStack {
  uint32_t valid, to_tlas;  // entries; those above the first of the parent's tree
  uint32_t place, base;     // where the next is pushed; dword of LDS at which entry 0 stands
  bool has_tlas, overflowed, left_blas;

  static RayStack of(uint32_t address);
  uint32_t address() const;
};

// The fields of OFFSET0 and OFFSET1.
struct RayStackForm {
  uint32_t entries;      // 1 to 31
  bool triangle_pairs;   // a pair of triangles popped is returned as both
  bool primitive_range;  // the last pointer may say how a range of primitives goes on (PRIMITIVE_RANGE_*)
};
constexpr RayStackForm ray_stack_form(const Instruction& i) {
  return {uint32_t(i.offset) & 31, (uint32_t(i.offset) >> 8 & 1) != 0, (uint32_t(i.offset) >> 9 & 1) != 0};
}

// For all active lanes, one after the other; `pushed` is 4 or 8, `popped` 1 or 2. `i` has at least one entry.
void run_ray_stack(wave::Wave& wave, const Instruction& i, unsigned pushed, unsigned popped);

template <unsigned pushed, unsigned popped, class A>
void ray_stack(A& e, const Instruction& i) {
  if (ray_stack_form(i).entries == 0) return e.core.illegal("a ray-tracing stack without entries (OFFSET0[4:0] is 0)");
  if constexpr (A::Core::recording)
    e.core.call_instead();
  else
    run_ray_stack(e.core.wave, i, pushed, popped);
}

// OP(name, pushed, popped)
#define ATOLL_RAY_STACKS(OP)                \
  OP(ds_bvh_stack_push4_pop1_rtn_b32, 4, 1) \
  OP(ds_bvh_stack_push8_pop1_rtn_b32, 8, 1) \
  OP(ds_bvh_stack_push8_pop2_rtn_b64, 8, 2)
#define ATOLL_DEFINE_STACK(name, pushed, popped) \
  template <class A>                             \
  void name(A& e, const Instruction& i) {        \
    ray_stack<pushed, popped>(e, i);             \
  }
ATOLL_RAY_STACKS(ATOLL_DEFINE_STACK)
#undef ATOLL_DEFINE_STACK

#define ATOLL_LIST_STACK(name, pushed, popped) ATOLL_SCALAR_AS(name, name)
#define ATOLL_RAY_STACK(SCALAR, LANES, WHOLE) ATOLL_RAY_STACKS(ATOLL_LIST_STACK)

}  // namespace Atoll::rdna4
