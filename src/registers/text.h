// A text of the compiled tables by its place in its family's pool. A std::string_view for whoever uses it; unlike one it holds no
// address, so that the tables need no relocation: with pointers a loader had 54,000 to write in every process that draws.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace Atoll::registers {

struct Text {
  uint32_t at = 0;
  uint16_t length = 0;
  uint8_t pool = 0;  // the family's place in FAMILIES of generate_tables.py

  operator std::string_view() const;
  size_t size() const { return length; }
  bool empty() const { return length == 0; }
  friend bool operator==(Text a, std::string_view b) { return std::string_view(a) == b; }
  friend bool operator==(Text a, Text b) { return std::string_view(a) == std::string_view(b); }
};

}  // namespace Atoll::registers

template <>
struct fmt::formatter<Atoll::registers::Text> : fmt::formatter<std::string_view> {
  auto format(Atoll::registers::Text text, auto& context) const {
    return fmt::formatter<std::string_view>::format(std::string_view(text), context);
  }
};
