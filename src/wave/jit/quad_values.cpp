#include "wave/jit/quad_values.h"

#include <llvm/IR/Intrinsics.h>

namespace Atoll::wave {

using V = llvm::Value*;

llvm::Type* QuadValues::type(Type t) {
  llvm::Type* lanes = f_.type(t);
  return llvm::FixedVectorType::get(lanes->getScalarType(), unsigned(f_.width / 4));
}

// An operand as a lane for each quad: computed so, or the same in all lanes anyway. Null: it is neither.
V QuadValues::leaf(const std::vector<Node>& nodes, int node) {
  if (V known = quads_[size_t(node)]) return known;
  const Node& x = nodes[size_t(node)];
  if (x.op == Op::Splat) return b_.CreateVectorSplat(unsigned(f_.width / 4), values_[size_t(x.a)]);
  if (x.op != Op::Const || !is_lanes(x.type)) return nullptr;
  auto* all = llvm::cast<llvm::Constant>(values_[size_t(node)]);
  return b_.CreateVectorSplat(unsigned(f_.width / 4), all->getSplatValue());
}

// Computes the node from its operands, as `find` has them. Null: it lacks one, or is none of what compute() knows.
template <class Find>
V QuadValues::compute_of(const Node& x, Find find) {
  if (x.d >= 0 || x.extra) return nullptr;
  V operands[3] = {};
  const int ids[3] = {x.a, x.b, x.c};
  for (int k = 0; k < 3; k++) {
    if (ids[k] < 0) continue;
    operands[k] = find(ids[k]);
    if (!operands[k]) return nullptr;
  }
  return compute(x, operands[0], operands[1], operands[2]);
}

// The same where arithmetic makes it of such values: a texture's size as a double.
V QuadValues::operand(const std::vector<Node>& nodes, int node) {
  if (V known = leaf(nodes, node)) return known;
  const Node& x = nodes[size_t(node)];
  if (!is_lanes(x.type) || x.a < 0) return nullptr;
  return compute_of(x, [&](int of) { return leaf(nodes, of); });
}

V QuadValues::emit(const std::vector<Node>& nodes, size_t n) {
  const Node& x = nodes[n];
  if (!is_lanes(x.type) || f_.options.exact || f_.constrained() || f_.width % 4) return nullptr;
  V narrow = nullptr;
  if (x.op == Op::QuadLane) {
    llvm::SmallVector<int> lanes;
    for (int q = 0; q < f_.width / 4; q++) lanes.push_back(q * 4 + int(x.imm));
    narrow = b_.CreateShuffleVector(values_[size_t(x.a)], lanes);
  } else {
    bool some = false;
    for (int id : {x.a, x.b, x.c}) some |= id >= 0 && quads_[size_t(id)];
    if (some) narrow = compute_of(x, [&](int of) { return operand(nodes, of); });
    if (!narrow) return nullptr;
  }
  quads_[n] = narrow;
  llvm::SmallVector<int> spread;
  for (int l = 0; l < f_.width; l++) spread.push_back(l / 4);
  return b_.CreateShuffleVector(narrow, spread);
}

// As Lowering::emit() and FloatRules have them. What they hide from LLVM needs no hiding here: it cannot know of a value made
// from lanes that it is a number whose arithmetic it would fold, but by one of a constant 1 or 0, which stays with the others.
V QuadValues::compute(const Node& x, V a, V b, V c) {
  auto count = [&] { return b_.CreateAnd(b, llvm::ConstantInt::get(a->getType(), a->getType()->getScalarSizeInBits() - 1)); };
  switch (x.op) {
    case Op::Add: return b_.CreateAdd(a, b);
    case Op::Sub: return b_.CreateSub(a, b);
    case Op::And: return b_.CreateAnd(a, b);
    case Op::Or: return b_.CreateOr(a, b);
    case Op::Not: return b_.CreateNot(a);
    case Op::Shl: return b_.CreateShl(a, count());
    case Op::LShr: return b_.CreateLShr(a, count());
    case Op::Eq: return b_.CreateICmpEQ(a, b);
    case Op::Ne: return b_.CreateICmpNE(a, b);
    case Op::ULe: return b_.CreateICmpULE(a, b);
    case Op::ULt: return b_.CreateICmpULT(a, b);
    case Op::Select: return b_.CreateSelect(a, b, c);
    case Op::Low: return b_.CreateTrunc(a, type(x.type));
    case Op::Bitcast: return b_.CreateBitCast(a, type(x.type));
    case Op::FAdd: return b_.CreateFAdd(a, b);
    case Op::FSub: return b_.CreateFSub(a, b);
    case Op::FMul: return b_.CreateFMul(a, b);
    case Op::FDiv: return b_.CreateFDiv(a, b);
    case Op::Ceil: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, a);
    case Op::RoundEven: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, a);
    case Op::FEq: return b_.CreateFCmpOEQ(a, b);
    case Op::FNe: return b_.CreateFCmpUNE(a, b);
    case Op::FLe: return b_.CreateFCmpOLE(a, b);
    case Op::FLt: return b_.CreateFCmpOLT(a, b);
    case Op::IsNan: return b_.CreateFCmpUNO(a, a);
    case Op::CvtFromS: return b_.CreateSIToFP(a, type(x.type));
    case Op::CvtFromU: return b_.CreateUIToFP(a, type(x.type));
    case Op::CvtFloat: return x.type == Type::F64 ? b_.CreateFPExt(a, type(x.type)) : b_.CreateFPTrunc(a, type(x.type));
    case Op::CvtToSInside: return b_.CreateFreeze(b_.CreateFPToSI(a, type(x.type)));
    default: return nullptr;
  }
}

}  // namespace Atoll::wave
