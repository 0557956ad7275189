// Scalar moves whose register number is the operand's plus M0. RDNA4 ISA 3.3.1.3 (ranges), 16.3.
#include "base/removable_check.h"
#include "isa/rdna4/semantics/salu.h"
#include "isa/rdna4/semantics/whole.h"

namespace Atoll::rdna4 {
namespace {

constexpr uint32_t nowhere = 128;

// The register `index` above `base`: it must stay in the base's own range (SGPRs with VCC, or trap registers).
uint32_t indexed(uint32_t base, uint32_t index, uint32_t words) {
  uint32_t end = base < TTMP0 ? TTMP0 : base < NULL_SGPR ? NULL_SGPR : 0;
  uint64_t at = uint64_t(base) + index;
  return ATOLL_CHECK("movrel.sgpr", at + words <= end) ? uint32_t(at) : nowhere;
}
uint32_t indexed_source(uint32_t base, uint32_t index, uint32_t words) {
  uint32_t at = indexed(base, index, words);
  return at == nowhere ? 0 : at;  // out of range: s0
}
void move(wave::Wave& wave, uint32_t to, uint32_t from, uint32_t literal, uint32_t words) {
  if (to == nowhere) return;
  uint64_t value = words == 2 ? scalar_value64(wave, from, literal) : scalar_value(wave, from, literal);
  set_scalar_value(wave, to, uint32_t(value));
  if (words == 2) set_scalar_value(wave, to == NULL_SGPR ? to : to + 1, uint32_t(value >> 32));
}

}  // namespace

void s_movrels_b32(wave::Wave& wave, const Instruction& i) {
  move(wave, i.dst, indexed_source(i.src[0], register_of(wave, M0), 1), 0, 1);
}
void s_movrels_b64(wave::Wave& wave, const Instruction& i) {
  move(wave, i.dst, indexed_source(i.src[0], register_of(wave, M0), 2), 0, 2);
}
void s_movreld_b32(wave::Wave& wave, const Instruction& i) {
  move(wave, indexed(i.dst, register_of(wave, M0), 1), i.src[0], i.literal, 1);
}
void s_movreld_b64(wave::Wave& wave, const Instruction& i) {
  move(wave, indexed(i.dst, register_of(wave, M0), 2), i.src[0], i.literal, 2);
}
void s_movrelsd_2_b32(wave::Wave& wave, const Instruction& i) {
  uint32_t m0 = register_of(wave, M0);
  move(wave, indexed(i.dst, m0 >> 16 & 0x3ff, 1), indexed_source(i.src[0], m0 & 0x3ff, 1), 0, 1);
}

}  // namespace Atoll::rdna4
