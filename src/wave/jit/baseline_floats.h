// Operations on lanes of f32 that x86-64 has no instruction for, out of those that it has (SSE2): what LLVM would call the C library
// for, lane by lane. In the rounding to nearest alone; what the host flushes is flushed here as its later instructions do it.
#pragma once
#include <llvm/IR/IRBuilder.h>

namespace Atoll::wave {

enum class Toward : uint8_t { down, up, zero, nearest_even };

// To an integral number; ROUNDPS of SSE4.1. (Of a NaN: itself.)
llvm::Value* to_integral(llvm::IRBuilder<>& b, llvm::Value* x, Toward toward);

// x * y + z, rounded once; VFMADD of FMA. May end the block that it begins in. `flushes`: results that are denormals are zeros.
llvm::Value* fused_multiply_add(llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y, llvm::Value* z, bool flushes);

// The nearest half, in the low 16 bits of a word; VCVTPS2PH of F16C.
llvm::Value* nearest_half(llvm::IRBuilder<>& b, llvm::Value* x);

}  // namespace Atoll::wave
