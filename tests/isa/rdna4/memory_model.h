// The reference for tests of memory instructions: a byte-by-byte, lane-by-lane model of memory, LDS and private memory, and of
// the vector registers, written apart from the engine.
#pragma once
#include <fmt/format.h>

#include <bit>

#include "single_step.h"

namespace Atoll::rdna4::test {

enum class Where { Memory, Lds, Scratch };
struct Target {
  Where where = Where::Memory;
  uint64_t address = 0;  // in its space; LDS wraps where the caller says so
};

class Model {
public:
  explicit Model(SingleStep& wave)
      : lanes(wave.lanes()), exec(wave.exec()), memory(wave.memory), lds(wave.lds), scratch(wave.scratch), v(kRegisters * 64) {
    for (uint32_t n = 0; n < kRegisters; n++)
      for (uint32_t lane = 0; lane < lanes; lane++) v[n * 64 + lane] = wave.v(n, lane);
  }
  bool active(uint32_t lane) const { return exec >> lane & 1; }
  uint32_t& reg(uint32_t n, uint32_t lane) { return v[n * 64 + lane]; }
  uint64_t reg64(uint32_t n, uint32_t lane) { return reg(n, lane) | uint64_t(reg(n + 1, lane)) << 32; }
  // Null beyond the end.
  uint8_t* byte(const Target& t, uint64_t n, uint32_t lane) {
    uint64_t a = t.address + n;
    switch (t.where) {
      case Where::Memory: return a - SingleStep::memory_base < memory.size() ? &memory[a - SingleStep::memory_base] : nullptr;
      case Where::Lds: return a < lds.size() ? &lds[a] : nullptr;
      default: return a < SingleStep::scratch_bytes ? &scratch[a / 4 * lanes * 4 + lane * 4 + a % 4] : nullptr;
    }
  }
  // Little-endian; zero if any byte is missing.
  uint64_t load(const Target& t, unsigned bytes, uint32_t lane) {
    uint64_t x = 0;
    for (unsigned n = 0; n < bytes; n++) {
      uint8_t* p = byte(t, n, lane);
      if (!p) return 0;
      x |= uint64_t(*p) << 8 * n;
    }
    return x;
  }
  void store(const Target& t, unsigned bytes, uint64_t x, uint32_t lane) {
    for (unsigned n = 0; n < bytes; n++)
      if (uint8_t* p = byte(t, n, lane)) *p = uint8_t(x >> 8 * n);
  }
  // Everything as the engine left it.
  testing::AssertionResult agrees(SingleStep& wave) {
    for (uint32_t n = 0; n < kRegisters; n++)
      for (uint32_t lane = 0; lane < lanes; lane++)
        if (wave.v(n, lane) != reg(n, lane))
          return testing::AssertionFailure()
                 << fmt::format("v{} lane {}: {:#x}, expected {:#x}, EXEC {:#x}", n, lane, wave.v(n, lane), reg(n, lane), exec);
    for (auto [name, ours, theirs] :
         {std::tuple{"memory", &memory, &wave.memory}, {"LDS", &lds, &wave.lds}, {"scratch", &scratch, &wave.scratch}})
      for (size_t n = 0; n < ours->size(); n++)
        if ((*ours)[n] != (*theirs)[n])
          return testing::AssertionFailure()
                 << fmt::format("{} byte {:#x}: {:#x}, expected {:#x}, EXEC {:#x}", name, n, (*theirs)[n], (*ours)[n], exec);
    return testing::AssertionSuccess();
  }

  static constexpr uint32_t kRegisters = 80;
  uint32_t lanes;
  uint64_t exec;
  std::vector<uint8_t> memory, lds, scratch;
  std::vector<uint32_t> v;
};

// Registers and memories full of noise, and one of the EXEC masks that matter.
inline void scramble(SingleStep& wave, Words& random, unsigned round) {
  for (uint32_t n = 0; n < Model::kRegisters; n++)
    for (uint32_t lane = 0; lane < wave.lanes(); lane++) wave.v(n, lane) = random.next();
  for (auto* bytes : {&wave.memory, &wave.lds, &wave.scratch})
    for (size_t n = 0; n < bytes->size(); n += 8) {
      uint64_t x = random.next64();
      std::memcpy(bytes->data() + n, &x, 8);
    }
  uint64_t all = ~uint64_t(0);
  switch (round % 6) {
    case 0: wave.set_exec(all); break;
    case 1: wave.set_exec(uint64_t(1) << random.next() % wave.lanes()); break;
    case 2: wave.set_exec(all << random.next() % wave.lanes()); break;
    case 3: wave.set_exec(0); break;
    default: wave.set_exec(random.next64());
  }
}

// Addresses of lanes within [base, base + span): in a row, all equal, in a row backwards, aligned or not at random.
inline uint64_t pattern(unsigned round, uint32_t lane, uint64_t base, uint64_t span, unsigned bytes, Words& random) {
  switch (round / 2 % 5) {
    case 0: return base + lane * bytes % span;
    case 1: return base + 4 * bytes % span;
    case 2: return base + (63 - lane) * bytes % span;
    case 3: return base + random.next() % (span / 4) * 4;
    default: return base + random.next() % span;
  }
}

}  // namespace Atoll::rdna4::test
