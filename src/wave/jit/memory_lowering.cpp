#include "wave/jit/memory_lowering.h"

#include <llvm/IR/InlineAsm.h>

#include "wave/interpreter/level.h"
#include "wave/jit/plain_bytes.h"

namespace Atoll::wave {

static const MemoryAccess& access_of(const Node& node) { return *static_cast<const MemoryAccess*>(node.extra); }

using V = llvm::Value*;
using Block = llvm::BasicBlock*;

void MemoryLowering::begin(const CodeRegion& region, const AccessPlan* plan) { region_ = &region, plan_ = plan; }

void MemoryLowering::begin_body(llvm::BasicBlock* slow, bool any_lane_first) {
  slow_ = slow;
  any_lane_first_ = any_lane_first;
  levels_.clear();
  parts_.clear();
  blocks_.clear();
  proofs_.assign(plan_->groups.size(), {});
}

void MemoryLowering::find_memories() { addresses_.begin(f_.wave, *plan_); }

llvm::Value* MemoryLowering::scalar_load(size_t n, const Node& node) {
  const auto& access = *static_cast<const MemoryAccess*>(node.extra);
  V address = b_.CreateAdd(values_[size_t(node.a)], b_.getInt64(uint64_t(int64_t(access.offset))));
  V host = addresses_.scalar_place(address);
  // (Zeros are what a load reads whose condition is not met.)
  if (node.b >= 0) host = b_.CreateSelect(values_[size_t(node.b)], host, f_.data(std::string(8, '\0')));
  V word = b_.CreateAlignedLoad(b_.getIntNTy(access.bytes * 8u), host, llvm::Align(1), plan_->unwanted[n]);
  if (runs_round()) need_here(word);
  if (access.bytes == 4) return word;
  return access.sign_extend ? b_.CreateSExt(word, f_.i32) : b_.CreateZExt(word, f_.i32);
}

// True if the region jumps to its own start, which the compiler may make a loop of one function of. (Of files of bytes such loops store
// nothing: when their loads are made is seen nowhere.)
bool MemoryLowering::runs_round() const {
  if (in_loop_) return true;
  if (f_.program.register_file().whole_wave) return false;
  const Step& last = *region_->steps.back();
  return (last.flow == Flow::Branch || last.flow == Flow::Conditional) && last.target == region_->pc;
}

// The compiler must not move the load that gave this out of a loop to where its last value is needed: its fault is due in every
// round. Costs no instruction.
void MemoryLowering::need_here(V loaded) {
  auto needed = [&](V value, const char* where) {
    auto* nothing = llvm::FunctionType::get(b_.getVoidTy(), {value->getType()}, false);
    b_.CreateCall(nothing, llvm::InlineAsm::get(nothing, "", where, true), {value})->setDoesNotThrow();
  };
  if (!loaded->getType()->isVectorTy()) return needed(loaded, "r");
  unsigned whole = host_level() == Level::Avx512 ? 16 : host_level() == Level::Avx2 ? 8 : 4, lanes = unsigned(f_.width);
  for (unsigned from = 0; from < lanes; from += whole) {
    llvm::SmallVector<int> part;
    for (unsigned l = from; l < std::min(from + whole, lanes); l++) part.push_back(int(l));
    needed(b_.CreateShuffleVector(loaded, part), "x");
  }
}

// The lanes that an access is for: the active ones, those of its condition if it has one.
llvm::Value* MemoryLowering::live_lanes(int condition) {
  return condition < 0 ? r_.active : b_.CreateAnd(r_.active, values_[size_t(condition)]);
}

// The group's guard, once: where its lanes are not in their form, or would touch what is not their memory, on to the slow
// version.
const HostAddresses::Proof& MemoryLowering::guarded(int number) {
  HostAddresses::Proof& proof = proofs_[size_t(number)];
  if (proof.base) return proof;
  const GuardedGroup& group = plan_->groups[size_t(number)];
  V low = values_[size_t(group.low)], live = live_lanes(group.condition);
  auto whole = [&](V lanes) {
    return b_.CreateICmpEQ(b_.CreateBitCast(lanes, f_.piece), llvm::Constant::getAllOnesValue(f_.piece));
  };
  auto go_on = [&](V good) {
    Block on = llvm::BasicBlock::Create(f_.module.getContext(), "guarded", f_.function);
    b_.CreateCondBr(good, on, slow_, f_.odds(2000, 1));
    b_.SetInsertPoint(on);
  };
  if (group.form == kOther && group.base >= 0) {
    go_on(addresses_.sums_test(group, values_[size_t(group.base)], values_[size_t(group.offset)], proof));
    return proof;
  }
  if (group.form == kOther) {
    V holds = addresses_.lanes_test(group, low, group.high < 0 ? nullptr : values_[size_t(group.high)], proof);
    go_on(whole(b_.CreateOr(holds, b_.CreateNot(live))));
    return proof;
  }
  if (group.base >= 0) low = values_[size_t(group.offset)];
  V first = nullptr, lane = b_.getInt64(0);
  if (any_lane_first_ && group.form == kConsecutive) {  // the first that is live may stand anywhere
    lane = first_live(live);
    first = b_.CreateSub(b_.CreateExtractElement(low, lane), b_.CreateShl(b_.CreateTrunc(lane, f_.i32), 2));
  } else {
    first = b_.CreateExtractElement(low, uint64_t(0));
  }
  V expected = f_.splat(first);
  if (group.form == kConsecutive) expected = b_.CreateAdd(expected, f_.iota(4));
  V dead = b_.CreateNot(live), fits = b_.CreateOr(b_.CreateICmpEQ(low, expected), dead), first_high = nullptr;
  if (group.space == Space::Global && group.base < 0) {
    V high = values_[size_t(group.high)];
    first_high = b_.CreateExtractElement(high, lane);
    fits = b_.CreateAnd(fits, b_.CreateOr(b_.CreateICmpEQ(high, f_.splat(first_high)), dead));
  }
  V inside = group.base >= 0 ? addresses_.sum_test(group, values_[size_t(group.base)], first, proof)
                             : addresses_.bounds_test(group, first, first_high, proof);
  V good = b_.CreateAnd(whole(fits), inside);
  // With no lane active lane 0's address means nothing, and "all equal" reads without a mask.
  if (group.form == kEqual && group.space != Space::Scratch) good = b_.CreateAnd(good, f_.any(live));
  go_on(good);
  return proof;
}

llvm::Value* MemoryLowering::first_live(V live) {
  V bits = b_.CreateZExt(b_.CreateBitCast(live, f_.piece), f_.i64);
  return b_.CreateAnd(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getFalse()), b_.getInt64(uint64_t(f_.width) - 1));
}

llvm::Value* MemoryLowering::load(size_t n, const Node& node) {
  const auto& access = *static_cast<const MemoryAccess*>(node.extra);
  int group = slow_ ? plan_->group_of[n] : -1;
  if (group < 0) return slow_load(node, values_[size_t(node.a)], values_[size_t(node.b)]);
  V live = live_lanes(node.c);
  const HostAddresses::Proof& proof = guarded(group);
  if (proof.form == kOther)
    return plan_->groups[size_t(group)].rows ? row_or_gather(n, access, proof, live) : gather(n, access, proof, live);
  V place = addresses_.place(proof, access.offset, r_.chunk);
  bool scratch = proof.space == Space::Scratch;
  bool unwanted = plan_->unwanted[n] && proof.space == Space::Global;  // the others do not fault
  bool round = proof.space == Space::Global && runs_round();
  if (!scratch && proof.form == kEqual) {
    V word = b_.CreateAlignedLoad(f_.i32, place, llvm::Align(1), unwanted);
    if (round) need_here(word);
    return f_.splat(word);
  }
  V words = b_.CreateMaskedLoad(f_.vi32, place, llvm::Align(scratch ? 4 : 1), live, llvm::Constant::getNullValue(f_.vi32));
  if (round) need_here(words);
  if (unwanted) b_.CreateStore(words, f_.make_alloca(f_.vi32, "unwanted"), true);
  return words;
}

// Lanes of 16 bytes (8) are loaded one by one and turned, which takes a fraction of four (two) gathers.
unsigned MemoryLowering::dwords_together(size_t n) const {
  const std::vector<Node>& nodes = region_->nodes;
  if (f_.width != 16 || f_.program.register_file().whole_wave || access_of(nodes[n]).bytes != 4) return 0;
  unsigned dwords = 1;
  for (size_t next = n + 1; next < nodes.size() && nodes[next].step == nodes[n].step && dwords < 4; next++) {
    if (nodes[next].op != Op::Load) continue;
    const bool beside = plan_->group_of[next] == plan_->group_of[n] && access_of(nodes[next]).bytes == 4 &&
                        nodes[next].c == nodes[n].c &&
                        access_of(nodes[next]).offset == access_of(nodes[n]).offset + 4 * int32_t(dwords);
    if (!beside) break;
    dwords++;
  }
  return dwords == 4 ? 4 : dwords >= 2 ? 2 : 0;
}

void MemoryLowering::load_blocks(size_t n, unsigned dwords, const HostAddresses::Proof& proof, V live) {
  const auto& access = *static_cast<const MemoryAccess*>(region_->nodes[n].extra);
  V places = addresses_.lane_block_places(proof, access.offset, 4 * dwords, live, f_.wave);
  auto* block = llvm::FixedVectorType::get(f_.i32, dwords);
  std::vector<V> parts;
  parts.reserve(16);
  for (unsigned l = 0; l < 16; l++)
    parts.push_back(b_.CreateAlignedLoad(block, b_.CreateExtractElement(places, l), llvm::Align(1)));
  while (parts.size() > 1) {  // one after the other
    std::vector<V> joined;
    for (size_t p = 0; p < parts.size(); p += 2) {
      llvm::SmallVector<int, 64> both;
      const unsigned own = llvm::cast<llvm::FixedVectorType>(parts[p]->getType())->getNumElements();
      for (unsigned e = 0; e < 2 * own; e++) both.push_back(int(e));
      joined.push_back(b_.CreateShuffleVector(parts[p], parts[p + 1], both));
    }
    parts = std::move(joined);
  }
  unsigned dword = 0;
  for (size_t at = n; dword < dwords; at++) {
    if (region_->nodes[at].op != Op::Load) continue;
    llvm::SmallVector<int, 16> own;
    for (unsigned l = 0; l < 16; l++) own.push_back(int(l * dwords + dword));
    blocks_[at] = b_.CreateShuffleVector(parts[0], own);
    if (runs_round()) need_here(blocks_[at]);
    dword++;
  }
}

llvm::Value* MemoryLowering::gather(size_t n, const MemoryAccess& access, const HostAddresses::Proof& proof, V live) {
  if (!blocks_.count(n))
    if (const unsigned dwords = dwords_together(n)) load_blocks(n, dwords, proof, live);
  if (auto made = blocks_.find(n); made != blocks_.end()) {
    if (plan_->unwanted[n]) b_.CreateStore(made->second, f_.make_alloca(f_.vi32, "unwanted"), true);
    return made->second;
  }
  V shift = nullptr, places = addresses_.lane_places(proof, access.offset, access.bytes, shift);
  V words = b_.CreateMaskedGather(f_.vi32, places, llvm::Align(1), live, llvm::Constant::getNullValue(f_.vi32));
  if (runs_round()) need_here(words);
  if (plan_->unwanted[n]) b_.CreateStore(words, f_.make_alloca(f_.vi32, "unwanted"), true);
  if (!shift) return words;
  V above = f_.splat(b_.getInt32(32u - 8u * access.bytes));
  words = b_.CreateShl(b_.CreateLShr(words, shift), above);
  return access.sign_extend ? b_.CreateAShr(words, above) : b_.CreateLShr(words, above);
}

// A gather takes several times as long as a load. The guard has tested each live lane's address, whichever way is taken.
llvm::Value* MemoryLowering::row_or_gather(size_t n, const MemoryAccess& access, const HostAddresses::Proof& proof, V live) {
  V first = nullptr, row = addresses_.row_test(proof, live, any_lane_first_ ? first_live(live) : b_.getInt64(0), first);
  auto block = [&](const char* what) { return llvm::BasicBlock::Create(f_.module.getContext(), what, f_.function); };
  const Block together = block("row"), apart = block("apart"), loaded = block("loaded");
  b_.CreateCondBr(row, together, apart, f_.odds(100, 1));
  b_.SetInsertPoint(together);
  V zeros = llvm::Constant::getNullValue(f_.vi32);
  V words = b_.CreateMaskedLoad(f_.vi32, addresses_.row_place(proof, first, access.offset), llvm::Align(1), live, zeros);
  b_.CreateBr(loaded);
  b_.SetInsertPoint(apart);
  V gathered = gather(n, access, proof, live);
  const Block from = b_.GetInsertBlock();
  b_.CreateBr(loaded);
  b_.SetInsertPoint(loaded);
  auto* both = b_.CreatePHI(f_.vi32, 2);
  both->addIncoming(words, together), both->addIncoming(gathered, from);
  if (plan_->unwanted[n]) b_.CreateStore(both, f_.make_alloca(f_.vi32, "unwanted"), true);
  return both;
}

llvm::Value* MemoryLowering::shared_word(const Node& node) {
  V inside = nullptr, places = addresses_.shared_places(f_.wave, values_[size_t(node.a)], inside);
  return b_.CreateMaskedGather(f_.vi32, places, llvm::Align(1), inside, llvm::Constant::getNullValue(f_.vi32));
}

void MemoryLowering::store(size_t n, const Node& node) {
  const auto& access = *static_cast<const MemoryAccess*>(node.extra);
  V value = values_[size_t(node.c)];
  int group = slow_ ? plan_->group_of[n] : -1;
  if (group < 0) return slow_store(node, values_[size_t(node.a)], values_[size_t(node.b)], value);
  V live = live_lanes(node.d);
  const HostAddresses::Proof& proof = guarded(group);
  V place = addresses_.place(proof, access.offset, r_.chunk);
  b_.CreateMaskedStore(value, place, llvm::Align(proof.space == Space::Scratch ? 4 : 1), live);
}

// The helpers take 16 lanes in arrays: narrower chunks fill the low part, wider ones are as many calls.
static constexpr unsigned helper_lanes = 16;

struct MemoryLowering::HelperPart {
  FunctionBuilder& f;
  unsigned from;  // lane
  V first, bits;
  V of(V array) const { return from ? f.ir.CreateConstInBoundsGEP1_64(f.i32, array, from) : array; }
};
MemoryLowering::HelperPart MemoryLowering::helper_part(V live, unsigned from) {
  V bits = b_.CreateZExt(b_.CreateBitCast(live, f_.piece), f_.i64), first = b_.CreateTrunc(r_.chunk, f_.i32);
  if (from) first = b_.CreateAdd(first, b_.getInt32(from)), bits = b_.CreateLShr(bits, from);
  bits = b_.CreateTrunc(bits, f_.i32);
  return {f_, from, first, bits};
}

llvm::Value* MemoryLowering::slow_load(const Node& node, V low, V high) {
  llvm::Type* array = llvm::ArrayType::get(f_.i32, std::max(helper_lanes, unsigned(f_.width)));
  V lows = f_.make_alloca(array, "low"), highs = f_.make_alloca(array, "high"), out = f_.make_alloca(array, "out");
  b_.CreateAlignedStore(low, lows, llvm::Align(4));
  b_.CreateAlignedStore(high, highs, llvm::Align(4));
  V live = live_lanes(node.c);
  for (unsigned from = 0; from < unsigned(f_.width); from += helper_lanes) {
    const HelperPart part = helper_part(live, from);
    f_.call_host(reinterpret_cast<const void*>(level_entries().load16), b_.getVoidTy(),
                 {f_.wave, f_.data(plain_bytes(access_of(node))), f_.place(region_->steps[node.step]->pc), part.of(lows),
                  part.of(highs), part.first, part.bits, part.of(out)});
  }
  return b_.CreateAlignedLoad(f_.vi32, out, llvm::Align(4));
}

// The helper's calls wait for the last of an instruction's stores: 16 lanes do all of theirs, then the next 16.
void MemoryLowering::slow_store(const Node& node, V low, V high, V value) {
  const auto& access = *static_cast<const MemoryAccess*>(node.extra);
  const bool waits = access.parts > 1 && unsigned(f_.width) > helper_lanes;
  if (access.part == 0 || !waits) waiting_.clear();
  llvm::Type* array = llvm::ArrayType::get(f_.i32, std::max(helper_lanes, unsigned(f_.width)));
  SlowStore own{&node, f_.make_alloca(array, "low"), f_.make_alloca(array, "high"), f_.make_alloca(array, "value"),
                live_lanes(node.d)};
  b_.CreateAlignedStore(low, own.low, llvm::Align(4));
  b_.CreateAlignedStore(high, own.high, llvm::Align(4));
  b_.CreateAlignedStore(value, own.value, llvm::Align(4));
  waiting_.push_back(own);
  if (waits && access.part + 1 < access.parts) return;
  auto* type = b_.getVoidTy();
  const void* helper = reinterpret_cast<const void*>(level_entries().store16);
  for (unsigned from = 0; from < unsigned(f_.width); from += helper_lanes)
    for (const SlowStore& s : waiting_) {
      const HelperPart part = helper_part(s.live, from);
      f_.call_host(helper, type,
                   {f_.wave, f_.data(plain_bytes(access_of(*s.node))), f_.place(region_->steps[s.node->step]->pc), part.of(s.low),
                    part.of(s.high), part.first, part.bits, part.of(s.value)});
    }
  waiting_.clear();
}

}  // namespace Atoll::wave
