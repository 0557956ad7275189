// The initial state of every thread of an EU, whatever its stage or dispatch, and the report of one that faulted.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "gpu/device/fault.h"
#include "gpu/dg1/threads/kernels.h"
#include "isa/xe_lp/thread_context.h"
#include "memory/address_space.h"
#include "wave/environment.h"

namespace Atoll::dg1 {

inline constexpr uint32_t least_thread_scratch = 1024;  // bytes of a thread that has some: a power of two from here on

// Bytes of a wave and its register file.
size_t thread_bytes();

// The state that stays the same from thread to thread, made in `storage` of thread_bytes(): no instruction can name it. `context`
// has GPU addresses.
struct ThreadSurroundings {
  AddressSpace& space;
  std::atomic<int>& stop;
  wave::Environment& environment;
  xe_lp::ThreadContext context;
  std::array<xe_lp::KeptSurface, xe_lp::kept_surfaces> surfaces;
  const wave::TextureSlots& textures;  // ThreadEnvironment::begin_threads()
};
wave::Wave& make_thread(uint8_t* storage, const ThreadSurroundings& surroundings);

// Registers begin as zeros; where it is known which dwords a thread may read before it has written them, those do, in stretches of
// whole registers. Those of the payload, the first `payload_bytes`, are the caller's.
class RegisterClearing {
public:
  void clear(wave::Wave& wave, Kernel& kernel, uint32_t payload_bytes) {
    clear(wave, *kernel.executor, kernel.address, payload_bytes);
  }
  // Prepares a thread that begins at `begin`, which is always the same.
  void clear(wave::Wave& wave, wave::Executor& executor, uint64_t begin, uint32_t payload_bytes);
  // After clear(): whether it is known what threads may read.
  bool is_found() const { return read_at_start_; }

private:
  struct Stretch {
    uint32_t cell, bytes;
  };
  void find(wave::Executor& executor, uint64_t begin, uint32_t payload_bytes);
  const std::vector<uint32_t>* read_at_start_ = nullptr;  // dwords, in their order
  std::vector<Stretch> stretches_;
};

// The initial value of a thread's cr0: float modes in cr0.0, enabled exceptions in cr0.1.
struct ThreadControl {
  uint32_t modes = 0, exceptions = 0;
};
// cr0.0 of fields that dispatches of all stages have. `kept_denormals`: kKeepDenormals16, 32, 64.
uint32_t control_modes(bool alternate_floats, bool single_program_flow, uint32_t rounding, uint32_t kept_denormals);
// cr0.1 (Sandy Bridge PRM volume 4 part 2, "Control Register": the enables are initialized by the thread dispatcher). `mask_stack`: 3DSTATE_GS,
// 3DSTATE_PS and interface descriptors have it.
uint32_t control_exceptions(bool software, bool illegal_opcode, bool mask_stack = false);
// Nothing, or what is not executed: a kernel that may raise the exception which its dispatch has enabled goes on at the system routine.
const char* unknown_exception(uint32_t exceptions, const Kernel& kernel);

// Registers that every thread has besides its payload: the channels that it was dispatched with, cr0 and its place on the chip (sr0).
void set_dispatch(wave::Wave& wave, uint32_t channels, const ThreadControl& control, uint32_t slot);
// The channels alone.
void set_channels(wave::Wave& wave, uint32_t channels);

// r0.3 and r0.5 of a payload: sampler states, and scratch of slot `slot`, which has scratch_bytes (0: none) at scratch_offset + slot *
// scratch_bytes from the general base.
void set_header(uint32_t* r0, const xe_lp::ThreadContext& context, uint32_t scratch_bytes, uint64_t scratch_offset,
                uint32_t slot);

gpu::Fault fault_of_thread(const wave::Wave& wave, const Kernel& kernel, const ThreadSurroundings& surroundings);

}  // namespace Atoll::dg1
