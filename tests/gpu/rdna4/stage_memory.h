// Memory with a shader's code, descriptors and data, and the waves that run it: for tests of graphics waves.
#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <sstream>

#include "gpu/rdna4/graphics_wave.h"
#include "isa/rdna4/encode.h"
#include "isa/rdna4/parse.h"

namespace Atoll::rdna4::test {

// The upper half of addresses that shaders make of 32 bits: Mesa's is 0xffff8000, beyond the window of a GPU here.
inline constexpr uint64_t upper = 0x10;
inline constexpr uint64_t code_page = 0x10'0000'0000, ring_table = code_page + 0x10000, descriptors = ring_table + 0x1000,
                          data = ring_table + 0x2000, ring = ring_table + 0x8000;

class StageMemory {
public:
  virtual ~StageMemory() = default;
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  GraphicsGroup group;

  StageMemory() {
    const uint64_t bytes = 0x20000;
    const uint64_t offset = *space->memory().allocate(bytes);
    EXPECT_TRUE(space->map(code_page, offset, bytes));
    std::memset(space->host(code_page), 0, bytes);
  }
  void assemble(const std::string& text, unsigned wave_size) {
    std::vector<uint32_t> words;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) continue;
      auto parsed = parse(line, {wave_size});
      ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
      auto encoded = encode(parsed->main, {wave_size});
      ASSERT_TRUE(encoded) << line;
      words.insert(words.end(), encoded->dwords.begin(), encoded->dwords.begin() + encoded->count);
    }
    std::memcpy(space->host(code_page), words.data(), words.size() * 4);
    group.code_start = group.entry = code_page, group.code_bytes = words.size() * 4, group.wave_size = wave_size;
  }
  uint32_t& word(uint64_t address) { return *reinterpret_cast<uint32_t*>(space->host(address)); }
  float& number(uint64_t address) { return *reinterpret_cast<float*>(space->host(address)); }
  // A V# of records (stride) or of bytes (0).
  void buffer(uint64_t at, uint64_t base, uint32_t stride, uint32_t records) {
    word(at) = uint32_t(base), word(at + 4) = uint32_t(base >> 32) | stride << 16, word(at + 8) = records;
    word(at + 12) = 63u << 12 | 4 | 5 << 3 | 6 << 6 | 7 << 9 | (stride ? 0u : 3u) << 28;  // 32_32_32_32_FLOAT, xyzw
  }
  GraphicsResult run(hsa::Engine engine) {
    auto result = run_graphics(group, *space, {.engine = engine});
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    if (!result) return {};
    EXPECT_FALSE(result->fault) << result->fault->instruction_text << ": " << result->fault->other;
    return std::move(*result);
  }
};

inline uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }

}  // namespace Atoll::rdna4::test
