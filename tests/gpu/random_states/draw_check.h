// Every draw of the device's, as the family made it of its registers, against the oracle (tests/pipeline/oracle). The linker puts
// it before pipeline::run() (--wrap).
#pragma once
#include <cstdint>
#include <string>

namespace Atoll::random_states {

struct DrawCheck {
  bool enabled = false;
  uint64_t draws = 0, fragments = 0, samples_passed = 0;
  std::string difference;  // of the first draw that differs
};
DrawCheck& draw_check();

}  // namespace Atoll::random_states
