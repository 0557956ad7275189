#include "base/blake2b.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace Atoll {
namespace {

// RFC 7693, 2.6 and 2.7.
constexpr uint64_t start[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                               0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
constexpr uint8_t order[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
constexpr size_t block_bytes = 128;

// RFC 7693, 3.2: the compression function; `end`: bytes of the input up to the block's end.
void compress(uint64_t (&state)[8], const uint8_t* block, uint64_t end, bool last) {
  uint64_t v[16], m[16];
  std::memcpy(m, block, block_bytes);
  for (int n = 0; n < 8; n++) v[n] = state[n], v[n + 8] = start[n];
  v[12] ^= end;
  if (last) v[14] = ~v[14];
  auto mix = [&](int a, int b, int c, int d, uint64_t x, uint64_t y) {
    v[a] += v[b] + x, v[d] = std::rotr(v[d] ^ v[a], 32), v[c] += v[d], v[b] = std::rotr(v[b] ^ v[c], 24);
    v[a] += v[b] + y, v[d] = std::rotr(v[d] ^ v[a], 16), v[c] += v[d], v[b] = std::rotr(v[b] ^ v[c], 63);
  };
  for (int round = 0; round < 12; round++) {
    const uint8_t(&s)[16] = order[round % 10];
    mix(0, 4, 8, 12, m[s[0]], m[s[1]]), mix(1, 5, 9, 13, m[s[2]], m[s[3]]);
    mix(2, 6, 10, 14, m[s[4]], m[s[5]]), mix(3, 7, 11, 15, m[s[6]], m[s[7]]);
    mix(0, 5, 10, 15, m[s[8]], m[s[9]]), mix(1, 6, 11, 12, m[s[10]], m[s[11]]);
    mix(2, 7, 8, 13, m[s[12]], m[s[13]]), mix(3, 4, 9, 14, m[s[14]], m[s[15]]);
  }
  for (int n = 0; n < 8; n++) state[n] ^= v[n] ^ v[n + 8];
}

}  // namespace

Digest blake2b(std::string_view text) {
  uint64_t state[8];
  std::memcpy(state, start, sizeof state);
  state[0] ^= 0x01010000 ^ sizeof(Digest);
  size_t at = 0;
  for (; text.size() - at > block_bytes; at += block_bytes)
    compress(state, reinterpret_cast<const uint8_t*>(text.data()) + at, at + block_bytes, false);
  uint8_t rest[block_bytes] = {};
  if (at < text.size()) std::memcpy(rest, text.data() + at, text.size() - at);
  compress(state, rest, text.size(), true);
  Digest digest;
  std::memcpy(digest.data(), state, digest.size());
  return digest;
}

std::string hex(const Digest& digest) {
  std::string text;
  for (uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace Atoll
