#include "pipeline/draws/watched_primitives.h"

#include <algorithm>

namespace Atoll::pipeline {
namespace {

// Samples of the pixel inside of all edges, whatever the mask of samples says (Primitive has the formula).
uint32_t samples_inside(const DrawConstants& constants, const Primitive& p, int x, int y) {
  if (x < p.left || x >= p.right || y < p.top || y >= p.bottom) return 0;
  uint32_t samples = 0;
  for (unsigned s = 0; s < constants.places; s++) {
    bool inside = true;
    for (unsigned e = 0; e < p.edges; e++) {
      const int64_t a = p.a[e], b = p.b[e];
      inside &= a * x + b * y + constants.floor_divide(p.c[e] + a * constants.sample_x[s] + b * constants.sample_y[s]) >= 0;
    }
    samples |= uint32_t(inside) << s;
  }
  return samples;
}

void widen(std::optional<Rectangle>& extent, const Primitive& p) {
  if (p.left >= p.right || p.top >= p.bottom) return;
  if (!extent) extent = Rectangle{p.left, p.top, p.right, p.bottom};
  extent->left = std::min(extent->left, int(p.left)), extent->top = std::min(extent->top, int(p.top));
  extent->right = std::max(extent->right, int(p.right)), extent->bottom = std::max(extent->bottom, int(p.bottom));
}

// The first primitive of the part that has the pixel.
const Primitive* find(const DrawConstants& constants, const SetupPart& part, const PixelWatch& watch, uint32_t& samples) {
  for (size_t n = 0; n < part.count; n++) {
    const Primitive& p = part.primitives[n];
    if (p.attributes.layer == watch.layer && (samples = samples_inside(constants, p, watch.x, watch.y))) return &p;
  }
  return nullptr;
}

bool is_outside(const Rectangle& area, const PixelWatch& watch) {
  return watch.x < area.left || watch.x >= area.right || watch.y < area.top || watch.y >= area.bottom;
}

}  // namespace

void watch_primitives(PixelWatch& watch, const SetupInput& input, std::span<const Assembled> primitives) {
  const DrawConstants& constants = input.constants;
  const Draw& draw = *constants.draw;
  // The draw without culling, scissors and mask.
  Draw all = draw;
  all.rasterization.cull_front = all.rasterization.cull_back = false;
  all.rasterization.scissors.clear();
  all.rasterization.sample_mask = ~0u;
  all.scissor_viewports = false;
  DrawConstants everything;
  if (!make_constants(all, everything)) return;
  SetupInput relaxed{everything, input.vertices, input.attributes, input.screen, input.guards, input.given};
  SetupPart part;
  for (const Assembled& assembled : primitives) {
    watch.draw.primitives++;
    part.clear();
    set_up(relaxed, assembled, part);
    for (size_t n = 0; n < part.count; n++) widen(watch.draw.extent, part.primitives[n]);
    uint32_t samples = 0;
    const Primitive* shape = find(everything, part, watch, samples);
    if (!shape) continue;
    Fragment f;
    f.primitive = shape->attributes.primitive, f.kind = shape->attributes.kind, f.front = shape->attributes.front;
    const double dx = watch.x + everything.depth_dx[watch.sample % everything.samples] - shape->x,
                 dy = watch.y + everything.depth_dy[watch.sample % everything.samples] - shape->y;
    f.depth = std::clamp(float(shape->z.at + shape->z.y * dy + shape->z.x * dx), shape->depth_low, shape->depth_high);
    f.covered = samples;
    const unsigned viewport = std::min(shape->attributes.viewport, 15u);
    part.clear();
    set_up(input, assembled, part);
    const bool culled = f.kind == PrimitiveKind::triangle && !part.count &&
                        (f.front ? draw.rasterization.cull_front : draw.rasterization.cull_back);
    uint32_t left = 0;
    if (culled) {
      f.end = f.front ? FragmentEnd::culled_front : FragmentEnd::culled_back;
    } else if (is_outside(area_of(constants, viewport), watch)) {
      f.end = FragmentEnd::scissor;
    } else if (!(samples & constants.sample_mask)) {
      f.end = FragmentEnd::sample_mask;
    } else if (find(constants, part, watch, left)) {
      watch.expected.push_back(f.primitive);
      continue;
    } else {
      f.end = FragmentEnd::clipped;
    }
    if (watch.draw.not_covered.size() < PixelWatch::max_fragments)
      watch.draw.not_covered.push_back(f);
    else
      watch.draw.more++;
  }
}

}  // namespace Atoll::pipeline
