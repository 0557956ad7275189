// Boxes of 16 lanes at once against the same nodes one by one: the same bits, whatever node, ray, pointer and resource say.
#include "isa/rdna4/semantics/ray_box_lanes.h"

#include <bit>
#include <cstring>

#include "isa/rdna4/semantics/ray_node.h"
#include "ray_bench.h"

namespace Atoll::rdna4::test {
namespace {

class Scenes {
public:
  explicit Scenes(uint64_t seed) : r_(seed) {}

  // (Half of the resources have no flags in pointers.)
  BvhDescriptor descriptor() {
    TreeFlags f;
    f.sort = r_.next() % 4 != 0, f.triangles_first = r_.next() & 1, f.heuristic = r_.next() & 3,
    f.grow = r_.next() % 3 ? 0 : r_.next() & 0xff;
    f.pointer_flags = r_.next() & 1, f.barycentrics = r_.next() & 1;
    const auto words = test::descriptor(f, 0, 1 << 20);
    const uint32_t copy[4] = {words[0], words[1], words[2], words[3]};
    return bvh_descriptor(copy);
  }

  // Coordinates that meet, touch and repeat, and now and then anything.
  float number() {
    if (r_.next() % 24 == 0) return std::bit_cast<float>(r_.mixed());
    return float(int32_t(r_.next() % 17) - 8) * (r_.next() % 4 ? 0.25f : 0.1f);
  }

  void lane(const BvhDescriptor& d, RayLanes& lanes, unsigned l, uint32_t (&node)[32]) {
    for (unsigned axis = 0; axis < 3; axis++) {
      lanes.origin[axis][l] = number(), lanes.direction[axis][l] = number();
      lanes.inverse[axis][l] = r_.next() % 16 ? 1 / lanes.direction[axis][l] : number();
    }
    lanes.extent[l] = r_.next() % 2 ? 1e30f : number();
    const uint64_t pointer =
        uint64_t(r_.next() % 1000) << 3 | BOX_FLOAT32 | (d.pointer_flags ? r_.next64() << pointer_flags_shift : 0);
    lanes.base[0][l] = uint32_t(pointer), lanes.base[1][l] = uint32_t(pointer >> 32);
    for (uint32_t& word : node) word = std::bit_cast<uint32_t>(number());
    for (unsigned n = 0; n < 4; n++) node[n] = r_.next() % 8 ? r_.next() : invalid_node;
    for (unsigned n = 0; n < 24 && r_.next() % 4; n += 6)  // most boxes are some, in order
      for (unsigned axis = 0; axis < 3; axis++) {
        float low = std::bit_cast<float>(node[4 + n + axis]), high = std::bit_cast<float>(node[7 + n + axis]);
        if (low > high) std::swap(node[4 + n + axis], node[7 + n + axis]);
      }
    node[28] = r_.next() & 0x0f0f0f0f;
  }

private:
  Words r_;
};

TEST(RayBoxLanes, AreAsOneByOne) {
  const auto at_once = ATOLL_AT_LEVEL(intersect_box_lanes);
  Scenes scenes(45);
  unsigned met = 0, culled = 0;
  for (unsigned round = 0; round < 4000; round++) {
    const BvhDescriptor d = scenes.descriptor();
    static RayLanes lanes;
    static uint32_t nodes[ray_chunk][32];
    const uint8_t* places[ray_chunk];
    for (unsigned l = 0; l < ray_chunk; l++) {
      scenes.lane(d, lanes, l, nodes[l]);
      places[l] = reinterpret_cast<const uint8_t*>(nodes[l]);
    }
    for (unsigned first = 0; first < ray_chunk; first += boxed_lanes) at_once(d, places, first, lanes);
    for (unsigned l = 0; l < ray_chunk; l++) {
      Ray ray{};
      for (unsigned axis = 0; axis < 3; axis++)
        ray.origin[axis] = lanes.origin[axis][l], ray.direction[axis] = lanes.direction[axis][l],
        ray.inverse[axis] = lanes.inverse[axis][l];
      ray.extent = lanes.extent[l];
      uint32_t memory[most_node_bytes / 4] = {};
      std::memcpy(memory, nodes[l], sizeof nodes[l]);
      const RayRequest request = ray_request(RayOperation::bvh64, d, base_of(lanes, l), {});
      ASSERT_EQ(request.node[0].form, NodeForm::box32);
      const RayResult one = ray_result(RayOperation::bvh64, d, request, ray, memory);
      for (unsigned n = 0; n < 4; n++) {
        ASSERT_EQ(lanes.data[n][l], one.data[n]) << "round " << round << " lane " << l << " child " << n;
        met += one.data[n] != invalid_node;
        if (d.pointer_flags && nodes[l][n] != invalid_node && one.data[n] == invalid_node) culled++;
      }
    }
  }
  EXPECT_GT(met, 10'000u);
  EXPECT_GT(culled, 10'000u);
}

TEST(RayBoxLanes, AddressesAreThoseOfOneByOne) {
  Words r(46);
  unsigned inside = 0;
  for (unsigned round = 0; round < 100'000; round++) {
    TreeFlags f;
    f.pointer_flags = r.next() & 1;
    const auto words = descriptor(f, uint64_t(r.next()) << 8, uint64_t(r.next() % 4096 + 1) * 64);
    const uint32_t copy[4] = {words[0], words[1], words[2], words[3]};
    const BvhDescriptor d = bvh_descriptor(copy);
    const uint64_t pointer =
        (r.next() % 4 ? r.next() % 50'000 : r.next64()) | (r.next() & 1 ? r.next64() << pointer_flags_shift : 0);
    const NodeRequest node = ray_request(RayOperation::bvh64, d, pointer, {}).node[0];
    uint64_t address = 0;
    ASSERT_EQ(box32_address(d, pointer, address), node.form == NodeForm::box32 && !node.outside) << std::hex << pointer;
    if (node.form != NodeForm::box32 || node.outside) continue;
    EXPECT_EQ(address, node.address);
    inside++;
  }
  EXPECT_GT(inside, 1000u);
}

}  // namespace
}  // namespace Atoll::rdna4::test
