"""RDNA4's interpolation, parameter and direct loads and exports: models of the manual's 12.2 to 12.4, 14 and 16.13 in exact fractions. The runner calls a
target's sources `exp:TARGET.SOURCE`, the lanes that have written it `expmask:TARGET`, its enabled sources `expenable:TARGET`, DONE `expdone:TARGET`."""
from .floats import F16, F32, ZERO, compare, convert, fma
from .waves import ALL, make

ONE, QUADS = 0x3f800000, 16
FORMS = (("v_interp_p10_f32", False, False, False), ("v_interp_p2_f32", True, False, False), ("v_interp_p10_f16_f32", False, True, False),
         ("v_interp_p2_f16_f32", True, True, False), ("v_interp_p10_rtz_f16_f32", False, True, True), ("v_interp_p2_rtz_f16_f32", True, True, True))


def interpolated(wave, name, second, halves, toward_zero, neg=0, clamp=False, op_sel=0, dst=0):
    """`second`: P2, whose third source is the lane's own. Halves obey the half of MODE for them."""
    flush_in, flush_out = (not wave.mode >> bit & 1 for bit in ((6, 7) if halves else (4, 5)))
    rounding = ZERO if toward_zero else wave.mode >> (2 if halves else 0) & 3
    before = [list(wave.vgpr(n)) for n in (4, 5, 6)]

    def source(x, n, half):
        if half:
            x = x >> 16 & 0xffff if op_sel >> n & 1 else x & 0xffff
            x = convert(F16, F32, F16.flushed(x) if flush_in else x)
        elif flush_in:
            x = F32.flushed(x)
        return x ^ F32.sign_bit if neg >> n & 1 else x
    for lane in wave.active():
        quad = lane & ~3
        a = source(before[0][quad + (2 if second else 1)], 0, halves)
        b = source(before[1][lane], 1, False)
        c = source(before[2][lane if second else quad], 2, halves and not second)
        x = fma(F32, a, b, c, rounding, flush_out)
        if clamp:
            x = 0 if compare(F32, x, 0) in (None, -1, 0) else min(x, ONE)
        if halves and second:
            half, old = convert(F32, F16, x, rounding, flush_out), wave.vgpr(dst)[lane]
            x = old & 0xffff | half << 16 if op_sel & 8 else old & 0xffff0000 | half
        wave.vgpr(dst)[lane] = x


def interpolation(put):
    for name, second, halves, toward_zero in FORMS:
        cases = [(0xf0, 0, False, 0, ALL), (0xc0, 0, False, 0, 0x8421f00f12345678), (0x3a, 0, False, 0, ALL), (0xf5, 5, False, 0, 0xfedcba9876543210),
                 (0x0f, 2, False, 0, ALL), (0xf0, 7, True, 0, ALL)]
        if halves:
            cases += [(0xf0, 0, False, 9 if second else 5, ALL), (0xa4, 1, False, 8 if second else 4, 0x00ff00ff0f0f3333), (0x6c, 0, True, 1, ALL)]
        for n, (mode, neg, clamp, op_sel, execution) in enumerate(cases):
            text = f"{name} v0, " + ", ".join(("-" if neg >> k & 1 else "") + f"v{4 + k}" for k in range(3))
            text += " clamp" if clamp else ""
            text += f" op_sel:[{op_sel & 1},0,{op_sel >> 2 & 1},{op_sel >> 3 & 1}]" if op_sel else ""
            given = {"v0": "b32.d", "v4": "f16x2.a" if halves else "f32.a", "v5": "f32.b", "v6": "f16x2.c" if halves and not second else "f32.c",
                     "mode": mode, "exec": execution}

            def run(wave, form=(name, second, halves, toward_zero), modifiers=(neg, clamp, op_sel)):
                interpolated(wave, *form, *modifiers)
            put(make(f"{name.upper()}/{n}", "model", "lanes", [("gfx1201", "VINTERP", f"{text} wait_exp:{n % 8}")], given, {"v0": 32}, run))


def lds_word(wave, at):
    return int.from_bytes(wave.lds[at:at + 4], "little")


def parameter_loads(put):
    masks = (0, 0x2, 0xfffe, 0x8000, 0x6496, 0x0110, 0x7ffe, 0x5554)
    executions = (ALL, 0x8421f00f12345678, 0x1111000000000001, 0xf00000000000000f)
    n = 0
    for attribute, channel in ((0, 0), (0, 3), (1, 1), (2, 2), (32, 1)):
        for mask in masks[n % 3::3] if attribute else masks:
            execution, offset = executions[n % 4], (0, 128, 256)[n % 3]

            def run(wave, attribute=attribute, channel=channel, mask=mask, offset=offset):
                begins = [q == 0 or mask >> q & 1 for q in range(QUADS)]
                count = sum(begins)
                for quad in range(QUADS):
                    if not wave.exec >> 4 * quad & 15:
                        continue
                    primitive = sum(begins[:quad + 1]) - 1
                    for part in range(4):
                        at = offset + 4 * (attribute * count * 12 + primitive * 12 + part * 4 + channel)
                        wave.vgpr(0)[4 * quad + part] = lds_word(wave, at) if part < 3 else 0
            put(make(f"DS_PARAM_LOAD/{n}", "model", "lanes", [("gfx1201", "VDSDIR", f"ds_param_load v0, attr{attribute}.{'xyzw'[channel]}")],
                     {"lds": "b32x8.d", "v0": "b32.c", "m0": (mask >> 1) << 16 | offset, "exec": execution}, {"v0": 32}, run, rows=64, first=64 * (n % 4)))
            n += 1


def direct_loads(put):
    n = 0
    for kind, bits, signed in ((0, 8, False), (1, 16, False), (2, 32, False), (4, 8, True), (5, 16, True)):
        for address in (0, 4, 252, 2040):
            execution = (ALL, 0x8000000000000001, 0x0000000f00f00000)[n % 3]

            def run(wave, bits=bits, signed=signed, address=address):
                value = lds_word(wave, address) & (1 << bits) - 1
                if signed and value >> bits - 1:
                    value |= 0xffffffff & ~((1 << bits) - 1)
                for lane in range(64):
                    if wave.exec >> (lane & ~3) & 15:
                        wave.vgpr(0)[lane] = value
            put(make(f"DS_DIRECT_LOAD/{n}", "model", "lanes", [("gfx1201", "VDSDIR", "ds_direct_load v0")],
                     {"lds": "b32x8.d", "v0": "b32.c", "m0": kind << 16 | address, "exec": execution}, {"v0": 32}, run, rows=64, first=64 * (n % 4)))
            n += 1


TARGETS = {"mrt0": 0, "mrt1": 1, "mrt2": 2, "mrt3": 3, "mrt4": 4, "mrt5": 5, "mrt6": 6, "mrt7": 7, "mrtz": 8, "invalid_target_9": 9, "pos0": 12, "pos1": 13,
           "pos2": 14, "pos3": 15, "pos4": 16, "prim": 20, "dual_src_blend0": 21, "dual_src_blend1": 22}


def exporting(execution, number):
    """Dual-source blending: a pair of lanes goes by its even lane, or by its odd one."""
    even = 0x5555555555555555
    if number == 21:
        return execution & even | (execution & even) << 1
    if number == 22:
        return execution & even << 1 | (execution & even << 1) >> 1
    return execution


def exports(put):
    cases = [(target, (15, 5, 1, 8, 0, 14)[n % 6], " done" if n % 2 else "") for n, target in enumerate(TARGETS)]
    cases += [("mrt0", 15, " done"), ("pos0", 7, ""), ("prim", 1, " done"), ("dual_src_blend0", 15, ""), ("dual_src_blend1", 11, " done")]
    for n, (target, enabled, flags) in enumerate(cases):
        number, execution = TARGETS[target], (ALL, 0xf0ff, 0x8000000000000001, 0x5555aaaa12345678)[n % 4]

        def run(wave, number=number, enabled=enabled, flags=flags):
            lanes = exporting(wave.exec, number)
            for lane in range(64):
                for c in range(4):
                    if lanes >> lane & 1 and enabled >> c & 1:
                        wave.other[f"exp:{number}.{c}"][lane] = wave.vgpr(4 + c)[lane]
            wave.other.update({f"expmask:{number}": lanes, f"expenable:{number}": enabled, f"expdone:{number}": int("done" in flags)})
        sources = [f"v{4 + c}" if enabled >> c & 1 else "off" for c in range(4)]
        given = {**{f"v{4 + c}": f"b32.{'uabc'[c]}" for c in range(4)}, **{f"exp:{number}.{c}": "b32.d" for c in range(4)}, "exec": execution}
        wanted = {**{f"exp:{number}.{c}": 32 for c in range(4)}, f"expmask:{number}": 64, f"expenable:{number}": 32, f"expdone:{number}": 32}
        put(make(f"EXPORT/{n}", "model", "lanes", [("gfx1201", "VEXPORT", f"export {target} {', '.join(sources)}{flags}")], given, wanted, run))


def blocks():
    made = {"vinterp": [], "vdsdir": [], "vexport": []}
    interpolation(made["vinterp"].append)
    parameter_loads(made["vdsdir"].append)
    direct_loads(made["vdsdir"].append)
    exports(made["vexport"].append)
    return made
