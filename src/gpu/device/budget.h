// The budget of one submission, beyond which the GPU counts as hanging, in units of the stream (packets, dwords, buffers,
// bytes, work-groups, vertices), never in time, so that a stream is lost at the same packet on every machine and with any number of
// threads. Work within it may take as long as it wants while its waves end (watch.h).
#pragma once
#include <cstdint>
#include <string>

namespace Atoll::gpu {

// The largest submissions of drivers are far below (docs/decisions.md has the figures).
struct Limits {
  uint64_t packets = uint64_t(1) << 24;  // with fillers, and each indirect draw, row or register write of a packet
  uint64_t dwords = uint64_t(1) << 26;   // of commands, and of registers that are loaded from memory
  uint64_t buffers = uint64_t(1) << 16;  // called or chained to
  uint64_t bytes = uint64_t(1) << 38;    // that packets copy and fill, and indices that they hand over
  // Work-groups of all dispatches: some minutes of the shortest (a dispatch of a lane for each pixel of 16384x16384 has 2^22).
  uint64_t groups = uint64_t(1) << 28;
  uint64_t vertices = uint64_t(1) << 32;  // of all draws, times their instances
};

class Budget {
public:
  explicit Budget(const Limits& limits) : limits_(limits), left_(limits) {}
  // A submission begins.
  void begin() { left_ = limits_, exhausted_ = nullptr; }

  // Counts what is about to be done. False: it exceeds the budget; report() says what.
  bool packets(uint64_t count = 1) { return take(&Limits::packets, count); }
  bool dwords(uint64_t count) { return take(&Limits::dwords, count); }
  bool buffers(uint64_t count = 1) { return take(&Limits::buffers, count); }
  bool bytes(uint64_t count) { return take(&Limits::bytes, count); }
  bool groups(uint64_t x, uint64_t y, uint64_t z) { return take(&Limits::groups, product(product(x, y), z)); }
  bool vertices(uint64_t count, uint64_t instances) { return take(&Limits::vertices, product(count, instances)); }

  const Limits& limits() const { return limits_; }
  std::string report() const;

private:
  static uint64_t product(uint64_t a, uint64_t b) {  // at most what 64 bits hold
    uint64_t whole;
    return __builtin_mul_overflow(a, b, &whole) ? ~uint64_t(0) : whole;
  }
  bool take(uint64_t Limits::* what, uint64_t count) {
    if (count <= left_.*what) return left_.*what -= count, true;
    left_.*what = 0, exhausted_ = what;
    return false;
  }

  const Limits limits_;
  Limits left_;
  uint64_t Limits::* exhausted_ = nullptr;
};

}  // namespace Atoll::gpu
