// A region on all lanes at once (CodeRegion::whole), in the order of the program: lanes take values of any other. It touches no memory
// but by scalar loads and by loads of what its lanes exchange, and nothing of it is in the wave before its end, so that it can be given up and run again.
//
// A mask is the scalar words that hold it, and beside them the lanes where they are known: LLVM drops what is not used.
#include <cstddef>

#include "wave/jit/lowering.h"

namespace Atoll::wave {

using V = llvm::Value*;
using Block = llvm::BasicBlock*;

llvm::Function* Lowering::lower_whole(const CodeRegion& region, const AccessPlan& plan, const std::string& name) {
  region_ = &region;
  plan_ = &plan;
  all_at_once_ = true;
  lanes_begun_ = false;
  f_.begin(name);
  memory_.begin(region, &plan);
  values_.assign(region.nodes.size(), nullptr);
  nans_.begin_block(region.nodes.size());
  quads_.begin_block(region.nodes.size());
  r_.clear();
  r_.chunk = b_.getInt64(0);
  nans_.nan_seen = f_.make_alloca(f_.piece, "nan");
  b_.CreateStore(llvm::Constant::getNullValue(f_.piece), nans_.nan_seen);
  bool scalar_loads = false;
  const llvm::Align alignment(128);
  for (const Node& x : region.nodes) {
    scalar_loads |= x.op == Op::ScalarLoad;
    if (x.op == Op::ReadLanes || (x.op == Op::WriteLanes && x.b >= 0))
      if (V& lanes = r_.lanes[x.imm]; !lanes) lanes = b_.CreateAlignedLoad(f_.vi32, f_.cell_pointer(x.imm), alignment);
    if (x.op == Op::WriteWhole) r_.whole_written.insert(x.imm);
  }
  b_.CreateStore(b_.getInt32(0), f_.cell_pointer(offsetof(Wave, chunk)), true);
  if (scalar_loads) memory_.find_memories();
  memory_.begin_body(nullptr);

  auto active = [&] { return mask_in_order(f_.active_cell); };
  for (size_t n = 0; n < region.nodes.size(); n++) {
    const Node& x = region.nodes[n];
    if (x.op >= Op::Jump) continue;
    if (!r_.active) r_.active = active();
    emit(n);
    if (x.op != Op::WriteLanes && x.op != Op::WriteWhole) continue;
    lanes_begun_ = true;
    r_.lanes_written.insert(x.imm);
  }
  if (!r_.active) r_.active = active();
  nans_.settle();
  if (!f_.options.exact) {
    auto& context = f_.module.getContext();
    Block good = llvm::BasicBlock::Create(context, "good", f_.function),
          bad = llvm::BasicBlock::Create(context, "nan", f_.function);
    V seen = b_.CreateOr(b_.CreateLoad(f_.piece, nans_.nan_seen), b_.CreateBitCast(nans_in_registers(), f_.piece));
    seen = b_.CreateAnd(seen, b_.CreateBitCast(r_.active, f_.piece));
    b_.CreateCondBr(b_.CreateICmpNE(seen, llvm::Constant::getNullValue(f_.piece)), bad, good, f_.odds(1, 2000));
    b_.SetInsertPoint(bad);
    leave_for_exact();
    b_.SetInsertPoint(good);
  }
  for (uint64_t cell : r_.lanes_written) {
    if (region.dead.count(cell)) continue;
    if (r_.whole_written.count(cell))
      b_.CreateAlignedStore(r_.lanes.at(cell), f_.cell_pointer(cell), alignment);
    else
      b_.CreateMaskedStore(r_.lanes.at(cell), f_.cell_pointer(cell), alignment, r_.active);
  }
  put_scalars_back();
  V count = f_.cell_pointer(offsetof(Wave, compiled));
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(f_.i64, count), b_.getInt64(region.steps.size())), count);
  terminate();
  return f_.function;
}

// The region ends where the active mask is written after lanes (cut_regions): these merge under the mask that was.
void Lowering::write_scalar_in_order(uint64_t cell, V value) {
  r_.scalars[cell] = value;
  r_.scalars_written.insert(cell);
  r_.masks.erase(cell);
  if (f_.wide) r_.masks.erase(cell - 4);
  const bool active = cell == f_.active_cell || (f_.wide && cell == f_.active_cell + 4);
  if (active && !lanes_begun_) r_.active = nullptr;
}

void Lowering::write_mask_in_order(uint64_t cell, V lanes) {
  V bits = b_.CreateBitCast(lanes, f_.piece);
  write_scalar_in_order(cell, b_.CreateZExtOrTrunc(bits, f_.i32));
  if (f_.wide) write_scalar_in_order(cell + 4, b_.CreateTrunc(b_.CreateLShr(bits, 32), f_.i32));
  r_.masks[cell] = lanes;
}

llvm::Value* Lowering::mask_in_order(uint64_t cell) {
  V& lanes = r_.masks[cell];
  if (!lanes) lanes = f_.lanes_of(r_.mask_piece(r_.read_scalar(cell), f_.wide ? r_.read_scalar(cell + 4) : nullptr));
  return lanes;
}

}  // namespace Atoll::wave
