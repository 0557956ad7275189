// The loops over lanes of planar_filter.cpp, compiled once for each level of the host. They hold no library code, so that nothing
// of a level leaks into others.
#pragma once
#include <cstdint>

#include "surface/texture.h"

namespace Atoll::surface {

// An axis's wrap mode for texels beyond its ends. `inside` leaves them to others: `outside` of the lane is set.
enum class WrapForm : uint8_t { repeat, mirror, edge, inside };

struct AxisForm {
  WrapForm form = WrapForm::repeat;
  bool absolute = false;  // of the coordinate's absolute value
  bool linear = false, truncate = false, half_fractions = false;
  float scale = 1;  // from coordinates to texels
  int size = 1;     // texels
};

// The texels of one axis that lanes take, as AxisTaps of wrap.h; texel[1] and fraction are filled for linear filters only.
struct AxisLanes {
  alignas(64) int32_t texel[2][max_lanes];
  alignas(64) int32_t fraction[max_lanes];
};

using FourLanes = float[4][max_lanes];  // components

struct PlanarKernels {
  void (*axis)(const AxisForm& form, const float* coordinate, AxisLanes& lanes, uint32_t* outside);
  // Texels of four bytes each, n / 255. Sums are exact and rounded once.
  void (*nearest_bytes)(const uint32_t* texel, FourLanes& result);
  void (*linear_bytes)(const uint32_t (*texel)[max_lanes], const int32_t* s_fraction, const int32_t* t_fraction,
                       FourLanes& result);
  // a becomes the mix of a and b; a where they are the same or the weight is 0.
  void (*mix)(FourLanes& a, const FourLanes& b, const int32_t* fraction);
  // log2 of the scale factor from the differences in each quad, for its four lanes; scales from coordinates to texels.
  void (*quad_levels)(const float* s, const float* t, float s_scale, float t_scale, float* level);
};
// The kernels for this host's best level; ATOLL_LEVEL=baseline|avx2|avx512 in the environment lowers it (for tests).
const PlanarKernels& planar_kernels();

}  // namespace Atoll::surface
