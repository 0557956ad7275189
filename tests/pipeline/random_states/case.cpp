#include "case.h"

#include <bit>
#include <cstring>

#include "random_state.h"

namespace Atoll::pipeline::test {

namespace {

using surface::Layout;
using surface::Number;
using surface::Select;

ColourTarget random_target(Random& r) {
  ColourTarget target;
  if (r.percent(75)) {
    while (true) {
      const surface::LayoutRow& row = surface::layouts()[r.below(surface::layout_count)];
      const Number number = Number(r.below(surface::target_number_count));
      if (row.block_width > 1 || !surface::make_format(row.layout, number)) continue;
      target.format.layout = row.layout, target.format.number = number;
      break;
    }
  }
  target.texel_bytes = surface::row(target.format.layout).bytes;
  switch (r.below(5)) {
    case 0:
    case 1: break;
    case 2: target.format.order = surface::bgra_order; break;
    case 3: target.format.order = {Select::field_3, Select::field_2, Select::field_1, Select::field_0}; break;
    default:
      for (Select& select : target.format.order) select = Select(r.below(6));
  }
  target.round_toward_zero = r.percent(20);
  target.alpha_reads_as_one = r.percent(15);
  return target;
}

// NaNs get their usual form.
void make_usual(const ColourTarget& target, oracle::Buffer& buffer) {
  const surface::LayoutRow& row = surface::row(target.format.layout);
  if (target.format.number != Number::floating && target.format.number != Number::depth_stencil) return;
  for (size_t at = 0; at < buffer.texels.size(); at += buffer.bytes)
    for (unsigned f = 0; f < row.fields; f++) {
      uint8_t* field = &buffer.texels[at + row.field[f].first_bit / 8];
      if (row.field[f].bits == 32) {
        float value;
        std::memcpy(&value, field, 4);
        if (value != value) std::memcpy(field, &usual_nan, 4);
      } else if (row.field[f].bits == 16) {
        uint16_t value;
        std::memcpy(&value, field, 2);
        if ((value & 0x7fff) > 0x7c00) std::memcpy(field, &usual_half_nan, 2);
      }
    }
}

// Depths that primitives' depths meet.
void fill_depths(Random& r, unsigned bits, oracle::Buffer& buffer) {
  const unsigned way = r.below(3);
  for (size_t at = 0; at < buffer.texels.size(); at += buffer.bytes) {
    float z = way == 0 ? r.unit() : way == 1 ? float(r.below(9)) / 8 : 0.5f;
    uint32_t word = std::bit_cast<uint32_t>(z);
    if (bits < 32) word = uint32_t(double(z) * ((1u << bits) - 1) + 0.5) | (bits == 24 ? r.next() << 24 : 0);
    if (bits == 32 && r.percent(1)) word = r.percent(50) ? usual_nan : 0xff800000;
    std::memcpy(&buffer.texels[at], &word, buffer.bytes);
  }
}

void fill(Random& r, oracle::Buffer& buffer) {
  for (uint8_t& byte : buffer.texels) byte = uint8_t(r.next());
}

}  // namespace

Case::Case(uint64_t seed) : seed(seed) {
  Random r(seed);
  auto side = [&] { return r.percent(25) ? unsigned(r.between(64, 90)) : unsigned(r.between(1, 50)); };
  width = side(), height = r.percent(70) ? unsigned(r.between(1, 40)) : side();
  samples = r.percent(50) ? 1 : r.one_of({2u, 4u, 4u, 8u, 8u, 16u});
  if (samples > 4) width = std::min(width, 48u), height = std::min(height, 40u);
  threads = 1 + r.below(2);
  any_nans = r.percent(15);
  layers = r.percent(25);
  clamps_depth = r.percent(layers ? 50 : 25);
  const unsigned targets = r.percent(10) ? 0 : 1 + (r.percent(50) ? 0 : r.below(4));
  for (unsigned n = 0; n < targets; n++) {
    const unsigned slot = r.percent(85) ? n : r.below(8);
    has_colour[slot] = true;
    colour[slot] = random_target(r);
    buffers.colour[slot] = {width, height, colour[slot].texel_bytes, samples};
    fill(r, buffers.colour[slot]);
    if (!any_nans) make_usual(colour[slot], buffers.colour[slot]);
  }
  if (r.percent(75)) depth_bits = r.one_of({16u, 24u, 24u, 32u});
  stencil = r.percent(60);
  stencil_in_upper_byte = stencil && depth_bits == 24 && r.percent(60);
  if (depth_bits) {
    buffers.depth = {width, height, depth_bits == 16 ? 2u : 4u, samples};
    fill_depths(r, depth_bits, buffers.depth);
  }
  if (stencil && !stencil_in_upper_byte) {
    buffers.stencil = {width, height, 1, samples};
    fill(r, buffers.stencil);
    if (r.percent(50))
      for (uint8_t& byte : buffers.stencil.texels) byte &= 3;
  }
  const unsigned count = layers ? 2 + r.below(4) : 1 + r.below(4);
  for (unsigned n = 0; n < count; n++) {
    draws.push_back(std::make_unique<RandomDraw>());
    make_random(r, *this, *draws.back());
  }
}

}  // namespace Atoll::pipeline::test
