// image_bvh_intersect_ray and its relatives: one node (or two) of a tree against each lane's ray. RDNA4 ISA 10.9, 16.17. What a lane
// does is ray_query.h; here its registers become a ray, and memory is read, every byte in the checked place of the interpreter,
// which compiled code calls.
//
// With A16 each VGPR of the direction holds a component of it and, in the high half, that of its inverse: so LLVM packs them and 10.9.2
// says it; table 63 and 16.17 have another order.
#pragma once
#include "isa/rdna4/adaptor.h"
#include "isa/rdna4/semantics/ray_lanes.h"
#include "isa/rdna4/semantics/window.h"

namespace Atoll::rdna4 {

template <RayOperation operation, class A>
void intersect_rays(A& e, const Instruction& i) {
  auto& core = e.core;
  constexpr bool eight = operation == RayOperation::dual || operation == RayOperation::bvh8;
  RayLanes lanes;
  lanes.live = core.memory_active(core.m(true));
  if (!lanes.live) return;
  uint32_t words[4];
  for (unsigned n = 0; n < 4; n++) words[n] = core.scalar(scalar_cell(i.saddr + n)).v;
  const BvhDescriptor descriptor = bvh_descriptor(words);
  if (descriptor.type != bvh_resource_type) return core.illegal("a ray-tracing instruction whose T# has a TYPE other than 8");
  if (eight && i.a16) return core.illegal("A16 of an instruction that has none (RDNA4 ISA 16.17)");

  auto each = [&](const typename A::U32& x, auto put) {
    alignas(64) uint32_t words_of[ray_chunk];
    __builtin_memcpy(words_of, &x.v, sizeof words_of);
    for (unsigned l = 0; l < ray_chunk; l++) put(l, words_of[l]);
  };
  auto group = [&](unsigned n, unsigned at = 0) { return e.vgpr(i.image_address[n] + at); };
  auto number = [](float& to, uint32_t word) { to = __builtin_bit_cast(float, word); };
  const bool wide = operation != RayOperation::bvh;
  each(group(0), [&](unsigned l, uint32_t x) { lanes.base[l] = x; });
  if (wide) each(group(0, 1), [&](unsigned l, uint32_t x) { lanes.base[l] |= uint64_t(x) << 32; });
  each(group(1), [&](unsigned l, uint32_t x) { number(lanes.ray[l].extent, x); });
  if (eight) each(group(1, 1), [&](unsigned l, uint32_t x) { lanes.ray[l].instance_mask = x & 0xff; });
  for (unsigned axis = 0; axis < 3; axis++) {
    each(group(2, axis), [&](unsigned l, uint32_t x) { number(lanes.ray[l].origin[axis], x); });
    const auto direction = group(3, axis);
    if (i.a16) {
      each(as_u32(cvt_f32_f16(direction & 0xffffu)), [&](unsigned l, uint32_t x) { number(lanes.ray[l].direction[axis], x); });
      each(as_u32(cvt_f32_f16(direction >> 16)), [&](unsigned l, uint32_t x) { number(lanes.ray[l].inverse[axis], x); });
    } else {
      each(direction, [&](unsigned l, uint32_t x) { number(lanes.ray[l].direction[axis], x); });
      if (!eight) each(group(4, axis), [&](unsigned l, uint32_t x) { number(lanes.ray[l].inverse[axis], x); });
    }
  }
  for (unsigned n = 0; eight && n < (operation == RayOperation::dual ? 2 : 1); n++)
    each(group(4, n), [&](unsigned l, uint32_t x) { lanes.pointers[l][n] = x; });

  core.at_chunk();
  auto nodes = [&](auto act) {
    for (uint32_t rest = lanes.live; rest; rest &= rest - 1) {
      const unsigned l = unsigned(__builtin_ctz(rest));
      for (unsigned n = 0; n < (operation == RayOperation::dual ? 2 : 1); n++) {
        const NodeRequest& node = lanes.request[l].node[n];
        if (node.form != NodeForm::none && !node.outside) act(l, node, lanes.memory[l] + n * second_node);
      }
    }
  };
  for (uint32_t rest = lanes.live; rest; rest &= rest - 1) {
    const unsigned l = unsigned(__builtin_ctz(rest));
    lanes.request[l] = ray_request(operation, descriptor, lanes.base[l], lanes.pointers[l]);
    for (NodeRequest& node : lanes.request[l].node) node.address = window_address(core.wave, node.address);
  }
  nodes([&](unsigned, const NodeRequest& node, uint32_t*) { prefetch_block(core, node.address, bytes_of(node.form)); });
  nodes([&](unsigned l, const NodeRequest& node, uint32_t* to) { load_block(core, l, node.address, bytes_of(node.form), to); });
  if (core.wave.stop == wave::Stop::Fault || core.probing) return;
  if (int lane = answer_rays(operation, descriptor, lanes); lane >= 0)
    return core.fault(wave::FaultKind::Illegal, 0, 0, lane + core.chunk * int(ray_chunk), lanes.result[lane].fault);

  auto put = [&](typename A::M which, unsigned vgpr, auto get) {
    alignas(64) uint32_t words_of[ray_chunk];
    for (unsigned l = 0; l < ray_chunk; l++) words_of[l] = get(lanes.result[l]);
    typename A::U32 x = core.u32(0);
    __builtin_memcpy(&x.v, words_of, sizeof words_of);
    core.set_lanes_if(which, vgpr_cell(vgpr & 255, e.wave64()), x);
  };
  if (eight) {
    uint32_t transformed = 0;
    for (uint32_t rest = lanes.live; rest; rest &= rest - 1)
      transformed |= uint32_t(lanes.result[__builtin_ctz(rest)].transformed) << __builtin_ctz(rest);
    const typename A::M inside{transformed};
    for (unsigned axis = 0; transformed && axis < 3; axis++) {
      put(inside, i.image_address[2] + axis, [&](const RayResult& r) { return __builtin_bit_cast(uint32_t, r.origin[axis]); });
      put(inside, i.image_address[3] + axis, [&](const RayResult& r) { return __builtin_bit_cast(uint32_t, r.direction[axis]); });
    }
  }
  for (unsigned n = 0; n < (eight ? 10 : 4); n++)
    put(typename A::M{lanes.live}, i.data + n, [&](const RayResult& r) { return r.data[n]; });
}

// OP(name, operation)
#define ATOLL_RAY_OPERATIONS(OP)         \
  OP(image_bvh_intersect_ray, bvh)       \
  OP(image_bvh64_intersect_ray, bvh64)   \
  OP(image_bvh_dual_intersect_ray, dual) \
  OP(image_bvh8_intersect_ray, bvh8)
#define ATOLL_DEFINE_RAYS(name, operation)         \
  template <class A>                               \
  void name(A& e, const Instruction& i) {          \
    intersect_rays<RayOperation::operation>(e, i); \
  }
ATOLL_RAY_OPERATIONS(ATOLL_DEFINE_RAYS)
#undef ATOLL_DEFINE_RAYS

#define ATOLL_LIST_RAYS(name, operation) ATOLL_CALLED_ENTRY(name)
#define ATOLL_RAY_TRACING(SCALAR, LANES, WHOLE) ATOLL_RAY_OPERATIONS(ATOLL_LIST_RAYS)

}  // namespace Atoll::rdna4
