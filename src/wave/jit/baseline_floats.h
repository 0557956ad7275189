// Operations on lanes of f32 that x86-64 has no instruction for, out of those that it has (SSE2): what LLVM would call the C library
// for, lane by lane. In the rounding to nearest alone; what the host flushes is flushed here as its later instructions do it.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include "wave/jit/called_floats.h"

namespace Atoll::wave {

// To an integral number; ROUNDPS of SSE4.1. (Of a NaN: itself.)
llvm::Value* to_integral(llvm::IRBuilder<>& b, llvm::Value* x, Toward toward);

// x * y + z, rounded once; VFMADD of FMA. `flushes`: results that are denormals are zeros. `in_line`: some 20 instructions for each four
// lanes, and the end of the block that it begins in; else a call for 16 lanes, which takes LLVM a fraction of the time.
llvm::Value* fused_multiply_add(llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y, llvm::Value* z, bool flushes, bool in_line);

// The nearest half, in the low 16 bits of a word; VCVTPS2PH of F16C.
llvm::Value* nearest_half(llvm::IRBuilder<>& b, llvm::Value* x);

}  // namespace Atoll::wave
