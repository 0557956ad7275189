// The "AMDGPU" note's metadata (LLVM docs AMDGPUUsage, "Code Object V3 Metadata" to V5) into kernels and printf formats.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "codeobject/code_object.h"

namespace Atoll {

struct Metadata {
  std::string target;  // "amdgcn-amd-amdhsa--gfx1201"; empty where it is not told
  std::vector<Kernel> kernels;
  std::vector<PrintfFormat> printf_formats;
};

// An error is a phrase without the file's name.
Expected<Metadata> read_metadata(std::span<const uint8_t> note);

}  // namespace Atoll
