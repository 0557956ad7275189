#include "gpu/r5xx/draw/pixel_fog.h"

#include <algorithm>
#include <cmath>

namespace Atoll::r5xx {

float fog_value(const pipeline::PixelBatch& batch, const Routing& routing, unsigned lane) {
  using namespace pipeline;
  const Fog& fog = routing.fog;
  const PrimitiveAttributes& p = batch.primitive[lane / 4];
  const unsigned source = p.front ? fog.source.source : fog.source.back_source;
  auto scaled = [&](float value) { return value * fog.scale + fog.offset; };
  switch (fog.source.kind) {
    case RouteKind::one: return scaled(fog.of_z ? batch.z[lane] : 1 / batch.one_over_w[lane]);
    case RouteKind::flat_attribute: return scaled(p.provoking[source]);
    case RouteKind::solid: return scaled(routing.solid[fog.source.channel]);
    case RouteKind::attribute: {
      const auto& weights = batch.barycentric[routing.perspective ? PERSPECTIVE_CENTRE : LINEAR_CENTRE];
      const float a = p.a[source];
      return scaled(a + weights[0][lane] * (p.b[source] - a) + weights[1][lane] * (p.c[source] - a));
    }
    default: return scaled(0);
  }
}

FogBlend fog_blend_of(const RegisterFile& r) {
  FogBlend fog;
  fog.enable = r.get<FG_FOG_BLEND::ENABLE>();
  fog.function = r.get<FG_FOG_BLEND::FN>();
  auto fixed = [](uint32_t value) { return float(value) / 1023; };
  fog.constant = fixed(r.get<FG_FOG_FACTOR::FACTOR>());
  fog.colour = {fixed(r.get<FG_FOG_COLOR_R::RED>()), fixed(r.get<FG_FOG_COLOR_G::GREEN>()), fixed(r.get<FG_FOG_COLOR_B::BLUE>())};
  return fog;
}

// The functions are those for which Mesa 7's scales (r300_state.c, r300Fogfv) give OpenGL's fog: linear values are 0 where fog
// begins and 1 where it ends, those of the others the density times 0.0933 and 0.3.
float FogBlend::amount(float value) const {
  using Fn = FG_FOG_BLEND::FN;
  value = value > 0 ? value : 0;
  switch (function) {
    case Fn::Fog_function_is_linear: return std::min(value, 1.0f);
    case Fn::Fog_function_is_exponential: return 1 - std::exp(-value / 0.0933f);
    case Fn::Fog_function_is_exponential_squared: return 1 - std::exp(-(value / 0.3f) * (value / 0.3f));
    default: return constant;
  }
}

}  // namespace Atoll::r5xx
