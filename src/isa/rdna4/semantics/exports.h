// EXPORT: what a graphics wave hands to the fixed functions. Values go to the wave's export cells (registers.h), which whoever
// launched the wave reads when it has ended; rows of mesh shaders to its environment. RDNA4 ISA 14, 15.11, 16.19.
#pragma once
#include "base/removable_check.h"
#include "isa/rdna4/adaptor.h"
#include "isa/rdna4/semantics/quads.h"
#include "wave/environment.h"

namespace Atoll::rdna4 {

// With ROW_EN: not to the lane's own vertex or primitive, but to that of a row that M0 names (exports_whole.cpp).
void export_row(wave::Wave& wave, const Instruction& i);

// Two lanes hold both colours of one pixel: target 21 those of even pixels, 22 those of odd ones (14.1, "Dual-Source Blend").
template <class A>
typename A::M dual_source_lanes(A& e, bool odd) {
  auto& core = e.core;
  auto active = active_words(e), upper = core.lane_id() & 2u;
  const unsigned n = odd ? 1 : 0;
  return select(upper != 0u, quad_lane(active, n + 2), quad_lane(active, n)) != 0u;
}

template <class A>
void export_values(A& e, const Instruction& i) {
  auto& core = e.core;
  const bool wide = e.wave64();
  if (!core.wave.exports) return core.illegal("export by a wave that has nothing to export to");
  if (!ATOLL_CHECK("export.index", export_slot(i.tgt) != no_export))
    return core.illegal("export to a target that does not exist");
  if (i.export_row) {
    if (i.tgt < POS0 || i.tgt > PRIM) return core.illegal("export of a row to a target that has none");
    if constexpr (A::Core::recording) {
      core.call_instead();
    } else if (core.chunk == 0) {
      export_row(core.wave, i);
    }
    return;
  }
  const bool dual = i.tgt == DUAL_SOURCE0 || i.tgt == DUAL_SOURCE1;
  auto lanes = dual ? dual_source_lanes(e, i.tgt == DUAL_SOURCE1) : core.active();
  for (unsigned c = 0; c < 4; c++) {
    if (!(i.en >> c & 1)) continue;
    const uint32_t from = vgpr_cell(i.exports[c], wide), to = export_cell(i.tgt, c, wide);
    if (dual)
      core.set_whole_lanes(to, select(lanes, core.whole_lanes(from), core.whole_lanes(to)));
    else
      core.set_lanes(to, core.lanes(from));
  }
  const uint32_t mask = export_mask_cell(i.tgt, wide);
  core.set_mask(mask, core.mask(mask) | lanes);
  if constexpr (!A::Core::recording)
    if (core.chunk != 0) return;
  auto order = core.scalar(export_count_cell(wide)) + 1u;
  core.set_scalar(export_count_cell(wide), order);
  core.set_scalar(export_order_cell(i.tgt, wide), order);
  const uint32_t enable = export_enable_cell(i.tgt, wide), done = export_done_cell(i.tgt, wide);
  core.set_scalar(enable, core.scalar(enable) | uint32_t(i.en));
  if (i.done) core.set_scalar(done, core.s32(1));
}

#define ATOLL_EXPORTS(SCALAR, LANES, WHOLE) ATOLL_LANES_AS(export, export_values)

}  // namespace Atoll::rdna4
