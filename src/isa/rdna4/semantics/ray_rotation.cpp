#include "isa/rdna4/semantics/ray_rotation.h"

#include <array>

namespace Atoll::rdna4 {
namespace {

constexpr int axes[13][3] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {0, 1, 1},  {0, -1, 1}, {1, 0, 1},  {1, 0, -1},
                             {1, 1, 0}, {-1, 1, 0}, {1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1}};
// By the number of an axis's components: one over its length.
constexpr double shortened[] = {0, 1, 0.70710678118654752440, 0.57735026918962576451};
constexpr double sines[] = {0.38268343236508977173, 0.70710678118654752440, 0.92387953251128675613, 1};
constexpr double cosines[] = {0.92387953251128675613, 0.70710678118654752440, 0.38268343236508977173, 0};

using Rotation = std::array<std::array<float, 3>, 3>;

// Rodrigues' formula.
constexpr Rotation rotation(unsigned index) {
  const int(&axis)[3] = axes[index / 8];
  const int components = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
  const double cosine = cosines[index % 8 / 2], sine = sines[index % 8 / 2] * (index & 1 ? -1 : 1);
  Rotation out{};
  for (unsigned row = 0; row < 3; row++)
    for (unsigned column = 0; column < 3; column++) {
      double x = (1 - cosine) * axis[row] * axis[column] / components;
      if (row == column)
        x += cosine;
      else
        x += ((row + 1) % 3 == column ? -sine : sine) * axis[3 - row - column] * shortened[components];
      out[row][column] = float(x);
    }
  return out;
}
constexpr auto rotations = [] {
  std::array<Rotation, rotation_count> all{};
  for (unsigned n = 0; n < rotation_count; n++) all[n] = rotation(n);
  return all;
}();

}  // namespace

float transformed(const float* row, const float (&v)[3], double offset) {
  return float(double(row[0]) * v[0] + double(row[1]) * v[1] + double(row[2]) * v[2] + offset);
}

Ray rotated(const Ray& ray, unsigned index) {
  if (index >= rotation_count) return ray;
  Ray out = ray;
  for (unsigned axis = 0; axis < 3; axis++) {
    const float* row = rotations[index][axis].data();
    out.origin[axis] = transformed(row, ray.origin, 0);
    out.direction[axis] = transformed(row, ray.direction, 0);
    out.inverse[axis] = 1 / out.direction[axis];
  }
  return out;
}

}  // namespace Atoll::rdna4
