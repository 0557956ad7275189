// A function's knowledge of the wave's registers while it is built: those that it reads and writes, the places of those that
// outlive a block of LLVM's, and the values that they have at the builder's place. All maps go by cell.
#pragma once
#include <map>
#include <set>

#include "wave/jit/function_builder.h"

namespace Atoll::wave {

struct RegisterValues {
  using V = llvm::Value*;
  explicit RegisterValues(FunctionBuilder& f) : f_(f), b_(f.ir) {}

  V chunk = nullptr;   // i64: the chunk's first lane
  V active = nullptr;  // the chunk's active lanes, <W x i1>; of a loop over regions: null until asked for

  std::set<uint64_t> whole_written;  // lane registers whose inactive lanes were written as well
  std::set<uint64_t> lanes_written, masks_written, scalars_written, lanes_read;
  std::map<uint64_t, V> scalar_live_in;                     // as the function found them
  std::map<uint64_t, V> lane_home, mask_home, scalar_home;  // allocas; scalars have some in loops only
  std::map<uint64_t, V> mask_total;                         // allocas: all lanes of a mask that chunks make
  std::map<uint64_t, V> scalars, lanes, masks;              // current values
  std::map<uint64_t, std::pair<V, V>> mask_snapshot;        // by node: a mask's words where the prologue stood at it

  void clear();
  V read_scalar(uint64_t cell);
  V read_lanes(uint64_t cell);
  V read_mask(size_t n, const Node& node);
  V mask_piece(V low, V high);   // the chunk's bits of a mask given as scalar words
  V piece_at(uint64_t cell);     // of one in memory
  V active_piece(bool in_loop);  // of the active mask as the chunk begins; `in_loop`: of a loop inside the chunk loop

private:
  FunctionBuilder& f_;
  llvm::IRBuilder<>& b_;
};

}  // namespace Atoll::wave
