// Buffers that are called, conditions, predication, waits, the constant engine.
#include <thread>

#include "gpu/amd/packets/waiting.h"
#include "gpu/sea_islands/stream.h"

namespace Atoll::sea_islands::test {
namespace {

using namespace packets;
class FlowPackets : public SeaIslandsTest {
protected:
  Words call(const gpu::CommandBuffer& b, bool chain = false) {
    return Words().packet(INDIRECT_BUFFER_CIK::opcode,
                          {Words::low(b.address), Words::high(b.address), b.dwords | (chain ? 1u << 20 : 0) | 1u << 23});
  }
};

TEST_F(FlowPackets, CalledBuffersComeBackChainedOnesDoNot) {
  auto called = buffer(Words().write(at(0), 1));
  auto chained = buffer(Words().write(at(4), 2));
  Words w = call(called);
  w.write(at(8), 3);
  Words chain = call(chained, true);
  w.insert(w.end(), chain.begin(), chain.end());
  w.write(at(12), 4);
  good(w);
  EXPECT_EQ(dword(0), 1u);
  EXPECT_EQ(dword(4), 2u);
  EXPECT_EQ(dword(8), 3u);
  EXPECT_EQ(dword(12), 0u);
}

TEST_F(FlowPackets, EndlessChainsAndDeepCallsAreLockups) {
  Buffer b = *space->allocate(4096);
  for (bool chain : {true, false}) {
    Words self = call({b.gpu_address, 4}, chain);
    std::memcpy(b.host_pointer, self.data(), self.size() * 4);
    auto lone = *device->make_queue(gpu::QueueKind::graphics, *space);
    gpu::CommandBuffer one{b.gpu_address, 4};
    auto done = lone->run(std::span(&one, 1));
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find(chain ? "without end" : "too deep"), std::string::npos) << done.error().message;
  }
}

TEST_F(FlowPackets, ConditionalExecution) {
  dword(0) = 0, dword(4) = 1;
  Words w;
  w.packet(COND_EXEC::opcode, {w.low(at(0)), w.high(at(0)), 0, 5}).write(at(16), 1);
  w.packet(COND_EXEC::opcode, {w.low(at(4)), w.high(at(4)), 0, 5}).write(at(20), 2);
  w.packet(PRED_EXEC::opcode, {2u << 24 | 5}).write(at(24), 3);
  w.packet(PRED_EXEC::opcode, {1u << 24 | 5}).write(at(28), 4);
  good(w);
  EXPECT_EQ(dword(16), 0u);
  EXPECT_EQ(dword(20), 2u);
  EXPECT_EQ(dword(24), 0u);
  EXPECT_EQ(dword(28), 4u);
}

TEST_F(FlowPackets, Predication) {
  enum { CLEAR, ZPASS, PRIMCOUNT, BOOL64 };
  constexpr uint64_t there = uint64_t(1) << 63;
  // Bonaire has four render backends: a pair of counts each.
  auto samples = [&](uint32_t offset, uint64_t passed) {
    for (unsigned b = 0; b < 4; b++) qword(offset + b * 16) = there | 100, qword(offset + b * 16 + 8) = there | 100;
    qword(offset + 3 * 16 + 8) += passed;
  };
  samples(0x100, 0), samples(0x200, 3);
  qword(0x300) = 0, qword(0x310) = 5;
  qword(0x400) = 1, qword(0x408) = 1, qword(0x410) = 4, qword(0x418) = 4;  // as many written as needed
  qword(0x440) = 1, qword(0x448) = 1, qword(0x450) = 4, qword(0x458) = 6;
  struct Case {
    uint32_t offset, op;
    bool draw_if_visible, drawn;
    uint32_t more = 0;
  };
  const Case cases[] = {
      {0x100, ZPASS, true, false},     {0x100, ZPASS, false, true},    {0x200, ZPASS, true, true},
      {0x200, ZPASS, false, false},    {0x300, BOOL64, true, false},   {0x310, BOOL64, true, true},
      {0x310, BOOL64, false, false},   {0x400, PRIMCOUNT, true, true}, {0x440, PRIMCOUNT, true, false},
      {0x440, PRIMCOUNT, false, true},
  };
  for (const Case& c : cases) {
    dword(0) = 0;
    Words w;
    w.packet(SET_PREDICATION::opcode,
             {w.low(at(c.offset)), w.high(at(c.offset)) | c.op << 16 | (c.draw_if_visible ? 1u << 8 : 0)});
    w.packet(WRITE_DATA::opcode, {5u << 8, w.low(at(0)), w.high(at(0)), 1}, predicate);
    w.write(at(4), 1);  // not predicated
    w.packet(SET_PREDICATION::opcode, {0, 0});
    w.packet(WRITE_DATA::opcode, {5u << 8, w.low(at(8)), w.high(at(8)), 1}, predicate);
    good(w);
    EXPECT_EQ(dword(0), uint32_t(c.drawn)) << c.op << " " << std::hex << c.offset;
    EXPECT_EQ(dword(4), 1u);
    EXPECT_EQ(dword(8), 1u);
  }
  // With several buffers, samples may have passed in any of them.
  dword(0) = 0;
  Words w;
  for (uint32_t offset : {0x200, 0x100})
    w.packet(SET_PREDICATION::opcode,
             {w.low(at(offset)), w.high(at(offset)) | ZPASS << 16 | 1u << 8 | (offset == 0x100 ? 1u << 31 : 0)});
  w.packet(WRITE_DATA::opcode, {5u << 8, w.low(at(0)), w.high(at(0)), 1}, predicate);
  good(w);
  EXPECT_EQ(dword(0), 1u);
}

TEST_F(FlowPackets, WaitsForMemoryThatAnotherThreadWrites) {
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    __atomic_store_n(&dword(0), 0x1234u, __ATOMIC_RELEASE);
  });
  Words w;
  w.packet(WAIT_REG_MEM::opcode, {3 | 1 << 4, w.low(at(0)), w.high(at(0)), 0x1200, 0xff00, 4}).write(at(4), 1);
  good(w);
  EXPECT_EQ(dword(0), 0x1234u);
  EXPECT_EQ(dword(4), 1u);
  other.join();
}

TEST_F(FlowPackets, AllComparisonsOfWaits) {
  const bool holds[7][3] = {{1, 1, 1}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 0, 1}, {0, 1, 1}, {0, 0, 1}};
  for (uint32_t function = 0; function < 7; function++)
    for (uint32_t value : {4, 5, 6})
      EXPECT_EQ(gpu::amd::compare(function, value, 5), holds[function][value - 4]) << function << " " << value;
}

TEST_F(FlowPackets, StopEndsAWait) {
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    device->stop = 1;
  });
  EXPECT_NE(
      bad(Words().packet(WAIT_REG_MEM::opcode, {3 | 1 << 4, Words::low(at(0)), Words::high(at(0)), 1, 1, 4})).find("stopped"),
      std::string::npos);
  other.join();
}

TEST(Waits, TakeNoLongerThanALockup) {
  auto space = *AddressSpace::create();
  gpu::Options options{.max_still_seconds = 0.02};
  std::atomic<int> stop{0};
  Context c(*gpu::find_chip("kabini"), gpu::QueueKind::graphics, *space, options, stop);
  EXPECT_FALSE(gpu::amd::wait_until(c, [] { return false; }));
  EXPECT_NE(c.report().find("the GPU hangs"), std::string::npos) << c.report();
}

TEST_F(FlowPackets, RegisterWaitsAndConditionalWrites) {
  dword(0) = 6;
  Words w;
  w.user(SCRATCH_REG::address(0), 5);
  w.packet(WAIT_REG_MEM::opcode, {3, SCRATCH_REG::address(0) / 4, 0, 5, ~0u, 4});
  w.packet(COND_WRITE::opcode, {3 | 1 << 4 | 1 << 8, w.low(at(0)), w.high(at(0)), 6, ~0u, w.low(at(8)), w.high(at(8)), 1});
  w.packet(COND_WRITE::opcode, {4 | 1 << 4 | 1 << 8, w.low(at(0)), w.high(at(0)), 6, ~0u, w.low(at(12)), w.high(at(12)), 1});
  good(w);
  EXPECT_EQ(dword(8), 1u);
  EXPECT_EQ(dword(12), 0u);
}

TEST_F(FlowPackets, Semaphores) {
  Words w;
  w.packet(MEM_SEMAPHORE::opcode, {w.low(at(0)), w.high(at(0)) | 0});
  w.back() = w.high(at(0));
  Words signal, wait;
  signal.packet(MEM_SEMAPHORE::opcode, {w.low(at(0)), 6u << 29 | w.high(at(0))});
  wait.packet(MEM_SEMAPHORE::opcode, {w.low(at(0)), 7u << 29 | w.high(at(0))});
  good(signal);
  good(signal);
  EXPECT_EQ(qword(0), 2u);
  good(wait);
  EXPECT_EQ(qword(0), 1u);
}

// A stream of the constant engine that fills memory for draws: it may be one ahead of the drawing engine.
TEST_F(FlowPackets, TheConstantEngineRunsBesideTheDrawingEngine) {
  Words constants, drawing;
  for (uint32_t n = 0; n < 3; n++) {
    if (n) constants.packet(WAIT_ON_DE_COUNTER_DIFF::opcode, {1});
    constants.packet(WRITE_CONST_RAM::opcode, {16, 100 + n});
    constants.packet(DUMP_CONST_RAM::opcode, {16, 1, Words::low(at(0)), Words::high(at(0))});
    constants.packet(INCREMENT_CE_COUNTER::opcode, {1});
    drawing.packet(WAIT_ON_CE_COUNTER::opcode, {1});
    drawing.packet(COPY_DATA::opcode,
                   {1 | 5u << 8, Words::low(at(0)), Words::high(at(0)), Words::low(at(16 + n * 4)), Words::high(at(16))});
    drawing.packet(INCREMENT_DE_COUNTER::opcode, {0});
  }
  gpu::CommandBuffer pair[2] = {buffer(constants), buffer(drawing)};
  pair[0].constant_engine = true;
  auto done = queue(gpu::QueueKind::graphics).run(pair);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(unknown(), "");
  for (uint32_t n = 0; n < 3; n++) EXPECT_EQ(dword(16 + n * 4), 100 + n);
}

TEST_F(FlowPackets, AConstantEngineThatNeverComesIsALockup) {
  Words constants, drawing;
  constants.packet(WRITE_CONST_RAM::opcode, {0, 1});
  drawing.packet(WAIT_ON_CE_COUNTER::opcode, {1});
  gpu::CommandBuffer pair[2] = {buffer(constants), buffer(drawing)};
  pair[0].constant_engine = true;
  auto done = queue(gpu::QueueKind::graphics).run(pair);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("constant engine"), std::string::npos) << done.error().message;
}

}  // namespace
}  // namespace Atoll::sea_islands::test
