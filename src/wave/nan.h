// The NaN that an arithmetic operation gives, by rule, so that both engines and every host agree to the bit:
// the first operand that is a NaN, quieted, sign and payload kept; if none is, the default NaN (sign set, payload 0).
// RDNA4 ISA 13.3 states it for float atomics; Intel's and x86's default NaN ("real indefinite") is the same value.
#pragma once
#include <cstdint>

namespace Atoll::wave {

inline constexpr uint32_t default_nan32 = 0xffc00000u, quiet_bit32 = 0x00400000u;
inline constexpr uint64_t default_nan64 = 0xfff8000000000000u, quiet_bit64 = 0x0008000000000000u;

}  // namespace Atoll::wave
