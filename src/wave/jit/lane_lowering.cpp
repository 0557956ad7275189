// Nodes whose lanes take values of each other, and what is done for the whole wave once all lanes have come so far.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <bit>
#include <cstddef>

#include "wave/interpreter/level.h"
#include "wave/jit/host_functions.h"
#include "wave/jit/lowering.h"
#include "wave/jit/plain_bytes.h"

namespace Atoll::wave {

using V = llvm::Value*;
using Block = llvm::BasicBlock*;

// In chunks of fewer than 32 lanes the map is that of the first one, which all have (stays_in_chunk).
llvm::Value* Lowering::move_lanes(const Node& x, V value) {
  const auto& map = *static_cast<const LaneMap*>(x.extra);
  llvm::SmallVector<int, 64> lanes;
  for (int l = 0; l < f_.width; l++) {
    const int from = map.from[size_t(l & 31)];
    lanes.push_back(from < 0 ? f_.width : (l & ~31) + from);
  }
  return b_.CreateShuffleVector(value, llvm::Constant::getNullValue(f_.vi32), lanes);
}

// Any lane of any: as many vectors of the host's as the wave's lanes take are tables for each of them.
llvm::Value* Lowering::pick_lanes(V value, V lane) {
  const unsigned lanes = unsigned(f_.width);
  lane = b_.CreateAnd(lane, f_.splat(b_.getInt32(lanes - 1)));
  if (host_level() == Level::Baseline) {
    V table = f_.make_alloca(f_.vi32, "table"), out = llvm::PoisonValue::get(f_.vi32);
    b_.CreateStore(value, table);
    for (uint64_t l = 0; l < lanes; l++)
      out = b_.CreateInsertElement(
          out, b_.CreateLoad(f_.i32, b_.CreateGEP(f_.i32, table, b_.CreateZExt(b_.CreateExtractElement(lane, l), f_.i64))), l);
    return out;
  }
  const bool wide = host_level() == Level::Avx512;
  const unsigned size = wide ? 16 : 8, together = wide ? 32 : 8;  // lanes of a vector, lanes that one permutation reaches
  auto part = [&](V all, unsigned from) {
    llvm::SmallVector<int, 16> of;
    for (unsigned l = 0; l < size; l++) of.push_back(int(from + l));
    return b_.CreateShuffleVector(all, of);
  };
  auto reached = [&](unsigned from, V number) -> V {
    if (wide)
      return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_d_512, {},
                                {part(value, from), number, part(value, from + 16)});
    return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx2_permd, {}, {part(value, from), number});
  };
  return in_vectors(size, lane, [&](V number) {
    V out = reached(0, number);
    for (unsigned from = together; from < lanes; from += together) {
      V here = b_.CreateICmpUGE(number, b_.CreateVectorSplat(size, b_.getInt32(from)));
      out = b_.CreateSelect(here, reached(from, number), out);
    }
    return out;
  });
}

// Applies `of_one` to each vector of the host's, of `size` words, and joins the results.
llvm::Value* Lowering::in_vectors(unsigned size, V words, const std::function<V(V)>& of_one) {
  const unsigned lanes = unsigned(f_.width);
  if (lanes == size) return of_one(words);
  std::vector<V> parts;
  for (unsigned at = 0; at < lanes; at += size) {
    llvm::SmallVector<int, 16> of;
    for (unsigned l = 0; l < size; l++) of.push_back(int(at + l));
    parts.push_back(of_one(b_.CreateShuffleVector(words, of)));
  }
  while (parts.size() > 1) {
    std::vector<V> joined;
    for (size_t n = 0; n < parts.size(); n += 2) {
      llvm::SmallVector<int, 64> all;
      const unsigned own = llvm::cast<llvm::FixedVectorType>(parts[n]->getType())->getNumElements();
      for (unsigned l = 0; l < 2 * own; l++) all.push_back(int(l));
      joined.push_back(b_.CreateShuffleVector(parts[n], parts[n + 1], all));
    }
    parts = std::move(joined);
  }
  return parts[0];
}

// A table that fits into registers is permuted; of a larger one, or without permutations, words are gathered.
llvm::Value* Lowering::constant_words(const Node& node, V index) {
  const bool wide = host_level() == Level::Avx512;
  const unsigned size = wide ? 16 : 8, count = 1u << node.imm;
  const bool fits = count >= size && count <= (wide ? 64u : 32u) && unsigned(f_.width) % size == 0;
  if (host_level() == Level::Baseline || !fits) return memory_.constant_word(node);
  const auto* words = static_cast<const uint32_t*>(node.extra);
  auto table = [&](unsigned from) -> V {
    return llvm::ConstantDataVector::get(b_.getContext(), llvm::ArrayRef<uint32_t>(words + from, size));
  };
  auto bit = [&](V of, unsigned n) {  // as the sign, which is all that the host's choice looks at
    V sign = b_.CreateShl(of, b_.CreateVectorSplat(size, b_.getInt32(31 - n)));
    return b_.CreateICmpSLT(sign, llvm::Constant::getNullValue(of->getType()));
  };
  namespace I = llvm::Intrinsic;
  return in_vectors(size, index, [&](V number) {
    std::vector<V> found;
    unsigned reached = size;
    if (wide && count > size) {
      reached = 2 * size;
      for (unsigned from = 0; from < count; from += reached)
        found.push_back(b_.CreateIntrinsic(I::x86_avx512_vpermi2var_d_512, {}, {table(from), number, table(from + size)}));
    } else {
      for (unsigned from = 0; from < count; from += size)
        found.push_back(wide ? b_.CreateIntrinsic(I::x86_avx512_permvar_si_512, {}, {table(from), number})
                             : b_.CreateIntrinsic(I::x86_avx2_permd, {}, {table(from), number}));
    }
    for (unsigned n = unsigned(std::countr_zero(reached)); found.size() > 1; n++) {
      V upper = bit(number, n);
      for (size_t at = 0; at < found.size(); at += 2) found[at / 2] = b_.CreateSelect(upper, found[at + 1], found[at]);
      found.resize(found.size() / 2);
    }
    return found[0];
  });
}

// Operations whose instructions name their rounding (AVX-512). There are none for less than whole vectors.
llvm::Value* Lowering::with_named_rounding(Op op, std::array<V, 3> operands) {
  namespace I = llvm::Intrinsic;
  constexpr unsigned size = 16;
  const unsigned lanes = unsigned(f_.width), parts = std::max(lanes / size, 1u);
  // The immediates of the instructions: 8 is without exceptions, the rest as MXCSR's field (Intel SDM, 2.7.1; VRNDSCALEPS).
  V down = b_.getInt32(8 | 1), up = b_.getInt32(8 | 2), to_zero = b_.getInt32(8 | 3);
  auto of_part = [&](V a, V b, V c) -> V {
    switch (op) {
      case Op::FmaUp: return b_.CreateIntrinsic(I::x86_avx512_vfmadd_ps_512, {}, {a, b, c, up});
      case Op::CvtToSUp:
        return b_.CreateIntrinsic(
            I::x86_avx512_mask_cvtps2dq_512, {},
            {a, llvm::Constant::getNullValue(llvm::FixedVectorType::get(f_.i32, size)), b_.getInt16(0xffff), up});
      case Op::FloorProduct:
        return b_.CreateUnaryIntrinsic(I::floor, b_.CreateIntrinsic(I::x86_avx512_mul_ps_512, {}, {a, b, to_zero}));
      default:
        return b_.CreateIntrinsic(I::x86_avx512_sitofp_round,
                                  {llvm::FixedVectorType::get(b_.getFloatTy(), size), llvm::FixedVectorType::get(f_.i32, size)},
                                  {a, down});
    }
  };
  if (lanes == size) return of_part(operands[0], operands[1], operands[2]);
  llvm::SmallVector<V, 4> found;
  for (unsigned part = 0; part < parts; part++) {
    std::array<V, 3> own = operands;
    llvm::SmallVector<int, size> mask;
    for (unsigned l = 0; l < size; l++) mask.push_back(int(std::min(part * size + l, lanes - 1)));
    for (V& v : own)
      if (v) v = b_.CreateShuffleVector(v, mask);
    found.push_back(of_part(own[0], own[1], own[2]));
  }
  const V all = llvm::concatenateVectors(b_, found);
  return lanes < size ? b_.CreateShuffleVector(all, llvm::createSequentialMask(0, lanes, 0)) : all;
}

// Begins a block of its own for values that few chunks need.
void Lowering::begin_seldom(const Node& x) {
  auto& context = f_.module.getContext();
  V condition = values_[size_t(x.a)];
  auto* whole = b_.getIntNTy(llvm::cast<llvm::FixedVectorType>(condition->getType())->getNumElements());
  V some = b_.CreateICmpNE(b_.CreateBitCast(condition, whole), llvm::ConstantInt::get(whole, 0));
  Block needed = llvm::BasicBlock::Create(context, "seldom", f_.function);
  seldom_.after = llvm::BasicBlock::Create(context, "mostly", f_.function);
  seldom_.nans = nans_.mark();
  if (in_order_) settle_in_order();
  seldom_.in_order = nans_in_order_;
  seldom_.from = b_.GetInsertBlock();
  b_.CreateCondBr(some, needed, seldom_.after, f_.odds(1, 20));
  b_.SetInsertPoint(needed);
}

llvm::Value* Lowering::end_seldom(const Node& x) {
  V chosen = b_.CreateSelect(values_[size_t(x.a)], values_[size_t(x.b)], values_[size_t(x.c)]);
  if (in_order_)
    settle_in_order();
  else
    nans_.settle();
  nans_.back_to(seldom_.nans);
  Block needed = b_.GetInsertBlock();
  b_.CreateBr(seldom_.after);
  b_.SetInsertPoint(seldom_.after);
  auto either = [&](V usual, V other) {
    auto* value = b_.CreatePHI(other->getType(), 2);
    value->addIncoming(usual, seldom_.from), value->addIncoming(other, needed);
    return value;
  };
  // (Of a file of bytes values of NaNs wait in no memory.)
  for (auto& [lanes, nans] : nans_in_order_) {
    const auto before = seldom_.in_order.find(lanes);
    if (before == seldom_.in_order.end())
      nans = either(llvm::Constant::getNullValue(nans->getType()), nans);
    else if (before->second != nans)
      nans = either(before->second, nans);
  }
  return either(values_[size_t(x.c)], chosen);
}

// A register that the region has not written, or whose lanes are done, stands in the wave.
llvm::Value* Lowering::read_lane(size_t n, const Node& x) {
  V lane = values_[size_t(x.a)];
  if (!all_at_once_ || !r_.lanes_written.count(x.imm)) return b_.CreateLoad(f_.i32, memory_.lane_place(x.imm, lane));
  if (auto computed = nans_.lane_float.find(x.imm); computed != nans_.lane_float.end()) nans_.note_nan(computed->second);
  return b_.CreateExtractElement(memory_.whole_lanes(region_->nodes[n]), b_.CreateAnd(lane, b_.getInt32(f_.like.lanes - 1)));
}

void Lowering::keep_lanes(const Node& x) {
  V& slots = kept_[x.step];
  if (!slots) {
    slots = f_.make_alloca(llvm::ArrayType::get(f_.i32, uint64_t(kAtomicSlots) * atomic_slot_lanes), "kept");
    llvm::cast<llvm::AllocaInst>(slots)->setAlignment(llvm::Align(64));
  }
  V slot = b_.CreateConstInBoundsGEP1_64(f_.i32, slots, x.imm * atomic_slot_lanes);
  b_.CreateAlignedStore(values_[size_t(x.a)], b_.CreateInBoundsGEP(f_.i32, slot, r_.chunk),
                        llvm::Align(std::min<uint64_t>(64, uint64_t(f_.width) * 4)));
}

// A function called for the wave finds the registers as they are at this place.
void Lowering::put_scalars_back() {
  for (uint64_t cell : r_.scalars_written)
    if (auto value = r_.scalars.find(cell); value != r_.scalars.end()) b_.CreateStore(value->second, f_.cell_pointer(cell));
}

void Lowering::run_atomic(const Node& x) {
  put_scalars_back();
  const Step& step = *region_->steps[x.step];
  V kept = kept_.count(x.step) ? kept_.at(x.step) : llvm::ConstantPointerNull::get(b_.getPtrTy());
  f_.call_host(reinterpret_cast<const void*>(level_entries().atomic), b_.getVoidTy(),
               {f_.wave, f_.data(plain_bytes(*static_cast<const AtomicCall*>(x.extra))), f_.place(step.pc), kept});
  auto& context = f_.module.getContext();
  Block on = llvm::BasicBlock::Create(context, "on", f_.function),
        stopped = llvm::BasicBlock::Create(context, "stopped", f_.function);
  b_.CreateCondBr(b_.CreateICmpEQ(f_.wave_field(offsetof(Wave, stop), f_.i8), b_.getInt8(0)), on, stopped, f_.odds(2000, 1));
  b_.SetInsertPoint(stopped);
  f_.return_code(Code::Stopped, b_.getInt64(f_.program.index(step.pc)));
  b_.SetInsertPoint(on);
}

void Lowering::call_whole(const Node& x) {
  put_scalars_back();
  const auto& call = *static_cast<const WholeCall*>(x.extra);
  f_.call_host(reinterpret_cast<const void*>(call.run), b_.getVoidTy(), {f_.wave, f_.instruction(call)});
}

}  // namespace Atoll::wave
