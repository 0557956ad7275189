// z of positions that comes divided by w where x and y do not, or the other way round (VTX_XY_FMT, VTX_Z_FMT of the vertex transform
// engines): it is made as they are before anything is cut.
#pragma once
#include <cstdint>

namespace Atoll::pipeline {

enum class DepthForm : uint8_t { as_xy, times_w, over_w };

// `xy_divided`, `z_divided`: they come divided; `w_is_reciprocal`: w comes as its reciprocal.
constexpr DepthForm depth_form(bool xy_divided, bool z_divided, bool w_is_reciprocal) {
  if (xy_divided == z_divided) return DepthForm::as_xy;
  return z_divided || w_is_reciprocal ? DepthForm::times_w : DepthForm::over_w;
}

inline void make_depth_as_xy(DepthForm form, float* position) {
  if (form == DepthForm::times_w) position[2] *= position[3];
  if (form == DepthForm::over_w) position[2] /= position[3];
}

}  // namespace Atoll::pipeline
