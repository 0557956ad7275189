// The transcendental unit of gfx1201, to the last bit: seven tables of cubics in integers (isa/rdna4-transcendental.tsv) over one
// datapath, whose multiplier keeps 24 bits of its products. Nothing here is published by AMD: the rules are those that give all
// words and digests that ROCm/rocm-systems (emulation/rocjitsu/tests/transcendental_test.cpp and its like) holds of cards, which
// tests/isa/accuracy/card_digests.cpp computes again. The manual allows 1 ulp (RDNA4 ISA 7.10).
//
// A function is, with t what the operand's mantissa is beyond its segment's start, c0 + c1 t + t^2 (c2 + c3 t): the linear term is
// cut to its own grid, the inner sum and the square to 24 bits, the sum is rounded once. MODE does not count but where it is said.
#pragma once
#include "isa/amd/semantics/float_format.h"
#include "isa/rdna4/semantics/transcendental_tables.h"

namespace Atoll::rdna4 {

using amd::number, amd::word, amd::pattern;

// Lanes or one scalar: what the functions need of both.
template <class A, class U>
struct Unit {
  using F = decltype(as_f32(std::declval<U>()));
  using Truth = decltype(std::declval<U>() == std::declval<U>());
  static constexpr bool lanes = std::is_same_v<U, typename A::U32>;
  A& e;
  // The host's multiplier is the card's if it rounds to nearest. Scalars are cheap in integers.
  const bool host_rounds;
  // `half`: an instruction of halves, which runs with f64's and f16's rounding (wave/float_mode.h).
  Unit(A& adaptor, bool half)
      : e(adaptor),
        host_rounds(lanes && (half ? e.core.float_mode().round64 : e.core.float_mode().round32) == wave::Rounding::NearestEven) {}

  U of(uint32_t n) { return word<U>(e, n); }
  F constant(double x) { return number<F>(e, x); }
  template <size_t count>
  U row(const std::array<uint32_t, count>& table, U segment) {  // modulo their number
    return row(table.data(), unsigned(std::bit_width(count) - 1), segment);
  }
  U row(const uint32_t* table, unsigned log_count, U segment) { return e.core.constant_word(table, log_count, segment); }
  static U integer(F x) {  // of a whole number, or toward zero; beyond 2^31 anything
    if constexpr (lanes)
      return cvt_s32_f32_inside(x);
    else
      return cvt_s32_f32(x);
  }
  static F real(U x) { return cvt_f32_s32(x); }

  // The product of a 2^n and b, two whole numbers below 2^25, in units of 2^n: rounded to nearest even there, or at twice that where it has more
  // than 24 bits. (A host's float of 24 bits is finer for small products; added to 2^23 it is not.)
  F whole_product(F a, F b, int n) {
    if (host_rounds) {
      F large = a * b, small = fma(a, b, constant(0x1p23)) - 0x1p23f;
      return select(large < 0x1p23f, small, large);
    }
    auto p = widen(integer(a * float(uint32_t(1) << n))) * widen(integer(b));
    auto keep = [&](int bit) { return (p + ((uint64_t(1) << (bit - 1)) - 1) + (p >> bit & 1u)) >> bit; };
    return real(select((high(p) >> (n + 24 - 32)) != 0u, low(keep(n + 1)) << 1, low(keep(n))));
  }
  U product(F a, F b, int n) { return integer(whole_product(a, b, n)); }
  // c2 + c3 n to the nearest of 24 bits after the point, where c3 is a whole number of units of 2^-(23 + finer). If the sum is
  // below 1, c2 is 2 less, and so below 0. (A float in [1, 2) has units of 2^-23, one below 1 finer ones.)
  F inner(F c2, F c3, F n, int finer) {
    auto low_sum = c2 < 0.0f;
    if (host_rounds) {
      F sum = fma(c3, n, c2);
      return select(low_sum, sum + 2.0f, sum);
    }
    auto whole = widen(integer(select(low_sum, c2 + 2.0f, c2) * 0x1p23f)) << finer;
    auto sum = whole + sign_widen(integer(c3 * 0x1p23f * float(uint32_t(1) << finer))) * widen(integer(n));
    return real(low((sum + ((uint64_t(1) << (finer - 1)) - 1) + (sum >> finer & 1u)) >> finer)) * 0x1p-23f;
  }
  // The same of a c2 that is even in those units, which the table has less 1.5, and c3 n with n = `times` along, c3 in the table `times` as large: added to 1.5
  // first the product is rounded there whatever the sum. (|c3 n| < 1/2; an even number more leaves ties where they were.)
  F inner_even(F c2, F c3, F along, int times, int finer) {
    if (host_rounds) return fma(c3, along, constant(1.5)) + c2;
    auto whole = widen(integer((c2 + 1.5f) * 0x1p23f)) << finer;
    const float units = 0x1p23f * float(uint32_t(1) << finer) / float(times);
    auto sum = whole + sign_widen(integer(c3 * units)) * widen(integer(along * float(times)));
    return real(low((sum + ((uint64_t(1) << (finer - 1)) - 1) + (sum >> finer & 1u)) >> finer)) * 0x1p-23f;
  }
  F quadratic(F inner_sum, F square) { return whole_product(inner_sum, square, 23); }
  F quadratic(F inner_sum, U square) { return quadratic(inner_sum, real(square)); }
  // The bits of x under the mask, as a number, times 2^power.
  F field(U x, uint32_t mask, int power) {
    const uint32_t one = uint32_t(127 + 23 + power) << 23;
    return as_f32((x & mask) | one) - as_f32(of(one));
  }
  // True if operations can name their rounding, and the host's multiplier is the card's.
  bool names_roundings() const {
    if constexpr (lanes && A::Core::may_name_roundings)
      return host_rounds && e.core.names_roundings();
    else
      return false;
  }
  // floor((x >> n)^2 / 2^10) of an x that has 17 bits from n on: in 32 bits.
  static U square_of(U x, int n) { return (x >> (n + 1)) * ((x + (uint32_t(1) << n)) >> (n + 1)) >> 8; }
  // That of x's lowest 17 + n bits, as a number.
  F square_of_low(U x, int n) {
    const uint32_t bits = (uint32_t(1) << (17 + n)) - 1;
    if constexpr (lanes && A::Core::may_name_roundings)
      if (e.core.names_roundings()) {
        F root = field(x, bits & ~((uint32_t(1) << n) - 1), -n - 5);
        return e.core.floor_product(root, root);
      }
    return real(square_of(x & bits, n));
  }
  // The table's c0 less the linear term (of a root: and that) and q / 2^n beside it (less that), rounded as rounded_sum() does, in twice
  // the units: where instructions name their rounding.
  //
  // The last bit of c0 and the linear term does not count there: it is not made. With k half of the product, ceil(round(2 k) / 2) is
  // ceil(k - 1/4), ties to even included, but from 2 k = 2^24 on, where the product's last bit is no half any more: there it is k rounded to
  // nearest. The lesser of both is the right one everywhere, and so it is for -k, which is for roots.
  //
  // The sum's bits below a float's, `low` of them, become an f32 below a leading one that the table's c0 is less for.
  template <class Table>
  U cubic_by_roundings(const Table& table, U segment, F distance, F q, int n, bool root) {
    if constexpr (lanes && A::Core::may_name_roundings) {
      const int low = root ? 6 : 5;
      F c1 = as_f32(row(table.half_c1, segment)), near = c1 * distance, up = e.core.fma_up(c1, distance, constant(-0.25));
      U base = row(table.half_c0, segment) - e.core.cvt_s32_f32_up(select(up < near, up, near));
      F high = real(base & ~((1u << low) - 1)), parts = constant(1.0 / double(1u << n));
      F rest = as_f32((base << uint32_t(23 - low) & 0x7fffffu) | (uint32_t(127 + low + n) << 23));
      return as_u32(fma(root ? rest - q : rest + q, parts, high));
    } else {
      return segment;
    }
  }
  // The product of two such numbers as whole_product() has it, but ties are rounded down: of all reciprocals none has one that counts
  // (tests/isa/accuracy/card_digests.cpp has all).
  F whole_product_down(F a, F b) {
    if constexpr (lanes && A::Core::may_name_roundings) {
      F near = a * b, up = e.core.fma_up(a, b, constant(-0.5));
      return ceil(select(up < near, up, near));
    } else {
      return a;
    }
  }
  // base + q / 2^n, a number of five bits too many: twice that, in 31 bits, the last one set where something is lost. (The sum of the
  // numbers below and above.)
  static U to_odd(U twice_base, U q, int n) { return twice_base + (q >> n) + ((q + ((uint32_t(1) << n) - 1)) >> n); }
  static U to_odd_less(U twice_base, U q, int n) { return twice_base - (q >> n) - ((q + ((uint32_t(1) << n) - 1)) >> n); }
  // Such a number rounded to nearest even: the bits of it as a float of its size.
  U rounded(U sum) { return ((sum + 31u + (sum >> 6 & 1u)) >> 6) + 0x4d800000u; }
  // base + q / 2^n, or base - q / 2^n, of twice a base whose last bit does not count, rounded at once: the host does it, after base's bits
  // below a float's are added to q. (Where that is more than 24 bits, a bit that never decides is lost: no mantissa tells.)
  U rounded_sum(U twice_base, F q, int n, bool less = false) {
    if (host_rounds) {
      const uint32_t rest = less ? 127 : 63;  // (the base of a difference may have a bit more than the result)
      F units = constant(double(1u << (n - 1))), parts = constant(1.0 / double(1u << (n - 1)));
      return as_u32(fma(fma(real(twice_base & (rest - 1)), units, less ? -q : q), parts, real(twice_base & ~rest)));
    }
    U base = twice_base & ~1u;
    return rounded(less ? to_odd_less(base, integer(q), n) : to_odd(base, integer(q), n));
  }
  // The same as to_odd()'s, cut off, its last bit set where anything was lost: what is rounded once more then is rounded as if at once.
  U cut_to_odd(U sum) { return (sum >> 6 | ((sum & 63u) + 63u) >> 6) + 0x4d800000u; }
  // A number of 31 bits, to 24 bits toward zero, as the bits of a float: in any of the host's modes.
  U cut(U x) {
    if constexpr (lanes && A::Core::may_name_roundings)
      if (e.core.names_roundings()) return as_u32(e.core.cvt_f32_s32_down(x));
    F near = real(x);
    U bits = as_u32(near);
    return select(sgt(integer(near), x), bits - 1u, bits);
  }
  // A number of 31 bits and a sign, to 24 bits toward minus infinity, as the bits of a float: in any of the host's modes.
  U floored(U x) {
    if constexpr (lanes && A::Core::may_name_roundings)
      if (e.core.names_roundings()) return as_u32(e.core.cvt_f32_s32_down(x));
    F near = real(x);
    U bits = as_u32(near);
    return select(sgt(integer(near), x), bits - (ashr(x, 31) | 1u), bits);
  }
};

// The results for NaNs.
template <class A, class U>
U of_numbers(A& e, U x, U result) {
  return select(isnan(as_f32(x)), x | 0x400000u, result);
}
// `usual`, but where the condition holds what f gives: of lanes only where one of them needs it.
template <class A, class U, class F>
U seldom(A& e, typename Unit<A, U>::Truth condition, U usual, F f) {
  if constexpr (Unit<A, U>::lanes)
    return e.core.seldom(condition, usual, f);
  else
    return select(condition, f(), usual);
}

// All take and give a float's bits. `half`: for an instruction of halves; the exponential's sum is then rounded to one at once.

template <class A, class U>
U unit_reciprocal(A& e, U x, bool half) {
  Unit<A, U> u(e, half);
  U segment = x >> 18;
  auto distance = u.field(x, 0x3ffff, 0), square = u.square_of_low(x, 1);
  auto c2 = as_f32(u.row(reciprocal_table.c2, segment)), c3 = as_f32(u.row(reciprocal_table.c3, segment));
  auto inner = u.inner_even(c2, c3, distance + 0.25f, 4, 12);
  uint32_t exponent = 0x3f800000u - 0x0f000000u;
  U sum = x;
  if (u.names_roundings()) {
    sum = u.cubic_by_roundings(reciprocal_table, segment, distance, u.whole_product_down(inner, square), 6, false);
    exponent += 0x800000u;
  } else {
    U linear = u.product(as_f32(u.row(reciprocal_table.c1, segment)), distance, 14);
    sum = u.rounded_sum(u.row(reciprocal_table.c0, segment) - linear, u.quadratic(inner, square), 6);
  }
  // (less the exponent field of x, and its sign)
  U result = sum + ((u.of(exponent + 0x7fffffu) - x) & 0xff800000u), size = x & 0x7fffffffu;
  // Operands that are no normal numbers, or have a reciprocal below these.
  return seldom(e, size - 0x800000u > 0x7e800000u - 0x800000u, result,
                [&] { return of_numbers(e, x, select(size < 0x800000u, u.of(0x7f800000u), u.of(0)) | (x & 0x80000000u)); });
}

// All but positive normal numbers, and what square roots, their reciprocals and logarithms give for them: `zero`, `infinity` of these.
template <class U>
auto no_positive_number(U x) {
  return x - 0x800000u >= 0x7f000000u;
}
template <class A, class U>
U of_no_positive_number(A& e, U x, U zero, U infinity) {
  U other = select(x == 0x7f800000u, infinity, word<U>(e, wave::default_nan32));
  return of_numbers(e, x, select((x & 0x7f800000u) == 0u, (x & 0x80000000u) | zero, other));
}

template <class A, class U>
U unit_reciprocal_root(A& e, U x, bool half) {
  Unit<A, U> u(e, half);
  U segment = x >> 18;  // (the exponent's lowest bit counts as the mantissa's highest)
  auto distance = u.field(x, 0x3ffff, 0);
  U linear = u.product(as_f32(u.row(reciprocal_root_table.c1, segment)), distance, 13);
  auto c2 = as_f32(u.row(reciprocal_root_table.c2, segment)), c3 = as_f32(u.row(reciprocal_root_table.c3, segment));
  auto q = u.quadratic(u.inner_even(c2, c3, distance + 0.25f, 4, 11), u.square_of_low(x, 1));
  U sum = u.rounded_sum((u.row(reciprocal_root_table.c0, segment) - linear) >> 1, q, 7);
  // 0x11000000 - ((x + 0x800000) / 2), its field of the exponent alone: minus half the exponent.
  U half_exponent = ashr(u.of(2 * 0x11000000u + 0x7fffffu) - x, 1) & 0xff800000u;
  return seldom(e, no_positive_number(x), sum + half_exponent,
                [&] { return of_no_positive_number(e, x, u.of(0x7f800000u), u.of(0)); });
}

template <class A, class U>
U unit_root(A& e, U x, bool half) {
  Unit<A, U> u(e, half);
  U segment = x >> 19;
  auto distance = u.field(x, 0x7ffff, 0);
  auto c2 = as_f32(u.row(root_table.c2, segment)), c3 = as_f32(u.row(root_table.c3, segment));
  auto q = u.quadratic(u.inner_even(c2, c3, distance + 0.5f, 2, 11), u.square_of_low(x, 2));
  U result = x;
  if (u.names_roundings()) {  // (no root is rounded up to a power of two: half the exponent stands where the sum's is)
    U sum = u.cubic_by_roundings(root_table, segment, distance, q, 7, true);
    result = (sum & 0x7fffffu) | ((x + 0x3f800000u) >> 1 & 0xff800000u);
  } else {
    U linear = u.product(as_f32(u.row(root_table.c1, segment)), distance, 16);
    U sum = u.rounded_sum(u.row(root_table.c0, segment) + linear, q, 7, true);
    // (x + 0x800000) / 2 - 0x2e800000, its field of the exponent alone: half the exponent.
    result = sum + (ashr(x - (2 * 0x2e800000u - 0x800000u), 1) & 0xff800000u);
  }
  return seldom(e, no_positive_number(x), result, [&] { return of_no_positive_number(e, x, u.of(0), u.of(0x7f800000u)); });
}

template <class A, class U>
U unit_exponential(A& e, U x, bool half) {
  Unit<A, U> u(e, half);
  auto value = as_f32(x), whole = trunc(value);
  // 29 bits of fraction, cut; below zero the complement of them, one whole number lower.
  U below = ashr(x, 31), fraction = (u.integer((value - whole) * 0x1p29f) + below) & 0x1fffffffu, n = u.integer(whole) + below;
  U segment = fraction >> 24, t = fraction & 0xffffffu, h = t >> 6;
  U linear = u.product(as_f32(u.row(exponential_table.c1, segment)), u.real(t), 23);
  auto c2 = as_f32(u.row(exponential_table.c2, segment)), c3 = as_f32(u.row(exponential_table.c3, segment));
  auto q = u.quadratic(u.inner(c2, c3, u.real(h), 7), mul_high_u(h << 10, h << 10));
  U twice_base = u.row(exponential_table.c0, segment) + linear;
  U sum = half ? u.cut_to_odd(u.to_odd(twice_base & ~1u, u.integer(q), 8)) : u.rounded_sum(twice_base, q, 8);
  U result = sum - 0x0e800000u + (n << 23), size = x & 0x7fffffffu;
  result = select(size < 0x33800000u, u.of(0x3f800000u), result);
  result = select(x > 0xc2fc0000u, u.of(0), result);  // below -126
  result = select(sge(x, 0x43000000u), u.of(0x7f800000u), result);
  return of_numbers(e, x, result);
}

// For x from 0x3f7c0000 to 0x3f840000, but not 1; `apart`: its bits less those of 1.
template <class A, class U>
U logarithm_close_to_1(A& e, U apart, bool half) {
  Unit<A, U> u(e, half);
  // The rest of x is moved up by z, a multiple of four, until it has 15 to 18 bits.
  U size = smax(apart, u.of(0) - apart);
  auto below = slt(apart, 0u);
  auto real_size = u.real(size);
  U z = (u.of(144) - umin(as_u32(real_size) >> 23, u.of(144))) & 0x1cu, distance = size << z << 11;
  U segment = (size >> 16) + select(below, u.of(16), u.of(8));
  auto row = [&](const auto& table) { return u.row(table.data() + 32, 5, segment); };
  U linear = mul_high_u(distance, row(logarithm_table.c1)), square = mul_high_u(distance, size << 9);
  auto along = select(below, real_size - 1.0f, fma(real_size, u.constant(2), u.constant(1)));
  auto inner = u.inner(as_f32(row(logarithm_table.c2)), as_f32(row(logarithm_table.c3)), along, 22);
  auto real_q = u.quadratic(inner, square);
  U q = u.integer(real_q), c0 = row(logarithm_table.c0);
  // Below 1 what is beyond the eighth part of q is cut.
  U all_of_it = (select(fma(inner, u.real(square), -real_q) < 0.0f, q - 1u, q) >> 3) + 1u;
  U sum = select(below, u.of(0) - (linear + all_of_it + c0), c0 + (linear << 2) - q);
  U result = u.floored(sum) - ((select(below, u.of(34), u.of(35)) + z) << 23);
  return select(below, result, result + 1u);
}

template <class A, class U>
U unit_logarithm(A& e, U x, bool half) {
  Unit<A, U> u(e, half);
  U d = x & 0x3ffffu, segment = x >> 18;
  auto beyond_half = (x >> 17 & 63u) == 3u;  // of row 1
  auto row = [&](const auto& table) { return select(beyond_half, u.of(table[32]), u.row(table.data(), 5, segment)); };
  U distance = d << 8;
  U linear = mul_high_u(distance, row(logarithm_table.c1)), square = mul_high_u(distance, d << 12);
  auto inner =
      u.inner(as_f32(row(logarithm_table.c2)), as_f32(row(logarithm_table.c3)), fma(u.real(d), u.constant(2), u.constant(1)), 22);
  U q = u.integer(u.quadratic(inner, square));
  // In units of 2^-30; of which only as many count as fit beside a larger whole part.
  U n = (x >> 23) - 127u, fraction = row(logarithm_table.c0) + linear - ((q + 31u) >> 5);
  auto unit_range = n + 1u < 2u;
  U sum = select(unit_range, (n << 30) + fraction, (n << 23) + (fraction >> 7));
  U result = u.floored(sum) - select(unit_range, u.of(30u << 23), u.of(23u << 23)), apart = x - 0x3f800000u;
  result = seldom(e, (apart + 0x40000u < 0x80000u) & (apart != 0u), result, [&] { return logarithm_close_to_1(e, apart, half); });
  return seldom(e, no_positive_number(x) | (apart == 0u), result,
                [&] { return select(apart == 0u, u.of(0), of_no_positive_number(e, x, u.of(0xff800000u), u.of(0x7f800000u))); });
}

// x counts turns. The sine of small ones is a product with 2 pi, and the one result that may be a denormal.
template <class A, class U>
typename Unit<A, U>::F unit_small_sine(A& e, U x, bool half) {
  Unit<A, U> u(e, half);
  if (u.host_rounds) return as_f32(x) * 0x1.921faap+2f;
  const auto& mode = e.core.float_mode();
  U size = x & 0x7fffffffu;
  if (mode.flush_in32) size = select(size < 0x800000u, u.of(0), size);
  U field = size >> 23, significand = select(field != 0u, (size & 0x7fffffu) | 0x800000u, size), exponent = umax(field, u.of(1));
  // The product counts 2^(exponent - 171). A normal result keeps 24 bits of it, a denormal one what lies above 2^-149.
  auto product = widen(significand) * widen(u.of(0xc90fd5u));
  U lost = smax(u.of(40) - low(clz(product)), u.of(22) - exponent);
  auto one = widen(u.of(1)), at = widen(lost);
  U kept = low((product + ((one << (at - one)) - one) + (product >> at & one)) >> at);
  U result = kept + ((exponent + lost - 22u) << 23);
  if (mode.flush_out32) result = select(result < 0x800000u, u.of(0), result);
  return as_f32(result | (x & 0x80000000u));
}

template <class A, class U>
typename Unit<A, U>::F unit_sine(A& e, U x, bool half, bool cosine) {
  Unit<A, U> u(e, half);
  auto size = as_f32(x & 0x7fffffffu);
  U turn = u.integer((size - floor(size)) * 0x1p31f);  // 31 bits of fraction, cut
  // The eighth of a turn, counted from the nearer end of its quarter: by the sine's table or the cosine's. Bit 28 tells whether that is the
  // other function's.
  U reflected = ashr(turn << 3, 31), along = (turn ^ reflected) & 0xfffffffu, crossed = (turn ^ turn >> 1) & 0x10000000u;
  U place_in_table = along | crossed, segment = place_in_table >> 24, v = along & 0xffffffu;
  const uint32_t sine = cosine ? 16 : 0;
  const auto& table = cosine ? turn_table_of_cosine : turn_table;
  auto of_cosine = cosine ? crossed == 0u : crossed != 0u;
  auto first = segment == sine, fine = (segment & 30u) == sine;
  U c0 = u.row(table.c0, segment), c1 = u.row(table.c1, segment);
  auto c2 = as_f32(u.row(table.c2, segment)), c3 = as_f32(u.row(table.c3, segment));
  auto along_cubic = u.real(v >> 6);
  auto inner = u.inner_even(c2, c3, select(of_cosine, along_cubic + 1.0f, along_cubic), 1, 11);
  // Near zero the sine is moved up by z, a multiple of four, to 21 to 24 bits.
  U z = select(first, (u.of(144) - (as_u32(along_cubic) >> 23)) & 0x1cu, u.of(0)), moved = (v - reflected) << z;
  U root = (v >> 7) << (z >> 1);
  U q = u.integer(u.quadratic(inner, (root >> 1) * ((root + 1u) >> 1) >> 8));
  U rounded_up = umin(v + select(fine, u.of(2), u.of(8)), v | 0xfffffu);
  // Ordinary segments.
  U linear = u.product(as_f32(c1), u.real(rounded_up >> 4), 17);
  U sum = c0 + select(of_cosine, u.of(0) - linear, linear) - ((q + 63u) >> 6 << 1);
  // The sine's first two.
  U fine_place = (rounded_up & ~3u) << 3;
  U first_place = (moved << 5) - select(((moved & 0xfffffu) == 0u) & (reflected != 0u), u.of(32), u.of(0));
  U fine_linear = mul_high_u(select(first, u.of(fine_c1(0)), u.of(fine_c1(1))), select(first, first_place, fine_place));
  U fine_sum = select(first, fine_linear << 2, (fine_linear << 4) + fine_c0(1)) - q;
  U unit = select(fine, (z + 34u) << 23, u.of(29u << 23));
  sum = select(fine, fine_sum, sum);
  U result = u.cut(sum) - unit;
  result = select(of_cosine & (along < 46592u), u.of(0x3f800000u), result);
  U sign = (turn << 1 ^ (cosine ? turn << 2 : x)) & 0x80000000u;
  result = select(sum == 0u, u.of(0), result | sign);
  auto value = as_f32(result);
  U bits = x & 0x7fffffffu;
  if (!cosine) value = select(bits < 0x39c00000u, unit_small_sine(e, x, half), value);
  value = select(bits >= 0x7f800000u, as_f32(u.of(wave::default_nan32)), value);
  return select(bits > 0x7f800000u, as_f32(x | 0x400000u), value);
}

}  // namespace Atoll::rdna4
