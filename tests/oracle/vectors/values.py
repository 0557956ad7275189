"""Typed values of the pseudocode: a kind (u, i, b; f, bf, fp8, bf8), a width, the bits. Integers calculate as in C, at 32 bits at least."""
from . import floats

FORMATS = {("f", 16): floats.F16, ("f", 32): floats.F32, ("f", 64): floats.F64, ("bf", 16): floats.BF16, ("fp8", 8): floats.FP8,
           ("bf8", 8): floats.BF8}


class Unknown(Exception):
    """A name or a form that the interpreter has no meaning for."""


class V:
    __slots__ = ("k", "w", "x", "literal")

    def __init__(self, kind, width, bits, literal=False):
        self.k, self.w, self.x, self.literal = kind, width, bits & ((1 << width) - 1), literal

    @property
    def is_float(self):
        return self.k in ("f", "bf", "fp8", "bf8")

    @property
    def format(self):
        return FORMATS[(self.k, self.w)]

    @property
    def number(self):
        """An integer's value."""
        if self.k == "i" and self.x >> (self.w - 1):
            return self.x - (1 << self.w)
        return self.x

    def __repr__(self):
        return f"{self.x:#x}.{self.k}{self.w}"


def boolean(x):
    return V("u", 1, 1 if x else 0)


def i32(x):
    return V("i", 32, x)


def type_of(text):
    """u32, bf16, fp8 as kind and width."""
    if text in ("fp8", "bf8"):
        return text, 8
    if text == "bf":
        return "bf", 16
    return text.rstrip("0123456789"), int(text[len(text.rstrip("0123456789")):])
