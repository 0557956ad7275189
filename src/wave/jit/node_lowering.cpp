// Nodes to LLVM values: registers aside, everything that happens inside the prologue, the chunk loop and the epilogue, and the
// floating-point rules (wave/nan.h, float modes). The parts of a region's function are in lowering.cpp.
#include <llvm/IR/Intrinsics.h>

#include "wave/interpreter/level.h"
#include "wave/jit/lowering.h"
#include "wave/nan.h"

namespace Atoll::wave {

using V = llvm::Value*;
using llvm::Intrinsic::ID;

// --- nodes ---------------------------------------------------------------------------------------------------------------------
llvm::Value* Lowering::float_of(int node) {
  if (floats_[size_t(node)]) return floats_[size_t(node)];
  V bits = values_[size_t(node)];
  return b_.CreateBitCast(bits, bits->getType() == vi64_ ? vf64_ : vf32_);
}

// Lanes whose bits are about to be seen, and which are a NaN.
void Lowering::note_nan(V computed) {
  V nan = b_.CreateFCmpUNO(computed, computed);
  if (whole_) nan = b_.CreateAnd(nan, active_lanes());  // which may be others later; a chunk's are looked at when it commits
  b_.CreateStore(b_.CreateOr(b_.CreateLoad(piece_, nan_seen_), b_.CreateBitCast(nan, piece_)), nan_seen_);
  noted_ = true;
}

void Lowering::observe(int node) {
  if (options_.exact || node < 0) return;
  V computed = floats_[size_t(node)];
  if (!computed) return;
  note_nan(computed);
  floats_[size_t(node)] = nullptr;  // once is enough
}

// Around a loop a register may bring along a float computed by the iteration before.
void Lowering::note_carried_float(uint64_t cell) {
  if (!lanes_.count(cell) && carried_floats_.count(cell) && !lane_float_.count(cell))
    lane_float_[cell] = b_.CreateBitCast(read_lanes(cell), vf32_);
}

void Lowering::emit(size_t n) {
  const Node& x = region_->nodes[n];
  auto value = [&](int id) -> V { return id >= 0 ? values_[size_t(id)] : nullptr; };
  V a = value(x.a), c = value(x.c), second = value(x.b);
  bool lanes = is_lanes(x.type);
  // Bits of computed floats that anything but a register write or a cast back looks at.
  bool passes = x.op == Op::WriteLanes || x.op == Op::Bitcast || x.op == Op::Select || x.op == Op::Join || x.op == Op::Low ||
                x.op == Op::High;
  if (!passes) observe(x.a), observe(x.b), observe(x.c);
  V& out = values_[n];
  switch (x.op) {
    case Op::Const: out = constant(x); break;
    case Op::Splat: out = splat(a); break;
    case Op::LaneId: out = b_.CreateAdd(splat(b_.CreateTrunc(chunk_, i32_)), iota(1)); break;
    case Op::ReadScalar: out = read_scalar(x.imm); break;
    case Op::WriteScalar:
      if (whole_)
        write_whole_scalar(x.imm, a, x.a);
      else
        scalars_[x.imm] = a;
      break;
    case Op::ReadLanes:
      note_carried_float(x.imm);
      out = read_lanes(x.imm);
      if (auto computed = lane_float_.find(x.imm); computed != lane_float_.end()) floats_[n] = computed->second;
      break;
    case Op::WriteLanes: {
      if (x.b >= 0) observe(x.a), note_carried_float(x.imm);
      V now = x.b >= 0 ? b_.CreateSelect(second, a, read_lanes(x.imm)) : a;
      lanes_[x.imm] = now;
      if (whole_) unmerged_.insert(x.imm);
      // A conditional write keeps what the other lanes held, which may itself still be waiting to be seen.
      if (V computed = x.b >= 0 ? nullptr : floats_[size_t(x.a)])
        lane_float_[x.imm] = computed;
      else if (x.b < 0)
        lane_float_.erase(x.imm);
      else if (auto old = lane_float_.find(x.imm); old != lane_float_.end())
        old->second = b_.CreateBitCast(now, old->second->getType());
      break;
    }
    case Op::ReadMask: out = read_mask(n, x); break;
    case Op::WriteMask:
      if (whole_)
        write_whole_mask(x.imm, a);
      else
        masks_[x.imm] = a;
      break;
    case Op::ReadRegion: out = read_region(x); break;
    case Op::WriteRegion: write_region(x); break;
    case Op::Add: out = b_.CreateAdd(a, second); break;
    case Op::Sub: out = b_.CreateSub(a, second); break;
    case Op::Mul: out = b_.CreateMul(a, second); break;
    case Op::And: out = b_.CreateAnd(a, second); break;
    case Op::Or: out = b_.CreateOr(a, second); break;
    case Op::Xor: out = b_.CreateXor(a, second); break;
    case Op::Not: out = b_.CreateNot(a); break;
    // A count beyond the width would be poison; where the semantics mask it, InstCombine drops this one.
    case Op::Shl:
      out = b_.CreateShl(a, b_.CreateAnd(second, llvm::ConstantInt::get(a->getType(), a->getType()->getScalarSizeInBits() - 1)));
      break;
    case Op::LShr:
      out = b_.CreateLShr(a, b_.CreateAnd(second, llvm::ConstantInt::get(a->getType(), a->getType()->getScalarSizeInBits() - 1)));
      break;
    case Op::AShr:
      out = b_.CreateAShr(a, b_.CreateAnd(second, llvm::ConstantInt::get(a->getType(), a->getType()->getScalarSizeInBits() - 1)));
      break;
    case Op::MulHighU:
    case Op::MulHighS: {
      llvm::Type* doubled = lanes ? vi64_ : i64_;
      auto widen = [&](V v) { return x.op == Op::MulHighU ? b_.CreateZExt(v, doubled) : b_.CreateSExt(v, doubled); };
      out =
          b_.CreateTrunc(b_.CreateLShr(b_.CreateMul(widen(a), widen(second)), llvm::ConstantInt::get(doubled, 32)), a->getType());
      break;
    }
    case Op::Popcount: out = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a); break;
    case Op::Clz: out = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a, b_.getFalse()); break;
    case Op::Ctz: out = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, a, b_.getFalse()); break;
    case Op::Bitreverse: out = b_.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, a); break;
    case Op::Fshr: out = b_.CreateIntrinsic(llvm::Intrinsic::fshr, {a->getType()}, {a, second, c}); break;
    case Op::Eq: out = b_.CreateICmpEQ(a, second); break;
    case Op::Ne: out = b_.CreateICmpNE(a, second); break;
    case Op::ULt: out = b_.CreateICmpULT(a, second); break;
    case Op::ULe: out = b_.CreateICmpULE(a, second); break;
    case Op::SLt: out = b_.CreateICmpSLT(a, second); break;
    case Op::SLe: out = b_.CreateICmpSLE(a, second); break;
    case Op::Select:
      if (auto* known = llvm::dyn_cast<llvm::Constant>(a); known && (known->isAllOnesValue() || known->isNullValue()))
        out = known->isNullValue() ? c : second;
      else
        out = b_.CreateSelect(a, second, c);
      if (is_float(x.type))
        computed_[n] = computed_[size_t(x.b)] || computed_[size_t(x.c)];
      else if (lanes && x.type != Type::M && (floats_[size_t(x.b)] || floats_[size_t(x.c)]))
        floats_[n] = b_.CreateSelect(a, float_of(x.b), float_of(x.c));
      break;
    case Op::Widen: out = b_.CreateZExt(a, type(x.type)); break;
    case Op::SignWiden: out = b_.CreateSExt(a, type(x.type)); break;
    case Op::Low:
      out = b_.CreateTrunc(a, type(x.type));
      observe(x.a);
      break;
    case Op::High:
      out = b_.CreateTrunc(b_.CreateLShr(a, llvm::ConstantInt::get(a->getType(), 32)), type(x.type));
      observe(x.a);
      break;
    case Op::Join: {
      observe(x.a), observe(x.b);
      llvm::Type* t = type(x.type);
      out = b_.CreateOr(b_.CreateZExt(a, t), b_.CreateShl(b_.CreateZExt(second, t), llvm::ConstantInt::get(t, 32)));
      break;
    }
    case Op::Bitcast:
      if (is_float(x.type)) {
        V computed = lanes ? floats_[size_t(x.a)] : nullptr;
        out = computed ? computed : b_.CreateBitCast(a, type(x.type));
        computed_[n] = computed != nullptr;
      } else {
        out = b_.CreateBitCast(a, type(x.type));
        if (lanes && computed_[size_t(x.a)]) floats_[n] = a;
      }
      break;
    case Op::ScalarLoad: out = scalar_load(n, x); break;
    case Op::Load: out = load(n, x); break;
    case Op::Store: store(n, x); break;
    case Op::SignalBarrier: signal_barrier(); break;
    case Op::WaitBarrier:
    case Op::Jump:
    case Op::JumpIf:
    case Op::JumpTo:
    case Op::Stop: break;  // terminate()
    default: out = arithmetic(x, a, second, c); break;
  }
  if (whole_) twins_[n] = twin(x);
  if (x.op >= Op::FAdd && x.op <= Op::RoundEven && lanes) {
    bool sign_only = x.op == Op::FNeg || x.op == Op::FAbs;
    computed_[n] = !options_.exact && (sign_only ? bool(computed_[size_t(x.a)]) : true);
  }
  if ((x.op == Op::CvtFloat || x.op == Op::CvtF32F16) && lanes) computed_[n] = !options_.exact;
}

// --- floating point ------------------------------------------------------------------------------------------------------------
llvm::Value* Lowering::float_call(ID plain, ID strict, llvm::ArrayRef<V> operands) {
  llvm::Type* t = operands[0]->getType();
  if (!constrained()) return b_.CreateIntrinsic(plain, {t}, operands);
  llvm::Function* f = llvm::Intrinsic::getDeclaration(&module_, strict, {t});
  return b_.CreateConstrainedFPCall(f, operands);
}

// The result with what nan.h says wherever it is a NaN. Scalars always, lanes in the exact version.
llvm::Value* Lowering::exact(const Node& node, V result, std::initializer_list<V> operands) {
  if (is_lanes(node.type) && !options_.exact) return result;
  llvm::Type* t = result->getType();
  bool wide = t->getScalarType() == f64_;
  llvm::Type* bits = is_lanes(node.type) ? (wide ? vi64_ : vi32_) : (wide ? i64_ : i32_);
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

// The same value, of which LLVM knows nothing.
llvm::Value* Lowering::hidden(V constant) {
  if (constant->getType()->isFPOrFPVectorTy()) return b_.CreateArithmeticFence(constant, constant->getType());
  auto* place = make_alloca(constant->getType(), "hidden");
  b_.CreateStore(constant, place);
  return b_.CreateLoad(constant->getType(), place, true);
}

// To integers: toward zero, saturating, NaN to 0. LLVM's own saturating conversions fall apart into lanes.
llvm::Value* Lowering::saturated(V x, llvm::Type* to, bool is_signed) {
  llvm::Type* from = x->getType();
  auto number = [&](double value) { return llvm::ConstantFP::get(from, value); };
  auto integer = [&](uint64_t value) { return llvm::ConstantInt::get(to, value); };
  // A value that truncates to the least or the most integer lies beyond the bounds that f64 can tell apart and f32 cannot.
  V above = b_.CreateFCmpOGE(x, number(is_signed ? 0x1p31 : 0x1p32));
  V below = is_signed ? b_.CreateFCmpOLE(x, number(-0x1p31 - 1)) : b_.CreateFCmpOLE(x, number(-1));
  if (is_signed && from->getScalarType() != f64_) below = b_.CreateFCmpOLT(x, number(-0x1p31));
  V inside = b_.CreateNot(b_.CreateOr(b_.CreateOr(above, below), b_.CreateFCmpUNO(x, x)));
  V safe = b_.CreateSelect(inside, x, number(0));
  V value = is_signed ? b_.CreateFPToSI(safe, to) : b_.CreateFPToUI(safe, to);
  value = b_.CreateSelect(below, integer(is_signed ? 0x80000000u : 0), value);
  return b_.CreateSelect(above, integer(is_signed ? 0x7fffffffu : 0xffffffffu), value);
}

llvm::Value* Lowering::arithmetic(const Node& x, V a, V second, V c) {
  namespace I = llvm::Intrinsic;
  bool lanes = is_lanes(x.type);
  // LLVM folds x * 1, x + 0 and operations on constants as if everything were rounded to nearest and nothing flushed: in another
  // mode it must not see them, nor find out later that a value is one of them.
  const FloatMode& mode = set_.recorder->mode;
  if (mode != FloatMode{} && x.op >= Op::FAdd && x.op <= Op::CvtF16F32)
    for (V* operand : {&a, &second, &c})
      if (*operand && (llvm::isa<llvm::Constant>(*operand) || (*operand)->getType()->isFPOrFPVectorTy()))
        *operand = hidden(*operand);
  switch (x.op) {
    case Op::FAdd: return exact(x, b_.CreateFAdd(a, second), {a, second});
    case Op::FSub: return exact(x, b_.CreateFSub(a, second), {a, second});
    case Op::FMul: return exact(x, b_.CreateFMul(a, second), {a, second});
    case Op::FDiv: return exact(x, b_.CreateFDiv(a, second), {a, second});
    case Op::Fma: return exact(x, float_call(I::fma, I::experimental_constrained_fma, {a, second, c}), {a, second, c});
    case Op::FSqrt: return exact(x, float_call(I::sqrt, I::experimental_constrained_sqrt, {a}), {a});
    case Op::FAbs: return b_.CreateUnaryIntrinsic(I::fabs, a);
    case Op::FNeg: return b_.CreateFNeg(a);
    case Op::Floor: return exact(x, b_.CreateUnaryIntrinsic(I::floor, a), {a});
    case Op::Ceil: return exact(x, b_.CreateUnaryIntrinsic(I::ceil, a), {a});
    case Op::Trunc: return exact(x, b_.CreateUnaryIntrinsic(I::trunc, a), {a});
    case Op::RoundEven: return exact(x, b_.CreateUnaryIntrinsic(I::roundeven, a), {a});
    case Op::FEq: return b_.CreateFCmpOEQ(a, second);
    case Op::FNe: return b_.CreateFCmpUNE(a, second);
    case Op::FLt: return b_.CreateFCmpOLT(a, second);
    case Op::FLe: return b_.CreateFCmpOLE(a, second);
    case Op::IsNan: return b_.CreateFCmpUNO(a, a);
    case Op::CvtFromU:
    case Op::CvtFromS: {
      bool is_unsigned = x.op == Op::CvtFromU;
      llvm::Type* t = type(x.type);
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
      bool widens = type(x.type)->getScalarType() == f64_;
      return exact(x, widens ? b_.CreateFPExt(a, type(x.type)) : b_.CreateFPTrunc(a, type(x.type)), {a});
    }
    case Op::CvtToU: return saturated(a, type(x.type), false);
    case Op::CvtToS: return saturated(a, type(x.type), true);
    case Op::CvtF32F16: {
      llvm::Type* i16 = lanes ? (llvm::Type*)llvm::FixedVectorType::get(b_.getInt16Ty(), unsigned(width_)) : b_.getInt16Ty();
      llvm::Type* half = lanes ? (llvm::Type*)llvm::FixedVectorType::get(b_.getHalfTy(), unsigned(width_)) : b_.getHalfTy();
      V operand = b_.CreateBitCast(b_.CreateTrunc(a, i16), half);
      // The fence keeps LLVM from comparing the halves themselves, which most hosts do lane by lane.
      return exact(x, b_.CreateArithmeticFence(b_.CreateFPExt(operand, type(x.type)), type(x.type)), {operand});
    }
    case Op::CvtF16F32: {
      llvm::Type* i16 = lanes ? (llvm::Type*)llvm::FixedVectorType::get(b_.getInt16Ty(), unsigned(width_)) : b_.getInt16Ty();
      llvm::Type* half = lanes ? (llvm::Type*)llvm::FixedVectorType::get(b_.getHalfTy(), unsigned(width_)) : b_.getHalfTy();
      // Nor must a selection be pulled through the conversion and become one of halves.
      V h = b_.CreateZExt(b_.CreateBitCast(b_.CreateFPTrunc(b_.CreateArithmeticFence(a, a->getType()), half), i16), type(x.type));
      if (!options_.exact && lanes && computed_[size_t(x.a)]) note_nan(a);  // its payload is about to be seen
      if (options_.exact || !lanes)
        h = b_.CreateSelect(b_.CreateFCmpUNO(a, a), b_.CreateOr(h, llvm::ConstantInt::get(h->getType(), 0x200)), h);
      return h;
    }
    default: break;
  }
  broken_promise("node without a lowering", __FILE__, __LINE__);
}

}  // namespace Atoll::wave
