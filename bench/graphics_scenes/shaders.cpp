// Few layers of quads over the whole screen with much to compute.
#include "scene.h"

namespace scenes {

namespace {

constexpr const char* vertex = R"(#version 120
  attribute vec4 position, colour;
  attribute vec2 coordinates;
  varying vec2 place;
  void main() { gl_Position = position; place = coordinates; })";

void make(const char* fragment) {
  glUseProgram(make_program(vertex, fragment, corner_attributes));
  const Quad quad[] = {screen_quad(0)};
  bind_corners(quad);
}

void draw_one(int) {
  glClear(GL_COLOR_BUFFER_BIT);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

void draw_four(int) {
  glClear(GL_COLOR_BUFFER_BIT);
  for (int n = 0; n < 4; n++) glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

// Five octaves of value noise: 20 sines, no branch. The arguments are small, so that drivers agree on the sines.
void make_long() {
  make(R"(#version 120
    varying vec2 place;
    float hash(vec2 p) { p = mod(p, 16.0); return fract(sin(dot(p, vec2(1.27, 3.11))) * 43.7); }
    float noise(vec2 p) {
      vec2 i = floor(p), f = p - i;
      f = f * f * (3.0 - 2.0 * f);
      return mix(mix(hash(i), hash(i + vec2(1.0, 0.0)), f.x), mix(hash(i + vec2(0.0, 1.0)), hash(i + vec2(1.0, 1.0)), f.x), f.y);
    }
    void main() {
      vec2 p = place * 5.3 + 0.37;
      float sum = 0.0, weight = 0.5;
      sum += weight * noise(p); p = p * 2.03 + 1.7; weight *= 0.5;
      sum += weight * noise(p); p = p * 2.01 + 2.3; weight *= 0.5;
      sum += weight * noise(p); p = p * 2.02 + 0.9; weight *= 0.5;
      sum += weight * noise(p); p = p * 2.03 + 3.1; weight *= 0.5;
      sum += weight * noise(p);
      gl_FragColor = vec4(mix(vec3(0.1, 0.2, 0.5), vec3(1.0, 0.8, 0.4), sum), 1.0);
    })");
}

// Spheres on a floor. Rays end after different numbers of steps, which parts neighbouring pixels.
void make_march() {
  make(R"(#version 120
    varying vec2 place;
    float far_from(vec3 p) {
      vec3 q = vec3(mod(p.x + 1.5, 3.0) - 1.5, p.y, mod(p.z + 1.5, 3.0) - 1.5);
      return min(length(q) - 0.8, p.y + 0.8);
    }
    void main() {
      vec3 from = vec3(0.4, 0.7, 0.1), along = normalize(vec3((place.x - 0.5) * 1.6, (place.y - 0.6) * 1.2, 1.0));
      float t = 0.0;
      for (int step = 0; step < 64; step++) {
        float d = far_from(from + along * t);
        if (d < 0.002) break;
        t += d;
        if (t > 30.0) break;
      }
      vec3 p = from + along * t;
      vec2 e = vec2(0.01, 0.0);
      float here = far_from(p);
      vec3 normal = normalize(vec3(far_from(p + e.xyy), far_from(p + e.yxy), far_from(p + e.yyx)) - here + 1e-5);
      float light = max(dot(normal, vec3(0.48, 0.8, -0.36)), 0.0) * 0.8 + 0.2;
      gl_FragColor = vec4(mix(vec3(0.9, 0.7, 0.4) * light, vec3(0.5, 0.7, 0.9), min(t / 30.0, 1.0)), 1.0);
    })");
}

constexpr Scene table[] = {
    {"long", "4 layers of a long shader without branches: value noise of 20 sines", 21, make_long, draw_four},
    {"march", "one layer of a ray-marching loop of up to 64 steps", 21, make_march, draw_one},
};

}  // namespace

std::span<const Scene> shader_scenes() { return table; }

}  // namespace scenes
