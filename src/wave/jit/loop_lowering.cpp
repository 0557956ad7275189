// A loop over several regions (loops.h) to one function that works on all lanes of the wave at once. Registers live in allocas,
// which SROA turns into values and phis. Lane registers are written without a look at EXEC and merged once, before EXEC changes
// or the block ends.
//
// A mask is the scalar words that hold it, and beside them the same bits as lanes, made by the same operations ("twins"): going
// from one to the other costs several cycles on every way from a compare to the next active mask. LLVM drops the one not used.
#include <algorithm>

#include "wave/jit/lowering.h"

namespace Atoll::wave {

using V = llvm::Value*;
using Block = llvm::BasicBlock*;

llvm::Function* Lowering::lower_loop(const CodeRegion& entry, std::span<const AccessPlan> plans, const std::string& name) {
  whole_ = float_rules_.in_loop = true;
  loop_pc_ = entry.pc;
  nans_.active_lanes = [this] { return active_lanes(); };
  region_ = &entry;
  f_.begin(name);
  r_.chunk = b_.getInt64(0);
  b_.CreateStore(b_.getInt32(0), f_.cell_pointer(offsetof(Wave, chunk)), true);
  std::vector<const CodeRegion*> members;
  members.reserve(entry.loop.size());
  for (size_t n : entry.loop) members.push_back(&f_.set.regions[n]);
  survey_loop(members);
  auto& context = f_.module.getContext();
  // A guard that fails leads here: nothing is done yet, and other code goes through the loop, region by region.
  const Block unfit = llvm::BasicBlock::Create(context, "unfit", f_.function);
  AccessPlan all;
  for (const AccessPlan& plan : plans) all.groups.insert(all.groups.end(), plan.groups.begin(), plan.groups.end());
  memory_.begin(entry, &all);
  memory_.find_memories();
  memory_.in_loop();

  std::map<uint64_t, Block> block_at;
  for (const CodeRegion* r : members) block_at[r->pc] = llvm::BasicBlock::Create(context, "block", f_.function);
  b_.CreateBr(block_at[entry.pc]);
  std::map<uint64_t, Block> exits;
  // The block to go on with at `pc`, from the region at `from`.
  auto way = [&](uint64_t pc, uint64_t from) -> Block {
    auto inside = block_at.find(pc);
    if (inside == block_at.end()) {
      Block& out = exits[pc];
      if (!out) out = llvm::BasicBlock::Create(context, "exit", f_.function);
      return out;
    }
    if (pc > from) return inside->second;
    Block poll = llvm::BasicBlock::Create(context, "poll", f_.function);  // a loop may be endless
    Block stopped = llvm::BasicBlock::Create(context, "interrupted", f_.function);
    llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(poll);
    if (!f_.options.exact) {  // its way on may hang on a NaN's bits, and never end with the wrong ones
      Block good = llvm::BasicBlock::Create(context, "good", f_.function),
            bad = llvm::BasicBlock::Create(context, "nan", f_.function);
      V seen = b_.CreateICmpNE(b_.CreateLoad(f_.piece, nans_.nan_seen), llvm::Constant::getNullValue(f_.piece));
      b_.CreateCondBr(seen, bad, good, f_.odds(1, 2000));
      b_.SetInsertPoint(bad);
      f_.return_code(Code::Nan, b_.getInt64(f_.program.index(entry.pc)));
      b_.SetInsertPoint(good);
    }
    V flag = b_.CreateLoad(f_.i32, f_.wave_field(offsetof(Wave, stop_flag), b_.getPtrTy()), true);
    b_.CreateCondBr(b_.CreateICmpEQ(flag, b_.getInt32(0)), inside->second, stopped, f_.odds(2000, 1));
    b_.SetInsertPoint(stopped);
    f_.return_code(Code::Interrupted, b_.getInt64(f_.program.index(entry.pc)));
    return poll;
  };
  for (size_t n = 0; n < members.size(); n++) {
    const CodeRegion* r = members[n];
    region_ = r;
    b_.SetInsertPoint(block_at[r->pc]);
    memory_.begin(*r, &plans[n]);
    memory_.begin_body(unfit);
    emit_loop_block();
    const Node* jump = nullptr;
    for (const Node& x : r->nodes)
      if (x.op >= Op::Jump) jump = &x;
    if (!jump)
      b_.CreateBr(way(r->next_pc, r->pc));
    else if (jump->op == Op::Jump)
      b_.CreateBr(way(jump->imm, r->pc));
    else
      b_.CreateCondBr(values_[size_t(jump->a)], way(jump->imm, r->pc), way(r->next_pc, r->pc));
  }
  region_ = &entry;
  b_.SetInsertPoint(unfit);
  f_.return_code(Code::Unfit, b_.getInt64(f_.program.index(entry.pc)));
  for (auto& [pc, block] : exits) {
    b_.SetInsertPoint(block);
    leave_loop(pc);
  }
  return f_.function;
}

// Homes for every register that the loop touches, filled from the wave.
void Lowering::survey_loop(const std::vector<const CodeRegion*>& members) {
  std::set<uint64_t> scalars{f_.active_cell}, lanes;
  auto mask = [&](uint64_t cell) {
    scalars.insert(cell);
    mask_cells_.insert(cell);
    if (f_.wide) scalars.insert(cell + 4);
  };
  mask(f_.active_cell);
  if (!f_.options.exact) nans_.find_carried_floats(members);
  bool everything = false;
  std::set<uint64_t> wanted, written;
  for (const CodeRegion* r : members) {
    region_ = r;
    for (const Node& x : r->nodes) {
      bool writes = x.op == Op::WriteLanes;
      if (x.op == Op::ReadScalar || x.op == Op::WriteScalar) scalars.insert(x.imm);
      if (x.op == Op::ReadMask || x.op == Op::WriteMask) mask(x.imm);
      if (x.op == Op::ReadLanes || writes) lanes.insert(x.imm);
      if (writes) written.insert(x.imm);
      if (x.op == Op::WriteScalar) r_.scalars_written.insert(x.imm);
      if (x.op == Op::WriteMask) {
        r_.scalars_written.insert(x.imm);
        if (f_.wide) r_.scalars_written.insert(x.imm + 4);
      }
    }
    if (r->live)
      wanted.insert(r->live->begin(), r->live->end());
    else
      everything = true;
    // Ways out of the loop lead to regions whose own `live` counts, or to code that is not known.
    for (uint64_t pc : {r->next_pc, r->steps.back()->target}) {
      auto to =
          std::find_if(f_.set.regions.begin(), f_.set.regions.end(), [&](const CodeRegion& other) { return other.pc == pc; });
      if (pc && to == f_.set.regions.end()) everything |= pc == r->next_pc ? r->steps.back()->flow != Flow::Branch : true;
      if (to == f_.set.regions.end()) continue;
      if (const auto& live = to->live)
        wanted.insert(live->begin(), live->end());
      else
        everything |= pc == r->next_pc ? r->steps.back()->flow != Flow::Branch : r->steps.back()->flow != Flow::Next;
    }
  }
  for (uint64_t cell : written)
    if (everything || wanted.count(cell)) r_.lanes_written.insert(cell);  // what nobody reads has no home to be merged into
  // The values that masks are made from are masks as well.
  for (size_t known = 0; known != mask_cells_.size();) {
    known = mask_cells_.size();
    for (const CodeRegion* r : members) {
      auto follow = [&](auto self, int id) -> void {
        if (id < 0) return;
        const Node& x = r->nodes[size_t(id)];
        switch (x.op) {
          case Op::ReadScalar: mask(x.imm); break;
          case Op::Join: self(self, x.a); break;
          case Op::Select: self(self, x.b), self(self, x.c); break;
          case Op::And:
          case Op::Or:
          case Op::Xor:
          case Op::Not:
          case Op::Low: self(self, x.a), self(self, x.b); break;
          default: break;
        }
      };
      for (const Node& x : r->nodes)
        if (x.op == Op::WriteScalar && mask_cells_.count(x.imm)) follow(follow, x.a);
    }
  }
  for (uint64_t cell : scalars) {
    r_.scalar_home[cell] = f_.make_alloca(f_.i32, "s");
    b_.CreateStore(f_.wave_field(cell, f_.i32, true), r_.scalar_home[cell]);
  }
  for (uint64_t cell : mask_cells_) {
    r_.mask_home[cell] = f_.make_alloca(f_.vi1, "m");
    V low = b_.CreateLoad(f_.i32, r_.scalar_home.at(cell));
    b_.CreateStore(f_.lanes_of(r_.mask_piece(low, f_.wide ? b_.CreateLoad(f_.i32, r_.scalar_home.at(cell + 4)) : nullptr)),
                   r_.mask_home[cell]);
  }
  for (uint64_t cell : lanes) {
    r_.lane_home[cell] = f_.make_alloca(f_.vi32, "v");
    b_.CreateStore(b_.CreateAlignedLoad(f_.vi32, f_.cell_pointer(cell), llvm::Align(128)), r_.lane_home[cell]);
  }
  nans_.nan_seen = f_.make_alloca(f_.piece, "nan");
  b_.CreateStore(llvm::Constant::getNullValue(f_.piece), nans_.nan_seen);
  ever_active_ = f_.make_alloca(f_.piece, "ever");
  b_.CreateStore(llvm::Constant::getNullValue(f_.piece), ever_active_);
  steps_done_ = f_.make_alloca(f_.i64, "count");
  b_.CreateStore(b_.getInt64(0), steps_done_);
}

void Lowering::emit_loop_block() {
  values_.assign(region_->nodes.size(), nullptr);
  quads_.begin_block(region_->nodes.size());
  nans_.begin_block(region_->nodes.size());
  twins_.assign(region_->nodes.size(), nullptr);
  r_.masks_written.clear(), low_word_.clear();
  r_.scalars.clear(), r_.lanes.clear(), r_.masks.clear(), unmerged_.clear();
  r_.active = nullptr;
  for (size_t n = 0; n < region_->nodes.size(); n++)
    if (region_->nodes[n].op < Op::Jump) emit(n);
  merge_lanes();
  for (auto& [cell, value] : r_.scalars)
    if (r_.scalars_written.count(cell)) b_.CreateStore(value, r_.scalar_home.at(cell));
  for (uint64_t cell : r_.masks_written) b_.CreateStore(whole_mask(cell), r_.mask_home.at(cell));
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(f_.i64, steps_done_), b_.getInt64(region_->steps.size())), steps_done_);
}

llvm::Value* Lowering::active_lanes() {
  if (!r_.active) r_.active = whole_mask(f_.active_cell);
  return r_.active;
}

llvm::Value* Lowering::whole_mask(uint64_t cell) {
  V& made = r_.masks[cell];
  if (!made && !r_.masks_written.count(cell)) made = b_.CreateLoad(f_.vi1, r_.mask_home.at(cell));
  if (!made) made = f_.lanes_of(r_.mask_piece(r_.read_scalar(cell), f_.wide ? r_.read_scalar(cell + 4) : nullptr));
  return made;
}

// The lanes beside a scalar value that is a mask, as far as its operands have them.
llvm::Value* Lowering::twin(const Node& x) {
  auto of = [&](int id) -> V {
    if (id < 0) return nullptr;
    const Node& operand = region_->nodes[size_t(id)];
    if (operand.op != Op::Const || (operand.type != Type::S32 && operand.type != Type::S64)) return twins_[size_t(id)];
    uint64_t all = operand.type == Type::S64 ? ~0ull : 0xffffffffu;
    if (operand.imm != 0 && operand.imm != all) return nullptr;
    return operand.imm ? llvm::Constant::getAllOnesValue(f_.vi1) : llvm::Constant::getNullValue(f_.vi1);
  };
  if (x.type != (f_.wide ? Type::S64 : Type::S32)) return nullptr;
  V a = of(x.a), b = of(x.b), c = of(x.c);
  switch (x.op) {
    case Op::ReadScalar: return mask_cells_.count(x.imm) ? whole_mask(x.imm) : nullptr;
    case Op::Join: {
      const Node &low = region_->nodes[size_t(x.a)], &high = region_->nodes[size_t(x.b)];
      bool pair = low.op == Op::ReadScalar && high.op == Op::ReadScalar && high.imm == low.imm + 4 && mask_cells_.count(low.imm);
      for (size_t n = size_t(std::min(x.a, x.b)); pair && &region_->nodes[n] != &x; n++)
        pair = region_->nodes[n].op != Op::WriteScalar && region_->nodes[n].op != Op::WriteMask;
      return pair ? whole_mask(low.imm) : nullptr;
    }
    case Op::And: return a && b ? b_.CreateAnd(a, b) : nullptr;
    case Op::Or: return a && b ? b_.CreateOr(a, b) : nullptr;
    case Op::Xor: return a && b ? b_.CreateXor(a, b) : nullptr;
    case Op::Not: return a ? b_.CreateNot(a) : nullptr;
    case Op::Select: return b && c ? b_.CreateSelect(values_[size_t(x.a)], b, c) : nullptr;
    default: return nullptr;
  }
}

// Moves the values written under the mask that is active now into the registers' homes.
void Lowering::merge_lanes() {
  bool any_home = false;
  for (uint64_t cell : unmerged_) {
    if (!r_.lanes_written.count(cell)) continue;
    any_home = true;
    V merged = b_.CreateSelect(active_lanes(), r_.lanes.at(cell), b_.CreateLoad(f_.vi32, r_.lane_home.at(cell)));
    b_.CreateStore(merged, r_.lane_home.at(cell));
  }
  if (any_home && !f_.options.exact)
    b_.CreateStore(b_.CreateOr(b_.CreateLoad(f_.piece, ever_active_), b_.CreateBitCast(active_lanes(), f_.piece)), ever_active_);
  unmerged_.clear();
  r_.lanes.clear(), nans_.lane_float.clear();
}

// `node`: of the value; -1 when the lanes are known already.
void Lowering::write_whole_scalar(uint64_t cell, V value, int node) {
  bool active = cell == f_.active_cell || (f_.wide && cell == f_.active_cell + 4);
  V lanes = node >= 0 ? twins_[size_t(node)] : nullptr;
  if (f_.wide && node >= 0) {
    const Node& x = region_->nodes[size_t(node)];
    lanes = nullptr;
    if (x.op == Op::Low) low_word_[cell] = x.a;
    if (auto low = low_word_.find(cell - 4); x.op == Op::High && low != low_word_.end() && low->second == x.a)
      lanes = twins_[size_t(x.a)];
  }
  if (active) merge_lanes(), r_.active = nullptr;
  r_.scalars[cell] = value;
  for (uint64_t touched : {cell, cell - 4}) {
    if (!mask_cells_.count(touched) || (touched != cell && !f_.wide)) continue;
    r_.masks.erase(touched);
    r_.masks_written.insert(touched);
  }
  uint64_t mask = f_.wide ? cell - 4 : cell;
  if (lanes && mask_cells_.count(mask)) r_.masks[mask] = lanes;
}

void Lowering::write_whole_mask(uint64_t cell, V lanes) {
  V bits = b_.CreateBitCast(lanes, f_.piece);
  write_whole_scalar(cell, b_.CreateZExtOrTrunc(bits, f_.i32), -1);
  if (f_.wide) write_whole_scalar(cell + 4, b_.CreateTrunc(b_.CreateLShr(bits, 32), f_.i32), -1);
  r_.masks[cell] = lanes;
  if (cell == f_.active_cell) r_.active = lanes;
}

// Everything back to the wave, unless a NaN's payload is about to be seen: then the exact version does it all again.
void Lowering::leave_loop(uint64_t pc) {
  auto& context = f_.module.getContext();
  if (!f_.options.exact) {
    V seen = b_.CreateLoad(f_.piece, nans_.nan_seen), computed = llvm::Constant::getNullValue(f_.vi1);
    for (uint64_t cell : nans_.carried_floats) {
      if (!r_.lanes_written.count(cell)) continue;
      V value = b_.CreateBitCast(b_.CreateLoad(f_.vi32, r_.lane_home.at(cell)), f_.vf32);
      computed = b_.CreateOr(computed, b_.CreateFCmpUNO(value, value));
    }
    seen = b_.CreateOr(seen, b_.CreateAnd(b_.CreateBitCast(computed, f_.piece), b_.CreateLoad(f_.piece, ever_active_)));
    Block good = llvm::BasicBlock::Create(context, "good", f_.function),
          bad = llvm::BasicBlock::Create(context, "nan", f_.function);
    b_.CreateCondBr(b_.CreateICmpNE(seen, llvm::Constant::getNullValue(f_.piece)), bad, good, f_.odds(1, 2000));
    b_.SetInsertPoint(bad);
    f_.return_code(Code::Nan, b_.getInt64(f_.program.index(region_->pc)));
    b_.SetInsertPoint(good);
  }
  for (uint64_t cell : r_.lanes_written)
    b_.CreateAlignedStore(b_.CreateLoad(f_.vi32, r_.lane_home.at(cell)), f_.cell_pointer(cell), llvm::Align(128));
  for (uint64_t cell : r_.scalars_written) b_.CreateStore(b_.CreateLoad(f_.i32, r_.scalar_home.at(cell)), f_.cell_pointer(cell));
  V count = f_.cell_pointer(offsetof(Wave, compiled));
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(f_.i64, count), b_.CreateLoad(f_.i64, steps_done_)), count);
  f_.return_to(pc, region_->pc);
}

}  // namespace Atoll::wave
