"""Instructions that see more than one lane's operands: a whole wave's registers, its memory, or the program counter. A block is made from a text, from what
stands in registers and memory before, and from a function on the wave's state."""
import re

from . import inputs, interpreter, values
from .blocks import Block

LANES = 64
ALL = (1 << 64) - 1
CODE = 0x4000  # where the runner's programs begin


class Wave:
    """Registers by name and number; `slots` are the pieces of LDS or memory, one a lane, as bytearrays one behind the other."""

    def __init__(self):
        self.v, self.s = {}, {}
        self.other = {}  # lists of lanes, or numbers, by the runner's names
        self.vcc, self.exec, self.scc, self.m0, self.mode = 0, ALL, 0, 0, 0xf0
        self.lds, self.mem = bytearray(65536), bytearray(65536)

    def vgpr(self, n):
        return self.v.setdefault(n, [0] * LANES)

    def sgpr(self, n):
        return self.s.get(n, 0)

    def active(self):
        return [lane for lane in range(LANES) if self.exec >> lane & 1]

    def vector(self, first, dwords, lane):
        return sum(self.vgpr(first + d)[lane] << 32 * d for d in range(dwords))

    def set_vector(self, first, dwords, lane, value):
        for d in range(dwords):
            self.vgpr(first + d)[lane] = value >> 32 * d & 0xffffffff

    def scalar(self, first, dwords=1):
        return sum(self.sgpr(first + d) << 32 * d for d in range(dwords))

    def set_scalar(self, first, dwords, value):
        for d in range(dwords):
            self.s[first + d] = value >> 32 * d & 0xffffffff


def parse_register(name):
    found = re.match(r"^([vs])(?:(\d+)|\[(\d+):(\d+)\])$", name)
    if not found:
        return name, 0, 0
    first = int(found.group(2) or found.group(3))
    return found.group(1), first, int(found.group(4) or first) - first + 1


def _value(given, row, lane):
    if isinstance(given, str):
        if given.startswith("ramp:"):
            start, step = given[5:].split(":")
            return int(start, 0) + lane * int(step, 0)
        return inputs.column(given)[row]
    return given


def make(name, source, kind, runs, given, wanted, run, rows=inputs.ROWS, first=0):
    """`given`: {place: column, ramp or number}; `wanted`: {place: bits}; `run(wave)` does it. Places as the files name them."""
    given = {"mode": 0xf0, **given}  # what the instruction sets begin with differs
    block = Block(name, source, kind)
    block.runs, block.rows, block.first = runs, rows, first
    block.inputs = list(given.items())
    results = {place: [] for place in wanted}
    each = LANES if kind == "lanes" else 1
    for at in range(0, rows, each):
        wave = Wave()
        count = min(each, rows - at)
        for place, what in given.items():
            letter, number, dwords = parse_register(place)
            if letter == "v":
                for lane in range(LANES):
                    wave.set_vector(number, dwords, lane, _value(what, first + at + (lane if lane < count else 0), lane if lane < count else 0))
            elif letter == "s":
                wave.set_scalar(number, dwords, _value(what, first + at, 0))
            elif letter in ("lds", "mem"):
                memory, size = getattr(wave, letter), (inputs.width(what) + 31) // 32 * 4
                for lane in range(count):
                    memory[lane * size:lane * size + size] = _value(what, first + at + lane, lane).to_bytes(size, "little")
            elif ":" in place:
                wave.other[place] = [_value(what, first + at + (lane if lane < count else 0), lane) for lane in range(LANES)]
            elif isinstance(what, str) and what.startswith("bit."):
                bits = sum(_value(what, first + at + lane, lane) << lane for lane in range(count))
                setattr(wave, letter, bits)
            else:
                setattr(wave, letter, _value(what, first + at, 0))
        run(wave)
        for lane in range(count):
            for place, bits in wanted.items():
                letter, number, dwords = parse_register(place)
                if letter == "v":
                    value = wave.vector(number, dwords, lane)
                elif letter == "s":
                    value = wave.scalar(number, dwords)
                elif letter in ("lds", "mem"):
                    size = bits // 8
                    value = int.from_bytes(getattr(wave, letter)[lane * size:lane * size + size], "little")
                elif place in wave.other:
                    value = wave.other[place]
                    value = value[lane] if isinstance(value, list) else value
                else:
                    value = getattr(wave, letter)
                    if bits == 1 and letter in ("vcc", "exec"):
                        value = value >> lane & 1
                results[place].append(value & (1 << bits) - 1)
    block.outputs = [(place, bits, results[place]) for place, bits in wanted.items()]
    return block


def pseudocode(trees, name, wave, lane=None, **fields):
    """Runs a block over the wave's registers: VGPR[lane][n], SGPR[n] and the special ones."""
    def vgpr_read(path, width):
        return values.V("b", 32, wave.vgpr(path[1])[path[0]])

    def vgpr_write(path, value, width):
        wave.vgpr(path[1])[path[0]] = value.x & 0xffffffff

    def sgpr_read(path, width):
        n = (width or 32) // 32
        return values.V("b", 32 * n, wave.scalar(path[0], n))

    def sgpr_write(path, value, width):
        wave.set_scalar(path[0], (width or 32) // 32, value.x)

    names = {"VGPR": interpreter.Table(2, vgpr_read, vgpr_write), "SGPR": interpreter.Table(1, sgpr_read, sgpr_write),
             "EXEC": values.V("b", 64, wave.exec), "EXEC_LO": values.V("b", 32, wave.exec), "VCC": values.V("u", 64, wave.vcc),
             "SCC": values.V("u", 1, wave.scc), "M0": values.V("b", 32, wave.m0), "WAVE64": values.boolean(True), "WAVE32": values.boolean(False),
             "wave32": values.boolean(False), "D0": values.V("b", 64, 0), "PC": values.V("i", 64, CODE),
             "VCCZ": values.boolean(wave.vcc == 0), "EXECZ": values.boolean(wave.exec == 0)}
    if lane is not None:
        names["laneId"] = values.i32(lane)
    names.update(fields)
    it = interpreter.Interpreter(trees, interpreter.Mode(wave.mode))
    it.start(names)
    it.run(trees[name])
    return names


def number(n):
    return values.V("u", 32, n)
