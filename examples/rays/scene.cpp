// The scene: a ring of sand around a lagoon, palms where it is high enough, a lighthouse. Lengths in units of ten metres.
#include "scene.h"

#include <cmath>

namespace {

uint32_t rgb(float r, float g, float b) {
  auto byte = [](float x) { return uint32_t(std::fmin(std::fmax(x, 0.0f), 1.0f) * 255); };
  return byte(r) | byte(g) << 8 | byte(b) << 16;
}

float hash(int x, int y) {
  uint32_t h = uint32_t(x) * 0x85ebca6bu ^ uint32_t(y) * 0xc2b2ae35u;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return float((h ^ h >> 15) >> 8) * 0x1p-24f;
}
float noise(float x, float y) {
  int ix = int(std::floor(x)), iy = int(std::floor(y));
  float fx = x - float(ix), fy = y - float(iy);
  fx = fx * fx * (3 - 2 * fx), fy = fy * fy * (3 - 2 * fy);
  auto mix = [](float a, float b, float t) { return a + (b - a) * t; };
  return mix(mix(hash(ix, iy), hash(ix + 1, iy), fx), mix(hash(ix, iy + 1), hash(ix + 1, iy + 1), fx), fy);
}
float height(float x, float z) {
  float rough = 0, weight = 0.5f;
  for (int octave = 0; octave < 4; octave++, weight /= 2)
    rough += weight * noise(x / weight * 0.35f + 31, z / weight * 0.35f + 17);
  float ring = std::hypot(x, z) - 8.2f - 2.2f * (rough - 0.5f);
  return 1.15f * std::exp(-ring * ring * 0.55f) * (0.35f + 1.1f * noise(x * 0.21f + 5, z * 0.21f + 9)) + 0.28f * rough - 0.34f;
}

class Builder {
public:
  std::vector<Triangle> all;
  void add(Vector a, Vector b, Vector c, uint32_t colour) { all.push_back({{a, b, c}, colour}); }
  void quad(Vector a, Vector b, Vector c, Vector d, uint32_t colour) { add(a, b, c, colour), add(a, c, d, colour); }
  // A cut cone standing on `at`.
  void cone(Vector at, float low, float high, float top, int sides, uint32_t colour) {
    for (int n = 0; n < sides; n++) {
      float a = 6.2831853f * float(n) / float(sides), b = 6.2831853f * float(n + 1) / float(sides);
      Vector p{std::cos(a), 0, std::sin(a)}, q{std::cos(b), 0, std::sin(b)}, up = at + Vector{0, top, 0};
      quad(at + p * low, at + q * low, up + q * high, up + p * high, colour);
      if (high > 0) add(up, up + p * high, up + q * high, colour);
    }
  }
  void land(int grid) {
    const float side = 12.5f, step = 2 * side / float(grid);
    auto at = [&](int i, int j) {
      float x = -side + float(i) * step, z = -side + float(j) * step;
      return Vector{x, height(x, z), z};
    };
    for (int i = 0; i < grid; i++)
      for (int j = 0; j < grid; j++) {
        Vector p[4] = {at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)};
        float most = std::fmax(std::fmax(p[0].y, p[1].y), std::fmax(p[2].y, p[3].y));
        if (most < -0.02f) continue;
        float grass = std::fmin(std::fmax((most - 0.2f) * 5, 0.0f), 1.0f), shade = 0.85f + 0.3f * hash(i * 3 + 1, j * 7);
        uint32_t colour = rgb((0.86f - 0.58f * grass) * shade, (0.78f - 0.30f * grass) * shade, (0.58f - 0.38f * grass) * shade);
        quad(p[0], p[1], p[2], p[3], colour);
      }
  }
  void palm(Vector at, float size, float lean) {
    uint32_t bark = rgb(0.42f, 0.30f, 0.20f);
    Vector foot = at, top = at;
    for (int n = 0; n < 3; n++) {
      top =
          foot + Vector{0.07f * size * std::cos(lean) * float(n + 1), 0.30f * size, 0.07f * size * std::sin(lean) * float(n + 1)};
      Vector w{0.030f * size, 0, 0}, d{-0.015f * size, 0, 0.026f * size}, e{-0.015f * size, 0, -0.026f * size};
      quad(foot + w, foot + d, top + d, top + w, bark), quad(foot + d, foot + e, top + e, top + d, bark);
      quad(foot + e, foot + w, top + w, top + e, bark);
      foot = top;
    }
    for (int n = 0; n < 9; n++) {
      float a = lean + 0.698f * float(n), droop = 0.10f + 0.20f * hash(n, int(lean * 100));
      Vector out{std::cos(a), 0, std::sin(a)}, side{-std::sin(a), 0, std::cos(a)};
      Vector middle = top + out * (0.28f * size) + Vector{0, 0.10f * size, 0},
             end = top + out * (0.58f * size) - Vector{0, droop * size, 0};
      uint32_t leaf = rgb(0.13f + 0.08f * hash(n, 3), 0.36f + 0.16f * hash(n, 5), 0.12f);
      Vector wide = side * (0.07f * size);
      add(top, middle + wide, middle - wide, leaf);
      add(middle + wide, end, middle - wide, leaf);
    }
  }
  void lighthouse(Vector at) {
    at.y = std::fmax(at.y, 0.1f) - 0.05f;
    for (int n = 0; n < 5; n++) {
      float low = 0.42f - 0.035f * float(n);
      cone(at + Vector{0, 0.55f * float(n), 0}, low, low - 0.035f, 0.55f, 24,
           n & 1 ? rgb(0.80f, 0.16f, 0.12f) : rgb(0.95f, 0.94f, 0.90f));
    }
    cone(at + Vector{0, 2.75f, 0}, 0.36f, 0.36f, 0.09f, 24, rgb(0.25f, 0.25f, 0.28f));
    cone(at + Vector{0, 2.84f, 0}, 0.17f, 0.17f, 0.34f, 16, rgb(1.0f, 0.93f, 0.62f));
    cone(at + Vector{0, 3.18f, 0}, 0.28f, 0, 0.26f, 16, rgb(0.80f, 0.16f, 0.12f));
  }
};

}  // namespace

std::vector<Triangle> atoll_scene(int grid) {
  Builder b;
  b.land(grid);
  b.lighthouse({-4.6f, height(-4.6f, 6.4f), 6.4f});
  for (int n = 0, planted = 0; n < 4000 && planted < 190; n++) {
    float x = 25 * hash(n, 101) - 12.5f, z = 25 * hash(n, 211) - 12.5f, y = height(x, z);
    if (y < 0.24f || std::hypot(x + 4.6f, z - 6.4f) < 1.1f) continue;
    b.palm({x, y - 0.02f, z}, 0.75f + 0.5f * hash(n, 307), 6.28f * hash(n, 401));
    planted++;
  }
  return std::move(b.all);
}
