#include "isa/rdna4/semantics/ray_query.h"

#include <bit>
#include <limits>

#include "isa/rdna4/semantics/ray_node.h"
#include "isa/rdna4/semantics/ray_primitive.h"
#include "isa/rdna4/semantics/ray_rotation.h"

namespace Atoll::rdna4 {
namespace {

constexpr uint32_t infinity = 0x7f800000, one = 0x3f800000;

uint32_t word(double x) { return std::bit_cast<uint32_t>(float(x)); }

bool is_box(NodeForm form) { return form >= NodeForm::box16 && form <= NodeForm::box8; }

// The form of node that the pointer's type stands for in bvh, bvh64 and each half of dual.
NodeForm form_of_four(const BvhDescriptor& d, uint32_t type) {
  if (type <= TRIANGLE_3) return NodeForm::triangle;
  if (type == BOX_FLOAT16) return d.box_node_64b ? NodeForm::box64b : NodeForm::box16;
  return type == BOX_FLOAT32 ? NodeForm::box32 : NodeForm::none;
}
NodeForm form_of_eight(const BvhDescriptor& d, uint32_t type) {
  if (d.compressed) return type <= TRIANGLE_3 ? NodeForm::packet : type == BOX_FLOAT32 ? NodeForm::box8 : NodeForm::none;
  if (type == BOX_FLOAT32_PAIR) return NodeForm::box32_pair;
  if (type == BOX_64B_PAIR) return NodeForm::box64b_pair;
  return form_of_four(d, type);
}

// --- one node's results

void box_results(const BvhDescriptor& d, const RayRequest& request, const Ray& ray, const BoxOrder& order, Boxes& boxes) {
  if (d.pointer_flags) cull_boxes(boxes, request.flags);
  intersect_boxes(boxes, ray, d, order);
}

void unpack(NodeForm form, const uint32_t* words, Boxes& boxes, unsigned first) {
  if (form == NodeForm::box16) unpack_box16(words, boxes, first);
  if (form == NodeForm::box32) unpack_box32(words, boxes, first);
  if (form == NodeForm::box64b) unpack_box64b(words, boxes, first);
}

void miss(NodeForm form, uint32_t* out) {
  if (form != NodeForm::triangle && form != NodeForm::packet) return;
  out[0] = infinity, out[1] = one, out[2] = out[3] = 0;
  if (form == NodeForm::packet) out[1] = out[2] = one;
}

// T_NUM, T_DENOM, then TRIANGLE_ID and HIT_STATUS, or I_NUM and J_NUM.
void triangle_results(const BvhDescriptor& d, const RayRequest& request, const Ray& ray, const NodeTriangle& node,
                      uint32_t* out) {
  TriangleHit hit;
  if (d.pointer_flags)
    hit = intersect_primitive(ray, node.triangle, node.kind, request.flags);
  else
    hit = intersect_triangle(ray, node.triangle);
  out[0] = word(hit.distance), out[1] = word(hit.denominator);
  if (!d.barycentrics) {
    out[2] = node.id, out[3] = hit.hit;
    return;
  }
  double i = hit.second, j = hit.third;
  const bool procedural = d.pointer_flags && node.kind.procedural;
  if (hit.hit && !procedural) {
    // The node says which corner's weight is which: those of its triangle that was turned when it was put there.
    const double weights[4] = {hit.denominator - i - j, i, j, 0};
    i = weights[node.second], j = weights[node.third];
  }
  if (d.pointer_flags)
    out[2] = marked_weight(i, procedural), out[3] = marked_weight(j, !is_opaque(node.kind, request.flags));
  else
    out[2] = word(i), out[3] = word(j);
}

// T, I, J, and primitive index with facedness.
void packet_results(const RayRequest& request, const Ray& ray, const PacketTriangle& t, uint32_t* out) {
  const TriangleHit hit = intersect_primitive(ray, t.triangle, t.kind, request.flags);
  out[0] = word(hit.distance / hit.denominator);
  out[1] = marked_weight(hit.second / hit.denominator, t.kind.procedural);
  out[2] = marked_weight(hit.third / hit.denominator, !is_opaque(t.kind, request.flags));
  out[3] = t.primitive << 1 | (hit.denominator < 0);
}

void node_results(const BvhDescriptor& d, const RayRequest& request, const NodeRequest& node, const Ray& ray,
                  const uint32_t* words, uint32_t* out, uint32_t& geometry) {
  if (node.outside) return miss(node.form, out);
  if (node.form == NodeForm::triangle) {
    const NodeTriangle triangle = unpack_triangle(words, node_type(node.pointer));
    geometry = triangle.geometry;
    return triangle_results(d, request, ray, triangle, out);
  }
  if (!is_box(node.form)) return;
  Boxes boxes;
  unpack(node.form, words, boxes, 0);
  box_results(d, request, ray, {.four = true}, boxes);
  for (unsigned n = 0; n < 4; n++) out[n] = boxes.child[n];
}

// --- nodes of eight

void eight_boxes(const BvhDescriptor& d, const RayRequest& request, const Ray& ray, const uint32_t* words, uint32_t* out) {
  BoxOrder order{.wide = d.wide_sort, .distinct = true, .last_leaf = d.compressed ? TRIANGLE_3 : TRIANGLE_1};
  Boxes boxes;
  if (request.node[0].form == NodeForm::box8) {
    BoxEight eight = unpack_box8(words, ray.instance_mask);
    boxes = eight.boxes;
    box_results(d, request, rotated(ray, eight.rotation), order, boxes);
  } else {
    const bool large = request.node[0].form == NodeForm::box32_pair;
    const NodeForm half = large ? NodeForm::box32 : NodeForm::box64b;
    unpack(half, words, boxes, 0);
    unpack(half, words + bytes_of(half) / 4, boxes, 4);
    box_results(d, request, ray, order, boxes);
  }
  for (unsigned n = 0; n < 8; n++) out[n] = boxes.child[n];
}

void packet(const RayRequest& request, const Ray& ray, const uint32_t* words, RayResult& result) {
  const PacketPair pair = unpack_pair(words, pair_of_pointer(request.node[0].pointer));
  result.fault = pair.fault;
  packet_results(request, ray, pair.of[0], result.data);
  uint32_t* second = result.data + 4;
  if (pair.has_second)
    packet_results(request, ray, pair.of[1], second);
  else
    second[0] = infinity, second[1] = second[2] = one, second[3] = 0;
  for (unsigned n = 0; n < 2; n++) result.data[8 + n] = pair.of[n].geometry << 2 | uint32_t(pair.navigation);
}

// --- instances

// The instance's tree with the flags that hold in it: what the ray forces about opaqueness the instance cannot change.
uint64_t tree_of(uint64_t base, uint64_t instance) {
  const uint64_t flags = base >> pointer_flags_shift;
  uint64_t own = instance >> pointer_flags_shift;
  if (flags & (FORCE_OPAQUE | FORCE_NON_OPAQUE)) own &= ~uint64_t(FORCE_OPAQUE | FORCE_NON_OPAQUE);
  return (instance & pointer_base_mask & ~uint64_t(7)) | (own | flags) << pointer_flags_shift;
}

void instance(const BvhDescriptor& d, const RayRequest& request, const Ray& ray, const uint32_t* words, RayResult& result) {
  const Instance node = unpack_instance(words);
  const uint64_t tree = d.pointer_flags ? tree_of(request.base, node.base) : node.base & pointer_base_mask & ~uint64_t(7);
  result.data[2] = uint32_t(tree), result.data[3] = uint32_t(tree >> 32);
  result.data[6] = node.user_data;
  // An instance that has no triangles says so with the flag that would leave them out.
  const bool triangles = !(node.base >> pointer_flags_shift & SKIP_TRIANGLES);
  if (!(node.mask & ray.instance_mask)) return;
  if (d.pointer_flags && (request.flags & (triangles ? SKIP_TRIANGLES : SKIP_PROCEDURAL))) return;
  Ray inside = ray;
  for (unsigned axis = 0; axis < 3; axis++) {
    const float* row = node.to_object[axis];
    inside.origin[axis] = result.origin[axis] = transformed(row, ray.origin, row[3]);
    inside.direction[axis] = result.direction[axis] = transformed(row, ray.direction, 0);
    inside.inverse[axis] = 1 / inside.direction[axis];
  }
  result.transformed = true;
  if (request.node[0].form == NodeForm::instance) {
    result.data[7] = node.pointer;
    return;
  }
  Boxes boxes = unpack_instance_boxes(words, ray.instance_mask);
  box_results(d, request, inside, {.four = true, .distinct = true}, boxes);
  result.data[7] = 0;
  for (unsigned n = 0; n < 4; n++) result.data[7] |= (boxes.child[n] & 0xff) << 8 * n;
}

}  // namespace

unsigned bytes_of(NodeForm form) {
  switch (form) {
    case NodeForm::none: return 0;
    case NodeForm::triangle: return triangle_bytes;
    case NodeForm::box16: return box16_bytes;
    case NodeForm::box32: return box32_bytes;
    case NodeForm::box64b: return box64b_bytes;
    case NodeForm::box32_pair: return 2 * box32_bytes;
    case NodeForm::box64b_pair: return 2 * box64b_bytes;
    case NodeForm::box8: return box8_bytes;
    case NodeForm::packet: return packet_bytes;
    case NodeForm::instance: return instance_bytes;
    case NodeForm::instance8: return instance8_bytes;
  }
  return 0;
}

RayRequest ray_request(RayOperation operation, const BvhDescriptor& d, uint64_t base, const uint32_t (&pointers)[2]) {
  RayRequest out{};
  out.base = base;
  if (d.pointer_flags) out.flags = uint32_t(base >> pointer_flags_shift);
  const uint64_t plain = d.pointer_flags ? base & pointer_base_mask : base;
  const bool one_pointer = operation == RayOperation::bvh || operation == RayOperation::bvh64;
  const unsigned nodes = operation == RayOperation::dual ? 2 : 1;
  const bool eight = operation == RayOperation::bvh8;
  for (unsigned n = 0; n < nodes; n++) {
    NodeRequest& node = out.node[n];
    node.pointer = one_pointer ? uint32_t(plain) : pointers[n];
    const uint32_t type = node_type(node.pointer);
    node.form = eight ? form_of_eight(d, type) : form_of_four(d, type);
    if (!one_pointer && n == 0 && type == INSTANCE && d.instances)
      node.form = eight && d.compressed ? NodeForm::instance8 : NodeForm::instance;
    uint64_t place = plain >> 3;
    if (!one_pointer) place += (node.form == NodeForm::packet ? node.pointer & ~15u : node.pointer) >> 3;
    const uint64_t last = place + bytes_of(node.form) / 64 - 1;
    node.outside = node.form != NodeForm::none && (place > d.last || last > d.last);
    node.address = (d.base + place * 64) & node_address_mask;
  }
  out.second_triangle = eight && !d.compressed && node_type(pointers[0]) == TRIANGLE_1;
  if (out.second_triangle) out.node[0].pointer ^= 1;
  return out;
}

RayResult ray_result(RayOperation operation, const BvhDescriptor& d, const RayRequest& request, const Ray& ray,
                     const uint32_t (&memory)[most_node_bytes / 4]) {
  RayResult result{};
  for (uint32_t& d : result.data) d = invalid_node;
  const NodeRequest &first = request.node[0], &second = request.node[1];
  uint32_t* data = result.data;
  switch (first.form) {
    case NodeForm::instance:
    case NodeForm::instance8: {
      // Two at once are none.
      const bool both = operation == RayOperation::dual && node_type(second.pointer) == INSTANCE;
      if (!both && !first.outside) instance(d, request, ray, memory, result);
      return result;
    }
    case NodeForm::packet:
      if (first.outside)
        miss(first.form, data), miss(first.form, data + 4);
      else
        packet(request, ray, memory, result);
      return result;
    case NodeForm::box32_pair:
    case NodeForm::box64b_pair:
    case NodeForm::box8:
      if (!first.outside) eight_boxes(d, request, ray, memory, data);
      return result;
    default: break;
  }
  // Eight boxes of two nodes, sorted as one.
  if (operation == RayOperation::dual && d.wide_sort && is_box(first.form) && is_box(second.form)) {
    Boxes boxes;
    for (unsigned n = 0; n < 2; n++)
      if (!request.node[n].outside) unpack(request.node[n].form, memory + n * second_node, boxes, 4 * n);
    box_results(d, request, ray, {.wide = true}, boxes);
    for (unsigned n = 0; n < 8; n++) data[n] = boxes.child[n];
    return result;
  }
  node_results(d, request, first, ray, memory, data, data[8]);
  if (operation == RayOperation::dual) node_results(d, request, second, ray, memory + second_node, data + 4, data[9]);
  if (request.second_triangle) {
    NodeRequest other = first;
    other.pointer ^= 1;
    node_results(d, request, other, ray, memory, data + 4, data[9]);
  }
  return result;
}

}  // namespace Atoll::rdna4
