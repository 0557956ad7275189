// A passage's function (passages.h). Its regions follow each other as blocks, in the order of the program, each in up to two versions,
// for channels that are all on and for those that are. They share the file of bytes.
#include <cstddef>

#include "wave/jit/barrier_lowering.h"
#include "wave/jit/lowering.h"

namespace Atoll::wave {

using V = llvm::Value*;
using Units = ByteFile::Units;

namespace {

Units operator|(Units a, const Units& b) {
  for (size_t n = 0; n < a.size(); n++) a[n] = a[n] || b[n];
  return a;
}
Units operator&(Units a, const Units& b) {
  for (size_t n = 0; n < a.size(); n++) a[n] = a[n] && b[n];
  return a;
}
Units without(Units a, const Units& b) {
  for (size_t n = 0; n < a.size(); n++) a[n] = a[n] && !b[n];
  return a;
}

}  // namespace

Lowering::Done Lowering::done_by(const CodeRegion& region) {
  Done done;
  for (const Node& x : region.nodes) {
    done.signals |= x.op == Op::SignalBarrier;
    if (x.op == Op::ScalarLoad) done.loads[0] = true;
    if (x.op != Op::Load && x.op != Op::Store) continue;
    const bool lds = static_cast<const MemoryAccess*>(x.extra)->space == Space::Lds;
    (x.op == Op::Load ? done.loads : done.stores)[lds] = true;
  }
  return done;
}

// As regions are cut (regions.h): run again, both together must read and write what they did.
bool Lowering::may_follow(const Done& before, const Done& next) {
  for (int space : {0, 1}) {
    if ((next.loads[space] && before.stores[space]) || (next.stores[space] && before.loads[space])) return false;
    if (before.signals && (next.loads[space] || next.stores[space])) return false;
  }
  return !(before.signals && next.signals);
}

llvm::Function* Lowering::lower_passage(const Passage& passage, std::span<const AccessPlan> plans, V alone,
                                        const std::string& name) {
  in_order_ = true;
  f_.begin(name);
  float_rules_.in_loop = true;
  nans_.take_note = [this](V computed) { note_in_order(computed, nullptr); };
  r_.clear();
  r_.chunk = b_.getInt64(0);
  std::vector<const CodeRegion*> regions;
  AccessPlan memories;  // all that any of them is for
  for (size_t n : passage) {
    regions.push_back(&f_.set.regions[n]);
    memories.groups.insert(memories.groups.end(), plans[n].groups.begin(), plans[n].groups.end());
  }
  bytes_.begin(regions);
  b_.CreateStore(b_.getInt32(0), f_.cell_pointer(offsetof(Wave, chunk)), true);
  memory_.begin(*regions[0], &memories);
  memory_.find_memories();
  steps_done_ = f_.make_alloca(f_.i64, "steps");
  b_.CreateStore(b_.getInt64(0), steps_done_);
  for (size_t n : passage) {
    const CodeRegion& region = f_.set.regions[n];
    parts_[region.pc] = {.region = &region,
                         .plan = &plans[n],
                         .begin = llvm::BasicBlock::Create(f_.module.getContext(), "part", f_.function),
                         .touched = bytes_.touched_by(region),
                         .live = bytes_.in(region.live),
                         .resident = {},
                         .changed = bytes_.none(),
                         .done = {}};
  }
  const CodeRegion& entry = *regions[0];
  bytes_.load(find_residents(entry.pc), entry.live);
  b_.CreateBr(parts_[entry.pc].begin);
  for (auto& [pc, part] : parts_) emit_part(part, pc == entry.pc ? alone : nullptr);
  return f_.function;
}

// Units stand in the function from the first region on that touches them. If paths meet and only one of them has a unit that is
// still read, it stands there from the beginning: this gives those units.
Units Lowering::find_residents(uint64_t entry) {
  Units always = bytes_.none();
  for (bool again = true; again;) {
    again = false;
    std::map<uint64_t, Units> some;  // on one of the ways to a part
    for (auto& [pc, part] : parts_) part.resident.clear();
    parts_[entry].resident = some[entry] = always;
    for (auto& [pc, part] : parts_) {
      const Units mixed = without(some[pc], part.resident) & part.live;
      if (mixed != bytes_.none()) always = always | mixed, again = true;
      const Units after = part.resident | part.touched;
      for (uint64_t to : ways_on(*part.region)) {
        const auto next = parts_.find(to);
        if (next == parts_.end() || to <= pc) continue;
        const bool first = next->second.resident.empty();
        next->second.resident = first ? after : next->second.resident & after;
        some[to] = first ? after : some[to] | after;
      }
    }
  }
  return always;
}

// `alone`: the region's own function where that cannot be found as others are, since it is this one's place.
void Lowering::emit_part(PassagePart& part, V alone) {
  region_ = part.region, plan_ = part.plan;
  memory_.begin(*region_, plan_);
  auto block = [&](const char* what) { return llvm::BasicBlock::Create(f_.module.getContext(), what, f_.function); };
  b_.SetInsertPoint(part.begin);
  bytes_.load(without(part.touched, part.resident & part.live), region_->live);
  Units changed = part.changed & part.live;
  const Done own = done_by(*region_);
  if (!may_follow(part.done, own)) {
    bytes_.store_to_wave(changed, bytes_.values_of(changed));
    b_.CreateStore(f_.place(region_->pc), f_.cell_pointer(offsetof(Wave, pc)));
    changed = bytes_.none(), part.done = {};
  }
  part.done |= own;
  const std::vector<V> found = bytes_.values_of(changed);
  V steps_before = b_.CreateLoad(f_.i64, steps_done_);
  const Block left = block("left");
  nan_exit_ = block("nan");
  const Units after = changed | bytes_.written_by(*region_);
  auto emit_way = [&](uint32_t channels) {
    emit_nodes_in_order({left, channels, false});
    b_.CreateStore(b_.CreateAdd(steps_before, b_.getInt64(region_->steps.size())), steps_done_);
    end_part(part, after);
  };
  if (const uint32_t channels = channels_used()) {
    const Block all = block("all"), some = block("some");
    b_.CreateCondBr(channels_are_on(bytes_.read_word(channels_cell_), channels), all, some, f_.odds(2000, 1));
    b_.SetInsertPoint(all);
    emit_way(channels);
    b_.SetInsertPoint(some);
  }
  emit_way(0);
  auto give_back = [&](Block where) {
    b_.SetInsertPoint(where);
    bytes_.store_to_wave(changed, found);
    count_steps(steps_before);
  };
  if (left->use_empty()) {
    left->eraseFromParent();
  } else {
    give_back(left);
    if (alone) {
      b_.CreateStore(f_.place(region_->pc), f_.cell_pointer(offsetof(Wave, pc)));
      auto* call = b_.CreateCall(f_.function->getFunctionType(), alone, {f_.wave, b_.getInt32(0)});
      call->setTailCallKind(llvm::CallInst::TCK_MustTail);
      b_.CreateRet(call);
    } else {
      f_.return_to(region_->pc, 0);
    }
  }
  if (nan_exit_->use_empty()) {
    nan_exit_->eraseFromParent();
  } else {
    give_back(nan_exit_);
    f_.return_code(Code::Nan, b_.getInt64(f_.program.index(region_->pc)));
  }
  nan_exit_ = nullptr;
}

void Lowering::leave_passage(const Units& changed, const LiveLanes& live) {
  const Units read = changed & bytes_.in(live);
  bytes_.store_to_wave(read, bytes_.values_of(read));
  count_steps(b_.CreateLoad(f_.i64, steps_done_));
}

void Lowering::end_part(const PassagePart& part, const Units& changed) {
  for (const Node& x : region_->nodes)
    if (x.op == Op::SignalBarrier) signal_barrier(f_);
  auto go_on = [&](uint64_t pc) {
    if (auto next = parts_.find(pc); next != parts_.end() && pc > region_->pc) {
      next->second.changed = next->second.changed | changed;
      next->second.done |= part.done;
      b_.CreateBr(next->second.begin);
      return;
    }
    LiveLanes live;
    for (const CodeRegion& other : f_.set.regions)
      if (other.pc == pc) live = other.live;
    leave_passage(changed, live);
    f_.return_to(pc, region_->pc);
  };
  const std::vector<uint64_t> ways = ways_on(*region_);
  if (ways.empty()) {
    leave_passage(changed, region_->left);
    return terminate();
  }
  if (ways.size() == 1) return go_on(ways[0]);
  auto& context = f_.module.getContext();
  const Block taken = llvm::BasicBlock::Create(context, "taken", f_.function),
              other = llvm::BasicBlock::Create(context, "other", f_.function);
  b_.CreateCondBr(values_[size_t(region_->nodes.back().a)], taken, other);
  b_.SetInsertPoint(taken);
  go_on(ways[0]);
  b_.SetInsertPoint(other);
  go_on(ways[1]);
}

}  // namespace Atoll::wave
