// The recording engine: the same semantics, run once per decoded instruction, leave typed SSA nodes. Implements engine.h.
// Types do not mix: Value<Type::U32> has no operator with Value<Type::S32>. Compiled once, without LLVM.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <type_traits>
#include <vector>

#include "wave/byte_registers.h"
#include "wave/engine.h"
#include "wave/interpreter/level.h"
#include "wave/jit/nodes.h"
#include "wave/lane_moves.h"
#include "wave/program.h"
#include "wave/sampled_texture.h"
#include "wave/whole_calls.h"

namespace Atoll::wave {

template <Type T>
struct Value {
  Recorder* r;
  int id;
};

class Recorder {
public:
  using S1 = Value<Type::S1>;
  using S32 = Value<Type::S32>;
  using S64 = Value<Type::S64>;
  using SF32 = Value<Type::SF32>;
  using SF64 = Value<Type::SF64>;
  using U32 = Value<Type::U32>;
  using U64 = Value<Type::U64>;
  using F32 = Value<Type::F32>;
  using F64 = Value<Type::F64>;
  using M = Value<Type::M>;
  struct Pair {
    U32 low, high;
  };
  static constexpr bool recording = true;

  // `wave` stands for all waves of the launch: only what is the same for every one of them may be read (apertures, lanes).
  Recorder(const Wave& wave, const FloatMode& mode, const RegisterFile& file);

  const Wave& wave;
  FloatMode mode;
  uint32_t active_cell;
  bool wide;
  std::vector<Node> nodes;
  bool called = false;               // call_instead() was asked for by the step just recorded
  const Program* program = nullptr;  // of the steps, where they are of one
  const Step* step = nullptr;
  uint32_t position = 0;
  uint8_t lane_count = 0;  // Node::lanes of what follows
  std::deque<IndexedBytes> windows;
  std::deque<MemoryAccess> accesses;  // what nodes point to; moved into the compiled unit
  std::deque<Region> regions;
  std::deque<TextureAccess> textures;
  std::deque<LaneMap> lane_maps;
  std::deque<AtomicCall> atomics;
  std::deque<WholeCall> whole_calls;

  // Records one step. Gives false (and leaves no nodes) when the JIT must call the interpreter for it.
  bool record(const Step& what, uint32_t at);

  template <Type T>
  Value<T> put(Op op, int a = -1, int b = -1, int c = -1, uint64_t imm = 0, const void* extra = nullptr) {
    nodes.push_back(Node{op, T, a, b, c, imm, extra, position, -1, lane_count});
    return {this, int(nodes.size()) - 1};
  }
  void effect(Op op, int a = -1, int b = -1, int c = -1, uint64_t imm = 0, const void* extra = nullptr) {
    nodes.push_back(Node{op, Type::None, a, b, c, imm, extra, position, -1, lane_count});
  }
  void call_instead() { called = true; }

  // --- constants
  S1 s1(bool c) { return put<Type::S1>(Op::Const, -1, -1, -1, c); }
  S32 s32(uint32_t n) { return put<Type::S32>(Op::Const, -1, -1, -1, n); }
  S64 s64(uint64_t n) { return put<Type::S64>(Op::Const, -1, -1, -1, n); }
  SF32 sf32(float x) { return put<Type::SF32>(Op::Const, -1, -1, -1, std::bit_cast<uint32_t>(x)); }
  U32 u32(uint32_t n) { return put<Type::U32>(Op::Const, -1, -1, -1, n); }
  U64 u64(uint64_t n) { return put<Type::U64>(Op::Const, -1, -1, -1, n); }
  F32 f32(float x) { return put<Type::F32>(Op::Const, -1, -1, -1, std::bit_cast<uint32_t>(x)); }
  F64 f64(double x) { return put<Type::F64>(Op::Const, -1, -1, -1, std::bit_cast<uint64_t>(x)); }
  M m(bool c) { return put<Type::M>(Op::Const, -1, -1, -1, c); }
  U32 splat(S32 s) { return put<Type::U32>(Op::Splat, s.id); }
  U64 splat(S64 s) { return put<Type::U64>(Op::Splat, s.id); }
  F32 splat(SF32 s) { return put<Type::F32>(Op::Splat, s.id); }
  U32 lane_id() { return put<Type::U32>(Op::LaneId); }

  // --- registers
  S32 scalar(uint32_t cell) { return put<Type::S32>(Op::ReadScalar, -1, -1, -1, cell); }
  void set_scalar(uint32_t cell, S32 value) {
    if (held_)
      queue_.push_back({Op::WriteScalar, value.id, -1, cell, nullptr});
    else
      effect(Op::WriteScalar, value.id, -1, -1, cell);
  }
  U32 lanes(uint32_t cell) { return put<Type::U32>(Op::ReadLanes, -1, -1, -1, cell); }
  U32 quads(uint32_t cell) { return put<Type::U32>(Op::ReadQuads, -1, -1, -1, cell); }
  U32 primitive_quads(uint32_t cell) {
    return put<Type::U32>(wave.one_primitive ? Op::ReadFirstQuad : Op::ReadQuads, -1, -1, -1, cell);
  }
  void set_lanes(uint32_t cell, U32 value) {
    if (held_)
      queue_.push_back({Op::WriteLanes, value.id, -1, cell, nullptr});
    else
      effect(Op::WriteLanes, value.id, -1, -1, cell);
  }
  void set_lanes_if(M condition, uint32_t cell, U32 value) {
    const Node& c = nodes[size_t(condition.id)];
    int b = c.op == Op::Const && c.imm ? -1 : condition.id;  // "always" needs no merge
    if (held_)
      queue_.push_back({Op::WriteLanes, value.id, b, cell, nullptr});
    else
      effect(Op::WriteLanes, value.id, b, -1, cell);
  }
  U32 whole_lanes(uint32_t cell) { return put<Type::U32>(Op::ReadWhole, -1, -1, -1, cell); }
  M mask(uint32_t cell) { return put<Type::M>(Op::ReadMask, -1, -1, -1, cell); }
  void set_mask(uint32_t cell, M value) {
    if (held_)
      queue_.push_back({Op::WriteMask, value.id, -1, cell, nullptr});
    else
      effect(Op::WriteMask, value.id, -1, -1, cell);
  }
  M active() { return mask(active_cell); }
  U32 region(const Region& r) { return put<Type::U32>(Op::ReadRegion, -1, -1, -1, 0, &regions.emplace_back(r)); }
  void set_region(const Region& r, M condition, U32 value) {
    const Region* kept = &regions.emplace_back(r);
    if (held_)
      queue_.push_back({Op::WriteRegion, value.id, condition.id, 0, kept});
    else
      effect(Op::WriteRegion, value.id, condition.id, -1, 0, kept);
  }
  void set_whole_lanes(uint32_t cell, U32 value) { effect(Op::WriteWhole, value.id, -1, -1, cell); }
  U32 pixels(const PixelWords& which) { return put<Type::U32>(Op::ReadPixels, -1, -1, -1, which.packed()); }
  void set_pixels(M condition, const PixelWords& which, U32 value) {
    effect(Op::WritePixels, value.id, condition.id, -1, which.packed());
  }
  void set_pixels(M condition, const PixelWords& which, U32 value, U32 next_word) {
    effect(Op::WritePixels, value.id, condition.id, next_word.id, which.packed());
  }
  void hold_writes() { held_ = true; }
  void commit_writes();

  // --- memory
  U32 load(const MemoryAccess& access, U32 low, U32 high) {
    return put<Type::U32>(Op::Load, low.id, high.id, -1, 0, &accesses.emplace_back(access));
  }
  U32 load_if(M condition, const MemoryAccess& access, U32 low, U32 high) {
    return put<Type::U32>(Op::Load, low.id, high.id, condition.id, 0, &accesses.emplace_back(access));
  }
  void store(const MemoryAccess& access, U32 low, U32 high, U32 value) {
    effect(Op::Store, low.id, high.id, value.id, 0, &accesses.emplace_back(access));
  }
  void store_if(M condition, const MemoryAccess& access, U32 low, U32 high, U32 value) {
    store(access, low, high, value);
    nodes.back().d = condition.id;
  }
  S32 scalar_load(S64 address, int32_t offset, int bytes, bool sign_extend = false) {
    return put<Type::S32>(Op::ScalarLoad, address.id, -1, -1, 0,
                          &accesses.emplace_back(MemoryAccess{Space::Global, uint8_t(bytes), sign_extend, 4, offset}));
  }
  S32 scalar_load_if(S1 condition, S64 address, int32_t offset, int bytes, bool sign_extend = false) {
    S32 word = scalar_load(address, offset, bytes, sign_extend);
    nodes.back().b = condition.id;
    return word;
  }
  Pair atomic(const AtomicAccess&, U32 low, U32 high, U32, U32, U32, U32) {
    call_instead();
    return {low, high};
  }
  void atomic_into(const uint32_t* cells, unsigned results, M condition, const AtomicAccess& access, U32 low, U32 high,
                   U32 data_low, U32 data_high, U32 compare_low, U32 compare_high);

  // --- lanes among each other
  U32 moved(U32 value, const LaneMap& map) {
    return put<Type::U32>(Op::MoveLanes, value.id, -1, -1, 0, &lane_maps.emplace_back(map));
  }
  using Whole = U32;
  Whole whole(uint32_t cell) { return whole_lanes(cell); }
  Whole active_words() { return put<Type::U32>(Op::Select, active().id, u32(~0u).id, u32(0).id); }
  Whole lane_numbers() { return lane_id(); }
  template <class F, class... W>
  Whole each(F f, W... values) {
    return f(values...);
  }
  Whole pick(Whole values, Whole lane) { return put<Type::U32>(Op::PickLanes, values.id, lane.id); }
  void set_active(uint32_t cell, Whole value) { set_lanes(cell, value); }
  S32 lane(uint32_t cell, S32 number) { return put<Type::S32>(Op::ReadLane, number.id, -1, -1, cell); }
  void set_lane(uint32_t cell, S32 number, S32 value) { effect(Op::WriteLane, number.id, value.id, -1, cell); }
  // A plain function that sees the whole wave (WholeCall), with its instruction.
  template <auto Function, class Instruction>
  void call_whole(const Instruction& instruction) {
    whole_calls.push_back({[](Wave& w, const void* i) { Function(w, *static_cast<const Instruction*>(i)); },
                           std::make_shared<const Instruction>(instruction), sizeof(Instruction)});
    effect(Op::CallWhole, -1, -1, -1, 0, &whole_calls.back());
  }

  U32 constant_word(const uint32_t* words, unsigned log_size, U32 index) {
    return put<Type::U32>(Op::ConstantWord, index.id, -1, -1, log_size, words);
  }
  S32 constant_word(const uint32_t* words, unsigned log_size, S32 index) {
    return put<Type::S32>(Op::ConstantWord, index.id, -1, -1, log_size, words);
  }

  // Operations that name their own rounding: without NaNs, of what lies inside, and only where the host has such.
  static constexpr bool may_name_roundings = true;
  static bool names_roundings() { return host_level() == Level::Avx512; }
  F32 fma_up(F32 a, F32 b, F32 c) { return put<Type::F32>(Op::FmaUp, a.id, b.id, c.id); }
  U32 cvt_s32_f32_up(F32 a) { return put<Type::U32>(Op::CvtToSUp, a.id); }
  F32 floor_product(F32 a, F32 b) { return put<Type::F32>(Op::FloorProduct, a.id, b.id); }  // (neither below zero)
  F32 cvt_f32_s32_down(U32 a) { return put<Type::F32>(Op::CvtFromSDown, a.id); }

  template <class F>
  U32 seldom(M condition, U32 usual, F f) {
    effect(Op::BeginSeldom, condition.id, usual.id);
    return put<Type::U32>(Op::Seldom, condition.id, f().id, usual.id);
  }

  U32 shared_word(U32 place) { return put<Type::U32>(Op::SharedWord, place.id); }

  // --- textures (sampled_texture.h)
  using Texture = Value<Type::Texture>;
  // (found once in a region)
  Texture texture(uint64_t form, const TexelPlaces& places, const std::array<S32, 12>& words,
                  TextureUse use = TextureUse::sampled) {
    if (int found = texture_found(form, words); found >= 0) return {this, found};
    TextureAccess& access = textures.emplace_back(TextureAccess{form, slot_of_texture(), use, places, {}});
    for (size_t n = 0; n < words.size(); n++) access.words[n] = words[n].id;
    return put<Type::Texture>(Op::Texture, -1, -1, -1, 0, &access);
  }
  S32 texture_word(Texture t, size_t byte) { return put<Type::S32>(Op::TextureWord, t.id, -1, -1, byte); }
  // Parts of offsets; whatever `level` and `place` are, they are brought inside of the texture.
  U32 texel_column(Texture t, U32 level, U32 place) { return put<Type::U32>(Op::TexelColumn, t.id, level.id, place.id); }
  U32 texel_row(Texture t, U32 level, U32 place) { return put<Type::U32>(Op::TexelRow, t.id, level.id, place.id); }
  U32 texel_slice(Texture t, U32 level, U32 place) { return put<Type::U32>(Op::TexelSlice, t.id, level.id, place.id); }
  // Four bytes of a texel from `byte` on, which must not reach beyond it; of texels of 1 and 2 bytes (`bytes`) those, and zeros.
  U32 texel(Texture t, U32 column, U32 row, int slice, unsigned bytes, unsigned byte) {
    U32 dword = put<Type::U32>(Op::Texel, t.id, column.id, row.id, bytes << 8 | byte);
    nodes.back().d = slice;
    return dword;
  }

  // The place of a texel, and stores of its dwords (of its 1 or 2 bytes): the texture must be one that is stored to.
  U32 texel_offset(Texture t, U32 column, U32 row, int slice) {
    U32 offset = put<Type::U32>(Op::TexelOffset, t.id, column.id, row.id);
    nodes.back().d = slice;
    return offset;
  }
  void set_texel(M condition, U32 offset, U32 value, unsigned bytes, unsigned byte) {
    effect(Op::WriteTexel, value.id, condition.id, offset.id, bytes << 8 | byte);
  }

  // A condition that code is specialised by: the wave's next steps are interpreted if (word & mask) is not `value`.
  void expect(S32 word, uint32_t mask, uint32_t value) {
    put<Type::S32>(Op::Expect, word.id, -1, -1, uint64_t(mask) << 32 | (value & mask));
  }

  // --- control
  uint64_t pc() const { return step->pc; }
  uint32_t slot_of_texture() const { return program ? program->texture_slot(pc()) : texture_slot(pc()); }
  uint64_t next_pc() const { return step->next_pc(); }
  void jump(uint64_t target) { effect(Op::Jump, -1, -1, -1, target); }
  void jump_if(S1 condition, uint64_t target) { effect(Op::JumpIf, condition.id, -1, -1, target); }
  void jump_to(S64 target) { effect(Op::JumpTo, target.id); }
  void stop(wave::Stop reason) { effect(Op::Stop, -1, -1, -1, uint64_t(reason)); }
  // The work-group's barrier (work_group.h), in compiled code.
  void signal_barrier() { effect(Op::SignalBarrier); }
  void wait_barrier() { effect(Op::WaitBarrier); }
  void illegal(const char*) { call_instead(); }
  const FloatMode& float_mode() const { return mode; }
  void mode_changed() { call_instead(); }

private:
  int texture_found(uint64_t form, const std::array<S32, 12>& words) const;
  struct Queued {
    Op op;
    int a, b;
    uint64_t imm;
    const void* extra;
  };
  bool held_ = false;
  std::vector<Queued> queue_;
};

// --- operators ---------------------------------------------------------------------------------------------------------------
template <Type T>
inline constexpr bool is_integer_type = T == Type::S32 || T == Type::S64 || T == Type::U32 || T == Type::U64;
template <Type T>
inline constexpr bool is_real_type = T == Type::SF32 || T == Type::SF64 || T == Type::F32 || T == Type::F64;
template <Type T>
inline constexpr bool is_wide_type = T == Type::S64 || T == Type::U64 || T == Type::SF64 || T == Type::F64;
template <Type T>
inline constexpr Type truth_of = T >= Type::M ? Type::M : Type::S1;
template <Type T>
using IntegerLiteral = std::conditional_t<is_wide_type<T>, uint64_t, uint32_t>;
template <Type T>
using RealLiteral = std::conditional_t<is_wide_type<T>, double, float>;

template <Type T>
  requires is_integer_type<T>
Value<T> constant(Recorder* r, IntegerLiteral<T> n) {
  return r->put<T>(Op::Const, -1, -1, -1, n);
}
template <Type T>
  requires is_real_type<T>
Value<T> constant(Recorder* r, RealLiteral<T> x) {
  return r->put<T>(Op::Const, -1, -1, -1, std::bit_cast<std::conditional_t<is_wide_type<T>, uint64_t, uint32_t>>(x));
}

#define ATOLL_RECORD_INTEGER(op, node)                    \
  template <Type T>                                       \
    requires is_integer_type<T>                           \
  Value<T> operator op(Value<T> a, Value<T> b) {          \
    return a.r->template put<T>(Op::node, a.id, b.id);    \
  }                                                       \
  template <Type T>                                       \
    requires is_integer_type<T>                           \
  Value<T> operator op(Value<T> a, IntegerLiteral<T> b) { \
    return a op constant<T>(a.r, b);                      \
  }
ATOLL_RECORD_INTEGER(+, Add)
ATOLL_RECORD_INTEGER(-, Sub)
ATOLL_RECORD_INTEGER(*, Mul)
#undef ATOLL_RECORD_INTEGER
#define ATOLL_RECORD_BITS(op, node)                       \
  template <Type T>                                       \
    requires(!is_real_type<T>)                            \
  Value<T> operator op(Value<T> a, Value<T> b) {          \
    return a.r->template put<T>(Op::node, a.id, b.id);    \
  }                                                       \
  template <Type T>                                       \
    requires is_integer_type<T>                           \
  Value<T> operator op(Value<T> a, IntegerLiteral<T> b) { \
    return a op constant<T>(a.r, b);                      \
  }
ATOLL_RECORD_BITS(&, And)
ATOLL_RECORD_BITS(|, Or)
ATOLL_RECORD_BITS(^, Xor)
#undef ATOLL_RECORD_BITS
#define ATOLL_RECORD_SHIFT(name, node)                      \
  template <Type T>                                         \
    requires is_integer_type<T>                             \
  Value<T> name(Value<T> a, Value<T> n) {                   \
    return a.r->template put<T>(Op::node, a.id, n.id);      \
  }                                                         \
  template <Type T>                                         \
    requires is_integer_type<T>                             \
  Value<T> name(Value<T> a, int n) {                        \
    return name(a, constant<T>(a.r, IntegerLiteral<T>(n))); \
  }
ATOLL_RECORD_SHIFT(operator<<, Shl)
ATOLL_RECORD_SHIFT(operator>>, LShr)
ATOLL_RECORD_SHIFT(ashr, AShr)
#undef ATOLL_RECORD_SHIFT
template <Type T>
  requires(!is_real_type<T>)
Value<T> operator~(Value<T> a) {
  return a.r->template put<T>(Op::Not, a.id);
}

#define ATOLL_RECORD_COMPARE(name, node, x, y)                   \
  template <Type T>                                              \
    requires is_integer_type<T>                                  \
  Value<truth_of<T>> name(Value<T> a, Value<T> b) {              \
    return a.r->template put<truth_of<T>>(Op::node, x.id, y.id); \
  }                                                              \
  template <Type T>                                              \
    requires is_integer_type<T>                                  \
  Value<truth_of<T>> name(Value<T> a, IntegerLiteral<T> n) {     \
    return name(a, constant<T>(a.r, n));                         \
  }
ATOLL_RECORD_COMPARE(operator==, Eq, a, b)
ATOLL_RECORD_COMPARE(operator!=, Ne, a, b)
ATOLL_RECORD_COMPARE(operator<, ULt, a, b)
ATOLL_RECORD_COMPARE(operator<=, ULe, a, b)
ATOLL_RECORD_COMPARE(operator>, ULt, b, a)
ATOLL_RECORD_COMPARE(operator>=, ULe, b, a)
ATOLL_RECORD_COMPARE(slt, SLt, a, b)
ATOLL_RECORD_COMPARE(sle, SLe, a, b)
ATOLL_RECORD_COMPARE(sgt, SLt, b, a)
ATOLL_RECORD_COMPARE(sge, SLe, b, a)
#undef ATOLL_RECORD_COMPARE
#define ATOLL_RECORD_FLOAT_COMPARE(name, node, x, y)             \
  template <Type T>                                              \
    requires is_real_type<T>                                     \
  Value<truth_of<T>> name(Value<T> a, Value<T> b) {              \
    return a.r->template put<truth_of<T>>(Op::node, x.id, y.id); \
  }                                                              \
  template <Type T>                                              \
    requires is_real_type<T>                                     \
  Value<truth_of<T>> name(Value<T> a, RealLiteral<T> n) {        \
    return name(a, constant<T>(a.r, n));                         \
  }
ATOLL_RECORD_FLOAT_COMPARE(operator==, FEq, a, b)
ATOLL_RECORD_FLOAT_COMPARE(operator!=, FNe, a, b)
ATOLL_RECORD_FLOAT_COMPARE(operator<, FLt, a, b)
ATOLL_RECORD_FLOAT_COMPARE(operator<=, FLe, a, b)
ATOLL_RECORD_FLOAT_COMPARE(operator>, FLt, b, a)
ATOLL_RECORD_FLOAT_COMPARE(operator>=, FLe, b, a)
#undef ATOLL_RECORD_FLOAT_COMPARE
#define ATOLL_RECORD_FLOAT(op, node)                   \
  template <Type T>                                    \
    requires is_real_type<T>                           \
  Value<T> operator op(Value<T> a, Value<T> b) {       \
    return a.r->template put<T>(Op::node, a.id, b.id); \
  }                                                    \
  template <Type T>                                    \
    requires is_real_type<T>                           \
  Value<T> operator op(Value<T> a, RealLiteral<T> b) { \
    return a op constant<T>(a.r, b);                   \
  }
ATOLL_RECORD_FLOAT(+, FAdd)
ATOLL_RECORD_FLOAT(-, FSub)
ATOLL_RECORD_FLOAT(*, FMul)
ATOLL_RECORD_FLOAT(/, FDiv)
#undef ATOLL_RECORD_FLOAT
#define ATOLL_RECORD_FLOAT_UNARY(name, node)     \
  template <Type T>                              \
    requires is_real_type<T>                     \
  Value<T> name(Value<T> a) {                    \
    return a.r->template put<T>(Op::node, a.id); \
  }
ATOLL_RECORD_FLOAT_UNARY(sqrt, FSqrt)
ATOLL_RECORD_FLOAT_UNARY(fabs, FAbs)
ATOLL_RECORD_FLOAT_UNARY(operator-, FNeg)
ATOLL_RECORD_FLOAT_UNARY(floor, Floor)
ATOLL_RECORD_FLOAT_UNARY(ceil, Ceil)
ATOLL_RECORD_FLOAT_UNARY(trunc, Trunc)
ATOLL_RECORD_FLOAT_UNARY(rndne, RoundEven)
#undef ATOLL_RECORD_FLOAT_UNARY
template <Type T>
  requires is_real_type<T>
Value<T> fma(Value<T> a, Value<T> b, Value<T> c) {
  return a.r->template put<T>(Op::Fma, a.id, b.id, c.id);
}
template <Type T>
  requires is_real_type<T>
Value<truth_of<T>> isnan(Value<T> a) {
  return a.r->template put<truth_of<T>>(Op::IsNan, a.id);
}
template <Type T>
  requires is_real_type<T>
Value<truth_of<T>> unordered(Value<T> a, Value<T> b) {
  return isnan(a) | isnan(b);
}

template <Type C, Type T>
  requires(C == truth_of<T>)
Value<T> select(Value<C> c, Value<T> a, Value<T> b) {
  return a.r->template put<T>(Op::Select, c.id, a.id, b.id);
}
template <Type C, Type T>
  requires(C == truth_of<T> && is_integer_type<T>)
Value<T> select(Value<C> c, Value<T> a, IntegerLiteral<T> b) {
  return select(c, a, constant<T>(a.r, b));
}
template <Type C, Type T>
  requires(C == truth_of<T> && is_real_type<T>)
Value<T> select(Value<C> c, Value<T> a, RealLiteral<T> b) {
  return select(c, a, constant<T>(a.r, b));
}
template <Type T>
  requires is_integer_type<T>
Value<T> umin(Value<T> a, Value<T> b) {
  return select(a < b, a, b);
}
template <Type T>
  requires is_integer_type<T>
Value<T> umax(Value<T> a, Value<T> b) {
  return select(a > b, a, b);
}
template <Type T>
  requires is_integer_type<T>
Value<T> smin(Value<T> a, Value<T> b) {
  return select(slt(a, b), a, b);
}
template <Type T>
  requires is_integer_type<T>
Value<T> smax(Value<T> a, Value<T> b) {
  return select(sgt(a, b), a, b);
}

#define ATOLL_RECORD_UNARY(name, from, to, node) \
  inline Value<Type::to> name(Value<Type::from> a) { return a.r->put<Type::to>(Op::node, a.id); }
#define ATOLL_RECORD_BINARY(name, from, to, node) \
  inline Value<Type::to> name(Value<Type::from> a, Value<Type::from> b) { return a.r->put<Type::to>(Op::node, a.id, b.id); }
ATOLL_RECORD_UNARY(widen, U32, U64, Widen)
ATOLL_RECORD_UNARY(widen, S32, S64, Widen)
ATOLL_RECORD_UNARY(sign_widen, U32, U64, SignWiden)
ATOLL_RECORD_UNARY(sign_widen, S32, S64, SignWiden)
ATOLL_RECORD_UNARY(low, U64, U32, Low)
ATOLL_RECORD_UNARY(low, S64, S32, Low)
ATOLL_RECORD_UNARY(high, U64, U32, High)
ATOLL_RECORD_UNARY(high, S64, S32, High)
ATOLL_RECORD_BINARY(join, U32, U64, Join)
ATOLL_RECORD_BINARY(join, S32, S64, Join)
ATOLL_RECORD_BINARY(mul_high_u, U32, U32, MulHighU)
ATOLL_RECORD_BINARY(mul_high_u, S32, S32, MulHighU)
ATOLL_RECORD_BINARY(mul_high_s, U32, U32, MulHighS)
ATOLL_RECORD_BINARY(mul_high_s, S32, S32, MulHighS)
template <Type T>
  requires(T == Type::U32 || T == Type::F32)
Value<T> quad_lane(Value<T> a, unsigned n) {
  return a.r->template put<T>(Op::QuadLane, a.id, -1, -1, n);
}
template <Type T>
  requires is_integer_type<T>
Value<T> popcount(Value<T> a) {
  return a.r->template put<T>(Op::Popcount, a.id);
}
template <Type T>
  requires is_integer_type<T>
Value<T> clz(Value<T> a) {
  return a.r->template put<T>(Op::Clz, a.id);
}
template <Type T>
  requires is_integer_type<T>
Value<T> ctz(Value<T> a) {
  return a.r->template put<T>(Op::Ctz, a.id);
}
template <Type T>
  requires is_integer_type<T>
Value<T> bitreverse(Value<T> a) {
  return a.r->template put<T>(Op::Bitreverse, a.id);
}
inline Value<Type::U32> fshr(Value<Type::U32> h, Value<Type::U32> l, Value<Type::U32> n) {
  return h.r->put<Type::U32>(Op::Fshr, h.id, l.id, n.id);
}
inline Value<Type::S32> fshr(Value<Type::S32> h, Value<Type::S32> l, Value<Type::S32> n) {
  return h.r->put<Type::S32>(Op::Fshr, h.id, l.id, n.id);
}
ATOLL_RECORD_UNARY(as_f32, U32, F32, Bitcast)
ATOLL_RECORD_UNARY(as_u32, F32, U32, Bitcast)
ATOLL_RECORD_UNARY(as_f64, U64, F64, Bitcast)
ATOLL_RECORD_UNARY(as_u64, F64, U64, Bitcast)
ATOLL_RECORD_UNARY(as_f32, S32, SF32, Bitcast)
ATOLL_RECORD_UNARY(as_u32, SF32, S32, Bitcast)
ATOLL_RECORD_UNARY(as_f64, S64, SF64, Bitcast)
ATOLL_RECORD_UNARY(as_u64, SF64, S64, Bitcast)
ATOLL_RECORD_UNARY(cvt_f32_u32, U32, F32, CvtFromU)
ATOLL_RECORD_UNARY(cvt_f32_s32, U32, F32, CvtFromS)
ATOLL_RECORD_UNARY(cvt_f64_u32, U32, F64, CvtFromU)
ATOLL_RECORD_UNARY(cvt_f64_s32, U32, F64, CvtFromS)
ATOLL_RECORD_UNARY(cvt_f64_f32, F32, F64, CvtFloat)
ATOLL_RECORD_UNARY(cvt_f32_f64, F64, F32, CvtFloat)
ATOLL_RECORD_UNARY(cvt_f32_u32, S32, SF32, CvtFromU)
ATOLL_RECORD_UNARY(cvt_f32_s32, S32, SF32, CvtFromS)
ATOLL_RECORD_UNARY(cvt_f64_f32, SF32, SF64, CvtFloat)
ATOLL_RECORD_UNARY(cvt_f32_f64, SF64, SF32, CvtFloat)
ATOLL_RECORD_UNARY(cvt_u32_f32, F32, U32, CvtToU)
ATOLL_RECORD_UNARY(cvt_s32_f32, F32, U32, CvtToS)
ATOLL_RECORD_UNARY(cvt_u32_f64, F64, U32, CvtToU)
ATOLL_RECORD_UNARY(cvt_s32_f64, F64, U32, CvtToS)
ATOLL_RECORD_UNARY(cvt_u32_f32, SF32, S32, CvtToU)
ATOLL_RECORD_UNARY(cvt_s32_f32, SF32, S32, CvtToS)
ATOLL_RECORD_UNARY(cvt_s32_f32_nearest, F32, U32, CvtToSNearest)
ATOLL_RECORD_UNARY(cvt_s32_f32_inside, F32, U32, CvtToSInside)
ATOLL_RECORD_UNARY(cvt_f32_f16, U32, F32, CvtF32F16)
ATOLL_RECORD_UNARY(cvt_f16_f32, F32, U32, CvtF16F32)
ATOLL_RECORD_UNARY(saturate, F32, F32, Saturate)
ATOLL_RECORD_UNARY(cvt_f16_f32_toward_zero, F32, U32, CvtF16F32TowardZero)
ATOLL_RECORD_UNARY(cvt_f32_f16, S32, SF32, CvtF32F16)
ATOLL_RECORD_UNARY(cvt_f16_f32, SF32, S32, CvtF16F32)
#undef ATOLL_RECORD_UNARY
#undef ATOLL_RECORD_BINARY

}  // namespace Atoll::wave
