// MessagePack (github.com/msgpack/msgpack, spec.md), read into a tree: the form of a code object's metadata.
// Depth and size are bounded by the input; nothing throws.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace Atoll {

struct MessagePack {
  enum class Kind : uint8_t { Nil, Boolean, Unsigned, Negative, Float, Text, Binary, Array, Map, Extension };

  Kind kind = Kind::Nil;
  uint64_t number = 0;             // Boolean, Unsigned; Negative: the value as two's complement; Float: the bits of the double
  std::string_view text;           // Text, Binary, Extension: bytes of the input, which must outlive the tree
  std::vector<MessagePack> items;  // Array: the elements; Map: key, value, key, value …

  // The value of a map's text key; null when this is no map or has no such key.
  const MessagePack* find(std::string_view key) const;
  std::optional<uint64_t> as_unsigned() const { return kind == Kind::Unsigned ? std::optional(number) : std::nullopt; }
  std::optional<std::string_view> as_text() const { return kind == Kind::Text ? std::optional(text) : std::nullopt; }
  std::optional<bool> as_boolean() const { return kind == Kind::Boolean ? std::optional(number != 0) : std::nullopt; }
};

// One value and nothing behind it but zero bytes of padding. An error tells the offset in `bytes`.
Expected<MessagePack> read_message_pack(std::span<const uint8_t> bytes);

}  // namespace Atoll
