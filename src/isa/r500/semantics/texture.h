// Texture instructions in the words of wave/engine.h, as far as they can be said in them: TEXKILL, and lookups of a form of texture
// that is known (sampling/sample.h). R5xx Acceleration v1.3, 10.10: US_TEX_INST, US_TEX_ADDR, US_TEX_ADDR_DXDY. All of them as
// plain functions: texture.cpp.
#pragma once
#include "isa/r500/adaptor.h"
#include "isa/r500/decoded.h"
#include "isa/r500/spelling.h"
#include "isa/r500/texture_units.h"
#include "sampling/sample.h"
#include "wave/program.h"

namespace Atoll::r500 {

inline bool has_relative_address(const Words& w) {
  return texture_source.relative.get(w) || texture_destination.relative.get(w) ||
         (field<US_TEX_INST::INST>.get(w) == TEX_DXDY && (texture_dx.relative.get(w) || texture_dy.relative.get(w)));
}

// The predicate as pixels' channel 0 to 3 has it.
template <class A>
typename A::M texture_predicate(A& e, const Words& w, uint32_t channel) {
  const bool alpha = channel == 3;
  Half h;
  h.predicate = uint8_t((alpha ? field<US_CMN_INST::ALPHA_PRED_SEL> : field<US_CMN_INST::RGB_PRED_SEL>).get(w));
  h.predicate_inverted = uint8_t((alpha ? field<US_CMN_INST::ALPHA_PRED_INV> : field<US_CMN_INST::RGB_PRED_INV>).get(w));
  return e.predicate(h, int(channel));
}

template <class A>
bool record_kill(A& e, const Words& w) {
  const TextureOperand& o = texture_source;
  if (o.relative.get(w)) return false;
  typename A::M below = e.core.m(false);
  for (const Field* swizzle : {&o.s, &o.t, &o.r, &o.q})
    below = below | (as_f32(e.core.lanes(temporary_cell(o.address.get(w), swizzle->get(w)))) < 0);
  below = below & e.core.active() & texture_predicate(e, w, 0);
  e.core.set_mask(killed_cell, e.core.mask(killed_cell) | below);
  return true;
}

// Leaves the nodes of a lookup in the form of texture that the step has met, if it was just one and there is code for it.
template <class A>
bool record_lookup(A& e, const Words& w) {
  auto& core = e.core;
  const uint32_t mask = field<US_CMN_INST::RGB_WMASK>.get(w) | field<US_CMN_INST::ALPHA_WMASK>.get(w) << 3;
  if (!mask) return true;
  const uint64_t bits = wave::met_form(*core.step);
  const sampling::Form form = sampling::Form::from(bits);
  if (bits == wave::many_forms || !form.valid || !sampling::is_exact(form, core.float_mode(), false)) return false;
  if (form.dimension == uint64_t(surface::Dimension::cube)) return false;  // a direction chooses the face
  if (has_relative_address(w) || field<US_CMN_INST::WRITE_INACTIVE>.get(w)) return false;
  auto cell = [&](const TextureOperand& o, const Field& swizzle) { return temporary_cell(o.address.get(w), swizzle.get(w)); };
  const TextureOperand& o = texture_source;
  sampling::SampleRequest request;
  request.coordinates = {cell(o, o.s), cell(o, o.t), cell(o, o.r)};
  request.lod_mode = wave::LodMode::implicit;
  switch (TextureOp(field<US_TEX_INST::INST>.get(w))) {
    case TEX_PROJ: request.projected = true, request.divisor = cell(o, o.q); break;
    case TEX_LODBIAS: request.lod_mode = wave::LodMode::bias, request.lod = cell(o, o.q); break;
    case TEX_LOD: request.lod_mode = wave::LodMode::level, request.lod = cell(o, o.q); break;
    case TEX_DXDY:
      request.lod_mode = wave::LodMode::derivatives;
      request.dx = {cell(texture_dx, texture_dx.s), cell(texture_dx, texture_dx.t), cell(texture_dx, texture_dx.r)};
      request.dy = {cell(texture_dy, texture_dy.s), cell(texture_dy, texture_dy.t), cell(texture_dy, texture_dy.r)};
      break;
    default: break;
  }
  // If the guard misses the step is called, and reads registers that this form has no use for: earlier code must leave them in the
  // register file.
  for (const Field* swizzle : {&o.s, &o.t, &o.r, &o.q}) core.lanes(cell(o, *swizzle));
  if (request.lod_mode == wave::LodMode::derivatives)
    for (const sampling::LanePlace& place :
         {request.dx[0], request.dx[1], request.dx[2], request.dy[0], request.dy[1], request.dy[2]})
      core.lanes(place.cell);
  const TextureOperand& to = texture_destination;
  const Field* from[] = {&to.s, &to.t, &to.r, &to.q};
  request.wanted = 0;
  for (uint32_t c = 0; c < 4; c++)
    if (mask >> c & 1) request.wanted |= 1u << from[c]->get(w);
  std::array<typename A::Core::S32, 12> words{};
  words[0] = core.s32(unit_word(field<US_TEX_INST::TEX_ID>.get(w), field<US_TEX_INST::UNSCALED>.get(w)));
  for (size_t n = 1; n < words.size(); n++) words[n] = core.s32(0);
  sampling::Sample<typename A::Core> sample(core, form, core.texture(bits, form.places(), words), request);
  typename A::M active = core.active();
  const bool covered_alone = field<US_TEX_INST::IGNORE_UNCOVERED>.get(w);
  if (covered_alone) active = active & ~core.mask(uncovered_cell);
  sample.count_only(active);
  auto colour = sample.run();
  core.hold_writes();
  for (uint32_t c = 0; c < 4; c++) {
    if (!(mask >> c & 1)) continue;
    typename A::M written = texture_predicate(e, w, c);
    if (covered_alone) written = written & active;
    core.set_lanes_if(written, temporary_cell(to.address.get(w), c), colour[from[c]->get(w)]);
  }
  core.commit_writes();
  return true;
}

// Leaves the nodes of a texture instruction; where there are none for it the JIT calls it.
template <class A>
void record(A& e, const Decoded& decoded) {
  const Words& w = decoded.words;
  const auto op = TextureOp(field<US_TEX_INST::INST>.get(w));
  const bool done = op == TEX_NOP || (op == TEX_TEXKILL ? record_kill(e, w) : record_lookup(e, w));
  if (!done) return e.core.call_instead();
  if (decoded.last) e.core.stop(wave::Stop::End);
}

}  // namespace Atoll::r500
