#include "shader.h"

#include <bit>

namespace Atoll::pipeline::test {

namespace {

uint32_t special(Random& r, bool exact) {
  switch (r.below(12)) {
    case 0: return 0x80000000;
    case 1: return 0x7f800000;
    case 2: return 0xff800000;
    case 3: return exact ? usual_nan : 0x7f800001 | r.next();
    case 4: return r.next() & 0x807fffff;                 // denormal
    case 5: return (r.next() & 0x807fffff) | 0x38000000;  // about the least normal half
    case 6: return (r.next() & 0x807fffff) | 0x47000000;  // about the greatest half
    case 7: return 0x3f800000 + r.below(3) - 1;           // about 1
    case 8: return 0xbf800000 + r.below(3) - 1;
    case 9: return std::bit_cast<uint32_t>(r.real(-100000, 100000));
    case 10: return (r.next() & 0x007fffff) | 0x32800000;  // about 2^-26
    default: return std::bit_cast<uint32_t>(r.real(-4, 4));
  }
}

uint32_t number(Random& r, const Shader& s, unsigned output) {
  if (s.integers[output]) {
    switch (r.below(4)) {
      case 0: return r.next();
      case 1: return r.below(256);
      case 2: return uint32_t(-r.between(0, 200));
      default: return r.next() >> r.below(32);
    }
  }
  if (r.percent(s.special_percent)) return special(r, s.exact_numbers);
  if (s.steps[output]) {
    const float value = float(r.below(2 * s.steps[output] + 1)) / float(2 * s.steps[output]);
    return std::bit_cast<uint32_t>(value) + r.below(3) - (value > 0);  // halves of steps, and what is next to them
  }
  return std::bit_cast<uint32_t>(r.percent(80) ? r.unit() : r.real(-1.5f, 2.5f));
}

uint16_t half(Random& r, const Shader& s) {
  uint16_t value = r.percent(70) ? uint16_t(r.below(0x3c01)) : uint16_t(r.next());
  if (s.exact_numbers && (value & 0x7c00) == 0x7c00 && (value & 0x3ff)) value = usual_half_nan;
  return value;
}

}  // namespace

oracle::Outputs Shader::outputs(unsigned x, unsigned y, uint32_t primitive, bool front, unsigned sample) const {
  uint64_t place = 0;
  if (!constant) place = mixed(mixed(uint64_t(x) << 32 | y) ^ (uint64_t(primitive) << 8 | uint64_t(front) << 7 | sample));
  Random r(seed ^ place);
  oracle::Outputs o;
  o.written = written, o.halves = halves & written;
  o.has_second_source = has_second_source;
  o.has_depth = has_depth, o.has_stencil = has_stencil, o.has_coverage = has_coverage;
  o.killed = r.percent(kill_percent);
  for (unsigned n = 0; n < 8; n++) {
    if (!(written >> n & 1) && !(has_second_source && n == 1)) continue;
    if (o.halves >> n & 1) {
      for (unsigned pair = 0; pair < 2; pair++) {
        const uint16_t low = half(r, *this), high = half(r, *this);
        o.colour[n][pair] = low | uint32_t(high) << 16;
      }
    } else {
      for (uint32_t& component : o.colour[n]) component = number(r, *this, n);
    }
  }
  if (has_depth) {
    o.depth = r.percent(90) ? r.unit() : std::bit_cast<float>(special(r, exact_numbers));
    if (r.percent(30)) o.depth = float(r.below(9)) / 8;
  }
  if (has_stencil) o.stencil = r.percent(50) ? r.below(4) : r.next();
  if (has_coverage) o.coverage = r.next();
  return o;
}

bool ShaderStage::shade(unsigned worker, const PixelBatch& batch, PixelResults& results) {
  const Shader& s = shader_;
  Halves& halves = halves_[worker];
  results.outputs = s.written;
  results.has_second_source = s.has_second_source;
  results.has_depth = s.has_depth, results.has_stencil = s.has_stencil, results.has_coverage = s.has_coverage;
  for (unsigned n = 0; n < 8; n++)
    if (s.halves & s.written & 1u << n) results.halves[n] = halves.words[n];
  for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
    // (helpers get what would be theirs)
    const PrimitiveAttributes& p = batch.primitive[lane / 4];
    const oracle::Outputs o = s.outputs(unsigned(batch.x[lane]), unsigned(batch.y[lane]), p.primitive, p.front, batch.sample);
    results.killed |= uint64_t(o.killed) << lane;
    for (unsigned n = 0; n < 8; n++) {
      if (!(s.written >> n & 1) && !(s.has_second_source && n == 1)) continue;
      for (unsigned c = 0; c < 4; c++) {
        if (o.halves >> n & 1)
          (c < 2 ? halves.words[n][c][lane] : results.colour[n][c][lane]) = o.colour[n][c];
        else
          results.colour[n][c][lane] = o.colour[n][c];
      }
    }
    results.depth[lane] = o.depth, results.stencil[lane] = o.stencil, results.coverage[lane] = o.coverage;
  }
  return true;
}

}  // namespace Atoll::pipeline::test
