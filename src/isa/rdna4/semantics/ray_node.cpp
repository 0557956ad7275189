#include "isa/rdna4/semantics/ray_node.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace Atoll::rdna4 {
namespace {

float number(uint32_t word) { return std::bit_cast<float>(word); }

// IEEE half, exactly.
float half(uint32_t bits) {
  const uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  if (exponent == 31) return number(sign | 0x7f800000 | mantissa << 13);
  const float magnitude = exponent ? number((exponent + 112) << 23 | mantissa << 13) : float(mantissa) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

// A block of 18 bits of a high-precision box: sign and 17 bits of mantissa with the leading one, under the exponent that the node
// has for the axis. The bits that were cut off are filled up outwards: with ones if `outwards` asks for a greater magnitude.
float block(uint32_t bits, uint32_t common, bool is_high) {
  const uint32_t sign = bits >> 17 & 1, mantissa = bits & 0x1ffff;
  const bool outwards = is_high != (sign != 0);
  uint32_t exponent = 0, fraction = 0;
  if (mantissa) {
    const uint32_t shift = std::min<uint32_t>(uint32_t(std::countl_zero(mantissa)) - 15, common);
    exponent = common - shift;
    fraction = mantissa << (7 + shift);
    if (outwards && exponent != 0xff) fraction |= (1u << (7 + shift)) - 1;
  } else if (outwards) {
    exponent = common > 17 ? common - 17 : 0;
    fraction = ~0u;
  }
  return number(sign << 31 | exponent << 23 | (fraction & 0x7fffff));
}

// 12 bits of a box's extent: a number below 1 (at most 4096 / 4096) times the power of two that the node has for the axis; no
// denormals are made.
float plane(float origin, uint32_t exponent, uint32_t steps) {
  float offset = 0;
  if (steps) {
    const int position = 31 - std::countl_zero(steps) - 12, scaled = position + int(exponent);
    if (scaled > 0) offset = number((uint32_t(scaled) << 23 & 0x7fffffff) | (steps << (11 - position) & 0x7fffff));
  }
  return origin + offset;
}

// A child of quantised boxes: 3 words.
struct QuantisedChild {
  uint32_t low[3], high[3], flags, mask, type, range;
  explicit QuantisedChild(const uint32_t* w)
      : low{w[0] & 0xfff, w[0] >> 12 & 0xfff, w[1] & 0xfff},
        high{w[1] >> 12 & 0xfff, w[2] & 0xfff, w[2] >> 12 & 0xfff},
        flags(w[0] >> 24 & 15),
        mask(w[1] >> 24),
        type(w[2] >> 24 & 15),
        range(w[2] >> 28) {}
};
// `words`: origin, exponents and count, and behind `children` the boxes. Boxes and primitives are numbered each from a base of
// their own, in steps of 128 bytes (16 of a pointer).
void unpack_quantised(const uint32_t* words, const uint32_t* children, unsigned count, uint32_t boxes_at, uint32_t primitives_at,
                      uint32_t instance_mask, Boxes& boxes) {
  boxes.unsorted = words[3] >> 24 & 1;
  uint32_t low[3][8], high[3][8];
  for (unsigned n = 0; n < count; n++) {
    const QuantisedChild child(children + 3 * n);
    uint32_t& at = child.type == BOX_FLOAT32 ? boxes_at : primitives_at;
    boxes.child[n] = child.mask & instance_mask ? at | child.type : invalid_node;
    at += child.range << 4;
    boxes.flags[n] = uint8_t(child.flags);
    for (unsigned axis = 0; axis < 3; axis++) low[axis][n] = child.low[axis], high[axis][n] = child.high[axis] + 1;
  }
  for (unsigned axis = 0; axis < 3; axis++) {
    const uint32_t exponent = words[3] >> 8 * axis & 0xff;
    const float origin = number(words[axis]);
    if (exponent >= 14 && exponent < 255) {  // the steps' products are exact and normal
      const float step = number((exponent - 12) << 23);
      for (unsigned n = 0; n < count; n++) {
        boxes.low[axis][n] = origin + float(int32_t(low[axis][n])) * step;
        boxes.high[axis][n] = origin + float(int32_t(high[axis][n])) * step;
      }
    } else {
      for (unsigned n = 0; n < count; n++) {
        boxes.low[axis][n] = plane(origin, exponent, low[axis][n]);
        boxes.high[axis][n] = plane(origin, exponent, high[axis][n]);
      }
    }
  }
}

}  // namespace

void unpack_box16(const uint32_t* words, Boxes& boxes, unsigned first) {
  auto coordinate = [&](unsigned n) { return half(words[4 + n / 2] >> 16 * (n & 1) & 0xffff); };
  for (unsigned n = 0; n < 4; n++) {
    boxes.child[first + n] = words[n];
    for (unsigned axis = 0; axis < 3; axis++) {
      boxes.low[axis][first + n] = coordinate(6 * n + axis);
      boxes.high[axis][first + n] = coordinate(6 * n + 3 + axis);
    }
  }
}

void unpack_box32(const uint32_t* words, Boxes& boxes, unsigned first) {
  for (unsigned n = 0; n < 4; n++) {
    boxes.child[first + n] = words[n];
    boxes.flags[first + n] = uint8_t(words[28] >> 8 * n);
    for (unsigned axis = 0; axis < 3; axis++) {
      boxes.low[axis][first + n] = number(words[4 + 6 * n + axis]);
      boxes.high[axis][first + n] = number(words[4 + 6 * n + 3 + axis]);
    }
  }
}

// Bits: 29 of the first child's place in units of 64 bytes, 3 of each child's type (2: there is none), 4 of each child's flags (the
// last has 3), three exponents, and 24 blocks. The other children follow the first, pairs and instances taking two units.
void unpack_box64b(const uint32_t* words, Boxes& boxes, unsigned first) {
  auto bits = [&](unsigned start, unsigned count) {
    uint64_t two = words[start / 32];
    if (start % 32 + count > 32) two |= uint64_t(words[start / 32 + 1]) << 32;
    return uint32_t(two >> start % 32) & ((1u << count) - 1);
  };
  const uint32_t exponents[3] = {bits(56, 8), bits(64, 8), bits(72, 8)};
  uint32_t place = words[0] & 0x1fffffff;
  for (unsigned n = 0; n < 4; n++) {
    const uint32_t type = bits(29 + 3 * n, 3);
    boxes.child[first + n] = type == BOX_FLOAT32_PAIR ? invalid_node : place << 3 | type;
    place += type == INSTANCE || type == BOX_64B_PAIR ? 2 : 1;
    boxes.flags[first + n] = uint8_t(bits(41 + 4 * n, n == 3 ? 3 : 4));
    for (unsigned axis = 0; axis < 3; axis++) {
      boxes.low[axis][first + n] = block(bits(80 + 18 * (6 * n + axis), 18), exponents[axis], false);
      boxes.high[axis][first + n] = block(bits(80 + 18 * (6 * n + 3 + axis), 18), exponents[axis], true);
    }
  }
}

BoxEight unpack_box8(const uint32_t* words, uint32_t instance_mask) {
  BoxEight out;
  out.rotation = words[7] & 0x7f;
  unpack_quantised(words + 3, words + 8, 1 + (words[6] >> 28 & 7), words[0], words[1], instance_mask, out.boxes);
  return out;
}

Boxes unpack_instance_boxes(const uint32_t* words, uint32_t instance_mask) {
  Boxes out;
  const uint32_t* boxes = words + instance_bytes / 4;
  unpack_quantised(boxes, boxes + 4, 1 + (boxes[3] >> 28 & 3), 0, 0, instance_mask, out);
  return out;
}

NodeTriangle unpack_triangle(const uint32_t* words, unsigned number_of) {
  static constexpr uint8_t corners[4][3] = {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {2, 4, 0}};
  NodeTriangle out;
  for (unsigned n = 0; n < 3; n++)
    for (unsigned axis = 0; axis < 3; axis++) out.triangle.corner[n][axis] = number(words[3 * corners[number_of & 3][n] + axis]);
  out.geometry = words[14];
  out.id = words[15];
  const uint32_t about = out.id >> 8 * (number_of & 3);
  out.second = about & 3, out.third = about >> 2 & 3;
  out.kind = {.procedural = (about >> 6 & 1) != 0,
              .opaque = (about >> 7 & 1) != 0,
              .double_sided = (about >> 4 & 1) != 0,
              .flipped = (about >> 5 & 1) != 0};
  return out;
}

Instance unpack_instance(const uint32_t* words) {
  Instance out;
  std::memcpy(out.to_object, words, sizeof out.to_object);
  out.base = words[12] | uint64_t(words[13]) << 32;
  out.pointer = words[14];
  out.user_data = words[15] & 0xffffff, out.mask = words[15] >> 24;
  return out;
}

}  // namespace Atoll::rdna4
