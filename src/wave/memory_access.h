// The operands of a memory operation of the value language besides its addresses. Plain data of the instruction, not of the lanes.
#pragma once
#include <cstdint>

namespace Atoll::wave {

enum class Space : uint8_t {
  Global,   // low/high are a GPU address
  Lds,      // low is a byte offset into the work-group's LDS
  Scratch,  // low is a byte offset into the lane's private memory
  Flat,     // low/high are a GPU address, or one in the LDS or private aperture
};

struct MemoryAccess {
  Space space = Space::Global;
  uint8_t bytes = 4;         // 1, 2 or 4
  bool sign_extend = false;  // of 1- and 2-byte loads
  uint8_t stride = 4;        // hint: bytes from lane to lane when lanes are consecutive (4 × dwords of the whole access)
  int32_t offset = 0;        // added to the address (64 bits in Global and Flat, 32 in Lds and Scratch)
  // Position among an instruction's stores: the instruction acts lane by lane, each lane with all of its parts, which is visible
  // if lanes overlap. (Manuals leave the order open; both engines must use the same.) At most max_store_parts.
  uint8_t part = 0, parts = 1;
};
inline constexpr unsigned max_store_parts = 4;

enum class AtomicOp : uint8_t {
  Swap,
  CompareSwap,
  Add,
  Sub,
  ReverseSub,
  SubClamp,
  SMin,
  UMin,
  SMax,
  UMax,
  And,
  Or,
  Xor,
  IncrementWrap,
  DecrementWrap,
  ConditionalSub,
  AddF32,
  MinF32,
  MaxF32,
  AddF64,
  MinF64,
  MaxF64,
  PackedAddF16,
  PackedAddBf16,
  OrMasked,  // (old & ~compare) | data
  CompareSwapF32,
  CompareSwapF64,
  ExchangeMarked,  // 8 bytes as two dwords: each takes its data dword without bit 31 if that bit is set
  SwapAtTwo,       // LDS alone: at low + offset, then at high + second_offset, with the compare value for data
  OrderedAdd,      // 8 bytes, {id, value}: if id is the data's, id = (id + 1) & compare and value += the data's value
};

struct AtomicAccess {
  AtomicOp op = AtomicOp::Add;
  Space space = Space::Global;
  uint8_t bytes = 4;  // 4 or 8
  int32_t offset = 0;
  int32_t second_offset = 0;
};
inline constexpr unsigned max_atomic_results = 4;  // old values: two places of two dwords

}  // namespace Atoll::wave
