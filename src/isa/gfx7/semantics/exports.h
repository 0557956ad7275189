// EXP: what a wave hands to the fixed functions. Values go to the wave's export registers (registers.h), which whoever launched
// the wave reads when it has ended. Sea Islands register guide section 4 (SQ_EXP_0, SQ_EXP_1).
#pragma once
#include "base/removable_check.h"
#include "isa/gfx7/adaptor.h"

namespace Atoll::gfx7 {

// With COMPR the first two sources hold two halves each, and EN has a bit a half: a dword is kept if either is enabled.
template <class A>
void exp(A& e, const Instruction& i) {
  if (!ATOLL_CHECK("export.index", export_slot(i.tgt) != no_export)) return e.core.illegal("exp to a target that does not exist");
  for (unsigned c = 0; c < 4; c++) {
    bool enabled = i.compr ? c < 2 && (i.en >> 2 * c & 3) : (i.en >> c & 1) != 0;
    if (enabled) e.core.set_lanes(export_cell(i.tgt, c), e.vgpr(i.exports[c]));
  }
  e.core.set_mask(export_mask_cell(i.tgt), e.core.mask(export_mask_cell(i.tgt)) | e.core.active());
  e.core.set_scalar(export_enable_cell(i.tgt), e.core.s32(i.en));
  e.core.set_scalar(export_compressed_cell(i.tgt), e.core.s32(i.compr));
  if (i.vm) {
    e.core.set_mask(export_valid_cell, e.core.active());
    e.core.set_scalar(export_valid_seen_cell, e.core.s32(1));
  }
  if (i.done) e.core.set_scalar(export_done_cell, e.core.s32(1));
}

#define ATOLL_EXPORTS(SCALAR, LANES, WHOLE) LANES(exp)

}  // namespace Atoll::gfx7
