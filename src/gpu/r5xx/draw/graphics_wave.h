// A wave of a draw: its memory, the neutral part and the register file behind it aligned as the engines want it, and what is counted
// of it.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "wave/wave.h"

namespace Atoll::r5xx {

// What waves did, added up over workers.
struct WaveCounters {
  uint64_t waves = 0, compiled = 0, called = 0, interpreted = 0;
  WaveCounters& operator+=(const WaveCounters& o) {
    waves += o.waves, compiled += o.compiled, called += o.called, interpreted += o.interpreted;
    return *this;
  }
};

class WaveStorage {
public:
  explicit WaveStorage(uint32_t register_file_bytes) : bytes_(wave::register_file_offset + register_file_bytes) {
    memory_.reset(static_cast<uint8_t*>(std::aligned_alloc(128, (bytes_ + 127) / 128 * 128)));
    if (!memory_) throw std::bad_alloc();
    std::memset(memory_.get(), 0, bytes_);
    new (memory_.get()) wave::Wave;
  }
  wave::Wave& operator*() { return *reinterpret_cast<wave::Wave*>(memory_.get()); }
  wave::Wave* operator->() { return &**this; }

private:
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  size_t bytes_;
  std::unique_ptr<uint8_t, Free> memory_;
};

}  // namespace Atoll::r5xx
