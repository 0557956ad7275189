"""How two arrays of results are compared: integers exactly, floats in units in the last place (ulp) of the reference.

The ulp is OpenCL's (OpenCL C 3.0, 7.4 "Relative error as ULPs"): the gap between the two representable numbers around the
exact value. Every check returns None, or a sentence about the first difference.
"""
import numpy as np

FORMATS = {np.dtype(np.float16): (11, -14), np.dtype(np.float32): (24, -126), np.dtype(np.float64): (53, -1022)}


def narrow(exact, dtype):
    """The nearest number of `dtype`, ties to even. numpy takes longdouble to half by way of float, rounding twice; here the
    step between, to double, is rounded to odd, which leaves the second rounding right."""
    exact = np.asarray(exact, np.longdouble)
    with np.errstate(all="ignore"):
        if np.dtype(dtype) != np.float16:
            return exact.astype(dtype)
        middle = exact.astype(np.float64)
        back = middle.astype(np.longdouble)
        even = (middle.view(np.uint64) & 1 == 0) & (back != exact) & np.isfinite(middle)
        return np.where(even, np.nextafter(middle, np.where(back < exact, np.inf, -np.inf)), middle).astype(np.float16)


def ulp_of(exact, dtype):
    """The gap between neighbours of `dtype` at each exact value (an array of longdouble)."""
    precision, lowest = FORMATS[np.dtype(dtype)]
    magnitude = np.abs(exact)
    with np.errstate(all="ignore"):
        exponent = np.where(magnitude > 0, np.frexp(np.where(np.isfinite(magnitude), magnitude, 1))[1] - 1, lowest)
    exponent = np.clip(exponent, lowest, None)
    return np.ldexp(np.longdouble(1), exponent - (precision - 1))


def ulp_error(got, exact):
    """Distance in ulp; 0 where both are NaN or the same infinity, infinite where only one is."""
    dtype = got.dtype
    exact = np.asarray(exact, np.longdouble)
    with np.errstate(all="ignore"):
        rounded = narrow(exact, dtype)
        error = np.abs(got.astype(np.longdouble) - exact) / ulp_of(exact, dtype)
        # A result beyond the largest number: infinity is right, and so is what lies within the bound below it.
        top = np.longdouble(np.finfo(dtype).max)
        beyond = np.isinf(rounded) & np.isfinite(got)
        error = np.where(beyond, (np.maximum(np.abs(np.where(np.isinf(exact), np.sign(exact) * top * 2, exact)), top) - np.abs(got)) / ulp_of(top, dtype)
                         + np.where(np.signbit(got) != np.signbit(exact), np.inf, 0), error)
        near_top = np.isinf(got) & np.isfinite(exact)
        error = np.where(near_top, np.where(np.signbit(got) == np.signbit(exact), (top * (1 + np.longdouble(2) ** -24) - np.abs(exact)) / ulp_of(top, dtype), np.inf), error)
        error = np.where(np.isinf(rounded) & np.isinf(got) & (np.signbit(got) == np.signbit(rounded)), 0, error)
        error = np.where(np.isnan(exact), np.where(np.isnan(got), 0, np.inf), error)
        error = np.where(np.isnan(got) & ~np.isnan(exact), np.inf, error)
    return error.astype(np.float64)


def describe(bad, got, wanted, text):
    first = int(np.argmax(bad))
    return f"{text}: {int(np.count_nonzero(bad))} of {bad.size} differ, first at [{first}]: {got.ravel()[first]!r}, wanted {wanted.ravel()[first]!r}"


class Exact:
    """The same bits; any NaN for a NaN where `nan` is set."""

    def __init__(self, nan=True):
        self.nan = nan

    def __call__(self, got, wanted):
        size = got.dtype.itemsize
        bad = got.view(f"u{size}") != wanted.view(f"u{size}")
        if self.nan and got.dtype.kind == "f":
            bad &= ~(np.isnan(got) & np.isnan(wanted))
        return describe(bad, got, wanted, "exact") if bad.any() else None


class Ulp:
    """Within `bound` ulp of the exact value. Without an exact reference the oracle's own result stands for it, twice the
    bound wide, since the oracle may be off by as much the other way."""

    def __init__(self, bound, zero_sign=False):
        self.bound = bound
        self.zero_sign = zero_sign

    def __call__(self, got, wanted, exact=None):
        if exact is None:
            error, bound, wanted_for_text = ulp_error(got, wanted), 2 * self.bound, wanted
        else:
            error, bound, wanted_for_text = ulp_error(got, exact), self.bound, np.asarray(exact)
        bad = error > max(bound, 0.5)
        if self.zero_sign:
            bad |= (got == 0) & (wanted_for_text == 0) & (np.signbit(got) != np.signbit(wanted_for_text))
        return describe(bad, got, wanted_for_text, f"{self.bound} ulp (worst {np.max(error):.3g})") if bad.any() else None


class Near:
    """Within a share of the wanted value plus an absolute slack, for long chains of operations (the entry says why)."""

    def __init__(self, relative, absolute=0.0):
        self.relative, self.absolute = relative, absolute

    def __call__(self, got, wanted, exact=None):
        wanted = np.asarray(wanted if exact is None else exact)
        with np.errstate(all="ignore"):
            g, w = got.astype(np.float64), wanted.astype(np.float64)
            bad = ~((np.abs(g - w) <= self.relative * np.abs(w) + self.absolute) | (np.isnan(g) & np.isnan(w)) | (g == w))
        return describe(bad, got, wanted, f"within {self.relative:g}") if bad.any() else None


class Same:
    """A property of all outputs together, where their order is free: the function gets the results, returns None or a sentence."""

    def __init__(self, function):
        self.function = function
