// Four lanes at once for hosts of SSE2 alone: an engine (engine.h) of floats and words with which elementary functions are compiled
// beforehand, instead of by the JIT in each place. Round to nearest; `flushes`: denormals are zeros, of operands and of results, as the host
// has been told.
//
// A fused multiply-add is a product and a sum in f64, whose rounding there does no harm to the second one to f32 unless it ends in the
// middle between two f32s: such lanes are noted in `doubt`, and whoever called computes all of it again with `careful`, which rounds
// once, and gives the NaNs that nan.h says. What is to be computed in few lanes (seldom()) is left to that as well.
//
// Arithmetic in f64 is that of functions whose result is rounded to f32 in the end: a multiply-add rounds twice, and lanes are in doubt
// whose f64 is nearer to the middle between two f32s than 2^-44 of itself. So the quick steps may be off by that, which twelve terms of a
// polynomial are not; steps that need more belong to seldom(). No NaN of f64's comes out.
#pragma once
#include <emmintrin.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "wave/float_mode.h"
#include "wave/lane_function.h"
#include "wave/nan.h"
#include "wave/rounded_once.h"

namespace Atoll::wave {

template <bool careful, bool flushes>
class FourLanes {
  typedef uint32_t Words __attribute__((vector_size(16)));
  typedef int32_t SignedWords __attribute__((vector_size(16)));
  typedef uint64_t Longs __attribute__((vector_size(32)));
  typedef int64_t SignedLongs __attribute__((vector_size(32)));
  typedef double Doubles __attribute__((vector_size(32)));
  static Words words(Longs x) { return __builtin_convertvector(x, Words); }
  static Words upper_words(Longs x) { return __builtin_convertvector(x >> 32, Words); }
  static Doubles splat(double x) { return Doubles{x, x, x, x}; }
  static Words splat(uint32_t n) { return Words{n, n, n, n}; }
  static FourFloats splat(float x) { return FourFloats{x, x, x, x}; }
  static Words choice(Words m, Words a, Words b) { return (a & m) | (b & ~m); }

  template <class... Operands>
  static FourFloats by_rule(FourFloats result, Operands... operands) {
    if constexpr (careful)
      for (int lane = 0; lane < 4; lane++) {
        if (result[lane] == result[lane]) continue;
        uint32_t bits = default_nan32;
        bool found = false;
        auto look = [&](float x) {
          if (!found && x != x) bits = std::bit_cast<uint32_t>(x) | quiet_bit32, found = true;
        };
        (look(operands[lane]), ...);
        result[lane] = std::bit_cast<float>(bits);
      }
    return result;
  }
  // The sums in f64, given by these bits, that may not be rounded a second time.
  static Words doubtful(Words upper, Words lower) {
    Words found = (Words)((lower << 3) == splat(0x80000000u));
    // Below 2^-126, and no zero: f32's denormals have fewer bits.
    if constexpr (!flushes)
      found |= (Words)((SignedWords)((upper << 1) + 0x7ffffffeu) < (SignedWords)splat(0x80000000u + 2 * 0x38100000u - 2));
    return found;
  }

  // The f64s, given by these bits, that are too near to the middle between two f32s. Up to 2^-151 all are zeros, and of f32's denormals
  // all are in doubt.
  static Words doubtful_result(Words upper, Words lower) {
    constexpr uint32_t kept = 29, near = 1u << 9, middle = 1u << (kept - 1);
    const Words lost = lower << (32 - kept), from = lost - ((middle - near) << (32 - kept));
    Words found = (Words)(from < splat(uint32_t(2 * near) << (32 - kept)));
    if constexpr (!flushes) found |= (Words)((upper & 0x7fffffffu) - 0x36800000u < splat(0x38100000u - 0x36800000u));
    return found;
  }

public:
  static constexpr bool recording = false;
  static constexpr bool fma_is_dear = true;
  struct SF32 {};
  struct SF64 {};
  struct S32 {};

  struct M {
    Words v;
    friend M operator&(M a, M b) { return {a.v & b.v}; }
    friend M operator|(M a, M b) { return {a.v | b.v}; }
    friend M operator~(M a) { return {~a.v}; }
    friend bool any(M a) { return _mm_movemask_ps((FourFloats)a.v); }
  };
  struct F32;
  struct F64;
  struct U64;
  struct U32 {
    Words v;
    Words* doubt;
    friend U32 operator+(U32 a, U32 b) { return {a.v + b.v, a.doubt}; }
    friend U32 operator-(U32 a, U32 b) { return {a.v - b.v, a.doubt}; }
    friend U32 operator&(U32 a, U32 b) { return {a.v & b.v, a.doubt}; }
    friend U32 operator|(U32 a, U32 b) { return {a.v | b.v, a.doubt}; }
    friend U32 operator^(U32 a, U32 b) { return {a.v ^ b.v, a.doubt}; }
    friend U32 operator+(U32 a, uint32_t b) { return {a.v + b, a.doubt}; }
    friend U32 operator-(U32 a, uint32_t b) { return {a.v - b, a.doubt}; }
    friend U32 operator&(U32 a, uint32_t b) { return {a.v & b, a.doubt}; }
    friend U32 operator|(U32 a, uint32_t b) { return {a.v | b, a.doubt}; }
    friend U32 operator^(U32 a, uint32_t b) { return {a.v ^ b, a.doubt}; }
    friend U32 operator<<(U32 a, int n) { return {a.v << uint32_t(n), a.doubt}; }
    friend U32 operator>>(U32 a, int n) { return {a.v >> uint32_t(n), a.doubt}; }
    friend U32 ashr(U32 a, int n) { return {(Words)((SignedWords)a.v >> n), a.doubt}; }
    friend M operator==(U32 a, uint32_t b) { return {(Words)(a.v == b)}; }
    friend M operator!=(U32 a, uint32_t b) { return {(Words)(a.v != b)}; }
    friend M operator>=(U32 a, uint32_t b) { return {(Words)(a.v >= b)}; }
    friend U32 select(M m, U32 a, U32 b) { return {choice(m.v, a.v, b.v), a.doubt}; }
    friend U64 join(U32 low, U32 high) {
      return {__builtin_convertvector(low.v, Longs) | __builtin_convertvector(high.v, Longs) << 32, low.doubt};
    }
    friend F64 cvt_f64_s32(U32 a) { return {__builtin_convertvector((SignedWords)a.v, Doubles), a.doubt}; }
    friend F32 as_f32(U32 a) { return {(FourFloats)a.v, a.doubt}; }
    friend F32 cvt_f32_s32(U32 a) { return {__builtin_convertvector((SignedWords)a.v, FourFloats), a.doubt}; }
  };
  struct F32 {
    FourFloats v;
    Words* doubt;
    friend F32 operator+(F32 a, F32 b) { return {by_rule(a.v + b.v, a.v, b.v), a.doubt}; }
    friend F32 operator-(F32 a, F32 b) { return {by_rule(a.v - b.v, a.v, b.v), a.doubt}; }
    friend F32 operator*(F32 a, F32 b) { return {by_rule(a.v * b.v, a.v, b.v), a.doubt}; }
    friend F32 operator/(F32 a, F32 b) { return {by_rule(a.v / b.v, a.v, b.v), a.doubt}; }
    friend F32 sqrt(F32 a) { return {by_rule(_mm_sqrt_ps(a.v), a.v), a.doubt}; }
    friend F32 operator+(F32 a, float b) { return a + F32{splat(b), a.doubt}; }
    friend F32 operator-(F32 a, float b) { return a - F32{splat(b), a.doubt}; }
    friend F32 operator*(F32 a, float b) { return a * F32{splat(b), a.doubt}; }
    friend F32 operator-(F32 a) { return {(FourFloats)((Words)a.v ^ 0x80000000u), a.doubt}; }
    friend F32 fabs(F32 a) { return {(FourFloats)((Words)a.v & 0x7fffffffu), a.doubt}; }
    friend M operator==(F32 a, F32 b) { return {(Words)(a.v == b.v)}; }
    friend M operator==(F32 a, float b) { return {(Words)(a.v == b)}; }
    friend M operator<(F32 a, float b) { return {(Words)(a.v < b)}; }
    friend M operator<(F32 a, F32 b) { return {(Words)(a.v < b.v)}; }
    friend M operator>(F32 a, float b) { return {(Words)(a.v > b)}; }
    friend M operator>=(F32 a, float b) { return {(Words)(a.v >= b)}; }
    friend M isnan(F32 a) { return {(Words)(a.v != a.v)}; }
    friend F32 select(M m, F32 a, F32 b) { return {(FourFloats)choice(m.v, (Words)a.v, (Words)b.v), a.doubt}; }
    friend F64 cvt_f64_f32(F32 a) { return {__builtin_convertvector(a.v, Doubles), a.doubt}; }
    friend U32 as_u32(F32 a) { return {(Words)a.v, a.doubt}; }
    friend F32 fma(F32 a, F32 b, F32 c) {
      if constexpr (careful) {
        FourFloats result;
        for (int lane = 0; lane < 4; lane++) result[lane] = rounded_once(a.v[lane], b.v[lane], c.v[lane]);
        return {by_rule(result, a.v, b.v, c.v), a.doubt};
      }
      const Doubles product = __builtin_convertvector(a.v, Doubles) * __builtin_convertvector(b.v, Doubles);
      const Doubles sum = product + __builtin_convertvector(c.v, Doubles);
      const auto bits = (Longs)sum;
      *a.doubt |= doubtful(__builtin_convertvector(bits >> 32, Words), __builtin_convertvector(bits, Words));
      return {__builtin_convertvector(sum, FourFloats), a.doubt};
    }
    // (exact in f64)
    friend F32 product_error(F32 a, F32 b, F32 product) {
      if constexpr (careful) return fma(a, b, -product);
      const Doubles exact = __builtin_convertvector(a.v, Doubles) * __builtin_convertvector(b.v, Doubles);
      return {__builtin_convertvector(exact - __builtin_convertvector(product.v, Doubles), FourFloats), a.doubt};
    }
    // From 2^23 on all are integral. A zero has the operand's sign.
    friend F32 rndne(F32 a) {
      const Words bits = (Words)a.v, size = bits & 0x7fffffffu;
      const Words whole = (Words)_mm_cvtepi32_ps(_mm_cvtps_epi32(a.v)) | (bits & 0x80000000u);
      const auto small = (Words)((SignedWords)size < (SignedWords)splat(0x4b000000u));
      return {by_rule((FourFloats)choice(small, whole, bits), a.v), a.doubt};
    }
  };

  struct U64 {
    Longs v;
    Words* doubt;
    friend U32 low(U64 a) { return {words(a.v), a.doubt}; }
    friend U32 high(U64 a) { return {upper_words(a.v), a.doubt}; }
    friend F64 as_f64(U64 a) { return {(Doubles)a.v, a.doubt}; }
  };
  struct F64 {
    Doubles v;
    Words* doubt;
    friend F64 operator+(F64 a, F64 b) { return {a.v + b.v, a.doubt}; }
    friend F64 operator-(F64 a, F64 b) { return {a.v - b.v, a.doubt}; }
    friend F64 operator*(F64 a, F64 b) { return {a.v * b.v, a.doubt}; }
    friend F64 operator/(F64 a, F64 b) { return {a.v / b.v, a.doubt}; }
    friend F64 operator+(F64 a, double b) { return {a.v + b, a.doubt}; }
    friend F64 operator-(F64 a, double b) { return {a.v - b, a.doubt}; }
    friend F64 operator*(F64 a, double b) { return {a.v * b, a.doubt}; }
    friend F64 operator-(F64 a) { return {-a.v, a.doubt}; }
    friend M operator>(F64 a, double b) { return {words((Longs)(a.v > b))}; }
    friend M operator<(F64 a, double b) { return {words((Longs)(a.v < b))}; }
    friend M isnan(F64 a) { return {words((Longs)(a.v != a.v))}; }
    friend F64 select(M m, F64 a, F64 b) {
      const auto all = (Longs) __builtin_convertvector((SignedWords)m.v, SignedLongs);
      return {(Doubles)(((Longs)a.v & all) | ((Longs)b.v & ~all)), a.doubt};
    }
    friend U64 as_u64(F64 a) { return {(Longs)a.v, a.doubt}; }
    friend F64 fma(F64 a, F64 b, F64 c) {
      if constexpr (!careful) return a * b + c;
      F64 result = a;
      for (int lane = 0; lane < 4; lane++) result.v[lane] = std::fma(a.v[lane], b.v[lane], c.v[lane]);
      return result;
    }
    // From 2^52 on all are integral. A zero has the operand's sign.
    friend F64 rndne(F64 a) {
      const Longs sign = (Longs)a.v & (uint64_t(1) << 63);
      const auto size = (Doubles)((Longs)a.v ^ sign);
      const auto whole = (Longs)(size + 0x1p52 - 0x1p52), small = (Longs)(size < 0x1p52);
      return {(Doubles)((whole & small) | ((Longs)size & ~small) | sign), a.doubt};
    }
    friend F32 cvt_f32_f64(F64 a) {
      if constexpr (!careful) *a.doubt |= doubtful_result(upper_words((Longs)a.v), words((Longs)a.v));
      return {__builtin_convertvector(a.v, FourFloats), a.doubt};
    }
  };

  F32 f32(float x) { return {splat(x), &doubt_}; }
  U32 u32(uint32_t n) { return {splat(n), &doubt_}; }
  F64 f64(double x) { return {splat(x), &doubt_}; }
  F32 lanes(FourFloats x) { return {x, &doubt_}; }
  const FloatMode& float_mode() const { return mode; }
  template <class F>
  U32 seldom(M condition, U32 usual, F f) {
    if constexpr (careful) return any(condition) ? select(condition, f(), usual) : usual;
    doubt_ |= condition.v;
    return usual;
  }
  bool in_doubt() const { return _mm_movemask_ps((FourFloats)doubt_); }

private:
  static constexpr FloatMode mode{.flush_in32 = flushes, .flush_out32 = flushes};
  Words doubt_{};
};

}  // namespace Atoll::wave
