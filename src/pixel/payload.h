// A pixel wave's QuadPayload as engine values. `payload`: its cell.
#pragma once
#include <cstddef>

#include "pipeline/stages.h"
#include "wave/engine.h"

namespace Atoll::pixel {

template <class E>
struct Barycentrics {
  typename E::F32 i, j;
};

template <class E>
typename E::F32 plane(E& e, uint32_t payload, unsigned n) {
  using pipeline::QuadPayload;
  return as_f32(e.quads(payload + uint32_t(offsetof(QuadPayload, first)) + n * pipeline::max_quads * 4)) +
         as_f32(e.lanes(payload + uint32_t(offsetof(QuadPayload, slope)) + n * pipeline::max_pixels * 4));
}

template <class E>
Barycentrics<E> perspective(E& e, uint32_t payload) {
  using pipeline::QuadPayload;
  auto w = e.f32(1) / plane(e, payload, QuadPayload::ONE_OVER_W);
  return {plane(e, payload, QuadPayload::PERSPECTIVE_I) * w, plane(e, payload, QuadPayload::PERSPECTIVE_J) * w};
}
template <class E>
Barycentrics<E> linear(E& e, uint32_t payload) {
  return {plane(e, payload, pipeline::QuadPayload::LINEAR_I), plane(e, payload, pipeline::QuadPayload::LINEAR_J)};
}

// Each lane's pixel.
template <class E>
typename E::U32 pixel_x(E& e, uint32_t payload) {
  return e.quads(payload + uint32_t(offsetof(pipeline::QuadPayload, x))) + (e.lane_id() & 1);
}
template <class E>
typename E::U32 pixel_y(E& e, uint32_t payload) {
  return e.quads(payload + uint32_t(offsetof(pipeline::QuadPayload, y))) + (e.lane_id() >> 1 & 1);
}
template <class E>
typename E::U32 facing(E& e, uint32_t payload) {
  return e.quads(payload + uint32_t(offsetof(pipeline::QuadPayload, facing)));
}
template <class E>
typename E::M covered(E& e, uint32_t payload) {
  return e.mask(payload + uint32_t(offsetof(pipeline::QuadPayload, covered)));
}

// The lanes that are written at a sample: for a second pass, or several samples.
template <class E>
typename E::M drawn(E& e, uint32_t payload, unsigned sample) {
  return e.mask(payload + uint32_t(offsetof(pipeline::QuadPayload, drawn)) + sample * 8);
}

}  // namespace Atoll::pixel
