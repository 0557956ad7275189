// The printf buffer of kernels that Intel's compiler made: a dword that counts the bytes used, itself included, then entries of a
// format and its arguments, each with its type (NEO: opencl/source/program/printf_handler.cpp, shared/source/program/print_formatter.cpp).
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/dg1/launch/launch.h"
#include "memory/address_space.h"

namespace Atoll::dg1 {

inline constexpr uint32_t printf_buffer_bytes = 4 << 20, printf_first = 4;

// Formats and strings are indices into `strings`, or where `by_index` is not set addresses of text in `space`.
PrintedByKernel decode_printf(std::span<const uint8_t> buffer, const std::vector<std::string>& strings, bool by_index,
                              const AddressSpace& space);

}  // namespace Atoll::dg1
