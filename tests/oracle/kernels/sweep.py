"""The sweep: one small kernel for each OpenCL C built-in function and type, written at test time.

Bounds are those of OpenCL C 3.0, "Relative error as ULPs" (tables for single, double and half precision, full profile).
References are worked out in longdouble (x87: 64 bits of mantissa, glibc's functions) or exactly in integers; where none is
given the oracle's own result is the reference.
"""
import math

import numpy as np

from .check import Exact, Ulp, narrow
from .entries import bits, special_floats
from .entry import SHORT_OF_HALF, In, InOut, Kernel, Out, seeded

L = np.longdouble
PI = L("3.14159265358979323846264338327950288")
TYPES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8", "half": "f2", "float": "f4", "double": "f8"}
ITEMS = 256


def by_item(function):
    """A reference from Python's math module, one value at a time (erf and gamma have no array form)."""
    def run(x):
        out = np.empty(len(x), L)
        for i, v in enumerate(x):
            try:
                out[i] = function(float(v))
            except OverflowError:
                out[i] = np.inf
            except ValueError:
                out[i] = np.nan
        return out
    return run


def gamma(v):
    if v == 0:
        return math.copysign(math.inf, v)
    return math.gamma(v)


def cut(x):
    """x minus the nearest even number: what sinpi and its kin depend on."""
    r = np.fmod(x, L(2))
    r = np.where(r > 1, r - 2, r)
    return np.where(r < -1, r + 2, r)


def sinpi(x):
    r = cut(x)
    r = np.where(r > 0.5, 1 - r, np.where(r < -0.5, -1 - r, r))
    return np.where(np.isinf(x), np.nan, np.where(x == 0, x, np.sin(PI * r)))


def cospi(x):
    r = np.abs(cut(x))
    return np.where(np.isinf(x), np.nan, np.where(r == 0.5, 0, np.where(r < 0.25, np.cos(PI * r), np.where(r <= 0.75, np.sin(PI * (L("0.5") - r)), -np.cos(PI * (1 - r))))))


def tanpi(x):
    s, c = sinpi(x), cospi(x)
    return np.where(c == 0, np.nan, s / c)


# name: (reference, bound for float, for double, for half, low and high end of the random arguments)
ONE = {
    "acos": (np.arccos, 4, 4, 2, -1, 1), "acosh": (np.arccosh, 4, 4, 2, 1, 1e4), "acospi": (lambda x: np.arccos(x) / PI, 5, 5, 2, -1, 1),
    "asin": (np.arcsin, 4, 4, 2, -1, 1), "asinh": (np.arcsinh, 4, 4, 2, -1e4, 1e4), "asinpi": (lambda x: np.arcsin(x) / PI, 5, 5, 2, -1, 1),
    "atan": (np.arctan, 5, 5, 2, -100, 100), "atanh": (np.arctanh, 5, 5, 2, -1, 1), "atanpi": (lambda x: np.arctan(x) / PI, 5, 5, 2, -100, 100),
    "cbrt": (np.cbrt, 2, 2, 2, -1e4, 1e4), "ceil": (np.ceil, 0, 0, 0, -1e3, 1e3), "cos": (np.cos, 4, 4, 2, -1e4, 1e4), "cosh": (np.cosh, 4, 4, 2, -12, 12),
    "cospi": (cospi, 4, 4, 2, -100, 100), "degrees": (lambda x: x * (180 / PI), 2, 2, 2, -100, 100), "erf": (by_item(math.erf), 16, 17, 4, -4, 4),
    "erfc": (by_item(math.erfc), 16, 20, 4, -3, 9), "exp": (np.exp, 3, 3, 2, -80, 80), "exp10": (lambda x: np.power(L(10), x), 3, 3, 2, -30, 30),
    "exp2": (np.exp2, 3, 3, 2, -120, 120), "expm1": (np.expm1, 3, 3, 2, -10, 10), "fabs": (np.abs, 0, 0, 0, -1e3, 1e3), "floor": (np.floor, 0, 0, 0, -1e3, 1e3),
    "log": (np.log, 3, 3, 2, 0, 1e5), "log10": (np.log10, 3, 3, 2, 0, 1e5), "log1p": (np.log1p, 2, 2, 2, -1, 1e3), "log2": (np.log2, 3, 3, 2, 0, 1e5),
    "logb": (None, 0, 0, 0, -1e5, 1e5), "radians": (lambda x: x * (PI / 180), 2, 2, 2, -1e3, 1e3), "rint": (np.rint, 0, 0, 0, -1e3, 1e3),
    "round": (lambda x: np.where(np.isinf(x), x, np.trunc(x) + np.where(np.abs(x - np.trunc(x)) >= 0.5, np.sign(x), 0)), 0, 0, 0, -1e3, 1e3),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 2, 2, 1, 0, 1e5), "sign": (lambda x: np.where(np.isnan(x), 0, np.sign(x)), 0, 0, 0, -10, 10), "sin": (np.sin, 4, 4, 2, -1e4, 1e4),
    "sinh": (np.sinh, 4, 4, 2, -12, 12), "sinpi": (sinpi, 4, 4, 2, -100, 100), "sqrt": (np.sqrt, 0, 0, 0, 0, 1e5), "tan": (np.tan, 5, 5, 2, -1e4, 1e4),
    "tanh": (np.tanh, 5, 5, 2, -10, 10), "tanpi": (tanpi, 6, 6, 2, -100, 100), "tgamma": (by_item(gamma), 16, 26, 4, 0.1, 12), "trunc": (np.trunc, 0, 0, 0, -1e3, 1e3),
}
# Poles of tan(pi x): the sign of the infinity follows a rule of its own, and the reference says NaN there; they are left out.
TWO = {
    "atan2": (np.arctan2, 6, 6, 2), "atan2pi": (lambda y, x: np.arctan2(y, x) / PI, 6, 6, 2), "copysign": (np.copysign, 0, 0, 0),
    "fdim": (lambda x, y: np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x > y, x - y, 0)), 0, 0, 0), "fmod": (np.fmod, 0, 0, 0), "hypot": (np.hypot, 4, 4, 2),
    "nextafter": (None, 0, 0, 0), "pow": (np.power, 16, 16, 4), "remainder": (None, 0, 0, 0), "fmax": (np.fmax, 0, 0, 0), "fmin": (np.fmin, 0, 0, 0),
    "maxmag": (lambda x, y: np.where(np.abs(x) > np.abs(y), x, np.where(np.abs(y) > np.abs(x), y, np.fmax(x, y))), 0, 0, 0),
    "minmag": (lambda x, y: np.where(np.abs(x) < np.abs(y), x, np.where(np.abs(y) < np.abs(x), y, np.fmin(x, y))), 0, 0, 0),
    "powr": (lambda x, y: np.power(x, y), 16, 16, 4), "step": (lambda edge, x: np.where(x < edge, L(0), L(1)), 0, 0, 0),
}
# Functions that rocm-device-libs 5.2.3 itself has wrong on every machine: only the engines are compared there.
LIBRARY_WRONG = {("sin", "half"): "__ocml_sin_f16 gives NaN for every finite argument"}
INTEGER_ONE = {"abs": True, "clz": False, "popcount": False}
INTEGER_TWO = ["abs_diff", "add_sat", "hadd", "max", "min", "mul_hi", "rhadd", "rotate", "sub_sat"]
INTEGER_THREE = ["clamp_safe", "mad_hi", "mad_sat", "bitselect", "select_last"]
UNSIGNED = {"char": "uchar", "short": "ushort", "int": "uint", "long": "ulong"}


class Chunk:
    """One generated source file and the entries that use it."""

    def __init__(self, name, oracle=True):
        self.name, self.oracle, self.lines, self.entries = name, oracle, [], []

    def add(self, kernel, parameters, body, arguments, count=ITEMS, **more):
        self.lines.append(f"__kernel void {kernel}({parameters}) {{ size_t i = get_global_id(0); {body} }}\n")
        self.entries.append(Kernel(f"sweep/{self.name}/{kernel}", f"sweep/{self.name}.cl", kernel, (count,), (64,), arguments,
                                   oracle=more.pop("oracle", self.oracle), **more))

    def source(self):
        head = "// Written by tests/oracle/kernels/sweep.py.\n"
        if "half" in self.name:
            head += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        if "atomic" in self.name:
            head += "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
        return head + "#pragma OPENCL FP_CONTRACT OFF\n" + "".join(self.lines)


def arguments_for(name, dtype, low, high):
    info = np.finfo(dtype)
    limit = float(info.max) / 4
    random = seeded(f"{name}{dtype}")
    data = special_floats(name, ITEMS, dtype)
    data[128:] = random.uniform(max(low, -limit), min(high, limit), 128).astype(dtype)
    return data


def math_chunks(kind):
    dtype, column = TYPES[kind], {"float": 1, "double": 2, "half": 3}[kind]
    oracle = kind != "half"
    chunks = []

    def chunk(suffix):
        chunks.append(Chunk(f"math_{kind}_{suffix}", oracle))
        return chunks[-1]

    def finish(reference, data, kernel, c, parameters, body, bound):
        exact = None
        if reference is not None:
            with np.errstate(all="ignore"):
                exact = np.asarray(reference(*[d.astype(L) for d in data]), L)
        if kernel.rsplit("_", 1)[0] in [name for name, type_name in LIBRARY_WRONG if type_name == kind]:
            c.add(kernel, parameters, body, [In(d) for d in data] + [Out(dtype, ITEMS)], expect=lambda wave: [None], oracle=False)
            return
        wanted = {} if oracle else {"expect": lambda wave: [narrow(exact, dtype)]}
        out = Out(dtype, ITEMS, Ulp(bound))
        c.add(kernel, parameters, body, [In(d) for d in data] + [out], exact=(lambda: [exact]) if exact is not None else None, **wanted)

    names = sorted(ONE)
    for start in range(0, len(names), 14):
        c = chunk("abc"[start // 14])
        for name in names[start:start + 14]:
            reference, low, high = ONE[name][0], ONE[name][4], ONE[name][5]
            if reference is None and not oracle:
                reference = {"logb": lambda x: np.where(x == 0, -np.inf, np.where(np.isinf(x), np.inf, np.where(np.isnan(x), x, np.frexp(x)[1] - 1)))}[name]
            x = arguments_for(name, dtype, low, high)
            if name == "tanpi":
                x = np.where(np.abs(x - np.trunc(x)) == 0.5, x + x.dtype.type(0.125), x)
            if name == "tgamma":
                x = np.where(x <= 0, np.abs(x) + x.dtype.type(0.25), x)
            finish(reference, [x], f"{name}_{kind}", c, f"__global const {kind}* x, __global {kind}* y", f"y[i] = {name}(x[i]);", ONE[name][column])
    c = chunk("two")
    for name in sorted(TWO):
        x, y = arguments_for(name + "x", dtype, -8, 8), arguments_for(name + "y", dtype, -8, 8)
        reference = TWO[name][0]
        if name == "powr":
            x = np.abs(np.where(x == 0, x.dtype.type(1.25), np.where(np.isinf(x), x.dtype.type(3), x)))
            y = np.where(np.isinf(y), y.dtype.type(2), y)
        if reference is None and not oracle:
            reference = {"nextafter": lambda p, q, x=x, y=y: np.nextafter(x, y), "remainder": lambda p, q: np.array([math.remainder(float(s), float(t)) if np.isfinite(s) and t != 0 and not np.isnan(t) else np.nan for s, t in zip(p, q)])}[name]
        finish(reference, [x, y], f"{name}_{kind}", c, f"__global const {kind}* x, __global const {kind}* y, __global {kind}* z", f"z[i] = {name}(x[i], y[i]);", TWO[name][column])

    x, y, z = (arguments_for("three" + k, dtype, -8, 8) for k in "xyz")
    three = f"__global const {kind}* x, __global const {kind}* y, __global const {kind}* z, __global {kind}* r"
    out = lambda bound: Out(dtype, ITEMS, Ulp(bound))
    if oracle:
        c.add(f"fma_{kind}", three, "r[i] = fma(x[i], y[i], z[i]);", [In(x), In(y), In(z), out(0)])
        finite = [np.clip(np.nan_to_num(v, nan=1.0), -100, 100).astype(dtype) for v in (x, y, z)]
        c.add(f"clamp_{kind}", three, "r[i] = clamp(x[i], fmin(y[i], z[i]), fmax(y[i], z[i]));", [In(v) for v in finite] + [out(0)])
        c.add(f"select_{kind}", three, f"r[i] = select(x[i], y[i], isgreater(z[i], ({kind})0) ? ({'int' if kind == 'float' else 'long'})-1 : 0);", [In(x), In(y), In(z), out(0)])
        c.add(f"bitselect_{kind}", three, "r[i] = bitselect(x[i], y[i], z[i]);", [In(x), In(y), In(z), Out(dtype, ITEMS)])
        c.add(f"ilogb_{kind}", f"__global const {kind}* x, __global int* r", "r[i] = ilogb(x[i]);", [In(np.where(np.isfinite(x) & (x != 0), x, x.dtype.type(9))), Out("i4", ITEMS)])
        c.add(f"relations_{kind}", f"__global const {kind}* x, __global const {kind}* y, __global int* r",
              "r[i] = isequal(x[i], y[i]) | isnotequal(x[i], y[i]) << 1 | isgreater(x[i], y[i]) << 2 | isgreaterequal(x[i], y[i]) << 3 | isless(x[i], y[i]) << 4 | "
              "islessequal(x[i], y[i]) << 5 | islessgreater(x[i], y[i]) << 6 | isordered(x[i], y[i]) << 7 | isunordered(x[i], y[i]) << 8 | isnan(x[i]) << 9 | "
              "isinf(x[i]) << 10 | isfinite(x[i]) << 11 | isnormal(x[i]) << 12 | (signbit(x[i]) != 0) << 13;", [In(x), In(y), Out("i4", ITEMS)])
    n = seeded("powers" + kind).randint(-6, 7, ITEMS).astype("i4")
    root = np.where(n == 0, 3, n).astype("i4")
    base = np.where(np.isfinite(x), x, x.dtype.type(1.5))
    scale = seeded("scale" + kind).randint(-40, 40, ITEMS).astype("i4")
    one_int = f"__global const {kind}* x, __global const int* n, __global {kind}* r"
    with np.errstate(all="ignore"):
        powers = np.power(base.astype(L), n.astype(L))
        roots = np.power(np.abs(base).astype(L), 1 / root.astype(L)) * np.where((root % 2 != 0) & np.signbit(base), -1, 1)
        roots = np.where((root % 2 == 0) & (base < 0), np.nan, roots)
        scaled = np.ldexp(x.astype(L), scale)
        plain = [(name, f(x.astype(L), y.astype(L))) for name, f in (("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply), ("divide", np.divide))]
        fraction = np.fmin(x.astype(L) - np.floor(x.astype(L)), 1 - L(np.finfo(dtype).epsneg))
        fraction = np.where(np.isinf(x), 0, np.where(np.isnan(x), np.nan, fraction))
    bound = 16 if oracle else 4
    extra = lambda values: dict(exact=lambda: [values], **({} if oracle else {"expect": lambda wave: [narrow(values, dtype)]}))
    usual = np.where(base == 0, base.dtype.type(1.75), base)
    with np.errstate(all="ignore"):
        powers = np.power(usual.astype(L), n.astype(L))
        roots = np.power(np.abs(usual).astype(L), 1 / root.astype(L)) * np.where((root % 2 != 0) & np.signbit(usual), -1, 1)
        roots = np.where((root % 2 == 0) & (usual < 0), np.nan, roots)
    c.add(f"pown_{kind}", one_int, "r[i] = pown(x[i], n[i]);", [In(usual), In(n), out(bound)], **extra(powers))
    c.add(f"rootn_{kind}", one_int, "r[i] = rootn(x[i], n[i]);", [In(usual), In(root), out(bound)], **extra(roots))
    c.add(f"ldexp_{kind}", one_int, "r[i] = ldexp(x[i], n[i]);", [In(x), In(scale), out(0)], **extra(scaled))
    for (name, values), sign in zip(plain, "+-*/"):
        c.add(f"{name}_{kind}", f"__global const {kind}* x, __global const {kind}* y, __global {kind}* r", f"r[i] = x[i] {sign} y[i];", [In(x), In(y), out(0)], **extra(values))
    whole = np.where(np.isnan(x), x, np.floor(x))
    c.add(f"fract_{kind}", f"__global const {kind}* x, __global {kind}* r, __global {kind}* w", f"{kind} t; r[i] = fract(x[i], &t); w[i] = t;", [In(x), out(0), out(0)],
          exact=lambda: [fraction, whole], **({} if oracle else {"expect": lambda wave: [narrow(fraction, dtype), whole]}))
    if oracle:
        c.add(f"frexp_{kind}", f"__global const {kind}* x, __global {kind}* r, __global int* e", "int t = 0; r[i] = frexp(x[i], &t); e[i] = t;",
              [In(np.where(np.isfinite(x), x, x.dtype.type(5))), out(0), Out("i4", ITEMS)])
        c.add(f"modf_{kind}", f"__global const {kind}* x, __global {kind}* r, __global {kind}* w", f"{kind} t; r[i] = modf(x[i], &t); w[i] = t;", [In(x), out(0), out(0)])
        sines = arguments_for("sincos", dtype, -100, 100)
        with np.errstate(all="ignore"):
            both = [np.sin(sines.astype(L)), np.cos(sines.astype(L))]
        c.add(f"sincos_{kind}", f"__global const {kind}* x, __global {kind}* r, __global {kind}* w", f"{kind} t; r[i] = sincos(x[i], &t); w[i] = t;", [In(sines), out(4), out(4)], exact=lambda: both)
        c.add(f"smoothstep_{kind}", f"__global const {kind}* x, __global {kind}* r", f"r[i] = smoothstep(({kind})-1, ({kind})2, x[i]);", [In(np.nan_to_num(x, nan=0.25)), out(4)])
        c.add(f"mix_{kind}", three, "r[i] = mix(x[i], y[i], z[i]);", [In(v) for v in finite[:2]] + [In(np.abs(np.sin(finite[2]))), Out(dtype, ITEMS, Ulp(600))])
    return chunks


def integer_chunks():
    chunks = []
    for kind in list(UNSIGNED) + list(UNSIGNED.values()):
        dtype, c = TYPES[kind], Chunk("integer_" + kind)
        unsigned = UNSIGNED.get(kind, kind)
        signed = kind if kind in UNSIGNED else kind[1:]
        x, y, z = (bits(kind + k, ITEMS, dtype) for k in "xyz")
        for name, makes_unsigned in INTEGER_ONE.items():
            result = unsigned if makes_unsigned else kind
            c.add(f"{name}_{kind}", f"__global const {kind}* x, __global {result}* r", f"r[i] = {name}(x[i]);", [In(x), Out(TYPES[result], ITEMS)])
        for name in INTEGER_TWO:
            result = unsigned if name == "abs_diff" else kind
            # rocm-device-libs 5.2.3 takes max(x - y, y - x) for abs_diff of int, which overflows: its arguments are halved.
            p, q = (x >> 1, y >> 1) if name == "abs_diff" else (x, y)
            c.add(f"{name}_{kind}", f"__global const {kind}* x, __global const {kind}* y, __global {result}* r", f"r[i] = {name}(x[i], y[i]);", [In(p), In(q), Out(TYPES[result], ITEMS)])
        for name in INTEGER_THREE:
            call = {"clamp_safe": "clamp(x[i], min(y[i], z[i]), max(y[i], z[i]))", "select_last": f"select(x[i], y[i], ({signed})z[i])"}.get(name, f"{name}(x[i], y[i], z[i])")
            c.add(f"{name}_{kind}", f"__global const {kind}* x, __global const {kind}* y, __global const {kind}* z, __global {kind}* r", f"r[i] = {call};", [In(x), In(y), In(z), Out(dtype, ITEMS)])
        width = np.dtype(dtype).itemsize * 8
        divisor = np.where((y == 0) | (y == np.array(-1).astype(dtype)), np.array(7).astype(dtype), y)
        for name, call in {"divide": "x[i] / y[i]", "modulo": "x[i] % y[i]", "multiply": "x[i] * y[i]", "shift_left": f"x[i] << (y[i] & {width - 1})", "shift_right": f"x[i] >> (y[i] & {width - 1})",
                           "compare": f"({kind})((x[i] < y[i]) + 2 * (x[i] == y[i]) + 4 * (x[i] >= y[i]))"}.items():
            other = divisor if name in ("divide", "modulo") else y
            c.add(f"{name}_{kind}", f"__global const {kind}* x, __global const {kind}* y, __global {kind}* r", f"r[i] = {call};", [In(x), In(other), Out(dtype, ITEMS)])
        if kind in ("int", "uint"):
            small = [(v.view("i4") >> 8).view(dtype) if kind == "int" else v & np.array(0xFFFFFF, dtype) for v in (x, y)]
            c.add(f"mul24_{kind}", f"__global const {kind}* x, __global const {kind}* y, __global {kind}* r", "r[i] = mul24(x[i], y[i]);", [In(small[0]), In(small[1]), Out(dtype, ITEMS)])
            c.add(f"mad24_{kind}", f"__global const {kind}* x, __global const {kind}* y, __global const {kind}* z, __global {kind}* r", "r[i] = mad24(x[i], y[i], z[i]);",
                  [In(small[0]), In(small[1]), In(z), Out(dtype, ITEMS)])
        wider = {"char": "short", "uchar": "ushort", "short": "int", "ushort": "uint", "int": "long", "uint": "ulong"}.get(kind)
        if wider:
            c.add(f"upsample_{kind}", f"__global const {kind}* x, __global const {unsigned}* y, __global {wider}* r", "r[i] = upsample(x[i], y[i]);",
                  [In(x), In(y.view(TYPES[unsigned])), Out(TYPES[wider], ITEMS)])
        chunks.append(c)
    return chunks


def rounded_to(x, dtype, mode):
    """Exact longdouble values rounded to a float type in one of OpenCL's four modes."""
    nearest = narrow(x, dtype)
    if mode == "rte":
        return nearest
    back = nearest.astype(L)
    info = np.finfo(dtype)
    below = np.where(back > x, np.nextafter(nearest, np.array(-np.inf, dtype)), nearest)
    above = np.where(back < x, np.nextafter(nearest, np.array(np.inf, dtype)), nearest)
    result = {"rtn": below, "rtp": above, "rtz": np.where(x > 0, below, above)}[mode]
    return np.where(np.isinf(x) | np.isnan(x), nearest, np.where((mode == "rtz") & np.isinf(result), np.copysign(info.max, result), result)).astype(dtype)


def library_source(source, target, data):
    """Arguments that rocm-device-libs 5.2.3 converts rightly: on the way to half it clamps wider integers to 16 bits."""
    return np.clip(data, 0 if data.dtype.kind == "u" else -32767, 32767).astype(data.dtype) if target == "half" and source in ("int", "uint", "long", "ulong") else data


def library_mode(source, target, mode):
    """The rounding that rocm-device-libs 5.2.3 does: its convert_half_rtn of short rounds toward zero."""
    return "rtz" if (source, target, mode) == ("short", "half", "rtn") else mode


ROUND = {"rte": np.rint, "rtz": np.trunc, "rtp": np.ceil, "rtn": np.floor}


def limits(dtype):
    info = np.iinfo(dtype)
    return L(int(info.min)), L(int(info.max))


def from_longdouble(x, dtype):
    """longdouble to an integer type, value by value: numpy's own cast loses 64-bit edges."""
    return np.array([int(v) for v in x], dtype)


def conversion_chunks():
    chunks = []
    for source in TYPES:
        c = Chunk("convert_" + source + ("_half" if source != "half" else ""))
        for target in TYPES:
            if source == target:
                continue
            parameters = f"__global const {source}* x, __global const {source}* safe, __global {target}* r"
            s, t = np.dtype(TYPES[source]), np.dtype(TYPES[target])
            x = special_floats(source + target, ITEMS, s) if s.kind == "f" else bits(source + target, ITEMS, s)
            x = library_source(source, target, x)
            calls, columns = [], []
            with np.errstate(all="ignore"):
                if t.kind == "f":
                    calls = [f"convert_{target}(x[i])"] + [f"convert_{target}_{m}(x[i])" for m in ROUND]
                    columns = [rounded_to(x.astype(L), t, library_mode(source, target, m)) for m in ["rte", *ROUND]]
                    safe = x
                elif s.kind == "f":
                    low, high = limits(t)
                    scale = min(float(high), float(np.finfo(s).max)) * 0.99
                    random = seeded(source + target + "safe")
                    safe = (random.uniform(float(low) * 0.99 if low == 0 else -scale, scale, ITEMS) * 2.0 ** -random.randint(0, 24, ITEMS)).astype(s)
                    safe[:8] = np.array([0.5, 1.5, 2.5, 3.5, 0.25, 100.5, 0, 99.75], s)
                    # OpenCL asks for 0 where NaN is saturated; rocm-device-libs 5.2.3 gives the lowest number instead.
                    x = number = np.where(np.isnan(x), x.dtype.type(0), x)
                    calls = [f"convert_{target}(safe[i])"] + [f"convert_{target}_{m}(safe[i])" for m in ROUND] + [f"convert_{target}_sat{m}(x[i])" for m in ["", *("_" + m for m in ROUND)]]
                    columns = [from_longdouble(ROUND[m](safe.astype(L)), t) for m in ["rtz", *ROUND]]
                    columns += [from_longdouble(np.clip(ROUND[m](number.astype(L)), low, high), t) for m in ["rtz", *ROUND]]
                else:
                    low, high = np.iinfo(t).min, np.iinfo(t).max
                    safe = x
                    calls = [f"convert_{target}(x[i])", f"convert_{target}_sat(x[i])", f"convert_{target}_sat_rtp(x[i])"]
                    saturated = np.array([min(max(int(v), low), high) for v in x], t)
                    columns = [x.astype(t), saturated, saturated]
            wanted = np.stack(columns, 1).ravel()
            n = len(calls)
            c.add(f"{source}_to_{target}", parameters, " ".join(f"r[i * {n} + {k}] = {call};" for k, call in enumerate(calls)),
                  [In(x), In(safe), Out(TYPES[target], ITEMS * n)], expect=lambda wave, wanted=wanted: [wanted], oracle=False, unsound=SHORT_OF_HALF if (source, target) == ("half", "short") else None)
        chunks.append(c)
    return chunks


def atomic_chunks():
    """Each work-item has a cell of its own, so the old value that comes back and the new one are both known."""
    chunks = []
    for kind in ("int", "uint", "long", "ulong"):
        dtype, c = TYPES[kind], Chunk("atomic_" + kind)
        prefix = "atom" if kind.endswith("long") else "atomic"
        a, b, third = (bits("atom" + kind + k, ITEMS, dtype) for k in "abc")
        expected = np.where(np.arange(ITEMS) % 2 == 0, a, b).astype(dtype)
        for name in ("add", "sub", "xchg", "inc", "dec", "min", "max", "and", "or", "xor", "cmpxchg"):
            call = {"inc": "", "dec": "", "cmpxchg": ", e[i], b[i]"}.get(name, ", b[i]")
            parameters = f"__global {kind}* a, __global const {kind}* b, __global const {kind}* e, __global {kind}* old"
            arguments = lambda: [InOut(a.copy()), In(b), In(third if name != "cmpxchg" else expected), Out(dtype, ITEMS)]
            c.add(f"global_{name}_{kind}", parameters, f"old[i] = {prefix}_{name}(&a[i]{call});", arguments())
            c.add(f"local_{name}_{kind}", parameters,
                  f"__local {kind} s[64]; size_t l = get_local_id(0); s[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); old[i] = {prefix}_{name}(&s[l]{call}); "
                  "barrier(CLK_LOCAL_MEM_FENCE); a[i] = s[l] ^ s[l ^ 1] ^ s[l ^ 1];", arguments())
        chunks.append(c)
    return chunks


def chunks():
    return [c for kind in ("float", "double", "half") for c in math_chunks(kind)] + integer_chunks() + conversion_chunks() + atomic_chunks()
