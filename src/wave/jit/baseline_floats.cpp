#include "wave/jit/baseline_floats.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsX86.h>

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
  const V magnitude = b.CreateAnd(s.bits(x), s.word(0x7fffffff)), sign = b.CreateAnd(s.bits(x), s.word(0x80000000));
  const auto conversion =
      toward == Toward::nearest_even ? llvm::Intrinsic::x86_sse2_cvtps2dq : llvm::Intrinsic::x86_sse2_cvttps2dq;
  V whole = b.CreateSIToFP(to_words(s, x, conversion), s.floats);
  auto one_where = [&](V condition, float one) {
    const V ones = s.bits(llvm::ConstantFP::get(s.floats, one));
    return s.number(b.CreateAnd(b.CreateSExt(condition, s.words), ones));
  };
  if (toward == Toward::down) whole = b.CreateFAdd(whole, one_where(b.CreateFCmpOGT(whole, x), -1));
  if (toward == Toward::up) whole = b.CreateFAdd(whole, one_where(b.CreateFCmpOLT(whole, x), 1));
  // From 2^23 on all are integral. A zero has the operand's sign.
  return b.CreateSelect(b.CreateICmpULT(magnitude, s.word(0x4b000000)), s.number(b.CreateOr(s.bits(whole), sign)), x);
}

// In f64 the product is exact, and the sum is off by what Knuth's TwoSum gives. Rounded to odd (Boldo and Melquiond, "Emulation of
// FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008) it has the 2 bits more than f32 that make
// a second rounding harmless.
V fused_multiply_add(llvm::IRBuilder<>& b, V x, V y, V z) {
  const Shape s(b, x);
  const V product = b.CreateFMul(b.CreateFPExt(x, s.doubles), b.CreateFPExt(y, s.doubles)), addend = b.CreateFPExt(z, s.doubles);
  const V sum = b.CreateFAdd(product, addend), of_addend = b.CreateFSub(sum, product);
  const V off = b.CreateFAdd(b.CreateFSub(product, b.CreateFSub(sum, of_addend)), b.CreateFSub(addend, of_addend));
  const V zero = llvm::Constant::getNullValue(s.doubles), one = llvm::ConstantInt::get(s.longs, 1);
  const V bits = b.CreateBitCast(sum, s.longs);
  // Off in the direction away from zero: the next one up; else the next one down. The odd one of the two stays.
  const V up = b.CreateSExt(b.CreateFCmpOGT(off, zero), s.longs), down = b.CreateSExt(b.CreateFCmpOLT(off, zero), s.longs);
  const V negative = b.CreateSExt(b.CreateFCmpOLT(sum, zero), s.longs);
  const V inexact = b.CreateOr(up, down), towards_zero = b.CreateXor(down, negative);
  const V even = b.CreateSub(b.CreateAnd(bits, one), one);  // all ones where it is
  const V step = b.CreateOr(b.CreateAnd(towards_zero, inexact), one);
  const V odd = b.CreateAdd(bits, b.CreateAnd(step, b.CreateAnd(inexact, even)));
  return b.CreateFPTrunc(b.CreateBitCast(odd, s.doubles), s.floats);
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
