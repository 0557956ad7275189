// V_INTERP_*, DS_PARAM_LOAD and DS_DIRECT_LOAD on both engines against a scalar model: the host's fmaf in the rounding that MODE names,
// halves by exact integers, a primitive's number counted quad by quad. RDNA4 ISA 12.2 to 12.4, 16.13, 16.14.
#include <cfenv>
#include <cmath>

#include "half_reference.h"
#include "program_wave.h"
#include "single_step.h"

namespace Atoll::rdna4::test {
namespace {

class Interpolation : public testing::TestWithParam<EngineAndSize> {
protected:
  const unsigned lanes = GetParam().lanes;
  Words words{lanes * 3u + unsigned(GetParam().engine)};

  uint64_t random_exec(int round) {
    return round % 4 == 0 ? ~uint64_t(0) : round % 4 == 1 ? words.next64() & words.next64() : words.next64();
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Interpolation, engines_and_sizes, name_of);

// --- the model

uint32_t flushed(bool flush, uint32_t x) { return flush && !(x & 0x7f800000) ? x & 0x80000000 : x; }
bool is_nan(uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; }

// MODE's rounding: 0 nearest even, 1 up, 2 down, 3 toward zero.
uint32_t reference_fma(uint32_t a, uint32_t b, uint32_t c, unsigned rounding) {
  for (uint32_t x : {a, b, c})
    if (is_nan(x)) return x | 0x400000;
  constexpr int host[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  const int before = std::fegetround();
  std::fesetround(host[rounding]);
  volatile float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b), z = std::bit_cast<float>(c);
  volatile float result = std::fmaf(x, y, z);
  std::fesetround(before);
  const uint32_t bits = std::bit_cast<uint32_t>(float(result));
  return is_nan(bits) ? 0xffc00000 : bits;
}
uint32_t from_half(uint16_t h) {
  if (half_is_nan(h)) return uint32_t(h & 0x8000) << 16 | 0x7fc00000 | uint32_t(h & 0x3ff) << 13;
  return std::bit_cast<uint32_t>(float(half_value(h)));
}
// A clamp compares as the mode reads: what counts as 0 becomes it.
uint32_t clamped(bool clamp, bool flush_in, uint32_t x) {
  if (!clamp) return x;
  x = flushed(flush_in, x);
  const float f = std::bit_cast<float>(x);
  return std::bit_cast<uint32_t>(f > 0 ? f < 1 ? f : 1.0f : 0.0f);
}

struct Form {
  const char* name;
  bool p2, half_sources, half_result, toward_zero;
};
constexpr Form forms[] = {
    {"v_interp_p10_f32", false, false, false, false},       {"v_interp_p2_f32", true, false, false, false},
    {"v_interp_p10_f16_f32", false, true, false, false},    {"v_interp_p2_f16_f32", true, true, true, false},
    {"v_interp_p10_rtz_f16_f32", false, true, false, true}, {"v_interp_p2_rtz_f16_f32", true, true, true, true},
};

struct Modifiers {
  unsigned neg = 0, op_sel = 0;
  bool clamp = false;
};

// The expected value of a destination lane; s0 and s2 are those of the quad's lane that the instruction takes.
uint32_t reference(const Form& f, const Modifiers& m, uint32_t mode, uint32_t s0, uint32_t s1, uint32_t s2, uint32_t old) {
  // Halves obey the half of MODE that f64 and f16 have.
  const bool wide_half = f.half_sources, flush_in = !(mode >> (wide_half ? 6 : 4) & 1),
             flush_out = !(mode >> (wide_half ? 7 : 5) & 1);
  const unsigned rounding = f.toward_zero ? 3 : mode >> (wide_half ? 2 : 0) & 3;
  auto source = [&](uint32_t x, unsigned n, bool half) {
    uint32_t value = half ? from_half(flush16(flush_in, uint16_t(m.op_sel >> n & 1 ? x >> 16 : x))) : flushed(flush_in, x);
    return m.neg >> n & 1 ? value ^ 0x80000000 : value;
  };
  const uint32_t a = source(s0, 0, f.half_sources), b = source(s1, 1, false), c = source(s2, 2, f.half_sources && !f.p2);
  const uint32_t sum = clamped(m.clamp, flush_in && !f.toward_zero, flushed(flush_out, reference_fma(a, b, c, rounding)));
  if (!f.half_result) return sum;
  const uint16_t half = flush16(flush_out, half_from_float(sum, int(rounding)));
  return m.op_sel & 8 ? (old & 0xffff) | uint32_t(half) << 16 : (old & 0xffff0000) | half;
}

TEST_P(Interpolation, FormsAgreeWithTheModel) {
  constexpr uint32_t modes[] = {0xf0, 0xc0, 0x00, 0x30, 0xff, 0x05, 0x5a, 0xa6, 0x6b, 0xf8};
  for (const Form& f : forms)
    for (unsigned variant = 0; variant < 8; variant++) {
      Modifiers m;
      if (variant) m.neg = words.next() & 7, m.clamp = variant % 4 == 3;
      if (variant && f.half_sources) m.op_sel = words.next() & (f.p2 ? 9 : 5);
      const unsigned dst = variant % 3 == 1 ? 1 : variant % 3 == 2 ? 3 : 5;  // also onto a source
      std::string text =
          fmt::format("{} v{}, {}v1, {}v2, {}v3", f.name, dst, m.neg & 1 ? "-" : "", m.neg & 2 ? "-" : "", m.neg & 4 ? "-" : "");
      if (m.clamp) text += " clamp";
      if (m.op_sel) text += fmt::format(" op_sel:[{},0,{},{}]", m.op_sel & 1, m.op_sel >> 2 & 1, m.op_sel >> 3 & 1);
      ProgramWave wave({text + fmt::format(" wait_exp:{}", variant % 8)}, lanes, GetParam().engine);
      for (int round = 0; round < 20; round++) {
        for (uint32_t n : {1, 2, 3, 5})
          for (uint32_t lane = 0; lane < lanes; lane++) wave.v(n, lane) = words.mixed();
        if (round % 2)  // numbers that are near to each other, so that sums are inexact
          for (uint32_t n : {1, 2, 3})
            for (uint32_t lane = 0; lane < lanes; lane++)
              wave.v(n, lane) = f.half_sources && (n == 1 || (n == 3 && !f.p2)) ? (words.next() & 0x8fff8fff) | 0x30003000
                                                                                : (words.next() & 0x83ffffff) | 0x3c000000;
        const uint32_t mode = modes[words.next() % std::size(modes)];
        wave.word(mode_cell) = mode;
        wave.set_exec(random_exec(round));
        std::vector<uint32_t> want(lanes);
        for (uint32_t lane = 0; lane < lanes; lane++) {
          const uint32_t quad = lane & ~3u, old = wave.v(dst, lane);
          want[lane] = wave.active(lane) ? reference(f, m, mode, wave.v(1, quad + (f.p2 ? 2 : 1)), wave.v(2, lane),
                                                     wave.v(3, f.p2 ? lane : quad), old)
                                         : old;
        }
        std::vector<std::vector<uint32_t>> in;
        for (uint32_t n : {1, 2, 3}) {
          in.emplace_back();
          for (uint32_t lane = 0; lane < lanes; lane++) in.back().push_back(wave.v(n, lane));
        }
        wave.run();
        ASSERT_EQ(wave.w->stop, wave::Stop::End) << text;
        if (GetParam().engine == wave::EngineChoice::Jit) ASSERT_EQ(wave.w->called + wave.w->interpreted, 0u) << text;
        for (uint32_t lane = 0; lane < lanes; lane++)
          ASSERT_EQ(wave.v(dst, lane), want[lane])
              << text
              << fmt::format(", mode {:#x}, lane {}, exec {:#x}, {:#x} {:#x} {:#x} (own lane)", mode, lane, wave.exec(),
                             in[0][lane], in[1][lane], in[2][lane]);
      }
    }
}

// --- loads

// Quad by quad: a bit of the mask begins a primitive.
unsigned primitive_of(uint32_t new_primitive, unsigned quad) {
  unsigned n = 0;
  for (unsigned q = 1; q <= quad; q++) n += new_primitive >> q & 1;
  return n;
}

TEST_P(Interpolation, ParametersOfEachQuadsPrimitive) {
  const unsigned quads = lanes / 4;
  for (uint32_t lds_bytes : {65536u, 8192u, 260u, 3u, 0u})
    for (int form = 0; form < 12; form++) {
      const unsigned attribute = form < 4 ? unsigned(form) : words.next() % 33, channel = words.next() & 3;
      ProgramWave wave({fmt::format("ds_param_load v7, attr{}.{} wait_va_vdst:{} wait_vm_vsrc:{}", attribute, "xyzw"[channel],
                                    form, form & 1)},
                       lanes, GetParam().engine, lds_bytes);
      for (int round = 0; round < 24; round++) {
        for (uint8_t& byte : wave.lds) byte = uint8_t(words.next());
        for (uint32_t lane = 0; lane < lanes; lane++) wave.v(7, lane) = words.next();
        const uint32_t mask = round % 3 ? words.next() & 0xffff : 0, offset = round % 4 ? (words.next() & 0xff80) % 4096 : 0;
        wave.s(M0) = (mask >> 1) << 16 | offset | (round % 5 == 0 ? 0x80000000 : 0);
        wave.set_exec(random_exec(round));
        std::vector<uint32_t> want(lanes);
        const unsigned count = primitive_of(mask, quads - 1) + 1;
        for (uint32_t lane = 0; lane < lanes; lane++) {
          want[lane] = wave.v(7, lane);
          if (!(wave.exec() >> (lane & ~3u) & 15)) continue;
          const unsigned part = lane & 3;
          const uint32_t at = offset + 4 * (attribute * count * 12 + primitive_of(mask, lane / 4) * 12 + part * 4 + channel);
          want[lane] = 0;
          if (part < 3 && at + 4 <= lds_bytes) std::memcpy(&want[lane], &wave.lds[at], 4);
        }
        wave.run();
        ASSERT_EQ(wave.w->stop, wave::Stop::End);
        if (GetParam().engine == wave::EngineChoice::Jit) ASSERT_EQ(wave.w->called + wave.w->interpreted, 0u);
        for (uint32_t lane = 0; lane < lanes; lane++)
          ASSERT_EQ(wave.v(7, lane), want[lane]) << fmt::format("attr{}.{}, m0 {:#x}, lane {}, exec {:#x}, {} bytes", attribute,
                                                                channel, wave.s(M0), lane, wave.exec(), lds_bytes);
      }
    }
}

// As compilers write it: lanes 1 and 2 may be inactive, and the registers are what the region has made of them before.
TEST_P(Interpolation, AnAttributeWholeWay) {
  ProgramWave wave(
      {"v_mov_b32 v2, 7", "v_add_nc_u32 v6, v2, v2", "ds_param_load v2, attr0.y", "v_interp_p10_f32 v4, v2, v0, v2 wait_exp:0",
       "v_interp_p2_f32 v4, v2, v1, v4 wait_exp:7", "ds_param_load v2, attr1.x", "v_mov_b32 v5, v2", "v_mov_b32 v2, v4"},
      lanes, GetParam().engine);
  for (int round = 0; round < 100; round++) {
    for (size_t at = 0; at < wave.lds.size(); at += 4) {
      const uint32_t word = (words.next() & 0x83ffffff) | 0x3c000000;
      std::memcpy(&wave.lds[at], &word, 4);
    }
    for (uint32_t n = 0; n < 8; n++)
      for (uint32_t lane = 0; lane < lanes; lane++) wave.v(n, lane) = (words.next() & 0x83ffffff) | 0x3c000000;
    const uint32_t mask = words.next() & 0xfffe;
    wave.s(M0) = (mask >> 1) << 16 | 0x100;
    wave.set_exec(random_exec(round));
    const unsigned count = primitive_of(mask, lanes / 4 - 1) + 1;
    auto parameter = [&](unsigned attribute, unsigned channel, uint32_t lane, unsigned part) {
      uint32_t word = 0;
      std::memcpy(&word, &wave.lds[0x100 + 4 * ((attribute * count + primitive_of(mask, lane / 4)) * 12 + part * 4 + channel)],
                  4);
      return part < 3 ? word : 0;
    };
    std::vector<uint32_t> v2(lanes), v4(lanes), v5(lanes);
    for (uint32_t lane = 0; lane < lanes; lane++) {
      v2[lane] = wave.v(2, lane), v4[lane] = wave.v(4, lane), v5[lane] = wave.v(5, lane);
      if (wave.exec() >> (lane & ~3u) & 15) v2[lane] = parameter(1, 0, lane, lane & 3);
      if (!wave.active(lane)) continue;
      const uint32_t first = reference_fma(parameter(0, 1, lane, 1), wave.v(0, lane), parameter(0, 1, lane, 0), 0);
      v4[lane] = reference_fma(parameter(0, 1, lane, 2), wave.v(1, lane), first, 0);
      v5[lane] = v2[lane], v2[lane] = v4[lane];
    }
    wave.run();
    ASSERT_EQ(wave.w->stop, wave::Stop::End);
    if (GetParam().engine == wave::EngineChoice::Jit) ASSERT_EQ(wave.w->called + wave.w->interpreted, 0u);
    for (uint32_t lane = 0; lane < lanes; lane++) {
      ASSERT_EQ(wave.v(4, lane), v4[lane]) << lane;
      ASSERT_EQ(wave.v(5, lane), v5[lane]) << lane;
      ASSERT_EQ(wave.v(2, lane), v2[lane]) << "an inactive lane of an active quad is written by the loads alone, " << lane;
    }
  }
}

TEST_P(Interpolation, DirectLoadsGiveAllLanesOneValue) {
  for (uint32_t lds_bytes : {65536u, 100u, 0u}) {
    ProgramWave wave({"ds_direct_load v7 wait_va_vdst:3"}, lanes, GetParam().engine, lds_bytes);
    for (int round = 0; round < 300; round++) {
      for (uint8_t& byte : wave.lds) byte = uint8_t(words.next());
      for (uint32_t lane = 0; lane < lanes; lane++) wave.v(7, lane) = words.next();
      constexpr uint32_t types[] = {0, 1, 2, 4, 5};
      const uint32_t type = types[round % 5], at = (words.next() & 0xfffc) % (round % 2 ? 65536 : 128);
      wave.s(M0) = (words.next() & 0xfff80000) | type << 16 | at | (words.next() & 3);
      wave.set_exec(random_exec(round));
      uint32_t value = 0;
      if (at + 4 <= lds_bytes) std::memcpy(&value, &wave.lds[at], 4);
      if (type == 0) value = uint8_t(value);
      if (type == 1) value = uint16_t(value);
      if (type == 4) value = uint32_t(int32_t(int8_t(value)));
      if (type == 5) value = uint32_t(int32_t(int16_t(value)));
      std::vector<uint32_t> want(lanes);
      for (uint32_t lane = 0; lane < lanes; lane++) want[lane] = wave.exec() >> (lane & ~3u) & 15 ? value : wave.v(7, lane);
      wave.run();
      ASSERT_EQ(wave.w->stop, wave::Stop::End);
      for (uint32_t lane = 0; lane < lanes; lane++) ASSERT_EQ(wave.v(7, lane), want[lane]) << "type " << type << " lane " << lane;
    }
    for (uint32_t reserved : {3, 6, 7}) {
      wave.s(M0) = reserved << 16;
      wave.run();
      ASSERT_EQ(wave.w->stop, wave::Stop::Fault);
      EXPECT_STREQ(wave.w->fault.reason, "ds_direct_load of a reserved type");
    }
  }
}

TEST_P(Interpolation, AttributesBeyondTheLastFault) {
  ProgramWave wave({"ds_param_load v7, attr1.x"}, lanes, GetParam().engine, 65536, 32 << 10);
  wave.run();
  ASSERT_EQ(wave.w->stop, wave::Stop::Fault);
  EXPECT_STREQ(wave.w->fault.reason, "ds_param_load of an attribute beyond attr32");
}

}  // namespace
}  // namespace Atoll::rdna4::test
