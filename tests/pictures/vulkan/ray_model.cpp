#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "ray_scene.h"

namespace vulkan {
namespace {

Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// A transform's three columns and what is added.
struct Affine {
  Vector columns[3], added;
  explicit Affine(const float (&m)[12]) {
    for (int row = 0; row < 3; row++) {
      for (int column = 0; column < 3; column++) columns[column][row] = m[row * 4 + column];
      added[row] = m[row * 4 + 3];
    }
  }
  Vector apply(const Vector& v) const {
    Vector to = added;
    for (int k = 0; k < 3; k++)
      for (int row = 0; row < 3; row++) to[row] += columns[k][row] * v[k];
    return to;
  }
  // The solution of the linear part.
  Vector solve(const Vector& v) const {
    const double all = dot(columns[0], cross(columns[1], columns[2]));
    return {dot(v, cross(columns[1], columns[2])) / all, dot(columns[0], cross(v, columns[2])) / all,
            dot(columns[0], cross(columns[1], v)) / all};
  }
};

struct Candidate {
  Met met{};
  double t = 0;
  bool certain = true, accepted = true;
};

bool accepts(uint32_t primitive, uint32_t geometry, uint32_t instance) {
  return (primitive + 3 * geometry + 5 * instance) % 4 != 1;
}

enum InstanceFlags : uint32_t { facing_cull_disable = 1, flip_facing = 2, force_opaque = 4, force_no_opaque = 8 };

constexpr double kNear = 2e-4;  // of barycentrics, distances and cosines

// True if the line comes so near to the triangle that it may meet it.
bool meets(const Vector (&corner)[3], const Vector& origin, const Vector& direction, Candidate& c) {
  const Vector one = minus(corner[1], corner[0]), two = minus(corner[2], corner[0]);
  const Vector normal = cross(one, two);
  const double along = dot(normal, direction);
  const double length = std::sqrt(dot(normal, normal) * dot(direction, direction));
  if (!(length > 0)) return false;  // no area, or not a number
  const Vector from = minus(origin, corner[0]);
  if (std::abs(along) < 1e-3 * length) {
    // Seen from its edge: where it is not near at all, no arithmetic meets it.
    Vector centre{};
    double reach = 0;
    for (int k = 0; k < 3; k++)
      for (int axis = 0; axis < 3; axis++) centre[axis] += corner[k][axis] / 3;
    for (const Vector& v : corner) reach = std::max(reach, dot(minus(v, centre), minus(v, centre)));
    const Vector to = minus(centre, origin);
    const double at = dot(to, direction) / dot(direction, direction);
    const double distance = dot(to, to) - at * at * dot(direction, direction);
    c.t = at, c.certain = false;
    return distance < reach * 1.01;
  }
  c.t = -dot(normal, from) / along;
  const Vector across = cross(from, direction);
  const double u = -dot(two, across) / along, v = dot(one, across) / along;
  const double inside = std::min({u, v, 1 - u - v});
  if (inside < -kNear) return false;
  c.certain = inside > kNear;
  c.met.at[0] = float(u), c.met.at[1] = float(v);
  c.met.front = along < 0;  // counterclockwise, seen from the origin
  return true;
}

bool meets(const Sphere& sphere, const Vector& origin, const Vector& direction, double least, Candidate& c) {
  const Vector to = minus(origin, {sphere.centre[0], sphere.centre[1], sphere.centre[2]});
  const double a = dot(direction, direction), b = dot(to, direction), radius = sphere.radius;
  const double root = b * b - a * (dot(to, to) - radius * radius);
  if (root < -1e-2 * a * radius * radius) return false;
  c.certain = root > 1e-2 * a * radius * radius;
  const double nearer = (-b - std::sqrt(std::max(root, 0.0))) / a, farther = (-b + std::sqrt(std::max(root, 0.0))) / a;
  c.t = nearer >= least ? nearer : farther;
  c.certain = c.certain && std::abs(nearer - least) > kNear && std::abs(farther - least) > kNear;
  return true;
}

std::vector<Candidate> candidates(const Scene& scene, const Ray& ray) {
  std::vector<Candidate> all;
  const Vector from{ray.origin[0], ray.origin[1], ray.origin[2]}, along{ray.direction[0], ray.direction[1], ray.direction[2]};
  for (uint32_t i = 0; i < scene.instances.size(); i++) {
    const Instance& instance = scene.instances[i];
    if (!instance.there || !(instance.mask & ray.mask & 0xff)) continue;
    const Affine placed(instance.transform);
    const Vector origin = placed.solve(minus(from, placed.added)), direction = placed.solve(along);
    const auto& geometries = scene.bottoms[instance.bottom].geometries;
    for (uint32_t g = 0; g < geometries.size(); g++) {
      const Geometry& geometry = geometries[g];
      bool opaque = geometry.opaque;
      if (instance.flags & force_opaque) opaque = true;
      if (instance.flags & force_no_opaque) opaque = false;
      if (ray.flags & opaque_rays) opaque = true;
      if (ray.flags & no_opaque_rays) opaque = false;
      if (ray.flags & (opaque ? culls_opaque : culls_no_opaque)) continue;
      const bool boxes = !geometry.spheres.empty();
      if (ray.flags & (boxes ? skips_boxes : skips_triangles)) continue;
      const Affine own(geometry.transform);
      for (uint32_t p = 0; p < geometry.primitives(); p++) {
        Candidate c;
        c.met.kind = boxes ? 2 : 1;
        c.met.instance = i, c.met.custom = instance.custom, c.met.primitive = p, c.met.geometry = g,
        c.met.record = instance.offset;
        c.accepted = opaque || accepts(p, g, i);
        if (boxes) {
          if (!meets(geometry.spheres[p], origin, direction, ray.least, c)) continue;
        } else {
          Vector corner[3];
          for (int k = 0; k < 3; k++) {
            const auto& v = geometry.corners[p * 3 + k];
            corner[k] = {v[0], v[1], v[2]};
            if (geometry.transformed) corner[k] = own.apply(corner[k]);
          }
          if (!meets(corner, origin, direction, c)) continue;
          if (instance.flags & flip_facing) c.met.front ^= 1;
          if (c.certain && !(instance.flags & facing_cull_disable) && (ray.flags & (c.met.front ? culls_front : culls_back)))
            continue;
        }
        const double near = kNear * std::max(1.0, std::abs(c.t));
        if (c.t < ray.least - near || c.t > ray.most + near) continue;
        c.certain = c.certain && c.t > ray.least + near && c.t < ray.most - near;
        if (c.accepted) all.push_back(c);
      }
    }
  }
  std::ranges::sort(all, [](const Candidate& a, const Candidate& b) { return a.t < b.t; });
  return all;
}

bool same(const Candidate& c, const Met& met, bool facing) {
  const double near = 10 * kNear * std::max(1.0, std::abs(c.t));
  return c.met.kind == met.kind && c.met.instance == met.instance && c.met.custom == met.custom &&
         c.met.primitive == met.primitive && c.met.geometry == met.geometry && c.met.record == met.record &&
         (!c.certain || std::abs(c.t - met.t) < near) &&
         (met.kind != 1 || !c.certain ||
          (std::abs(c.met.at[0] - met.at[0]) < 0.01 && std::abs(c.met.at[1] - met.at[1]) < 0.01 &&
           (!facing || c.met.front == met.front)));
}

}  // namespace

std::string judge_ray(const Scene& scene, const Ray& ray, const Met& met, bool& uncertain) {
  const auto all = candidates(scene, ray);
  uncertain = false;
  char text[256];
  std::string wanted = "nothing";
  if (!all.empty()) {
    std::snprintf(text, sizeof text, "kind %u at %g, instance %u, geometry %u, primitive %u, front %u, record %u%s",
                  all[0].met.kind, all[0].t, all[0].met.instance, all[0].met.geometry, all[0].met.primitive, all[0].met.front,
                  all[0].met.record, all[0].certain ? "" : " (perhaps)");
    wanted = text;
  }
  std::snprintf(text, sizeof text, "kind %u at %g, instance %u, geometry %u, primitive %u, front %u, record %u instead of ",
                met.kind, double(met.t), met.instance, met.geometry, met.primitive, met.front, met.record);
  // It may end at any hit, or at one that is as near as float arithmetic tells.
  const bool any = ray.flags & first_hit_ends;
  bool none_certain = true;
  for (const Candidate& c : all) none_certain = none_certain && !c.certain;
  if (met.kind == 0) {
    if (none_certain) uncertain = !all.empty();
    return none_certain ? "" : text + wanted;
  }
  double nearest = HUGE_VAL;  // of those that are certain
  for (const Candidate& c : all)
    if (c.certain) nearest = std::min(nearest, c.t);
  for (const Candidate& c : all) {
    if (!any && c.t > nearest + 10 * kNear * std::max(1.0, std::abs(nearest))) break;
    if (!same(c, met, true)) continue;
    uncertain = !any && (!c.certain || &c != all.data());
    return "";
  }
  return text + wanted;
}

Judgement judge(const Scene& scene, const std::vector<Ray>& rays, const uint32_t* results) {
  Judgement judgement;
  for (size_t n = 0; n < rays.size(); n++) {
    Met met;
    std::memcpy(&met, results + n * kResultWords, sizeof met);
    bool uncertain;
    const std::string wrong = judge_ray(scene, rays[n], met, uncertain);
    judgement.hits += met.kind != 0;
    judgement.uncertain += uncertain;
    if (!wrong.empty() && !judgement.wrong++) judgement.first = "ray " + std::to_string(n) + ": " + wrong;
  }
  return judgement;
}

Geometry random_triangles(Random& random, unsigned count, float extent, float size) {
  Geometry made;
  for (unsigned n = 0; n < count; n++) {
    float centre[3];
    for (float& c : centre) c = random.between(-extent, extent);
    for (int k = 0; k < 3; k++)
      made.corners.push_back({centre[0] + random.between(-size, size), centre[1] + random.between(-size, size),
                              centre[2] + random.between(-size, size)});
  }
  return made;
}

Geometry random_spheres(Random& random, unsigned count, float extent) {
  Geometry made;
  for (unsigned n = 0; n < count; n++) {
    Sphere s;
    for (float& c : s.centre) c = random.between(-extent, extent);
    s.radius = random.between(0.1f, 0.5f);
    made.spheres.push_back(s);
  }
  return made;
}

void random_transform(Random& random, float (&transform)[12], float reach) {
  // Far from singular: a scaled diagonal and less beside it.
  for (int row = 0; row < 3; row++)
    for (int column = 0; column < 4; column++)
      transform[row * 4 + column] = column == 3     ? random.between(-reach, reach)
                                    : column == row ? random.between(0.6f, 1.6f) * (random.below(2) ? 1.0f : -1.0f)
                                                    : random.between(-0.4f, 0.4f);
}

}  // namespace vulkan
