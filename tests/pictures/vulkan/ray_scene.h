// Scenes of triangles and spheres for rays, what shaders say that rays met (ray_common.glsl), and a model of it: each ray against each
// primitive, in double precision.
#pragma once
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace vulkan {

using Vector = std::array<double, 3>;

struct Ray {  // as ray_common.glsl has it
  float origin[3], least;
  float direction[3], most;
  uint32_t flags, mask;
  uint32_t offset, stride, miss;
  uint32_t unused[3];
};
static_assert(sizeof(Ray) == 64);
enum RayFlags : uint32_t {  // of SPIR-V
  opaque_rays = 1,
  no_opaque_rays = 2,
  first_hit_ends = 4,
  no_closest_hit = 8,
  culls_back = 0x10,
  culls_front = 0x20,
  culls_opaque = 0x40,
  culls_no_opaque = 0x80,
  skips_triangles = 0x100,
  skips_boxes = 0x200
};

struct Met {  // the first words of a result
  uint32_t kind;
  float t, at[2];
  uint32_t instance, custom, primitive, geometry, front, record;
};
constexpr uint32_t kResultWords = 32, kSpheresOfGeometry = 64;

struct Sphere {
  float centre[3], radius;
};

enum class VertexForm : uint8_t { floats, pairs, halves, signed_fractions };
enum class IndexForm : uint8_t { none, words, halves };

struct Geometry {
  std::vector<std::array<float, 3>> corners;  // three a triangle
  VertexForm vertices = VertexForm::floats;
  IndexForm indices = IndexForm::none;
  bool transformed = false;
  float transform[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  std::vector<Sphere> spheres;  // instead
  bool opaque = true;
  size_t primitives() const { return spheres.empty() ? corners.size() / 3 : spheres.size(); }
};
struct Bottom {
  std::vector<Geometry> geometries;
};
struct Instance {
  float transform[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  uint32_t custom = 0, mask = 0xff, offset = 0, flags = 0;
  uint32_t bottom = 0;
  bool there = true;
};
struct Scene {
  std::vector<Bottom> bottoms;
  std::vector<Instance> instances;
};

// Numbers that are the same everywhere.
class Random {
public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint32_t below(uint32_t bound) { return uint32_t(uint64_t(engine_()) * bound >> 32); }
  float between(float low, float high) { return low + (high - low) * float(engine_() >> 8) / float(1 << 24); }

private:
  std::mt19937 engine_;
};

// `extent`: of the cube in which corners lie, `size`: of triangles.
Geometry random_triangles(Random& random, unsigned count, float extent, float size);
Geometry random_spheres(Random& random, unsigned count, float extent);
void random_transform(Random& random, float (&transform)[12], float reach);

// Results beside the model. Rays that pass nearer to an edge, a silhouette or a second hit than float arithmetic tells apart may have
// either outcome.
struct Judgement {
  unsigned wrong = 0, uncertain = 0, hits = 0;
  std::string first;  // the first wrong one
};
Judgement judge(const Scene& scene, const std::vector<Ray>& rays, const uint32_t* results);
// One ray: empty if it is right.
std::string judge_ray(const Scene& scene, const Ray& ray, const Met& met, bool& uncertain);

}  // namespace vulkan
