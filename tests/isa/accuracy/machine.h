// One wave64 that computes a function of many operands as compiled code: each lane of each of some registers another operand.
#pragma once
#include <memory>
#include <vector>

#include "base/expected.h"
#include "functions.h"
#include "wave/engine_choice.h"

namespace Atoll::rdna4::accuracy {

class Machine {
public:
  // `mode`: MODE.
  // `registers`: up to 64; the fewer, the less is compiled.
  static Expected<std::unique_ptr<Machine>> make(const Function& function, uint32_t mode, wave::EngineChoice engine,
                                                 unsigned registers = 64);
  ~Machine();
  // How many operands a run takes: first, first + step, ... The results stand in `results` until the next run.
  size_t count() const;
  Expected<void> run(uint32_t first, uint32_t step);
  const uint64_t* results() const { return results_.data(); }
  // The share of instructions that were compiled, so far.
  double compiled() const;

private:
  struct Parts;
  explicit Machine(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
  std::vector<uint64_t> results_;
};

}  // namespace Atoll::rdna4::accuracy
