// A message of a wave to a fixed function of the pipeline, in terms of no ISA: registers go, and registers may come back. The ISA
// and the GPU family agree on the words' meaning (Environment::fixed_function).
#pragma once
#include <cstdint>
#include <span>

namespace Atoll::wave {

struct FixedFunctionMessage {
  uint32_t function = 0;                  // as the ISA numbers them
  uint32_t descriptor = 0, extended = 0;  // the message's own words
  uint32_t enabled = 0;                   // lanes of the instruction that act, a bit each
  bool ends = false;                      // the wave ends with it
  // Words of the wave's registers: what goes stands in two pieces, one behind the other. The answer may lie over both of them.
  std::span<const uint32_t> payload[2];
  std::span<uint32_t> answer;
  // Set if it failed: a static text.
  const char* fault = nullptr;

  size_t payload_words() const { return payload[0].size() + payload[1].size(); }
  // Word n of both pieces together.
  uint32_t word(size_t n) const { return n < payload[0].size() ? payload[0][n] : payload[1][n - payload[0].size()]; }
};

}  // namespace Atoll::wave
