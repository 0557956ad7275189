// Recordings: what is written is read back, what the CPU wrote and what the GPU wrote are told apart, and a replay notices a GPU
// that does something else.
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
