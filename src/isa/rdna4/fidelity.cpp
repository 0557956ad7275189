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
    {"v_sin_", "bounded", "2^-21 absolute", "", "the manual gives no error; hardware's differs in the last bits"},
    {"v_cos_", "bounded", "2^-21 absolute", "", "the manual gives no error; hardware's differs in the last bits"},
    {"v_rcp_", "bounded", "1 ulp", "", "correctly rounded here; the manual allows 1 ulp"},
    {"v_rsq_", "bounded", "1 ulp", "", "correctly rounded here; the manual allows 1 ulp"},
    {"v_sqrt_", "bounded", "1 ulp", "", "correctly rounded here; the manual allows 1 ulp"},
    {"v_s_rcp_", "bounded", "1 ulp", "", "correctly rounded here; the manual allows 1 ulp"},
    {"v_s_rsq_", "bounded", "1 ulp", "", "correctly rounded here; the manual allows 1 ulp"},
    {"v_s_sqrt_", "bounded", "1 ulp", "", "correctly rounded here; the manual allows 1 ulp"},
    {"v_wmma_", "unverified", "", "RDNA4 ISA 7.12", "the order of additions and intermediate rounding are not stated"},
    {"v_swmmac_", "unverified", "", "RDNA4 ISA 7.12", "the order of additions and intermediate rounding are not stated"},
    {"v_dot2_f32", "unverified", "", "RDNA4 ISA 16.10", "intermediate rounding is not stated"},
    {"v_dot4_f32", "unverified", "", "RDNA4 ISA 16.10", "intermediate rounding is not stated"},
    {"v_dot2acc_", "unverified", "", "RDNA4 ISA 16.11", "intermediate rounding is not stated"},
    {"ds_bvh_stack_", "unverified", "", "GPURT, rtip3_ds_stack_emulation.hlsl; Mesa, radv_nir_rt_common.c",
     "the manual leaves addresses and marks open, and its order contradicts itself (docs/errata.md)"},
    {"image_bvh", "unverified", "", "GPURT, rtip3_opcode_emulation.hlsl, IntersectCommon.hlsl; Mesa, radv's bvh.h",
     "the manual has neither nodes nor formulas; RDNA4 ISA 10.9 for registers and T#"},
    {"global_load_tr_", "unverified", "", "RDNA4 ISA 11.6.2, 7.12.2",
     "the figure and the table together are the only description"},
    {"global_atomic_ordered_add_", "unverified", "", "RDNA4 ISA 16.20", "the register that limits the ids is not documented"},
    {"buffer_store_format_", "unverified", "", "RDNA4 ISA 9.3", "rounding and clamping are not stated"},
    {"buffer_store_d16_hi_b", "exact", "", "", ""},
    {"buffer_store_d16_", "unverified", "", "RDNA4 ISA 9.3", "rounding and clamping are not stated"},
    {"tbuffer_store_", "unverified", "", "RDNA4 ISA 9.3", "rounding and clamping are not stated"},
};

bool graphics(const Opcode& row) {
  switch (row.format) {
    case Format::VIMAGE:
    case Format::VSAMPLE:
    case Format::VINTERP:
    case Format::VDSDIR:
    case Format::VEXPORT: return true;
    default: return false;
  }
}

}  // namespace

std::vector<amd::Fidelity> fidelity() {
  return amd::fidelity(
      table, notes, [](std::string_view name) { return find_semantics(name) != nullptr; },
      [](const Opcode& row) {
        return graphics(row) ? "belongs to the graphics pipeline of this family, which is not there"
                             : "decoded and printed; running it is a fault";
      });
}

}  // namespace Atoll::rdna4
