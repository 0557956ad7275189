#include "wave/jit/function_builder.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <cstddef>

#include "wave/interpreter/level.h"
#include "wave/jit/plain_bytes.h"

namespace Atoll::wave {

using V = llvm::Value*;
using Block = llvm::BasicBlock*;
using llvm::BasicBlock;

FunctionBuilder::FunctionBuilder(llvm::Module& m, const Program& p, const RegionSet& s, const CompileOptions& o, int lanes)
    : module(m),
      program(p),
      set(s),
      options(o),
      like(s.recorder->wave),
      width(lanes),
      wide(s.recorder->wide),
      active_cell(s.recorder->active_cell),
      ir(m.getContext()) {
  i1 = ir.getInt1Ty(), i8 = ir.getInt8Ty(), i32 = ir.getInt32Ty(), i64 = ir.getInt64Ty(), f32 = ir.getFloatTy(),
  f64 = ir.getDoubleTy();
  set_width(lanes);
}

void FunctionBuilder::set_width(int lanes) {
  width = lanes;
  auto vector = [&](llvm::Type* t) { return llvm::FixedVectorType::get(t, unsigned(width)); };
  vi1 = vector(i1), vi32 = vector(i32), vi64 = vector(i64), vf32 = vector(f32), vf64 = vector(f64);
  piece = ir.getIntNTy(unsigned(width));
}

llvm::Type* FunctionBuilder::type(Type t) {
  switch (t) {
    case Type::S1: return i1;
    case Type::S32: return i32;
    case Type::S64: return i64;
    case Type::SF32: return f32;
    case Type::SF64: return f64;
    case Type::M: return vi1;
    case Type::U32: return vi32;
    case Type::U64: return vi64;
    case Type::F32: return vf32;
    case Type::F64: return vf64;
    case Type::Texture: return ir.getPtrTy();
    case Type::None: break;
  }
  return ir.getVoidTy();
}

llvm::Value* FunctionBuilder::constant(const Node& node) {
  llvm::Constant* c;
  switch (node.type) {
    case Type::S1:
    case Type::M: c = ir.getInt1(node.imm != 0); break;
    case Type::S32:
    case Type::U32: c = ir.getInt32(uint32_t(node.imm)); break;
    case Type::SF32:
    case Type::F32: c = llvm::ConstantExpr::getBitCast(ir.getInt32(uint32_t(node.imm)), f32); break;
    case Type::SF64:
    case Type::F64: c = llvm::ConstantExpr::getBitCast(ir.getInt64(node.imm), f64); break;
    default: c = ir.getInt64(node.imm); break;
  }
  return is_lanes(node.type) ? splat(c) : c;
}

llvm::Value* FunctionBuilder::iota(uint32_t step) {
  std::vector<llvm::Constant*> n;
  n.reserve(size_t(width));
  for (int l = 0; l < width; l++) n.push_back(ir.getInt32(uint32_t(l) * step));
  return llvm::ConstantVector::get(n);
}

llvm::Value* FunctionBuilder::wave_field(size_t offset, llvm::Type* t, bool is_volatile) {
  return ir.CreateLoad(t, cell_pointer(offset), is_volatile);
}

llvm::Value* FunctionBuilder::make_alloca(llvm::Type* t, const char* name) {
  llvm::IRBuilder<> entry(&function->getEntryBlock(), function->getEntryBlock().begin());
  return entry.CreateAlloca(t, nullptr, name);
}

// Not a bitcast: LLVM 19 moves those through logic on masks to and fro without end where a mask and its complement both choose
// between floats (SelectionDAG::Combine; R500's predicates do it).
llvm::Value* FunctionBuilder::lanes_of(V bits) {
  if (host_level() == Level::Avx512 && width >= 16) {
    llvm::Type* word = width == 64 ? i64 : i32;
    const char* text = width == 16 ? "kmovw $1, $0" : width == 32 ? "kmovd $1, $0" : "kmovq $1, $0";
    auto* move = llvm::InlineAsm::get(llvm::FunctionType::get(vi1, {word}, false), text, "=k,r", false);
    auto* call = ir.CreateCall(move, {ir.CreateZExt(bits, word)});
    call->setDoesNotAccessMemory(), call->setDoesNotThrow();  // (the same bits are moved once)
    return call;
  }
  V each = splat(width > 32 ? bits : ir.CreateZExt(bits, i32));
  std::vector<llvm::Constant*> powers;
  powers.reserve(size_t(width));
  for (int l = 0; l < width; l++) powers.push_back(width > 32 ? ir.getInt64(1ull << l) : ir.getInt32(1u << l));
  return ir.CreateICmpNE(ir.CreateAnd(each, llvm::ConstantVector::get(powers)), llvm::Constant::getNullValue(each->getType()));
}

static llvm::GlobalVariable* constant_place(llvm::Module& module, llvm::Constant* all) {
  auto* place = new llvm::GlobalVariable(module, all->getType(), true, llvm::GlobalValue::PrivateLinkage, all);
  place->setAlignment(llvm::Align(16));
  return place;
}

llvm::Value* FunctionBuilder::data(const std::string& bytes) {
  return constant_place(module, llvm::ConstantDataArray::getString(module.getContext(), bytes, false));
}

llvm::Value* FunctionBuilder::instruction(const WholeCall& call) {
  const PlainInstruction plain = plain_instruction(call);
  auto* rest = llvm::ConstantDataArray::getString(module.getContext(), plain.rest, false);
  return constant_place(module, llvm::ConstantStruct::getAnon({own_symbol(module, plain.row), rest}));
}

llvm::MDNode* FunctionBuilder::odds(uint32_t taken, uint32_t not_taken) {
  return llvm::MDBuilder(module.getContext()).createBranchWeights(taken, not_taken);
}

llvm::Value* FunctionBuilder::any(V mask) {
  return ir.CreateICmpNE(ir.CreateBitCast(mask, piece), llvm::Constant::getNullValue(piece));
}

bool FunctionBuilder::constrained() const {
  const FloatMode& mode = set.recorder->mode;
  return mode.round32 != Rounding::NearestEven || mode.round64 != Rounding::NearestEven;
}

bool FunctionBuilder::flushes() const {
  const FloatMode& mode = set.recorder->mode;
  return mode.flush_in32 || mode.flush_out32 || mode.flush_in64 || mode.flush_out64;
}

void FunctionBuilder::begin(const std::string& name) {
  function = llvm::Function::Create(llvm::FunctionType::get(i64, {ir.getPtrTy(), i32}, false), llvm::Function::ExternalLinkage,
                                    name, module);
  // Without these LLVM prefers half the register width on some hosts. The wave is not "noalias": a register must not be stored
  // before a load that may fault.
  function->addFnAttr("prefer-vector-width", "512");
  function->addFnAttr("min-legal-vector-width", "512");
  function->addFnAttr(llvm::Attribute::NoUnwind);
  if (flushes()) function->addFnAttr("denormal-fp-math", "dynamic,dynamic");
  if (constrained()) {
    function->addFnAttr(llvm::Attribute::StrictFP);
    ir.setIsFPConstrained(true);
    ir.setDefaultConstrainedRounding(llvm::RoundingMode::Dynamic);
    ir.setDefaultConstrainedExcept(llvm::fp::ebIgnore);
  }
  wave = function->getArg(0);
  ir.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", function));
}

llvm::Value* FunctionBuilder::call_host(const void* function, llvm::Type* result, llvm::ArrayRef<V> arguments) {
  std::vector<llvm::Type*> types;
  for (V a : arguments) types.push_back(a->getType());
  auto* call = ir.CreateCall(llvm::FunctionType::get(result, types, false), own(function), arguments);
  call->setDoesNotThrow();
  return call;
}

void FunctionBuilder::return_code(Code code, V index) {
  ir.CreateRet(ir.CreateOr(index, ir.getInt64(uint64_t(code) << code_shift)));
}

llvm::Value* FunctionBuilder::place(uint64_t pc) {
  V table = wave_field(offsetof(Wave, code_table), ir.getPtrTy());
  V base = ir.CreateLoad(i64, ir.CreateConstInBoundsGEP1_64(i8, table, offsetof(CodeTable, base)));
  return ir.CreateAdd(base, ir.getInt64(pc - program.base()));
}

llvm::Value* FunctionBuilder::direct_code(uint64_t pc) {
  V slots = ir.CreateLoad(ir.getPtrTy(), ir.CreateConstInBoundsGEP1_64(i8, wave_field(offsetof(Wave, code_table), ir.getPtrTy()),
                                                                       offsetof(CodeTable, direct)));
  return ir.CreateLoad(ir.getPtrTy(), ir.CreateConstInBoundsGEP1_64(ir.getPtrTy(), slots, program.index(pc)), true);
}

// Goes on at `pc`: straight into its code where there is some, else by way of the executor.
void FunctionBuilder::return_to(uint64_t pc, uint64_t from) {
  if (!program.contains(pc)) {
    ir.CreateStore(place(pc), cell_pointer(offsetof(Wave, pc)));
    return return_code(Code::Elsewhere, ir.getInt64(0));
  }
  if (options.direct) {
    auto& context = module.getContext();
    Block straight = BasicBlock::Create(context, "straight", function), back = BasicBlock::Create(context, "back", function);
    V slot = direct_code(pc);
    V there = ir.CreateIsNotNull(slot);
    if (pc <= from) {  // a loop may be endless
      V flag = ir.CreateLoad(i32, wave_field(offsetof(Wave, stop_flag), ir.getPtrTy()), true);
      there = ir.CreateAnd(there, ir.CreateICmpEQ(flag, ir.getInt32(0)));
    }
    ir.CreateCondBr(there, straight, back);
    ir.SetInsertPoint(straight);
    ir.CreateStore(place(pc), cell_pointer(offsetof(Wave, pc)));  // where to look again after a fault
    auto* call = ir.CreateCall(function->getFunctionType(), slot, {wave, ir.getInt32(0)});
    call->setTailCallKind(llvm::CallInst::TCK_MustTail);
    ir.CreateRet(call);
    ir.SetInsertPoint(back);
  }
  return_code(Code::Next, ir.getInt64(program.index(pc)));
}

void free_comparisons(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* c = llvm::dyn_cast<llvm::ConstrainedFPCmpIntrinsic>(&i);
      if (!c || c->isSignaling() || !c->getType()->isVectorTy()) continue;
      // (not by a builder, which would compare constants itself, as if no denormal were flushed)
      auto* plain = llvm::CmpInst::Create(llvm::Instruction::FCmp, c->getPredicate(), c->getArgOperand(0), c->getArgOperand(1),
                                          "", c->getIterator());
      c->replaceAllUsesWith(plain);
      c->eraseFromParent();
    }
}

}  // namespace Atoll::wave
