"""Sea Islands' buffers with formats, from the register guide's SQ_BUF_RSRC_WORD3 (data and number formats) and the rules of conversion that every API has;
scalar loads of both instruction sets."""
from fractions import Fraction

from . import floats
from .shared_memory import best
from .waves import make

F16, F32 = floats.F16, floats.F32
BASE = 0x100000

# DATA_FORMAT: bits of each component, from the lowest on.
LAYOUTS = {"8": (1, [8]), "16": (2, [16]), "8_8": (3, [8, 8]), "32": (4, [32]), "16_16": (5, [16, 16]), "10_11_11": (6, [11, 11, 10]),
           "10_10_10_2": (8, [2, 10, 10, 10]), "2_10_10_10": (9, [10, 10, 10, 2]), "8_8_8_8": (10, [8] * 4), "32_32": (11, [32] * 2),
           "16_16_16_16": (12, [16] * 4), "32_32_32": (13, [32] * 3), "32_32_32_32": (14, [32] * 4)}
NUMBERS = {"unorm": 0, "snorm": 1, "uscaled": 2, "sscaled": 3, "uint": 4, "sint": 5, "float": 7}


def _signed(x, bits):
    return x - (1 << bits) if x >> (bits - 1) else x


def decode(x, bits, number, image=False):
    """A component as the 32 bits that a register gets. An image's signalling halves become quiet."""
    if number == "uint":
        return x
    if number == "sint":
        return _signed(x, bits) & 0xffffffff
    if number == "float":
        return x if bits == 32 else floats.convert(F16, F32, x, quiet=image)
    if number == "unorm":
        return floats.encode(F32, Fraction(x, (1 << bits) - 1))
    if number == "snorm":
        return floats.encode(F32, max(Fraction(-1), Fraction(_signed(x, bits), (1 << (bits - 1)) - 1)))
    return floats.encode(F32, Fraction(x if number == "uscaled" else _signed(x, bits)))


def encode(x, bits, number, image=False):
    """A register's 32 bits as a component: integers limited, normalised and scaled numbers limited and rounded to the nearest
    even, halves cut (docs/errata.md, Formatted stores). Of images halves are rounded and scaled numbers are cut (docs/gfx7-semantics.md)."""
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    if number == "uint":
        return min(x, (1 << bits) - 1)
    if number == "sint":
        return max(low, min(high, _signed(x, 32))) & (1 << bits) - 1
    if number == "float":
        if bits == 32:
            return x
        if image:
            return floats.convert(F32, F16, x)
        if F32.is_nan(x):
            return floats.convert(F32, F16, x, quiet=False)
        return floats.convert(F32, F16, x, floats.ZERO)
    if F32.is_nan(x):
        return 0
    value = Fraction(-(1 << 200) if F32.sign(x) else 1 << 200) if F32.is_infinite(x) else F32.value(x)
    if number == "unorm":
        value = max(Fraction(0), min(Fraction(1), value)) * ((1 << bits) - 1)
    elif number == "snorm":
        value = max(Fraction(-1), min(Fraction(1), value)) * high
    elif number == "uscaled":
        value = max(Fraction(0), min(Fraction((1 << bits) - 1), value))
    else:
        value = max(Fraction(low), min(Fraction(high), value))
    whole = floats._rounded(abs(value), value < 0, floats.ZERO if image and "scaled" in number else floats.NEAREST)
    return (-whole if value < 0 else whole) & (1 << bits) - 1


def allowed(layout, number):
    bits = LAYOUTS[layout][1]
    if number == "float":
        return all(b in (16, 32) for b in bits)
    if max(bits) == 32:
        return number in ("uint", "sint")
    return layout != "10_11_11" and not (layout in ("2_10_10_10", "10_10_10_2") and number in ("snorm", "sscaled", "sint"))


def formats():
    return [(layout, number) for layout in LAYOUTS for number in NUMBERS if allowed(layout, number)]


def texels(gfx7_put):
    """Every format that a register can hold, typed and untyped, all four widths. Each lane has a texel of its own: STRIDE 16, the index from a register."""
    cases = formats()
    rows = 32
    for count, suffix in enumerate(("x", "xy", "xyz", "xyzw"), 1):
        register = "v0" if count == 1 else f"v[0:{count - 1}]"
        for n, (layout, number) in enumerate(cases):
            code, bits = LAYOUTS[layout]
            is_float = number in ("unorm", "snorm", "uscaled", "sscaled", "float")
            selected = [4, 5, 6, 7]
            word3 = sum(s << 3 * k for k, s in enumerate(selected)) | NUMBERS[number] << 12 | code << 15

            def load(wave, bits=bits, number=number, count=count):
                for lane in range(64):
                    texel = int.from_bytes(wave.mem[lane * 16:lane * 16 + 16], "little")
                    values, at = [], 0
                    for b in bits:
                        values.append(decode(texel >> at & (1 << b) - 1, b, number))
                        at += b
                    values += [0, 0, 0][:4 - len(values)]  # what the format lacks (RDNA4 ISA 9.3)
                    wave.set_vector(0, count, lane, sum(v << 32 * k for k, v in enumerate(values[:count])))

            def store(wave, bits=bits, number=number, count=count):
                for lane in range(64):
                    texel = at = 0
                    for k, b in enumerate(bits):
                        value = wave.vgpr(k if k < count else 0)[lane]  # the first stands for those that the instruction lacks (RDNA4 ISA 9.3)
                        texel |= encode(value, b, number) << at
                        at += b
                    wave.mem[lane * 16:lane * 16 + at // 8] = texel.to_bytes(at // 8, "little")
            data = {32: "f32x4.u", 16: "f16x8.u"}.get(max(bits), "b32x4.u") if number == "float" else "b32x4.u"
            given = {"v8": "ramp:0x0:1", "s12": BASE, "s13": 16 << 16, "s14": 0x10000, "s15": word3}
            typed = f" format:[BUF_DATA_FORMAT_{layout.upper()},BUF_NUM_FORMAT_{number.upper()}]"
            first = 32 * (n % 8)
            loaded = {**given, "mem": data, register: {1: "b32.d", 2: "b64.d"}.get(count, f"b32x{count}.d")}
            stored = {**given, "mem": "b32x4.d",
                      register: {1: "f32.u", 2: "f32x2.u", 3: "f32x3.u", 4: "f32x4.u"}[count] if is_float else {1: "b32.u", 2: "b32x2.u", 3: "b32x3.u",
                                                                                                              4: "b32x4.u"}[count]}
            for way, before, after, run in (("load", loaded, {register: 32 * count}, load), ("store", stored, {"mem": 128}, store)):
                forms = [("gfx7", family, f"{name}_{way}_format_{suffix} {register}, v8, s[12:15], 0{tail} idxen")
                         for family, name, tail in (("MUBUF", "buffer", ""), ("MTBUF", "tbuffer", typed))]
                gfx7_put(make(f"BUFFER_{way.upper()}_FORMAT_{suffix.upper()}/{layout}/{number}", "model", "lanes", forms, before, after, run, rows=rows,
                              first=first))


def scalar_loads(put):
    for bits in (32, 64, 96, 128, 256, 512):
        for n, offset in enumerate((0, 4, 32, 64)):
            for buffer in (False, True):
                def load(wave, bits=bits, offset=offset):
                    wave.set_scalar(16, bits // 32, int.from_bytes(wave.mem[offset:offset + bits // 8], "little"))
                register = "s16" if bits == 32 else f"s[16:{15 + bits // 32}]"
                base = "s[12:15]" if buffer else "s[12:13]"
                room = "s_buffer_load" if buffer else "s_load"
                given = {"mem": "b32x32.u", "scc": "bit.a", register: {32: "b32.d", 64: "b64.d"}.get(bits, f"b32x{bits // 32}.d"), "s12": BASE, "s13": 0}
                if buffer:
                    given.update({"s14": 0x10000, "s15": 0x30014000})
                forms = [("gfx1201", "SMEM", f"{room}_b{bits} {register}, {base}, {offset:#x}")]
                if bits != 96:
                    name = f"{room}_dword" + (f"x{bits // 32}" if bits > 32 else "")
                    forms.append(("gfx7", "SMRD", f"{name} {register}, {base}, {offset // 4:#x}"))
                put(make(f"{room.upper()}_B{bits}/{n}", "model", "waves", forms, given, {register: bits, "scc": 1}, load, rows=64, first=64 * n))
    for kind, bits in (("i8", 8), ("u8", 8), ("i16", 16), ("u16", 16)):
        for n, offset in enumerate((0, 2, 6, 14) if bits == 16 else (0, 1, 7, 14)):
            for buffer in (False, True):
                def load(wave, kind=kind, bits=bits, offset=offset):
                    x = int.from_bytes(wave.mem[offset:offset + bits // 8], "little")
                    wave.s[16] = (_signed(x, bits) if kind[0] == "i" else x) & 0xffffffff
                base = "s[12:15]" if buffer else "s[12:13]"
                room = "s_buffer_load" if buffer else "s_load"
                given = {"mem": "b32x4.u", "scc": "bit.a", "s16": "b32.d", "s12": BASE, "s13": 0}
                if buffer:
                    given.update({"s14": 0x10000, "s15": 0x30014000})
                put(make(f"{room.upper()}_{kind.upper()}/{n}", "model", "waves", [("gfx1201", "SMEM", f"{room}_{kind} s16, {base}, {offset:#x}")], given,
                         {"s16": 32, "scc": 1}, load, rows=64, first=64 * n))
    for isa, encoding, names in (("gfx1201", "SMEM", ("s_dcache_inv",)), ("gfx7", "SMRD", ("s_dcache_inv", "s_dcache_inv_vol"))):
        for name in names:
            put(make(f"{name.upper()}/{isa}", "model", "waves", [(isa, encoding, name)], {"s16": "b32.d", "scc": "bit.a"}, {"s16": 32, "scc": 1},
                     lambda wave: None))
    for name in ("buffer_wbinvl1", "buffer_wbinvl1_vol"):
        put(make(name.upper(), "model", "waves", [("gfx7", "MUBUF", name)], {"v0": "b32.d", "scc": "bit.a"}, {"v0": 32, "scc": 1}, lambda wave: None))


def float_atomics(put):
    """What RDNA4's memory has no operations for: comparisons of floats, minimum and maximum of doubles."""
    for room, encoding, address, tail in (("flat", "FLAT", "v[8:9]", ""), ("buffer", "MUBUF", "v8", ", s[12:15], 0 offen")):
        for bits in (32, 64):
            format = F32 if bits == 32 else floats.F64
            suffix = "_x2" if bits == 64 else ""
            dwords = bits // 32
            given = {"mem": f"f{bits}.a", address: f"ramp:{BASE if room == 'flat' else 0:#x}:{bits // 8}", "s12": BASE, "s13": 0, "s14": 0x10000,
                     "s15": 0x27000}
            for name in ("fcmpswap", "fmin", "fmax"):
                data_bits = bits * 2 if name == "fcmpswap" else bits
                data = f"v[12:{11 + data_bits // 32}]" if data_bits > 32 else "v12"
                returned = ("v0" if bits == 32 else "v[0:1]") if room == "flat" else ("v12" if bits == 32 else "v[12:13]")

                def run(wave, name=name, bits=bits, format=format, dwords=dwords, room=room):
                    for lane in range(64):
                        at = lane * bits // 8
                        old = int.from_bytes(wave.mem[at:at + bits // 8], "little")
                        new = wave.vector(12, dwords, lane)
                        if name == "fcmpswap":
                            if floats.compare(format, old, wave.vector(12 + dwords, dwords, lane)) != 0:
                                new = old
                        else:
                            new = best(format, new, old, name == "fmin")
                        wave.mem[at:at + bits // 8] = new.to_bytes(bits // 8, "little")
                        wave.set_vector(0 if room == "flat" else 12, dwords, lane, old)
                operands = ", ".join(([returned] if room == "flat" else []) + ([address, data] if room == "flat" else [data, address])) + tail
                if bits == 32 and name != "fcmpswap":
                    continue  # the pseudocode has it
                whole = {**given, data: f"f{bits}x2.b" if name == "fcmpswap" else f"f{bits}.b"}
                if room == "flat":
                    whole[returned] = f"b{bits}.d"
                put(make(f"{room}_atomic_{name}{suffix}".upper(), "model", "lanes",
                         [("gfx7", encoding, f"{room}_atomic_{name}{suffix} {operands} glc")], whole, {"mem": bits, returned: bits}, run))


def blocks():
    made = {"mubuf": [], "smem": []}

    def put(block):
        made["smem" if block.runs[0][1] in ("SMEM", "SMRD") else "mubuf"].append(block)
    texels(put)
    scalar_loads(put)
    float_atomics(put)
    return made
