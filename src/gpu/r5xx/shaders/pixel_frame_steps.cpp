// The templates of PixelFrame: compiled for each host level and for the recorder.
#include "gpu/r5xx/shaders/pixel_frame.h"
#include "pixel/frame_steps.h"
#include "pixel/payload.h"

namespace Atoll::r5xx {

namespace {

// As fill_registers() has it.
template <class E>
void load_registers(E& e, const PixelFrame& frame) {
  using F32 = typename E::F32;
  pixel::Barycentrics<E> at = frame.perspective ? pixel::perspective(e, quad_payload_cell) : pixel::linear(e, quad_payload_cell);
  for (unsigned n = 0; n < frame.routes.size(); n++) {
    const Route& route = frame.routes[n];
    auto word = [&](size_t member) {
      return e.primitive_quads(route_payload_cell + uint32_t(member + n * sizeof(RoutePayload::a[0])));
    };
    auto a = [&] { return as_f32(word(offsetof(RoutePayload, a))); };
    auto b = [&] { return as_f32(word(offsetof(RoutePayload, to_b))); };
    auto c = [&] { return as_f32(word(offsetof(RoutePayload, to_c))); };
    auto value = [&]() -> F32 {
      switch (route.kind) {
        case RouteKind::zero: return e.f32(0);
        case RouteKind::one: return e.f32(1);
        case RouteKind::attribute: {
          F32 first = a();
          auto flat = e.primitive_quads(route_payload_cell + uint32_t(offsetof(RoutePayload, flat) + n / 32 * 64));
          return select((flat & (1u << n % 32)) != 0, first, first + at.i * b() + at.j * c());
        }
        case RouteKind::flat_attribute:
        case RouteKind::solid:
        case RouteKind::back_face: return a();
        case RouteKind::triangle_s: return (cvt_f32_s32(pixel::pixel_x(e, quad_payload_cell)) + 0.5f) * a();
        case RouteKind::triangle_t: return (cvt_f32_s32(pixel::pixel_y(e, quad_payload_cell)) + 0.5f) * a();
        case RouteKind::fog: return e.f32(0);  // (such pixels go the other way)
        case RouteKind::point_s:
        case RouteKind::line_s:
        case RouteKind::line_t: return a() + at.i * b();
        case RouteKind::point_t: return a() + at.j * c();
        case RouteKind::screen_x: return cvt_f32_s32(pixel::pixel_x(e, quad_payload_cell));
        case RouteKind::screen_y: return cvt_f32_s32(pixel::pixel_y(e, quad_payload_cell));
      }
      return e.f32(0);
    };
    e.set_whole_lanes(r500::temporary_cell(route.temporary % r500::kTemporaries, route.channel), as_u32(value()));
  }
}

// As AlphaTest::passes().
template <class E>
typename E::M passes(E& e, const AlphaTest& test, typename E::F32 alpha) {
  using M = typename E::M;
  M less = e.m(false), equal = e.m(false);
  if (test.bits) {
    if (test.reference) less = ~(alpha >= test.least_equal);
    equal = ~less & ~(alpha >= test.least_greater);
  } else {
    typename E::F32 a = cvt_f32_f16(cvt_f16_f32(alpha));
    less = a < test.float_reference, equal = a == test.float_reference;
  }
  M passed = e.m(false);
  if (test.function & 1) passed = passed | less;
  if (test.function & 2) passed = passed | (equal & ~less);
  if (test.function & 4) passed = passed | (~equal & ~less);
  return passed;
}

// `lanes(s)`: which pixels are written, of sample s.
template <class E, class Lanes>
void write_targets(E& e, const PixelFrame& frame, Lanes lanes) {
  for (unsigned n = 0; n < frame.targets.size(); n++) {
    const PixelFrame::Target& target = frame.targets[n];
    if (!target.output.used) continue;
    auto output = [&](unsigned c) { return e.lanes(r500::output_cell(target.output.shader_output, target.output.channel[c])); };
    typename pixel::TargetWrite<E>::Bits source = {output(0), output(1), output(2), output(3)};
    pixel::TargetWrite<E>(e, quad_payload_cell, n, target.state).write(source, source, frame.samples, lanes);
  }
}

template <class E>
void take_outputs(E& e, const PixelFrame& frame) {
  typename E::M alive = pixel::covered(e, quad_payload_cell) & ~e.mask(r500::killed_cell);
  if (frame.alpha.enable) alive = alive & passes(e, frame.alpha, as_f32(e.lanes(r500::output_cell(0, 3))));
  e.set_mask(quad_payload_cell + uint32_t(offsetof(pipeline::QuadPayload, written)), alive);
  if (frame.second_pass) return;
  write_targets(e, frame, [&](unsigned s) { return frame.samples == 1 ? alive : alive & pixel::drawn(e, quad_payload_cell, s); });
}

template <class E>
void write_drawn(E& e, const PixelFrame& frame) {
  write_targets(e, frame, [&](unsigned s) { return pixel::drawn(e, quad_payload_cell, s); });
}

}  // namespace

ATOLL_FRAME_FUNCTIONS(load_registers, take_outputs, write_drawn, PixelFrame)

}  // namespace Atoll::r5xx
