// The parts of f32 and f64 values in the value language: constants, bits, denormals, quiet NaNs. One text for lanes and scalars.
// IEEE 754; what the wave flushes: RDNA4 ISA 7.2.4.
#pragma once
#include <type_traits>

#include "isa/amd/adaptor.h"
#include "wave/nan.h"

namespace Atoll::amd {

template <class A, class F>
inline constexpr bool is_double = std::is_same_v<F, typename A::F64> || std::is_same_v<F, typename A::Core::SF64>;
template <class A, class F>
inline constexpr bool is_scalar_float = std::is_same_v<F, typename A::SF32> || std::is_same_v<F, typename A::Core::SF64>;

// A constant of the float type F, or of the integer type U (lanes or scalar).
template <class F, class A>
F number(A& e, double x) {
  if constexpr (std::is_same_v<F, typename A::F32>)
    return e.core.f32(float(x));
  else if constexpr (std::is_same_v<F, typename A::SF32>)
    return e.core.sf32(float(x));
  else
    return e.core.f64(x);
}
template <class U, class A>
U word(A& e, uint64_t n) {
  if constexpr (std::is_same_v<U, typename A::U32>)
    return e.core.u32(uint32_t(n));
  else if constexpr (std::is_same_v<U, typename A::S32>)
    return e.core.s32(uint32_t(n));
  else if constexpr (std::is_same_v<U, typename A::U64>)
    return e.core.u64(n);
  else
    return e.core.s64(n);
}

template <class A, class F>
struct FloatFormat {
  static constexpr bool wide = is_double<A, F>;
  using Bits = std::conditional_t<wide, uint64_t, uint32_t>;
  static constexpr int mantissa_bits = wide ? 52 : 23;
  static constexpr Bits sign = Bits(1) << (wide ? 63 : 31), infinity = wide ? Bits(0x7ff0000000000000u) : Bits(0x7f800000u),
                        quiet = Bits(1) << (mantissa_bits - 1),
                        default_nan = wide ? Bits(wave::default_nan64) : Bits(wave::default_nan32);
  static constexpr int bias = wide ? 1023 : 127;
  static auto bits(F x) {
    if constexpr (wide)
      return as_u64(x);
    else
      return as_u32(x);
  }
  template <class W>
  static F value(W w) {
    if constexpr (wide)
      return as_f64(w);
    else
      return as_f32(w);
  }
};

// The float with these bits on all lanes.
template <class F, class A>
F pattern(A& e, uint64_t bits) {
  using Format = FloatFormat<A, F>;
  return Format::value(word<decltype(Format::bits(std::declval<F>()))>(e, bits));
}

// The biased exponent field as an integer of 32 bits.
template <class A, class F>
auto exponent_field(A&, F x) {
  auto bits = FloatFormat<A, F>::bits(x);
  if constexpr (is_double<A, F>)
    return high(bits) >> 20 & 0x7ffu;
  else
    return bits >> 23 & 0xffu;
}
template <class A, class F>
auto has_sign(A&, F x) {
  using Format = FloatFormat<A, F>;
  return (Format::bits(x) & Format::sign) != typename Format::Bits(0);
}

// Denormals to zeros of their sign, by the bits: costs nothing on operands.
template <class A, class F>
F flushed(A&, F x) {
  using Format = FloatFormat<A, F>;
  auto bits = Format::bits(x);
  return Format::value(select((bits & Format::infinity) == typename Format::Bits(0), bits & Format::sign, bits));
}
// The same for the result of arithmetic.
template <class A, class F>
F flushed_result(A& e, F x) {
  return select(fabs(x) < number<F>(e, is_double<A, F> ? 0x1p-1022 : 0x1p-126), x * 0.0f, x);
}
// An operand as MODE has it read. Arithmetic does this by itself; selections, and rounding to integers, must ask for it.
template <class A, class F>
F read_by_mode(A& e, F x) {
  const auto& mode = e.core.float_mode();
  return (is_double<A, F> ? mode.flush_in64 : mode.flush_in32) ? flushed(e, x) : x;
}

template <class A, class F>
F quieted(A&, F x) {
  using Format = FloatFormat<A, F>;
  return select(isnan(x), Format::value(Format::bits(x) | Format::quiet), x);
}
template <class A, class F>
auto is_signaling(A&, F x) {
  using Format = FloatFormat<A, F>;
  return isnan(x) & ((Format::bits(x) & Format::quiet) == typename Format::Bits(0));
}

}  // namespace Atoll::amd
