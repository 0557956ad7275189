// How up to 32 lanes' addresses stand in memory, and the loads and stores of lanes that stand in a row or agree. Part of the
// interpreter: compiled once for each host level. Addresses in a row and equal ones are tested for first: a loop over lanes costs
// several times as much (bench_memory_path). Every address is checked against the window's size; what lies inside but is not
// mapped ends in SIGSEGV, which the runner turns into a precise fault by going through the instruction once more without touching
// memory ("probing", interpreter.cpp).
//
// LDS beyond its end: a dword of which any byte lies outside reads as zero, of a store the bytes inside are written (RDNA4
// ISA 3.3.5.1, unaligned mode). Flat addresses belong to the aperture of their base, the offset not counted; in LDS they wrap at
// 17 bits (11.2).
#pragma once
#ifdef __AVX512F__
#include <immintrin.h>
#endif
#include <bit>
#include <cstring>

#include "base/removable_check.h"
#include "wave/interpreter/interpreter.h"
#include "wave/probe.h"

namespace Atoll::wave::ATOLL_LEVEL {

inline constexpr int kHalf = 16;  // lanes that a vector register holds at best, and that the JIT's chunks have
inline constexpr uint64_t kFourGiB = uint64_t(1) << 32;

typedef uint32_t U16x __attribute__((ext_vector_type(16)));
typedef uint64_t U16x64 __attribute__((ext_vector_type(16)));
typedef bool Bool16 __attribute__((ext_vector_type(16)));

// The lanes that are looked at together: 32, or 16 of them.
template <int N>
using Vec = std::conditional_t<N == 32, Vector<uint32_t>, U16x>;
template <int N>
Vec<N> vector_at(const uint32_t* p) {
  Vec<N> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
uint32_t bits_of(V comparison) {
  if constexpr (sizeof(V) / sizeof(comparison[0]) == 32)
    return mask_bits(comparison).bits;
  else
    return __builtin_bit_cast(uint16_t, __builtin_convertvector(comparison, Bool16));
}
// The multiples of a stride.
struct Ramps {
  alignas(64) uint32_t of[17][32];
};
inline constexpr Ramps kRamps = [] {
  Ramps r{};
  for (uint32_t stride = 0; stride <= 16; stride++)
    for (uint32_t l = 0; l < 32; l++) r.of[stride][l] = l * stride;
  return r;
}();
template <int N>
Vec<N> ramp(uint32_t stride) {
  return stride <= 16 ? vector_at<N>(kRamps.of[stride]) : vector_at<N>(kRamps.of[1]) * stride;
}

// The addresses of up to 32 lanes, and which of them act.
struct Block {
  const uint32_t *low, *high;
  Space space;
  int32_t offset;
  int first_lane;
  uint32_t live;

  uint64_t address(int lane) const {
    if (space != Space::Global) return uint32_t(low[lane] + uint32_t(offset));
    return (uint64_t(high[lane]) << 32 | low[lane]) + uint64_t(int64_t(offset));
  }
  Block half(int from) const { return {low + from, high + from, space, offset, first_lane + from, live >> from & 0xffff}; }
};

inline uint32_t extend(uint32_t x, const MemoryAccess& access) {
  if (!access.sign_extend || access.bytes == 4) return x;
  int shift = 32 - 8 * access.bytes;
  return uint32_t(int32_t(x << shift) >> shift);
}
inline uint32_t read(const uint8_t* p, unsigned bytes) {
  uint32_t x = 0;
  if (bytes == 4)
    std::memcpy(&x, p, 4);
  else if (bytes == 2)
    std::memcpy(&x, p, 2);
  else
    x = *p;
  return x;
}
inline void write(uint8_t* p, unsigned bytes, uint32_t x) {
  if (bytes == 4)
    std::memcpy(p, &x, 4);
  else if (bytes == 2)
    std::memcpy(p, &x, 2);
  else
    *p = uint8_t(x);
}

// --- one lane, with every check

// Byte `address` of a lane's private memory.
inline uint8_t* scratch_byte(const Wave& wave, uint64_t address, int lane) {
  return wave.scratch + (address / 4 * wave.lanes + uint32_t(lane)) * 4 + (address & 3);
}
inline bool scratch_holds(Interpreter& e, FaultKind kind, uint64_t address, unsigned bytes, int lane) {
  if (ATOLL_CHECK("interpreter.scratch.bounds", address + bytes <= e.wave.scratch_bytes)) return true;
  e.fault(kind, address, bytes, lane, "beyond the lane's private memory");
  return false;
}
inline bool global_holds(Interpreter& e, FaultKind kind, uint64_t address, unsigned bytes, int lane) {
  if (ATOLL_CHECK("interpreter.global.window", address < e.wave.window_bytes) &&
      (!e.probing || is_mapped(e.wave, kind, address, bytes)))
    return true;
  e.fault(kind, address, bytes, lane);
  return false;
}

inline bool in_lds(const Wave& wave, uint64_t address, unsigned bytes) {
  return ATOLL_CHECK("interpreter.lds.bounds", address + bytes <= wave.lds_bytes);
}

// --- many lanes at once

// The pattern of lanes' addresses in memory, if they form a row or all agree.
struct Form {
  uint8_t form = kOther;
  uint8_t* place = nullptr;  // of lane 0 (live or not) in a row, of all lanes when equal; null: not to be touched without checks
};

// `bytes` at each address `stride` apart. Private memory is interleaved: equal addresses of dwords stand in a row there. A live
// lane alone counts as a row.
template <int N>
Form form_of(const Wave& wave, const Block& block, unsigned bytes, unsigned stride) {
  int first = std::countr_zero(block.live);
  uint32_t base = block.low[first];
  uint64_t bound, start;
  uint8_t* memory;
  Vec<N> low = vector_at<N>(block.low);
  if (block.space == Space::Scratch) {
    start = uint32_t(base + uint32_t(block.offset));
    if (bytes != 4 || (start & 3) || start + 4 > wave.scratch_bytes || (block.live & ~bits_of(low == Vec<N>(base)))) return {};
    return {kConsecutive, scratch_byte(wave, start, block.first_lane)};
  }
  bool row = !(block.live & ~bits_of(low - ramp<N>(stride) == Vec<N>(base - uint32_t(first) * stride)));
  if (!row && (block.live & ~bits_of(low == Vec<N>(base)))) return {};
  if (block.space == Space::Global) {
    if (block.live & ~bits_of(vector_at<N>(block.high) == Vec<N>(block.high[first]))) return {};
    start = block.address(first), bound = wave.window_bytes, memory = wave.window;
    // In a row the low halves must not have wrapped while the high ones stayed.
    bool wraps = base < uint32_t(first) * stride || base + uint64_t(N - first) * stride > kFourGiB;
    if (row && !ATOLL_CHECK("interpreter.global.wrap", !wraps)) return {};
  } else {
    start = uint32_t(base + uint32_t(block.offset)), bound = wave.lds_bytes, memory = wave.lds;
    if (row && start + uint64_t(N) * stride > kFourGiB) return {};
  }
  if (start >= bound) return {row ? kConsecutive : kEqual};
  if (!row) return {kEqual, start + bytes <= bound ? memory + start : nullptr};
  uint64_t before = uint64_t(first) * stride;
  bool inside = start >= before && start - before + uint64_t(N) * stride <= bound;
  return {kConsecutive, inside ? memory + (start - before) : nullptr};
}

inline void note_form(const Interpreter& e, uint8_t form) {
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
inline constexpr StridedDwords kStrided[] = {strided(1), strided(2), strided(3), strided(4)};
// The positions in vector v that hold a live lane's dword: those of its lanes, in the same order.
inline __mmask16 live_dwords(const StridedDwords& s, unsigned v, uint32_t live) {
  return __mmask16(_pdep_u32((live & s.lanes[v]) >> std::countr_zero(uint32_t(s.lanes[v])), s.memory[v]));
}
#endif

// All 16 lanes, or with masked vector instructions the live ones, in a row. False: no fast way.
inline bool load_row(const uint8_t* p, const MemoryAccess& access, unsigned stride, uint32_t live, uint32_t* out) {
#ifdef __AVX512F__
  if (access.bytes == 4 && stride == 4) {
    _mm512_storeu_si512(out, _mm512_maskz_loadu_epi32(__mmask16(live), p));
    return true;
  }
  if (access.bytes == 4 && stride <= 16 && stride % 4 == 0) {
    const StridedDwords& s = kStrided[stride / 4 - 1];
    __m512i position = _mm512_loadu_si512(s.position), all = _mm512_setzero_si512();
    for (unsigned v = 0; v < stride / 4; v++)
      all =
          _mm512_mask_permutexvar_epi32(all, s.lanes[v], position, _mm512_maskz_loadu_epi32(live_dwords(s, v, live), p + 64 * v));
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

inline bool store_row(uint8_t* p, const MemoryAccess& access, unsigned stride, uint32_t live, const uint32_t* value) {
#ifdef __AVX512F__
  __m512i x = _mm512_loadu_si512(value);
  if (access.bytes == 4 && stride == 4) {
    _mm512_mask_storeu_epi32(p, __mmask16(live), x);
    return true;
  }
  if (access.bytes == 4 && stride <= 16 && stride % 4 == 0) {
    const StridedDwords& s = kStrided[stride / 4 - 1];
    for (unsigned v = 0; v < stride / 4; v++)
      _mm512_mask_storeu_epi32(p + 64 * v, live_dwords(s, v, live), _mm512_permutexvar_epi32(_mm512_loadu_si512(s.lane[v]), x));
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
inline const uint8_t* offsets_inside(const Wave& wave, const Block& block, unsigned bytes, U16x64& offsets) {
  U16x low_lanes = vector_at<kHalf>(block.low);
  U16x64 low = __builtin_convertvector(low_lanes, U16x64);
  uint64_t bound;
  const uint8_t* memory;
  if (block.space == Space::Global) {
    offsets =
        (low | __builtin_convertvector(vector_at<kHalf>(block.high), U16x64) << 32) + U16x64(uint64_t(int64_t(block.offset)));
    bound = wave.window_bytes, memory = wave.window;
  } else if (block.space == Space::Lds) {
    offsets = __builtin_convertvector(low_lanes + U16x(uint32_t(block.offset)), U16x64);
    bound = wave.lds_bytes, memory = wave.lds;
  } else {
    return nullptr;
  }
  if (bound < bytes || block.live & ~bits_of(offsets <= U16x64(bound - bytes))) return nullptr;
  return memory;
}

// Loads lanes that stand in a row or agree, and notes how they stand (32 of them: only when that went well). False: nothing is
// done.
template <int N>
bool load_form(const Interpreter& e, const MemoryAccess& access, const Block& block, uint32_t* out) {
  bool scratch = block.space == Space::Scratch;
  unsigned stride = scratch ? 4 : access.stride;
  Form f = form_of<N>(e.wave, block, access.bytes, stride);
  if (N == kHalf || f.place) note_form(e, scratch && f.place ? uint8_t(kEqual) : f.form);
  if (!f.place) return false;
  if (f.form == kEqual) {
    Vec<N> all = extend(read(f.place, access.bytes), access);
    std::memcpy(out, &all, sizeof all);
    return true;
  }
  for (int h = 0; h < N; h += kHalf)
    if (!load_row(f.place + unsigned(h) * stride, access, stride, block.live >> h & 0xffff, out + h)) return false;
  return true;
}
template <int N>
bool store_form(const Interpreter& e, const MemoryAccess& access, const Block& block, const uint32_t* value) {
  bool scratch = block.space == Space::Scratch;
  unsigned stride = scratch ? 4 : access.stride;
  Form f = form_of<N>(e.wave, block, access.bytes, stride);
  if (N == kHalf || f.place) note_form(e, scratch && f.place ? uint8_t(kEqual) : f.form);
  if (!f.place || f.form != kConsecutive) return false;
  for (int h = 0; h < N; h += kHalf)
    if (!store_row(f.place + unsigned(h) * stride, access, stride, block.live >> h & 0xffff, value + h)) return false;
  return true;
}

// --- 16 lanes any way they stand (lane_access.cpp)

void load_any(Interpreter& e, const MemoryAccess& access, const Block& block, uint32_t* out);
void store_any(Interpreter& e, const MemoryAccess& access, const Block& block, const uint32_t* value);
// Finds byte `address` of a lane's private memory, for waves whose registers place it (Wave::flat_scratch_cell). False:
// the lane has less, and a fault is raised.
bool place_flat_scratch(Interpreter& e, FaultKind kind, unsigned bytes, int lane, uint64_t& address);

}  // namespace Atoll::wave::ATOLL_LEVEL
