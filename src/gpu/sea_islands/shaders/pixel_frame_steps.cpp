// The templates of PixelFrame: compiled for each host level and for the recorder.
#include "gpu/sea_islands/shaders/pixel_frame.h"
#include "pixel/feed.h"
#include "pixel/frame_steps.h"

namespace Atoll::sea_islands {

namespace {

template <class E>
void load_inputs(E& e, const PixelFrame& frame) {
  auto load = [&](int vgpr, auto value) { e.set_whole_lanes(gfx7::vgpr_cell(uint32_t(vgpr)), value); };
  auto load_pair = [&](const std::array<int16_t, 3>& vgprs, auto barycentrics) {
    if (std::ranges::all_of(vgprs, [](int16_t vgpr) { return vgpr == PixelFrame::none; })) return;
    pixel::Barycentrics<E> at = barycentrics(e, quad_feed_cell);
    for (int16_t vgpr : vgprs)
      if (vgpr != PixelFrame::none) load(vgpr, as_u32(at.i)), load(vgpr + 1, as_u32(at.j));
  };
  load_pair(frame.perspective, pixel::perspective<E>);
  load_pair(frame.linear, pixel::linear<E>);
  if (frame.position_x != PixelFrame::none)
    load(frame.position_x, as_u32(cvt_f32_s32(pixel::pixel_x(e, quad_feed_cell)) + frame.centre));
  if (frame.position_y != PixelFrame::none)
    load(frame.position_y, as_u32(cvt_f32_s32(pixel::pixel_y(e, quad_feed_cell)) + frame.centre));
  if (frame.front_face != PixelFrame::none) load(frame.front_face, pixel::facing(e, quad_feed_cell));
}

// As PixelStage::take_exports() has them.
template <class E>
typename pixel::TargetWrite<E>::Bits components(E& e, const PixelFrame::Export& of) {
  using U32 = typename E::U32;
  using Shape = PixelFrame::Shape;
  auto dword = [&](unsigned c) { return of.enabled >> c & 1 ? e.lanes(gfx7::export_cell(of.number, c)) : e.u32(0); };
  if (of.shape == Shape::dwords) {
    if (of.alpha_is_second) return {dword(0), dword(3), dword(2), dword(1)};
    return {dword(0), dword(1), dword(2), dword(3)};
  }
  auto component = [&](unsigned c) -> U32 {
    U32 pair = dword(c / 2), value = c % 2 ? pair >> 16 : pair & 0xffff;
    switch (of.shape) {
      case Shape::halves: return as_u32(cvt_f32_f16(value));
      case Shape::unorm16: return as_u32(cvt_f32_s32(value) * (1.0f / 65535));
      case Shape::snorm16: {
        typename E::F32 number = cvt_f32_s32(ashr(value << 16, 16)) * (1.0f / 32767);
        return as_u32(select(number < -1.0f, e.f32(-1), number));
      }
      case Shape::sint16: return ashr(value << 16, 16);
      default: return value;
    }
  };
  return {component(0), component(1), component(2), component(3)};
}

// `lanes(s)`: which pixels are written, of sample s.
template <class E, class Lanes>
void write_targets(E& e, const PixelFrame& frame, Lanes lanes) {
  for (unsigned n = 0; n < frame.targets.size(); n++) {
    const PixelFrame::Target& target = frame.targets[n];
    if (!target.colour.is_made) continue;
    const auto source = components(e, target.colour);
    const auto second = target.second_source.is_made ? components(e, target.second_source) : source;
    typename E::M exported = e.mask(gfx7::export_mask_cell(target.colour.number));
    pixel::TargetWrite<E>(e, quad_feed_cell, n, target.state).write(source, second, frame.samples, [&](unsigned s) {
      return lanes(s) & exported;
    });
  }
}

template <class E>
void take_exports(E& e, const PixelFrame& frame) {
  using namespace gfx7;
  typename E::M all_valid = e.splat(e.scalar(export_valid_seen_cell)) == 0;
  typename E::M alive = pixel::covered(e, quad_feed_cell) & (e.mask(export_valid_cell) | all_valid);
  write_targets(e, frame, [&](unsigned s) { return frame.samples == 1 ? alive : alive & pixel::drawn(e, quad_feed_cell, s); });
}

template <class E>
void write_drawn(E& e, const PixelFrame& frame) {
  write_targets(e, frame, [&](unsigned s) { return pixel::drawn(e, quad_feed_cell, s); });
}

}  // namespace

ATOLL_FRAME_FUNCTIONS(load_inputs, take_exports, write_drawn, PixelFrame)

}  // namespace Atoll::sea_islands
