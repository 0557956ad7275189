#include "wave/jit/recorder.h"

#include <algorithm>

namespace Atoll::wave {

static_assert(Engine<Recorder>);

Recorder::Recorder(const Wave& w, const FloatMode& m, const RegisterFile& file)
    : wave(w), mode(m), active_cell(file.active_cell), wide(w.lanes > 32) {}

bool Recorder::record(const Step& what, uint32_t at) {
  if (mode.skip_vectors && what.vector) return true;
  if (!what.record) return false;
  size_t before = nodes.size();
  step = &what;
  position = at;
  lane_count = 0;
  called = false;
  what.record(*this, what);
  if (called) nodes.resize(before), queue_.clear(), held_ = false;
  return !called;
}

void Recorder::commit_writes() {
  held_ = false;
  for (auto& q : queue_) effect(q.op, q.a, q.b, -1, q.imm, q.extra);
  queue_.clear();
}

void Recorder::atomic_into(const uint32_t* cells, unsigned results, M condition, const AtomicAccess& access, U32 low, U32 high,
                           U32 data_low, U32 data_high, U32 compare_low, U32 compare_high) {
  AtomicCall& call = atomics.emplace_back(AtomicCall{.access = access, .mode = mode, .results = uint8_t(results)});
  for (unsigned n = 0; n < results; n++) call.result[n] = cells[n];
  auto keep = [&](AtomicSlot slot, int id, bool needed = true) {
    const Node& x = nodes[size_t(id)];
    if (!needed || (x.op == Op::Const && !x.imm)) return;
    call.given |= uint8_t(1u << slot);
    effect(Op::KeepLanes, id, -1, -1, slot);
  };
  keep(kLow, low.id);
  keep(kHigh, high.id, access.space == Space::Global || access.space == Space::Flat || access.op == AtomicOp::SwapAtTwo);
  keep(kDataLow, data_low.id);
  keep(kDataHigh, data_high.id);
  keep(kCompareLow, compare_low.id);
  keep(kCompareHigh, compare_high.id);
  const Node& c = nodes[size_t(condition.id)];
  if (c.op != Op::Const || !c.imm) {
    call.given |= uint8_t(1u << kCondition);
    effect(Op::KeepLanes, select(condition, u32(~0u), u32(0)).id, -1, -1, kCondition);
  }
  effect(Op::Atomic, -1, -1, -1, 0, &call);
}

// The node of a texture of the form that these very words name, -1 if none was found in the region yet.
int Recorder::texture_found(uint64_t form, const std::array<S32, 12>& words) const {
  auto writes = [&](const Node& x, uint64_t cell) {
    if (x.op == Op::WriteScalar) return x.imm == cell;
    return x.op == Op::WriteMask && (x.imm == cell || x.imm + 4 == cell);
  };
  auto same = [&](int before, int now) {
    const Node &a = nodes[size_t(before)], &b = nodes[size_t(now)];
    if (a.op != b.op || a.imm != b.imm || (a.op != Op::ReadScalar && a.op != Op::Const)) return false;
    return a.op == Op::Const ||
           std::none_of(nodes.begin() + before, nodes.begin() + now, [&](const Node& between) { return writes(between, a.imm); });
  };
  for (size_t n = nodes.size(); n-- > 0;) {
    if (nodes[n].op != Op::Texture) continue;
    const auto& access = *static_cast<const TextureAccess*>(nodes[n].extra);
    bool found = access.form == form;
    for (size_t k = 0; k < words.size() && found; k++) found = same(access.words[k], words[k].id);
    if (found) return int(n);
  }
  return -1;
}

}  // namespace Atoll::wave
