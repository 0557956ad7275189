"""What the pseudocode calls and names: conversions, float functions, constants. A function gets the interpreter, for MODE, and its arguments."""
import re
from fractions import Fraction

from . import elementary, floats, special
from .values import Unknown, V, boolean, i32, type_of

CONVERSION = re.compile(r"^([a-z]+\d+|fp8|bf8)_to_([a-z]+\d+|fp8|bf8)$")

INF = V("f", 64, floats.F64.infinity, True)
NAN = V("f", 64, floats.F64.default_nan, True)
DENORM = object()


def _largest(format):
    return V("f", format.width, format.largest)


# Offsets of the table that the manual prints beside V_CVT_OFF_F32_I4.
_OFFSETS = [V("f", 32, floats.encode(floats.F32, Fraction(n - 16 if n > 7 else n, 16))) for n in range(16)]
_NOTHING = V("f", 32, 0), V("f", 64, 0)
CONSTANTS = {"CVT_OFF_TABLE": _OFFSETS, "UNDERFLOW_F32": _NOTHING[0], "UNDERFLOW_F64": _NOTHING[1], "OVERFLOW_F32": _NOTHING[0],
             "OVERFLOW_F64": _NOTHING[1], "INF": INF, "NAN": NAN, "DENORM": DENORM, "PI": V("f", 64, 0x400921fb54442d18, True), "MAX_FLOAT_F32": _largest(floats.F32),
             "ROUND_NEAREST_EVEN": V("u", 2, floats.NEAREST), "ROUND_TOWARD_ZERO": V("u", 2, floats.ZERO)}


def convert_function(interpreter, source, target, v):
    sk, sw = type_of(source)
    tk, tw = type_of(target) if target not in ("snorm", "unorm") else (target, 16)
    v = V(sk, sw, v.number if v.k == "i" else v.x)
    if v.is_float and tk in ("u", "i"):
        x = v.x
        if sk == "f" and interpreter.mode.flush_in[sw]:
            x = v.format.flushed(x)
        low, high = (0, (1 << tw) - 1) if tk == "u" else (-(1 << (tw - 1)), (1 << (tw - 1)) - 1)
        return V(tk, tw, floats.to_integer(v.format, x, low, high))
    if v.is_float:
        format = V(tk, tw, 0).format
        flush = interpreter.mode.flush_out[max(format.width, 16)] if tk == "f" else False
        x = v.format.flushed(v.x) if sk == "f" and interpreter.mode.flush_in[sw] else v.x
        if tk in ("fp8", "bf8") and v.format.is_nan(x):  # 7.6.2 says NaN and no more: all ones (erratum C2)
            return V(tk, tw, v.format.sign(x) << 7 | 127)
        return V(tk, tw, floats.convert(v.format, format, x, interpreter.rounding(format), flush))
    if tk == "f":
        format = floats.BY_WIDTH[tw]
        return V("f", tw, floats.encode(format, Fraction(v.number), None, interpreter.rounding(format)))
    if tk in ("u", "i"):  # between integers: limited
        low, high = (0, (1 << tw) - 1) if tk == "u" else (-(1 << (tw - 1)), (1 << (tw - 1)) - 1)
        return V(tk, tw, max(low, min(high, v.number)))
    raise Unknown(f"{source}_to_{target}")


def _float_function(f):
    def call(interpreter, v, *more):
        return V(v.k, v.w, f(v.format, v.x, *[m.x for m in more]))
    return call


def _saturated(kind, width):
    def call(interpreter, v):
        return convert_function(interpreter, f"f{v.w}", f"{kind}{width}", v)
    return call


def _fma(interpreter, a, b, c):
    format = a.format
    return V("f", a.w, floats.fma(format, a.x, b.x, c.x, interpreter.rounding(format), interpreter.mode.flush_out[a.w]))


def _mantissa(format, x):
    """The significand in [0.5, 1), with the sign."""
    if format.is_zero(x):
        return x
    value = abs(format.value(x))
    return floats.encode(format, value / Fraction(2) ** (floats.floor_log2(value) + 1), format.sign(x))


def _fract(format, x):
    return floats.add(format, x, floats.truncated(format, x, floats.DOWN) ^ format.sign_bit)


def _is_even(interpreter, v):
    value = v.format.value(v.x) if not (v.format.is_nan(v.x) or v.format.is_infinite(v.x)) else Fraction(1)
    return boolean(value.denominator == 1 and value.numerator % 2 == 0)


def _signext(interpreter, v):
    return V("i", 64, V("i", v.w, v.x).number)


def _signext_from_bit(interpreter, v, size):
    n = size.number
    if n == 0:
        return V(v.k, v.w, 0)
    if n >= v.w:
        return v
    x = v.x & ((1 << n) - 1)
    return V(v.k, v.w, x - (1 << n) if x >> (n - 1) else x)


def ldexp(interpreter, v, n):
    format = v.format
    if format.is_nan(v.x) or format.is_infinite(v.x) or format.is_zero(v.x):
        return V(v.k, v.w, format.quieted(v.x) if format.is_nan(v.x) else v.x)
    value = format.value(v.x) * Fraction(2) ** max(-5000, min(5000, n.number))
    return V(v.k, v.w, floats.encode(format, value, format.sign(v.x), interpreter.rounding(format), interpreter.mode.flush_out[v.w]))


def _pow(interpreter, base, v):
    format, x = v.format, v.x
    if format.is_nan(x):
        return V("f", v.w, format.quieted(x))
    if format.is_infinite(x):
        return V("f", v.w, 0 if format.sign(x) else format.infinity)
    value = format.value(x)
    limit = 2 * (format.bias + format.m)
    return V("f", v.w, floats.encode(format, elementary.exp2(max(-limit, min(limit, value))), None, floats.NEAREST, interpreter.mode.flush_out[v.w]))


def _log2(format, x):
    if format.is_nan(x):
        return format.quieted(x)
    if format.is_zero(x):
        return format.sign_bit | format.infinity
    if format.sign(x):
        return format.default_nan
    if format.is_infinite(x):
        return x
    return floats.encode(format, elementary.log2(format.value(x)))


BUILT_IN = {
    "isNAN": lambda i, v: boolean(v.format.is_nan(v.x)),
    "isSignalNAN": lambda i, v: boolean(v.format.is_signalling(v.x)),
    "isQuietNAN": lambda i, v: boolean(v.format.is_nan(v.x) and not v.format.is_signalling(v.x)),
    "cvtToQuietNAN": _float_function(lambda f, x: f.quieted(x)),
    "abs": _float_function(lambda f, x: x & (f.sign_bit - 1)),
    "sign": lambda i, v: V("u", 1, v.format.sign(v.x)),
    "exponent": lambda i, v: i32(v.format.exponent(v.x)),
    "mantissa": _float_function(_mantissa),
    "trunc": _float_function(lambda f, x: floats.truncated(f, x)),
    "floor": _float_function(lambda f, x: floats.truncated(f, x, floats.DOWN)),
    "fract": _float_function(_fract),
    "isEven": _is_even,
    "fma": _fma,
    "ldexp": ldexp,
    "sqrt": lambda i, v: V(v.k, v.w, floats.square_root(v.format, v.x, i.rounding(v.format))),
    "signext": _signext,
    "signext_from_bit": _signext_from_bit,
    "pow": _pow,
    "log2": lambda i, v: V(v.k, v.w, _log2(v.format, v.x)),
    "v_cvt_i16_f32": _saturated("i", 16),
    "v_cvt_u16_f32": _saturated("u", 16),
    "f16_to_snorm": special.normalised(True),
    "f16_to_unorm": special.normalised(False),
    "f32_to_snorm": special.normalised(True),
    "f32_to_unorm": special.normalised(False),
    "float32": lambda i, s, e, m: V("f", 32, (s.x & 1) << 31 | (e.x & 255) << 23 | m.x & 0x7fffff),
    "HwRegWriteMask": lambda i, register, privileged: i32(-1),
    "nop": lambda i: V("u", 1, 0),
    "s_ff1_i32_b32": lambda i, v: i32((v.x & -v.x).bit_length() - 1 if v.x else -1),
    "s_ff1_i32_b64": lambda i, v: i32((v.x & -v.x).bit_length() - 1 if v.x else -1),
}
