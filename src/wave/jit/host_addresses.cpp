#include "wave/jit/host_addresses.h"

#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <cstddef>

#include "base/expected.h"
#include "base/removable_check.h"
#include "memory/address_space.h"
#include "wave/jit/own_symbols.h"
#include "wave/sampled_texture.h"

namespace Atoll::wave {

using V = llvm::Value*;

// Offsets of accesses are 32 bits, so that an address in the window plus one of them stays in what is reserved.
static_assert(AddressSpace::outside_bytes >= (uint64_t(1) << 31) + 4096 + 64 * 4);

void HostAddresses::begin(V wave, const AccessPlan& plan) {
  auto field = [&](size_t offset, llvm::Type* type) {
    return b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), wave, offset));
  };
  auto size = [&](size_t offset) { return b_.CreateZExt(field(offset, b_.getInt32Ty()), b_.getInt64Ty()); };
  window_ = field(offsetof(Wave, window), b_.getPtrTy());
  window_bytes_ = field(offsetof(Wave, window_bytes), b_.getInt64Ty());
  auto has = [&](Space space) {
    return std::any_of(plan.groups.begin(), plan.groups.end(), [&](const GuardedGroup& g) { return g.space == space; });
  };
  if (has(Space::Lds)) lds_ = field(offsetof(Wave, lds), b_.getPtrTy()), lds_bytes_ = size(offsetof(Wave, lds_bytes));
  if (has(Space::Scratch))
    scratch_ = field(offsetof(Wave, scratch), b_.getPtrTy()), scratch_bytes_ = size(offsetof(Wave, scratch_bytes));
}

V HostAddresses::bounds_test(const GuardedGroup& group, V low, V high, Proof& proof) {
  proof = {group.space, group.form, b_.CreateZExt(low, b_.getInt64Ty()), group.begin, group.end, nullptr};
  if (group.space == Space::Global) {
    proof.base = b_.CreateOr(proof.base, b_.CreateShl(b_.CreateZExt(high, b_.getInt64Ty()), 32));
    V inside = ATOLL_CHECK_REMOVED("jit.global.window") ? b_.getTrue() : b_.CreateICmpULT(proof.base, window_bytes_);
    if (group.form == kEqual || ATOLL_CHECK_REMOVED("jit.wrap")) return inside;
    // The high half is the same in all lanes: the low ones of a row must not wrap.
    return b_.CreateAnd(inside, b_.CreateICmpULE(low, b_.getInt32(~0u - uint32_t(width_ - 1) * 4)));
  }
  // Both numbers fit 34 bits. Offsets below 0 wrap at 32 bits, which no sum here does.
  ATOLL_ASSERT(group.begin >= 0 && group.end <= int64_t(1) << 33);
  V end = b_.CreateAdd(proof.base, b_.getInt64(uint64_t(group.end)));
  if (group.space == Space::Lds) return ATOLL_CHECK_REMOVED("jit.lds.reach") ? b_.getTrue() : b_.CreateICmpULE(end, lds_bytes_);
  // Private memory is kept by dwords: one that straddles two stands in two places.
  V aligned = b_.CreateICmpEQ(b_.CreateAnd(low, b_.getInt32(3)), b_.getInt32(0));
  return ATOLL_CHECK_REMOVED("jit.scratch.reach") ? aligned : b_.CreateAnd(b_.CreateICmpULE(end, scratch_bytes_), aligned);
}

V HostAddresses::sum_test(const GuardedGroup& group, V base, V offset, Proof& proof) {
  proof = {group.space, group.form, b_.CreateAdd(base, b_.CreateZExt(offset, b_.getInt64Ty())), group.begin, group.end};
  V inside = ATOLL_CHECK_REMOVED("jit.global.window") ? b_.getTrue() : b_.CreateICmpULT(proof.base, window_bytes_);
  if (group.form == kEqual || ATOLL_CHECK_REMOVED("jit.wrap")) return inside;
  return b_.CreateAnd(inside, b_.CreateICmpULE(offset, b_.getInt32(~0u - uint32_t(width_ - 1) * 4)));
}

V HostAddresses::lanes_test(const GuardedGroup& group, V low, V high, Proof& proof) {
  ATOLL_ASSERT(group.form == kOther && group.space != Space::Scratch);
  auto* wide = llvm::FixedVectorType::get(b_.getInt64Ty(), unsigned(width_));
  auto all = [&](V scalar) { return b_.CreateVectorSplat(unsigned(width_), scalar); };
  auto even = [&](V holds) {
    return group.even ? b_.CreateAnd(holds, b_.CreateICmpEQ(b_.CreateAnd(low, lanes_of(1)), lanes_of(0))) : holds;
  };
  if (group.space == Space::Lds) {
    ATOLL_ASSERT(group.begin >= 0 && group.end >= 4 && group.end <= int64_t(1) << 33);
    proof = {group.space, group.form, b_.CreateZExt(low, wide), group.begin, group.end};
    if (ATOLL_CHECK_REMOVED("jit.lds.reach")) return even(all(b_.getTrue()));
    // The first offset from which what is touched does not fit.
    V end = b_.getInt64(uint64_t(group.end)), fits = b_.CreateICmpUGE(lds_bytes_, end);
    V first = b_.CreateSelect(fits, b_.CreateAdd(b_.CreateSub(lds_bytes_, end), b_.getInt64(1)), b_.getInt64(0));
    return even(b_.CreateICmpULT(low, all(b_.CreateTrunc(first, b_.getInt32Ty()))));
  }
  V base = b_.CreateOr(b_.CreateZExt(low, wide), b_.CreateShl(b_.CreateZExt(high, wide), all(b_.getInt64(32))));
  proof = {group.space, group.form, base, group.begin, group.end};
  V holds = ATOLL_CHECK_REMOVED("jit.global.window") ? all(b_.getTrue()) : b_.CreateICmpULT(base, all(window_bytes_));
  return even(holds);
}

// The window ends more than 32 bits behind the base.
V HostAddresses::sums_test(const GuardedGroup& group, V base, V offsets, Proof& proof) {
  ATOLL_ASSERT(group.form == kOther && group.space == Space::Global && !group.even);
  proof = {group.space, group.form, base, group.begin, group.end, offsets};
  if (ATOLL_CHECK_REMOVED("jit.global.window")) return b_.getTrue();
  return b_.CreateAnd(b_.CreateICmpULT(base, window_bytes_),
                      b_.CreateICmpUGT(b_.CreateSub(window_bytes_, base), b_.getInt64(UINT32_MAX)));
}

V HostAddresses::bases_of(const Proof& proof) {
  if (!proof.offsets) return proof.base;
  auto* wide = llvm::FixedVectorType::get(b_.getInt64Ty(), unsigned(width_));
  return b_.CreateAdd(b_.CreateVectorSplat(unsigned(width_), proof.base), b_.CreateZExt(proof.offsets, wide));
}

// A dword that holds a byte or half is on its page.
V HostAddresses::lane_places(const Proof& proof, int64_t offset, unsigned bytes, V& shift) {
  ATOLL_ASSERT(proof.form == kOther && ATOLL_CHECK("jit.guard.key", offset >= proof.begin && offset + 4 <= proof.end));
  auto all = [&](uint64_t n) { return b_.CreateVectorSplat(unsigned(width_), b_.getInt64(n)); };
  V at = b_.CreateAdd(bases_of(proof), all(uint64_t(offset)));
  shift = nullptr;
  if (bytes < 4) {
    V byte = b_.CreateTrunc(at, llvm::FixedVectorType::get(b_.getInt32Ty(), unsigned(width_)));
    shift = b_.CreateShl(b_.CreateAnd(byte, lanes_of(3)), lanes_of(3));
    at = b_.CreateAnd(at, all(~uint64_t(3)));
  }
  return b_.CreateGEP(b_.getInt8Ty(), proof.space == Space::Lds ? lds_ : window_, at);
}

V HostAddresses::row_test(const Proof& proof, V live, V lane, V& first) {
  ATOLL_ASSERT(proof.form == kOther);
  V values = proof.offsets ? proof.offsets : proof.base;
  llvm::Type* type = values->getType()->getScalarType();
  std::vector<llvm::Constant*> places;
  places.reserve(size_t(width_));
  for (int l = 0; l < width_; l++) places.push_back(llvm::ConstantInt::get(type, uint64_t(l) * 4));
  V starts = b_.CreateSub(values, llvm::ConstantVector::get(places));
  first = b_.CreateExtractElement(starts, lane);
  V fits = b_.CreateOr(b_.CreateICmpEQ(starts, b_.CreateVectorSplat(unsigned(width_), first)), b_.CreateNot(live));
  auto* bits = b_.getIntNTy(unsigned(width_));
  V row = b_.CreateICmpEQ(b_.CreateBitCast(fits, bits), llvm::Constant::getAllOnesValue(bits));
  if (!proof.offsets) return row;
  // (sums do not wrap at 32 bits)
  if (!ATOLL_CHECK_REMOVED("jit.wrap"))
    row = b_.CreateAnd(row, b_.CreateICmpULE(first, b_.getInt32(~0u - uint32_t(width_ - 1) * 4)));
  first = b_.CreateAdd(proof.base, b_.CreateZExt(first, b_.getInt64Ty()));
  return row;
}

V HostAddresses::row_place(const Proof& proof, V first, int64_t offset) {
  ATOLL_ASSERT(proof.form == kOther && ATOLL_CHECK("jit.guard.key", offset >= proof.begin && offset + 4 <= proof.end));
  return b_.CreateGEP(b_.getInt8Ty(), proof.space == Space::Lds ? lds_ : window_,
                      b_.CreateAdd(first, b_.getInt64(uint64_t(offset))));
}

V HostAddresses::lane_block_places(const Proof& proof, int64_t offset, unsigned bytes, V live, V wave) {
  ATOLL_ASSERT(proof.form == kOther && bytes <= 16 &&
               ATOLL_CHECK("jit.guard.key", offset >= proof.begin && offset + bytes <= proof.end));
  V at = b_.CreateAdd(bases_of(proof), b_.CreateVectorSplat(unsigned(width_), b_.getInt64(uint64_t(offset))));
  V there = b_.CreateGEP(b_.getInt8Ty(), proof.space == Space::Lds ? lds_ : window_, at);
  return b_.CreateSelect(live, there, b_.CreateVectorSplat(unsigned(width_), wave));
}

V HostAddresses::place(const Proof& proof, int64_t offset, V chunk) {
  int64_t end = offset + bytes_touched(proof.space, proof.form, width_);
  ATOLL_ASSERT(proof.base && ATOLL_CHECK("jit.guard.key", offset >= proof.begin && end <= proof.end));
  V start = b_.getInt64(uint64_t(offset));
  if (proof.space != Space::Scratch)
    return b_.CreateGEP(b_.getInt8Ty(), b_.CreateGEP(b_.getInt8Ty(), proof.space == Space::Lds ? lds_ : window_, proof.base),
                        start);
  // Dword d of lane l stands at (d * lanes + l) * 4.
  ATOLL_ASSERT(!(offset & 3));
  V dword = b_.CreateAdd(b_.CreateMul(b_.CreateLShr(b_.CreateAdd(proof.base, start), 2), b_.getInt64(lanes_)), chunk);
  return b_.CreateGEP(b_.getInt8Ty(), scratch_, b_.CreateShl(dword, 2));
}

V HostAddresses::scalar_place(V address) {
  if (ATOLL_CHECK_REMOVED("jit.scalar_load.window")) return b_.CreateGEP(b_.getInt8Ty(), window_, address);
  V inside = b_.CreateICmpULT(address, window_bytes_);
  V behind = b_.CreateAdd(window_bytes_, b_.getInt64(4096));
  return b_.CreateGEP(b_.getInt8Ty(), window_, b_.CreateSelect(inside, address, behind));
}

V HostAddresses::texture_word(V texture, size_t byte, llvm::Type* type) {
  auto* load = b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), texture, byte));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
  return load;
}

V HostAddresses::pixel_place(V wave, unsigned target, V offset, uint32_t more) {
  auto pointer_at = [&](V from, size_t byte) {
    auto* load = b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), from, byte));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
    return load;
  };
  V texels = pointer_at(pointer_at(wave, offsetof(Wave, targets)), target * sizeof(void*));
  V at = b_.CreateZExt(offset, b_.getInt64Ty());
  return b_.CreateGEP(b_.getInt8Ty(), texels, more ? b_.CreateAdd(at, b_.getInt64(more)) : at);
}

V HostAddresses::shared_places(V wave, V place, V& inside) {
  auto field = [&](size_t offset, llvm::Type* type) {
    auto* load = b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), wave, offset));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
    return load;
  };
  V lds = field(offsetof(Wave, lds), b_.getPtrTy()), bytes = field(offsetof(Wave, lds_bytes), b_.getInt32Ty());
  V word = b_.CreateAnd(place, lanes_of(~3u));
  // The first byte from which a dword does not fit.
  V first = b_.CreateSelect(b_.CreateICmpUGE(bytes, b_.getInt32(4)), b_.CreateSub(bytes, b_.getInt32(3)), b_.getInt32(0));
  inside = ATOLL_CHECK_REMOVED("jit.shared_word.bounds") ? b_.CreateVectorSplat(unsigned(width_), b_.getTrue())
                                                         : b_.CreateICmpULT(word, b_.CreateVectorSplat(unsigned(width_), first));
  return b_.CreateGEP(b_.getInt8Ty(), lds, b_.CreateZExt(word, llvm::FixedVectorType::get(b_.getInt64Ty(), unsigned(width_))));
}

V HostAddresses::lane_place(V wave, uint64_t cell, V lane) {
  V inside = ATOLL_CHECK_REMOVED("jit.lane.select") ? lane : b_.CreateAnd(lane, b_.getInt32(lanes_ - 1));
  return b_.CreateGEP(b_.getInt32Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), wave, cell),
                      b_.CreateZExt(inside, b_.getInt64Ty()));
}

V HostAddresses::constant_places(const uint32_t* words, unsigned log_size, V index) {
  V inside = b_.CreateAnd(index, lanes_of((1u << log_size) - 1));
  V table = own_symbol(*b_.GetInsertBlock()->getModule(), words);
  return b_.CreateGEP(b_.getInt32Ty(), table,
                      b_.CreateZExt(inside, llvm::FixedVectorType::get(b_.getInt64Ty(), unsigned(width_))));
}

static size_t table_of(TexelPlaces::Direction direction) {
  return direction == TexelPlaces::column ? offsetof(SampledTexture, columns)
         : direction == TexelPlaces::row  ? offsetof(SampledTexture, rows)
                                          : offsetof(SampledTexture, slices);
}

// table_size() and table_start() of sampled_texture.h, for lanes.
V HostAddresses::table_places(V texture, Direction direction, V level, V index) {
  const size_t table = table_of(direction);
  auto word = [&](size_t byte) { return texture_word(texture, byte, b_.getInt32Ty()); };
  auto all = [&](V scalar) { return b_.CreateVectorSplat(unsigned(width_), scalar); };
  auto least = [&](V a, V b) { return b_.CreateSelect(b_.CreateICmpULT(a, b), a, b); };
  V parts = texture_word(texture, table + offsetof(TexelTable, parts), b_.getPtrTy());
  V size = all(word(table + offsetof(TexelTable, size))), step = all(word(table + offsetof(TexelTable, step)));
  auto* constant = llvm::dyn_cast<llvm::Constant>(level);
  bool first = constant && constant->isNullValue();
  V start = lanes_of(0);
  if (!first) {
    level = least(level, all(word(offsetof(SampledTexture, last_level))));
    level = b_.CreateAnd(level, lanes_of(31));
    V shrinks = b_.CreateICmpNE(step, lanes_of(0));
    V shrunk = b_.CreateLShr(size, level);
    shrunk = b_.CreateSelect(b_.CreateICmpEQ(shrunk, lanes_of(0)), lanes_of(1), shrunk);
    start = b_.CreateAdd(b_.CreateSub(step, b_.CreateLShr(step, level)), level);
    if (direction == Direction::slice) {  // those of arrays are as many in every level
      start = b_.CreateSelect(shrinks, start, b_.CreateMul(level, size));
      shrunk = b_.CreateSelect(shrinks, shrunk, size);
    }
    size = shrunk;
  }
  V inside = least(index, b_.CreateSub(size, lanes_of(1)));
  return b_.CreateGEP(b_.getInt32Ty(), parts, b_.CreateAdd(start, inside));
}

// As surface::Texture::Level::at() has it: the sum goes through the swizzled bits, which are the exclusive or of the parts'.
V HostAddresses::joined(V a, V b, V swizzled_bits) {
  V plain = b_.CreateNot(swizzled_bits);
  V sum = b_.CreateAdd(b_.CreateOr(a, swizzled_bits), b_.CreateAnd(b, plain));
  return b_.CreateOr(b_.CreateAnd(sum, plain), b_.CreateAnd(b_.CreateXor(a, b), swizzled_bits));
}

// sampling::Tables has looked at what comes out for every number of every level.
V HostAddresses::part_of_digits(V texture, const TexelPlaces& places, Direction direction, V level, V index) {
  const size_t table = table_of(direction);
  auto word = [&](size_t byte) { return texture_word(texture, byte, b_.getInt32Ty()); };
  auto all = [&](V scalar) { return b_.CreateVectorSplat(unsigned(width_), scalar); };
  auto least = [&](V a, V b) { return b_.CreateSelect(b_.CreateICmpULT(a, b), a, b); };
  const unsigned count = places.digits[direction], entries = 1u << places.digit_bits;
  V tables = texture_word(texture, table + offsetof(TexelTable, digits), b_.getPtrTy());
  V size = word(table + offsetof(TexelTable, size));
  auto* constant = llvm::dyn_cast<llvm::Constant>(level);
  const bool first = constant && constant->isNullValue();
  if (!first) {
    level = b_.CreateAnd(least(level, word(offsetof(SampledTexture, last_level))), 31);
    tables = b_.CreateGEP(b_.getInt32Ty(), tables, b_.CreateMul(level, b_.getInt32(count * entries)));
    V shrunk = b_.CreateLShr(size, level), shrinks = b_.CreateICmpNE(word(table + offsetof(TexelTable, step)), b_.getInt32(0));
    shrunk = b_.CreateSelect(b_.CreateICmpEQ(shrunk, b_.getInt32(0)), b_.getInt32(1), shrunk);
    size = direction == Direction::slice ? b_.CreateSelect(shrinks, shrunk, size) : shrunk;
  }
  index = least(index, all(b_.CreateSub(size, b_.getInt32(1))));
  V bits = nullptr;
  if (!places.exclusive && count > 1) {
    bits = word(offsetof(SampledTexture, swizzled_bits));
    bits = all(b_.CreateSelect(b_.CreateICmpULT(level, word(offsetof(SampledTexture, swizzled_levels))), bits, b_.getInt32(0)));
  }
  auto* row = llvm::FixedVectorType::get(b_.getInt32Ty(), unsigned(width_));
  auto entries_at = [&](unsigned dword) {
    auto* load = b_.CreateAlignedLoad(row, b_.CreateConstInBoundsGEP1_64(b_.getInt32Ty(), tables, dword),
                                      llvm::Align(places.digit_bits == 5 ? 64 : 32));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
    return load;
  };
  V sum = nullptr;
  for (unsigned digit = 0; digit < count; digit++) {
    V number = digit ? b_.CreateLShr(index, lanes_of(digit * places.digit_bits)) : index, part = nullptr;
    if (places.digit_bits == 5)  // (both permutations leave a number's higher bits alone)
      part = b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_d_512, {},
                                {entries_at(digit * 32), number, entries_at(digit * 32 + 16)});
    else
      part = b_.CreateIntrinsic(llvm::Intrinsic::x86_avx2_permd, {}, {entries_at(digit * 8), number});
    sum = !sum ? part : bits ? joined(sum, part, bits) : b_.CreateXor(sum, part);
  }
  return sum;
}

V HostAddresses::texel_offset(V texture, const TexelPlaces& places, V level, V column, V row, V slice) {
  if (places.exclusive) {
    V offset = b_.CreateXor(column, row);
    return slice ? b_.CreateXor(offset, slice) : offset;
  }
  auto word = [&](size_t at) { return b_.CreateVectorSplat(unsigned(width_), texture_word(texture, at, b_.getInt32Ty())); };
  V bits = word(offsetof(SampledTexture, swizzled_bits)), swizzled = word(offsetof(SampledTexture, swizzled_levels));
  bits = b_.CreateSelect(b_.CreateICmpULT(level, swizzled), bits, lanes_of(0));
  V offset = joined(column, row, bits);
  return slice ? joined(offset, slice, bits) : offset;
}

V HostAddresses::texel_places(V texture, V offset, unsigned byte) {
  V base = texture_word(texture, offsetof(SampledTexture, texels), b_.getPtrTy());
  if (byte) base = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, byte);
  return b_.CreateGEP(b_.getInt8Ty(), base, offset);
}

V HostAddresses::dword_places(V texture, V offset, unsigned bytes, unsigned byte, V& shift) {
  shift = nullptr;
  if (bytes < 4) {
    shift = b_.CreateShl(b_.CreateAnd(offset, lanes_of(3)), lanes_of(3));
    offset = b_.CreateAnd(offset, lanes_of(~3u));
  }
  return texel_places(texture, offset, byte);
}

}  // namespace Atoll::wave
