// Recordings that somebody wrote on purpose: a buffer of 4 GiB where a page is mapped, and a buffer of fillers that chains to
// itself. Each is lost with a report, in little memory, at the same packet every time.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "gpu/memory_limit.h"
#include "memory/memory_file.h"
#include "trace/format.h"
#include "trace/player.h"
#include "trace/writer.h"

namespace Atoll::trace {
namespace {

class HostileStreams : public testing::Test {
protected:
  const std::string path = testing::TempDir() + "hostile_streams_test." + std::to_string(::getpid()) + ".atoll";
  ~HostileStreams() override { std::remove(path.c_str()); }

  static Bytes numbers(std::initializer_list<uint64_t> values) {
    Bytes bytes;
    for (uint64_t value : values) bytes.number(value);
    return bytes;
  }
  // A recording of one submission: `words` at `address`, in `pages` pages, of which the buffer takes `dwords`.
  void record(const char* gpu, uint64_t window, uint64_t address, std::vector<uint32_t> words, uint64_t pages, uint64_t dwords) {
    auto writer = *Writer::create(path);
    Bytes name;
    name.text(gpu);
    writer->record(Kind::device, name);
    writer->record(Kind::space, numbers({0, window}));
    writer->record(Kind::map, numbers({0, address, page_bytes, pages * page_bytes, 1}));
    writer->record(Kind::queue, numbers({0, 0, 0}));
    words.resize(pages * page_bytes / 4);
    Bytes content = numbers({1, pages});
    content.raw(words.data(), words.size() * 4);
    writer->record(Kind::pages, content);
    writer->record(Kind::submit, numbers({0, 1, address, dwords, 0}));
    ASSERT_TRUE(writer->flush());
  }
  std::string lost(unsigned threads, bool deterministic) {
    PlayOptions options;
    options.gpu.engine = gpu::Engine::Interpreter;
    options.gpu.threads = threads, options.gpu.deterministic = deterministic;
    auto result = play(path, options);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    EXPECT_EQ(result->lost.size(), 1u);
    return result->lost.empty() ? "" : result->lost[0];
  }
  // The same report from each of several runs.
  void expect_lost(std::string_view what) {
    std::string first = lost(2, true);
    EXPECT_NE(first.find(what), std::string::npos) << first;
    EXPECT_EQ(lost(2, false), first);
    EXPECT_EQ(lost(1, false), first);
  }
};

TEST_F(HostileStreams, ABufferLargerThanItsMemory) {
  record("bonaire", uint64_t(1) << 32, 0x100000, {0xffff1000}, 1, 0x40000000);
  gpu::test::MemoryLimit limit(uint64_t(21) << 30);  // the window of addresses and what is reserved around it are 20 GiB
  std::string report = lost(1, true);
  EXPECT_NE(report.find("4294967296 bytes at 0x100000, where nothing is mapped"), std::string::npos) << report;
}

TEST_F(HostileStreams, FillersThatChainToThemselves) {
  constexpr uint32_t fillers = 1 << 19;
  std::vector<uint32_t> words(fillers, 0xffff1000);  // NOP of one dword
  words.insert(words.end(), {0xc0023f00, 0x100000, 0, (fillers + 4) | 1u << 20});
  record("bonaire", uint64_t(1) << 40, 0x100000, words, fillers * 4 / page_bytes + 1, fillers + 4);
  expect_lost("NOP at 0x2fff84: more than 16777216 packets in one submission: the GPU hangs");
}

// R5xx has calls only: a buffer of calls to fillers, called many times itself.
TEST_F(HostileStreams, CallsOfFillers) {
  constexpr uint64_t address = 0x100000;
  constexpr uint32_t fillers = 1 << 16, middle = 300 * 3, outer = 300 * 3;
  std::vector<uint32_t> words;
  for (unsigned n = 0; n < 300; n++) words.insert(words.end(), {1u << 16 | 0x738 / 4, uint32_t(address) + outer * 4, middle});
  for (unsigned n = 0; n < 300; n++)
    words.insert(words.end(), {1u << 16 | 0x730 / 4, uint32_t(address) + (outer + middle) * 4, fillers});
  words.resize(words.size() + fillers, 0x80000000);
  record("r580", uint64_t(1) << 32, address, words, words.size() * 4 / page_bytes + 1, outer);
  expect_lost("PACKET2 at 0x");
}

}  // namespace
}  // namespace Atoll::trace
