// Descriptors, pointers and nodes that no driver would make: a named fault or the defined result, the same on both engines.
#include "ray_bench.h"

namespace Atoll::rdna4::test {
namespace {

constexpr uint32_t kNone = 0xffffffff, kInf = 0x7f800000, kOne = 0x3f800000;

// Everything random over random memory; the tree's size keeps accesses inside, so that no fault is due but that of a packet's form.
TEST(RayHostile, NoiseHasAResult) {
  Words r(91);
  unsigned faults = 0;
  for (unsigned round = 0; round < 400; round++) {
    RayBench bench(Op(round & 3), round & 4, (round & 3) < 2 && r.next() % 4 == 0);
    for (size_t n = 0; n < bench.memory.size(); n += 4) {
      uint32_t x = r.next() & 1 ? r.mixed() : r.next();
      std::memcpy(&bench.memory[n], &x, 4);
    }
    bench.resource = descriptor({}, SingleStep::memory_base, 65536);
    bench.resource[1] |= r.next() & 0xfff00000, bench.resource[3] |= r.next() & 0x0ffffc00;
    bench.exec = r.next() % 3 ? ~uint64_t(0) : r.next64();
    for (unsigned l = 0; l < bench.count(); l++) {
      RayLane& lane = bench.lanes[l];
      auto number = [&] { return std::bit_cast<float>(r.next() & 1 ? r.mixed() : r.next()); };
      for (int n = 0; n < 3; n++) lane.ray.origin[n] = number(), lane.ray.direction[n] = number(), lane.ray.inverse[n] = number();
      lane.ray.extent = number(), lane.ray.mask = r.next() & 0xff;
      lane.base = r.next() % 2 ? r.next64() & 0xffc0000000001fff : r.next64();
      for (uint32_t& p : lane.pointers) p = r.next() % 2 ? r.next() & 0x1fff : r.next();
    }
    ASSERT_TRUE(bench.run());
    if (bench.stop == wave::Stop::Fault) {
      faults++;
      ASSERT_EQ(bench.fault.kind, wave::FaultKind::Illegal);
      ASSERT_NE(bench.fault.reason, nullptr);
    } else {
      ASSERT_EQ(bench.stop, wave::Stop::End);
    }
  }
  EXPECT_GT(faults, 0u);
  EXPECT_LT(faults, 100u);
}

TEST(RayHostile, BeyondTheTreesSizeNothingIsMet) {
  for (Op op : {Op::bvh, Op::bvh64, Op::dual, Op::bvh8})
    for (bool wave64 : {false, true})
      for (uint32_t type = 0; type < 6; type++) {
        RayBench bench(op, wave64);
        std::memset(bench.memory.data(), 0, bench.memory.size());  // boxes and triangles at the origin
        TreeFlags f{.compressed = op == Op::bvh8};
        bench.resource = descriptor(f, SingleStep::memory_base, 4096);
        for (unsigned l = 0; l < bench.count(); l++) {
          RayLane& lane = bench.lanes[l];
          for (int n = 0; n < 3; n++) lane.ray.origin[n] = -1, lane.ray.direction[n] = lane.ray.inverse[n] = 1;
          lane.ray.extent = 100;
          // The last 64 bytes are in the tree; what needs 128 from there on is not. Else far away, beyond all memory.
          uint64_t place = l & 1 ? 4096 / 64 : l & 2 ? (uint64_t(1) << 28) : (uint64_t(1) << 50);
          if (bench.eight()) {
            lane.base = 0, lane.pointers[0] = lane.pointers[1] = uint32_t(l & 1 ? 4096 / 64 : (1 << 28)) << 3 | type;
            if (!(l & 3)) lane.base = place << 3 & ((uint64_t(1) << 54) - 8);
          } else {
            lane.base = (op == Op::bvh ? std::min<uint64_t>(place, (1 << 29) - 1) : place) << 3 | type;
          }
        }
        ASSERT_TRUE(bench.run());
        ASSERT_EQ(bench.stop, wave::Stop::End);
        for (unsigned l = 0; l < bench.count(); l++) {
          bool triangle = type < 4;
          EXPECT_EQ(bench.data[l][0], triangle ? kInf : kNone) << type;
          EXPECT_EQ(bench.data[l][1], triangle ? kOne : kNone) << type;
        }
      }
}

TEST(RayHostile, UnmappedNodesAreFaultsOfTheirLane) {
  for (Op op : {Op::bvh64, Op::dual, Op::bvh8})
    for (bool wave64 : {false, true}) {
      RayBench bench(op, wave64);
      bench.resource = descriptor({}, 0, uint64_t(1) << 48);
      unsigned bad = wave64 ? 41 : 9;
      for (unsigned l = 0; l < bench.count(); l++) {
        uint64_t address = l == bad ? uint64_t(1) << 45 : SingleStep::memory_base + l * 128;
        bench.lanes[l].base = address >> 3 | (op == Op::bvh64 ? 5 : 0);
        bench.lanes[l].pointers[0] = 5, bench.lanes[l].pointers[1] = 7;
      }
      ASSERT_TRUE(bench.run());
      EXPECT_EQ(bench.stop, wave::Stop::Fault);
      EXPECT_EQ(bench.fault.kind, wave::FaultKind::Load);
      EXPECT_EQ(bench.fault.address, uint64_t(1) << 45);
      EXPECT_EQ(bench.fault.lane, int(bad));
      EXPECT_EQ(bench.fault.bytes, 128u);
    }
}

TEST(RayHostile, OtherResourcesAreRefused) {
  for (Op op : {Op::bvh, Op::bvh64, Op::dual, Op::bvh8}) {
    RayBench bench(op, false);
    bench.resource = descriptor({}, SingleStep::memory_base, 65536);
    bench.resource[3] = (bench.resource[3] & 0x0fffffff) | 9u << 28;  // a 2D image
    ASSERT_TRUE(bench.run());
    EXPECT_EQ(bench.stop, wave::Stop::Fault);
    EXPECT_NE(std::string(bench.fault.reason).find("TYPE"), std::string::npos);
    bench.exec = 0;
    ASSERT_TRUE(bench.run());
    EXPECT_EQ(bench.stop, wave::Stop::End);
  }
}

}  // namespace
}  // namespace Atoll::rdna4::test
