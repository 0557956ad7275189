// Texture instructions as functions on the wave: R5xx Acceleration v1.3, 10.10, US_TEX_INST, US_TEX_ADDR, US_TEX_ADDR_DXDY. What
// a texture unit holds is the environment's to know (wave::Environment::image).
#include <algorithm>
#include <bit>

#include "isa/r500/semantics/rare.h"
#include "isa/r500/spelling.h"
#include "isa/r500/texture_units.h"
#include "wave/environment.h"
#include "wave/program.h"

namespace Atoll::r500 {
namespace {

uint64_t predicate_bits(wave::Wave& wave, uint32_t use, uint32_t inverted, uint32_t channel) {
  if (use == PREDICATE_NONE) return ~uint64_t(0);
  const uint64_t bits = mask_in(wave, predicate_cell(use == PREDICATE_OWN ? channel : use - PREDICATE_R));
  return inverted ? ~bits : bits;
}

class Texture {
public:
  Texture(wave::Wave& wave, const Words& words) : wave_(wave), words_(words), active_(mask_in(wave, active_cell)) {}

  const char* run() {
    switch (TextureOp(field<US_TEX_INST::INST>.get(words_))) {
      case TEX_NOP: return nullptr;
      case TEX_TEXKILL: return kill(), nullptr;
      default: return sample();
    }
  }

private:
  wave::Wave& wave_;
  const Words& words_;
  uint64_t active_;

  uint32_t temporary(const TextureOperand& o) {
    uint32_t n = o.address.get(words_);
    return o.relative.get(words_) ? (n + wave::word_of(wave_, loop_register_cell)) % kTemporaries : n;
  }
  const uint32_t* pixels(const TextureOperand& o, const Field& swizzle) {
    return &wave::word_of(wave_, temporary_cell(temporary(o), swizzle.get(words_)));
  }
  void copy(wave::ImageLanes& to, const TextureOperand& o, const Field& swizzle) {
    std::copy_n(pixels(o, swizzle), wave_.lanes, to.begin());
  }

  void kill() {
    const TextureOperand& o = texture_source;
    uint64_t below = 0;
    for (const Field* field : {&o.s, &o.t, &o.r, &o.q})
      for (uint32_t pixel = 0; pixel < wave_.lanes; pixel++)
        below |= uint64_t(std::bit_cast<float>(pixels(o, *field)[pixel]) < 0) << pixel;
    below &= active_ &
             predicate_bits(wave_, field<US_CMN_INST::RGB_PRED_SEL>.get(words_), field<US_CMN_INST::RGB_PRED_INV>.get(words_), 0);
    set_mask_in(wave_, killed_cell, mask_in(wave_, killed_cell) | below);
  }

  const char* sample() {
    wave::ImageAccess access;
    access.operation = wave::ImageOperation::sample;
    access.lanes = wave_.lanes;
    access.active = active_;
    if (field<US_TEX_INST::IGNORE_UNCOVERED>.get(words_)) access.active &= ~mask_in(wave_, uncovered_cell);
    if (field<US_CMN_INST::WRITE_INACTIVE>.get(words_)) access.active = all_pixels(wave_);
    access.unit = field<US_TEX_INST::TEX_ID>.get(words_);
    access.unnormalized = field<US_TEX_INST::UNSCALED>.get(words_);
    access.coordinate_count = 4;
    const TextureOperand& o = texture_source;
    const Field* coordinates[] = {&o.s, &o.t, &o.r, &o.q};
    for (size_t n = 0; n < 4; n++) copy(access.coordinate[n], o, *coordinates[n]);
    access.lod_mode = wave::LodMode::implicit;
    switch (TextureOp(field<US_TEX_INST::INST>.get(words_))) {
      case TEX_PROJ: access.projected = true; break;
      case TEX_LODBIAS: access.lod_mode = wave::LodMode::bias, access.lod = access.coordinate[3]; break;
      case TEX_LOD: access.lod_mode = wave::LodMode::level, access.lod = access.coordinate[3]; break;
      case TEX_DXDY:
        access.lod_mode = wave::LodMode::derivatives;
        copy(access.dx[0], texture_dx, texture_dx.s), copy(access.dx[1], texture_dx, texture_dx.t);
        copy(access.dx[2], texture_dx, texture_dx.r);
        copy(access.dy[0], texture_dy, texture_dy.s), copy(access.dy[1], texture_dy, texture_dy.t);
        copy(access.dy[2], texture_dy, texture_dy.r);
        break;
      default: break;
    }
    const uint32_t mask = field<US_CMN_INST::RGB_WMASK>.get(words_) | field<US_CMN_INST::ALPHA_WMASK>.get(words_) << 3;
    if (!mask || !access.active) return nullptr;
    const uint32_t unit[8] = {unit_word(access.unit, access.unnormalized)}, none[4] = {};
    wave::note_texture(wave_, unit, none);
    wave_.environment->image(wave_, access);
    if (access.fault) return access.fault;
    write(access, mask);
    return nullptr;
  }
  void write(const wave::ImageAccess& access, uint32_t mask) {
    const TextureOperand& o = texture_destination;
    const Field* from[] = {&o.s, &o.t, &o.r, &o.q};
    const uint32_t to = temporary(o);
    for (uint32_t c = 0; c < 4; c++) {
      if (!(mask >> c & 1)) continue;
      const bool alpha = c == 3;
      uint64_t written = access.active;
      written &=
          predicate_bits(wave_, (alpha ? field<US_CMN_INST::ALPHA_PRED_SEL> : field<US_CMN_INST::RGB_PRED_SEL>).get(words_),
                         (alpha ? field<US_CMN_INST::ALPHA_PRED_INV> : field<US_CMN_INST::RGB_PRED_INV>).get(words_), c);
      const wave::ImageLanes& result = access.data[from[c]->get(words_)];
      uint32_t* home = &wave::word_of(wave_, temporary_cell(to, c));
      for (uint32_t pixel = 0; pixel < wave_.lanes; pixel++)
        if (written >> pixel & 1) home[pixel] = result[pixel];
    }
  }
};

}  // namespace

const char* texture(wave::Wave& wave, const Words& words) { return Texture(wave, words).run(); }

}  // namespace Atoll::r500
