#include <algorithm>
#include <cstring>

#include "base/removable_check.h"
#include "isa/rdna4/semantics/ray_pointer.h"
#include "isa/rdna4/semantics/ray_stack.h"
#include "isa/rdna4/semantics/whole.h"

namespace Atoll::rdna4 {
namespace {

constexpr uint32_t stride = 32;          // dwords from a lane's entry to its next
constexpr uint32_t terminal_node = ~1u;  // popped from an empty stack that has lost nothing
// Pointers with all bits above the low three set are none. To the stack their low bits mean:
constexpr uint32_t KEEP_0_TO_3 = 2, KEEP_4_TO_7 = 4;             // else pointers of that half are not pushed
constexpr uint32_t RANGE_NODE = 1, RANGE_END = 2, NO_RANGE = 4;  // of the last pointer
constexpr uint32_t ring_mask = 31;

bool is_none(uint32_t node) { return node >> 3 == 0x1fffffff; }
bool is_primitive(uint32_t node) { return node_type(node) <= TRIANGLE_3; }

// LDS beyond its end reads 0 and takes nothing (3.3.5.1).
class Ring {
public:
  Ring(wave::Wave& wave, const RayStack& stack) : wave_(wave), base_(stack.base) {}
  uint32_t get(uint32_t place) const {
    uint32_t x = 0;
    if (uint8_t* p = entry(place)) std::memcpy(&x, p, 4);
    return x;
  }
  void put(uint32_t place, uint32_t x) {
    if (uint8_t* p = entry(place)) std::memcpy(p, &x, 4);
  }

private:
  uint8_t* entry(uint32_t place) const {
    const uint32_t byte = (base_ + place * stride) * 4;  // at most 4 * (0x3fff + 31 * 32)
    return ATOLL_CHECK("interpreter.lds.bounds", byte + 4 <= wave_.lds_bytes) ? wave_.lds + byte : nullptr;
  }
  wave::Wave& wave_;
  uint32_t base_;
};

struct Lane {
  RayStack stack;
  Ring ring;
  uint32_t entries;

  void push(uint32_t node) {
    if (stack.valid == entries) stack.overflowed = true;
    ring.put(stack.place, node);
    stack.place = stack.place == entries - 1 ? 0 : (stack.place + 1) & ring_mask;
    if (stack.to_tlas == entries) stack.has_tlas = false;
    stack.to_tlas = std::min(stack.to_tlas + 1, entries);
    stack.valid = std::min(stack.valid + 1, entries);
  }
  uint32_t below() const { return stack.place == 0 ? entries - 1 : stack.place - 1; }
  uint32_t take(uint32_t place) {
    const uint32_t node = ring.get(place);
    ring.put(place, invalid_node);
    if (stack.to_tlas) stack.to_tlas--;
    stack.valid--;
    stack.place = place;
    return node;
  }
  uint32_t pop() {
    stack.left_blas = stack.to_tlas == 0 && stack.has_tlas;
    if (stack.left_blas) stack.has_tlas = false;
    if (stack.valid == 0) {
      stack.left_blas = stack.has_tlas = false;
      return stack.overflowed ? invalid_node : terminal_node;
    }
    const uint32_t node = take(below());
    if (node_type(node) == INSTANCE) {
      // The rest belongs to the instance's parent. Nothing can be kept of a parent's parent.
      if (stack.has_tlas) stack.valid = stack.to_tlas, stack.overflowed = true;
      stack.has_tlas = true;
      stack.to_tlas = 0;
    }
    return node;
  }
  // Nothing from the parent's tree, and no instance.
  uint32_t pop_same_tree() {
    if ((stack.to_tlas == 0 && stack.has_tlas) || stack.valid == 0) return invalid_node;
    if (node_type(ring.get(below())) == INSTANCE) return invalid_node;
    return take(below());
  }

  // The farthest first. A last pointer that is a node's is the child from which a walk without a stack has come back: those behind
  // it are still to be visited.
  void push_all(const RayStackForm& form, const uint32_t* nodes, unsigned count, uint32_t last) {
    const bool walks_back = !is_none(last);
    const bool goes_on = form.primitive_range && !walks_back && !(last & NO_RANGE);
    auto stops = [&](uint32_t node) { return node == last || (form.primitive_range && is_primitive(node)); };
    bool valid = !walks_back || std::any_of(nodes, nodes + count, stops);
    if (form.primitive_range) valid = (valid || is_primitive(last)) && !(goes_on && (last & RANGE_END));
    bool skip_low = false, skip_high = false;
    for (unsigned n = count; n-- > 0;) {
      const uint32_t node = nodes[n];
      const bool high = n >= 4;
      bool& skip = high ? skip_high : skip_low;
      if (is_none(node) && valid && !skip) {
        skip_low |= !(node & KEEP_0_TO_3);
        if (high) skip_high |= !(node & KEEP_4_TO_7);
      }
      if (goes_on && n + 2 == count) skip_low = skip_high = true;
      if (walks_back && stops(node)) valid = false;
      if (!valid || is_none(node) || skip) continue;
      push(goes_on && n + 1 == count ? next_in_range(node, last) : node);
    }
  }
  // The next node's first pair, or this one's next: types 0 to 3 and 8 to 11.
  static uint32_t next_in_range(uint32_t node, uint32_t last) {
    if (last & RANGE_NODE) return (node & ~15u) + 16;
    return (node & 15) == 3 ? node + 5 : node + 1;
  }
};

}  // namespace

RayStack RayStack::of(uint32_t x) {
  return {.valid = x & 31,
          .to_tlas = x >> 5 & 31,
          .place = x >> 10 & 31,
          .base = x >> 15 & 0x3fff,
          .has_tlas = (x >> 29 & 1) != 0,
          .overflowed = (x >> 30 & 1) != 0,
          .left_blas = (x >> 31 & 1) != 0};
}
uint32_t RayStack::address() const {
  return valid | to_tlas << 5 | place << 10 | base << 15 | uint32_t(has_tlas) << 29 | uint32_t(overflowed) << 30 |
         uint32_t(left_blas) << 31;
}

void run_ray_stack(wave::Wave& wave, const Instruction& i, unsigned pushed, unsigned popped) {
  const RayStackForm form = ray_stack_form(i);
  for (uint64_t rest = exec_of(wave); rest; rest &= rest - 1) {
    const uint32_t l = uint32_t(__builtin_ctzll(rest));
    uint32_t nodes[8];
    for (unsigned n = 0; n < pushed; n++) nodes[n] = lane_of(wave, i.data1 + n, l);
    const RayStack stack = RayStack::of(lane_of(wave, i.address, l));
    Lane lane{stack, Ring(wave, stack), form.entries};
    lane.push_all(form, nodes, pushed, lane_of(wave, i.data, l));
    uint32_t first = lane.pop(), second = 0;
    if (popped == 2) {
      // In order: the node below, if there is one, and the top.
      second = first;
      if (form.triangle_pairs && node_type(second) == TRIANGLE_1) {
        first = second & ~7u;
      } else {
        first = lane.pop_same_tree();
        if (first == invalid_node) std::swap(first, second);
      }
    }
    lane_of(wave, i.address, l) = lane.stack.address();
    lane_of(wave, i.dst, l) = first;
    if (popped == 2) lane_of(wave, i.dst + 1, l) = second;
  }
}

}  // namespace Atoll::rdna4
