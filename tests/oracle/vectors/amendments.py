"""What the manual says of an instruction beside its pseudocode (STATED), and where an erratum of docs/errata.md stands for what the pseudocode says
literally (AMENDED, by the erratum's number). Every erratum must change at least one vector."""
import re
from fractions import Fraction

from . import cards, elementary, floats, interpreter
from .values import V

F32, F64, F16 = floats.F32, floats.F64, floats.F16

# 7.2.4: these flush denormals whatever MODE says; V_S_* by their own entries.
FLUSHING = re.compile(r"^V_(S_)?(EXP|LOG|RCP|RCP_IFLAG|RSQ|SQRT|COS|SIN|CUBE(ID|SC|TC|MA)|FMA_DX9_ZERO)_F32$")
# They look at bits, or move them: denormals stay what they are.
KEEPING = re.compile(r"^V_(CMPX?_CLASS_|PACK_B32_F16$)")
# Rounded to nearest even, with denormals (docs/errata.md, D1).
DOT2 = {"V_DOT2_F16_F16": 0xf0, "V_DOT2_BF16_BF16": 0xf0, "V_DOT2_F32_F16": 0xf0, "V_DOT2_F32_BF16": 0xf0}


def stated_mode(name, mode):
    """The MODE that counts for the instruction."""
    if FLUSHING.match(name):
        return mode & ~0x30
    if KEEPING.match(name):
        return mode | 0xf0
    return DOT2.get(name, mode)


def format_of(name):
    return {"16": F16, "32": F32, "64": F64}[name[-2:]]


def operand(names, source, format, mode):
    """A source as an instruction of MODE reads it."""
    x = names[source].x & ((1 << format.width) - 1)
    return format.flushed(x) if interpreter.Mode(mode).flush_in[format.width] else x


def rounding(format, mode):
    return interpreter.Mode(mode).rounding[format.width]


def flushes(format, mode):
    return interpreter.Mode(mode).flush_out[format.width]


def with_d0(names, format, bits):
    """D0 with its low part replaced."""
    old = names["D0"]
    return {"D0": V("b", old.w, old.x >> format.width << format.width | bits)}


# --- the errata
def rounded_to_even(name, before, after, mode):
    format = format_of(name)
    return with_d0(after, format, floats.truncated(format, operand(before, "S0", format, mode), floats.NEAREST))


def below_one(name, before, after, mode):
    format = format_of(name)
    one = format.bias << format.m
    x = after["D0"].x & ((1 << format.width) - 1)
    return with_d0(after, format, one - 1 if x == one else x)


def exponent(name, before, after, mode):
    format = format_of(name)
    x = operand(before, "S0", format, mode)
    if format.is_nan(x) or format.is_infinite(x) or format.is_zero(x):
        n = 0
    else:
        n = floats.floor_log2(abs(format.value(x))) + 1
    target = F16 if format is F16 else F32
    return with_d0(after, target, n & ((1 << target.width) - 1))


def quiet(name, before, after, mode):
    format = format_of(name)
    x = after["D0"].x & ((1 << format.width) - 1)
    return with_d0(after, format, format.quieted(x) if format.is_nan(x) else x)


def nearest_integer(name, before, after, mode):
    x = operand(before, "S0", F32, mode)
    if F32.is_nan(x) or F32.is_infinite(x):
        return {}
    v = F32.value(x) + Fraction(1, 2)
    n = max(-(1 << 31), min((1 << 31) - 1, v.numerator // v.denominator))
    return with_d0(after, F32, n & 0xffffffff)


def post_scale(name, before, after, mode):
    format = format_of(name)
    a, b, c = (operand(before, s, format, mode) for s in ("S0", "S1", "S2"))
    if not before["VCC"].x >> before["laneId"].x & 1:
        return {}
    way, flush = rounding(format, mode), flushes(format, mode)
    plain = floats.fma(format, a, b, c, way, flush)
    if any(format.is_nan(x) or format.is_infinite(x) for x in (a, b, c)):
        return with_d0(after, format, plain)
    n = 64 if format is F32 else 128
    n = n if format.exponent(c) > format.bias else -n
    exact = format.value(a) * format.value(b) + format.value(c)
    if abs(exact) > format.value(format.largest) and (format.is_infinite(plain) or plain & format.sign_bit - 1 == format.largest):
        if format.is_infinite(plain):
            return with_d0(after, format, plain)
        exact = format.value(plain)
    exact *= Fraction(2) ** n
    return with_d0(after, format, floats.encode(format, exact, None, way, flush) if exact else plain)


def division_scale(name, before, after, mode):
    format = format_of(name)
    s0, s1, s2 = (operand(before, s, format, mode) for s in ("S0", "S1", "S2"))
    step, apart, small = (64, 96, 23) if format is F32 else (128, 768, 53)

    def scaled(n):
        x = s0
        if format.is_nan(x):
            return format.quieted(x)
        return x if format.is_infinite(x) or format.is_zero(x) else floats.encode(
            format, format.value(x) * Fraction(2) ** n, format.sign(x), way, flushes(format, mode))

    def below_normal(x):
        return not format.is_nan(x) and format.exponent(x) == 0
    one = format.bias << format.m
    way = rounding(format, mode)
    reciprocal, quotient = floats.divide(format, one, s1, way), floats.divide(format, s2, s1, way)
    carry, result = 0, s0
    if format.is_zero(s2) or format.is_zero(s1):
        result = format.default_nan
    elif format.exponent(s2) - format.exponent(s1) >= apart:
        carry = 1
        result = scaled(step) if floats.compare(format, s0, s1) == 0 else s0
    elif format.is_denormal(s1):
        result = scaled(step)
    elif below_normal(reciprocal) and below_normal(quotient):
        carry = 1
        result = scaled(-step) if floats.compare(format, s0, s1) == 0 else s0
    elif below_normal(reciprocal):
        result = scaled(-step)
    elif below_normal(quotient):
        carry = 1
        result = scaled(step) if floats.compare(format, s0, s2) == 0 else s0
    elif format.exponent(s2) <= small:
        result = scaled(step)
    if format.is_nan(result):
        result = format.quieted(result)
    return {**with_d0(after, format, result), "VCC": V("u", 64, carry << before["laneId"].x)}


def overflowed_quotient(name, before, after, mode):
    format = format_of(name)
    s0, s1, s2 = (operand(before, s, format, mode) for s in ("S0", "S1", "S2"))
    for x in (s1, s2):
        if format.is_nan(x) or format.is_infinite(x) or format.is_zero(x):
            return {}
    if format.exponent(s2) - format.exponent(s1) < (-150 if format is F32 else -1075) or not format.is_nan(s0):
        return {}
    sign = format.sign_bit if format.sign(s1) ^ format.sign(s2) else 0
    return with_d0(after, format, sign | format.infinity)


def zero_times_anything(name, before, after, mode):
    s0, s1, s2 = (operand(before, s, F32, mode) for s in ("S0", "S1", "S2"))
    least = F32.sign_bit | F32.largest
    refused = s1 == least or s1 == F32.sign_bit | F32.infinity or F32.is_nan(s1) or F32.is_nan(s2) or F32.is_zero(s2) or F32.sign(s2)
    if not refused and (F32.is_zero(s0) or F32.is_zero(s1)):
        return with_d0(after, F32, 0)
    return {}


def two_over_pi(name, before, after, mode):
    x = before["S0"].x
    e = F64.exponent(x)
    shift = (before["S1"].x & 31) * 53 + max(0, e - 1077)
    bits = 1201
    fraction = int(elementary.two_over_pi(bits) * (1 << bits))
    segment = (fraction << shift & (1 << bits) - 1) >> (bits - 53)
    scale = -53 - shift + (128 if e >= 1968 else 0)
    # "Rounding is toward zero."
    return with_d0(after, F64, floats.encode(F64, segment * Fraction(2) ** scale, None, floats.ZERO, flushes(F64, mode)))


def _packed(names, source, width, n, kind):
    bits = names[source].x >> (width * n) & (1 << width) - 1
    return V(kind, width, bits)


def sums_of_products(kinds, target, count, order):
    """D0 = S2 + sum of products, one fused step each, in the pseudocode's order."""
    def amend(name, before, after, mode):
        of_mode = interpreter.Mode(stated_mode(name, mode))
        nearest = "DOT4" in name  # 7.7
        width = max(16, target.width)
        way = floats.NEAREST if nearest else of_mode.rounding[width]
        total = before["S2"].x & (1 << target.width) - 1
        if of_mode.flush_in[width]:
            total = target.flushed(total)
        size = 16 if target is not F32 or count == 2 else 8
        for n in order:
            factors = []
            for source, kind in zip(("S0", "S1"), kinds):
                v = _packed(before, source, size, n, kind)
                x = v.format.flushed(v.x) if kind in ("f", "bf") and of_mode.flush_in[16] else v.x
                factors.append(floats.convert(v.format, target, x, quiet=False) if v.format is not target else x)
            total = floats.fma(target, factors[0], factors[1], total, way, of_mode.flush_out[width])
        return with_d0(after, target, total)
    return amend


def aligned_sum(kind, target):
    """D0 = S2 + two products as gfx1201 forms it (docs/errata.md, D1)."""
    def amend(name, before, after, mode):
        pairs = [tuple(_packed(before, source, 16, n, kind) for source in ("S0", "S1")) for n in (0, 1)]
        addend = before["S2"].x & (1 << target.width) - 1
        factor = pairs[0][0].format
        infinities = {factor.sign(a.x) ^ factor.sign(b.x) for a, b in pairs if factor.is_infinite(a.x) or factor.is_infinite(b.x)}
        invalid = any({factor.is_infinite(x.x) and factor.is_zero(y.x) for x, y in ((a, b), (b, a))} - {False} for a, b in pairs)
        if any(factor.is_nan(x.x) for pair in pairs for x in pair):
            return with_d0(after, target, {F32: 0xffc00a3d, F16: 0xfe3d, floats.BF16: 0xfffd}[target])
        if invalid or len(infinities) == 2:
            return with_d0(after, target, target.default_nan)
        if target.is_nan(addend):
            return with_d0(after, target, target.quieted(addend))
        if target.is_infinite(addend):
            infinities.add(target.sign(addend))
        if infinities:
            return with_d0(after, target, target.default_nan if len(infinities) == 2 else target.infinity | max(infinities) * target.sign_bit)

        def cut(x, grid):  # toward minus infinity
            unit = Fraction(2) ** grid
            return (x / unit).__floor__() * unit

        def grid_of(pair):
            return sum(max(factor.exponent(x.x), 1) - factor.bias for x in pair) - 24
        products = [(factor.value(a.x) * factor.value(b.x), grid_of((a, b))) for a, b in pairs if not factor.is_zero(a.x) and not factor.is_zero(b.x)]
        c, least = target.value(addend), -14 if target is F16 else -126
        grid = max([max(least, floor_exponent(c)) - 26] + [g for _, g in products])
        pair_grid = max((g for _, g in products), default=0)
        total = cut(sum((cut(x, pair_grid) for x, _ in products), Fraction(0)), grid)
        if not (c < 0 and -c < Fraction(2) ** grid and grid > least):
            total += cut(c, grid)
        rounded = F16 if target is F16 else F32
        bits = floats.encode(rounded, total)
        bits = 0 if rounded.is_zero(bits) else bits  # what underflows is +0
        return with_d0(after, target, bits >> 16 if target is floats.BF16 else bits)

    def floor_exponent(x):
        return floats.floor_log2(abs(x)) if x else -10 ** 6
    return amend


def stochastic(name, before, after, mode):
    """Adds the random bits below the mantissa that stays, with the carry into the exponent, and cuts."""
    x, random = before["S0"].x & 0xffffffff, before["S1"].x & 0xffffffff
    target, cut = (floats.FP8, 12) if "FP8" in name else (floats.BF8, 11)
    if not F32.is_nan(x) and not F32.is_infinite(x):
        x = x & F32.sign_bit | min((x & F32.sign_bit - 1) + (random >> cut), F32.infinity)
    byte = floats.convert(F32, target, x, floats.ZERO)
    if not F32.is_nan(x):  # cut to as many digits, but above the largest number: the table of 7.6.2
        cut = Fraction(0) if F32.is_infinite(x) else abs(F32.value(x))
        cut = cut and cut / Fraction(2) ** (floats.floor_log2(cut) - target.m)
        whole = Fraction(cut.numerator // cut.denominator) if cut else Fraction(0)
        if cut and whole * Fraction(2) ** (floats.floor_log2(abs(F32.value(x))) - target.m) > target.value(target.largest):
            byte = byte & target.sign_bit | (target.sign_bit - 1 if target.finite_only else target.infinity)
    else:
        byte = byte & target.sign_bit | target.sign_bit - 1
    at = (before["OPSEL"].x >> 2) * 8
    old = before["D0"]
    return {"D0": V("b", old.w, old.x & ~(255 << at) | byte << at)}


AMENDED = [
    (r"^[SV]_RNDNE_F\d\d$", "F9", rounded_to_even),
    (r"^V_FRACT_F\d\d$", "F4", below_one),
    (r"^V_FREXP_EXP_", "F3", exponent),
    (r"^V_FREXP_MANT_|^V_CUBE(SC|TC)_F32$|^V_DIV_FIXUP_F16$", "F13", quiet),
    (r"^V_CVT_NEAREST_I32_F32$", "C3", nearest_integer),
    (r"^V_DIV_FMAS_F\d\d$", "F1", post_scale),
    (r"^V_DIV_SCALE_F\d\d$", "F2", division_scale),
    (r"^V_DIV_FIXUP_F(32|64)$", "F5", overflowed_quotient),
    (r"^V_MULLIT_F32$", "F6", zero_times_anything),
    (r"^V_TRIG_PREOP_F64$", "F7", two_over_pi),
    (r"^V_DOT2_F16_F16$", "D1", aligned_sum("f", F16)),
    (r"^V_DOT2_BF16_BF16$", "D1", aligned_sum("bf", floats.BF16)),
    (r"^V_DOT2_F32_F16$", "D1", aligned_sum("f", F32)),
    (r"^V_DOT2_F32_BF16$", "D1", aligned_sum("bf", F32)),
    (r"^V_DOT4_F32_FP8_BF8$", "D1", sums_of_products(("fp8", "bf8"), F32, 4, range(4))),
    (r"^V_DOT4_F32_BF8_FP8$", "D1", sums_of_products(("bf8", "fp8"), F32, 4, range(4))),
    (r"^V_DOT4_F32_FP8_FP8$", "D1", sums_of_products(("fp8", "fp8"), F32, 4, range(4))),
    (r"^V_DOT4_F32_BF8_BF8$", "D1", sums_of_products(("bf8", "bf8"), F32, 4, range(4))),
    (r"^V_CVT_SR_(FP8|BF8)_F32$", "C1", stochastic),
]


def amendments_of(name):
    return [(erratum, amend) for pattern, erratum, amend in AMENDED if re.match(pattern, name)]


def evaluator(name, trees, mode, whole=None, card=True):
    """What makes a row's names what they are afterwards; returns (erratum, names) where an erratum says otherwise, or, with `card`, a card of
    gfx1201 does."""
    it = interpreter.Interpreter(trees, interpreter.Mode(stated_mode(name, mode)))
    amended = amendments_of(name)

    def evaluate(names):
        before = dict(names)
        if whole:
            names.update(whole(name, before, mode))
            return None
        it.start(names)
        it.run(trees[name])
        result = None
        for erratum, amend in amended[:1]:
            result = erratum, {**names, **amend(name, before, names, mode)}
        if card and cards.of(name):
            erratum, amend = cards.of(name)
            changed = amend(name, before, result[1] if result else names, mode)
            if any(changed[key].x != (result[1] if result else names)[key].x for key in changed if key in names):
                result = erratum, {**(result[1] if result else names), **changed}
        return result
    return evaluate
