// Scalar moves whose register number is the operand's plus M0.
#include "base/removable_check.h"
#include "isa/gfx7/semantics/cross_lane.h"
#include "isa/gfx7/semantics/whole.h"

namespace Atoll::gfx7 {
namespace {

constexpr uint32_t nowhere = kScalarCount;
// The register `index` above `base`: it must stay among the SGPRs and VCC, or among the trap registers. The manual is silent; as
// on later GPUs (RDNA4 ISA 3.3.1.3) a source out of range is s0 and a destination out of range is not written.
uint32_t indexed(uint32_t base, uint32_t index, uint32_t words) {
  uint32_t end = base < TBA_LO ? TBA_LO : base < M0 ? M0 : 0;
  uint64_t at = uint64_t(base) + index;
  return ATOLL_CHECK("movrel.sgpr", at + words <= end) ? uint32_t(at) : nowhere;
}
uint32_t indexed_source(wave::Wave& wave, const Instruction& i, uint32_t words) {
  uint32_t at = indexed(i.src[0], register_of(wave, M0), words);
  return at == nowhere ? 0 : at;
}
void move(wave::Wave& wave, uint32_t to, uint32_t from, uint32_t literal, uint32_t words) {
  if (to == nowhere) return;
  uint64_t value = words == 2 ? scalar_value64(wave, from, literal) : scalar_value(wave, from, literal);
  set_scalar_value(wave, to, uint32_t(value));
  if (words == 2) set_scalar_value(wave, to + 1, uint32_t(value >> 32));
}
void move_to_indexed(wave::Wave& wave, const Instruction& i, uint32_t words) {
  move(wave, indexed(i.dst, register_of(wave, M0), words), i.src[0], i.literal, words);
}

}  // namespace

void s_movrels_b32(wave::Wave& wave, const Instruction& i) { move(wave, i.dst, indexed_source(wave, i, 1), 0, 1); }
void s_movrels_b64(wave::Wave& wave, const Instruction& i) { move(wave, i.dst, indexed_source(wave, i, 2), 0, 2); }
void s_movreld_b32(wave::Wave& wave, const Instruction& i) { move_to_indexed(wave, i, 1); }
void s_movreld_b64(wave::Wave& wave, const Instruction& i) { move_to_indexed(wave, i, 2); }

}  // namespace Atoll::gfx7
