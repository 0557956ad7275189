// Commands that are written to the command queues by MMIO, byte orders, and copies by the command processor's DMA.
#include <gtest/gtest.h>

#include "registers/r5xx.h"
#include "tests/gpu/r5xx/stream.h"

namespace Atoll::r5xx::test {
namespace {

uint32_t word(const Buffer& buffer, size_t n) {
  uint32_t value;
  std::memcpy(&value, buffer.host_pointer + n * 4, 4);
  return value;
}

TEST(CommandQueues, WrittenByMmio) {
  using Mode = CP_CSQ_MODE;
  Machine machine;
  auto& d = *machine.device;
  const uint32_t apertures[] = {CP_CSQ_APER_PRIMARY::address(), CP_CSQ_APER_INDIRECT::address(),
                                CP_CSQ_APER_INDIRECT2::address()};
  auto send = [&](unsigned queue, uint32_t value) {
    // (any dword of the aperture)
    for (uint32_t dword : Stream().set(SCRATCH_REG::address(queue), {value, value + 1}).words)
      d.write_register(apertures[queue] + 8, dword);
    return d.read_register(SCRATCH_REG::address(queue)) == value && d.read_register(SCRATCH_REG::address(queue + 1)) == value + 1;
  };
  uint32_t value = 0;
  auto taken = [&] {
    unsigned by = 0;
    for (unsigned queue = 0; queue < 3; queue++) by |= unsigned(send(queue, value += 10)) << queue;
    return by;
  };
  const unsigned by_mode[] = {0, 1, 0, 1, 0, 1, 0, 1, 0};
  for (uint32_t mode = 0; mode < std::size(by_mode); mode++) {
    d.write_register(CP_CSQ_CNTL::address(), CP_CSQ_CNTL::CSQ_MODE::of(mode));
    EXPECT_EQ(taken(), by_mode[mode]) << mode;
  }
  d.write_register(CP_CSQ_CNTL::address(), CP_CSQ_CNTL::CSQ_MODE::of(15));
  EXPECT_EQ(taken(), 7u);
  d.write_register(CP_CSQ_MODE::address(), Mode::CSQ_PRIMARY_ENABLE::of(1) | Mode::CSQ_PRIMARY_MODE::of(1) |
                                               Mode::CSQ_INDIRECT1_ENABLE::of(1) | Mode::CSQ_INDIRECT1_MODE::of(1));
  EXPECT_EQ(taken(), 4u);
  d.write_register(CP_CSQ_CNTL::address(), 0);
  d.write_register(CP_CSQ_MODE::address(), Mode::CSQ_INDIRECT1_ENABLE::of(1) | Mode::CSQ_INDIRECT2_ENABLE::of(1));
  EXPECT_EQ(taken(), 6u);
  d.write_register(CP_CSQ_MODE::address(), Mode::CSQ_INDIRECT2_ENABLE::of(1) | Mode::CSQ_INDIRECT2_MODE::of(1));
  EXPECT_EQ(taken(), 0u);
}

TEST(CommandQueues, BytesOfRingBuffersAndThePointersCopy) {
  constexpr uint32_t orders[4] = {0x11223344, 0x22114433, 0x44332211, 0x33441122};
  for (uint32_t swap = 0; swap < 4; swap++) {
    Machine machine;
    Buffer ring = machine.allocate(256), copies = machine.allocate(4096), inner = machine.allocate(256);
    auto ordered = [&](uint32_t v) {  // as whoever fills the ring writes it
      const uint8_t b[4] = {uint8_t(v >> 24), uint8_t(v >> 16), uint8_t(v >> 8), uint8_t(v)};
      const unsigned places[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {3, 2, 1, 0}, {2, 3, 0, 1}};
      const unsigned* p = places[swap];
      return uint32_t(b[p[0]]) << 24 | uint32_t(b[p[1]]) << 16 | uint32_t(b[p[2]]) << 8 | b[p[3]];
    };
    auto put = [&](const Buffer& to, const Stream& stream) {
      for (size_t n = 0; n < stream.words.size(); n++) {
        const uint32_t dword = ordered(stream.words[n]);
        std::memcpy(to.host_pointer + n * 4, &dword, 4);
      }
      return uint32_t(stream.words.size());
    };
    EXPECT_EQ(ordered(0x11223344), orders[swap]);
    auto& d = *machine.device;
    const uint32_t length = put(inner, Stream().set(SCRATCH_REG::address(1), 0x12345678));
    const uint32_t end =
        put(ring,
            Stream().set(SCRATCH_REG::address(0), 0x9abcdef0).set(CP_IB_BASE::address(), {uint32_t(inner.gpu_address), length}));
    d.write_register(CP_RB_BASE::address(), uint32_t(ring.gpu_address));
    d.write_register(CP_RB_CNTL::address(), CP_RB_CNTL::RB_BUFSZ::of(5) | CP_RB_CNTL::BUF_SWAP::of(swap));
    d.write_register(CP_RB_RPTR_ADDR::address(), uint32_t(copies.gpu_address) | CP_RB_RPTR_ADDR::RB_RPTR_SWAP::of(swap));
    d.write_register(CP_RB_WPTR::address(), end);
    EXPECT_EQ(d.report(), "");
    EXPECT_EQ(d.read_register(SCRATCH_REG::address(0)), 0x9abcdef0u) << swap;
    EXPECT_EQ(d.read_register(SCRATCH_REG::address(1)), 0x12345678u) << swap;
    EXPECT_EQ(word(copies, 0), ordered(end)) << swap;
  }
}

TEST(CommandQueues, CopiesByDma) {
  Machine machine;
  Buffer from = machine.allocate(4096), to = machine.allocate(4096);
  for (uint32_t n = 0; n < 1024; n++) std::memcpy(from.host_pointer + n * 4, &n, 4);
  std::memset(to.host_pointer, 0xee, 4096);
  Stream s;
  s.set(CP_GUI_SRC_ADDR::address(), {uint32_t(from.gpu_address) + 40, uint32_t(to.gpu_address) + 8, 12u | 3u << 30});
  s.set(CP_VID_SRC_ADDR::address(), {uint32_t(from.gpu_address) + 80, uint32_t(to.gpu_address) + 100, 4u | 3u << 30});
  EXPECT_TRUE(machine.run(s));
  EXPECT_EQ(word(to, 1), 0xeeeeeeee);
  for (uint32_t n = 0; n < 3; n++) EXPECT_EQ(word(to, 2 + n), 10 + n);
  EXPECT_EQ(word(to, 5), 0xeeeeeeee);
  EXPECT_EQ(word(to, 25), 20u);
  Stream bad;
  bad.set(CP_GUI_SRC_ADDR::address(), {uint32_t(from.gpu_address) + 4092, uint32_t(to.gpu_address), 0x1fffff});
  auto result = machine.run(bad);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("CP_GUI_SRC_ADDR"), std::string::npos) << result.error().message;
}

}  // namespace
}  // namespace Atoll::r5xx::test
