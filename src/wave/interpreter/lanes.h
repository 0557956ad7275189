// The interpreter's values: 32 lanes at once in the compiler's vector types, and plain scalars in a type of their own so that the
// two never mix silently. Compiled once for each host level (ATOLL_LEVEL: baseline, avx2, avx512) into a namespace of that name,
// because inline functions built for AVX-512 must never be picked by the linker for a baseline host.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "wave/nan.h"
#ifdef __F16C__
#include <immintrin.h>
#endif

#ifndef ATOLL_LEVEL
#error "ATOLL_LEVEL names the host level this file is compiled for"
#endif

namespace Atoll::wave::ATOLL_LEVEL {

inline constexpr int kLanes = 32;

template <class T>
struct VectorOf;
template <>
struct VectorOf<uint32_t> {
  typedef uint32_t type __attribute__((ext_vector_type(32)));
};
template <>
struct VectorOf<int32_t> {
  typedef int32_t type __attribute__((ext_vector_type(32)));
};
template <>
struct VectorOf<uint64_t> {
  typedef uint64_t type __attribute__((ext_vector_type(32)));
};
template <>
struct VectorOf<int64_t> {
  typedef int64_t type __attribute__((ext_vector_type(32)));
};
template <>
struct VectorOf<float> {
  typedef float type __attribute__((ext_vector_type(32)));
};
template <>
struct VectorOf<double> {
  typedef double type __attribute__((ext_vector_type(32)));
};
template <class T>
using Vector = typename VectorOf<T>::type;
typedef bool BoolVector __attribute__((ext_vector_type(32)));

// A value of one type T on all lanes, or one scalar. `v` is the raw vector or number.
template <class T>
struct Lanes {
  Vector<T> v;
};
template <class T>
struct Scalar {
  T v;
};
struct M {
  uint32_t bits;
};
struct S1 {
  bool v;
};

using U32 = Lanes<uint32_t>;
using U64 = Lanes<uint64_t>;
using F32 = Lanes<float>;
using F64 = Lanes<double>;
using S32 = Scalar<uint32_t>;
using S64 = Scalar<uint64_t>;
using SF32 = Scalar<float>;
using SF64 = Scalar<double>;

template <class V>
inline M mask_bits(V comparison) {
  return {__builtin_bit_cast(uint32_t, __builtin_convertvector(comparison, BoolVector))};
}
template <class T>
inline auto spread(M m) {
  using Signed = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  return __builtin_convertvector(__builtin_bit_cast(BoolVector, m.bits), Vector<Signed>) != 0;
}

// --- integers ---------------------------------------------------------------------------------------------------------------
template <class T>
concept Integer = std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>;
template <class T>
concept Real = std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
using SignedOf = std::make_signed_t<T>;

#define ATOLL_INTEGER_OPERATOR(op)                                       \
  template <Integer T>                                                   \
  inline Lanes<T> operator op(Lanes<T> a, Lanes<T> b) {                  \
    return {a.v op b.v};                                                 \
  }                                                                      \
  template <Integer T>                                                   \
  inline Lanes<T> operator op(Lanes<T> a, std::type_identity_t<T> b) {   \
    return {a.v op Vector<T>(b)};                                        \
  }                                                                      \
  template <Integer T>                                                   \
  inline Scalar<T> operator op(Scalar<T> a, Scalar<T> b) {               \
    return {T(a.v op b.v)};                                              \
  }                                                                      \
  template <Integer T>                                                   \
  inline Scalar<T> operator op(Scalar<T> a, std::type_identity_t<T> b) { \
    return {T(a.v op b)};                                                \
  }
ATOLL_INTEGER_OPERATOR(+)
ATOLL_INTEGER_OPERATOR(-)
ATOLL_INTEGER_OPERATOR(*)
ATOLL_INTEGER_OPERATOR(&)
ATOLL_INTEGER_OPERATOR(|)
ATOLL_INTEGER_OPERATOR(^)
#undef ATOLL_INTEGER_OPERATOR
// Counts are below the width by contract; the mask keeps C++ defined and costs nothing where the caller's own mask is seen.
#define ATOLL_SHIFT_OPERATOR(op)                           \
  template <Integer T>                                     \
  inline Lanes<T> operator op(Lanes<T> a, Lanes<T> n) {    \
    return {a.v op(n.v & Vector<T>(sizeof(T) * 8 - 1))};   \
  }                                                        \
  template <Integer T>                                     \
  inline Lanes<T> operator op(Lanes<T> a, int n) {         \
    return {a.v op Vector<T>(T(n) & (sizeof(T) * 8 - 1))}; \
  }                                                        \
  template <Integer T>                                     \
  inline Scalar<T> operator op(Scalar<T> a, Scalar<T> n) { \
    return {T(a.v op(n.v & (sizeof(T) * 8 - 1)))};         \
  }                                                        \
  template <Integer T>                                     \
  inline Scalar<T> operator op(Scalar<T> a, int n) {       \
    return {T(a.v op(T(n) & (sizeof(T) * 8 - 1)))};        \
  }
ATOLL_SHIFT_OPERATOR(<<)
ATOLL_SHIFT_OPERATOR(>>)
#undef ATOLL_SHIFT_OPERATOR
template <Integer T>
inline Lanes<T> operator~(Lanes<T> a) {
  return {~a.v};
}
template <Integer T>
inline Scalar<T> operator~(Scalar<T> a) {
  return {T(~a.v)};
}
template <Integer T>
inline Lanes<T> ashr(Lanes<T> a, Lanes<T> n) {
  return {(Vector<T>)((Vector<SignedOf<T>>)a.v >> (Vector<SignedOf<T>>)(n.v & Vector<T>(sizeof(T) * 8 - 1)))};
}
template <Integer T>
inline Lanes<T> ashr(Lanes<T> a, int n) {
  return ashr(a, Lanes<T>{Vector<T>(T(n))});
}
template <Integer T>
inline Scalar<T> ashr(Scalar<T> a, Scalar<T> n) {
  return {T(SignedOf<T>(a.v) >> (n.v & (sizeof(T) * 8 - 1)))};
}
template <Integer T>
inline Scalar<T> ashr(Scalar<T> a, int n) {
  return {T(SignedOf<T>(a.v) >> n)};
}

#define ATOLL_COMPARE(op)                                         \
  template <Integer T>                                            \
  inline M operator op(Lanes<T> a, Lanes<T> b) {                  \
    return mask_bits(a.v op b.v);                                 \
  }                                                               \
  template <Integer T>                                            \
  inline M operator op(Lanes<T> a, std::type_identity_t<T> b) {   \
    return mask_bits(a.v op Vector<T>(b));                        \
  }                                                               \
  template <Integer T>                                            \
  inline S1 operator op(Scalar<T> a, Scalar<T> b) {               \
    return {a.v op b.v};                                          \
  }                                                               \
  template <Integer T>                                            \
  inline S1 operator op(Scalar<T> a, std::type_identity_t<T> b) { \
    return {a.v op b};                                            \
  }
ATOLL_COMPARE(==)
ATOLL_COMPARE(!=)
ATOLL_COMPARE(<)
ATOLL_COMPARE(<=)
ATOLL_COMPARE(>)
ATOLL_COMPARE(>=)
#undef ATOLL_COMPARE
#define ATOLL_SIGNED_COMPARE(name, op)                                      \
  template <Integer T>                                                      \
  inline M name(Lanes<T> a, Lanes<T> b) {                                   \
    return mask_bits((Vector<SignedOf<T>>)a.v op(Vector<SignedOf<T>>) b.v); \
  }                                                                         \
  template <Integer T>                                                      \
  inline M name(Lanes<T> a, std::type_identity_t<T> b) {                    \
    return name(a, Lanes<T>{Vector<T>(b)});                                 \
  }                                                                         \
  template <Integer T>                                                      \
  inline S1 name(Scalar<T> a, Scalar<T> b) {                                \
    return {SignedOf<T>(a.v) op SignedOf<T>(b.v)};                          \
  }                                                                         \
  template <Integer T>                                                      \
  inline S1 name(Scalar<T> a, std::type_identity_t<T> b) {                  \
    return {SignedOf<T>(a.v) op SignedOf<T>(b)};                            \
  }
ATOLL_SIGNED_COMPARE(slt, <)
ATOLL_SIGNED_COMPARE(sle, <=)
ATOLL_SIGNED_COMPARE(sgt, >)
ATOLL_SIGNED_COMPARE(sge, >=)
#undef ATOLL_SIGNED_COMPARE

// --- masks, choice ----------------------------------------------------------------------------------------------------------
inline M operator&(M a, M b) { return {a.bits & b.bits}; }
inline M operator|(M a, M b) { return {a.bits | b.bits}; }
inline M operator^(M a, M b) { return {a.bits ^ b.bits}; }
inline M operator~(M a) { return {~a.bits}; }
inline S1 operator&(S1 a, S1 b) { return {bool(a.v & b.v)}; }
inline S1 operator|(S1 a, S1 b) { return {bool(a.v | b.v)}; }
inline S1 operator^(S1 a, S1 b) { return {bool(a.v ^ b.v)}; }
inline S1 operator~(S1 a) { return {!a.v}; }
template <class T>
inline Lanes<T> select(M m, Lanes<T> a, Lanes<T> b) {
  return {spread<T>(m) ? a.v : b.v};
}
template <class T>
inline Lanes<T> select(M m, Lanes<T> a, std::type_identity_t<T> b) {
  return select(m, a, Lanes<T>{Vector<T>(b)});
}
template <class T>
inline Scalar<T> select(S1 c, Scalar<T> a, Scalar<T> b) {
  return c.v ? a : b;
}
template <class T>
inline Scalar<T> select(S1 c, Scalar<T> a, std::type_identity_t<T> b) {
  return c.v ? a : Scalar<T>{b};
}
inline S1 select(S1 c, S1 a, S1 b) { return c.v ? a : b; }
inline M select(M c, M a, M b) { return {(a.bits & c.bits) | (b.bits & ~c.bits)}; }
template <class V>
concept IntegerValue = std::is_same_v<V, U32> || std::is_same_v<V, U64> || std::is_same_v<V, S32> || std::is_same_v<V, S64>;
template <IntegerValue V>
inline V umin(V a, V b) {
  return select(a < b, a, b);
}
template <IntegerValue V>
inline V umax(V a, V b) {
  return select(a > b, a, b);
}
template <IntegerValue V>
inline V smin(V a, V b) {
  return select(slt(a, b), a, b);
}
template <IntegerValue V>
inline V smax(V a, V b) {
  return select(sgt(a, b), a, b);
}

// --- widths, bits -----------------------------------------------------------------------------------------------------------
inline U64 widen(U32 a) { return {__builtin_convertvector(a.v, Vector<uint64_t>)}; }
inline S64 widen(S32 a) { return {a.v}; }
inline U64 sign_widen(U32 a) { return {(Vector<uint64_t>)__builtin_convertvector((Vector<int32_t>)a.v, Vector<int64_t>)}; }
inline S64 sign_widen(S32 a) { return {uint64_t(int64_t(int32_t(a.v)))}; }
inline U32 low(U64 a) { return {__builtin_convertvector(a.v, Vector<uint32_t>)}; }
inline S32 low(S64 a) { return {uint32_t(a.v)}; }
inline U32 high(U64 a) { return {__builtin_convertvector(a.v >> 32, Vector<uint32_t>)}; }
inline S32 high(S64 a) { return {uint32_t(a.v >> 32)}; }
inline U64 join(U32 l, U32 h) { return {widen(l).v | widen(h).v << 32}; }
inline S64 join(S32 l, S32 h) { return {l.v | uint64_t(h.v) << 32}; }
// Products of two halves of each pair of lanes, where hosts multiply them.
typedef uint64_t PairVector __attribute__((ext_vector_type(16)));
inline U32 mul_high_u(U32 a, U32 b) {
  auto x = (PairVector)a.v, y = (PairVector)b.v;
  PairVector even = (x & 0xffffffffull) * (y & 0xffffffffull), odd = (x >> 32) * (y >> 32);
  return {(Vector<uint32_t>)((even >> 32) | (odd & 0xffffffff00000000ull))};
}
inline S32 mul_high_u(S32 a, S32 b) { return high(widen(a) * widen(b)); }
inline U32 mul_high_s(U32 a, U32 b) { return high(sign_widen(a) * sign_widen(b)); }
inline S32 mul_high_s(S32 a, S32 b) { return high(sign_widen(a) * sign_widen(b)); }
template <Integer T>
inline Lanes<T> popcount(Lanes<T> a) {  // pairs, nibbles, bytes, then the sum of bytes by a multiply
  constexpr T ones = ~T(0);
  a = a - (a >> 1 & T(ones / 3));
  a = (a & T(ones / 5)) + (a >> 2 & T(ones / 5));
  a = (a + (a >> 4)) & T(ones / 17);
  return a * T(ones / 255) >> int(sizeof(T) * 8 - 8);
}
template <Integer T>
inline Scalar<T> popcount(Scalar<T> a) {
  return {T(std::popcount(a.v))};
}
template <Integer T>
inline Lanes<T> clz(Lanes<T> a) {
  for (unsigned n = 1; n < sizeof(T) * 8; n *= 2) a = a | a >> int(n);  // ones below the leading one
  return popcount(~a);
}
template <Integer T>
inline Scalar<T> clz(Scalar<T> a) {
  return {T(std::countl_zero(a.v))};
}
template <Integer T>
inline Lanes<T> ctz(Lanes<T> a) {
  return popcount(~a & (a - T(1)));
}
template <Integer T>
inline Scalar<T> ctz(Scalar<T> a) {
  return {T(std::countr_zero(a.v))};
}
template <Integer T>
inline Lanes<T> bitreverse(Lanes<T> a) {
  return {__builtin_elementwise_bitreverse(a.v)};
}
inline S32 bitreverse(S32 a) { return {__builtin_bitreverse32(a.v)}; }
inline S64 bitreverse(S64 a) { return {__builtin_bitreverse64(a.v)}; }
inline U32 fshr(U32 h, U32 l, U32 n) { return {l.v >> (n.v & 31u) | (h.v << 1) << (31u - (n.v & 31u))}; }
inline S32 fshr(S32 h, S32 l, S32 n) { return {l.v >> (n.v & 31u) | (h.v << 1) << (31u - (n.v & 31u))}; }

// --- floats -----------------------------------------------------------------------------------------------------------------
inline F32 as_f32(U32 a) { return {(Vector<float>)a.v}; }
inline U32 as_u32(F32 a) { return {(Vector<uint32_t>)a.v}; }
inline F64 as_f64(U64 a) { return {(Vector<double>)a.v}; }
inline U64 as_u64(F64 a) { return {(Vector<uint64_t>)a.v}; }
inline SF32 as_f32(S32 a) { return {std::bit_cast<float>(a.v)}; }
inline S32 as_u32(SF32 a) { return {std::bit_cast<uint32_t>(a.v)}; }
inline SF64 as_f64(S64 a) { return {std::bit_cast<double>(a.v)}; }
inline S64 as_u64(SF64 a) { return {std::bit_cast<uint64_t>(a.v)}; }

template <class T>
struct NanRule;
template <>
struct NanRule<float> {
  using Bits = uint32_t;
  static constexpr Bits canonical = default_nan32, quiet = quiet_bit32;
};
template <>
struct NanRule<double> {
  using Bits = uint64_t;
  static constexpr Bits canonical = default_nan64, quiet = quiet_bit64;
};

// The result of an operation with what nan.h says wherever it is a NaN. The mending stays in line, out of the hot path: a call
// would make every operand take a home in memory first.
template <Real T>
inline Vector<T> mend_nans(Vector<T> result) {
  using Bits = typename NanRule<T>::Bits;
  return select(mask_bits(result != result), Lanes<T>{(Vector<T>)Vector<Bits>(NanRule<T>::canonical)}, Lanes<T>{result}).v;
}
template <Real T, class... Rest>
inline Vector<T> mend_nans(Vector<T> result, Vector<T> first, Rest... rest) {
  using Bits = typename NanRule<T>::Bits;
  Vector<T> quieted = (Vector<T>)((Vector<Bits>)first | Vector<Bits>(NanRule<T>::quiet));
  return select(mask_bits(first != first), Lanes<T>{quieted}, Lanes<T>{mend_nans<T>(result, rest...)}).v;
}
template <Real T, class... Operands>
inline Lanes<T> arithmetic(Vector<T> result, Operands... operands) {
  if (mask_bits(result != result).bits) [[unlikely]]
    return {mend_nans<T>(result, operands...)};
  return {result};
}
template <Real T, class... Operands>
inline Scalar<T> arithmetic_scalar(T result, Operands... operands) {
  if (result == result) return {result};
  using Bits = typename NanRule<T>::Bits;
  Bits bits = NanRule<T>::canonical;
  bool found = false;
  auto take = [&](T x) {
    if (!found && x != x) bits = std::bit_cast<Bits>(x) | NanRule<T>::quiet, found = true;
  };
  (take(operands), ...);
  return {std::bit_cast<T>(bits)};
}

#define ATOLL_FLOAT_OPERATOR(op)                                         \
  template <Real T>                                                      \
  inline Lanes<T> operator op(Lanes<T> a, Lanes<T> b) {                  \
    return arithmetic<T>(a.v op b.v, a.v, b.v);                          \
  }                                                                      \
  template <Real T>                                                      \
  inline Lanes<T> operator op(Lanes<T> a, std::type_identity_t<T> b) {   \
    return a op Lanes<T>{Vector<T>(b)};                                  \
  }                                                                      \
  template <Real T>                                                      \
  inline Scalar<T> operator op(Scalar<T> a, Scalar<T> b) {               \
    return arithmetic_scalar<T>(a.v op b.v, a.v, b.v);                   \
  }                                                                      \
  template <Real T>                                                      \
  inline Scalar<T> operator op(Scalar<T> a, std::type_identity_t<T> b) { \
    return a op Scalar<T>{b};                                            \
  }
ATOLL_FLOAT_OPERATOR(+)
ATOLL_FLOAT_OPERATOR(-)
ATOLL_FLOAT_OPERATOR(*)
ATOLL_FLOAT_OPERATOR(/)
#undef ATOLL_FLOAT_OPERATOR
#define ATOLL_FLOAT_COMPARE(op)                                   \
  template <Real T>                                               \
  inline M operator op(Lanes<T> a, Lanes<T> b) {                  \
    return mask_bits(a.v op b.v);                                 \
  }                                                               \
  template <Real T>                                               \
  inline M operator op(Lanes<T> a, std::type_identity_t<T> b) {   \
    return mask_bits(a.v op Vector<T>(b));                        \
  }                                                               \
  template <Real T>                                               \
  inline S1 operator op(Scalar<T> a, Scalar<T> b) {               \
    return {a.v op b.v};                                          \
  }                                                               \
  template <Real T>                                               \
  inline S1 operator op(Scalar<T> a, std::type_identity_t<T> b) { \
    return {a.v op b};                                            \
  }
ATOLL_FLOAT_COMPARE(==)
ATOLL_FLOAT_COMPARE(!=)
ATOLL_FLOAT_COMPARE(<)
ATOLL_FLOAT_COMPARE(<=)
ATOLL_FLOAT_COMPARE(>)
ATOLL_FLOAT_COMPARE(>=)
#undef ATOLL_FLOAT_COMPARE
template <Real T>
inline M isnan(Lanes<T> a) {
  return mask_bits(a.v != a.v);
}
template <Real T>
inline S1 isnan(Scalar<T> a) {
  return {a.v != a.v};
}
template <Real T>
inline M unordered(Lanes<T> a, Lanes<T> b) {
  return isnan(a) | isnan(b);
}
template <Real T>
inline S1 unordered(Scalar<T> a, Scalar<T> b) {
  return isnan(a) | isnan(b);
}

inline F32 fabs(F32 a) { return as_f32(as_u32(a) & 0x7fffffffu); }
inline F64 fabs(F64 a) { return as_f64(as_u64(a) & 0x7fffffffffffffffull); }
inline SF32 fabs(SF32 a) { return as_f32(as_u32(a) & 0x7fffffffu); }
inline SF64 fabs(SF64 a) { return as_f64(as_u64(a) & 0x7fffffffffffffffull); }
inline F32 operator-(F32 a) { return as_f32(as_u32(a) ^ 0x80000000u); }
inline F64 operator-(F64 a) { return as_f64(as_u64(a) ^ 0x8000000000000000ull); }
inline SF32 operator-(SF32 a) { return as_f32(as_u32(a) ^ 0x80000000u); }
inline SF64 operator-(SF64 a) { return as_f64(as_u64(a) ^ 0x8000000000000000ull); }

template <Real T>
inline Lanes<T> fma(Lanes<T> a, Lanes<T> b, Lanes<T> c) {
#ifdef __FMA__
  return arithmetic<T>(__builtin_elementwise_fma(a.v, b.v, c.v), a.v, b.v, c.v);
#else
  Vector<T> r;
  for (int l = 0; l < kLanes; l++) r[l] = std::fma(a.v[l], b.v[l], c.v[l]);
  return arithmetic<T>(r, a.v, b.v, c.v);
#endif
}
template <Real T>
inline Scalar<T> fma(Scalar<T> a, Scalar<T> b, Scalar<T> c) {
  return arithmetic_scalar<T>(std::fma(a.v, b.v, c.v), a.v, b.v, c.v);
}
template <Real T>
inline Lanes<T> sqrt(Lanes<T> a) {
  return arithmetic<T>(__builtin_elementwise_sqrt(a.v), a.v);
}
template <Real T>
inline Scalar<T> sqrt(Scalar<T> a) {
  return arithmetic_scalar<T>(std::sqrt(a.v), a.v);
}
#define ATOLL_ROUNDING(name, vector_function, scalar_function) \
  template <Real T>                                            \
  inline Lanes<T> name(Lanes<T> a) {                           \
    return arithmetic<T>(vector_function(a.v), a.v);           \
  }                                                            \
  template <Real T>                                            \
  inline Scalar<T> name(Scalar<T> a) {                         \
    return arithmetic_scalar<T>(scalar_function(a.v), a.v);    \
  }
ATOLL_ROUNDING(floor, __builtin_elementwise_floor, __builtin_elementwise_floor)
ATOLL_ROUNDING(ceil, __builtin_elementwise_ceil, __builtin_elementwise_ceil)
ATOLL_ROUNDING(trunc, __builtin_elementwise_trunc, __builtin_elementwise_trunc)
ATOLL_ROUNDING(rndne, __builtin_elementwise_roundeven, __builtin_elementwise_roundeven)
#undef ATOLL_ROUNDING

// --- conversions ------------------------------------------------------------------------------------------------------------
// Hosts without an instruction for unsigned words: the compiler's substitute makes -0 of 0 when rounding down, also where it sees
// that a signed word has no sign. Hidden from it, in halves, the sum is the only rounding, and 0 + 0 is +0.
#ifdef __AVX512F__
template <class T>
inline Lanes<T> from_signed(U32 a) {
  return {__builtin_convertvector((Vector<int32_t>)a.v, Vector<T>)};
}
template <class T>
inline Lanes<T> from_unsigned(U32 a) {
  return {__builtin_convertvector(a.v, Vector<T>)};
}
#else
template <class T>
inline Lanes<T> from_signed(U32 a) {
  uint32_t hidden_zero = 0;
  asm("" : "+r"(hidden_zero));
  return {__builtin_convertvector((Vector<int32_t>)(a.v | Vector<uint32_t>(hidden_zero)), Vector<T>)};
}
template <class T>
inline Lanes<T> from_unsigned(U32 a) {
  return {from_signed<T>(a >> 16).v * T(65536) + from_signed<T>(a & 0xffffu).v};
}
#endif
inline F32 cvt_f32_u32(U32 a) { return from_unsigned<float>(a); }
inline F32 cvt_f32_s32(U32 a) { return from_signed<float>(a); }
inline F64 cvt_f64_u32(U32 a) { return from_unsigned<double>(a); }
inline F64 cvt_f64_s32(U32 a) { return from_signed<double>(a); }
// A conversion between formats keeps a NaN's sign and payload and makes it quiet. The host does so, but the compiler, which holds
// every NaN for as good as any other, may join two conversions into none.
template <Real T>
inline Lanes<T> quiet_nans(Vector<T> r) {
  using Bits = typename NanRule<T>::Bits;
  M nan = mask_bits(r != r);
  if (nan.bits) [[unlikely]]
    return select(nan, Lanes<T>{(Vector<T>)((Vector<Bits>)r | Vector<Bits>(NanRule<T>::quiet))}, Lanes<T>{r});
  return {r};
}
template <Real T>
inline Scalar<T> quiet_nan(T r) {
  using Bits = typename NanRule<T>::Bits;
  return {r == r ? r : std::bit_cast<T>(Bits(std::bit_cast<Bits>(r) | NanRule<T>::quiet))};
}
inline F64 cvt_f64_f32(F32 a) { return quiet_nans<double>(__builtin_convertvector(a.v, Vector<double>)); }
inline F32 cvt_f32_f64(F64 a) { return quiet_nans<float>(__builtin_convertvector(a.v, Vector<float>)); }
inline SF32 cvt_f32_u32(S32 a) { return {float(a.v)}; }
inline SF32 cvt_f32_s32(S32 a) { return {float(int32_t(a.v))}; }
inline SF64 cvt_f64_f32(SF32 a) { return quiet_nan(double(a.v)); }
inline SF32 cvt_f32_f64(SF64 a) { return quiet_nan(float(a.v)); }

// Toward zero, saturating, NaN to 0. The inner conversion sees only values in range.
template <Real T>
inline U32 to_s32(Lanes<T> a) {
  auto t = trunc(a).v;
  M high_side = mask_bits(t >= T(2147483648.0)), low_side = mask_bits(t < T(-2147483648.0)), nan = mask_bits(a.v != a.v);
  M bad = high_side | low_side | nan;
  auto safe = select(bad, Lanes<T>{Vector<T>(T(0))}, Lanes<T>{t});
  U32 r{(Vector<uint32_t>)__builtin_convertvector(safe.v, Vector<int32_t>)};
  return select(high_side, U32{Vector<uint32_t>(0x7fffffffu)}, select(low_side, U32{Vector<uint32_t>(0x80000000u)}, r));
}
template <Real T>
inline U32 to_u32(Lanes<T> a) {
  auto t = trunc(a).v;
  M high_side = mask_bits(t >= T(4294967296.0)), bad = high_side | mask_bits(!(t >= T(0)));
  auto safe = select(bad, Lanes<T>{Vector<T>(T(0))}, Lanes<T>{t});
  U32 r{__builtin_convertvector(safe.v, Vector<uint32_t>)};
  return select(high_side, U32{Vector<uint32_t>(0xffffffffu)}, r);
}
inline U32 cvt_s32_f32(F32 a) { return to_s32(a); }
inline U32 cvt_s32_f32_inside(F32 a) { return to_s32(a); }
inline U32 cvt_s32_f32_nearest(F32 a) { return to_s32(rndne(a)); }
inline U32 cvt_u32_f32(F32 a) { return to_u32(a); }
inline U32 cvt_s32_f64(F64 a) { return to_s32(a); }
inline U32 cvt_u32_f64(F64 a) { return to_u32(a); }
inline S32 cvt_s32_f32(SF32 a) {
  if (!(a.v == a.v)) return {0};
  return {a.v >= 2147483648.0f ? 0x7fffffffu : a.v < -2147483648.0f ? 0x80000000u : uint32_t(int32_t(a.v))};
}
inline S32 cvt_u32_f32(SF32 a) { return {!(a.v >= 0) ? 0u : a.v >= 4294967296.0f ? 0xffffffffu : uint32_t(a.v)}; }

float half_to_float(uint16_t half);   // exact; a NaN becomes quiet (half.cpp)
uint16_t float_to_half(float value);  // in the host's current rounding
uint16_t float_to_half_toward_zero(float value);
inline F32 cvt_f32_f16(U32 a) {
#ifdef __F16C__
  typedef uint16_t Halves __attribute__((ext_vector_type(32)));
  typedef _Float16 HalfVector __attribute__((ext_vector_type(32)));
  return quiet_nans<float>(
      __builtin_convertvector(__builtin_bit_cast(HalfVector, __builtin_convertvector(a.v, Halves)), Vector<float>));
#else
  F32 r;
  for (int l = 0; l < kLanes; l++) r.v[l] = half_to_float(uint16_t(a.v[l]));
  return r;
#endif
}
inline U32 cvt_f16_f32(F32 a) {
#ifdef __F16C__
  typedef uint16_t Halves __attribute__((ext_vector_type(32)));
  typedef _Float16 HalfVector __attribute__((ext_vector_type(32)));
  U32 r{__builtin_convertvector(__builtin_bit_cast(Halves, __builtin_convertvector(a.v, HalfVector)), Vector<uint32_t>)};
  M nan = isnan(a);
  if (nan.bits) [[unlikely]]
    return select(nan, r | 0x200u, r);
  return r;
#else
  U32 r;
  for (int l = 0; l < kLanes; l++) r.v[l] = float_to_half(a.v[l]);
  return r;
#endif
}
// Lane n (0 to 3) of each four lanes, in all of them.
template <class T>
Lanes<T> quad_lane(const Lanes<T>& a, unsigned n) {
#define ATOLL_QUAD(q, n) 4 * q + n, 4 * q + n, 4 * q + n, 4 * q + n
#define ATOLL_QUADS(n)                                                                                                        \
  __builtin_shufflevector(a.v, a.v, ATOLL_QUAD(0, n), ATOLL_QUAD(1, n), ATOLL_QUAD(2, n), ATOLL_QUAD(3, n), ATOLL_QUAD(4, n), \
                          ATOLL_QUAD(5, n), ATOLL_QUAD(6, n), ATOLL_QUAD(7, n))
  switch (n & 3) {
    case 0: return {ATOLL_QUADS(0)};
    case 1: return {ATOLL_QUADS(1)};
    case 2: return {ATOLL_QUADS(2)};
    default: return {ATOLL_QUADS(3)};
  }
#undef ATOLL_QUADS
#undef ATOLL_QUAD
}
inline F32 saturate(F32 a) {
  a = select(a > F32{Vector<float>(0.0f)}, a, F32{Vector<float>(0.0f)});
  return select(a < F32{Vector<float>(1.0f)}, a, F32{Vector<float>(1.0f)});
}
inline U32 cvt_f16_f32_toward_zero(F32 a) {
  U32 r;
#if defined(__AVX512F__)
  for (int part = 0; part < kLanes; part += 16) {
    __m512 floats;
    std::memcpy(&floats, reinterpret_cast<const float*>(&a.v) + part, 64);
    __m512i words = _mm512_cvtepu16_epi32(_mm512_cvtps_ph(floats, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
    std::memcpy(reinterpret_cast<uint32_t*>(&r.v) + part, &words, 64);
  }
#elif defined(__F16C__)
  for (int part = 0; part < kLanes; part += 8) {
    __m256 floats;
    std::memcpy(&floats, reinterpret_cast<const float*>(&a.v) + part, 32);
    __m256i words = _mm256_cvtepu16_epi32(_mm256_cvtps_ph(floats, _MM_FROUND_TO_ZERO));
    std::memcpy(reinterpret_cast<uint32_t*>(&r.v) + part, &words, 32);
  }
#else
  for (int l = 0; l < kLanes; l++) r.v[l] = float_to_half_toward_zero(a.v[l]);
#endif
  return r;
}
inline SF32 cvt_f32_f16(S32 a) { return {half_to_float(uint16_t(a.v))}; }
inline S32 cvt_f16_f32(SF32 a) { return {float_to_half(a.v)}; }

}  // namespace Atoll::wave::ATOLL_LEVEL
