// Elementary functions that were made cheaper, against their former text, bit for bit: a stride through all 2^32 operands, with the
// numbers around which anything changes; all of them with ATOLL_ALL_OPERANDS=1 (some minutes a function at the baseline level).
#include <gtest/gtest.h>
#include <immintrin.h>

#include <cstdlib>
#include <thread>

#include "isa/elementary/former.h"
#include "isa/gfx7/semantics/transcendental.h"
#include "isa/r500/semantics/vertex.h"
#include "isa/xe_lp/semantics/math.h"
#include "wave/interpreter/lanes.h"

namespace Atoll {
namespace {

namespace level = wave::ATOLL_LEVEL;
using F32 = level::F32;

struct Core {
  using S1 = level::S1;
  using S32 = level::S32;
  using S64 = level::S64;
  using SF32 = level::SF32;
  using SF64 = level::SF64;
  using U32 = level::U32;
  using U64 = level::U64;
  using F64 = level::F64;
  using M = level::M;
  wave::FloatMode mode;
  const wave::FloatMode& float_mode() const { return mode; }
  static F32 f32(float x) { return {level::Vector<float>(x)}; }
  static F64 f64(double x) { return {level::Vector<double>(x)}; }
  static U32 u32(uint32_t n) { return {level::Vector<uint32_t>(n)}; }
  template <class F>
  static U32 seldom(M condition, U32 usual, F f) {
    return select(condition, f(), usual);
  }
};
struct Engine {
  using Core = Atoll::Core;
  using F32 = Atoll::F32;
  using F64 = level::F64;
  using U32 = level::U32;
  using U64 = level::U64;
  using S32 = level::S32;
  using SF32 = level::SF32;
  using M = level::M;
  Core core;
};

struct Case {
  const char* name;
  bool flush;
  F32 (*now)(Engine&, F32);
  F32 (*former)(Engine&, F32);
};
const Case cases[] = {
    {"gfx7_sin", true, [](Engine& e, F32 x) { return gfx7::sine_within_256(e, x); },
     [](Engine& e, F32 x) { return former::amd::within_256(e, x, former::amd::sine(e, x), 0); }},
    {"gfx7_cos", true, [](Engine& e, F32 x) { return gfx7::cosine_within_256(e, x); },
     [](Engine& e, F32 x) { return former::amd::within_256(e, x, former::amd::cosine(e, x, true), 1); }},
    {"gfx7_sin_denormals", false, [](Engine& e, F32 x) { return gfx7::sine_within_256(e, x); },
     [](Engine& e, F32 x) { return former::amd::within_256(e, x, former::amd::sine(e, x), 0); }},
    {"amd_sin", true, [](Engine& e, F32 x) { return amd::sine(e, x); }, [](Engine& e, F32 x) { return former::amd::sine(e, x); }},
    {"amd_cos", true, [](Engine& e, F32 x) { return amd::cosine(e, x, true); },
     [](Engine& e, F32 x) { return former::amd::cosine(e, x, true); }},
    {"amd_sin_denormals", false, [](Engine& e, F32 x) { return amd::sine(e, x); },
     [](Engine& e, F32 x) { return former::amd::sine(e, x); }},
    {"amd_cos_denormals", false, [](Engine& e, F32 x) { return amd::cosine(e, x, true); },
     [](Engine& e, F32 x) { return former::amd::cosine(e, x, true); }},
    {"r500_sin", true, [](Engine& e, F32 x) { return r500::sine_of_turns(e, x); },
     [](Engine& e, F32 x) { return former::r500::sine(e, x, 0.0); }},
    {"r500_cos", true, [](Engine& e, F32 x) { return r500::cosine_of_turns(e, x); },
     [](Engine& e, F32 x) { return former::r500::sine(e, x, 0.25); }},
    {"r500_vertex_sin", true, [](Engine& e, F32 x) { return r500::sine_of_angle(e, x, 0.0); },
     [](Engine& e, F32 x) { return former::r500::sine_of_angle(e, x, 0.0); }},
    {"r500_vertex_cos", true, [](Engine& e, F32 x) { return r500::sine_of_angle(e, x, 0.25); },
     [](Engine& e, F32 x) { return former::r500::sine_of_angle(e, x, 0.25); }},
};

// Operands from `first` on in steps of `step` lanes' worth; gives how many came out otherwise.
uint64_t differences(const Case& c, uint64_t first, uint64_t step, uint32_t& example) {
  Engine e;
  e.core.mode.flush_in32 = e.core.mode.flush_out32 = c.flush;
  unsigned before = _mm_getcsr();
  _mm_setcsr(wave::mxcsr_for(e.core.mode, wave::FloatClass::F32));
  uint64_t off = 0;
  for (uint64_t n = first; n < uint64_t(1) << 32; n += step) {
    level::U32 bits;
    for (int l = 0; l < level::kLanes; l++) bits.v[l] = uint32_t(n) + uint32_t(l);
    uint32_t other = (as_u32(c.now(e, as_f32(bits))) != as_u32(c.former(e, as_f32(bits)))).bits;
    if (other) example = uint32_t(n) + uint32_t(std::countr_zero(other));
    off += uint64_t(std::popcount(other));
  }
  _mm_setcsr(before);
  return off;
}

class Elementary : public testing::TestWithParam<Case> {};

TEST_P(Elementary, HasTheFormerBits) {
  const Case& c = GetParam();
  uint32_t example = 0;
  if (std::getenv("ATOLL_ALL_OPERANDS")) {
    EXPECT_EQ(differences(c, 0, level::kLanes, example), 0u) << std::hex << example;
    return;
  }
  EXPECT_EQ(differences(c, 0, level::kLanes * 9973, example), 0u) << std::hex << example;
  // Zeros, the least normals, eighths of turns up to the least turn without them, 256, pi, infinities, NaNs.
  for (float x :
       {0.0f,   0x1p-126f, 0.125f, 0.25f,   0.375f,  0.5f,    0.625f,  0.75f,          0.875f,           1.0f,
        1.125f, 255.625f,  256.0f, 0x1p21f, 0x1p22f, 0x1p23f, 0x1p24f, 0x1.921fb6p+1f, __builtin_inff(), __builtin_nanf("")})
    for (uint32_t sign : {0u, 0x80000000u}) {
      uint64_t first = std::max<int64_t>(int64_t(std::bit_cast<uint32_t>(x)) - 16, 0) | sign;
      EXPECT_EQ(differences(c, first, uint64_t(1) << 32, example), 0u) << std::hex << example;
    }
}
// Functions that compiled code calls for four lanes, against the steps that the interpreter takes: every bit, of NaNs as well where that is
// asked for.
struct CalledCase {
  const char* name;
  const wave::LaneFunctions& functions;
  F32 (*steps)(Engine&, F32);
  bool always_flushes = false;
};
template <xe_lp::MathFunction function>
CalledCase xe_lp_case(const char* name, bool is_f32) {
  return {name, *xe_lp::called_functions(function),
          is_f32 ? [](Engine& e, F32 x) { return xe_lp::float_function(e, function, x, true); }
                 : [](Engine& e, F32 x) { return xe_lp::float_function(e, function, cvt_f32_f16(as_u32(x)), false); }};
}
CalledCase gfx7_case(gfx7::CalledFunction function, F32 (*steps)(Engine&, F32)) {
  const wave::LaneFunctions& functions = gfx7::called_functions(function);
  return {functions.keeping.name, functions, steps};
}
CalledCase r500_case(const char* name, r500::CalledFunction function, F32 (*steps)(Engine&, F32)) {
  return {name, r500::called_functions(function), steps, true};
}
using enum xe_lp::MathFunction;
const CalledCase called_cases[] = {
    gfx7_case(gfx7::CalledFunction::reciprocal_root, [](Engine& e, F32 x) { return amd::reciprocal_root(e, x); }),
    gfx7_case(gfx7::CalledFunction::exponential, [](Engine& e, F32 x) { return amd::exponential(e, x); }),
    gfx7_case(gfx7::CalledFunction::logarithm, [](Engine& e, F32 x) { return amd::logarithm(e, x); }),
    gfx7_case(gfx7::CalledFunction::sine, [](Engine& e, F32 x) { return gfx7::sine_within_256(e, x); }),
    gfx7_case(gfx7::CalledFunction::cosine, [](Engine& e, F32 x) { return gfx7::cosine_within_256(e, x); }),
    r500_case("r500_exponential", r500::CalledFunction::exponential, [](Engine& e, F32 x) { return r500::ex2(e, x); }),
    r500_case("r500_logarithm", r500::CalledFunction::logarithm, [](Engine& e, F32 x) { return r500::ln2(e, x); }),
    r500_case("r500_root", r500::CalledFunction::reciprocal_root, [](Engine& e, F32 x) { return r500::rsq(e, x); }),
    r500_case("r500_sine", r500::CalledFunction::sine, [](Engine& e, F32 x) { return r500::sine_of_turns(e, x); }),
    r500_case("r500_cosine", r500::CalledFunction::cosine, [](Engine& e, F32 x) { return r500::cosine_of_turns(e, x); }),
    r500_case("r500_sine_of_angle", r500::CalledFunction::sine_of_angle,
              [](Engine& e, F32 x) { return r500::sine_of_angle(e, x, 0.0); }),
    r500_case("r500_cosine_of_angle", r500::CalledFunction::cosine_of_angle,
              [](Engine& e, F32 x) { return r500::sine_of_angle(e, x, 0.25); }),
    xe_lp_case<Rsqt>("xe_lp_root", true),
    xe_lp_case<Exp>("xe_lp_exponential", true),
    xe_lp_case<Log>("xe_lp_logarithm", true),
    xe_lp_case<Sin>("xe_lp_sine", true),
    xe_lp_case<Cos>("xe_lp_cosine", true),
};
class Called : public testing::TestWithParam<std::tuple<CalledCase, bool>> {};

struct Differences {
  uint64_t quick = 0, exact = 0;
  uint32_t example = 0;
  bool operator==(const Differences& other) const { return quick == other.quick && exact == other.exact; }
};
void PrintTo(const Differences& d, std::ostream* out) {
  *out << "quick " << d.quick << ", exact " << d.exact << ", as of 0x" << std::hex << d.example;
}
// Compares the steps, for operands from `first` on, `step` apart, with the function called for the same ones; `half`: operands are halves.
Differences called_differences(const CalledCase& c, bool flushes, uint64_t first, uint64_t step, uint64_t end,
                               bool half = false) {
  const wave::LaneFunction& function = c.functions.in(flushes);
  Engine e;
  e.core.mode.flush_in32 = e.core.mode.flush_out32 = flushes;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(wave::mxcsr_for(e.core.mode, wave::FloatClass::F32));
  Differences off;
  for (uint64_t n = first; n < end; n += step) {
    level::U32 bits;
    for (int l = 0; l < level::kLanes; l++) bits.v[l] = uint32_t(n) + uint32_t(l);
    const level::U32 due = as_u32(c.steps(e, as_f32(bits)));
    const level::U32 operands = half ? as_u32(cvt_f32_f16(bits)) : bits;
    for (int l = 0; l < level::kLanes; l += 4) {
      wave::FourFloats x;
      for (int k = 0; k < 4; k++) x[k] = std::bit_cast<float>(operands.v[l + k]);
      const wave::FourFloats quick = function.quick(x), exact = function.exact(x);
      for (int k = 0; k < 4; k++) {
        const uint32_t right = due.v[l + k], q = std::bit_cast<uint32_t>(quick[k]);
        const bool both_nan = (right & 0x7fffffffu) > 0x7f800000u && (q & 0x7fffffffu) > 0x7f800000u;
        const bool quick_wrong = q != right && !both_nan, exact_wrong = std::bit_cast<uint32_t>(exact[k]) != right;
        off.quick += quick_wrong, off.exact += exact_wrong;
        if (quick_wrong || exact_wrong) off.example = bits.v[l + k];
      }
    }
  }
  _mm_setcsr(before);
  return off;
}

TEST_P(Called, GivesWhatItsStepsGive) {
  const auto& [c, flushes] = GetParam();
  const bool all = std::getenv("ATOLL_ALL_OPERANDS");
  EXPECT_EQ(called_differences(c, flushes, 0, level::kLanes * (all ? 1 : 2503), uint64_t(1) << 32), Differences());
  for (float x : {0.0f,   0x1p-126f, 0.125f, 0.25f,  0.5f,    1.0f,    2.0f,    126.0f,   128.0f,           149.0f,
                  150.0f, 151.0f,    200.0f, 256.0f, 0x1p16f, 0x1p21f, 0x1p23f, 0x1p126f, __builtin_inff(), __builtin_nanf("")})
    for (uint32_t sign : {0u, 0x80000000u}) {
      const uint64_t first = std::max<int64_t>(int64_t(std::bit_cast<uint32_t>(x)) - 16, 0) | sign;
      EXPECT_EQ(called_differences(c, flushes, first, level::kLanes, first + level::kLanes), Differences());
    }
}
std::vector<std::tuple<CalledCase, bool>> called_cases_by_mode() {
  std::vector<std::tuple<CalledCase, bool>> result;
  for (const CalledCase& c : called_cases)
    for (bool flushes : {false, true})
      if (flushes || !c.always_flushes) result.emplace_back(c, flushes);
  return result;
}
INSTANTIATE_TEST_SUITE_P(All, Called, testing::ValuesIn(called_cases_by_mode()), [](const auto& c) {
  return std::string(std::get<0>(c.param).name) + (std::get<1>(c.param) ? "_flushing" : "_denormals");
});

// Xe-LP's functions of halves are those of f32, whatever is flushed: all halves.
class CalledForHalves : public testing::TestWithParam<std::tuple<CalledCase, bool>> {};
TEST_P(CalledForHalves, GivesWhatItsStepsGive) {
  const auto& [c, flushes] = GetParam();
  EXPECT_EQ(called_differences(c, flushes, 0, level::kLanes, 0x10000, true), Differences());
}
const CalledCase half_cases[] = {xe_lp_case<Rsqt>("root", false), xe_lp_case<Exp>("exponential", false),
                                 xe_lp_case<Log>("logarithm", false), xe_lp_case<Sin>("sine", false),
                                 xe_lp_case<Cos>("cosine", false)};
INSTANTIATE_TEST_SUITE_P(All, CalledForHalves, testing::Combine(testing::ValuesIn(half_cases), testing::Bool()),
                         [](const auto& c) {
                           return std::string(std::get<0>(c.param).name) + (std::get<1>(c.param) ? "_flushing" : "_denormals");
                         });

INSTANTIATE_TEST_SUITE_P(All, Elementary, testing::ValuesIn(cases), [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace Atoll
