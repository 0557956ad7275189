// The interpreter's loads, stores and atomics. Consecutive and equal addresses are tested for first: a loop over lanes would cost
// ten times as much (findings of the engine spike). Every address is checked against the window; what lies inside it but is not
// mapped ends in SIGSEGV, which the runner turns into a precise fault by probing (interpreter.cpp).
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "memory/fault.h"
#include "wave/interpreter/atomics.h"
#include "wave/interpreter/interpreter.h"
#include "wave/interpreter/level.h"
#include "wave/probe.h"

namespace Atoll::wave::ATOLL_LEVEL {
namespace {

constexpr int kHalf = 16;  // lanes looked at together, as the JIT's chunks are

typedef uint32_t U16x __attribute__((ext_vector_type(16)));

struct HalfAddresses {
  U16x low, high;
};

U16x iota16() { return U16x{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; }
typedef bool Bool16 __attribute__((ext_vector_type(16)));
template <class V>
uint32_t bits16(V comparison) {
  return __builtin_bit_cast(uint16_t, __builtin_convertvector(comparison, Bool16));
}

// The form of the live lanes' low addresses relative to lane 0, `stride` bytes apart when consecutive.
uint8_t form_of(U16x low, uint32_t live, uint32_t stride) {
  U16x distance = low - U16x(low[0]);
  if (!(live & ~bits16(distance == iota16() * stride))) return kConsecutive;
  if (!(live & ~bits16(distance == U16x(0)))) return kEqual;
  return kOther;
}
bool same_high(U16x high, uint32_t live) { return !(live & ~bits16(high == U16x(high[0]))); }

uint32_t extend(uint32_t x, const MemoryAccess& access) {
  if (!access.sign_extend || access.bytes == 4) return x;
  int shift = 32 - 8 * access.bytes;
  return uint32_t(int32_t(x << shift) >> shift);
}

}  // namespace

uint8_t* Interpreter::locate(Space space, uint64_t address, uint32_t bytes, int lane, FaultKind kind) {
  if (space == Space::Flat) {
    uint32_t high = uint32_t(address >> 32);
    if (high && high == wave.flat_shared_high)
      space = Space::Lds, address = uint32_t(address);
    else if (high && high == wave.flat_private_high)
      space = Space::Scratch, address = uint32_t(address);
    else
      space = Space::Global;
  }
  switch (space) {
    case Space::Lds:
      if (uint64_t(uint32_t(address)) + bytes > wave.lds_bytes) return nullptr;
      return wave.lds + uint32_t(address);
    case Space::Scratch:
      address = uint32_t(address);
      if (address + bytes > wave.scratch_bytes) {
        fault(kind, address, bytes, lane, "beyond the lane's private memory");
        return nullptr;
      }
      return wave.scratch + (address / 4 * wave.lanes + uint32_t(lane)) * 4 + (address & 3);
    default:
      if (address >= wave.window_bytes || (probing && !is_mapped(wave, address, bytes))) {
        fault(kind, address, bytes, lane);
        return nullptr;
      }
      return wave.window + address;
  }
}

namespace {

// Bytes of private memory that straddle a dword stand in two places: moved one by one.
template <class Move>
void straddle(Wave& wave, uint8_t* first, uint32_t bytes, Move move) {
  for (uint32_t n = 0, at = uint32_t(uintptr_t(first) & 3); n < bytes; n++, at++)
    move(n, first - (uintptr_t(first) & 3) + at / 4 * wave.lanes * 4 + at % 4);
}
bool in_scratch(const Wave& wave, const uint8_t* p) {
  return p >= wave.scratch && p < wave.scratch + size_t(wave.scratch_bytes) * wave.lanes;
}

void load_half(Interpreter& e, const MemoryAccess& access, const HalfAddresses& at, int first_lane, uint32_t live,
               const Step& step, uint32_t* out) {
  Wave& wave = e.wave;
  bool global = access.space == Space::Global;
  if (!live) return;
  uint8_t form = kOther;
  if (!e.probing) {
    uint64_t start = 0;
    const uint8_t* p = nullptr;
    if (global && same_high(at.high, live)) {
      form = form_of(at.low, live, access.stride);
      start = (uint64_t(at.high[0]) << 32 | at.low[0]) + uint64_t(int64_t(access.offset));
      if (start < wave.window_bytes - 16 * 256) p = wave.window + start;
    } else if (access.space == Space::Lds) {
      form = form_of(at.low, live, access.stride);
      start = uint32_t(at.low[0] + uint32_t(access.offset));
      if (start + kHalf * access.stride <= wave.lds_bytes) p = wave.lds + start;
    } else if (access.space == Space::Scratch && access.bytes == 4 && form_of(at.low, live, 4) == kEqual) {
      uint32_t a = at.low[0] + uint32_t(access.offset);
      if (!(a & 3) && uint64_t(a) + 4 <= wave.scratch_bytes) {
        const uint8_t* q = wave.scratch + (size_t(a) / 4 * wave.lanes + uint32_t(first_lane)) * 4;
        std::memcpy(out, q, 64);
        return;
      }
    }
    if (e.profiling) step.address_forms |= form;
    if (p && form == kConsecutive && access.stride == 4 && access.bytes == 4) {
#ifdef __AVX512F__
      _mm512_storeu_si512(out, _mm512_maskz_loadu_epi32(__mmask16(live), p));
      return;
#else
      if (live == 0xffff) {
        std::memcpy(out, p, 64);
        return;
      }
#endif
    } else if (p && form == kEqual) {
      uint32_t x = 0;
      if (access.bytes == 4)
        std::memcpy(&x, p, 4);
      else
        std::memcpy(&x, p, access.bytes);
      x = extend(x, access);
      U16x all = x;
      std::memcpy(out, &all, 64);
      return;
    }
#ifdef __AVX512F__
    if (access.bytes == 4 && (global || access.space == Space::Lds)) {
      __m512i low = _mm512_loadu_si512(&at.low);
      if (global) {
        __m512i high = _mm512_loadu_si512(&at.high), offset = _mm512_set1_epi64(access.offset);
        __m256i part[2];
        bool inside = true;
        __m512i address[2];
        for (int q = 0; q < 2; q++) {
          __m256i l = q ? _mm512_extracti64x4_epi64(low, 1) : _mm512_castsi512_si256(low);
          __m256i h = q ? _mm512_extracti64x4_epi64(high, 1) : _mm512_castsi512_si256(high);
          address[q] = _mm512_add_epi64(
              _mm512_or_si512(_mm512_cvtepu32_epi64(l), _mm512_slli_epi64(_mm512_cvtepu32_epi64(h), 32)), offset);
          inside &=
              !_mm512_mask_cmpge_epu64_mask(__mmask8(live >> 8 * q), address[q], _mm512_set1_epi64(int64_t(wave.window_bytes)));
        }
        if (inside) {
          for (int q = 0; q < 2; q++)
            part[q] = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), __mmask8(live >> 8 * q), address[q], wave.window, 1);
          _mm512_storeu_si512(out, _mm512_inserti64x4(_mm512_castsi256_si512(part[0]), part[1], 1));
          return;
        }
      } else {
        __m512i address = _mm512_add_epi32(low, _mm512_set1_epi32(access.offset));
        __mmask16 inside = wave.lds_bytes < 4 ? 0
                                              : _mm512_mask_cmple_epu32_mask(__mmask16(live), address,
                                                                             _mm512_set1_epi32(int(wave.lds_bytes - 4)));
        _mm512_storeu_si512(out, _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), inside, address, wave.lds, 1));
        return;
      }
    }
#endif
  }
  for (uint32_t rest = live; rest; rest &= rest - 1) {
    int l = std::countr_zero(rest);
    uint64_t address = access.space == Space::Lds || access.space == Space::Scratch
                           ? uint64_t(at.low[l] + uint32_t(access.offset))
                           : (uint64_t(at.high[l]) << 32 | at.low[l]) + uint64_t(int64_t(access.offset));
    const uint8_t* p = e.locate(access.space, address, access.bytes, first_lane + l, FaultKind::Load);
    uint32_t x = 0;
    if (p && !e.probing) {
      if (in_scratch(wave, p) && (uintptr_t(p) & 3) + access.bytes > 4)
        straddle(wave, const_cast<uint8_t*>(p), access.bytes, [&](uint32_t n, const uint8_t* q) { x |= uint32_t(*q) << 8 * n; });
      else
        std::memcpy(&x, p, access.bytes);
    }
    out[l] = extend(x, access);
  }
}

void store_half(Interpreter& e, const MemoryAccess& access, const HalfAddresses& at, int first_lane, uint32_t live,
                const Step& step, const uint32_t* value) {
  Wave& wave = e.wave;
  bool global = access.space == Space::Global;
  if (!live) return;
  if (!e.probing && access.bytes == 4) {
    uint8_t form = kOther;
    uint8_t* p = nullptr;
    if (global && same_high(at.high, live)) {
      form = form_of(at.low, live, access.stride);
      uint64_t start = (uint64_t(at.high[0]) << 32 | at.low[0]) + uint64_t(int64_t(access.offset));
      if (start < wave.window_bytes - 16 * 256) p = wave.window + start;
    } else if (access.space == Space::Lds) {
      form = form_of(at.low, live, access.stride);
      uint64_t start = uint32_t(at.low[0] + uint32_t(access.offset));
      if (start + kHalf * access.stride <= wave.lds_bytes) p = wave.lds + start;
    } else if (access.space == Space::Scratch && form_of(at.low, live, 4) == kEqual) {
      uint32_t a = at.low[0] + uint32_t(access.offset);
      if (!(a & 3) && uint64_t(a) + 4 <= wave.scratch_bytes) {
        form = kConsecutive;
        p = wave.scratch + (size_t(a) / 4 * wave.lanes + uint32_t(first_lane)) * 4;
      }
    }
    if (e.profiling) step.address_forms |= form;
    if (p && form == kConsecutive && (access.stride == 4 || access.space == Space::Scratch)) {
#ifdef __AVX512F__
      _mm512_mask_storeu_epi32(p, __mmask16(live), _mm512_loadu_si512(value));
      return;
#else
      if (live == 0xffff) {
        std::memcpy(p, value, 64);
        return;
      }
#endif
    }
  }
  for (uint32_t rest = live; rest; rest &= rest - 1) {
    int l = std::countr_zero(rest);
    uint64_t address = access.space == Space::Lds || access.space == Space::Scratch
                           ? uint64_t(at.low[l] + uint32_t(access.offset))
                           : (uint64_t(at.high[l]) << 32 | at.low[l]) + uint64_t(int64_t(access.offset));
    uint8_t* p = e.locate(access.space, address, access.bytes, first_lane + l, FaultKind::Store);
    if (!p || e.probing) continue;
    if (in_scratch(wave, p) && (uintptr_t(p) & 3) + access.bytes > 4)
      straddle(wave, p, access.bytes, [&](uint32_t n, uint8_t* q) { *q = uint8_t(value[l] >> 8 * n); });
    else
      std::memcpy(p, &value[l], access.bytes);
  }
}

}  // namespace

U32 Interpreter::load(const MemoryAccess& access, U32 low, U32 high) {
  alignas(128) uint32_t out[kLanes] = {};
  uint32_t live = active().bits;
  for (int h = 0; h < 2; h++) {
    HalfAddresses at;
    std::memcpy(&at.low, reinterpret_cast<const uint8_t*>(&low.v) + 64 * h, 64);
    std::memcpy(&at.high, reinterpret_cast<const uint8_t*>(&high.v) + 64 * h, 64);
    load_half(*this, access, at, chunk * 32 + h * kHalf, live >> 16 * h & 0xffff, *step, out + h * kHalf);
  }
  U32 result;
  std::memcpy(&result.v, out, sizeof out);
  return result;
}

void Interpreter::store(const MemoryAccess& access, U32 low, U32 high, U32 value) {
  uint32_t live = active().bits;
  alignas(128) uint32_t values[kLanes];
  std::memcpy(values, &value.v, sizeof values);
  for (int h = 0; h < 2; h++) {
    HalfAddresses at;
    std::memcpy(&at.low, reinterpret_cast<const uint8_t*>(&low.v) + 64 * h, 64);
    std::memcpy(&at.high, reinterpret_cast<const uint8_t*>(&high.v) + 64 * h, 64);
    store_half(*this, access, at, chunk * 32 + h * kHalf, live >> 16 * h & 0xffff, *step, values + h * kHalf);
  }
}

S32 Interpreter::scalar_load(S64 address, int32_t offset, int bytes, bool sign_extend) {
  uint64_t at = address.v + uint64_t(int64_t(offset));
  if (at >= wave.window_bytes || (probing && !is_mapped(wave, at, uint32_t(bytes)))) {
    fault(FaultKind::ScalarLoad, at, uint32_t(bytes), -1);
    return {0};
  }
  if (probing) return {0};
  uint32_t x = 0;
  std::memcpy(&x, wave.window + at, size_t(bytes));
  MemoryAccess access{.bytes = uint8_t(bytes), .sign_extend = sign_extend};
  return {extend(x, access)};
}

Pair Interpreter::atomic(const AtomicAccess& access, U32 low, U32 high, U32 data_low, U32 data_high, U32 compare_low,
                         U32 compare_high) {
  Pair result{u32(0), u32(0)};
  for (uint32_t rest = active().bits; rest; rest &= rest - 1) {
    int l = std::countr_zero(rest);
    bool narrow = access.space == Space::Lds || access.space == Space::Scratch;
    uint64_t address = narrow ? uint64_t(low.v[l] + uint32_t(access.offset))
                              : (uint64_t(high.v[l]) << 32 | low.v[l]) + uint64_t(int64_t(access.offset));
    if (address & (access.bytes - 1u)) {
      fault(FaultKind::Atomic, address, access.bytes, chunk * 32 + l, "not aligned to its size");
      continue;
    }
    uint8_t* p = locate(access.space, address, access.bytes, chunk * 32 + l, FaultKind::Atomic);
    if (!p || probing) continue;
    uint64_t data = data_low.v[l] | uint64_t(data_high.v[l]) << 32, compare = compare_low.v[l] | uint64_t(compare_high.v[l])
                                                                                                     << 32;
    uint64_t old;
    if (in_scratch(wave, p) && access.bytes == 8) {  // a lane's own two dwords stand apart
      uint8_t* second = p + wave.lanes * 4;
      uint32_t words[2];
      std::memcpy(&words[0], p, 4), std::memcpy(&words[1], second, 4);
      old = words[0] | uint64_t(words[1]) << 32;
      uint64_t now = atomic_result(access.op, 8, old, data, compare);
      words[0] = uint32_t(now), words[1] = uint32_t(now >> 32);
      std::memcpy(p, &words[0], 4), std::memcpy(second, &words[1], 4);
    } else {
      old = atomic_update(access.op, access.bytes, p, data, compare);
    }
    result.low.v[l] = uint32_t(old), result.high.v[l] = uint32_t(old >> 32);
  }
  return result;
}

// Compiled code's slow way: sets up just enough of an interpreter.
void load16(Wave& wave, const MemoryAccess& access, const Step& step, const uint32_t* low, const uint32_t* high,
            uint32_t first_lane, uint32_t live, uint32_t* out) {
  Interpreter e(wave, program_of(wave));
  e.step = &step;
  HalfAddresses at;
  std::memcpy(&at.low, low, 64), std::memcpy(&at.high, high, 64);
  std::memset(out, 0, 64);
  load_half(e, access, at, int(first_lane), live, step, out);
  if (wave.stop == Stop::Fault) leave_by_fault(wave);
}
void store16(Wave& wave, const MemoryAccess& access, const Step& step, const uint32_t* low, const uint32_t* high,
             uint32_t first_lane, uint32_t live, const uint32_t* value) {
  Interpreter e(wave, program_of(wave));
  e.step = &step;
  HalfAddresses at;
  std::memcpy(&at.low, low, 64), std::memcpy(&at.high, high, 64);
  store_half(e, access, at, int(first_lane), live, step, value);
  if (wave.stop == Stop::Fault) leave_by_fault(wave);
}

}  // namespace Atoll::wave::ATOLL_LEVEL
