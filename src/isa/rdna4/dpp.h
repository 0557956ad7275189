// Data-parallel primitives: source 0 of a lane taken from another lane of its row. RDNA4 ISA 7.9, table of DPP_CTRL.
// Rows are 16 lanes and DPP never leaves a group of 32, so the interpreter's chunk has all it needs. (The JIT calls the
// interpreter.)
#pragma once
#include "isa/rdna4/adaptor.h"

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
  U32 source = Adaptor(core).vgpr(vgpr_number);
  if constexpr (E::recording) {
    core.call_instead();
    return {source, core.m(true)};
  } else {
    U32 result = core.u32(0);
    uint32_t live = core.active().bits, written = 0;
    for (int lane = 0; lane < 32; lane++) {
      int from =
          i.dpp == Dpp::Dpp8 ? (lane & ~7) | int(i.dpp_control >> (3 * (lane & 7)) & 7) : dpp16_source(i.dpp_control, lane);
      bool masked =
          i.dpp == Dpp::Dpp16 && (!(i.row_mask >> (lane / 16 + core.chunk * 2) & 1) || !(i.bank_mask >> (lane % 16 / 4) & 1));
      if (masked) continue;
      // A source outside the row, or an inactive one without FETCH_INACTIVE, is 0 with BOUND_CTRL, else the lane is not written.
      bool valid = from >= 0 && (i.fetch_inactive || (live >> from & 1));
      if (valid) result.v[lane] = source.v[from];
      if (valid || i.bound_control || (i.dpp == Dpp::Dpp8)) written |= 1u << lane;
    }
    return {result, {written}};
  }
}

}  // namespace Atoll::rdna4
