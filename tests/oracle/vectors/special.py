"""Instructions whose block calls what the manual describes in words alone."""
from fractions import Fraction

from . import elementary, floats
from .values import V

F32, F16 = floats.F32, floats.F16


def _circular(function):
    def whole(name, before, mode):
        format = F16 if name.endswith("16") else F32
        x = before["S0"].x & (1 << format.width) - 1
        if format is F32:
            x = format.flushed(x)
        if format.is_nan(x):
            result = format.quieted(x)
        elif format.is_infinite(x):
            result = format.default_nan
        else:
            value = function(format.value(x))
            result = floats.encode(format, value, format.sign(x) if not value else None)
        old = before["D0"]
        return {"D0": V("b", old.w, old.x >> format.width << format.width | result)}
    return whole


# The argument counts turns; the rounded product with 2 pi that the block writes would lose it.
WHOLE = {"V_SIN_F32": _circular(elementary.sine), "V_COS_F32": _circular(elementary.cosine),
         "V_SIN_F16": _circular(elementary.sine), "V_COS_F16": _circular(elementary.cosine)}


def normalised(signed):
    """f16_to_snorm and its like: limited to [-1, 1] or [0, 1], times 32767 or 65535, rounded as MODE says of the source's format; a NaN gives 0."""
    def convert(interpreter, v):
        format, x = v.format, v.x
        most = 32767 if signed else 65535
        if format.is_nan(x):
            return V("i" if signed else "u", 16, 0)
        if interpreter.mode.flush_in[v.w]:
            x = format.flushed(x)
        value = Fraction(-1 if format.sign(x) else 1) if format.is_infinite(x) else format.value(x)
        value = max(Fraction(-1 if signed else 0), min(Fraction(1), value)) * most
        n = floats._rounded(abs(value), value < 0, interpreter.mode.rounding[v.w])
        return V("i" if signed else "u", 16, -n if value < 0 else n)
    return convert
