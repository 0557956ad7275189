// One kernel dispatch made ready: kernarg segment, AQL packet, queue and what the waves start with
// (LLVM docs AMDGPUUsage: "Kernel Dispatch", "Initial Kernel Execution State"; HSA Platform System Architecture 1.2, 2.9;
// RDNA4 ISA 3.5). Nothing here knows an engine.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "codeobject/code_object.h"
#include "gpu/rdna4/load.h"
#include "memory/address_space.h"

namespace Atoll::rdna4 {

// Where flat addresses mean LDS and scratch: the upper halves of SRC_SHARED_BASE and SRC_PRIVATE_BASE. Both lie beyond
// every buffer's address. (The values that Linux's amdkfd gives to gfx9 and later.)
inline constexpr uint32_t shared_aperture_high = 0x0001'0000;
inline constexpr uint32_t private_aperture_high = 0x0002'0000;

inline constexpr uint32_t most_lds_bytes = 64 << 10;  // of a work-group (RDNA4 ISA 3.3.5)
inline constexpr uint32_t most_group_items = 1024;    // of a work-group: 32 waves of 32
inline constexpr uint32_t dynamic_stack_bytes = 16
                                                << 10;  // a lane's, on top of its own, where the compiler cannot tell (recursion)
inline constexpr uint32_t printf_buffer_bytes = 16 << 20;

struct LaunchShape {
  std::array<uint64_t, 3> grid{1, 1, 1};   // work-items
  std::array<uint64_t, 3> group{1, 1, 1};  // work-items
  unsigned dimensions = 1;                 // what get_work_dim() answers: 1 to 3
};

// The value of one explicit kernel argument.
struct ArgumentValue {
  std::vector<uint8_t> bytes;  // exactly as many as the argument takes; empty for a block of LDS
  bool local = false;          // a __local pointer parameter:
  uint64_t local_bytes = 0;    // bytes of LDS that it gets
};

struct Dispatch {
  std::string kernel;                                 // its name
  std::array<uint32_t, 3> grid{}, group{}, groups{};  // work-items, work-items, work-groups (partial ones included)
  unsigned dimensions = 1;

  uint64_t entry = 0;                                    // GPU address of the first instruction
  uint64_t code_start = 0, code_bytes = 0;               // the loaded object around it
  uint32_t wave_size = 32;                               // lanes: 32 or 64
  uint32_t mode = 0;                                     // the MODE register to start with
  uint32_t vgprs = 0;                                    // allocated to a lane, in the hardware's blocks
  uint32_t lds_bytes = 0;                                // allocated to a work-group, in the hardware's blocks of 1 KiB
  uint32_t static_lds_bytes = 0, dynamic_lds_bytes = 0;  // what was asked for, alignment of dynamic blocks included
  uint32_t scratch_bytes = 0;                            // a lane's private segment; 0: none
  bool wgp_mode = true;

  // What the descriptor asks for at a wave's start
  std::array<uint32_t, 32> user_sgprs{};
  unsigned user_sgpr_count = 0;
  bool workgroup_info = false;  // one more SGPR
  bool grid_yz_valid = false;   // work-group ids Y and Z in TTMP7
  uint32_t dispatch_index = 0;  // of the packet in its queue

  uint64_t descriptor_address = 0, kernarg_address = 0, packet_address = 0, queue_address = 0;
  Buffer printf_buffer;         // 0 bytes: the kernel cannot print
  std::vector<Buffer> buffers;  // all that the dispatch owns, the above included
};

// Refuses what the kernel's metadata or the hardware does not allow; an error names the kernel and the sizes.
Expected<Dispatch> prepare_dispatch(const CodeObject& object, const LoadedObject& loaded, const Kernel& kernel,
                                    const LaunchShape& shape, std::span<const ArgumentValue> arguments, AddressSpace& space);
// As above with `extra_lds_bytes` of dynamic LDS that belongs to no parameter (HIP's extern __shared__).
Expected<Dispatch> prepare_dispatch(const CodeObject& object, const LoadedObject& loaded, const Kernel& kernel,
                                    const LaunchShape& shape, std::span<const ArgumentValue> arguments, uint64_t extra_lds_bytes,
                                    AddressSpace& space);
void release(Dispatch& dispatch, AddressSpace& space);

}  // namespace Atoll::rdna4
