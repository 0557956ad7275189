#include "wave/jit/baseline_floats.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include <climits>

#include "wave/jit/lane_calls.h"

namespace Atoll::wave {

using V = llvm::Value*;

namespace {

struct Shape {
  llvm::IRBuilder<>& b;
  unsigned lanes;
  llvm::Type *words, *floats, *longs, *doubles;
  Shape(llvm::IRBuilder<>& builder, V x) : b(builder), lanes(llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements()) {
    words = llvm::FixedVectorType::get(b.getInt32Ty(), lanes), floats = llvm::FixedVectorType::get(b.getFloatTy(), lanes);
    longs = llvm::FixedVectorType::get(b.getInt64Ty(), lanes), doubles = llvm::FixedVectorType::get(b.getDoubleTy(), lanes);
  }
  V word(uint32_t n) const { return llvm::ConstantInt::get(words, n); }
  V bits(V x) const { return b.CreateBitCast(x, words); }
  V number(V x) const { return b.CreateBitCast(x, floats); }
};

// Signed words of lanes, by CVTTPS2DQ or CVTPS2DQ: 0x80000000 where there is none.
V to_words(const Shape& s, V x, llvm::Intrinsic::ID conversion) {
  llvm::SmallVector<V, 16> parts;
  for (unsigned first = 0; first < s.lanes; first += 4)
    parts.push_back(s.b.CreateIntrinsic(conversion, {}, {s.b.CreateShuffleVector(x, llvm::createSequentialMask(first, 4, 0))}));
  return llvm::concatenateVectors(s.b, parts);
}

}  // namespace

V to_integral(llvm::IRBuilder<>& b, V x, Toward toward) {
  const Shape s(b, x);
  const auto conversion =
      toward == Toward::nearest_even ? llvm::Intrinsic::x86_sse2_cvtps2dq : llvm::Intrinsic::x86_sse2_cvttps2dq;
  const V words = to_words(s, x, conversion);
  V whole = b.CreateSIToFP(words, s.floats);
  auto one_where = [&](V condition, float one) {
    const V ones = s.bits(llvm::ConstantFP::get(s.floats, one));
    return s.number(b.CreateAnd(b.CreateSExt(condition, s.words), ones));
  };
  if (toward == Toward::down) whole = b.CreateFAdd(whole, one_where(b.CreateFCmpOGT(whole, x), -1));
  if (toward == Toward::up) whole = b.CreateFAdd(whole, one_where(b.CreateFCmpOLT(whole, x), 1));
  // A value that is no word is integral already, or no number. A zero has the operand's sign.
  const V beyond = b.CreateSExt(b.CreateICmpEQ(words, s.word(0x80000000)), s.words);
  const V of_x = b.CreateAnd(s.bits(x), b.CreateOr(beyond, s.word(0x80000000)));
  return s.number(b.CreateOr(b.CreateAnd(s.bits(whole), b.CreateNot(beyond)), of_x));
}

namespace {

// A number that is a power of two, of either sign, in all lanes.
bool is_power_of_two(V x) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(x);
  auto* number = constant ? llvm::dyn_cast_or_null<llvm::ConstantFP>(constant->getSplatValue()) : nullptr;
  return number && number->getValueAPF().getExactLog2Abs() != INT_MIN;
}

// True if x * y + z has at most as many bits as survive both roundings: the sum of two f32s (Figueroa, "When is double rounding
// innocuous?", 1995), or what a product lacks to its own rounding, which is an f32 or, as a denormal, exact in f64.
bool is_rounded_once(V x, V y, V z) {
  using namespace llvm::PatternMatch;
  return is_power_of_two(x) || is_power_of_two(y) || match(z, m_FNeg(m_c_FMul(m_Specific(x), m_Specific(y))));
}

}  // namespace

// In f64 the product is exact, and the sum's rounding there does no harm to the second one to f32 unless it ends in the middle between
// two f32s. Among normal ones that is where the 29 bits that f32 has not are 1000...; f32's denormals have fewer.
V fused_multiply_add(llvm::IRBuilder<>& b, V x, V y, V z, bool flushes, bool in_line) {
  const Shape s(b, x);
  const bool once = is_rounded_once(x, y, z);
  if (!once && !in_line) return call_lanes(b, flushes ? LaneCall::flushing_multiply_add : LaneCall::multiply_add, {x, y, z});
  const V product = b.CreateFMul(b.CreateFPExt(x, s.doubles), b.CreateFPExt(y, s.doubles));
  const V sum = b.CreateFAdd(product, b.CreateFPExt(z, s.doubles)), quick = b.CreateFPTrunc(sum, s.floats);
  if (once) return quick;
  const V bits = b.CreateBitCast(sum, s.longs);
  V doubtful = b.CreateICmpEQ(b.CreateShl(b.CreateTrunc(bits, s.words), s.word(3)), s.word(0x80000000));
  if (!flushes) {  // below 2^-126, and no zero
    const V upper = b.CreateShl(b.CreateTrunc(b.CreateLShr(bits, llvm::ConstantInt::get(s.longs, 32)), s.words), s.word(1));
    const V moved = b.CreateAdd(upper, s.word(0x7ffffffe));
    doubtful = b.CreateOr(doubtful, b.CreateICmpSLT(moved, s.word(0x80000000 + 2 * 0x38100000u - 2)));
  }
  auto* whole = b.getIntNTy(s.lanes);
  const V some = b.CreateICmpNE(b.CreateBitCast(doubtful, whole), llvm::ConstantInt::get(whole, 0));
  auto* from = b.GetInsertBlock();
  auto* careful = llvm::BasicBlock::Create(b.getContext(), "careful", from->getParent());
  auto* after = llvm::BasicBlock::Create(b.getContext(), "multiplied", from->getParent());
  b.CreateCondBr(some, careful, after, llvm::MDBuilder(b.getContext()).createBranchWeights(1, 2000));
  b.SetInsertPoint(careful);
  const V sure = call_lanes(b, LaneCall::careful_multiply_add, {x, y, z});
  b.CreateBr(after);
  b.SetInsertPoint(after);
  auto* result = b.CreatePHI(s.floats, 2);
  result->addIncoming(quick, from), result->addIncoming(sure, careful);
  return result;
}

V nearest_half(llvm::IRBuilder<>& b, V x) {
  const Shape s(b, x);
  const V magnitude = b.CreateAnd(s.bits(x), s.word(0x7fffffff));
  const V sign = b.CreateAnd(b.CreateLShr(s.bits(x), s.word(16)), s.word(0x8000));
  auto less = [&](uint32_t limit) { return b.CreateICmpULT(magnitude, s.word(limit)); };
  // Half of the last place, and one more where that place is odd; the exponent's bias goes from 127 to 15.
  const V place = b.CreateAnd(b.CreateLShr(magnitude, s.word(13)), s.word(1));
  const V rounded = b.CreateAdd(b.CreateAdd(magnitude, s.word(0xfffu - (112u << 23))), place);
  const V normal = b.CreateLShr(rounded, s.word(13));
  // The last place of 0.5 is that of half's denormals.
  const V half = llvm::ConstantFP::get(s.floats, 0.5);
  const V denormal = b.CreateSub(s.bits(b.CreateFAdd(s.number(magnitude), half)), s.bits(half));
  const V nan = b.CreateOr(b.CreateAnd(b.CreateLShr(magnitude, s.word(13)), s.word(0x3ff)), s.word(0x7e00));
  const V special = b.CreateSelect(less(0x7f800001), s.word(0x7c00), nan);
  const V number = b.CreateSelect(less(0x38800000), denormal, normal);
  return b.CreateOr(sign, b.CreateSelect(less(0x47800000), number, special));
}

}  // namespace Atoll::wave
