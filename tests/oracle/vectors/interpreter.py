"""Runs a block of pseudocode on one lane (or on a whole wave, where it names the lanes itself)."""
from fractions import Fraction

from . import floats
from .functions import BUILT_IN, CONSTANTS, CONVERSION, DENORM, INF, NAN, convert_function, ldexp
from .values import Unknown, V, boolean, i32, type_of


class _Break(Exception):
    pass


class _Return(Exception):
    def __init__(self, value):
        self.value = value


class Mode:
    """MODE's rounding and denormal fields. f16 goes with f64."""

    def __init__(self, bits=0xf0):
        self.bits = bits
        self.rounding = {32: bits & 3, 64: bits >> 2 & 3, 16: bits >> 2 & 3}
        self.flush_in = {32: not bits >> 4 & 1, 64: not bits >> 6 & 1, 16: not bits >> 6 & 1}
        self.flush_out = {32: not bits >> 5 & 1, 64: not bits >> 7 & 1, 16: not bits >> 7 & 1}


class Power(V):
    """2 ** n before something is multiplied with it: exact, whatever n is."""
    __slots__ = ("exponent",)

    def __init__(self, kind, width, exponent):
        super().__init__(kind, width, 0)
        self.exponent = exponent


class Lambda:
    def __init__(self, names, body):
        self.names, self.body = names, body


class Table:
    """VGPR, SGPR, MEM and their like: something indexed that is no register by itself. `read(path)` and `write(path, value)` take the indices."""

    def __init__(self, depth, read, write):
        self.depth, self.read, self.write = depth, read, write


def truth(v):
    return v.x != 0


def _promoted(a, b):
    """C's usual conversions, for widths that C does not have either."""
    width = max(a.w, b.w, 32)

    def signed(v):
        return v.k == "i" or v.w < width  # what is narrower fits, whatever its sign
    kind = "i" if signed(a) and signed(b) else "u"
    if a.k != "i" and b.k != "i":
        kind = "u"
    return kind, width


class Interpreter:
    """`library` has the trees of all blocks by the instruction's name, for those that call each other."""

    def __init__(self, library, mode=None):
        self.library, self.mode = library, mode or Mode()
        self.functions = dict(BUILT_IN)
        self.names = {}
        self.result_type = None
        self.sources_flushed = True

    # --- names
    def start(self, names):
        self.names = names  # and not a copy: tables write to it
        self.result_type = None
        return self

    def lookup(self, name):
        if name in self.names:
            return self.names[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name == "ROUND_MODE":
            return None  # a block that changes it keeps what it was
        raise Unknown(f"name {name}")

    # --- statements
    def run(self, body):
        for statement in body:
            self.statement(statement)
        return self

    def statement(self, node):
        what = node[0]
        if what == "assign":
            value = self.value(node[2])
            self.store(node[1], value)
        elif what == "if":
            for condition, body in node[1]:
                if truth(self.value(condition)):
                    self.run(body)
                    return
            self.run(node[2])
        elif what == "for":
            first, last = self.value(node[2]), self.value(node[3])
            for n in range(first.number, last.number + 1):
                self.names[node[1]] = V(first.k, first.w, n)
                try:
                    self.run(node[4])
                except _Break:
                    break
        elif what == "while":
            while truth(self.value(node[1])):
                self.run(node[2])
        elif what == "declare":
            _, name, kind, width, count = node
            kind = {"U": "u", "I": "i", "B": "b", "F": "f"}[kind]
            given = self.names.get(name, CONSTANTS.get(name))
            if name in GIVEN and given is not None and isinstance(given, list) == bool(count):
                return
            self.names[name] = [V(kind, width, 0) for _ in range(count)] if count else V(kind, width, 0)
        elif what == "do":
            self.value(node[1])
        elif what == "break":
            raise _Break
        elif what == "return":
            raise _Return(self.value(node[1]))
        elif what == "text":
            pass
        else:
            raise Unknown(what)

    # --- places: (kind, ...) paths of names, indices, bit ranges and types
    def number(self, node):
        return self.value(node).number

    def range_of(self, node):
        """Highest and lowest bit of a slice, a part or an index."""
        if node[0] == "slice":
            return self.number(node[2]), self.number(node[3])
        if node[0] == "part":
            low = self.number(node[2])
            return low + self.number(node[3]) - 1, low
        bit = self.number(node[2])
        return bit, bit

    def table_path(self, node):
        """A table and the indices into it, if that is what `node` names completely; else None."""
        indices = []
        while node[0] == "index":
            indices.insert(0, node[2])
            node = node[1]
        if node[0] == "name" and node[1] in self.names and isinstance(self.names[node[1]], Table):
            table = self.names[node[1]]
            if len(indices) == table.depth:
                return table, [self.number(i) for i in indices]
        return None

    def store(self, node, value):
        what = node[0]
        if what == "name":
            name = node[1]
            old = self.names.get(name)
            if name in TYPED and isinstance(old, V):  # a register keeps its type
                value = self.fit(value, old.k, old.w)
            self.names[name] = value
            if name == "D0":
                self.result_type = (value.k, value.w)
            return
        table = self.table_path(node)
        if table:
            table[0].write(table[1], value, None)
            return
        if what == "as":
            kind, width = type_of(node[2])
            table = self.table_path(node[1])
            if table:
                table[0].write(table[1], self.fit(value, kind, width), width)
                return
            if node[1][0] == "name":
                name = node[1][1]
                old = self.names.get(name)
                value = self.fit(value, kind, width)
                if name in ("D0", "D1"):
                    self.result_type = (kind, width)
                if isinstance(old, V) and old.w > width:
                    self.names[name] = V(old.k, old.w, (old.x >> width << width) | value.x)
                else:
                    self.names[name] = value
                return
            # a range seen as a type
            if node[1][0] in ("slice", "part"):
                self.store(node[1], self.fit(value, kind, width))
                return
            # BARRIER_STATE and the like are not modelled
            raise Unknown(f"assignment to {node}")
        if what in ("slice", "part", "index"):
            inner = node[1]
            if what == "index" and inner[0] == "name" and isinstance(self.names.get(inner[1]), list):
                array = self.names[inner[1]]
                n = self.number(node[2])
                array[n] = self.fit(value, array[n].k, array[n].w)
                return
            high, low = self.range_of(node)
            reverse = high < low
            if reverse:
                high, low = low, high
            width = high - low + 1
            bits = value.x & ((1 << width) - 1)
            if reverse:
                bits = int(format(bits, f"0{width}b")[::-1], 2)
            try:
                old = self.value(inner)
            except Unknown:
                old = V("b", high + 1, 0)
            if old.w <= high:
                old = V(old.k if not old.is_float else "b", high + 1, old.x)
            if inner == ("name", "D0"):
                self.result_type = (value.k, width)
            new = V(old.k, old.w, old.x & ~(((1 << width) - 1) << low) | bits << low)
            if inner[0] == "name":
                self.names[inner[1]] = new
            else:
                self.store(inner, new)
            return
        if what == "join":
            width_of = []
            for part in node[1]:
                width_of.append(self.width_of_place(part))
            at = sum(width_of)
            for part, width in zip(node[1], width_of):
                at -= width
                self.store(part, V("b", width, value.x >> at))
            return
        if what == "field":
            return  # TRAPSTS.INVALID and the like: no result depends on it
        raise Unknown(f"assignment to {node[0]}")

    def width_of_place(self, node):
        if node[0] == "as":
            return type_of(node[2])[1]
        return self.value(node).w

    def fit(self, value, kind, width):
        """A value as it is stored in a place of that type: floats convert, integers are cut or extended."""
        if isinstance(value, bool):
            value = boolean(value)
        if value.is_float and kind in ("f", "bf") and (value.k, value.w) != (kind, width):
            source, target = value.format, V(kind, width, 0).format
            return V(kind, width, floats.convert(source, target, value.x, self.rounding(target)))
        if value.k == "i":
            return V(kind, width, value.number)
        return V(kind, width, value.x)

    def rounding(self, format):
        override = self.names.get("ROUND_MODE")
        if override is not None:
            return override.x
        return self.mode.rounding[max(format.width, 16)]

    # --- expressions
    def value(self, node):
        return getattr(self, "_" + node[0])(node)

    def _number(self, node):
        return literal(node[1])

    def _name(self, node):
        return self.lookup(node[1])

    def _choice(self, node):
        return self.value(node[2]) if truth(self.value(node[1])) else self.value(node[3])

    def _lambda(self, node):
        return Lambda(node[1], node[2])

    def _join(self, node):
        bits = width = 0
        for part in node[1]:
            v = self.value(part)
            bits, width = bits << v.w | v.x, width + v.w
        return V("b", width, bits)

    def _field(self, node):
        if node[1] == ("name", "WAVE_STATUS"):
            return V("u", 1, 0)  # not in a trap handler
        raise Unknown(f"field {node[2]}")

    def _index(self, node):
        table = self.table_path(node)
        if table:
            return table[0].read(table[1], None)
        base = self.value(node[1])
        n = self.number(node[2])
        if isinstance(base, list):
            return base[n]
        if isinstance(base, Table):
            raise Unknown("a table with too few indices")
        return V("u", 1, base.x >> n)

    def _slice(self, node):
        base = self.value(node[1])
        high, low = self.range_of(node)
        if high < low:
            width = low - high + 1
            return V("u", width, int(format(base.x >> high & ((1 << width) - 1), f"0{width}b")[::-1], 2))
        return V("u", high - low + 1, base.x >> low)

    _part = _slice

    def _as(self, node):
        kind, width = type_of(node[2])
        table = self.table_path(node[1])
        if table:
            return self.fit(table[0].read(table[1], width), kind, width)
        base = self.value(node[1])
        if base is DENORM:
            return V("f", width, 1)  # stands for "is a denormal": see _binary
        if base in (INF, NAN) or base.k == "f" and base.literal:
            return V("f", width, floats.convert(floats.F64, floats.BY_WIDTH[width], base.x))
        if base.k == "i":
            result = V(kind, width, base.number)
        else:
            result = V(kind, width, base.x)
        if kind == "f" and self.is_source(node[1]) and self.mode.flush_in[width] and self.sources_flushed:
            result.x = result.format.flushed(result.x)
        return result

    def is_source(self, node):
        while node[0] in ("slice", "part") or node[0] == "index" and node[1] == ("name", "S"):
            if node[0] == "index":
                return True
            node = node[1]
        return node[0] == "name" and node[1] in ("S0", "S1", "S2", "SIMM32") or node == ("name", "D0") and self.names.get("ACCUMULATES")

    def _cast(self, node):
        kind, width, value = node[1].lower(), node[2], self.value(node[3])
        if isinstance(value, Power):
            return Power(kind, width, value.exponent)
        if kind == "f":
            if value.is_float:
                target = floats.BY_WIDTH[width]
                if value.format is target:
                    return value
                # A change of type alone: what kind of NaN it is stays known.
                return V("f", width, floats.convert(value.format, target, value.x, self.rounding(target), quiet=value.k != "f"))
            if value.literal:
                return V("f", width, value.x)
            return V("f", width, floats.encode(floats.BY_WIDTH[width], Fraction(value.number)))
        if value.k == "i":
            return V(kind, width, value.number)
        return V(kind, width, value.x)

    def _unary(self, node):
        sign, v = node[1], self.value(node[2])
        if sign == "!":
            return boolean(not truth(v))
        if sign == "+":
            return v
        if sign == "-":
            if v.is_float:
                return V(v.k, v.w, v.x ^ v.format.sign_bit, v.literal)
            kind, width = ("i" if v.k == "i" else "u"), max(v.w, 32)
            return V(kind, width, -v.number)
        if v.k == "i":
            return V("i", v.w, ~v.x)
        return V(v.k, v.w, ~v.x)

    def _binary(self, node):
        sign = node[1]
        if sign == "&&":
            return boolean(truth(self.value(node[2])) and truth(self.value(node[3])))
        if sign == "||":
            return boolean(truth(self.value(node[2])) or truth(self.value(node[3])))
        if sign == "==" and node[3] in (("as", ("name", "DENORM"), "f32"), ("as", ("name", "DENORM"), "f64")):
            v = self.value(node[2])
            return boolean(v.format.is_denormal(v.x))
        a, b = self.value(node[2]), self.value(node[3])
        if sign == "**":
            return Power(a.k, a.w, max(-20000, min(20000, b.number)))
        if a.is_float or b.is_float:
            return self.float_binary(sign, a, b, node)
        if sign in ("<<", ">>"):
            return self.shift(sign, a, b)
        kind, width = _promoted(a, b)
        if kind == "u":
            x, y = V("u", width, a.number).x, V("u", width, b.number).x
        else:
            x, y = a.number, b.number
        if sign in ("==", "!=", "<>", "<", ">", "<=", ">="):
            return boolean({"==": x == y, "!=": x != y, "<>": x != y, "<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y}[sign])
        if sign in ("&", "|", "^"):
            # Bits keep the width that they have.
            width = max(a.w, b.w)
            x, y = V(a.k, a.w, a.x).number, V(b.k, b.w, b.x).number
            return V("i" if a.k == b.k == "i" else "u" if kind == "u" else kind, width, {"&": x & y, "|": x | y, "^": x ^ y}[sign])
        if sign == "+":
            return V(kind, width, x + y)
        if sign == "-":
            return V(kind, width, x - y)
        if sign == "*":
            return V(kind, width, x * y)
        if sign == "/":
            q = abs(x) // abs(y)
            return V(kind, width, q if (x < 0) == (y < 0) else -q)
        if sign == "%":
            r = abs(x) % abs(y)
            return V(kind, width, -r if x < 0 else r)
        raise Unknown(f"operator {sign}")

    def shift(self, sign, a, b):
        count = b.number
        width = max(a.w, 32)
        if sign == "<<":
            return V("i" if a.k == "i" else "u", width, 0 if count >= width else a.number << count)
        return V("i" if a.k == "i" else "u", width, a.number >> min(count, 4096))

    def float_binary(self, sign, a, b, node):
        if sign == "*" and (isinstance(a, Power) or isinstance(b, Power)):
            return ldexp(self, b if isinstance(a, Power) else a, i32((a if isinstance(a, Power) else b).exponent))
        if not (a.is_float and b.is_float) or a.w != b.w or a.k != b.k:
            # A plain constant takes the other's type.
            if a.is_float and a.literal or not a.is_float:
                a = self.fit(a, b.k, b.w) if a.is_float else V(b.k, b.w, floats.encode(b.format, Fraction(a.number)))
            elif b.is_float and b.literal or not b.is_float:
                b = self.fit(b, a.k, a.w) if b.is_float else V(a.k, a.w, floats.encode(a.format, Fraction(b.number)))
            else:
                raise Unknown(f"{sign} of {a} and {b}")
        format = a.format
        if sign in ("==", "!=", "<>", "<", ">", "<=", ">="):
            order = floats.compare(format, a.x, b.x)
            if order is None:
                return boolean(sign == "!=")
            return boolean({"==": order == 0, "!=": order != 0, "<>": order != 0, "<": order < 0, ">": order > 0, "<=": order <= 0,
                            ">=": order >= 0}[sign])
        rounding, flush = self.rounding(format), self.mode.flush_out[max(format.width, 16)]
        operation = {"+": floats.add, "-": floats.subtract, "*": floats.multiply, "/": floats.divide}[sign]
        return V(a.k, a.w, operation(format, a.x, b.x, rounding, flush))

    def _call(self, node):
        name = node[1]
        arguments = [self.value(a) for a in node[2]]
        local = self.names.get(name)
        if isinstance(local, Lambda):
            return self.apply(local, arguments)
        if name in self.functions:
            return self.functions[name](self, *arguments)
        found = CONVERSION.match(name)
        if found:
            return convert_function(self, found.group(1), found.group(2), arguments[0])
        tree = self.library.get(name.upper())
        if tree is not None:
            inner = Interpreter(self.library, self.mode)
            inner.functions = self.functions
            inner.start({**{f"S{n}": V("b", max(a.w, 32), a.x) for n, a in enumerate(arguments)}, "D0": V("b", 64, 0)})
            inner.run(tree)
            kind, width = inner.result_type
            return V(kind, width, inner.names["D0"].x)
        raise Unknown(f"function {name}")

    def apply(self, function, arguments):
        saved = dict(self.names)
        self.names.update(zip(function.names, arguments))
        try:
            result = None
            if len(function.body) == 1 and function.body[0][0] == "do":
                result = self.value(function.body[0][1])
            else:
                try:
                    self.run(function.body)
                except _Return as r:
                    result = r.value
        finally:
            for name in list(self.names):
                if name not in saved:
                    del self.names[name]
            for name in function.names:
                if name in saved:
                    self.names[name] = saved[name]
        return result


# Names that a block declares, and gets from outside all the same.
GIVEN = {"OFFSET", "OFFSET0", "OFFSET1", "DATA0", "VDST", "S", "RETURN_DATA", "CVT_OFF_TABLE"}
TYPED = {"SCC", "VCC", "EXEC"}


def literal(text):
    width = None
    if "'" in text:
        width, text = text.split("'")
        width = int(width)
    negative = text.startswith("-")
    text = text.lstrip("-")
    if "." in text:
        single = text.endswith("F")
        number = Fraction(text.rstrip("F"))
        kind_width = width or (32 if single else 64)
        return V("f", kind_width, floats.encode(floats.BY_WIDTH[kind_width], -number if negative else number), not single and not width)
    kind, size, digits = "i", 32, text
    for suffix, k, w in (("ULL", "u", 64), ("LL", "i", 64), ("U", "u", 32), ("L", "i", 64)):
        if text.endswith(suffix):
            kind, size, digits = k, w, text[:-len(suffix)]
            break
    number = int(digits, 16 if digits.startswith("0x") else 10)
    if width:
        kind = kind if digits != text or not digits.startswith("0x") else "u"
        return V(kind, width, -number if negative else number, True)
    if size == 32 and number >> 32:
        size = 64
    return V(kind, size, -number if negative else number, True)
