// Offsets in messages.
#pragma once
#include <charconv>
#include <cstdint>
#include <string>

namespace Atoll {

// One that may lie before what it counts from, as a function that a kernel calls does: "0x98", "-0x1364".
inline std::string offset_text(uint64_t offset) {
  const bool before = offset >> 63;
  char digits[17];
  char* end = std::to_chars(digits, digits + sizeof digits, before ? 0 - offset : offset, 16).ptr;
  return std::string(before ? "-0x" : "0x").append(digits, end);
}

}  // namespace Atoll
