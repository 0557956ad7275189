// Cube maps in the words of the engine: what src/surface/cube_faces.h has lane by lane, in every bit.
#pragma once
#include <array>

#include "surface/cube_faces.h"

namespace Atoll::sampling {

template <class E>
struct CubeDirection {
  typename E::F32 x, y, z;
};
template <class E>
struct FacePlace {
  typename E::F32 s, t, major;
};

template <class E>
class CubeFaces {
public:
  using U32 = typename E::U32;
  using F32 = typename E::F32;
  using M = typename E::M;
  using Direction = CubeDirection<E>;
  using Place = FacePlace<E>;

  explicit CubeFaces(E& e) : e_(e) {}

  // A face's number, 0 to 5.
  U32 face_of(const Direction& d) {
    F32 x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    M is_z = (z >= x) & (z >= y), is_y = y >= x;
    F32 longest = select(is_z, d.z, select(is_y, d.y, d.x));
    U32 axis = select(is_z, e_.u32(4), select(is_y, e_.u32(2), e_.u32(0)));
    return axis + select(longest < 0.0f, e_.u32(1), e_.u32(0));
  }
  Place seen_from(U32 face, const Direction& d) {
    return {by_face(face, [&](const surface::CubeFace& f) { return component(d, f.s_axis, f.s_sign); }),
            by_face(face, [&](const surface::CubeFace& f) { return component(d, f.t_axis, f.t_sign); }),
            by_face(face, [&](const surface::CubeFace& f) { return component(d, f.major_axis, f.major_sign); })};
  }
  Direction direction(U32 face, const Place& p) {
    auto along = [&](unsigned axis) {
      return by_face(face, [&](const surface::CubeFace& f) {
        return f.s_axis == axis   ? signed_by(p.s, f.s_sign)
               : f.t_axis == axis ? signed_by(p.t, f.t_sign)
                                  : signed_by(p.major, f.major_sign);
      });
    };
    return {along(0), along(1), along(2)};
  }
  static F32 coordinate(F32 component, F32 major) { return (component / major) * 0.5f + 0.5f; }

private:
  E& e_;

  static F32 signed_by(F32 x, float sign) { return sign < 0 ? -x : x; }
  static F32 component(const Direction& d, unsigned axis, float sign) {
    return signed_by(axis == 0 ? d.x : axis == 1 ? d.y : d.z, sign);
  }
  template <class Value>
  F32 by_face(U32 face, Value value) {
    F32 result = value(surface::cube_faces[5]);
    for (unsigned n = 5; n-- > 0;) result = select(face == uint32_t(n), value(surface::cube_faces[n]), result);
    return result;
  }
};

}  // namespace Atoll::sampling
