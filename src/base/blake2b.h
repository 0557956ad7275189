// BLAKE2b (RFC 7693) with 32 bytes of digest and no key: a digest that nobody knows how to make two inputs for.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace Atoll {

using Digest = std::array<uint8_t, 32>;

Digest blake2b(std::string_view text);
std::string hex(const Digest& digest);

}  // namespace Atoll
