// Work-groups that share memory and wait for each other.
#include <cmath>

#include "scene.h"

namespace scenes {

namespace {

constexpr int size = 512;  // 262,144 invocations, one a pixel of the picture that their results are shown as

void make_results() {
  GLuint results;
  glGenBuffers(1, &results);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, results);
  glBufferData(GL_SHADER_STORAGE_BUFFER, size * size * 4, nullptr, GL_DYNAMIC_COPY);
}

// Four prefix sums over a group of 256, each of what the one before left in another order: 64 barriers.
void make_scans() {
  glUseProgram(make_compute_program(R"(#version 430
    layout(local_size_x = 256) in;
    layout(std430, binding = 0) buffer Results { uint result[]; };
    shared uint sums[256];
    void main() {
      uint i = gl_LocalInvocationID.x, value = gl_GlobalInvocationID.x * 2654435761u >> 20;
      for (int round = 0; round < 4; round++) {
        sums[i] = value;
        barrier();
        for (uint step = 1u; step < 256u; step *= 2u) {
          uint before = i >= step ? sums[i - step] : 0u;
          barrier();
          sums[i] += before;
          barrier();
        }
        value = sums[(i * 37u + 11u) & 255u] ^ value << 3;
        barrier();
      }
      result[gl_GlobalInvocationID.x] = value | 0xff000000u;
    })"));
  make_results();
}

// The pull of 128 bodies at each of 262,144 points, in tiles of 32 bodies that a group of 256 loads together: 8
// barriers.
void make_bodies() {
  constexpr int bodies = 128;
  glUseProgram(make_compute_program(R"(#version 430
    layout(local_size_x = 256) in;
    layout(std430, binding = 0) buffer Results { uint result[]; };
    layout(std430, binding = 1) readonly buffer Bodies { vec4 body[128]; };
    shared vec4 tile[32];
    void main() {
      uint i = gl_GlobalInvocationID.x, in_group = gl_LocalInvocationID.x;
      vec3 at = vec3(float(i & 511u) / 256.0 - 1.0, float(i >> 9) / 256.0 - 1.0, 0.0), pull = vec3(0.0);
      for (uint first = 0u; first < 128u; first += 32u) {
        if (in_group < 32u) tile[in_group] = body[first + in_group];
        barrier();
        for (uint k = 0u; k < 32u; k++) {
          vec3 d = tile[k].xyz - at;
          float near = inversesqrt(dot(d, d) + 0.05);
          pull += d * (tile[k].w * near * near * near);
        }
        barrier();
      }
      result[i] = packUnorm4x8(vec4(pull * 0.5 + 0.5, 1.0));
    })"));
  std::vector<float> values;
  for (int n = 0; n < bodies; n++) {
    float angle = float(n) * 2.4f, radius = std::sqrt(float(n) / bodies);
    values.insert(values.end(), {radius * std::cos(angle), radius * std::sin(angle), 0.2f, 1.0f / bodies});
  }
  GLuint buffer;
  glGenBuffers(1, &buffer);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, buffer);
  glBufferData(GL_SHADER_STORAGE_BUFFER, GLsizeiptr(values.size() * sizeof(float)), values.data(), GL_STATIC_DRAW);
  make_results();
}

void draw_groups(int) {
  glDispatchCompute(size * size / 256, 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

Picture read_results() {
  Picture picture{size, size, std::vector<uint8_t>(size_t(size) * size * 4)};
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, GLsizeiptr(picture.rgba.size()), picture.rgba.data());
  return picture;
}

constexpr Scene table[] = {
    {"compute", "128 bodies pull at 262,144 points: tiles in shared memory, 8 barriers, much arithmetic", 43, make_bodies,
     draw_groups, read_results},
    {"scans", "prefix sums of 262,144 invocations in shared memory: 64 barriers, little arithmetic", 43, make_scans, draw_groups,
     read_results},
};

}  // namespace

std::span<const Scene> compute_scenes() { return table; }

}  // namespace scenes
