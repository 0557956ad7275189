#include "wave/jit/lowering.h"

#include <llvm/IR/IntrinsicsX86.h>

#include <cstddef>

#include "wave/jit/barrier_lowering.h"
#include "wave/jit/host_functions.h"
#include "wave/jit/plain_bytes.h"

namespace Atoll::wave {

using V = llvm::Value*;
using Block = llvm::BasicBlock*;

using llvm::BasicBlock;

Lowering::Lowering(llvm::Module& module, const Program& program, const RegionSet& set, const CompileOptions& options, int width)
    : f_(module, program, set, options, width),
      b_(f_.ir),
      r_(f_),
      nans_(f_, r_, values_),
      float_rules_(f_),
      memory_(f_, r_, values_),
      quads_(f_, values_),
      bytes_(f_, values_) {}

llvm::Function* Lowering::lower(const CodeRegion& region, const AccessPlan& plan, const std::string& name) {
  if (f_.program.register_file().whole_wave) return lower_in_order(region, plan, name);
  if (region.whole) return lower_whole(region, plan, name);
  region_ = &region;
  plan_ = &plan;
  f_.begin(name);
  float_rules_.in_loop = region.self_loop;
  memory_.begin(region, &plan);
  survey();
  emit_prologue();
  emit_chunk_loop();
  emit_epilogue();
  return f_.function;
}

// Finds the registers that the region touches, and homes for those that live in the chunk loop.
void Lowering::survey() {
  const auto& nodes = region_->nodes;
  values_.assign(nodes.size(), nullptr);
  nans_.begin_block(nodes.size());
  r_.clear();
  kept_.clear();
  has_memory_ = false;
  std::set<uint64_t> scalars_seen;
  bool scalar_loads = false;
  for (size_t n = 0; n < nodes.size(); n++) {
    const Node& x = nodes[n];
    switch (x.op) {
      case Op::ReadLanes:
        if (!r_.lanes_written.count(x.imm) || region_->self_loop) r_.lanes_read.insert(x.imm);
        break;
      case Op::WriteLanes:
        if (x.b >= 0 && !r_.lanes_written.count(x.imm)) r_.lanes_read.insert(x.imm);
        r_.lanes_written.insert(x.imm);
        break;
      case Op::WriteWhole:
        r_.lanes_written.insert(x.imm);
        r_.whole_written.insert(x.imm);
        break;
      case Op::WriteMask: r_.masks_written.insert(x.imm); break;
      case Op::ReadScalar: scalars_seen.insert(x.imm); break;
      case Op::WriteScalar:
        r_.scalars_written.insert(x.imm);
        scalars_seen.insert(x.imm);
        break;
      case Op::Load:
      case Op::Store: has_memory_ = true; break;
      case Op::ScalarLoad: scalar_loads = true; break;
      default: break;
    }
  }
  // A register written in some lanes first and in all of them later keeps what memory has in the others.
  std::set<uint64_t> begun;
  for (const Node& x : nodes)
    if ((x.op == Op::WriteLanes || x.op == Op::WriteWhole) && begun.insert(x.imm).second && x.op == Op::WriteLanes &&
        r_.whole_written.count(x.imm))
      r_.lanes_read.insert(x.imm);
  // A scalar load may fault before the first chunk begins.
  if (scalar_loads) b_.CreateStore(f_.function->getArg(1), f_.cell_pointer(offsetof(Wave, chunk)), true);
  // Two 32-bit loads that LLVM merges into one of 64 bits could not be forwarded from two stores: volatile keeps them apart.
  for (uint64_t cell : scalars_seen) r_.scalar_live_in[cell] = f_.wave_field(cell, f_.i32, true);
  if (has_memory_ || scalar_loads) memory_.find_memories();
  for (uint64_t cell : r_.lanes_written) r_.lane_home[cell] = f_.make_alloca(f_.vi32, "v");
  for (uint64_t cell : r_.lanes_read)
    if (!r_.lane_home.count(cell)) r_.lane_home[cell] = f_.make_alloca(f_.vi32, "v");
  for (uint64_t cell : r_.masks_written) {
    r_.mask_home[cell] = f_.make_alloca(f_.piece, "m");
    V total = r_.mask_total[cell] = f_.make_alloca(f_.i64, "mask");
    V low = f_.wave_field(cell, f_.i32, true);
    V old = b_.CreateZExt(low, f_.i64);
    if (f_.wide) old = b_.CreateOr(old, b_.CreateShl(b_.CreateZExt(f_.wave_field(cell + 4, f_.i32, true), f_.i64), 32));
    b_.CreateStore(old, total);
  }
  nans_.nan_seen = f_.make_alloca(f_.piece, "nan");
  nans_.carried_floats.clear();
  if (region_->self_loop && !f_.options.exact) nans_.find_carried_floats({region_});
}

// Scalars that need nothing from the lanes. In a loop on scalars they are part of the body instead.
void Lowering::emit_prologue() {
  if (region_->self_loop) {
    for (auto& [cell, live_in] : r_.scalar_live_in) r_.scalar_home[cell] = f_.make_alloca(f_.i32, "s");
    return;
  }
  for (size_t n = 0; n < region_->nodes.size(); n++) {
    const Node& x = region_->nodes[n];
    if (region_->late[n]) continue;
    bool jump = x.op >= Op::Jump;
    if (x.op == Op::ReadMask) {
      // As it is at this place. If a scalar writes the mask at all, no read of it may be taken for another: neither for one
      // before the write, nor for the bits that the lanes make later.
      if (r_.scalars_written.count(x.imm) || (f_.wide && r_.scalars_written.count(x.imm + 4)))
        r_.mask_snapshot[n] = {r_.read_scalar(x.imm), f_.wide ? r_.read_scalar(x.imm + 4) : nullptr};
    } else if (!jump && (x.op == Op::WriteScalar || (x.type != Type::None && !is_lanes(x.type)))) {
      emit(n);
    }
  }
}

void Lowering::emit_chunk_loop() {
  auto& context = f_.module.getContext();
  bool lanes = !r_.lanes_written.empty() || !r_.masks_written.empty() || has_memory_;
  for (const Node& x : region_->nodes)
    lanes |= x.op == Op::WriteRegion || x.op == Op::Store || x.op == Op::WritePixels || x.op == Op::WriteTexel ||
             x.op == Op::KeepLanes;
  if (!lanes && !region_->self_loop) return;
  if (!region_->self_loop) quads_.compute_for_wave(region_->nodes);
  Block entry = b_.GetInsertBlock();
  Block head = BasicBlock::Create(context, "chunk", f_.function), commit = BasicBlock::Create(context, "commit", f_.function),
        next = BasicBlock::Create(context, "next", f_.function), after = BasicBlock::Create(context, "after", f_.function);
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  auto* phi = b_.CreatePHI(f_.i64, 2, "lane");
  phi->addIncoming(b_.CreateZExt(f_.function->getArg(1), f_.i64), entry);
  // (the widened argument must be computed in the entry block)
  if (auto* widened = llvm::dyn_cast<llvm::Instruction>(phi->getIncomingValue(0))) widened->moveBefore(entry->getTerminator());
  r_.chunk = quads_.chunk = phi;
  if (has_memory_ || !f_.options.exact)
    b_.CreateStore(b_.CreateTrunc(r_.chunk, f_.i32), f_.cell_pointer(offsetof(Wave, chunk)), true);
  V active_bits = r_.active_piece(region_->self_loop);
  r_.active = f_.lanes_of(active_bits);
  for (uint64_t cell : r_.lanes_read)
    b_.CreateStore(b_.CreateAlignedLoad(f_.vi32, b_.CreateInBoundsGEP(f_.i32, f_.cell_pointer(cell), r_.chunk),
                                        llvm::Align(uint64_t(f_.width) * 4)),
                   r_.lane_home[cell]);
  if (region_->self_loop) {
    for (auto& [cell, live_in] : r_.scalar_live_in) b_.CreateStore(live_in, r_.scalar_home[cell]);
    steps_done_ = f_.make_alloca(f_.i64, "count");
    b_.CreateStore(b_.getInt64(0), steps_done_);
  }
  b_.CreateStore(llvm::Constant::getNullValue(f_.piece), nans_.nan_seen);
  for (auto& [cell, home] : r_.mask_home) {
    V all = b_.CreateLoad(f_.i64, r_.mask_total[cell]);
    b_.CreateStore(b_.CreateTrunc(b_.CreateLShr(all, r_.chunk), f_.piece), home);
  }

  // Does a guess about addresses exist? Then the body is built twice, and a failed guess starts the chunk (or iteration) anew.
  const bool guess = !plan_->groups.empty();
  Block body = BasicBlock::Create(context, guess ? "fast" : "body", f_.function);
  b_.CreateBr(body);
  Block slow = guess ? BasicBlock::Create(context, "slow", f_.function) : nullptr;
  std::vector<V> scalar_values = values_;
  auto build = [&](Block where, Block if_guards_fail) {
    values_ = scalar_values;
    b_.SetInsertPoint(where);
    memory_.begin_body(if_guards_fail);
    V seen = emit_body();
    if (region_->self_loop)
      emit_loop_end(seen, commit, body);
    else
      b_.CreateBr(commit);
  };
  build(body, slow);
  if (slow) build(slow, nullptr);

  // Commit: NaNs seen? Then nothing is written and the exact version takes over from this chunk.
  b_.SetInsertPoint(commit);
  if (!f_.options.exact) {
    Block good = BasicBlock::Create(context, "good", f_.function), bad = BasicBlock::Create(context, "nan", f_.function);
    V seen = b_.CreateAnd(b_.CreateLoad(f_.piece, nans_.nan_seen), active_bits);
    b_.CreateCondBr(b_.CreateICmpNE(seen, llvm::Constant::getNullValue(f_.piece)), bad, good, f_.odds(1, 2000));
    b_.SetInsertPoint(bad);
    leave_for_exact();
    b_.SetInsertPoint(good);
  }
  if (region_->self_loop) {  // all chunks go round as often: the first one counts
    V count = f_.cell_pointer(offsetof(Wave, compiled)), first = b_.CreateICmpEQ(r_.chunk, b_.getInt64(0));
    V done = b_.CreateSelect(first, b_.CreateLoad(f_.i64, steps_done_), b_.getInt64(0));
    b_.CreateStore(b_.CreateAdd(b_.CreateLoad(f_.i64, count), done), count);
  }
  for (uint64_t cell : r_.lanes_written) {
    if (region_->dead.count(cell)) continue;
    V value = b_.CreateLoad(f_.vi32, r_.lane_home[cell]), to = b_.CreateInBoundsGEP(f_.i32, f_.cell_pointer(cell), r_.chunk);
    llvm::Align alignment(uint64_t(f_.width) * 4);
    if (r_.whole_written.count(cell))
      b_.CreateAlignedStore(value, to, alignment);
    else
      b_.CreateMaskedStore(value, to, alignment, r_.active);
  }
  for (auto& [cell, home] : r_.mask_home) {
    V total = b_.CreateLoad(f_.i64, r_.mask_total[cell]);
    V ones = b_.CreateShl(b_.getInt64(f_.width == 64 ? ~0ull : (1ull << f_.width) - 1), r_.chunk);
    V bits = b_.CreateShl(b_.CreateZExt(b_.CreateLoad(f_.piece, home), f_.i64), r_.chunk);
    b_.CreateStore(b_.CreateOr(b_.CreateAnd(total, b_.CreateNot(ones)), bits), r_.mask_total[cell]);
  }
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
  V following = b_.CreateAdd(r_.chunk, b_.getInt64(uint64_t(f_.width)));
  phi->addIncoming(following, next);
  b_.CreateCondBr(b_.CreateICmpULT(following, b_.getInt64(f_.like.lanes)), head, after);
  b_.SetInsertPoint(after);
  if (region_->self_loop)
    for (auto& [cell, home] : r_.scalar_home) r_.scalars[cell] = b_.CreateLoad(f_.i32, home);
}

// The exact version goes on at this chunk; earlier chunks are done, masks and all.
void Lowering::leave_for_exact() {
  for (auto& [cell, total] : r_.mask_total) {
    V bits = b_.CreateLoad(f_.i64, total);
    b_.CreateStore(b_.CreateTrunc(bits, f_.i32), f_.cell_pointer(cell));
    if (f_.wide) b_.CreateStore(b_.CreateTrunc(b_.CreateLShr(bits, 32), f_.i32), f_.cell_pointer(cell + 4));
  }
  f_.return_code(Code::Nan, b_.getInt64(f_.program.index(whole_ ? loop_pc_ : region_->pc)));
}

// An address, or a condition, made from the bits of a NaN is not to be used: what is stored there stays.
void Lowering::leave_for_noted_nan() {
  if (in_order_) return leave_for_nan_in_order();
  if (!nans_.noted || f_.options.exact) return;
  nans_.noted = false;
  nans_.settle();
  auto& context = f_.module.getContext();
  Block good = BasicBlock::Create(context, "good", f_.function), bad = BasicBlock::Create(context, "nan", f_.function);
  V seen = b_.CreateAnd(b_.CreateLoad(f_.piece, nans_.nan_seen), b_.CreateBitCast(r_.active, f_.piece));
  b_.CreateCondBr(b_.CreateICmpNE(seen, llvm::Constant::getNullValue(f_.piece)), bad, good, f_.odds(1, 2000));
  b_.SetInsertPoint(bad);
  leave_for_exact();
  b_.SetInsertPoint(good);
}

// Registers whose bits come from float arithmetic are seen where a region ends: lanes in which one is a NaN.
llvm::Value* Lowering::nans_in_registers() {
  V seen = llvm::Constant::getNullValue(f_.vi1), other = nullptr;
  for (auto& [cell, value] : nans_.lane_float) {
    if (region_->dead.count(cell)) continue;
    if (other && other->getType() == value->getType()) {  // one comparison tells of two
      seen = b_.CreateOr(seen, b_.CreateFCmpUNO(other, value));
      other = nullptr;
    } else {
      if (other) seen = b_.CreateOr(seen, b_.CreateFCmpUNO(other, other));
      other = value;
    }
  }
  return other ? b_.CreateOr(seen, b_.CreateFCmpUNO(other, other)) : seen;
}

// Everything that is done for a chunk, once. Gives the NaNs seen by the end of an iteration where the region is a loop.
llvm::Value* Lowering::emit_body() {
  nans_.begin_block(region_->nodes.size());
  quads_.begin_block(region_->nodes.size());
  r_.lanes.clear(), r_.masks.clear();
  if (region_->self_loop) r_.scalars.clear();
  for (size_t n = 0; n < region_->nodes.size(); n++) {
    const Node& x = region_->nodes[n];
    bool jump = x.op >= Op::Jump;
    if (region_->late[n] || jump) continue;
    bool scalar = x.op == Op::WriteScalar || (x.type != Type::None && !is_lanes(x.type));
    if (scalar && !region_->self_loop) continue;
    emit(n);
  }
  V out_flag = nullptr;
  nans_.settle();
  if (!f_.options.exact && !nans_.lane_float.empty()) {
    V seen = nans_in_registers();
    // In a loop only what leaves it is seen: the flag is set afresh by each iteration's end values, kept by what was observed
    // inside.
    V slot = b_.CreateLoad(f_.piece, nans_.nan_seen);
    V bits = b_.CreateBitCast(seen, f_.piece);
    if (region_->self_loop) {
      out_flag = b_.CreateOr(slot, bits);  // stored only on the way out (emit_loop_end)
    } else {
      b_.CreateStore(b_.CreateOr(slot, bits), nans_.nan_seen);
    }
  } else if (region_->self_loop) {
    out_flag = b_.CreateLoad(f_.piece, nans_.nan_seen);
  }
  for (auto& [cell, value] : r_.lanes)
    if (r_.lanes_written.count(cell)) b_.CreateStore(value, r_.lane_home[cell]);
  for (auto& [cell, value] : r_.masks)
    if (r_.masks_written.count(cell)) b_.CreateStore(b_.CreateBitCast(value, f_.piece), r_.mask_home[cell]);
  return out_flag;
}

// The jump back of a region that is a loop on scalars. `seen`: the NaNs that count if it is left here.
void Lowering::emit_loop_end(V seen, Block commit, Block again) {
  for (auto& [cell, value] : r_.scalars) b_.CreateStore(value, r_.scalar_home[cell]);
  auto& context = f_.module.getContext();
  Block poll = BasicBlock::Create(context, "poll", f_.function), leave = BasicBlock::Create(context, "leave", f_.function);
  const Node& jump = region_->nodes.back();
  b_.CreateCondBr(values_[size_t(jump.a)], poll, leave);
  b_.SetInsertPoint(poll);
  V flag = b_.CreateLoad(f_.i32, f_.wave_field(offsetof(Wave, stop_flag), b_.getPtrTy()), true);
  Block interrupted = BasicBlock::Create(context, "interrupted", f_.function);
  Block counted = BasicBlock::Create(context, "counted", f_.function);
  b_.CreateCondBr(b_.CreateICmpNE(flag, b_.getInt32(0)), interrupted, counted);
  b_.SetInsertPoint(counted);
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(f_.i64, steps_done_), b_.getInt64(region_->steps.size())), steps_done_);
  b_.CreateBr(again);
  b_.SetInsertPoint(interrupted);
  f_.return_code(Code::Interrupted, b_.getInt64(f_.program.index(region_->pc)));
  b_.SetInsertPoint(leave);
  b_.CreateStore(seen, nans_.nan_seen);
  b_.CreateBr(commit);
}

// Scalars that need masks made by the lanes, then everything scalar goes back to memory, then the jump.
void Lowering::emit_epilogue() {
  for (auto& [cell, total] : r_.mask_total) {
    V bits = b_.CreateLoad(f_.i64, total);
    r_.scalars[cell] = b_.CreateTrunc(bits, f_.i32);
    r_.scalars_written.insert(cell);
    if (f_.wide) {
      r_.scalars[cell + 4] = b_.CreateTrunc(b_.CreateLShr(bits, 32), f_.i32);
      r_.scalars_written.insert(cell + 4);
    }
  }
  for (size_t n = 0; n < region_->nodes.size(); n++)
    if (region_->late[n]) {
      const Op op = region_->nodes[n].op;
      if (op < Op::Jump) emit(n);
    }
  for (uint64_t cell : r_.scalars_written)
    if (auto value = r_.scalars.find(cell); value != r_.scalars.end()) b_.CreateStore(value->second, f_.cell_pointer(cell));
  V count = f_.cell_pointer(offsetof(Wave, compiled));
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(f_.i64, count), b_.getInt64(region_->steps.size())), count);
  terminate();
}

// Steps that the JIT calls, with all state in memory: each may stop the wave.
void Lowering::call_tail() {
  auto& context = f_.module.getContext();
  for (const Step* step : region_->tail) {
    f_.call_host(reinterpret_cast<const void*>(host_functions().call_step), b_.getVoidTy(),
                 {f_.wave, f_.place(step->pc), f_.data(plain_bytes(f_.set.recorder->mode))});
    Block on = BasicBlock::Create(context, "on", f_.function), stopped = BasicBlock::Create(context, "stopped", f_.function);
    b_.CreateCondBr(b_.CreateICmpEQ(f_.wave_field(offsetof(Wave, stop), f_.i8), b_.getInt8(0)), on, stopped);
    b_.SetInsertPoint(stopped);
    f_.return_code(Code::Stopped, b_.getInt64(f_.program.index(step->pc + step->words * 4u)));
    b_.SetInsertPoint(on);
  }
}

// Behind a change of the mode: straight into the code of the one that it mostly is, where there is some; else falls through.
void Lowering::go_on_in_mode(V target) {
  auto* known = llvm::dyn_cast<llvm::ConstantInt>(target);
  const uint32_t cell = f_.program.register_file().mode_cell;
  if (!f_.options.direct || !cell || !known || !f_.program.contains(known->getZExtValue())) return;
  auto& context = f_.module.getContext();
  auto block = [&](const char* what) { return BasicBlock::Create(context, what, f_.function); };
  auto part = [&](llvm::Type* type, V of, size_t offset, bool is_volatile = false) {
    return b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(f_.i8, of, offset), is_volatile);
  };
  const Block met = block("met"), there = block("there"), go = block("go"), stay = block("stay");
  V table = f_.wave_field(offsetof(Wave, code_table), b_.getPtrTy());
  V change = part(b_.getPtrTy(), table, offsetof(CodeTable, change), true);
  b_.CreateCondBr(b_.CreateIsNotNull(change), met, stay);
  b_.SetInsertPoint(met);
  V word = part(f_.i32, change, offsetof(CodeTable::ModeChange, word));
  b_.CreateCondBr(b_.CreateICmpEQ(word, f_.wave_field(cell, f_.i32)), there, stay);
  b_.SetInsertPoint(there);
  V to = part(b_.getPtrTy(), change, offsetof(CodeTable::ModeChange, to));
  V slots = part(b_.getPtrTy(), to, offsetof(CodeTable, direct));
  V slot = b_.CreateLoad(b_.getPtrTy(),
                         b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), slots, f_.program.index(known->getZExtValue())), true);
  b_.CreateCondBr(b_.CreateIsNotNull(slot), go, stay);
  b_.SetInsertPoint(go);
  b_.CreateStore(to, f_.cell_pointer(offsetof(Wave, code_table)));
  b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_ldmxcsr, {},
                     {b_.CreateConstInBoundsGEP1_64(f_.i8, change, offsetof(CodeTable::ModeChange, mxcsr))});
  auto* call = b_.CreateCall(f_.function->getFunctionType(), slot, {f_.wave, b_.getInt32(0)});
  call->setTailCallKind(llvm::CallInst::TCK_MustTail);
  b_.CreateRet(call);
  b_.SetInsertPoint(stay);
}

void Lowering::terminate() {
  call_tail();
  const Node* last = nullptr;
  for (const Node& x : region_->nodes)
    if (x.op >= Op::Jump) last = &x;
  if (!last || (region_->self_loop && !in_order_)) return f_.return_to(region_->next_pc, region_->pc);
  switch (last->op) {
    case Op::WaitBarrier: return wait_barrier(f_, *region_);
    case Op::Jump: return f_.return_to(last->imm, region_->pc);
    case Op::JumpIf: {
      auto& context = f_.module.getContext();
      Block taken = BasicBlock::Create(context, "taken", f_.function), other = BasicBlock::Create(context, "other", f_.function);
      b_.CreateCondBr(values_[size_t(last->a)], taken, other);
      b_.SetInsertPoint(taken);
      f_.return_to(last->imm, region_->pc);
      b_.SetInsertPoint(other);
      return f_.return_to(region_->next_pc, region_->pc);
    }
    case Op::JumpTo:
      b_.CreateStore(values_[size_t(last->a)], f_.cell_pointer(offsetof(Wave, pc)));
      if (region_->steps.back()->ends_region) go_on_in_mode(values_[size_t(last->a)]);
      return f_.return_code(Code::Elsewhere, b_.getInt64(0));
    default:
      b_.CreateStore(b_.getInt8(uint8_t(last->imm)), f_.cell_pointer(offsetof(Wave, stop)));
      if (Stop(last->imm) == Stop::End) end_wave(f_);
      return f_.return_code(Code::Stopped, b_.getInt64(f_.program.index(region_->next_pc)));
  }
}

}  // namespace Atoll::wave
