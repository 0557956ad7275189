#include "gpu/dg1/draw/pixel_messages.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace Atoll::dg1 {
namespace {

using pipeline::PixelBatch;
using pipeline::PixelResults;
using wave::FixedFunctionMessage;
using xe_lp::InterpolatorMessage;
using xe_lp::RenderTargetMessage;

const uint32_t* register_of(const FixedFunctionMessage& sent, unsigned n) {
  const size_t at = size_t(n) * register_words, first = sent.payload[0].size();
  return at < first ? &sent.payload[0][at] : &sent.payload[1][at - first];
}

// The lanes of the batch that a message's pixels are.
struct MessageLanes {
  uint32_t enabled;  // of the message's pixels, those that are drawn
  unsigned first;    // lane of the batch
  unsigned count;
  bool fresh;  // none of them has come before

  // 32 bits a pixel, from register n on.
  template <class T>
  void words(const FixedFunctionMessage& sent, unsigned n, T* row) const {
    static_assert(sizeof(T) == 4);
    for (unsigned at = 0; at < count; at += register_words) {
      const uint32_t* from = register_of(sent, n + at / register_words);
      const unsigned some = std::min(register_words, count - at);
      if (fresh)
        std::memcpy(row + first + at, from, some * 4);
      else
        for (unsigned l = 0; l < some; l++)
          if (enabled >> (at + l) & 1) std::memcpy(row + first + at + l, from + l, 4);
    }
  }
  template <class Value>
  void each(uint32_t* row, Value value) const {
    for (unsigned l = 0; l < count; l++)
      if (enabled >> l & 1) row[first + l] = value(l);
  }
};

}  // namespace

const char* write_render_target(const RenderTargetMessage& m, const FixedFunctionMessage& sent, const ThreadPixels& thread,
                                unsigned width, PixelOutputs& outputs) {
  const xe_lp::RenderTargetPayload payload = xe_lp::payload_of(m, outputs.data);
  if (sent.payload_words() < size_t(payload.length) * register_words)
    return "a render target write with fewer registers than its data take";
  if (m.first_pixel() + m.pixels() > width) return "a render target write of pixels that the thread does not have";
  if (!thread.batch.coarse.is_single() && !m.coarse) return "a render target write of single pixels by a thread of coarse ones";
  // (Targets are bound before threads run: by the writes that stand in the kernel's words.)
  if (!m.null_target && m.surface + 1 != outputs.surfaces[m.target])
    return "a render target write to a surface that none of the kernel's words names for its target";
  PixelResults& results = *outputs.results;
  const uint32_t all = uint32_t((uint64_t(1) << m.pixels()) - 1);
  MessageLanes lanes{sent.enabled & (thread.drawn() >> m.first_pixel()) & all, thread.first * 4 + m.first_pixel(), m.pixels(),
                     false};
  if (lanes.first >= pipeline::max_pixels) return nullptr;
  lanes.count = std::min(lanes.count, pipeline::max_pixels - lanes.first);
  const uint64_t place = uint64_t(lanes.enabled) << lanes.first, range = uint64_t(all) << lanes.first;
  auto put_colour = [&](unsigned to, int from) {
    for (unsigned c = 0; c < 4; c++) {
      uint32_t* row = results.colour[to][c].data();
      if (m.form == RenderTargetMessage::Form::Replicated)
        lanes.each(row, [&](unsigned) { return register_of(sent, unsigned(from))[c]; });
      else
        lanes.words(sent, unsigned(from) + c * (m.pixels() / register_words), row);
    }
  };
  if (!m.null_target) {
    lanes.fresh = !(outputs.written[m.target] & range);
    put_colour(m.target, payload.colour);
    if (payload.second >= 0) {
      put_colour(1, payload.second);
      results.has_second_source = true;
    }
    outputs.written[m.target] |= place;
    results.outputs |= uint8_t(1u << m.target);
  }
  // Depth, stencil and coverage are the same with each target: the last message's are kept.
  lanes.fresh = false;
  if (payload.mask >= 0) {
    results.has_coverage = true;
    // The payload has a word for each of 16 pixels, whichever 8 of them are written.
    const auto* words = reinterpret_cast<const uint8_t*>(register_of(sent, unsigned(payload.mask)));
    const unsigned from = m.first_pixel() % 16;
    lanes.each(results.coverage.data(), [&](unsigned l) {
      uint16_t word;
      std::memcpy(&word, words + (from + l) * 2, 2);
      return word;
    });
  }
  if (payload.depth >= 0) {
    results.has_depth = true;
    lanes.words(sent, unsigned(payload.depth), results.depth.data());
  }
  if (payload.stencil >= 0) {
    results.has_stencil = true;
    const auto* bytes = reinterpret_cast<const uint8_t*>(register_of(sent, unsigned(payload.stencil)));
    lanes.each(results.stencil.data(), [&](unsigned l) { return bytes[l]; });
  }
  if (m.last) outputs.done |= place;
  return nullptr;
}

// Components one after the other, of 16 pixels two registers each (Mesa 22.3.6 brw_fs_nir.cpp, emit_coherent_fb_read: four of the
// thread's width). The header, which says where the pixels are, is not looked at.
const char* read_render_target(const RenderTargetMessage& m, FixedFunctionMessage& sent, const ThreadPixels& thread,
                               unsigned width, PixelOutputs& outputs) {
  const unsigned groups = m.pixels() / register_words;
  if (m.first_pixel() + m.pixels() > width) return "a render target read of pixels that the thread does not have";
  if (sent.answer.size() < size_t(groups) * 4 * register_words) return "an answer of a render target in too few registers";
  const auto target = std::ranges::find(outputs.read, m.surface + 1);
  if (target == outputs.read.end()) return "a render target read from a surface that none of the kernel's words names";
  const auto& colour = outputs.results->colour[size_t(target - outputs.read.begin())];
  for (unsigned l = 0; l < m.pixels(); l++) {
    const unsigned in_thread = m.first_pixel() + l, at = thread.first * 4 + in_thread;
    if (!(sent.enabled >> l & 1)) continue;
    const bool there = in_thread < thread.quads * 4 && at < pipeline::max_pixels;
    for (unsigned c = 0; c < 4; c++) sent.answer[(c * groups + l / 8) * register_words + l % 8] = there ? colour[c][at] : 0;
  }
  return nullptr;
}

const char* finish_outputs(const PixelBatch& batch, PixelOutputs& outputs) {
  outputs.results->killed = batch.covered & ~outputs.done;
  for (unsigned n = 0; n < outputs.written.size(); n++)
    if (outputs.written[n] && outputs.done & ~outputs.written[n])
      return "a pixel's last render target write came without one to a target that others have written";
  return nullptr;
}

const char* interpolate(const InterpolatorMessage& m, FixedFunctionMessage& sent, const ThreadPixels& thread,
                        const PixelPayload& payload, bool sample_shading) {
  using Place = InterpolatorMessage::Place;
  const unsigned groups = m.pixels() / register_words, first_pixel = m.upper ? 16 : 0;
  if (first_pixel + m.pixels() > payload.width) return "interpolation for pixels that the thread does not have";
  if (sent.answer.size() < size_t(groups) * 2 * register_words) return "an answer of the pixel interpolator in too few registers";
  if (m.place == Place::OffsetPerSlot && sent.payload_words() < size_t(groups) * 2 * register_words)
    return "offsets for the pixel interpolator in too few registers";
  const PixelBatch& b = thread.batch;
  if (!b.coarse.is_single()) {
    if (!m.coarse) return "interpolation of single pixels by a thread of coarse ones";
    if (m.place == Place::Sample) return "interpolation at a sample of coarse pixels";
  }
  const float width = b.coarse.width, height = b.coarse.height;
  // Under sample shading 1/w, and what goes with it, is the sample's.
  constexpr float centre = 0.5f, unit = 1.0f / 16;
  const float base_x = sample_shading ? payload.samples[b.sample][0] * unit : centre,
              base_y = sample_shading ? payload.samples[b.sample][1] * unit : centre;
  const auto& perspective = b.barycentric[sample_shading ? pipeline::PERSPECTIVE_SAMPLE : pipeline::PERSPECTIVE_CENTRE];
  const auto& linear = b.barycentric[pipeline::LINEAR_CENTRE];
  const auto& centroid = b.barycentric[m.linear ? pipeline::LINEAR_CENTROID : pipeline::PERSPECTIVE_CENTROID];
  std::array<std::array<uint32_t, 16>, 2> answers{};
  for (unsigned l = 0; l < m.pixels(); l++) {
    const unsigned in_thread = first_pixel + l, at = thread.first * 4 + in_thread, quad = at & ~3u;
    if (in_thread >= thread.quads * 4) break;
    if (m.place == Place::Centroid) {
      for (unsigned c = 0; c < 2; c++) answers[c][l] = std::bit_cast<uint32_t>(centroid[c][at]);
      continue;
    }
    float x = centre, y = centre;  // of the pixel, from its corner
    if (m.place == Place::Sample) {
      x = payload.samples[m.sample][0] * unit, y = payload.samples[m.sample][1] * unit;
    } else {
      int dx = m.x, dy = m.y;
      if (m.place == Place::OffsetPerSlot) {
        auto offset = [&](unsigned axis) { return int32_t(register_of(sent, axis * groups + l / 8)[l % 8] << 28) >> 28; };
        dx = offset(0), dy = offset(1);
      }
      x += float(dx) * unit, y += float(dy) * unit;
    }
    // Values that are linear on the screen go from pixel to pixel of a quad as within one.
    auto moved = [&](auto value, float from_x, float from_y) {
      const float here = value(at);
      return here + (value(quad + 1) - value(quad)) * ((x - from_x) / width) +
             (value(quad + 2) - value(quad)) * ((y - from_y) / height);
    };
    for (unsigned c = 0; c < 2; c++) {
      float result;
      if (m.linear) {
        result = moved([&](unsigned n) { return linear[c][n]; }, centre, centre);
      } else {
        const float over_w = moved([&](unsigned n) { return perspective[c][n] * b.one_over_w[n]; }, base_x, base_y);
        result = over_w / moved([&](unsigned n) { return b.one_over_w[n]; }, base_x, base_y);
      }
      answers[c][l] = std::bit_cast<uint32_t>(result);
    }
  }
  // The payload has 16 pixels: both barycentrics of 8, then of the others (Mesa 22.3.6 brw_fs.cpp, lower_barycentrics). Disabled
  // lanes keep what their registers hold.
  for (unsigned l = 0; l < m.pixels(); l++)
    if (sent.enabled >> l & 1)
      for (unsigned c = 0; c < 2; c++) sent.answer[(l / 8 * 2 + c) * register_words + l % 8] = answers[c][l];
  return nullptr;
}

}  // namespace Atoll::dg1
