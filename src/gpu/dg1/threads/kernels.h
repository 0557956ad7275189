// Kernels in GPU memory, made ready to run and kept: found by address, compared with memory once a submission, since the CPU writes
// them without a word to the GPU. A kernel's end is nowhere written; it is found by following its branches to the message that
// ends the thread.
#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "base/expected.h"
#include "gpu/device/program_cache.h"
#include "gpu/dg1/threads/pixel_frame.h"
#include "memory/address_space.h"
#include "wave/executor.h"

namespace Atoll::dg1 {

struct Kernel : gpu::ProgramInMemory {
  uint32_t surfaces = 0;  // entries of the binding table that its data messages name, a bit each (xe_lp::kept_surfaces)
  // The binding table entry + 1 that render target writes have for each target; 0: none writes it.
  std::array<uint16_t, 8> targets{};
  std::bitset<256> target_reads;  // binding table entries that its render target reads name
  bool apart = false;             // its threads have no barrier: none of a group waits for another
  // They do nothing but compute, read, and send what their stage takes: nobody can tell when they run as long as memory stays as it is.
  bool only_reads = false;
  bool writes_exceptions = false;            // cr0.1, where threads raise exceptions
  pixel::FramedPrograms<PixelFrame> framed;  // of pixel threads: for the states of the pipeline that they met last

  // True if its threads, of so many pixels, can write them themselves. By the queue's thread alone.
  bool can_be_framed(unsigned width) const;

  // The general registers that it may write. By the queue's thread alone.
  const RegisterSet& registers_written() const;

  // With those of the programs that are framed.
  double compile_seconds() const { return ProgramInMemory::compile_seconds() + framed.compile_seconds(); }
  uint64_t instructions_compiled() const { return ProgramInMemory::instructions_compiled() + framed.instructions_compiled(); }
  void wait_for_compilation() {
    ProgramInMemory::wait_for_compilation();
    framed.wait_for_compilation();
  }
  size_t bytes() const;

private:
  mutable std::map<unsigned, bool> can_be_framed_;  // by width
  mutable std::optional<RegisterSet> registers_written_;
};

struct KernelSource {
  using Key = uint64_t;  // GPU address
  using Less = std::less<>;
  using Program = Kernel;
  AddressSpace& space;
  wave::EngineChoice engine;
  std::shared_ptr<wave::Findings> findings;

  Expected<std::shared_ptr<Kernel>> make(uint64_t address) const;
  bool is_current(const Kernel& kernel) const { return kernel.matches_memory(space); }
};

// Kernels by the address at which they begin, a multiple of 8. An error of find(): nothing is mapped there.
class Kernels : public gpu::ProgramCache<KernelSource> {
public:
  // `findings`: of gpu::Options.
  Kernels(AddressSpace& space, wave::EngineChoice engine, std::shared_ptr<wave::Findings> findings = nullptr,
          gpu::ProgramLimits limits = {})
      : ProgramCache({space, engine, std::move(findings)}, limits) {}
};

}  // namespace Atoll::dg1
