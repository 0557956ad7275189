// The trap handler of a launch: a program of its own, which waves run privileged and come back from. RDNA4 ISA 3.4.10, 5.6.3.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "base/expected.h"
#include "gpu/hsa/run.h"
#include "memory/address_space.h"
#include "wave/environment.h"
#include "wave/executor.h"

namespace Atoll::rdna4 {

class TrapHandler {
public:
  // `like`: a wave of the launch; `isa`: what its program is decoded with. An error: there is no such code.
  static Expected<std::unique_ptr<TrapHandler>> make(const hsa::TrapHandler& where, AddressSpace& space, const wave::Isa& isa,
                                                     hsa::Engine engine, const wave::Wave& like);
  wave::TrapBase base() const { return {where_.address | uint64_t(1) << 63, where_.memory}; }

  // A wave that has stopped for a fault: memory violations and illegal instructions enter the handler, which no bit can prevent; those
  // of the handler itself do not. False: the fault stands.
  bool enter_by_exception(wave::Wave& wave) const;
  // Goes on with those waves of the group that are in the handler, until none can. `end` says what became of the last: End (some got on;
  // they may have ended, too), Barrier (none got on), or Fault or Interrupted of one.
  wave::Executor::GroupEnd run(wave::WorkGroup& group, std::span<wave::Wave* const> waves);

private:
  TrapHandler() = default;
  hsa::TrapHandler where_;
  std::vector<uint32_t> code_;
  wave::Wave like_;
  std::unique_ptr<wave::Program> program_;
  std::unique_ptr<wave::Executor> executor_;
};

}  // namespace Atoll::rdna4
