// Moves between lanes as plain data.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace Atoll::wave {

// For each lane of a group of 32 the one of its group whose value it takes; -1: none, it gets 0.
struct LaneMap {
  std::array<int8_t, 32> from{};
};

// True if lanes of chunks of so many (4, 8 or 16) only take values of their own chunk, in every chunk alike.
constexpr bool stays_in_chunk(const LaneMap& map, int chunk) {
  for (int lane = 0; lane < 32; lane++) {
    const int from = map.from[size_t(lane)];           // NOLINT(bugprone-signed-char-misuse): -1 is none
    const int first = map.from[size_t(lane % chunk)];  // NOLINT(bugprone-signed-char-misuse)
    if (first >= chunk || from != (first < 0 ? -1 : lane / chunk * chunk + first)) return false;
  }
  return true;
}

}  // namespace Atoll::wave
