"""What a line of the manifest says: a kernel, its arguments in `atoll launch`'s forms, its sizes, and what proves it right."""
import zlib
from dataclasses import dataclass, field

import numpy as np

from .check import Exact


@dataclass
class In:
    data: np.ndarray


@dataclass
class Out:
    dtype: str
    count: int
    check: object = field(default_factory=Exact)


@dataclass
class InOut:
    data: np.ndarray
    check: object = field(default_factory=Exact)


@dataclass
class Local:
    bytes: int


@dataclass
class Value:
    """`form` as on the command line: i32, f32x4 and so on."""
    form: str
    values: tuple

    def text(self):
        return self.form + "=" + ",".join(str(v) if isinstance(v, int) else repr(float(v)) for v in self.values)


@dataclass
class Struct:
    data: bytes


@dataclass
class Null:
    pass


def value(form, *values):
    return Value(form, values)


def i32(v):
    return Value("i32", (v,))


@dataclass
class Kernel:
    """`expect(wave)` gives the wanted arrays of the outputs in order, for kernels that the oracle cannot run (`oracle` False);
    `exact` gives higher-precision references beside the oracle's results. `property(outputs)` returns None or a sentence."""
    name: str
    file: str
    kernel: str
    grid: tuple
    group: tuple
    arguments: list
    expect: object = None
    exact: object = None
    property: object = None
    oracle: bool = True
    ordered: bool = False    # what it gives depends on the order of the work-groups: launched with --deterministic
    waves: tuple = (32, 64)
    text: str = None        # what it must print on standard output
    grid_on_oracle: tuple = None
    # On GPUs without 16-bit instructions: `promoted` is `expect` where halves are computed in f32 and an expression is rounded once;
    # `unsound` is why nothing is to be expected.
    promoted: object = None
    unsound: str = None
    oracle_file: str = None  # the source that the oracle compiles, where it is not `file`

    def outputs(self):
        return [a for a in self.arguments if isinstance(a, (Out, InOut))]


# rocm-device-libs 5.2.3 leaves convert_short_sat(half) to v_cvt_i16_f16, which GPUs without it do not make up for.
SHORT_OF_HALF = "the device library's convert_short_sat(half) counts on v_cvt_i16_f16"


def seeded(name):
    return np.random.RandomState(zlib.crc32(name.encode()))
