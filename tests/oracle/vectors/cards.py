"""Where cards of gfx1201 do otherwise than the manual (docs/errata.md, by the entry's number): scalar models of the rules that were measured on
them, from exact fractions. Sea Islands' vectors of the same instructions know nothing of it."""
import re
from fractions import Fraction

from . import floats, interpreter
from .values import V

F16, F32, F64 = floats.F16, floats.F32, floats.F64


def _format(name):
    return {"16": F16, "32": F32, "64": F64}[name[-2:]]


def _read(names, source, format, mode, shift=0):
    x = names[source].x >> shift & ((1 << format.width) - 1)
    return format.flushed(x) if interpreter.Mode(mode).flush_in[format.width] else x


def _rounding(format, mode):
    return interpreter.Mode(mode).rounding[format.width]


def _flushes(format, mode):
    return interpreter.Mode(mode).flush_out[format.width]


def _low(names, width, bits):
    old = names["D0"]
    return {"D0": V("b", old.w, old.x >> width << width | bits)}


def _rounded(format, exact, negative, way, flush):
    """An exact number once rounded; with `flush` a zero where it is below the normal numbers with all its digits and an exponent of any size."""
    top = format.sign_bit if negative else 0
    size = abs(exact)
    if flush and size and size < format.least_normal:
        unit = Fraction(2) ** (floats.floor_log2(size) - format.m)
        if floats._rounded(size / unit, negative, way) * unit < format.least_normal:
            return top
    return floats.encode(format, size, 1 if negative else 0, way)


def _key(format, x):
    """Numbers in their order, -0 below +0."""
    magnitude = x & (format.sign_bit - 1)
    return -magnitude - 1 if format.sign(x) else magnitude


def _extremum(format, a, b, largest):
    for x in (a, b):
        if format.is_nan(x):
            return format.quieted(x)
    return (max if largest else min)(a, b, key=lambda x: _key(format, x))


def first_nan(name, before, after, mode):
    format = _format(name)
    kinds = re.findall(r"MAXIMUM|MINIMUM", name)
    if name.startswith("V_PK_"):
        halves = [_extremum(format, _read(before, "S0", format, mode, at), _read(before, "S1", format, mode, at), kinds[0] == "MAXIMUM")
                  for at in (0, 16)]
        return _low(after, 32, halves[0] | halves[1] << 16)
    x = _extremum(format, _read(before, "S0", format, mode), _read(before, "S1", format, mode), kinds[0] == "MAXIMUM")
    if "3" in name[:-2] or len(kinds) == 2:
        x = _extremum(format, x, _read(before, "S2", format, mode), kinds[-1] == "MAXIMUM")
    return _low(after, format.width, x)


def median(name, before, after, mode):
    format = _format(name)
    x = [_read(before, source, format, mode) for source in ("S0", "S1", "S2")]
    if any(format.is_nan(n) for n in x):
        return {}
    return _low(after, format.width, sorted(x, key=lambda n: _key(format, n))[1])


def fraction(name, before, after, mode):
    format = _format(name)
    x = _read(before, "S0", format, mode)
    whole = not format.is_nan(x) and not format.is_infinite(x) and format.value(x).denominator == 1
    return _low(after, format.width, 0) if whole else {}


def bound_of_nan(name, before, after, mode):
    x = before["S0"].x & 0xffffffff
    return _low(after, 32, 0x80000000 if F32.sign(x) else 0x7fffffff) if F32.is_nan(x) else {}


def byte(name, before, after, mode):
    x = _read(before, "S0", F32, mode)
    if F32.is_nan(x) or F32.sign(x):
        n = 0
    else:
        n = 255 if F32.is_infinite(x) else min(255, floats._rounded(F32.value(x), False, _rounding(F32, mode)))
    at = (before["S1"].x & 3) * 8
    return _low(after, 32, before["S2"].x & 0xffffffff & ~(255 << at) | n << at)


def _normalised(format, x, most):
    if format.is_nan(x):
        return 0
    least = Fraction(-1 if most == 32767 else 0)
    value = Fraction(-1 if format.sign(x) else 1) if format.is_infinite(x) else format.value(x)
    value = max(least, min(Fraction(1), value)) * most
    n = floats._rounded(abs(value), value < 0, floats.NEAREST)
    return (-n if value < 0 else n) & 0xffff


def normalised(name, before, after, mode):
    format, most = _format(name), 32767 if "_I16_" in name else 65535
    sources = ("S0", "S1") if "_PK_" in name else ("S0",)
    numbers = [_normalised(format, _read(before, s, format, mode), most) for s in sources]
    return _low(after, 32, numbers[0] | numbers[1] << 16) if len(numbers) == 2 else _low(after, 16, numbers[0])


def packed(name, before, after, mode):
    halves = [F16.quieted(x) if F16.is_nan(x) else x for x in (_read(before, s, F16, mode) for s in ("S0", "S1"))]
    return _low(after, 32, halves[0] | halves[1] << 16)


def narrowed(name, before, after, mode):
    target, source = (F16, F32) if "F16_F32" in name else (F32, F64)
    x = _read(before, "S0", source, mode)
    if source.is_nan(x) or source.is_infinite(x) or source.is_zero(x):
        return {}
    return _low(after, target.width, _rounded(target, source.value(x), source.sign(x), _rounding(target, mode), _flushes(target, mode)))


def default_nans(name, before, after, mode):
    x = after["D0"]
    width = 64 if "_PK_" in name else 32
    bits = 0
    for at in range(0, width, 32):
        word = x.x >> at & 0xffffffff
        bits |= (F32.default_nan if F32.is_nan(word) else word) << at
    return _low(after, width, bits)


def _float8(name):
    return (floats.FP8, 0x7f, 0xff) if "FP8" in name else (floats.BF8, 0x7c, 0xfe)


def codes(name, before, after, mode):
    _, overflow, nan = _float8(name)
    at = (before["OPSEL"].x >> 3 & 1) * 16 if "OPSEL" in before else 0
    old = after["D0"]
    x = old.x
    for n, source in enumerate(("S0", "S1")):
        given = before[source].x & 0xffffffff
        if F32.is_nan(given) or F32.is_infinite(given):
            code = nan if F32.is_nan(given) else F32.sign(given) << 7 | overflow
            x = x & ~(255 << (at + 8 * n)) | code << (at + 8 * n)
    return {"D0": V("b", old.w, x)}


def stochastic(name, before, after, mode):
    target, overflow, nan = _float8(name)
    x, random = before["S0"].x & 0xffffffff, before["S1"].x & 0xffffffff
    places = 23 - target.m  # of a normal number's digits that are lost; random digits are as many
    if F32.is_nan(x):
        code = nan
    elif F32.is_infinite(x):
        code = F32.sign(x) << 7 | overflow
    else:
        size = abs(F32.value(x))
        e = max(floats.floor_log2(size), 1 - target.bias) if size else 1 - target.bias
        unit = Fraction(2) ** (e - target.m)
        digits = size / unit * (1 << places)
        whole = (digits.numerator // digits.denominator + (random >> (32 - places))) >> places
        if whole >> (target.m + 1):  # a carry into the exponent
            e, whole = e + 1, whole >> 1
        code = (e + target.bias - 1 << target.m) + whole if whole >> target.m else whole
        if code > target.largest:
            code = overflow
        code |= F32.sign(x) << 7
    at = (before["OPSEL"].x >> 2) * 8
    old = before["D0"]
    return {"D0": V("b", old.w, old.x & ~(255 << at) | code << at)}


def division_scale(name, before, after, mode):
    format = _format(name)
    s0, s1, s2 = (_read(before, s, format, mode) for s in ("S0", "S1", "S2"))
    step, limit, small = (64, 96, 24) if format is F32 else (128, 768, 53)
    d, n = format.exponent(s1), format.exponent(s2)
    of_denominator = s0 == s1
    carry, power = 0, 0
    if n - d >= limit:
        carry, power = 1, step if of_denominator else 0
    elif d == 0:
        power = step
    elif d >= format.top - 2:
        carry = int(n - d <= -limit)
        power = 0 if carry and not of_denominator else -step
    elif n - d <= -limit:
        carry, power = 1, 0 if of_denominator else step
    elif n <= small:
        power = step
    if format.is_zero(s1) or format.is_zero(s2):
        result = format.default_nan
    elif format.is_nan(s0):
        result = format.quieted(s0)
    elif format.is_infinite(s0) or format.is_zero(s0):
        result = s0
    else:
        result = _rounded(format, format.value(s0) * Fraction(2) ** power, format.sign(s0), _rounding(format, mode), _flushes(format, mode))
    return {**_low(after, format.width, result), "VCC": V("u", 64, carry << before["laneId"].x)}


def division_sum(name, before, after, mode):
    format, way = _format(name), _rounding(_format(name), mode)
    a, b, c = (before[s].x & ((1 << format.width) - 1) for s in ("S0", "S1", "S2"))
    sign = format.sign(a) ^ format.sign(b)

    def of(bits):
        return _low(after, format.width, bits)
    for x in (a, b):
        if format.is_nan(x):
            return of(format.quieted(x))
    infinite = format.is_infinite(a) or format.is_infinite(b)
    if infinite and (format.is_zero(a) or format.is_zero(b)):
        return of(format.default_nan)
    if format.is_nan(c):
        return of(format.quieted(c))
    if infinite:
        opposite = format.is_infinite(c) and format.sign(c) != sign
        return of(format.default_nan if opposite else sign << (format.width - 1) | format.infinity)
    if format.is_infinite(c):
        return of(c)
    exact = format.value(a) * format.value(b) + format.value(c)
    if not exact:
        both = format.value(a) * format.value(b) == 0 and sign == format.sign(c)
        return of(format.sign_bit if (sign if both else way == floats.DOWN) else 0)
    if before["VCC"].x >> before["laneId"].x & 1:
        step = 64 if format is F32 else 128
        exact *= Fraction(2) ** (step if format.exponent(c) > format.bias else -step)
    return of(_rounded(format, exact, exact < 0, way, _flushes(format, mode)))


def overflowed_half(name, before, after, mode):
    q, d, n = (_read(before, s, F16, mode) for s in ("S0", "S1", "S2"))
    if any(F16.is_nan(x) or F16.is_infinite(x) or F16.is_zero(x) for x in (d, n)) or not F16.is_nan(q):
        return {}
    return _low(after, 16, (F16.sign_bit if F16.sign(d) ^ F16.sign(n) else 0) | F16.infinity)


def cube(name, before, after, mode):
    given = [before[s].x & 0xffffffff for s in ("S0", "S1", "S2")]
    x, y, z = flushed = [F32.flushed(n) for n in given]

    def reaches(a, b):
        order = floats.compare(F32, a & 0x7fffffff, b & 0x7fffffff)
        return order is not None and order >= 0
    axis = 2 if reaches(z, x) and reaches(z, y) else 1 if reaches(y, x) else 0
    below = not F32.is_nan(flushed[axis]) and floats.compare(F32, flushed[axis], 0) == -1

    def turned(n, negative):
        return given[n] ^ (F32.sign_bit if negative else 0)
    if "SC" in name:
        result = [turned(2, not below), turned(0, False), turned(0, below)][axis]
    elif "TC" in name:
        result = [turned(1, True), turned(2, below), turned(1, True)][axis]
    else:
        result = flushed[axis]
        if not F32.is_nan(result):
            result = 0 if F32.is_zero(result) else floats.multiply(F32, result, 0x40000000, _rounding(F32, mode))
    return _low(after, 32, F32.quieted(result) if F32.is_nan(result) else result)


CARDS = [
    (r"^[SV]_(PK_)?(MINIMUM|MAXIMUM)", "F16", first_nan),
    (r"^V_MED3_NUM_F", "F17", median),
    (r"^V_FRACT_F", "F4", fraction),
    (r"^V_CVT_(FLOOR|NEAREST)_I32_F32$", "C4", bound_of_nan),
    (r"^V_CVT_PK_U8_F32$", "C5", byte),
    (r"^V_CVT_(PK_)?NORM_", "C6", normalised),
    (r"^V_PACK_B32_F16$", "C7", packed),
    (r"^V_CVT_(F16_F32|F32_F64)$", "F15", narrowed),
    (r"^V_CVT_(PK_)?F32_(FP8|BF8)$", "C2", default_nans),
    (r"^V_CVT_PK_(FP8|BF8)_F32$", "C2", codes),
    (r"^V_CVT_SR_(FP8|BF8)_F32$", "C1", stochastic),
    (r"^V_DIV_SCALE_F", "F2", division_scale),
    (r"^V_DIV_FMAS_F", "F1", division_sum),
    (r"^V_DIV_FIXUP_F16$", "F5", overflowed_half),
    (r"^V_CUBE(SC|TC|MA)_F32$", "F8", cube),
]


def of(name):
    """(number, amendment) of an instruction, or None."""
    return next(((number, amend) for pattern, number, amend in CARDS if re.match(pattern, name)), None)
