"""Moves between lanes and registers by index."""
from .values import V
from .waves import ALL, make, number, pseudocode

BOTH = ("gfx1201", "gfx7")


def blocks(trees):
    made = {}

    def put(family, block):
        made.setdefault(family, []).append(block)
    # --- one lane to a scalar register and back; the lane is taken modulo 64
    for n, select in enumerate((0, 5, 31, 32, 63, 64, 127, 0xffffffff)):
        def read(wave):
            names = pseudocode(trees, "V_READLANE_B32", wave, SRC0=number(4), S1=V("b", 32, wave.sgpr(8)))
            wave.s[0] = names["D0"].x & 0xffffffff
        put("moves", make(f"V_READLANE_B32/{n}", "pseudocode", "lanes",
                          [("gfx1201", "VOP3", "v_readlane_b32 s0, v4, s8"), ("gfx7", "VOP2", "v_readlane_b32 s0, v4, s8"),
                           ("gfx7", "VOP3", "v_readlane_b32_e64 s0, v4, s8")],
                          {"v4": "b32.d", "s8": select, "exec": 0xf0f0f0f0 if n & 1 else 0}, {"s0": 32}, read))

        def write(wave):
            pseudocode(trees, "V_WRITELANE_B32", wave, VDST=number(0), S0=V("b", 32, wave.sgpr(4)), S1=V("b", 32, wave.sgpr(8)))
        put("moves", make(f"V_WRITELANE_B32/{n}", "pseudocode", "lanes",
                          [("gfx1201", "VOP3", "v_writelane_b32 v0, s4, s8")] +
                          # Two SGPRs are one too many here: the lane comes from M0 or a constant.
                          [("gfx7", "VOP2", "v_writelane_b32_e32 v0, s4, m0"), ("gfx7", "VOP3", "v_writelane_b32_e64 v0, s4, m0")],
                          {"v0": "b32.d", "s4": "b32.u", "s8": select, "m0": select}, {"v0": 32}, write))
        execution = (0, 1, 1 << 63, ALL, 0xf000, 0x8000000100000000, 0x10000, 0xaaaaaaaaaaaaaaaa)[n]

        def first(wave):
            names = pseudocode(trees, "V_READFIRSTLANE_B32", wave, SRC0=number(4))
            wave.s[0] = names["D0"].x & 0xffffffff
        put("moves", make(f"V_READFIRSTLANE_B32/{n}", "pseudocode", "lanes",
                          [("gfx1201", "VOP1", "v_readfirstlane_b32 s0, v4"), ("gfx1201", "VOP3", "v_readfirstlane_b32_e64 s0, v4"),
                           ("gfx7", "VOP1", "v_readfirstlane_b32 s0, v4"), ("gfx7", "VOP3", "v_readfirstlane_b32_e64 s0, v4")],
                          {"v4": "b32.d", "exec": execution}, {"s0": 32}, first))

    # --- between lanes
    for n, execution in enumerate((ALL, 0x0f0f0f0f33333333)):
        fi = " op_sel:[1,0]" if n else ""
        for name in ("V_PERMLANE16_B32", "V_PERMLANEX16_B32"):
            def permute(wave, name=name):
                pseudocode(trees, name, wave, SRC0=number(4), VDST=number(0), S1=V("b", 32, wave.sgpr(8)), S2=V("b", 32, wave.sgpr(12)))
            put("moves", make(f"{name}/{n}", "pseudocode", "lanes", [("gfx1201", "VOP3", f"{name.lower()} v0, v4, s8, s12{fi}")],
                              {"v0": "b32.d", "v4": "b32.u", "s8": "b32.d", "s12": "b32.c", "exec": execution}, {"v0": 32}, permute))
        for name in ("V_PERMLANE16_VAR_B32", "V_PERMLANEX16_VAR_B32"):
            def permute(wave, name=name):
                pseudocode(trees, name, wave, SRC0=number(4), VDST=number(0), SRC1=number(8))
            put("moves", make(f"{name}/{n}", "pseudocode", "lanes", [("gfx1201", "VOP3", f"{name.lower()} v0, v4, v8{fi}")],
                              {"v0": "b32.d", "v4": "b32.u", "v8": "b32.c", "exec": execution}, {"v0": 32}, permute))

        def across(wave):
            pseudocode(trees, "V_PERMLANE64_B32", wave, SRC0=number(4), VDST=number(0))
        put("moves", make(f"V_PERMLANE64_B32/{n}", "pseudocode", "lanes", [("gfx1201", "VOP1", "v_permlane64_b32 v0, v4")],
                          {"v0": "b32.d", "v4": "b32.u", "exec": execution}, {"v0": 32}, across))

        def swap(wave):
            for lane in wave.active():
                names = pseudocode(trees, "V_SWAP_B32", wave, lane, S0=V("b", 32, wave.vgpr(4)[lane]), D0=V("b", 32, wave.vgpr(0)[lane]))
                wave.vgpr(0)[lane], wave.vgpr(4)[lane] = names["D0"].x, names["S0"].x
        put("moves", make(f"V_SWAP_B32/{n}", "pseudocode", "lanes", [("gfx1201", "VOP1", "v_swap_b32 v0, v4")],
                          {"v0": "b32.d", "v4": "b32.u", "exec": execution}, {"v0": 32, "v4": 32}, swap))

        def swap16(wave):
            for lane in wave.active():
                names = pseudocode(trees, "V_SWAP_B16", wave, lane, S0=V("b", 32, wave.vgpr(4)[lane]), D0=V("b", 32, wave.vgpr(0)[lane]))
                wave.vgpr(0)[lane], wave.vgpr(4)[lane] = names["D0"].x, names["S0"].x
        put("moves", make(f"V_SWAP_B16/{n}", "pseudocode", "lanes", [("gfx1201", "VOP1", "v_swap_b16 v0.l, v4.l")],
                          {"v0": "b32.d", "v4": "b32.u", "exec": execution}, {"v0": 32, "v4": 32}, swap16))

    # --- registers by index
    registers = {"v0": "b32.d", "v1": "b16.d", "v2": "b32.u", "v3": "b32.a", "v4": "b32.b", "v5": "b32.c", "v6": "f32.u", "v7": "f32.a", "v8": "f32.b"}

    def indexed(name, source, destination):
        def run(wave):
            for lane in wave.active():
                names = pseudocode(trees, name, wave, lane, SRC0=number(source), DST=number(destination), S0=V("b", 32, wave.vgpr(source)[lane]))
                if name == "V_MOVRELS_B32":  # the one that writes D0, and no register by its number
                    wave.vgpr(destination)[lane] = names["D0"].x & 0xffffffff
        return run

    for n, m0 in enumerate((0, 1, 2, 4)):
        for name, source, destination in (("V_MOVRELS_B32", 4, 0), ("V_MOVRELD_B32", 3, 1), ("V_MOVRELSD_B32", 4, 0)):
            runs = [(isa, encoding, f"{name.lower()}{suffix} v{destination}, v{source}")
                    for isa in BOTH for encoding, suffix in (("VOP1", "_e32"), ("VOP3", "_e64"))]
            put("moves", make(f"{name}/{n}", "pseudocode", "lanes", runs, {**registers, "m0": m0}, {f"v{k}": 32 for k in range(6)},
                              indexed(name, source, destination), rows=64, first=64 * n))
        for name, text in (("V_MOVRELSD_2_B32", "v_movrelsd_2_b32{} v0, v4"), ("V_SWAPREL_B32", "v_swaprel_b32 v0, v4")):
            runs = [("gfx1201", encoding, text.format(suffix)) for encoding, suffix in (("VOP1", "_e32"), ("VOP3", "_e64"))
                    if name != "V_SWAPREL_B32" or encoding == "VOP1"]
            put("moves", make(f"{name}/{n}", "pseudocode", "lanes", runs, {**registers, "m0": m0 | (3 - n) << 16}, {f"v{k}": 32 for k in range(9)},
                              indexed(name, 4, 0), rows=64, first=64 * n))
        scalars = {f"s{k}": f"b32.{letter}" for k, letter in enumerate("ducabducab")}
        for name in ("S_MOVRELS_B32", "S_MOVRELS_B64", "S_MOVRELD_B32", "S_MOVRELD_B64", "S_MOVRELSD_2_B32"):
            wide = name.endswith("64")
            index = m0 & ~1 if wide else m0
            if name == "S_MOVRELSD_2_B32":
                index |= (3 - n) << 16
            text = f"{name.lower()} " + ("s[0:1], s[4:5]" if wide else "s0, s4")

            def move(wave, name=name, wide=wide):
                names = pseudocode(trees, name, wave, SRC0=number(4), DST=number(0), S0=V("b", 64, wave.scalar(4, 2)))
                if name.startswith("S_MOVRELS_"):
                    wave.set_scalar(0, 2 if wide else 1, names["D0"].x)
            put("moves", make(f"{name}/{n}", "pseudocode", "waves",
                              [(isa, "SOP1", text) for isa in (BOTH if name != "S_MOVRELSD_2_B32" else BOTH[:1])],
                              {**scalars, "m0": index}, {f"s{k}": 32 for k in range(8)}, move, rows=64, first=64 * n))
    return made
