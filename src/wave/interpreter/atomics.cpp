#include "wave/interpreter/atomics.h"

#include <bit>
#include <cmath>

#include "wave/nan.h"

namespace Atoll::wave {
namespace {

template <class Bits, class Real, Bits Quiet, Bits Canonical>
struct FloatRule {
  static bool nan(Bits b) { return std::bit_cast<Real>(b) != std::bit_cast<Real>(b); }
  // RDNA4 ISA 13.3: memory is source 0.
  static Bits add(Bits a, Bits b) {
    if (nan(a)) return a | Quiet;
    if (nan(b)) return b | Quiet;
    Real sum = std::bit_cast<Real>(a) + std::bit_cast<Real>(b);
    return sum == sum ? std::bit_cast<Bits>(sum) : Canonical;
  }
  // Number wins over NaN; -0 is below +0.
  static Bits choose(Bits a, Bits b, bool smaller) {
    if (nan(a)) return nan(b) ? a | Quiet : b;
    if (nan(b)) return a;
    Real x = std::bit_cast<Real>(a), y = std::bit_cast<Real>(b);
    bool a_less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
    return a_less == smaller ? a : b;
  }
};
using F32Rule = FloatRule<uint32_t, float, quiet_bit32, default_nan32>;
using F64Rule = FloatRule<uint64_t, double, quiet_bit64, default_nan64>;

float from_half(uint16_t h) { return float(std::bit_cast<_Float16>(h)); }
uint16_t add_half(uint16_t a, uint16_t b) {
  auto nan = [](uint16_t h) { return (h & 0x7fff) > 0x7c00; };
  if (nan(a)) return a | 0x200;
  if (nan(b)) return b | 0x200;
  float sum = from_half(a) + from_half(b);
  return sum == sum ? std::bit_cast<uint16_t>(_Float16(sum)) : 0xfe00;
}
uint16_t add_bfloat(uint16_t a, uint16_t b) {
  uint32_t sum = F32Rule::add(uint32_t(a) << 16, uint32_t(b) << 16);
  if (F32Rule::nan(sum)) return uint16_t(sum >> 16);
  return uint16_t((sum + 0x7fffu + (sum >> 16 & 1)) >> 16);  // to nearest even
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
    case AtomicOp::OrMasked: return (old & ~compare) | data;  // DS_MSKOR: `compare` is the mask
    default: return old;
  }
}

}  // namespace

uint64_t atomic_result(AtomicOp op, unsigned bytes, uint64_t old, uint64_t data, uint64_t compare) {
  uint32_t o = uint32_t(old), d = uint32_t(data);
  switch (op) {
    case AtomicOp::AddF32: return F32Rule::add(o, d);
    case AtomicOp::MinF32: return F32Rule::choose(o, d, true);
    case AtomicOp::MaxF32: return F32Rule::choose(o, d, false);
    case AtomicOp::CompareSwapF32: return std::bit_cast<float>(o) == std::bit_cast<float>(uint32_t(compare)) ? d : o;
    case AtomicOp::AddF64: return F64Rule::add(old, data);
    case AtomicOp::MinF64: return F64Rule::choose(old, data, true);
    case AtomicOp::MaxF64: return F64Rule::choose(old, data, false);
    case AtomicOp::PackedAddF16:
      return add_half(uint16_t(o), uint16_t(d)) | uint32_t(add_half(uint16_t(o >> 16), uint16_t(d >> 16))) << 16;
    case AtomicOp::PackedAddBf16:
      return add_bfloat(uint16_t(o), uint16_t(d)) | uint32_t(add_bfloat(uint16_t(o >> 16), uint16_t(d >> 16))) << 16;
    default: break;
  }
  if (bytes == 8) return integer_result<uint64_t>(op, old, data, compare);
  return integer_result<uint32_t>(op, o, d, uint32_t(compare));
}

namespace {
template <class T>
uint64_t update(AtomicOp op, uint8_t* at, uint64_t data, uint64_t compare) {
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
  while (!__atomic_compare_exchange_n(p, &old, T(atomic_result(op, sizeof(T), old, data, compare)), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST)) {
  }
  return old;
}
}  // namespace

uint64_t atomic_update(AtomicOp op, unsigned bytes, uint8_t* at, uint64_t data, uint64_t compare) {
  return bytes == 8 ? update<uint64_t>(op, at, data, compare) : update<uint32_t>(op, at, data, compare);
}

}  // namespace Atoll::wave
