"""Loads, stores and atomics of LDS, flat, global and buffer addresses, from the manual's pseudocode. Each lane has a piece of LDS or memory of its own, of
4 to 16 bytes; two addresses 64 strides apart lie in different pieces."""
import re

from . import interpreter, values
from .registers import bits_of, register
from .values import V
from .waves import make

BASE = 0x100000
RAW_BUFFER = {"gfx1201": 0x30014000, "gfx7": 0x00027000}  # last dword of a V#: a format, without which it is unbound; checked by bytes

# Sea Islands name -> RDNA4 name of the same access. Widths and kinds are spelt apart.
_LOADS = {"ubyte": "u8", "sbyte": "i8", "ushort": "u16", "sshort": "i16", "dword": "b32", "dwordx2": "b64", "dwordx3": "b96", "dwordx4": "b128"}
_STORES = {"byte": "b8", "short": "b16", "dword": "b32", "dwordx2": "b64", "dwordx3": "b96", "dwordx4": "b128"}
_ATOMICS = {"swap": "swap_b", "cmpswap": "cmpswap_b", "add": "add_u", "sub": "sub_u", "smin": "min_i", "umin": "min_u", "smax": "max_i", "umax": "max_u",
            "and": "and_b", "or": "or_b", "xor": "xor_b", "inc": "inc_u", "dec": "dec_u"}


def sea_islands_names():
    """{RDNA4 name: Sea Islands name}"""
    names = {}
    for room in ("flat", "buffer"):
        for old, new in _LOADS.items():
            names[f"{room}_load_{new}"] = f"{room}_load_{old}"
        for old, new in _STORES.items():
            names[f"{room}_store_{new}"] = f"{room}_store_{old}"
        for old, new in _ATOMICS.items():
            names[f"{room}_atomic_{new}32"] = f"{room}_atomic_{old}"
            names[f"{room}_atomic_{new}64"] = f"{room}_atomic_{old}_x2"
        names[f"{room}_atomic_min_num_f32"], names[f"{room}_atomic_max_num_f32"] = f"{room}_atomic_fmin", f"{room}_atomic_fmax"
    for width in ("b32", "b64", "b96", "b128"):
        names[f"ds_load_{width}"], names[f"ds_store_{width}"] = f"ds_read_{width}", f"ds_write_{width}"
    for width in ("b32", "b64"):
        for old, new in (("2", "_2addr"), ("2st64", "_2addr_stride64")):
            names[f"ds_load{new}_{width}"] = f"ds_read{old}_{width}"
            names[f"ds_store{new}_{width}"] = f"ds_write{old}_{width}"
            names[f"ds_storexchg{new}_rtn_{width}"] = f"ds_wrxchg{old}_rtn_{width}"
        names[f"ds_storexchg_rtn_{width}"] = f"ds_wrxchg_rtn_{width}"
        names[f"ds_cmpstore_{width}"], names[f"ds_cmpstore_rtn_{width}"] = f"ds_cmpst_{width}", f"ds_cmpst_rtn_{width}"
    for width in ("f32", "f64"):
        for way in ("min", "max"):
            names[f"ds_{way}_num_{width}"], names[f"ds_{way}_num_rtn_{width}"] = f"ds_{way}_{width}", f"ds_{way}_rtn_{width}"
    for narrow in ("i8", "u8", "i16", "u16"):
        names[f"ds_load_{narrow}"] = f"ds_read_{narrow}"
    names["ds_store_b8"], names["ds_store_b16"] = "ds_write_b8", "ds_write_b16"
    return names


def image_of(type_):
    """The columns of a piece of memory that holds the type, of the data operands, and the type's own name for them."""
    element = {"f32": "f32", "f64": "f64", "f16x2": "f16", "bf16x2": "bf16"}.get(type_, "b64" if type_[1:] == "64" else "b32")
    width = {"f32": 32, "f64": 64, "f16": 16, "bf16": 16, "b32": 32, "b64": 64}[element]
    return element, width


def packed(element, width, bits, letter):
    count = bits // width
    return f"{element}x{count}.{letter}" if count > 1 or width == 16 else f"{element}.{letter}"


class Access:
    """What an access's text and operands are, read from its row of the instruction table."""

    def __init__(self, row):
        self.row, self.name = row, row.name
        kinds = {field: (kind, type_) for field, kind, type_ in row.operands}
        self.destination = kinds.get("vdst", (None, None))[1]
        self.data = [kinds[f][1] for f in ("data0", "data1", "vsrc") if f in kinds]
        self.atomic = "_atomic_" in self.name
        if row.format == "VBUFFER":
            type_ = kinds["vdata"][1]
            if "_load_" in self.name or self.atomic:
                self.destination = type_ if not self.atomic or "cmpswap" not in self.name else None
            if "_store_" in self.name or self.atomic:
                self.data = [type_]
        self.two = any(kind == "ds_offset2" or f == "offset0" for f, kind, _ in row.operands) or "_2addr" in self.name
        self.type = (self.data or [self.destination])[0] or "b32"

    def text(self, isa, name, offset, swapped):
        data = [register("v", 12 + 4 * n, bits_of(t)) for n, t in enumerate(self.data)]
        if swapped:
            data.reverse()
        destination = [register("v", 0, bits_of(self.destination))] if self.destination else []
        format = self.row.format
        if format == "VDS":
            where = ["v8"] if any(f == "addr" for f, _, _ in self.row.operands) else []
            tail = f" offset0:{offset[0]} offset1:{offset[1]}" if self.two else f" offset:{offset[0]}" if offset[0] else ""
            return f"{name} " + ", ".join(destination + where + data) + tail
        old = isa == "gfx7"
        # Flat addresses have no offset there: they come from other registers. Nor are descriptors the same.
        tail = f" offset:{offset[0]}" if offset[0] and not (old and format == "VFLAT") else ""
        if self.atomic:
            tail += " glc" if old else " th:TH_ATOMIC_RETURN"
        if format == "VFLAT":
            return f"{name} " + ", ".join(destination + ["v[10:11]" if old else "v[8:9]"] + data) + tail
        if format == "VGLOBAL":
            return f"{name} " + ", ".join(destination + ["v[8:9]"] + data + ["off"]) + tail
        value = data if data else destination
        return f"{name} " + ", ".join(value + ["v8", "s[16:19]" if old else "s[12:15]", "0" if old else "null"]) + " offen" + tail


def memory_table(memory, origin):
    def read(path, width):
        at, size = path[0] - origin, (width or 32) // 8
        return V("b", size * 8, int.from_bytes(memory[at:at + size], "little"))

    def write(path, value, width):
        at, size = path[0] - origin, (width or 32) // 8
        memory[at:at + size] = (value.x & (1 << size * 8) - 1).to_bytes(size, "little")
    return interpreter.Table(1, read, write)


def functions():
    here = {"CalcDsAddr": lambda i, a, b: V("u", 32, a.number + b.number)}
    for name in ("CalcGlobalAddr", "CalcFlatAddr", "CalcBufferAddr"):
        here[name] = lambda i, *_: i.names["ADDR"]
    return here


def run_access(trees, access, offset, step, wave, lds):
    """Runs the block for each lane in turn."""
    memory, origin = (wave.lds, 0) if lds else (wave.mem, BASE)
    buffer_data = access.row.format == "VBUFFER" and access.data
    for lane in wave.active():
        base = lane * step
        place = V("u", 32, base + (0 if access.two else offset[0])) if lds else V("u", 64, BASE + base + offset[0])
        data = [V("b", bits_of(t), wave.vector(12 + 4 * n, bits_of(t) // 32, lane)) for n, t in enumerate(access.data)]
        bits = (bits_of(access.destination) + 31) // 32 * 32 if access.destination else 32
        old = V("b", bits, wave.vector(0, bits // 32, lane))
        names = {"MEM": memory_table(memory, origin), "ADDR": place, "ADDR_BASE": V("u", 32, base), "vgpr_a": V("b", 32, base), "offset": V("b", 32, offset[0]),
                 "OFFSET": V("b", 16, offset[0]), "OFFSET0": V("b", 8, offset[0] & 255), "OFFSET1": V("b", 8, offset[-1] if access.two else offset[0] >> 8),
                 "RETURN_DATA": old, "VDATA": data[0] if data and not access.atomic else old, "laneID": values.i32(lane), "M0": V("b", 32, wave.m0),
                 "v_addr": V("b", 64, 0), "s_saddr": V("b", 64, 0), "flat_scratch": V("b", 64, 0), "sgpr_o": V("b", 64, 0),
                 "S0": V("b", 32, base), "S1": data[0] if data else old}
        names["LDS"] = names["MEM"]
        for key, value in zip(("DATA", "DATA2"), data):
            names[key] = value
        if data:
            names["DATA0"] = data[0]
        it = interpreter.Interpreter(trees, interpreter.Mode(wave.mode))
        it.functions.update(functions())
        it.start(names)
        it.run(trees[access.name.upper()])
        result = names["RETURN_DATA"] if names["RETURN_DATA"] is not old else names["VDATA"]
        if isinstance(result, list):
            result = V("b", 64, result[0].x | result[1].x << 32)
        if access.destination and not buffer_data:
            wave.set_vector(0, bits // 32, lane, result.x)
        elif buffer_data and access.atomic:
            wave.set_vector(12, max(1, result.w // 32) if result.w <= 64 else 2, lane, result.x)


def pieces_of(access):
    """(bits of a lane's piece, [(offsets, bytes from a lane's address to the next's)]): where there are several, they share the rows."""
    name = access.name
    if access.two:
        wide = name.endswith("b64")
        if "stride64" in name:
            return 128, [((0, 1 if wide else 2), 8 if wide else 4)]
        return 128, [((0, 1), 16), ((1, 0), 16)] if wide else [((0, 1), 16), ((3, 1), 16), ((1, 2), 16), ((2, 3), 16)]
    if "addtid" in name:
        return 128, [((0,), 0), ((16,), 0)]
    loads = not access.data
    bits = 128 if loads else max(32, min(128, bits_of(access.type) // (2 if "cmpswap" in name else 1)))
    bits = 128 if bits == 96 else bits
    if re.search(r"_(u8|i8|b8)(_|$)", name):
        places = (0, 1, 2, 7) if loads else (0, 1, 2, 3)
    elif re.search(r"_(u16|i16|b16)(_|$)", name):
        places = (0, 2, 4, 14) if loads else (0, 2)
    else:
        places = (0, 8) if re.search(r"load_b(32|64)$", name) else (0,)
    return bits, [((place,), bits // 8) for place in places]


SKIPPED = re.compile(r"format|swizzle|append|consume|permute|bvh|_tr_|_block|ordered|ds_nop|global_(inv|wb|load_addtid|store_addtid)")


def blocks(trees, rdna4, gfx7):
    known = {row.name for row in gfx7}
    partners = sea_islands_names()
    made = {}
    for row in rdna4:
        if row.format not in ("VDS", "VFLAT", "VGLOBAL", "VBUFFER") or SKIPPED.search(row.name) or row.name.upper() not in trees:
            continue
        access = Access(row)
        lds = row.format == "VDS"
        element, width = image_of(access.destination or access.type if "cmpswap" in row.name else access.type)
        bits, variants = pieces_of(access)
        place = "lds" if lds else "mem"
        each = 256 // len(variants)
        for n, (offset, step) in enumerate(variants):
            given = {place: packed(element, width, bits, "a" if access.data else "u"), "m0": 0xffffffff if "addtid" not in row.name else 0x40}
            if row.format != "VDS":
                given["v[8:9]" if row.format != "VBUFFER" else "v8"] = f"ramp:{BASE if row.format != 'VBUFFER' else 0:#x}:{step}"
            elif step:
                given["v8"] = f"ramp:0x0:{step}"
            for k, type_ in enumerate(access.data):
                given[register("v", 12 + 4 * k, bits_of(type_))] = packed(element, width, max(32, bits_of(type_)), "bc"[k])
            wanted = {place: bits} if access.data else {}
            if access.destination and not (row.format == "VBUFFER" and access.data):
                size = (bits_of(access.destination) + 31) // 32 * 32
                given[register("v", 0, size)] = packed("b32", 32, size, "d")
                wanted[register("v", 0, size)] = size
            if row.format == "VBUFFER" and access.atomic:
                wanted[register("v", 12, bits_of(access.data[0]))] = bits_of(access.data[0])
            forms = [("gfx1201", row.format, access.text("gfx1201", row.name, offset, False))]
            partner = partners.get(row.name, row.name)
            format7 = {"VDS": "DS", "VFLAT": "FLAT", "VBUFFER": "MUBUF"}.get(row.format)
            if format7 and partner in known:
                forms.append(("gfx7", format7, access.text("gfx7", partner, offset, "cmpst" in partner)))
                if row.format == "VFLAT":
                    given["v[10:11]"] = f"ramp:{BASE + offset[0]:#x}:{step}"
            if row.format == "VBUFFER":
                for first, isa in ((12, "gfx1201"), (16, "gfx7")):
                    given.update({f"s{first}": BASE, f"s{first + 1}": 0, f"s{first + 2}": 0x10000, f"s{first + 3}": RAW_BUFFER[isa]})
            made.setdefault(row.format.lower(), []).append(make(
                f"{row.name.upper()}/{n}" if len(variants) > 1 else row.name.upper(), "pseudocode", "lanes", forms, given, wanted,
                lambda wave: run_access(trees, access, offset, step, wave, lds), rows=each, first=n * each))
    return made
