// Wave matrix multiply-accumulate, dense and 4:2 sparse. RDNA4 ISA 7.12, 16.10. One matrix is spread over all lanes, so these are
// functions on the whole wave (wmma_whole.cpp).
#pragma once
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

// OP(name, element of A, of B, of C and D, K, sparse A)
#define ATOLL_MATRIX_PRODUCTS(OP)                             \
  OP(v_wmma_f32_16x16x16_f16, F16, F16, F32, 16, false)       \
  OP(v_wmma_f32_16x16x16_bf16, Bf16, Bf16, F32, 16, false)    \
  OP(v_wmma_f16_16x16x16_f16, F16, F16, F16, 16, false)       \
  OP(v_wmma_bf16_16x16x16_bf16, Bf16, Bf16, Bf16, 16, false)  \
  OP(v_wmma_i32_16x16x16_iu8, Int8, Int8, Int32, 16, false)   \
  OP(v_wmma_i32_16x16x16_iu4, Int4, Int4, Int32, 16, false)   \
  OP(v_wmma_f32_16x16x16_fp8_fp8, Fp8, Fp8, F32, 16, false)   \
  OP(v_wmma_f32_16x16x16_fp8_bf8, Fp8, Bf8, F32, 16, false)   \
  OP(v_wmma_f32_16x16x16_bf8_fp8, Bf8, Fp8, F32, 16, false)   \
  OP(v_wmma_f32_16x16x16_bf8_bf8, Bf8, Bf8, F32, 16, false)   \
  OP(v_wmma_i32_16x16x32_iu4, Int4, Int4, Int32, 32, false)   \
  OP(v_swmmac_f32_16x16x32_f16, F16, F16, F32, 32, true)      \
  OP(v_swmmac_f32_16x16x32_bf16, Bf16, Bf16, F32, 32, true)   \
  OP(v_swmmac_f16_16x16x32_f16, F16, F16, F16, 32, true)      \
  OP(v_swmmac_bf16_16x16x32_bf16, Bf16, Bf16, Bf16, 32, true) \
  OP(v_swmmac_i32_16x16x32_iu8, Int8, Int8, Int32, 32, true)  \
  OP(v_swmmac_i32_16x16x32_iu4, Int4, Int4, Int32, 32, true)  \
  OP(v_swmmac_i32_16x16x64_iu4, Int4, Int4, Int32, 64, true)  \
  OP(v_swmmac_f32_16x16x32_fp8_fp8, Fp8, Fp8, F32, 32, true)  \
  OP(v_swmmac_f32_16x16x32_fp8_bf8, Fp8, Bf8, F32, 32, true)  \
  OP(v_swmmac_f32_16x16x32_bf8_fp8, Bf8, Fp8, F32, 32, true)  \
  OP(v_swmmac_f32_16x16x32_bf8_bf8, Bf8, Bf8, F32, 32, true)

#define ATOLL_DECLARE_PRODUCT(name, a, b, c, k, sparse) void name(wave::Wave& wave, const Instruction& i);
ATOLL_MATRIX_PRODUCTS(ATOLL_DECLARE_PRODUCT)
#undef ATOLL_DECLARE_PRODUCT

#define ATOLL_LIST_PRODUCT(name, a, b, c, k, sparse) ATOLL_DIRECT_ENTRY(name)
#define ATOLL_WMMA(SCALAR, LANES, WHOLE) ATOLL_MATRIX_PRODUCTS(ATOLL_LIST_PRODUCT)

}  // namespace Atoll::rdna4
