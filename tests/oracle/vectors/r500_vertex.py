"""A scalar model of the R5xx vertex shader's instructions, and their vectors. The registers and words are Mesa's (r300_reg.h); what the operations give is
in "R5xx Acceleration" v1.5, 7.5.7 (vector) and 7.5.8 (math), here as public programs cite it, and in docs/errata.md ("R5xx vertex shader"). It knows nothing of src/isa."""
from . import elementary, floats, r500_blocks
from .r500_fields import DESTINATION, DUAL, SOURCE, text, word
from .r500_floats import (F32, INFINITY, LARGEST, ONE, SIGN, TURNS_OF_RADIANS, ZERO, Choices, absolute, add, circular, clamped, exp2, exp_e, floor, flushed,
                          fraction, holds, larger, log2, multiply, negated, of, power, reciprocal, reciprocal_root, smaller, subtract)

VECTOR_OPS = ["nop", "dp4", "mul", "add", "mad", "dst", "frc", "max", "min", "sge", "slt", "mad2", "mulclamp", "arl", "arr", "push_eq", "push_gt", "push_ge",
              "push_ne", "write_eq", "write_gt", "write_ge", "write_ne", "mux_eq", "mux_gt", "mux_ge", "sgt", "seq", "sne"]
MATH_OPS = ["mnop", "exp", "log", "expe", "lit", "pow", "rcp", "rcp_ff", "rsq", "rsq_ff", "mmul", "ex2", "lg2", "pow_b", "pow_b1", "pow_01", "sin", "cos",
            "lg2_ieee", "rcp_ieee", "rsq_ieee", "pred_eq", "pred_gt", "pred_ge", "pred_ne", "pred_clr", "pred_inv", "pred_pop", "pred_restore"]
MACRO_OPS = ["mad_2clk", "mad2_2clk"]
THREE_SOURCES = ("mad", "mad2", "mulclamp", "mux_eq", "mux_gt", "mux_ge")
ONE_SOURCE = ("frc", "arl", "arr")
ROUNDED = ("exp", "log", "expe", "lit", "pow", "pow_b", "pow_b1", "pow_01", "ex2", "lg2", "lg2_ieee", "rsq", "rsq_ff", "rsq_ieee", "sin", "cos")
SIZES = {"t": 128, "i": 32, "c": 256, "u": 20, "o": 32}
_LETTERS = "xyzw"
BANKS = ("t", "i", "c", "u")                # PVS_SRC_REG_*
DESTINATIONS = ("t", "a0", "o", "ox", "u", "i")  # PVS_DST_REG_*


def nothing_times(a, b):
    """0 times anything is 0."""
    return ZERO if F32.is_zero(flushed(a)) or F32.is_zero(flushed(b)) else multiply(a, b)


def without_infinity(x, instead):
    return instead if F32.is_infinite(x) else x


def limited(x):
    return x & SIGN | LARGEST if F32.is_infinite(x) else x


def logarithm(a, of_zero):
    a = absolute(a)
    return of_zero if F32.is_zero(flushed(a)) else log2(a)


def angle(function, a):
    """Radians from -pi to pi; beyond them as at the nearer end."""
    pi = 0x40490fdb
    if holds("gt", a, pi):
        a = pi
    elif holds("lt", a, SIGN | pi):
        a = SIGN | pi
    return circular(function, a, TURNS_OF_RADIANS)


def parts_of_logarithm(a):
    """Exponent and mantissa."""
    size = flushed(absolute(a))
    if F32.is_nan(size):
        return F32.quieted(size), ONE
    if F32.is_zero(size):
        return SIGN | LARGEST, ONE
    if F32.is_infinite(size):
        return size, ONE
    exponent = floats.floor_log2(F32.value(size))
    return of(exponent), size & 0x7fffff | ONE


def math(op, a, b, c):
    """Four results, and the predicate or None."""
    def decided(on, otherwise):
        return [ZERO if on else otherwise] * 4, int(on)
    if op == "exp":
        # y is 0 beyond 128: docs/errata.md.
        return [exp2(floor(a)), ZERO if holds("gt", a, of(128)) else fraction(a), exp2(a), ONE], None
    if op == "log":
        return [*parts_of_logarithm(a), logarithm(a, SIGN | LARGEST), ONE], None
    if op == "lit":
        exponent = of(128) if holds("gt", c, of(128)) else of(-128) if holds("lt", c, of(-128)) else c
        base = a if holds("gt", a) else ZERO
        return [ONE, b if holds("gt", b) else ZERO, power(base, exponent) if holds("gt", b) else ZERO, ONE], None
    if op.startswith("pred_"):
        how = op[5:]
        if how in ("eq", "gt", "ge", "ne"):
            return decided(holds(how, a), ONE)
        if how == "clr":
            return decided(False, LARGEST)
        if how == "inv":
            return decided(holds("eq", a, ONE), ONE if holds("eq", a) else a)
        if how == "pop":
            return decided(holds("lt", a, ONE) or holds("eq", a, ONE), subtract(a, ONE))
        return decided(holds("eq", a), a)
    x = {"mnop": lambda: ZERO, "expe": lambda: exp_e(a), "pow": lambda: power(a, c), "rcp": lambda: limited(reciprocal(a)),
         "rcp_ff": lambda: without_infinity(reciprocal(a), ZERO), "rsq": lambda: limited(reciprocal_root(absolute(a))),
         "rsq_ff": lambda: without_infinity(reciprocal_root(absolute(a)), ZERO), "mmul": lambda: nothing_times(a, b), "ex2": lambda: exp2(a),
         "lg2": lambda: logarithm(a, SIGN | LARGEST), "pow_b": lambda: ZERO if holds("lt", a, b) else power(a, c),
         "pow_b1": lambda: ZERO if holds("lt", a, b) else ONE if holds("gt", a, ONE) else power(a, c),
         "pow_01": lambda: ZERO if holds("lt", a) or holds("eq", a) else ONE if holds("gt", a, ONE) else power(a, c),
         "sin": lambda: angle(elementary.sine, a), "cos": lambda: angle(elementary.cosine, a), "lg2_ieee": lambda: logarithm(a, SIGN | INFINITY),
         "rcp_ieee": lambda: reciprocal(a), "rsq_ieee": lambda: reciprocal_root(absolute(a))}[op]()
    return [x] * 4, None


class Instruction:
    """Fields of the destination (and operation) and of the sources, on one row of registers. `dual`: fields of a math operation, in the third source's place."""

    def __init__(self, op, destination, sources, dual, al):
        self.op, self.destination, self.sources, self.dual, self.al = op, destination, sources, dual, al

    def place(self, fields, bank, channel, registers, row):
        """None: outside of the bank."""
        mode = fields.get("ADDR_MODE_1", 0) << 1 | fields.get("ADDR_MODE_0", 0)
        n = fields.get("OFFSET", 0)
        if mode == 1:
            address = registers.read(f"a0.{_LETTERS[fields.get('ADDR_SEL', 0)]}", row)
            n += address - (address >> 31 << 32)
        elif mode == 2:
            n += self.al
        return f"{bank}{n}.{_LETTERS[channel]}" if 0 <= n < SIZES[bank] else None

    def component(self, fields, letter, sign, registers, row):
        if letter < 4:
            place = self.place(fields, BANKS[fields.get("REG_TYPE", 0)], letter, registers, row)
            x = registers.read(place, row) if place else ZERO
        else:
            x = ONE if letter == 5 else ZERO
        if fields.get("ABS"):
            x = absolute(x)
        return negated(x) if sign else x

    def run(self, registers, row):
        if not registers.read("active", row):
            return {}

        def operand(n, channel):
            fields = self.sources[n]
            return self.component(fields, fields[f"SWIZZLE_{'XYZW'[channel]}"], fields["NEGATE"] >> channel & 1, registers, row)

        def stands(n, channel, value):
            """0 or 1 from the swizzle, not negated."""
            fields = self.sources[n]
            return fields[f"SWIZZLE_{'XYZW'[channel]}"] == value and not fields["NEGATE"] >> channel & 1

        def product(channel):
            if stands(0, channel, 5):
                return operand(1, channel)
            if stands(1, channel, 5):
                return operand(0, channel)
            return nothing_times(operand(0, channel), operand(1, channel))
        op, predicate, conditions = self.op, None, [True] * 4
        if op in MATH_OPS:
            results, predicate = math(op, *(operand(n, 3) for n in range(3)))
        elif op == "dp4":
            total = product(0)
            for channel in (1, 2, 3):
                total = add(total, product(channel))
            results = [total] * 4
        elif op == "dst":
            results = [ONE, product(1), operand(0, 2), operand(1, 3)]
        elif op == "mulclamp":
            low, high, x = operand(2, 0), operand(2, 3), product(0)
            results = [high if holds("lt", high, product(3)) else low if holds("ge", low, x) else x] * 4
        elif op.startswith("push_"):
            counter = operand(0, 3)
            on = holds("eq", counter) and holds(op[5:], operand(1, 3))
            results, predicate = [ZERO if on else add(counter, ONE)] * 4, int(on)
        else:
            results = []
            for channel in range(4):
                a = operand(0, channel)
                b = operand(1, channel) if op not in ONE_SOURCE else ZERO
                c = operand(2, channel) if op in THREE_SOURCES or op in MACRO_OPS else ZERO
                if op.startswith("write_"):
                    conditions[channel], x = holds(op[6:], a), b
                elif op.startswith("mux_"):
                    x = b if holds(op[4:], a) else c
                elif op in ("sge", "slt", "sgt", "seq", "sne"):
                    x = ONE if holds(op[1:], a, b) else ZERO
                else:
                    x = {"nop": lambda: ZERO, "mul": lambda: product(channel), "add": lambda: add(a, b), "mad": lambda: add(product(channel), c),
                         "mad_2clk": lambda: add(product(channel), c), "mad2": lambda: add(multiply(product(channel), of(2)), c),
                         "mad2_2clk": lambda: add(multiply(product(channel), of(2)), c), "frc": lambda: fraction(a), "max": lambda: flushed(larger(a, b)),
                         "min": lambda: flushed(smaller(a, b)), "arl": lambda: floor(a), "arr": lambda: floor(add(a, of(0.5)))}[op]()
                results.append(x)
        written = self.store(results, conditions, registers, row)
        enabled = True
        if self.destination.get("PRED_ENABLE"):
            enabled = registers.read("p", row) == self.destination.get("PRED_SENSE", 0)
        if predicate is not None:
            written["p"] = predicate
        if self.dual:
            dual_op = MATH_OPS[self.dual["OPCODE_HIGH"] << 4 | self.dual["OPCODE_LOW"]]
            a = self.component(self.dual, self.dual["SWIZZLE_X"], self.dual["NEGATE"] & 1, registers, row)
            b = self.component(self.dual, self.dual["SWIZZLE_Y"], self.dual["NEGATE"] >> 1, registers, row)
            results, predicate = math(dual_op, a, b, b)
            if dual_op != "mnop":
                x = results[self.dual["CHANNEL"]]
                written[f"u{self.dual['DESTINATION']}.{_LETTERS[self.dual['CHANNEL']]}"] = clamped(x) if self.destination.get("ME_SAT") else x
            if predicate is not None:
                written["p"] = predicate
        return written if enabled else {}

    def store(self, results, conditions, registers, row):
        fields, written = self.destination, {}
        if self.op in ("nop", "mnop"):
            return written
        kind = DESTINATIONS[fields.get("REG_TYPE", 0)]
        saturate = fields.get("ME_SAT" if self.op in MATH_OPS else "VE_SAT")
        for channel in range(4):
            chosen = 0 if kind == "ox" else channel
            if not fields["WE"] >> channel & 1 or not conditions[chosen]:
                continue
            x = clamped(results[chosen]) if saturate else results[chosen]
            if kind == "a0":  # nine bits with a sign
                whole = floor(x)
                n = 0 if F32.is_nan(whole) else floats.to_integer(F32, whole, -256, 255)
                written[f"a0.{_LETTERS[channel]}"] = n & 0xffffffff
                continue
            place = self.place(fields, "o" if kind == "ox" else kind, channel, registers, row)
            if place:
                written[place] = x
        return written


def _encoded(instruction):
    destination = dict(instruction.destination)
    op = instruction.op
    if op in MATH_OPS:
        destination.update(OPCODE=MATH_OPS.index(op), MATH_INST=1)
    elif op in MACRO_OPS:
        destination.update(OPCODE=MACRO_OPS.index(op), MACRO_INST=1)
    else:
        destination.update(OPCODE=VECTOR_OPS.index(op))
    words = [word(DESTINATION, destination)] + [word(SOURCE, s) for s in instruction.sources]
    if instruction.dual:
        words[0] |= 1 << DESTINATION["DUAL_MATH_OP"][0]
        words[3] = word(DUAL, instruction.dual)
    return words


def _block(name, encoding, op, instruction, first, rows, given, active=0xffffffff):
    def step(registers, row):
        class Masked:  # one bit of the mask each lane
            @staticmethod
            def read(place, at):
                return active >> at % 32 & 1 if place == "active" else registers.read(place, at)
        return instruction.run(Masked, row)

    given = {**{f"a0.{c}": "below4.a" for c in _LETTERS}, "p": "bit.b", **given}
    block = r500_blocks.make(name, ("r500_vs", encoding, text(op, _encoded(instruction))), first, rows, given, step,
                             lambda place: 1 if place == "p" else 32, [("active", active), ("al", instruction.al)])
    if not block.outputs:  # an operation that does nothing keeps what is there
        block.outputs = [(p, 32, [r500_blocks.Registers(first, rows, given).read(p, row) for row in range(rows)]) for p in ("t5.x", "o1.w", "u0.x")]
        block.inputs += [(p, r500_blocks.Registers(first, rows, given)._holds(p)) for p in ("t5.x", "o1.w", "u0.x")]
    if op in ROUNDED or instruction.op in ROUNDED or instruction.dual and MATH_OPS[instruction.dual["OPCODE_HIGH"] << 4 | instruction.dual["OPCODE_LOW"]] in ROUNDED:
        block.bound = "ulp 1"
    return block


def _source(offset, swizzle=(0, 1, 2, 3)):
    return {"REG_TYPE": 0, "OFFSET": offset, "NEGATE": 0, **{f"SWIZZLE_{c}": s for c, s in zip("XYZW", swizzle)}}


def _dual(op, offset=6, x=0, y=1, destination=0, channel=0):
    n = MATH_OPS.index(op)
    return {"REG_TYPE": 0, "OFFSET": offset, "SWIZZLE_X": x, "SWIZZLE_Y": y, "NEGATE": 0, "OPCODE_LOW": n & 15, "OPCODE_HIGH": n >> 4, "DESTINATION": destination,
            "CHANNEL": channel}


def _unary(op):
    return op in ONE_SOURCE or op in MATH_OPS and op not in ("lit", "pow", "mmul", "pow_b", "pow_b1", "pow_01")


def _plain(encoding, op):
    """Operands t1, t2, t3 of 256 rows with all pairs of edges."""
    n = 0 if encoding == "DUAL" else 3 if op in MATH_OPS or op.startswith("push_") else sum(map(ord, op)) % 4
    if encoding == "DUAL":
        given = {"t6.x": "f32.u" if _unary(op) else "f32.a", "t6.y": "f32.b"}
        return Instruction("add", {"REG_TYPE": 2, "OFFSET": 1, "WE": 1}, [_source(1), _source(2), {}], _dual(op, channel=2 if op == "lit" else 0), 0), given
    mask = 15 if op in ("dst", "exp", "log", "lit") else 1 << n
    letter = _LETTERS[n if op not in ("dp4", "mulclamp", "dst") else {"dp4": 0, "mulclamp": 0, "dst": 1}[op]]
    given = {f"t1.{letter}": "f32.u" if _unary(op) else "f32.a", f"t2.{letter}": "f32.b", f"t3.{letter}": "f32.c"}
    if op.startswith(("pow", "lit")):  # the pairs in the base and the exponent
        given = {"t1.w": "f32.a", "t2.w": "f32.c", "t3.w": "f32.b"}
    if op.startswith("pred_") or op.startswith("push_"):
        given["t1.w"] = "unit.a" if op.startswith("push_") else "f32.u"
    return Instruction(op, {"REG_TYPE": 0, "OFFSET": 5, "WE": mask}, [_source(1), _source(2), _source(3)], None, 0), given


def _modified(choices, v, encoding, op):
    def of_field(name, values):
        return choices.of(name, v, values)
    al = (0, 2, 1, 3)[v % 4]

    def addressed(name, offsets, limit):
        mode = of_field(f"{name}.MODE", (0, 1, 0, 2))
        offset = of_field(f"{name}.OFFSET", offsets)
        if mode and of_field(f"{name}.END", (0, 0, 1)):
            offset = limit - 2  # some of it lies beyond the bank
        return {"ADDR_MODE_0": mode & 1, "ADDR_MODE_1": mode >> 1, "ADDR_SEL": of_field(f"{name}.ADDR_SEL", 4), "OFFSET": offset}
    vector_op = op
    if encoding == "DUAL":
        vector_op = of_field("vector", [o for o in VECTOR_OPS if o not in THREE_SOURCES and not o.startswith("push_")])
    sources = []
    for n in range(3):
        bank = of_field(f"{n}.REG_TYPE", 4)
        one = {"REG_TYPE": bank, "ABS": of_field(f"{n}.ABS", 2), "NEGATE": of_field(f"{n}.NEGATE", 16),
               **addressed(f"{n}", (1 + n, 7 + n, 12 + n), SIZES[BANKS[bank]])}
        for c in "XYZW":
            one[f"SWIZZLE_{c}"] = of_field(f"{n}.{c}", 8)
        sources.append(one)
    kind = of_field("REG_TYPE", 6)
    destination = {"REG_TYPE": kind, "WE": of_field("WE", 16) or 15, "VE_SAT": of_field("VE_SAT", 2), "ME_SAT": of_field("ME_SAT", 2),
                   "PRED_ENABLE": of_field("PRED_ENABLE", (0, 0, 1)), "PRED_SENSE": of_field("PRED_SENSE", 2)}
    if kind != 1:
        destination.update(addressed("destination", (0, 4, 9), SIZES[DESTINATIONS[kind].rstrip("x")]))
    dual = None
    if encoding == "DUAL" or encoding == "VECTOR" and op not in THREE_SOURCES and not op.startswith("push_") and v % 4 == 3:
        dual = _dual(op if encoding == "DUAL" else of_field("dual", MATH_OPS), 0, of_field("dual.x", 8), of_field("dual.y", 8), of_field("dual.to", 4),
                     of_field("dual.channel", 4))
        bank = of_field("dual.REG_TYPE", 4)
        dual.update(REG_TYPE=bank, ABS=of_field("dual.ABS", 2), NEGATE=of_field("dual.NEGATE", 4), **addressed("dual", (6, 11), SIZES[BANKS[bank]]))
    active = 0x3c5af0ff if v % 8 == 5 else 0xffffffff
    return Instruction(vector_op, destination, sources, dual, al), active


def blocks():
    made = {"r500_pvs": []}
    for encoding, ops in (("VECTOR", VECTOR_OPS), ("MATH", MATH_OPS), ("DUAL", MATH_OPS), ("MACRO", MACRO_OPS)):
        for op in ops:
            instruction, given = _plain(encoding, op)
            made["r500_pvs"].append(_block(f"{encoding}/{op}", encoding, op, instruction, 0, 256, given))
            choices = Choices(f"{encoding} {op}", r500_blocks.VARIANTS)
            for v in range(r500_blocks.VARIANTS):
                instruction, active = _modified(choices, v, encoding, op)
                made["r500_pvs"].append(_block(f"{encoding}/{op}/{v}", encoding, op, instruction, 32 * (v % 8), r500_blocks.ROWS_OF_VARIANT, {}, active))
    return made
