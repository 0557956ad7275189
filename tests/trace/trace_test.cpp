// Recordings: what is written is read back, what the CPU wrote and what the GPU wrote are told apart, and a replay notices a GPU
// that does something else.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "trace/recorded.h"

namespace {

using namespace Atoll;

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
  EXPECT_EQ(result->ending.place, trace::Ending::Place::mark);
  EXPECT_EQ(result->ending.text(), "");
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

// The GPU's dwords are compared even if the program writes meanwhile, beside what the GPU writes and in a page of its own.
TEST(Trace, PagesThatTheProgramMapsAreComparedToo) {
  Recorded r;
  r.make(true);
  auto result = r.play();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->submissions, 3u);
  EXPECT_EQ(result->pages_compared, 6u);
  EXPECT_EQ(result->pages_unlike, 0u) << result->first_unlike;
  EXPECT_EQ(result->pages_left, 3u);
  EXPECT_FALSE(result->writes_nothing());
  result = r.play(6);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->pages_unlike, 6u);
  EXPECT_EQ(result->first_unlike.find("submission 0"), 0u);
  result = r.play(0);  // a GPU that does nothing
  ASSERT_TRUE(result);
  EXPECT_EQ(result->pages_compared, 0u);
  EXPECT_EQ(result->pages_left, 9u);
  EXPECT_TRUE(result->writes_nothing());
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

TEST(Trace, DamageIsNoticedAtEveryByte) {
  Recorded r;
  r.make();
  std::string bytes = r.bytes();
  for (size_t at = 0; at < bytes.size(); at++) {
    if (at == 14 || at == 15) continue;  // flags that may be passed over
    std::string damaged = bytes;
    damaged[at] = char(damaged[at] ^ 0x41);
    r.put(damaged);
    auto result = r.play();
    if (!result) continue;
    EXPECT_EQ(result->pages_unlike, 0u) << "byte " << at;
    EXPECT_FALSE(result->ending.whole()) << "byte " << at;
    EXPECT_LE(result->submissions, 3u);
  }
}

// Memory that is given back and taken again is zero, which nobody wrote there. And what is mapped while a submission runs was not
// written by it.
TEST(Trace, MemoryThatWasGivenBackIsZeroAgain) {
  Recorded r;
  auto memory = *MemoryFile::create();
  auto space = *AddressSpace::create(memory, uint64_t(1) << 32);
  uint64_t offset = *memory->allocate(3 * page_bytes);
  auto recorder = *trace::Recorder::create(r.path, "adder", *memory);
  unsigned s = recorder->add_space(space->size());
  auto map = [&](uint64_t address, uint64_t at) {
    ASSERT_TRUE(space->map(address, at, page_bytes));
    recorder->map(s, address, at, page_bytes, true);
  };
  map(0x10000, offset);
  map(0x11000, offset + page_bytes);
  unsigned q = recorder->add_queue(gpu::QueueKind::graphics, s);
  Adder adder(5);
  auto queue = *adder.make_queue(gpu::QueueKind::graphics, *space);
  std::vector<gpu::CommandBuffer> buffers{{0x10000, 1}, {0x11000, 1}};
  *reinterpret_cast<uint32_t*>(space->host(0x11004)) = 99;
  for (uint32_t n = 0; n < 3; n++) {
    if (n == 1) {
      ASSERT_EQ(fallocate(memory->descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(offset), off_t(2 * page_bytes)),
                0);
    }
    recorder->begin_submission(q, buffers);
    ASSERT_TRUE(queue->run(buffers));
    if (n == 1) {
      map(0x12000, offset + 2 * page_bytes);
      *reinterpret_cast<uint32_t*>(space->host(0x12000)) = 77;
      buffers.push_back({0x12000, 1});
    }
    recorder->end_submission();
  }
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(space->host(0x10000)), 10u);
  EXPECT_TRUE(recorder->finish());
  auto result = r.play();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->pages_compared, 7u);
  EXPECT_EQ(result->pages_unlike, 0u) << result->first_unlike;
}

// A program that polls memory for the end of its work goes on at once; one that asks the driver waits until all is recorded.
TEST(Trace, ResultsThatThePollingProgramWroteOver) {
  for (bool polled : {false, true}) {
    Recorded r;
    auto memory = *MemoryFile::create();
    auto space = *AddressSpace::create(memory, uint64_t(1) << 32);
    uint64_t offset = *memory->allocate(page_bytes);
    auto recorder = *trace::Recorder::create(r.path, "adder", *memory);
    unsigned s = recorder->add_space(space->size());
    ASSERT_TRUE(space->map(0x10000, offset, page_bytes));
    recorder->map(s, 0x10000, offset, page_bytes, true);
    recorder->cpu_visible(offset, page_bytes);
    unsigned q = recorder->add_queue(gpu::QueueKind::graphics, s);
    Adder adder(5);
    auto queue = *adder.make_queue(gpu::QueueKind::graphics, *space);
    std::vector<gpu::CommandBuffer> buffers{{0x10000, 1}};
    recorder->begin_submission(q, buffers, std::nullopt, polled);
    ASSERT_TRUE(queue->run(buffers));
    *reinterpret_cast<uint32_t*>(space->host(0x10000)) = 77;
    recorder->end_submission();
    EXPECT_TRUE(recorder->finish());
    auto result = r.play();
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->pages_compared, 1u);
    EXPECT_EQ(result->pages_unlike, polled ? 0u : 1u) << result->first_unlike;
    EXPECT_EQ(result->pages_overtaken, polled ? 1u : 0u);
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
