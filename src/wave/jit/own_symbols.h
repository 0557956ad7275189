// How code names what it does not hold itself (own_image.h).
#pragma once
#include <llvm/IR/Module.h>

#include "wave/jit/own_image.h"

namespace Atoll::wave {

// The one way in which an address of the process comes into code: as an undefined symbol of its module.
inline llvm::Constant* own_symbol(llvm::Module& module, const void* address) {
  return module.getOrInsertGlobal(symbol_of(address), llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), 0));
}

}  // namespace Atoll::wave
