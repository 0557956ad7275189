// Random words for tests: instructions that the decoder accepts, of any or of chosen kinds.
#pragma once
#include <bit>
#include <random>

#include "isa/r500/instruction.h"

namespace Atoll::r500 {

class Random {
public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint32_t below(uint32_t n) { return engine_() % n; }
  uint32_t word() { return engine_(); }
  // Registers' values: special ones, any, and those of ordinary size.
  uint32_t value() {
    static const uint32_t edges[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x7f800000,
                                     0xff800000, 0x7fc00000, 0x7fa00001, 0xffc12345, 1,          0x80000001,
                                     0x007fffff, 0x7f7fffff, 0x40490fdb, 0xc2c80000};
    uint32_t kind = below(4);
    if (kind == 0) return edges[below(std::size(edges))];
    if (kind == 1) return engine_();
    return std::bit_cast<uint32_t>(float(int32_t(below(2001)) - 1000) / 64.0f);
  }
  // Any words without an objection.
  Words any() {
    for (;;) {
      Words words;
      for (uint32_t& w : words) w = engine_();
      if (objection(words).empty()) return words;
    }
  }
  // A pair that means something, on temporaries and constants 0 to 3 (and inline constants): the address bits above are cleared.
  Words pair(bool functions, bool rare) {
    for (;;) {
      Words words = any();
      words[0] = (words[0] & ~3u) | below(2);
      for (uint32_t n : {1u, 2u})
        for (uint32_t at : {0u, 10u, 20u}) words[n] &= ~(0x7cu << at);
      words[4] &= ~(0x7cu << 4), words[5] &= ~(0x7cu << 4);
      if (below(2)) words[0] &= ~(7u << 3 | 7u << 25);  // no predicates
      if (!rare) {
        words[0] &= ~(1u << 7);
        words[1] &= ~(1u << 9 | 1u << 19 | 1u << 29), words[2] &= ~(1u << 9 | 1u << 19 | 1u << 29);
        words[4] &= ~(1u << 11), words[5] &= ~(1u << 11);
      }
      if (!objection(words).empty()) continue;
      Pair p = pair_of(words);
      if (!meaningless(p).empty() || (!rare && (is_quad(p.rgb.op) || is_quad(p.alpha.op)))) continue;
      // Not the same bits as the host's functions.
      if (!functions && is_function(p.alpha.op) && p.alpha.op != Op::Rcp) continue;
      return words;
    }
  }

private:
  std::mt19937 engine_;
};

}  // namespace Atoll::r500
