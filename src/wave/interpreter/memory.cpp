// The value language's loads, stores and atomics, and what compiled code calls where it has no fast form.
#include <algorithm>

#include "wave/interpreter/atomics.h"
#include "wave/interpreter/lane_access.h"
#include "wave/interpreter/level.h"
#include "wave/interpreter/store_parts.h"

namespace Atoll::wave::ATOLL_LEVEL {
namespace {

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

// --- integer atomics on LDS, which the waves of one work-group reach one after the other

template <class Update>
void update_each(uint8_t* lds, uint32_t offset, uint32_t live, const uint32_t* low, uint32_t* out, Update update) {
  for (uint32_t rest = live; rest; rest &= rest - 1) {
    int l = std::countr_zero(rest);
    uint8_t* p = lds + uint32_t(low[l] + offset);
    uint32_t old = read(p, 4);
    write(p, 4, update(old, l));
    out[l] = old;
  }
}
// False: nothing is done, since some lane's dword is not inside and aligned, or the operation is another one.
bool update_lds(const Interpreter& e, const AtomicAccess& access, uint32_t live, const uint32_t* low, const uint32_t* data,
                uint32_t* out) {
  const uint32_t offset = uint32_t(access.offset);
  if (e.wave.lds_bytes < 4) return false;
  const Vector<uint32_t> address = vector_at<kLanes>(low) + Vector<uint32_t>(offset);
  const uint32_t outside = bits_of(address > Vector<uint32_t>(e.wave.lds_bytes - 4)) |
                           bits_of((address & Vector<uint32_t>(3u)) != Vector<uint32_t>(0u));
  if (live & outside) return false;
  auto each = [&](auto update) {
    update_each(e.wave.lds, offset, live, low, out, update);
    return true;
  };
  switch (access.op) {
    case AtomicOp::Swap: return each([&](uint32_t, int l) { return data[l]; });
    case AtomicOp::Add: return each([&](uint32_t old, int l) { return old + data[l]; });
    case AtomicOp::Sub: return each([&](uint32_t old, int l) { return old - data[l]; });
    case AtomicOp::SMin: return each([&](uint32_t old, int l) { return int32_t(old) < int32_t(data[l]) ? old : data[l]; });
    case AtomicOp::UMin: return each([&](uint32_t old, int l) { return std::min(old, data[l]); });
    case AtomicOp::SMax: return each([&](uint32_t old, int l) { return int32_t(old) > int32_t(data[l]) ? old : data[l]; });
    case AtomicOp::UMax: return each([&](uint32_t old, int l) { return std::max(old, data[l]); });
    case AtomicOp::And: return each([&](uint32_t old, int l) { return old & data[l]; });
    case AtomicOp::Or: return each([&](uint32_t old, int l) { return old | data[l]; });
    case AtomicOp::Xor: return each([&](uint32_t old, int l) { return old ^ data[l]; });
    default: return false;
  }
}

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
      (probing && !is_mapped(wave, FaultKind::ScalarLoad, at, uint32_t(bytes)))) {
    fault(FaultKind::ScalarLoad, at, uint32_t(bytes), -1);
    return {0};
  }
  // (also while probing: a later load of the instruction may be at an address that this one gives)
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
  if (access.space == Space::Lds && bytes == 4 && !probing &&
      update_lds(*this, access, memory_active(condition), lows, data_lows, out_low))
    return result;
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

void Interpreter::swap_at_two(const uint32_t* cells, unsigned results, M condition, const AtomicAccess& access, const U32& low0,
                              const U32& low1, const U32& data0_low, const U32& data0_high, const U32& data1_low,
                              const U32& data1_high) {
  AtomicAccess one{.op = AtomicOp::Swap, .space = access.space, .bytes = access.bytes, .offset = access.offset};
  Pair first = atomic_if(condition, one, low0, u32(0), data0_low, data0_high, u32(0), u32(0));
  one.offset = access.second_offset;
  Pair second = atomic_if(condition, one, low1, u32(0), data1_low, data1_high, u32(0), u32(0));
  if (access.offset == access.second_offset) second = first;
  const U32* old[] = {&first.low, &first.high, &second.low, &second.high};
  for (unsigned n = 0; n < results; n++) set_lanes(cells[n], *old[access.bytes == 8 ? n : 2 * n]);
}

// A fault of memory finds the step under way, and all registers as it finds them.
void run_atomic(Wave& wave, const AtomicCall& call, uint64_t pc, const uint32_t* kept) {
  const Program& program = program_of(wave);
  Interpreter e(wave, program, call.mode);
  wave.step = e.step = program.at(pc);
  for (int n = 0; n < (e.wide ? 2 : 1) && wave.stop != Stop::Fault; n++) {
    e.set_chunk(n);
    auto slot = [&](unsigned s) {
      U32 x = e.u32(0);
      if (call.given >> s & 1) std::memcpy(&x.v, kept + s * atomic_slot_lanes + n * kLanes, sizeof x.v);
      return x;
    };
    M condition = call.given >> kCondition & 1 ? slot(kCondition) != 0u : e.m(true);
    e.atomic_into(call.result, call.results, condition, call.access, slot(kLow), slot(kHigh), slot(kDataLow), slot(kDataHigh),
                  slot(kCompareLow), slot(kCompareHigh));
  }
  wave.step = nullptr;
}

// Compiled code's slow way: sets up just enough of an interpreter.
void load16(Wave& wave, const MemoryAccess& access, uint64_t pc, const uint32_t* low, const uint32_t* high, uint32_t first_lane,
            uint32_t live, uint32_t* out) {
  Interpreter e(wave, program_of(wave), FloatMode{});
  e.step = program_of(wave).at(pc);
  std::memset(out, 0, 64);
  load_any(e, access, {low, high, access.space, access.offset, int(first_lane), live & 0xffff}, out);
  if (wave.stop == Stop::Fault) leave_by_fault(wave);
}
void store16(Wave& wave, const MemoryAccess& access, uint64_t pc, const uint32_t* low, const uint32_t* high, uint32_t first_lane,
             uint32_t live, const uint32_t* value) {
  Interpreter e(wave, program_of(wave), FloatMode{});
  e.step = program_of(wave).at(pc);
  Block block{low, high, access.space, access.offset, int(first_lane), live & 0xffff};
  if (access.parts > 1)
    store_part<kHalf>(e, access, block, value);
  else
    store_any(e, access, block, value);
  if (wave.stop == Stop::Fault) leave_by_fault(wave);
}

}  // namespace Atoll::wave::ATOLL_LEVEL
