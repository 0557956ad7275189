"""A scalar model of the R5xx pixel shader's ALU pairs, and their vectors: R5xx Acceleration v1.3, 10.10; what that leaves open is in docs/errata.md ("R5xx
pixel shader"). It knows nothing of src/isa."""
from fractions import Fraction

from . import elementary, r500_blocks
from .r500_fields import text, us_words
from .r500_floats import (F32, HALF, ONE, ZERO, Choices, absolute, add, circular, clamped, exp2, flushed, fraction, holds, larger, log2, multiply, negated, of,
                          reciprocal, reciprocal_root, smaller, subtract)

RGB_OPS = {"mad": 0, "dp3": 1, "dp4": 2, "d2a": 3, "min": 4, "max": 5, "cnd": 7, "cmp": 8, "frc": 9, "sop": 10, "mdh": 11, "mdv": 12}
ALPHA_OPS = {"mad": 0, "dp": 1, "min": 2, "max": 3, "cnd": 5, "cmp": 6, "frc": 7, "ex2": 8, "ln2": 9, "rcp": 10, "rsq": 11, "sin": 12, "cos": 13, "mdh": 14,
             "mdv": 15}
DOTS, SELECTING, QUADS = ("dp3", "dp4", "d2a"), ("min", "max", "cnd", "cmp"), ("mdh", "mdv")
FUNCTIONS = {"ex2": exp2, "ln2": log2, "rcp": reciprocal, "rsq": reciprocal_root, "sin": lambda a: circular(elementary.sine, a),
             "cos": lambda a: circular(elementary.cosine, a)}
_RGB_NAME, _ALPHA_NAME = {n: name for name, n in RGB_OPS.items()}, {n: name for name, n in ALPHA_OPS.items()}
_RGB_INST, _ALPHA_INST, _RGBA_INST, _CMN = "US_ALU_RGB_INST", "US_ALU_ALPHA_INST", "US_ALU_RGBA_INST", "US_CMN_INST"
_COLOURS, _LETTERS = ("RED", "GREEN", "BLUE"), "xyzw"
_COMPARE = ("eq", "lt", "ge", "ne")


class Pair:
    """An instruction by its fields, on one row of registers."""

    def __init__(self, fields, al, zero_rule, active, registers, row):
        self.fields, self.al, self.zero_rule, self.active, self.registers, self.row = fields, al, zero_rule, active, registers, row
        self.rgb_op, self.alpha_op = _RGB_NAME[self.get(_RGBA_INST, "RGB_OP")], _ALPHA_NAME[self.get(_ALPHA_INST, "ALPHA_OP")]

    def get(self, register, field):
        return self.fields.get((register, field), 0)

    # --- operands
    def source(self, n, channel, row=None):
        """Channel 0 to 3 of source n: r, g, b at the RGB address, a at the alpha address."""
        register = "US_ALU_ALPHA_ADDR" if channel == 3 else "US_ALU_RGB_ADDR"
        address, constant = self.get(register, f"ADDR{n}"), self.get(register, f"ADDR{n}_CONST")
        if not constant and address & 0x80:  # 4 bits of exponent (bias 7), 3 of mantissa, denormals
            exponent, mantissa = address >> 3 & 15, address & 7
            return of(Fraction(8 + mantissa if exponent else mantissa, 8) * Fraction(2) ** (max(exponent, 1) - 7))
        if self.get(register, f"ADDR{n}_REL"):
            address += self.al
        return self.registers.read(f"{'c' if constant else 't'}{address % (256 if constant else 128)}.{_LETTERS[channel]}", self.row if row is None else row)

    def presubtracted(self, channel):
        first = self.source(0, channel)
        op = self.get("US_ALU_ALPHA_ADDR" if channel == 3 else "US_ALU_RGB_ADDR", "SRCP_OP")
        if op == 0:
            return subtract(ONE, multiply(of(2), first))
        if op == 3:
            return subtract(ONE, first)
        return (subtract if op == 1 else add)(self.source(1, channel), first)

    def selected(self, letter, channel):
        """(select, swizzle, modifier) of operand A, B or C."""
        register = _RGBA_INST if letter == "C" else _ALPHA_INST if channel == 3 else _RGB_INST
        unit = "ALPHA" if channel == 3 else "RGB"
        swizzle = f"ALPHA_SWIZ_{letter}" if channel == 3 else f"{_COLOURS[channel]}_SWIZ_{letter}"
        return self.get(register, f"{unit}_SEL_{letter}"), self.get(register, swizzle), self.get(register, f"{unit}_MOD_{letter}")

    def operand(self, letter, channel):
        select, swizzle, modifier = self.selected(letter, channel)
        op = self.alpha_op if channel == 3 else self.rgb_op
        if op in QUADS and letter != "B":  # of the quad's top left, top right or bottom left pixel, without swizzle
            pixel = 0 if letter == "A" else 1 if op == "mdh" else 2
            x = self.source(0, channel, self.row // 4 * 4 + pixel)
        elif swizzle < 4:
            x = self.presubtracted(swizzle) if select == 3 else self.source(select, swizzle)
        else:
            x = (ZERO, HALF, ONE, ZERO)[swizzle - 4]
        if modifier & 2:
            x = absolute(x)
        return negated(x) if modifier & 1 else x

    def product(self, channel):
        """A * B. 1 from the swizzle leaves the other factor as it is; 0 times anything may be 0 (US_CONFIG)."""
        a, b = self.operand("A", channel), self.operand("B", channel)
        op = self.alpha_op if channel == 3 else self.rgb_op
        for letter, other in (("A", b), ("B", a)):
            _, swizzle, modifier = self.selected(letter, channel)
            if op not in QUADS and swizzle == 6 and not modifier & 1:
                return other
        if self.zero_rule and (F32.is_zero(flushed(a)) or F32.is_zero(flushed(b))):
            return ZERO
        return multiply(a, b)

    # --- results
    def dot(self):
        total = add(self.product(0), self.product(1))
        if self.rgb_op == "d2a":
            return add(total, self.operand("C", 2))
        total = add(total, self.product(2))
        return add(total, self.product(3)) if self.rgb_op == "dp4" else total

    def of_channel(self, channel):
        op = self.alpha_op if channel == 3 else self.rgb_op
        if op in DOTS or op == "dp":
            return self.dot()
        if op == "sop":
            return self.of_channel(3)
        if op in FUNCTIONS:
            return FUNCTIONS[op](self.operand("A", channel))
        if op == "frc":
            return fraction(self.operand("A", channel))
        if op in SELECTING:
            a, b = self.operand("A", channel), self.operand("B", channel)
            if op == "min":
                return smaller(a, b)
            if op == "max":
                return larger(a, b)
            c = self.operand("C", channel)
            return a if (holds("gt", c, HALF) if op == "cnd" else holds("ge", c)) else b
        return add(self.product(channel), self.operand("C", channel))

    def result(self, channel):
        """After output modifier and clamp. The modifier, 1 too, makes 0 of denormals and quiets NaNs; number 7 leaves both out and copies all bits: Mesa's
        radeon_pair_translate.c says so of translate_omod."""
        x, omod = self.of_channel(channel), self.get(_ALPHA_INST if channel == 3 else _RGB_INST, "OMOD")
        if omod == 7:
            return x
        x = multiply(x, of((1, 2, 4, 8, Fraction(1, 2), Fraction(1, 4), Fraction(1, 8))[omod]))
        return clamped(x) if self.get(_CMN, "ALPHA_CLAMP" if channel == 3 else "RGB_CLAMP") else x

    def predicated(self, channel):
        unit = "ALPHA" if channel == 3 else "RGB"
        use = self.get(_CMN, f"{unit}_PRED_SEL")
        if not use:
            return True
        bit = channel if use == 1 else use - 2
        return self.registers.read(f"p.{_LETTERS[bit]}", self.row) != self.get(_CMN, f"{unit}_PRED_INV")

    def run(self):
        written = {}
        if not self.active and not self.get(_CMN, "WRITE_INACTIVE"):
            return written
        for channel in range(4):
            unit, register = ("ALPHA", _ALPHA_INST) if channel == 3 else ("RGB", _RGB_INST)
            bit = 0 if channel == 3 else channel
            mask, more = self.get(_CMN, f"{unit}_WMASK") >> bit & 1, self.get(_CMN, f"{unit}_OMASK") >> bit & 1
            depth = channel == 3 and self.get(_ALPHA_INST, "W_OMASK")
            alu_result = self.get(_RGB_INST, "ALU_WMASK") and channel == (3 if self.get(_CMN, "ALU_RESULT_SEL") else 0)
            if not (mask or more or depth or alu_result):
                continue
            x, letter, target = self.result(channel), _LETTERS[channel], self.get(register, "TARGET")
            if alu_result:
                written["alu_result"] = int(holds(_COMPARE[self.get(_CMN, "ALU_RESULT_OP")], x))
            if not self.predicated(channel):
                continue
            if mask:
                where = _ALPHA_INST if channel == 3 else _RGBA_INST
                n = self.get(where, f"{unit}_ADDRD") + (self.al if self.get(where, f"{unit}_ADDRD_REL") else 0)
                written[f"t{n % 128}.{letter}"] = x
            if more and self.get(_CMN, "TYPE") == 1:
                written[f"o{target}.{letter}"] = x
            elif more:
                written[f"p.{letter}"] = int(holds(_COMPARE[target], x))
            if depth:
                written["depth"] = x
        return written


# --- vectors
def _bits(place):
    return 1 if place.startswith("p.") or place == "alu_result" else 32


def _block(name, unit, op, fields, first, rows, given, al=0, zero_rule=False, active=0xffffffffffffffff):
    def step(registers, row):
        return Pair(fields, al, zero_rule, active >> row % 64 & 1, registers, row).run()
    settings = [("active", active), ("al", al), ("us_config", 2 if zero_rule else 0)]
    block = r500_blocks.make(name, ("r500_fs", unit, text(op, us_words(fields))), first, rows, given, step, _bits, settings)
    functions = {_RGB_NAME[fields.get((_RGBA_INST, "RGB_OP"), 0)], _ALPHA_NAME[fields.get((_ALPHA_INST, "ALPHA_OP"), 0)]} & set(FUNCTIONS)
    if functions:
        block.bound = "ulp 1"
    return block


def _plain(unit, op):
    """Operands A, B, C from t1, t2, t3, each channel its own, without modifiers: 256 rows with all pairs of edges in one channel."""
    fields = {(_CMN, "TYPE"): 0}
    for register in ("US_ALU_RGB_ADDR", "US_ALU_ALPHA_ADDR"):
        for n in range(3):
            fields[register, f"ADDR{n}"] = n + 1
    for n, letter in enumerate("ABC"):
        for c, colour in enumerate(_COLOURS):
            fields[_RGBA_INST if letter == "C" else _RGB_INST, f"{colour}_SWIZ_{letter}"] = c
        fields[_RGBA_INST if letter == "C" else _RGB_INST, f"RGB_SEL_{letter}"] = n
        fields[_RGBA_INST if letter == "C" else _ALPHA_INST, f"ALPHA_SEL_{letter}"] = n
        fields[_RGBA_INST if letter == "C" else _ALPHA_INST, f"ALPHA_SWIZ_{letter}"] = 3
    channel = "w" if unit == "ALPHA" else "x"
    given = {f"t1.{channel}": "f32.a", f"t2.{channel}": "f32.b", f"t3.{channel}": "f32.c"}
    if op in FUNCTIONS or op == "frc":
        given[f"t1.{channel}"] = "f32.u"
    if unit == "ALPHA":
        fields[_ALPHA_INST, "ALPHA_OP"] = ALPHA_OPS[op]
        fields[_RGBA_INST, "RGB_OP"] = RGB_OPS["dp4"] if op == "dp" else 0
        fields[_CMN, "ALPHA_WMASK"] = 1
    else:
        fields[_RGBA_INST, "RGB_OP"] = RGB_OPS[op]
        fields[_ALPHA_INST, "ALPHA_OP"] = ALPHA_OPS["rsq" if op == "sop" else "mad"]
        fields[_CMN, "RGB_WMASK"] = 7
        if op == "sop":
            given["t1.w"] = "f32.u"
    fields[_RGBA_INST, "RGB_ADDRD"] = fields[_ALPHA_INST, "ALPHA_ADDRD"] = 5
    return fields, given


def _modified(choices, v, unit, op):
    """Variant v: every field of the pair takes each of its values in some variant."""
    of_field, fields = lambda name, values: choices.of(name, v, values), {}
    al = (0, 3, 45)[v % 3]

    def source(register, n):
        kind = of_field(f"{register}.{n}.kind", ("temporary", "temporary", "constant", "inline", "temporary+", "constant+", "temporary"))
        base = 1 + n + (3 if register == "US_ALU_ALPHA_ADDR" else 0)
        if kind == "inline":
            fields[register, f"ADDR{n}"] = 128 + (5 + 37 * v + 11 * n) % 128
            fields[register, f"ADDR{n}_REL"] = v & 1  # changes nothing
            return
        bank = 256 if kind.startswith("constant") else 128
        relative = int(kind.endswith("+"))
        address = base + (240 if bank == 256 and v % 2 else 0)
        fields[register, f"ADDR{n}"] = (address - al) % bank if relative else address
        fields[register, f"ADDR{n}_REL"], fields[register, f"ADDR{n}_CONST"] = relative, int(bank == 256)
    for register in ("US_ALU_RGB_ADDR", "US_ALU_ALPHA_ADDR"):
        for n in range(3):
            source(register, n)
        fields[register, "SRCP_OP"] = of_field(f"{register}.SRCP_OP", 4)
    for letter in "ABC":
        rgb, alpha = (_RGBA_INST, _RGBA_INST) if letter == "C" else (_RGB_INST, _ALPHA_INST)
        for register, names in ((rgb, [f"{c}_SWIZ_{letter}" for c in _COLOURS]), (alpha, [f"ALPHA_SWIZ_{letter}"])):
            for name in names:
                fields[register, name] = of_field(name, 8)
        fields[rgb, f"RGB_SEL_{letter}"], fields[alpha, f"ALPHA_SEL_{letter}"] = of_field(f"RGB_SEL_{letter}", 4), of_field(f"ALPHA_SEL_{letter}", 4)
        fields[rgb, f"RGB_MOD_{letter}"], fields[alpha, f"ALPHA_MOD_{letter}"] = of_field(f"RGB_MOD_{letter}", 4), of_field(f"ALPHA_MOD_{letter}", 4)
    for register, result in ((_RGB_INST, "ALU_WMASK"), (_ALPHA_INST, "W_OMASK")):
        fields[register, "OMOD"], fields[register, "TARGET"] = of_field(f"{register}.OMOD", 8), of_field(f"{register}.TARGET", 4)
        fields[register, result] = of_field(result, (0, 1, 0))
    for register, name in ((_RGBA_INST, "RGB"), (_ALPHA_INST, "ALPHA")):
        relative = of_field(f"{name}_ADDRD_REL", 2)
        fields[register, f"{name}_ADDRD_REL"], fields[register, f"{name}_ADDRD"] = relative, ((5 if name == "RGB" else 6) - (al if relative else 0)) % 128
    for name, values in (("TYPE", 2), ("RGB_PRED_SEL", (0, 1, 0, 2, 0, 3, 0, 4, 0, 5)), ("ALPHA_PRED_SEL", (0, 5, 0, 4, 0, 3, 0, 2, 0, 1)), ("RGB_PRED_INV", 2),
                         ("ALPHA_PRED_INV", 2), ("WRITE_INACTIVE", (0, 0, 0, 1)), ("NOP", 2), ("ALU_WAIT", 2), ("TEX_SEM_WAIT", 2), ("LAST", 2), ("STAT_WE", 16),
                         ("RGB_WMASK", 8), ("ALPHA_WMASK", 2), ("RGB_OMASK", 8), ("ALPHA_OMASK", 2), ("RGB_CLAMP", 2), ("ALPHA_CLAMP", 2),
                         ("ALU_RESULT_SEL", 2), ("ALU_RESULT_OP", 4)):
        fields[_CMN, name] = of_field(name, values)
    # The operation itself writes in every variant, and the other unit in half of them.
    if unit == "ALPHA":
        fields[_CMN, "ALPHA_WMASK"] = 1
        fields[_ALPHA_INST, "ALPHA_OP"] = ALPHA_OPS[op]
        other = [o for o in RGB_OPS if (o in DOTS) == (op == "dp") and (o != "sop" or op in FUNCTIONS)]
        fields[_RGBA_INST, "RGB_OP"] = RGB_OPS[of_field("other", other)]
    else:
        fields[_CMN, "RGB_WMASK"] |= 1 << v % 3
        fields[_RGBA_INST, "RGB_OP"] = RGB_OPS[op]
        other = list(FUNCTIONS) if op == "sop" else [o for o in ALPHA_OPS if o != "dp" or op in DOTS]
        fields[_ALPHA_INST, "ALPHA_OP"] = ALPHA_OPS[of_field("other", other)]
    active = 0x3c5af0ff if v % 4 == 2 or fields[_CMN, "WRITE_INACTIVE"] else 0xffffffff
    return fields, al, bool(v & 2), active


def blocks():
    made = {"r500_us": []}
    for unit, ops in (("RGB", RGB_OPS), ("ALPHA", ALPHA_OPS)):
        for op in ops:
            fields, given = _plain(unit, op)
            made["r500_us"].append(_block(f"{unit}/{op}", unit, op, fields, 0, 256, given))
            if op in ("mad", "dp4", "dp", "mdh"):
                made["r500_us"].append(_block(f"{unit}/{op}/zero", unit, op, fields, 0, 256, given, zero_rule=True))
            choices = Choices(f"{unit} {op}", r500_blocks.VARIANTS)
            for v in range(r500_blocks.VARIANTS):
                fields, al, zero_rule, active = _modified(choices, v, unit, op)
                made["r500_us"].append(_block(f"{unit}/{op}/{v}", unit, op, fields, 32 * (v % 8), r500_blocks.ROWS_OF_VARIANT, {}, al, zero_rule, active))
    return made
