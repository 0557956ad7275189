#include "isa/rdna4/fidelity.h"

#include "isa/rdna4/semantics/semantics.h"
#include "isa/rdna4/table.h"

namespace Atoll::rdna4 {
namespace {

// As captured on a card, with the source. Where results follow a rule that was measured on it and no value is published, the note says so.
#define ATOLL_RX9070 "gfx1201 (RX 9070): bjacob/goc, tests/"
#define ATOLL_MEASURED "gfx1201: ROCm's rocjitsu, shared/"
#define ATOLL_TRANSCENDENTAL_TESTS "gfx1201, gfx1100: ROCm's rocjitsu, tests/transcendental_test.cpp"
#define ATOLL_FLOAT_DOT "gfx1201: ROCm's rocjitsu, tests/fixtures/float_dot"
#define ATOLL_RULE_ALONE "a rule that was measured there; no value is published"
#define ATOLL_COMPARISON(predicate)                                                   \
  {"v_cmp_" predicate "_f", "card", "", ATOLL_RX9070 "float_compare_hardware.h", ""}, \
      {"v_cmpx_" predicate "_f", "card", "", ATOLL_RX9070 "float_compare_hardware.h", ""},

// Those, then where the manual gives a bound or leaves the result open. The first pattern that begins a mnemonic counts.
constexpr amd::FidelityNote notes[] = {
    {"v_div_scale_", "card", "", ATOLL_RX9070 "div_scale_hardware.h", ""},
    {"v_div_fmas_", "card", "", ATOLL_RX9070 "div_fmas_hardware.h",
     "with MODE 0xf0; that no mode flushes its operands is a rule without a value"},
    {"v_div_fixup_", "card", "", ATOLL_RX9070 "div_fixup_hardware.h", ""},
    {"v_cube", "card", "", ATOLL_RX9070 "cube_hardware.h", ""},
    {"v_cvt_pk_u8_f32", "card", "", ATOLL_RX9070 "byte_pack_hardware.h", ""},
    {"v_cvt_off_f32_i4", "card", "", ATOLL_RX9070 "byte_pack_hardware.h", ""},
    {"v_cvt_norm_", "card", "", "gfx1201, gfx1100: rocjitsu's tests; " ATOLL_RX9070 "normalized_hardware.h", ""},
    {"v_cvt_pk_norm_", "card", "", "gfx1201, gfx1100: rocjitsu's tests; " ATOLL_RX9070 "normalized_hardware.h", ""},
    {"v_cvt_pk_rtz_", "card", "", ATOLL_RX9070 "packed_conversion_hardware.h", ""},
    {"v_cvt_f16_", "card", "", ATOLL_RX9070 "conversion16_hardware.h", "what MODE flushes is a rule without a value"},
    {"v_cvt_floor_i32_f32", "card", "", ATOLL_MEASURED "conversion.h", ATOLL_RULE_ALONE},
    {"v_cvt_nearest_i32_f32", "card", "", ATOLL_MEASURED "conversion.h", ATOLL_RULE_ALONE},
    {"v_cvt_f32_fp8", "card", "", "gfx1201: ROCm's rocjitsu", ATOLL_RULE_ALONE},
    {"v_cvt_f32_bf8", "card", "", "gfx1201: ROCm's rocjitsu", ATOLL_RULE_ALONE},
    {"v_cvt_pk_f32_fp8", "card", "", "gfx1201: ROCm's rocjitsu", ATOLL_RULE_ALONE},
    {"v_cvt_pk_f32_bf8", "card", "", "gfx1201: ROCm's rocjitsu", ATOLL_RULE_ALONE},
    {"v_cvt_pk_fp8_", "card", "", "gfx1201: ROCm's rocjitsu", ATOLL_RULE_ALONE},
    {"v_cvt_pk_bf8_", "card", "", "gfx1201: ROCm's rocjitsu", ATOLL_RULE_ALONE},
    {"v_cvt_sr_", "card", "", "gfx1201: ROCm's rocjitsu", ATOLL_RULE_ALONE},
    {"v_pack_b32_f16", "card", "", ATOLL_RX9070 "pack digests", "what MODE flushes is a rule without a value"},
    {"v_sat_pk_u8_i16", "card", "", ATOLL_RX9070 "pack digests", ""},
    {"v_min_num_", "card", "", "gfx1201, gfx1100: ROCm's rocjitsu, tests/valu_fp_mode_test.cpp", ""},
    {"v_max_num_", "card", "", "gfx1201, gfx1100: ROCm's rocjitsu, tests/valu_fp_mode_test.cpp", ""},
    {"v_min3_num_", "card", "", ATOLL_MEASURED "minmax.h", ATOLL_RULE_ALONE},
    {"v_max3_num_", "card", "", "gfx1201: ROCm's rocjitsu, tests/valu_fp_mode_test.cpp", ""},
    {"v_med3_num_", "card", "", "gfx1201: ROCm's rocjitsu, tests/valu_fp_mode_test.cpp", ""},
    {"v_minmax_num_", "card", "", "gfx1201: ROCm's rocjitsu, tests/valu_fp_mode_test.cpp", ""},
    {"v_maxmin_num_", "card", "", ATOLL_MEASURED "minmax.h", ATOLL_RULE_ALONE},
    {"v_minimum", "card", "", "gfx1201: ROCm's rocjitsu, tests/valu_fp_mode_test.cpp", ""},
    {"v_maximum", "card", "", "gfx1201: ROCm's rocjitsu, tests/valu_fp_mode_test.cpp", ""},
    {"v_pk_minimum_", "card", "", ATOLL_MEASURED "minmax.h", ATOLL_RULE_ALONE},
    {"v_pk_maximum_", "card", "", ATOLL_MEASURED "minmax.h", ATOLL_RULE_ALONE},
    {"s_minimum_", "card", "", ATOLL_MEASURED "minmax.h", ATOLL_RULE_ALONE},
    {"s_maximum_", "card", "", ATOLL_MEASURED "minmax.h", ATOLL_RULE_ALONE},
    {"v_fract_", "card", "", ATOLL_MEASURED "fract.h", ATOLL_RULE_ALONE},
    {"v_ldexp_f16", "card", "", ATOLL_MEASURED "ldexp.h", ATOLL_RULE_ALONE},
    {"v_fma_mix", "card", "", "gfx1201: ROCm's rocjitsu, tests/valu_fp_mode_test.cpp",
     "what MODE flushes is a rule without a value"},
    {"v_fma_f32", "card", "", ATOLL_RX9070 "fma_omod_hardware.h", "of 0 * infinity plus a NaN nothing is captured"},
    {"v_cmp_class_", "card", "", ATOLL_RX9070 "class_hardware.h", ""},
    {"v_cmpx_class_", "card", "", ATOLL_RX9070 "class_hardware.h", ""},
    ATOLL_COMPARISON("lt") ATOLL_COMPARISON("eq") ATOLL_COMPARISON("le") ATOLL_COMPARISON("gt") ATOLL_COMPARISON("lg")
        ATOLL_COMPARISON("ge") ATOLL_COMPARISON("o") ATOLL_COMPARISON("u") ATOLL_COMPARISON("nge") ATOLL_COMPARISON("nlg")
            ATOLL_COMPARISON("ngt") ATOLL_COMPARISON("nle") ATOLL_COMPARISON("neq")
                ATOLL_COMPARISON("nlt"){"ds_swizzle_b32", "card", "", ATOLL_RX9070 "ds_swizzle_hardware.h", ""},
    {"v_interp_p10_f32", "card", "", ATOLL_RX9070 "interp32_hardware.h", ""},
    {"v_interp_p2_f32", "card", "", ATOLL_RX9070 "interp32_hardware.h", ""},
    {"v_wmma_i32_", "card", "", ATOLL_RX9070 "integer_wmma_hardware.h", "in wave32; wave64 is not captured"},
    {"v_permlane16_var_", "card", "", "gfx12: tinygrad, test/amd/hw/test_rdna4_permlane_var.py", ""},
    {"v_permlanex16_var_", "card", "", "gfx12: tinygrad, test/amd/hw/test_rdna4_permlane_var.py", ""},
    {"global_load_tr_b128", "card", "", "gfx1201 (RX 9070 XT): lanes dumped by a compiler project",
     "in wave32; wave64 is not captured"},
    {"v_rcp_f64", "bounded", "1 ulp", "", "correctly rounded here; the manual allows 2^29 ulp"},
    {"v_rsq_f64", "bounded", "2^26 ulp", "",
     "of powers of two as captured on gfx1201, else nearly exact (docs/rdna4-accuracy.md)"},
    {"v_sqrt_f64", "bounded", "2^26 ulp", "", "of powers of two as captured on gfx1201, else exact (docs/rdna4-accuracy.md)"},
    {"v_exp_", "card", "", ATOLL_TRANSCENDENTAL_TESTS, ""},
    {"v_log_", "card", "", ATOLL_TRANSCENDENTAL_TESTS, ""},
    {"v_sin_", "card", "", ATOLL_TRANSCENDENTAL_TESTS, ""},
    {"v_cos_", "card", "", ATOLL_TRANSCENDENTAL_TESTS, ""},
    {"v_rcp_", "card", "", ATOLL_TRANSCENDENTAL_TESTS, ""},
    {"v_rsq_", "card", "", ATOLL_TRANSCENDENTAL_TESTS, ""},
    {"v_sqrt_", "card", "", ATOLL_TRANSCENDENTAL_TESTS, ""},
    {"v_s_exp_", "card", "", ATOLL_TRANSCENDENTAL_TESTS, ""},
    {"v_s_log_", "card", "", ATOLL_TRANSCENDENTAL_TESTS, ""},
    {"v_s_rcp_", "card", "", ATOLL_TRANSCENDENTAL_TESTS, ""},
    {"v_s_rsq_", "card", "", ATOLL_TRANSCENDENTAL_TESTS, ""},
    {"v_s_sqrt_", "card", "", ATOLL_TRANSCENDENTAL_TESTS, ""},
    {"v_wmma_f32_16x16x16_f16", "card", "", ATOLL_FLOAT_DOT, ""},
    {"v_wmma_f32_16x16x16_bf16", "card", "", ATOLL_FLOAT_DOT, ""},
    {"v_wmma_f16_", "card", "", ATOLL_FLOAT_DOT, ""},
    {"v_wmma_bf16_", "card", "", ATOLL_FLOAT_DOT, ""},
    {"v_wmma_", "unverified", "", "RDNA4 ISA 7.12", "the order of additions and intermediate rounding are not stated"},
    {"v_swmmac_", "unverified", "", "places: AMD's matrix instruction calculator, hip-fpsan (gfx1201); sums: RDNA4 ISA 7.12",
     "the order of additions and intermediate rounding are not stated"},
    {"v_dot2_f32", "card", "", ATOLL_FLOAT_DOT, ""},
    {"v_dot2_", "card", "", ATOLL_MEASURED "gfx12_dot.h", ATOLL_RULE_ALONE},
    {"v_dot4_f32", "unverified", "", "RDNA4 ISA 16.10", "intermediate rounding is not stated"},
    {"v_dual_dot2acc_", "card", "", ATOLL_FLOAT_DOT, "captured of V_DOT2_F32_* alone"},
    {"v_interp_p10_f16_", "unverified", "", "LLVM SIModeRegister.cpp", "which half of MODE rounds the f32 sum is not stated"},
    {"v_interp_p10_rtz_", "unverified", "", "LLVM SIModeRegister.cpp", "whose denormals MODE keeps is not stated"},
    {"v_interp_p2_f16_", "unverified", "", "LLVM SIModeRegister.cpp", "which half of MODE rounds the f32 sum is not stated"},
    {"v_interp_p2_rtz_", "unverified", "", "LLVM SIModeRegister.cpp", "whose denormals MODE keeps is not stated"},
    {"ds_bvh_stack_", "unverified", "", "GPURT, rtip3_ds_stack_emulation.hlsl; Mesa, radv_nir_rt_common.c",
     "the manual leaves addresses and marks open, and its order contradicts itself (docs/errata.md)"},
    {"image_bvh", "unverified", "", "GPURT, rtip3_opcode_emulation.hlsl, IntersectCommon.hlsl; Mesa, radv's bvh.h",
     "the manual has neither nodes nor formulas; RDNA4 ISA 10.9 for registers and T#"},
    {"s_barrier_init", "unverified", "", "LLVM AMDGPUExecutionSynchronization", "named barriers are not in the manual"},
    {"s_barrier_join", "unverified", "", "LLVM AMDGPUExecutionSynchronization", "named barriers are not in the manual"},
    {"s_barrier_leave", "unverified", "", "LLVM AMDGPUExecutionSynchronization; SCC: ROCm's rocjitsu",
     "named barriers are not in the manual"},
    {"s_wakeup_barrier", "unverified", "", "RDNA4 ISA 16.5, S_SLEEP", "the manual names it as what ends a sleep, and no more"},
    {"s_atc_probe", "exact", "", "", "translates addresses ahead of time: nothing that a program can see"},
    {"s_ttracedata", "exact", "", "", "writes to a thread trace, which is off: nothing that a program can see"},
    {"s_singleuse_vdst", "exact", "", "", "a hint"},
    {"global_load_tr_", "unverified", "", "RDNA4 ISA 11.6.2, 7.12.2",
     "the figure and the table together are the only description"},
    {"global_atomic_ordered_add_", "unverified", "", "RDNA4 ISA 16.20; Mesa ac_nir_lower_ngg.c",
     "ids begin again behind 12 bits, as many as shaders compare; the register that limits them is not documented"},
    {"image_get_resinfo", "unverified", "", "RDNA4 ISA 10.1, 10.5; Mesa 25.0.7 gfx12-rsrc.json",
     "SW_MODE and where levels lie are Mesa's to say"},
    {"image_gather4h", "unverified", "", "RDNA4 ISA 16.18", "where the row of texels begins is not stated"},
    {"image_msaa_load", "unverified", "", "RDNA4 ISA 10.1, 10.3; Mesa 25.0.7 addrlib gfx12SwizzlePattern.h",
     "which four samples is not stated"},
    {"image_sample", "unverified", "", "RDNA4 ISA 10.3 to 10.6; Mesa 25.0.7 gfx12-rsrc.json, addrlib; D3D 11.3 7.18",
     "levels of detail, weights and rounding are not stated, nor the bits of SW_MODE and blocks"},
    {"image_gather4", "unverified", "", "RDNA4 ISA 10.3 to 10.6; Mesa 25.0.7 gfx12-rsrc.json, addrlib; D3D 11.3 7.18",
     "which texels is not stated, nor the bits of SW_MODE and blocks"},
    {"image_get_lod", "unverified", "", "RDNA4 ISA 10.1; D3D 11.3 7.18.10", "how levels of detail are computed is not stated"},
    {"image_load", "unverified", "", "RDNA4 ISA 10.2 to 10.5; Mesa 25.0.7 gfx12-rsrc.json, addrlib gfx12SwizzlePattern.h",
     "the bits of SW_MODE and of addresses in blocks are not stated"},
    {"image_store", "unverified", "", "RDNA4 ISA 10.2 to 10.5; Mesa 25.0.7 gfx12-rsrc.json, addrlib gfx12SwizzlePattern.h",
     "rounding, the bits of SW_MODE and of addresses in blocks are not stated"},
    {"image_atomic_", "unverified", "", "RDNA4 ISA 10.2, 16.17; Mesa 25.0.7 gfx12-rsrc.json, addrlib gfx12SwizzlePattern.h",
     "the bits of SW_MODE and of addresses in blocks are not stated"},
    {"buffer_store_format_", "unverified", "", "RDNA4 ISA 9.3", "rounding and clamping are not stated"},
    {"buffer_store_d16_hi_b", "exact", "", "", ""},
    {"buffer_store_d16_", "unverified", "", "RDNA4 ISA 9.3", "rounding and clamping are not stated"},
    {"tbuffer_store_", "unverified", "", "RDNA4 ISA 9.3", "rounding and clamping are not stated"},
};

}  // namespace

std::vector<amd::Fidelity> fidelity() {
  return amd::fidelity(
      table, notes, [](std::string_view name) { return find_semantics(name) != nullptr; },
      [](const Opcode&) { return "decoded and printed; running it is a fault"; });
}

}  // namespace Atoll::rdna4
