// The engine that computes at once: 32 lanes a step, a wave64 instruction in two chunks. Implements engine.h.
#pragma once
#include <cstring>

#include "base/removable_check.h"
#include "wave/engine.h"
#include "wave/interpreter/lanes.h"
#include "wave/lane_moves.h"
#include "wave/program.h"

namespace Atoll::wave::ATOLL_LEVEL {

struct Pair {
  U32 low, high;
};

struct Interpreter {
  using S1 = ATOLL_LEVEL::S1;
  using S32 = ATOLL_LEVEL::S32;
  using S64 = ATOLL_LEVEL::S64;
  using SF32 = ATOLL_LEVEL::SF32;
  using SF64 = ATOLL_LEVEL::SF64;
  using U32 = ATOLL_LEVEL::U32;
  using U64 = ATOLL_LEVEL::U64;
  using F32 = ATOLL_LEVEL::F32;
  using F64 = ATOLL_LEVEL::F64;
  using M = ATOLL_LEVEL::M;
  using Pair = ATOLL_LEVEL::Pair;
  static constexpr bool recording = false;

  Wave& wave;
  const Program& program;
  uint8_t* base;  // the wave's first byte: cells are offsets from here
  uint32_t active_cell;
  uint8_t* lane_base;  // of lane registers, and the chunk's word of the mask of active lanes: set_chunk()
  const uint32_t* active_word;
  const Step* step = nullptr;
  const Step* next = nullptr;
  int chunk = 0;                         // lanes chunk*32 .. +31; set_chunk() moves it
  bool wide;                             // more than 32 lanes
  bool held = false;                     // hold_writes() is in force
  bool profiling = true;                 // note address forms
  bool probing = false;                  // after a memory fault: look for the lane instead of touching memory
  bool mode_moved = false;               // the loop must set MXCSR anew
  uint64_t memory_lanes = ~uint64_t(0);  // in a replay after a fault: those whose accesses are still to be looked at
  FloatMode mode;

  struct HeldLanes {
    uint8_t* place;
    uint32_t mask;
    U32 value;
  };
  struct HeldWord {
    uint32_t cell, value;
  };
  int held_lanes_count = 0, held_words_count = 0;
  HeldWord held_words[40];
  HeldLanes held_lanes[20];

  Interpreter(Wave& w, const Program& p, const FloatMode& m)
      : wave(w),
        program(p),
        base(reinterpret_cast<uint8_t*>(&w)),
        active_cell(p.register_file().active_cell),
        wide(w.lanes > 32),
        mode(m) {
    set_chunk(0);
  }
  Interpreter(Wave& w, const Program& p) : Interpreter(w, p, p.isa().float_mode(w)) {}

  void set_chunk(int n) {
    chunk = n;
    lane_base = base + n * 128;
    active_word = reinterpret_cast<const uint32_t*>(base + active_cell + n * 4);
  }

  // --- constants
  static S1 s1(bool c) { return {c}; }
  static S32 s32(uint32_t n) { return {n}; }
  static S64 s64(uint64_t n) { return {n}; }
  static SF32 sf32(float x) { return {x}; }
  static U32 u32(uint32_t n) { return {Vector<uint32_t>(n)}; }
  static U64 u64(uint64_t n) { return {Vector<uint64_t>(n)}; }
  static F32 f32(float x) { return {Vector<float>(x)}; }
  static F64 f64(double x) { return {Vector<double>(x)}; }
  static M m(bool c) { return {c ? ~0u : 0u}; }
  static U32 splat(S32 s) { return {Vector<uint32_t>(s.v)}; }
  static U64 splat(S64 s) { return {Vector<uint64_t>(s.v)}; }
  static F32 splat(SF32 s) { return {Vector<float>(s.v)}; }

  // The number of the lane in its wave.
  U32 lane_id() {
    U32 n;
    for (int l = 0; l < kLanes; l++) n.v[l] = uint32_t(l + chunk * 32);
    return n;
  }

  // --- registers
  template <class T>
  T& at(uint32_t cell) {
    return *reinterpret_cast<T*>(base + cell);
  }
  S32 scalar(uint32_t cell) { return {at<uint32_t>(cell)}; }
  void set_scalar(uint32_t cell, S32 value) {
    if (held)
      held_words[held_words_count++] = {cell, value.v};
    else
      at<uint32_t>(cell) = value.v;
  }
  U32 lanes(uint32_t cell) { return {*reinterpret_cast<Vector<uint32_t>*>(lane_base + cell)}; }
  U32 whole_lanes(uint32_t cell) { return lanes(cell); }
  U32 quads(uint32_t cell) {
    static_assert(kLanes == 32);
    typedef uint32_t Words __attribute__((ext_vector_type(kLanes / 4), aligned(4)));
    const Words w = *reinterpret_cast<const Words*>(base + cell + uint32_t(chunk) * kLanes);  // (a byte a lane)
    return {__builtin_shufflevector(w, w, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7,
                                    7, 7, 7)};
  }
  void set_whole_lanes(uint32_t cell, const U32& value) { *reinterpret_cast<Vector<uint32_t>*>(lane_base + cell) = value.v; }
  uint8_t* pixels_of(const PixelWords& which, int quad) {
    return wave.targets[which.target] + reinterpret_cast<const uint32_t*>(base + which.cell)[chunk * (kLanes / 4) + quad] +
           which.offset + which.word * 4u;
  }
  U32 pixels(const PixelWords& which) {
    U32 out;
    const unsigned step = which.texel_bytes, bytes = step < 4 ? step : 4;
    for (int q = 0; q < kLanes / 4; q++) {
      const uint8_t* from = pixels_of(which, q);
      for (int l = 0; l < 4; l++) {
        uint32_t word = 0;
        std::memcpy(&word, from + unsigned(l) * step, bytes);
        out.v[q * 4 + l] = word;
      }
    }
    return out;
  }
  void set_pixels(M condition, const PixelWords& which, const U32& value) {
    const unsigned step = which.texel_bytes, bytes = step < 4 ? step : 4;
    for (int q = 0; q < kLanes / 4; q++) {
      uint32_t lanes = condition.bits >> (q * 4) & 0xf;
      if (!lanes) continue;
      uint8_t* to = pixels_of(which, q);
      for (int l = 0; l < 4; l++) {
        uint32_t word = value.v[q * 4 + l];
        if (lanes >> l & 1) std::memcpy(to + unsigned(l) * step, &word, bytes);
      }
    }
  }
  void set_pixels(M condition, PixelWords which, const U32& value, const U32& next_word) {
    set_pixels(condition, which, value);
    which.word++;
    set_pixels(condition, which, next_word);
  }
  static U32 constant_word(const uint32_t* words, unsigned log_size, const U32& index) {
    U32 out;
#ifdef __AVX512F__
    if (log_size == 5 || log_size == 6) {
      for (int part = 0; part < kLanes; part += 16) {
        __m512i number, found;
        std::memcpy(&number, reinterpret_cast<const uint32_t*>(&index.v) + part, 64);
        found = _mm512_permutex2var_epi32(_mm512_loadu_si512(words), number, _mm512_loadu_si512(words + 16));
        if (log_size == 6)
          found = _mm512_mask_blend_epi32(
              _mm512_test_epi32_mask(number, _mm512_set1_epi32(32)), found,
              _mm512_permutex2var_epi32(_mm512_loadu_si512(words + 32), number, _mm512_loadu_si512(words + 48)));
        std::memcpy(reinterpret_cast<uint32_t*>(&out.v) + part, &found, 64);
      }
      return out;
    }
#endif
    for (int l = 0; l < kLanes; l++) out.v[l] = words[index.v[l] & ((1u << log_size) - 1)];
    return out;
  }
  static S32 constant_word(const uint32_t* words, unsigned log_size, S32 index) {
    return {words[index.v & ((1u << log_size) - 1)]};
  }
  static constexpr bool may_name_roundings = false;
  template <class F>
  static U32 seldom(M condition, const U32& usual, F f) {
    return condition.bits ? select(condition, f(), usual) : usual;
  }
  U32 primitive_quads(uint32_t cell) { return quads(cell); }
  U32 shared_word(const U32& place) {
    U32 out = u32(0);
    for (int l = 0; l < kLanes; l++) {
      const uint64_t at = place.v[l] & ~3u;
      uint32_t word = 0;
      if (ATOLL_CHECK("shared_word.bounds", at + 4 <= wave.lds_bytes)) std::memcpy(&word, wave.lds + at, 4);
      out.v[l] = word;
    }
    return out;
  }
  void put_lanes(uint8_t* place, uint32_t mask, U32 value) {
    auto& home = *reinterpret_cast<Vector<uint32_t>*>(place);
    home = mask == ~0u ? value.v : select(M{mask}, value, U32{home}).v;
  }
  void set_lanes(uint32_t cell, U32 value) { set_lanes_if(m(true), cell, value); }
  void set_lanes_if(M condition, uint32_t cell, U32 value) {
    uint32_t mask = active().bits & condition.bits;
    if (held) [[unlikely]]
      held_lanes[held_lanes_count++] = {lane_base + cell, mask, value};
    else
      put_lanes(lane_base + cell, mask, value);
  }
  M mask(uint32_t cell) { return {at<uint32_t>(cell + uint32_t(chunk) * 4)}; }
  void set_mask(uint32_t cell, M value) {
    cell += uint32_t(chunk) * 4;
    // In a wave64 the first chunk must not change a register that the second one still reads.
    if (held || wide)
      held_words[held_words_count++] = {cell, value.bits};
    else
      at<uint32_t>(cell) = value.bits;
  }
  M active() { return {*active_word}; }
  void hold_writes() { held = true; }
  void commit_writes() {
    held = false;
    for (int n = 0; n < held_lanes_count; n++) put_lanes(held_lanes[n].place, held_lanes[n].mask, held_lanes[n].value);
    held_lanes_count = 0;
    if (!wide) commit_words();
  }
  void commit_words() {
    for (int n = 0; n < held_words_count; n++) at<uint32_t>(held_words[n].cell) = held_words[n].value;
    held_words_count = 0;
  }

  U32 region(const Region& r) {
    U32 out = u32(0);
    for (int l = 0; l < r.lanes; l++) {
      uint32_t element = r.width ? uint32_t(l) / r.width * r.vertical + uint32_t(l) % r.width * r.horizontal : uint32_t(l);
      const uint8_t* p = base + r.cell + element * r.bytes;
      uint32_t x = 0;
      std::memcpy(&x, p, r.bytes);
      if (r.sign_extend && r.bytes < 4) x = uint32_t(int32_t(x << (32 - 8 * r.bytes)) >> (32 - 8 * r.bytes));
      out.v[l] = x;
    }
    return out;
  }
  void set_region(const Region& r, M condition, U32 value) {
    for (int l = 0; l < r.lanes; l++) {
      if (!(condition.bits >> l & 1)) continue;
      uint32_t element = r.width ? uint32_t(l) / r.width * r.vertical + uint32_t(l) % r.width * r.horizontal : uint32_t(l);
      uint32_t x = value.v[l];
      std::memcpy(base + r.cell + element * r.bytes, &x, r.bytes);
    }
  }

  // --- memory (memory.cpp)
  uint32_t memory_active(M condition) { return active().bits & condition.bits & uint32_t(memory_lanes >> (chunk * 32)); }
  // Under the active mask, and under a condition of one's own as well.
  U32 load(const MemoryAccess& access, const U32& low, const U32& high) { return load_if(m(true), access, low, high); }
  U32 load_if(M condition, const MemoryAccess& access, const U32& low, const U32& high);
  void store(const MemoryAccess& access, const U32& low, const U32& high, const U32& value) {
    store_if(m(true), access, low, high, value);
  }
  void store_if(M condition, const MemoryAccess& access, const U32& low, const U32& high, const U32& value);
  S32 scalar_load(S64 address, int32_t offset, int bytes, bool sign_extend = false) {
    uint64_t at = address.v + uint64_t(int64_t(offset));
    if (bytes != 4 || at >= wave.window_bytes || probing) [[unlikely]]
      return scalar_load_slow(at, bytes, sign_extend);
    S32 word;
    std::memcpy(&word.v, wave.window + at, 4);
    return word;
  }
  S32 scalar_load_if(S1 condition, S64 address, int32_t offset, int bytes, bool sign_extend = false) {
    return condition.v ? scalar_load(address, offset, bytes, sign_extend) : S32{0};
  }
  S32 scalar_load_slow(uint64_t address, int bytes, bool sign_extend);
  Pair atomic(const AtomicAccess& access, const U32& low, const U32& high, const U32& data_low, const U32& data_high,
              const U32& compare_low, const U32& compare_high) {
    return atomic_if(m(true), access, low, high, data_low, data_high, compare_low, compare_high);
  }
  Pair atomic_if(M condition, const AtomicAccess& access, const U32& low, const U32& high, const U32& data_low,
                 const U32& data_high, const U32& compare_low, const U32& compare_high);
  // Both old values are those before either exchange.
  void swap_at_two(const uint32_t* cells, unsigned results, M condition, const AtomicAccess& access, const U32& low0,
                   const U32& low1, const U32& data0_low, const U32& data0_high, const U32& data1_low, const U32& data1_high);
  void atomic_into(const uint32_t* cells, unsigned results, M condition, const AtomicAccess& access, const U32& low,
                   const U32& high, const U32& data_low, const U32& data_high, const U32& compare_low, const U32& compare_high) {
    if (access.op == AtomicOp::SwapAtTwo)
      return swap_at_two(cells, results, condition, access, low, high, data_low, data_high, compare_low, compare_high);
    Pair old = atomic_if(condition, access, low, high, data_low, data_high, compare_low, compare_high);
    if (results > 0) set_lanes(cells[0], old.low);
    if (results > 1) set_lanes(cells[1], old.high);
  }

  // --- lanes among each other (lane_moves.cpp)
  static U32 moved(const U32& value, const LaneMap& map);
  // Values of the whole wave: in a wave32 the second half means nothing.
  struct Whole {
    U32 half[2];
  };
  Whole whole(uint32_t cell) {
    auto half = [&](int n) { return U32{*reinterpret_cast<Vector<uint32_t>*>(base + cell + n * 128)}; };
    return {{half(0), wide ? half(1) : u32(0)}};
  }
  Whole active_words() {
    return {{all_ones(at<uint32_t>(active_cell)), wide ? all_ones(at<uint32_t>(active_cell + 4)) : u32(0)}};
  }
  static U32 all_ones(uint32_t bits) { return select(M{bits}, u32(~0u), u32(0)); }
  Whole lane_numbers();
  template <class F, class... W>
  Whole each(F f, const W&... values) {
    return {{f(values.half[0]...), f(values.half[1]...)}};
  }
  Whole pick(const Whole& values, const Whole& lane);
  void set_active(uint32_t cell, const Whole& value) {
    for (int n = 0; n < (wide ? 2 : 1); n++)
      put_lanes(base + cell + n * 128, at<uint32_t>(active_cell + uint32_t(n) * 4), value.half[n]);
  }
  uint32_t& lane_place(uint32_t cell, uint32_t number) {
    return at<uint32_t>(cell + (number & (ATOLL_CHECK_REMOVED("lane.select") ? ~0u : wave.lanes - 1)) * 4);
  }
  S32 lane(uint32_t cell, S32 number) { return {lane_place(cell, number.v)}; }
  void set_lane(uint32_t cell, S32 number, S32 value) { lane_place(cell, number.v) = value.v; }

  // Notes how far a wave64's instruction has come: when its second half faults, the first one has written its results, perhaps
  // over its addresses, and must not be gone through again.
  void at_chunk() {
    if (wide) wave.chunk = uint32_t(chunk) * 32;
  }

  // --- control
  uint64_t pc() const { return step->pc; }
  uint64_t next_pc() const { return step->pc + step->words * 4u; }
  void poll(uint64_t target) {
    if (target <= step->pc && wave.stop_flag->load(std::memory_order_relaxed)) [[unlikely]] {
      wave.stop = Stop::Interrupted;
    }
  }
  void jump(uint64_t target) {
    poll(target);
    next = program.at(target);
    wave.pc = target;
  }
  void jump_if(S1 condition, uint64_t target) {
    if (condition.v) jump(target);
  }
  void jump_to(S64 target) {
    poll(0);
    next = program.at(target.v);
    wave.pc = target.v;
  }
  void stop(Stop reason) { wave.stop = reason; }
  void illegal(const char* reason) { fault(FaultKind::Illegal, 0, 0, -1, reason); }
  void fault(FaultKind kind, uint64_t address, uint32_t bytes, int lane, const char* reason = nullptr) {
    // The lowest lane's fault of an instruction counts: its dwords come one after the other, each for all lanes.
    bool lower = wave.fault.pc == step->pc && lane >= 0 && lane < wave.fault.lane;
    if (wave.stop == Stop::Fault && !lower) return;
    wave.stop = Stop::Fault;
    wave.fault = {kind, address, bytes, step->pc, lane, reason};
  }
  const FloatMode& float_mode() const { return mode; }
  void mode_changed() {
    mode = program.isa().float_mode(wave);
    mode_moved = true;
  }

  // Runs from wave.pc until the wave stops, for `steps` instructions at most, or until a jump is taken; counts into
  // wave.interpreted.
  void run(uint64_t steps, bool until_jump);
  template <bool Mixed, bool UntilJump, bool Skip = false>
  uint64_t loop(uint64_t steps);
};

// How a semantic is wrapped into a step's function: once for scalars, once for each chunk of lanes.
template <auto Semantic, class Adaptor, class Instruction>
void run_scalar(void* interpreter, const Step& step) {
  Adaptor e(*static_cast<Interpreter*>(interpreter));
  [[clang::always_inline]] Semantic(e, *static_cast<const Instruction*>(step.instruction));
}
// After a wave64's first chunk the second one; no loop, out of which the compiler would move what is rarely needed.
[[gnu::noinline]] inline void after_chunk(Interpreter& core, const Step& step, InterpretFunction run) {
  if (core.chunk == 0 && core.wave.stop != Stop::Fault) {  // a fault of the first lanes is the one to report
    core.set_chunk(1);
    return run(&core, step);
  }
  core.set_chunk(0);
  core.commit_words();
}
template <auto Semantic, class Adaptor, class Instruction>
void run_lanes(void* interpreter, const Step& step) {
  auto& core = *static_cast<Interpreter*>(interpreter);
  Adaptor e(core);
  [[clang::always_inline]] Semantic(e, *static_cast<const Instruction*>(step.instruction));
  if (core.wide) [[unlikely]]
    after_chunk(core, step, &run_lanes<Semantic, Adaptor, Instruction>);
}

}  // namespace Atoll::wave::ATOLL_LEVEL
