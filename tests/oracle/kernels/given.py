"""Kernels that others wrote, run where a folder of them is at hand (ATOLL_GIVEN_KERNELS, or ../shared beside the checkout).
They are no part of the project; without the folder their entries do not exist, and the suite says so as one skip."""
import os
import pathlib
import re

import numpy as np

from .check import Exact, Near, Ulp, narrow
from .cpp_layout import accumulators, wmma_layout
from .entries import bits, floats, ints, special_floats
from .entry import SHORT_OF_HALF, In, InOut, Kernel, Local, Out, i32, seeded, value
from .sweep import ITEMS, L, LIBRARY_WRONG, ONE, ROUND, TWO, TYPES, arguments_for, from_longdouble, library_mode, library_source, limits, rounded_to

ROOT = pathlib.Path(__file__).resolve().parents[3]


def folder():
    for place in (os.environ.get("ATOLL_GIVEN_KERNELS"), ROOT.parent / "shared/prototypes/rdna4/k", ROOT.parent.parent / "shared/prototypes/rdna4/k"):
        if place and (pathlib.Path(place) / "vadd.cl").exists():
            return pathlib.Path(place)
    return None


def entries(place, sources):
    """`place`: the folder; `sources`: where a copy of a file without half arithmetic may be written for the oracle."""
    result = []

    def add(file, kernel, grid, group, arguments, **more):
        as_tuple = lambda v: v if isinstance(v, tuple) else (v,)
        result.append(Kernel(f"given/{file}/{kernel}{more.pop('suffix', '')}", str(place / file), kernel, as_tuple(grid), as_tuple(group), arguments, **more))

    a, b = floats("ga", 1000), floats("gb", 1000)
    add("vadd.cl", "vadd", 1024, 64, [In(a), In(b), Out("f4", 1000), i32(1000)])
    add("reduce.cl", "reduce", 1024, 256, [In(ints("gr", 5000)), InOut(np.array([0, -(1 << 31)], "i4")), i32(5000), Local(1024)])
    p, q = floats("gp", 64 * 64, -1, 1), floats("gq", 64 * 64, -1, 1)
    product = lambda: [(p.reshape(64, 64).astype("f8") @ q.reshape(64, 64).astype("f8")).ravel()]
    for kernel in ("matmul", "matmul_naive"):
        add("matmul.cl", kernel, (64, 64), (16, 16), [In(p), In(q), Out("f4", 4096, Near(1e-6, 4e-6)), i32(64), i32(64), i32(64)], exact=product)
    bodies = seeded("given bodies").uniform(-1, 1, (256, 4)).astype("f4")
    add("nbody.cl", "nbody", 256, 64, [In(bodies), InOut(floats("gv", 1024, -1, 1), Near(3e-5, 1e-3)), Out("f4", 1024, Near(3e-5, 1e-5)), i32(256), value("f32", 0.001)])
    add("nbody.cl", "trans", 512, 64, [In(floats("gt", 512, 0.1, 6)), Out("f4", 512, Near(1e-5, 1e-5))])
    add("nbody.cl", "transd", 256, 64, [In(floats("gd", 256, 0.1, 6, "f8")), Out("f8", 256, Near(1e-14, 1e-14))])
    add("terms.cl", "terms", 256, 64, [In(floats("gterms", 256, 0.01, 4)), Out("f4", 256 * 14, Near(2e-5, 2e-6)), i32(256)])
    add("scratch.cl", "scratchk", 128, 64, [In(ints("gs", 50, 0, 1 << 30)), Out("i4", 128), i32(50)])
    add("scratch.cl", "callk", 64, 64, [InOut(ints("gc", 300))], oracle=False, property=lambda outputs: None)
    spaces = ints("gg", 256)
    lane = np.arange(128) % 64

    def generic(kind):
        index = kind & 7
        if kind & 1:
            return lane * index + lane * (index ^ 1)
        return np.full(128, index + (index ^ 1))

    for kind in (1, 2, 3):
        add("gen.cl", "g", 128, 64, [InOut(spaces), i32(kind)], suffix=f"/{kind}", oracle=False,
            expect=lambda wave, kind=kind: [np.concatenate([generic(kind).astype("i4"), spaces[128:]])])
    x2, y2 = special_floats("gh", 512, np.float16), special_floats("gi", 512, np.float16)
    half_of = lambda v: narrow(v, np.float16)

    def half_kernel(wave):
        wide = lambda v: v.astype(L)
        left = half_of(half_of(wide(x2) * wide(y2) + wide(x2)))
        top = np.fmax(x2, y2)
        # The compiler contracts the sum and product into one rounding.
        return [half_of(wide(top) * L("0.5") + wide(left)), half_of(wide(half_of(np.sqrt(wide(x2[::2])))) + wide(half_of(wide(y2[1::2]) / wide(x2[1::2]))))]

    add("half.cl", "halfk", 256, 64, [In(x2), In(y2), Out("f2", 512, Ulp(1)), Out("f2", 256, Ulp(1))], expect=half_kernel, oracle=False)
    result += sweep_entries(place, sources) + matrices(place)
    return result


def sweep_entries(place, sources):
    text = (place / "sweep.cl").read_text()
    oracle_file = sources / "given_sweep.cl"
    kept = "\n".join(line for line in text.splitlines() if not re.search(r"\bhalf\b|fp16", line))
    if not oracle_file.exists() or oracle_file.read_text() != kept:
        oracle_file.write_text(kept)
    result = []

    def add(kernel, arguments, **more):
        result.append(Kernel(f"given/sweep.cl/{kernel}", str(place / "sweep.cl"), kernel, (ITEMS,), (64,), arguments, oracle_file=str(oracle_file), **more))

    for match in re.finditer(r"__kernel void (\w+)\((.*?)\)\{(.*)\}", text):
        kernel, parameters, body = match.groups()
        types = re.findall(r"(?:const )?(\w+)\*", parameters)
        source, target = types[0], types[-1]
        s, t = np.dtype(TYPES[source]), np.dtype(TYPES[target])
        if "__local" in parameters:
            # The result depends on the order of the work-items and on what LDS held: only the engines are compared.
            add(kernel, [InOut(ints(kernel, 8).astype(s)), Local(64), Out(t, ITEMS, Exact())], oracle=False, ordered=True, expect=lambda wave: [None, None])
            continue
        call = re.search(r"y\[i\]=(?:\(\w+\))?(\w+)\(", body).group(1)
        conversion = re.match(r"convert_([a-z]+?)(_sat)?(_rt[ezpn])?$", call)
        if conversion:
            mode = (conversion.group(3) or ("_rte" if t.kind == "f" else "_rtz"))[1:]
            data = special_floats(kernel, ITEMS, s) if s.kind == "f" else bits(kernel, ITEMS, s)
            data, mode = library_source(source, target, data), library_mode(source, target, mode)
            if s.kind == "f" and t.kind != "f":
                data = np.where(np.isnan(data), s.type(0), data)
                low, high = limits(t)
                if not conversion.group(2):
                    reach = min(float(high), float(np.finfo(s).max)) * 0.99
                    data = (seeded(kernel).uniform(0 if low == 0 else -reach, reach, ITEMS) * 2.0 ** -seeded(kernel + "e").randint(0, 24, ITEMS)).astype(s)
                wanted = from_longdouble(np.clip(ROUND[mode](np.where(np.isnan(data), 0, data).astype(L)), low, high), t)
            elif t.kind == "f":
                wanted = rounded_to(data.astype(L), t, mode)
            elif conversion.group(2):
                wanted = np.array([min(max(int(v), np.iinfo(t).min), np.iinfo(t).max) for v in data], t)
            else:
                wanted = data.astype(t)
            unsound = SHORT_OF_HALF if (source, target) == ("half", "short") and conversion.group(2) else None
            add(kernel, [In(data), Out(t, ITEMS)], expect=lambda wave, wanted=wanted: [wanted], oracle=False, unsound=unsound)
        elif s.kind == "f":
            column = {"float": 1, "double": 2, "half": 3}[source]
            used = 1 + max(int(n) for n in re.findall(r"x\[i\*3\+(\d)\]", body))
            low, high = ONE[call][4:6] if call in ONE else (-8, 8)
            data = seeded(kernel).uniform(max(low, -1e4), min(high, 1e4), (ITEMS, 3)).astype(s)
            if call in ("pow", "powr", "tgamma", "lgamma"):
                data = np.abs(data) + s.type(0.125)
            if call == "clamp":
                data.sort(axis=1)
                data = data[:, [1, 0, 2]]
            if call in ("smoothstep",):
                data.sort(axis=1)
            if call == "tanpi":
                data = np.where(np.abs(data - np.trunc(data)) == 0.5, data + s.type(0.125), data)
            if (call, source) in LIBRARY_WRONG:
                add(kernel, [In(data.copy()), Out(t, ITEMS)], expect=lambda wave: [None], oracle=False)
                continue
            columns = [np.ascontiguousarray(data[:, k]).astype(L) for k in range(used)]
            reference, bound = {**ONE, **TWO}.get(call, (None,))[0], ({**ONE, **TWO}[call][column] if call in ONE or call in TWO else 0)
            check = Ulp(bound)
            if call in ("mad", "mix", "smoothstep", "lgamma", "fma"):
                # mad and mix leave the rounding to the compiler, lgamma has no bound; fma is exact.
                reference = {"fma": lambda x, y, z: x * y + z, "mad": lambda x, y, z: x * y + z, "mix": lambda x, y, z: x + (y - x) * z, "lgamma": lambda x: lgamma_of(x),
                             "smoothstep": lambda low, high, x: (lambda u: u * u * (3 - 2 * u))(np.clip((x - low) / (high - low), 0, 1))}[call]
                scale = float(np.finfo(s).eps)
                check = Ulp(1) if call == "fma" else Near(64 * scale, 512 * scale)
            elif call == "clamp":
                reference = lambda x, low, high: np.minimum(np.maximum(x, low), high)
            elif call in ("nextafter", "remainder"):
                exact_pair = [np.nextafter(data[:, 0], data[:, 1])] if call == "nextafter" else [columns[0] - np.rint(columns[0] / columns[1]) * columns[1]]
                reference = lambda *_, exact_pair=exact_pair: exact_pair[0]
            elif call == "logb":
                reference = lambda x: np.where(x == 0, -np.inf, np.frexp(x)[1] - 1)
            if reference is None:
                raise ValueError(f"{kernel}: the manifest has no reference for {call}")
            exact = np.asarray(reference(*columns), L)
            wanted = {"expect": lambda wave, exact=exact, t=t: [narrow(exact, t)], "oracle": False} if source == "half" else {}
            add(kernel, [In(data.copy()), Out(t, ITEMS, check)], exact=lambda exact=exact: [exact], **wanted)
        else:
            data = bits(kernel, 2 * ITEMS, s)
            add(kernel, [In(data >> 1 if "abs_diff" in kernel else data), Out(t, ITEMS)])  # see abs_diff in sweep.py
    return result


def lgamma_of(x):
    import math
    return np.array([math.lgamma(float(v)) for v in x], L)


def matrices(place):
    random = seeded("given wmma")
    file, result = str(place / "wmma.cpp"), []
    a, b, c = random.uniform(-2, 2, (16, 16)).astype(np.float16), random.uniform(-2, 2, (16, 16)).astype(np.float16), random.uniform(-2, 2, (16, 16)).astype("f4")
    product = accumulators((a.astype("f8") @ b.astype("f8") + c).astype("f4")).ravel()
    add = lambda kernel, arguments, **more: result.append(Kernel(f"given/wmma.cpp/{kernel}", file, kernel, (32,), (32,), arguments, oracle=False, waves=(32,), **more))
    add("wmma16", [In(wmma_layout(a, 8)), In(wmma_layout(b.T, 8)), InOut(accumulators(c), Near(1e-5, 1e-4))], expect=lambda wave: [product])
    byte_a, byte_b, whole = random.randint(-128, 128, (16, 16)).astype("i1"), random.randint(-128, 128, (16, 16)).astype("i1"), random.randint(-9999, 9999, (16, 16)).astype("i4")
    add("wmmai8", [In(wmma_layout(byte_a, 8)), In(wmma_layout(byte_b.T, 8)), InOut(accumulators(whole))],
        expect=lambda wave: [accumulators(byte_a.astype("i4") @ byte_b.astype("i4") + whole).ravel()])
    # fp8 (e4m3): sign, 4 bits of exponent biased by 7, 3 of mantissa; the two patterns of NaN are left out.
    fp8_a, fp8_b = (random.randint(0, 0x60, (16, 16)) | random.randint(0, 2, (16, 16)) << 7 for _ in range(2))

    def fp8(m):
        exponent, mantissa = m >> 3 & 15, m & 7
        return np.where(m & 128, -1.0, 1.0) * np.where(exponent == 0, mantissa / 8 * 2.0 ** -6, (1 + mantissa / 8) * 2.0 ** (exponent - 7))

    add("wmmafp8", [In(wmma_layout(fp8_a.astype("u1"), 8)), In(wmma_layout(fp8_b.T.astype("u1"), 8)), InOut(accumulators(c), Near(1e-5, 1e-3))],
        expect=lambda wave: [accumulators((fp8(fp8_a) @ fp8(fp8_b) + c).astype("f4")).ravel()])
    axpy_x, axpy_y = floats("gax", 512), floats("gay", 512)
    result.append(Kernel("given/h.hip/axpy", str(place / "h.hip"), "axpy", (512,), (256,), [value("f32", 0.5), In(axpy_x), InOut(axpy_y, Near(1e-5, 1e-5)), i32(512)], oracle=False,
                         expect=lambda wave: [axpy(axpy_x, axpy_y)]))
    return result


def axpy(x, y):
    turned = np.concatenate([np.roll(x[s:s + 256], -1) for s in range(0, 512, 256)])
    # v_sin_f32 takes revolutions and clang's built-in is the bare instruction.
    return (y.astype("f8") + (0.5 * turned.astype("f8") + np.sin(2 * np.pi * x.astype("f8")))).astype("f4")
