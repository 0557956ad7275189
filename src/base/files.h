// Whole files in and out. A file is written beside its place and renamed, so that nothing half-written stays behind.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"

namespace Atoll {

// The bytes of `path`; "-" is standard input.
Expected<std::vector<uint8_t>> read_file(const std::string& path);

// Writes `bytes` to `path`, whole or not at all; "-" is standard output.
Expected<void> write_file(const std::string& path, std::span<const uint8_t> bytes);

}  // namespace Atoll
