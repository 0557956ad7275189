#include "isa/rdna4/fidelity.h"

#include "isa/rdna4/semantics/semantics.h"
#include "isa/rdna4/table.h"

namespace Atoll::rdna4 {
namespace {

// Where the manual gives a bound or leaves the result open. The first pattern that begins a mnemonic counts.
constexpr amd::FidelityNote notes[] = {
    {"v_exp_", "bounded", "1 ulp", "", "the manual states the error only (RDNA4 ISA 7.3)"},
    {"v_log_", "bounded", "1 ulp", "", "the manual states the error only (RDNA4 ISA 7.3)"},
    {"v_s_exp_", "bounded", "1 ulp", "", "the manual states the error only (RDNA4 ISA 7.10)"},
    {"v_s_log_", "bounded", "1 ulp", "", "the manual states the error only (RDNA4 ISA 7.10)"},
    {"v_sin_", "bounded", "1 ulp", "", "the manual gives no error; hardware's differs in the last bits (docs/rdna4-accuracy.md)"},
    {"v_cos_", "bounded", "1 ulp", "", "the manual gives no error; hardware's differs in the last bits (docs/rdna4-accuracy.md)"},
    {"v_rcp_", "bounded", "1 ulp", "", "correctly rounded here; the manual allows 1 ulp"},
    {"v_rsq_", "bounded", "1 ulp", "", "correctly rounded here but next to ties; the manual allows 1 ulp"},
    {"v_sqrt_", "bounded", "1 ulp", "", "correctly rounded here; the manual allows 1 ulp"},
    {"v_s_rcp_", "bounded", "1 ulp", "", "correctly rounded here; the manual allows 1 ulp"},
    {"v_s_rsq_", "bounded", "1 ulp", "", "correctly rounded here but next to ties; the manual allows 1 ulp"},
    {"v_s_sqrt_", "bounded", "1 ulp", "", "correctly rounded here; the manual allows 1 ulp"},
    {"v_wmma_f32_16x16x16_f16", "unverified", "", "gfx1201: ROCm's rocjitsu, shared/gfx12_dot.h",
     "as captured there (docs/errata.md, D1)"},
    {"v_wmma_f32_16x16x16_bf16", "unverified", "", "gfx1201: ROCm's rocjitsu, shared/gfx12_dot.h",
     "as captured there (docs/errata.md, D1)"},
    {"v_wmma_f16_", "unverified", "", "gfx1201: ROCm's rocjitsu, shared/gfx12_dot.h", "as captured there (docs/errata.md, D1)"},
    {"v_wmma_bf16_", "unverified", "", "gfx1201: ROCm's rocjitsu, shared/gfx12_dot.h", "as captured there (docs/errata.md, D1)"},
    {"v_wmma_", "unverified", "", "RDNA4 ISA 7.12", "the order of additions and intermediate rounding are not stated"},
    {"v_swmmac_", "unverified", "", "RDNA4 ISA 7.12", "the order of additions and intermediate rounding are not stated"},
    {"v_dot2_f", "unverified", "", "gfx1201: ROCm's rocjitsu, shared/gfx12_dot.h", "as captured there (docs/errata.md, D1)"},
    {"v_dot2_bf16", "unverified", "", "gfx1201: ROCm's rocjitsu, shared/gfx12_dot.h", "as captured there (docs/errata.md, D1)"},
    {"v_dot4_f32", "unverified", "", "RDNA4 ISA 16.10", "intermediate rounding is not stated"},
    {"v_dual_dot2acc_", "unverified", "", "gfx1201: ROCm's rocjitsu, shared/gfx12_dot.h",
     "as captured there (docs/errata.md, D1)"},
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
