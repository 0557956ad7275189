#include "wave/jit/barrier_lowering.h"

#include <llvm/IR/IntrinsicsX86.h>

#include <cstddef>

#include "wave/work_group.h"

namespace Atoll::wave {

using V = llvm::Value*;
using Block = llvm::BasicBlock*;
using llvm::BasicBlock;

namespace {

// Goes straight on with the next wave of the group if that one waits in compiled code, for its turn or for a barrier that is complete
// (`completed` rounds); else falls through. `before`: what is done before, in the case.
template <class Before>
void hand_over(FunctionBuilder& f, V group, V completed, Before before) {
  auto& context = f.module.getContext();
  Block look = BasicBlock::Create(context, "look", f.function), go = BasicBlock::Create(context, "go", f.function),
        mode = BasicBlock::Create(context, "mode", f.function), jump = BasicBlock::Create(context, "jump", f.function),
        stay = BasicBlock::Create(context, "stay", f.function);
  V other = f.wave_field(offsetof(Wave, next), f.ir.getPtrTy());
  V interrupted = f.ir.CreateLoad(f.i32, f.wave_field(offsetof(Wave, stop_flag), f.ir.getPtrTy()), true);
  f.ir.CreateCondBr(f.ir.CreateAnd(f.ir.CreateIsNotNull(other), f.ir.CreateICmpEQ(interrupted, f.ir.getInt32(0))), look, stay);
  f.ir.SetInsertPoint(look);
  auto place = [&](size_t offset) { return f.ir.CreateConstInBoundsGEP1_64(f.i8, other, offset); };
  auto field = [&](size_t offset, llvm::Type* type) { return f.ir.CreateLoad(type, place(offset)); };
  V there = field(offsetof(Wave, resume), f.ir.getPtrTy());
  V waits = f.ir.CreateICmpNE(field(offsetof(Wave, waits_at_barrier), f.i8), f.ir.getInt8(0));
  V passed = field(offsetof(Wave, barriers_passed), f.i32);
  V begins = f.ir.CreateICmpEQ(field(offsetof(Wave, waits_for), f.i8), f.ir.getInt8(uint8_t(WaitsFor::Turn)));
  V may = f.ir.CreateOr(f.ir.CreateICmpUGT(completed, passed), begins);
  // (A wave in a trap handler is in another executor's code.)
  V same =
      f.ir.CreateICmpEQ(field(offsetof(Wave, program), f.ir.getPtrTy()), f.wave_field(offsetof(Wave, program), f.ir.getPtrTy()));
  f.ir.CreateCondBr(f.ir.CreateAnd({f.ir.CreateIsNotNull(there), waits, may, same}), go, stay);
  f.ir.SetInsertPoint(go);
  before();
  f.ir.CreateStore(f.ir.CreateSelect(begins, passed, completed), place(offsetof(Wave, barriers_passed)));
  f.ir.CreateStore(f.ir.getInt8(uint8_t(WaitsFor::Group)), place(offsetof(Wave, waits_for)));
  f.ir.CreateStore(f.ir.getInt8(0), place(offsetof(Wave, waits_at_barrier)));
  f.ir.CreateStore(f.ir.getInt8(uint8_t(Stop::Run)), place(offsetof(Wave, stop)));
  f.ir.CreateStore(other, f.ir.CreateConstInBoundsGEP1_64(f.i8, group, offsetof(WorkGroup, current)), true);
  V table = field(offsetof(Wave, code_table), f.ir.getPtrTy());
  f.ir.CreateCondBr(f.ir.CreateICmpEQ(table, f.wave_field(offsetof(Wave, code_table), f.ir.getPtrTy())), jump, mode);
  f.ir.SetInsertPoint(mode);
  f.ir.CreateIntrinsic(llvm::Intrinsic::x86_sse_ldmxcsr, {},
                       {f.ir.CreateConstInBoundsGEP1_64(f.i8, table, offsetof(CodeTable, mxcsr))});
  f.ir.CreateBr(jump);
  f.ir.SetInsertPoint(jump);
  auto* call = f.ir.CreateCall(f.function->getFunctionType(), there, {other, f.ir.getInt32(0)});
  call->setTailCallKind(llvm::CallInst::TCK_MustTail);
  f.ir.CreateRet(call);
  f.ir.SetInsertPoint(stay);
}

}  // namespace

void signal_barrier(FunctionBuilder& f) {
  V group = f.wave_field(offsetof(Wave, group), f.ir.getPtrTy());
  auto field = [&](size_t offset) { return f.ir.CreateConstInBoundsGEP1_64(f.i8, group, offset); };
  V signals = f.ir.CreateAdd(f.ir.CreateLoad(f.i32, field(offsetof(WorkGroup, signals))), f.ir.getInt32(1));
  V ended = f.ir.CreateLoad(f.i32, field(offsetof(WorkGroup, ended))),
    members = f.ir.CreateLoad(f.i32, field(offsetof(WorkGroup, members)));
  V complete = f.ir.CreateICmpUGE(f.ir.CreateAdd(signals, ended), members);
  V completed = f.ir.CreateLoad(f.i32, field(offsetof(WorkGroup, completed)));
  V alone = f.ir.CreateICmpULE(members, f.ir.getInt32(1));  // no work-group, no barrier
  complete = f.ir.CreateOr(complete, alone);
  f.ir.CreateStore(f.ir.CreateSelect(complete, f.ir.getInt32(0), signals), field(offsetof(WorkGroup, signals)));
  V round = f.ir.CreateZExt(f.ir.CreateAnd(complete, f.ir.CreateNot(alone)), f.i32);
  f.ir.CreateStore(f.ir.CreateAdd(completed, round), field(offsetof(WorkGroup, completed)));
}

// As leave() of work_group.h has it, where another wave goes on; else the executor does it.
void end_wave(FunctionBuilder& f) {
  if (!f.options.direct) return;
  V group = f.wave_field(offsetof(Wave, group), f.ir.getPtrTy());
  auto place = [&](size_t offset) { return f.ir.CreateConstInBoundsGEP1_64(f.i8, group, offset); };
  auto word = [&](size_t offset) { return f.ir.CreateLoad(f.i32, place(offset)); };
  V ended = f.ir.CreateAdd(word(offsetof(WorkGroup, ended)), f.ir.getInt32(1)), members = word(offsetof(WorkGroup, members));
  auto completes = [&](V signals) {
    return f.ir.CreateAnd(f.ir.CreateICmpNE(signals, f.ir.getInt32(0)),
                          f.ir.CreateICmpUGE(f.ir.CreateAdd(signals, ended), members));
  };
  V signals = word(offsetof(WorkGroup, signals)), round = completes(signals);
  V trap_signals = word(offsetof(WorkGroup, trap_signals)), trap_round = completes(trap_signals);
  V completed = f.ir.CreateAdd(word(offsetof(WorkGroup, completed)), f.ir.CreateZExt(round, f.i32));
  hand_over(f, group, completed, [&] {
    auto set = [&](size_t offset, V value) { f.ir.CreateStore(value, place(offset)); };
    set(offsetof(WorkGroup, ended), ended);
    set(offsetof(WorkGroup, signals), f.ir.CreateSelect(round, f.ir.getInt32(0), signals));
    set(offsetof(WorkGroup, completed), completed);
    set(offsetof(WorkGroup, trap_signals), f.ir.CreateSelect(trap_round, f.ir.getInt32(0), trap_signals));
    set(offsetof(WorkGroup, trap_completed),
        f.ir.CreateAdd(word(offsetof(WorkGroup, trap_completed)), f.ir.CreateZExt(trap_round, f.i32)));
    V index = f.ir.CreateZExt(f.wave_field(offsetof(Wave, index), f.i32), f.i64);
    V over = f.ir.CreateGEP(f.i64, place(offsetof(WorkGroup, over)), f.ir.CreateAnd(f.ir.CreateLShr(index, 6), 15));
    V bit = f.ir.CreateShl(f.ir.getInt64(1), f.ir.CreateAnd(index, 63));
    f.ir.CreateStore(f.ir.CreateOr(f.ir.CreateLoad(f.i64, over), bit), over);
  });
}

void wait_barrier(FunctionBuilder& f, const CodeRegion& region) {
  auto& context = f.module.getContext();
  V group = f.wave_field(offsetof(Wave, group), f.ir.getPtrTy());
  V completed = f.ir.CreateLoad(f.i32, f.ir.CreateConstInBoundsGEP1_64(f.i8, group, offsetof(WorkGroup, completed)));
  V members = f.ir.CreateLoad(f.i32, f.ir.CreateConstInBoundsGEP1_64(f.i8, group, offsetof(WorkGroup, members)));
  V passed = f.wave_field(offsetof(Wave, barriers_passed), f.i32);
  Block pass = BasicBlock::Create(context, "pass", f.function), wait = BasicBlock::Create(context, "wait", f.function);
  f.ir.CreateCondBr(f.ir.CreateOr(f.ir.CreateICmpUGT(completed, passed), f.ir.CreateICmpULE(members, f.ir.getInt32(1))), pass,
                    wait);
  f.ir.SetInsertPoint(wait);
  f.ir.CreateStore(f.ir.getInt8(1), f.cell_pointer(offsetof(Wave, waits_at_barrier)));
  f.ir.CreateStore(f.ir.getInt8(uint8_t(Stop::Barrier)), f.cell_pointer(offsetof(Wave, stop)));
  V resume_place = f.cell_pointer(offsetof(Wave, resume));
  if (f.options.direct && f.program.contains(region.next_pc)) {
    f.ir.CreateStore(f.direct_code(region.next_pc), resume_place);
    f.ir.CreateStore(f.place(region.next_pc), f.cell_pointer(offsetof(Wave, pc)));
    hand_over(f, group, completed, [] {});
  } else {
    f.ir.CreateStore(llvm::ConstantPointerNull::get(f.ir.getPtrTy()), resume_place);
  }
  f.return_code(Code::Stopped, f.ir.getInt64(f.program.index(region.next_pc)));
  f.ir.SetInsertPoint(pass);
  f.ir.CreateStore(completed, f.cell_pointer(offsetof(Wave, barriers_passed)));
  f.return_to(region.next_pc, region.pc);
}

}  // namespace Atoll::wave
