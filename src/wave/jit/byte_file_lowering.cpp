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
  r_.clear();
  r_.chunk = b_.getInt64(0);
  bytes_.begin(region);
  has_memory_ = std::ranges::any_of(
      region.nodes, [](const Node& x) { return x.op == Op::Load || x.op == Op::Store || x.op == Op::ScalarLoad; });
  if (has_memory_) {
    b_.CreateStore(b_.getInt32(0), f_.cell_pointer(offsetof(Wave, chunk)), true);
    memory_.find_memories();
  }
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
  memory_.begin_body(if_guards_fail);
  bytes_.load();
  for (size_t n = 0; n < nodes.size(); n++) {
    if (nodes[n].op >= Op::Jump || nodes[n].op == Op::SignalBarrier) continue;
    f_.set_width(lanes_of(nodes[n], int(f_.like.lanes)));
    r_.active = llvm::Constant::getAllOnesValue(f_.vi1);
    emit(n);
  }
  bytes_.commit();
  for (const Node& x : nodes)
    if (x.op == Op::SignalBarrier) signal_barrier(f_);
  auto* count = f_.cell_pointer(offsetof(Wave, compiled));
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(f_.i64, count), b_.getInt64(region_->steps.size())), count);
  terminate();
}

}  // namespace Atoll::wave
