// How recordings end: whole, or cut at any byte. Everything before the cut is replayed, and the missing part is reported.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>

#include "trace/recorded.h"

namespace {

using namespace Atoll;
using Place = trace::Ending::Place;

// A recording in which one submission's pages take more than a chunk, so that a record lies in two.
void make_long(const Recorded& r) {
  constexpr uint64_t pages = 5 * trace::max_record_pages;
  auto memory = *MemoryFile::create();
  auto space = *AddressSpace::create(memory, uint64_t(1) << 32);
  uint64_t offset = *memory->allocate(pages * page_bytes);
  auto recorder = *trace::Recorder::create(r.path, "adder", *memory);
  unsigned s = recorder->add_space(space->size());
  ASSERT_TRUE(space->map(0x10000, offset, pages * page_bytes));
  recorder->map(s, 0x10000, offset, pages * page_bytes, true);
  unsigned q = recorder->add_queue(gpu::QueueKind::graphics, s);
  Adder adder(5);
  auto queue = *adder.make_queue(gpu::QueueKind::graphics, *space);
  std::vector<gpu::CommandBuffer> buffers{{0x10000, 1}, {0x12000, 1}};
  for (uint8_t n = 0; n < 3; n++) {
    if (n == 1) std::memset(space->host(0x11000), 7, (pages - 1) * page_bytes);
    recorder->begin_submission(q, buffers);
    ASSERT_TRUE(queue->run(buffers));
    recorder->end_submission();
  }
  EXPECT_TRUE(recorder->finish());
}

// Bytes at which chunks begin, and the end.
std::vector<size_t> chunks_of(const std::string& bytes) {
  std::vector<size_t> begins;
  size_t at = trace::file_header_bytes;
  for (; at + trace::chunk_header_bytes <= bytes.size();) {
    begins.push_back(at);
    std::array<uint8_t, trace::chunk_header_bytes> head;
    std::memcpy(head.data(), bytes.data() + at, head.size());
    trace::ChunkHeader header;
    EXPECT_TRUE(trace::decode(head, header)) << at;
    at += head.size() + header.stored;
  }
  EXPECT_EQ(at, bytes.size());
  begins.push_back(at);
  return begins;
}

TEST(Ending, EachByteAtWhichAFileIsCutIsTold) {
  Recorded r;
  make_long(r);
  std::string bytes = r.bytes();
  ASSERT_LT(bytes.size(), 20000u);
  auto whole = r.play();
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(whole->ending.place, Place::mark);
  EXPECT_EQ(whole->submissions, 3u);
  std::vector<size_t> begins = chunks_of(bytes);
  std::map<Place, size_t> met;
  uint64_t last = 0;
  for (size_t length = 0; length < bytes.size(); length++) {
    r.put(bytes.substr(0, length));
    auto result = r.play();
    if (length < begins[1]) {  // the first chunk names the GPU
      ASSERT_FALSE(result) << length;
      EXPECT_NE(result.error().message.find(length ? " ends " : "is no recording"), std::string::npos) << result.error().message;
      continue;
    }
    ASSERT_TRUE(result) << length << ": " << result.error().message;
    const trace::Ending& end = result->ending;
    met[end.place]++;
    EXPECT_FALSE(end.whole()) << length;
    EXPECT_EQ(result->pages_unlike, 0u);
    EXPECT_GE(result->submissions, last) << length;
    last = result->submissions;
    EXPECT_LE(end.submissions, result->submissions);
    EXPECT_LE(result->submissions, end.submissions + 1);  // one whose result is not there
    // where the chunk that is cut begins, and where the next one would
    auto after = std::upper_bound(begins.begin(), begins.end(), length);
    size_t begin = *std::prev(after), next = *after;
    EXPECT_EQ(end.offset, begin) << length;
    size_t there = length - begin;
    if (there == 0) {
      EXPECT_TRUE(end.place == Place::between_chunks || end.place == Place::record) << length;
      EXPECT_NE(end.text().find(end.place == Place::record ? "inside a record" : "without its mark"), std::string::npos);
    } else {
      EXPECT_EQ(end.place, there < trace::chunk_header_bytes ? Place::chunk_header : Place::chunk) << length;
      EXPECT_EQ(end.undecoded, there);
      EXPECT_EQ(end.missing, (there < trace::chunk_header_bytes ? begin + trace::chunk_header_bytes : next) - length) << length;
      EXPECT_NE(end.text().find(fmt::format("{} byte", there)), std::string::npos) << end.text();
    }
  }
  EXPECT_EQ(last, 3u);
  EXPECT_EQ(met.size(), 4u);
  EXPECT_GT(met[Place::record], 0u);
  EXPECT_GT(met[Place::between_chunks], 2u);
}

TEST(Ending, WithoutTheMarkNothingElseIsMissing) {
  Recorded r;
  r.make();
  std::string bytes = r.bytes();
  auto begins = chunks_of(bytes);
  r.put(bytes.substr(0, begins[begins.size() - 2]));
  auto result = r.play();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->submissions, 3u);
  EXPECT_EQ(result->pages_compared, 6u);
  EXPECT_EQ(
      result->ending.text(),
      "ends behind submission 2, without its mark at the end: the program was killed at work, is still running, or the file "
      "was cut");
}

TEST(Ending, RecordingMayGoOnBehindTheMark) {
  auto memory = *MemoryFile::create();
  Recorded r;
  auto recorder = *trace::Recorder::create(r.path, "adder", *memory);
  auto place = [&] {
    auto result = r.play();
    EXPECT_TRUE(result) << result.error().message;
    return result->ending.place;
  };
  unsigned s = recorder->add_space(uint64_t(1) << 32), q = recorder->add_queue(gpu::QueueKind::compute, s);
  recorder->begin_submission(q, {});
  EXPECT_FALSE(recorder->finish()) << "a submission runs";
  recorder->end_submission();
  EXPECT_EQ(place(), Place::between_chunks);
  EXPECT_TRUE(recorder->finish());
  EXPECT_EQ(place(), Place::mark);
  size_t marked = r.bytes().size();
  EXPECT_TRUE(recorder->finish());
  EXPECT_EQ(r.bytes().size(), marked) << "one mark is enough";
  recorder->begin_submission(q, {});
  recorder->end_submission();
  EXPECT_EQ(place(), Place::between_chunks);
  EXPECT_TRUE(recorder->finish());
  EXPECT_EQ(place(), Place::mark);
}

TEST(Ending, WhoStartedAProcessClosesItsRecording) {
  auto memory = *MemoryFile::create();
  Recorded r;
  trace::Progress progress{};
  {
    auto recorder = *trace::Recorder::create(r.path, "adder", *memory, &progress);
    unsigned s = recorder->add_space(uint64_t(1) << 32), q = recorder->add_queue(gpu::QueueKind::compute, s);
    recorder->begin_submission(q, {});
    recorder->end_submission();
  }
  EXPECT_EQ(progress.submissions, 1u);
  EXPECT_EQ(progress.marked, 0u);
  EXPECT_EQ(progress.bytes, r.bytes().size());
  r.put(r.bytes() + "CHNK, and then the process was killed");
  EXPECT_EQ(r.play()->ending.place, Place::chunk_header);
  ASSERT_TRUE(trace::close_recording(r.path, progress.bytes, progress.submissions));
  auto result = r.play();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->ending.place, Place::mark);
  EXPECT_EQ(result->ending.closing, trace::Closing::launcher);
  EXPECT_EQ(result->submissions, 1u);
  // a mark that counts something else is no mark
  ASSERT_TRUE(trace::close_recording(r.path, progress.bytes, 7));
  EXPECT_EQ(r.play()->ending.place, Place::damaged);
}

// --- version 1 ----------------------------------------------------------------------------------------------------------------
// As Atoll wrote it before there was version 2: one zstd stream, flushed after every submission, which a process's end ended.
std::string version_1(std::span<const trace::Record> records, bool ended, int level = 1) {
  std::string file = "ATOLLTRC";
  file += std::string("\1\0\0\0", 4);
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  std::string out(1 << 20, 0);
  auto write = [&](const void* data, size_t size, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{data, size, 0};
    for (size_t left = 1; left;) {
      ZSTD_outBuffer to{out.data(), out.size(), 0};
      left = ZSTD_compressStream2(context, &to, &in, directive);
      ASSERT_FALSE(ZSTD_isError(left));
      file.append(out.data(), to.pos);
      if (directive == ZSTD_e_continue && in.pos == in.size) break;
    }
  };
  for (auto& record : records) {
    trace::Bytes head;
    head.number(uint64_t(record.kind));
    head.number(record.payload.size());
    write(head.data.data(), head.data.size(), ZSTD_e_continue);
    write(record.payload.data(), record.payload.size(), ZSTD_e_continue);
    if (record.kind == trace::Kind::digest) write(nullptr, 0, ZSTD_e_flush);
  }
  if (ended) write(nullptr, 0, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  return file;
}

std::vector<trace::Record> records_of(const Recorded& r) {
  std::vector<trace::Record> records;
  auto reader = *trace::Reader::open(r.path);
  for (trace::Record record; reader->next(record);)
    if (record.kind != trace::Kind::end) records.push_back(record);
  return records;
}

// The committed recording of an older version.
std::string old_recording(int version) {
  std::ifstream in(fmt::format(ATOLL_SOURCE_DIR "/tests/trace/version-{}.atoll", version), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Ending, Version1IsReadToWhereItIsCut) {
  Recorded r;
  r.put(old_recording(2));  // its digests have version 1's hashes
  auto records = records_of(r);
  for (bool ended : {true, false}) {
    std::string bytes = version_1(records, ended);
    std::set<size_t> flushed;  // where a submission ends, and so a block
    for (size_t n = 1; n <= records.size(); n++)
      if (records[n - 1].kind == trace::Kind::digest) flushed.insert(version_1(std::span(records).first(n), false).size());
    ASSERT_EQ(flushed.size(), 3u);
    for (size_t length = 12; length <= bytes.size(); length++) {
      r.put(bytes.substr(0, length));
      auto result = r.play();
      uint64_t there = uint64_t(std::distance(flushed.begin(), flushed.upper_bound(length)));
      if (!there) {
        EXPECT_FALSE(result) << length;
        continue;
      }
      ASSERT_TRUE(result) << length << ": " << result.error().message;
      EXPECT_EQ(result->submissions, there) << length;
      EXPECT_EQ(result->pages_unlike, 0u) << length;
      bool between = flushed.count(length) || length == bytes.size();
      EXPECT_EQ(result->ending.place, between ? Place::unknown : Place::chunk) << length;
      if (!between) EXPECT_GT(result->ending.missing, 0u) << length;
      EXPECT_EQ(result->ending.text().empty(), between) << length;
    }
  }
}

// A block of zstd holds 128 KiB: a submission of several can be cut between blocks, inside a record.
TEST(Ending, Version1IsCutInsideARecord) {
  Recorded r;
  make_long(r);
  std::string bytes = version_1(records_of(r), true);
  std::map<Place, size_t> met;
  for (size_t length = 12; length <= bytes.size(); length++) {
    r.put(bytes.substr(0, length));
    if (auto result = r.play()) {
      met[result->ending.place]++;
      if (result->ending.place == Place::record) EXPECT_GT(result->ending.undecoded + result->ending.missing, page_bytes);
    }
  }
  EXPECT_EQ(met.size(), 3u);
  EXPECT_GT(met[Place::record], 2u);
  EXPECT_GT(met[Place::chunk], 100u);
  EXPECT_EQ(met[Place::unknown], 4u);  // after each submission, and the end
}

// Made by the last Atoll that wrote version 1 or 2, of the same three submissions.
TEST(Ending, OldRecordingsStillReplay) {
  for (char version : {1, 2}) {
    Recorded r;
    std::string bytes = old_recording(version);
    ASSERT_EQ(bytes.substr(0, 8), "ATOLLTRC");
    ASSERT_EQ(bytes[8], version);
    r.put(bytes);
    auto result = r.play();
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->submissions, 3u);
    EXPECT_EQ(result->pages_compared, 6u);
    EXPECT_EQ(result->pages_unlike, 0u);
    EXPECT_EQ(result->ending.place, version == 1 ? Place::unknown : Place::mark);
    EXPECT_EQ(r.play(6)->pages_unlike, 6u);
  }
}

// The present format: the published test vectors of XXH3 with seed 0 (an empty input), and version 3's number.
TEST(Ending, ThisVersionHashesWithXxh3) {
  Recorded r;
  r.make();
  EXPECT_EQ(r.bytes().substr(0, 12), std::string("ATOLLTRC\3\0\0\0", 12));
  EXPECT_EQ(trace::bytes_hash({}), 0x2d06800538d394c2u);
  std::vector<uint8_t> page(page_bytes);
  EXPECT_NE(trace::page_hash(page.data()), trace::page_hash(page.data(), 2));
}

}  // namespace
