// Rings that MMIO registers describe, without any driver.
#include "gpu/chips/rows.h"
#include "gpu/sea_islands/stream.h"

namespace Atoll::sea_islands::test {
namespace {

using namespace packets;

class RingTest : public SeaIslandsTest {
protected:
  RingTest() { device->attach(*space); }
  void put(uint64_t base, uint32_t first, const std::vector<uint32_t>& words, uint32_t size) {
    for (size_t n = 0; n < words.size(); n++) *reinterpret_cast<uint32_t*>(space->host(base + (first + n) % size * 4)) = words[n];
  }
};

TEST_F(RingTest, TheGraphicsRingRunsAndWraps) {
  Buffer ring = *space->allocate(4096, 4096);
  constexpr uint32_t size = 64;
  device->write_register(0xc104, 5);  // 64 dwords
  device->write_register(0xc100, uint32_t(ring.gpu_address >> 8));
  device->write_register(0xc2c4, uint32_t(ring.gpu_address >> 40));
  device->write_register(0xc10c, uint32_t(at(0x80)));
  device->write_register(0xc110, uint32_t(at(0x80) >> 32));
  uint32_t pointer = 0;
  for (uint32_t round = 1; round <= 40; round++) {
    Words w;
    w.write(at(0), round);
    put(ring.gpu_address, pointer, w, size);
    pointer = (pointer + uint32_t(w.size())) % size;
    device->write_register(0xc114, pointer);
    ASSERT_EQ(device->report(), "");
    EXPECT_EQ(dword(0), round);
    EXPECT_EQ(device->read_register(0x8700), pointer);
    EXPECT_EQ(dword(0x80), pointer);
  }
}

TEST_F(RingTest, ComputeQueuesAreSelected) {
  for (uint32_t selection : {1u << 2, 1u << 2 | 3 | 5 << 8}) {
    Buffer ring = *space->allocate(4096, 4096);
    Words w;
    w.write(at(selection & 3), selection);
    put(ring.gpu_address, 0, w, 1024);
    device->write_register(0xe44, selection);
    device->write_register(0xc934, uint32_t(ring.gpu_address >> 8));
    device->write_register(0xc938, uint32_t(ring.gpu_address >> 40));
    device->write_register(0xc958, 9);
    device->write_register(0xc91c, 1);
    device->write_register(0xc954, uint32_t(w.size()));
    EXPECT_EQ(device->report(), "");
    EXPECT_EQ(device->read_register(0xc93c), w.size());
  }
  device->write_register(0xe44, 1u << 2 | 1);
  EXPECT_EQ(device->read_register(0xc93c), 0u) << "another queue";
}

TEST_F(RingTest, CopyEnginesHaveRingsOfTheirOwn) {
  for (uint32_t engine : {0u, 0x800u}) {
    Buffer ring = *space->allocate(4096, 4096);
    put(ring.gpu_address, 0, {5, uint32_t(at(engine)), uint32_t(at(engine) >> 32), 7 + engine}, 1024);
    device->write_register(0xd204 + engine, uint32_t(ring.gpu_address >> 8));
    device->write_register(0xd208 + engine, uint32_t(ring.gpu_address >> 40));
    device->write_register(0xd200 + engine, 10 << 1 | 1);
    device->write_register(0xd210 + engine, 16);
    EXPECT_EQ(device->report(), "");
    EXPECT_EQ(dword(engine), 7 + engine);
    EXPECT_EQ(device->read_register(0xd20c + engine), 16u);
  }
}

TEST_F(RingTest, RegistersAreThoseOfTheGraphicsRing) {
  device->write_register(SCRATCH_REG::address(4), 0x1234);
  EXPECT_EQ(device->read_register(SCRATCH_REG::address(4)), 0x1234u);
  EXPECT_EQ(device->read_register(GRBM_STATUS::address()), 0u) << "idle";
}

TEST_F(RingTest, BrokenRingsAreReported) {
  device->write_register(0xc104, 5);
  device->write_register(0xc100, uint32_t(nowhere >> 8));
  device->write_register(0xc114, 4);
  EXPECT_NE(device->report().find("nothing is mapped"), std::string::npos) << device->report();
  auto other = *make_device(gpu::chip("kabini"), {});
  other->write_register(0xc114, 4);
  EXPECT_NE(other->report().find("no address space"), std::string::npos) << other->report();
}

}  // namespace
}  // namespace Atoll::sea_islands::test
