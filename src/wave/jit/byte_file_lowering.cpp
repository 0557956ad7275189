// A region of a file of bytes: its nodes in the order of the program, on all of the wave's lanes at once.
#include <algorithm>
#include <cstddef>

#include "wave/jit/barrier_lowering.h"
#include "wave/jit/lowering.h"

namespace Atoll::wave {

using Block = llvm::BasicBlock*;

// Rounds of a loop after which it is left and entered anew: what a fault is found by goes over at most so many instructions again.
constexpr size_t replayed_steps = 8000, most_rounds = 256;

llvm::Function* Lowering::lower_in_order(const CodeRegion& region, const AccessPlan& plan, const std::string& name) {
  region_ = &region;
  plan_ = &plan;
  in_order_ = true;
  f_.begin(name);
  float_rules_.in_loop = true;
  memory_.begin(region, &plan);
  if (!f_.options.exact) nans_.take_note = [this](V computed) { note_in_order(computed, nullptr); };
  r_.clear();
  r_.chunk = b_.getInt64(0);
  const CodeRegion* const only = &region;
  bytes_.begin(std::span(&only, 1));
  has_memory_ = std::ranges::any_of(
      region.nodes, [](const Node& x) { return x.op == Op::Load || x.op == Op::Store || x.op == Op::ScalarLoad; });
  if (has_memory_ || !f_.options.exact) b_.CreateStore(b_.getInt32(0), f_.cell_pointer(offsetof(Wave, chunk)), true);
  if (has_memory_) memory_.find_memories();
  auto block = [&](const char* what) { return llvm::BasicBlock::Create(f_.module.getContext(), what, f_.function); };
  // A failed guess about addresses starts anew, in another version of everything, and so does one about the channels.
  const bool best = f_.options.tier == Tier::Full && !f_.options.exact;
  const Block slow = plan.groups.empty() ? nullptr : block("slow");
  if (const uint32_t channels = best ? channels_used() : 0) {
    const Block all = block("all"), some = block("some");
    b_.CreateCondBr(channels_are_on(f_.wave_field(channels_cell_, f_.i32), channels), all, some, f_.odds(2000, 1));
    b_.SetInsertPoint(all);
    emit_in_order({slow, channels, region.self_loop});
    b_.SetInsertPoint(some);
  }
  emit_in_order({slow, 0, best && region.self_loop});
  if (slow) {
    b_.SetInsertPoint(slow);
    emit_in_order({});
  }
  return f_.function;
}

void Lowering::emit_in_order(const Way& way) {
  bytes_.load(bytes_.touched_by(*region_), region_->live);
  V rounds = emit_nodes_in_order(way);
  const ByteFile::Units written = bytes_.written_by(*region_);
  bytes_.store_to_wave(written, bytes_.values_of(written));
  for (const Node& x : region_->nodes)
    if (x.op == Op::SignalBarrier) signal_barrier(f_);
  count_steps(b_.CreateMul(rounds, b_.getInt64(region_->steps.size())));
  terminate();
}

void Lowering::count_steps(V steps) {
  auto* count = f_.cell_pointer(offsetof(Wave, compiled));
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(f_.i64, count), steps), count);
}

// All that a region does but to give back what it has written and to go on. Gives how often it went round.
llvm::Value* Lowering::emit_nodes_in_order(const Way& way) {
  const auto& nodes = region_->nodes;
  values_.assign(nodes.size(), nullptr);
  nans_.begin_block(nodes.size());
  nans_in_order_.clear(), nan_waits_ = nullptr;
  floats_in_file_.clear();
  ones_.assign(nodes.size(), 0);
  active_ones_ = way.channels;
  memory_.begin_body(way.if_guards_fail, !way.channels);
  auto block = [&](const char* what) { return llvm::BasicBlock::Create(f_.module.getContext(), what, f_.function); };
  Block again = nullptr;
  llvm::PHINode* rounds = nullptr;
  if (way.rounds) {
    const Block before = b_.GetInsertBlock();
    again = block("again");
    b_.CreateBr(again);
    b_.SetInsertPoint(again);
    rounds = b_.CreatePHI(f_.i64, 2, "rounds");
    rounds->addIncoming(b_.getInt64(0), before);
    if (!f_.options.exact) find_carried_in_order();
  }
  for (size_t n = 0; n < nodes.size(); n++) {
    if (nodes[n].op >= Op::Jump || nodes[n].op == Op::SignalBarrier) continue;
    f_.set_width(lanes_of(nodes[n], int(f_.like.lanes)));
    r_.active = llvm::Constant::getAllOnesValue(f_.vi1);
    if (!emit_known_ones(n)) emit(n);
  }
  leave_for_nan_in_order();
  V done = b_.getInt64(1);
  if (way.rounds) {
    done = b_.CreateAdd(rounds, b_.getInt64(1));
    V more = b_.CreateAnd(
        values_[size_t(nodes.back().a)],
        b_.CreateICmpULT(done, b_.getInt64(std::clamp(replayed_steps / region_->steps.size(), size_t(1), most_rounds))));
    if (way.channels) more = b_.CreateAnd(more, channels_are_on(bytes_.read_word(channels_cell_), way.channels));
    rounds->addIncoming(done, b_.GetInsertBlock());
    const Block left = block("left");
    b_.CreateCondBr(more, again, left, f_.odds(100, 1));
    b_.SetInsertPoint(left);
  }
  // The values in registers are seen from here on.
  V last = nullptr;
  for (auto& [cell, computed] : floats_in_file_) {
    if (!computed || computed == last || region_->dead.count(cell)) continue;
    note_in_order(computed, nullptr);
    last = computed;
  }
  leave_for_nan_in_order();
  return done;
}

// --- channels. Most waves have all of theirs on nearly everywhere: one version takes that for granted, so that nothing is merged with
// what stood in a register before.

llvm::Value* Lowering::channels_are_on(V active, uint32_t channels) {
  return b_.CreateICmpEQ(b_.CreateAnd(active, b_.getInt32(channels)), b_.getInt32(channels));
}

// Instructions take their lanes from a word of the file: (word >> channel) & lanes. Finds the one that most do, and all the bits that they
// ask it for; 0: there is none.
uint32_t Lowering::channels_used() {
  const auto& nodes = region_->nodes;
  struct Shifted {
    uint64_t cell = 0;
    int by = 0;
  };
  std::vector<Shifted> shifted(nodes.size()),
      masked(nodes.size());                               // what a node is: such a word shifted to the right; bits of it
  std::map<uint64_t, std::pair<size_t, uint32_t>> words;  // how often, which bits
  for (size_t n = 0; n < nodes.size(); n++) {
    const Node& x = nodes[n];
    const Node* second = x.b >= 0 && nodes[size_t(x.b)].op == Op::Const ? &nodes[size_t(x.b)] : nullptr;
    if (x.op == Op::ReadScalar) shifted[n] = {x.imm, 0};
    if (x.op == Op::LShr && second && shifted[size_t(x.a)].cell)
      shifted[n] = {shifted[size_t(x.a)].cell, shifted[size_t(x.a)].by + int(second->imm)};
    if (x.op == Op::And && second) masked[n] = shifted[size_t(x.a)];
    if (x.op != Op::MaskOf || !masked[size_t(x.a)].cell) continue;
    const Shifted& word = masked[size_t(x.a)];
    const Node& bits = nodes[size_t(nodes[size_t(x.a)].b)];
    words[word.cell].first++;
    words[word.cell].second |= uint32_t(bits.imm << word.by);
  }
  const auto most = std::ranges::max_element(words, {}, [](const auto& word) { return word.second.first; });
  channels_cell_ = most == words.end() ? 0 : most->first;
  return most == words.end() ? 0 : most->second.second;
}

// Follows bits that are 1 because the channels are on. True: the node is a constant for that.
bool Lowering::emit_known_ones(size_t n) {
  const Node& x = region_->nodes[n];
  if (x.op == Op::WriteScalar && x.imm == channels_cell_) active_ones_ = ones_[size_t(x.a)];
  if (x.type != Type::S32) return false;
  auto of = [&](int id) { return ones_[size_t(id)]; };
  const Node* second = x.b >= 0 ? &region_->nodes[size_t(x.b)] : nullptr;
  const bool constant = second && second->op == Op::Const;
  switch (x.op) {
    case Op::Const: ones_[n] = uint32_t(x.imm); break;
    case Op::ReadScalar: ones_[n] = x.imm == channels_cell_ ? active_ones_ : 0; break;
    case Op::Or: ones_[n] = of(x.a) | of(x.b); break;
    case Op::And: ones_[n] = of(x.a) & of(x.b); break;
    case Op::LShr: ones_[n] = constant ? of(x.a) >> (second->imm & 31) : 0; break;
    case Op::Shl: ones_[n] = constant ? of(x.a) << (second->imm & 31) : 0; break;
    default: break;
  }
  if (x.op != Op::And || !constant || (of(x.a) & second->imm) != second->imm) return false;
  values_[n] = b_.getInt32(uint32_t(second->imm));
  return true;
}

// --- NaNs. A computed float that is written in all lanes stays a float in the file of bytes, until bits are read from there that are
// used as such, or the region is left.

namespace {

// The dwords that a region's elements lie in.
template <class F>
void for_dwords(const Region& r, F f) {
  for (uint32_t l = 0; l < r.lanes; l++)
    for (uint64_t at = r.cell + uint64_t(element_of(r, l)) * r.bytes, end = at + r.bytes; at < end; at = (at | 3) + 1)
      f(at & ~uint64_t(3));
}

}  // namespace

void Lowering::look_at_floats(uint64_t cell, uint64_t bytes) {
  if (floats_in_file_.empty()) return;
  for (uint64_t at = cell & ~uint64_t(3); at < cell + bytes; at += 4) {
    auto found = floats_in_file_.find(at);
    if (found == floats_in_file_.end()) continue;
    V computed = found->second;
    if (!computed) computed = b_.CreateVectorSplat(8, b_.CreateBitCast(bytes_.read_word(at), f_.f32));
    note_in_order(computed, nullptr);
    floats_in_file_.erase(found);
  }
}

void Lowering::read_in_order(size_t n) {
  const Node& x = region_->nodes[n];
  const auto& r = *static_cast<const Region*>(x.extra);
  if (floats_in_file_.empty()) return;
  bool some = false;
  for_dwords(r, [&](uint64_t at) { some |= floats_in_file_.count(at) > 0; });
  if (!some) return;
  if (r.bytes == 4 && r.cell % 4 == 0)
    nans_.floats[n] = b_.CreateBitCast(values_[n], f_.vf32);
  else
    for_dwords(r, [&](uint64_t at) { look_at_floats(at, 4); });
}

void Lowering::write_in_order(const Node& x, V computed, V condition) {
  const auto& r = *static_cast<const Region*>(x.extra);
  auto* known = llvm::dyn_cast<llvm::Constant>(condition);
  const bool all = known && known->isAllOnesValue(), whole = all && r.bytes >= 4 && r.cell % 4 == 0;
  if (computed && !(whole && r.bytes == 4)) return note_in_order(computed, condition);
  if (!whole) return;
  for_dwords(r, [&](uint64_t at) {
    if (computed)
      floats_in_file_[at] = computed;
    else
      floats_in_file_.erase(at);
  });
}

// Finds the values that a loop's round may take over from the one before.
void Lowering::find_carried_in_order() {
  const auto& nodes = region_->nodes;
  std::vector<bool> holds(nodes.size());
  for (size_t before = ~size_t(0); before != floats_in_file_.size();) {
    before = floats_in_file_.size();
    for (size_t n = 0; n < nodes.size(); n++) {
      const Node& x = nodes[n];
      auto of = [&](int id) { return id >= 0 && holds[size_t(id)]; };
      if (x.op == Op::ReadRegion)
        for_dwords(*static_cast<const Region*>(x.extra), [&](uint64_t at) { holds[n] = holds[n] || floats_in_file_.count(at); });
      else if (x.op == Op::Bitcast || x.op == Op::FNeg || x.op == Op::FAbs)
        holds[n] = of(x.a);
      else if (x.op == Op::Select)
        holds[n] = of(x.b) || of(x.c);
      else
        holds[n] = (x.op >= Op::FAdd && x.op <= Op::RoundEven) || x.op == Op::CvtFloat || x.op == Op::CvtF32F16;
      if (x.op == Op::WriteRegion && of(x.a))
        for_dwords(*static_cast<const Region*>(x.extra), [&](uint64_t at) { floats_in_file_.try_emplace(at, nullptr); });
    }
  }
}

// One comparison tells of two values whether either is a NaN.
void Lowering::note_in_order(V computed, V condition) {
  if (f_.options.exact) return;
  if (nan_waits_ && nan_condition_ == condition && nan_waits_->getType() == computed->getType()) {
    count_nans(nan_waits_, computed, condition);
    nan_waits_ = nullptr;
    return;
  }
  settle_in_order();
  nan_waits_ = computed, nan_condition_ = condition;
}
void Lowering::settle_in_order() {
  if (nan_waits_) count_nans(nan_waits_, nan_waits_, nan_condition_);
  nan_waits_ = nullptr;
}
void Lowering::count_nans(V a, V b, V condition) {
  V nans = b_.CreateFCmpUNO(a, b);
  if (condition) nans = b_.CreateAnd(nans, condition);
  V& seen = nans_in_order_[llvm::cast<llvm::FixedVectorType>(a->getType())->getNumElements()];
  seen = seen ? b_.CreateOr(seen, nans) : nans;
}

// Nothing of the region is in the wave yet: the exact version begins it anew.
void Lowering::leave_for_nan_in_order() {
  settle_in_order();
  if (nans_in_order_.empty()) return;
  V seen = nullptr;
  for (auto& [lanes, nans] : nans_in_order_) {
    V some = b_.CreateICmpNE(b_.CreateBitCast(nans, b_.getIntNTy(lanes)), b_.getIntN(lanes, 0));
    seen = seen ? b_.CreateOr(seen, some) : some;
  }
  nans_in_order_.clear();
  auto& context = f_.module.getContext();
  Block good = llvm::BasicBlock::Create(context, "good", f_.function),
        bad = nan_exit_ ? nan_exit_ : llvm::BasicBlock::Create(context, "nan", f_.function);
  b_.CreateCondBr(seen, bad, good, f_.odds(1, 2000));
  if (!nan_exit_) {
    b_.SetInsertPoint(bad);
    f_.return_code(Code::Nan, b_.getInt64(f_.program.index(region_->pc)));
  }
  b_.SetInsertPoint(good);
}

}  // namespace Atoll::wave
