// The operations of which semantics are made: all that an instruction template may do, whichever engine runs it.
//
// A semantic is a function template over an engine E (or over an ISA's adaptor on top of one). Run by the interpreter it computes
// at once on 32 lanes (wave64: twice); run by the recorder it leaves typed SSA nodes for the JIT. Both engines give the same
// types and free functions (found by argument-dependent lookup):
//
//   types      scalar: S1, S32, S64, SF32, SF64     lanes: U32, U64, F32, F64     M: one bit a lane
//   constants  an operator accepts a C++ number on its right side (x & 31, f * 0.5f); alone: e.u32(7), e.f32(1.0f), e.s32(0),
//              e.u64(n), e.s64(n), e.f64(1.0), e.sf32(1.0f), e.m(true)
//   lane number       e.lane_id() -> U32
//   scalar to lanes   e.splat(S32) -> U32, e.splat(S64) -> U64. Never implicit. Lanes to scalar: only whole-wave functions do.
//   integers   + - * & | ^ ~ << >> (>> is logical; a shift count must be below the width: mask it), ashr,
//              == != < <= > >= (unsigned), slt sle sgt sge (signed), umin umax smin smax, mul_high_u mul_high_s,
//              popcount clz ctz (width for 0), bitreverse,
//              fshr(high, low, n) (n < 32), widen (U32 -> U64, zero), sign_widen, low, high, join(low, high)
//   quads      quad_lane(U32 or F32, n): lane n of each four lanes, in all four
//   masks      & | ^ ~, select(M, a, b); scalar: select(S1, a, b); & | ^ ~ on S1. mask_of(S32/S64 word) only through registers.
//   floats     + - * / fma sqrt, fabs, -x, floor ceil trunc rndne, < <= > >= == (ordered), != (unordered or not equal), isnan,
//              unordered(a, b), saturate (to 0..1, NaN to 0). Results are IEEE in the wave's rounding and denormal mode; NaN
//              results: nan.h.
//   bits       as_f32(U32) as_u32(F32) as_f64(U64) as_u64(F64), the same on scalars (as_f32(S32) is an SF32)
//   convert    cvt_f32_u32 cvt_f32_s32 cvt_f64_u32 cvt_f64_s32 cvt_f64_f32 cvt_f32_f64;
//              to integers, toward zero, saturating, NaN to 0: cvt_u32_f32 cvt_s32_f32 cvt_u32_f64 cvt_s32_f64
//              (cvt_s32_f32_inside: of what is known to lie inside of the range; cvt_s32_f32_nearest: that, to the nearest even);
//              halves in the low 16 bits of a U32: cvt_f32_f16(U32) exact, cvt_f16_f32(F32) -> U32 in the current rounding,
//              high half zero. All also on scalars.
//              cvt_f16_f32_toward_zero(F32) -> U32 (quiet NaNs; what is too large becomes the largest half)
//   registers  cells are byte offsets into the Wave: e.scalar(cell) e.set_scalar(cell, S32), e.lanes(cell) e.set_lanes(cell, U32)
//              (written under the active mask), e.quads(cell) -> U32: what each quad of lanes has, lane n the word n / 4 from the
//              cell on (no instruction writes such words); e.primitive_quads(cell) the same of what follows from a quad's
//              primitive alone, e.mask(cell) e.set_mask(cell, M) (as given: no active mask applied), e.active()
//              -> M, e.set_lanes_if(M, cell, U32) (under a mask of your own and the active one);
//              e.whole_lanes(cell) -> U32, e.set_whole_lanes(cell, U32): inactive lanes too;
//              byte regions (Xe-LP): e.region(Region) -> U32, e.set_region(Region, M, U32)
//   memory     e.load(MemoryAccess, low, high) -> U32, e.store(MemoryAccess, low, high, U32): under the active mask
//              (several stores of one instruction: MemoryAccess::part);
//              e.scalar_load(S64, offset, bytes) -> S32; e.load_if(M, …), e.store_if(M, …): where the mask is set as well (loads
//              elsewhere give nothing of meaning); e.scalar_load_if(S1, …): 0 where the condition is not met;
//              e.shared_word(U32 place) -> U32: the dword of LDS at a byte (whose low two bits count for nothing), 0 beyond it, in
//              all lanes, active or not;
//              e.atomic_into(cells, results, M, AtomicAccess, low, high, data_low, data_high, compare_low, compare_high): also under
//              that mask; the old value, or 0 (of SwapAtTwo both: memory_access.h), to `results` lane registers. (e.atomic without the first
//              three gives it as a Pair{low, high}: the JIT calls the instruction.)
//   moves      e.moved(U32, LaneMap): lanes of 32. Of the whole wave, in instructions that run once: e.whole(cell) -> Whole, inactive
//              lanes as they are, e.active_words() (all ones where active), e.lane_numbers(); e.each(f, Whole…): f on the U32s
//              that it consists of; e.pick(Whole, Whole lane): lanes by number, modulo the wave's; e.set_active(cell, Whole);
//              e.lane(cell, S32 lane) -> S32 and e.set_lane(cell, S32 lane, S32), whether the lane is active or not
//   textures   in the recorder alone (src/sampling; the interpreter calls surface/): e.texture(form, places, descriptor words) finds one or
//              leaves the region, e.texture_word(t, byte), e.texel_column e.texel_row e.texel_slice (t, level, place) -> U32 parts
//              of an offset, e.texel(t, column, row, slice, bytes, byte) -> U32; of a texture that is stored to
//              e.texel_offset(t, column, row, slice) -> U32 and e.set_texel(M, offset, U32, bytes, byte), each byte once an
//              instruction; e.expect(S32, mask, value): code for waves alone whose word has those bits
//   targets    of a wave that writes its pixels itself (src/pixel): e.pixels(PixelWords) -> U32: a word of each pixel's texel
//              (pixel_words.h); e.set_pixels(M, PixelWords, U32), and of texels of 8 and 16 bytes e.set_pixels(M, PixelWords, U32,
//              U32): that word and the next; under that mask alone, each word once an instruction. Nothing but whoever launched
//              the wave writes what says where pixels lie (RegisterFile::pixels_begin).
//   tables     e.constant_word(words, log_size, U32 or S32 index) -> the same: of 2^log_size words that never change, index modulo their
//              number (up to 2^6: without memory, where the host has permutations)
//   rounding   where E::may_name_roundings and then e.names_roundings() (the recorder, for hosts with AVX-512): e.fma_up(F32, F32, F32),
//              e.cvt_s32_f32_up(F32), e.floor_product(F32, F32), e.cvt_f32_s32_down(U32), each rounded as it says in every mode
//   seldom     e.seldom(M, U32 usual, f) -> select(M, f(), usual): what f computes, of lanes alone and of use to nothing else, is left out
//              where no lane needs it
//   control    e.pc(), e.next_pc() (GPU addresses), e.jump(address), e.jump_if(S1, address), e.jump_to(S64), e.stop(Stop),
//              e.illegal(text)
//   mode       e.float_mode(): the wave's FloatMode, for modes that the host cannot hold (f16 denormals, clamp rules)
//   bundles    e.hold_writes(): following register writes wait; e.commit_writes(): they happen. (Read all, compute, commit.)
//
// Every operation is total: no input traps or is undefined. An instruction that has no such operations (image accesses) is a
// plain function on the Wave, which the JIT calls; one that touches registers alone (WholeCall) is called from compiled code,
// after everything before it is done.
#pragma once
#include <concepts>
#include <cstdint>

#include "wave/float_mode.h"
#include "wave/memory_access.h"
#include "wave/pixel_words.h"
#include "wave/wave.h"

namespace Atoll::wave {

// A strided set of elements in a byte-addressed register file (Xe-LP regions): element n of lane l stands at
// cell + (l / width * vertical + l % width * horizontal) * bytes. width 0 means all lanes.
struct Region {
  uint32_t cell = 0;
  uint8_t bytes = 4;  // element size: 1, 2, 4
  bool sign_extend = false;
  uint8_t lanes = 8;                                 // channels of the instruction (ExecSize)
  uint16_t vertical = 0, width = 0, horizontal = 0;  // in elements
};

template <class E>
concept Engine = requires(E& e, typename E::U32 u, typename E::U64 u64, typename E::F32 f, typename E::M m, typename E::S32 s,
                          typename E::S64 a, typename E::S1 c, uint32_t cell, const MemoryAccess& access) {
  { u + u } -> std::same_as<typename E::U32>;
  { u < u } -> std::same_as<typename E::M>;
  { s < s } -> std::same_as<typename E::S1>;
  { f* f } -> std::same_as<typename E::F32>;
  { fma(f, f, f) } -> std::same_as<typename E::F32>;
  { select(m, u, u) } -> std::same_as<typename E::U32>;
  { widen(u) } -> std::same_as<typename E::U64>;
  { e.splat(s) } -> std::same_as<typename E::U32>;
  { e.scalar(cell) } -> std::same_as<typename E::S32>;
  { e.lanes(cell) } -> std::same_as<typename E::U32>;
  { e.mask(cell) } -> std::same_as<typename E::M>;
  { e.load(access, u, u) } -> std::same_as<typename E::U32>;
  { e.scalar_load(a, 0, 4) } -> std::same_as<typename E::S32>;
  e.set_scalar(cell, s);
  e.set_lanes(cell, u);
  e.set_mask(cell, m);
  e.store(access, u, u, u);
  e.jump_if(c, uint64_t{});
  e.stop(Stop::End);
};

}  // namespace Atoll::wave
