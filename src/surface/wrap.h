// One axis of a texture's coordinates: to fixed point, then to texels by the wrap mode. OpenGL 4.6 8.14.2 and table 8.20;
// GL_CLAMP (half border): OpenGL 4.6 compatibility profile 8.14.2; mirror once: EXT_texture_mirror_clamp.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "surface/sampler.h"

namespace Atoll::surface {

inline constexpr int border_texel = -1;  // of `texel`: the border colour

struct Axis {
  Wrap wrap = Wrap::repeat;
  int size = 1;  // texels
  bool unnormalized = false, truncate = false, half_fractions = false;
  bool gathers =
      false;  // texels are mirrored once, not coordinates: a gather has its four in the order of the picture that is mirrored
};

// The one or two texels that a filter takes, and the weight of the second in 1 / fixed_one.
struct AxisTaps {
  int texel[2];
  int fraction = 0;
};

inline bool mirrors_once(Wrap wrap) {
  return wrap == Wrap::mirror_once_to_edge || wrap == Wrap::mirror_once_half_border || wrap == Wrap::mirror_once_to_border;
}
inline bool half_border(Wrap wrap) { return wrap == Wrap::clamp_half_border || wrap == Wrap::mirror_once_half_border; }

// The coordinate in 1 / fixed_one texel, at most 2^22 texels away from 0. Repeating ones are brought near 0 first, so that large
// coordinates keep their precision. NaN becomes 0.
inline int fixed_coordinate(const Axis& axis, float coordinate, int offset) {
  if (!(coordinate == coordinate)) return offset * fixed_one;
  float texels = coordinate;
  if (!axis.unnormalized) {
    if (axis.wrap == Wrap::repeat)
      coordinate -= std::floor(coordinate);
    else if (axis.wrap == Wrap::mirror)
      coordinate -= 2 * std::floor(coordinate * 0.5f);
    if (!(coordinate == coordinate)) coordinate = 0;  // an infinity that repeats
    texels = coordinate * float(axis.size);
  }
  texels += float(offset);
  if (mirrors_once(axis.wrap) && !axis.gathers) texels = std::fabs(texels);
  constexpr float limit = 1 << 22;
  if (half_border(axis.wrap))
    texels = std::clamp(texels, axis.gathers && mirrors_once(axis.wrap) ? -float(axis.size) : 0.0f, float(axis.size));
  else
    texels = std::clamp(texels, -limit, limit);
  float fixed = texels * fixed_one;
  return int(axis.truncate ? std::floor(fixed) : std::nearbyint(fixed));
}

// The texel that index i stands for.
inline int wrapped(const Axis& axis, int i, bool linear) {
  int n = axis.size;
  switch (axis.wrap) {
    case Wrap::repeat: i %= n; return i < 0 ? i + n : i;
    case Wrap::mirror:
      i %= 2 * n;
      if (i < 0) i += 2 * n;
      return i < n ? i : 2 * n - 1 - i;
    case Wrap::clamp_to_edge: return std::clamp(i, 0, n - 1);
    case Wrap::mirror_once_to_edge: return std::min(i < 0 ? -1 - i : i, n - 1);
    case Wrap::clamp_half_border:
      if (!linear) return std::clamp(i, 0, n - 1);
      return i < 0 || i >= n ? border_texel : i;
    case Wrap::mirror_once_half_border:
      if (i < 0) i = -1 - i;
      return i < n ? i : linear ? border_texel : n - 1;
    case Wrap::clamp_to_border: return i < 0 || i >= n ? border_texel : i;
    case Wrap::mirror_once_to_border:
      if (i < 0) i = -1 - i;
      return i < n ? i : border_texel;
    case Wrap::mirror_once_skips_edge: return std::clamp(i < 0 ? -i : i >= n ? 2 * n - 2 - i : i, 0, n - 1);
  }
  return border_texel;
}

inline AxisTaps nearest_tap(const Axis& axis, float coordinate, int offset) {
  int i = fixed_coordinate(axis, coordinate, offset) >> fraction_bits;
  i = wrapped(axis, i, false);
  return {{i, i}, 0};
}

// `shift`: added to the coordinate, in 1 / fixed_one texel.
inline AxisTaps linear_taps(const Axis& axis, float coordinate, int offset, int shift = 0) {
  int fixed = fixed_coordinate(axis, coordinate, offset) + shift - fixed_one / 2;
  int i = fixed >> fraction_bits, fraction = fixed & (fixed_one - 1);
  if (axis.half_fractions) fraction &= fixed_one / 2;
  return {{wrapped(axis, i, true), wrapped(axis, i + 1, true)}, fraction};
}

}  // namespace Atoll::surface
