// A model of ray tracing written apart from the instructions: what a ray meets, in double precision, with a margin inside of which
// the answer may be either; and nodes put together from their contents, so that the model never decodes one. The formulas are not
// those of the instructions: a box is a cut of three intervals, a triangle a plane and three volumes.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "single_step.h"

namespace Atoll::rdna4::test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct ModelRay {
  float origin[3], direction[3], inverse[3], extent = 0;
  uint32_t mask = 0xff;
};

enum class Answer { no, either, yes };

// --- boxes

struct ModelBox {
  double low[3], high[3];
  double slack = 0;  // how much farther out, relative to its size, the stored box may lie
  uint32_t child = 0xffffffff, flags = 0, mask = 0xff;
};
struct BoxAnswer {
  Answer met = Answer::no;
  double enter = 0, leave = 0;  // clamped
  double key[3] = {};           // by heuristic
  double error = 0;
};
inline BoxAnswer meets(const ModelRay& ray, const ModelBox& box, uint32_t grow) {
  BoxAnswer out;
  double enter = -kInfinity, leave = kInfinity, error = 0;
  unsigned nan_enter = 0, nan_leave = 0;
  for (int axis = 0; axis < 3; axis++) {
    double inverse = ray.inverse[axis], o = ray.origin[axis];
    double near = (double(float(box.low[axis] - o)) == 0 ? 0 : box.low[axis] - o) * inverse;
    double far = (double(float(box.high[axis] - o)) == 0 ? 0 : box.high[axis] - o) * inverse;
    if (!(inverse >= 0)) std::swap(near, far);
    double size = std::max({std::fabs(box.low[axis]), std::fabs(box.high[axis]), std::fabs(o)});
    double e = (size * 4 * 0x1p-24 + box.slack * size) * std::fabs(inverse);
    if (std::isfinite(e)) error = std::max(error, e);
    if (std::isnan(near))
      nan_enter++;
    else
      enter = std::max(enter, near);
    if (std::isnan(far))
      nan_leave++;
    else
      leave = std::min(leave, far);
  }
  if (nan_enter == 3 || nan_leave == 3) return out;
  double clamped_enter = std::max(enter, 0.0),
         clamped_leave = std::isnan(ray.extent) ? leave : std::min(leave, double(ray.extent));
  double grown = clamped_leave * (1 + grow * 0x1p-24);
  error += 4e-7 * std::max(std::isfinite(grown) ? std::fabs(grown) : 0, std::isfinite(clamped_enter) ? clamped_enter : 0) + 1e-37;
  out.met = grown == kInfinity || clamped_enter <= grown - error ? Answer::yes
            : clamped_enter > grown + error                      ? Answer::no
                                                                 : Answer::either;
  if (std::isinf(clamped_enter) || std::isnan(grown)) out.met = Answer::either;
  // Products that overflow singles.
  for (double x : {enter, leave})
    if (std::isfinite(x) && std::fabs(x) > 3e38) out.met = Answer::either;
  out.enter = clamped_enter, out.leave = clamped_leave, out.error = error;
  out.key[0] = clamped_enter, out.key[1] = clamped_enter - clamped_leave, out.key[2] = enter + leave;
  return out;
}

// --- triangles

struct V {
  double x, y, z;
};
inline V minus(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline V times(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline double along(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double length(V a) { return std::sqrt(along(a, a)); }
inline V v_of(const float* f) { return {f[0], f[1], f[2]}; }

struct TriangleAnswer {
  Answer met = Answer::no;
  bool front = false;
  double t = kInfinity, weight[3] = {};
};
inline TriangleAnswer meets(const ModelRay& ray, const std::array<std::array<float, 3>, 3>& corners) {
  TriangleAnswer out;
  V a = v_of(corners[0].data()), b = v_of(corners[1].data()), c = v_of(corners[2].data()), o = v_of(ray.origin),
    d = v_of(ray.direction);
  V normal = times(minus(b, a), minus(c, a));
  double facing = along(normal, d), size = length(normal) * length(d);
  if (!std::isfinite(facing) || !std::isfinite(size)) return out;  // somewhere a NaN or an infinity: nothing
  if (size == 0 || facing == 0) return out;
  out.front = facing < 0;
  out.t = along(normal, minus(a, o)) / facing;
  // Volumes of the three tetrahedra of the ray and an edge.
  V at{o.x + out.t * d.x, o.y + out.t * d.y, o.z + out.t * d.z};
  double whole = along(normal, normal);
  out.weight[0] = along(times(minus(c, b), minus(at, b)), normal) / whole;
  out.weight[1] = along(times(minus(a, c), minus(at, c)), normal) / whole;
  out.weight[2] = along(times(minus(b, a), minus(at, a)), normal) / whole;
  double doubt = 1e-9 / std::min(1.0, std::fabs(facing) / size) + 1e-12;
  double distance = length(minus(a, o)), edge = std::max({length(minus(b, a)), length(minus(c, a)), 1e-300});
  doubt *= 1 + distance / edge;
  double least = std::min({out.weight[0], out.weight[1], out.weight[2]});
  double t_doubt = doubt * (distance + edge) / length(d);
  if (std::isnan(least) || std::isnan(out.t)) return out.met = Answer::either, out;
  out.met = least > doubt && out.t > t_doubt ? Answer::yes : least < -doubt || out.t < -t_doubt ? Answer::no : Answer::either;
  return out;
}

// --- nodes

// Bits one after the other, or at a place.
struct BitWriter {
  uint32_t* words;
  unsigned at = 0;
  void put(uint32_t value, unsigned count) {
    for (unsigned n = 0; n < count; n++, at++) {
      words[at / 32] &= ~(1u << at % 32);
      words[at / 32] |= (value >> n & 1) << at % 32;
    }
  }
};
inline uint32_t bits(float f) { return std::bit_cast<uint32_t>(f); }

}  // namespace Atoll::rdna4::test
