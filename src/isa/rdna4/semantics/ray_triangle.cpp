#include "isa/rdna4/semantics/ray_triangle.h"

#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace Atoll::rdna4 {
namespace {

struct Vector {
  double x, y, z;
};
Vector vector(const float (&a)[3]) { return {a[0], a[1], a[2]}; }
Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector cross(const Vector& a, const Vector& b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
double dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

constexpr TriangleHit miss = {.distance = std::numeric_limits<double>::infinity()};

}  // namespace

TriangleHit intersect_triangle(const Ray& ray, const Triangle& triangle) {
  const Vector first = vector(triangle.corner[0]), direction = vector(ray.direction);
  const Vector to_second = vector(triangle.corner[1]) - first, to_third = vector(triangle.corner[2]) - first;
  const Vector to_origin = vector(ray.origin) - first;
  const Vector a = cross(direction, to_third), b = cross(to_origin, to_second);
  const TriangleHit hit{true, dot(to_third, b), dot(a, to_second), dot(to_origin, a), dot(direction, b)};
  // All that is asked for must hold: a NaN or an infinity anywhere is a miss, and so is a triangle seen from its side.
  const double sign = hit.denominator < 0 ? -1 : 1, whole = hit.denominator * sign;
  const double second = hit.second * sign, third = hit.third * sign;
  const bool inside = second >= 0 && third >= 0 && second + third <= whole;
  return whole > 0 && std::isfinite(whole) && inside && hit.distance * sign >= 0 ? hit : miss;
}

bool is_opaque(const TriangleKind& kind, uint32_t flags) {
  return (flags & FORCE_OPAQUE) || (!(flags & FORCE_NON_OPAQUE) && kind.opaque);
}

bool is_culled(const TriangleKind& kind, bool front, uint32_t flags) {
  if (flags & (is_opaque(kind, flags) ? CULL_OPAQUE : CULL_NON_OPAQUE)) return true;
  if (kind.procedural) return (flags & SKIP_PROCEDURAL) != 0;
  if (flags & SKIP_TRIANGLES) return true;
  const bool both_sides = kind.double_sided || (flags & DISABLE_TRIANGLE_CULL);
  return !both_sides && (flags & (front ? CULL_FRONT_FACING : CULL_BACK_FACING));
}

TriangleHit intersect_primitive(const Ray& ray, const Triangle& triangle, const TriangleKind& kind, uint32_t flags) {
  TriangleHit hit;
  if (kind.procedural) {
    hit = {.hit = true, .second = 1, .third = 1};
  } else {
    hit = intersect_triangle(ray, triangle);
    if (!hit.hit) return hit;
    if (kind.flipped != ((flags & FLIP_FACEDNESS) != 0))
      for (double* x : {&hit.distance, &hit.denominator, &hit.second, &hit.third}) *x = -*x;
  }
  if (!is_culled(kind, hit.denominator >= 0, flags)) return hit;
  hit = miss;
  if (kind.procedural) hit.second = hit.third = 1;
  return hit;
}

uint32_t marked_weight(double weight, bool mark) {
  return std::bit_cast<uint32_t>(float(std::fabs(weight))) | uint32_t(mark) << 31;
}

}  // namespace Atoll::rdna4
