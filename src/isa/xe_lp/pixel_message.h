// A pixel thread's messages to the render targets and to the pixel interpolator, read from their descriptors. Mesa 22.3.6
// brw_eu.h (brw_fb_desc, brw_fb_write_desc, brw_pixel_interp_desc), brw_lower_logical_sends.cpp (lower_fb_write_logical_send: order of
// the payload, the extended descriptor of Gen11 on).
#pragma once
#include <cstdint>

namespace Atoll::xe_lp {

struct RenderTargetMessage {
  // The form of writes, by the message's numbers. Forms with two sources have 8 pixels; the upper ones are the second half of 16.
  enum class Form : uint8_t { Simd16, Replicated, DualLow, DualHigh, Simd8 } form = Form::Simd16;
  bool read = false;
  bool upper = false;       // pixels 16 to 31 of a thread that has them
  bool last = false;        // the pixels' last target: they are done with
  bool per_sample = false;  // of reads: the thread's sample
  bool null_target = false;
  bool coarse = false;         // the pixels are the thread's coarse ones
  bool source0_alpha = false;  // target 0's alpha comes first, for alpha to coverage
  uint8_t surface = 0;         // binding table index
  uint8_t target = 0;          // which entry of BLEND_STATE

  bool two_sources() const { return form == Form::DualLow || form == Form::DualHigh; }
  unsigned pixels() const { return form == Form::Simd16 || form == Form::Replicated ? 16 : 8; }
  unsigned first_pixel() const { return (upper ? 16 : 0) + (form == Form::DualHigh ? 8 : 0); }
};
// Null, or why it is none that is executed: static text.
const char* read_render_target_message(uint32_t descriptor, uint32_t extended, RenderTargetMessage& message);

// Properties of a write's data that the descriptor does not give (3DSTATE_PS_EXTRA).
struct RenderTargetOutputs {
  bool mask = false, depth = false, stencil = false;  // oMask, Computed Depth, Computes Stencil
};
// The places of a write's data, in registers of its payload of `length` registers; -1: not there.
struct RenderTargetPayload {
  int source0_alpha = -1, mask = -1, colour = -1, second = -1, depth = -1, stencil = -1;
  unsigned length = 0;
};
RenderTargetPayload payload_of(const RenderTargetMessage& message, const RenderTargetOutputs& outputs);

struct InterpolatorMessage {
  enum class Place : uint8_t { Offset, Sample, Centroid, OffsetPerSlot } place = Place::Offset;
  bool linear = false, simd16 = false, upper = false;
  bool coarse = false;  // evaluated for coarse pixels
  int8_t x = 0, y = 0;  // of Offset: sixteenths of a pixel from its centre
  uint8_t sample = 0;
  unsigned pixels() const { return simd16 ? 16 : 8; }
};
const char* read_interpolator_message(uint32_t descriptor, InterpolatorMessage& message);

}  // namespace Atoll::xe_lp
