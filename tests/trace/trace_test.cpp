// Recordings: what is written is read back, what the CPU wrote and what the GPU wrote are told apart, and a replay notices a GPU
// that does something else.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "trace/format.h"
#include "trace/player.h"
#include "trace/recorder.h"

namespace {

using namespace Atoll;

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
      if (device.after_draw) device.after_draw(0);
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
  std::vector<gpu::Picture> pictures() const override { return {}; }
};

struct Recorded {
  std::string path = testing::TempDir() + "trace_test." + std::to_string(getpid()) + ".atoll";
  ~Recorded() { std::remove(path.c_str()); }

  // Three submissions; between them the CPU changes what the GPU counts on.
  void make() {
    auto memory = *MemoryFile::create();
    auto space = *AddressSpace::create(memory, uint64_t(1) << 32);
    uint64_t offset = *memory->allocate(4 * page_bytes);
    auto recorder = *trace::Recorder::create(path, "adder", *memory);
    unsigned s = recorder->add_space(space->size());
    ASSERT_TRUE(space->map(0x10000, offset, 4 * page_bytes));
    recorder->map(s, 0x10000, offset, 4 * page_bytes, true);
    unsigned q = recorder->add_queue(gpu::QueueKind::graphics, s);
    Adder adder(5);
    auto queue = *adder.make_queue(gpu::QueueKind::graphics, *space);
    std::vector<gpu::CommandBuffer> buffers{{0x10000, 1}, {0x12000, 1}};
    for (uint32_t n = 0; n < 3; n++) {
      *reinterpret_cast<uint32_t*>(space->host(0x12000)) += 1000;  // the CPU
      recorder->begin_submission(q, buffers);
      ASSERT_TRUE(queue->run(buffers));
      recorder->end_submission();
    }
    EXPECT_EQ(*reinterpret_cast<uint32_t*>(space->host(0x10000)), 15u);
    EXPECT_EQ(*reinterpret_cast<uint32_t*>(space->host(0x12000)), 3015u);
    EXPECT_EQ(recorder->error(), "");
  }

  Expected<trace::PlayResult> play(uint32_t step, uint64_t* draws = nullptr) {
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

TEST(Trace, AReplayDoesTheSameAgain) {
  Recorded r;
  r.make();
  uint64_t draws = 0;
  auto result = r.play(5, &draws);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->gpu, "adder");
  EXPECT_EQ(result->submissions, 3u);
  EXPECT_EQ(draws, 3u);
  EXPECT_EQ(result->pages_compared, 6u);
  EXPECT_EQ(result->pages_unlike, 0u);
  EXPECT_FALSE(result->truncated);
}

TEST(Trace, AnotherResultIsNoticed) {
  Recorded r;
  r.make();
  auto result = r.play(6);
  ASSERT_TRUE(result);
  // The first page is wrong from the first submission on; the second is put right by the CPU's pages, then wrong again.
  EXPECT_EQ(result->pages_unlike, 6u);
  EXPECT_EQ(result->first_unlike.find("submission 0"), 0u);
}

TEST(Trace, OnlyWhatTheCpuWroteIsWritten) {
  Recorded r;
  r.make();
  auto reader = *trace::Reader::open(r.path);
  trace::Record record;
  size_t pages = 0, submissions = 0;
  while (reader->next(record)) {
    trace::Payload p(record.payload);
    if (record.kind == trace::Kind::submit) submissions++;
    if (record.kind != trace::Kind::pages) continue;
    while (!p.empty()) {
      EXPECT_EQ(p.number(), 2u);  // the third page of the mapping; the first is the GPU's alone
      uint64_t count = p.number();
      pages += count;
      p.raw(count * page_bytes);
      ASSERT_TRUE(p.ok);
    }
  }
  EXPECT_EQ(submissions, 3u);
  EXPECT_EQ(pages, 3u);
}

TEST(Trace, ATruncatedRecordingIsReplayedUpToThere) {
  Recorded r;
  r.make();
  std::ifstream in(r.path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  size_t shorter = 0;
  for (size_t length = 0; length < bytes.size(); length++) {
    std::ofstream(r.path, std::ios::binary) << bytes.substr(0, length);
    auto result = r.play(5);
    if (!result) {
      EXPECT_NE(result.error().message.find(r.path), std::string::npos);
      continue;
    }
    EXPECT_EQ(result->pages_unlike, 0u);
    EXPECT_LE(result->submissions, 3u);
    shorter += result->submissions < 3;
  }
  EXPECT_GT(shorter, 0u);
}

TEST(Trace, DamageIsAnErrorAndNoCrash) {
  Recorded r;
  r.make();
  std::ifstream in(r.path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  for (size_t at = 0; at < bytes.size(); at++) {
    std::string damaged = bytes;
    damaged[at] = char(damaged[at] ^ 0x41);
    std::ofstream(r.path, std::ios::binary) << damaged;
    auto result = r.play(5);
    if (at < 12) EXPECT_FALSE(result);
  }
}

TEST(Trace, UnmappingCutsMappings) {
  auto memory = *MemoryFile::create();
  uint64_t offset = *memory->allocate(8 * page_bytes);
  Recorded r;
  {
    auto recorder = *trace::Recorder::create(r.path, "adder", *memory);
    unsigned s = recorder->add_space(uint64_t(1) << 32);
    recorder->map(s, 0x10000, offset, 8 * page_bytes, true);
    recorder->unmap(s, 0x12000, 2 * page_bytes);
    recorder->unmap(s, 0x12000, 2 * page_bytes);  // nothing left there
    unsigned q = recorder->add_queue(gpu::QueueKind::graphics, s);
    void* view = mmap(nullptr, 8 * page_bytes, PROT_WRITE, MAP_SHARED, memory->descriptor(), off_t(offset));
    std::memset(view, 7, 8 * page_bytes);
    recorder->begin_submission(q, {});
    recorder->end_submission("lost");
    munmap(view, 8 * page_bytes);
  }
  auto reader = *trace::Reader::open(r.path);
  trace::Record record;
  size_t pages = 0, unmaps = 0, lost = 0;
  while (reader->next(record)) {
    unmaps += record.kind == trace::Kind::unmap;
    lost += record.kind == trace::Kind::lost;
    if (record.kind != trace::Kind::pages) continue;
    trace::Payload p(record.payload);
    while (!p.empty()) {
      p.number();
      uint64_t count = p.number();
      pages += count;
      p.raw(count * page_bytes);
    }
  }
  EXPECT_EQ(unmaps, 1u);
  EXPECT_EQ(lost, 1u);
  EXPECT_EQ(pages, 6u);
}

}  // namespace
