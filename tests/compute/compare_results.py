#!/usr/bin/python3
"""compare_results.py FOLDER REFERENCE: results that opencl_programs left, CASE.TYPE.ULPS.bin, against those of another run. Floats may
differ by ULPS of the larger one, or by 2^-20 of the case's largest value times it; bytes of u8 by ULPS. A line for each case that
differs or is missing; the status is 1 then."""
import os
import pathlib
import sys

import numpy as np

TYPES = {"i32": np.int32, "u32": np.uint32, "f32": np.float32, "i64": np.int64, "u8": np.uint8, "i16": np.int16}


def differing(here, there, kind, ulps):
    """Which elements differ by more than that."""
    if kind == "f32":
        spacing = np.spacing(np.maximum(np.abs(here), np.abs(there)))
        finite = np.isfinite(there)
        least = np.max(np.abs(there[finite]), initial=0) * 2.0 ** -24
        far = np.abs(here.astype(np.float64) - there) > ulps * np.maximum(spacing, least if ulps > 1 else 0)
        same = (here == there) | (np.isnan(here) & np.isnan(there))
        return np.flatnonzero(~same & (far | ~np.isfinite(here) | ~finite))
    return np.flatnonzero(np.abs(here.astype(np.int64) - there.astype(np.int64)) > ulps if kind != "i64" else here != there)


def main():
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    import usage  # noqa: E402
    usage.needs(2, __doc__)
    folder, reference = sys.argv[1:]
    cases = sorted(name for name in os.listdir(reference) if name.endswith(".bin"))
    bad = 0
    for name in cases:
        case, kind, ulps, _ = name.split(".")
        try:
            here, there = (np.fromfile(os.path.join(place, name), TYPES[kind]) for place in (folder, reference))
        except FileNotFoundError:
            print(f"{case}: no result")
            bad += 1
            continue
        if here.shape != there.shape:
            print(f"{case}: {here.size} values, not {there.size}")
            bad += 1
            continue
        with np.errstate(all="ignore"):
            where = differing(here, there, kind, int(ulps))
        if where.size:
            bad += 1
            shown = ", ".join(f"[{i}] {here[i]} for {there[i]}" for i in where[:4])
            print(f"{case}: {where.size} of {here.size} values differ: {shown}")
    print(f"{len(cases) - bad} of {len(cases)} alike")
    return 1 if bad or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
