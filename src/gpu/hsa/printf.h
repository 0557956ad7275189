// OpenCL printf of kernels: the buffer that they fill, turned into text after the run with the formats of the metadata.
// The buffer is two dwords, bytes used and size, then entries of a format id and its arguments, each padded to dwords
// (LLVM AMDGPUPrintfRuntimeBinding; rocm-device-libs __printf_alloc). OpenCL C 6.15.14 has the conversions.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/expected.h"
#include "codeobject/code_object.h"

namespace Atoll::hsa {

struct PrintedText {
  std::string text;
  std::string problem;  // empty, or what kept the rest of the buffer from being read
};

PrintedText decode_printf(std::span<const uint8_t> buffer, std::span<const PrintfFormat> formats);

// One entry's text: the format with arguments of the given sizes taken from `arguments`.
Expected<std::string> format_printf(const PrintfFormat& format, std::span<const uint8_t> arguments);

}  // namespace Atoll::hsa
