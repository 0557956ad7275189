#include "wave/jit/wide_compares.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IRBuilder.h>

namespace Atoll::wave {

static void cut(llvm::Instruction& compare, unsigned lanes, unsigned step) {
  using V = llvm::Value*;
  llvm::IRBuilder<> b(&compare);
  auto part = [&](V v, unsigned first) {
    return b.CreateShuffleVector(v, llvm::createSequentialMask(first, std::min(step, lanes - first), 0));
  };
  llvm::SmallVector<V, 16> pieces;
  for (unsigned first = 0; first < lanes; first += step) {
    V x = part(compare.getOperand(0), first), y = part(compare.getOperand(1), first);
    if (auto* constrained = llvm::dyn_cast<llvm::ConstrainedFPCmpIntrinsic>(&compare)) {
      auto* piece = b.CreateIntrinsic(constrained->getIntrinsicID(), {x->getType()},
                                      {x, y, constrained->getArgOperand(2), constrained->getArgOperand(3)});
      piece->setAttributes(constrained->getAttributes());
      pieces.push_back(piece);
    } else {
      // (not by the builder, which would compare constants itself, as if no denormal were flushed)
      auto& plain = llvm::cast<llvm::CmpInst>(compare);
      pieces.push_back(llvm::CmpInst::Create(plain.getOpcode(), plain.getPredicate(), x, y, "", compare.getIterator()));
    }
  }
  compare.replaceAllUsesWith(llvm::concatenateVectors(b, pieces));
  compare.eraseFromParent();
}

void cut_wide_compares(llvm::Module& module, unsigned vector_bits) {
  constexpr unsigned whole_wave = 32;
  for (llvm::Function& function : module)
    for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
      const bool constrained = llvm::isa<llvm::ConstrainedFPCmpIntrinsic>(i);
      if (!constrained && !llvm::isa<llvm::CmpInst>(i)) continue;
      auto* type = llvm::dyn_cast<llvm::FixedVectorType>(i.getOperand(0)->getType());
      if (!type) continue;
      const unsigned lanes = type->getNumElements();
      const unsigned step = vector_bits / std::max(8u, type->getScalarSizeInBits());
      if (lanes > step && (constrained || lanes >= whole_wave)) cut(i, lanes, step);
    }
}

}  // namespace Atoll::wave
