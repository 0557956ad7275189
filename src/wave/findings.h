// The findings of `--check`: instructions that use a result before it is there. Hardware that leaves waiting to the
// program gives such an instruction what the register held before, now and then; the engines, which do one instruction after the
// other, never do. An ISA's WaitRule looks, the executor hands it every instruction, Findings gathers.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/expected.h"
#include "wave/program.h"

namespace Atoll::wave {

enum class Hazard : uint8_t {
  Read,        // it reads what an earlier instruction has not written yet
  Overwrite,   // it writes what an earlier instruction will write later
  Source,      // it writes what an earlier instruction has not read yet
  Unfinished,  // it asks for what is before it to be done
};

// One use before its wait.
struct EarlyUse {
  Hazard hazard = Hazard::Read;
  const Step* producer = nullptr;  // what it should have waited for
  std::string place;               // "r13.4": the first byte that is concerned
  std::string wait;                // "$3.dst": what would have been enough
  uint64_t lanes = 0;              // those of the instruction that use it; 0: it uses the register as a whole
};

// An ISA's rule for a program's waits: one object for each wave, which counts the operations in flight.
class WaitRule {
public:
  virtual ~WaitRule() = default;
  // `step` is about to run on `wave`, whose registers are as it finds them: appends what it uses too early, then takes note of it.
  virtual void before(const Wave& wave, const Step& step, std::vector<EarlyUse>& found) = 0;
};

struct Finding {
  std::string text;  // without the program's name
  uint64_t program = 0;
  uint64_t times = 0;
};

// The findings of a device or a launch; any thread.
class Findings {
public:
  // `wave` at `step` of `program`.
  void add(const Program& program, const Wave& wave, const Step& step, const EarlyUse& use);
  // The findings since the last call, new or repeated, in the order of programs and instructions; `times` since then.
  std::vector<Finding> take();

private:
  static constexpr size_t most = 10000;
  using Key = std::tuple<uint64_t, uint64_t, uint64_t, Hazard>;  // program, instruction, producer
  std::mutex mutex_;
  std::map<Key, Finding> found_;
  uint64_t more_ = 0;  // beyond `most`
};

// Parses the checks that `--check=A,B` names: "waits"; all others are errors.
Expected<std::shared_ptr<Findings>> parse_checks(std::string_view names);

}  // namespace Atoll::wave
