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

llvm::Function* Lowering::lower_loop(const CodeRegion& entry, const std::string& name) {
  whole_ = true;
  region_ = &entry;
  begin_function(name);
  chunk_ = b_.getInt64(0);
  b_.CreateStore(b_.getInt32(0), cell_pointer(offsetof(Wave, chunk)), true);
  std::vector<const CodeRegion*> members;
  for (size_t n : entry.loop) members.push_back(&set_.regions[n]);
  survey_loop(members);

  auto& context = module_.getContext();
  std::map<uint64_t, Block> block_at;
  for (const CodeRegion* r : members) block_at[r->pc] = llvm::BasicBlock::Create(context, "block", function_);
  b_.CreateBr(block_at[entry.pc]);
  std::map<uint64_t, Block> exits;
  // The block to go on with at `pc`, from the region at `from`.
  auto way = [&](uint64_t pc, uint64_t from) -> Block {
    auto inside = block_at.find(pc);
    if (inside == block_at.end()) {
      Block& out = exits[pc];
      if (!out) out = llvm::BasicBlock::Create(context, "exit", function_);
      return out;
    }
    if (pc > from) return inside->second;
    Block poll = llvm::BasicBlock::Create(context, "poll", function_);  // a loop may be endless
    Block stopped = llvm::BasicBlock::Create(context, "interrupted", function_);
    llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(poll);
    if (!options_.exact) {  // its way on may hang on a NaN's bits, and never end with the wrong ones
      Block good = llvm::BasicBlock::Create(context, "good", function_),
            bad = llvm::BasicBlock::Create(context, "nan", function_);
      V seen = b_.CreateICmpNE(b_.CreateLoad(piece_, nan_seen_), llvm::Constant::getNullValue(piece_));
      b_.CreateCondBr(seen, bad, good, odds(1, 2000));
      b_.SetInsertPoint(bad);
      return_code(Code::Nan, b_.getInt64(program_.index(entry.pc)));
      b_.SetInsertPoint(good);
    }
    V flag = b_.CreateLoad(i32_, wave_field(offsetof(Wave, stop_flag), b_.getPtrTy()), true);
    b_.CreateCondBr(b_.CreateICmpEQ(flag, b_.getInt32(0)), inside->second, stopped, odds(2000, 1));
    b_.SetInsertPoint(stopped);
    return_code(Code::Interrupted, b_.getInt64(program_.index(entry.pc)));
    return poll;
  };
  for (const CodeRegion* r : members) {
    region_ = r;
    b_.SetInsertPoint(block_at[r->pc]);
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
  for (auto& [pc, block] : exits) {
    b_.SetInsertPoint(block);
    leave_loop(pc);
  }
  return function_;
}

// Homes for every register that the loop touches, filled from the wave.
void Lowering::survey_loop(const std::vector<const CodeRegion*>& members) {
  std::set<uint64_t> scalars{active_cell_}, lanes;
  auto mask = [&](uint64_t cell) {
    scalars.insert(cell);
    mask_cells_.insert(cell);
    if (wide_) scalars.insert(cell + 4);
  };
  mask(active_cell_);
  if (!options_.exact) find_carried_floats(members);
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
      if (x.op == Op::WriteScalar) scalars_written_.insert(x.imm);
      if (x.op == Op::WriteMask) {
        scalars_written_.insert(x.imm);
        if (wide_) scalars_written_.insert(x.imm + 4);
      }
    }
    if (r->live)
      wanted.insert(r->live->begin(), r->live->end());
    else
      everything = true;
    // Ways out of the loop lead to regions whose own `live` counts, or to code that is not known.
    for (uint64_t pc : {r->next_pc, r->steps.back()->target}) {
      auto to = std::find_if(set_.regions.begin(), set_.regions.end(), [&](const CodeRegion& other) { return other.pc == pc; });
      if (pc && to == set_.regions.end()) everything |= pc == r->next_pc ? r->steps.back()->flow != Flow::Branch : true;
      if (to == set_.regions.end()) continue;
      if (to->live)
        wanted.insert(to->live->begin(), to->live->end());
      else
        everything |= pc == r->next_pc ? r->steps.back()->flow != Flow::Branch : r->steps.back()->flow != Flow::Next;
    }
  }
  for (uint64_t cell : written)
    if (everything || wanted.count(cell)) lanes_written_.insert(cell);  // what nobody reads has no home to be merged into
  // What masks are made from are masks as well.
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
    scalar_home_[cell] = make_alloca(i32_, "s");
    b_.CreateStore(wave_field(cell, i32_, true), scalar_home_[cell]);
  }
  for (uint64_t cell : mask_cells_) {
    mask_home_[cell] = make_alloca(vi1_, "m");
    V low = b_.CreateLoad(i32_, scalar_home_.at(cell));
    b_.CreateStore(lanes_of(mask_piece(low, wide_ ? b_.CreateLoad(i32_, scalar_home_.at(cell + 4)) : nullptr)), mask_home_[cell]);
  }
  for (uint64_t cell : lanes) {
    lane_home_[cell] = make_alloca(vi32_, "v");
    b_.CreateStore(b_.CreateAlignedLoad(vi32_, cell_pointer(cell), llvm::Align(128)), lane_home_[cell]);
  }
  nan_seen_ = make_alloca(piece_, "nan");
  b_.CreateStore(llvm::Constant::getNullValue(piece_), nan_seen_);
  ever_active_ = make_alloca(piece_, "ever");
  b_.CreateStore(llvm::Constant::getNullValue(piece_), ever_active_);
  steps_done_ = make_alloca(i64_, "count");
  b_.CreateStore(b_.getInt64(0), steps_done_);
}

void Lowering::emit_loop_block() {
  values_.assign(region_->nodes.size(), nullptr);
  floats_.assign(region_->nodes.size(), nullptr);
  computed_.assign(region_->nodes.size(), false);
  twins_.assign(region_->nodes.size(), nullptr);
  masks_written_.clear(), low_word_.clear();
  scalars_.clear(), lanes_.clear(), masks_.clear(), lane_float_.clear(), unmerged_.clear();
  active_ = nullptr;
  for (size_t n = 0; n < region_->nodes.size(); n++)
    if (region_->nodes[n].op < Op::Jump) emit(n);
  merge_lanes();
  for (auto& [cell, value] : scalars_)
    if (scalars_written_.count(cell)) b_.CreateStore(value, scalar_home_.at(cell));
  for (uint64_t cell : masks_written_) b_.CreateStore(whole_mask(cell), mask_home_.at(cell));
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(i64_, steps_done_), b_.getInt64(region_->steps.size())), steps_done_);
}

llvm::Value* Lowering::active_lanes() {
  if (!active_) active_ = whole_mask(active_cell_);
  return active_;
}

llvm::Value* Lowering::whole_mask(uint64_t cell) {
  V& made = masks_[cell];
  if (!made && !masks_written_.count(cell)) made = b_.CreateLoad(vi1_, mask_home_.at(cell));
  if (!made) made = lanes_of(mask_piece(read_scalar(cell), wide_ ? read_scalar(cell + 4) : nullptr));
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
    return operand.imm ? llvm::Constant::getAllOnesValue(vi1_) : llvm::Constant::getNullValue(vi1_);
  };
  if (x.type != (wide_ ? Type::S64 : Type::S32)) return nullptr;
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

// What was written under the mask that is active now, into the registers' homes.
void Lowering::merge_lanes() {
  bool any_home = false;
  for (uint64_t cell : unmerged_) {
    if (!lanes_written_.count(cell)) continue;
    any_home = true;
    V merged = b_.CreateSelect(active_lanes(), lanes_.at(cell), b_.CreateLoad(vi32_, lane_home_.at(cell)));
    b_.CreateStore(merged, lane_home_.at(cell));
  }
  if (any_home && !options_.exact)
    b_.CreateStore(b_.CreateOr(b_.CreateLoad(piece_, ever_active_), b_.CreateBitCast(active_lanes(), piece_)), ever_active_);
  unmerged_.clear();
  lanes_.clear(), lane_float_.clear();
}

// `node`: of the value; -1 when the lanes are known already.
void Lowering::write_whole_scalar(uint64_t cell, V value, int node) {
  bool active = cell == active_cell_ || (wide_ && cell == active_cell_ + 4);
  V lanes = node >= 0 ? twins_[size_t(node)] : nullptr;
  if (wide_ && node >= 0) {
    const Node& x = region_->nodes[size_t(node)];
    lanes = nullptr;
    if (x.op == Op::Low) low_word_[cell] = x.a;
    if (auto low = low_word_.find(cell - 4); x.op == Op::High && low != low_word_.end() && low->second == x.a)
      lanes = twins_[size_t(x.a)];
  }
  if (active) merge_lanes(), active_ = nullptr;
  scalars_[cell] = value;
  for (uint64_t touched : {cell, cell - 4}) {
    if (!mask_cells_.count(touched) || (touched != cell && !wide_)) continue;
    masks_.erase(touched);
    masks_written_.insert(touched);
  }
  uint64_t mask = wide_ ? cell - 4 : cell;
  if (lanes && mask_cells_.count(mask)) masks_[mask] = lanes;
}

void Lowering::write_whole_mask(uint64_t cell, V lanes) {
  V bits = b_.CreateBitCast(lanes, piece_);
  write_whole_scalar(cell, b_.CreateZExtOrTrunc(bits, i32_), -1);
  if (wide_) write_whole_scalar(cell + 4, b_.CreateTrunc(b_.CreateLShr(bits, 32), i32_), -1);
  masks_[cell] = lanes;
  if (cell == active_cell_) active_ = lanes;
}

// Everything back to the wave, unless a NaN's payload is about to be seen: then the exact version does it all again.
void Lowering::leave_loop(uint64_t pc) {
  auto& context = module_.getContext();
  if (!options_.exact) {
    V seen = b_.CreateLoad(piece_, nan_seen_), computed = llvm::Constant::getNullValue(vi1_);
    for (uint64_t cell : carried_floats_) {
      if (!lanes_written_.count(cell)) continue;
      V value = b_.CreateBitCast(b_.CreateLoad(vi32_, lane_home_.at(cell)), vf32_);
      computed = b_.CreateOr(computed, b_.CreateFCmpUNO(value, value));
    }
    seen = b_.CreateOr(seen, b_.CreateAnd(b_.CreateBitCast(computed, piece_), b_.CreateLoad(piece_, ever_active_)));
    Block good = llvm::BasicBlock::Create(context, "good", function_), bad = llvm::BasicBlock::Create(context, "nan", function_);
    b_.CreateCondBr(b_.CreateICmpNE(seen, llvm::Constant::getNullValue(piece_)), bad, good, odds(1, 2000));
    b_.SetInsertPoint(bad);
    return_code(Code::Nan, b_.getInt64(program_.index(region_->pc)));
    b_.SetInsertPoint(good);
  }
  for (uint64_t cell : lanes_written_)
    b_.CreateAlignedStore(b_.CreateLoad(vi32_, lane_home_.at(cell)), cell_pointer(cell), llvm::Align(128));
  for (uint64_t cell : scalars_written_) b_.CreateStore(b_.CreateLoad(i32_, scalar_home_.at(cell)), cell_pointer(cell));
  V count = cell_pointer(offsetof(Wave, compiled));
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(i64_, count), b_.CreateLoad(i64_, steps_done_)), count);
  return_to(pc);
}

}  // namespace Atoll::wave
