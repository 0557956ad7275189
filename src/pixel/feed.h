// A pixel wave's QuadFeed as engine values. `feed`: its cell.
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
typename E::F32 plane(E& e, uint32_t feed, unsigned n) {
  using pipeline::QuadFeed;
  return as_f32(e.quads(feed + uint32_t(offsetof(QuadFeed, first)) + n * pipeline::max_quads * 4)) +
         as_f32(e.lanes(feed + uint32_t(offsetof(QuadFeed, slope)) + n * pipeline::max_pixels * 4));
}

template <class E>
Barycentrics<E> perspective(E& e, uint32_t feed) {
  using pipeline::QuadFeed;
  auto w = e.f32(1) / plane(e, feed, QuadFeed::ONE_OVER_W);
  return {plane(e, feed, QuadFeed::PERSPECTIVE_I) * w, plane(e, feed, QuadFeed::PERSPECTIVE_J) * w};
}
template <class E>
Barycentrics<E> linear(E& e, uint32_t feed) {
  return {plane(e, feed, pipeline::QuadFeed::LINEAR_I), plane(e, feed, pipeline::QuadFeed::LINEAR_J)};
}

// Each lane's pixel.
template <class E>
typename E::U32 pixel_x(E& e, uint32_t feed) {
  return e.quads(feed + uint32_t(offsetof(pipeline::QuadFeed, x))) + (e.lane_id() & 1);
}
template <class E>
typename E::U32 pixel_y(E& e, uint32_t feed) {
  return e.quads(feed + uint32_t(offsetof(pipeline::QuadFeed, y))) + (e.lane_id() >> 1 & 1);
}
template <class E>
typename E::U32 facing(E& e, uint32_t feed) {
  return e.quads(feed + uint32_t(offsetof(pipeline::QuadFeed, facing)));
}
template <class E>
typename E::M covered(E& e, uint32_t feed) {
  return e.mask(feed + uint32_t(offsetof(pipeline::QuadFeed, covered)));
}

// The lanes that are written at a sample: for a second pass, or several samples.
template <class E>
typename E::M drawn(E& e, uint32_t feed, unsigned sample) {
  return e.mask(feed + uint32_t(offsetof(pipeline::QuadFeed, drawn)) + sample * 8);
}

}  // namespace Atoll::pixel
