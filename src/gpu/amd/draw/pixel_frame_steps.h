// The operations of pixel_frame.h for sources that are compiled for each host level and for the recorder (pixel/frame_steps.h).
#pragma once
#include <algorithm>

#include "gpu/amd/draw/pixel_frame.h"
#include "isa/amd/registers.h"
#include "pixel/payload.h"
#include "pixel/target_write.h"

namespace Atoll::gpu::amd {

// `payload`: its cell; `wide`: a wave of 64 lanes.
template <class E>
void load_frame_inputs(E& e, const FrameInputs& inputs, uint32_t payload, bool wide) {
  auto load = [&](int vgpr, auto value) { e.set_whole_lanes(Atoll::amd::vgpr_cell(uint32_t(vgpr), wide), value); };
  auto load_pair = [&](const std::array<int16_t, 3>& vgprs, auto barycentrics) {
    if (std::ranges::all_of(vgprs, [](int16_t vgpr) { return vgpr == FrameInputs::none; })) return;
    pixel::Barycentrics<E> at = barycentrics(e, payload);
    for (int16_t vgpr : vgprs)
      if (vgpr != FrameInputs::none) load(vgpr, as_u32(at.i)), load(vgpr + 1, as_u32(at.j));
  };
  load_pair(inputs.perspective, pixel::perspective<E>);
  load_pair(inputs.linear, pixel::linear<E>);
  if (inputs.position_x != FrameInputs::none)
    load(inputs.position_x, as_u32(cvt_f32_s32(pixel::pixel_x(e, payload)) + inputs.centre));
  if (inputs.position_y != FrameInputs::none)
    load(inputs.position_y, as_u32(cvt_f32_s32(pixel::pixel_y(e, payload)) + inputs.centre));
  if (inputs.front_face != FrameInputs::none) load(inputs.front_face, pixel::facing(e, payload));
}

// The components of an export whose dwords `dword(n)` has: as unpack_components() (pixel_exports.h) makes them.
template <class E, class Dword>
typename pixel::TargetWrite<E>::Bits export_components(E& e, ExportShape shape, Dword dword) {
  using U32 = typename E::U32;
  if (shape == ExportShape::dwords) return {dword(0), dword(1), dword(2), dword(3)};
  auto component = [&](unsigned c) -> U32 {
    U32 pair = dword(c / 2), value = c % 2 ? pair >> 16 : pair & 0xffff;
    switch (shape) {
      case ExportShape::halves: return as_u32(cvt_f32_f16(value));
      case ExportShape::unorm16: return as_u32(cvt_f32_s32(value) * (1.0f / 65535));
      case ExportShape::snorm16: {
        typename E::F32 number = cvt_f32_s32(ashr(value << 16, 16)) * (1.0f / 32767);
        return as_u32(select(number < -1.0f, e.f32(-1), number));
      }
      case ExportShape::sint16: return ashr(value << 16, 16);
      default: return value;
    }
  };
  return {component(0), component(1), component(2), component(3)};
}

}  // namespace Atoll::gpu::amd
