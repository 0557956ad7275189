// A primitive after setup: what a screen tile needs to find its pixels and interpolate in it.
#pragma once
#include <cstdint>

#include "pipeline/draw.h"

namespace Atoll::pipeline {

inline constexpr int tile_size = 64;  // pixels, both ways

// A value that is linear on the screen: `at` the primitive's reference point, and its change per pixel.
struct Plane {
  double at = 0, x = 0, y = 0;
};

struct Primitive {
  // Inside of edge n: a * px + b * py + floor(c / denominator) >= 0 at pixel (px, py); c counts for a sample at the pixel's
  // corner and has the fill rule in it, a and b are in grid units per pixel. A sample at grid position (sx, sy) of its pixel
  // adds a * sx + b * sy to c.
  unsigned edges = 3;
  int32_t a[4], b[4];
  int64_t c[4];
  int left, top, right, bottom;  // pixels that it may touch; right and bottom are outside
  // The covered pixels where the bounds are at most 4x4 and pixels have one sample: numbered as in a block that begins at the even
  // pixel at or before left and top. 0: not known.
  uint64_t inside = 0;
  double x, y;                      // reference point, pixels
  Plane z, one_over_w;              // z has the depth offset in it
  Plane perspective[2], linear[2];  // i and j; the first times 1/w
  Plane line_coordinate;            // of lines, Rasterization::line_coordinate
  float depth_low, depth_high;
  PrimitiveAttributes attributes;
  // Stippled lines: the pixel that is `stipple_step` * (x or y - stipple_start) steps along the line takes the pattern's bit
  // after stipple_phase steps more.
  enum class Stipple : uint8_t { none, by_x, by_y } stipple = Stipple::none;
  int stipple_start = 0, stipple_step = 1;
  uint32_t stipple_phase = 0;
};

// Values that follow from a Draw alone.
struct DrawConstants {
  const Draw* draw;
  int64_t denominator;  // of the grid that edges are computed on: a multiple of the GPU's grid and of the samples' 1/16
  int32_t grid_factor;  // from the GPU's grid to this one
  int shift;            // log2 of denominator, or -1
  double limit;         // pixels
  unsigned samples;     // of the targets
  unsigned places;      // where coverage is found: `samples`, or more of them for a target of one sample
  bool samples_differ;  // at places of their own
  uint32_t sample_mask;
  int64_t sample_x[16], sample_y[16];   // grid units from a pixel's corner
  double sample_dx[16], sample_dy[16];  // the same in pixels; of a target's only sample the centre where there are more places
  double depth_dx[16], depth_dy[16];    // where a sample's depth is found
  double least_dx, most_dx, least_dy, most_dy;  // of the targets' samples
  double centre;                                // of a pixel, pixels from its corner
  int64_t least_sample_x, max_sample_x, least_sample_y, max_sample_y;
  Rectangle area;  // scissors and targets
  unsigned attribute_floats;
  unsigned tiles_x, tiles_y;

  int64_t floor_divide(int64_t value) const {
    if (shift >= 0) return value >> shift;
    int64_t quotient = value / denominator;
    return quotient - (value % denominator < 0);
  }
};

}  // namespace Atoll::pipeline
