// Recordings that claim what they do not hold, and kinds of records that this Atoll does not know.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zstd.h>

#include "trace/recorded.h"

namespace {

using namespace Atoll;
using trace::Kind;

// A file of this version: one chunk, whose claims can be changed.
std::string file_of(const trace::Bytes& records, uint32_t flags = trace::chunk_fresh, uint32_t raw = 0) {
  std::string stored(ZSTD_compressBound(records.data.size()), 0);
  stored.resize(ZSTD_compress(stored.data(), stored.size(), records.data.data(), records.data.size(), 1));
  std::span bytes(reinterpret_cast<const uint8_t*>(stored.data()), stored.size());
  auto head =
      trace::encode({flags, uint32_t(stored.size()), raw ? raw : uint32_t(records.data.size()), 0, trace::bytes_hash(bytes)});
  return std::string("ATOLLTRC\3\0\0\0\0\0\0\0", 16) + std::string(head.begin(), head.end()) + stored;
}

std::string version_1_of(const trace::Bytes& records) {
  std::string stored(ZSTD_compressBound(records.data.size()), 0);
  stored.resize(ZSTD_compress(stored.data(), stored.size(), records.data.data(), records.data.size(), 19));
  return std::string("ATOLLTRC\1\0\0\0", 12) + stored;
}

void add(trace::Bytes& to, uint64_t kind, std::span<const uint64_t> numbers) {
  trace::Bytes payload;
  for (uint64_t n : numbers) payload.number(n);
  to.number(kind);
  to.number(payload.data.size());
  to.raw(payload.data.data(), payload.data.size());
}

trace::Bytes begin() {
  trace::Bytes b;
  b.number(uint64_t(Kind::device));
  b.number(6);
  b.text("adder");
  return b;
}

// A replay's result: the error, or how it ends.
std::string said(const std::string& file) {
  Recorded r;
  r.put(file);
  auto result = r.play();
  return result ? result->ending.text() : result.error().message;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

#define EXPECT_SAYS(text, part) EXPECT_PRED2(has, text, part)

TEST(Hostile, ClaimsCostNothing) {
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  constexpr uint64_t huge = uint64_t(1) << 60;
  for (bool one : {false, true}) {
    auto file = [&](const trace::Bytes& b) { return one ? version_1_of(b) : file_of(b); };
    for (uint64_t bytes : {uint64_t(5) << 20, uint64_t(17) << 20, uint64_t(1) << 32, huge, ~uint64_t(0)}) {
      trace::Bytes b = begin();
      b.number(uint64_t(Kind::submit));
      b.number(bytes);
      b.number(1);
      std::string text = said(file(b));
      EXPECT_TRUE(has(text, "a record of ") || has(text, "inside a record")) << text;
      EXPECT_TRUE(bytes < trace::max_payload || has(text, "a record of ")) << text;
    }
    auto record = [&](Kind kind, std::initializer_list<uint64_t> numbers) {
      trace::Bytes b = begin();
      if (kind != Kind::space) add(b, uint64_t(Kind::space), std::array<uint64_t, 2>{0, uint64_t(1) << 32});
      if (kind == Kind::submit) add(b, uint64_t(Kind::queue), std::array<uint64_t, 3>{0, 0, 0});
      add(b, uint64_t(kind), numbers);
      return said(file(b));
    };
    EXPECT_SAYS(record(Kind::space, {0, huge}), "address space 0");
    EXPECT_SAYS(record(Kind::space, {huge, uint64_t(1) << 32}), "address space");
    EXPECT_SAYS(record(Kind::map, {0, 0x1000, 0, huge, 1}), "a mapping of");
    EXPECT_SAYS(record(Kind::map, {0, 0x1000, huge, 0x1000, 1}), "a mapping of");
    EXPECT_SAYS(record(Kind::map, {huge, 0x1000, 0, 0x1000, 1}), "a mapping of");
    EXPECT_SAYS(record(Kind::queue, {huge, 0, 0}), "queue");
    EXPECT_SAYS(record(Kind::submit, {0, huge}), "a submission of");
    EXPECT_SAYS(record(Kind::submit, {0, 65536, 1}), "ends too early");
    EXPECT_SAYS(record(Kind::pages, {huge, 1}), "page ");
    EXPECT_SAYS(record(Kind::pages, {0, huge}), "page ");
    EXPECT_SAYS(record(Kind::pages, {0, 0x1000}), "ends too early");
    EXPECT_SAYS(record(Kind::digest, {huge, 1}), "ends too early");
  }
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 << 10) << "KiB";
}

TEST(Hostile, ChunksThatLie) {
  EXPECT_EQ(said(file_of(begin())).find("ends before the first submission is whole, without its mark"), 0u);
  EXPECT_SAYS(said(file_of(begin(), trace::chunk_fresh, 0xffffffff)), "a chunk of 4294967295 bytes");
  EXPECT_SAYS(said(file_of(begin(), trace::chunk_fresh, 1 << 20)), "less or more");
  EXPECT_SAYS(said(file_of(begin(), trace::chunk_fresh, 3)), "less or more");
  EXPECT_SAYS(said(file_of(begin(), 0)), "needs one before it");
  EXPECT_SAYS(said(file_of(begin(), trace::chunk_fresh | 2)), "of a later Atoll");
  EXPECT_SAYS(said(file_of(begin(), trace::chunk_fresh | 0x30000)), "without its mark");  // flags that may be passed over
  std::string file = file_of(begin());
  file[12] = 1;
  EXPECT_SAYS(said(file), "needs a later Atoll");
  file = file_of(begin());
  file[8] = 4;
  EXPECT_SAYS(said(file), "has version 4");
  file[8] = 2;  // hashes of another kind
  EXPECT_SAYS(said(file), "no header of a chunk");
}

// 4 GiB of zeros in one record, which compress to a few hundred KB: it is read in parts.
TEST(Hostile, ARecordThatDecodesToVeryMuchIsReadInParts) {
  Recorded r;
  {
    std::ofstream out(r.path, std::ios::binary);
    out << std::string("ATOLLTRC\1\0\0\0", 12);
    trace::Bytes head = begin();
    constexpr uint64_t count = (uint64_t(1) << 31) / page_bytes;
    head.number(uint64_t(Kind::pages));
    trace::Bytes run;
    run.number(16), run.number(count);
    head.number(run.data.size() + count * page_bytes);
    head.raw(run.data.data(), run.data.size());
    ZSTD_CCtx* context = ZSTD_createCCtx();
    std::vector<uint8_t> zeros(1 << 20), to(1 << 17);
    auto write = [&](const std::vector<uint8_t>& bytes, ZSTD_EndDirective directive) {
      ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
      for (size_t left = 1; directive == ZSTD_e_end ? left != 0 : in.pos < in.size;) {
        ZSTD_outBuffer o{to.data(), to.size(), 0};
        left = ZSTD_compressStream2(context, &o, &in, directive);
        out.write(reinterpret_cast<char*>(to.data()), std::streamsize(o.pos));
      }
    };
    write(head.data, ZSTD_e_continue);
    for (uint64_t n = 0; n < count * page_bytes; n += zeros.size()) write(zeros, ZSTD_e_continue);
    write({}, ZSTD_e_end);
    ZSTD_freeCCtx(context);
  }
  EXPECT_LT(r.bytes().size(), 1u << 20);
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  auto reader = *trace::Reader::open(r.path);
  trace::Record record;
  uint64_t pages = 0, next = 16;
  while (reader->next(record)) {
    if (record.kind != Kind::pages) continue;
    ASSERT_LE(record.payload.size(), (trace::max_record_pages + 1) * page_bytes);
    trace::Payload p(record.payload);
    if (p.empty()) continue;
    EXPECT_EQ(p.number(), next);
    uint64_t count = p.number();
    EXPECT_EQ(p.raw(count * page_bytes).size(), count * page_bytes);
    EXPECT_TRUE(p.ok && p.empty());
    pages += count, next += count;
  }
  EXPECT_EQ(pages, (uint64_t(1) << 31) / page_bytes);
  EXPECT_EQ(reader->ending().place, trace::Ending::Place::unknown);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 << 10) << "KiB";
}

TEST(Hostile, OptionalKindsArePassedOverAndCounted) {
  for (bool one : {false, true}) {
    trace::Bytes b = begin();
    for (uint64_t kind : {uint64_t(Kind::keyframe), uint64_t(65), uint64_t(1) << 40}) {
      b.number(kind);
      b.text("what a later Atoll wrote");
    }
    add(b, uint64_t(Kind::end), std::array<uint64_t, 2>{0, 0});
    Recorded r;
    r.put(one ? version_1_of(b) : file_of(b));
    auto result = r.play();
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->passed_over, 3u);
    EXPECT_TRUE(result->ending.whole());
  }
}

TEST(Hostile, RequiredKindsAreRefused) {
  for (uint64_t kind : {uint64_t(0), uint64_t(12), uint64_t(63)}) {
    trace::Bytes b = begin();
    add(b, kind, {});
    add(b, uint64_t(Kind::end), std::array<uint64_t, 2>{0, 0});
    EXPECT_SAYS(said(file_of(b)), fmt::format("a record of kind {}, of a later Atoll", kind));
  }
}

}  // namespace
