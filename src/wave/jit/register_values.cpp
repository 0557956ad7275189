#include "wave/jit/register_values.h"

namespace Atoll::wave {

void RegisterValues::clear() {
  scalar_live_in.clear(), scalars.clear(), mask_snapshot.clear(), lane_home.clear(), mask_home.clear(), mask_total.clear();
  scalar_home.clear(), lanes.clear(), masks.clear();
  whole_written.clear(), lanes_written.clear(), masks_written.clear(), scalars_written.clear(), lanes_read.clear();
}

llvm::Value* RegisterValues::read_scalar(uint64_t cell) {
  if (auto it = scalars.find(cell); it != scalars.end()) return it->second;
  if (scalar_home.count(cell)) return scalars[cell] = b_.CreateLoad(f_.i32, scalar_home[cell]);
  if (auto it = scalar_live_in.find(cell); it != scalar_live_in.end()) return it->second;
  return f_.wave_field(cell, f_.i32, true);
}

llvm::Value* RegisterValues::read_lanes(uint64_t cell) {
  if (const auto made = lanes.find(cell); made != lanes.end() && made->second) return made->second;
  // Without a home: what is fed to a wave whose registers are bytes, and nobody writes.
  const auto home = lane_home.find(cell);
  if (home == lane_home.end()) return b_.CreateLoad(f_.vi32, f_.cell_pointer(cell));
  return lanes[cell] = b_.CreateLoad(f_.vi32, home->second);
}

// The chunk's bits of a mask given as scalar words.
llvm::Value* RegisterValues::mask_piece(V low, V high) {
  V bits = b_.CreateZExt(low, f_.i64);
  if (high) bits = b_.CreateOr(bits, b_.CreateShl(b_.CreateZExt(high, f_.i64), 32));
  return b_.CreateTrunc(b_.CreateLShr(bits, chunk), f_.piece);
}

// The chunk's bits of a mask in memory; chunks of 4 lanes have half a byte of it.
llvm::Value* RegisterValues::piece_at(uint64_t cell) {
  V from = b_.CreateInBoundsGEP(f_.i8, f_.cell_pointer(cell), b_.CreateLShr(chunk, 3));
  if (f_.width >= 8) return b_.CreateLoad(f_.piece, from);
  V bits = b_.CreateLShr(b_.CreateLoad(f_.i8, from), b_.CreateTrunc(b_.CreateAnd(chunk, b_.getInt64(4)), f_.i8));
  return b_.CreateTrunc(bits, f_.piece);
}

llvm::Value* RegisterValues::active_piece(bool in_loop) {
  auto low = scalars.find(f_.active_cell);
  bool written = low != scalars.end() || (f_.wide && scalars.count(f_.active_cell + 4));
  if (written && !in_loop) {
    // Written in the prologue; a late write (not yet emitted) does not show here.
    return mask_piece(read_scalar(f_.active_cell), f_.wide ? read_scalar(f_.active_cell + 4) : nullptr);
  }
  return piece_at(f_.active_cell);
}

llvm::Value* RegisterValues::read_mask(size_t n, const Node& node) {
  if (auto made = masks.find(node.imm); made != masks.end()) return made->second;
  if (auto snapshot = mask_snapshot.find(n); snapshot != mask_snapshot.end())
    return f_.lanes_of(mask_piece(snapshot->second.first, snapshot->second.second));
  if (node.imm == f_.active_cell) return active;
  if (mask_home.count(node.imm)) return masks[node.imm] = f_.lanes_of(b_.CreateLoad(f_.piece, mask_home[node.imm]));
  if (scalar_home.count(node.imm) || scalar_home.count(node.imm + 4))
    return f_.lanes_of(mask_piece(read_scalar(node.imm), f_.wide ? read_scalar(node.imm + 4) : nullptr));
  return f_.lanes_of(piece_at(node.imm));
}

}  // namespace Atoll::wave
