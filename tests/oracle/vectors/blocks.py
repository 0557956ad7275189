"""One instruction's vectors, and the files that hold them. tests/isa/vectors/README.md describes the files."""
from . import inputs


class Block:
    """`kind` is "lanes" (64 rows run as one wave of 64 lanes) or "waves" (each row is a wave of its own)."""

    def __init__(self, name, source, kind):
        self.name, self.source, self.kind = name, source, kind
        self.runs = []       # (isa, encoding, text)
        self.inputs = []     # (register, column name or number)
        self.outputs = []    # (register, bits, [values])
        self.bound = None    # text: what fidelity allows
        self.rows = inputs.ROWS
        self.first = 0       # the row of the columns that row 0 takes
        self.errata = {}     # (erratum, output) -> {row: literal value}

    def write(self, out, used):
        out.append(f"block {self.name} {self.source}")
        out.append(f"rows {self.kind} {self.first} {self.rows}")
        for run in self.runs:
            out.append("run " + " ".join(run))
        for register, given in self.inputs:
            if isinstance(given, str):
                if not given.startswith("ramp:"):
                    used.add(given)
                out.append(f"in {register} {given}")
            else:
                out.append(f"in {register} {given:#x}")
        if self.bound:
            out.append(f"bound {self.bound}")
        given = dict(self.inputs)
        for register, bits, values in self.outputs:
            column = given.get(register)
            if isinstance(column, str) and not column.startswith("ramp:") and values == inputs.column(column)[self.first:self.first + self.rows]:
                out.append(f"kept {register} {bits}")
                continue
            out.append(f"out {register} {bits}")
            out.extend(digits(values, bits))
        for (erratum, register), rows in sorted(self.errata.items()):
            out.append(f"erratum {erratum} {register} " + " ".join(f"{row}:{value:x}" for row, value in sorted(rows.items())))
        out.append("end")
        out.append("")


def digits(values, bits):
    """Lines of hex: one number a value; single bits as numbers of 64 of them, the first row lowest."""
    if bits == 1:
        words = [sum(bit << n for n, bit in enumerate(values[at:at + 64])) for at in range(0, len(values), 64)]
        return [" ".join(f"{word:x}" for word in words)]
    per_line = 16 if bits <= 32 else 8
    return [" ".join(f"{v:x}" for v in values[at:at + per_line]) for at in range(0, len(values), per_line)]


def write_file(path, comment, blocks):
    used, out = set(), [f"# {comment}", ""]
    for block in blocks:
        block.write(out, used)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out))
    return used


def write_inputs(path, names):
    out = ["# The columns of inputs that the blocks name.", ""]
    for name in sorted(names):
        width = inputs.width(name)
        out.append(f"column {name} {width}")
        out.extend(digits(inputs.column(name), width))
        out.append("")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out))
