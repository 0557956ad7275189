"""Columns of 256 input values by type: the first 196 rows of columns a and b are all pairs of 14 edge values, the others are drawn from edges, small
numbers and anything; column c is drawn throughout, column u (for one operand) goes through a longer list of edges, column d is arbitrary bits."""
import struct
import zlib

ROWS = 256
PAIRS = 14


class Random:
    """SplitMix64."""

    def __init__(self, seed):
        self.state = seed

    def next64(self):
        self.state = (self.state + 0x9e3779b97f4a7c15) & (1 << 64) - 1
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & (1 << 64) - 1
        z = (z ^ z >> 27) * 0x94d049bb133111eb & (1 << 64) - 1
        return z ^ z >> 31

    def bits(self, n):
        value = 0
        for at in range(0, n, 32):
            value |= (self.next64() >> 32) << at
        return value & (1 << n) - 1

    def below(self, n):
        return (self.next64() >> 32) * n >> 32


EDGES = {
    "b32": [0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 31, 32, 33, 63, 64, 0x00800000, 0xff7fffff, 0x0000ffff, 0xffff0080],
    "b64": [0, 1, (1 << 64) - 1, (1 << 63) - 1, 1 << 63, 31, 32, 0xffffffff, 63, 64, 1 << 32, 0xffffffff80000000, 0x00ff00ff00ff00ff,
            0x8000000000000001],
    "b16": [0, 1, 0xffff, 0x7fff, 0x8000, 15, 16, 17, 0x8001, 0xff, 0x100, 0xff80, 31, 0xfffe],
    "f32": [0, 0x80000000, 1, 0x807fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x40200000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
            0x7fc01234, 0xff812345],
    "f64": [0, 1 << 63, 1, 0x800fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x4004000000000000,
            0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8123400005678, 0xfff0234500000001],
    "f16": [0, 0x8000, 1, 0x83ff, 0x0400, 0x3c00, 0xbc00, 0x4100, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e12, 0xfd01],
    "bf16": [0, 0x8000, 1, 0x807f, 0x0080, 0x3f80, 0xbf80, 0x4020, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc1, 0xff81],
    "fp8": [0, 0x80, 1, 0x87, 0x08, 0x38, 0xb8, 0x3a, 0x7e, 0xfe, 0x7f, 0xff, 0x40, 0xc4],
    "bf8": [0, 0x80, 1, 0x83, 0x04, 0x3c, 0xbc, 0x3e, 0x7b, 0xfb, 0x7c, 0xfc, 0x7d, 0xff],
    # Depths that are often the same: n / 8.
    "unit": [0, 0x3e000000, 0x3e800000, 0x3ec00000, 0x3f000000, 0x3f200000, 0x3f400000, 0x3f600000, 0x3f800000],
}
MORE = {
    "b32": [2, 3, 30, 0x40000000, 0xc0000000, 0x80000001, 0x7ffffffe, 0x55555555, 0xaaaaaaaa, 0x00010000, 0xff000000, 0x01000000, 0x01000001,
            0xfeffffff, 0x80, 0x8000, 0xffff8000, 0xffffff80, 0x12345678, 0x0f0f0f0f, 0xf0000000, 0x00000010, 0x00ffffff, 0xfffffffe],
    "b64": [2, 3 << 62, 1 << 62, (1 << 64) - 2, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa, 1 << 31, 1 << 53, (1 << 53) + 1, 0xffff000000000000,
            0x00000000ffff0000, 0x8000000000000000 >> 20],
    "b16": [2, 14, 0x4000, 0xc000, 0x5555, 0xaaaa, 0x7ffe, 0x80],
    "f32": [0x3f000000, 0xbf000000, 0x3effffff, 0x3f000001, 0x3fc00000, 0xbfc00000, 0xc0200000, 0x40600000, 0x3f7fffff, 0xbf7fffff, 0x3f800001,
            0x4affffff, 0x4b000000, 0x4b000001, 0x4afffffd, 0xcb000001, 0x4b800000, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff,
            0x4f800000, 0x4f800001, 0x007fffff, 0x00400000, 0x80000001, 0x80800000, 0x33800000, 0x33000000, 0x33000001, 0x477fe000, 0x477fefff,
            0x477ff000, 0x38800000, 0x387fe000, 0x387fffff, 0x33c00000, 0x43000000, 0x437f0000, 0x437f8000, 0x43800000, 0xc3000000, 0x46fffe00,
            0x47000000, 0xc7000000, 0xc7000100, 0x477fff00, 0x42fe0000, 0x43160000, 0xc2fc0000, 0xc3150000, 0xc3160000, 0x3e800000, 0x3f400000,
            0x3eaaaaab, 0x40490fdb, 0x402df854, 0x7fc00000, 0xffc00000, 0x7f800001, 0x7fffffff, 0xffffffff, 0x5f7fffff, 0x20000000, 0x7e800000,
            0x7f000000, 0x00ffffff],
    "f64": [0x3fe0000000000000, 0xbfe0000000000000, 0x3fdfffffffffffff, 0x3ff8000000000000, 0xbff8000000000000, 0xc004000000000000,
            0x3fefffffffffffff, 0x432fffffffffffff, 0x4330000000000000, 0x4330000000000001, 0x4340000000000000, 0x41dfffffffc00000,
            0x41dfffffffe00000, 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000, 0xc1e00000001fffff, 0x41efffffffe00000,
            0x41effffffff00000, 0x41f0000000000000, 0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x3690000000000000,
            0x3690000000000001, 0x36a0000000000000, 0x3810000000000000, 0x380fffffffffffff, 0x380fffffe0000000, 0x380ffffff0000000,
            0x000fffffffffffff, 0x8000000000000001, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0xffffffffffffffff,
            0x400921fb54442d18, 0x5fe0000000000000, 0x2000000000000000, 0x7fd0000000000000, 0x4250000000000000, 0x4435000000000000],
    "f16": [0x3800, 0xb800, 0x37ff, 0x3e00, 0xbe00, 0xc100, 0x3bff, 0x3c01, 0x63ff, 0x6400, 0x6401, 0x6800, 0x77ff, 0x7800, 0x03ff, 0x0200, 0x8001,
            0x8400, 0x7e00, 0xfe00, 0x7c01, 0x7fff, 0xffff, 0x3400, 0x3a00, 0x4248, 0x4c00, 0xcc00, 0x1000, 0x5bf8, 0x5c00, 0xd800],
    "bf16": [0x3f00, 0x3fc0, 0x4b00, 0x7fff, 0xffff, 0x0040], "fp8": [0x30, 0x77, 0x78], "bf8": [0x38, 0x7f, 0x7e], "unit": [],
}
WIDTHS = {"b32": 32, "b64": 64, "b16": 16, "f32": 32, "f64": 64, "f16": 16, "bf16": 16, "fp8": 8, "bf8": 8, "unit": 32}
EXPONENTS = {"f32": (23, 8), "f64": (52, 11), "f16": (10, 5), "bf16": (7, 8), "fp8": (3, 4), "bf8": (2, 5)}


def _anything(kind, random):
    width = WIDTHS[kind]
    choice = random.below(8)
    if kind in EXPONENTS:
        m, e = EXPONENTS[kind]
        if choice < 2:
            return random.bits(width)
        bias = (1 << (e - 1)) - 1
        if choice < 6:  # of ordinary size, so that sums and products round
            exponent = max(1, min(2 * bias, bias - 6 + random.below(14)))
            return random.bits(1) << (width - 1) | exponent << m | random.bits(m)
        if choice == 6:  # a short significand
            return random.bits(1) << (width - 1) | min(2 * bias, bias + random.below(8)) << m | (random.bits(m) >> max(m - 3, 0) << max(m - 3, 0))
        return (EDGES[kind] + MORE[kind])[random.below(len(EDGES[kind] + MORE[kind]))]
    if kind == "unit":
        return EDGES[kind][random.below(len(EDGES[kind]))]
    if choice < 3:
        return random.bits(width)
    if choice < 5:
        return (random.below(600) - 300) & (1 << width) - 1
    if choice == 5:
        return random.bits(width) >> random.below(width)
    return (EDGES[kind] + MORE[kind])[random.below(len(EDGES[kind] + MORE[kind]))]


def _scalar_column(kind, letter, salt=""):
    random = Random(zlib.crc32(f"{kind}.{letter}{salt}".encode()))
    edges, more = EDGES[kind], MORE[kind]
    if letter == "d":
        return [random.bits(WIDTHS[kind]) for _ in range(ROWS)]
    if letter == "u":
        column = edges + more
        return (column + [_anything(kind, random) for _ in range(ROWS)])[:ROWS]
    column = []
    for row in range(ROWS):
        if row < PAIRS * PAIRS and letter in "ab":
            column.append(edges[(row // PAIRS if letter == "a" else row % PAIRS) % len(edges)])
        else:
            column.append(_anything(kind, random))
    return column


_columns = {}


def column(name):
    """A column by TYPE.LETTER. TYPE may be packed (f16x2, b16x2, fp8x4), or a 16-bit type, whose other half of the register is arbitrary; "bit" is one bit,
    "byte" eight; "belowN" numbers below N, "texelN" coordinates of N texels."""
    if name in _columns:
        return _columns[name]
    kind, letter = name.split(".")
    if kind == "bit":
        random = Random(zlib.crc32(name.encode()))
        values = [random.bits(1) for _ in range(ROWS)]
    elif kind.startswith("below"):
        random = Random(zlib.crc32(name.encode()))
        values = [random.below(int(kind[5:])) for _ in range(ROWS)]
    elif kind.startswith("texel"):
        # A coordinate that is n + 1/4 or n + 3/4 texels of so many (a power of two), from somewhat below 0 to somewhat beyond.
        random, size = Random(zlib.crc32(name.encode())), int(kind[5:])
        values = []
        for _ in range(ROWS):
            quarters = 4 * (random.below(size + size // 2) - size // 4) + 1 + 2 * random.bits(1)
            values.append(struct.unpack("<I", struct.pack("<f", quarters / (4 * size)))[0])
    elif kind == "byte":
        random = Random(zlib.crc32(name.encode()))
        values = [random.bits(8) for _ in range(ROWS)]
    elif "x" in kind:
        element, count = kind.split("x")
        width = WIDTHS[element]
        parts = [_scalar_column(element, letter, f".{n}" if n else "") for n in range(int(count))]
        # Elements above the first are turned round, so that different edges stand beside each other.
        values = [sum(p[(row + 37 * n) % ROWS] << (width * n) for n, p in enumerate(parts)) for row in range(ROWS)]
    elif WIDTHS[kind] == 16:
        upper = Random(zlib.crc32(f"{name} upper".encode()))
        values = [v | upper.bits(16) << 16 for v in _scalar_column(kind, letter)]
    else:
        values = _scalar_column(kind, letter)
    _columns[name] = values
    return values


def width(name):
    kind = name.split(".")[0]
    if kind == "bit":
        return 1
    if kind == "byte" or kind.startswith(("below", "texel")):
        return 32
    if "x" in kind:
        element, count = kind.split("x")
        return WIDTHS[element] * int(count)
    return max(32, WIDTHS[kind])
