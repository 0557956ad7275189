// Streams that take more than they may: memory that is not there, buffers without end, packets that do much. A count ends them,
// so that each ends at the same packet whatever the threads.
#include "gpu/chips/rows.h"
#include "gpu/memory_limit.h"
#include "gpu/sea_islands/dispatch_fixture.h"
#include "gpu/sea_islands/shaders/shaders.h"
#include "pipeline/workers.h"

namespace Atoll::sea_islands::test {
namespace {

using namespace packets;
constexpr uint64_t MiB = 1 << 20;
constexpr uint32_t filler = 2u << 30;
constexpr auto graphics = gpu::QueueKind::graphics, compute = gpu::QueueKind::compute, copy = gpu::QueueKind::copy;
constexpr gpu::QueueKind all_kinds[] = {graphics, compute, copy};

std::vector<uint32_t> dwords(std::initializer_list<uint32_t> list) { return list; }
uint32_t low(uint64_t address) { return Words::low(address); }
uint32_t high(uint64_t address) { return Words::high(address); }

Words call(uint64_t address, uint32_t dwords, bool chain = false) {
  return Words().packet(INDIRECT_BUFFER_CIK::opcode, {low(address), high(address), dwords | (chain ? 1u << 20 : 0) | 1u << 23});
}

// A device of its own for each stream.
class Lone {
public:
  explicit Lone(const gpu::Options& options = {.engine = gpu::Engine::Interpreter, .threads = 2})
      : device(*make_device(gpu::chip("bonaire"), options)) {}
  Lone(unsigned threads, gpu::Limits limits) : Lone({.engine = gpu::Engine::Interpreter, .threads = threads, .limits = limits}) {}
  std::string run(gpu::QueueKind kind, const gpu::CommandBuffer& one) {
    auto queue = *device->make_queue(kind, *space);
    auto done = queue->run(std::span(&one, 1));
    packets = queue->statistics().packets;
    return done ? "" : done.error().message;
  }
  std::string run(gpu::QueueKind kind, const std::vector<uint32_t>& words) {
    Buffer b = *space->allocate(words.size() * 4);
    std::memcpy(b.host_pointer, words.data(), words.size() * 4);
    return run(kind, gpu::CommandBuffer{b.gpu_address, uint32_t(words.size())});
  }
  std::unique_ptr<AddressSpace> space = std::move(*AddressSpace::create());
  std::unique_ptr<gpu::Device> device;
  uint64_t packets = 0;
};

void expect_in(const std::string& report, std::string_view what) { EXPECT_NE(report.find(what), std::string::npos) << report; }

// The same stream twice and on one thread and two: the report, which names packet and address, is the same.
template <class Make>
std::string lost_at_one_place(gpu::QueueKind kind, gpu::Limits limits, Make make) {
  std::string first;
  uint64_t packets = 0;
  for (unsigned round = 0; round < 3; round++) {
    Lone lone(round == 2 ? 1 : 2, limits);
    std::string report = lone.run(kind, make(*lone.space));
    EXPECT_NE(report, "");
    if (round == 0) first = report, packets = lone.packets;
    EXPECT_EQ(report, first);
    EXPECT_EQ(lone.packets, packets);
  }
  return first;
}

// --- memory

TEST(Budgets, ABufferThatIsNotThereTakesNoMemory) {
  for (auto kind : all_kinds) {
    Lone lone;
    Buffer little = *lone.space->allocate(0x1000);
    lone.run(kind, dwords({0, 0}));  // threads and what else is made once
    gpu::test::MemoryLimit limit(512 * MiB);
    // 4 GiB where a page is mapped, or nothing.
    for (uint64_t address : {little.gpu_address, uint64_t(0x9000000000)})
      for (uint32_t length : {0x40000000u, 0xffffffffu}) {
        std::string report = lone.run(kind, gpu::CommandBuffer{address, length});
        expect_in(report, "where nothing is mapped");
        expect_in(report, fmt::format("{:#x}", address));
      }
  }
}

TEST(Budgets, CalledBuffersThatAreNotThereTakeNoMemory) {
  Lone lone;
  lone.run(graphics, dwords({filler}));
  lone.run(copy, dwords({0}));
  gpu::test::MemoryLimit limit(512 * MiB);
  expect_in(lone.run(graphics, call(0x9000000000, 0xfffff)), "INDIRECT_BUFFER");
  expect_in(lone.run(copy, {SDMA_INDIRECT_BUFFER::opcode, 0, 0x90, 0xfffff, 0, 0}), "nothing is mapped");
}

// 8 GiB of address space with nothing in it: fillers of the copy engine. It is read piece by piece.
TEST(Budgets, AMappedBufferIsTakenPieceByPiece) {
  for (auto kind : {graphics, copy}) {
    Lone lone(2, {.packets = 100'000});
    lone.run(kind, dwords({kind == copy ? 0 : filler}));
    Buffer large = *lone.space->allocate(uint64_t(8) << 30, 4096);
    for (uint32_t n = 0; kind == graphics && n < 200'000; n++) std::memcpy(large.host_pointer + n * 4, &filler, 4);
    gpu::test::MemoryLimit limit(512 * MiB);
    std::string report = lone.run(kind, gpu::CommandBuffer{large.gpu_address, 0x7fffffff});
    expect_in(report, fmt::format("{} at {:#x}: more than 100000 packets", kind == copy ? "SDMA_NOP" : "PACKET2",
                                  large.gpu_address + 100'000 * 4));
  }
}

TEST(Budgets, AWriteOfTheCopyEngineMayBeLongerThanAPiece) {
  Lone lone;
  constexpr uint32_t count = 3 * gpu::CommandReader::block_dwords + 17;
  Buffer to = *lone.space->allocate(count * 4 + 4);
  std::vector<uint32_t> words{0, SDMA_WRITE::opcode, low(to.gpu_address), high(to.gpu_address), count};
  for (uint32_t n = 0; n < count; n++) words.push_back(n * 3);
  words.insert(words.end(), {SDMA_FENCE::opcode, low(to.gpu_address + count * 4), high(to.gpu_address), 77});
  EXPECT_EQ(lone.run(copy, words), "");
  auto* there = reinterpret_cast<uint32_t*>(to.host_pointer);
  for (uint32_t n = 0; n < count; n++) ASSERT_EQ(there[n], n * 3);
  EXPECT_EQ(there[count], 77u);
  words[4] = count + 100;
  expect_in(lone.run(copy, words), "its buffer ends after");
}

// --- work without end

// Half a million fillers, then a chain to the first of them.
TEST(Budgets, FillersThatChainToThemselvesEndAtOnePacket) {
  std::string report = lost_at_one_place(graphics, {}, [](AddressSpace& space) {
    constexpr uint32_t fillers = 1 << 19;
    Buffer b = *space.allocate(fillers * 4 + 16, 4096);
    std::vector<uint32_t> words(fillers, filler);
    Words chain = call(b.gpu_address, fillers + 4, true);
    words.insert(words.end(), chain.begin(), chain.end());
    std::memcpy(b.host_pointer, words.data(), words.size() * 4);
    return gpu::CommandBuffer{b.gpu_address, fillers + 4};
  });
  expect_in(report, "PACKET2 at 0x");
  expect_in(report, "more than 16777216 packets in one submission: the GPU hangs");
}

TEST(Budgets, BuffersThatChainToThemselvesAreCounted) {
  std::string report = lost_at_one_place(graphics, {}, [](AddressSpace& space) {
    Buffer b = *space.allocate(16);
    Words self = call(b.gpu_address, 4, true);
    std::memcpy(b.host_pointer, self.data(), 16);
    return gpu::CommandBuffer{b.gpu_address, 4};
  });
  expect_in(report, "INDIRECT_BUFFER");
  expect_in(report, "more than 65536 command buffers");
}

// A copy engine's buffer that calls another many times, which calls a third.
TEST(Budgets, CallsOfTheCopyEngineAreCounted) {
  std::string report = lost_at_one_place(copy, {.buffers = 5000}, [](AddressSpace& space) {
    uint64_t inner = 0;
    uint32_t length = 0;
    for (unsigned level = 0; level < 3; level++) {
      std::vector<uint32_t> words;
      for (unsigned n = 0; n < 100; n++)
        if (level)
          words.insert(words.end(), {SDMA_INDIRECT_BUFFER::opcode, low(inner), high(inner), length});
        else
          words.push_back(0);
      Buffer b = *space.allocate(words.size() * 4);
      std::memcpy(b.host_pointer, words.data(), words.size() * 4);
      inner = b.gpu_address, length = uint32_t(words.size());
    }
    return gpu::CommandBuffer{inner, length};
  });
  expect_in(report, "SDMA_INDIRECT_BUFFER at 0x");
  expect_in(report, "more than 5000 command buffers");
}

// The two halves of the constant engine's work are one submission.
TEST(Budgets, BothEnginesDrawOnOneBudget) {
  Lone lone(2, {.packets = 100});
  std::vector<uint32_t> fillers(60, filler);
  Buffer b = *lone.space->allocate(fillers.size() * 4);
  std::memcpy(b.host_pointer, fillers.data(), fillers.size() * 4);
  auto queue = *lone.device->make_queue(graphics, *lone.space);
  gpu::CommandBuffer pair[2] = {{b.gpu_address, 60, true}, {b.gpu_address, 60}};
  auto done = queue->run(pair);
  ASSERT_FALSE(done);
  expect_in(done.error().message, "more than 100 packets");
  gpu::CommandBuffer one{b.gpu_address, 60};
  auto another = *lone.device->make_queue(graphics, *lone.space);
  for (unsigned n = 0; n < 10; n++) EXPECT_TRUE(another->run(std::span(&one, 1))) << "each submission has its own";
}

TEST(Budgets, WhatPacketsDoOneByOneIsCounted) {
  struct Case {
    const char* what;
    gpu::QueueKind kind;
    gpu::Limits limits;
    std::function<std::vector<uint32_t>(uint64_t memory)> words;
    const char* report;
  };
  const Case cases[] = {
      {"indirect draws of no vertices",
       graphics,
       {.packets = 10'000},
       [](uint64_t m) {
         Words w;
         w.packet(SET_BASE::opcode, {1, low(m), high(m)});
         return w.packet(DRAW_INDIRECT_MULTI::opcode, {0, 0, 0, 0, ~0u, 0, 0, 0, 2});
       },
       "DRAW_INDIRECT_MULTI at 0x"},
      {"draws by a register that is written again and again",
       graphics,
       {.packets = 1000},
       [](uint64_t) {
         std::vector<uint32_t> body(3 + 2000, 2);
         body[0] = 1u << 16, body[1] = VGT_DRAW_INITIATOR::address() / 4, body[2] = 0;
         return Words().packet(WRITE_DATA::opcode, body);
       },
       "more than 1000 packets"},
      {"loads of registers",
       graphics,
       {.dwords = 100'000},
       [](uint64_t m) {
         std::vector<uint32_t> body{low(m), high(m)};
         for (unsigned n = 0; n < 50; n++) body.insert(body.end(), {0, 0x3fff});
         return Words().packet(LOAD_CONTEXT_REG::opcode, body);
       },
       "LOAD_CONTEXT_REG at 0x"},
      {"copies",
       graphics,
       {.bytes = 10'000'000},
       [](uint64_t m) {
         Words w;
         for (unsigned n = 0; n < 100; n++) w.packet(DMA_DATA::opcode, {0, low(m), high(m), low(m + 0x100000), high(m), 0xfffff});
         return w;
       },
       "bytes moved by packets"},
      {"copies dword by dword",
       graphics,
       {.packets = 10'000},
       [](uint64_t m) {
         return Words().packet(DMA_DATA::opcode, {0, low(m), high(m), low(m + 0x100000), high(m), 0x0fffffu | 1u << 28});
       },
       "more than 10000 packets"},
      {"fills of the copy engine",
       copy,
       {.bytes = 10'000'000},
       [](uint64_t m) {
         std::vector<uint32_t> w;
         for (unsigned n = 0; n < 100; n++)
           w.insert(w.end(), {2u << 30 | SDMA_CONSTANT_FILL::opcode, low(m), high(m), 0, 0x1fffff});
         return w;
       },
       "SDMA_CONSTANT_FILL at 0x"},
      {"page table entries",
       copy,
       {.bytes = 10'000'000},
       [](uint64_t m) {
         std::vector<uint32_t> w;
         for (unsigned n = 0; n < 100; n++)
           w.insert(w.end(), {SDMA_GENERATE_PTE_PDE::opcode, low(m), high(m), 0, 0, 0, 0, 1, 0, 0x3ffff});
         return w;
       },
       "SDMA_GENERATE_PTE_PDE at 0x"},
      {"rows of a window",
       copy,
       {.packets = 10'000},
       [](uint64_t m) {
         return std::vector<uint32_t>{4 << 8 | SDMA_COPY::opcode, low(m), high(m), 0, 0, 0, low(m), high(m), 0, 0, 0,
                                      1 | 0x3fff << 16,           0x7ff};
       },
       "SDMA_COPY at 0x"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    std::string report = lost_at_one_place(c.kind, c.limits, [&](AddressSpace& space) {
      Buffer memory = *space.allocate(4 * MiB, 4096);
      auto words = c.words(memory.gpu_address);
      Buffer b = *space.allocate(words.size() * 4);
      std::memcpy(b.host_pointer, words.data(), words.size() * 4);
      return gpu::CommandBuffer{b.gpu_address, uint32_t(words.size())};
    });
    expect_in(report, c.report);
    expect_in(report, "the GPU hangs");
  }
}

TEST(Budgets, AWaitForARegisterThatNothingChangesEndsAtOnce) {
  Lone lone;
  Words w;
  w.packet(WAIT_REG_MEM::opcode, {3, SCRATCH_REG::address(0) / 4, 0, 5, ~0u, 4});
  expect_in(lone.run(graphics, w), "WAIT_REG_MEM at 0x");
  expect_in(lone.run(graphics, w), "which nothing changes: the GPU hangs");
}

// --- draws and dispatches: they take what they take while they advance

class Advancing : public DispatchTest {};

// Each of them takes longer than the time for which progress stands (base/progress.h).
TEST_F(Advancing, WorkGroupsCountAsProgressAsTheyEnd) {
  std::atomic<int> stop{0};
  gpu::Options options{.engine = gpu::Engine::Interpreter, .threads = 2};
  pipeline::Workers workers{2};
  Context c(*gpu::find_chip("bonaire"), graphics, *space, options, stop);
  c.workers = &workers;
  c.shaders = std::make_shared<ShaderCache>(*space, wave::EngineChoice::Interpreter);
  Setup s{.program =
              program({"s_mov_b32 s4, 400000", "s_sub_i32 s4, s4, 1", "s_cmp_lg_u32 s4, 0", "s_cbranch_scc1 65533", "s_endpgm"}),
          .groups = {20, 1, 1}};
  EXPECT_TRUE(CommandProcessor(c).run(0x1000, stream(s))) << c.report();
  EXPECT_GE(c.progress, 20u);
}

// A grid of more work-groups than can be counted, with a budget that lets it begin, ends when it is stopped.
class AnyGrid : public DispatchTest {
protected:
  AnyGrid() : DispatchTest("bonaire", {.engine = gpu::Engine::Interpreter, .threads = 2, .limits = {.groups = ~uint64_t(0)}}) {}
};

TEST_F(AnyGrid, AGridBeyondCountingIsStopped) {
  Setup s{.program = program({"s_endpgm"}), .groups = {~0u, ~0u, ~0u}};
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    device->stop = 1;
  });
  expect_in(bad(stream(s)), "stopped");
  other.join();
}

class Still : public DispatchTest {
protected:
  Still() : DispatchTest("bonaire", {.engine = gpu::Engine::Interpreter, .threads = 2, .max_still_seconds = 0.2}) {}
};

TEST_F(Still, AWaveInAnEndlessLoopIsLost) {
  expect_in(bad(stream({.program = program({"s_branch 65535", "s_endpgm"})})), "nothing moved for 0.2 s: the GPU hangs");
}

TEST_F(Still, AWaitThatNobodyEndsIsLost) {
  Words w;
  w.packet(WAIT_REG_MEM::opcode, {3 | 1 << 4, low(at(0)), high(at(0)), 1, ~0u, 4});
  expect_in(bad(w), "WAIT_REG_MEM at 0x");
  expect_in(bad(w), "waits for 0.2 s: the GPU hangs");
}

// --- what a stream does to itself

// A packet that writes over packets behind it: those that were fetched with it are executed as they stood, those of a later piece
// as they stand then.
TEST(Fetching, AStreamSeesWhatItWritesToItselfFromTheNextPieceOn) {
  for (unsigned threads : {1u, 2u}) {
    Lone lone(threads, {});
    Buffer results = *lone.space->allocate(64);
    constexpr uint32_t piece = gpu::CommandReader::block_dwords, length = 2 * piece;
    Buffer b = *lone.space->allocate(length * 4, 4096);
    Words w;
    // The value of the write at dword 100, and of the one in the middle of the second piece.
    constexpr uint32_t near_write = 100, far_write = piece + piece / 2;
    w.write(b.gpu_address + (near_write + 4) * 4, 2).write(b.gpu_address + (far_write + 4) * 4, 2);
    w.resize(near_write, filler);
    w.write(results.gpu_address, 1);
    w.resize(far_write, filler);
    w.write(results.gpu_address + 4, 1);
    w.resize(length, filler);
    std::memcpy(b.host_pointer, w.data(), w.size() * 4);
    EXPECT_EQ(lone.run(graphics, gpu::CommandBuffer{b.gpu_address, length}), "");
    auto* result = reinterpret_cast<uint32_t*>(results.host_pointer);
    EXPECT_EQ(result[0], 1u) << "fetched before it was overwritten";
    EXPECT_EQ(result[1], 2u) << "fetched after it was overwritten";
  }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
