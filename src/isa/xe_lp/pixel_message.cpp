#include "isa/xe_lp/pixel_message.h"

namespace Atoll::xe_lp {
namespace {

constexpr unsigned bits(uint32_t word, unsigned low, unsigned size) { return word >> low & ((1u << size) - 1); }
constexpr int8_t offset_of(unsigned x) { return int8_t(int(x ^ 8) - 8); }

}  // namespace

const char* read_render_target_message(uint32_t d, uint32_t extended, RenderTargetMessage& m) {
  constexpr unsigned write = 12, read = 13, most_form = 4;
  const unsigned type = bits(d, 14, 4), form = bits(d, 8, 3);
  if (type != write && type != read) return "a render target message that Xe-LP does not have";
  m = {};
  m.read = type == read;
  m.surface = uint8_t(bits(d, 0, 8));
  m.upper = d >> 11 & 1;
  if (d >> 30 & 1) return "render target messages of halves are not executed";
  if (m.read) {
    if (form > 1) return "a render target read of a form that Xe-LP does not have";
    m.form = form ? RenderTargetMessage::Form::Simd8 : RenderTargetMessage::Form::Simd16;
    m.per_sample = d >> 13 & 1;
    return nullptr;
  }
  if (form > most_form) return "a render target write of a form that Xe-LP does not have";
  if (d >> 19 & 1) return "render target writes with a header are not executed";
  m.coarse = d >> 18 & 1;
  m.form = RenderTargetMessage::Form(form);
  m.last = d >> 12 & 1;
  m.target = uint8_t(bits(extended, 12, 3));
  m.source0_alpha = extended >> 15 & 1;
  m.null_target = extended >> 20 & 1;
  return nullptr;
}

RenderTargetPayload payload_of(const RenderTargetMessage& m, const RenderTargetOutputs& outputs) {
  RenderTargetPayload p;
  const unsigned lanes = m.pixels() / 8;  // registers of 32-bit data of all pixels
  auto take = [&](int& place, unsigned registers) { place = int(p.length), p.length += registers; };
  if (m.source0_alpha) take(p.source0_alpha, lanes);
  if (outputs.mask) take(p.mask, 1);
  if (m.form == RenderTargetMessage::Form::Replicated) {
    take(p.colour, 1);
    return p;
  }
  take(p.colour, 4 * lanes);
  if (m.two_sources()) take(p.second, 4 * lanes);
  if (outputs.depth) take(p.depth, lanes);
  if (outputs.stencil) take(p.stencil, 1);
  return p;
}

const char* read_interpolator_message(uint32_t d, InterpolatorMessage& m) {
  m = {};
  m.place = InterpolatorMessage::Place(bits(d, 12, 2));
  m.linear = d >> 14 & 1, m.simd16 = d >> 16 & 1, m.upper = d >> 11 & 1, m.coarse = d >> 15 & 1;
  if (m.place == InterpolatorMessage::Place::Offset) m.x = offset_of(bits(d, 0, 4)), m.y = offset_of(bits(d, 4, 4));
  if (m.place == InterpolatorMessage::Place::Sample) m.sample = uint8_t(bits(d, 4, 4));
  return nullptr;
}

}  // namespace Atoll::xe_lp
