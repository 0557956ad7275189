// MODE.FP16_OVFL: results of f16 that overflow are the largest half, in every rounding mode, and infinities that are none of rounding's stay.
// Expectations from exact integers (half_reference.h) and doubles; both engines. RDNA4 ISA 3.4.3.
#include "exact_floats.h"
#include "group_machine.h"
#include "half_reference.h"
#include "single_step.h"

namespace Atoll::rdna4::test {
namespace {

using wave::Stop;
using Lines = std::vector<std::string>;

constexpr uint16_t largest = 0x7bff;

// Halves around which something overflows, and others.
constexpr uint16_t halves[] = {0x7bff, 0xfbff, 0x7bfe, 0x7800, 0xf800, 0x7c00, 0xfc00, 0x7e01, 0x3c00, 0xbc00, 0x3c01, 0x4000,
                               0xc000, 0x0001, 0x8001, 0x03ff, 0x0000, 0x8000, 0x5bff, 0x5c00, 0xdc00, 0x4c00, 0x2e66, 0x7a00};

bool finite(uint16_t h) { return (h & 0x7c00) != 0x7c00; }

// `plain` is what comes without the mode; with it an infinity of finite operands is the largest half.
uint16_t held(uint16_t plain, bool operands_finite) { return half_is_inf(plain) && operands_finite ? plain - 1 : plain; }
// The half nearest to a double, as the rounding mode has it; without infinities.
uint16_t rounded_and_held(double x, int round) {
  if (std::fabs(x) > 65504) return (x < 0 ? 0x8000 : 0) | largest;
  return half_from_units(std::signbit(x), static_cast<unsigned __int128>(std::ldexp(std::fabs(x), 24 + 40)), 40, round);
}

class HalfOverflow : public testing::TestWithParam<std::tuple<unsigned, wave::EngineChoice, int>> {
protected:
  int round() const { return std::get<2>(GetParam()); }
  // Runs the text for operands in s1, s2, s3 (the halves of `operands`); gives v0 of lane 0 and s0.
  struct Result {
    uint32_t vector, scalar;
  };
  std::vector<Result> run(const Lines& lines, const std::vector<std::array<uint32_t, 3>>& operands) {
    const unsigned size = std::get<0>(GetParam());
    GroupMachine m({size, 1}, lines);
    wave::Executor executor(*m.program, std::get<1>(GetParam()), *m.waves[0]);
    std::vector<Result> results;
    for (size_t first = 0; first < operands.size(); first += size) {
      m.reset();
      m.cell(0, mode_cell) = 0xf0 | uint32_t(round()) | uint32_t(round()) << 2 | MODE_FP16_OVFL;
      for (size_t n = 0; n < size && first + n < operands.size(); n++)
        for (uint32_t k = 0; k < 3; k++) m.v(0, k + 1, uint32_t(n)) = operands[first + n][k];
      for (uint32_t k = 0; k < 3; k++) m.s(0, k + 1) = operands[first][k];
      EXPECT_EQ(executor.run_group(m.group, m.waves).stop, Stop::End) << m.reason(0);
      for (size_t n = 0; n < size && first + n < operands.size(); n++) results.push_back({m.v(0, 0, uint32_t(n)), m.s(0, 0)});
    }
    return results;
  }
  std::vector<std::array<uint32_t, 3>> triples() const {
    std::vector<std::array<uint32_t, 3>> list;
    for (uint16_t a : halves)
      for (uint16_t b : halves)
        for (uint16_t c : {halves[0], halves[1], halves[5], halves[8], halves[16]}) list.push_back({a, b, c});
    return list;
  }
};

TEST_P(HalfOverflow, FusedSumsAndProducts) {
  auto operands = triples();
  struct Case {
    const char* text;
    uint16_t (*a)(const std::array<uint32_t, 3>&);
    uint16_t (*b)(const std::array<uint32_t, 3>&);
    uint16_t (*c)(const std::array<uint32_t, 3>&);
  };
  constexpr auto first = [](const std::array<uint32_t, 3>& o) { return uint16_t(o[0]); };
  constexpr auto second = [](const std::array<uint32_t, 3>& o) { return uint16_t(o[1]); };
  constexpr auto third = [](const std::array<uint32_t, 3>& o) { return uint16_t(o[2]); };
  constexpr auto one = [](const std::array<uint32_t, 3>&) { return uint16_t(0x3c00); };
  // (a product: minus zero added; of zeros it has the product's sign in every mode but the one that rounds down)
  const Case cases[] = {{"v_fma_f16 v0, v1, v2, v3", first, second, third},
                        {"v_add_f16 v0, v1, v2", first, one, second},
                        {"v_pk_fma_f16 v0, v1, v2, v3 op_sel_hi:[0,0,0]", first, second, third},
                        {"v_pk_add_f16 v0, v1, v2 op_sel_hi:[0,0]", first, one, second}};
  for (const Case& c : cases) {
    auto results = run({c.text}, operands);
    ASSERT_EQ(results.size(), operands.size());
    const bool packed = std::string(c.text).find("pk") != std::string::npos;
    for (size_t n = 0; n < operands.size(); n++) {
      const uint16_t x = c.a(operands[n]), y = c.b(operands[n]), z = c.c(operands[n]);
      const uint16_t expected = held(half_fma(x, y, z, round()), finite(x) && finite(y) && finite(z));
      ASSERT_EQ(uint16_t(results[n].vector), expected)
          << c.text << std::hex << " of " << operands[n][0] << " " << operands[n][1] << " " << operands[n][2];
      if (packed) ASSERT_EQ(results[n].vector >> 16, expected) << c.text;
    }
  }
}

TEST_P(HalfOverflow, ProductsScalingsAndQuotients) {
  auto operands = triples();
  struct Case {
    Lines text;
    double (*value)(double a, double b);
    bool of_two;
  };
  const Case cases[] = {{{"v_mul_f16 v0, v1, v2"}, [](double a, double b) { return a * b; }, true},
                        {{"v_pk_mul_f16 v0, v1, v2 op_sel_hi:[0,0]"}, [](double a, double b) { return a * b; }, true},
                        {{"v_sub_f16 v0, v1, v2 mul:4"}, [](double a, double b) { return (a - b) * 4; }, true},
                        {{"v_rcp_f16 v0, v1"}, [](double a, double) { return 1 / a; }, false},
                        {{"v_ldexp_f16 v0, v1, 5"}, [](double a, double) { return a * 32; }, false},
                        {{"v_max_num_f16 v0, v1, v1 mul:4"}, [](double a, double) { return a * 4; }, false}};
  for (const Case& c : cases) {
    auto results = run(c.text, operands);
    for (size_t n = 0; n < operands.size(); n++) {
      const uint16_t x = uint16_t(operands[n][0]), y = uint16_t(operands[n][1]), got = uint16_t(results[n].vector);
      if (!finite(x) || (c.of_two && !finite(y))) {
        EXPECT_FALSE(half_is_inf(got) && half_is_nan(x)) << c.text[0];
        if (half_is_inf(x) && c.of_two && finite(y) && (y & 0x7fff))
          EXPECT_TRUE(half_is_inf(got)) << c.text[0] << ": an infinity stays";
        continue;
      }
      const double v = c.value(half_value(x), half_value(y));
      if (std::isinf(v))
        ASSERT_EQ(got, (v < 0 ? 0x8000 : 0) | largest)
            << c.text[0] << ": so of a division by zero (rocjitsu, valu_fp_mode_test.cpp)";
      else if (std::fabs(v) >= 65520)
        ASSERT_EQ(got, (v < 0 ? 0x8000 : 0) | largest) << c.text[0] << std::hex << " of " << x << " " << y;
      else
        ASSERT_FALSE(half_is_inf(got)) << c.text[0] << std::hex << " of " << x << " " << y;
    }
  }
}

TEST_P(HalfOverflow, Conversions) {
  const uint32_t floats[] = {0x477fe000, 0x477fefff, 0x477ff000, 0x477ff001, 0x47800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                             0xff800000, 0xc77ff000, 0x7fc00001, 0x3f800000, 0x43800000, 0xc7800000, 0x00000001, 0x477fe001};
  std::vector<std::array<uint32_t, 3>> operands;
  for (uint32_t f : floats) operands.push_back({f, f, f});
  auto results = run({"v_cvt_f16_f32 v0, v1"}, operands);
  for (size_t n = 0; n < operands.size(); n++) {
    const float f = std::bit_cast<float>(floats[n]);
    if (std::isnan(f)) continue;
    const uint16_t expected = std::isinf(f) ? (f < 0 ? 0xfc00 : 0x7c00) : rounded_and_held(double(f), round());
    if (std::fabs(f) > 1e-30f) EXPECT_EQ(uint16_t(results[n].vector), expected) << std::hex << floats[n];
  }
  auto words = run({"v_cvt_f16_u16 v0, v1"}, {{65535, 0, 0}, {65504, 0, 0}, {65519, 0, 0}, {65520, 0, 0}});
  for (auto& r : words) EXPECT_EQ(uint16_t(r.vector), largest);
  // The scalar ALU does not know it.
  auto scalar = run({"s_cvt_f16_f32 s0, s1"}, {{0x47800000, 0, 0}});
  EXPECT_EQ(scalar[0].scalar, round() == 0 || round() == 1 ? 0x7c00u : 0x7bffu);
}

TEST_P(HalfOverflow, ExponentialsAndMixedProducts) {
  auto results =
      run({"v_exp_f16 v0, v1"}, {{0x4c00, 0, 0}, {0x5400, 0, 0}, {0x7bff, 0, 0}, {0x7c00, 0, 0}, {0xfbff, 0, 0}, {0x4bff, 0, 0}});
  EXPECT_EQ(uint16_t(results[0].vector), largest) << "2^16";
  EXPECT_EQ(uint16_t(results[1].vector), largest) << "2^64";
  EXPECT_EQ(uint16_t(results[2].vector), largest) << "2^65504";
  EXPECT_EQ(uint16_t(results[3].vector), 0x7c00) << "of infinity";
  EXPECT_EQ(results[4].vector & 0x7ffe, 0u);
  EXPECT_LT(uint16_t(results[5].vector), largest);
  // Floats times floats into a half: 3e38 * 2 overflows f32 already.
  for (const char* text : {"v_fma_mixlo_f16 v0, v1, v2, v3", "v_fma_mixhi_f16 v0, v1, v2, v3"}) {
    auto mixed = run({text}, {{0x7f7fffff, 0x40000000, 0},
                              {0x7f800000, 0x40000000, 0},
                              {0x47000000, 0x40000000, 0},
                              {0x47000000, 0xc0000000, 0},
                              {0x3f800000, 0x3f800000, 0xff800000}});
    const uint16_t expected[] = {largest, 0x7c00, largest, 0xfbff, 0xfc00};
    for (size_t n = 0; n < 5; n++)
      EXPECT_EQ(uint16_t(std::string(text).find("hi") != std::string::npos ? mixed[n].vector >> 16 : mixed[n].vector),
                expected[n])
          << text << n;
  }
  auto dot = run({"v_dot2_f16_f16 v0, v1, v2, v3"},
                 {{0x7bff7bff, 0x3c003c00, 0x7bff}, {0x7bff7bff, 0x3c00bc00, 0}, {0x00007c00, 0x3c003c00, 0}});
  EXPECT_EQ(uint16_t(dot[0].vector), largest);
  EXPECT_EQ(uint16_t(dot[1].vector), 0u);
  EXPECT_EQ(uint16_t(dot[2].vector), 0x7c00u);
}

// Without the bit an infinity comes, where the rounding goes there.
TEST_P(HalfOverflow, OnlyWithTheBit) {
  GroupMachine m({std::get<0>(GetParam()), 1},
                 {"v_add_f16 v0, v1, v2", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1", "v_add_f16 v3, v1, v2"});
  m.v(0, 1, 0) = m.v(0, 2, 0) = 0x7bff;
  m.cell(0, mode_cell) = 0xf0 | uint32_t(round()) << 2;
  ASSERT_EQ(m.run(std::get<1>(GetParam())).stop, Stop::End);
  EXPECT_EQ(m.v(0, 0, 0), round() < 2 ? 0x7c00u : 0x7bffu);
  EXPECT_EQ(m.v(0, 3, 0), 0x7bffu);
}

INSTANTIATE_TEST_SUITE_P(All, HalfOverflow,
                         testing::Combine(testing::Values(32u, 64u), testing::ValuesIn(both_engines),
                                          testing::Values(0, 1, 2, 3)),
                         [](const auto& p) {
                           return "wave" + std::to_string(std::get<0>(p.param)) + "_rounding" +
                                  std::to_string(std::get<2>(p.param)) +
                                  (std::get<1>(p.param) == wave::EngineChoice::Jit ? "_jit" : "_interpreter");
                         });

}  // namespace
}  // namespace Atoll::rdna4::test
