// Messages of pixel threads: writes to render targets as results of the pipeline's batch, and answers of the pixel interpolator.
#pragma once
#include <array>
#include <cstdint>

#include "gpu/dg1/draw/pixel_payload.h"
#include "isa/xe_lp/pixel_message.h"
#include "pipeline/stages.h"
#include "wave/fixed_function.h"

namespace Atoll::dg1 {

// A batch's results, to which its threads add one after the other.
struct PixelOutputs {
  pipeline::PixelResults* results = nullptr;
  std::array<uint16_t, 8> surfaces{};  // of each target, Kernel::targets
  std::array<uint16_t, 8> read{};      // of each that is read, the same
  xe_lp::RenderTargetOutputs data;     // that writes have
  std::array<uint64_t, 8> written{};   // by target, lanes of the batch
  uint64_t done = 0;                   // their last target was written
};

// Null, or why the write is none: static text.
const char* write_render_target(const xe_lp::RenderTargetMessage& message, const wave::FixedFunctionMessage& sent,
                                const ThreadPixels& thread, unsigned width, PixelOutputs& outputs);
// The colours that the draw's pixels before these left: the batch's results have them before its threads add theirs.
const char* read_render_target(const xe_lp::RenderTargetMessage& message, wave::FixedFunctionMessage& sent,
                               const ThreadPixels& thread, unsigned width, PixelOutputs& outputs);
// All threads of the batch have ended: which of its pixels are killed.
const char* finish_outputs(const pipeline::PixelBatch& batch, PixelOutputs& outputs);

// The sets of barycentrics that the interpolator computes from.
inline constexpr uint8_t interpolator_sets = 1u << pipeline::PERSPECTIVE_CENTRE | 1u << pipeline::LINEAR_CENTRE |
                                             1u << pipeline::PERSPECTIVE_CENTROID | 1u << pipeline::LINEAR_CENTROID |
                                             1u << pipeline::PERSPECTIVE_SAMPLE;
const char* interpolate(const xe_lp::InterpolatorMessage& message, wave::FixedFunctionMessage& sent, const ThreadPixels& thread,
                        const PixelPayload& payload, bool sample_shading);

}  // namespace Atoll::dg1
