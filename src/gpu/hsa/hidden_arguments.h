// The hidden arguments of the kernarg segment: the values of each kind, written wherever the metadata has them
// (LLVM docs AMDGPUUsage, "AMDHSA Code Object V5 Metadata", hidden argument kinds).
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "codeobject/code_object.h"

namespace Atoll::hsa {

struct HiddenValues {
  std::array<uint32_t, 3> grid{}, group{};
  unsigned dimensions = 1;
  uint64_t printf_buffer = 0, queue = 0;
  uint32_t dynamic_lds_bytes = 0;
  uint32_t private_base = 0, shared_base = 0;  // upper halves of the flat apertures
};

// Writes them into `kernarg`, whose size is the segment's. Code object 5 and later place the hidden arguments at fixed
// distances from each other; those that the metadata leaves out (a library routine may read them all the same) are
// written there too, where nothing else stands.
void write_hidden_arguments(const Kernel& kernel, int code_object_version, const HiddenValues& values,
                            std::span<uint8_t> kernarg);

}  // namespace Atoll::hsa
