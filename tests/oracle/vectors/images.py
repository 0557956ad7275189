"""Sea Islands' image instructions on linear images of one level (the register guide's SQ_IMG_RSRC and SQ_IMG_SAMP words; order of address registers as
in LLVM's AMDGPU usage, "image intrinsics"). Tiling, chains of levels and filters have tests of their own (gpu_sea_islands_images_test, tests/surface)."""
import re
import struct

from .buffers import BASE, LAYOUTS, NUMBERS, decode, encode, formats
from .shared_memory import operations
from .waves import make

TYPE_2D, LINEAR = 9, 8
WIDTH, HEIGHT = 64, 4


def _float(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def resource(layout, number, width=WIDTH, height=HEIGHT, select=(4, 5, 6, 7), levels=1, kind=TYPE_2D, layers=1):
    """The T# in s[16:23]."""
    words = [BASE >> 8, LAYOUTS[layout][0] << 20 | NUMBERS[number] << 26, (width - 1) | (height - 1) << 14,
             sum(s << 3 * k for k, s in enumerate(select)) | (levels - 1) << 16 | LINEAR << 20 | kind << 28, (layers - 1) | (width - 1) << 13, (layers - 1) << 13,
             0, 0]
    return {f"s{16 + n}": word for n, word in enumerate(words)}


def sampler(clamp, compare=0):
    """The S# in s[24:27]: nearest texels."""
    words = [clamp | clamp << 3 | clamp << 6 | compare << 12, 0xfff << 12, 0, 0]
    return {f"s{24 + n}": word for n, word in enumerate(words)}


def span(first, count):
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"


def addresses(row, needed):
    """How many registers the text has to name: the least number that is allowed."""
    mask = int(next(f for f in row.flags if f.startswith("addresses="))[10:])
    return next(n for n in range(needed, 17) if mask >> (n - 1) & 1)


def components_of(layout, number):
    """DST_SEL that never asks for what the format lacks."""
    present = len(LAYOUTS[layout][1])
    return [4, 5, 6, 7][:present] + [0, 0, 1][present - 1:] if present < 4 else [4, 5, 6, 7]


def texel_of(memory, x, y, layout):
    size = sum(LAYOUTS[layout][1]) // 8
    at = (y * WIDTH + x) * size
    return int.from_bytes(memory[at:at + size], "little")


def parts(texel, layout, number):
    values, at = [], 0
    for b in LAYOUTS[layout][1]:
        values.append(decode(texel >> at & (1 << b) - 1, b, number, image=True))
        at += b
    return values


def selected(values, select, number):
    one = 1 if number in ("uint", "sint") else 0x3f800000
    return [0 if s == 0 else one if s == 1 else values[s - 4] for s in select]


def pack(wave, lane, values, dmask):
    chosen = [v for c, v in enumerate(values) if dmask >> c & 1]
    for n, value in enumerate(chosen):
        wave.vgpr(n)[lane] = value


def loads_and_stores(put, rows_by_name):
    cases = [c for c in formats() if c[0] != "32_32_32"]
    for n, (layout, number) in enumerate(cases):
        size = sum(LAYOUTS[layout][1])
        piece = {8: 32, 16: 32, 32: 128, 64: 128, 128: 128}[size]
        height = max(1, piece * 64 // (WIDTH * size))
        select = components_of(layout, number)
        dmask = (15, 1, 3, 8, 7, 5, 2)[n % 7]
        count = bin(dmask).count("1")
        column = ("f32" if max(LAYOUTS[layout][1]) == 32 else "f16") if number == "float" else "b32"
        count_of = piece // (16 if column == "f16" else 32)
        image = f"{column}x{count_of}.u" if count_of > 1 else f"{column}.u"
        for name in ("image_load", "image_load_mip"):
            def load(wave, layout=layout, number=number, select=select, dmask=dmask, height=height):
                for lane in range(64):
                    x, y = wave.vgpr(4)[lane], wave.vgpr(5)[lane]
                    inside = x < WIDTH and y < height
                    values = parts(texel_of(wave.mem, x, y, layout), layout, number) if inside else [0] * 4
                    pack(wave, lane, selected(values, select, number), dmask)
            row = rows_by_name[name]
            needed = 3 if "mip" in name else 2
            given = {"mem": image, "v4": "below66.a", "v5": f"below{height + 1}.b", **resource(layout, number, height=height, select=select),
                     span(0, count): "b32.d" if count == 1 else f"b32x{count}.d"}
            if needed == 3:
                given["v6"] = 0
            put(make(f"{name.upper()}/{layout}/{number}", "model", "lanes",
                     [("gfx7", "MIMG", f"{name} {span(0, count)}, {span(4, addresses(row, needed))}, s[16:23] dmask:{dmask:#x} unorm")], given,
                     {span(0, count): 32 * count}, load, rows=32, first=32 * (n % 8)))
        for name in ("image_store", "image_store_mip"):
            def store(wave, layout=layout, number=number, height=height):
                bits = LAYOUTS[layout][1]
                for lane in range(64):
                    x, y = wave.vgpr(4)[lane], wave.vgpr(5)[lane]
                    if x >= WIDTH or y >= height:
                        continue
                    texel = at = 0
                    for c, b in enumerate(bits):
                        texel |= encode(wave.vgpr(c)[lane], b, number, image=True) << at
                        at += b
                    place = (y * WIDTH + x) * (at // 8)
                    wave.mem[place:place + at // 8] = texel.to_bytes(at // 8, "little")
            row = rows_by_name[name]
            needed = 3 if "mip" in name else 2
            integers = number in ("uint", "sint")
            # Every lane has a column of its own, the last of them lies outside.
            given = {"mem": {32: "b32.d", 128: "b32x4.d"}[piece], "v4": "ramp:0x1:1", "v5": f"below{height + 1}.b",
                     **resource(layout, number, height=height), "v[0:3]": "b32x4.u" if integers else "f32x4.u"}
            if needed == 3:
                given["v6"] = 0
            put(make(f"{name.upper()}/{layout}/{number}", "model", "lanes",
                     [("gfx7", "MIMG", f"{name} v[0:3], {span(4, addresses(row, needed))}, s[16:23] dmask:0xf unorm")], given, {"mem": piece}, store,
                     rows=32, first=32 * (n % 8)))


def packed(put, rows_by_name):
    """Without a format: the texel's dwords; of 8 and 16 bits with their sign, if asked."""
    for n, (layout, size) in enumerate((("8", 8), ("16", 16), ("32", 32), ("32_32_32_32", 128))):
        piece = 128 if size == 128 else 32
        height = piece // size
        for name in ("image_load_pck", "image_load_pck_sgn", "image_load_mip_pck", "image_load_mip_pck_sgn"):
            def load(wave, name=name, size=size, layout=layout, height=height):
                for lane in range(64):
                    x, y = wave.vgpr(4)[lane], wave.vgpr(5)[lane]
                    texel = texel_of(wave.mem, x, y, layout) if x < WIDTH and y < height else 0
                    if "sgn" in name and size < 32 and texel >> (size - 1):
                        texel |= 0xffffffff << size & 0xffffffff
                    for d in range(4 if size == 128 else 1):
                        wave.vgpr(d)[lane] = texel >> 32 * d & 0xffffffff
            row = rows_by_name[name]
            count, needed = (4 if size == 128 else 1), (3 if "mip" in name else 2)
            put(make(f"{name.upper()}/{layout}", "model", "lanes",
                     [("gfx7", "MIMG", f"{name} {span(0, count)}, {span(4, addresses(row, needed))}, s[16:23] dmask:{(1 << count) - 1:#x} unorm")],
                     {"mem": "b32x4.u" if piece == 128 else "b32.u", "v4": "below66.a", "v5": f"below{height + 1}.b", "v6": 0,
                      **resource(layout, "uint", height=height, select=components_of(layout, "uint")), span(0, count): "b32.d" if count == 1 else "b32x4.d"},
                     {span(0, count): 32 * count}, load, rows=64, first=64 * n))
        for name in ("image_store_pck", "image_store_mip_pck"):
            def store(wave, size=size, height=height):
                for lane in range(64):
                    x, y = wave.vgpr(4)[lane], wave.vgpr(5)[lane]
                    if x < WIDTH and y < height:
                        value = wave.vector(0, 4 if size == 128 else 1, lane) & (1 << size) - 1
                        at = (y * WIDTH + x) * (size // 8)
                        wave.mem[at:at + size // 8] = value.to_bytes(size // 8, "little")
            row = rows_by_name[name]
            count, needed = (4 if size == 128 else 1), (3 if "mip" in name else 2)
            put(make(f"{name.upper()}/{layout}", "model", "lanes",
                     [("gfx7", "MIMG", f"{name} {span(0, count)}, {span(4, addresses(row, needed))}, s[16:23] dmask:{(1 << count) - 1:#x} unorm")],
                     {"mem": "b32x4.d" if piece == 128 else "b32.d", "v4": "ramp:0x1:1", "v5": f"below{height + 1}.b", "v6": 0,
                      **resource(layout, "uint", height=height), span(0, count): "b32.u" if count == 1 else "b32x4.u"}, {"mem": piece}, store, rows=64,
                     first=64 * n))


def atomics(put, rows_by_name):
    names = {"swap": "write_b", "add": "add_u", "sub": "sub_u", "smin": "min_i", "umin": "min_u", "smax": "max_i", "umax": "max_u", "and": "and_b",
             "or": "or_b", "xor": "xor_b", "inc": "inc_u", "dec": "dec_u", "fmin": "min_f", "fmax": "max_f", "cmpswap": None, "fcmpswap": None}
    for name, operation in names.items():
        row = rows_by_name[f"image_atomic_{name}"]
        is_float = name.startswith("f")
        count = 2 if "cmpswap" in name else 1

        def run(wave, name=name, operation=operation, is_float=is_float):
            for lane in range(64):
                at = lane * 4
                old = int.from_bytes(wave.mem[at:at + 4], "little")
                new = wave.vgpr(12)[lane]
                if operation:
                    new = operations(32)[operation](old, new)
                else:
                    other = wave.vgpr(13)[lane]
                    same = _float(old) == _float(other) if is_float else old == other
                    new = new if same else old
                wave.mem[at:at + 4] = new.to_bytes(4, "little")
                wave.vgpr(12)[lane] = old
        kind = "f32" if is_float else "b32"
        put(make(f"IMAGE_ATOMIC_{name.upper()}", "model", "lanes",
                 [("gfx7", "MIMG", f"image_atomic_{name} {span(12, count)}, {span(4, addresses(row, 2))}, s[16:23] dmask:{(1 << count) - 1:#x} unorm glc")],
                 {"mem": f"{kind}.a", "v4": "ramp:0x0:1", "v5": 0, **resource("32", "float" if is_float else "uint", height=1),
                  span(12, count): f"{kind}.b" if count == 1 else f"{kind}x2.b"}, {"mem": 32, "v12": 32}, run))


def sizes(put, rows_by_name):
    row = rows_by_name["image_get_resinfo"]
    for n, (width, height, levels) in enumerate(((64, 4, 1), (64, 64, 7), (256, 16, 5), (1, 1, 1))):
        def size(wave, width=width, height=height, levels=levels):
            for lane in range(64):
                level = wave.vgpr(4)[lane]
                there = level < levels
                for d, value in enumerate((max(1, width >> level) if there else 0, max(1, height >> level) if there else 0, 1 if there else 0, levels)):
                    wave.vgpr(d)[lane] = value
        put(make(f"IMAGE_GET_RESINFO/{n}", "model", "lanes",
                 [("gfx7", "MIMG", f"image_get_resinfo v[0:3], {span(4, addresses(row, 1))}, s[16:23] dmask:0xf unorm")],
                 {"v4": "below8.a", "v[0:3]": "b32x4.d", **resource("32", "uint", width, height, levels=levels)}, {"v[0:3]": 128}, size, rows=64, first=64 * n))


def _wrapped(n, size, clamp):
    return n % size if clamp == 0 else max(0, min(size - 1, n))


def samples(put, rows_by_name):
    """All forms of sampling and gathering: with one level they differ in what their address registers hold."""
    for name, row in rows_by_name.items():
        found = re.match(r"image_(sample|gather4)((?:_\w+)*)$", name)
        if not found:
            continue
        gather = found.group(1) == "gather4"
        has = set(found.group(2).split("_"))
        for n, clamp in enumerate((2, 0)):
            given, order = {}, []
            if "o" in has:
                order.append(("offset", 0x3f01))  # one texel to the right, one up
            if "b" in has:
                order.append(("bias", 0x3f800000))
            if "c" in has:
                order.append(("reference", "unit.a"))
            if has & {"d", "cd"}:
                order += [(f"derivative{k}", 0x3c000000) for k in range(4)]
            order += [("x", f"texel{WIDTH}.a"), ("y", f"texel{HEIGHT}.b")]
            if "l" in has or "cl" in has:
                order.append(("lod", 0))
            places = {what: 4 + k for k, (what, _) in enumerate(order)}
            for k, (_, value) in enumerate(order):
                given[f"v{4 + k}"] = value
            dmask = 1 if gather else (15, 1, 9)[len(name) % 3]
            count = 4 if gather else bin(dmask).count("1")

            def run(wave, has=has, gather=gather, places=places, clamp=clamp, dmask=dmask):
                for lane in range(64):
                    u, v = _float(wave.vgpr(places["x"])[lane]) * WIDTH, _float(wave.vgpr(places["y"])[lane]) * HEIGHT

                    def look(x, y):
                        if "o" in has:
                            x, y = x + 1, y - 1
                        texel = texel_of(wave.mem, _wrapped(x, WIDTH, clamp), _wrapped(y, HEIGHT, clamp), "32")
                        if "c" in has:
                            return 0x3f800000 if _float(wave.vgpr(places["reference"])[lane]) < _float(texel) else 0
                        return texel
                    if gather:
                        x, y = int((u - 0.5) // 1), int((v - 0.5) // 1)
                        for d, (dx, dy) in enumerate(((0, 1), (1, 1), (1, 0), (0, 0))):
                            wave.vgpr(d)[lane] = look(x + dx, y + dy)
                    else:
                        value = look(int(u // 1), int(v // 1))
                        pack(wave, lane, selected([value], (4, 0, 0, 1), "float"), dmask)
            # Implicit levels need whole quads of neighbours; with one level any will do.
            put(make(f"{name.upper()}/{clamp}", "model", "lanes",
                     [("gfx7", "MIMG", f"{name} {span(0, count)}, {span(4, addresses(row, len(order)))}, s[16:23], s[24:27] dmask:{dmask:#x}")],
                     {"mem": "unitx4.u", **given, **resource("32", "float", select=(4, 0, 0, 1)), **sampler(clamp, 1 if "c" in has else 0),
                      span(0, count): "b32.d" if count == 1 else f"b32x{count}.d"}, {span(0, count): 32 * count}, run, rows=128, first=128 * n))


def blocks(gfx7):
    made = []
    rows_by_name = {row.name: row for row in gfx7 if row.format == "MIMG"}
    loads_and_stores(made.append, rows_by_name)
    packed(made.append, rows_by_name)
    atomics(made.append, rows_by_name)
    sizes(made.append, rows_by_name)
    samples(made.append, rows_by_name)
    return {"mimg": made}
