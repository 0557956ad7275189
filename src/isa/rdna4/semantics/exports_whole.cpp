// Exports with ROW_EN: M0 names the row of vertices or primitives, of which a mesh shader has more than lanes. RDNA4 ISA 3.4.4, 14.
#include "isa/rdna4/semantics/exports.h"
#include "isa/rdna4/semantics/whole.h"
#include "wave/program.h"

namespace Atoll::rdna4 {

void export_row(wave::Wave& wave, const Instruction& i) {
  const bool wide = is_wave64(wave);
  wave::RowExport row;
  row.target = i.tgt, row.row = register_of(wave, M0) & 0xff, row.enabled = i.en, row.done = i.done;
  row.order = ++wave::word_of(wave, export_count_cell(wide));
  row.lanes = exec_of(wave);
  for (unsigned c = 0; c < 4; c++)
    if (i.en >> c & 1) row.values[c] = &wave::word_of(wave, vgpr_cell(i.exports[c], wide));
  if (wave.environment->export_row(wave, row)) return;
  wave.stop = wave::Stop::Fault;
  wave.fault = {
      wave::FaultKind::Illegal, 0, 0, wave.step ? wave.step->pc : wave.pc, -1, "export of a row where nobody takes rows"};
}

}  // namespace Atoll::rdna4
