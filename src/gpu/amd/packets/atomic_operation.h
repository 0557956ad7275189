// Atomic operations of the texture cache, as ATOMIC_MEM names them: bit 6 no value returned, bit 5 64 bits wide, bits 4:0 what is done
// (Mesa sid.h TC_OP_ATOMIC_*, which names some of them; the order is that of the buffer atomics).
#pragma once
#include <cstdint>

#include "registers/accessors.h"

namespace Atoll::gpu::amd {

namespace atomics {
using Wide = registers::access::Bits<5, 1>;
using Kind = registers::access::Bits<0, 5>;
}  // namespace atomics

// Does it to 4 or 8 aligned bytes of memory. False: the operation is not known. `swapped`: of compare-and-swap, whether memory held
// the comparand.
bool apply_atomic(uint8_t* at, uint32_t operation, uint64_t data, uint64_t comparand, bool& swapped);

}  // namespace Atoll::gpu::amd
