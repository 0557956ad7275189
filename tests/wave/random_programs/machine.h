// One wave with LDS, private memory and a buffer, filled from a seed, and everything it can change as bytes to compare. What
// depends on the instruction set (registers, programs) its derived classes know.
#pragma once
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memory/address_space.h"
#include "wave/environment.h"
#include "wave/program.h"
#include "wave/work_group.h"

namespace Atoll::test {

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

struct RandomProgram {
  std::vector<uint32_t> words;
  std::vector<uint32_t> starts;  // of instructions, in words
};

// A program that is put together from pieces.
struct Code {
  std::vector<uint32_t> words, starts;
  std::vector<uint32_t> calls;  // words whose SIMM16 leads to the function at the end
  void add(std::span<const uint32_t> instruction) {
    starts.push_back(uint32_t(words.size()));
    words.insert(words.end(), instruction.begin(), instruction.end());
  }
  void add(const Code& other) {
    uint32_t at = uint32_t(words.size());
    for (uint32_t s : other.starts) starts.push_back(s + at);
    for (uint32_t c : other.calls) calls.push_back(c + at);
    words.insert(words.end(), other.words.begin(), other.words.end());
  }
};

// The aim of a generator's access to memory, for those who do not want the places that it would choose (the attacker).
struct Aim {
  enum Space : uint8_t { Lds, Global, Flat, Private, Scalar, Buffer };
  Space space = Lds;
  uint32_t address = 0;     // VGPR or the first of two: an address; of buffers an index and an offset, or one of them
  uint32_t base = 0;        // the first of two SGPRs that hold an address
  bool base_alone = true;   // of global memory: the VGPRs hold an address and no base is added
  uint32_t descriptor = 0;  // the first of four SGPRs
  uint32_t scalar_offset = 0;
  bool has_scalar_offset = false;  // an SGPR
  int32_t offset = 0;              // of the instruction, as far as it has room for it
  bool plain = false;              // one dword is loaded or stored
  bool apart = false;              // lanes are so far apart that none stores where another one does
};

constexpr uint64_t code_base = 0x4000, buffer_base = 0x100000000;  // the buffer's addresses have a low half that is an offset
constexpr uint64_t buffer_start = buffer_base - 0x1000;            // for negative offsets
constexpr uint32_t shared_base = 256, shared_bytes = 1024, first_resource = 8, resources = 24;  // of the wave::GlobalShare
constexpr uint32_t buffer_bytes = 0x5000, lds_bytes = 4096 + 256, scratch_bytes = 256;

// Mapped GPU memory that programs may read and write.
struct Window {
  uint64_t address = 0, bytes = 0;
};
// The places of a wave and its memories. The wave needs wave_bytes(), aligned to 128.
struct Places {
  AddressSpace* space = nullptr;
  std::vector<Window> windows;
  uint8_t *wave = nullptr, *lds = nullptr, *scratch = nullptr;  // scratch: scratch_bytes for each of 64 lanes
  uint32_t lds_bytes = 0, scratch_bytes = 0;
  wave::GlobalShare* share = nullptr;
  uint32_t shared_base = 0, shared_bytes = 0;  // of the share's memory
};

class Machine : public wave::Environment {
public:
  // --- what the instruction set says
  virtual const wave::Isa& isa(unsigned lanes) const = 0;
  virtual unsigned random_lanes(Random& random) const = 0;
  virtual uint32_t random_mode(Random& random) const = 0;
  // Anything else about its waves that is random, until the next time. `all_registers`: the waves have all those that programs take
  // addresses from.
  virtual void vary(Random&, bool /*all_registers*/) {}
  // The words of an instruction that does nothing.
  virtual std::vector<uint32_t> nop() const { return {0xbf800000}; }
  virtual RandomProgram generate(Random& random, unsigned lanes) const = 0;
  // The rows of the instruction table: how many, which one a step is, what it is called ("" for those that no program has).
  virtual size_t row_count() const = 0;
  virtual size_t row_of(const wave::Step& step) const = 0;
  virtual std::string row_name(size_t row) const = 0;

  // Room of its own for everything; false without an address space.
  bool prepare();
  // Answers accesses to images, instead of the machine; may be empty.
  std::function<void(wave::ImageAccess&)> images;
  // And who finds textures for compiled code, with where it looks first.
  std::function<const wave::SampledTexture*(const uint32_t*, const uint32_t*, uint32_t, wave::TextureUse)> textures;
  const wave::TextureSlots* texture_slots = nullptr;
  // Somebody else's room, from the next reset() on.
  void use(const Places& places) { places_ = places; }
  size_t wave_bytes() const { return round_up(wave::register_file_offset + isa(64).register_file().bytes, 128); }
  // From the next reset() on one page of the machine's own buffer may only be read, another one for each seed.
  void protect_a_page() { protects_ = true; }
  // The state that a seed stands for.
  void reset(unsigned lanes, uint32_t mode, uint64_t seed);
  // Registers, LDS, private memory, buffer, images, what waves share, messages, how it stopped: everything that engines must
  // agree on.
  struct State {
    std::vector<uint8_t> registers, lds, scratch, buffer, images, shared;
    uint64_t messages = 0;
    bool privileged = false;
    wave::Stop stop = wave::Stop::Run;
    wave::FaultReport fault;
    uint64_t pc = 0;
  };
  State state() const;
  // The differences, a line each, ten at most; empty if there are none. `inspected`: of wave::Wave; without it only results among
  // the registers count.
  std::string difference(const State& a, const State& b, unsigned lanes, bool inspected = true) const;
  wave::Wave& wave() { return *wave_; }
  std::atomic<int>& stop_flag() { return stop_; }

  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override {
    return places_.space->contains(address, bytes, writable);
  }
  uint64_t clock() override { return ++ticks_; }
  uint64_t message(wave::Wave& wave, uint32_t message, uint32_t m0) override;
  bool export_row(wave::Wave& wave, const wave::RowExport& row) override;
  // No image at all, but something that every word of the access decides: what it loads, where and what it stores.
  void image(wave::Wave& wave, wave::ImageAccess& access) override;
  const wave::SampledTexture* sampled_texture(const uint32_t* resource, const uint32_t* sampler, uint32_t slot,
                                              wave::TextureUse use) override;
  wave::GlobalPart global_part() override {
    return {places_.share, places_.shared_base, places_.shared_bytes, first_resource, resources};
  }
  // The order of waves of all stages but one: this one, and one behind it.
  wave::WaveOrder* order(uint32_t stage) override { return stage == 3 ? nullptr : &*order_; }
  // By turns.
  wave::TrapAnswer trap(wave::Wave&) override { return wave::TrapAnswer(++traps_ % 3); }

protected:
  virtual void fill_registers(wave::Wave& wave, Random& random, uint32_t mode) const = 0;
  virtual std::string register_name(uint32_t cell, unsigned lanes) const = 0;

private:
  std::vector<uint8_t> shared_state() const;
  std::string name_in_windows(uint32_t n) const;
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  void protect(unsigned page, bool writable);

  std::unique_ptr<AddressSpace> space_;
  uint64_t buffer_offset_ = 0;  // in its memory file
  bool protects_ = false;
  std::unique_ptr<uint8_t, Free> storage_;
  std::vector<uint8_t> lds_, scratch_;
  std::unique_ptr<wave::GlobalShare> share_;
  Places places_;
  wave::Wave* wave_ = nullptr;
  wave::WorkGroup group_;
  std::atomic<int> stop_{0};
  uint64_t ticks_ = 0, messages_ = 0, traps_ = 0;
  std::optional<wave::WaveOrder> order_;
  std::vector<uint32_t> images_;
};

std::unique_ptr<Machine> rdna4_machine();
std::unique_ptr<Machine> gfx7_machine();
std::unique_ptr<Machine> xe_lp_machine();

}  // namespace Atoll::test
