"""Instructions that only see registers: SOP1, SOP2, SOPC, SOPK, VOP1, VOP2, VOPC, VOP3, VOP3P. Operands come from the instruction tables under isa/,
results from the manual's pseudocode."""
import csv
import os
import re

from . import inputs, interpreter, values
from .blocks import Block

SCALAR = ("SOP1", "SOP2", "SOPC", "SOPK")
VECTOR = ("VOP1", "VOP2", "VOPC", "VOP3", "VOP3P")


class Row:
    def __init__(self, isa, format, opcode, name, operands, flags):
        self.isa, self.format, self.opcode, self.name, self.flags = isa, format, int(opcode), name, flags.split()
        self.operands = []  # (field, kind, type)
        for operand in operands.split():
            field, rule = operand.split("=")
            kind, _, type_ = rule.partition(".")
            self.operands.append((field, kind, type_))


def table(root, name, isa):
    rows = []
    with open(os.path.join(root, "isa", name), encoding="utf-8") as file:
        for line in csv.reader((l for l in file if not l.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE):
            if line[0] == "format":
                continue
            rows.append(Row(isa, *line[:5]))
    formats = {}
    for row in rows:
        formats.setdefault(row.name, set()).add(row.format)
    for row in rows:  # e32, e64: the assembler knows another encoding of the name, and tells the two by these suffixes
        short, long = formats[row.name] & {"VOP1", "VOP2", "VOPC"}, "VOP3" in formats[row.name]
        if row.format == "VOP3" and short and "no_e64" not in row.flags or "vop3" in row.flags:
            row.flags.append("e64")
        elif row.format in short and long and "no_e32" not in row.flags:
            row.flags.append("e32")
    return rows


def bits_of(type_):
    """Of an operand's type: u32, f16x2, iu8x4."""
    found = re.match(r"^[a-z]*?(\d+)(?:x(\d+))?$", type_.replace("fp8", "f8").replace("bf8", "f8"))
    if not found:
        raise ValueError(f"operand type {type_}")
    return int(found.group(1)) * int(found.group(2) or 1)


def column_of(type_, letter):
    """The input column that suits a type."""
    found = re.match(r"^(bf|fp|iu|[buif])(\d+)(?:x(\d+))?$", type_)
    kind, width, count = found.group(1), int(found.group(2)), int(found.group(3) or 1)
    if kind == "f" or kind == "bf" and width == 16:
        name = f"{kind}{width}"
    elif kind in ("fp", "bf"):
        name = f"{kind}8"
    else:
        name = f"b{width}" if width >= 16 else "b64" if width * count == 64 else "b32"
        if width < 16:
            count = 1
    return f"{name}x{count}.{letter}" if count > 1 else f"{name}.{letter}"


def register(kind, first, bits):
    n = (bits + 31) // 32
    return f"{kind}{first}" if n == 1 else f"{kind}[{first}:{first + n - 1}]"


MODIFIERS = ("-|{}|", "-{}", "|{}|")  # of the three sources


def mask_of(row, flag):
    return next((int(f[len(flag) + 1:]) for f in row.flags if f.startswith(flag + "=")), 0)


def modified_sources(row):
    """Which sources take the modifiers above. Of packed ones the manual does not say what they do."""
    types = [type_ for field, kind, type_ in row.operands if kind not in ("vcc", "m", "k", "hex") and field not in ("vdst", "sdst")]
    neg, abs_ = mask_of(row, "neg"), mask_of(row, "abs")
    return [n for n, type_ in enumerate(types[:3]) if type_[0] in "fb" and "x" not in type_ and (n == 2 or neg >> n & 1) and (n == 1 or abs_ >> n & 1)]


def modified(n, value):
    """What MODIFIERS make of a source's bits."""
    sign = 1 << (value.w - 1)
    return values.V("b", value.w, (value.x | sign, value.x ^ sign, value.x & ~sign)[n])


def text_of(row, suffix, order, literal, extra, modifiers=()):
    """The instruction as text, sources in registers 4, 8, 12 by the manual's order of S0, S1, S2; `order` gives the place of each operand."""
    words, sources = [], 0
    vector = row.format in VECTOR
    for field, kind, type_ in row.operands:
        if kind == "vcc" or kind == "m":
            words.append("vcc")
        elif kind in ("k", "hex"):
            words.append(f"{literal:#x}")
        elif field in ("vdst", "sdst"):
            words.append(register("s" if kind == "s" else "v", 0, bits_of(type_)))
        else:
            letter = "s" if kind in ("s", "ss", "sc") else "v"
            word = register(letter, 4 + 4 * order[sources], bits_of(type_))
            words.append(MODIFIERS[sources].format(word) if sources in modifiers else word)
            sources += 1
    return (f"{row.name}{suffix} " + ", ".join(words) + extra).strip()


def modified_runs(row, modifiers):
    """The long encoding with MODIFIERS on these sources."""
    if row.format == "VOP3":
        return [(row.isa, "VOP3", text_of(row, "_e64" if "e64" in row.flags else "", (0, 1, 2), 0, "", modifiers))]
    if row.isa == "gfx7" and "e64" in row.flags:
        return [("gfx7", "VOP3", text_of(row, "_e64", (0, 1, 2), 0, "", modifiers))]
    return []


def runs_of(row, order=(0, 1, 2), literal=0, extra=""):
    """All encodings of a row: e32, e64 of the formats that have both."""
    if row.isa == "gfx7" and "e64" in row.flags:
        return [("gfx7", row.format, text_of(row, "_e32", order, literal, extra)),
                ("gfx7", "VOP3", text_of(row, "_e64", order, literal, extra))]
    suffix = ""
    if row.format == "VOP3" and "e64" in row.flags:
        suffix = "_e64"
    elif row.format in ("VOP1", "VOP2", "VOPC") and "e32" in row.flags:
        suffix = "_e32"
    return [(row.isa, row.format, text_of(row, suffix, order, literal, extra))]


class Shape:
    """What a row's operands are: the destination, the sources, masks, a literal."""

    def __init__(self, row):
        self.sources = [(kind, type_) for field, kind, type_ in row.operands
                        if kind not in ("vcc", "m", "k", "hex") and field not in ("vdst", "sdst")]
        masks = [field for field, kind, _ in row.operands if kind in ("vcc", "m")]
        self.mask_out = "sdst" in masks
        self.mask_in = any(f != "sdst" for f in masks) or "reads_vcc" in row.flags
        self.exec_out = "writes_exec" in row.flags and row.format not in SCALAR
        self.immediate = next((kind for _, kind, _ in row.operands if kind in ("k", "hex")), None)
        self.destination = next(((kind, type_) for field, kind, type_ in row.operands
                                 if field in ("vdst", "sdst") and kind not in ("vcc", "m")), None)
        self.columns = None  # other input columns than the types ask for
        self.execution = "saveexec" in row.name or "wrexec" in row.name
        self.mask_from = ()
        self.scc = row.format in SCALAR
        self.scalar = row.format in SCALAR or (self.destination is not None and self.destination[0] == "s")
        self.flags = row.flags

    def dwords(self):
        return [(bits_of(t) + 31) // 32 for _, t in self.sources]


LITERALS = {"f32": [0x40490fdb, 0x00000001, 0xff800000, 0x7fc01234], "f16": [0x4248, 0x0001, 0xfc00, 0x7e12],
            "hex": [0x0, 0x1, 0x7fff, 0x8000, 0xffff, 0xfffe, 0x8001, 0x1234]}
ALL = (1 << 64) - 1


def own_registers(names):
    """VGPR[laneId][SRC0] and its like: the lane's own operands by number."""
    keys = ("S0", "S1", "S2", "D0")

    def write(path, value, width):
        names[keys[path[1]]] = value
    return interpreter.Table(2, lambda path, width: names[keys[path[1]]], write)


def make(name, shape, runs, evaluate, source, mode=0xf0, literal=None, part=None, fields=None, modifiers=()):
    """A block of one instruction. `evaluate` takes the names of a row (S0.., D0, SCC, VCC, EXEC, M0, SIMM32) and leaves in them what they are afterwards;
    it returns (erratum, names by the pseudocode's letter) where that differs. With a literal the rows are a part of all: (first, count)."""
    block = Block(name, source, "waves" if shape.scalar else "lanes")
    block.first, block.rows = part or (0, inputs.ROWS)
    block.runs = runs
    block.inputs.append(("mode", mode))
    letter = "s" if shape.scalar else "v"
    letters = "u" if len(shape.sources) == 1 and shape.immediate is None else "abc"
    columns = []
    for n, (_, type_) in enumerate(shape.sources):
        chosen = shape.columns[n] if shape.columns else column_of(type_, letters[n])
        columns.append((inputs.width(chosen), inputs.column(chosen)))
        block.inputs.append((register(letter, 4 + 4 * n, inputs.width(chosen)), chosen))
    width, old = 0, None
    if shape.destination:
        width = (bits_of(shape.destination[1]) + 31) // 32 * 32
        if "accumulates" in shape.flags or shape.immediate == "hex":
            kind = column_of(shape.destination[1], "c")
        else:
            kind = {32: "b32.d", 64: "b64.d"}.get(width, f"b32x{width // 32}.d")
        old = inputs.column(kind)
        block.inputs.append((register(letter, 0, width), kind))
    bit = inputs.column("bit.a")
    if shape.mask_in:
        block.inputs.append(("vcc", "bit.a"))
    if shape.scalar and shape.scc:
        block.inputs.append(("scc", "bit.a"))
    if shape.execution:
        block.inputs.append(("exec", "b64.c"))
    outputs = {}

    def put(register_name, bits, value, literal_value, n, erratum):
        outputs.setdefault((register_name, bits), []).append(value)
        if literal_value != value:
            block.errata.setdefault((erratum, register_name), {})[n] = literal_value

    for n in range(block.rows):
        row = block.first + n
        lane = 0 if shape.scalar else n % 64
        names = {f"S{k}": values.V("b", w, column[row]) for k, (w, column) in enumerate(columns)}
        for k in modifiers:
            bits = bits_of(shape.sources[k][1])
            low = modified(k, values.V("b", bits, names[f"S{k}"].x))
            names[f"S{k}"] = values.V("b", names[f"S{k}"].w, names[f"S{k}"].x >> bits << bits | low.x)
        names["laneId"] = values.i32(lane)
        names["D0"] = values.V("b", max(width, 64), old[row] if width else 0)
        names["SCC"] = values.V("u", 1, bit[row] if shape.scc else 0)
        names["VCC"] = values.V("u", 64, bit[row] << lane if shape.mask_in else 0)
        names["EXEC"] = values.V("u", 64, inputs.column("b64.c")[row] if shape.execution else ALL)
        names["WAVE64"], names["WAVE32"] = values.boolean(True), values.boolean(False)
        if shape.immediate == "k":
            names["SIMM32"] = values.V("b", 32, literal)
        elif shape.immediate == "hex":
            names["S0"] = names["SIMM16"] = values.V("b", 16, literal)
        names.update({field: values.V("b", w, x) for field, (w, x) in (fields or {}).items()})
        names.update({"SRC0": values.V("u", 8, 0), "SRC1": values.V("u", 8, 1), "SRC2": values.V("u", 8, 2), "VDST": values.V("u", 8, 3)})
        names["VGPR"] = own_registers(names)
        if len(columns) == 3:
            names["S"] = [names["S0"], names["S1"], names["S2"]]
        amended = evaluate(names)
        erratum, right = amended if amended else (None, names)

        def both(read):
            return read(right), read(names)
        if shape.destination:
            # 16-bit results of the scalar ALU fill the whole register (7.10: "the upper half receiving zeros").
            kept = 16 if shape.scalar and bits_of(shape.destination[1]) == 16 else width
            put(register("s" if shape.scalar else "v", 0, width), width, *both(lambda m: m["D0"].x & (1 << kept) - 1), n, erratum)
        if shape.mask_out:
            if "VCC" in shape.mask_from:
                put("vcc", 1, *both(lambda m: m["VCC"].x >> lane & 1), n, erratum)
            else:
                put("vcc", 1, *both(lambda m: m["D1"].x & 1 if "D1" in m else m["D0"].x >> lane & 1), n, erratum)
        if shape.exec_out:
            put("exec", 1, *both(lambda m: m["EXEC"].x >> lane & 1), n, erratum)
        if shape.execution:
            put("exec", 64, *both(lambda m: m["EXEC"].x), n, erratum)
        if shape.scalar and shape.scc:
            put("scc", 1, *both(lambda m: m["SCC"].x), n, erratum)
    block.outputs = [(register_name, bits, column) for (register_name, bits), column in outputs.items()]
    return block
