#include "wave/jit/nan_watch.h"

namespace Atoll::wave {

using V = llvm::Value*;

void NanWatch::begin_block(size_t nodes) {
  floats.assign(nodes, nullptr);
  computed.assign(nodes, false);
  lane_float.clear();
  noted = false;
  waiting_ = nullptr;
}

llvm::Value* NanWatch::float_of(int node) {
  if (floats[size_t(node)]) return floats[size_t(node)];
  V bits = values_[size_t(node)];
  return b_.CreateBitCast(bits, bits->getType() == f_.vi64 ? f_.vf64 : f_.vf32);
}

// Lanes whose bits are about to be seen, and which are a NaN. One comparison tells of two values whether either is one.
void NanWatch::note_nan(V computed) {
  noted = true;
  if (take_note) return take_note(computed);
  if (active_lanes) {  // which may be others later; a chunk's are looked at when it commits
    add_nans(b_.CreateAnd(b_.CreateFCmpUNO(computed, computed), active_lanes()));
  } else if (waiting_ && waiting_->getType() == computed->getType()) {
    add_nans(b_.CreateFCmpUNO(waiting_, computed));
    waiting_ = nullptr;
  } else {
    settle();
    waiting_ = computed;
  }
}
void NanWatch::settle() {
  if (waiting_) add_nans(b_.CreateFCmpUNO(waiting_, waiting_));
  waiting_ = nullptr;
}
void NanWatch::add_nans(V nans) {
  b_.CreateStore(b_.CreateOr(b_.CreateLoad(f_.piece, nan_seen), b_.CreateBitCast(nans, f_.piece)), nan_seen);
}

void NanWatch::observe(int node) {
  if (f_.options.exact || node < 0) return;
  V computed = floats[size_t(node)];
  if (!computed) return;
  note_nan(computed);
  floats[size_t(node)] = nullptr;  // once is enough
}

// Around a loop a register may bring along a float computed by the iteration before.
void NanWatch::note_carried_float(uint64_t cell) {
  if (!r_.lanes.count(cell) && carried_floats.count(cell) && !lane_float.count(cell))
    lane_float[cell] = b_.CreateBitCast(r_.read_lanes(cell), f_.vf32);
}

// Lane registers of a loop that bring a computed float's bits from one iteration or block to another, by moves as well.
void NanWatch::find_carried_floats(const std::vector<const CodeRegion*>& members) {
  for (size_t known = ~size_t(0); known != carried_floats.size();) {
    known = carried_floats.size();
    for (const CodeRegion* r : members) {
      for (const Node& x : r->nodes)
        if (x.op == Op::WriteLanes && holds_computed_float(*r, x.a)) carried_floats.insert(x.imm);
    }
  }
}

// True if a U32 node is the bits of a computed float, as far as the nodes alone tell.
bool NanWatch::holds_computed_float(const CodeRegion& region, int node) const {
  const Node& x = region.nodes[size_t(node)];
  if (x.op == Op::ReadLanes) return carried_floats.count(x.imm) > 0;
  if (x.op == Op::Select) return holds_computed_float(region, x.b) || holds_computed_float(region, x.c);
  if (x.op == Op::FNeg || x.op == Op::FAbs) return holds_computed_float(region, x.a);
  if (x.op == Op::Bitcast) return holds_computed_float(region, x.a);
  return (x.op >= Op::FAdd && x.op <= Op::RoundEven) || x.op == Op::CvtFloat || x.op == Op::CvtF32F16;
}

}  // namespace Atoll::wave
