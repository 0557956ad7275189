// Writes of registers, from packets and by MMIO, and reads.
#pragma once
#include <cstdint>
#include <variant>

#include "gpu/r5xx/context.h"

namespace Atoll::r5xx {

// The requests of a register's write to the command processor.
struct BeginDraw {
  Word<VAP_VF_CNTL> control;
};
struct PortDword {  // for the draw that has begun
  uint32_t dword;
};
struct RunIndirectBuffer {
  uint64_t address;
  uint32_t dwords;
};
struct EmitVertex {};   // of the state that was written
struct EndVertices {};  // of the draw that takes them from the state
using Effect = std::variant<std::monostate, BeginDraw, PortDword, RunIndirectBuffer, EmitVertex, EndVertices>;

// Changes the register, with all consequences except the effect, which is left to the caller.
[[nodiscard]] Effect write_register(Context& context, uint32_t address, uint32_t value);
// True if targets' memory has to be up to date before the register is written: it flushes caches, waits, reports, or moves
// data.
bool writes_back(uint32_t address);
uint32_t read_register(const Context& context, uint32_t address);

}  // namespace Atoll::r5xx
