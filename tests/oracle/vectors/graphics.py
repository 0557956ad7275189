"""Sea Islands' exports and attributes: the register guide's SQ_EXP and SQ_VINTRP words. The runner calls a target's channels `exp:TARGET.CHANNEL`, the lanes
that have written it `expmask:TARGET`, and what an attribute's channel is interpolated from, by quad, `attr:NUMBER.CHANNEL.p0`, `.p10` and `.p20`."""
from .sea_islands import mad
from .waves import ALL, make

TARGETS = {"mrt0": 0, "mrt7": 7, "mrtz": 8, "null": 9, "pos0": 12, "pos3": 15, "param0": 32, "param31": 63}


def interpolation(put):
    def of(place, name):
        def run(wave):
            for lane in range(64):
                # A quad has one primitive, whose words the runner takes from its last lane.
                attribute = [wave.other[f"{place}.{p}"][lane | 3] for p in ("p10", "p20", "p0")]
                if name == "p1":
                    wave.vgpr(0)[lane] = mad(attribute[0], wave.vgpr(4)[lane], attribute[2])
                elif name == "p2":
                    wave.vgpr(0)[lane] = mad(attribute[1], wave.vgpr(4)[lane], wave.vgpr(0)[lane])
                else:
                    wave.vgpr(0)[lane] = attribute[("p10", "p20", "p0").index(name)]
        return run
    for n, (number, channel) in enumerate(((0, 0), (5, 2), (31, 3), (32, 1))):
        place = f"attr:{number}.{channel}"
        letter = "xyzw"[channel]
        given = {"v0": "f32.c", "v4": "f32.b", f"{place}.p10": "f32.a", f"{place}.p20": "f32.a", f"{place}.p0": "f32.c"}
        forms = {"p1": f"v_interp_p1_f32 v0, v4, attr{number}.{letter}", "p2": f"v_interp_p2_f32 v0, v4, attr{number}.{letter}"}
        for name, text in forms.items():
            put(make(f"V_INTERP_{name.upper()}_F32/{n}", "model", "lanes", [("gfx7", "VINTRP", text)], given, {"v0": 32}, of(place, name)))
        for name in ("p10", "p20", "p0"):
            put(make(f"V_INTERP_MOV_F32/{name}/{n}", "model", "lanes", [("gfx7", "VINTRP", f"v_interp_mov_f32 v0, {name}, attr{number}.{letter}")],
                     {**given, f"{place}.p20": "f32.b"}, {"v0": 32}, of(place, name), rows=64, first=64 * n))


def exports(put):
    cases = [("mrt0", 15, ""), ("mrt7", 5, " done vm"), ("mrtz", 1, " done"), ("pos0", 15, " done"), ("pos3", 8, ""), ("param0", 3, ""), ("param31", 14, ""),
             ("null", 0, " done vm"), ("mrt0", 15, " done compr vm"), ("mrt7", 3, " compr")]
    for n, (target, enabled, flags) in enumerate(cases):
        execution = (ALL, 0xf0ff, 0x8000000000000001, 0x5555aaaa12345678)[n % 4]
        number = TARGETS[target]
        compressed = "compr" in flags
        sources = [("v4", "v5", "v6", "v7")[c] if enabled >> c & 1 else "off" for c in range(4)]
        if compressed:  # two registers of two halves; each stands for two channels
            sources = [("v4", "v4", "v6", "v6")[c] if enabled >> c & 1 else "off" for c in range(4)]

        def run(wave, number=number, enabled=enabled, compressed=compressed, flags=flags):
            for lane in wave.active():
                for c in range(2 if compressed else 4):
                    wanted = enabled >> 2 * c & 3 if compressed else enabled >> c & 1
                    if wanted and number != 9:
                        wave.other[f"exp:{number}.{c}"][lane] = wave.vgpr((4, 6)[c] if compressed else 4 + c)[lane]
            wave.other.update({f"expmask:{number}": wave.exec, f"expenable:{number}": enabled, f"expcompressed:{number}": int(compressed),
                               "expdone": int("done" in flags), "expvalid": wave.exec if "vm" in flags else 0})
        given = {**{f"v{4 + c}": f"b32.{'uabc'[c]}" for c in range(4)}, **{f"exp:{number}.{c}": "b32.d" for c in range(4)},
                 "exec": execution}
        wanted = {**{f"exp:{number}.{c}": 32 for c in range(4)}, f"expmask:{number}": 64, f"expenable:{number}": 32, f"expcompressed:{number}": 32,
                  "expdone": 32, "expvalid": 64}
        if number == 9:
            wanted = {"expdone": 32, "expvalid": 64}
        put(make(f"EXP/{n}", "model", "lanes", [("gfx7", "EXP", f"exp {target} {', '.join(sources)}{flags}")], given, wanted, run))


def blocks():
    made = []
    interpolation(made.append)
    exports(made.append)
    return {"graphics": made}
