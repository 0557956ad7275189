// The templates of PixelFrame: compiled for each host level and for the recorder.
#include "gpu/amd/draw/pixel_frame_steps.h"

#include "gpu/sea_islands/shaders/pixel_frame.h"
#include "pixel/frame_steps.h"
#include "pixel/payload.h"

namespace Atoll::sea_islands {

namespace {

template <class E>
void load_inputs(E& e, const PixelFrame& frame) {
  gpu::amd::load_frame_inputs(e, frame.inputs, quad_payload_cell, true);
}

// As PixelStage::take_exports() has them.
template <class E>
typename pixel::TargetWrite<E>::Bits components(E& e, const PixelFrame::Export& of) {
  return gpu::amd::export_components(e, of.shape, [&](unsigned c) {
    if (of.alpha_is_second && c % 2) c = 4 - c;  // the second of two dwords is alpha's
    return of.enabled >> c & 1 ? e.lanes(gfx7::export_cell(of.number, c)) : e.u32(0);
  });
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
    pixel::TargetWrite<E>(e, quad_payload_cell, n, target.state).write(source, second, frame.samples, [&](unsigned s) {
      return lanes(s) & exported;
    });
  }
}

template <class E>
void take_exports(E& e, const PixelFrame& frame) {
  using namespace gfx7;
  typename E::M all_valid = e.splat(e.scalar(export_valid_seen_cell)) == 0;
  typename E::M alive = pixel::covered(e, quad_payload_cell) & (e.mask(export_valid_cell) | all_valid);
  write_targets(e, frame, [&](unsigned s) { return frame.samples == 1 ? alive : alive & pixel::drawn(e, quad_payload_cell, s); });
}

template <class E>
void write_drawn(E& e, const PixelFrame& frame) {
  write_targets(e, frame, [&](unsigned s) { return pixel::drawn(e, quad_payload_cell, s); });
}

}  // namespace

ATOLL_FRAME_FUNCTIONS(load_inputs, take_exports, write_drawn, PixelFrame)

}  // namespace Atoll::sea_islands
