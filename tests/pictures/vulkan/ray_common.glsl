// What the ray shaders share: rays in, what each met out, and which candidates they accept. The model: ray_model.cpp.
struct Ray {
  vec3 origin;
  float least;
  vec3 direction;
  float most;
  uint flags, mask;  // of the trace
  uint offset, stride, miss;  // of the shader binding table
};
struct Met {
  uint kind;  // 0 nothing, 1 a triangle, 2 a sphere
  float t;
  vec2 at;
  uint instance, custom, primitive, geometry, front, record;
};
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) readonly buffer Rays { Ray rays[]; };
layout(set = 0, binding = 2, std430) buffer Results { uint words[]; } results;
// Centre and radius; those of an instance's geometry begin at first[custom index] + 64 * geometry.
layout(set = 0, binding = 3, std430) readonly buffer Spheres { vec4 spheres[]; };
layout(set = 0, binding = 4, std430) readonly buffer Firsts { uint first[]; };
const uint result_words = 32;

bool accepts(uint primitive, uint geometry, uint instance) { return (primitive + 3 * geometry + 5 * instance) % 4 != 1; }

// The nearer intersection that is not before `least`; negative: none.
float sphere_at(vec4 sphere, vec3 origin, vec3 direction, float least) {
  const vec3 to = origin - sphere.xyz;
  const float a = dot(direction, direction), b = dot(to, direction), c = dot(to, to) - sphere.w * sphere.w;
  const float root = b * b - a * c;
  if (root < 0) return -1;
  const float nearer = (-b - sqrt(root)) / a, farther = (-b + sqrt(root)) / a;
  return nearer >= least ? nearer : farther >= least ? farther : -1;
}

void store(uint at, Met met) {
  results.words[at] = met.kind;
  results.words[at + 1] = floatBitsToUint(met.t);
  results.words[at + 2] = floatBitsToUint(met.at.x);
  results.words[at + 3] = floatBitsToUint(met.at.y);
  results.words[at + 4] = met.instance;
  results.words[at + 5] = met.custom;
  results.words[at + 6] = met.primitive;
  results.words[at + 7] = met.geometry;
  results.words[at + 8] = met.front;
  results.words[at + 9] = met.record;
}
