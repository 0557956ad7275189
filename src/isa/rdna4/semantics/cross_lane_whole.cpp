// Lane moves that see the whole wave. Sources are copied first: a destination may be the source. RDNA4 ISA 7.9, 12.5.2.
#include <array>
#include <bit>

#include "isa/rdna4/semantics/cross_lane.h"
#include "isa/rdna4/semantics/whole.h"

namespace Atoll::rdna4 {
namespace {

using Lanes = std::array<uint32_t, 64>;

Lanes copy_of(wave::Wave& wave, uint32_t vgpr) {
  Lanes lanes{};
  for (uint32_t lane = 0; lane < wave.lanes; lane++) lanes[lane] = lane_of(wave, vgpr, lane);
  return lanes;
}
uint32_t selected_lane(wave::Wave& wave, const Instruction& i) {
  return scalar_value(wave, i.src[1], i.literal) & (ATOLL_CHECK_REMOVED("lane.select") ? ~0u : wave.lanes - 1);
}

// Rows of 16: `select` gives the lane within the row that a lane reads. OP_SEL 0 is FETCH_INACTIVE, 1 is BOUND_CTRL: from an
// inactive lane without the first comes 0 with the second, else the lane keeps what it had (as DPP does, RDNA4 ISA 7.9.1).
template <class Select>
void permute_rows(wave::Wave& wave, const Instruction& i, uint32_t other_row, Select select) {
  Lanes source = copy_of(wave, i.src[0] - VGPR0);
  uint64_t exec = exec_of(wave);
  bool fetch_inactive = i.op_sel & 1, bound_control = i.op_sel & 2;
  std::array<uint32_t, 64> from{};
  for (uint32_t lane = 0; lane < wave.lanes; lane++) from[lane] = ((lane & ~15u) ^ other_row) | (select(lane) & 15);
  for (uint32_t lane = 0; lane < wave.lanes; lane++) {
    if (!(exec >> lane & 1)) continue;
    bool readable = fetch_inactive || (exec >> from[lane] & 1);
    if (readable)
      lane_of(wave, i.dst, lane) = source[from[lane]];
    else if (bound_control)
      lane_of(wave, i.dst, lane) = 0;
  }
}
void permute_by_scalars(wave::Wave& wave, const Instruction& i, uint32_t other_row) {
  uint64_t selects = scalar_value(wave, i.src[1], i.literal) | uint64_t(scalar_value(wave, i.src[2], i.literal)) << 32;
  permute_rows(wave, i, other_row, [&](uint32_t lane) { return uint32_t(selects >> 4 * (lane & 15)); });
}
void permute_by_lanes(wave::Wave& wave, const Instruction& i, uint32_t other_row) {
  permute_rows(wave, i, other_row, [&](uint32_t lane) {
    return i.src[1] >= VGPR0 ? lane_of(wave, i.src[1] - VGPR0, lane) : scalar_value(wave, i.src[1], i.literal);
  });
}

// The lane named by the byte index in ADDR plus the offset.
uint32_t indexed_lane(wave::Wave& wave, const Instruction& i, uint32_t lane) {
  return (lane_of(wave, i.address, lane) + uint32_t(i.offset)) / 4 & (wave.lanes - 1);
}
void set_active(wave::Wave& wave, uint32_t vgpr, const Lanes& values) {
  uint64_t exec = exec_of(wave);
  for (uint32_t lane = 0; lane < wave.lanes; lane++)
    if (exec >> lane & 1) lane_of(wave, vgpr, lane) = values[lane];
}
void gather(wave::Wave& wave, const Instruction& i, uint64_t readable) {
  Lanes result{};
  for (uint32_t lane = 0; lane < wave.lanes; lane++) {
    uint32_t from = indexed_lane(wave, i, lane);
    if (readable >> from & 1) result[lane] = lane_of(wave, i.data, from);
  }
  set_active(wave, i.dst, result);
}

// The lane of its group of 32 that lane `n` (0-31) reads (RDNA4 ISA 16.15, DS_SWIZZLE_B32).
uint32_t swizzled(uint32_t offset, uint32_t n) {
  uint32_t mask = offset & 31;
  if (offset >= 0xe000) {  // FFT
    uint32_t reversed = __builtin_bitreverse32(n) >> 27;
    return (reversed >> std::popcount(mask)) | (n & mask);
  }
  if (offset >= 0xc000) {  // rotate
    uint32_t by = offset >> 5 & 31;
    return ((n & mask) | ((offset >> 10 & 1 ? n - by : n + by) & ~mask)) & 31;
  }
  if (offset & 0x8000) return (n & ~3u) | (offset >> 2 * (n & 3) & 3);  // any of four
  return ((n & mask) | (offset >> 5 & 31)) ^ (offset >> 10 & 31);
}

}  // namespace

void v_readlane_b32(wave::Wave& wave, const Instruction& i) {
  set_scalar_value(wave, i.dst, lane_of(wave, i.src[0] - VGPR0, selected_lane(wave, i)));
}
void v_readfirstlane_b32(wave::Wave& wave, const Instruction& i) {
  uint64_t exec = exec_of(wave);
  set_scalar_value(wave, i.dst, lane_of(wave, i.src[0] - VGPR0, exec ? uint32_t(std::countr_zero(exec)) : 0));
}
void v_writelane_b32(wave::Wave& wave, const Instruction& i) {
  lane_of(wave, i.dst, selected_lane(wave, i)) = scalar_value(wave, i.src[0], i.literal);
}
void v_permlane16_b32(wave::Wave& wave, const Instruction& i) { permute_by_scalars(wave, i, 0); }
void v_permlanex16_b32(wave::Wave& wave, const Instruction& i) { permute_by_scalars(wave, i, 16); }
void v_permlane16_var_b32(wave::Wave& wave, const Instruction& i) { permute_by_lanes(wave, i, 0); }
void v_permlanex16_var_b32(wave::Wave& wave, const Instruction& i) { permute_by_lanes(wave, i, 16); }
// Reads lanes of the other half whether they are active or not; wave32 has no other half.
void v_permlane64_b32(wave::Wave& wave, const Instruction& i) {
  if (!is_wave64(wave)) return;
  Lanes source = copy_of(wave, i.src[0] - VGPR0), result;
  for (uint32_t lane = 0; lane < 64; lane++) result[lane] = source[lane ^ 32];
  set_active(wave, i.dst, result);
}
void ds_permute_b32(wave::Wave& wave, const Instruction& i) {
  Lanes result{};
  uint64_t exec = exec_of(wave);
  for (uint32_t lane = 0; lane < wave.lanes; lane++)  // the highest source wins
    if (exec >> lane & 1) result[indexed_lane(wave, i, lane)] = lane_of(wave, i.data, lane);
  set_active(wave, i.dst, result);
}
void ds_bpermute_b32(wave::Wave& wave, const Instruction& i) { gather(wave, i, exec_of(wave)); }
void ds_bpermute_fi_b32(wave::Wave& wave, const Instruction& i) { gather(wave, i, ~uint64_t(0)); }
void ds_swizzle_b32(wave::Wave& wave, const Instruction& i) {
  Lanes source = copy_of(wave, i.address), result{};
  uint64_t exec = exec_of(wave);
  for (uint32_t lane = 0; lane < wave.lanes; lane++) {
    uint32_t from = swizzled(uint32_t(i.offset) & 0xffff, lane & 31) | (lane & 32);
    if (exec >> from & 1) result[lane] = source[from];
  }
  set_active(wave, i.dst, result);
}

}  // namespace Atoll::rdna4
