// Hashes within a process, to tell contents apart.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace Atoll::insight {

inline uint64_t hash_bytes(const void* bytes, size_t count) {
  return std::hash<std::string_view>()({static_cast<const char*>(bytes), count});
}
inline uint64_t mixed(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x9e3779b97f4a7c15 + (hash >> 29); }

}  // namespace Atoll::insight
