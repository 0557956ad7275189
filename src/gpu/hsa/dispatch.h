// One kernel dispatch made ready: kernarg segment, AQL packet, queue and user SGPRs (LLVM docs AMDGPUUsage: "Kernel Dispatch",
// "Initial Kernel Execution State"; HSA Platform System Architecture 1.2, 2.9). Nothing here knows an engine or a GPU; what
// differs between GPUs is in Target.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "codeobject/code_object.h"
#include "gpu/hsa/load.h"
#include "gpu/hsa/target.h"
#include "memory/address_space.h"

namespace Atoll::hsa {

// kernel_code_properties of a descriptor (AMDGPUUsage, "Kernel Descriptor")
enum DescriptorProperties : uint16_t {
  PROPERTY_PRIVATE_SEGMENT_BUFFER = 1 << 0,
  PROPERTY_DISPATCH_PTR = 1 << 1,
  PROPERTY_QUEUE_PTR = 1 << 2,
  PROPERTY_KERNARG_PTR = 1 << 3,
  PROPERTY_DISPATCH_ID = 1 << 4,
  PROPERTY_FLAT_SCRATCH_INIT = 1 << 5,
  PROPERTY_PRIVATE_SEGMENT_SIZE = 1 << 6,
  PROPERTY_WAVE32 = 1 << 10,
  PROPERTY_DYNAMIC_STACK = 1 << 11
};

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
  uint64_t code_start = 0, code_bytes = 0;               // the object's code around it: whole pages, all mapped
  uint32_t wave_size = 32;                               // lanes: 32 or 64
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;              // of the descriptor: COMPUTE_PGM_RSRC1, 2, 3
  uint32_t lds_bytes = 0;                                // allocated to a work-group, in the hardware's blocks
  uint32_t static_lds_bytes = 0, dynamic_lds_bytes = 0;  // what was asked for, alignment of dynamic blocks included
  uint32_t scratch_bytes = 0;                            // a lane's private segment; 0: none

  // The user SGPRs that the descriptor asks for
  std::array<uint32_t, 32> user_sgprs{};
  unsigned user_sgpr_count = 0;
  // The first of the user SGPRs that whoever runs the dispatch fills when it knows where scratch memory is; -1: not asked for.
  int private_segment_buffer_sgpr = -1;  // 4, a buffer's descriptor
  int flat_scratch_sgpr = -1;            // 2
  uint32_t dispatch_index = 0;           // of the packet in its queue

  uint64_t descriptor_address = 0, kernarg_address = 0, packet_address = 0, queue_address = 0;
  Buffer printf_buffer;         // 0 bytes: the kernel cannot print
  std::vector<Buffer> buffers;  // all that the dispatch owns, the above included
};

// Refuses anything that the kernel's metadata or the hardware does not allow; an error names the kernel and the sizes.
Expected<Dispatch> prepare_dispatch(const Target& target, const CodeObject& object, const LoadedObject& loaded,
                                    const Kernel& kernel, const LaunchShape& shape, std::span<const ArgumentValue> arguments,
                                    AddressSpace& space);
// As above with `extra_lds_bytes` of dynamic LDS that belongs to no parameter (HIP's extern __shared__).
Expected<Dispatch> prepare_dispatch(const Target& target, const CodeObject& object, const LoadedObject& loaded,
                                    const Kernel& kernel, const LaunchShape& shape, std::span<const ArgumentValue> arguments,
                                    uint64_t extra_lds_bytes, AddressSpace& space);
void release(Dispatch& dispatch, AddressSpace& space);

// Fills the user SGPRs that the descriptor asks for; `kernarg` is what preloaded arguments are taken from.
Expected<void> write_user_sgprs(const Target& target, const std::string& kernel, const KernelDescriptor& descriptor,
                                std::span<const uint8_t> kernarg, Dispatch& d);

// Scratch memory of a dispatch: so many waves at once, each with so many bytes.
struct ScratchMemory {
  uint64_t address = 0;
  uint32_t waves = 0, wave_blocks = 0;   // blocks of 1 KiB
  std::array<uint32_t, 4> descriptor{};  // the buffer's, as the kernel gets it in SGPRs
};

}  // namespace Atoll::hsa
