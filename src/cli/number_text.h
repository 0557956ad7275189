// Values of registers as people write and read them: words in hexadecimal or decimal, and the integers and floats that the words stand for.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/expected.h"

namespace Atoll::cli {

// The type that a register's bits are read as.
enum class NumberType : uint8_t { word, i32, u32, f32, f16, f16x2, i16x2 };

std::optional<NumberType> parse_number_type(std::string_view name);
// "i32, u32, f32, f16, f16x2, i16x2"
std::string number_types();

// The bits of a number: 0x3fc00000, 12, -3 (32 bits), 1.5, 1e-3, inf, nan (single precision), 1.5h (half precision). A half rounds to nearest even, once.
Expected<uint64_t> parse_number(std::string_view text);

// The lowest 32 bits of a register as that type, short, and exact when it is read again: "1.5", "-3", "1.5h, 0h".
std::string number_text(uint64_t bits, NumberType type);

}  // namespace Atoll::cli
