#include "wave/jit/recorder.h"

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

}  // namespace Atoll::wave
