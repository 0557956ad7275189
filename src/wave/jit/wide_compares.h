// Compares of more lanes than a vector of the host holds, cut into pieces.
#pragma once
#include <llvm/IR/Module.h>

namespace Atoll::wave {

// For hosts whose masks are vectors (SSE2, AVX2). LLVM 19 splits the operands of a wide compare and the vector of bits that comes of
// it by different rules, and comes to no end where a constrained compare of a whole wave decides a select: such compares, and
// all of 32 lanes and more, become several of `vector_bits` whose results are joined.
void cut_wide_compares(llvm::Module& module, unsigned vector_bits);

}  // namespace Atoll::wave
