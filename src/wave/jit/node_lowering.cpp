// Nodes to LLVM values, in the order in which they were recorded. The parts of a region's function are in lowering.cpp.
#include <llvm/IR/Intrinsics.h>

#include "wave/jit/barrier_lowering.h"
#include "wave/jit/lowering.h"

namespace Atoll::wave {

using V = llvm::Value*;

// Operations on integers and masks, and parts of textures; null: another operation.
V Lowering::integer_or_texture(const Node& x, V a, V second, V c) {
  const bool lanes = is_lanes(x.type);
  switch (x.op) {
    case Op::Add: return b_.CreateAdd(a, second);
    case Op::Sub: return b_.CreateSub(a, second);
    case Op::Mul: return b_.CreateMul(a, second);
    case Op::And: return b_.CreateAnd(a, second);
    case Op::Or: return b_.CreateOr(a, second);
    case Op::Xor: return b_.CreateXor(a, second);
    case Op::Not: return b_.CreateNot(a);
    // A count beyond the width would be poison; where the semantics mask it, InstCombine drops this one.
    case Op::Shl:
      return b_.CreateShl(a, b_.CreateAnd(second, llvm::ConstantInt::get(a->getType(), a->getType()->getScalarSizeInBits() - 1)));
    case Op::LShr:
      return b_.CreateLShr(a,
                           b_.CreateAnd(second, llvm::ConstantInt::get(a->getType(), a->getType()->getScalarSizeInBits() - 1)));
    case Op::AShr:
      return b_.CreateAShr(a,
                           b_.CreateAnd(second, llvm::ConstantInt::get(a->getType(), a->getType()->getScalarSizeInBits() - 1)));
    case Op::MulHighU:
    case Op::MulHighS: {
      llvm::Type* doubled = lanes ? f_.vi64 : f_.i64;
      auto widen = [&](V v) { return x.op == Op::MulHighU ? b_.CreateZExt(v, doubled) : b_.CreateSExt(v, doubled); };
      return b_.CreateTrunc(b_.CreateLShr(b_.CreateMul(widen(a), widen(second)), llvm::ConstantInt::get(doubled, 32)),
                            a->getType());
    }
    case Op::Popcount: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a);
    case Op::Clz: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a, b_.getFalse());
    case Op::Ctz: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, a, b_.getFalse());
    case Op::Bitreverse: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, a);
    case Op::Fshr: return b_.CreateIntrinsic(llvm::Intrinsic::fshr, {a->getType()}, {a, second, c});
    case Op::Eq: return b_.CreateICmpEQ(a, second);
    case Op::Ne: return b_.CreateICmpNE(a, second);
    case Op::ULt: return b_.CreateICmpULT(a, second);
    case Op::ULe: return b_.CreateICmpULE(a, second);
    case Op::SLt: return b_.CreateICmpSLT(a, second);
    case Op::SLe: return b_.CreateICmpSLE(a, second);
    case Op::Widen: return b_.CreateZExt(a, f_.type(x.type));
    case Op::SignWiden: return b_.CreateSExt(a, f_.type(x.type));
    // Frozen: an index, of which nobody may assume anything.
    case Op::CvtToSInside: return b_.CreateFreeze(b_.CreateFPToSI(a, f_.type(x.type)));
    case Op::FmaUp:
    case Op::CvtToSUp:
    case Op::FloorProduct:
    case Op::CvtFromSDown: return with_named_rounding(x.op, {a, second, c});
    case Op::MaskOf: return bytes_.mask_of(a);
    case Op::WordOf: return bytes_.word_of(a);
    case Op::Texture: return memory_.find_texture(x);
    case Op::TextureWord: return memory_.texture_word(x);
    case Op::TexelColumn:
    case Op::TexelRow:
    case Op::TexelSlice: return memory_.texel_part(x);
    case Op::TexelOffset: return memory_.texel_offset(x);
    case Op::Texel: return memory_.texel(x);
    case Op::SharedWord: return memory_.shared_word(x);
    default: return nullptr;
  }
}

// Reads and writes of registers. False: another operation.
bool Lowering::emit_register_access(size_t n, V a, V second) {
  const Node& x = region_->nodes[n];
  V& out = values_[n];
  switch (x.op) {
    case Op::ReadScalar:
      if (in_order_) look_at_floats(x.imm, 4);
      out = in_order_ ? bytes_.read_word(x.imm) : r_.read_scalar(x.imm);
      break;
    case Op::WriteScalar:
      if (in_order_)
        bytes_.write_word(x.imm, a), floats_in_file_.erase(x.imm);
      else if (whole_)
        write_whole_scalar(x.imm, a, x.a);
      else if (all_at_once_)
        write_scalar_in_order(x.imm, a);
      else
        r_.scalars[x.imm] = a;
      break;
    case Op::ReadLanes:
      nans_.note_carried_float(x.imm);
      out = r_.read_lanes(x.imm);
      if (auto computed = nans_.lane_float.find(x.imm); computed != nans_.lane_float.end()) nans_.floats[n] = computed->second;
      break;
    case Op::ReadQuads: {  // a word of four lanes each, from the chunk's first on: as many bytes on as it has lanes
      auto* words = llvm::FixedVectorType::get(f_.i32, unsigned(f_.width) / 4);
      V from = b_.CreateInBoundsGEP(f_.i8, f_.cell_pointer(x.imm), x.a < 0 ? r_.chunk : memory_.fed_from(x.a));
      llvm::SmallVector<int, 64> word;
      for (int lane = 0; lane < f_.width; lane++) word.push_back(lane / 4);
      out = b_.CreateShuffleVector(b_.CreateAlignedLoad(words, from, llvm::Align(4)), word);
      break;
    }
    case Op::ReadFirstQuad: {
      auto* word = b_.CreateAlignedLoad(f_.i32, f_.cell_pointer(x.imm), llvm::Align(4));
      word->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
      out = f_.splat(word);
      break;
    }
    case Op::WriteLanes: {
      if (x.b >= 0) nans_.observe(x.a), nans_.note_carried_float(x.imm);
      V now = x.b >= 0 ? b_.CreateSelect(second, a, r_.read_lanes(x.imm)) : a;
      // (an allocated home has the inactive lanes from memory: survey())
      if (r_.whole_written.count(x.imm)) now = b_.CreateSelect(r_.active, now, r_.read_lanes(x.imm));
      r_.lanes[x.imm] = now;
      if (whole_) unmerged_.insert(x.imm);
      // A conditional write keeps what the other lanes held, which may itself still be waiting to be seen.
      if (V computed = x.b >= 0 ? nullptr : nans_.floats[size_t(x.a)])
        nans_.lane_float[x.imm] = computed;
      else if (x.b < 0)
        nans_.lane_float.erase(x.imm);
      else if (auto old = nans_.lane_float.find(x.imm); old != nans_.lane_float.end())
        old->second = b_.CreateBitCast(now, old->second->getType());
      break;
    }
    case Op::WriteWhole:
      r_.lanes[x.imm] = a;
      if (V computed = nans_.floats[size_t(x.a)])
        nans_.lane_float[x.imm] = computed;
      else
        nans_.lane_float.erase(x.imm);
      break;
    case Op::ReadMask:
      out = in_order_      ? bytes_.mask_of(bytes_.read_word(x.imm))
            : whole_       ? whole_mask(x.imm)
            : all_at_once_ ? mask_in_order(x.imm)
                           : r_.read_mask(n, x);
      break;
    case Op::WriteMask:
      if (in_order_)
        bytes_.write_word(x.imm, bytes_.word_of(a));
      else if (whole_)
        write_whole_mask(x.imm, a);
      else if (all_at_once_)
        write_mask_in_order(x.imm, a);
      else
        r_.masks[x.imm] = a;
      break;
    case Op::ReadRegion:
      out = bytes_.read_region(x);
      read_in_order(n);
      break;
    case Op::WriteRegion:
      bytes_.write_region(x);
      write_in_order(x, nans_.floats[size_t(x.a)], second);
      break;
    default: return false;
  }
  return true;
}

void Lowering::emit(size_t n) {
  const Node& x = region_->nodes[n];
  auto value = [&](int id) -> V { return id >= 0 ? values_[size_t(id)] : nullptr; };
  V a = value(x.a), c = value(x.c), second = value(x.b);
  bool lanes = is_lanes(x.type);
  // Bits of computed floats that anything but a register write or a cast back looks at.
  bool passes = x.op == Op::WriteLanes || x.op == Op::Bitcast || x.op == Op::Select || x.op == Op::Join || x.op == Op::Low ||
                x.op == Op::High || x.op == Op::MoveLanes || (x.op == Op::PickLanes && !nans_.floats[size_t(x.b)]) ||
                (in_order_ && x.op == Op::WriteRegion);
  if (!passes) nans_.observe(x.a), nans_.observe(x.b), nans_.observe(x.c);
  V& out = values_[n];
  if (V by_quads = whole_ || in_order_ ? nullptr : quads_.emit(region_->nodes, n)) {
    out = by_quads;
    if (is_float(x.type))
      nans_.computed[n] = true;
    else if (x.op == Op::Bitcast && !QuadValues::is_number(region_->nodes, x.a))
      nans_.note_nan(a);
    return;
  }
  switch (x.op) {
    case Op::Const: out = f_.constant(x); break;
    case Op::Splat: out = f_.splat(a); break;
    case Op::LaneId: out = b_.CreateAdd(f_.splat(b_.CreateTrunc(r_.chunk, f_.i32)), f_.iota(1)); break;
    case Op::Select:
      if (auto* known = llvm::dyn_cast<llvm::Constant>(a); known && (known->isAllOnesValue() || known->isNullValue()))
        out = known->isNullValue() ? c : second;
      else
        out = b_.CreateSelect(a, second, c);
      if (is_float(x.type))
        nans_.computed[n] = nans_.computed[size_t(x.b)] || nans_.computed[size_t(x.c)];
      else if (lanes && x.type != Type::M && (nans_.floats[size_t(x.b)] || nans_.floats[size_t(x.c)]))
        nans_.floats[n] = b_.CreateSelect(a, nans_.float_of(x.b), nans_.float_of(x.c));
      break;
    case Op::Low:
      out = b_.CreateTrunc(a, f_.type(x.type));
      nans_.observe(x.a);
      break;
    case Op::High:
      out = b_.CreateTrunc(b_.CreateLShr(a, llvm::ConstantInt::get(a->getType(), 32)), f_.type(x.type));
      nans_.observe(x.a);
      break;
    case Op::Join: {
      nans_.observe(x.a), nans_.observe(x.b);
      llvm::Type* t = f_.type(x.type);
      out = b_.CreateOr(b_.CreateZExt(a, t), b_.CreateShl(b_.CreateZExt(second, t), llvm::ConstantInt::get(t, 32)));
      break;
    }
    case Op::Bitcast:
      if (is_float(x.type)) {
        V computed = lanes ? nans_.floats[size_t(x.a)] : nullptr;
        out = computed ? computed : b_.CreateBitCast(a, f_.type(x.type));
        nans_.computed[n] = computed != nullptr;
      } else {
        out = b_.CreateBitCast(a, f_.type(x.type));
        if (lanes && nans_.computed[size_t(x.a)]) nans_.floats[n] = a;
      }
      break;
    case Op::ScalarLoad: out = memory_.scalar_load(n, x); break;
    case Op::ReadWhole:
      out = memory_.whole_lanes(x);
      if (auto computed = nans_.lane_float.find(x.imm); computed != nans_.lane_float.end())
        nans_.floats[n] = b_.CreateBitCast(out, computed->second->getType());
      break;
    case Op::MoveLanes:
      out = move_lanes(x, a);
      if (nans_.floats[size_t(x.a)]) nans_.floats[n] = b_.CreateBitCast(out, f_.vf32);
      break;
    case Op::PickLanes:
      out = pick_lanes(a, second);
      if (nans_.floats[size_t(x.a)]) nans_.floats[n] = b_.CreateBitCast(out, f_.vf32);
      break;
    case Op::ReadLane: out = read_lane(n, x); break;
    case Op::WriteLane: b_.CreateStore(second, memory_.lane_place(x.imm, a)); break;
    case Op::KeepLanes: keep_lanes(x); break;
    case Op::Atomic: run_atomic(x); break;
    case Op::CallWhole: call_whole(x); break;
    case Op::QuadLane:
      out = memory_.quad_lane(x);
      nans_.computed[n] = is_float(x.type) && nans_.computed[size_t(x.a)];
      break;
    case Op::Expect: out = memory_.expect(x); break;
    case Op::Load:
      if (whole_) active_lanes();
      leave_for_noted_nan();
      out = memory_.load(n, x);
      break;
    case Op::Store:
      leave_for_noted_nan();
      memory_.store(n, x);
      break;
    case Op::BeginSeldom: begin_seldom(x); break;
    case Op::Seldom: out = end_seldom(x); break;
    case Op::ConstantWord: out = lanes ? constant_words(x, a) : memory_.constant_scalar(x); break;
    case Op::ReadPixels: out = memory_.pixels(x); break;
    case Op::WritePixels:  // what was written cannot be written again (blending): nothing of the chunk is run again from here on
    case Op::WriteTexel:
      for (size_t later = n + 1; later < region_->nodes.size(); later++)
        if (const Node& y = region_->nodes[later]; y.op == x.op) nans_.observe(y.a), nans_.observe(y.c);
      leave_for_noted_nan();
      x.op == Op::WritePixels ? memory_.set_pixels(x) : memory_.set_texel(x);
      break;
    case Op::SignalBarrier: signal_barrier(f_); break;
    case Op::WaitBarrier:
    case Op::Jump:
    case Op::JumpIf:
    case Op::JumpTo:
    case Op::Stop: break;  // terminate()
    default:
      if (emit_register_access(n, a, second) || (out = integer_or_texture(x, a, second, c))) break;
      out = float_rules_.arithmetic(x, a, second, c);
      if ((x.op == Op::CvtF16F32 || x.op == Op::CvtF16F32TowardZero) && lanes && nans_.computed[size_t(x.a)])
        nans_.note_nan(a);  // its payload is about to be seen
      break;
  }
  if (whole_) twins_[n] = twin(x);
  if (x.op >= Op::FAdd && x.op <= Op::RoundEven && lanes) {
    bool sign_only = x.op == Op::FNeg || x.op == Op::FAbs;
    nans_.computed[n] = !f_.options.exact && (sign_only ? bool(nans_.computed[size_t(x.a)]) : true);
  }
  if ((x.op == Op::CvtFloat || x.op == Op::CvtF32F16) && lanes) nans_.computed[n] = !f_.options.exact;
}

}  // namespace Atoll::wave
