// MessagePack (github.com/msgpack/msgpack, spec.md), the form of a code object's metadata, as nlohmann::json reads it, with the
// bounds that hostile bytes need: nothing throws, depth is bounded, and size by the input's.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>

#include "base/expected.h"

namespace Atoll {

// One value, whose maps have texts as keys, and nothing behind it but zero bytes of padding. An error tells the offset.
Expected<nlohmann::json> read_message_pack(std::span<const uint8_t> bytes);

// A whole number that is not below 0, however it was written.
std::optional<uint64_t> unsigned_of(const nlohmann::json& value);

}  // namespace Atoll
