// Every draw of the device's, as the family made it of its registers, against the oracle (tests/pipeline/oracle). The linker puts
// it before pipeline::run() (--wrap).
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pipeline/draw.h"

namespace Atoll::random_states {

struct DrawCheck {
  bool enabled = false;
  uint64_t draws = 0, fragments = 0, samples_passed = 0;
  std::string difference;  // of the first draw that differs
  // What the state of each of the submission's draws has to be, where the GPU says so: in words what is other than that, or nothing.
  std::vector<std::function<std::string(const pipeline::Draw&)>> expectations;
  size_t in_submission = 0;  // draws
};
DrawCheck& draw_check();

}  // namespace Atoll::random_states
