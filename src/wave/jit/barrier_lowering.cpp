#include "wave/jit/barrier_lowering.h"

#include <cstddef>

#include "wave/work_group.h"

namespace Atoll::wave {

using V = llvm::Value*;
using Block = llvm::BasicBlock*;
using llvm::BasicBlock;

namespace {

// The wave waits at a barrier. If the next wave of the group does so as well, in compiled code of the same mode, and its barrier
// is complete, goes straight on with it; else falls through.
void hand_over(FunctionBuilder& f, const CodeRegion& region, V group, V completed) {
  V resume_place = f.cell_pointer(offsetof(Wave, resume));
  if (!f.options.direct || !f.program.contains(region.next_pc)) {
    f.ir.CreateStore(llvm::ConstantPointerNull::get(f.ir.getPtrTy()), resume_place);
    return;
  }
  auto& context = f.module.getContext();
  Block look = BasicBlock::Create(context, "look", f.function), go = BasicBlock::Create(context, "go", f.function),
        stay = BasicBlock::Create(context, "stay", f.function);
  V own = f.direct_code(region.next_pc);
  f.ir.CreateStore(own, resume_place);
  f.ir.CreateStore(f.ir.getInt64(region.next_pc), f.cell_pointer(offsetof(Wave, pc)));
  V other = f.wave_field(offsetof(Wave, next), f.ir.getPtrTy());
  V interrupted = f.ir.CreateLoad(f.i32, f.wave_field(offsetof(Wave, stop_flag), f.ir.getPtrTy()), true);
  f.ir.CreateCondBr(f.ir.CreateAnd(f.ir.CreateIsNotNull(other), f.ir.CreateICmpEQ(interrupted, f.ir.getInt32(0))), look, stay);
  f.ir.SetInsertPoint(look);
  auto field = [&](size_t offset) { return f.ir.CreateConstInBoundsGEP1_64(f.i8, other, offset); };
  V there = f.ir.CreateLoad(f.ir.getPtrTy(), field(offsetof(Wave, resume)));
  V waits = f.ir.CreateICmpNE(f.ir.CreateLoad(f.i8, field(offsetof(Wave, waits_at_barrier))), f.ir.getInt8(0));
  V may = f.ir.CreateICmpUGT(completed, f.ir.CreateLoad(f.i32, field(offsetof(Wave, barriers_passed))));
  V same_mode = f.ir.CreateICmpEQ(f.ir.CreateLoad(f.ir.getPtrTy(), field(offsetof(Wave, code_table))),
                                  f.wave_field(offsetof(Wave, code_table), f.ir.getPtrTy()));
  f.ir.CreateCondBr(f.ir.CreateAnd({f.ir.CreateIsNotNull(there), waits, may, same_mode}), go, stay);
  f.ir.SetInsertPoint(go);
  f.ir.CreateStore(completed, field(offsetof(Wave, barriers_passed)));
  f.ir.CreateStore(f.ir.getInt8(0), field(offsetof(Wave, waits_at_barrier)));
  f.ir.CreateStore(f.ir.getInt8(uint8_t(Stop::Run)), field(offsetof(Wave, stop)));
  f.ir.CreateStore(other, f.ir.CreateConstInBoundsGEP1_64(f.i8, group, offsetof(WorkGroup, current)), true);
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
  hand_over(f, region, group, completed);
  f.return_code(Code::Stopped, f.ir.getInt64(f.program.index(region.next_pc)));
  f.ir.SetInsertPoint(pass);
  f.ir.CreateStore(completed, f.cell_pointer(offsetof(Wave, barriers_passed)));
  f.return_to(region.next_pc, region.pc);
}

}  // namespace Atoll::wave
