#include "isa/r500/semantics/rare.h"

#include <bit>

#include "base/removable_check.h"

namespace Atoll::r500 {
namespace {

uint32_t temporary(uint32_t n) { return ATOLL_CHECK_REMOVED("r500.temporary.index") ? n : n % kTemporaries; }

uint32_t source_bits(wave::Wave& wave, const Slot& s, uint32_t channel, uint32_t pixel) {
  if (s.constant) return wave::word_of(wave, constant_cell(s.address, channel));
  if (s.is_inline()) return std::bit_cast<uint32_t>(inline_value(s.address));
  return wave::word_of(wave, temporary_cell(s.address, channel) + pixel * 4);
}

}  // namespace

bool is_rare(const Pair& p) { return p.relative() || is_quad(p.rgb.op) || is_quad(p.alpha.op) || p.write_inactive; }

RarePair::RarePair(wave::Wave& wave, const Pair& given) : pair(given), wave_(wave), active_(mask_in(wave, active_cell)) {
  const uint32_t loop = wave::word_of(wave, loop_register_cell);
  for (auto& unit : pair.slot)
    for (Slot& s : unit)
      if (s.relative && !s.is_inline())
        s.address = uint8_t(s.constant ? (s.address + loop) % kConstants : temporary(s.address + loop));
  for (Half* h : {&pair.rgb, &pair.alpha})
    if (h->destination_relative) h->destination = uint8_t(temporary(h->destination + loop));
  if (is_quad(pair.rgb.op) || is_quad(pair.alpha.op))
    for (uint32_t channel = 0; channel < 4; channel++)
      for (uint32_t pixel = 0; pixel < wave.lanes; pixel++)
        for (uint32_t n = 0; n < 3; n++)
          wave::word_of(wave, quad_cell(QuadPixel(n), channel) + pixel * 4) =
              source_bits(wave, pair.slot[channel == 3][0], channel, (pixel & ~3u) + n);
  if (pair.write_inactive) set_mask_in(wave, active_cell, all_pixels(wave));
}

void RarePair::finish() { set_mask_in(wave_, active_cell, active_); }

}  // namespace Atoll::r500
