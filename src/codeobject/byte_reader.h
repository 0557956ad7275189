// Little-endian numbers out of bytes that nobody vouches for: every read is checked against the end.
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace Atoll {

class ByteReader {
public:
  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  uint64_t size() const { return bytes_.size(); }
  bool holds(uint64_t offset, uint64_t bytes) const { return offset <= bytes_.size() && bytes <= bytes_.size() - offset; }

  // The number at `offset`, nothing when it reaches over the end.
  template <class T>
  std::optional<T> read(uint64_t offset) const {
    if (!holds(offset, sizeof(T))) return {};
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  // The same, 0 when it reaches over the end: for what holds() has looked at, or where nothing is as good as 0.
  template <class T>
  T value(uint64_t offset) const {
    return read<T>(offset).value_or(T(0));
  }

  std::optional<std::span<const uint8_t>> slice(uint64_t offset, uint64_t bytes) const {
    if (!holds(offset, bytes)) return {};
    return bytes_.subspan(size_t(offset), size_t(bytes));
  }

  // The zero-terminated text at `offset`, nothing when no zero follows.
  std::optional<std::string_view> text(uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const char* start = reinterpret_cast<const char*>(bytes_.data()) + offset;
    const void* end = std::memchr(start, 0, bytes_.size() - size_t(offset));
    if (!end) return {};
    return std::string_view(start, size_t(static_cast<const char*>(end) - start));
  }

private:
  std::span<const uint8_t> bytes_;
};

}  // namespace Atoll
