// A GPU for tests of recordings, and a small recording of it.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "memory/memory_file.h"
#include "trace/player.h"
#include "trace/recorder.h"

namespace Atoll {

// Adds `step` to the first dword of every buffer that it is given.
struct Adder : gpu::Device {
  explicit Adder(uint32_t s) : step(s) {}
  uint32_t step;
  struct AdderQueue : gpu::Queue {
    AddressSpace& space;
    Adder& device;
    AdderQueue(AddressSpace& s, Adder& d) : space(s), device(d) {}
    Expected<void> run(std::span<const gpu::CommandBuffer> buffers) override {
      for (auto& b : buffers) {
        if (!space.contains(b.address, 4, true)) return fail("nothing at 0x{:x}", b.address);
        *reinterpret_cast<uint32_t*>(space.host(b.address)) += device.step;
      }
      gpu::DrawnIntoNothing nothing;
      if (device.after_draw) device.after_draw(0, nothing);
      return {};
    }
    gpu::Statistics statistics() const override { return {}; }
  };
  std::string_view name() const override { return "adder"; }
  Expected<std::unique_ptr<gpu::Queue>> make_queue(gpu::QueueKind, AddressSpace& space) override {
    return std::make_unique<AdderQueue>(space, *this);
  }
  uint32_t read_register(uint32_t) override { return 0; }
  void write_register(uint32_t, uint32_t) override {}
  void attach(AddressSpace&) override {}
  std::string report() const override { return {}; }
};

struct Recorded {
  std::string path = testing::TempDir() + "trace_test." + std::to_string(getpid()) + ".atoll";
  Recorded() { std::remove(path.c_str()); }
  ~Recorded() { std::remove(path.c_str()); }

  // Three submissions; between them the CPU changes what the GPU counts on.
  // `visible`: the program has mapped the memory.
  void make(bool visible = false) {
    auto memory = *MemoryFile::create();
    auto space = *AddressSpace::create(memory, uint64_t(1) << 32);
    uint64_t offset = *memory->allocate(4 * page_bytes);
    auto recorder = *trace::Recorder::create(path, "adder", *memory);
    unsigned s = recorder->add_space(space->size());
    ASSERT_TRUE(space->map(0x10000, offset, 4 * page_bytes));
    recorder->map(s, 0x10000, offset, 4 * page_bytes, true);
    if (visible) recorder->cpu_visible(offset, 4 * page_bytes);
    unsigned q = recorder->add_queue(gpu::QueueKind::graphics, s);
    Adder adder(5);
    auto queue = *adder.make_queue(gpu::QueueKind::graphics, *space);
    std::vector<gpu::CommandBuffer> buffers{{0x10000, 1}, {0x12000, 1}};
    for (uint32_t n = 0; n < 3; n++) {
      *reinterpret_cast<uint32_t*>(space->host(0x12000)) += 1000;  // the CPU
      recorder->begin_submission(q, buffers);
      ASSERT_TRUE(queue->run(buffers));
      if (visible)
        *reinterpret_cast<uint32_t*>(space->host(0x12800)) = *reinterpret_cast<uint32_t*>(space->host(0x13000)) = 7 + n;
      recorder->end_submission();
    }
    EXPECT_EQ(*reinterpret_cast<uint32_t*>(space->host(0x10000)), 15u);
    EXPECT_EQ(*reinterpret_cast<uint32_t*>(space->host(0x12000)), 3015u);
    EXPECT_TRUE(recorder->finish());
    EXPECT_EQ(recorder->error(), "");
  }

  std::string bytes() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }

  Expected<trace::PlayResult> play(uint32_t step = 5, uint64_t* draws = nullptr) const {
    trace::PlayOptions options;
    options.open = [&](std::string_view name, const gpu::Options&) -> Expected<std::unique_ptr<gpu::Device>> {
      if (name != "adder") return fail("no such GPU");
      return std::make_unique<Adder>(step);
    };
    options.after_draw = [&](uint64_t draw, const std::vector<gpu::Picture>&) {
      if (draws) *draws = draw + 1;
    };
    return trace::play(path, options);
  }
};

}  // namespace Atoll
