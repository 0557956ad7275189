#include "wave/jit/called_floats.h"

#include <emmintrin.h>

#include <bit>

#include "wave/lane_function.h"
#include "wave/rounded_once.h"

namespace Atoll::wave {
namespace {

// Functions of lanes, four in a register, that the code calls. By this convention half of the registers keep their values, and all lanes
// of a vector go there and come back in registers.
#define ATOLL_REGISTERS __attribute__((regcall))
template <int fours>
struct Fours {
  FourFloats part[fours];
};
typedef uint32_t Words __attribute__((vector_size(16)));
typedef int32_t SignedWords __attribute__((vector_size(16)));
Words choice(Words m, Words a, Words b) { return (a & m) | (b & ~m); }
Words less(Words x, uint32_t limit) { return (Words)((SignedWords)x < (SignedWords)(Words{} + limit)); }  // of no negative ones
FourFloats where(SignedWords condition, float x) { return (FourFloats)((Words)condition & std::bit_cast<uint32_t>(x)); }

template <int fours>
ATOLL_REGISTERS __attribute__((noinline, cold)) Fours<fours> multiply_add_carefully(Fours<fours> x, Fours<fours> y,
                                                                                    Fours<fours> z) {
  for (int n = 0; n < fours; n++)
    for (int lane = 0; lane < 4; lane++) x.part[n][lane] = rounded_once(x.part[n][lane], y.part[n][lane], z.part[n][lane]);
  return x;
}

// The sign bit, moved out, and the upper half of an f64 below f32's normal numbers: less than this, as a signed word, once 0x7ffffffe is added
// to it, which zeros are not.
constexpr uint32_t below_normal = 0x80000000 + 2 * 0x38100000u - 2;

// In f64, as baseline_floats.cpp says.
template <int fours, bool flushes>
ATOLL_REGISTERS Fours<fours> multiply_add(Fours<fours> x, Fours<fours> y, Fours<fours> z) {
  typedef double Doubles __attribute__((vector_size(16)));
  Fours<fours> result;
  __m128i doubtful{};
  for (int n = 0; n < fours; n++) {
    auto lower = [](FourFloats v) { return (Doubles)_mm_cvtps_pd(v); };
    auto upper = [](FourFloats v) { return (Doubles)_mm_cvtps_pd(_mm_movehl_ps(v, v)); };
    const Doubles first = lower(x.part[n]) * lower(y.part[n]) + lower(z.part[n]);
    const Doubles second = upper(x.part[n]) * upper(y.part[n]) + upper(z.part[n]);
    result.part[n] = _mm_movelh_ps(_mm_cvtpd_ps(first), _mm_cvtpd_ps(second));
    const auto low = (__m128i)_mm_shuffle_ps((__m128)first, (__m128)second, 0x88);
    doubtful |= _mm_cmpeq_epi32(_mm_slli_epi32(low, 3), _mm_set1_epi32(int(0x80000000)));
    if (flushes) continue;
    const auto high = (__m128i)_mm_shuffle_ps((__m128)first, (__m128)second, 0xdd);
    const __m128i moved = _mm_add_epi32(_mm_add_epi32(high, high), _mm_set1_epi32(0x7ffffffe));
    doubtful |= _mm_cmplt_epi32(moved, _mm_set1_epi32(int(below_normal)));
  }
  if (_mm_movemask_epi8(doubtful)) [[unlikely]]
    return multiply_add_carefully<fours>(x, y, z);
  return result;
}

template <int fours, Toward toward>
ATOLL_REGISTERS Fours<fours> integral(Fours<fours> x) {
  for (FourFloats& part : x.part) {
    const auto words = (Words)(toward == Toward::nearest_even ? _mm_cvtps_epi32(part) : _mm_cvttps_epi32(part));
    FourFloats whole = _mm_cvtepi32_ps((__m128i)words);
    if (toward == Toward::down) whole -= where(whole > part, 1);
    if (toward == Toward::up) whole += where(whole < part, 1);
    // A value that is no word is integral already, or no number. A zero has the operand's sign.
    const auto beyond = (Words)(words == 0x80000000u);
    part = (FourFloats)(((Words)whole & ~beyond) | ((Words)part & (beyond | 0x80000000u)));
  }
  return x;
}

// (as nearest_half() has it in line)
template <int fours>
ATOLL_REGISTERS Fours<fours> half(Fours<fours> x) {
  for (FourFloats& part : x.part) {
    const Words bits = (Words)part, magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
    const Words normal = (magnitude + (0xfffu - (112u << 23)) + (magnitude >> 13 & 1u)) >> 13;
    const Words denormal = (Words)((FourFloats)magnitude + 0.5f) - std::bit_cast<uint32_t>(0.5f);
    const Words nan = (magnitude >> 13 & 0x3ffu) | 0x7e00u;
    const Words special = choice(less(magnitude, 0x7f800001), Words{} + 0x7c00u, nan);
    const Words number = choice(less(magnitude, 0x38800000), denormal, normal);
    part = (FourFloats)(sign | choice(less(magnitude, 0x47800000), number, special));
  }
  return x;
}
// (as FloatRules::from_half() has it in line)
template <int fours>
ATOLL_REGISTERS Fours<fours> widened(Fours<fours> x) {
  for (FourFloats& part : x.part) {
    const Words half = (Words)part, magnitude = half & 0x7fffu, sign = (half & 0x8000u) << 16;
    const Words normal = (magnitude << 13) + (112u << 23), special = normal + (112u << 23);
    const auto denormal = (Words)(_mm_cvtepi32_ps((__m128i)magnitude) * 0x1p-24f);
    const Words of_nan = choice(less(magnitude, 0x7c01), special, special | 0x400000u);
    const Words number = choice(less(magnitude, 0x400), denormal, normal);
    part = (FourFloats)(choice(less(magnitude, 0x7c00), number, of_nan) | sign);
  }
  return x;
}

template <int fours>
ATOLL_REGISTERS Fours<fours> of_each_four(Fours<fours> x, FourFloats (*function)(FourFloats)) {
  for (int n = 0; n < fours; n++) x.part[n] = function(x.part[n]);
  return x;
}

template <int fours>
const void* function_for(LaneCall call) {
  switch (call) {
    case LaneCall::multiply_add: return reinterpret_cast<const void*>(&multiply_add<fours, false>);
    case LaneCall::flushing_multiply_add: return reinterpret_cast<const void*>(&multiply_add<fours, true>);
    case LaneCall::careful_multiply_add: return reinterpret_cast<const void*>(&multiply_add_carefully<fours>);
    case LaneCall::floor: return reinterpret_cast<const void*>(&integral<fours, Toward::down>);
    case LaneCall::ceil: return reinterpret_cast<const void*>(&integral<fours, Toward::up>);
    case LaneCall::trunc: return reinterpret_cast<const void*>(&integral<fours, Toward::zero>);
    case LaneCall::nearest_even: return reinterpret_cast<const void*>(&integral<fours, Toward::nearest_even>);
    case LaneCall::nearest_half: return reinterpret_cast<const void*>(&half<fours>);
    case LaneCall::from_half: return reinterpret_cast<const void*>(&widened<fours>);
    case LaneCall::lane_function: return reinterpret_cast<const void*>(&of_each_four<fours>);
  }
  __builtin_unreachable();
}

}  // namespace

const void* called_for_lanes(LaneCall call, unsigned lanes) {
  return lanes == 16 ? function_for<4>(call) : lanes == 8 ? function_for<2>(call) : function_for<1>(call);
}

}  // namespace Atoll::wave
