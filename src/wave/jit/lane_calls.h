// Calls of the functions of called_floats.h.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include "wave/jit/called_floats.h"

namespace Atoll::wave {

llvm::Value* call_lanes(llvm::IRBuilder<>& b, LaneCall call, std::initializer_list<llvm::Value*> operands,
                        llvm::Value* last = nullptr);
// True if a value was made by such a call.
bool is_called(llvm::Value* x);

}  // namespace Atoll::wave
