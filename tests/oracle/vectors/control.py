"""Branches, the program counter, hardware registers, and what leaves no trace in registers. A branch is seen by the move behind it, which it jumps over."""
from . import interpreter
from .values import Unknown, V
from .waves import CODE, make, pseudocode

BOTH = ("gfx1201", "gfx7")
STATE = {"s0": "b32.d", "v0": "b32.u", "vcc": "b64.a", "scc": "bit.a", "exec": "b64.b"}
KEPT = {"s0": 32, "v0": 32, "vcc": 64, "scc": 1, "exec": 64}


def blocks(trees):
    made = {"control": []}

    def put(block):
        made["control"].append(block)

    # --- branches: over one move of 8 bytes, or not
    for name in ("S_BRANCH", "S_CBRANCH_SCC0", "S_CBRANCH_SCC1", "S_CBRANCH_VCCZ", "S_CBRANCH_VCCNZ", "S_CBRANCH_EXECZ", "S_CBRANCH_EXECNZ"):
        def branch(wave, name=name):
            names = pseudocode(trees, name, wave, SIMM16=V("b", 16, 2))
            if names["PC"].number == CODE + 4:
                wave.s[0] = 0x12345678
            elif names["PC"].number != CODE + 12:
                raise Unknown(f"{name} goes to {names['PC']}")
        put(make(name, "pseudocode", "waves", [(isa, "SOPP", f"{name.lower()} 2; s_mov_b32 s0, 0x12345678") for isa in BOTH],
                 {"s0": "b32.d", "vcc": "b64.a", "scc": "bit.a", "exec": "b64.b"}, {"s0": 32, "scc": 1}, branch))

    # --- the program counter
    def getpc(wave):
        wave.set_scalar(0, 2, pseudocode(trees, "S_GETPC_B64", wave)["D0"].x)
    put(make("S_GETPC_B64", "pseudocode", "waves", [(isa, "SOP1", "s_getpc_b64 s[0:1]") for isa in BOTH], {**STATE, "s1": "b32.d"},
             {"s0": 32, "s1": 32, "scc": 1}, getpc))

    def jump(name):
        def run(wave):
            names = pseudocode(trees, name, wave, S0=V("b", 64, wave.scalar(4, 2)), SIMM16=V("b", 16, 2))
            if name != "S_SETPC_B64":
                wave.set_scalar(2, 2, names["D0"].x)
            if names["PC"].number == CODE + 4:
                wave.s[0] = 0x12345678
            elif names["PC"].number != CODE + 12:
                raise Unknown(f"{name} goes to {names['PC']}")
        return run
    for target in (CODE + 4, CODE + 12):
        for name, text, isas in (("S_SETPC_B64", "s_setpc_b64 s[4:5]", BOTH), ("S_SWAPPC_B64", "s_swappc_b64 s[2:3], s[4:5]", BOTH)):
            put(make(f"{name}/{target:x}", "pseudocode", "waves", [(isa, "SOP1", text + "; s_mov_b32 s0, 0x12345678") for isa in isas],
                     {"s0": "b32.d", "s[2:3]": "b64.d", "s[4:5]": target, "scc": "bit.a"}, {"s0": 32, "s[2:3]": 64, "scc": 1}, jump(name)))
    put(make("S_CALL_B64", "pseudocode", "waves", [("gfx1201", "SOPK", "s_call_b64 s[2:3], 2; s_mov_b32 s0, 0x12345678")],
             {"s0": "b32.d", "s[2:3]": "b64.d", "scc": "bit.a"}, {"s0": 32, "s[2:3]": 64, "scc": 1}, jump("S_CALL_B64")))

    # --- MODE: fields of the eight bits of rounding and denormals
    def hardware(wave):
        def read(path, width):
            return V("b", 32, wave.mode)

        def write(path, value, width):
            wave.mode = value.x
        return {"HW_REGISTERS": interpreter.Table(1, read, write), "WAVE_STATUS": V("b", 32, 0)}
    for n, (offset, size) in enumerate(((0, 8), (0, 4), (4, 4), (0, 2), (2, 2), (4, 2), (6, 2), (1, 5))):
        simm = V("b", 16, 1 | offset << 6 | (size - 1) << 11)

        def get(wave):
            wave.s[0] = pseudocode(trees, "S_GETREG_B32", wave, SIMM16=simm, **hardware(wave))["D0"].x & 0xffffffff
        put(make(f"S_GETREG_B32/{n}", "pseudocode", "waves", [(isa, "SOPK", f"s_getreg_b32 s0, hwreg(HW_REG_MODE, {offset}, {size})") for isa in BOTH],
                 {"s0": "b32.d", "mode": "byte.a", "scc": "bit.a"}, {"s0": 32, "scc": 1, "mode": 8}, get, rows=64, first=(64 * n) % 256))

        def set_(wave):
            pseudocode(trees, "S_SETREG_B32", wave, SIMM16=simm, S0=V("b", 32, wave.sgpr(0)), **hardware(wave))
        put(make(f"S_SETREG_B32/{n}", "pseudocode", "waves", [(isa, "SOPK", f"s_setreg_b32 hwreg(HW_REG_MODE, {offset}, {size}), s0") for isa in BOTH],
                 {"s0": "b32.d", "mode": "byte.a", "scc": "bit.a"}, {"s0": 32, "scc": 1, "mode": 8}, set_, rows=64, first=(64 * n) % 256))
        literal = 0xa5c3f196 >> n

        def set_literal(wave):
            pseudocode(trees, "S_SETREG_IMM32_B32", wave, SIMM16=simm, SIMM32=V("b", 32, literal), **hardware(wave))
        put(make(f"S_SETREG_IMM32_B32/{n}", "pseudocode", "waves",
                 [(isa, "SOPK", f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, {offset}, {size}), {literal:#x}") for isa in BOTH],
                 {"mode": "byte.a", "scc": "bit.a"}, {"scc": 1, "mode": 8}, set_literal, rows=64, first=(64 * n) % 256))

    # --- no trace in registers: waits, caches, counters, and a barrier that has nobody to wait for
    quiet = {"gfx1201": [("SOPP", text) for text in (
        "s_nop 7", "s_sleep 1", "s_setprio 2", "s_clause 0x1", "s_delay_alu instid0(VALU_DEP_1)", "s_wait_idle", "s_wait_alu 0xffff",
        "s_wait_loadcnt 0", "s_wait_storecnt 0", "s_wait_samplecnt 0", "s_wait_bvhcnt 0", "s_wait_expcnt 0", "s_wait_dscnt 0", "s_wait_kmcnt 0",
        "s_wait_loadcnt_dscnt 0", "s_wait_storecnt_dscnt 0", "s_wait_event 0", "s_icache_inv", "s_incperflevel 1", "s_decperflevel 1",
        "s_ttracedata", "s_ttracedata_imm 1", "s_wakeup")] + [("SOPK", "s_version 0x1"), ("VOP1", "v_nop"), ("VOP3", "v_nop_e64")],
             "gfx7": [("SOPP", text) for text in (
                 "s_nop 7", "s_sleep 1", "s_setprio 2", "s_waitcnt 0", "s_barrier", "s_icache_inv", "s_incperflevel 1", "s_decperflevel 1",
                 "s_ttracedata", "s_cbranch_cdbgsys 0", "s_cbranch_cdbguser 0", "s_cbranch_cdbgsys_or_user 0", "s_cbranch_cdbgsys_and_user 0")] +
                     [("VOP1", "v_nop"), ("VOP3", "v_nop_e64"), ("VOP1", "v_clrexcp"), ("VOP3", "v_clrexcp_e64")]}
    for isa, texts in quiet.items():
        for encoding, text in texts:
            put(make(f"{text.split()[0].upper()}/{isa}", "model", "waves", [(isa, encoding, text)], STATE, KEPT, lambda wave: None))
    for isa in BOTH:
        put(make(f"S_ENDPGM/{isa}", "model", "waves", [(isa, "SOPP", "s_endpgm; s_mov_b32 s0, 0x12345678")], STATE, KEPT, lambda wave: None))
    # Without a debugger its conditions do not hold.
    for condition in ("sys", "user", "sys_or_user", "sys_and_user"):
        name = f"s_cbranch_cdbg{condition}"

        def falls_through(wave):
            wave.s[0] = 0x12345678
        put(make(name.upper(), "model", "waves", [("gfx7", "SOPP", f"{name} 2; s_mov_b32 s0, 0x12345678")], STATE, KEPT, falls_through))
    for n in range(4):
        for name, low in (("s_round_mode", 0), ("s_denorm_mode", 4)):
            field = (0, 5, 10, 15)[n]

            def set_field(wave, low=low, field=field):
                wave.mode = wave.mode & ~(15 << low) | field << low
            put(make(f"{name.upper()}/{field}", "model", "waves", [("gfx1201", "SOPP", f"{name} {field:#x}")], {**STATE, "mode": "byte.a"},
                     {**KEPT, "mode": 8}, set_field, rows=64, first=64 * n))
    return made
