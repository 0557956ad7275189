// Calls of the functions of called_floats.h.
#pragma once
#include "wave/jit/called_floats.h"
#include "wave/jit/function_builder.h"

namespace Atoll::wave {

llvm::Value* call_lanes(FunctionBuilder& f, LaneCall call, std::initializer_list<llvm::Value*> operands,
                        llvm::Value* last = nullptr);
// True if a value was made by such a call.
bool is_called(llvm::Value* x);

}  // namespace Atoll::wave
