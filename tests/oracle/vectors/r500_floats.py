"""Arithmetic of the R5xx shaders on f32 patterns (docs/errata.md, "R5xx pixel shader"): operands and results without denormals, each product and each sum
rounded to nearest, a NaN is the first operand that is one, quieted. Elementary functions are rounded once."""
from decimal import Decimal
from fractions import Fraction

from . import elementary, floats, inputs

F32 = floats.F32
ZERO, HALF, ONE, SIGN, INFINITY, LARGEST, DEFAULT_NAN = 0, 0x3f000000, 0x3f800000, 0x80000000, 0x7f800000, 0x7f7fffff, 0xffc00000
flushed = F32.flushed


def multiply(a, b):
    return floats.multiply(F32, flushed(a), flushed(b), floats.NEAREST, True)


def add(a, b):
    return floats.add(F32, flushed(a), flushed(b), floats.NEAREST, True)


def subtract(a, b):
    return floats.subtract(F32, flushed(a), flushed(b), floats.NEAREST, True)


def negated(a):
    return a ^ SIGN


def absolute(a):
    return a & ~SIGN


def of(number):
    return floats.encode(F32, Fraction(number))


def floor(a):
    return floats.truncated(F32, flushed(a), floats.DOWN)


def fraction(a):
    return subtract(a, floor(a))


def compare(a, b):
    """-1, 0, 1; None with a NaN. Zeros and denormals are all the same."""
    a, b = flushed(a), flushed(b)
    return floats.compare(F32, a if not F32.is_zero(a) else 0, b if not F32.is_zero(b) else 0)


def holds(how, a, b=ZERO):
    """how: eq, ne, gt, ge, lt. A NaN is only unequal."""
    order = compare(a, b)
    if order is None:
        return how == "ne"
    return {"eq": order == 0, "ne": order != 0, "gt": order > 0, "ge": order >= 0, "lt": order < 0}[how]


def smaller(a, b):
    return a if holds("lt", a, b) else b


def larger(a, b):
    return a if holds("ge", a, b) else b


def clamped(a):
    """To [0, 1]; a NaN is 0."""
    return (a if holds("lt", a, ONE) else ONE) if holds("gt", a) else ZERO


def encode(x, sign=None):
    return floats.encode(F32, x, sign, floats.NEAREST, True)


def _exponential(x, log2_of_base):
    """base^x, `log2_of_base` as a fraction or 1; not of NaNs."""
    if F32.is_infinite(x):
        return ZERO if F32.sign(x) else INFINITY
    return encode(elementary.exp2(max(Fraction(-300), min(Fraction(300), F32.value(x) * log2_of_base))))


def exp2(a):
    a = flushed(a)
    return F32.quieted(a) if F32.is_nan(a) else _exponential(a, 1)


def exp_e(a):
    a = flushed(a)
    return F32.quieted(a) if F32.is_nan(a) else _exponential(a, Fraction(1 / elementary.LN2))


def log2(a):
    a = flushed(a)
    if F32.is_nan(a):
        return F32.quieted(a)
    if F32.is_zero(a):
        return SIGN | INFINITY
    if F32.sign(a):
        return DEFAULT_NAN
    return a if F32.is_infinite(a) else encode(elementary.log2(F32.value(a)))


def reciprocal(a):
    return floats.divide(F32, ONE, flushed(a), floats.NEAREST, True)


def reciprocal_root(a):
    a = flushed(a)
    if F32.is_nan(a):
        return F32.quieted(a)
    if F32.is_zero(a):
        return a | INFINITY
    if F32.sign(a):
        return DEFAULT_NAN
    return ZERO if F32.is_infinite(a) else encode(floats.root_near(1 / F32.value(a)))


def circular(function, a, turns_each=1):
    """elementary.sine or cosine of so many turns. The sine of a zero has its sign."""
    a = flushed(a)
    if F32.is_nan(a):
        return F32.quieted(a)
    if F32.is_infinite(a):
        return DEFAULT_NAN
    if F32.is_zero(a):
        return a if function is elementary.sine else ONE
    return encode(function(F32.value(a) * turns_each))


TURNS_OF_RADIANS = Fraction(Decimal(1) / (2 * elementary.PI))


def power(a, b):
    """a^b: 0^b is 0, or infinite for b < 0; otherwise a^0 is 1; a negative base gives minus the power of its size."""
    a, b = flushed(a), flushed(b)
    for x in (a, b):
        if F32.is_nan(x):
            return F32.quieted(x)
    if F32.is_zero(a):
        return INFINITY if holds("lt", b) else ZERO
    if F32.is_zero(b):
        return ONE
    sign, size = a & SIGN, absolute(a)
    if F32.is_infinite(size):
        return sign | (ZERO if F32.sign(b) else INFINITY)
    if size == ONE:
        return sign | ONE
    logarithm = elementary.log2(F32.value(size))
    if F32.is_infinite(b):
        return sign | (INFINITY if (logarithm > 0) != bool(F32.sign(b)) else ZERO)
    return sign | encode(elementary.exp2(max(Fraction(-300), min(Fraction(300), logarithm * F32.value(b)))))


class Choices:
    """Values of fields for the variants of one operation: every field takes each of its values as often, in an order of its own."""

    def __init__(self, name, variants):
        self.random, self.variants = inputs.Random(sum(ord(c) << 5 * n for n, c in enumerate(name))), variants
        self.each = {}

    def of(self, field, variant, values):
        values = list(range(values)) if isinstance(values, int) else list(values)
        if field not in self.each:
            order = []
            while len(order) < self.variants:
                left = list(values)
                while left:
                    order.append(left.pop(self.random.below(len(left))))
            self.each[field] = order
        return self.each[field][variant]
