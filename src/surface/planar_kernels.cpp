#include "surface/planar_kernels.h"

#include "surface/log2.h"

namespace Atoll::surface::ATOLL_LEVEL {

namespace {

constexpr int one = 256;  // sampler.h: fixed_one

template <WrapForm form, bool linear>
void axis_of(const AxisForm& a, const float* coordinate, AxisLanes& lanes, uint32_t* outside) {
  const float scale = a.scale, limit = 1 << 22;
  const int n = a.size, kept = a.half_fractions ? one / 2 : one - 1;
  const bool truncate = a.truncate, absolute = a.absolute;
  for (unsigned k = 0; k < max_lanes; k++) {
    float x = coordinate[k];
    if constexpr (form == WrapForm::repeat) x -= __builtin_floorf(x);
    if constexpr (form == WrapForm::mirror) x -= 2 * __builtin_floorf(x * 0.5f);
    x = x == x ? x : 0;
    x = absolute ? __builtin_fabsf(x) : x;
    float texels = x * scale;
    texels = texels < -limit ? -limit : texels;
    texels = texels > limit ? limit : texels;
    float scaled = texels * one;
    int fixed = int(truncate ? __builtin_floorf(scaled) : __builtin_nearbyintf(scaled));
    if (linear) fixed -= one / 2;
    int i = fixed >> 8, j = i + 1;
    if constexpr (form == WrapForm::repeat) {
      i = i < 0 ? i + n : i;
      i = i >= n ? i - n : i;
      j = j >= n ? j - n : j;
    }
    if constexpr (form == WrapForm::mirror) {
      auto mirrored = [n](int v) {
        v = v >= n ? 2 * n - 1 - v : v;
        return v < 0 ? 0 : v;
      };
      i = mirrored(i);
      j = mirrored(j);
    }
    if constexpr (form == WrapForm::edge) {
      auto clamped = [n](int v) {
        v = v < 0 ? 0 : v;
        return v < n ? v : n - 1;
      };
      i = clamped(i);
      j = clamped(j);
    }
    if constexpr (form == WrapForm::inside) {
      bool out = (i < 0) | ((linear ? j : i) >= n);
      outside[k] |= out;
      i = out ? 0 : i;
      j = out ? 0 : j;
    }
    lanes.texel[0][k] = i;
    if constexpr (linear) {
      lanes.texel[1][k] = j;
      lanes.fraction[k] = fixed & kept;
    }
  }
}

template <WrapForm form>
void axis_of_form(const AxisForm& a, const float* coordinate, AxisLanes& lanes, uint32_t* outside) {
  if (a.linear)
    axis_of<form, true>(a, coordinate, lanes, outside);
  else
    axis_of<form, false>(a, coordinate, lanes, outside);
}

void axis(const AxisForm& a, const float* coordinate, AxisLanes& lanes, uint32_t* outside) {
  switch (a.form) {
    case WrapForm::repeat: return axis_of_form<WrapForm::repeat>(a, coordinate, lanes, outside);
    case WrapForm::mirror: return axis_of_form<WrapForm::mirror>(a, coordinate, lanes, outside);
    case WrapForm::edge: return axis_of_form<WrapForm::edge>(a, coordinate, lanes, outside);
    case WrapForm::inside: return axis_of_form<WrapForm::inside>(a, coordinate, lanes, outside);
  }
}

void nearest_bytes(const uint32_t* texel, FourLanes& result) {
  for (unsigned c = 0; c < 4; c++)
    for (unsigned k = 0; k < max_lanes; k++) result[c][k] = float(int(texel[k] >> 8 * c & 255)) / 255.0f;
}

// Two components in a word: up to 255 * 256 each along s, up to 255 * 65536 after t.
void linear_bytes(const uint32_t (*texel)[max_lanes], const int32_t* s_fraction, const int32_t* t_fraction, FourLanes& result) {
  constexpr uint32_t even = 0x00ff00ff;
  for (unsigned k = 0; k < max_lanes; k++) {
    uint32_t s1 = uint32_t(s_fraction[k]), s0 = one - s1;
    float t1 = float(t_fraction[k]), t0 = float(one) - t1;
    uint32_t upper02 = (texel[0][k] & even) * s0 + (texel[1][k] & even) * s1;
    uint32_t lower02 = (texel[2][k] & even) * s0 + (texel[3][k] & even) * s1;
    uint32_t upper13 = (texel[0][k] >> 8 & even) * s0 + (texel[1][k] >> 8 & even) * s1;
    uint32_t lower13 = (texel[2][k] >> 8 & even) * s0 + (texel[3][k] >> 8 & even) * s1;
    constexpr float whole = 255.0f * one * one;
    result[0][k] = (float(int(upper02 & 0xffff)) * t0 + float(int(lower02 & 0xffff)) * t1) / whole;
    result[1][k] = (float(int(upper13 & 0xffff)) * t0 + float(int(lower13 & 0xffff)) * t1) / whole;
    result[2][k] = (float(int(upper02 >> 16)) * t0 + float(int(lower02 >> 16)) * t1) / whole;
    result[3][k] = (float(int(upper13 >> 16)) * t0 + float(int(lower13 >> 16)) * t1) / whole;
  }
}

void mix(FourLanes& a, const FourLanes& b, const int32_t* fraction) {
  for (unsigned c = 0; c < 4; c++)
    for (unsigned k = 0; k < max_lanes; k++) {
      float weight = float(fraction[k]) / float(one), x = a[c][k], y = b[c][k];
      float mixed = x + (y - x) * weight;
      mixed = x == x ? mixed : x + x;
      bool same = (x == y) | (fraction[k] == 0);
      a[c][k] = same ? x : mixed;
    }
}

// Levels of detail of quads whose four lanes are active: from the upper left lane's differences.
void quad_levels(const float* s, const float* t, float s_scale, float t_scale, float* level) {
  constexpr unsigned quads = max_lanes / 4;
  double levels[quads];
  for (unsigned q = 0; q < quads; q++) {
    double sx = double(s[4 * q + 1] - s[4 * q]) * s_scale, tx = double(t[4 * q + 1] - t[4 * q]) * t_scale;
    double sy = double(s[4 * q + 2] - s[4 * q]) * s_scale, ty = double(t[4 * q + 2] - t[4 * q]) * t_scale;
    double x2 = sx * sx + tx * tx, y2 = sy * sy + ty * ty;
    double longer = x2 < y2 ? y2 : x2;
    longer = longer == longer ? longer : 0;
    levels[q] = 0.5 * log2_of(longer);
  }
  for (unsigned q = 0; q < quads; q++)
    for (unsigned i = 0; i < 4; i++) level[4 * q + i] = float(levels[q]);
}

}  // namespace

extern const PlanarKernels kernels;
const PlanarKernels kernels = {axis, nearest_bytes, linear_bytes, mix, quad_levels};

}  // namespace Atoll::surface::ATOLL_LEVEL
