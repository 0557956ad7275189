// The 104 rotations that a node of eight boxes may name for its axes (oriented bounding boxes): about 13 axes, those of a cube's
// faces, edges and corners, by a quarter, a half, three quarters and the whole of a right angle, both ways. They are the
// matrices in GPURT's ObbCommon.hlsli, bit for bit.
#pragma once
#include "isa/rdna4/semantics/ray_pointer.h"

namespace Atoll::rdna4 {

inline constexpr unsigned rotation_count = 104;

// The ray along the axes of rotation `index`; what is no number of a rotation turns nothing.
Ray rotated(const Ray& ray, unsigned index);

// The product of a matrix's row and a vector, and an offset: rounded once.
float transformed(const float* row, const float (&v)[3], double offset);

}  // namespace Atoll::rdna4
