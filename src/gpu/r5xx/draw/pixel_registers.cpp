#include "gpu/r5xx/draw/pixel_registers.h"

#include "gpu/r5xx/draw/pixel_fog.h"
#include "isa/r500/registers.h"
#include "pipeline/cylinder.h"

namespace Atoll::r5xx::ATOLL_LEVEL {

void fill_registers(wave::Wave& w, const pipeline::PixelBatch& batch, pipeline::PrimitiveKind kind, const Routing& routing,
                    std::span<const Route> routes) {
  using namespace pipeline;
  const unsigned centre = routing.perspective ? PERSPECTIVE_CENTRE : LINEAR_CENTRE;
  const unsigned centroid = routing.perspective ? PERSPECTIVE_CENTROID : LINEAR_CENTROID;
  for (const Route& route : routes) {
    auto* lanes = reinterpret_cast<float*>(wave::bytes_of(w, cell_of(route)));
    const auto& weights = batch.barycentric[route.centroid ? centroid : centre];
    // `count` lanes of one primitive from the batch's lane `from` on.
    auto fill = [&](unsigned from, auto count) {
      const PrimitiveAttributes& p = batch.primitive[from / 4];
      if (p.kind != kind) return;
      const float *i = &weights[0][from], *j = &weights[1][from];
      float* out = lanes + from;
      auto all = [&](float value) {
        for (unsigned l = 0; l < count; l++) out[l] = value;
      };
      switch (route.kind) {
        case RouteKind::zero: all(0); break;
        case RouteKind::one: all(1); break;
        case RouteKind::attribute: {
          const unsigned source = p.front ? route.source : route.back_source;
          const float a = p.a[source];
          float to_b = p.b[source] - a, to_c = p.c[source] - a;
          if (route.wraps) to_b = pipeline::shorter_distance(to_b), to_c = pipeline::shorter_distance(to_c);
          if (to_b == 0 && to_c == 0) {
            all(a);
            break;
          }
          for (unsigned l = 0; l < count; l++) out[l] = a + i[l] * to_b + j[l] * to_c;
          break;
        }
        case RouteKind::flat_attribute: all(p.provoking[p.front ? route.source : route.back_source]); break;
        case RouteKind::point_s: {
          const float s0 = routing.point_s[0], s1 = routing.point_s[1];
          for (unsigned l = 0; l < count; l++) out[l] = s0 + i[l] * (s1 - s0);
          break;
        }
        case RouteKind::point_t: {
          const float t0 = routing.point_t[0], t1 = routing.point_t[1];
          for (unsigned l = 0; l < count; l++) out[l] = t0 + j[l] * (t1 - t0);
          break;
        }
        case RouteKind::line_s: {
          const float s0 = routing.line_s[0], s1 = routing.line_s[1];
          for (unsigned l = 0; l < count; l++) out[l] = s0 + i[l] * (s1 - s0);
          break;
        }
        case RouteKind::line_t: {
          const float t0 = p.along[0] * routing.line_scale, to_t1 = (p.along[1] - p.along[0]) * routing.line_scale;
          for (unsigned l = 0; l < count; l++) out[l] = t0 + i[l] * to_t1;
          break;
        }
        case RouteKind::solid: all(routing.solid[route.channel]); break;
        case RouteKind::fog:
          for (unsigned l = 0; l < count; l++) out[l] = fog_value(batch, routing, from + l);
          break;
        case RouteKind::triangle_s:
          for (unsigned l = 0; l < count; l++) out[l] = (float(batch.x[from + l]) + 0.5f) * routing.triangle_scale[0];
          break;
        case RouteKind::triangle_t:
          for (unsigned l = 0; l < count; l++) out[l] = (float(batch.y[from + l]) + 0.5f) * routing.triangle_scale[1];
          break;
        case RouteKind::back_face: all(p.front ? 0.0f : 1.0f); break;
        case RouteKind::screen_x:
          for (unsigned l = 0; l < count; l++) out[l] = float(batch.x[from + l]);
          break;
        case RouteKind::screen_y:
          for (unsigned l = 0; l < count; l++) out[l] = float(batch.y[from + l]);
          break;
      }
    };
    if (batch.one_primitive && batch.quads == max_quads)
      fill(0, std::integral_constant<unsigned, max_pixels>());
    else
      for (unsigned q = 0; q < batch.quads; q++) fill(q * 4, std::integral_constant<unsigned, 4>());
  }
}

}  // namespace Atoll::r5xx::ATOLL_LEVEL
