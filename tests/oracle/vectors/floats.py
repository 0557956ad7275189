"""Binary floating point by IEEE 754 on bit patterns, exact and slow: every number is a fraction, every result is rounded once."""
from fractions import Fraction
from math import isqrt


class Format:
    def __init__(self, name, exponent_bits, mantissa_bits, finite_only=False):
        self.name, self.e, self.m = name, exponent_bits, mantissa_bits
        self.width = 1 + exponent_bits + mantissa_bits
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.top = (1 << exponent_bits) - 1
        self.finite_only = finite_only  # no infinities; all ones is the one NaN (FP8 of the Open Compute Project)
        self.sign_bit = 1 << (self.width - 1)
        self.infinity = self.top << mantissa_bits
        self.quiet_bit = 1 << (mantissa_bits - 1)
        self.default_nan = self.sign_bit | self.infinity | self.quiet_bit
        self.largest = (self.infinity - 1) if not finite_only else (self.sign_bit - 2)
        self.least_normal = Fraction(1, 1 << (self.bias - 1))

    def sign(self, x):
        return x >> (self.width - 1) & 1

    def exponent(self, x):
        return x >> self.m & self.top

    def is_nan(self, x):
        x &= self.sign_bit - 1
        return x == self.sign_bit - 1 if self.finite_only else x > self.infinity

    def is_signalling(self, x):
        return self.is_nan(x) and not self.finite_only and not x & self.quiet_bit

    def is_infinite(self, x):
        return not self.finite_only and x & (self.sign_bit - 1) == self.infinity

    def is_zero(self, x):
        return x & (self.sign_bit - 1) == 0

    def is_denormal(self, x):
        return self.exponent(x) == 0 and not self.is_zero(x)

    def flushed(self, x):
        return x & self.sign_bit if self.is_denormal(x) else x

    def quieted(self, x):
        return x if self.finite_only else x | self.quiet_bit

    def value(self, x):
        """The number that a finite pattern stands for."""
        e, m = self.exponent(x), x & ((1 << self.m) - 1)
        scale = max(e, 1) - self.bias - self.m
        if e:
            m |= 1 << self.m
        result = Fraction(m << scale) if scale >= 0 else Fraction(m, 1 << -scale)
        return -result if self.sign(x) else result


F16, F32, F64 = Format("f16", 5, 10), Format("f32", 8, 23), Format("f64", 11, 52)
BF16, FP8, BF8 = Format("bf16", 8, 7), Format("fp8", 4, 3, True), Format("bf8", 5, 2)
BY_WIDTH = {16: F16, 32: F32, 64: F64}

NEAREST, UP, DOWN, ZERO = 0, 1, 2, 3  # MODE.FP_ROUND


def floor_log2(x):
    """The exponent e with 2^e <= x < 2^(e+1), of a fraction above 0."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if (x.numerator >= x.denominator << e if e >= 0 else x.numerator << -e >= x.denominator) else e - 1


def _rounded(x, sign, rounding):
    """A fraction >= 0 as a whole number."""
    whole, rest = divmod(x.numerator, x.denominator)
    twice = 2 * rest
    if rounding == NEAREST:
        up = twice > x.denominator or (twice == x.denominator and whole & 1)
    else:
        up = rest and (rounding == UP and not sign or rounding == DOWN and sign)
    return whole + (1 if up else 0)


def encode(format, x, sign=None, rounding=NEAREST, flush=False):
    """The pattern nearest to the fraction x. `sign` is that of a zero (or of x, where x is given without). With `flush` what is below the normal
    numbers becomes a zero: of f32 and f64 even after rounding to the format's precision, of f16 in the end (docs/errata.md, F15)."""
    if sign is None:
        sign = 1 if x < 0 else 0
    x = abs(x)
    top = format.sign_bit if sign else 0
    if not x:
        return top
    e = max(floor_log2(x), 1 - format.bias)
    scale = e - format.m

    def scaled(s):
        return x / (1 << s) if s >= 0 else x * (1 << -s)
    if flush and x < format.least_normal and format.width > 16:
        own = floor_log2(x) - format.m
        m = _rounded(scaled(own), sign, rounding)
        if (Fraction(m) * (1 << own) if own >= 0 else Fraction(m, 1 << -own)) < format.least_normal:
            return top
    m = _rounded(scaled(scale), sign, rounding)
    pattern = ((e + format.bias - 1) << format.m) + m  # the hidden bit carries into the exponent
    if flush and not pattern >> format.m:
        return top
    if pattern > format.largest:
        to_largest = rounding == ZERO or rounding == UP and sign or rounding == DOWN and not sign
        pattern = format.largest if to_largest else format.sign_bit - 1 if format.finite_only else format.infinity
    return top | pattern


def nan_of(format, *operands):
    """Which NaN an operation gives: the first operand that is one, quieted; else the default NaN. Called where the result is a NaN."""
    for x in operands:
        if format.is_nan(x):
            return format.quieted(x)
    return format.default_nan


def fma(format, a, b, c, rounding=NEAREST, flush=False):
    if any(format.is_nan(x) for x in (a, b, c)):
        return nan_of(format, a, b, c)
    sign = format.sign(a) ^ format.sign(b)
    if format.is_infinite(a) or format.is_infinite(b):
        if format.is_zero(a) or format.is_zero(b) or (format.is_infinite(c) and format.sign(c) != sign):
            return format.default_nan
        return (format.sign_bit if sign else 0) | format.infinity
    if format.is_infinite(c):
        return c
    x = format.value(a) * format.value(b) + format.value(c)
    if not x:
        zero = sign if format.is_zero(c) and sign == format.sign(c) else rounding == DOWN
        return format.sign_bit if zero else 0
    return encode(format, x, None, rounding, flush)


def multiply(format, a, b, rounding=NEAREST, flush=False):
    if format.is_nan(a) or format.is_nan(b):
        return nan_of(format, a, b)
    sign = format.sign(a) ^ format.sign(b)
    if format.is_infinite(a) or format.is_infinite(b):
        return format.default_nan if format.is_zero(a) or format.is_zero(b) else (format.sign_bit if sign else 0) | format.infinity
    return encode(format, abs(format.value(a) * format.value(b)), sign, rounding, flush)


def add(format, a, b, rounding=NEAREST, flush=False):
    if format.is_nan(a) or format.is_nan(b):
        return nan_of(format, a, b)
    if format.is_infinite(a) or format.is_infinite(b):
        if format.is_infinite(a) and format.is_infinite(b) and format.sign(a) != format.sign(b):
            return format.default_nan
        return a if format.is_infinite(a) else b
    x = format.value(a) + format.value(b)
    if not x:
        sign = format.sign(a) if format.sign(a) == format.sign(b) else (1 if rounding == DOWN else 0)
        return format.sign_bit if sign else 0
    return encode(format, x, None, rounding, flush)


def subtract(format, a, b, rounding=NEAREST, flush=False):
    return add(format, a, b if format.is_nan(b) else b ^ format.sign_bit, rounding, flush)


def divide(format, a, b, rounding=NEAREST, flush=False):
    if format.is_nan(a) or format.is_nan(b):
        return nan_of(format, a, b)
    sign = format.sign(a) ^ format.sign(b)
    top = format.sign_bit if sign else 0
    if format.is_infinite(a):
        return format.default_nan if format.is_infinite(b) else top | format.infinity
    if format.is_infinite(b):
        return top
    if format.is_zero(b):
        return format.default_nan if format.is_zero(a) else top | format.infinity
    return encode(format, abs(format.value(a) / format.value(b)), sign, rounding, flush)


def square_root(format, a, rounding=NEAREST):
    if format.is_nan(a):
        return format.quieted(a)
    if format.is_zero(a):
        return a
    if format.sign(a):
        return format.default_nan
    if format.is_infinite(a):
        return a
    return encode(format, root_near(format.value(a)), None, rounding)


def root_near(x, bits=160):
    """A fraction on the same side of every rounding limit as the root of x (sticky in its last place)."""
    shift = 2 * bits
    while floor_log2(x) + shift < 2 * bits:
        shift += 2
    scaled = (x.numerator << shift) // x.denominator
    root = isqrt(scaled)
    exact = root * root == scaled and (x.numerator << shift) % x.denominator == 0
    return Fraction(2 * root + (0 if exact else 1), 1 << (shift // 2 + 1))


def compare(format, a, b):
    """-1, 0, 1, or None where one is a NaN."""
    if format.is_nan(a) or format.is_nan(b):
        return None

    def key(x):
        magnitude = x & (format.sign_bit - 1)
        return -magnitude if format.sign(x) else magnitude
    return (key(a) > key(b)) - (key(a) < key(b))


def convert(source, target, x, rounding=NEAREST, flush=False, quiet=True):
    """To another format. The payload of a NaN keeps its upper bits; `quiet` makes it a quiet one. `flush`: what is a denormal once it is
    rounded becomes a zero (docs/errata.md, F15)."""
    sign = source.sign(x)
    top = target.sign_bit if sign else 0
    if source.is_nan(x):
        if target.finite_only:
            return top | target.sign_bit - 1
        payload = x & ((1 << source.m) - 1)
        payload = payload << (target.m - source.m) if target.m >= source.m else payload >> (source.m - target.m)
        if quiet or source.finite_only:
            payload |= target.quiet_bit
        return top | target.infinity | (payload or 1)
    if source.is_infinite(x):
        return top | (target.sign_bit - 1 if target.finite_only else target.infinity)
    pattern = encode(target, abs(source.value(x)), sign, rounding)
    return top if flush and not (pattern ^ top) >> target.m else pattern


def to_integer(format, x, low, high, nan=0):
    """Truncated and limited."""
    if format.is_nan(x):
        return nan
    if format.is_infinite(x):
        return low if format.sign(x) else high
    v = format.value(x)
    whole = abs(v.numerator) // v.denominator
    return max(low, min(high, -whole if format.sign(x) else whole))


def truncated(format, x, rounding=ZERO):
    """A whole number in the same format; `rounding` as of MODE. A zero keeps its sign."""
    if format.is_nan(x):
        return format.quieted(x)
    if format.is_infinite(x):
        return x
    sign = format.sign(x)
    return encode(format, Fraction(_rounded(abs(format.value(x)), sign, rounding)), sign)
