// Instructions that MUBUF and FLAT share: sizes of loads and stores, and atomics. Sea Islands register guide section 4 (SQ_MUBUF_0,
// SQ_FLAT_0). X(suffix, dwords), X(suffix, bytes, sign extension), X(suffix, bytes), X(suffix, operation, bytes)
#pragma once

#define ATOLL_MEMORY_DWORDS(X) X(dword, 1) X(dwordx2, 2) X(dwordx3, 3) X(dwordx4, 4)
#define ATOLL_MEMORY_NARROW_LOADS(X) X(ubyte, 1, false) X(sbyte, 1, true) X(ushort, 2, false) X(sshort, 2, true)
#define ATOLL_MEMORY_NARROW_STORES(X) X(byte, 1) X(short, 2)
// clang-format off: a list
#define ATOLL_MEMORY_ATOMICS(X) \
  X(swap, Swap, 4) X(cmpswap, CompareSwap, 4) X(add, Add, 4) X(sub, Sub, 4) X(smin, SMin, 4) X(umin, UMin, 4) \
  X(smax, SMax, 4) X(umax, UMax, 4) X(and, And, 4) X(or, Or, 4) X(xor, Xor, 4) X(inc, IncrementWrap, 4) \
  X(dec, DecrementWrap, 4) X(fcmpswap, CompareSwapF32, 4) X(fmin, MinF32, 4) X(fmax, MaxF32, 4) \
  X(fcmpswap_x2, CompareSwapF64, 8) X(swap_x2, Swap, 8) X(cmpswap_x2, CompareSwap, 8) X(add_x2, Add, 8) X(sub_x2, Sub, 8) \
  X(smin_x2, SMin, 8) X(umin_x2, UMin, 8) X(smax_x2, SMax, 8) X(umax_x2, UMax, 8) X(and_x2, And, 8) X(or_x2, Or, 8) \
  X(xor_x2, Xor, 8) X(inc_x2, IncrementWrap, 8) X(dec_x2, DecrementWrap, 8) X(fmin_x2, MinF64, 8) X(fmax_x2, MaxF64, 8)
// clang-format on
