// Recordings that somebody wrote on purpose: a buffer of 4 GiB where a page is mapped, a buffer of fillers that chains to itself,
// a grid of billions of work-groups. Each is lost with a report, in little memory, at the same packet every time.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "gpu/memory_limit.h"
#include "trace/player.h"
#include "trace/stream_recording.h"

namespace Atoll::trace {
namespace {

using Dispatches = test::SeaIslandsDispatches;

class HostileStreams : public testing::Test {
protected:
  const std::string path = testing::TempDir() + "hostile_streams_test." + std::to_string(::getpid()) + ".atoll";
  gpu::Limits limits;
  ~HostileStreams() override { std::remove(path.c_str()); }

  void record(const test::StreamRecording& recording) {
    std::remove(path.c_str());
    test::write_recording(path, recording);
  }
  std::vector<std::string> lost_reports(unsigned threads, bool deterministic) {
    PlayOptions options;
    options.gpu.engine = gpu::Engine::Interpreter;
    options.gpu.threads = threads, options.gpu.deterministic = deterministic;
    options.gpu.limits = limits;
    auto result = play(path, options);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result ? result->lost : std::vector<std::string>();
  }
  std::string lost(unsigned threads, bool deterministic) {
    auto reports = lost_reports(threads, deterministic);
    EXPECT_EQ(reports.size(), 1u);
    return reports.empty() ? "" : reports[0];
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
  record({.window = uint64_t(1) << 32, .words = {0xffff1000}, .dwords = 0x40000000});
  gpu::test::MemoryLimit limit(uint64_t(21) << 30);  // the window of addresses and what is reserved around it are 20 GiB
  std::string report = lost(1, true);
  EXPECT_NE(report.find("4294967296 bytes at 0x100000, where nothing is mapped"), std::string::npos) << report;
}

TEST_F(HostileStreams, FillersThatChainToThemselves) {
  constexpr uint32_t fillers = 1 << 19;
  std::vector<uint32_t> words(fillers, 0xffff1000);  // NOP of one dword
  words.insert(words.end(), {0xc0023f00, 0x100000, 0, (fillers + 4) | 1u << 20});
  record({.words = words, .dwords = fillers + 4});
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
  record({.gpu = "r580", .window = uint64_t(1) << 32, .address = address, .words = words, .dwords = outer});
  expect_lost("PACKET2 at 0x");
}

// Work-groups that each end at once: the watch for a GPU that stands still never sees one, and the grid takes hours.
TEST_F(HostileStreams, GridsOfMoreWorkGroupsThanASubmissionMayHave) {
  const char* report = "more than 268435456 work-groups in one submission: the GPU hangs";
  for (auto [x, y, z] : {std::array{1u, 1u, 2400000000u}, {2400000000u, 1u, 1u}, {65536u, 1u, 36622u}, {~0u, ~0u, ~0u}}) {
    record(Dispatches().direct(x, y, z).recording());
    expect_lost(report);
    record(Dispatches().indirect(x, y, z).recording());
    expect_lost(report);
    record(Dispatches().by_registers(x, y, z).recording());
    expect_lost(report);
  }
}

TEST_F(HostileStreams, GridsOfASubmissionAreCountedTogether) {
  limits.groups = 1000;
  record(Dispatches().direct(100, 2, 2).direct(1, 600, 1).recording());
  EXPECT_EQ(lost_reports(2, false), std::vector<std::string>());
  record(Dispatches().direct(100, 2, 2).direct(1, 600, 1).direct(1, 1, 1).recording());
  expect_lost("more than 1000 work-groups in one submission");
}

}  // namespace
}  // namespace Atoll::trace
