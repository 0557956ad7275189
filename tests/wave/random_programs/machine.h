// One RDNA4 wave with LDS, private memory and a buffer, filled from a seed, and everything it can change as bytes to compare.
#pragma once
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "isa/rdna4/isa.h"
#include "isa/rdna4/registers.h"
#include "memory/address_space.h"
#include "wave/environment.h"
#include "wave/program.h"
#include "wave/work_group.h"

namespace Atoll::rdna4::test {

// splitmix64 (public domain, S. Vigna).
struct Random {
  uint64_t state;
  uint64_t next64() {
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  uint32_t next() { return uint32_t(next64() >> 32); }
  uint32_t below(uint32_t n) { return uint32_t((uint64_t(next()) * n) >> 32); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  // A word that is an edge of integers, of floats or of halves about half of the time.
  uint32_t word();
};

constexpr uint64_t code_base = 0x4000, buffer_base = 0x100000000;  // the buffer's addresses have a low half that is an offset
constexpr uint64_t buffer_start = buffer_base - 0x1000;            // for negative offsets
constexpr uint32_t buffer_bytes = 0x5000, lds_bytes = 4096 + 256, scratch_bytes = 256;
constexpr uint32_t shared_high = 0x00010000, private_high = 0x00020000;

// Registers with a meaning in every program (generator.cpp); the others hold data.
enum Reserved : uint32_t {
  LOOP_COUNTER = 20,  // SGPRs
  SAVED_EXEC = 22,    // and 24, 26 by depth
  SCRATCH_OFFSET = 28,
  SMALL_OFFSET = 29,
  BUFFER_BASE = 30,  // 64 bits
  BUFFER_DESCRIPTOR = 32,
  RETURN_ADDRESS = 36,
  DATA_SGPRS = 16,  // s0 to s15, v0 to v15 are data
  DATA_VGPRS = 16,
  ADDRESS = 40,       // VGPRs: a computed address; 41 is the buffer's high half
  LANE_BASE = 42,     // lane number times 64
  FLAT_ADDRESS = 44,  // 45: the high half of one of the apertures, by lane
  LANE_COUNTER = 46,
  TEMPORARY = 47,
  BUFFER_INDEX = 48,  // 49: an offset behind it
};

class Machine : public wave::Environment {
public:
  static std::unique_ptr<Machine> create();
  // The state that a seed stands for.
  void reset(unsigned lanes, uint32_t mode, uint64_t seed);
  // Registers, LDS, private memory, buffer, how it stopped: everything that engines must agree on.
  struct State {
    std::vector<uint8_t> registers, lds, scratch, buffer;
    wave::Stop stop = wave::Stop::Run;
    wave::FaultReport fault;
    uint64_t pc = 0;
  };
  State state() const;
  wave::Wave& wave() { return *wave_; }
  std::atomic<int>& stop_flag() { return stop_; }

  bool mapped(uint64_t address, uint64_t bytes) const override { return space_->contains(address, bytes); }
  uint64_t clock() override { return ++ticks_; }
  uint64_t message(wave::Wave&, uint32_t message, uint32_t m0) override { return message * 3 + m0; }

private:
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  std::unique_ptr<AddressSpace> space_;
  std::unique_ptr<uint8_t, Free> storage_;
  wave::Wave* wave_ = nullptr;
  wave::WorkGroup group_;
  std::vector<uint8_t> lds_, scratch_;
  std::atomic<int> stop_{0};
  uint64_t ticks_ = 0;
};

// What differs, a line each, ten at most; empty when nothing does.
std::string difference(const Machine::State& a, const Machine::State& b, unsigned lanes);

}  // namespace Atoll::rdna4::test
