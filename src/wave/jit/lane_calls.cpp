#include "wave/jit/lane_calls.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/PatternMatch.h>

#include "wave/jit/own_symbols.h"

namespace Atoll::wave {

using V = llvm::Value*;

// Calls for as many lanes at a time as there is a function for. `last`: a last argument, for all lanes.
V call_lanes(llvm::IRBuilder<>& b, LaneCall which, std::initializer_list<V> operands, V last) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>((*operands.begin())->getType())->getNumElements();
  auto* four = llvm::FixedVectorType::get(b.getFloatTy(), 4);
  llvm::SmallVector<V, 16> parts;
  for (unsigned first = 0, count = 0; first < lanes; first += count) {
    count = lanes - first >= 16 ? 16 : lanes - first >= 8 ? 8 : 4;
    llvm::SmallVector<V, 16> arguments;
    llvm::SmallVector<llvm::Type*, 16> types;
    for (V operand : operands)
      for (unsigned at = first; at < first + count; at += 4)
        arguments.push_back(lanes == 4 ? operand : b.CreateShuffleVector(operand, llvm::createSequentialMask(at, 4, 0)));
    if (last) arguments.push_back(last);
    for (V argument : arguments) types.push_back(argument->getType());
    auto* type = llvm::FunctionType::get(llvm::ArrayType::get(four, count / 4), types, false);
    auto* call = b.CreateCall(type, own_symbol(*b.GetInsertBlock()->getModule(), called_for_lanes(which, count)), arguments);
    call->setCallingConv(llvm::CallingConv::X86_RegCall);
    call->setDoesNotThrow();
    call->setDoesNotAccessMemory();
    call->addFnAttr(llvm::Attribute::WillReturn);
    for (unsigned n = 0; n < count / 4; n++) parts.push_back(b.CreateExtractValue(call, n));
  }
  return llvm::concatenateVectors(b, parts);
}

bool is_called(V x) {
  using namespace llvm::PatternMatch;
  for (V part = nullptr; match(x, m_Shuffle(m_Value(part), m_Value()));) x = part;
  auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(x);
  auto* call = part ? llvm::dyn_cast<llvm::CallInst>(part->getAggregateOperand()) : nullptr;
  return call && call->getCallingConv() == llvm::CallingConv::X86_RegCall;
}

}  // namespace Atoll::wave
