#include "isa/rdna4/semantics/ray_primitive.h"

#include <algorithm>
#include <bit>

namespace Atoll::rdna4 {
namespace {

constexpr int packet_bits = packet_bytes * 8, header_bits = 52, descriptor_bits = 29;
constexpr unsigned procedural_corner = 15;

class Bits {
public:
  explicit Bits(const uint32_t* words) : words_(words) {}
  // Up to 32 bits from bit `start` on, which may be anywhere.
  uint32_t get(int64_t start, unsigned count) const {
    uint64_t x = 0;
    for (int n = 0; n < 2; n++) {
      const int64_t word = (start >> 5) + n;
      if (word >= 0 && word < packet_bits / 32) x |= uint64_t(words_[word]) << 32 * n;
    }
    return uint32_t((x >> (start & 31)) & ((uint64_t(1) << count) - 1));
  }

private:
  const uint32_t* words_;
};

// An axis of the corners: leading bits that all share, bits of each, and bits that are zero in all.
struct Axis {
  unsigned own, shared;
};

struct Header {
  Axis axes[3];
  unsigned zeros, own = 0, shared = 0;
  unsigned geometry_anchor, geometry_bits, primitive_anchor, primitive_bits;
  unsigned pairs;
  bool unorm16;
  int64_t indices;  // where the indices of primitives begin; those of geometries end there

  explicit Header(const Bits& bits) {
    zeros = bits.get(15, 5);
    for (unsigned n = 0; n < 3; n++) {
      axes[n].own = 1 + bits.get(5 * n, 5);
      axes[n].shared = unsigned(std::max(0, 32 - int(zeros) - int(axes[n].own)));
      own += axes[n].own, shared += axes[n].shared;
    }
    geometry_anchor = 2 * bits.get(20, 4), geometry_bits = 2 * bits.get(24, 4);
    pairs = 1 + bits.get(28, 3);
    unorm16 = bits.get(31, 1);
    primitive_anchor = bits.get(32, 5), primitive_bits = bits.get(37, 5);
    indices = bits.get(42, 10);
  }
};

void unpack_corner(const Bits& bits, const Header& header, unsigned index, float (&corner)[3]) {
  int64_t shared_at = header_bits, own_at = header_bits + header.shared + int64_t(index) * header.own;
  for (unsigned axis = 0; axis < 3; axis++) {
    const Axis& a = header.axes[axis];
    uint64_t word = uint64_t(bits.get(own_at, a.own)) << header.zeros;
    if (a.shared) word |= uint64_t(bits.get(shared_at, a.shared)) << (32 - a.shared);
    corner[axis] = std::bit_cast<float>(uint32_t(word));
    shared_at += a.shared, own_at += a.own;
  }
}

// An index of the triangle: the first one's as it is (the anchor), of others the low bits where fewer are stored than it has.
uint32_t index_of(uint32_t anchor, uint32_t stored, unsigned stored_bits, unsigned anchor_bits) {
  return stored_bits >= anchor_bits ? stored : (anchor >> stored_bits << stored_bits) | stored;
}
uint32_t primitive_index(const Bits& bits, const Header& h, unsigned triangle) {
  const uint32_t anchor = bits.get(h.indices, h.primitive_anchor);
  if (triangle == 0) return anchor;
  const uint32_t stored = bits.get(h.indices + h.primitive_anchor + int64_t(triangle - 1) * h.primitive_bits, h.primitive_bits);
  return index_of(anchor, stored, h.primitive_bits, h.primitive_anchor);
}
uint32_t geometry_index(const Bits& bits, const Header& h, unsigned triangle) {
  const uint32_t anchor = bits.get(h.indices - h.geometry_anchor, h.geometry_anchor);
  if (triangle == 0) return anchor;
  const uint32_t stored = bits.get(h.indices - h.geometry_anchor - int64_t(triangle) * h.geometry_bits, h.geometry_bits);
  return index_of(anchor, stored, h.geometry_bits, h.geometry_anchor);
}

}  // namespace

PacketPair unpack_pair(const uint32_t* packet, unsigned pair) {
  const Bits bits(packet);
  const Header header(bits);
  PacketPair out;
  if (header.unorm16) out.fault = "a packet of triangles with 16-bit corners, whose form is not public";
  // Bit 0: the range ends here; then of the second and of the first triangle two-sided, opaque, three corners of 4 bits.
  const uint32_t descriptor = bits.get(packet_bits - descriptor_bits * int64_t(pair + 1), descriptor_bits);
  for (unsigned n = 0; n < 2; n++) {
    PacketTriangle& t = out.of[n];
    const uint32_t fields = descriptor >> (n == 0 ? 15 : 1);
    const unsigned corners[3] = {fields >> 2 & 15, fields >> 6 & 15, fields >> 10 & 15};
    t.kind.double_sided = fields & 1;
    t.kind.opaque = fields & 2;
    t.kind.procedural = corners[0] == procedural_corner && corners[1] == procedural_corner;
    if (!t.kind.procedural)
      for (unsigned c = 0; c < 3; c++) unpack_corner(bits, header, corners[c], t.triangle.corner[c]);
    t.primitive = primitive_index(bits, header, 2 * pair + n);
    t.geometry = geometry_index(bits, header, 2 * pair + n);
    if (n == 1) out.has_second = corners[0] || corners[1] || corners[2];
  }
  if (!(descriptor & 1)) out.navigation = pair + 1 == header.pairs ? Navigation::next_node : Navigation::next_pair;
  return out;
}

}  // namespace Atoll::rdna4
