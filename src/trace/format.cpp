#include "trace/format.h"

// The library's code itself, so that no file needs another one to be there (libatoll_drm.so is loaded into other programs).
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <cstring>

#include "memory/memory_file.h"

namespace Atoll::trace {
namespace {

constexpr uint64_t hash_a = 0x9e3779b97f4a7c15, hash_b = 0xc2b2ae3d27d4eb4f;

// The hash of versions 1 and 2: four lanes of multiply and rotate over 8 bytes each, then mixed.
struct OldHash {
  uint64_t lane[4] = {1, 2, 3, 4};
  void add(const uint8_t* bytes32) {
    for (size_t l = 0; l < 4; l++) {
      uint64_t word;
      std::memcpy(&word, bytes32 + l * 8, 8);
      lane[l] = std::rotl(lane[l] ^ word * hash_b, 31) * hash_a;
    }
  }
  uint64_t mixed(uint64_t hash = 0) const {
    for (uint64_t l : lane) hash = std::rotl((hash ^ l) * hash_b, 29) * hash_a;
    return hash ^ hash >> 32;
  }
};

// Little endian, as the file has it on every host.
template <class T>
uint8_t* put(uint8_t* at, T value) {
  for (size_t i = 0; i < sizeof(T); i++) at[i] = uint8_t(value >> 8 * i);
  return at + sizeof(T);
}
template <class T>
const uint8_t* get(const uint8_t* at, T& value) {
  value = 0;
  for (size_t i = 0; i < sizeof(T); i++) value |= T(at[i]) << 8 * i;
  return at + sizeof(T);
}

}  // namespace

uint64_t page_hash(const uint8_t* page, uint32_t version) {
  if (version >= first_xxhash_version) return XXH3_64bits(page, page_bytes);
  OldHash hash;
  for (size_t at = 0; at < page_bytes; at += 32) hash.add(page + at);
  return hash.mixed();
}

uint64_t bytes_hash(std::span<const uint8_t> bytes, uint32_t version) {
  if (version >= first_xxhash_version) return XXH3_64bits(bytes.data(), bytes.size());
  OldHash hash;
  size_t whole = bytes.size() / 32 * 32;
  for (size_t at = 0; at < whole; at += 32) hash.add(bytes.data() + at);
  uint8_t rest[32] = {};
  if (whole < bytes.size()) std::memcpy(rest, bytes.data() + whole, bytes.size() - whole);
  hash.add(rest);
  return hash.mixed(bytes.size());
}

// The header's own hash is its last eight bytes.
std::array<uint8_t, chunk_header_bytes> encode(const ChunkHeader& header, uint32_t version) {
  std::array<uint8_t, chunk_header_bytes> bytes;
  uint8_t* at = put(bytes.data(), chunk_magic);
  at = put(put(put(at, header.flags), header.stored), header.raw);
  at = put(put(at, header.submissions), header.hash);
  put(at, bytes_hash(std::span(bytes).first(chunk_header_bytes - 8), version));
  return bytes;
}

bool decode(std::span<const uint8_t, chunk_header_bytes> bytes, ChunkHeader& header, uint32_t version) {
  uint32_t first;
  uint64_t own;
  const uint8_t* at = get(bytes.data(), first);
  at = get(get(get(at, header.flags), header.stored), header.raw);
  at = get(get(at, header.submissions), header.hash);
  get(at, own);
  return first == chunk_magic && own == bytes_hash(bytes.first(chunk_header_bytes - 8), version);
}

uint64_t Payload::number() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) break;
    uint8_t byte = rest_[0];
    rest_ = rest_.subspan(1);
    value |= uint64_t(byte & 127) << shift;
    if (!(byte & 128)) return value;
  }
  ok = false;
  return 0;
}

std::span<const uint8_t> Payload::raw(uint64_t bytes) {
  if (bytes > rest_.size()) {
    ok = false;
    return {};
  }
  auto taken = rest_.first(bytes);
  rest_ = rest_.subspan(bytes);
  return taken;
}

std::string Payload::text() {
  auto bytes = raw(number());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace Atoll::trace
