// Functions that compiled code calls on hosts without fused multiply-adds.
#pragma once

namespace Atoll::wave {

// FourFloats (FourFloats x, FourFloats y, FourFloats z), with the calling convention preserve_all: x * y + z, rounded once.
const void* called_multiply_add();

}  // namespace Atoll::wave
