// A wave with LDS and a stretch of memory, on which a block's text runs for many rows with one executor.
#pragma once
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "eval/target.h"
#include "gpu/sea_islands/packets/context.h"
#include "memory/address_space.h"
#include "r500_places.h"
#include "vector_file.h"
#include "wave/environment.h"
#include "wave/executor.h"

namespace Atoll::vectors {

class Machine : public wave::Environment {
public:
  static constexpr uint64_t memory_base = 0x100000;
  static constexpr uint32_t memory_bytes = 1 << 16, lds_bytes = 1 << 16;
  static constexpr uint64_t code_base = 0x4000;
  static constexpr unsigned most_lanes = 64;
  unsigned lanes() const { return lanes_; }  // of a wave: 64, of vertices 32

  // An error: the text does not assemble, or the engine cannot be had.
  Expected<void> prepare(const Form& form, wave::EngineChoice engine);
  // Runs rows [first, first + count) of the block as one wave. An error is the fault that ended it.
  Expected<void> run(const Block& block, size_t first, size_t count);
  // Instructions of the last run that the interpreter ran of itself: none with the JIT, which leaves the way behind the last
  // word of an R5xx shader to it.
  uint64_t interpreted() const { return wave_->interpreted - (is_r500(isa_) && wave_->compiled + wave_->called ? 1 : 0); }
  // The contents of an output's place for row `first + lane` of the last run.
  std::vector<uint32_t> result(const Output& output, size_t lane);

private:
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  struct Place {
    std::vector<eval::Register> registers = {};  // one a dword, or one of 1 or 64 bits
    enum { Registers, Lds, Memory } kind = Registers;
  };
  Expected<Place> find(const std::string& name);
  Expected<void> set(const Block& block, const Input& input, size_t first, size_t count);

  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override {
    return address >= memory_base && address + bytes <= memory_base + memory_bytes;
  }
  uint64_t clock() override { return ++ticks_; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
  void image(wave::Wave&, wave::ImageAccess& access) override;

  const eval::Target* target_ = nullptr;
  std::string isa_;
  unsigned lanes_ = most_lanes;
  std::map<std::string, Place> places_;
  std::unique_ptr<AddressSpace> space_;
  gpu::Options options_;
  std::unique_ptr<sea_islands::Context> gpu_;  // what image instructions ask
  uint8_t* memory_ = nullptr;
  std::vector<uint8_t> lds_, scratch_;
  std::vector<uint32_t> code_;
  std::unique_ptr<uint8_t, Free> storage_;
  size_t storage_bytes_ = 0;
  wave::Wave* wave_ = nullptr;
  wave::WorkGroup group_;
  std::atomic<int> stop_{0};
  uint64_t ticks_ = 0;
  std::unique_ptr<wave::Program> program_;
  std::unique_ptr<wave::Executor> executor_;
};

}  // namespace Atoll::vectors
