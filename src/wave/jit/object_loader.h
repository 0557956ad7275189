// Puts a unit's object (code_unit.h) where it can run: an ELF relocatable file of x86-64, as LLVM writes it for code that may stand
// anywhere. It may come out of a file on disk: whatever it holds, nothing outside of it and of the block it gets is read or written.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/expected.h"
#include "wave/jit/code_memory.h"
#include "wave/jit/compiler.h"

namespace Atoll::wave {

struct MachineCode {
  CodeMemory::Block block;
  CodeFunction function = nullptr;
};

// The address that an object's undefined symbol stands for; nothing: there is none of that name.
using SymbolResolver = std::function<std::optional<uint64_t>(std::string_view name)>;

// The function `name` of the object, after its sections have been placed and its references resolved.
Expected<MachineCode> load_object(std::string_view object, std::string_view name, CodeMemory& memory, const SymbolResolver& find);

// Atoll's own symbols (own_image.h), and functions of the process: what LLVM calls for what the host has no instruction for (libm, the
// compiler's helpers).
std::optional<uint64_t> process_symbol(std::string_view name);

}  // namespace Atoll::wave
