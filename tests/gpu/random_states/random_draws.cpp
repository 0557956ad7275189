#include "random_draws.h"

namespace Atoll::random_states {

namespace {

// Sea Islands 3D Register Reference, VGT_PRIMITIVE_TYPE; Mesa 25.0.7 src/amd/registers/gfx12.json.
enum PrimitiveType : uint32_t { points = 1, lines = 2, triangles = 4, triangle_strip = 6, rectangles = 17 };
enum DepthFormat : uint32_t { z16 = 1, z32_float = 3 };

}  // namespace

RandomVertices random_vertices(Random& r) {
  RandomVertices made{r.one_of<uint32_t>({triangles, triangles, triangles, triangle_strip, rectangles, points, lines}), {}};
  const bool one_depth = r.percent(40), are_rectangles = made.type == rectangles;
  auto add = [&](float x, float y, float depth) {
    const float scale = are_rectangles || r.percent(60) ? 1 : r.real(0.5f, 3);  // clip.w
    std::array<float, 12> v{x * scale, y * scale, depth * scale, scale};
    for (unsigned k = 4; k < 12; k++) v[k] = r.percent(85) ? r.unit() : r.real(-1, 2);
    made.values.push_back(v);
  };
  auto depth = [&] { return one_depth ? 0.0f : r.real(-0.9f, 0.9f); };
  if (r.percent(65)) {
    const float far = are_rectangles ? 1 : 3;
    const float z = depth();
    add(-1, -1, z), add(far, -1, are_rectangles ? z : depth()), add(-1, far, are_rectangles ? z : depth());
  }
  const unsigned more = r.percent(30) ? 0 : 3 * (1 + r.below(12));
  const float reach = r.percent(50) ? 1 : 0.2f;
  for (unsigned k = 0; k < more; k += 3) {
    const float x = r.real(-1, 1), y = r.real(-1, 1), z = depth();
    for (unsigned corner = 0; corner < 3; corner++) {
      float dx = r.real(-reach, reach), dy = r.real(-reach, reach);
      if (are_rectangles) dx = corner == 1 ? reach : 0, dy = corner == 2 ? reach : 0;
      add(x + dx, y + dy, are_rectangles ? z : depth());
    }
  }
  return made;
}

uint32_t random_constant(Random& r, unsigned n) {
  if (n == 11) return r.next() & 0xffff;
  return bits(n == 8 ? r.real(0.2f, 0.9f) : n == 9 ? 300 : n == 10 ? 70000 : r.percent(75) ? r.unit() : r.real(-2, 2));
}

void fill_depths(Random& r, Random& content, std::span<uint8_t> depth, std::span<uint8_t> stencil, uint32_t format) {
  fill(content, stencil, Content::bytes);
  if (r.percent(40))
    for (uint8_t& value : stencil) value &= 3;
  auto* words = reinterpret_cast<uint32_t*>(depth.data());
  const bool one = r.percent(30);
  for (size_t n = 0; n < depth.size() / 4; n++) {
    const float z = one ? 0.5f : content.unit();
    switch (format) {
      case z32_float: words[n] = bits(z); break;
      case z16: words[n] = one ? 0x80008000 : content.next(); break;
      default: words[n] = one ? 0xab800000 : content.next();
    }
  }
}

}  // namespace Atoll::random_states
