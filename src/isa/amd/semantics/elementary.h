// Elementary functions in the value language: the same bits on every host, for lanes and scalars alike. They start from the
// operand's bits where they can, work in f32 with the leading terms in two floats, and put special values in by selection at the
// end. Largest errors (tests/isa/rdna4/transcendental_test.cpp measures them): rsq correctly rounded for all arguments but 4^k (1
// - 2^-23), a tie but for 1e-7 ulp; exp2, log2, sin, cos below 0.7 ulp. Coefficients: minimax fits of the functions named, made
// for this file.
#pragma once
#include <bit>

#include "isa/amd/semantics/float_format.h"
#include "wave/elementary.h"
#include "wave/lane_function.h"

namespace Atoll::amd {

using wave::fma_is_cheap, wave::symmetric;

// The difference between the exact product x * y and `product`: an f32 itself, so that an engine may know a shorter way to it.
template <class F>
F lost_in(F product, F x, F y) {
  if constexpr (requires { product_error(x, y, product); })
    return product_error(x, y, product);
  else
    return fma(x, y, -product);
}
// c[0] + x * (c[1] + x * (...))
template <class A, class F, int N>
F polynomial(A& e, F x, const float (&c)[N]) {
  F sum = number<F>(e, c[N - 1]);
  for (int n = N - 2; n >= 0; n--) sum = fma(sum, x, number<F>(e, c[n]));
  return sum;
}

// 1 / sqrt(x) of positive normal x.
template <class A, class F>
F rsqrt_normal(A& e, F x) {
  auto bits = as_u32(x);
  F y = wave::reciprocal_root_of_normal(
      x, [&](double c) { return number<F>(e, c); }, [&](uint32_t w) { return word<decltype(bits)>(e, w); });
  const auto& mode = e.core.float_mode();
  if (mode.round32 == wave::Rounding::NearestEven && mode.round64 == wave::Rounding::NearestEven) return y;
  // Only powers of 4 have exact results; a directed rounding could step off them.
  return select((bits & 0xffffffu) == 0x800000u, as_f32((word<decltype(bits)>(e, 0xbe800000) - bits) >> 1), y);
}

// 2^x for x in [-126, 128), or wherever the result is a normal f32.
template <class A, class F>
F exp2_normal(A& e, F x) {
  F n = rndne(x), f = x - n;
  // 2^f = 1 + f ln2 + f^2 g(f)
  F ln2 = number<F>(e, 0x1.62e43p-1), t = f * ln2;
  F t_low = fma(f, number<F>(e, -0x1.05c61p-29), lost_in(t, f, ln2));
  F g = polynomial(e, f, {0x1.ebfbep-3f, 0x1.c6af86p-5f, 0x1.3b2a4p-7f, 0x1.5f0548p-10f, 0x1.442db6p-13f});
  F sum = t + 1, sum_low = t - (sum - 1);
  F r = sum + fma(f * f, g, sum_low + t_low);
  // The exponent is added to r's, which is that of 1/2 or 1: the low bits of n + 1.5 * 2^23 are n.
  return as_f32(as_u32(r) + (as_u32(n + 0x1.8p23f) << 23));
}

// log2(x) of positive normal x: the exponent and the logarithm of a significand in [sqrt(1/2), sqrt(2)).
template <class A, class F>
F log2_normal(A& e, F x) {
  auto bits = as_u32(x), from_root = bits - 0x3f3504f3u;
  F n = cvt_f32_s32(ashr(from_root, 23));
  F f = as_f32(bits - (from_root & 0xff800000u)) - 1;
  // ln(1 + f) = f - f^2 / 2 + f^3 R(f); the first two terms in two floats
  F square = f * f, square_low = lost_in(square, f, f), half = number<F>(e, -0.5);
  F first = square * half, sum = f + first, sum_low = first - (sum - f);
  F r = polynomial(e, f,
                   {0x1.555546p-2f, -0x1.ffffeep-3f, 0x1.99a542p-3f, -0x1.5562dep-3f, 0x1.233304p-3f, -0x1.fb4448p-4f,
                    0x1.e64e0cp-4f, -0x1.e2e1c8p-4f, 0x1.1b3e64p-4f});
  F rest = fma(f * square, r, fma(square_low, half, sum_low));
  // times log2(e), in two floats
  F scale = number<F>(e, 0x1.715476p+0), product = sum * scale;
  F product_low = fma(rest, scale, fma(sum, number<F>(e, 0x1.4ae0cp-26), lost_in(product, sum, scale)));
  F whole = n + product, whole_low = product - (whole - n);
  return whole + (whole_low + product_low);
}

// sin and cos of a circle's part: sin(2 pi z) and cos(2 pi z) for |z| <= 1/8.
template <class A, class F>
F sin_octant(A& e, F z) {
  F scale = number<F>(e, 0x1.921fb6p+2), t = z * scale, w = z * z;
  F t_low = fma(z, number<F>(e, -0x1.777a5cp-23), lost_in(t, z, scale));
  return t + fma(z * w, polynomial(e, w, {-0x1.4abbcep+5f, 0x1.466b78p+6f, -0x1.32adbap+6f, 0x1.4442c4p+5f}), t_low);
}
template <class A, class F>
F cos_octant(A& e, F z) {
  F scale = number<F>(e, -0x1.3bd3ccp+4), w = z * z, t = w * scale;
  F t_low = fma(lost_in(w, z, z), scale, fma(w, number<F>(e, -0x1.37c8bcp-21), lost_in(t, w, scale)));
  F sum = t + 1, sum_low = t - (sum - 1);
  return sum + fma(w * w, polynomial(e, w, {0x1.03c1e8p+6f, -0x1.55c9dep+6f, 0x1.dac7d6p+5f}), sum_low + t_low);
}
// cos_octant(z) where `count` is odd, sin_octant(z) elsewhere, for hosts that an fma costs twenty instructions: what both compute in
// the same way is done once, of the one's numbers or of the other's, with 7 of them instead of 13.
template <class A, class F, class U>
F either_octant(A& e, U count, F z) {
  const auto odd = (count & 1u) != 0u;
  const auto all = word<U>(e, 0) - (count & 1u);
  auto either = [&](float of_cosine, float of_sine) {
    const auto c = std::bit_cast<uint32_t>(of_cosine), s = std::bit_cast<uint32_t>(of_sine);
    return as_f32(word<U>(e, s) ^ (all & (c ^ s)));
  };
  const F w = z * z, v = select(odd, w, z), scale = either(-0x1.3bd3ccp+4f, 0x1.921fb6p+2f), t = v * scale;
  const F t_low = fma(v, either(-0x1.37c8bcp-21f, -0x1.777a5cp-23f), lost_in(t, v, scale));
  const F first = either(0x1.03c1e8p+6f, -0x1.4abbcep+5f);  // of the polynomial's coefficients
  const F sum = fma(fma(either(0x1.dac7d6p+5f, 0x1.4442c4p+5f), w, either(-0x1.55c9dep+6f, -0x1.32adbap+6f)), w,
                    select(odd, first, number<F>(e, 0x1.466b78p+6f)));
  // The sine's fourth coefficient; the cosine's last part of t_low.
  const F more = fma(select(odd, lost_in(w, z, z), sum), select(odd, scale, w), select(odd, t_low, first));
  const F high = t + 1, whole = select(odd, high, t), high_low = t - (high - 1);
  return whole + fma(v * w, select(odd, sum, more), select(odd, high_low + more, t_low));
}
// The same for whoever knows which lanes there are: often they all want the same one of the two.
template <class A, class F, class U>
F octant_by_count(A& e, U count, F z) {
  if (fma_is_cheap(e)) return select((count & 1u) != 0u, cos_octant(e, z), sin_octant(e, z));
  if constexpr (requires { A::Core::fma_is_dear; }) {
    const auto odd = (count & 1u) != 0u;
    if (!any(odd)) return sin_octant(e, z);
    if (!any(~odd)) return cos_octant(e, z);
  }
  return either_octant(e, count, z);
}
// For symmetric() modes: quarter turns are counted by adding a number whose last bit is one, and signs are put in at the end. The same bits as Turn's, for less. NaNs come through as they
// are, quieted, and infinities have become NaNs on the way here.
template <class A, class F>
struct QuarterTurns {
  F moved, z;
  decltype(as_u32(moved)) count;  // of quarter turns, in its low two bits
  QuarterTurns(A&, F r) : moved(r + 0x1.8p21f), z(r - (moved - 0x1.8p21f)), count(as_u32(moved)) {}
};
// `r`: x but for whole turns, at most 2^19 of them.
template <class A, class F>
F sin_quarters(A& e, F x, F r) {
  QuarterTurns<A, F> t(e, r);
  F size = octant_by_count(e, t.count, t.z);
  F result = select((t.count & 2u) != 0u, number<F>(e, 0) - size, size);
  return select(e.core.float_mode().flush_in32 ? x == 0 : fabs(x) < 0x1p-126f, x * 0x1.921fb6p+2f, result);
}
template <class A, class F>
F cos_quarters(A& e, F r) {
  QuarterTurns<A, F> t(e, r);
  F size = fma_is_cheap(e) ? select((t.count & 1u) != 0u, sin_octant(e, t.z), cos_octant(e, t.z))
                           : octant_by_count(e, t.count + 1u, t.z);
  return select(((t.count + 1u) & 2u) != 0u, number<F>(e, 0) - size, size);
}

// x counts turns. Whole turns fall away exactly; then the nearest quarter turn is taken out, exactly too.
template <class A, class F>
struct Turn {
  F r, a, z;  // x less whole turns, its size (at most 1/2), what is left beyond the nearest quarter turn, mirrored into it
  decltype(r < r) middle, back;  // |r| nearest to 1/4, to 1/2
  Turn(A& e, F x) : r(x - rndne(x)), a(fabs(r)), z(a), middle(a > 0.125f), back(a > 0.375f) {
    z = select(back, number<F>(e, 0.5) - a, select(middle, number<F>(e, 0.25) - a, a));
    middle = middle & ~back;
  }
};
template <class A, class F>
F sin_turns(A& e, F x) {
  if (symmetric(e)) return sin_quarters(e, x, x - rndne(x));
  Turn<A, F> t(e, x);
  F size = select(t.middle, cos_octant(e, t.z), sin_octant(e, t.z));
  F result = select(t.r < 0, -size, size);
  result = select((t.z == 0) & ~t.middle, number<F>(e, 0), result);  // whole and half turns
  return select(fabs(x) < 0x1p-126f, x * 0x1.921fb6p+2f, result);
}
template <class A, class F>
F cos_turns(A& e, F x) {
  if (symmetric(e)) return cos_quarters(e, x - rndne(x));
  Turn<A, F> t(e, x);
  F c = cos_octant(e, t.z);
  return select(t.middle, sin_octant(e, t.z), select(t.back, -c, c));
}

}  // namespace Atoll::amd
