#include "surface/footprint.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "surface/cube_faces.h"
#include "surface/level_choice.h"
#include "surface/log2.h"
#include "surface/planar_kernels.h"

namespace Atoll::surface {

namespace {

// To the nearest of 0 to count - 1, halves to even; NaN is 0.
unsigned rounded_index(float value, unsigned count) {
  value = std::nearbyint(value);
  if (!(value > 0)) return 0;
  return value >= float(count) ? count - 1 : unsigned(value);
}

// The change of the coordinates to the pixel on the right, and to the one below.
struct Gradient {
  std::array<float, 3> dx = {}, dy = {};
};

// The direction of a place on a cube.
Direction direction_of(const SamplePlaces& places, unsigned lane) {
  return from_face(places.face[lane], {places.at[0][lane] * 2 - 1, places.at[1][lane] * 2 - 1, 1});
}

// From lane to lane, on cubes on the face of the first: a neighbour on another face is seen from this one. A point behind the
// face's plane has no place on it; it is as far away as can be.
std::array<float, 3> difference(const Texture& texture, const SamplePlaces& p, unsigned from, unsigned to) {
  if (!texture.cube() || p.face[from] == p.face[to])
    return {p.at[0][to] - p.at[0][from], p.at[1][to] - p.at[1][from], p.at[2][to] - p.at[2][from]};
  FaceVector seen = on_face(p.face[from], direction_of(p, to));
  if (!(seen.major > 0)) return {HUGE_VALF, HUGE_VALF, 0};
  return {face_coordinate(seen.s, seen.major) - p.at[0][from], face_coordinate(seen.t, seen.major) - p.at[1][from], 0};
}

Gradient quad_gradient(const Texture& texture, const SamplePlaces& places, unsigned first, unsigned active) {
  Gradient gradient;
  auto both = [&](unsigned a, unsigned b) { return (active >> a & 1) && (active >> b & 1); };
  // The top left lane's neighbours; where it, or they, are missing, the other row or column.
  if (both(0, 1))
    gradient.dx = difference(texture, places, first, first + 1);
  else if (both(2, 3))
    gradient.dx = difference(texture, places, first + 2, first + 3);
  if (both(0, 2))
    gradient.dy = difference(texture, places, first, first + 2);
  else if (both(1, 3))
    gradient.dy = difference(texture, places, first + 1, first + 3);
  return gradient;
}

// The gradient within the lane's own row and column, as its face sees it: for quads over a cube's edge, where no lane's face does for
// the others (it would see them far away).
Gradient lane_gradient(const Texture& texture, const SamplePlaces& places, unsigned lane, unsigned first, unsigned active) {
  Gradient gradient;
  if (active >> ((lane ^ 1) - first) & 1) gradient.dx = difference(texture, places, lane, lane ^ 1);
  if (active >> ((lane ^ 2) - first) & 1) gradient.dy = difference(texture, places, lane, lane ^ 2);
  return gradient;
}
bool on_several_faces(const Texture& texture, const SamplePlaces& places, unsigned first, unsigned active) {
  if (!texture.cube()) return false;
  uint8_t some = places.face[first + unsigned(std::countr_zero(active))];
  for (unsigned n = 0; n < 4; n++)
    if (active >> n & 1 && places.face[first + n] != some) return true;
  return false;
}

// d(component / major) from d(component) and d(major), for the directions' derivatives.
std::array<float, 3> on_face_derivative(unsigned face, const Direction& direction, const Direction& derivative) {
  FaceVector v = on_face(face, direction), d = on_face(face, derivative);
  return {0.5f * (d.s - v.s / v.major * d.major) / v.major, 0.5f * (d.t - v.t / v.major * d.major) / v.major, 0};
}

Gradient given_gradient(const Texture& texture, const SampleLanes& call, const SamplePlaces& places, unsigned lane) {
  Gradient gradient;
  for (unsigned i = 0; i < 3; i++) {
    gradient.dx[i] = word_as_float(call.dx[i], lane);
    gradient.dy[i] = word_as_float(call.dy[i], lane);
  }
  if (texture.cube() && !call.faces) {
    Direction direction = {word_as_float(call.s, lane), word_as_float(call.t, lane), word_as_float(call.r, lane)};
    gradient.dx = on_face_derivative(places.face[lane], direction, gradient.dx);
    gradient.dy = on_face_derivative(places.face[lane], direction, gradient.dy);
  }
  return gradient;
}

struct Footprint {
  float level = 0;
  unsigned taps = 1;
  std::array<float, 3> axis = {};
};

Footprint footprint_of(const Texture& texture, const Sampler& sampler, const Gradient& gradient) {
  Texture::Size size = texture.size(texture.description().first_level);
  std::array<float, 3> scale = {float(size.width), float(size.height), float(size.depth)};
  if (sampler.unnormalized) scale = {1, 1, 1};
  double x2 = 0, y2 = 0;
  for (unsigned i = 0; i < texture.axes(); i++) {
    double dx = double(gradient.dx[i]) * scale[i], dy = double(gradient.dy[i]) * scale[i];
    x2 += dx * dx;
    y2 += dy * dy;
  }
  Footprint footprint;
  double longer = std::max(x2, y2), shorter = std::min(x2, y2);
  if (!(longer == longer)) longer = 0;
  footprint.level = float(0.5 * log2_of(longer));
  if (sampler.max_anisotropy > 1 && longer > 1 && std::isfinite(longer)) {
    // ceil(longer / shorter), at most what is allowed
    unsigned taps = std::min(sampler.max_anisotropy, 16u);
    double least = longer / (double(taps) * taps);
    if (shorter > least) taps = unsigned(std::ceil(std::sqrt(longer / shorter)));
    footprint.taps = std::max(1u, taps);
    footprint.level = float(0.5 * log2_of(longer / (double(footprint.taps) * footprint.taps)));
    footprint.axis = x2 >= y2 ? gradient.dx : gradient.dy;
  }
  return footprint;
}

}  // namespace

void find_places(const Texture& texture, const SampleLanes& call, SamplePlaces& places) {
  unsigned layers = texture.description().layers;
  const uint32_t* from[3] = {call.s, call.t, call.r};
  for (unsigned i = 0; i < 3; i++) {
    if (from[i] && call.lanes == max_lanes)
      std::memcpy(places.at[i], from[i], sizeof places.at[i]);
    else {
      std::memset(places.at[i], 0, sizeof places.at[i]);
      if (from[i]) std::memcpy(places.at[i], from[i], call.lanes * 4);
    }
  }
  std::memset(places.slice, 0, sizeof places.slice);
  std::memset(places.face, 0, sizeof places.face);
  if (texture.layered())
    for (unsigned lane = 0; lane < call.lanes; lane++)
      places.slice[lane] = rounded_index(word_as_float(call.layer, lane), layers);
  if (!texture.cube()) return;
  for (unsigned lane = 0; lane < call.lanes; lane++) {
    if (!((call.active | call.helpers) >> lane & 1)) continue;
    float layer = word_as_float(call.layer, lane);
    if (call.faces) {
      unsigned number = rounded_index(layer, 1u << 20);
      places.face[lane] = uint8_t(std::min(number % 8, 5u));
      places.slice[lane] = std::min(number / 8, layers / 6 - 1) * 6;
      places.at[0][lane] -= call.face_base;
      places.at[1][lane] -= call.face_base;
    } else {
      places.slice[lane] = rounded_index(layer, layers / 6) * 6;
      Direction direction = {places.at[0][lane], places.at[1][lane], places.at[2][lane]};
      unsigned face = cube_face(direction);
      FaceVector v = on_face(face, direction);
      places.face[lane] = uint8_t(face);
      places.at[0][lane] = face_coordinate(v.s, v.major);
      places.at[1][lane] = face_coordinate(v.t, v.major);
    }
    places.at[2][lane] = 0;
  }
}

void find_footprints(const Texture& texture, const Sampler& sampler, const SampleLanes& call, const SamplePlaces& places,
                     Footprints& footprints) {
  std::memset(footprints.taps, 1, sizeof footprints.taps);
  uint64_t todo = call.active | call.helpers;
  if (call.lanes < max_lanes) todo &= (uint64_t(1) << call.lanes) - 1;
  if (texture.axes() == 2 && !texture.cube() && sampler.max_anisotropy <= 1 && call.lod_mode != LodMode::derivatives) {
    Texture::Size size = texture.size(texture.description().first_level);
    float s_scale = sampler.unnormalized ? 1 : float(size.width), t_scale = sampler.unnormalized ? 1 : float(size.height);
    planar_kernels().quad_levels(places.at[0], places.at[1], s_scale, t_scale, footprints.level);
    // Quads without all their lanes are left.
    uint64_t pairs = todo & todo >> 1, whole = pairs & pairs >> 2 & 0x1111111111111111;
    todo &= ~(whole * 15);
  }
  for (unsigned first = 0; first < call.lanes; first += 4) {
    unsigned active = unsigned(todo >> first) & 15;
    if (!active) continue;
    Footprint footprint;
    const bool given = call.lod_mode == LodMode::derivatives;
    const bool several_faces = !given && on_several_faces(texture, places, first, active);
    if (!given && !several_faces) footprint = footprint_of(texture, sampler, quad_gradient(texture, places, first, active));
    for (unsigned lane = first; lane < first + 4; lane++) {
      if (!(active >> (lane - first) & 1)) continue;
      if (given) footprint = footprint_of(texture, sampler, given_gradient(texture, call, places, lane));
      if (several_faces) footprint = footprint_of(texture, sampler, lane_gradient(texture, places, lane, first, active));
      footprints.level[lane] = footprint.level;
      footprints.taps[lane] = uint8_t(footprint.taps);
      for (unsigned i = 0; i < 3; i++) footprints.axis[i][lane] = footprint.axis[i];
    }
  }
}

}  // namespace Atoll::surface
