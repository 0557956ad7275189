"""Which Sea Islands instruction is which RDNA4 one: the same by name, or as listed here with the order of its sources. What the vectors cannot
say of an instruction is listed as well, with the reason."""

SAME_ORDER, SWAPPED = (0, 1, 2), (1, 0, 2)

# Sea Islands name -> RDNA4 name, where the names differ.
RENAMED = {
    "s_add_u32": "s_add_co_u32", "s_sub_u32": "s_sub_co_u32", "s_add_i32": "s_add_co_i32", "s_sub_i32": "s_sub_co_i32",
    "s_addc_u32": "s_add_co_ci_u32", "s_subb_u32": "s_sub_co_ci_u32", "s_andn2_b32": "s_and_not1_b32", "s_andn2_b64": "s_and_not1_b64",
    "s_orn2_b32": "s_or_not1_b32", "s_orn2_b64": "s_or_not1_b64", "s_addk_i32": "s_addk_co_i32",
    "s_ff1_i32_b32": "s_ctz_i32_b32", "s_ff1_i32_b64": "s_ctz_i32_b64", "s_flbit_i32_b32": "s_clz_i32_u32", "s_flbit_i32_b64": "s_clz_i32_u64",
    "s_flbit_i32": "s_cls_i32", "s_flbit_i32_i64": "s_cls_i32_i64", "s_andn2_saveexec_b64": "s_and_not1_saveexec_b64",
    "s_orn2_saveexec_b64": "s_or_not1_saveexec_b64",
    "v_add_i32": "v_add_co_u32", "v_sub_i32": "v_sub_co_u32", "v_subrev_i32": "v_subrev_co_u32", "v_addc_u32": "v_add_co_ci_u32",
    "v_subb_u32": "v_sub_co_ci_u32", "v_subbrev_u32": "v_subrev_co_ci_u32", "v_mul_legacy_f32": "v_mul_dx9_zero_f32",
    "v_min_f32": "v_min_num_f32", "v_max_f32": "v_max_num_f32", "v_min3_f32": "v_min3_num_f32", "v_max3_f32": "v_max3_num_f32",
    "v_med3_f32": "v_med3_num_f32", "v_min_f64": "v_min_num_f64", "v_max_f64": "v_max_num_f64",
    "v_cvt_rpi_i32_f32": "v_cvt_nearest_i32_f32", "v_cvt_flr_i32_f32": "v_cvt_floor_i32_f32", "v_ffbh_u32": "v_clz_i32_u32",
    "v_ffbl_b32": "v_ctz_i32_b32", "v_ffbh_i32": "v_cls_i32", "v_cvt_pknorm_i16_f32": "v_cvt_pk_norm_i16_f32",
    "v_cvt_pknorm_u16_f32": "v_cvt_pk_norm_u16_f32", "v_cvt_pkrtz_f16_f32": "v_cvt_pk_rtz_f16_f32", "v_mul_lo_i32": "v_mul_lo_u32",
    "v_mad_u64_u32": "v_mad_co_u64_u32", "v_mad_i64_i32": "v_mad_co_i64_i32",
}
# The order of the sources is the other one.
EXCHANGED = {"v_lshl_b32": "v_lshlrev_b32", "v_lshr_b32": "v_lshrrev_b32", "v_ashr_i32": "v_ashrrev_i32", "v_lshl_b64": "v_lshlrev_b64",
             "v_lshr_b64": "v_lshrrev_b64", "v_ashr_i64": "v_ashrrev_i64"}
# The same name, not the same instruction; each has a model of its own (sea_islands.py).
DIFFERENT = {
    "v_sin_f32": "beyond 256 turns it is 0", "v_cos_f32": "beyond 256 turns it is 1", "v_cvt_f16_f32": "writes the upper half too",
    "s_max_i32": "SCC 0 where the sources are the same", "s_max_u32": "SCC 0 where the sources are the same",
    "s_getreg_b32": "other registers", "s_setreg_b32": "other registers", "s_setreg_imm32_b32": "other registers",
}


def partner(name):
    """The RDNA4 name and the places of the operands, or None."""
    if name in DIFFERENT:
        return None
    if name in EXCHANGED:
        return EXCHANGED[name], SWAPPED
    if name in RENAMED:
        return RENAMED[name], SAME_ORDER
    if name.startswith("v_cmps_") or name.startswith("v_cmpsx_"):
        return name.replace("cmps", "cmp", 1), SAME_ORDER
    return name, SAME_ORDER


# Blocks that registers.py cannot run: what they do is more than operands and a result. By how the names begin ($: the whole name).
ELSEWHERE = ["v_wmma", "v_swmmac", "s_getpc_b64$", "s_setpc_b64$", "s_swappc_b64$", "s_rfe_b64$", "s_call_b64$", "s_alloc_vgpr$", "s_barrier_",
             "s_get_barrier_state$", "s_movrel", "v_movrel", "v_swaprel_b32$", "v_readfirstlane_b32$", "v_readlane_b32$", "v_writelane_b32$",
             "v_permlane", "v_swap_b"]

# Instructions without any vectors, and why.
_HARDWARE, _ENDS, _BARRIER = "for the hardware's own use", "ends or stops the wave with a fault", "needs a work-group of several waves"
NO_VECTORS = {
    "v_wmma": "a matrix of the whole wave: isa_rdna4_wmma_test", "v_swmmac": "a matrix of the whole wave: isa_rdna4_swmmac_test",
    "s_rfe_b64$": "needs a trap handler", "s_alloc_vgpr$": _ENDS, "s_barrier_": _BARRIER, "s_get_barrier_state$": _BARRIER, "s_wakeup_barrier$": _BARRIER,
    "s_sendmsg": "its effect is the environment's", "s_sleep_var$": "sleeps as long as a register says", "s_sethalt$": _ENDS,
    "s_setkill$": _ENDS, "s_trap$": _ENDS, "s_code_end$": _ENDS, "s_endpgm_saved$": "as s_endpgm, for context switches",
    "s_singleuse_vdst$": "known to LLVM alone, no effect", "s_waitcnt$": "of older chips", "v_pipeflush$": "known to no assembler in this form",
    "s_cbranch_g_fork$": "a stack of branches: isa_gfx7_own_test", "s_cbranch_i_fork$": "a stack of branches: isa_gfx7_own_test",
    "s_cbranch_join$": "a stack of branches: isa_gfx7_own_test", "s_mov_regrd_b32$": _HARDWARE, "s_getreg_regrd_b32$": _HARDWARE,
    "s_setvskip$": "changes what comes behind it: isa_gfx7_traps_test",
    "ds_bvh_": "a stack over many steps: isa_rdna4_ray_stack_test", "ds_gws_": "waits for other waves: isa_gfx7_global_share_test", "ds_ordered_count$": "waits for other waves: isa_gfx7_global_share_test",
    "buffer_load_format": "the manual has no conversions: isa_rdna4_buffer_format_test", "buffer_store_format": "the manual has no conversions: isa_rdna4_buffer_format_test",
    "buffer_load_d16_format": "as buffer_load_format", "buffer_store_d16_format": "as buffer_store_format", "buffer_load_d16_hi_format": "as buffer_load_format",
    "buffer_store_d16_hi_format": "as buffer_store_format", "tbuffer_": "as buffer_load_format",
    "image_rsrc256$": _HARDWARE, "image_sampler$": _HARDWARE, "image_get_lod$": "levels of a chain: gpu_sea_islands_images_test",
    "s_atc_probe": "known to LLVM alone", "s_prefetch_": "leaves nothing behind", "s_buffer_prefetch_data$": "leaves nothing behind", "s_memtime$": "a clock",
    "global_inv$": "leaves nothing behind", "global_wb": "leaves nothing behind", "global_load_addtid": "SGPR_ADDR: isa_rdna4_global_memory_test",
    "global_store_addtid": "SGPR_ADDR: isa_rdna4_global_memory_test",
    "global_load_tr_": "a matrix of the whole wave: isa_rdna4_global_memory_test", "global_atomic_ordered_add": "waits for other waves",
    "global_load_block$": "32 registers at once: isa_rdna4_global_memory_test", "global_store_block$": "32 registers at once: isa_rdna4_global_memory_test",
}


def _named(name, pattern):
    return name == pattern.rstrip("$") or not pattern.endswith("$") and name.startswith(pattern)


def elsewhere(name):
    return any(_named(name, pattern) for pattern in ELSEWHERE)


def no_vectors(name):
    return next((reason for pattern, reason in NO_VECTORS.items() if _named(name, pattern)), None)


# Text behind the operands, and the fields that it sets. Those without text are run in the short encodings too.
VARIANTS = {
    "v_cvt_f32_fp8": [(f" byte_sel:{n}" if n else "", {"OPSEL": (4, (0, 2, 1, 3)[n])}) for n in range(4)],
    "v_cvt_f32_bf8": [(f" byte_sel:{n}" if n else "", {"OPSEL": (4, (0, 2, 1, 3)[n])}) for n in range(4)],
    "v_cvt_pk_f32_fp8": [("", {"OPSEL": (4, 0)}), (" op_sel:[1,0]", {"OPSEL": (4, 1)})],
    "v_cvt_pk_f32_bf8": [("", {"OPSEL": (4, 0)}), (" op_sel:[1,0]", {"OPSEL": (4, 1)})],
    "v_cvt_pk_fp8_f32": [("", {"OPSEL": (4, 0)}), (" op_sel:[0,0,1]", {"OPSEL": (4, 8)})],
    "v_cvt_pk_bf8_f32": [("", {"OPSEL": (4, 0)}), (" op_sel:[0,0,1]", {"OPSEL": (4, 8)})],
    "v_cvt_sr_fp8_f32": [(f" byte_sel:{n}" if n else "", {"OPSEL": (4, n << 2)}) for n in range(4)],
    "v_cvt_sr_bf8_f32": [(f" byte_sel:{n}" if n else "", {"OPSEL": (4, n << 2)}) for n in range(4)],
    "v_dot4_i32_iu8": [(f" neg_lo:[{n & 1},{n >> 1},0]" if n else "", {"NEG": (3, n)}) for n in range(4)],
    "v_dot8_i32_iu4": [(f" neg_lo:[{n & 1},{n >> 1},0]" if n else "", {"NEG": (3, n)}) for n in range(4)],
}
_MIX = [(0, 0), (7, 0), (7, 5), (3, 2)]
for _name in ("v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16"):
    VARIANTS[_name] = [
        ((f" op_sel:[{low & 1},{low >> 1 & 1},{low >> 2}]" if low else "") + (f" op_sel_hi:[{high & 1},{high >> 1 & 1},{high >> 2}]" if high else ""),
         {"OPSEL": (3, low), "OPSEL_HI": (3, high)}) for high, low in _MIX]

# Inputs of another kind than the operand's type says.
COLUMNS = {name: [f"{kind}.u"] for name, kind in (("v_cvt_f32_fp8", "fp8x4"), ("v_cvt_pk_f32_fp8", "fp8x4"), ("v_cvt_f32_bf8", "bf8x4"),
                                                   ("v_cvt_pk_f32_bf8", "bf8x4"))}
for _name in ("v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16"):
    COLUMNS[_name] = ["f32.a", "f32.b", "f32.c"]


# The bounds that atoll fidelity states; for roots of f64 the manual's: those of powers of two are a card's (docs/rdna4-accuracy.md).
BOUNDS = [("v_sin_f32$", "absolute 4.76837158203125e-07"), ("v_cos_f32$", "absolute 4.76837158203125e-07"), ("v_sin_f16$", "ulp 1"), ("v_cos_f16$", "ulp 1"),
          ("v_exp_", "ulp 1"), ("v_log_", "ulp 1"), ("v_rcp_", "ulp 1"), ("v_rsq_f64$", "ulp 536870912"), ("v_sqrt_f64$", "ulp 536870912"), ("v_rsq_", "ulp 1"), ("v_sqrt_", "ulp 1"), ("v_s_exp_", "ulp 1"),
          ("v_s_log_", "ulp 1"), ("v_s_rcp_", "ulp 1"), ("v_s_rsq_", "ulp 1"), ("v_s_sqrt_", "ulp 1")]


def bound(name):
    for pattern, allowed in BOUNDS:
        if _named(name, pattern):
            return allowed
    return None


def modes(name, types):
    """The MODEs that an instruction with these operand types is run in, and the rows of each: denormals flushed, and rounding up, down and toward zero."""
    runs = [(0xf0, (0, 256))]
    is_float = any(t.startswith("f") and "fp8" not in t for t in types)
    if is_float and not bound(name):
        runs.append((0x00, (0, 64)))
        if not name.startswith(("v_cmp", "s_cmp", "v_wmma")):
            runs += [(0xf5, (192, 64)), (0xfa, (192, 64)), (0xff, (192, 64))]
    return runs
