#!/usr/bin/env python3
"""Makes OUT, the tables of isa/rdna4-transcendental.tsv as C++ initialisers: an array a function, ATOLL_UNIT_ROW(c0, c1, c2, c3) a segment.
Usage: generate_coefficients.py TABLE OUT. A mistake in the table ends the build; a file whose text stays as it was is left alone."""
import os
import sys


def main():
    table, out = sys.argv[1:]
    functions = {}
    with open(table, encoding="utf-8") as text:
        for n, line in enumerate(text, 1):
            cells = line.rstrip("\n").split("\t")
            if line.startswith("#") or cells[0] == "function":
                continue
            if len(cells) != 6:
                sys.exit(f"{table}:{n}: {len(cells)} columns, not 6")
            rows = functions.setdefault(cells[0].replace("-", "_"), [])
            if int(cells[1]) != len(rows):
                sys.exit(f"{table}:{n}: segment {cells[1]} of {cells[0]}, not {len(rows)}")
            rows.append(", ".join(str(int(c)) for c in cells[2:]))
    made = "".join(
        f"inline constexpr UnitCoefficients {name}[] = {{{''.join(f'ATOLL_UNIT_ROW({row}) ' for row in rows)}}};\n"
        for name, rows in functions.items())
    os.makedirs(os.path.dirname(out), exist_ok=True)
    if not os.path.exists(out) or open(out, encoding="utf-8").read() != made:
        with open(out, "w", encoding="utf-8") as file:
            file.write(made)


main()
