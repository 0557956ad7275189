// The six faces of a cube map: which one a direction meets and where, and back. OpenGL 4.6 table 8.19; where two components are
// equally long, z is chosen before y before x, as AMD's V_CUBEID_F32 does (Southern/Sea Islands ISA, vector ALU).
#pragma once
#include <array>
#include <cmath>
#include <cstdint>

namespace Atoll::surface {

// Faces are numbered +x -x +y -y +z -z. On a face s grows along `s_axis` (or against it), t along `t_axis`.
struct CubeFace {
  uint8_t s_axis, t_axis, major_axis;
  float s_sign, t_sign, major_sign;
};
inline constexpr CubeFace cube_faces[6] = {
    {2, 1, 0, -1, -1, 1}, {2, 1, 0, 1, -1, -1}, {0, 2, 1, 1, 1, 1},
    {0, 2, 1, 1, -1, -1}, {0, 1, 2, 1, -1, 1},  {0, 1, 2, -1, -1, -1},
};

using Direction = std::array<float, 3>;

inline unsigned cube_face(const Direction& d) {
  float x = std::fabs(d[0]), y = std::fabs(d[1]), z = std::fabs(d[2]);
  unsigned axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  return axis * 2 + (d[axis] < 0);
}

// A direction seen from a face: s and t before the division by the major component, which is positive in front of the face.
struct FaceVector {
  float s, t, major;
};
inline FaceVector on_face(unsigned face, const Direction& d) {
  const CubeFace& f = cube_faces[face];
  return {d[f.s_axis] * f.s_sign, d[f.t_axis] * f.t_sign, d[f.major_axis] * f.major_sign};
}
inline Direction from_face(unsigned face, const FaceVector& v) {
  const CubeFace& f = cube_faces[face];
  Direction d;
  d[f.s_axis] = v.s * f.s_sign;
  d[f.t_axis] = v.t * f.t_sign;
  d[f.major_axis] = v.major * f.major_sign;
  return d;
}

// 0 to 1 from a face's left to its right edge.
inline float face_coordinate(float component, float major) { return 0.5f * (component / major) + 0.5f; }

}  // namespace Atoll::surface
