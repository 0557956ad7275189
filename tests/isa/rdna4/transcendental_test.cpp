// Reciprocals, roots, exponentials, logarithms and sines against the manual's examples (RDNA4 ISA 16.8, 16.12) and against the C
// library in long double: all halves, and f32 by octaves. They are gfx1201's to the bit, with its errors: tests/isa/accuracy's
// card_digests compares them with what is captured; here they are as near the truth as cards were measured to be. ATOLL_LEVEL in the environment chooses the host level.
#include <cmath>
#include <functional>
#include <numbers>

#include "single_step.h"

using namespace Atoll;
using namespace Atoll::rdna4;
using rdna4::test::SingleStep;

namespace {

using Real = long double;
constexpr auto f32_class = wave::FloatClass::F32, f64_class = wave::FloatClass::F64;

float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
Real real_of_half(uint32_t half) {
  int exponent = half >> 10 & 31, mantissa = half & 0x3ff;
  Real size = exponent == 31 ? (mantissa ? NAN : INFINITY)
              : exponent     ? std::ldexp(Real(1024 + mantissa), exponent - 25)
                             : std::ldexp(Real(mantissa), -24);
  return half & 0x8000 ? -size : size;
}
// The half nearest to x, ties to even.
uint32_t half_of_real(Real x) {
  uint32_t sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isnan(x)) return sign | 0x7e00;
  x = std::fabs(x);
  if (x >= 65520) return sign | 0x7c00;
  int exponent = x < 0x1p-14L ? -14 : std::ilogb(x);
  auto units = uint32_t(std::nearbyint(std::ldexp(x, 10 - exponent)));  // 1024 to 2048 of a normal
  return sign | (uint32_t(exponent + 14) * 1024 + units);
}
// |got - want| in units of the last place of want, as an f32 that does not overflow.
double ulps(float got, Real want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
  if (std::isinf(want) || std::isinf(got))
    return Real(got) == want || (std::isinf(got) && std::fabs(want) > 0x1.fffffep127L) ? 0 : 1e9;
  int exponent = want == 0 ? -126 : std::max(std::ilogb(want), -126);
  return double(std::fabs(Real(got) - want) / std::ldexp(Real(1), exponent - 23));
}

class Transcendental : public ::testing::Test {
protected:
  SingleStep wave{true};
  // 64 operands at a time, through v1 to v0.
  void run(const char* name, wave::FloatClass float_class, const std::vector<uint32_t>& in, std::vector<uint32_t>& out) {
    out.resize(in.size());
    for (size_t n = 0; n < in.size(); n += 64) {
      for (uint32_t l = 0; l < 64; l++) wave.v(1, l) = in[std::min(n + l, in.size() - 1)], wave.v(0, l) = 0;
      wave.run(name, {.dst = 0, .src = {VGPR0 + 1}}, float_class);
      for (uint32_t l = 0; l < 64 && n + l < in.size(); l++) out[n + l] = wave.v(0, l);
    }
  }
  uint32_t one(const char* name, wave::FloatClass float_class, uint32_t in) {
    std::vector<uint32_t> out;
    run(name, float_class, {in}, out);
    return out[0];
  }
  uint32_t one_scalar(const char* name, wave::FloatClass float_class, uint32_t in) {
    wave.s(3) = in, wave.s(5) = 0xdeadbeef;
    wave.run(name, {.dst = 5, .src = {3}}, float_class);
    return wave.s(5);
  }
  // The largest error over all f32 in steps of `step` from one bit pattern to another.
  double worst(const char* name, uint32_t from, uint32_t to, uint32_t step, const std::function<Real(Real)>& reference) {
    double most = 0;
    uint32_t where = 0;
    std::vector<uint32_t> in, out;
    for (uint64_t next = from; next <= to;) {
      in.clear();
      for (; in.size() < 65536 && next <= to; next += step) in.push_back(uint32_t(next));
      run(name, f32_class, in, out);
      for (size_t n = 0; n < in.size(); n++) {
        double error = ulps(float_of(out[n]), reference(Real(float_of(in[n]))));
        if (error > most) most = error, where = in[n];
      }
    }
    last_worst_ = where;
    return most;
  }
  uint32_t last_worst_ = 0;
};

struct Example {
  const char* name;
  uint32_t in, out;
};
// RDNA4 ISA 16.8 "Functional examples", f32.
constexpr Example examples32[] = {
    {"exp", 0xff800000, 0x00000000},  {"exp", 0x80000000, 0x3f800000},  {"exp", 0x7f800000, 0x7f800000},
    {"log", 0xff800000, 0xffc00000},  {"log", 0xbf800000, 0xffc00000},  {"log", 0x80000000, 0xff800000},
    {"log", 0x00000000, 0xff800000},  {"log", 0x3f800000, 0x00000000},  {"log", 0x7f800000, 0x7f800000},
    {"rcp", 0xff800000, 0x80000000},  {"rcp", 0xc0000000, 0xbf000000},  {"rcp", 0x80000000, 0xff800000},
    {"rcp", 0x00000000, 0x7f800000},  {"rcp", 0x7f800000, 0x00000000},  {"rsq", 0xff800000, 0xffc00000},
    {"rsq", 0x80000000, 0xff800000},  {"rsq", 0x00000000, 0x7f800000},  {"rsq", 0x40800000, 0x3f000000},
    {"rsq", 0x7f800000, 0x00000000},  {"sqrt", 0xff800000, 0xffc00000}, {"sqrt", 0x80000000, 0x80000000},
    {"sqrt", 0x00000000, 0x00000000}, {"sqrt", 0x40800000, 0x40000000}, {"sqrt", 0x7f800000, 0x7f800000},
};
constexpr Example waves32[] = {
    {"sin", 0xff800000, 0xffc00000}, {"sin", 0xff7fffff, 0x00000000}, {"sin", 0x80000000, 0x80000000},
    {"sin", 0x3e800000, 0x3f800000}, {"sin", 0x7f800000, 0xffc00000}, {"cos", 0xff800000, 0xffc00000},
    {"cos", 0xff7fffff, 0x3f800000}, {"cos", 0x80000000, 0x3f800000}, {"cos", 0x3e800000, 0x00000000},
    {"cos", 0x7f800000, 0xffc00000},
};
constexpr Example examples16[] = {
    {"rcp", 0xfc00, 0x8000},  {"rcp", 0xc000, 0xb800},  {"rcp", 0x8000, 0xfc00},  {"rcp", 0x0000, 0x7c00},
    {"rcp", 0x7c00, 0x0000},  {"sqrt", 0xfc00, 0xfe00}, {"sqrt", 0x8000, 0x8000}, {"sqrt", 0x0000, 0x0000},
    {"sqrt", 0x4400, 0x4000}, {"sqrt", 0x7c00, 0x7c00}, {"rsq", 0xfc00, 0xfe00},  {"rsq", 0x8000, 0xfc00},
    {"rsq", 0x0000, 0x7c00},  {"rsq", 0x4400, 0x3800},  {"rsq", 0x7c00, 0x0000},  {"log", 0xfc00, 0xfe00},
    {"log", 0xbc00, 0xfe00},  {"log", 0x8000, 0xfc00},  {"log", 0x0000, 0xfc00},  {"log", 0x3c00, 0x0000},
    {"log", 0x7c00, 0x7c00},  {"exp", 0xfc00, 0x0000},  {"exp", 0x8000, 0x3c00},  {"exp", 0x7c00, 0x7c00},
};
constexpr Example waves16[] = {
    {"sin", 0xfc00, 0xfe00}, {"sin", 0xfbff, 0x0000}, {"sin", 0x8000, 0x8000}, {"sin", 0x3400, 0x3c00},
    {"sin", 0x7bff, 0x0000}, {"sin", 0x7c00, 0xfe00}, {"cos", 0xfc00, 0xfe00}, {"cos", 0xfbff, 0x3c00},
    {"cos", 0x8000, 0x3c00}, {"cos", 0x3400, 0x0000}, {"cos", 0x7bff, 0x3c00}, {"cos", 0x7c00, 0xfe00},
};

TEST_F(Transcendental, ManualExamplesInEveryMode) {
  for (uint32_t mode = 0; mode < 256; mode++) {
    uint32_t round32 = mode & 3, round64 = mode >> 2 & 3;
    if (round32 != round64) continue;
    wave.cell(mode_cell) = mode;
    auto check = [&](const Example& x, const char* type, wave::FloatClass float_class, bool scalar) {
      std::string name = std::string("v_") + x.name + type;
      EXPECT_EQ(one(name.c_str(), float_class, x.in), x.out) << name << std::hex << " of " << x.in << " in mode " << mode;
      if (!scalar) return;
      name = std::string("v_s_") + x.name + type;
      EXPECT_EQ(one_scalar(name.c_str(), float_class, x.in), x.out) << name << std::hex << " of " << x.in << " in mode " << mode;
    };
    for (auto& x : examples32) check(x, "_f32", f32_class, true);
    for (auto& x : waves32) check(x, "_f32", f32_class, false);
    for (auto& x : examples16) check(x, "_f16", f64_class, true);
    for (auto& x : waves16) check(x, "_f16", f64_class, false);
  }
}

Real turns_sin(Real x) {
  x -= std::nearbyint(x);
  if (x == 0 || std::fabs(x) == 0.5L) return 0;
  return std::sin(x * 2 * std::numbers::pi_v<Real>);
}
Real turns_cos(Real x) {
  x = std::fabs(x - std::nearbyint(x));
  return x == 0.25L ? 0 : std::cos(x * 2 * std::numbers::pi_v<Real>);
}

TEST_F(Transcendental, AllHalves) {
  struct Function {
    const char* name;
    Real (*reference)(Real);
  };
  constexpr Function functions[] = {{"rcp", [](Real x) { return 1 / x; }},
                                    {"sqrt", [](Real x) { return std::sqrt(x); }},
                                    {"rsq", [](Real x) { return 1 / std::sqrt(x); }},
                                    {"exp", [](Real x) { return std::exp2(x); }},
                                    {"log", [](Real x) { return std::log2(x); }},
                                    {"sin", turns_sin},
                                    {"cos", turns_cos}};
  std::vector<uint32_t> in(65536), out;
  for (uint32_t n = 0; n < 65536; n++) in[n] = n;
  for (auto& f : functions) {
    std::string name = std::string("v_") + f.name + "_f16";
    run(name.c_str(), f64_class, in, out);
    uint32_t wrong = 0;
    for (uint32_t n = 0; n < 65536; n++) {
      uint32_t want = (n & 0x7fff) > 0x7c00 ? n | 0x200 : half_of_real(f.reference(real_of_half(n)));
      if ((want & 0x7fff) == 0x7e00 && (n & 0x7fff) <= 0x7c00) want = 0xfe00;
      if (n == 0x8000 && f.reference == turns_sin) want = 0x8000;  // whole turns but -0 give +0
      wrong += out[n] != want;
      EXPECT_LE(std::abs(int(out[n]) - int(want)), 1) << name << std::hex << "(" << n << ") = " << out[n] << ", not " << want;
    }
    // The card's sines and cosines are not all the nearest halves (as many of them are off in what its digests stand for).
    EXPECT_EQ(wrong, std::string_view("sin") == f.name ? 14u : std::string_view("cos") == f.name ? 4u : 0u) << name;
    std::string scalar = std::string("v_s_") + f.name + "_f16";
    if (!find_semantics(scalar)) continue;
    for (uint32_t n = 0; n < 65536; n += 7) EXPECT_EQ(one_scalar(scalar.c_str(), f64_class, n), out[n]) << scalar << " " << n;
  }
}

TEST_F(Transcendental, ErrorsOfF32) {
  auto expect_within = [&](const char* name, uint32_t from, uint32_t to, uint32_t step, double bound,
                           const std::function<Real(Real)>& reference) {
    double most = worst(name, from, to, step, reference);
    std::printf("  %-10s %08x-%08x /%-5u largest error %.4f ulp at %08x\n", name, from, to, step, most, last_worst_);
    EXPECT_LE(most, bound) << name << std::hex << " at " << last_worst_;
  };
  auto flush = [](Real x) { return std::fabs(x) < 0x1p-126L ? std::copysign(Real(0), x) : x; };
  auto rsq = [](Real x) { return 1 / std::sqrt(x); };
  auto sqrt = [](Real x) { return std::sqrt(x); };
  auto rcp = [&](Real x) { return flush(1 / x); };
  auto log = [](Real x) { return std::log2(x); };
  auto exp = [](Real x) { return x < -126 ? 0 : std::exp2(x); };
  constexpr uint32_t one = 0x3f800000, least = 0x00800000, most = 0x7f7fffff;
  expect_within("v_rsq_f32", one, 0x40800000, 5, 0.87, rsq);  // two octaves stand for all
  expect_within("v_rsq_f32", least, most, 997, 0.87, rsq);
  expect_within("v_sqrt_f32", least, most, 997, 0.93, sqrt);
  expect_within("v_rcp_f32", least, most, 997, 0.89, rcp);
  expect_within("v_rcp_f32", 0x80000000 | least, 0x80000000 | most, 1997, 0.89, rcp);
  expect_within("v_rcp_iflag_f32", one, 0x40000000, 16, 0.89, rcp);
  expect_within("v_log_f32", 0x3f000000, 0x40000000, 9, 1, log);
  expect_within("v_log_f32", least, most, 499, 1, log);
  expect_within("v_exp_f32", 0x30000000, 0x43000000 - 1, 97, 0.78, exp);
  expect_within("v_exp_f32", 0xb0000000, 0xc2fc0000, 97, 0.78, exp);
  expect_within("v_exp_f32", 0x3f000000, 0x40000000, 9, 0.78, exp);
  // Sines and cosines have an absolute error of 2^-22.85; near zero that of a cubic.
  auto expect_close = [&](const char* name, uint32_t from, uint32_t to, uint32_t step, Real (*reference)(Real)) {
    std::vector<uint32_t> in, out;
    for (uint64_t x = from; x <= to; x += step) in.push_back(uint32_t(x));
    run(name, f32_class, in, out);
    Real furthest = 0;
    for (size_t n = 0; n < in.size(); n++)
      furthest = std::max(furthest, std::fabs(float_of(out[n]) - reference(float_of(in[n]))));
    EXPECT_LE(std::log2(furthest), -22.85L) << name;
  };
  expect_close("v_sin_f32", 0x3e000000, 0x3f800000, 7, turns_sin);
  expect_close("v_cos_f32", 0x3e000000, 0x3f800000, 7, turns_cos);
  expect_close("v_cos_f32", least, 0x4b800000, 499, turns_cos);
  expect_within("v_sin_f32", 0x00800000, 0x3e000000, 499, 9, turns_sin);
  expect_within("v_sin_f32", 0x80000001, 0x8c800000, 499, 8, turns_sin);  // denormals are supported
  // MODE's rounding does not count.
  for (uint32_t rounding : {1u, 2u, 3u}) {
    wave.cell(mode_cell) = MODE_DEFAULT | rounding * 5;
    expect_within("v_rsq_f32", one, 0x40800000, 97, 0.87, rsq);
    expect_within("v_rcp_f32", one, 0x40800000, 97, 0.89, rcp);
    expect_within("v_sqrt_f32", one, 0x40800000, 97, 0.93, sqrt);
    expect_within("v_log_f32", least, most, 9973, 1, log);
    expect_within("v_exp_f32", 0xb0000000, 0xc2fc0000, 997, 0.78, exp);
    expect_close("v_sin_f32", 0x3c000000, 0x3f800000, 97, turns_sin);
    expect_close("v_cos_f32", 0x3c000000, 0x3f800000, 97, turns_cos);
  }
}

// The rule of 7.2.4 for denormals, whatever MODE is: zeros of their sign on the way in and out.
TEST_F(Transcendental, DenormalsOfF32) {
  for (uint32_t mode : {0x00u, 0x50u, 0xa0u, 0xf0u}) {
    wave.cell(mode_cell) = mode;
    for (const char* name : {"v_rcp_f32", "v_rcp_iflag_f32", "v_rsq_f32", "v_sqrt_f32", "v_log_f32", "v_exp_f32", "v_cos_f32"})
      for (uint32_t x : {0x00000001u, 0x007fffffu, 0x80000001u, 0x807fffffu})
        EXPECT_EQ(one(name, f32_class, x), one(name, f32_class, x & 0x80000000))
            << name << std::hex << " " << x << " mode " << mode;
    EXPECT_EQ(one("v_rcp_f32", f32_class, 0x7e800000), 0x00800000u);
    EXPECT_EQ(one("v_rcp_f32", f32_class, 0x7e800001), 0u);
    EXPECT_EQ(one("v_rcp_f32", f32_class, 0xff7fffff), 0x80000000u);
    EXPECT_EQ(one("v_exp_f32", f32_class, bits_of(-126)), 0x00800000u);
    EXPECT_EQ(one("v_exp_f32", f32_class, bits_of(-126.00001f)), 0u);
    EXPECT_EQ(one("v_exp_f32", f32_class, bits_of(128)), 0x7f800000u);
    EXPECT_EQ(one("v_sin_f32", f32_class, 0x80000100), mode == 0xf0 ? 0x80000648u : 0x80000000u) << mode;
  }
}

TEST_F(Transcendental, NanPayloadsAndModifiers) {
  for (const char* name :
       {"v_rcp_f32", "v_rcp_iflag_f32", "v_rsq_f32", "v_sqrt_f32", "v_log_f32", "v_exp_f32", "v_sin_f32", "v_cos_f32"}) {
    EXPECT_EQ(one(name, f32_class, 0x7f812345), 0x7fc12345u) << name;
    EXPECT_EQ(one(name, f32_class, 0xffd54321), 0xffd54321u) << name;
  }
  auto modified = [&](const char* name, Instruction i, uint32_t x) {
    wave.v(1, 40) = x;
    i.src[0] = VGPR0 + 1;
    wave.run(name, i);
    return wave.v(0, 40);
  };
  EXPECT_EQ(modified("v_sqrt_f32", {.abs = 1}, bits_of(-4)), bits_of(2));
  EXPECT_EQ(modified("v_log_f32", {.neg = 1}, bits_of(-8)), bits_of(3));
  EXPECT_EQ(modified("v_exp_f32", {.omod = 2}, bits_of(3)), bits_of(32));
  EXPECT_EQ(modified("v_exp_f32", {.clamp = true}, bits_of(3)), bits_of(1));
  EXPECT_EQ(modified("v_sqrt_f32", {.omod = 1}, 0x80000000), 0u);  // -0 * OMOD = +0
}

// The scalar forms ignore EXEC and are the lane forms' values.
TEST_F(Transcendental, ScalarForms) {
  rdna4::test::Words words(3);
  for (int n = 0; n < 2000; n++) {
    uint32_t x = words.mixed();
    for (const char* f : {"rcp", "sqrt", "rsq", "exp", "log"}) {
      wave.set_exec(~uint64_t(0));
      uint32_t want = one((std::string("v_") + f + "_f32").c_str(), f32_class, x);
      wave.set_exec(0);
      EXPECT_EQ(one_scalar((std::string("v_s_") + f + "_f32").c_str(), f32_class, x), want) << f << std::hex << " " << x;
    }
  }
}

TEST_F(Transcendental, Doubles) {
  rdna4::test::Words words(4);
  auto run64 = [&](const char* name, double x) {
    wave.set_v64(2, 0, std::bit_cast<uint64_t>(x));
    wave.run(name, {.dst = 0, .src = {VGPR0 + 2}}, f64_class);
    return std::bit_cast<double>(wave.v64(0, 0));
  };
  for (int n = 0; n < 3000; n++) {
    double x = std::bit_cast<double>(words.next64());
    if (std::isnan(x)) continue;
    EXPECT_EQ(run64("v_rcp_f64", x), 1 / x);
    x = std::fabs(x);
    if (std::bit_cast<uint64_t>(x) & 0xfffffffffffffu) EXPECT_EQ(run64("v_sqrt_f64", x), std::sqrt(x));
    EXPECT_NEAR(double(Real(run64("v_rsq_f64", x)) * std::sqrt(Real(x))), 1, 0x1p-52);
  }
  // Captured: bjacob/goc, tests/fp64_output_hardware.h (the first and the last reciprocal root are exact in any case).
  struct Root {
    double x;
    uint64_t root, reciprocal_root;
  };
  constexpr Root captured[] = {
      {0x1p-1022, 0x2000000004000000, 0x5fe0000000000000}, {0x1p-1021, 0x2006a09e64000000, 0x5fd6a09e60000000},
      {0.5, 0x3fe6a09e64000000, 0x3ff6a09e60000000},       {1, 0x3ff0000004000000, 0x3ff0000000000000},
      {2, 0x3ff6a09e64000000, 0x3fe6a09e60000000},         {0x1p1022, 0x5fe0000004000000, 0x2000000000000000}};
  for (const Root& c : captured) {
    EXPECT_EQ(std::bit_cast<uint64_t>(run64("v_sqrt_f64", c.x)), c.root) << c.x;
    EXPECT_EQ(std::bit_cast<uint64_t>(run64("v_rsq_f64", c.x)), c.reciprocal_root) << c.x;
  }
  EXPECT_EQ(run64("v_rsq_f64", -0.0), -INFINITY);
  EXPECT_EQ(run64("v_rcp_f64", -INFINITY), 0);
}

// A segment of 2/pi: parts in sequence add up to 2/pi, and where the argument is large they begin later.
TEST_F(Transcendental, TrigPreop) {
  auto preop = [&](double x, uint32_t segment) {
    wave.set_v64(2, 9, std::bit_cast<uint64_t>(x));
    wave.v(4, 9) = segment;
    wave.run("v_trig_preop_f64", {.dst = 0, .src = {VGPR0 + 2, VGPR0 + 4}}, f64_class);
    return std::bit_cast<double>(wave.v64(0, 9));
  };
  Real two_over_pi = 2 / std::numbers::pi_v<Real>;
  Real first = preop(1.0, 0), second = preop(1.0, 1);
  EXPECT_EQ(first, std::floor(std::ldexp(two_over_pi, 53)) * 0x1p-53L);
  EXPECT_NEAR(double((first - two_over_pi) + second), 0, 0x1p-63);
  // Published digits of 2/pi in hexadecimal: a2f9836e 4e441529 fc2757d1 f534ddc0 db629599 3c439041 fe5163ab debbc561 b7246e3a
  constexpr uint32_t digits[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599,
                                 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a};
  auto segment_of = [&](uint32_t shift) {
    uint64_t bits = 0;
    for (uint32_t n = shift; n < shift + 53; n++) bits = bits << 1 | (digits[n / 32] >> (31 - n % 32) & 1);
    return std::ldexp(Real(bits), -int(shift) - 53);
  };
  for (uint32_t segment = 0; segment < 4; segment++) EXPECT_EQ(preop(1.0, segment), segment_of(segment * 53));
  for (int over = 1; over < 100; over++) EXPECT_EQ(preop(std::ldexp(1.5, 1077 - 1023 + over), 1), segment_of(53 + over)) << over;
  EXPECT_EQ(preop(std::ldexp(1.0, 1023), 31), 0);  // beyond the 1201 bits
  // A large argument's segment is scaled by 2^128, from exponent 1968 on. 1968 - 1077 = 891 bits are skipped.
  double below = preop(std::ldexp(1.0, 1967 - 1023), 0), at = preop(std::ldexp(1.0, 1968 - 1023), 0);
  EXPECT_GT(at, 0);
  EXPECT_LT(below, std::ldexp(1.0, -890));
  EXPECT_GT(at, std::ldexp(1.0, -891 + 128 - 40));
}

// All host levels give the same bits: one checksum for all of them, of f32 results over all octaves. It was computed by a scalar model
// of the rules that was written apart from the semantics, in 64-bit integers.
TEST_F(Transcendental, SameBitsOnEveryLevel) {
  uint64_t hash = 14695981039346656037ull;
  std::vector<uint32_t> in, out;
  for (uint64_t x = 0; x < 0x100000000; x += 65521) in.push_back(uint32_t(x));
  for (uint32_t mode : {0xf0u, 0xf5u, 0x0au, 0xffu}) {
    wave.cell(mode_cell) = mode;
    for (const char* name : {"v_rcp_f32", "v_rsq_f32", "v_sqrt_f32", "v_log_f32", "v_exp_f32", "v_sin_f32", "v_cos_f32"}) {
      run(name, f32_class, in, out);
      for (uint32_t x : out) hash = (hash ^ x) * 1099511628211ull;
    }
  }
  EXPECT_EQ(hash, 0x571d1e36bd520af6ull) << std::hex << hash;
}

}  // namespace
