// Threads that read and write entries of the URB, of the stages before the pixels: on one host thread, one after the other in the same
// registers, or a few that wait for each other.
#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "gpu/dg1/draw/stage_setup.h"
#include "gpu/dg1/draw/urb.h"
#include "isa/xe_lp/registers.h"
#include "wave/storage.h"
#include "wave/work_group.h"

namespace Atoll::dg1 {

// The entries that a thread reaches.
struct UrbReach {
  Urb& urb;
  xe_lp::UrbEntries read{}, written{};
};

class UrbThreads {
public:
  // `slot`: of scratch; threads that run at the same time have different ones. `payload_registers` from r0 on are the payload's; `group`:
  // how many threads wait for each other. `setup` stands as long as this does.
  UrbThreads(const StageSetup& setup, unsigned slot, unsigned payload_registers, unsigned group = 1);

  // Runs `count` threads one after the other. load(n, payload): puts thread n's payload in, whose registers' dwords begin at `payload`
  // (the header and the constants are there), and gives its channels. False: one failed or was stopped, and the context is lost.
  template <class Load>
  bool run(const UrbReach& reach, unsigned count, Load load) {
    if (!count) return true;
    wave::Wave& w = renew(0, reach);
    unsigned n = 0;
    auto begin = [&] { this->begin(w, 0, load(n, start(w, 0))); };
    auto next = [&] {
      if (++n == count) return false;
      begin();
      return true;
    };
    begin();
    setup_.threads->kernel->executor->run_series(w, [](void* data) { return (*static_cast<decltype(next)*>(data))(); }, &next);
    return ended(w, std::min(n + 1, count));
  }
  // Runs `count` of them together, which may have a barrier.
  template <class Load>
  bool run_group(const UrbReach& reach, unsigned count, Load load) {
    std::vector<wave::Wave*> waves(count);
    for (unsigned n = 0; n < count; n++) {
      wave::Wave& w = *(waves[n] = &renew(n, reach));
      w.index = n;
      begin(w, n, load(n, start(w, n)));
    }
    return group_ended(waves);
  }

private:
  wave::Wave& renew(unsigned n, const UrbReach& reach);
  uint32_t* start(wave::Wave& w, unsigned n);
  void begin(wave::Wave& w, unsigned n, uint32_t channels) const;
  bool ended(const wave::Wave& w, unsigned threads) const;
  bool group_ended(std::vector<wave::Wave*>& waves);

  const StageSetup& setup_;
  const unsigned slot_, payload_registers_;
  wave::StorageBytes storage_;
  wave::WorkGroup group_;
  std::vector<RegisterClearing> clearing_;
};

}  // namespace Atoll::dg1
