// Data-parallel primitives: source 0 of a lane taken from another lane of its row. RDNA4 ISA 7.9, table of DPP_CTRL.
// Rows are 16 lanes and DPP never leaves a group of 32.
#pragma once
#include "isa/rdna4/adaptor.h"
#include "wave/lane_moves.h"

namespace Atoll::rdna4 {

// The lane (0-31) that lane `lane` reads, or -1 when it lies outside the row. Constexpr so that tests can go through the table.
constexpr int dpp16_source(uint32_t control, int lane) {
  int row = lane & ~15, in = lane & 15;
  if (control < 0x100) return (lane & ~3) | int(control >> (2 * (lane & 3)) & 3);  // quad_perm
  int n = int(control & 15);
  if (control >= 0x101 && control <= 0x10f) return in + n <= 15 ? lane + n : -1;  // row_shl
  if (control >= 0x111 && control <= 0x11f) return in - n >= 0 ? lane - n : -1;   // row_shr
  if (control >= 0x121 && control <= 0x12f) return row | ((in - n) & 15);         // row_ror
  if (control == 0x140) return row | (15 - in);                                   // row_mirror
  if (control == 0x141) return (lane & ~7) | (7 - (lane & 7));                    // row_half_mirror
  if (control >= 0x150 && control <= 0x15f) return row | n;                       // row_share
  if (control >= 0x160 && control <= 0x16f) return row | (in ^ n);                // row_xmask
  return -1;
}

template <class E>
typename Adaptor<E>::Moved Adaptor<E>::dpp(E& core, const Instruction& i, uint32_t vgpr_number) {
  wave::LaneMap map;
  for (int lane = 0; lane < 32; lane++)
    map.from[size_t(lane)] =
        int8_t(i.dpp == Dpp::Dpp8 ? (lane & ~7) | int(i.dpp_control >> (3 * (lane & 7)) & 7) : dpp16_source(i.dpp_control, lane));
  // A source outside the row, or an inactive one without FETCH_INACTIVE, is 0 with BOUND_CTRL, else the lane is not written.
  const U32 readable = i.fetch_inactive ? core.u32(~0u) : select(core.active(), core.u32(~0u), 0);
  const uint32_t cell = vgpr_cell(vgpr_number, core.wide);
  const U32 source = i.fetch_inactive ? core.whole_lanes(cell) : select(core.active(), core.lanes(cell), 0);
  Moved result{core.moved(source, map), core.m(true)};
  if (i.dpp == Dpp::Dpp8) return result;
  if (!i.bound_control) result.written = core.moved(readable, map) != 0u;
  if (i.row_mask != 0xf || i.bank_mask != 0xf) {
    auto lane = core.lane_id();
    auto row = core.u32(i.row_mask) >> (lane >> 4), bank = core.u32(i.bank_mask) >> (lane >> 2 & 3u);
    result.written = result.written & ((row & bank & 1u) != 0u);
  }
  return result;
}

}  // namespace Atoll::rdna4
