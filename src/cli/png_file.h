// Pictures as PNG files.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "base/expected.h"

namespace Atoll::cli {

// `rgba`: 8 bits a component, rows from the top. Alpha is written only if `alpha`. Nothing half-written stays behind.
Expected<void> write_png(const std::string& path, unsigned width, unsigned height, std::span<const uint8_t> rgba,
                         bool alpha = false);

}  // namespace Atoll::cli
