"""Blocks of R5xx shader instructions: one instruction, whose words stand in the text, on registers that hold columns or numbers before. What it reads and
writes becomes the block's inputs and outputs."""
import zlib

from . import inputs
from .blocks import Block

ROWS_OF_VARIANT = 32
VARIANTS = 16
_LETTERS = "abcefghijklmnopqrstvwxyz"
_NUMBERS = [0x3fc00000, 0xc0200000, 0x3e99999a, 0x80000000, 0x7f800000, 0x42c80000, 0x00400000, 0x7fc01234, 0xbf800000, 0x3f7ffff0, 0x4b000001, 0xff7fffff]


class Registers:
    """Before the instruction: `given` names columns or numbers of places; every other place has one that its name decides. Constants are the same for all
    rows."""

    def __init__(self, first, rows, given):
        self.first, self.rows, self.given, self.used = first, rows, given, {}

    def _holds(self, place):
        if place in self.given:
            return self.given[place]
        number = zlib.crc32(place.encode())
        if place.startswith("c"):
            return _NUMBERS[number % len(_NUMBERS)]
        if place.startswith("p") or place == "alu_result":
            return f"bit.{_LETTERS[number % 4]}"
        return f"f32.{_LETTERS[number % len(_LETTERS)]}"

    def read(self, place, row):
        if place not in self.used:
            self.used[place] = self._holds(place)
        what = self.used[place]
        return inputs.column(what)[self.first + row] if isinstance(what, str) else what


def make(name, run, first, rows, given, step, bits_of, settings=()):
    """`step(registers, row)` gives {place: value} of what row's instruction writes; `settings` are inputs whatever is read. `bits_of(place)`: 1 or 32."""
    block = Block(name, "model", "lanes")
    block.rows, block.first = rows, first
    block.runs = [run]
    registers = Registers(first, rows, given)
    written = [step(registers, row) for row in range(rows)]
    places = sorted({place for one in written for place in one})
    for place in places:
        values = [one[place] if place in one else registers.read(place, row) for row, one in enumerate(written)]
        block.outputs.append((place, bits_of(place), values))
    block.inputs = list(settings) + sorted(registers.used.items())
    return block
