// Every draw of the device's, as the family made it of its registers, against the oracle (tests/pipeline/oracle). The linker puts
// it before pipeline::run() (--wrap).
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pipeline/draw.h"
#include "pipeline/workers.h"

namespace Atoll::random_states {

struct DrawCheck {
  bool enabled = false;
  bool given = false;  // also those whose vertices are given (given_check.cpp)
  uint64_t draws = 0, fragments = 0, samples_passed = 0;
  std::string difference;  // of the first draw that differs
  // Checks of the state of each of the submission's draws, if the GPU gives them: the difference in words, or nothing.
  std::vector<std::function<std::string(const pipeline::Draw&)>> expectations;
  size_t in_submission = 0;  // draws
};
DrawCheck& draw_check();

// The draw by `run`, which adds to `counters`, beside the oracle. `run_plain`: pipeline/oracle/recording.h.
bool checked(const pipeline::Draw& draw, pipeline::Workers& workers, pipeline::Counters& counters,
             const std::function<bool()>& run, const std::function<void(const pipeline::Draw& plain)>& run_plain = {});

// A draw that waits, and what it has counted.
class CountedDraw : public pipeline::WaitingDraw {
public:
  CountedDraw(std::unique_ptr<WaitingDraw> inner, pipeline::Counters& counters) : inner_(std::move(inner)), counters_(counters) {
    draw = inner_->draw, state = inner_->state;
  }
  void finished(const pipeline::Counters& counters, bool good) override {
    counters_ += counters;
    inner_->finished(counters, good);
  }

private:
  const std::unique_ptr<WaitingDraw> inner_;
  pipeline::Counters& counters_;
};

}  // namespace Atoll::random_states
