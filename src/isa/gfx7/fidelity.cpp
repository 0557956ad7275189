#include "isa/gfx7/fidelity.h"

#include "isa/gfx7/semantics/semantics.h"
#include "isa/gfx7/table.h"

namespace Atoll::gfx7 {
namespace {

// Instructions for which the register guide gives a bound or leaves the result open, and those that fault. The first pattern that begins a
// mnemonic counts.
constexpr amd::FidelityNote notes[] = {
    {"v_exp_", "bounded", "1 ulp", "", "the guide gives no error (LLVM AMDGPU: 1 ulp)"},
    {"v_log_", "bounded", "1 ulp", "", "the guide gives no error (LLVM AMDGPU: 1 ulp)"},
    {"v_sin_", "bounded", "2^-21 absolute", "", "the guide gives no error; hardware's differs in the last bits"},
    {"v_cos_", "bounded", "2^-21 absolute", "", "the guide gives no error; hardware's differs in the last bits"},
    {"v_rcp_f64", "bounded", "1 ulp", "", "correctly rounded here; hardware's is a start for refinement"},
    {"v_rsq_f64", "bounded", "1 ulp", "", "correctly rounded here; hardware's is a start for refinement"},
    {"v_sqrt_f64", "bounded", "1 ulp", "", "correctly rounded here; hardware's is a start for refinement"},
    {"v_rcp_", "bounded", "1 ulp", "", "correctly rounded here; the guide allows 1 ulp"},
    {"v_rsq_", "bounded", "1 ulp", "", "correctly rounded here; the guide states no error"},
    {"v_sqrt_", "bounded", "1 ulp", "", "correctly rounded here; the guide states no error"},
    {"v_mullit_", "unverified", "", "RDNA4 ISA 16.12", "the guide speaks of special rules and does not state them"},
    {"v_min_legacy_", "unverified", "", "R600 ISA (MIN)", "the guide names DX9's rules and does not state them"},
    {"v_max_legacy_", "unverified", "", "R600 ISA (MAX)", "the guide names DX9's rules and does not state them"},
    {"v_log_legacy_", "unverified", "", "", "computed as v_log_f32; the guide says \"same as SI\""},
    {"v_exp_legacy_", "unverified", "", "", "computed as v_exp_f32; the guide says \"same as SI\""},
    {"v_cvt_pkaccum_", "unverified", "", "", "rounds toward zero, as v_cvt_pk_u8_f32; the guide states no rounding"},
    {"v_div_", "unverified", "", "RDNA4 ISA 16.12", "the guide names the instruction's use alone"},
    {"v_trig_preop_", "unverified", "", "RDNA4 ISA 16.12", "the guide gives no table"},
    {"v_cube", "unverified", "", "RDNA4 ISA 16.12", "the guide does not say how ties and denormals are decided"},
    {"buffer_store_format", "unverified", "", "RDNA4 ISA 9.3",
     "missing components and rounding are RDNA4's; the guide is silent"},
    {"tbuffer_store_format", "unverified", "", "RDNA4 ISA 9.3",
     "missing components and rounding are RDNA4's; the guide is silent"},
    {"ds_append", "unverified", "", "LLVM AMDGPU", "the address is M0[15:0] plus the offset; the guide says M0.base"},
    {"ds_consume", "unverified", "", "LLVM AMDGPU", "the address is M0[15:0] plus the offset; the guide says M0.base"},
    {"image_get_resinfo", "unverified", "", "D3D11 resinfo", "the guide does not say which numbers stand where"},
    {"image_rsrc256", "decode only", "", "",
     "a name in the guide without a meaning; none found in RDNA4's ISA guide, LLVM or Mesa; a fault"},
    {"image_sampler", "decode only", "", "",
     "a name in the guide without a meaning; none found in RDNA4's ISA guide, LLVM or Mesa; a fault"},
    {"ds_gws_", "unverified", "", "ROCm device-libs, LLVM AMDGPU",
     "the guide does not say how a barrier counts: here down from the number of waves less one"},
    {"ds_ordered_count", "unverified", "", "LLVM AMDGPU",
     "adds the first active lane's data, as compilers have it; the guide says the number of active lanes"},
    {"s_trap", "unverified", "", "RDNA4 ISA 3.4.10",
     "nothing without a trap handler; no exception of the ALU or memory enters one"},
    {"s_getreg_regrd_b32", "decode only", "", "", "hardware-internal (guide); no word of REGRD_TMP found elsewhere; a fault"},
    {"s_mov_regrd_b32", "decode only", "", "", "hardware-internal (guide); no word of REGRD_TMP found elsewhere; a fault"},
};

}  // namespace

std::vector<amd::Fidelity> fidelity() {
  return amd::fidelity(
      table, notes, [](std::string_view name) { return find_semantics(name) != nullptr; },
      [](const Opcode&) { return "decoded and printed; running it is a fault"; });
}

}  // namespace Atoll::gfx7
