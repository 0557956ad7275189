// Puts the object file of a module where it can run.
#pragma once
#include <llvm/ADT/StringRef.h>

#include <span>
#include <string>

#include "wave/jit/code_generator.h"

namespace Atoll::wave {

// The addresses of `names` (null for an empty one) after the object's sections have been placed and its references resolved,
// those to functions of the process (libm, the compiler's own helpers) as well.
Expected<MachineCode> load_object(llvm::StringRef object, std::span<const std::string> names, CodeMemory& memory);

}  // namespace Atoll::wave
