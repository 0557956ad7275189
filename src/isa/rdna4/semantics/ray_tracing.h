// image_bvh_intersect_ray and its relatives: one node (or two) of a tree against each lane's ray. RDNA4 ISA 10.9, 16.17. A lane's
// own work is in ray_query.h; here its registers become a ray, and memory is read, every byte in the checked place of the
// interpreter, which compiled code calls.
//
// With A16 each VGPR of the direction holds a component of it and, in the high half, that of its inverse: so LLVM packs them and 10.9.2
// says it; table 63 and 16.17 have another order.
#pragma once
#include "isa/rdna4/adaptor.h"
#include "isa/rdna4/semantics/ray_box_lanes.h"
#include "isa/rdna4/semantics/ray_node.h"
#include "isa/rdna4/semantics/window.h"

namespace Atoll::rdna4 {

// Tests those lanes of a bvh or bvh64 at once whose nodes are box32 inside of tree and window, and returns which they are.
template <class A, class Core>
uint32_t boxes_together(Core& core, const BvhDescriptor& descriptor, RayLanes& lanes) {
  static constexpr uint8_t nothing[box32_bytes] = {};
  const uint8_t* nodes[ray_chunk];
  const Sections sections = Sections::of_window(core.wave.window);
  uint32_t boxes = 0;
  for (unsigned l = 0; l < ray_chunk; l++) {
    nodes[l] = nothing;
    if (!(lanes.live >> l & 1)) continue;
    uint64_t address;
    if (!box32_address(descriptor, base_of(lanes, l), address)) continue;
    address = sections.window_address(address);
    if (address >= core.wave.window_bytes || core.wave.window_bytes - address < box32_bytes) continue;
    nodes[l] = core.wave.window + address;
    for (unsigned n = 0; n < box32_bytes; n += 64) __builtin_prefetch(nodes[l] + n);
    boxes |= 1u << l;
  }
  static const auto intersect = ATOLL_AT_LEVEL(intersect_box_lanes);
  for (unsigned first = 0; first < ray_chunk; first += boxed_lanes)
    if (boxes >> first & ((1u << boxed_lanes) - 1)) intersect(descriptor, nodes, first, lanes);
  return boxes;
}

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

  auto group = [&](unsigned n, unsigned at = 0) { return e.vgpr(i.image_address[n] + at); };
  auto keep = [](auto& row, const auto& x) { __builtin_memcpy(row, &x.v, sizeof row); };
  const bool wide = operation != RayOperation::bvh;
  keep(lanes.base[0], group(0));
  keep(lanes.base[1], wide ? group(0, 1) : core.u32(0));
  keep(lanes.extent, group(1));
  if (eight) keep(lanes.instance_mask, group(1, 1) & 0xffu);
  for (unsigned axis = 0; axis < 3; axis++) {
    keep(lanes.origin[axis], group(2, axis));
    const auto direction = group(3, axis);
    if (i.a16) {
      keep(lanes.direction[axis], cvt_f32_f16(direction & 0xffffu));
      keep(lanes.inverse[axis], cvt_f32_f16(direction >> 16));
    } else {
      keep(lanes.direction[axis], direction);
      if (!eight) keep(lanes.inverse[axis], group(4, axis));
    }
  }
  for (unsigned n = 0; eight && n < (operation == RayOperation::dual ? 2 : 1); n++) keep(lanes.pointers[n], group(4, n));
  lanes.transformed = 0;

  core.at_chunk();
  uint32_t alone = lanes.live;
  if constexpr (!eight)
    if (!core.probing) alone &= ~boxes_together<A>(core, descriptor, lanes);
  auto nodes = [&](auto act) {
    for (uint32_t rest = alone; rest; rest &= rest - 1) {
      const unsigned l = unsigned(__builtin_ctz(rest));
      for (unsigned n = 0; n < (operation == RayOperation::dual ? 2 : 1); n++) {
        const NodeRequest& node = lanes.request[l].node[n];
        if (node.form != NodeForm::none && !node.outside) act(l, node, lanes.memory[l] + n * second_node);
      }
    }
  };
  for (uint32_t rest = alone; rest; rest &= rest - 1) {
    const unsigned l = unsigned(__builtin_ctz(rest));
    const uint32_t pointers[2] = {eight ? lanes.pointers[0][l] : 0, operation == RayOperation::dual ? lanes.pointers[1][l] : 0};
    lanes.request[l] = ray_request(operation, descriptor, base_of(lanes, l), pointers);
    for (NodeRequest& node : lanes.request[l].node) node.address = window_address(core.wave, node.address);
  }
  nodes([&](unsigned, const NodeRequest& node, uint32_t*) { prefetch_block(core, node.address, bytes_of(node.form)); });
  nodes([&](unsigned l, const NodeRequest& node, uint32_t* to) { load_block(core, l, node.address, bytes_of(node.form), to); });
  if (core.wave.stop == wave::Stop::Fault || core.probing) return;
  if (const RayFault fault = answer_rays(operation, descriptor, lanes, alone); fault.lane >= 0)
    return core.fault(wave::FaultKind::Illegal, 0, 0, fault.lane + core.chunk * int(ray_chunk), fault.what);

  auto put = [&](uint32_t which, unsigned vgpr, const auto& row) {
    typename A::U32 x = core.u32(0);
    __builtin_memcpy(&x.v, row, sizeof row);
    core.set_lanes_if(typename A::M{which}, vgpr_cell(vgpr & 255, e.wave64()), x);
  };
  for (unsigned axis = 0; eight && lanes.transformed && axis < 3; axis++) {
    put(lanes.transformed, i.image_address[2] + axis, lanes.new_origin[axis]);
    put(lanes.transformed, i.image_address[3] + axis, lanes.new_direction[axis]);
  }
  for (unsigned n = 0; n < (eight ? 10 : 4); n++) put(lanes.live, i.data + n, lanes.data[n]);
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
