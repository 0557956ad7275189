"""LDS instructions that are more than an access of each lane's own, or that only Sea Islands has: the register guide's section 4 (SQ_DS_0.OP) and the manual's words."""
from . import floats
from .values import V
from .waves import ALL, make, number, pseudocode

F32, F64 = floats.F32, floats.F64
ALL_OF_LDS = {"m0": 0xffffffff}


def _signed(x, bits):
    return x - (1 << bits) if x >> (bits - 1) else x


def best(format, a, b, least):
    """Minimum or maximum that prefers a number to a NaN and -0 to +0; of two NaNs the first, quieted."""
    if format.is_nan(a) and format.is_nan(b):
        return format.quieted(a)
    if format.is_nan(a) or format.is_nan(b):
        return b if format.is_nan(a) else a
    order = floats.compare(format, a, b) or (format.sign(b) - format.sign(a))
    return a if (order < 0) == least else b


def operations(bits):
    """What an atomic makes of what is in memory and of one operand."""
    format = F32 if bits == 32 else F64
    mask = (1 << bits) - 1
    return {
        "add_u": lambda m, d: (m + d) & mask, "sub_u": lambda m, d: (m - d) & mask, "rsub_u": lambda m, d: (d - m) & mask,
        "inc_u": lambda m, d: 0 if m >= d else m + 1, "dec_u": lambda m, d: d if m == 0 or m > d else m - 1,
        "min_i": lambda m, d: min(m, d, key=lambda x: _signed(x, bits)), "max_i": lambda m, d: max(m, d, key=lambda x: _signed(x, bits)),
        "min_u": min, "max_u": max, "and_b": lambda m, d: m & d, "or_b": lambda m, d: m | d, "xor_b": lambda m, d: m ^ d, "write_b": lambda m, d: d,
        "min_f": lambda m, d: best(format, d, m, True), "max_f": lambda m, d: best(format, d, m, False)}


def _get(memory, at, bits):
    return int.from_bytes(memory[at:at + bits // 8], "little")


def _put(memory, at, bits, value):
    memory[at:at + bits // 8] = value.to_bytes(bits // 8, "little")


def _dwords(first, bits):
    return f"v{first}" if bits == 32 else f"v[{first}:{first + bits // 32 - 1}]"


def atomics_of_two_cells(put):
    """ds_*_src2: the operand is the dword or qword B in LDS, 4 times a signed offset of 15 bits away."""
    for bits in (32, 64):
        for name, operation in operations(bits).items():
            element = ("f" if name.endswith("_f") else "b") + str(bits)
            for n, (offset, away) in enumerate(((128, 512), (0x8000, 0))):
                opcode = f"ds_{name.split('_')[0]}_src2_{name.split('_')[1]}{bits}"

                def run(wave, away=away, bits=bits, operation=operation):
                    for lane in range(64):
                        at = lane * bits // 8
                        _put(wave.lds, at, bits, operation(_get(wave.lds, at, bits), _get(wave.lds, at + away, bits)))
                put(make(f"{opcode.upper()}/{n}", "model", "lanes", [("gfx7", "DS", f"{opcode} v8 offset:{offset}")],
                         {"lds": f"{element}x{128 // bits}.{'u' if n else 'a'}", "v8": f"ramp:0x0:{bits // 8}", **ALL_OF_LDS}, {"lds": 128}, run,
                         rows=128 if n else 256))


def own_atomics(put):
    for bits in (32, 64):
        format = F32 if bits == 32 else F64
        dwords = bits // 32

        def compare(wave, bits=bits, format=format, dwords=dwords, returns=False):
            for lane in range(64):
                at = lane * bits // 8
                old = _get(wave.lds, at, bits)
                expected, new = wave.vector(12, dwords, lane), wave.vector(16, dwords, lane)
                if floats.compare(format, old, expected) == 0:
                    _put(wave.lds, at, bits, new)
                if returns:
                    wave.set_vector(0, dwords, lane, old)
        given = {"lds": f"f{bits}.a", "v8": f"ramp:0x0:{bits // 8}", _dwords(12, bits): f"f{bits}.b", _dwords(16, bits): f"f{bits}.c", **ALL_OF_LDS}
        operands = f"v8, {_dwords(12, bits)}, {_dwords(16, bits)}"
        put(make(f"DS_CMPST_F{bits}", "model", "lanes", [("gfx7", "DS", f"ds_cmpst_f{bits} {operands}")], given, {"lds": bits}, compare))
        put(make(f"DS_CMPST_RTN_F{bits}", "model", "lanes", [("gfx7", "DS", f"ds_cmpst_rtn_f{bits} {_dwords(0, bits)}, {operands}")],
                 {**given, _dwords(0, bits): f"b{bits}.d"}, {"lds": bits, _dwords(0, bits): bits},
                 lambda wave, compare=compare: compare(wave, returns=True)))

    def wrap(wave):
        for lane in range(64):
            old, most, more = _get(wave.lds, lane * 4, 32), wave.vgpr(12)[lane], wave.vgpr(16)[lane]
            _put(wave.lds, lane * 4, 32, (old - most if old >= most else old + more) & 0xffffffff)
            wave.vgpr(0)[lane] = old
    put(make("DS_WRAP_RTN_B32", "model", "lanes", [("gfx7", "DS", "ds_wrap_rtn_b32 v0, v8, v12, v16")],
             {"lds": "b32.a", "v8": "ramp:0x0:4", "v12": "b32.b", "v16": "b32.c", "v0": "b32.d", **ALL_OF_LDS}, {"lds": 32, "v0": 32}, wrap))

    def exchange(wave):
        for lane in range(64):
            for d in range(4):
                at = lane * 16 + d * 4
                new = wave.vgpr(12 + d)[lane]
                wave.vgpr(d)[lane] = _get(wave.lds, at, 32)
                if new >> 31:
                    _put(wave.lds, at, 32, new & 0x7fffffff)
    put(make("DS_CONDXCHG32_RTN_B128", "model", "lanes", [("gfx7", "DS", "ds_condxchg32_rtn_b128 v[0:3], v8, v[12:15]")],
             {"lds": "b32x4.a", "v8": "ramp:0x0:16", "v[12:15]": "b32x4.b", "v[0:3]": "b32x4.d", **ALL_OF_LDS}, {"lds": 128, "v[0:3]": 128}, exchange))

    # M0 is the end of LDS here: beyond it reads give 0 and nothing is written.
    for end in (128, 130):
        def bounded(wave, end=end):
            for lane in range(64):
                at = lane * 4
                inside = at < end
                wave.vgpr(0)[lane] = _get(wave.lds, at, 32) if inside else 0
                if inside:
                    _put(wave.lds, at, 32, (wave.vgpr(0)[lane] + wave.vgpr(12)[lane]) & 0xffffffff)
        put(make(f"DS_ADD_RTN_U32/end{end}", "model", "lanes", [("gfx7", "DS", "ds_add_rtn_u32 v0, v8, v12")],
                 {"lds": "b32.a", "v8": "ramp:0x0:4", "v12": "b32.b", "v0": "b32.d", "m0": end}, {"lds": 32, "v0": 32}, bounded))


def counters(put):
    """ds_append, ds_consume: one counter for the wave, moved by the number of active lanes, which all get its old value. On Sea Islands the lower half of M0
    says where the counters begin (LLVM AMDGPU); RDNA4 has the offset alone."""
    for n, (offset, base, execution) in enumerate(((0, 0, ALL), (16, 0, 0x5555), (4, 64, 0x8000000000000001), (32, 128, 0xffff0000ffff))):
        for name, sign in (("ds_append", 1), ("ds_consume", -1)):
            for isa, encoding, begin in (("gfx1201", "VDS", 0), ("gfx7", "DS", base)):
                def run(wave, sign=sign, at=offset + begin):
                    old = _get(wave.lds, at, 32)
                    _put(wave.lds, at, 32, (old + sign * bin(wave.exec).count("1")) & 0xffffffff)
                    for lane in wave.active():
                        wave.vgpr(0)[lane] = old
                put(make(f"{name.upper()}/{n}/{isa}", "model", "lanes", [(isa, encoding, f"{name} v0 offset:{offset}")],
                         {"lds": "b32x4.u", "v0": "b32.d", "m0": base | 0x1000 << 16, "exec": execution}, {"lds": 128, "v0": 32}, run, rows=64,
                         first=64 * n))


def swizzles(put):
    """ds_swizzle: within 32 lanes by and, or and xor masks, or within 4 by a choice each; RDNA4 turns and reverses as well. An inactive source gives 0."""
    def source(offset, lane):
        if offset >= 0xe000:
            mask = offset & 31
            x = int(f"{lane & 31:05b}"[::-1], 2) >> bin(mask).count("1")
            return (x | lane & mask) | lane & 32
        if offset >= 0xc000:
            turn, mask = offset >> 5 & 31, offset & 31
            turn = -turn if offset >> 10 & 1 else turn
            return (lane & mask | (lane + turn) & ~mask) & 31 | lane & 32
        if offset >> 15:
            return lane & ~3 | offset >> 2 * (lane & 3) & 3
        return ((lane & 31 & offset & 31 | offset >> 5 & 31) ^ offset >> 10 & 31) & 31 | lane & 32
    both = (0x041f, 0x7c1f, 0x0018, 0x00e1, 0x8000, 0x80e4, 0x801b, 0x80b1)
    own = (0xc020, 0xc423, 0xc090, 0xe000, 0xe01f, 0xe003, 0xe011, 0xdc10)
    for n, offset in enumerate(both + own):
        for execution in (ALL, 0x7fff0ff03333fffe):
            def run(wave, offset=offset):
                before = list(wave.vgpr(8))
                for lane in wave.active():
                    at = source(offset, lane)
                    wave.vgpr(0)[lane] = before[at] if wave.exec >> at & 1 else 0
            forms = [("gfx1201", "VDS", f"ds_swizzle_b32 v0, v8 offset:{offset}")]
            if offset in both:
                forms.append(("gfx7", "DS", f"ds_swizzle_b32 v0, v8 offset:{offset}"))
            put(make(f"DS_SWIZZLE_B32/{offset:x}/{execution:x}", "model", "lanes", forms, {"v0": "b32.d", "v8": "b32.u", "exec": execution}, {"v0": 32}, run,
                     rows=64, first=64 * (n % 4)))


def permutes(trees, put):
    for name in ("DS_PERMUTE_B32", "DS_BPERMUTE_B32", "DS_BPERMUTE_FI_B32"):
        for n, (offset, execution) in enumerate(((0, ALL), (0, 0xf0f0ffff0000aaaa), (12, ALL), (128, 0x0123456789abcdef))):
            def run(wave, name=name, offset=offset):
                pseudocode(trees, name, wave, ADDR=number(8), DATA0=number(12), VDST=number(0), OFFSET=V("b", 16, offset))
            tail = f" offset:{offset}" if offset else ""
            put(make(f"{name}/{n}", "pseudocode", "lanes", [("gfx1201", "VDS", f"{name.lower()} v0, v8, v12{tail}")],
                     {"v0": "b32.d", "v8": "byte.a", "v12": "b32.u", "exec": execution}, {"v0": 32}, run, rows=64, first=64 * n))


def blocks(trees):
    made = []
    atomics_of_two_cells(made.append)
    own_atomics(made.append)
    counters(made.append)
    swizzles(made.append)
    permutes(trees, made.append)
    for isa, encoding in (("gfx1201", "VDS"), ("gfx7", "DS")):
        made.append(make(f"DS_NOP/{isa}", "model", "waves", [(isa, encoding, "ds_nop")], {"s0": "b32.d", "v0": "b32.u", "scc": "bit.a", "m0": 0xffffffff},
                         {"s0": 32, "v0": 32, "scc": 1}, lambda wave: None))
    return {"lds": made}
