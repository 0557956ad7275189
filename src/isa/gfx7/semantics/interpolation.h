// VINTRP: attributes of pixels from their primitive's three parameters, which stand in the wave's attribute registers
// (registers.h). Sea Islands register guide section 4 (SQ_VINTRP): the two steps are V_MAD_F32, with its roundings and without
// denormals.
#pragma once
#include "base/removable_check.h"
#include "isa/gfx7/semantics/valu_float.h"

namespace Atoll::gfx7 {

template <class A>
typename A::U32 attribute(A& e, const Instruction& i, uint32_t parameter) {
  if (!ATOLL_CHECK("attribute.index", i.attr < attribute_count)) {
    e.core.illegal("v_interp of an attribute beyond attr32");
    return e.core.u32(0);
  }
  return e.core.primitive_quads(attribute_cell(i.attr, i.attrchan, parameter));
}

template <class A>
void v_interp_p1_f32(A& e, const Instruction& i) {
  e.set_vgpr(i.dst, as_u32(mad(e, as_f32(attribute(e, i, P10)), e.f32(i, 0), as_f32(attribute(e, i, P0)), false)));
}
template <class A>
void v_interp_p2_f32(A& e, const Instruction& i) {
  e.set_vgpr(i.dst, as_u32(mad(e, as_f32(attribute(e, i, P20)), e.f32(i, 0), as_f32(e.vgpr(i.dst)), false)));
}
// VSRC names the parameter.
template <class A>
void v_interp_mov_f32(A& e, const Instruction& i) {
  e.set_vgpr(i.dst, attribute(e, i, i.src[0]));
}

#define ATOLL_INTERPOLATION(SCALAR, LANES, WHOLE) LANES(v_interp_p1_f32) LANES(v_interp_p2_f32) LANES(v_interp_mov_f32)

}  // namespace Atoll::gfx7
