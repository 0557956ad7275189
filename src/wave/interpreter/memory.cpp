// The interpreter's loads, stores and atomics, 16 lanes together. Addresses in a row and equal ones are tested for first: a loop
// over lanes costs several times as much (bench_memory_path). Every address is checked against the window's size; what
// lies inside but is not mapped ends in SIGSEGV, which the runner turns into a precise fault by going through the instruction
// once more without touching memory ("probing", interpreter.cpp).
//
// LDS beyond its end: a dword of which any byte lies outside reads as zero, of a store the bytes inside are written (RDNA4
// ISA 3.3.5.1, unaligned mode). Flat addresses belong to the aperture of their base, the offset not counted; in LDS they wrap at
// 17 bits (11.2).
#ifdef __AVX512F__
#include <immintrin.h>
#endif
#include <memory>

#include "base/removable_check.h"
#include "wave/interpreter/atomics.h"
#include "wave/interpreter/interpreter.h"
#include "wave/interpreter/level.h"
#include "wave/probe.h"

namespace Atoll::wave::ATOLL_LEVEL {
namespace {

constexpr int kHalf = 16;  // lanes that a vector register holds at best, and that the JIT's chunks have
constexpr uint64_t kFourGiB = uint64_t(1) << 32;

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
constexpr Ramps kRamps = [] {
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
  if (ATOLL_CHECK("interpreter.scratch.bounds", address + bytes <= e.wave.scratch_bytes)) return true;
  e.fault(kind, address, bytes, lane, "beyond the lane's private memory");
  return false;
}
bool global_holds(Interpreter& e, FaultKind kind, uint64_t address, unsigned bytes, int lane) {
  if (ATOLL_CHECK("interpreter.global.window", address < e.wave.window_bytes) &&
      (!e.probing || is_mapped(e.wave, address, bytes)))
    return true;
  e.fault(kind, address, bytes, lane);
  return false;
}

bool in_lds(const Wave& wave, uint64_t address, unsigned bytes) {
  return ATOLL_CHECK("interpreter.lds.bounds", address + bytes <= wave.lds_bytes);
}

uint32_t load_lane(Interpreter& e, const Block& block, int l, unsigned bytes) {
  const Wave& wave = e.wave;
  uint64_t address = block.address(l);
  int lane = block.first_lane + l;
  switch (block.space) {
    case Space::Lds: return in_lds(wave, address, bytes) && !e.probing ? read(wave.lds + address, bytes) : 0;
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

void store_lane(Interpreter& e, const Block& block, int l, unsigned bytes, uint32_t value) {
  const Wave& wave = e.wave;
  uint64_t address = block.address(l);
  int lane = block.first_lane + l;
  switch (block.space) {
    case Space::Lds:
      if (e.probing) return;
      if (in_lds(wave, address, bytes)) return write(wave.lds + address, bytes, value);
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

// --- many lanes at once

// Where lanes stand in memory when they form a row or all agree.
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
// The positions in vector v that hold a live lane's dword: those of its lanes, in the same order.
__mmask16 live_dwords(const StridedDwords& s, unsigned v, uint32_t live) {
  return __mmask16(_pdep_u32((live & s.lanes[v]) >> std::countr_zero(uint32_t(s.lanes[v])), s.memory[v]));
}
#endif

// All 16 lanes, or with masked vector instructions the live ones, in a row. False: no fast way.
bool load_row(const uint8_t* p, const MemoryAccess& access, unsigned stride, uint32_t live, uint32_t* out) {
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

bool store_row(uint8_t* p, const MemoryAccess& access, unsigned stride, uint32_t live, const uint32_t* value) {
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
const uint8_t* offsets_inside(const Wave& wave, const Block& block, unsigned bytes, U16x64& offsets) {
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

void load_half(Interpreter& e, const MemoryAccess& access, const Block& block, uint32_t* out) {
  if (!block.live) return;
  unsigned bytes = access.bytes;
  if (!e.probing) {
    if (load_form<kHalf>(e, access, block, out)) return;
    U16x64 offsets;
    if (const uint8_t* memory = offsets_inside(e.wave, block, bytes, offsets)) {
#ifdef __AVX512F__
      if (bytes == 4) {
        __m512i index[2];
        std::memcpy(index, &offsets, 128);
        for (int q = 0; q < 2; q++)
          _mm256_storeu_si256(
              reinterpret_cast<__m256i*>(out + 8 * q),
              _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), __mmask8(block.live >> 8 * q), index[q], memory, 1));
        return;
      }
#endif
      alignas(64) uint64_t at[kHalf];
      std::memcpy(at, &offsets, sizeof at);
      for (uint32_t rest = block.live; rest; rest &= rest - 1) {
        int l = std::countr_zero(rest);
        out[l] = extend(read(memory + at[l], bytes), access);
      }
      return;
    }
  }
  for (uint32_t rest = block.live; rest; rest &= rest - 1) {
    int l = std::countr_zero(rest);
    out[l] = extend(load_lane(e, block, l, bytes), access);
  }
}

void store_half(Interpreter& e, const MemoryAccess& access, const Block& block, const uint32_t* value) {
  if (!block.live) return;
  unsigned bytes = access.bytes;
  if (!e.probing) {
    if (store_form<kHalf>(e, access, block, value)) return;
    U16x64 offsets;
    if (const uint8_t* memory = offsets_inside(e.wave, block, bytes, offsets)) {
      alignas(64) uint64_t at[kHalf];
      std::memcpy(at, &offsets, sizeof at);
      for (uint32_t rest = block.live; rest; rest &= rest - 1) {
        int l = std::countr_zero(rest);
        write(const_cast<uint8_t*>(memory) + at[l], bytes, value[l]);
      }
      return;
    }
  }
  for (uint32_t rest = block.live; rest; rest &= rest - 1) {
    int l = std::countr_zero(rest);
    store_lane(e, block, l, bytes, value[l]);
  }
}

// --- apertures

// Where byte `address` of a lane's private memory stands, for waves whose registers place it (Wave::flat_scratch_cell). False:
// the lane has less, and a fault is raised.
bool place_flat_scratch(Interpreter& e, FaultKind kind, unsigned bytes, int lane, uint64_t& address) {
  Wave& wave = e.wave;
  uint32_t size = word_of(wave, wave.flat_scratch_cell) & 0x7ffff, place = word_of(wave, wave.flat_scratch_cell + 4) & 0xffffff;
  if (!ATOLL_CHECK("flat_scratch.bounds", address + bytes <= size)) {
    e.fault(kind, address, bytes, lane, "beyond the lane's private memory");
    return false;
  }
  address = wave.flat_scratch_base + uint64_t(place) * 256 + (address / 4 * wave.lanes + uint32_t(lane)) * 4 + (address & 3);
  return true;
}

// Splits flat lanes by the spaces in which their base addresses lie and runs each part.
template <class Run>
void in_spaces(Interpreter& e, FaultKind kind, unsigned bytes, const Block& block, Run run) {
  if (block.space != Space::Flat) return run(block);
  const Wave& wave = e.wave;
  U16x high = vector_at<kHalf>(block.high);
  uint32_t lds = wave.flat_shared_high ? bits_of(high == U16x(wave.flat_shared_high)) & block.live : 0;
  uint32_t scratch = wave.flat_private_high ? bits_of(high == U16x(wave.flat_private_high)) & block.live & ~lds : 0;
  Block part = block;
  part.space = Space::Global, part.live = block.live & ~(lds | scratch);
  if (part.live) run(part);
  if (lds | scratch) note_form(e, kOther);  // compiled code takes flat addresses for global ones
  if (scratch && wave.flat_scratch_cell) {
    alignas(64) uint32_t lows[kHalf] = {}, highs[kHalf] = {};
    uint32_t live = 0;
    for (uint32_t rest = scratch; rest; rest &= rest - 1) {
      int l = std::countr_zero(rest);
      uint64_t address = uint32_t(block.low[l] + uint32_t(block.offset));
      if (!place_flat_scratch(e, kind, bytes, block.first_lane + l, address)) continue;
      lows[l] = uint32_t(address), highs[l] = uint32_t(address >> 32), live |= 1u << l;
    }
    if (live) run(Block{lows, highs, Space::Global, 0, block.first_lane, live});
  } else if (scratch) {
    part.space = Space::Scratch, part.live = scratch;
    run(part);
  }
  if (!lds) return;
  U16x cut =
      (vector_at<kHalf>(block.low) + U16x(uint32_t(block.offset))) & U16x(ATOLL_CHECK_REMOVED("flat.aperture") ? ~0u : 0x1ffffu);
  uint32_t low[kHalf];
  std::memcpy(low, &cut, sizeof low);
  part.space = Space::Lds, part.live = lds, part.low = low, part.offset = 0;
  run(part);
}

// 16 lanes.
void load_any(Interpreter& e, const MemoryAccess& access, const Block& block, uint32_t* out) {
  in_spaces(e, FaultKind::Load, access.bytes, block, [&](const Block& part) {
    if (part.live == block.live) return load_half(e, access, part, out);
    alignas(64) uint32_t some[kHalf];
    load_half(e, access, part, some);
    for (uint32_t rest = part.live; rest; rest &= rest - 1) out[std::countr_zero(rest)] = some[std::countr_zero(rest)];
  });
}
void store_any(Interpreter& e, const MemoryAccess& access, const Block& block, const uint32_t* value) {
  in_spaces(e, FaultKind::Store, access.bytes, block, [&](const Block& part) { store_half(e, access, part, value); });
}

// --- several stores of one instruction

// What they store, until the last of them is there. An instruction begins anew with its first part: what an older one left behind
// is nobody's.
struct StoreParts {
  struct Part {
    MemoryAccess access;
    uint32_t live;
    alignas(64) uint32_t low[kLanes], high[kLanes], value[kLanes];
  } part[max_store_parts];
  unsigned count = 0;
};
StoreParts& store_parts() {
  // Not in the thread's static storage: a library that is loaded into a running program has next to none of it.
  static thread_local std::unique_ptr<StoreParts> parts;
  if (!parts) parts = std::make_unique<StoreParts>();
  return *parts;
}

// Whether dwords side by side, in lanes that stand in a row, are all that is stored: no lane touches another's.
template <int N>
bool store_rows(Interpreter& e, const StoreParts& parts, const Block& block) {
  unsigned stride = 4 * parts.count;
  for (unsigned n = 0; n < parts.count; n++) {
    const MemoryAccess &first = parts.part[0].access, &x = parts.part[n].access;
    if (x.bytes != 4 || x.stride != stride || x.offset != first.offset + 4 * int32_t(n)) return false;
    if (n && std::memcmp(parts.part[n].low, parts.part[0].low, N * 4)) return false;
    if (n && parts.part[n].live != parts.part[0].live) return false;
  }
  if (!block.live) return true;
  Form f = form_of<N>(e.wave, block, stride, stride);
  if (N == kHalf || f.place) note_form(e, f.form);
  if (!f.place || f.form != kConsecutive) return false;
  for (unsigned n = 0; n < parts.count; n++)
    for (int h = 0; h < N; h += kHalf)
      if (!store_row(f.place + 4 * n + unsigned(h) * stride, parts.part[n].access, stride, block.live >> h & 0xffff,
                     parts.part[n].value + h))
        return false;
  return true;
}

// 16 lanes, one after the other, each with all of its parts.
void store_lane_by_lane(Interpreter& e, const StoreParts& parts, int from, int first_lane, uint32_t live) {
  auto block_of_part = [&](unsigned n) {
    const auto& p = parts.part[n];
    return Block{p.low + from, p.high + from, p.access.space, p.access.offset, first_lane + from, p.live >> from & 0xffff};
  };
  live = live >> from & 0xffff;
  note_form(e, kOther);
  uint8_t* memory[max_store_parts] = {};
  alignas(64) uint64_t at[max_store_parts][kHalf];
  bool inside = !e.probing;
  for (unsigned n = 0; n < parts.count && inside; n++) {
    U16x64 offsets;
    memory[n] = const_cast<uint8_t*>(offsets_inside(e.wave, block_of_part(n), parts.part[n].access.bytes, offsets));
    std::memcpy(at[n], &offsets, sizeof at[n]);
    inside = memory[n];
  }
  for (uint32_t rest = live; rest; rest &= rest - 1) {
    int l = std::countr_zero(rest);
    for (unsigned n = 0; n < parts.count; n++) {
      Block block = block_of_part(n);
      if (!(block.live >> l & 1)) continue;
      if (inside)
        write(memory[n] + at[n][l], parts.part[n].access.bytes, parts.part[n].value[from + l]);
      else
        block.live = 1u << l, store_any(e, parts.part[n].access, block, parts.part[n].value + from);
    }
  }
}

// N lanes of one of an instruction's stores. Happens with the last.
template <int N>
void store_part(Interpreter& e, const MemoryAccess& access, const Block& block, const uint32_t* value) {
  StoreParts& parts = store_parts();
  if (access.part == 0) parts.count = 0;
  if (parts.count != access.part || parts.count == max_store_parts) broken_promise("stores in their order", __FILE__, __LINE__);
  auto& own = parts.part[parts.count];
  own.access = access, own.access.space = block.space, own.live = block.live;
  std::memcpy(own.low, block.low, N * 4);
  std::memcpy(own.high, block.high, N * 4);
  std::memcpy(own.value, value, N * 4);
  parts.count++;
  if (parts.count != access.parts) return;
  uint32_t live = 0;
  bool own_memory = true;  // private memory is each lane's own: lanes cannot overlap
  for (unsigned n = 0; n < parts.count; n++) {
    live |= parts.part[n].live;
    own_memory &= parts.part[n].access.space == Space::Scratch;
  }
  if (!live) return;
  const auto& first = parts.part[0];
  Block all{first.low, first.high, first.access.space, first.access.offset, block.first_lane, first.live};
  if (own_memory && !e.probing) {
    for (unsigned n = 0; n < parts.count; n++) {
      const auto& p = parts.part[n];
      Block of_part{p.low, p.high, p.access.space, p.access.offset, block.first_lane, p.live};
      for (int h = 0; h < N; h += kHalf) store_any(e, p.access, of_part.half(h), p.value + h);
    }
    return;
  }
  bool flat = false;
  for (unsigned n = 0; n < parts.count; n++) flat |= parts.part[n].access.space == Space::Flat;
  if (!e.probing && !flat && !own_memory && store_rows<N>(e, parts, all)) return;
  for (int h = 0; h < N; h += kHalf) store_lane_by_lane(e, parts, h, block.first_lane, live);
}

// 32 lanes. Flat addresses mostly are all in memory.
Block block_of(Interpreter& e, M condition, const MemoryAccess& access, const U32& low, const U32& high) {
  Block block{reinterpret_cast<const uint32_t*>(&low.v),
              reinterpret_cast<const uint32_t*>(&high.v),
              access.space,
              access.offset,
              e.chunk * 32,
              e.memory_active(condition)};
  if (access.space == Space::Flat) {
    uint32_t apertures = bits_of(high.v == Vector<uint32_t>(e.wave.flat_shared_high)) |
                         bits_of(high.v == Vector<uint32_t>(e.wave.flat_private_high));
    if (!(block.live & apertures)) block.space = Space::Global;
  }
  return block;
}

}  // namespace

#ifdef __AVX512F__
// Most accesses are of dwords that stand in a row or agree, 16 lanes together: these are found out in registers. `half` of 32
// lanes; what is any other way is left to the code above.
struct DwordsInPlace {
  uint8_t* place = nullptr;  // of lane 0; null: look closer
  bool row = false;
};
DwordsInPlace dwords_in_place(const Interpreter& e, Space space, int32_t offset, __m512i low, const U32& high, int half,
                              __mmask16 live) {
  if (!(live & 1)) return {};
  uint32_t base = uint32_t(_mm_cvtsi128_si32(_mm512_castsi512_si128(low)));
  __m512i from_base = _mm512_sub_epi32(low, _mm512_set1_epi32(int(base)));
  bool row = !_mm512_mask_cmpneq_epi32_mask(live, from_base, _mm512_loadu_si512(kRamps.of[4]));
  if (!row && _mm512_mask_test_epi32_mask(live, from_base, from_base)) return {};
  uint64_t start, bound;
  uint8_t* memory;
  if (space == Space::Global) {
    __m512i highs = _mm512_loadu_si512(reinterpret_cast<const uint32_t*>(&high.v) + half * kHalf);
    uint32_t first = uint32_t(_mm_cvtsi128_si32(_mm512_castsi512_si128(highs)));
    if (_mm512_mask_cmpneq_epi32_mask(live, highs, _mm512_set1_epi32(int(first)))) return {};
    // In a row the low halves must not have wrapped while the high ones stayed.
    if (row && !ATOLL_CHECK("interpreter.global.wrap", base <= ~uint32_t(0) - 4 * kHalf)) return {};
    start = (uint64_t(first) << 32 | base) + uint64_t(int64_t(offset)), bound = e.wave.window_bytes, memory = e.wave.window;
  } else {
    start = uint32_t(base + uint32_t(offset)), bound = e.wave.lds_bytes, memory = e.wave.lds;
  }
  if (start >= bound || bound - start < (row ? 4 * kHalf : 4)) return {};
  note_form(e, row ? kConsecutive : kEqual);
  return {memory + start, row};
}
#endif

// --- the value language's words

U32 Interpreter::load_if(M condition, const MemoryAccess& access, const U32& low, const U32& high) {
  U32 result{Vector<uint32_t>(0u)};
  uint32_t* out = reinterpret_cast<uint32_t*>(&result.v);
  at_chunk();
#ifdef __AVX512F__
  if (access.bytes == 4 && access.stride == 4 && (access.space == Space::Lds || access.space == Space::Global) && !probing) {
    uint32_t active = memory_active(condition);
    for (int h = 0; h < 2; h++) {
      auto live = __mmask16(active >> h * kHalf);
      if (!live) continue;
      __m512i lows = _mm512_loadu_si512(reinterpret_cast<const uint32_t*>(&low.v) + h * kHalf);
      DwordsInPlace found = dwords_in_place(*this, access.space, access.offset, lows, high, h, live);
      if (!found.place)
        load_any(*this, access, block_of(*this, condition, access, low, high).half(h * kHalf), out + h * kHalf);
      else if (found.row)
        _mm512_storeu_si512(out + h * kHalf, _mm512_maskz_loadu_epi32(live, found.place));
      else
        _mm512_storeu_si512(out + h * kHalf, _mm512_set1_epi32(int(read(found.place, 4))));
    }
    return result;
  }
#endif
  Block block = block_of(*this, condition, access, low, high);
  if (block.live && !probing && block.space != Space::Flat && load_form<kLanes>(*this, access, block, out)) return result;
  for (int h = 0; h < kLanes; h += kHalf) load_any(*this, access, block.half(h), out + h);
  return result;
}

void Interpreter::store_if(M condition, const MemoryAccess& access, const U32& low, const U32& high, const U32& value) {
  const uint32_t* values = reinterpret_cast<const uint32_t*>(&value.v);
  at_chunk();
  if (access.parts > 1) return store_part<kLanes>(*this, access, block_of(*this, condition, access, low, high), values);
#ifdef __AVX512F__
  if (access.bytes == 4 && access.stride == 4 && (access.space == Space::Lds || access.space == Space::Global) && !probing) {
    uint32_t active = memory_active(condition);
    for (int h = 0; h < 2; h++) {
      auto live = __mmask16(active >> h * kHalf);
      if (!live) continue;
      __m512i lows = _mm512_loadu_si512(reinterpret_cast<const uint32_t*>(&low.v) + h * kHalf);
      DwordsInPlace found = dwords_in_place(*this, access.space, access.offset, lows, high, h, live);
      if (found.place && found.row)
        _mm512_mask_storeu_epi32(found.place, live, _mm512_loadu_si512(values + h * kHalf));
      else
        store_any(*this, access, block_of(*this, condition, access, low, high).half(h * kHalf), values + h * kHalf);
    }
    return;
  }
#endif
  Block block = block_of(*this, condition, access, low, high);
  if (block.live && !probing && block.space != Space::Flat && store_form<kLanes>(*this, access, block, values)) return;
  for (int h = 0; h < kLanes; h += kHalf) store_any(*this, access, block.half(h), values + h);
}

S32 Interpreter::scalar_load_slow(uint64_t at, int bytes, bool sign_extend) {
  if (!ATOLL_CHECK("interpreter.scalar_load.window", at < wave.window_bytes) ||
      (probing && !is_mapped(wave, at, uint32_t(bytes)))) {
    fault(FaultKind::ScalarLoad, at, uint32_t(bytes), -1);
    return {0};
  }
  if (probing) return {0};
  MemoryAccess access{.bytes = uint8_t(bytes), .sign_extend = sign_extend};
  return {extend(read(wave.window + at, unsigned(bytes)), access)};
}

Pair Interpreter::atomic_if(M condition, const AtomicAccess& access, const U32& low, const U32& high, const U32& data_low,
                            const U32& data_high, const U32& compare_low, const U32& compare_high) {
  Pair result{u32(0), u32(0)};
  unsigned bytes = access.bytes;
  // Only LDS instructions obey the wave's denormal mode; a flat address in LDS does not (RDNA4 ISA 13.2).
  AtomicFlush flush;
  if (access.space == Space::Lds && obeys_mode32(access.op)) flush = {mode.flush_in32, mode.flush_out32};
  if (access.space == Space::Lds && obeys_mode64(access.op)) flush = {mode.flush_in64, mode.flush_out64};
  at_chunk();
  auto words = [](const U32& x) { return reinterpret_cast<const uint32_t*>(&x.v); };
  const uint32_t *lows = words(low), *highs = words(high), *data_lows = words(data_low), *data_highs = words(data_high),
                 *compare_lows = words(compare_low), *compare_highs = words(compare_high);
  auto* out_low = reinterpret_cast<uint32_t*>(&result.low.v);
  auto* out_high = reinterpret_cast<uint32_t*>(&result.high.v);
  for (uint32_t rest = memory_active(condition); rest; rest &= rest - 1) {
    int l = std::countr_zero(rest), lane = chunk * 32 + l;
    Space space = access.space;
    uint64_t address = uint32_t(lows[l] + uint32_t(access.offset));
    if (space == Space::Flat && highs[l] && highs[l] == wave.flat_shared_high)
      space = Space::Lds, address &= 0x1ffff;
    else if (space == Space::Flat && highs[l] && highs[l] == wave.flat_private_high)
      space = Space::Scratch;
    else if (space == Space::Flat)
      space = Space::Global;
    if (space == Space::Global) address = (uint64_t(highs[l]) << 32 | lows[l]) + uint64_t(int64_t(access.offset));
    uint8_t* p;
    if (!ATOLL_CHECK("atomics.alignment", !(address & (bytes - 1u)))) {
      fault(FaultKind::Atomic, address, bytes, lane, "not aligned to its size");
      continue;
    } else if (space == Space::Lds) {
      if (!ATOLL_CHECK("atomics.lds.bounds", address + bytes <= wave.lds_bytes)) continue;  // reads 0, writes nothing
      p = wave.lds + address;
    } else if (space == Space::Scratch) {
      if (bytes == 8) {
        fault(FaultKind::Atomic, address, bytes, lane, "64-bit atomics have no place in private memory");  // RDNA4 ISA 11.1.1
        continue;
      }
      if (wave.flat_scratch_cell) {
        if (!place_flat_scratch(*this, FaultKind::Atomic, bytes, lane, address) ||
            !global_holds(*this, FaultKind::Atomic, address, bytes, lane))
          continue;
        p = wave.window + address;
      } else {
        if (!ATOLL_CHECK("atomics.scratch.bounds", scratch_holds(*this, FaultKind::Atomic, address, bytes, lane))) continue;
        p = scratch_byte(wave, address, lane);
      }
    } else {
      if (!ATOLL_CHECK("atomics.window", global_holds(*this, FaultKind::Atomic, address, bytes, lane))) continue;
      p = wave.window + address;
    }
    if (probing) continue;
    uint64_t data = data_lows[l] | uint64_t(data_highs[l]) << 32, compare = compare_lows[l] | uint64_t(compare_highs[l]) << 32;
    uint64_t old = atomic_update(access.op, bytes, p, data, compare, flush);
    out_low[l] = uint32_t(old), out_high[l] = uint32_t(old >> 32);
  }
  return result;
}

// Compiled code's slow way: sets up just enough of an interpreter.
void load16(Wave& wave, const MemoryAccess& access, const Step& step, const uint32_t* low, const uint32_t* high,
            uint32_t first_lane, uint32_t live, uint32_t* out) {
  Interpreter e(wave, program_of(wave), FloatMode{});
  e.step = &step;
  std::memset(out, 0, 64);
  load_any(e, access, {low, high, access.space, access.offset, int(first_lane), live & 0xffff}, out);
  if (wave.stop == Stop::Fault) leave_by_fault(wave);
}
void store16(Wave& wave, const MemoryAccess& access, const Step& step, const uint32_t* low, const uint32_t* high,
             uint32_t first_lane, uint32_t live, const uint32_t* value) {
  Interpreter e(wave, program_of(wave), FloatMode{});
  e.step = &step;
  Block block{low, high, access.space, access.offset, int(first_lane), live & 0xffff};
  if (access.parts > 1)
    store_part<kHalf>(e, access, block, value);
  else
    store_any(e, access, block, value);
  if (wave.stop == Stop::Fault) leave_by_fault(wave);
}

}  // namespace Atoll::wave::ATOLL_LEVEL
