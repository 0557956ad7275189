#include "wave/interpreter/atomics.h"

#include <xmmintrin.h>

#include <bit>
#include <type_traits>

#include "wave/nan.h"

namespace Atoll::wave {
namespace {

// The sum in IEEE arithmetic, to nearest even, denormals kept: the wave's own mode may stand in MXCSR. The empty assembly keeps
// the compiler from moving the addition over the mode's change.
template <class Real>
Real sum_to_nearest(Real a, Real b) {
  constexpr uint32_t ieee = 0x1f80, flags = 0x3f;
  uint32_t saved = _mm_getcsr();
  bool change = (saved & ~flags) != ieee;
  if (change) _mm_setcsr(ieee);
  asm volatile("" : "+x"(a), "+x"(b));
  Real sum = a + b;
  asm volatile("" : "+x"(sum));
  if (change) _mm_setcsr(saved);
  return sum;
}

// RDNA4 ISA 13.2 and 13.3 on the bits of f32 and f64.
template <class Bits, class Real, int Mantissa, Bits Quiet, Bits Canonical>
struct FloatRule {
  static constexpr Bits sign = Bits(1) << (sizeof(Bits) * 8 - 1), exponent = (sign - 1) & ~((Bits(1) << Mantissa) - 1);
  static bool nan(Bits b) { return (b & ~sign) > exponent; }
  static Bits flushed(Bits b, bool flush) { return flush && !(b & exponent) ? b & sign : b; }
  static Bits add(Bits first, Bits second, AtomicFlush flush) {
    if (nan(first)) return first | Quiet;
    if (nan(second)) return second | Quiet;
    Bits sum = std::bit_cast<Bits>(
        sum_to_nearest(std::bit_cast<Real>(flushed(first, flush.in)), std::bit_cast<Real>(flushed(second, flush.in))));
    return nan(sum) ? Canonical : flushed(sum, flush.out);
  }
  // minimumNumber and maximumNumber: a number wins over a NaN, -0 is below +0.
  static Bits choose(Bits memory, Bits data, bool smaller, AtomicFlush flush) {
    memory = flushed(memory, flush.in), data = flushed(data, flush.in);
    if (nan(data)) return nan(memory) ? data | Quiet : memory;
    if (nan(memory)) return data;
    auto order = [](Bits b) { return b & sign ? ~b : b | sign; };
    return (order(data) < order(memory)) == smaller ? data : memory;
  }
};
using F32Rule = FloatRule<uint32_t, float, 23, quiet_bit32, default_nan32>;
using F64Rule = FloatRule<uint64_t, double, 52, quiet_bit64, default_nan64>;

// A finite half is a multiple of 2^-24 that 42 bits hold: their sums are exact in integers.
int64_t fixed_of_half(uint16_t h) {
  int exponent = h >> 10 & 31, mantissa = h & 0x3ff;
  int64_t magnitude = exponent ? int64_t(mantissa | 0x400) << (exponent - 1) : mantissa;
  return h & 0x8000 ? -magnitude : magnitude;
}
uint16_t half_of_fixed(int64_t x, uint16_t sign_of_zero) {
  if (x == 0) return sign_of_zero;
  uint16_t sign = x < 0 ? 0x8000 : 0;
  uint64_t magnitude = uint64_t(x < 0 ? -x : x);
  int shift = std::bit_width(magnitude) - 11;
  if (shift <= 0) return uint16_t(sign | magnitude);  // exponents 0 and 1 have the same unit
  uint64_t kept = magnitude >> shift, lost = magnitude & ((uint64_t(1) << shift) - 1), half = uint64_t(1) << (shift - 1);
  kept += lost > half || (lost == half && (kept & 1));
  uint64_t bits = (uint64_t(shift) << 10) + kept;  // kept's leading one adds 1 to the exponent, which is right
  return uint16_t(sign | (bits >= 0x7c00 ? 0x7c00 : bits));
}
uint16_t add_half(uint16_t first, uint16_t second, AtomicFlush flush) {
  auto nan = [](uint16_t h) { return (h & 0x7fff) > 0x7c00; };
  auto infinite = [](uint16_t h) { return (h & 0x7fff) == 0x7c00; };
  auto flushed = [](uint16_t h, bool f) { return uint16_t(f && !(h & 0x7c00) ? h & 0x8000 : h); };
  if (nan(first)) return first | 0x200;
  if (nan(second)) return second | 0x200;
  if (infinite(first)) return infinite(second) && first != second ? 0xfe00 : first;
  if (infinite(second)) return second;
  first = flushed(first, flush.in), second = flushed(second, flush.in);
  uint16_t zero = first & second & 0x8000;  // -0 only from two of them
  return flushed(half_of_fixed(fixed_of_half(first) + fixed_of_half(second), zero), flush.out);
}
// Through f32: 24 bits are more than twice bfloat16's 8 and 2, so rounding twice rounds once.
uint16_t add_bfloat(uint16_t first, uint16_t second, AtomicFlush flush) {
  uint32_t sum = F32Rule::add(uint32_t(first) << 16, uint32_t(second) << 16, flush);
  if (F32Rule::nan(sum)) return uint16_t(sum >> 16);
  return uint16_t((sum + 0x7fffu + (sum >> 16 & 1)) >> 16);
}
template <class Add>
uint32_t packed(uint32_t first, uint32_t second, AtomicFlush flush, Add add) {
  return add(uint16_t(first), uint16_t(second), flush) | uint32_t(add(uint16_t(first >> 16), uint16_t(second >> 16), flush))
                                                             << 16;
}

template <class T>
T integer_result(AtomicOp op, T old, T data, T compare) {
  using S = std::make_signed_t<T>;
  switch (op) {
    case AtomicOp::Swap: return data;
    case AtomicOp::CompareSwap: return old == compare ? data : old;
    case AtomicOp::Add: return old + data;
    case AtomicOp::Sub: return old - data;
    case AtomicOp::ReverseSub: return data - old;
    case AtomicOp::SubClamp: return old < data ? 0 : old - data;
    case AtomicOp::ConditionalSub: return old >= data ? old - data : old;
    case AtomicOp::SMin: return S(old) < S(data) ? old : data;
    case AtomicOp::UMin: return old < data ? old : data;
    case AtomicOp::SMax: return S(old) >= S(data) ? old : data;
    case AtomicOp::UMax: return old >= data ? old : data;
    case AtomicOp::And: return old & data;
    case AtomicOp::Or: return old | data;
    case AtomicOp::Xor: return old ^ data;
    case AtomicOp::IncrementWrap: return old >= data ? 0 : old + 1;
    case AtomicOp::DecrementWrap: return old == 0 || old > data ? data : old - 1;
    case AtomicOp::OrMasked: return (old & ~compare) | data;
    default: return old;
  }
}

uint64_t exchange_marked(uint64_t old, uint64_t data) {
  auto dword = [](uint32_t o, uint32_t d) { return d >> 31 ? d & 0x7fffffffu : o; };
  return dword(uint32_t(old), uint32_t(data)) | uint64_t(dword(uint32_t(old >> 32), uint32_t(data >> 32))) << 32;
}
uint64_t ordered_add(uint64_t old, uint64_t data, uint32_t id_mask) {
  uint32_t id = uint32_t(old), value = uint32_t(old >> 32);
  if (id != uint32_t(data)) return old;
  return ((id + 1) & id_mask) | uint64_t(value + uint32_t(data >> 32)) << 32;
}

}  // namespace

bool obeys_mode32(AtomicOp op) { return op == AtomicOp::AddF32 || op == AtomicOp::MinF32 || op == AtomicOp::MaxF32; }
bool obeys_mode64(AtomicOp op) {
  return op == AtomicOp::MinF64 || op == AtomicOp::MaxF64 || op == AtomicOp::PackedAddF16 || op == AtomicOp::PackedAddBf16;
}

uint64_t atomic_result(AtomicOp op, unsigned bytes, uint64_t old, uint64_t data, uint64_t compare, AtomicFlush flush) {
  uint32_t o = uint32_t(old), d = uint32_t(data);
  switch (op) {
    case AtomicOp::AddF32: return F32Rule::add(o, d, flush);
    case AtomicOp::MinF32: return F32Rule::choose(o, d, true, flush);
    case AtomicOp::MaxF32: return F32Rule::choose(o, d, false, flush);
    case AtomicOp::CompareSwapF32: {
      bool equal = !F32Rule::nan(o) && (o == uint32_t(compare) || !((o | uint32_t(compare)) << 1));
      return equal ? d : o;
    }
    case AtomicOp::CompareSwapF64: {
      bool equal = !F64Rule::nan(old) && (old == compare || !((old | compare) << 1));
      return equal ? data : old;
    }
    case AtomicOp::AddF64: return F64Rule::add(old, data, {});
    case AtomicOp::MinF64: return F64Rule::choose(old, data, true, flush);
    case AtomicOp::MaxF64: return F64Rule::choose(old, data, false, flush);
    // The pseudocode of the packed sums names the data first, which tells two NaNs apart.
    case AtomicOp::PackedAddF16: return packed(d, o, flush, add_half);
    case AtomicOp::PackedAddBf16: return packed(d, o, flush, add_bfloat);
    case AtomicOp::ExchangeMarked: return exchange_marked(old, data);
    case AtomicOp::OrderedAdd: return ordered_add(old, data, uint32_t(compare));
    default: break;
  }
  if (bytes == 8) return integer_result<uint64_t>(op, old, data, compare);
  return integer_result<uint32_t>(op, o, d, uint32_t(compare));
}

namespace {
template <class T>
uint64_t update(AtomicOp op, uint8_t* at, uint64_t data, uint64_t compare, AtomicFlush flush) {
  T* p = reinterpret_cast<T*>(at);
  switch (op) {  // the ones the host has
    case AtomicOp::Add: return __atomic_fetch_add(p, T(data), __ATOMIC_SEQ_CST);
    case AtomicOp::Sub: return __atomic_fetch_sub(p, T(data), __ATOMIC_SEQ_CST);
    case AtomicOp::And: return __atomic_fetch_and(p, T(data), __ATOMIC_SEQ_CST);
    case AtomicOp::Or: return __atomic_fetch_or(p, T(data), __ATOMIC_SEQ_CST);
    case AtomicOp::Xor: return __atomic_fetch_xor(p, T(data), __ATOMIC_SEQ_CST);
    case AtomicOp::Swap: return __atomic_exchange_n(p, T(data), __ATOMIC_SEQ_CST);
    default: break;
  }
  T old = __atomic_load_n(p, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(p, &old, T(atomic_result(op, sizeof(T), old, data, compare, flush)), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return old;
}
}  // namespace

uint64_t atomic_update(AtomicOp op, unsigned bytes, uint8_t* at, uint64_t data, uint64_t compare, AtomicFlush flush) {
  return bytes == 8 ? update<uint64_t>(op, at, data, compare, flush) : update<uint32_t>(op, at, data, compare, flush);
}

}  // namespace Atoll::wave
