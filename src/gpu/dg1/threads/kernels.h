// Kernels in GPU memory, made ready to run and kept: found by address, compared with memory once a submission, since the CPU writes
// them without a word to the GPU. A kernel's end is nowhere written; it is found by following its branches to the message that
// ends the thread.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/expected.h"
#include "memory/address_space.h"
#include "wave/executor.h"
#include "wave/program.h"

namespace Atoll::dg1 {

struct Kernel {
  uint64_t address = 0;         // GPU address of the first instruction
  std::vector<uint32_t> words;  // a copy
  wave::Wave like;              // what all its threads have in common
  uint32_t surfaces = 0;        // entries of the binding table that its data messages name, a bit each (xe_lp::kept_surfaces)
  bool apart = false;           // its threads have no barrier: none of a group waits for another
  std::unique_ptr<wave::Program> program;
  std::unique_ptr<wave::Executor> executor;
  uint64_t checked = 0;  // the submission at which it was last compared with memory
  uint64_t used = 0;     // when it was last found: the larger, the later

  size_t bytes() const;  // memory that it takes, machine code and what belongs to it included: about
};

// What is kept of kernels: those not used for longest go first.
struct KernelLimits {
  size_t kernels = 1000;
  size_t bytes = size_t(256) << 20;
};

class Kernels {
public:
  // `findings`: of gpu::Options.
  Kernels(AddressSpace& space, wave::EngineChoice engine, std::shared_ptr<wave::Findings> findings = nullptr,
          KernelLimits limits = {})
      : space_(space), engine_(engine), findings_(std::move(findings)), limits_(limits) {}

  // Every kernel is compared with memory again before it next runs. At a submission's start and where caches are invalidated.
  void invalidate();

  // The kernel that begins at `address`, a multiple of 8. An error if nothing is mapped there. Any thread.
  Expected<std::shared_ptr<Kernel>> find(uint64_t address);

  // Of all kernels so far: seconds in the code generator, instructions that went through it.
  double compile_seconds() const;
  uint64_t instructions_compiled() const;
  // Waits for compilations under way.
  void wait_for_compilation();

private:
  AddressSpace& space_;
  const wave::EngineChoice engine_;
  const std::shared_ptr<wave::Findings> findings_;
  const KernelLimits limits_;
  mutable std::mutex mutex_;
  uint64_t submission_ = 1, uses_ = 0;
  double dropped_compile_seconds_ = 0;
  uint64_t dropped_instructions_ = 0;
  std::map<uint64_t, std::shared_ptr<Kernel>> kernels_;

  using Dropped = std::vector<std::shared_ptr<Kernel>>;
  void drop(std::map<uint64_t, std::shared_ptr<Kernel>>::iterator which, Dropped& dropped);
  void make_room(Dropped& dropped);
};

}  // namespace Atoll::dg1
