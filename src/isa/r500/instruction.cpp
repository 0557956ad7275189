#include "isa/r500/instruction.h"

#include <cstring>

namespace Atoll::r500 {
namespace {

std::string_view objection(const Half& h, bool alpha) {
  const OpRow& row = row_of(h.op);
  const unsigned channels = alpha ? 8 : 7;
  if (!(alpha ? row.alpha : row.rgb))
    return alpha ? "the alpha unit has no such operation" : "the RGB unit has no such operation";
  if ((h.mask | h.extra_mask) & ~channels)
    return alpha ? "the alpha unit writes a (w) only" : "the RGB unit writes r, g, b (x, y, z) only";
  if (h.op == Op::Nop && (h.mask | h.extra_mask)) return "nop writes nothing";
  if (h.omod == OMOD_EXACT && (!row.selects || h.clamp)) return "exact is for min, max, cnd and cmp, without sat";
  return {};
}

bool in_range(const Half& h) {
  if (h.op >= Op::Count || h.destination >= kTemporaries || h.mask > 15 || h.extra > Extra::Output || h.extra_mask > 15 ||
      h.target > 3 || h.omod > OMOD_EXACT || h.clamp > 1 || h.predicate >= PREDICATE_COUNT || h.predicate_inverted > 1)
    return false;
  if ((h.extra == Extra::None) != (h.extra_mask == 0) || (h.predicate_inverted && !h.predicate)) return false;
  for (const Source& s : h.source) {
    if (s.bank >= Bank::Count || s.index >= registers_in(s.bank) || s.modifiers > 3) return false;
    for (uint8_t c : s.swizzle)
      if (c >= SWIZZLE_COUNT) return false;
  }
  return true;
}

}  // namespace

std::string_view objection(const Pair& p) {
  if (auto why = objection(p.rgb, false); !why.empty()) return why;
  if (auto why = objection(p.alpha, true); !why.empty()) return why;
  if (p.rgb.op == Op::Sop && !is_function(p.alpha.op))
    return "sop gives the result of the alpha unit's ex2, ln2, rcp or rsq: there is none";
  if (p.alpha.op == Op::Dp && !is_dot(p.rgb.op)) return "dp gives the result of the RGB unit's dp3, dp4 or d2a: there is none";
  if (p.rgb.op == Op::Dp4 && p.alpha.op != Op::Dp && p.alpha.op != Op::Nop)
    return "dp4 takes the alpha unit's operands: only dp can stand beside it";
  // The instruction's type is one for both halves (US_CMN_INST.TYPE).
  if (p.rgb.extra != Extra::None && p.alpha.extra != Extra::None && p.rgb.extra != p.alpha.extra)
    return "an instruction writes outputs or predicates, not both";
  return {};
}

std::vector<uint32_t> words_of(const Pair& pair) {
  std::vector<uint32_t> words(kWords);
  words[0] = kFirstWord;
  std::memcpy(&words[1], &pair, sizeof pair);
  return words;
}

std::optional<Pair> pair_of(std::span<const uint32_t> words) {
  if (words.size() < kWords || words[0] != kFirstWord) return {};
  Pair pair;
  std::memcpy(&pair, &words[1], sizeof pair);
  if (!in_range(pair.rgb) || !in_range(pair.alpha) || !objection(pair).empty()) return {};
  return pair;
}

}  // namespace Atoll::r500
