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

template <class E>
void take_exports(E& e, const PixelFrame& frame) {
  using namespace gfx7;
  typename E::M all_valid = e.splat(e.scalar(export_valid_seen_cell)) == 0;
  typename E::M alive = pixel::covered(e, quad_feed_cell) & (e.mask(export_valid_cell) | all_valid);
  for (unsigned n = 0; n < frame.targets.size(); n++) {
    const PixelFrame::Target& target = frame.targets[n];
    if (!target.is_written) continue;
    auto channel = [&](unsigned c) { return e.lanes(export_cell(target.export_target, c)); };
    auto component = [&](unsigned c) {
      if (!target.halves) return as_f32(channel(c));
      typename E::U32 pair = channel(c / 2);
      return cvt_f32_f16(c % 2 ? pair >> 16 : pair & 0xffff);
    };
    pixel::TargetWrite<E> to(e, quad_feed_cell, n, target.state);
    to.write({component(0), component(1), component(2), component(3)}, alive & e.mask(export_mask_cell(target.export_target)));
  }
}

}  // namespace

ATOLL_FRAME_FUNCTIONS(load_inputs, take_exports, PixelFrame)

}  // namespace Atoll::sea_islands
