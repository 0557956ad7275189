// A region of a file of bytes: its nodes in the order of the program, on all of the wave's lanes at once.
#include <algorithm>
#include <cstddef>

#include "wave/jit/barrier_lowering.h"
#include "wave/jit/lowering.h"

namespace Atoll::wave {

using Block = llvm::BasicBlock*;

llvm::Function* Lowering::lower_in_order(const CodeRegion& region, const AccessPlan& plan, const std::string& name) {
  region_ = &region;
  plan_ = &plan;
  in_order_ = true;
  f_.begin(name);
  float_rules_.in_loop = true;
  memory_.begin(region, &plan);
  if (!f_.options.exact) nans_.take_note = [this](V computed) { note_in_order(computed, nullptr); };
  r_.clear();
  r_.chunk = b_.getInt64(0);
  bytes_.begin(region);
  has_memory_ = std::ranges::any_of(
      region.nodes, [](const Node& x) { return x.op == Op::Load || x.op == Op::Store || x.op == Op::ScalarLoad; });
  if (has_memory_ || !f_.options.exact) b_.CreateStore(b_.getInt32(0), f_.cell_pointer(offsetof(Wave, chunk)), true);
  if (has_memory_) memory_.find_memories();
  // A failed guess about addresses starts anew, in a second version of everything.
  Block slow = nullptr;
  if (!plan.groups.empty()) slow = llvm::BasicBlock::Create(f_.module.getContext(), "slow", f_.function);
  emit_in_order(slow);
  if (slow) {
    b_.SetInsertPoint(slow);
    emit_in_order(nullptr);
  }
  return f_.function;
}

void Lowering::emit_in_order(Block if_guards_fail) {
  const auto& nodes = region_->nodes;
  values_.assign(nodes.size(), nullptr);
  nans_.begin_block(nodes.size());
  nans_in_order_.clear(), nan_waits_ = nullptr;
  memory_.begin_body(if_guards_fail);
  bytes_.load();
  for (size_t n = 0; n < nodes.size(); n++) {
    if (nodes[n].op >= Op::Jump || nodes[n].op == Op::SignalBarrier) continue;
    f_.set_width(lanes_of(nodes[n], int(f_.like.lanes)));
    r_.active = llvm::Constant::getAllOnesValue(f_.vi1);
    emit(n);
  }
  leave_for_nan_in_order();
  bytes_.commit();
  for (const Node& x : nodes)
    if (x.op == Op::SignalBarrier) signal_barrier(f_);
  auto* count = f_.cell_pointer(offsetof(Wave, compiled));
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(f_.i64, count), b_.getInt64(region_->steps.size())), count);
  terminate();
}

// One comparison tells of two values whether either is a NaN.
void Lowering::note_in_order(V computed, V condition) {
  if (f_.options.exact) return;
  if (nan_waits_ && nan_condition_ == condition && nan_waits_->getType() == computed->getType()) {
    V nans = b_.CreateFCmpUNO(nan_waits_, computed);
    nan_waits_ = nullptr;
    if (condition) nans = b_.CreateAnd(nans, condition);
    V& seen = nans_in_order_[unsigned(f_.width)];
    seen = seen ? b_.CreateOr(seen, nans) : nans;
    return;
  }
  settle_in_order();
  nan_waits_ = computed, nan_condition_ = condition;
}
void Lowering::settle_in_order() {
  if (!nan_waits_) return;
  V nans = b_.CreateFCmpUNO(nan_waits_, nan_waits_);
  if (nan_condition_) nans = b_.CreateAnd(nans, nan_condition_);
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(nan_waits_->getType())->getNumElements();
  V& seen = nans_in_order_[lanes];
  seen = seen ? b_.CreateOr(seen, nans) : nans;
  nan_waits_ = nullptr;
}

// Nothing of the region is in the wave yet: the exact version begins it anew.
void Lowering::leave_for_nan_in_order() {
  settle_in_order();
  if (nans_in_order_.empty()) return;
  V seen = nullptr;
  for (auto& [lanes, nans] : nans_in_order_) {
    V some = b_.CreateICmpNE(b_.CreateBitCast(nans, b_.getIntNTy(lanes)), b_.getIntN(lanes, 0));
    seen = seen ? b_.CreateOr(seen, some) : some;
  }
  nans_in_order_.clear();
  auto& context = f_.module.getContext();
  Block good = llvm::BasicBlock::Create(context, "good", f_.function),
        bad = llvm::BasicBlock::Create(context, "nan", f_.function);
  b_.CreateCondBr(seen, bad, good, f_.odds(1, 2000));
  b_.SetInsertPoint(bad);
  f_.return_code(Code::Nan, b_.getInt64(f_.program.index(region_->pc)));
  b_.SetInsertPoint(good);
}

}  // namespace Atoll::wave
