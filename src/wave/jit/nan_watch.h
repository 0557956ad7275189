// Fast code leaves open which NaN an operation gives. This keeps track of the bits that come from computed floats, and notes where
// they are about to be seen while one of them is a NaN: then the exact version takes over (lowering.h).
#pragma once
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "wave/jit/register_values.h"

namespace Atoll::wave {

struct NanWatch {
  using V = llvm::Value*;
  NanWatch(FunctionBuilder& f, RegisterValues& r, const std::vector<V>& values) : f_(f), b_(f.ir), r_(r), values_(values) {}

  std::vector<V> floats;              // by node: of a U32/U64 one that holds the bits of a computed float, that float
  std::vector<bool> computed;         // by node: of a float, its NaN payload is not yet by rule
  std::map<uint64_t, V> lane_float;   // the computed float that a lane register's current value is
  std::set<uint64_t> carried_floats;  // lane registers that bring a computed float around a loop
  V nan_seen = nullptr;               // alloca: a chunk's bits
  bool noted = false;                 // the body has looked at bits since it last asked whether they were a NaN's
  std::function<void(V)> take_note;   // who notes instead: a region of a file of bytes
  std::function<V()> active_lanes;    // set where the active mask may change before what was noted is asked for

  void begin_block(size_t nodes);
  V float_of(int node);
  void note_nan(V computed);  // lanes whose bits are about to be seen
  void settle();              // nan_seen tells of all that was noted
  void observe(int node);     // the bits of this node are about to be seen
  // Around nodes that may be left out, and what they note with them: what was noted before them, and is still to be noted after them.
  struct Mark {
    std::vector<V> floats;
    V waiting = nullptr;
  };
  Mark mark() {
    Mark now{floats, waiting_};
    waiting_ = nullptr;
    return now;
  }
  void back_to(const Mark& before) { floats = before.floats, waiting_ = before.waiting; }
  void note_carried_float(uint64_t cell);
  void find_carried_floats(const std::vector<const CodeRegion*>& members);

private:
  V waiting_ = nullptr;  // noted, and not yet compared
  void add_nans(V nans);
  FunctionBuilder& f_;
  llvm::IRBuilder<>& b_;
  RegisterValues& r_;
  const std::vector<V>& values_;  // by node
  bool holds_computed_float(const CodeRegion& region, int node) const;
};

}  // namespace Atoll::wave
