// Addresses at which packets, and registers that take addresses, read and write: all that a public source allows, without the
// lowest bits that it leaves out. (Surfaces' offsets are fields of their registers, bits 31:5, and have tests of their own.)
// Sources: R5xx Acceleration 10 (CP_IB_BASE, ZB_ZPASS_ADDR: bits 31:2); Linux drivers/gpu/drm/radeon/r100d.h (SCRATCH_ADDR: bits
// 31:5) and r300.c, r200.c (r200_copy_dma(): bytes).
#include <functional>

#include "registers/r5xx.h"
#include "tests/gpu/r5xx/stream.h"

namespace Atoll::r5xx::test {
namespace {

constexpr uint32_t mark = 0x13579bdf, window = 0x400, size = 0x800;

struct Row {
  const char* what;
  uint32_t alignment, dropped;
  // The words at the address before (read), or those that come there (written).
  std::vector<uint32_t> words;
  bool writes;
  std::function<void(Stream&, uint32_t address, uint32_t result)> add;
};

const Row rows[] = {
    {"INDX_BUFFER",
     4,
     3,
     {mark},
     false,
     [](Stream& s, uint32_t a, uint32_t) {
       s.packet(packets::INDX_BUFFER::opcode, {1u << 31 | SCRATCH_REG::address(0) / 4, a, 1});
     }},
    {"CP_IB_BASE",
     4,
     3,
     {SCRATCH_REG::address(0) / 4, mark},
     false,
     [](Stream& s, uint32_t a, uint32_t) { s.set(CP_IB_BASE::address(), {a, 2}); }},
    {"CP_IB2_BASE",
     4,
     3,
     {SCRATCH_REG::address(0) / 4, mark},
     false,
     [](Stream& s, uint32_t a, uint32_t) { s.set(CP_IB2_BASE::address(), {a, 2}); }},
    {"CP_GUI_SRC_ADDR",
     1,
     0,
     {mark},
     false,
     [](Stream& s, uint32_t a, uint32_t r) {
       s.set(CP_GUI_SRC_ADDR::address(), a).set(CP_GUI_DST_ADDR::address(), r).set(CP_GUI_COMMAND::address(), 4);
     }},
    {"CP_GUI_DST_ADDR",
     1,
     0,
     {mark},
     true,
     [](Stream& s, uint32_t a, uint32_t r) {
       s.set(CP_GUI_SRC_ADDR::address(), r + 4).set(CP_GUI_DST_ADDR::address(), a).set(CP_GUI_COMMAND::address(), 4);
     }},
    {"SCRATCH_ADDR",
     32,
     31,
     {mark},
     true,
     [](Stream& s, uint32_t a, uint32_t) { s.set(SCRATCH_ADDR::address(), a).set(SCRATCH_REG::address(0), mark); }},
    {"ZB_ZPASS_ADDR",
     4,
     3,
     {mark},
     true,
     [](Stream& s, uint32_t a, uint32_t) {
       s.set(SU_REG_DEST::address(), 1).set(ZB_ZPASS_DATA::address(), mark).set(ZB_ZPASS_ADDR::address(), a);
     }},
};

TEST(R5xxAddresses, ReadAndWritten) {
  unsigned cases = 0;
  for (const Row& row : rows) {
    auto check = [&](uint32_t offset, uint32_t below) {
      cases++;
      Machine machine("r580");
      Buffer memory = machine.allocate(4096);
      uint8_t* bytes = memory.host_pointer;
      for (uint32_t n = 0; n < size; n += 4) {
        const uint32_t filler = 0x80000000;  // PACKET2
        std::memcpy(bytes + n, &filler, 4);
      }
      const uint32_t at = uint32_t(memory.gpu_address), result = size;
      const size_t length = row.words.size() * 4;
      std::memset(bytes + result, 0, 64);
      if (!row.writes) std::memcpy(bytes + offset, row.words.data(), length);
      std::memcpy(bytes + result + 4, &mark, 4);
      Stream s;
      if (row.writes) {
        s.set(SCRATCH_UMSK::address(), 1);
      } else {  // scratch register 0 goes to the result
        s.set(SCRATCH_ADDR::address(), at + result).set(SCRATCH_UMSK::address(), 1);
      }
      row.add(s, at + offset + below, at + result);
      auto done = machine.run(s);
      ASSERT_TRUE(done) << done.error().message;
      const auto where = testing::Message() << row.what << " at " << offset << " + " << below;
      if (!row.writes) {
        uint32_t found = 0;
        std::memcpy(&found, bytes + result, 4);
        EXPECT_EQ(found, mark) << where;
        return;
      }
      uint32_t written = 0;
      std::memcpy(&written, bytes + offset, 4);
      EXPECT_EQ(written, mark) << where;
      for (uint32_t n = 0; n < size; n++)
        if (n < offset || n >= offset + 4) ASSERT_EQ(bytes[n], n % 4 == 3 ? 0x80 : 0) << where << ", byte " << n;
    };
    for (uint32_t offset = 0; offset <= 64; offset += row.alignment) check(window + offset, 0);
    for (uint32_t below = 1; below <= row.dropped; below++) check(window + row.alignment, below);
  }
  EXPECT_GT(cases, 200u);
}

}  // namespace
}  // namespace Atoll::r5xx::test
