// The rule of --check=waits for AMD's instruction sets: an access to memory is counted where it begins and is done when its counter has
// come down; until an instruction has waited for that, the registers that it loads hold what they held. Accesses of one kind are done in
// their order, those of different kinds, and scalar loads, in any (Sea Islands ISA 4.4 "Manually inserted wait states"; RDNA4 ISA 5.6;
// LLVM SIInsertWaitcnts.cpp, counterOutOfOrder). So a wait for at most N leaves the last N of each kind, and of scalar loads all unless N
// is 0. Nothing here looks at lanes: compilers do not either.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <deque>

#include "isa/amd/inline_constants.h"
#include "isa/amd/isa.h"
#include "wave/findings.h"

namespace Atoll::amd {

// VGPRs at 0, scalar registers (by operand number) at 256.
inline constexpr unsigned max_vgprs = 256, max_scalars = 128;
using RegisterSet = std::bitset<max_vgprs + max_scalars>;
inline void add_vgprs(RegisterSet& set, unsigned first, unsigned count) {
  for (unsigned n = first; n < first + count && n < max_vgprs; n++) set.set(n);
}
inline void add_scalars(RegisterSet& set, unsigned first, unsigned count) {
  for (unsigned n = first; n < first + count && n < max_scalars; n++) set.set(max_vgprs + n);
}
// A register of a source, by operand number.
inline void add_source(RegisterSet& set, unsigned operand, unsigned count) {
  if (operand >= VGPR0)
    add_vgprs(set, operand - VGPR0, count);
  else
    add_scalars(set, operand, count);
}

inline constexpr unsigned max_counters = 8;
struct Counted {
  int counter = -1;          // -1: it is no access
  uint8_t kind = 0;          // accesses of one kind are done in their order
  bool any_order = false;    // those of its kind, too, are in none
  bool reads_later = false;  // its registers are read until it is done (exports), not written
  bool has_result = false;
};
// For each counter: at most so many are left; -1: no matter.
using Waits = std::array<int, max_counters>;

// The registers that an instruction touches: those it reads, and those of its result.
struct Registers {
  RegisterSet reads, writes;
};

// Policy: counted(i), waits(i), registers(i), counter_name(n), all of its Instruction.
template <class Policy>
class WaitCounters : public wave::WaitRule {
public:
  explicit WaitCounters(Policy policy) : policy_(policy) {}
  void before(const wave::Wave&, const wave::Step& step, std::vector<wave::EarlyUse>& found) override {
    const auto& i = *static_cast<const typename Policy::Instruction*>(step.instruction);
    wait(policy_.waits(i));
    const Registers touched = policy_.registers(i);
    for (const Entry& e : under_way_) {
      if (e.what.reads_later) {
        look(e, touched.writes & e.touched.reads, wave::Hazard::Source, found);
      } else {
        look(e, touched.reads & e.touched.writes, wave::Hazard::Read, found);
        // Results that come in order may go to one register one after the other.
        const Counted now = policy_.counted(i);
        const bool behind = now.counter == e.what.counter && now.kind == e.what.kind && !now.any_order && !e.what.any_order;
        if (!behind) look(e, touched.writes & e.touched.writes, wave::Hazard::Overwrite, found);
      }
    }
    const Counted what = policy_.counted(i);
    if (what.counter < 0) return;
    under_way_.push_back({&step, what, touched});
    if (under_way_.size() > most) under_way_.pop_front();
  }

private:
  static constexpr size_t most = 256;  // more than any counter counts
  struct Entry {
    const wave::Step* step;
    Counted what;
    Registers touched;
  };
  Policy policy_;
  std::deque<Entry> under_way_;  // the oldest first

  void wait(const Waits& waits) {
    std::array<std::array<int, 8>, max_counters> later{};
    for (size_t n = under_way_.size(); n-- > 0;) {
      const Counted what = under_way_[n].what;
      const int limit = waits[unsigned(what.counter)], behind = later[unsigned(what.counter)][what.kind & 7]++;
      if (limit < 0 || (what.any_order ? limit > 0 : behind < limit)) continue;
      under_way_.erase(under_way_.begin() + ptrdiff_t(n));
    }
  }
  void look(const Entry& e, const RegisterSet& both, wave::Hazard hazard, std::vector<wave::EarlyUse>& found) {
    if (both.none()) return;
    unsigned n = 0;
    while (!both.test(n)) n++;
    int later = 0;
    for (size_t k = under_way_.size(); k-- > 0 && &under_way_[k] != &e;)
      later += under_way_[k].what.counter == e.what.counter && under_way_[k].what.kind == e.what.kind;
    found.push_back({hazard, e.step, n < max_vgprs ? fmt::format("v{}", n) : policy_.scalar_name(n - max_vgprs),
                     policy_.wait_text(e.what.counter, e.what.any_order ? 0 : later), 0});
  }
};

}  // namespace Atoll::amd
