// The interpreter's loads, stores and atomics, 16 lanes together. Addresses in a row and equal ones are tested for first: a loop
// over lanes costs several times as much (findings of the engine spike). Every address is checked against the window's size; what
// lies inside but is not mapped ends in SIGSEGV, which the runner turns into a precise fault by going through the instruction
// once more without touching memory ("probing", interpreter.cpp).
//
// LDS beyond its end: a dword of which any byte lies outside reads as zero, of a store the bytes inside are written (RDNA4
// ISA 3.3.5.1, unaligned mode). Flat addresses belong to the aperture of their base, the offset not counted; in LDS they wrap at
// 17 bits (11.2).
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "wave/interpreter/atomics.h"
#include "wave/interpreter/interpreter.h"
#include "wave/interpreter/level.h"
#include "wave/probe.h"

namespace Atoll::wave::ATOLL_LEVEL {
namespace {

constexpr int kHalf = 16;  // lanes looked at together, as the JIT's chunks are
constexpr uint64_t kFourGiB = uint64_t(1) << 32;

typedef uint32_t U16x __attribute__((ext_vector_type(16)));
typedef uint64_t U16x64 __attribute__((ext_vector_type(16)));
typedef bool Bool16 __attribute__((ext_vector_type(16)));

U16x iota16() { return U16x{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; }
template <class V>
uint32_t bits16(V comparison) {
  return __builtin_bit_cast(uint16_t, __builtin_convertvector(comparison, Bool16));
}

// What 16 lanes do. `offset` is the access's, until it has been added to 32-bit addresses.
struct Half {
  U16x low, high;
  Space space;
  int32_t offset;
  int first_lane;
  uint32_t live;

  uint64_t address(int lane) const {
    if (space != Space::Global) return uint32_t(low[lane] + uint32_t(offset));
    return (uint64_t(high[lane]) << 32 | low[lane]) + uint64_t(int64_t(offset));
  }
};

uint32_t extend(uint32_t x, const MemoryAccess& access) {
  if (!access.sign_extend || access.bytes == 4) return x;
  int shift = 32 - 8 * access.bytes;
  return uint32_t(int32_t(x << shift) >> shift);
}
uint32_t read(const uint8_t* p, unsigned bytes) {
  uint32_t x = 0;
  if (bytes == 4)
    std::memcpy(&x, p, 4);
  else if (bytes == 2)
    std::memcpy(&x, p, 2);
  else
    x = *p;
  return x;
}
void write(uint8_t* p, unsigned bytes, uint32_t x) {
  if (bytes == 4)
    std::memcpy(p, &x, 4);
  else if (bytes == 2)
    std::memcpy(p, &x, 2);
  else
    *p = uint8_t(x);
}

// --- one lane, with every check

// Byte `address` of a lane's private memory.
uint8_t* scratch_byte(const Wave& wave, uint64_t address, int lane) {
  return wave.scratch + (address / 4 * wave.lanes + uint32_t(lane)) * 4 + (address & 3);
}
bool scratch_holds(Interpreter& e, FaultKind kind, uint64_t address, unsigned bytes, int lane) {
  if (address + bytes <= e.wave.scratch_bytes) return true;
  e.fault(kind, address, bytes, lane, "beyond the lane's private memory");
  return false;
}
bool global_holds(Interpreter& e, FaultKind kind, uint64_t address, unsigned bytes, int lane) {
  if (address < e.wave.window_bytes && (!e.probing || is_mapped(e.wave, address, bytes))) return true;
  e.fault(kind, address, bytes, lane);
  return false;
}

uint32_t load_lane(Interpreter& e, const Half& half, int l, unsigned bytes) {
  const Wave& wave = e.wave;
  uint64_t address = half.address(l);
  int lane = half.first_lane + l;
  switch (half.space) {
    case Space::Lds: return address + bytes <= wave.lds_bytes && !e.probing ? read(wave.lds + address, bytes) : 0;
    case Space::Scratch: {
      if (!scratch_holds(e, FaultKind::Load, address, bytes, lane) || e.probing) return 0;
      if ((address & 3) + bytes <= 4) return read(scratch_byte(wave, address, lane), bytes);
      uint32_t x = 0;
      for (unsigned n = 0; n < bytes; n++) x |= uint32_t(*scratch_byte(wave, address + n, lane)) << 8 * n;
      return x;
    }
    default: return global_holds(e, FaultKind::Load, address, bytes, lane) && !e.probing ? read(wave.window + address, bytes) : 0;
  }
}

void store_lane(Interpreter& e, const Half& half, int l, unsigned bytes, uint32_t value) {
  const Wave& wave = e.wave;
  uint64_t address = half.address(l);
  int lane = half.first_lane + l;
  switch (half.space) {
    case Space::Lds:
      if (e.probing) return;
      if (address + bytes <= wave.lds_bytes) return write(wave.lds + address, bytes, value);
      for (unsigned n = 0; n < bytes; n++)
        if (address + n < wave.lds_bytes) wave.lds[address + n] = uint8_t(value >> 8 * n);
      return;
    case Space::Scratch:
      if (!scratch_holds(e, FaultKind::Store, address, bytes, lane) || e.probing) return;
      if ((address & 3) + bytes <= 4) return write(scratch_byte(wave, address, lane), bytes, value);
      for (unsigned n = 0; n < bytes; n++) *scratch_byte(wave, address + n, lane) = uint8_t(value >> 8 * n);
      return;
    default:
      if (global_holds(e, FaultKind::Store, address, bytes, lane) && !e.probing) write(wave.window + address, bytes, value);
  }
}

// --- 16 lanes at once

// Where lanes stand in memory when they form a row or all agree.
struct Form {
  uint8_t form = kOther;
  uint8_t* place = nullptr;  // of lane 0 (live or not) in a row, of all lanes when equal; null: not to be touched without checks
};

// `bytes` at each address `stride` apart. Private memory is interleaved: equal addresses of dwords stand in a row there.
Form form_of(const Wave& wave, const Half& half, unsigned bytes, unsigned stride) {
  int first = std::countr_zero(half.live);
  uint32_t base = half.low[first];
  uint64_t bound, start;
  uint8_t* memory;
  bool row = !(half.live & ~bits16(half.low - iota16() * stride == U16x(base - uint32_t(first) * stride)));
  bool equal = !(half.live & ~bits16(half.low == U16x(base)));
  // A live lane alone is a row as much as an equal address; call it a row, which needs no lane 0.
  if (half.space == Space::Global) {
    if ((!row && !equal) || (half.live & ~bits16(half.high == U16x(half.high[first])))) return {};
    start = half.address(first), bound = wave.window_bytes, memory = wave.window;
    // In a row the low halves must not have wrapped while the high ones stayed.
    if (row && (base < uint32_t(first) * stride || base + uint64_t(kHalf - first) * stride > kFourGiB)) return {};
  } else if (half.space == Space::Lds) {
    if (!row && !equal) return {};
    start = uint32_t(base + uint32_t(half.offset)), bound = wave.lds_bytes, memory = wave.lds;
    if (row && start + uint64_t(kHalf) * stride > kFourGiB) return {};
  } else {
    start = uint32_t(base + uint32_t(half.offset));
    if (!equal || bytes != 4 || (start & 3) || start + 4 > wave.scratch_bytes) return {};
    return {kConsecutive, scratch_byte(wave, start, half.first_lane)};
  }
  if (start >= bound) return {row ? kConsecutive : kEqual};
  if (!row) return {kEqual, start + bytes <= bound ? memory + start : nullptr};
  uint64_t before = uint64_t(first) * stride;
  bool inside = start >= before && start - before + uint64_t(kHalf) * stride <= bound;
  return {kConsecutive, inside ? memory + (start - before) : nullptr};
}

void note_form(const Interpreter& e, uint8_t form) {
  if (e.profiling && !(e.step->address_forms & form)) e.step->address_forms |= form;
}

#ifdef __AVX512F__
// Dwords `stride` bytes apart stand in up to four vectors: which lanes' dwords are in vector v, and where.
struct StridedDwords {
  __mmask16 memory[4], lanes[4];  // positions in the vector that hold a lane's dword; lanes whose dword stands in it
  uint32_t position[16];          // of a lane's dword in its vector
  uint32_t lane[4][16];           // of a position in the vector
};
constexpr StridedDwords strided(unsigned dwords) {
  StridedDwords s{};
  for (unsigned l = 0; l < 16; l++) {
    unsigned at = l * dwords, v = at / 16;
    s.memory[v] |= __mmask16(1u << at % 16), s.lanes[v] |= __mmask16(1u << l);
    s.position[l] = at % 16, s.lane[v][at % 16] = l;
  }
  return s;
}
constexpr StridedDwords kStrided[] = {strided(1), strided(2), strided(3), strided(4)};
#endif

// All 16 lanes, or with masked vector instructions the live ones, in a row. False: no fast way.
bool load_row(const uint8_t* p, const MemoryAccess& access, unsigned stride, uint32_t live, uint32_t* out) {
#ifdef __AVX512F__
  if (access.bytes == 4 && stride == 4) {
    _mm512_storeu_si512(out, _mm512_maskz_loadu_epi32(__mmask16(live), p));
    return true;
  }
  if (access.bytes == 4 && live == 0xffff && stride <= 16 && stride % 4 == 0) {
    const StridedDwords& s = kStrided[stride / 4 - 1];
    __m512i position = _mm512_loadu_si512(s.position), all = _mm512_setzero_si512();
    for (unsigned v = 0; v < stride / 4; v++)
      all = _mm512_mask_permutexvar_epi32(all, s.lanes[v], position, _mm512_maskz_loadu_epi32(s.memory[v], p + 64 * v));
    _mm512_storeu_si512(out, all);
    return true;
  }
  if (access.bytes == 1 && stride == 1) {
    __m128i x = _mm_maskz_loadu_epi8(__mmask16(live), p);
    _mm512_storeu_si512(out, access.sign_extend ? _mm512_cvtepi8_epi32(x) : _mm512_cvtepu8_epi32(x));
    return true;
  }
  if (access.bytes == 2 && stride == 2) {
    __m256i x = _mm256_maskz_loadu_epi16(__mmask16(live), p);
    _mm512_storeu_si512(out, access.sign_extend ? _mm512_cvtepi16_epi32(x) : _mm512_cvtepu16_epi32(x));
    return true;
  }
#else
  if (live != 0xffff) return false;
  if (access.bytes == 4 && stride == 4) {
    std::memcpy(out, p, 64);
    return true;
  }
#endif
  return false;
}

bool store_row(uint8_t* p, const MemoryAccess& access, unsigned stride, uint32_t live, const uint32_t* value) {
#ifdef __AVX512F__
  __m512i x = _mm512_loadu_si512(value);
  if (access.bytes == 4 && stride == 4) {
    _mm512_mask_storeu_epi32(p, __mmask16(live), x);
    return true;
  }
  if (access.bytes == 4 && live == 0xffff && stride <= 16 && stride % 4 == 0) {
    const StridedDwords& s = kStrided[stride / 4 - 1];
    for (unsigned v = 0; v < stride / 4; v++)
      _mm512_mask_storeu_epi32(p + 64 * v, s.memory[v], _mm512_permutexvar_epi32(_mm512_loadu_si512(s.lane[v]), x));
    return true;
  }
  if (access.bytes == 1 && stride == 1) {
    _mm512_mask_cvtepi32_storeu_epi8(p, __mmask16(live), x);
    return true;
  }
  if (access.bytes == 2 && stride == 2) {
    _mm512_mask_cvtepi32_storeu_epi16(p, __mmask16(live), x);
    return true;
  }
#else
  if (live != 0xffff) return false;
  if (access.bytes == 4 && stride == 4) {
    std::memcpy(p, value, 64);
    return true;
  }
#endif
  return false;
}

// Offsets of the live lanes from `memory` (window or LDS) when every one is inside; dead lanes get 0.
const uint8_t* offsets_inside(const Wave& wave, const Half& half, unsigned bytes, U16x64& offsets) {
  U16x64 low = __builtin_convertvector(half.low, U16x64);
  uint64_t bound;
  const uint8_t* memory;
  if (half.space == Space::Global) {
    offsets = (low | __builtin_convertvector(half.high, U16x64) << 32) + U16x64(uint64_t(int64_t(half.offset)));
    bound = wave.window_bytes, memory = wave.window;
  } else if (half.space == Space::Lds) {
    offsets = __builtin_convertvector(half.low + U16x(uint32_t(half.offset)), U16x64);
    bound = wave.lds_bytes, memory = wave.lds;
  } else {
    return nullptr;
  }
  if (bound < bytes || half.live & ~bits16(offsets <= U16x64(bound - bytes))) return nullptr;
  return memory;
}

void load_half(Interpreter& e, const MemoryAccess& access, const Half& half, uint32_t* out) {
  if (!half.live) return;
  unsigned bytes = access.bytes;
  if (!e.probing) {
    Form f = form_of(e.wave, half, bytes, half.space == Space::Scratch ? 4 : access.stride);
    note_form(e, half.space == Space::Scratch && f.form == kConsecutive ? uint8_t(kEqual) : f.form);
    if (f.place && f.form == kConsecutive &&
        load_row(f.place, access, half.space == Space::Scratch ? 4 : access.stride, half.live, out))
      return;
    if (f.place && f.form == kEqual) {
      U16x all = extend(read(f.place, bytes), access);
      std::memcpy(out, &all, 64);
      return;
    }
    U16x64 offsets;
    if (const uint8_t* memory = offsets_inside(e.wave, half, bytes, offsets)) {
#ifdef __AVX512F__
      if (bytes == 4) {
        __m512i index[2];
        std::memcpy(index, &offsets, 128);
        for (int q = 0; q < 2; q++)
          _mm256_storeu_si256(
              reinterpret_cast<__m256i*>(out + 8 * q),
              _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), __mmask8(half.live >> 8 * q), index[q], memory, 1));
        return;
      }
#endif
      alignas(64) uint64_t at[kHalf];
      std::memcpy(at, &offsets, sizeof at);
      for (uint32_t rest = half.live; rest; rest &= rest - 1) {
        int l = std::countr_zero(rest);
        out[l] = extend(read(memory + at[l], bytes), access);
      }
      return;
    }
  }
  for (uint32_t rest = half.live; rest; rest &= rest - 1) {
    int l = std::countr_zero(rest);
    out[l] = extend(load_lane(e, half, l, bytes), access);
  }
}

void store_half(Interpreter& e, const MemoryAccess& access, const Half& half, const uint32_t* value) {
  if (!half.live) return;
  unsigned bytes = access.bytes;
  if (!e.probing) {
    Form f = form_of(e.wave, half, bytes, half.space == Space::Scratch ? 4 : access.stride);
    note_form(e, half.space == Space::Scratch && f.form == kConsecutive ? uint8_t(kEqual) : f.form);
    if (f.place && f.form == kConsecutive &&
        store_row(f.place, access, half.space == Space::Scratch ? 4 : access.stride, half.live, value))
      return;
    U16x64 offsets;
    if (const uint8_t* memory = offsets_inside(e.wave, half, bytes, offsets)) {
      alignas(64) uint64_t at[kHalf];
      std::memcpy(at, &offsets, sizeof at);
      for (uint32_t rest = half.live; rest; rest &= rest - 1) {
        int l = std::countr_zero(rest);
        write(const_cast<uint8_t*>(memory) + at[l], bytes, value[l]);
      }
      return;
    }
  }
  for (uint32_t rest = half.live; rest; rest &= rest - 1) {
    int l = std::countr_zero(rest);
    store_lane(e, half, l, bytes, value[l]);
  }
}

// --- apertures

// Splits a flat half by the spaces its lanes' base addresses lie in and runs each part.
template <class Run>
void in_spaces(const Wave& wave, const Half& half, Run run) {
  if (half.space != Space::Flat) return run(half);
  uint32_t lds = wave.flat_shared_high ? bits16(half.high == U16x(wave.flat_shared_high)) & half.live : 0;
  uint32_t scratch = wave.flat_private_high ? bits16(half.high == U16x(wave.flat_private_high)) & half.live & ~lds : 0;
  Half part = half;
  part.space = Space::Global, part.live = half.live & ~(lds | scratch);
  if (part.live) run(part);
  part.space = Space::Scratch, part.live = scratch;
  if (part.live) run(part);
  part.space = Space::Lds, part.live = lds, part.low = (half.low + U16x(uint32_t(half.offset))) & U16x(0x1ffffu), part.offset = 0;
  if (part.live) run(part);
}

void load_any(Interpreter& e, const MemoryAccess& access, const Half& half, uint32_t* out) {
  in_spaces(e.wave, half, [&](const Half& part) {
    if (part.live == half.live) return load_half(e, access, part, out);
    alignas(64) uint32_t some[kHalf];
    load_half(e, access, part, some);
    for (uint32_t rest = part.live; rest; rest &= rest - 1) out[std::countr_zero(rest)] = some[std::countr_zero(rest)];
  });
}
void store_any(Interpreter& e, const MemoryAccess& access, const Half& half, const uint32_t* value) {
  in_spaces(e.wave, half, [&](const Half& part) { store_half(e, access, part, value); });
}

Half half_of(const MemoryAccess& access, const uint32_t* low, const uint32_t* high, int first_lane, uint32_t live) {
  Half half{{}, {}, access.space, access.offset, first_lane, live & 0xffff};
  std::memcpy(&half.low, low, 64);
  std::memcpy(&half.high, high, 64);
  return half;
}

}  // namespace

// --- the value language's words

U32 Interpreter::load_if(M condition, const MemoryAccess& access, U32 low, U32 high) {
  alignas(128) uint32_t out[kLanes] = {};
  uint32_t live = active().bits & condition.bits;
  at_chunk();
  for (int h = 0; h < kLanes; h += kHalf)
    load_any(*this, access,
             half_of(access, reinterpret_cast<const uint32_t*>(&low.v) + h, reinterpret_cast<const uint32_t*>(&high.v) + h,
                     chunk * 32 + h, live >> h),
             out + h);
  U32 result;
  std::memcpy(&result.v, out, sizeof out);
  return result;
}

void Interpreter::store_if(M condition, const MemoryAccess& access, U32 low, U32 high, U32 value) {
  uint32_t live = active().bits & condition.bits;
  at_chunk();
  for (int h = 0; h < kLanes; h += kHalf)
    store_any(*this, access,
              half_of(access, reinterpret_cast<const uint32_t*>(&low.v) + h, reinterpret_cast<const uint32_t*>(&high.v) + h,
                      chunk * 32 + h, live >> h),
              reinterpret_cast<const uint32_t*>(&value.v) + h);
}

S32 Interpreter::scalar_load(S64 address, int32_t offset, int bytes, bool sign_extend) {
  uint64_t at = address.v + uint64_t(int64_t(offset));
  if (at >= wave.window_bytes || (probing && !is_mapped(wave, at, uint32_t(bytes)))) {
    fault(FaultKind::ScalarLoad, at, uint32_t(bytes), -1);
    return {0};
  }
  if (probing) return {0};
  MemoryAccess access{.bytes = uint8_t(bytes), .sign_extend = sign_extend};
  return {extend(read(wave.window + at, unsigned(bytes)), access)};
}

Pair Interpreter::atomic_if(M condition, const AtomicAccess& access, U32 low, U32 high, U32 data_low, U32 data_high,
                            U32 compare_low, U32 compare_high) {
  Pair result{u32(0), u32(0)};
  unsigned bytes = access.bytes;
  // Only LDS instructions obey the wave's denormal mode; a flat address in LDS does not (RDNA4 ISA 13.2).
  AtomicFlush flush;
  if (access.space == Space::Lds && obeys_mode32(access.op)) flush = {mode.flush_in32, mode.flush_out32};
  if (access.space == Space::Lds && obeys_mode64(access.op)) flush = {mode.flush_in64, mode.flush_out64};
  at_chunk();
  for (uint32_t rest = active().bits & condition.bits; rest; rest &= rest - 1) {
    int l = std::countr_zero(rest), lane = chunk * 32 + l;
    Space space = access.space;
    uint64_t address = uint32_t(low.v[l] + uint32_t(access.offset));
    if (space == Space::Flat && high.v[l] && high.v[l] == wave.flat_shared_high)
      space = Space::Lds, address &= 0x1ffff;
    else if (space == Space::Flat && high.v[l] && high.v[l] == wave.flat_private_high)
      space = Space::Scratch;
    else if (space == Space::Flat)
      space = Space::Global;
    if (space == Space::Global) address = (uint64_t(high.v[l]) << 32 | low.v[l]) + uint64_t(int64_t(access.offset));
    uint8_t* p;
    if (address & (bytes - 1u)) {
      fault(FaultKind::Atomic, address, bytes, lane, "not aligned to its size");
      continue;
    } else if (space == Space::Lds) {
      if (address + bytes > wave.lds_bytes) continue;  // reads 0, writes nothing
      p = wave.lds + address;
    } else if (space == Space::Scratch) {
      if (bytes == 8) {
        fault(FaultKind::Atomic, address, bytes, lane, "64-bit atomics have no place in private memory");  // RDNA4 ISA 11.1.1
        continue;
      }
      if (!scratch_holds(*this, FaultKind::Atomic, address, bytes, lane)) continue;
      p = scratch_byte(wave, address, lane);
    } else {
      if (!global_holds(*this, FaultKind::Atomic, address, bytes, lane)) continue;
      p = wave.window + address;
    }
    if (probing) continue;
    uint64_t data = data_low.v[l] | uint64_t(data_high.v[l]) << 32, compare = compare_low.v[l] | uint64_t(compare_high.v[l])
                                                                                                     << 32;
    uint64_t old = atomic_update(access.op, bytes, p, data, compare, flush);
    result.low.v[l] = uint32_t(old), result.high.v[l] = uint32_t(old >> 32);
  }
  return result;
}

// Compiled code's slow way: sets up just enough of an interpreter.
void load16(Wave& wave, const MemoryAccess& access, const Step& step, const uint32_t* low, const uint32_t* high,
            uint32_t first_lane, uint32_t live, uint32_t* out) {
  Interpreter e(wave, program_of(wave), FloatMode{});
  e.step = &step;
  std::memset(out, 0, 64);
  load_any(e, access, half_of(access, low, high, int(first_lane), live), out);
  if (wave.stop == Stop::Fault) leave_by_fault(wave);
}
void store16(Wave& wave, const MemoryAccess& access, const Step& step, const uint32_t* low, const uint32_t* high,
             uint32_t first_lane, uint32_t live, const uint32_t* value) {
  Interpreter e(wave, program_of(wave), FloatMode{});
  e.step = &step;
  store_any(e, access, half_of(access, low, high, int(first_lane), live), value);
  if (wave.stop == Stop::Fault) leave_by_fault(wave);
}

}  // namespace Atoll::wave::ATOLL_LEVEL
