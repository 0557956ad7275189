#include "wave/jit/lowering.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <cstddef>

#include "wave/interpreter/level.h"
#include "wave/nan.h"
#include "wave/work_group.h"

namespace Atoll::wave {

using V = llvm::Value*;
using Block = llvm::BasicBlock*;

using llvm::BasicBlock;
using llvm::Intrinsic::ID;

Lowering::Lowering(llvm::Module& module, const Program& program, const RegionSet& set, const CompileOptions& options, int width)
    : module_(module),
      program_(program),
      set_(set),
      options_(options),
      like_(set.recorder->wave),
      width_(width),
      wide_(set.recorder->wide),
      active_cell_(set.recorder->active_cell),
      b_(module.getContext()),
      addresses_(b_, like_.lanes, width) {
  i1_ = b_.getInt1Ty(), i8_ = b_.getInt8Ty(), i32_ = b_.getInt32Ty(), i64_ = b_.getInt64Ty(), f32_ = b_.getFloatTy(),
  f64_ = b_.getDoubleTy();
  auto vector = [&](llvm::Type* t) { return llvm::FixedVectorType::get(t, unsigned(width)); };
  vi1_ = vector(i1_), vi32_ = vector(i32_), vi64_ = vector(i64_), vf32_ = vector(f32_), vf64_ = vector(f64_);
  piece_ = b_.getIntNTy(unsigned(width));
}

// --- types, constants ----------------------------------------------------------------------------------------------------------
llvm::Type* Lowering::type(Type t) {
  switch (t) {
    case Type::S1: return i1_;
    case Type::S32: return i32_;
    case Type::S64: return i64_;
    case Type::SF32: return f32_;
    case Type::SF64: return f64_;
    case Type::M: return vi1_;
    case Type::U32: return vi32_;
    case Type::U64: return vi64_;
    case Type::F32: return vf32_;
    case Type::F64: return vf64_;
    case Type::None: break;
  }
  return b_.getVoidTy();
}

llvm::Value* Lowering::constant(const Node& node) {
  llvm::Constant* c;
  switch (node.type) {
    case Type::S1:
    case Type::M: c = b_.getInt1(node.imm != 0); break;
    case Type::S32:
    case Type::U32: c = b_.getInt32(uint32_t(node.imm)); break;
    case Type::SF32:
    case Type::F32: c = llvm::ConstantExpr::getBitCast(b_.getInt32(uint32_t(node.imm)), f32_); break;
    case Type::SF64:
    case Type::F64: c = llvm::ConstantExpr::getBitCast(b_.getInt64(node.imm), f64_); break;
    default: c = b_.getInt64(node.imm); break;
  }
  return is_lanes(node.type) ? splat(c) : c;
}

llvm::Value* Lowering::iota(uint32_t step) {
  std::vector<llvm::Constant*> n;
  for (int l = 0; l < width_; l++) n.push_back(b_.getInt32(uint32_t(l) * step));
  return llvm::ConstantVector::get(n);
}

llvm::Value* Lowering::wave_field(size_t offset, llvm::Type* t, bool is_volatile) {
  return b_.CreateLoad(t, cell_pointer(offset), is_volatile);
}

llvm::Value* Lowering::make_alloca(llvm::Type* t, const char* name) {
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  return entry.CreateAlloca(t, nullptr, name);
}

// Not a bitcast: LLVM 19 moves those through logic on masks to and fro without end where a mask and its complement both choose
// between floats (SelectionDAG::Combine; R500's predicates do it).
llvm::Value* Lowering::lanes_of(V bits) {
  if (host_level() == Level::Avx512 && width_ >= 16) {
    llvm::Type* word = width_ == 64 ? i64_ : i32_;
    const char* text = width_ == 16 ? "kmovw $1, $0" : width_ == 32 ? "kmovd $1, $0" : "kmovq $1, $0";
    auto* move = llvm::InlineAsm::get(llvm::FunctionType::get(vi1_, {word}, false), text, "=k,r", false);
    return b_.CreateCall(move, {b_.CreateZExt(bits, word)});
  }
  V each = splat(width_ > 32 ? bits : b_.CreateZExt(bits, i32_));
  std::vector<llvm::Constant*> powers;
  for (int l = 0; l < width_; l++) powers.push_back(width_ > 32 ? b_.getInt64(1ull << l) : b_.getInt32(1u << l));
  return b_.CreateICmpNE(b_.CreateAnd(each, llvm::ConstantVector::get(powers)), llvm::Constant::getNullValue(each->getType()));
}

llvm::MDNode* Lowering::odds(uint32_t taken, uint32_t not_taken) {
  return llvm::MDBuilder(module_.getContext()).createBranchWeights(taken, not_taken);
}

llvm::Value* Lowering::any(V mask) {
  return b_.CreateICmpNE(b_.CreateBitCast(mask, piece_), llvm::Constant::getNullValue(piece_));
}

bool Lowering::constrained() const {
  const FloatMode& mode = set_.recorder->mode;
  return mode.round32 != Rounding::NearestEven || mode.round64 != Rounding::NearestEven;
}

bool Lowering::flushes() const {
  const FloatMode& mode = set_.recorder->mode;
  return mode.flush_in32 || mode.flush_out32 || mode.flush_in64 || mode.flush_out64;
}

// --- the function --------------------------------------------------------------------------------------------------------------
void Lowering::begin_function(const std::string& name) {
  function_ = llvm::Function::Create(llvm::FunctionType::get(i64_, {b_.getPtrTy(), i32_}, false), llvm::Function::ExternalLinkage,
                                     name, module_);
  // Without these LLVM prefers half the register width on some hosts. The wave is not "noalias": a register must not be stored
  // before a load that may fault.
  function_->addFnAttr("prefer-vector-width", "512");
  function_->addFnAttr("min-legal-vector-width", "512");
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  if (flushes()) function_->addFnAttr("denormal-fp-math", "dynamic,dynamic");
  if (constrained()) {
    function_->addFnAttr(llvm::Attribute::StrictFP);
    b_.setIsFPConstrained(true);
    b_.setDefaultConstrainedRounding(llvm::RoundingMode::Dynamic);
    b_.setDefaultConstrainedExcept(llvm::fp::ebIgnore);
  }
  wave_ = function_->getArg(0);
  b_.SetInsertPoint(BasicBlock::Create(module_.getContext(), "entry", function_));
}

llvm::Function* Lowering::lower(const CodeRegion& region, const AccessPlan& plan, const std::string& name) {
  region_ = &region;
  plan_ = &plan;
  begin_function(name);
  survey();
  emit_prologue();
  emit_chunk_loop();
  emit_epilogue();
  return function_;
}

// Which registers the region touches, and homes for those that live in the chunk loop.
void Lowering::survey() {
  const auto& nodes = region_->nodes;
  values_.assign(nodes.size(), nullptr);
  floats_.assign(nodes.size(), nullptr);
  computed_.assign(nodes.size(), false);
  scalar_live_in_.clear(), scalars_.clear(), mask_snapshot_.clear(), lane_home_.clear(), mask_home_.clear(), mask_total_.clear();
  scalar_home_.clear(), lanes_.clear(), masks_.clear(), lane_float_.clear();
  lanes_written_.clear(), masks_written_.clear(), scalars_written_.clear(), lanes_read_.clear();
  has_memory_ = false;
  std::set<uint64_t> scalars_seen;
  bool scalar_loads = false;
  for (size_t n = 0; n < nodes.size(); n++) {
    const Node& x = nodes[n];
    switch (x.op) {
      case Op::ReadLanes:
        if (!lanes_written_.count(x.imm) || region_->self_loop) lanes_read_.insert(x.imm);
        break;
      case Op::WriteLanes:
        if (x.b >= 0 && !lanes_written_.count(x.imm)) lanes_read_.insert(x.imm);
        lanes_written_.insert(x.imm);
        break;
      case Op::WriteMask: masks_written_.insert(x.imm); break;
      case Op::ReadScalar: scalars_seen.insert(x.imm); break;
      case Op::WriteScalar:
        scalars_written_.insert(x.imm);
        scalars_seen.insert(x.imm);
        break;
      case Op::Load:
      case Op::Store: has_memory_ = true; break;
      case Op::ScalarLoad: scalar_loads = true; break;
      default: break;
    }
  }
  // A scalar load may fault before the first chunk begins.
  if (scalar_loads) b_.CreateStore(function_->getArg(1), cell_pointer(offsetof(Wave, chunk)), true);
  // Two 32-bit loads that LLVM merges into one of 64 bits could not be forwarded from two stores: volatile keeps them apart.
  for (uint64_t cell : scalars_seen) scalar_live_in_[cell] = wave_field(cell, i32_, true);
  if (has_memory_ || scalar_loads) addresses_.begin(wave_, *plan_);
  for (uint64_t cell : lanes_written_) lane_home_[cell] = make_alloca(vi32_, "v");
  for (uint64_t cell : lanes_read_)
    if (!lane_home_.count(cell)) lane_home_[cell] = make_alloca(vi32_, "v");
  for (uint64_t cell : masks_written_) {
    mask_home_[cell] = make_alloca(piece_, "m");
    V total = mask_total_[cell] = make_alloca(i64_, "mask");
    V low = wave_field(cell, i32_, true);
    V old = b_.CreateZExt(low, i64_);
    if (wide_) old = b_.CreateOr(old, b_.CreateShl(b_.CreateZExt(wave_field(cell + 4, i32_, true), i64_), 32));
    b_.CreateStore(old, total);
  }
  nan_seen_ = make_alloca(piece_, "nan");
  carried_floats_.clear();
  if (region_->self_loop && !options_.exact) find_carried_floats({region_});
}

// Lane registers of a loop that bring a computed float's bits from one iteration or block to another, by moves as well.
void Lowering::find_carried_floats(const std::vector<const CodeRegion*>& members) {
  const CodeRegion* whole = region_;
  for (size_t known = ~size_t(0); known != carried_floats_.size();) {
    known = carried_floats_.size();
    for (const CodeRegion* r : members) {
      region_ = r;
      for (const Node& x : r->nodes)
        if (x.op == Op::WriteLanes && holds_computed_float(x.a)) carried_floats_.insert(x.imm);
    }
  }
  region_ = whole;
}

// Whether a U32 node is the bits of a computed float, as far as the nodes alone tell.
bool Lowering::holds_computed_float(int node) const {
  const Node& x = region_->nodes[size_t(node)];
  if (x.op == Op::ReadLanes) return carried_floats_.count(x.imm) > 0;
  if (x.op == Op::Select) return holds_computed_float(x.b) || holds_computed_float(x.c);
  if (x.op == Op::FNeg || x.op == Op::FAbs) return holds_computed_float(x.a);
  if (x.op == Op::Bitcast) return holds_computed_float(x.a);
  return (x.op >= Op::FAdd && x.op <= Op::RoundEven) || x.op == Op::CvtFloat || x.op == Op::CvtF32F16;
}

// Scalars that need nothing from the lanes. In a loop on scalars they are part of the body instead.
void Lowering::emit_prologue() {
  if (region_->self_loop) {
    for (auto& [cell, live_in] : scalar_live_in_) scalar_home_[cell] = make_alloca(i32_, "s");
    return;
  }
  for (size_t n = 0; n < region_->nodes.size(); n++) {
    const Node& x = region_->nodes[n];
    if (region_->late[n]) continue;
    bool jump = x.op >= Op::Jump;
    if (x.op == Op::ReadMask) {
      // As it is at this place. Where a scalar writes the mask at all, no read of it may be taken for another: neither for one
      // before the write, nor for the bits that the lanes make later.
      if (scalars_written_.count(x.imm) || (wide_ && scalars_written_.count(x.imm + 4)))
        mask_snapshot_[n] = {read_scalar(x.imm), wide_ ? read_scalar(x.imm + 4) : nullptr};
    } else if (!jump && (x.op == Op::WriteScalar || (x.type != Type::None && !is_lanes(x.type)))) {
      emit(n);
    }
  }
}

void Lowering::emit_chunk_loop() {
  auto& context = module_.getContext();
  bool lanes = !lanes_written_.empty() || !masks_written_.empty() || has_memory_;
  for (const Node& x : region_->nodes) lanes |= x.op == Op::WriteRegion || x.op == Op::Store;
  if (!lanes && !region_->self_loop) return;
  Block entry = b_.GetInsertBlock();
  Block head = BasicBlock::Create(context, "chunk", function_), commit = BasicBlock::Create(context, "commit", function_),
        next = BasicBlock::Create(context, "next", function_), after = BasicBlock::Create(context, "after", function_);
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  auto* phi = b_.CreatePHI(i64_, 2, "lane");
  phi->addIncoming(b_.CreateZExt(function_->getArg(1), i64_), entry);
  // (the widened argument must be computed in the entry block)
  if (auto* widened = llvm::dyn_cast<llvm::Instruction>(phi->getIncomingValue(0))) widened->moveBefore(entry->getTerminator());
  chunk_ = phi;
  if (has_memory_ || !options_.exact) b_.CreateStore(b_.CreateTrunc(chunk_, i32_), cell_pointer(offsetof(Wave, chunk)), true);
  V active_bits = active_piece();
  active_ = lanes_of(active_bits);
  for (uint64_t cell : lanes_read_)
    b_.CreateStore(
        b_.CreateAlignedLoad(vi32_, b_.CreateInBoundsGEP(i32_, cell_pointer(cell), chunk_), llvm::Align(uint64_t(width_) * 4)),
        lane_home_[cell]);
  if (region_->self_loop) {
    for (auto& [cell, live_in] : scalar_live_in_) b_.CreateStore(live_in, scalar_home_[cell]);
    steps_done_ = make_alloca(i64_, "count");
    b_.CreateStore(b_.getInt64(0), steps_done_);
  }
  b_.CreateStore(llvm::Constant::getNullValue(piece_), nan_seen_);
  for (auto& [cell, home] : mask_home_) {
    V all = b_.CreateLoad(i64_, mask_total_[cell]);
    b_.CreateStore(b_.CreateTrunc(b_.CreateLShr(all, chunk_), piece_), home);
  }

  // Does a guess about addresses exist? Then the body is built twice, and a failed guess starts the chunk (or iteration) anew.
  const bool guess = !plan_->groups.empty();
  Block body = BasicBlock::Create(context, guess ? "fast" : "body", function_);
  b_.CreateBr(body);
  Block slow = guess ? BasicBlock::Create(context, "slow", function_) : nullptr;
  std::vector<V> scalar_values = values_;
  slow_ = slow;
  Block loop_head = body;
  auto build = [&](Block where) {
    values_ = scalar_values;
    b_.SetInsertPoint(where);
    emit_body(where, commit);
    emit_loop_end(commit, loop_head);
  };
  build(body);
  if (slow) {
    slow_ = nullptr;
    build(slow);
  }

  // Commit: NaNs seen? Then nothing is written and the exact version takes over from this chunk.
  b_.SetInsertPoint(commit);
  if (!options_.exact) {
    Block good = BasicBlock::Create(context, "good", function_), bad = BasicBlock::Create(context, "nan", function_);
    V seen = b_.CreateAnd(b_.CreateLoad(piece_, nan_seen_), active_bits);
    b_.CreateCondBr(b_.CreateICmpNE(seen, llvm::Constant::getNullValue(piece_)), bad, good, odds(1, 2000));
    b_.SetInsertPoint(bad);
    leave_for_exact();
    b_.SetInsertPoint(good);
  }
  if (region_->self_loop) {  // all chunks go round as often: the first one counts
    V count = cell_pointer(offsetof(Wave, compiled)), first = b_.CreateICmpEQ(chunk_, b_.getInt64(0));
    V done = b_.CreateSelect(first, b_.CreateLoad(i64_, steps_done_), b_.getInt64(0));
    b_.CreateStore(b_.CreateAdd(b_.CreateLoad(i64_, count), done), count);
  }
  for (uint64_t cell : lanes_written_) {
    if (region_->dead.count(cell)) continue;
    b_.CreateMaskedStore(b_.CreateLoad(vi32_, lane_home_[cell]), b_.CreateInBoundsGEP(i32_, cell_pointer(cell), chunk_),
                         llvm::Align(uint64_t(width_) * 4), active_);
  }
  for (auto& [cell, home] : mask_home_) {
    V total = b_.CreateLoad(i64_, mask_total_[cell]);
    V ones = b_.CreateShl(b_.getInt64(width_ == 64 ? ~0ull : (1ull << width_) - 1), chunk_);
    V bits = b_.CreateShl(b_.CreateZExt(b_.CreateLoad(piece_, home), i64_), chunk_);
    b_.CreateStore(b_.CreateOr(b_.CreateAnd(total, b_.CreateNot(ones)), bits), mask_total_[cell]);
  }
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
  V following = b_.CreateAdd(chunk_, b_.getInt64(uint64_t(width_)));
  phi->addIncoming(following, next);
  b_.CreateCondBr(b_.CreateICmpULT(following, b_.getInt64(like_.lanes)), head, after);
  b_.SetInsertPoint(after);
  if (region_->self_loop)
    for (auto& [cell, home] : scalar_home_) scalars_[cell] = b_.CreateLoad(i32_, home);
}

// The exact version goes on at this chunk; earlier chunks are done, masks and all.
void Lowering::leave_for_exact() {
  for (auto& [cell, total] : mask_total_) {
    V bits = b_.CreateLoad(i64_, total);
    b_.CreateStore(b_.CreateTrunc(bits, i32_), cell_pointer(cell));
    if (wide_) b_.CreateStore(b_.CreateTrunc(b_.CreateLShr(bits, 32), i32_), cell_pointer(cell + 4));
  }
  return_code(Code::Nan, b_.getInt64(program_.index(region_->pc)));
}

// An address, or a condition, made from the bits of a NaN is not to be used: what is stored there stays.
void Lowering::leave_for_noted_nan() {
  if (!noted_ || options_.exact) return;
  noted_ = false;
  auto& context = module_.getContext();
  Block good = BasicBlock::Create(context, "good", function_), bad = BasicBlock::Create(context, "nan", function_);
  V seen = b_.CreateAnd(b_.CreateLoad(piece_, nan_seen_), b_.CreateBitCast(active_, piece_));
  b_.CreateCondBr(b_.CreateICmpNE(seen, llvm::Constant::getNullValue(piece_)), bad, good, odds(1, 2000));
  b_.SetInsertPoint(bad);
  leave_for_exact();
  b_.SetInsertPoint(good);
}

void Lowering::emit_body(Block, Block) {
  noted_ = false;
  lanes_.clear(), masks_.clear(), lane_float_.clear();
  proofs_.assign(plan_->groups.size(), {});
  std::fill(floats_.begin(), floats_.end(), nullptr);
  std::fill(computed_.begin(), computed_.end(), false);
  if (region_->self_loop) scalars_.clear();
  for (size_t n = 0; n < region_->nodes.size(); n++) {
    const Node& x = region_->nodes[n];
    bool jump = x.op >= Op::Jump;
    if (region_->late[n] || jump) continue;
    bool scalar = x.op == Op::WriteScalar || (x.type != Type::None && !is_lanes(x.type));
    if (scalar && !region_->self_loop) continue;
    emit(n);
  }
  // Registers whose bits come from float arithmetic are seen from here on.
  if (!options_.exact && !lane_float_.empty()) {
    V seen = llvm::Constant::getNullValue(vi1_);
    for (auto& [cell, value] : lane_float_) {
      if (region_->dead.count(cell)) continue;
      V nan = b_.CreateFCmpUNO(value, value);
      seen = b_.CreateOr(seen, nan);
    }
    // In a loop only what leaves it is seen: the flag is set afresh by each iteration's end values, kept by what was observed
    // inside.
    V slot = b_.CreateLoad(piece_, nan_seen_);
    V bits = b_.CreateBitCast(seen, piece_);
    if (region_->self_loop) {
      values_.push_back(b_.CreateOr(slot, bits));  // stored only on the way out (emit_loop_end)
    } else {
      b_.CreateStore(b_.CreateOr(slot, bits), nan_seen_);
    }
  } else if (region_->self_loop) {
    values_.push_back(b_.CreateLoad(piece_, nan_seen_));
  }
  for (auto& [cell, value] : lanes_)
    if (lanes_written_.count(cell)) b_.CreateStore(value, lane_home_[cell]);
  for (auto& [cell, value] : masks_)
    if (masks_written_.count(cell)) b_.CreateStore(b_.CreateBitCast(value, piece_), mask_home_[cell]);
}

void Lowering::emit_loop_end(Block commit, Block again) {
  if (!region_->self_loop) {
    b_.CreateBr(commit);
    return;
  }
  V out_flag = values_.back();
  values_.pop_back();
  for (auto& [cell, value] : scalars_) b_.CreateStore(value, scalar_home_[cell]);
  auto& context = module_.getContext();
  Block poll = BasicBlock::Create(context, "poll", function_), leave = BasicBlock::Create(context, "leave", function_);
  const Node& jump = region_->nodes.back();
  b_.CreateCondBr(values_[size_t(jump.a)], poll, leave);
  b_.SetInsertPoint(poll);
  V flag = b_.CreateLoad(i32_, wave_field(offsetof(Wave, stop_flag), b_.getPtrTy()), true);
  Block interrupted = BasicBlock::Create(context, "interrupted", function_);
  Block counted = BasicBlock::Create(context, "counted", function_);
  b_.CreateCondBr(b_.CreateICmpNE(flag, b_.getInt32(0)), interrupted, counted);
  b_.SetInsertPoint(counted);
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(i64_, steps_done_), b_.getInt64(region_->steps.size())), steps_done_);
  b_.CreateBr(again);
  b_.SetInsertPoint(interrupted);
  return_code(Code::Interrupted, b_.getInt64(program_.index(region_->pc)));
  b_.SetInsertPoint(leave);
  b_.CreateStore(out_flag, nan_seen_);
  b_.CreateBr(commit);
}

// Scalars that need masks made by the lanes, then everything scalar goes back to memory, then the jump.
void Lowering::emit_epilogue() {
  for (auto& [cell, total] : mask_total_) {
    V bits = b_.CreateLoad(i64_, total);
    scalars_[cell] = b_.CreateTrunc(bits, i32_);
    scalars_written_.insert(cell);
    if (wide_) {
      scalars_[cell + 4] = b_.CreateTrunc(b_.CreateLShr(bits, 32), i32_);
      scalars_written_.insert(cell + 4);
    }
  }
  for (size_t n = 0; n < region_->nodes.size(); n++)
    if (region_->late[n]) {
      const Op op = region_->nodes[n].op;
      if (op < Op::Jump) emit(n);
    }
  for (uint64_t cell : scalars_written_)
    if (auto value = scalars_.find(cell); value != scalars_.end()) b_.CreateStore(value->second, cell_pointer(cell));
  V count = cell_pointer(offsetof(Wave, compiled));
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(i64_, count), b_.getInt64(region_->steps.size())), count);
  terminate();
}

void Lowering::return_code(Code code, V index) { b_.CreateRet(b_.CreateOr(index, b_.getInt64(uint64_t(code) << code_shift))); }

// Goes on at `pc`: straight into its code where there is some, else by way of the executor.
void Lowering::return_to(uint64_t pc) {
  if (!program_.contains(pc)) {
    b_.CreateStore(b_.getInt64(pc), cell_pointer(offsetof(Wave, pc)));
    return return_code(Code::Elsewhere, b_.getInt64(0));
  }
  if (options_.direct) {
    auto& context = module_.getContext();
    Block straight = BasicBlock::Create(context, "straight", function_), back = BasicBlock::Create(context, "back", function_);
    V slot = b_.CreateLoad(b_.getPtrTy(), pointer_constant(options_.direct + program_.index(pc)), true);
    V there = b_.CreateIsNotNull(slot);
    if (pc <= region_->pc) {  // a loop may be endless
      V flag = b_.CreateLoad(i32_, wave_field(offsetof(Wave, stop_flag), b_.getPtrTy()), true);
      there = b_.CreateAnd(there, b_.CreateICmpEQ(flag, b_.getInt32(0)));
    }
    b_.CreateCondBr(there, straight, back);
    b_.SetInsertPoint(straight);
    b_.CreateStore(b_.getInt64(pc), cell_pointer(offsetof(Wave, pc)));  // where to look again after a fault
    auto* call = b_.CreateCall(function_->getFunctionType(), slot, {wave_, b_.getInt32(0)});
    call->setTailCallKind(llvm::CallInst::TCK_MustTail);
    b_.CreateRet(call);
    b_.SetInsertPoint(back);
  }
  return_code(Code::Next, b_.getInt64(program_.index(pc)));
}

// The work-group's barrier, as work_group.h has it: all waves of a group run on one thread.
void Lowering::signal_barrier() {
  V group = wave_field(offsetof(Wave, group), b_.getPtrTy());
  auto field = [&](size_t offset) { return b_.CreateConstInBoundsGEP1_64(i8_, group, offset); };
  V signals = b_.CreateAdd(b_.CreateLoad(i32_, field(offsetof(WorkGroup, signals))), b_.getInt32(1));
  V ended = b_.CreateLoad(i32_, field(offsetof(WorkGroup, ended))),
    members = b_.CreateLoad(i32_, field(offsetof(WorkGroup, members)));
  V complete = b_.CreateICmpUGE(b_.CreateAdd(signals, ended), members);
  V completed = b_.CreateLoad(i32_, field(offsetof(WorkGroup, completed)));
  V alone = b_.CreateICmpULE(members, b_.getInt32(1));  // no work-group, no barrier
  complete = b_.CreateOr(complete, alone);
  b_.CreateStore(b_.CreateSelect(complete, b_.getInt32(0), signals), field(offsetof(WorkGroup, signals)));
  V round = b_.CreateZExt(b_.CreateAnd(complete, b_.CreateNot(alone)), i32_);
  b_.CreateStore(b_.CreateAdd(completed, round), field(offsetof(WorkGroup, completed)));
}

void Lowering::wait_barrier() {
  auto& context = module_.getContext();
  V group = wave_field(offsetof(Wave, group), b_.getPtrTy());
  V completed = b_.CreateLoad(i32_, b_.CreateConstInBoundsGEP1_64(i8_, group, offsetof(WorkGroup, completed)));
  V members = b_.CreateLoad(i32_, b_.CreateConstInBoundsGEP1_64(i8_, group, offsetof(WorkGroup, members)));
  V passed = wave_field(offsetof(Wave, barriers_passed), i32_);
  Block pass = BasicBlock::Create(context, "pass", function_), wait = BasicBlock::Create(context, "wait", function_);
  b_.CreateCondBr(b_.CreateOr(b_.CreateICmpUGT(completed, passed), b_.CreateICmpULE(members, b_.getInt32(1))), pass, wait);
  b_.SetInsertPoint(wait);
  b_.CreateStore(b_.getInt8(1), cell_pointer(offsetof(Wave, waits_at_barrier)));
  b_.CreateStore(b_.getInt8(uint8_t(Stop::Barrier)), cell_pointer(offsetof(Wave, stop)));
  hand_over(group, completed);
  return_code(Code::Stopped, b_.getInt64(program_.index(region_->next_pc)));
  b_.SetInsertPoint(pass);
  b_.CreateStore(completed, cell_pointer(offsetof(Wave, barriers_passed)));
  return_to(region_->next_pc);
}

// The wave waits at a barrier. If the next wave of the group does so as well, in compiled code of the same mode, and its barrier
// is complete, goes straight on with it; else falls through.
void Lowering::hand_over(V group, V completed) {
  V resume_place = cell_pointer(offsetof(Wave, resume));
  if (!options_.direct || !program_.contains(region_->next_pc)) {
    b_.CreateStore(llvm::ConstantPointerNull::get(b_.getPtrTy()), resume_place);
    return;
  }
  auto& context = module_.getContext();
  Block look = BasicBlock::Create(context, "look", function_), go = BasicBlock::Create(context, "go", function_),
        stay = BasicBlock::Create(context, "stay", function_);
  V own = b_.CreateLoad(b_.getPtrTy(), pointer_constant(options_.direct + program_.index(region_->next_pc)), true);
  b_.CreateStore(own, resume_place);
  b_.CreateStore(b_.getInt64(region_->next_pc), cell_pointer(offsetof(Wave, pc)));
  V other = wave_field(offsetof(Wave, next), b_.getPtrTy());
  V interrupted = b_.CreateLoad(i32_, wave_field(offsetof(Wave, stop_flag), b_.getPtrTy()), true);
  b_.CreateCondBr(b_.CreateAnd(b_.CreateIsNotNull(other), b_.CreateICmpEQ(interrupted, b_.getInt32(0))), look, stay);
  b_.SetInsertPoint(look);
  auto field = [&](size_t offset) { return b_.CreateConstInBoundsGEP1_64(i8_, other, offset); };
  V there = b_.CreateLoad(b_.getPtrTy(), field(offsetof(Wave, resume)));
  V waits = b_.CreateICmpNE(b_.CreateLoad(i8_, field(offsetof(Wave, waits_at_barrier))), b_.getInt8(0));
  V may = b_.CreateICmpUGT(completed, b_.CreateLoad(i32_, field(offsetof(Wave, barriers_passed))));
  V same_mode = b_.CreateICmpEQ(b_.CreateLoad(b_.getPtrTy(), field(offsetof(Wave, code_table))),
                                wave_field(offsetof(Wave, code_table), b_.getPtrTy()));
  b_.CreateCondBr(b_.CreateAnd({b_.CreateIsNotNull(there), waits, may, same_mode}), go, stay);
  b_.SetInsertPoint(go);
  b_.CreateStore(completed, field(offsetof(Wave, barriers_passed)));
  b_.CreateStore(b_.getInt8(0), field(offsetof(Wave, waits_at_barrier)));
  b_.CreateStore(b_.getInt8(uint8_t(Stop::Run)), field(offsetof(Wave, stop)));
  b_.CreateStore(other, b_.CreateConstInBoundsGEP1_64(i8_, group, offsetof(WorkGroup, current)), true);
  auto* call = b_.CreateCall(function_->getFunctionType(), there, {other, b_.getInt32(0)});
  call->setTailCallKind(llvm::CallInst::TCK_MustTail);
  b_.CreateRet(call);
  b_.SetInsertPoint(stay);
}

// Steps that the JIT calls, with all state in memory: each may stop the wave.
void Lowering::call_tail() {
  auto& context = module_.getContext();
  for (const Step* step : region_->tail) {
    call_host(reinterpret_cast<const void*>(&call_step), b_.getVoidTy(),
              {wave_, pointer_constant(step), pointer_constant(&set_.recorder->mode)});
    Block on = BasicBlock::Create(context, "on", function_), stopped = BasicBlock::Create(context, "stopped", function_);
    b_.CreateCondBr(b_.CreateICmpEQ(wave_field(offsetof(Wave, stop), i8_), b_.getInt8(0)), on, stopped);
    b_.SetInsertPoint(stopped);
    return_code(Code::Stopped, b_.getInt64(program_.index(step->pc + step->words * 4u)));
    b_.SetInsertPoint(on);
  }
}

void Lowering::terminate() {
  call_tail();
  const Node* last = nullptr;
  for (const Node& x : region_->nodes)
    if (x.op >= Op::Jump) last = &x;
  if (!last || region_->self_loop) return return_to(region_->next_pc);
  switch (last->op) {
    case Op::WaitBarrier: return wait_barrier();
    case Op::Jump: return return_to(last->imm);
    case Op::JumpIf: {
      auto& context = module_.getContext();
      Block taken = BasicBlock::Create(context, "taken", function_), other = BasicBlock::Create(context, "other", function_);
      b_.CreateCondBr(values_[size_t(last->a)], taken, other);
      b_.SetInsertPoint(taken);
      return_to(last->imm);
      b_.SetInsertPoint(other);
      return return_to(region_->next_pc);
    }
    case Op::JumpTo:
      b_.CreateStore(values_[size_t(last->a)], cell_pointer(offsetof(Wave, pc)));
      return return_code(Code::Elsewhere, b_.getInt64(0));
    default:
      b_.CreateStore(b_.getInt8(uint8_t(last->imm)), cell_pointer(offsetof(Wave, stop)));
      return return_code(Code::Stopped, b_.getInt64(program_.index(region_->next_pc)));
  }
}

// --- registers -----------------------------------------------------------------------------------------------------------------
llvm::Value* Lowering::read_scalar(uint64_t cell) {
  if (auto it = scalars_.find(cell); it != scalars_.end()) return it->second;
  if ((whole_ || region_->self_loop) && scalar_home_.count(cell)) return scalars_[cell] = b_.CreateLoad(i32_, scalar_home_[cell]);
  if (auto it = scalar_live_in_.find(cell); it != scalar_live_in_.end()) return it->second;
  return wave_field(cell, i32_, true);
}

llvm::Value* Lowering::read_lanes(uint64_t cell) {
  V& value = lanes_[cell];
  if (!value) value = b_.CreateLoad(vi32_, lane_home_.at(cell));
  return value;
}

// The chunk's bits of a mask given as scalar words.
llvm::Value* Lowering::mask_piece(V low, V high) {
  V bits = b_.CreateZExt(low, i64_);
  if (high) bits = b_.CreateOr(bits, b_.CreateShl(b_.CreateZExt(high, i64_), 32));
  return b_.CreateTrunc(b_.CreateLShr(bits, chunk_), piece_);
}

llvm::Value* Lowering::active_piece() {
  auto low = scalars_.find(active_cell_);
  bool written = low != scalars_.end() || (wide_ && scalars_.count(active_cell_ + 4));
  if (written && !region_->self_loop) {
    // Written in the prologue; a late write (not yet emitted) does not show here.
    return mask_piece(read_scalar(active_cell_), wide_ ? read_scalar(active_cell_ + 4) : nullptr);
  }
  return b_.CreateLoad(piece_, b_.CreateInBoundsGEP(i8_, cell_pointer(active_cell_), b_.CreateLShr(chunk_, 3)));
}

llvm::Value* Lowering::read_mask(size_t n, const Node& node) {
  if (whole_) return whole_mask(node.imm);
  if (auto made = masks_.find(node.imm); made != masks_.end()) return made->second;
  if (auto snapshot = mask_snapshot_.find(n); snapshot != mask_snapshot_.end())
    return lanes_of(mask_piece(snapshot->second.first, snapshot->second.second));
  if (node.imm == active_cell_) return active_;
  if (mask_home_.count(node.imm)) return masks_[node.imm] = lanes_of(b_.CreateLoad(piece_, mask_home_[node.imm]));
  if (region_->self_loop && (scalar_home_.count(node.imm) || scalar_home_.count(node.imm + 4)))
    return lanes_of(mask_piece(read_scalar(node.imm), wide_ ? read_scalar(node.imm + 4) : nullptr));
  return lanes_of(b_.CreateLoad(piece_, b_.CreateInBoundsGEP(i8_, cell_pointer(node.imm), b_.CreateLShr(chunk_, 3))));
}

}  // namespace Atoll::wave
