// A ray against a triangle, and what becomes of the hit: culling, facedness, signs that tell shaders what they have to run. RDNA4
// ISA 10.9.3; formulas and flags: GPURT, IntersectCommon.hlsl (fast_intersect_triangle, PerformTriangleCulling). Everything is
// computed in double precision and rounded once.
#pragma once
#include <cstdint>

#include "isa/rdna4/semantics/ray_pointer.h"

namespace Atoll::rdna4 {

struct Triangle {
  float corner[3][3] = {};
};

// Numerators of the distance and of the weights of the second and the third corner, all over `denominator`, which is positive where the
// ray meets the front. A miss is infinitely far away.
struct TriangleHit {
  bool hit = false;
  double distance = 0, denominator = 1, second = 0, third = 0;
};
TriangleHit intersect_triangle(const Ray& ray, const Triangle& triangle);

// A triangle's flags in its node.
struct TriangleKind {
  bool procedural = false, opaque = false, double_sided = false, flipped = false;
};
// True if the pointer's flags cull it, given that the ray meets its front (or back). Procedural ones have no faces.
bool is_culled(const TriangleKind& kind, bool front, uint32_t flags);
bool is_opaque(const TriangleKind& kind, uint32_t flags);

// The same with facedness and culling: what is culled is a miss, and a procedural primitive is met at distance 0.
TriangleHit intersect_primitive(const Ray& ray, const Triangle& triangle, const TriangleKind& kind, uint32_t flags);

// A weight as it is returned: its sign is that of a mark.
uint32_t marked_weight(double weight, bool mark);

}  // namespace Atoll::rdna4
