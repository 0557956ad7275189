// Loads and stores of compiled code. Where the profile says that a chunk's addresses were always consecutive, or all equal, that
// is taken for granted after one test an address register; a failed test restarts the chunk in its slow version, where every
// access is a call. Code for every form in line would triple the compile time (findings of the engine spike).
#include "wave/interpreter/level.h"
#include "wave/jit/lowering.h"

namespace Atoll::wave {

using V = llvm::Value*;
using Block = llvm::BasicBlock*;

llvm::Value* Lowering::call_host(const void* function, llvm::Type* result, llvm::ArrayRef<V> arguments) {
  std::vector<llvm::Type*> types;
  for (V a : arguments) types.push_back(a->getType());
  auto* call = b_.CreateCall(llvm::FunctionType::get(result, types, false), pointer_constant(function), arguments);
  call->setDoesNotThrow();
  return call;
}

llvm::Value* Lowering::scalar_load(const Node& node) {
  const auto& access = *static_cast<const MemoryAccess*>(node.extra);
  V address = b_.CreateAdd(values_[size_t(node.a)], b_.getInt64(uint64_t(int64_t(access.offset))));
  // What has no place in the window is sent to a page next to it that is never mapped, so that it faults like any other.
  V inside = b_.CreateICmpULT(address, b_.getInt64(like_.window_bytes));
  V host = b_.CreateInBoundsGEP(i8_, window_, b_.CreateSelect(inside, address, b_.getInt64(like_.window_bytes + 4096)));
  static const uint64_t zero = 0;  // what a load reads whose condition is not met
  if (node.b >= 0) host = b_.CreateSelect(values_[size_t(node.b)], host, pointer_constant(&zero));
  V word = b_.CreateAlignedLoad(b_.getIntNTy(access.bytes * 8u), host, llvm::Align(1));
  if (access.bytes == 4) return word;
  return access.sign_extend ? b_.CreateSExt(word, i32_) : b_.CreateZExt(word, i32_);
}

// The highest offset of the accesses that share this one's address register: one bounds check serves them all.
uint32_t Lowering::highest_offset(const Node& node) const {
  uint32_t highest = 0;
  const auto& mine = *static_cast<const MemoryAccess*>(node.extra);
  auto cell_of = [&](int id) {
    return region_->nodes[size_t(id)].op == Op::ReadLanes ? region_->nodes[size_t(id)].imm : ~0ull - uint64_t(id);
  };
  for (const Node& x : region_->nodes)
    if ((x.op == Op::Load || x.op == Op::Store)) {
      const auto& access = *static_cast<const MemoryAccess*>(x.extra);
      if (access.space == mine.space && cell_of(x.a) == cell_of(node.a)) highest = std::max(highest, uint32_t(access.offset));
    }
  return highest;
}

// The lanes that an access is for: the active ones, those of its condition if it has one.
llvm::Value* Lowering::live_lanes(int condition) {
  return condition < 0 ? active_ : b_.CreateAnd(active_, values_[size_t(condition)]);
}

// Flat addresses in the window are global ones: the apertures lie beyond it.
static Space space_in_line(const MemoryAccess& access) { return access.space == Space::Flat ? Space::Global : access.space; }

// Tests once an address register and form; gives false where the addresses already were promised to fit nothing.
llvm::Value* Lowering::guarded(const Node& node, int form, int condition, Guard& guard) {
  const auto& access = *static_cast<const MemoryAccess*>(node.extra);
  const Space space = space_in_line(access);
  // In LDS conditions are bounds (M0): what all active lanes fit serves every access through the register, whatever its offset.
  if (space == Space::Lds) condition = -1;
  V low = values_[size_t(node.a)], high = values_[size_t(node.b)];
  auto key = std::make_tuple(space, form, low, space == Space::Global ? high : nullptr,
                             condition < 0 ? nullptr : values_[size_t(condition)]);
  if (auto known = guards_.find(key); known != guards_.end()) {
    guard = known->second;
    return guard.base;
  }
  V live = live_lanes(condition), first = b_.CreateExtractElement(low, uint64_t(0));
  V expected = splat(first);
  if (form == kConsecutive && space != Space::Scratch) expected = b_.CreateAdd(expected, iota(access.stride));
  V fits = b_.CreateOr(b_.CreateICmpEQ(low, expected), b_.CreateNot(live));
  V scalar_test;
  if (space == Space::Global) {
    V high_first = b_.CreateExtractElement(high, uint64_t(0));
    fits = b_.CreateAnd(fits, b_.CreateOr(b_.CreateICmpEQ(high, splat(high_first)), b_.CreateNot(live)));
    guard.base = b_.CreateOr(b_.CreateZExt(first, i64_), b_.CreateShl(b_.CreateZExt(high_first, i64_), 32));
    scalar_test = b_.CreateICmpULT(guard.base, b_.getInt64(like_.window_bytes));
  } else {
    guard.base = b_.CreateZExt(first, i64_);
    uint64_t span = space == Space::Scratch ? 4 : form == kConsecutive ? uint64_t(width_ - 1) * access.stride + 4 : 4;
    uint64_t reach = highest_offset(node) + span;
    scalar_test =
        b_.CreateICmpULE(b_.CreateAdd(guard.base, b_.getInt64(reach)), space == Space::Lds ? lds_bytes_ : scratch_bytes_);
    if (space == Space::Scratch)  // dwords that do not straddle
      scalar_test = b_.CreateAnd(scalar_test, b_.CreateICmpEQ(b_.CreateAnd(guard.base, b_.getInt64(3)), b_.getInt64(0)));
  }
  V all = b_.CreateICmpEQ(b_.CreateBitCast(fits, piece_), llvm::Constant::getAllOnesValue(piece_));
  V good = b_.CreateAnd(all, scalar_test);
  // With no lane active lane 0's address means nothing, and "all equal" reads without a mask.
  if (form == kEqual && space != Space::Scratch) good = b_.CreateAnd(good, any(live));
  Block on = llvm::BasicBlock::Create(module_.getContext(), "guarded", function_);
  b_.CreateCondBr(good, on, slow_, odds(2000, 1));
  b_.SetInsertPoint(on);
  guards_[key] = guard;
  return guard.base;
}

llvm::Value* Lowering::load(size_t, const Node& node) {
  leave_for_noted_nan();
  const auto& access = *static_cast<const MemoryAccess*>(node.extra);
  const Step& step = *region_->steps[node.step];
  V low = values_[size_t(node.a)], high = values_[size_t(node.b)];
  V live = live_lanes(node.c);
  int form = step.address_forms;
  const Space space = space_in_line(access);
  bool fast = slow_ && access.bytes == 4 && (form == kConsecutive || form == kEqual);
  if (space != Space::Global && access.offset < 0) fast = false;
  if (space == Space::Scratch && (access.offset & 3)) fast = false;
  if (form == kConsecutive && space != Space::Scratch && access.stride != 4) fast = false;
  if (!fast) return slow_load(node, low, high);
  Guard guard;
  guarded(node, form, node.c, guard);
  V none = llvm::Constant::getNullValue(vi32_);
  if (space == Space::Scratch) {
    V dword = b_.CreateLShr(b_.CreateAdd(guard.base, b_.getInt64(uint64_t(access.offset))), 2);
    V at = b_.CreateShl(b_.CreateAdd(b_.CreateMul(dword, b_.getInt64(like_.lanes)), chunk_), 2);
    return b_.CreateMaskedLoad(vi32_, b_.CreateInBoundsGEP(i8_, scratch_, at), llvm::Align(4), live, none);
  }
  V memory = space == Space::Global ? window_ : lds_;
  V pointer = b_.CreateGEP(i8_, b_.CreateGEP(i8_, memory, guard.base), b_.getInt64(uint64_t(int64_t(access.offset))));
  if (form == kConsecutive) return b_.CreateMaskedLoad(vi32_, pointer, llvm::Align(1), live, none);
  return splat(b_.CreateAlignedLoad(i32_, pointer, llvm::Align(1)));
}

void Lowering::store(size_t, const Node& node) {
  leave_for_noted_nan();
  const auto& access = *static_cast<const MemoryAccess*>(node.extra);
  const Step& step = *region_->steps[node.step];
  V low = values_[size_t(node.a)], high = values_[size_t(node.b)], value = values_[size_t(node.c)];
  V live = live_lanes(node.d);
  int form = step.address_forms;
  const Space space = space_in_line(access);
  bool scratch = space == Space::Scratch;
  bool fast = slow_ && access.bytes == 4 &&
              (scratch ? form == kEqual && !(access.offset & 3) : form == kConsecutive && access.stride == 4);
  if (space != Space::Global && access.offset < 0) fast = false;
  if (!fast) return slow_store(node, low, high, value);
  Guard guard;
  guarded(node, form, node.d, guard);
  if (scratch) {
    V dword = b_.CreateLShr(b_.CreateAdd(guard.base, b_.getInt64(uint64_t(access.offset))), 2);
    V at = b_.CreateShl(b_.CreateAdd(b_.CreateMul(dword, b_.getInt64(like_.lanes)), chunk_), 2);
    b_.CreateMaskedStore(value, b_.CreateInBoundsGEP(i8_, scratch_, at), llvm::Align(4), live);
    return;
  }
  V memory = space == Space::Global ? window_ : lds_;
  V pointer = b_.CreateGEP(i8_, b_.CreateGEP(i8_, memory, guard.base), b_.getInt64(uint64_t(int64_t(access.offset))));
  b_.CreateMaskedStore(value, pointer, llvm::Align(1), live);
}

// The helpers take 16 lanes in arrays: narrower chunks fill the low part.
llvm::Value* Lowering::slow_load(const Node& node, V low, V high) {
  llvm::Type* array = llvm::ArrayType::get(i32_, 16);
  V lows = make_alloca(array, "low"), highs = make_alloca(array, "high"), out = make_alloca(array, "out");
  b_.CreateAlignedStore(low, lows, llvm::Align(4));
  b_.CreateAlignedStore(high, highs, llvm::Align(4));
  V bits = b_.CreateZExt(b_.CreateBitCast(live_lanes(node.c), piece_), i32_);
  call_host(reinterpret_cast<const void*>(level_entries().load16), b_.getVoidTy(),
            {wave_, pointer_constant(node.extra), pointer_constant(region_->steps[node.step]), lows, highs,
             b_.CreateTrunc(chunk_, i32_), bits, out});
  return b_.CreateAlignedLoad(vi32_, out, llvm::Align(4));
}

void Lowering::slow_store(const Node& node, V low, V high, V value) {
  llvm::Type* array = llvm::ArrayType::get(i32_, 16);
  V lows = make_alloca(array, "low"), highs = make_alloca(array, "high"), values = make_alloca(array, "value");
  b_.CreateAlignedStore(low, lows, llvm::Align(4));
  b_.CreateAlignedStore(high, highs, llvm::Align(4));
  b_.CreateAlignedStore(value, values, llvm::Align(4));
  V bits = b_.CreateZExt(b_.CreateBitCast(live_lanes(node.d), piece_), i32_);
  call_host(reinterpret_cast<const void*>(level_entries().store16), b_.getVoidTy(),
            {wave_, pointer_constant(node.extra), pointer_constant(region_->steps[node.step]), lows, highs,
             b_.CreateTrunc(chunk_, i32_), bits, values});
}

// Byte regions (Xe-LP): element by element; LLVM joins what lies side by side.
llvm::Value* Lowering::read_region(const Node& node) {
  const auto& r = *static_cast<const Region*>(node.extra);
  V out = llvm::Constant::getNullValue(vi32_);
  for (int l = 0; l < r.lanes && l < width_; l++) {
    uint32_t element = r.width ? uint32_t(l) / r.width * r.vertical + uint32_t(l) % r.width * r.horizontal : uint32_t(l);
    V x = b_.CreateAlignedLoad(b_.getIntNTy(r.bytes * 8u), cell_pointer(r.cell + element * r.bytes), llvm::Align(1));
    if (r.bytes < 4) x = r.sign_extend ? b_.CreateSExt(x, i32_) : b_.CreateZExt(x, i32_);
    out = b_.CreateInsertElement(out, x, uint64_t(l));
  }
  return out;
}

void Lowering::write_region(const Node& node) {
  const auto& r = *static_cast<const Region*>(node.extra);
  V value = values_[size_t(node.a)], condition = values_[size_t(node.b)];
  llvm::Type* t = b_.getIntNTy(r.bytes * 8u);
  for (int l = 0; l < r.lanes && l < width_; l++) {
    uint32_t element = r.width ? uint32_t(l) / r.width * r.vertical + uint32_t(l) % r.width * r.horizontal : uint32_t(l);
    V pointer = cell_pointer(r.cell + element * r.bytes);
    V old = b_.CreateAlignedLoad(t, pointer, llvm::Align(1));
    V now = b_.CreateExtractElement(value, uint64_t(l));
    if (r.bytes < 4) now = b_.CreateTrunc(now, t);
    b_.CreateAlignedStore(b_.CreateSelect(b_.CreateExtractElement(condition, uint64_t(l)), now, old), pointer, llvm::Align(1));
  }
}

}  // namespace Atoll::wave
