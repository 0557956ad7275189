// Vector ALU: cube map coordinates. RDNA4 ISA 16.12; Sea Islands register guide section 4 (SQ_V_CUBE*).
#pragma once
#include "isa/amd/semantics/float_format.h"

namespace Atoll::amd {

// The face a direction (x, y, z) looks at is that of its largest component, z before y before x. Denormals are flushed; on gfx1201
// V_CUBESC and V_CUBETC give them as they are, and V_CUBEMA has no -0 (docs/errata.md, F8).
template <class A>
struct CubeDirection {
  typename A::F32 given_x, given_y, given_z, x, y, z;
  typename A::M on_z, on_y;  // the major axis; else x
  CubeDirection(A& e, const typename A::Instruction& i)
      : given_x(e.f32(i, 0)),
        given_y(e.f32(i, 1)),
        given_z(e.f32(i, 2)),
        x(flushed(e, given_x)),
        y(flushed(e, given_y)),
        z(flushed(e, given_z)),
        on_z((fabs(z) >= fabs(x)) & (fabs(z) >= fabs(y))),
        on_y(fabs(y) >= fabs(x)) {
    if (!A::as_gfx1201) given_x = x, given_y = y, given_z = z;
  }
  template <class F>
  F choose(F for_z, F for_y, F for_x) {
    return select(on_z, for_z, select(on_y, for_y, for_x));
  }
};
template <class A>
void v_cubeid_f32(A& e, const typename A::Instruction& i) {
  CubeDirection<A> d(e, i);
  auto face = [&](auto component, float positive) {
    return select(component < 0, e.core.f32(positive + 1), e.core.f32(positive));
  };
  e.set_f32(i, d.choose(face(d.z, 4), face(d.y, 2), face(d.x, 0)));
}
template <class A>
void v_cubesc_f32(A& e, const typename A::Instruction& i) {
  CubeDirection<A> d(e, i);
  e.set_f32(i, quieted(e, d.choose(select(d.z < 0, -d.given_x, d.given_x), d.given_x, select(d.x < 0, d.given_z, -d.given_z))));
}
template <class A>
void v_cubetc_f32(A& e, const typename A::Instruction& i) {
  CubeDirection<A> d(e, i);
  e.set_f32(i, quieted(e, d.choose(-d.given_y, select(d.y < 0, -d.given_z, d.given_z), -d.given_y)));
}
template <class A>
void v_cubema_f32(A& e, const typename A::Instruction& i) {
  CubeDirection<A> d(e, i);
  auto major = d.choose(d.z, d.y, d.x) * 2;
  if constexpr (A::as_gfx1201) major = select(major == 0, e.core.f32(0), major);
  e.set_f32(i, major);
}

}  // namespace Atoll::amd
