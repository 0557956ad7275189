"""The manifest of tests/kernels: one entry a launch."""
import numpy as np

from .check import Exact, Near, Ulp, narrow
from .cpp_layout import accumulators, wmma_layout
from .entry import SHORT_OF_HALF, In, InOut, Kernel, Local, Null, Out, Struct, Value, i32, seeded, value


def floats(name, count, low=-10.0, high=10.0, dtype="f4"):
    return seeded(name).uniform(low, high, count).astype(dtype)


def ints(name, count, low=-1000, high=1000, dtype="i4"):
    return seeded(name).randint(low, high, count, dtype=np.int64).astype(dtype)


def bits(name, count, dtype):
    """Uniform bits with the values at the edges mixed in."""
    dtype = np.dtype(dtype)
    data = np.frombuffer(seeded(name).bytes(count * dtype.itemsize), dtype).copy()
    width = dtype.itemsize * 8
    edges = [0, 1, 2, 3, 7, (1 << width) - 1, (1 << width) - 2, 1 << (width - 1), (1 << (width - 1)) - 1, (1 << (width - 1)) + 1, 1 << (width // 2)]
    place = seeded(name + "/edges").permutation(count)[: count // 3]
    data[place] = np.array([edges[i % len(edges)] for i in range(len(place))], f"u{dtype.itemsize}").view(dtype)
    return data


def special_floats(name, count, dtype):
    """Numbers of every size, with zeros, infinities, NaN, subnormals and halves between them."""
    info = np.finfo(dtype)
    tiny = np.nextafter(np.array(0, dtype), np.array(1, dtype))
    edges = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.5, np.inf, -np.inf, np.nan, tiny, -tiny, info.tiny, -info.tiny, info.tiny * 0.75,
             info.max, -info.max, info.eps, 1 + info.eps, 1 - info.epsneg, 3.0, -7.0, 100.0]
    random = seeded(name)
    reach = 14 if dtype == np.float16 else 20
    data = (random.uniform(-1, 1, count) * 2.0 ** random.randint(-reach, reach, count)).astype(dtype)
    place = random.permutation(count)[: count // 2]
    data[place] = np.array([edges[i % len(edges)] for i in range(len(place))], dtype)
    return data


def entries():
    return vectors() + local_memory() + dense() + divergent() + memory() + identity() + atomics() + integers() + float_kernels() + halves() + generic() + waves() + printing() + cpp()


def K(file, kernel, grid, group, arguments, suffix="", **more):
    as_tuple = lambda v: v if isinstance(v, tuple) else (v,)
    return Kernel(f"{file.split('.')[0]}/{kernel}{suffix}", "tests/kernels/" + file, kernel, as_tuple(grid), as_tuple(group), arguments, **more)


def vectors():
    f, n = "vectors.cl", 1000
    a, b = floats("va", n), floats("vb", n)
    unit = floats("unit", 4096)
    result = [
        K(f, "vector_add", 1024, 64, [In(a), In(b), Out("f4", n), i32(n)]),
        K(f, "vector_add", 1024, 256, [In(a), In(b), Out("f4", n), i32(700)], "/short"),
        K(f, "vector_add", 1000, 128, [In(a), In(b), Out("f4", n), i32(n)], "/partial", grid_on_oracle=(1024,)),
        K(f, "saxpy", 1024, 128, [value("f32", 1.7), In(unit[:1024]), InOut(unit[1024:2048])]),
        K(f, "copy_bytes", 512, 64, [In(bits("cb", 512, "u1")), Out("u1", 512)]),
        K(f, "copy_shorts", 512, 64, [In(bits("cs", 512, "i2")), Out("i2", 512)]),
        K(f, "copy_longs", 512, 64, [In(bits("cl", 512, "i8")), Out("i8", 512)]),
        K(f, "float4_mad", 256, 32, [In(unit[:1024]), In(unit[1024:2048]), Out("f4", 1024, Near(1e-6, 1e-5)), value("f32x4", 1.5, -2.25, 0.3, 4.0)]),
        K(f, "float3_cross", 256, 64, [In(unit[:768]), In(unit[1024:1792]), Out("f4", 768, Near(1e-6, 2e-5))]),
        K(f, "int8_mix", 192, 64, [In(bits("i8m", 192 * 8, "i4")), Out("i4", 192 * 8)]),
        K(f, "short16_sum", 128, 32, [In(bits("s16", 128 * 16, "i2")), Out("i2", 128), Out("i2", 128 * 16)]),
        K(f, "uchar4_blend", 256, 64, [In(bits("ba", 1024, "u1")), In(bits("bb", 1024, "u1")), Out("u1", 1024), value("u32", 77)]),
        K(f, "double2_length", 256, 64, [In(floats("d2", 512, dtype="f8")), Out("f8", 256, Ulp(1))]),
        K(f, "half_storage", 512, 64, [In(special_floats("hs", 512, np.float16)), In(np.concatenate([special_floats("hx", 256, np.float32), floats("hy", 256, -70000, 70000)])),
                                       Out("f4", 512), Out("f2", 2048), i32(512)]),
        K(f, "constant_table", 256, 64, [In(bits("ct", 256, "u1")), Out("i4", 256), In(ints("ct2", 4))]),
    ]
    # Each place of the first half is written with a value that depends on the place alone.
    index = bits("ap", 512, "u4")
    result.append(K(f, "access_patterns", 512, 64, [In(ints("apa", 300)), In(index), Out("i4", 812), value("u32", 300)]))
    return result


def local_memory():
    f = "local_memory.cl"
    image = floats("st", 64 * 48)
    return [
        K(f, "reduce_static", 1024, 256, [In(ints("rs", 5000)), Out("i4", 1), i32(5000)]),
        K(f, "reduce_static", 512, 64, [In(ints("rs", 5000)), Out("i4", 1), i32(4711)], "/64"),
        K(f, "reduce_dynamic", 1024, 128, [In(floats("rd", 1024)), Out("f4", 8), Local(512)]),
        K(f, "three_blocks", 512, 128, [In(bits("tb", 512, "i4")), Out("i4", 512), Local(512), Local(128)]),
        K(f, "scan", 1024, 256, [In(bits("sc", 1024, "u4")), Out("u4", 1024), Local(1024)]),
        K(f, "scan", 96, 32, [In(bits("sc", 96, "u4")), Out("u4", 96), Local(128)], "/32"),
        K(f, "histogram", 512, 128, [In(bits("hi", 4000, "u1")), Out("u4", 256), value("u32", 4000)]),
        K(f, "bitonic_sort", 512, 256, [InOut(bits("bs", 512, "i4"))]),
        K(f, "stencil", (64, 48), (16, 16), [In(image), Out("f4", 64 * 48, Near(1e-6, 1e-6)), i32(64), i32(48)]),
        K(f, "transpose", (64, 48), (16, 16), [In(image), Out("f4", 64 * 48), i32(64), i32(48)]),
        K(f, "fft64", 256, 64, [InOut(floats("ff", 512, -1, 1), Near(1e-5, 2e-5))]),
        K(f, "group_loops", 256, 64, [In(np.array([3, 0, 9, 5], "i4")), Out("i4", 256)]),
        K(f, "local_struct", 128, 64, [In(ints("ls", 128, -99999, 99999)), Out("i8", 128), Out("f8", 128)]),
    ]


def matrices(name, m, n, k, dtype="f4"):
    return floats(name + "a", m * k, -1, 1, dtype), floats(name + "b", k * n, -1, 1, dtype)


def dense():
    f = "dense.cl"
    a, b = matrices("mm", 48, 64, 80)
    wide = lambda p, q: (p.reshape(48, 80).astype("f8") @ q.reshape(80, 64).astype("f8")).ravel()
    # A sum of 80 products of numbers up to 1, each rounded once: 80 * 2^-24 * 80 at the very most.
    sum_check = lambda: Near(1e-6, 4e-6)
    random = seeded("nbody")
    bodies = random.uniform(-1, 1, (256, 4)).astype("f4")
    bodies[:, 3] = random.uniform(0.1, 1, 256)
    speeds = random.uniform(-1, 1, (256, 4)).astype("f4")
    counts = random.randint(0, 40, 200)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype("i4")
    total = int(starts[-1])
    return [
        K(f, "matmul_tiled", (64, 48), (16, 16), [In(a), In(b), Out("f4", 64 * 48, sum_check()), i32(48), i32(64), i32(80)], exact=lambda: [wide(a, b)]),
        K(f, "matmul_plain", (64, 48), (16, 4), [In(a), In(b), Out("f4", 64 * 48, sum_check()), i32(48), i32(64), i32(80)], exact=lambda: [wide(a, b)]),
        K(f, "matmul_double", (64, 48), (8, 8), [In(a.astype("f8")), In(b.astype("f8")), Out("f8", 64 * 48, Near(1e-14, 1e-14)), i32(64), i32(80)], exact=lambda: [wide(a, b)]),
        K(f, "matmul_int", (64, 48), (32, 2), [In(bits("mia", 48 * 80, "i4")), In(bits("mib", 80 * 64, "i4")), Out("i4", 64 * 48), i32(64), i32(80)]),
        K(f, "matmul_blocked", (16, 12), (16, 4), [In(a), In(b), Out("f4", 64 * 48, sum_check()), i32(64), i32(80)], exact=lambda: [wide(a, b)]),
        # The sum of 256 pulls of up to 1e6, which cancel: the bound is absolute, from the largest pull.
        K(f, "nbody", 256, 64, [In(bodies), InOut(speeds, Near(3e-5, 1e-3)), Out("f4", 1024, Near(3e-5, 1e-5)), i32(256), value("f32", 0.001)]),
        K(f, "nbody_double", 128, 64, [In(bodies[:128].astype("f8")), Out("f8", 512, Near(1e-11, 1e-8)), i32(128)]),
        K(f, "spmv", 200, 40, [In(starts), In(random.randint(0, 300, total).astype("i4")), In(floats("spv", total)), In(floats("spx", 300)), Out("f4", 200, Near(1e-5, 1e-3))]),
        K(f, "convolve", (48, 40), (16, 8), [In(floats("co", 48 * 40)), Out("f4", 48 * 40, Near(1e-6, 1e-5)), In(floats("cw", 25, -1, 1)), i32(48)]),
    ]


def divergent():
    f = "divergent.cl"
    sorted_ints = np.sort(ints("bsrt", 1000, -5000, 5000))
    return [
        K(f, "collatz", 1024, 64, [Out("u4", 1024), value("u32", 1), value("u32", 1000)]),
        K(f, "collatz", 1024, 256, [Out("u4", 1024), value("u32", 837799 - 300), value("u32", 600)], "/long"),
        K(f, "mandelbrot", (80, 56), (16, 8), [Out("u4", 75 * 55), i32(75), i32(55), value("f32", -2.2), value("f32", -1.1), value("f32", 0.04), value("u32", 200)]),
        K(f, "greatest_divisor", 512, 64, [In(bits("ga", 512, "u4")), In(bits("gb", 512, "u4")), Out("u4", 512)]),
        K(f, "nested", 300, 50, [In(ints("ne", 300)), Out("i4", 300), i32(120)]),
        K(f, "binary_search", 640, 128, [In(sorted_ints), In(ints("bsw", 640, -5100, 5100)), Out("i4", 640), i32(1000)]),
        K(f, "dense_switch", 1024, 128, [In(bits("ds", 1024, "u4")), InOut(bits("ds2", 1024, "u4"))]),
        K(f, "byte_code", 128, 32, [In(bits("bc", 128 * 48, "u1")), Out("i4", 128), i32(48)]),
    ]


SETTINGS = np.dtype({"names": ["flag", "counts", "base", "scale", "weights", "big"], "formats": ["i1", ("i2", 3), "i4", "f8", ("f4", 4), "i8"],
                     "offsets": [0, 2, 8, 16, 32, 48], "itemsize": 64})


def settings(flag):
    s = np.zeros(1, SETTINGS)
    s["flag"], s["counts"], s["base"], s["scale"], s["weights"], s["big"] = flag, [[10, -20, 30]], -77, 1.25, [[1.5, 2.5, 3.5, 4.5]], -(1 << 40)
    return s.tobytes()


def memory():
    f = "memory.cl"
    many = [value("i8", -5), value("u8", 250), value("i16", -30000), value("u16", 60000), value("i32", -7), value("u32", 4000000000), value("i64", -(1 << 40)),
            value("u64", (1 << 63) + (1 << 20)), value("f32", 1.5), value("f64", -2.25), value("i8x2", -3, 4), value("i16x4", 1, -2, 3, -4), value("i32x2", 11, -12),
            value("f32x4", 0.5, 1.5, 2.5, 3.5), value("u8x16", *range(200, 216)), value("f64x2", 8.5, 0.25), Out("f8", 128)]
    return [
        K(f, "private_array", 128, 64, [In(ints("pa", 50, 0, 1 << 30)), Out("i4", 128), i32(50)]),
        K(f, "private_bytes", 64, 64, [In(bits("pb", 256, "u1")), Out("u8", 64)]),
        K(f, "calls", 96, 32, [In(ints("ca", 64)), Out("i8", 96)]),
        K(f, "spilling", 128, 64, [In(floats("sp", 1024)), Out("f4", 128 * 40, Near(1e-5, 1e-5))]),
        K(f, "struct_by_value", 128, 64, [Struct(settings(1)), In(ints("sv", 128)), Out("f8", 128)]),
        K(f, "struct_by_value", 128, 64, [Struct(settings(-1)), In(ints("sv", 128)), Out("f8", 128)], "/other"),
        K(f, "struct_nested", 64, 32, [i32(-9), Struct(settings(3) + bytes([200] + [0] * 15)), value("i16", -123), Out("i8", 64)]),
        K(f, "many_arguments", 128, 32, many),
        K(f, "null_pointer", 64, 64, [Null(), Out("i4", 64)], expect=lambda wave: [np.full(64, -5, "i4")], oracle=False),
        K(f, "null_pointer", 64, 64, [In(ints("np", 64)), Out("i4", 64)], "/given"),
    ]


def partial_groups_expected(grid, group):
    groups = [-(-g // n) for g, n in zip(grid, group)]
    out = np.zeros((grid[2], grid[1], grid[0], 6), "i4")
    sums = np.zeros((groups[2], groups[1], groups[0]), "i4")
    z, y, x = np.indices((grid[2], grid[1], grid[0]))
    at = (z * grid[1] + y) * grid[0] + x
    size = [np.minimum(n, g - c // n * n) for c, n, g in zip((x, y, z), group, grid)]
    local = [c % n for c, n in zip((x, y, z), group)]
    np.add.at(sums, (z // group[2], y // group[1], x // group[0]), at)
    out[..., 0] = size[0] + size[1] * 100 + size[2] * 10000
    out[..., 1] = group[0] + group[1] * 100 + group[2] * 10000
    out[..., 2] = groups[0] + groups[1] * 100 + groups[2] * 10000
    # rocm-device-libs 5.2.3 takes the enqueued size here, where OpenCL C says the group's own.
    out[..., 3] = (local[2] * group[1] + local[1]) * group[0] + local[0]
    out[..., 4] = at
    out[..., 5] = sums[z // group[2], y // group[1], x // group[0]]
    return [out.ravel(), sums.ravel()]


def identity():
    f = "identity.cl"
    result = [
        K(f, "ids", 128, 32, [Out("i4", 128 * 12)], "/1d"),
        K(f, "ids", (24, 12), (8, 4), [Out("i4", 24 * 12 * 12)], "/2d"),
        K(f, "ids", (12, 6, 8), (6, 3, 4), [Out("i4", 12 * 6 * 8 * 12)], "/3d"),
        K(f, "ids", (5, 3, 2), (1, 1, 1), [Out("i4", 30 * 12)], "/single"),
        K(f, "partial_reverse", 777, 64, [In(ints("pr", 777)), Out("i4", 777), i32(777)],
          expect=lambda wave: [(ints("pr", 777) + 777)[::-1].copy()], oracle=False),
    ]
    for grid, group in [((100, 1, 1), (64, 1, 1)), ((37, 13, 1), (16, 4, 1)), ((11, 7, 5), (4, 4, 2)), ((3, 2, 2), (8, 4, 4)), ((130, 3, 1), (128, 2, 1))]:
        cells, groups = grid[0] * grid[1] * grid[2], [-(-g // n) for g, n in zip(grid, group)]
        result.append(K(f, "partial_groups", grid, group, [Out("i4", cells * 6), Out("i4", groups[0] * groups[1] * groups[2])], "/" + "x".join(map(str, grid)),
                        expect=lambda wave, grid=grid, group=group: partial_groups_expected(grid, group), oracle=False))
    return result


def bits_of_tokens(outputs):
    """The tokens in the cells and those held at the end are, together, those that the work-items and the cells began with."""
    cells, held = outputs
    before = sorted([1 << (i & 15) for i in range(256)] + list(range(-50, 0)))
    after = sorted(cells.tolist() + held.tolist())
    return None if before == after else "tokens were lost or made"


def atomics():
    f = "atomics.cl"
    v, w = bits("at", 512, "i4"), bits("al", 512, "i8")
    start = np.zeros(32, "i4")
    start[4:7] = [0x7FFFFFFF, -0x80000000, -1]
    wide = np.zeros(9, "i8")
    wide[4:7] = [(1 << 63) - 1, -(1 << 63), -1]
    return [
        K(f, "global_int", 512, 64, [In(v), InOut(start), InOut(np.array([0xFFFFFFFF, 0], "u4"))]),
        K(f, "local_int", 512, 128, [In(v), Out("i4", 64)]),
        K(f, "global_long", 512, 64, [In(w), InOut(wide), InOut(np.array([(1 << 64) - 1, 0], "u8"))]),
        K(f, "local_long", 512, 128, [In(w), Out("i8", 16)]),
        K(f, "tickets", 512, 64, [Out("i4", 1), Out("i4", 512), Out("i4", 512)]),
        K(f, "exchange", 256, 64, [InOut(np.arange(-50, 0, dtype="i4")), Out("i4", 256), i32(50)], property=bits_of_tokens, oracle=False),
        K(f, "float_sum", 512, 64, [In(v), Out("f4", 8)]),
        K(f, "double_sum", 256, 64, [In(v[:256]), Out("f8", 1)]),
        K(f, "local_cas", 256, 64, [In(v), Out("i4", 4)]),
    ]


def integers():
    f = "integers.cl"
    result = []
    for name, dtype in [("char", "i1"), ("uchar", "u1"), ("short", "i2"), ("ushort", "u2"), ("int", "i4"), ("uint", "u4"), ("long", "i8"), ("ulong", "u8")]:
        result.append(K(f, "integer_" + name, 256, 64, [In(bits(name + "a", 256, dtype)), In(bits(name + "b", 256, dtype)), Out(dtype, 256 * 32)]))
    return result + [
        K(f, "packed_24", 256, 64, [In(bits("p24", 256, "i4")), In(bits("q24", 256, "i4")), Out("i4", 1024)]),
        K(f, "narrow_and_widen", 256, 64, [In(np.concatenate([bits("nw", 128, "i8"), bits("nx", 128, "i4").astype("i8") >> 8])), Out("i8", 256 * 12)]),
        K(f, "carries", 128, 64, [In(bits("ca1", 256, "u8")), In(bits("ca2", 256, "u8")), Out("u8", 256), Out("u8", 512)]),
        K(f, "sha256_block", 64, 32, [In(bits("sha", 64 * 16, "u4")), Out("u4", 512)]),
        K(f, "crc32", 64, 64, [In(bits("crc", 64 * 20, "u1")), Out("u4", 64), i32(20)]),
        K(f, "life", (32, 24), (8, 8), [In((bits("life", 32 * 24, "u1") & 1).astype("u1")), Out("u1", 32 * 24)]),
        K(f, "shuffles", 128, 32, [In(bits("shf", 512, "u4")), Out("u4", 1024), Out("u2", 1024)]),
    ]


def float_kernels():
    f, n = "floats.cl", 256
    result = []
    for name, dtype in [("float", np.float32), ("double", np.float64)]:
        x, y = special_floats("bx" + name, n, dtype), special_floats("by" + name, n, dtype)
        size = np.dtype(dtype).itemsize
        # Division is compiled to be correctly rounded, and square roots too: all sixteen are exact, but for the sign of
        # fmin's and fmax's zero, which OpenCL C leaves open.
        result.append(K(f, "basic_" + name, n, 64, [In(x), In(y), Out(f"f{size}", n * 16, Ulp(0))]))
    x = floats("tr", 512, -6, 6)
    positive = floats("tp", 256, 0.01, 20)
    subnormal = np.concatenate([np.arange(1, 65, dtype="u4"), np.arange(0x7FFFC0, 0x800040, dtype="u4"), np.arange(0x80000001, 0x80000041, dtype="u4")]).view("f4")
    wide = np.concatenate([np.arange(1, 129, dtype="u8"), np.arange(0xFFFFFFFFFFFC0, 0x10000000000040, dtype="u8")]).view("f8")
    return result + [
        K(f, "transcendentals", 512, 64, [In(x), Out("f4", 512, Near(2e-6, 1e-5))]),
        K(f, "transcendentals_double", 256, 64, [In(floats("td", 256, -6, 6, "f8")), Out("f8", 256, Near(4e-15, 2e-15))]),
        K(f, "native_functions", 256, 64, [In(floats("nf", 256, 0.0, 3.0)), Out("f4", 256 * 5, Near(1e-5, 1e-6)), i32(256)]),
        K(f, "option_prices", 256, 64, [In(floats("op", 256, 5, 30)), In(floats("os", 256, 1, 100)), In(floats("oy", 256, 0.25, 10)), Out("f4", 512, Near(1e-4, 1e-4))]),
        K(f, "classes", n, 64, [In(special_floats("cx", n, np.float32)), In(special_floats("cy", n, np.float32)), Out("i4", n)]),
        K(f, "subnormals", n, 64, [In(subnormal), Out("f4", n * 3), In(wide), Out("f8", n * 2)]),
        K(f, "geometry", 128, 32, [In(floats("g1", 512)), In(floats("g2", 512)), Out("f4", 512, Near(2e-6, 2e-5))]),
    ]


def rounded_fma(a, b, c):
    """fma in half: a product of halves has 22 bits and lies, with the sum, in longdouble's 64 bits for all but far-apart
    exponents, where the part that is lost is too small to decide a tie."""
    return narrow(a.astype(np.longdouble) * b.astype(np.longdouble) + c.astype(np.longdouble), np.float16)


def halves():
    f, n = "half.cl", 256
    a, b = special_floats("ha", n, np.float16), special_floats("hb", n, np.float16)
    p, q = special_floats("hp", 2 * n, np.float16), special_floats("hq", 2 * n, np.float16)
    v = floats("hv", 4 * n, -30, 30, np.float16)

    def scalar(wave):
        with np.errstate(all="ignore"):
            rows = [a + b, a - b, a * b, a / b, np.sqrt(np.abs(a)), rounded_fma(a, b, a), np.fmin(a, b), np.fmax(a, b), np.floor(a), np.rint(b), a, np.where(a < b, -a, b)]
        return [np.stack([r.astype(np.float16) for r in rows], 1).ravel()]

    def packed(wave):
        x, y = p.reshape(-1, 2), q.reshape(-1, 2)
        with np.errstate(all="ignore"):
            rows = [x + y[:, ::-1], x * y, rounded_fma(x, y, -y), np.fmin(x, y), np.fmax(x, y), x - np.array([0.5, 2.0], np.float16), -x, np.stack([x[:, 1], y[:, 0]], 1)]
        return [np.stack([r.astype(np.float16) for r in rows], 1).ravel()]

    def vectors_of_four(wave):
        x = v.reshape(-1, 4)
        return [(x * x[:, ::-1] + x).ravel(), ((x[:, 0] + x[:, 1]) + x[:, 2]) + x[:, 3]]

    def vectors_in_floats(wave):
        x = v.reshape(-1, 4).astype("f4")
        return [y.astype(np.float16).ravel() for y in (x * x[:, ::-1] + x, ((x[:, 0] + x[:, 1]) + x[:, 2]) + x[:, 3])]

    whole = ints("hi", n, -40000, 40000)
    numbers = np.concatenate([floats("hn", n - 8, -300, 300, np.float16), np.array([0.5, 1.5, 2.5, -0.5, 254.5, 255.5, -0.0, 65504], np.float16)])

    def conversions(wave):
        columns = [np.trunc(numbers.astype("f8")).astype("i4"), np.clip(np.trunc(numbers.astype("f8")), -32768, 32767).astype("i4"),
                   np.clip(np.rint(numbers.astype("f8")), 0, 255).astype("i4"), numbers.view("u2").astype("i4") + (numbers > 1)]
        back = [whole.astype("i2").astype("f8").astype(np.float16), (whole & 0xFFFF).astype("f8").astype(np.float16)]
        return [np.stack(columns, 1).ravel().astype("i4"), np.stack(back, 1).ravel()]

    # fmin and fmax of zeros of unlike signs may give either (OpenCL C 6.15.2), so those compare as numbers.
    return [
        K(f, "half_scalar", n, 64, [In(a), In(b), Out("f2", n * 12, Ulp(0))], expect=scalar, oracle=False),
        K(f, "half_packed", n, 64, [In(p), In(q), Out("f2", n * 16, Ulp(0))], expect=packed, oracle=False),
        K(f, "half_vectors", n, 64, [In(v), Out("f2", n * 4), Out("f2", n)], expect=vectors_of_four, promoted=vectors_in_floats, oracle=False),
        K(f, "half_integers", n, 64, [In(numbers), In(whole), Out("i4", n * 4), Out("f2", n * 2)], expect=conversions, unsound=SHORT_OF_HALF, oracle=False),
    ]


def generic():
    f = "generic.cl"
    data = ints("ge", 128)
    l = np.arange(128) % 64

    def read(kind):
        i = (l + kind) & 7
        if kind == 0:
            return (i * l + 1) * 2 + ((i ^ 1) * l + 1)
        table = np.arange(64) * 100 if kind == 1 else data
        return table[i] * 2 + table[i ^ 1]

    def mixed(wave):
        changed = data.copy()
        places = np.arange(128)
        mine = np.where(l % 3 == 0, l + (l & 3), np.where(l % 3 == 1, l * 7, data)) + 1000
        where = np.where(l % 3 == 2, 1, np.where(l % 3 == 1, 2, 4))
        changed[l % 3 == 2] += 1000
        return [changed, (mine + where).astype("i4")]

    small = ints("ga", 256, 0, 1000)
    nodes = np.stack([ints("nv", 64, -99, 99), ints("nn", 64, 0, 64)], 1).astype("i4")

    def walked(wave):
        out = np.zeros(192, "i8")
        for g in range(192):
            lane, total, other = g % 64, 0, 0
            at = g % 64
            for _ in range(lane & 15):
                total, at = total * 3 + int(nodes[at][0]), int(nodes[at][1])
            at = lane & 31
            for _ in range(6 + (lane & 3)):
                other, at = other * 3 + int(nodes[at][0]) + 1, (at * 11 + 5) & 31
            out[g] = total - other
        return [out]

    result = [K(f, "generic_read", 128, 64, [In(data), Out("i4", 128), i32(kind)], f"/{kind}", expect=lambda wave, kind=kind: [read(kind).astype("i4")], oracle=False) for kind in range(3)]
    return result + [
        K(f, "generic_mixed", 128, 64, [InOut(data), Out("i4", 128)], expect=mixed, oracle=False),
        K(f, "generic_atomics", 256, 64, [In(small), Out("i4", 1), Out("u4", 1), Out("i4", 1)], oracle=False,
          expect=lambda wave: [np.array([small.sum()], "i4"), np.array([small.max()], "u4"), np.array([1], "i4")]),
        K(f, "linked_list", 192, 64, [In(nodes), Out("i8", 192), i32(64)], expect=walked, oracle=False),
    ]


def waves():
    f, n = "waves.cl", 128
    a = bits("wa", n, "i4")
    lane = np.arange(n)
    of_wave = lambda x, wave: x.reshape(-1, wave)

    def broadcast(wave):
        w = of_wave(a, wave)
        at = np.arange(wave)
        rows = [np.repeat(w[:, :1], wave, 1), np.repeat(w[:, 9:10], wave, 1), np.where(at >= 5, w[:, 5:6], 0)]
        return [np.stack(rows, 2).ravel().astype("i4")]

    # ds_permute and ds_bpermute take lane numbers modulo 32 in wave32 and work within... 64 lanes in wave64 (RDNA4 ISA 12.5.2).
    source = ints("bp", n, 0, 64)

    def bpermuted(wave):
        base = lane // wave * wave
        return [a[base + source % wave]]

    def permuted(wave):
        order = np.concatenate([seeded(f"perm{k}").permutation(32) for k in range(4)])
        out = np.zeros(n, "i4")
        out[lane // wave * wave + order % wave + (lane % wave // 32 * 32 if wave == 64 else 0)] = a
        return [out]

    order = np.concatenate([seeded(f"perm{k}").permutation(32) for k in range(4)]).astype("i4")
    order_of = lambda wave: order + (lane % 64 // 32 * 32).astype("i4")

    def swizzled(wave):
        rows = [a[lane ^ 1], a[lane ^ 31], a[lane ^ 3], a[lane // 32 * 32 + 7]]
        return [np.stack(rows, 1).ravel()]

    def dpp(wave):
        row, at = lane // 16 * 16, lane % 16
        minus, zero = np.full(n, -1, "i4"), np.zeros(n, "i4")
        pick = lambda position, otherwise: np.where((position >= 0) & (position < 16), a[row + np.clip(position, 0, 15)], otherwise)
        masked_row = (lane % wave // 16) % 4
        rows = [a[lane ^ 3], pick(at + 1, minus), pick(at - 3, zero), a[row + (at - 4) % 16], a[row + 15 - at], a[row + (at // 8 * 8) + 7 - at % 8],
                a[row + 2], np.where((masked_row == 0) | (masked_row == 2), a[lane ^ 3], minus)]
        return [np.stack(rows, 1).ravel().astype("i4")]

    def permlanes(wave):
        row, at = lane // 16 * 16, lane % 16
        low = [0, 1, 2, 3, 4, 5, 6, 7] + [0xF, 0xE, 0xD, 0xC, 0xB, 0xA, 0x9, 0x8]
        cross = [8, 9, 0xA, 0xB, 0xC, 0xD, 0xE, 0xF] + [7, 6, 5, 4, 3, 2, 1, 0]
        rows = [a[row + np.array(low)[at]], a[(row ^ 16) + np.array(cross)[at]], a[lane ^ 7]]
        return [np.stack(rows, 1).ravel()]

    def ballots(wave):
        out = np.zeros((n, 2), "u8")
        for i in range(n):
            mask = sum(1 << k for k in range(wave) if a[i // wave * wave + k] > 0)
            out[i] = mask, bin(mask & ((1 << (i % wave)) - 1)).count("1")
        return [out.ravel()]

    def sums(wave):
        return [np.repeat(of_wave(a, wave).sum(1, dtype="i4"), wave)]

    x = np.abs(floats("es", n, 0.01, 100))
    wide = x.astype(np.longdouble)

    def estimates():
        mantissa, exponent = np.frexp(wide)
        rows = [1 / wide, 1 / np.sqrt(wide), np.sqrt(wide), np.log2(wide), np.exp2((x * np.float32(0.125)).astype(np.longdouble)), wide - np.floor(wide), mantissa, exponent]
        return [np.stack(rows, 1).ravel()]

    u, v = bits("bu", n, "u4"), bits("bv", n, "u4")

    def bit_tricks(wave):
        out = np.zeros((n, 6), "u8")
        for i in range(n):
            p, q = int(u[i]), int(v[i])
            both = p << 32 | q
            offset, width = q & 31, q >> 5 & 31
            field = (p >> offset) & ((1 << width) - 1)
            signed = ((p ^ 0x80000000) - 0x80000000) >> offset
            signed &= (1 << width) - 1
            signed = signed - (1 << width) if width and signed >> (width - 1) & 1 else signed
            pairs = [(p >> 8 * k & 255, q >> 8 * k & 255) for k in range(4)]
            out[i] = [both >> (q & 31) & 0xFFFFFFFF, both >> 8 * (q & 3) & 0xFFFFFFFF, field, signed & 0xFFFFFFFF,
                      100 + sum(abs(s - t) for s, t in pairs), sum(((s + t + 1) >> 1) << 8 * k for k, (s, t) in enumerate(pairs))]
        return [out.astype("u4").ravel()]

    def chosen_bytes(wave):
        byte = lambda words, k: words >> np.uint32(8 * k) & np.uint32(255)
        return [byte(u, 1) | byte(v, 1) << np.uint32(8) | byte(u, 3) << np.uint32(16) | byte(v, 2) << np.uint32(24)]

    def dot_bytes(wave):
        bytes_of = lambda words: words.view("u1").reshape(-1, 4).astype("u4")
        return [5 + (bytes_of(u) * bytes_of(v)).sum(1, dtype="u4")]

    return [
        K(f, "broadcast", n, 64, [In(a), Out("i4", n * 3), i32(9)], expect=broadcast, oracle=False),
        K(f, "bpermute", n, 64, [In(a), In(source), Out("i4", n)], expect=bpermuted, oracle=False),
        K(f, "permute", n, 64, [In(a), In(order_of(64)), Out("i4", n)], expect=permuted, oracle=False),
        K(f, "swizzles", n, 64, [In(a), Out("i4", n * 4)], expect=lambda wave: swizzled(wave), oracle=False),
        K(f, "dpp", n, 64, [In(a), Out("i4", n * 8)], expect=dpp, oracle=False),
        K(f, "permlanes", n, 64, [In(a), Out("i4", n * 3)], expect=permlanes, oracle=False),
        K(f, "ballots", n, 64, [In(a), Out("u8", n * 2)], expect=ballots, oracle=False),
        K(f, "wave_sum", n, 64, [In(a), Out("i4", n)], expect=sums, oracle=False),
        K(f, "estimates", n, 64, [In(x), Out("f4", n * 8, Ulp(1))], expect=lambda wave: [estimates()[0].astype("f4")], exact=estimates, oracle=False),
        K(f, "bit_tricks", n, 64, [In(u), In(v), Out("u4", n * 6)], expect=bit_tricks, oracle=False),
        K(f, "chosen_bytes", n, 64, [In(u), In(v), Out("u4", n)], expect=chosen_bytes, oracle=False),
        K(f, "dot_bytes", n, 64, [In(u), In(v), Out("u4", n)], expect=dot_bytes, oracle=False),
    ]


def printing():
    text = "plain text\n-12 7 ff k %\n1.625000 3.250 1.625000e+00\n-5000000000 fffffffed5fa0e00\none and two\n1,2,3,-12\n"
    return [K("print.cl", "print", 8, 4, [i32(-12), value("f32", 1.625), value("i64", -5000000000)], text=text, expect=lambda wave: [], oracle=False)]


def cpp():
    f = "matrix.cpp"
    random = seeded("wmma")
    a, b, c = random.uniform(-2, 2, (16, 16)), random.uniform(-2, 2, (16, 16)), random.uniform(-2, 2, (16, 16)).astype("f4")
    half_a, half_b = a.astype(np.float16), b.astype(np.float16)
    to_bf16 = lambda m: (m.astype("f4").view("u4") >> 16).astype("u2")
    from_bf16 = lambda m: (m.astype("u4") << 16).view("f4").astype("f8")
    brain_a, brain_b = to_bf16(a), to_bf16(b)
    byte_a, byte_b = random.randint(-128, 128, (16, 16)).astype("i1"), random.randint(-128, 128, (16, 16)).astype("i1")
    whole = random.randint(-10000, 10000, (16, 16)).astype("i4")
    four_a, four_b = random.randint(0, 16, (16, 16)), random.randint(0, 16, (16, 16))
    nibbles = lambda m: np.array([sum(int(x) << 4 * k for k, x in enumerate(row)) for row in wmma_layout(m, 8)], "u4")
    # b's lanes hold a column each: lay the transpose out as a's rows.
    close = lambda: Near(1e-5, 1e-4)
    product = lambda p, q, r: [accumulators((p.astype("f8") @ q.astype("f8") + r).astype("f4")).ravel().astype("f4")]
    x = ints("fa", 128, 0, 100).astype("f4")
    in_groups = floats("nb", 128).reshape(-1, 64)
    which, numbers = ints("fw", 128, 0, 3), ints("fx", 128, -50, 50)

    def chained(v):
        for k in range(5, 0, -1):
            v = v * 3 + k
        return v - 1

    added = [x[k::4].sum() for k in range(4)]
    with_group = np.stack([(np.roll(g, -1) - np.roll(g, 1) * np.float32(0.5)).astype("f4") for g in in_groups])
    lds, y = floats("ax", 300), floats("ay", 300)

    def axpy(wave):
        padded = np.zeros(320, "f4")
        padded[:300] = lds
        other = np.concatenate([np.roll(padded[s:s + 64], -1) for s in range(0, 320, 64)])[:300]
        return [(y.astype("f8") + np.float32(0.75) * other.astype("f8") + 1.5).astype("f4")]

    return [
        K(f, "wmma_f16", 32, 32, [In(wmma_layout(half_a, 8)), In(wmma_layout(half_b.T, 8)), InOut(accumulators(c), close())],
          expect=lambda wave: product(half_a, half_b, c), oracle=False, waves=(32,)),
        K(f, "wmma_bf16", 32, 32, [In(wmma_layout(brain_a, 8)), In(wmma_layout(brain_b.T, 8)), InOut(accumulators(c), close())],
          expect=lambda wave: product(from_bf16(brain_a), from_bf16(brain_b), c), oracle=False, waves=(32,)),
        K(f, "wmma_i8", 32, 32, [In(wmma_layout(byte_a, 8)), In(wmma_layout(byte_b.T, 8)), InOut(accumulators(whole))],
          expect=lambda wave: [accumulators(byte_a.astype("i4") @ byte_b.astype("i4") + whole).ravel()], oracle=False, waves=(32,)),
        K(f, "wmma_u4", 32, 32, [In(nibbles(four_a)), In(nibbles(four_b.T)), InOut(accumulators(whole))],
          expect=lambda wave: [accumulators((four_a @ four_b + whole).astype("i4")).ravel()], oracle=False, waves=(32,)),
        K(f, "float_atomics", 128, 64, [Out("f4", 8), In(x), Out("f4", 1)], expect=lambda wave: [np.array(added + [2 * v for v in added], "f4"), np.array([x.max()], "f4")], oracle=False),
        K(f, "neighbours", 128, 64, [In(in_groups), Out("f4", 128, Near(1e-6, 1e-6))], expect=lambda wave: [with_group.ravel()], oracle=False),
        K(f, "function_pointers", 128, 64, [In(which), In(numbers), Out("i4", 128)], oracle=False,
          expect=lambda wave: [np.where(which == 0, numbers * 2, np.where(which == 1, numbers * numbers, chained(numbers))).astype("i4")]),
        K("axpy.hip", "axpy", 320, 64, [value("f32", 0.75), In(lds), InOut(y, Near(1e-6, 1e-5)), i32(300)], expect=axpy, oracle=False),
    ]
