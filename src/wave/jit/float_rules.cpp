#include "wave/jit/float_rules.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>

#include "wave/interpreter/level.h"
#include "wave/jit/baseline_floats.h"
#include "wave/jit/lane_calls.h"
#include "wave/nan.h"

namespace Atoll::wave {

using V = llvm::Value*;
using llvm::Intrinsic::ID;

llvm::Value* FloatRules::float_call(ID plain, ID strict, llvm::ArrayRef<V> operands) {
  llvm::Type* t = operands[0]->getType();
  if (!f_.constrained()) return b_.CreateIntrinsic(plain, {t}, operands);
  llvm::Function* f = llvm::Intrinsic::getDeclaration(&f_.module, strict, {t});
  return b_.CreateConstrainedFPCall(f, operands);
}

// The result with what nan.h says wherever it is a NaN. Scalars always, lanes in the exact version.
llvm::Value* FloatRules::exact(const Node& node, V result, std::initializer_list<V> operands) {
  if (is_lanes(node.type) && !f_.options.exact) return result;
  llvm::Type* t = result->getType();
  bool wide = t->getScalarType() == f_.f64;
  llvm::Type* bits = is_lanes(node.type) ? (wide ? f_.vi64 : f_.vi32) : (wide ? f_.i64 : f_.i32);
  auto as_float = [&](uint64_t word) { return b_.CreateBitCast(llvm::ConstantInt::get(bits, word), t); };
  // The host's conversions quiet a NaN, but LLVM may join two of them into none.
  auto quieted = [&](V x) {
    return b_.CreateBitCast(
        b_.CreateOr(b_.CreateBitCast(x, bits), llvm::ConstantInt::get(bits, wide ? quiet_bit64 : quiet_bit32)), t);
  };
  V mended = b_.CreateSelect(b_.CreateFCmpUNO(result, result), as_float(wide ? default_nan64 : default_nan32), result);
  for (auto it = std::rbegin(operands); it != std::rend(operands); ++it) {
    V operand = *it;
    if (operand->getType() != t) return b_.CreateSelect(b_.CreateFCmpUNO(operand, operand), quieted(result), mended);
    V quiet = b_.CreateBitCast(
        b_.CreateOr(b_.CreateBitCast(operand, bits), llvm::ConstantInt::get(bits, wide ? quiet_bit64 : quiet_bit32)), t);
    mended = b_.CreateSelect(b_.CreateFCmpUNO(operand, operand), quiet, mended);
  }
  return mended;
}

namespace {
// Number of a vector whose lanes are all the same, or a scalar; but for its sign, which an operand's modifiers may change.
const llvm::ConstantFP* number_in(V x) {
  using namespace llvm::PatternMatch;
  for (V inner = nullptr; match(x, m_FNeg(m_Value(inner))) || match(x, m_FAbs(m_Value(inner)));) x = inner;
  auto* c = llvm::dyn_cast<llvm::Constant>(x);
  if (c && c->getType()->isVectorTy()) c = c->getSplatValue();
  return llvm::dyn_cast_or_null<llvm::ConstantFP>(c);
}
// x * 1, x + 0 and their like are no operations to LLVM; a denormal is a number to it.
bool is_neutral(V x) {
  const llvm::ConstantFP* c = number_in(x);
  if (!c) return true;
  const llvm::APFloat& n = c->getValueAPF();
  return n.isZero() || !n.isFiniteNonZero() || n.isDenormal() || llvm::abs(n).isExactlyValue(1.0);
}
// Made by arithmetic, whatever its operands were.
bool is_computed(V x) {
  namespace I = llvm::Intrinsic;
  if (auto* i = llvm::dyn_cast<llvm::BinaryOperator>(x)) return i->getType()->isFPOrFPVectorTy();
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(x);
  if (!call) return is_called(x);
  const ID id = call->getIntrinsicID();
  return id == I::fma || id == I::sqrt || id == I::floor || id == I::ceil || id == I::trunc || id == I::roundeven;
}
bool is_denormal(V x) {
  const llvm::ConstantFP* c = number_in(x);
  return c && c->getValueAPF().isDenormal();
}
}  // namespace

// True if LLVM could find out that the operand is_neutral(), at some place where it looks at it. It cannot for what is computed from
// lanes, nor for what is loaded from registers.
bool FloatRules::may_be_neutral(V x, int depth) const {
  using namespace llvm::PatternMatch;
  V inner = nullptr;
  if (llvm::isa<llvm::Constant>(x)) return is_neutral(x);
  if (depth == 5) return true;
  if (match(x, m_FNeg(m_Value(inner))) || match(x, m_FAbs(m_Value(inner))) || match(x, m_BitCast(m_Value(inner))) ||
      match(x, m_Shuffle(m_InsertElt(m_Value(), m_Value(inner), m_ZeroInt()), m_Value())))
    return may_be_neutral(inner, depth + 1);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(x))
    return in_loop && llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(load->getPointerOperand()));
  return !is_computed(x);
}

// True if the host's arithmetic made the value, and so no denormal.
bool FloatRules::is_flushed(V x) const {
  using namespace llvm::PatternMatch;
  V inner = nullptr;
  if (match(x, m_FNeg(m_Value(inner))) || match(x, m_FAbs(m_Value(inner)))) return is_flushed(inner);
  if (auto* c = number_in(x)) return !c->getValueAPF().isDenormal();
  return is_computed(x);
}

// LLVM folds x * 1, x + 0 and operations on constants as if everything were rounded to nearest and nothing flushed: in another mode
// it must not see them, nor find out later that a value is one of them. Hiding all operands would cost the host's moves, since
// what is hidden has a register of its own.
void FloatRules::hide(const Node& x, V& a, V& b, V& c) {
  const FloatMode& mode = f_.set.recorder->mode;
  if (mode == FloatMode{} || x.op == Op::FAbs || x.op == Op::FNeg) return;
  V* operands[] = {&a, &b, &c};
  bool all = f_.constrained() || x.op > Op::IsNan, constants = true;
  for (V* operand : operands) constants &= !*operand || llvm::isa<llvm::Constant>(*operand);
  bool comparison = x.op >= Op::FEq && x.op <= Op::IsNan;
  if (comparison && constants && !is_denormal(a) && !(b && is_denormal(b))) return;
  if (comparison && !all && !constants) {
    // With the choice that follows a comparison may become the host's minimum, which flushes what a choice leaves alone.
    bool flushes = (mode.flush_out32 || !mode.flush_in32) && (mode.flush_out64 || !mode.flush_in64);
    if (x.op == Op::IsNan || (flushes && is_flushed(a) && is_flushed(b))) return;
    V& one = llvm::isa<llvm::Constant>(a) ? b : a;
    one = hidden(one);
    if (is_denormal(a)) a = hidden(a);
    if (is_denormal(b)) b = hidden(b);
    return;
  }
  for (V* operand : operands) {
    if (!*operand || !(llvm::isa<llvm::Constant>(*operand) || (*operand)->getType()->isFPOrFPVectorTy())) continue;
    if (all || constants || may_be_neutral(*operand, 0)) *operand = hidden(*operand);
  }
}

// The same value, of which LLVM knows nothing.
llvm::Value* FloatRules::hidden(V constant) {
  if (constant->getType()->isFPOrFPVectorTy()) return b_.CreateArithmeticFence(constant, constant->getType());
  auto* place = f_.make_alloca(constant->getType(), "hidden");
  b_.CreateStore(constant, place);
  return b_.CreateLoad(constant->getType(), place, true);
}

// To integers: toward zero, saturating, NaN to 0. LLVM's own saturating conversions fall apart into lanes.
llvm::Value* FloatRules::saturated(V x, llvm::Type* to, bool is_signed) {
  llvm::Type* from = x->getType();
  auto number = [&](double value) { return llvm::ConstantFP::get(from, value); };
  auto integer = [&](uint64_t value) { return llvm::ConstantInt::get(to, value); };
  // A value that truncates to the least or the most integer lies beyond the bounds that f64 can tell apart and f32 cannot.
  V above = b_.CreateFCmpOGE(x, number(is_signed ? 0x1p31 : 0x1p32));
  V below = is_signed ? b_.CreateFCmpOLE(x, number(-0x1p31 - 1)) : b_.CreateFCmpOLE(x, number(-1));
  if (is_signed && from->getScalarType() != f_.f64) below = b_.CreateFCmpOLT(x, number(-0x1p31));
  V inside = b_.CreateNot(b_.CreateOr(b_.CreateOr(above, below), b_.CreateFCmpUNO(x, x)));
  V safe = b_.CreateSelect(inside, x, number(0));
  V value = is_signed ? b_.CreateFPToSI(safe, to) : b_.CreateFPToUI(safe, to);
  value = b_.CreateSelect(below, integer(is_signed ? 0x80000000u : 0), value);
  return b_.CreateSelect(above, integer(is_signed ? 0x7fffffffu : 0xffffffffu), value);
}

// Halves of lanes for hosts without such a conversion, which LLVM would call a function for, lane by lane. No step makes a denormal.
llvm::Value* FloatRules::from_half(V a) {
  if (calls() && !f_.constrained()) return call_lanes(b_, LaneCall::from_half, {b_.CreateBitCast(a, f_.vf32)});
  auto word = [&](uint32_t n) { return f_.splat(b_.getInt32(n)); };
  V magnitude = b_.CreateAnd(a, word(0x7fff)), sign = b_.CreateShl(b_.CreateAnd(a, word(0x8000)), word(16));
  V normal = b_.CreateAdd(b_.CreateShl(magnitude, word(13)), word(112u << 23));
  V denormal =
      b_.CreateBitCast(b_.CreateFMul(b_.CreateSIToFP(magnitude, f_.vf32), llvm::ConstantFP::get(f_.vf32, 0x1p-24)), f_.vi32);
  V special = b_.CreateAdd(normal, word(112u << 23));
  V quiet = b_.CreateOr(special, word(0x400000));
  special = b_.CreateSelect(b_.CreateICmpUGT(magnitude, word(0x7c00)), quiet, special);
  V number = b_.CreateSelect(b_.CreateICmpULT(magnitude, word(0x400)), denormal, normal);
  number = b_.CreateSelect(b_.CreateICmpUGE(magnitude, word(0x7c00)), special, number);
  return b_.CreateBitCast(b_.CreateOr(number, sign), f_.vf32);
}

// Floats in a vector of the host's.
static unsigned whole_vector() { return host_level() == Level::Avx512 ? 16 : 8; }
// Converts `lanes` values at a time by `convert`.
template <class Convert>
llvm::Value* FloatRules::in_parts(V a, unsigned lanes, Convert convert) {
  if (unsigned(f_.width) == lanes) return convert(a, lanes);
  V all = nullptr;
  auto* type = llvm::FixedVectorType::get(a->getType()->getScalarType(), lanes);
  for (unsigned first = 0; first < unsigned(f_.width); first += lanes) {
    V part = convert(b_.CreateExtractVector(type, a, b_.getInt64(first)), lanes);
    auto* whole = llvm::FixedVectorType::get(part->getType()->getScalarType(), unsigned(f_.width));
    all = b_.CreateInsertVector(whole, all ? all : llvm::PoisonValue::get(whole), part, b_.getInt64(first));
  }
  return all;
}

// Halves of lanes, cut off. Hosts without such a conversion get it from integers.
llvm::Value* FloatRules::half_toward_zero(V a) {
  if (host_level() == Level::Baseline) {
    auto word = [&](uint32_t n) { return f_.splat(b_.getInt32(n)); };
    V bits = b_.CreateBitCast(a, f_.vi32), magnitude = b_.CreateAnd(bits, word(0x7fffffff));
    V sign = b_.CreateAnd(b_.CreateLShr(bits, word(16)), word(0x8000)), exponent = b_.CreateLShr(magnitude, word(23));
    auto least = [&](V x, V y) { return b_.CreateSelect(b_.CreateICmpULT(x, y), x, y); };
    V normal = b_.CreateSub(b_.CreateLShr(least(magnitude, word(0x477fe000)), word(13)), word(112 << 10));
    V shift = least(b_.CreateSub(word(126), least(exponent, word(112))), word(31));
    V denormal = b_.CreateLShr(b_.CreateOr(b_.CreateAnd(magnitude, word(0x7fffff)), word(0x800000)), shift);
    V number = b_.CreateSelect(b_.CreateICmpUGT(exponent, word(112)), normal, denormal);
    V nan = b_.CreateOr(b_.CreateAnd(b_.CreateLShr(magnitude, word(13)), word(0x3ff)), word(0x7e00));
    V special = b_.CreateSelect(b_.CreateICmpUGT(magnitude, word(0x7f800000)), nan, word(0x7c00));
    return b_.CreateOr(sign, b_.CreateSelect(b_.CreateICmpUGE(magnitude, word(0x7f800000)), special, number));
  }
  namespace I = llvm::Intrinsic;
  constexpr int toward_zero = 3;
  return in_parts(a, host_level() == Level::Avx512 && f_.width % 16 == 0 ? 16 : 8, [&](V part, unsigned lanes) {
    V none = llvm::Constant::getNullValue(llvm::FixedVectorType::get(b_.getInt16Ty(), lanes));
    V halves = lanes == 16 ? b_.CreateIntrinsic(I::x86_avx512_mask_vcvtps2ph_512, {},
                                                {part, b_.getInt32(toward_zero), none, b_.getInt16(0xffff)})
                           : b_.CreateIntrinsic(I::x86_vcvtps2ph_256, {}, {part, b_.getInt32(toward_zero)});
    return b_.CreateZExt(halves, llvm::FixedVectorType::get(f_.i32, lanes));
  });
}

// Integers of lanes that lie inside, as the host rounds, which is to the nearest.
llvm::Value* FloatRules::nearest(V a) {
  namespace I = llvm::Intrinsic;
  if (f_.constrained()) return b_.CreateFreeze(b_.CreateFPToSI(b_.CreateUnaryIntrinsic(I::roundeven, a), f_.vi32));
  const unsigned step = host_level() == Level::Baseline ? 4 : host_level() == Level::Avx512 && f_.width % 16 == 0 ? 16 : 8;
  return in_parts(a, step, [&](V part, unsigned lanes) -> V {
    if (lanes == 4) return b_.CreateIntrinsic(I::x86_sse2_cvtps2dq, {}, {part});
    if (lanes == 8) return b_.CreateIntrinsic(I::x86_avx_cvt_ps2dq_256, {}, {part});
    V none = llvm::Constant::getNullValue(llvm::FixedVectorType::get(f_.i32, lanes));
    constexpr int current_rounding = 4;
    return b_.CreateIntrinsic(I::x86_avx512_mask_cvtps2dq_512, {},
                              {part, none, b_.getInt16(0xffff), b_.getInt32(current_rounding)});
  });
}

// Lanes of f32 for which LLVM would call the C library, one after the other.
bool FloatRules::without_instruction(V x) const {
  return host_level() == Level::Baseline && x->getType() == f_.vf32 && !f_.constrained();
}

// A value that the host flushes when it reads it need not be flushed before.
llvm::Value* FloatRules::as_host_reads(V x) const {
  using namespace llvm::PatternMatch;
  V bits = nullptr;
  const auto zero = m_And(m_Deferred(bits), m_SpecificInt(0x80000000));
  llvm::CmpInst::Predicate equal;
  const auto is_denormal = m_ICmp(equal, m_And(m_Value(bits), m_SpecificInt(0x7f800000)), m_Zero());
  if (!match(x, m_BitCast(m_Select(is_denormal, zero, m_Deferred(bits)))) || equal != llvm::CmpInst::ICMP_EQ) return x;
  return b_.CreateBitCast(bits, x->getType());
}

// True if what the host has no instruction for is to be called: where it would be many instructions, or LLVM is to be done soon. For the
// few lanes of a chunk it runs quicker in line.
bool FloatRules::calls() const { return f_.width > 4 || f_.options.tier == Tier::Quick; }

llvm::Value* FloatRules::integral(V a, Toward toward, ID intrinsic) {
  if (!without_instruction(a)) return b_.CreateUnaryIntrinsic(intrinsic, a);
  constexpr LaneCall call[] = {LaneCall::floor, LaneCall::ceil, LaneCall::trunc, LaneCall::nearest_even};
  return calls() ? call_lanes(b_, call[size_t(toward)], {a}) : to_integral(b_, a, toward);
}

llvm::Value* FloatRules::arithmetic(const Node& x, V a, V second, V c) {
  namespace I = llvm::Intrinsic;
  if (x.op == Op::FSqrt && x.extra) {
    const auto& function = *static_cast<const LaneFunction*>(x.extra);
    return call_lanes(b_, LaneCall::lane_function, {a},
                      f_.own(reinterpret_cast<const void*>(f_.options.exact ? function.exact : function.quick)));
  }
  bool lanes = is_lanes(x.type);
  const FloatMode& mode = f_.set.recorder->mode;
  if (without_instruction(a) && mode.flush_in32)
    for (V* operand : {&a, &second, &c})
      if (*operand && x.op <= Op::RoundEven && x.op != Op::FAbs && x.op != Op::FNeg) *operand = as_host_reads(*operand);
  if (x.op <= Op::CvtF16F32) hide(x, a, second, c);
  switch (x.op) {
    case Op::FAdd: return exact(x, b_.CreateFAdd(a, second), {a, second});
    case Op::FSub: return exact(x, b_.CreateFSub(a, second), {a, second});
    case Op::FMul: return exact(x, b_.CreateFMul(a, second), {a, second});
    case Op::FDiv: return exact(x, b_.CreateFDiv(a, second), {a, second});
    case Op::Fma:
      if (without_instruction(a))
        return exact(x, fused_multiply_add(b_, a, second, c, mode.flush_out32, !calls()), {a, second, c});
      return exact(x, float_call(I::fma, I::experimental_constrained_fma, {a, second, c}), {a, second, c});
    case Op::FSqrt: return exact(x, float_call(I::sqrt, I::experimental_constrained_sqrt, {a}), {a});
    case Op::FAbs: return b_.CreateUnaryIntrinsic(I::fabs, a);
    case Op::FNeg: return b_.CreateFNeg(a);
    case Op::Floor: return exact(x, integral(a, Toward::down, I::floor), {a});
    case Op::Ceil: return exact(x, integral(a, Toward::up, I::ceil), {a});
    case Op::Trunc: return exact(x, integral(a, Toward::zero, I::trunc), {a});
    case Op::RoundEven: return exact(x, integral(a, Toward::nearest_even, I::roundeven), {a});
    case Op::FEq: return b_.CreateFCmpOEQ(a, second);
    case Op::FNe: return b_.CreateFCmpUNE(a, second);
    case Op::FLt: return b_.CreateFCmpOLT(a, second);
    case Op::FLe: return b_.CreateFCmpOLE(a, second);
    case Op::IsNan: return b_.CreateFCmpUNO(a, a);
    case Op::CvtFromU:
    case Op::CvtFromS: {
      bool is_unsigned = x.op == Op::CvtFromU;
      llvm::Type* t = f_.type(x.type);
      // As in the interpreter's lanes.h: hosts without unsigned conversions would make -0 of 0.
      bool minus_zero =
          lanes && host_level() != Level::Avx512 && (mode.round32 == Rounding::Down || mode.round64 == Rounding::Down);
      if (!minus_zero) return is_unsigned ? b_.CreateUIToFP(a, t) : b_.CreateSIToFP(a, t);
      V zero = hidden(llvm::ConstantInt::get(a->getType(), 0));
      auto from_signed = [&](V n) { return b_.CreateSIToFP(b_.CreateOr(n, zero), t); };
      if (!is_unsigned) return from_signed(a);
      V upper =
          b_.CreateFMul(from_signed(b_.CreateLShr(a, llvm::ConstantInt::get(a->getType(), 16))), llvm::ConstantFP::get(t, 65536));
      return b_.CreateFAdd(upper, from_signed(b_.CreateAnd(a, llvm::ConstantInt::get(a->getType(), 0xffff))));
    }
    case Op::CvtFloat: {
      bool widens = f_.type(x.type)->getScalarType() == f_.f64;
      return exact(x, widens ? b_.CreateFPExt(a, f_.type(x.type)) : b_.CreateFPTrunc(a, f_.type(x.type)), {a});
    }
    case Op::CvtToU: return saturated(a, f_.type(x.type), false);
    case Op::CvtToS: return saturated(a, f_.type(x.type), true);
    case Op::CvtF32F16: {
      if (lanes && host_level() == Level::Baseline) return from_half(a);  // (quiet as it is)
      llvm::Type* i16 = lanes ? (llvm::Type*)llvm::FixedVectorType::get(b_.getInt16Ty(), unsigned(f_.width)) : b_.getInt16Ty();
      llvm::Type* half = lanes ? (llvm::Type*)llvm::FixedVectorType::get(b_.getHalfTy(), unsigned(f_.width)) : b_.getHalfTy();
      // A mask's word that is taken for a half: LLVM 19 makes a cast from <16 x i1> to half of it, which no host can do, and ends
      // the process. So it does not see where a scalar's bits come from.
      if (!lanes) {
        auto* same = llvm::FunctionType::get(f_.i32, {f_.i32}, false);
        a = b_.CreateCall(same, llvm::InlineAsm::get(same, "", "=r,0", false), {a});
      }
      V operand = b_.CreateBitCast(b_.CreateTrunc(a, i16), half);
      auto widened = [&](V part, unsigned count) -> V {
        return b_.CreateFPExt(part, lanes ? (llvm::Type*)llvm::FixedVectorType::get(f_.f32, count) : f_.f32);
      };
      V wide = lanes ? in_parts(operand, std::min(whole_vector(), unsigned(f_.width)), widened) : widened(operand, 1);
      // The fence keeps LLVM from comparing the halves themselves, which most hosts do lane by lane.
      return exact(x, b_.CreateArithmeticFence(wide, f_.type(x.type)), {operand});
    }
    case Op::CvtF16F32: {
      if (without_instruction(a))  // (quiet as it is)
        return calls() ? b_.CreateBitCast(call_lanes(b_, LaneCall::nearest_half, {a}), f_.vi32) : nearest_half(b_, a);
      auto converted = [&](V part, unsigned count) {
        llvm::Type *i16 = b_.getInt16Ty(), *half = b_.getHalfTy(), *word = f_.i32;
        if (lanes)
          i16 = llvm::FixedVectorType::get(i16, count), half = llvm::FixedVectorType::get(half, count),
          word = llvm::FixedVectorType::get(word, count);
        return b_.CreateZExt(b_.CreateBitCast(b_.CreateFPTrunc(part, half), i16), word);
      };
      // Nor must a selection be pulled through the conversion and become one of halves. (LLVM 19 cannot convert more
      // than a host's vector in a rounding of one's own.)
      V fenced = b_.CreateArithmeticFence(a, a->getType());
      V h = lanes ? in_parts(fenced, std::min(whole_vector(), unsigned(f_.width)), converted) : converted(fenced, 1);
      if (f_.options.exact || !lanes)
        h = b_.CreateSelect(b_.CreateFCmpUNO(a, a), b_.CreateOr(h, llvm::ConstantInt::get(h->getType(), 0x200)), h);
      return h;
    }
    case Op::Saturate: {  // (comparisons with 0 and 1 need no hiding)
      V zero = llvm::ConstantFP::get(a->getType(), 0), one = llvm::ConstantFP::get(a->getType(), 1);
      V above = b_.CreateSelect(b_.CreateFCmpOGT(a, zero), a, zero);
      return b_.CreateSelect(b_.CreateFCmpOLT(above, one), above, one);
    }
    case Op::CvtToSNearest: return nearest(a);
    case Op::CvtF16F32TowardZero: return half_toward_zero(a);
    default: break;
  }
  broken_promise("node without a lowering", __FILE__, __LINE__);
}

}  // namespace Atoll::wave
