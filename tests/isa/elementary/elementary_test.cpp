// Elementary functions that were made cheaper, against their former text, bit for bit: a stride through all 2^32 operands, with the
// numbers around which anything changes; all of them with ATOLL_ALL_OPERANDS=1 (some minutes a function at the baseline level).
#include <gtest/gtest.h>
#include <immintrin.h>

#include <cstdlib>
#include <thread>

#include "isa/elementary/former.h"
#include "isa/gfx7/semantics/transcendental.h"
#include "isa/r500/semantics/vertex.h"
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
    {"r500_vertex_sin", true, [](Engine& e, F32 x) { return r500::vs::sine_of_angle(e, x, 0.0); },
     [](Engine& e, F32 x) { return former::r500::sine_of_angle(e, x, 0.0); }},
    {"r500_vertex_cos", true, [](Engine& e, F32 x) { return r500::vs::sine_of_angle(e, x, 0.25); },
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
  gfx7::CalledFunction function;
  F32 (*steps)(Engine&, F32);
};
const CalledCase called_cases[] = {
    {gfx7::CalledFunction::reciprocal_root, [](Engine& e, F32 x) { return amd::reciprocal_root(e, x); }},
    {gfx7::CalledFunction::exponential, [](Engine& e, F32 x) { return amd::exponential(e, x); }},
    {gfx7::CalledFunction::logarithm, [](Engine& e, F32 x) { return amd::logarithm(e, x); }},
    {gfx7::CalledFunction::sine, [](Engine& e, F32 x) { return gfx7::sine_within_256(e, x); }},
    {gfx7::CalledFunction::cosine, [](Engine& e, F32 x) { return gfx7::cosine_within_256(e, x); }},
};
class Called : public testing::TestWithParam<std::tuple<CalledCase, bool>> {};

// Operands from `first` on, 32 at a time; gives how many came out otherwise, for one reason or the other.
std::pair<uint64_t, uint64_t> called_differences(const CalledCase& c, bool flushes, uint64_t first, uint64_t step,
                                                 uint32_t& example) {
  const wave::LaneFunction& function = gfx7::called_function(c.function, flushes);
  Engine e;
  e.core.mode.flush_in32 = e.core.mode.flush_out32 = flushes;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(wave::mxcsr_for(e.core.mode, wave::FloatClass::F32));
  uint64_t quick_off = 0, exact_off = 0;
  for (uint64_t n = first; n < uint64_t(1) << 32; n += step) {
    level::U32 bits;
    for (int l = 0; l < level::kLanes; l++) bits.v[l] = uint32_t(n) + uint32_t(l);
    const level::U32 due = as_u32(c.steps(e, as_f32(bits)));
    for (int l = 0; l < level::kLanes; l += 4) {
      wave::FourFloats x;
      for (int k = 0; k < 4; k++) x[k] = std::bit_cast<float>(bits.v[l + k]);
      const wave::FourFloats quick = function.quick(x), exact = function.exact(x);
      for (int k = 0; k < 4; k++) {
        const uint32_t right = due.v[l + k], q = std::bit_cast<uint32_t>(quick[k]);
        const bool both_nan = (right & 0x7fffffffu) > 0x7f800000u && (q & 0x7fffffffu) > 0x7f800000u;
        const bool quick_wrong = q != right && !both_nan, exact_wrong = std::bit_cast<uint32_t>(exact[k]) != right;
        quick_off += quick_wrong, exact_off += exact_wrong;
        if (quick_wrong || exact_wrong) example = bits.v[l + k];
      }
    }
  }
  _mm_setcsr(before);
  return {quick_off, exact_off};
}

TEST_P(Called, GivesWhatItsStepsGive) {
  const auto& [c, flushes] = GetParam();
  const std::pair<uint64_t, uint64_t> none{0, 0};
  uint32_t example = 0;
  const bool all = std::getenv("ATOLL_ALL_OPERANDS");
  EXPECT_EQ(called_differences(c, flushes, 0, level::kLanes * (all ? 1 : 2503), example), none) << std::hex << example;
  for (float x : {0.0f, 0x1p-126f, 0.125f, 0.25f, 0.5f, 1.0f, 2.0f, 128.0f, 256.0f, 0x1p21f, 0x1p23f, 0x1p126f, __builtin_inff(),
                  __builtin_nanf("")})
    for (uint32_t sign : {0u, 0x80000000u}) {
      uint64_t first = std::max<int64_t>(int64_t(std::bit_cast<uint32_t>(x)) - 16, 0) | sign;
      EXPECT_EQ(called_differences(c, flushes, first, uint64_t(1) << 32, example), none) << std::hex << example;
    }
}
INSTANTIATE_TEST_SUITE_P(All, Called, testing::Combine(testing::ValuesIn(called_cases), testing::Bool()), [](const auto& c) {
  return std::string(gfx7::called_function(std::get<0>(c.param).function, false).name) +
         (std::get<1>(c.param) ? "_flushing" : "_denormals");
});

INSTANTIATE_TEST_SUITE_P(All, Elementary, testing::ValuesIn(cases), [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace Atoll
