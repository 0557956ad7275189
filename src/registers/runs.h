// References between the compiled tables: a text or a run of rows by its offset in an array of its family. To their users
// they are a std::string_view and a std::span; unlike those they hold no address. With pointers a loader had 54,000 of them to
// write, on pages of its own for every process that draws.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <ostream>
#include <span>
#include <string_view>

namespace Atoll::registers {

// `count` rows from `first` on in the array of its kind, of the family whose place in FAMILIES (generate_tables.py) `pool` is.
template <class T>
struct Run {
  uint32_t first = 0;
  uint16_t count = 0;
  uint8_t pool = 0;

  const T* data() const;
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + count; }
  const T& operator[](size_t n) const { return data()[n]; }
  const T& front() const { return *data(); }
  const T& back() const { return data()[count - 1]; }
  operator std::span<const T>() const { return {data(), count}; }
};

// runs.cpp has one for each kind of row.
template <>
const char* Run<char>::data() const;

struct Text : Run<char> {
  operator std::string_view() const { return {data(), count}; }
  bool starts_with(std::string_view text) const { return std::string_view(*this).starts_with(text); }
  friend bool operator==(Text a, std::string_view b) { return std::string_view(a) == b; }
  friend bool operator==(Text a, Text b) { return std::string_view(a) == std::string_view(b); }
  friend std::ostream& operator<<(std::ostream& out, Text text) { return out << std::string_view(text); }
};

}  // namespace Atoll::registers

template <>
struct fmt::formatter<Atoll::registers::Text> : fmt::formatter<std::string_view> {
  auto format(Atoll::registers::Text text, auto& context) const {
    return fmt::formatter<std::string_view>::format(std::string_view(text), context);
  }
};
