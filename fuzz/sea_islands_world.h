// Shared parts of Sea Islands' fuzzers: the fuzzer's bytes, a memory, a queue's context over it, a watch that ends what does not
// end, and programs put together from instructions and bytes.
#pragma once
#include <fmt/format.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <thread>
#include <vector>

#include "gpu/sea_islands/packets/context.h"
#include "gpu/sea_islands/shaders/shaders.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/parse.h"
#include "pipeline/workers.h"
#include "registers/lookup.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands::fuzz {

// The fuzzer's bytes, taken from the front; zeros when they are used up.
struct Bytes {
  const uint8_t* at;
  size_t left;
  uint8_t byte() { return left ? left--, *at++ : 0; }
  uint32_t dword() {
    uint32_t value = 0;
    for (unsigned n = 0; n < 4; n++) value |= uint32_t(byte()) << n * 8;
    return value;
  }
};

struct World {
  std::unique_ptr<AddressSpace> space = std::move(*AddressSpace::create());
  Buffer memory = *space->allocate(0x20000, 4096);
  Buffer large = *space->allocate(uint64_t(8) << 30, 4096);  // addresses with nothing in them, for sizes beyond measure
  pipeline::Workers workers{2};
  std::atomic<int> stop{0};
  std::atomic<uint64_t> run{0}, ended{0};  // numbers of runs
  std::thread watch;

  // Shaders may loop for ever; somebody must end them, as the kernel would.
  explicit World(unsigned milliseconds) {
    watch = std::thread([this, milliseconds] {
      for (;;) {
        uint64_t before = run;
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        if (run == before && ended != before) stop = 1;
      }
    });
    watch.detach();
  }

  uint64_t address(uint32_t offset) const { return memory.gpu_address + offset; }
  void put(uint32_t offset, uint32_t word) { std::memcpy(memory.host_pointer + offset, &word, 4); }
  // Memory begins the same each time: programs that end at once, descriptors and indices that are those words.
  void fill() {
    for (uint32_t n = 0; n < memory.bytes; n += 4) put(n, 0xbf810000);
  }
  // Runs body(context), which answers whether the context lives; that and its report must agree.
  template <class Body>
  void queue(const char* chip, gpu::QueueKind kind, wave::GlobalShare* share, Body body) {
    // A still queue is lost soon, and little is enough to reach each limit.
    const gpu::Options options{.engine = gpu::Engine::Interpreter,
                               .threads = 2,
                               .max_still_seconds = 0.001,
                               .limits = {.packets = 20'000, .dwords = 1 << 18, .buffers = 256, .bytes = 1 << 26}};
    stop = 0;
    run++;
    Context c(*gpu::find_chip(chip), kind, *space, options, stop);
    c.workers = &workers;
    c.shaders = std::make_shared<ShaderCache>(*space, wave::EngineChoice::Interpreter);
    c.share = share;
    c.statistics.submissions = 1;
    bool fine = body(c);
    ::madvise(large.host_pointer, large.bytes, MADV_REMOVE);
    ended = run.load();
    if (fine != c.lost() && c.report().empty() == fine) return;
    fmt::print(stderr, "the context is {}, its report '{}'\n", c.lost() ? "lost" : "alive", c.report());
    std::abort();
  }
};

// PM4, a packet after the other.
struct Words : std::vector<uint32_t> {
  void packet(uint32_t opcode, std::initializer_list<uint32_t> body) {
    push_back(3u << 30 | uint32_t(body.size() - 1) << 16 | opcode << 8);
    insert(end(), body.begin(), body.end());
  }
  // The packet that sets it, by where it lies.
  void set(uint32_t address, uint32_t value) {
    uint32_t base = address >= 0x30000 ? 0x30000 : address >= 0x28000 ? 0x28000 : address >= 0xb000 ? 0xb000 : 0x8000;
    uint32_t opcode = base == 0x30000 ? 0x79 : base == 0x28000 ? 0x69 : base == 0xb000 ? 0x76 : 0x68;
    packet(opcode, {(address - base) / 4, value});
  }
};

// A register and what a draw that works has in it.
struct Setting {
  uint32_t address, value;
};

// A register's value as a hostile driver might choose it: a bit or two away from what works, small, or anything.
inline uint32_t changed(Bytes& in, uint32_t value) {
  switch (in.byte() & 7) {
    case 0: return value ^ (1u << (in.byte() & 31));
    case 1: return value ^ (1u << (in.byte() & 31)) ^ (1u << (in.byte() & 31));
    case 2:
    case 3: return in.byte();
    case 4: return value + int8_t(in.byte());
    case 5: return 0xffffffffu >> (in.byte() & 31);
    default: return in.dword();
  }
}

// All settings, some of them changed.
inline void put_settings(Words& words, Bytes& in, const std::vector<Setting>& settings) {
  for (auto& s : settings) words.set(s.address, s.value);
  for (unsigned n = in.byte() % 12; n > 0; n--) {
    const Setting& s = settings[in.byte() % settings.size()];
    words.set(s.address, changed(in, s.value));
  }
}

// The words of instructions, one list an instruction.
inline std::vector<std::vector<uint32_t>> assembled(std::initializer_list<const char*> lines) {
  std::vector<std::vector<uint32_t>> all;
  bool fine = true;
  for (const char* line : lines) {
    auto instruction = gfx7::parse(line);
    auto words = instruction ? gfx7::encode(*instruction) : decltype(gfx7::encode(*instruction))();
    if (!instruction || !words) {
      fmt::print(stderr, "not an instruction: {}\n", line);
      fine = false;
      continue;
    }
    all.emplace_back(words->dwords.begin(), words->dwords.begin() + words->count);
  }
  if (!fine) std::abort();
  return all;
}

// A program at `offset`: instructions of the list, some with bits changed, s_sendmsg with any message, words of any kind.
inline void put_program(World& w, Bytes& in, uint32_t offset, const std::vector<std::vector<uint32_t>>& instructions) {
  for (unsigned n = in.byte() % 24; n > 0; n--) {
    uint8_t which = in.byte();
    if (which >= 250) {
      w.put(offset, in.dword()), offset += 4;
    } else if (which >= 230) {
      w.put(offset, 0xbf900000 | (2 + (in.byte() & 1)) | (in.byte() & 3) << 4 | (in.byte() & 3) << 8), offset += 4;
    } else {
      auto words = instructions[which % instructions.size()];
      if (which >= 200) words[in.byte() % words.size()] ^= 1u << (in.byte() & 31);
      for (uint32_t word : words) w.put(offset, word), offset += 4;
    }
  }
  w.put(offset, 0xbf810000);
}

}  // namespace Atoll::sea_islands::fuzz
