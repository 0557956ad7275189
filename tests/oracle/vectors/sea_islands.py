"""A scalar model of what only Sea Islands has among the instructions on registers: section 4 of the register guide, and where that is silent the
sources that docs/gfx7-semantics.md names. It knows nothing of src/isa."""
from fractions import Fraction

from . import elementary, floats, registers
from .values import V

F16, F32, F64 = floats.F16, floats.F32, floats.F64
MODEL = {}


def model(*names):
    def keep(function):
        for name in names:
            MODEL[name] = function
        return function
    return keep


def signed(x, width=32):
    x &= (1 << width) - 1
    return x - (1 << width) if x >> (width - 1) else x


def d32(bits):
    return {"D0": V("b", 64, bits & 0xffffffff)}


# --- scalar
@model("s_max_i32")
def _(n):
    a, b = signed(n["S0"].x), signed(n["S1"].x)
    return {**d32(max(a, b)), "SCC": V("u", 1, a > b)}


@model("s_max_u32")
def _(n):
    a, b = n["S0"].x, n["S1"].x
    return {**d32(max(a, b)), "SCC": V("u", 1, a > b)}


@model("s_ff0_i32_b32", "s_ff0_i32_b64")
def _(n):
    width = n["S0"].w
    position = next((k for k in range(width) if not n["S0"].x >> k & 1), -1)
    return d32(position)


@model("s_mov_fed_b32", "v_mov_fed_b32")
def _(n):
    return d32(n["S0"].x)


_ORDER = {"eq": lambda a, b: a == b, "lg": lambda a, b: a != b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "lt": lambda a, b: a < b,
          "le": lambda a, b: a <= b}
for _name, _holds in _ORDER.items():
    MODEL[f"s_cmpk_{_name}_i32"] = lambda n, holds=_holds: {"SCC": V("u", 1, holds(signed(n["D0"].x), signed(n["S0"].x, 16)))}
    MODEL[f"s_cmpk_{_name}_u32"] = lambda n, holds=_holds: {"SCC": V("u", 1, holds(n["D0"].x & 0xffffffff, n["S0"].x & 0xffff))}


# --- multiply-adds: product and sum rounded each, denormals of operands, product and sum flushed in every mode
def mad(a, b, c, legacy=False):
    a, b, c = F32.flushed(a), F32.flushed(b), F32.flushed(c)
    if legacy and (F32.is_zero(a) or F32.is_zero(b)):
        product = 0
    else:
        product = floats.multiply(F32, a, b, floats.NEAREST, True)
    return floats.add(F32, product, c, floats.NEAREST, True)


@model("v_mad_f32", "v_mad_legacy_f32")
def _(n, name):
    return d32(mad(n["S0"].x, n["S1"].x, n["S2"].x, "legacy" in name))


@model("v_mac_f32", "v_mac_legacy_f32")
def _(n, name):
    return d32(mad(n["S0"].x, n["S1"].x, n["D0"].x & 0xffffffff, "legacy" in name))


@model("v_madmk_f32")
def _(n):
    return d32(mad(n["S0"].x, n["SIMM32"].x, n["S1"].x, False))


@model("v_madak_f32")
def _(n):
    return d32(mad(n["S0"].x, n["S1"].x, n["SIMM32"].x, False))


# --- DX9's minimum and maximum (R600 ISA, MIN and MAX): a comparison that fails gives the second
@model("v_min_legacy_f32", "v_max_legacy_f32")
def _(n, name):
    a, b = n["S0"].x, n["S1"].x
    order = floats.compare(F32, a, b)
    first = order is not None and (order < 0 if "min" in name else order >= 0)
    x = a if first else b
    return d32(F32.quieted(x) if F32.is_nan(x) else x)


# --- elementary functions: operands and results without denormals
def _reciprocal(format, x):
    x = format.flushed(x) if format is F32 else x
    return floats.divide(format, format.bias << format.m, x, floats.NEAREST, format is F32)


def _reciprocal_root(format, x):
    x = format.flushed(x) if format is F32 else x
    if format.is_nan(x):
        return format.quieted(x)
    if format.is_zero(x):
        return x | format.infinity
    if format.sign(x):
        return format.default_nan
    if format.is_infinite(x):
        return 0
    return floats.encode(format, floats.root_near(1 / format.value(x)))


def _log2(x):
    x = F32.flushed(x)
    if F32.is_nan(x):
        return F32.quieted(x)
    if F32.is_zero(x):
        return F32.sign_bit | F32.infinity
    if F32.sign(x):
        return F32.default_nan
    return x if F32.is_infinite(x) else floats.encode(F32, elementary.log2(F32.value(x)))


def _clamped(format, x):
    return x & format.sign_bit | format.largest if format.is_infinite(x) else x


def _no_infinity(x):
    return x & F32.sign_bit if F32.is_infinite(x) else x


@model("v_rcp_clamp_f32")
def _(n):
    return d32(_clamped(F32, _reciprocal(F32, n["S0"].x)))


@model("v_rcp_clamp_f64")
def _(n):
    return {"D0": V("b", 64, _clamped(F64, _reciprocal(F64, n["S0"].x)))}


@model("v_rcp_legacy_f32")
def _(n):
    return d32(_no_infinity(_reciprocal(F32, n["S0"].x)))


@model("v_rsq_clamp_f32")
def _(n):
    return d32(_clamped(F32, _reciprocal_root(F32, n["S0"].x)))


@model("v_rsq_clamp_f64")
def _(n):
    return {"D0": V("b", 64, _clamped(F64, _reciprocal_root(F64, n["S0"].x)))}


@model("v_rsq_legacy_f32")
def _(n):
    return d32(_no_infinity(_reciprocal_root(F32, n["S0"].x)))


@model("v_log_legacy_f32")
def _(n):
    return d32(_log2(n["S0"].x))


@model("v_log_clamp_f32")
def _(n):
    x = _log2(n["S0"].x)
    return d32(F32.sign_bit | F32.largest if x == F32.sign_bit | F32.infinity else x)


@model("v_exp_legacy_f32")
def _(n):
    x = F32.flushed(n["S0"].x)
    if F32.is_nan(x):
        return d32(F32.quieted(x))
    if F32.is_infinite(x):
        return d32(0 if F32.sign(x) else x)
    return d32(floats.encode(F32, elementary.exp2(max(Fraction(-300), min(Fraction(300), F32.value(x)))), None, floats.NEAREST, True))


@model("v_sin_f32", "v_cos_f32")
def _(n, name):
    x = F32.flushed(n["S0"].x)
    if F32.is_nan(x):
        return d32(F32.quieted(x))
    sine = "sin" in name
    if F32.is_infinite(x) or abs(F32.value(x)) > 256:
        return d32(0 if sine else 0x3f800000)
    return d32(floats.encode(F32, (elementary.sine if sine else elementary.cosine)(F32.value(x)), F32.sign(x) if sine and F32.is_zero(x) else None))


# --- conversions
@model("v_cvt_f16_f32")
def _(n):
    return d32(floats.convert(F32, F16, n["S0"].x))


@model("v_cvt_pkaccum_u8_f32")
def _(n):
    at = (n["S1"].x & 3) * 8
    byte = floats.to_integer(F32, n["S0"].x, 0, 255)
    return d32(n["D0"].x & ~(255 << at) | byte << at)


# --- comparisons that look at nothing
def _constant_comparison(value):
    return lambda n: {"D0": V("b", 64, value << n["laneId"].x), "EXEC": V("u", 64, value << n["laneId"].x)}


for _kind, _value in (("f", 0), ("t", 1), ("tru", 1)):
    for _type in ("f32", "f64", "i32", "i64", "u32", "u64"):
        for _prefix in ("v_cmp_", "v_cmpx_", "v_cmps_", "v_cmpsx_"):
            MODEL[f"{_prefix}{_kind}_{_type}"] = _constant_comparison(_value)


def blocks(gfx7, bound):
    made = []
    for row in gfx7:
        function = MODEL.get(row.name)
        if not function:
            continue
        takes_name = function.__code__.co_argcount == 2 and not function.__defaults__

        def evaluate(names, function=function, name=row.name, takes_name=takes_name):
            names.update(function(names, name) if takes_name else function(names))
        shape = registers.Shape(row)
        literals = [None]
        if shape.immediate:
            # A literal that is none of the numbered sources has no type in the table: it is of the result's.
            literals = registers.LITERALS[next((t or row.operands[0][2] for _, k, t in row.operands if k == "k"), "hex")]
        each = registers.inputs.ROWS // len(literals)
        for n, literal in enumerate(literals):
            block = registers.make(row.name.upper() + (f"/{n}" if len(literals) > 1 else ""), shape, registers.runs_of(row, literal=literal),
                                   evaluate, "model", 0xf0, literal, (n * each, each))
            block.bound = bound(row.name)
            made.append(block)
    return {"gfx7": made}
