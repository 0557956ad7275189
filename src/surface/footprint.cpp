#include "surface/footprint.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "surface/cube_faces.h"

namespace Atoll::surface {

namespace {

float word_as_float(const uint32_t* lanes, unsigned lane) { return lanes ? std::bit_cast<float>(lanes[lane]) : 0.0f; }

// To the nearest of 0 to count - 1, halves to even; NaN is 0.
unsigned rounded_index(float value, unsigned count) {
  value = std::nearbyint(value);
  if (!(value > 0)) return 0;
  return value >= float(count) ? count - 1 : unsigned(value);
}

// What a pixel to the right, and one below, adds to the coordinates.
struct Gradient {
  std::array<float, 3> dx = {}, dy = {};
};

// The direction of a place on a cube.
Direction direction_of(const SamplePlace& place) { return from_face(place.face, {place.at[0] * 2 - 1, place.at[1] * 2 - 1, 1}); }

// From lane to lane, on cubes on the face of the first: a neighbour on another face is seen from this one. What is behind the
// face's plane has no place on it; it is as far away as can be.
std::array<float, 3> difference(const Texture& texture, const SamplePlace& from, const SamplePlace& to) {
  if (!texture.cube() || from.face == to.face) return {to.at[0] - from.at[0], to.at[1] - from.at[1], to.at[2] - from.at[2]};
  FaceVector seen = on_face(from.face, direction_of(to));
  if (!(seen.major > 0)) return {HUGE_VALF, HUGE_VALF, 0};
  return {face_coordinate(seen.s, seen.major) - from.at[0], face_coordinate(seen.t, seen.major) - from.at[1], 0};
}

Gradient quad_gradient(const Texture& texture, const std::array<SamplePlace, most_lanes>& places, unsigned first,
                       unsigned active) {
  Gradient gradient;
  auto both = [&](unsigned a, unsigned b) { return (active >> a & 1) && (active >> b & 1); };
  // The top left lane's neighbours; where it, or they, are missing, the other row or column.
  if (both(0, 1))
    gradient.dx = difference(texture, places[first], places[first + 1]);
  else if (both(2, 3))
    gradient.dx = difference(texture, places[first + 2], places[first + 3]);
  if (both(0, 2))
    gradient.dy = difference(texture, places[first], places[first + 2]);
  else if (both(1, 3))
    gradient.dy = difference(texture, places[first + 1], places[first + 3]);
  return gradient;
}

// d(component / major) from d(component) and d(major), for the directions' derivatives.
std::array<float, 3> on_face_derivative(unsigned face, const Direction& direction, const Direction& derivative) {
  FaceVector v = on_face(face, direction), d = on_face(face, derivative);
  return {0.5f * (d.s - v.s / v.major * d.major) / v.major, 0.5f * (d.t - v.t / v.major * d.major) / v.major, 0};
}

Gradient given_gradient(const Texture& texture, const SampleLanes& call, const SamplePlace& place, unsigned lane) {
  Gradient gradient;
  for (unsigned i = 0; i < 3; i++) {
    gradient.dx[i] = word_as_float(call.dx[i], lane);
    gradient.dy[i] = word_as_float(call.dy[i], lane);
  }
  if (texture.cube() && !call.faces) {
    Direction direction = {word_as_float(call.s, lane), word_as_float(call.t, lane), word_as_float(call.r, lane)};
    gradient.dx = on_face_derivative(place.face, direction, gradient.dx);
    gradient.dy = on_face_derivative(place.face, direction, gradient.dy);
  }
  return gradient;
}

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

double log2_of(double value) {
  if (value == 0) return -HUGE_VAL;
  if (!std::isfinite(value)) return HUGE_VAL;
  int exponent;
  double mantissa = std::frexp(value, &exponent);  // 0.5 to 1
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    exponent--;
  }
  // 2 atanh(t) = ln m, t = (m - 1) / (m + 1), at most 0.1716
  double t = (mantissa - 1) / (mantissa + 1), t2 = t * t, sum = 0;
  for (int k = 11; k >= 1; k -= 2) sum = sum * t2 + 1.0 / k;
  return exponent + 2 * t * sum * 1.4426950408889634;
}

void find_places(const Texture& texture, const SampleLanes& call, std::array<SamplePlace, most_lanes>& places) {
  unsigned layers = texture.description().layers;
  bool cube = texture.cube(), layered = texture.layered();
  for (unsigned lane = 0; lane < call.lanes; lane++) {
    if (!(call.active >> lane & 1)) continue;
    SamplePlace& place = places[lane];
    place = {.at = {word_as_float(call.s, lane), word_as_float(call.t, lane), word_as_float(call.r, lane)}};
    float layer = word_as_float(call.layer, lane);
    if (layered) place.slice = rounded_index(layer, layers);
    if (!cube) continue;
    if (call.faces) {
      unsigned number = rounded_index(layer, 8 * (layers / 6));
      place.face = std::min(number % 8, 5u);
      place.slice = number / 8 * 6;
      place.at = {place.at[0] - call.face_base, place.at[1] - call.face_base, 0};
    } else {
      place.slice = rounded_index(layer, layers / 6) * 6;
      place.face = cube_face(place.at);
      FaceVector v = on_face(place.face, place.at);
      place.at = {face_coordinate(v.s, v.major), face_coordinate(v.t, v.major), 0};
    }
  }
}

void find_footprints(const Texture& texture, const Sampler& sampler, const SampleLanes& call,
                     const std::array<SamplePlace, most_lanes>& places, std::array<Footprint, most_lanes>& footprints) {
  for (unsigned first = 0; first < call.lanes; first += 4) {
    unsigned active = unsigned(call.active >> first) & 15;
    if (first + 4 > call.lanes) active &= (1u << (call.lanes - first)) - 1;
    if (!active) continue;
    Footprint of_quad;
    if (call.lod_mode != LodMode::derivatives)
      of_quad = footprint_of(texture, sampler, quad_gradient(texture, places, first, active));
    for (unsigned i = 0; i < 4; i++)
      if (active >> i & 1)
        footprints[first + i] = call.lod_mode == LodMode::derivatives
                                    ? footprint_of(texture, sampler, given_gradient(texture, call, places[first + i], first + i))
                                    : of_quad;
  }
}

}  // namespace Atoll::surface
