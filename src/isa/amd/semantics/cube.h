// Vector ALU: cube map coordinates. RDNA4 ISA 16.12; Sea Islands register guide section 4 (SQ_V_CUBE*).
#pragma once
#include "isa/amd/semantics/float_format.h"

namespace Atoll::amd {

// The face a direction (x, y, z) looks at is that of its largest component, z before y before x. Denormals are flushed.
template <class A>
struct CubeDirection {
  typename A::F32 x, y, z;
  typename A::M on_z, on_y;  // the major axis; else x
  CubeDirection(A& e, const typename A::Instruction& i)
      : x(flushed(e, e.f32(i, 0))),
        y(flushed(e, e.f32(i, 1))),
        z(flushed(e, e.f32(i, 2))),
        on_z((fabs(z) >= fabs(x)) & (fabs(z) >= fabs(y))),
        on_y(fabs(y) >= fabs(x)) {}
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
  e.set_f32(i, quieted(e, d.choose(select(d.z < 0, -d.x, d.x), d.x, select(d.x < 0, d.z, -d.z))));
}
template <class A>
void v_cubetc_f32(A& e, const typename A::Instruction& i) {
  CubeDirection<A> d(e, i);
  e.set_f32(i, quieted(e, d.choose(-d.y, select(d.y < 0, -d.z, d.z), -d.y)));
}
template <class A>
void v_cubema_f32(A& e, const typename A::Instruction& i) {
  CubeDirection<A> d(e, i);
  e.set_f32(i, d.choose(d.z, d.y, d.x) * 2);
}

}  // namespace Atoll::amd
