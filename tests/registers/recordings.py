#!/usr/bin/env python3
"""Recorded command streams of Mesa's drivers, as text of other decoders: the dwords are put together again, `atoll decode` reads
them, and packets, registers, fields and values must be the same. Usage: recordings.py ATOLL, with sea-islands-*.txt, r5xx-*.txt and
gfx12/streams/*.txt in the folder that tests/outside.py finds."""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import outside  # noqa: E402

# Names that differ between Mesa 22.3.6 (gfx7.json) and the manual: the field, Mesa's name, and the manual's (none: it names no values).
OTHERWISE = {
    ("PA_SU_SC_MODE_CNTL.POLY_MODE", "X_DISABLE_POLY_MODE"): "Disable poly mode",
    ("PA_SU_SC_MODE_CNTL.POLYMODE_FRONT_PTYPE", "X_DRAW_TRIANGLES"): "Draw triangles",
    ("PA_SU_SC_MODE_CNTL.POLYMODE_BACK_PTYPE", "X_DRAW_TRIANGLES"): "Draw triangles",
    ("PA_SU_VTX_CNTL.ROUND_MODE", "X_ROUND_TO_EVEN"): "Round to Even",
    ("PA_SU_VTX_CNTL.QUANT_MODE", "X_16_8_FIXED_POINT_1_256TH"): "16.8 fixed point. 1/256th",
    ("PA_SU_VTX_CNTL.QUANT_MODE", "X_12_12_FIXED_POINT_1_4096TH"): "12.12 fixed point. 1/4096th",
    ("DB_DEPTH_CONTROL.STENCILFUNC", "FRAG_NEVER"): "REF_NEVER",
    ("DB_DEPTH_CONTROL.STENCILFUNC_BF", "FRAG_NEVER"): "REF_NEVER",
    ("CB_COLOR_CONTROL.ROP3", "ROP3_COPY"): "SRCCOPY",
    ("SPI_SHADER_PGM_RSRC1_VS.FLOAT_MODE", "FP_16_64_DENORMS"): None,
    ("SPI_SHADER_PGM_RSRC1_PS.FLOAT_MODE", "FP_16_64_DENORMS"): None,
}


class Check:
    def __init__(self, atoll):
        self.atoll, self.failures, self.sources, self.counts = atoll, [], {}, {}
        self.known = {}

    def run(self, *arguments, text=None):
        return subprocess.run([self.atoll, *arguments], input=text, capture_output=True, text=True)

    def decode(self, gpu, words, unknown=()):
        """The packets of a stream that writes the `unknown` registers (addresses as text), which decode has to name."""
        done = self.run("decode", "--gpu", gpu, "--json", "--hex", text="\n".join(f"{w:08x}" for w in words))
        named = re.findall(r"register (0x[0-9a-f]+) is unknown", done.stderr)
        self.expect(done.returncode == bool(unknown) and named == list(unknown) and len(done.stderr.splitlines()) == len(named),
                    f"decode for {gpu} ended with {done.returncode}: {done.stderr.strip()}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def registers(self, gpu):
        if gpu not in self.known:
            lines = [json.loads(line) for line in self.run("reg", "--gpu", gpu, "--all", "--json").stdout.splitlines()]
            self.known[gpu] = {r["name"]: r for r in lines if "alias_of" not in r}
        return self.known[gpu]

    def named(self, gpu, name):
        """Our register for a name in a recording: Mesa leaves the index 0 out, and writes others in brackets."""
        registers = self.registers(gpu)
        index = re.search(r"\[(\d+)\]", name)
        forms = [name, name + "_0", name + "0"]
        if index:
            forms = [name.replace(index[0], index[1]), name.replace(index[0], "_" + index[1])]
        for form in forms:
            if form in registers:
                self.sources.setdefault(gpu, {})[form] = registers[form]["source"]
                return registers[form]
        return None

    def expect(self, holds, message):
        if not holds:
            self.failures.append(message)

    def count(self, what, number=1):
        self.counts[what] = self.counts.get(what, 0) + number


def compare_field(check, register, line, fields):
    """One "FIELD = VALUE" of Mesa's decoder against ours."""
    match = re.fullmatch(r"(\w+) = (\S+)(?: \(0x([0-9a-f]+)\))?", line)
    check.expect(match, f"{register}: cannot read '{line}'")
    if not match:
        return
    name, value = match[1], match[2]
    ours = next((f for f in fields if f["name"] == name), None)
    check.expect(ours, f"{register}: we have no field {name}")
    if ours is None:
        return
    check.count("fields")
    if re.fullmatch(r"[0-9]+|0x[0-9a-f]+", value):
        check.expect(int(ours["value"], 16) == int(value, 0), f"{register}.{name} is {value}, ours {ours['value']}")
        return
    check.count("named values")
    known = OTHERWISE.get((f"{register}.{name}", value), value)
    check.expect(ours.get("value_name") == known, f"{register}.{name} = {value}: ours {ours['value']} is {ours.get('value_name')}")


def glxgears(check, path):
    packets, words, indices = [], [], {}  # indices: those that Mesa reads in the first dword of a SET_*_REG
    for line in open(path):
        line = line.rstrip("\n")
        head = re.match(r"([0-9a-f]{8})(?: (\w+)(?:\(.*\))?:| +(\S+) <- (.*)|| +INDEX = (\d+))\s*$", line)
        if head:
            words.append(int(head[1], 16))
            if head[5]:
                indices[len(words) - 1] = int(head[5])
            if head[2]:
                packets.append((head[2], len(words) - 1, []))
            elif head[3]:
                packets[-1][2].append((head[3], len(words) - 1, [head[4]]))
        elif re.match(r" +\S", line) and packets and packets[-1][2]:
            text = line.strip()
            other = re.fullmatch(r"(\S+) <- (.*)", text)
            if other:
                packets[-1][2].append((other[1], None, [other[2]]))
            else:
                packets[-1][2][-1][2].append(text)
    ours = check.decode("bonaire", words)
    check.expect([p[0] for p in packets] == [p["packet"] for p in ours], "glxgears: other packets")
    for (name, at, values), packet in zip(packets, ours):
        check.count("packets")
        check.expect(packet["offset"] == 4 * at, f"glxgears: {name} at {at}, ours at {packet['offset'] // 4}")
        written = {at + len(packet["words"]) - len(packet["registers"]) + i: r for i, r in enumerate(packet["registers"])}
        operands = {at + 1 + i: o for i, o in enumerate(packet.get("operands", []))}
        index = next((int(f["value"], 16) for f in operands.get(at + 1, {"fields": []})["fields"] if f["name"] == "INDEX"), None)
        check.expect(indices.get(at + 1) == index, f"glxgears: {name} at {at}: index {indices.get(at + 1)}, ours {index}")
        for register, word, lines in values:
            if word is None:
                continue  # Mesa takes a dword apart twice
            entry = written.get(word) or operands.get(word)
            if word in written:
                check.count("registers")
                known = check.named("bonaire", register) if not register.startswith("0x") else None
                check.expect(register.startswith("0x") or known, f"glxgears: no register is called {register}")
                if known:
                    check.expect(known["name"] == entry["name"], f"glxgears: {register} is ours {entry['name']}")
                check.expect(entry["name"], f"glxgears: {entry['address']} has no name")
            if entry is None:
                check.count("dwords of packets that we print raw")
                continue
            check.expect(int(entry["value"], 16) == words[word], f"glxgears: {register}: another value")
            if re.match(r"\w+ = ", lines[0]):
                for line in lines:
                    compare_field(check, register, line, entry["fields"])


def triangle(check, path):
    """The summary's sequence, with the addresses of our names; what it says of packets and values must come back."""
    text = open(path).read()
    spaces = {"SET_CONTEXT_REG": (0x69, 0x28000), "SET_SH_REG": (0x76, 0xb000), "SET_UCONFIG_REG": (0x79, 0x30000)}
    opcodes = {name: int(code, 16) for name, code in re.findall(r"x (\w+) \(op (0x[0-9a-f]+)\)", text)}
    events = {"PIPELINESTAT_START": 0x19, "PIPELINESTAT_STOP": 0x1a, "PS_PARTIAL_FLUSH": 0x410, "FLUSH_AND_INV_CB_META": 0x2e}
    expected, words = [], []
    for line in text[text.index("SEQUENCE:"):].splitlines()[1:]:
        name, *rest = line.split()
        if name in spaces:
            opcode, base = spaces[name]
            pairs = []
            for item in rest:
                register, value = item.split("=")
                known = check.named("bonaire", register) if not register.startswith("0x") else {"address": register}
                check.expect(known, f"triangle: no register is called {register}")
                if known:
                    pairs.append((int(known["address"], 16), int(value, 16)))
            addresses = [a for a, _ in pairs]
            check.expect(addresses == list(range(addresses[0], addresses[0] + 4 * len(addresses), 4)), f"triangle: not in a row: {line.strip()}")
            words += [0xc0000000 | len(pairs) << 16 | opcode << 8, (addresses[0] - base) // 4] + [v for _, v in pairs]
            expected.append((name, pairs))
        else:
            payload = [events[w] if w in events else int(w, 16) for w in rest]
            words += [0xc0000000 | (len(payload) - 1) << 16 | opcodes[name] << 8] + payload
            expected.append((name, payload))
    ours = check.decode("bonaire", words)
    check.expect(len(ours) == len(expected), "triangle: other packets")
    for (name, content), packet in zip(expected, ours):
        check.count("packets")
        check.expect(packet["packet"] == name, f"triangle: {name}, ours {packet['packet']}")
        if name in spaces:
            check.count("registers", len(content))
            check.expect([(int(r["address"], 16), int(r["value"], 16)) for r in packet["registers"]] == content, f"triangle: {name} {content}")
            check.expect(all(r["name"] for r in packet["registers"]), f"triangle: a register of {name} has no name")


def piglit(check, path):
    for line in open(path):
        match = re.match(r"(SET_\w+_REG) (\d+) (.*)", line)
        if not match:
            continue
        names = match[3].split()
        check.expect(len(names) == int(match[2]), f"piglit: {match[1]} has {len(names)} names")
        for name in names:
            check.count("names of the piglit recordings")
            if name.startswith("0x"):
                done = check.run("reg", "--gpu", "bonaire", name)
                check.expect(done.returncode == 0, f"piglit: {name} has no register")
            else:
                check.expect(check.named("bonaire", name), f"piglit: no register is called {name}")


def r5xx(check, path):
    opcodes = {p: int(o, 16) for p, o in (("3D_DRAW_IMMD_2", "0x35"), ("3D_DRAW_VBUF_2", "0x34"), ("3D_DRAW_INDX_2", "0x36"),
                                          ("3D_LOAD_VBPNTR", "0x2f"), ("INDX_BUFFER", "0x33"))}
    groups = []  # (place of the header, packet's name, content)
    for line in open(path):
        register = re.match(r"  \[ *(\d+)\] (0x[0-9a-f]+) (\S+) += ([0-9a-f]{8})", line)
        packet = re.match(r"  \[ *(\d+)\] PKT3 (\w+)((?: [0-9a-f]{8})*)", line)
        reloc = re.match(r"  \[ *(\d+)\] RELOC -> reloc\[(\d+)\]", line)
        if register:
            place, entry = int(register[1]), (int(register[2], 16), register[3], int(register[4], 16))
            if groups and groups[-1][0] == place:
                groups[-1][2].append(entry)
            else:
                groups.append((place, "PACKET0", [entry]))
        elif packet:
            groups.append((int(packet[1]), packet[2], [int(w, 16) for w in packet[3].split()]))
        elif reloc:
            groups.append((int(reloc[1]), "NOP", [4 * int(reloc[2])]))
        elif line.startswith("  ["):
            check.expect("PKT2" in line, f"r5xx: cannot read '{line.strip()}'")
    words, expected = [], []
    for place, name, content in groups:
        while len(words) < place:
            words.append(0x80000000)
            expected.append(("PACKET2", [], len(words) - 1))
        check.expect(len(words) == place, f"r5xx: dword {place} comes at {len(words)}")
        if name == "PACKET0":
            once = len(content) > 1 and content[0][0] == content[1][0]
            words += [len(content) - 1 << 16 | (0x8000 if once else 0) | content[0][0] // 4] + [v for _, _, v in content]
        else:
            words += [0xc0000000 | len(content) - 1 << 16 | opcodes.get(name, 0x10) << 8] + content
        expected.append((name, content, place))
    ours = check.decode("r580", words)
    check.expect(len(ours) == len(expected), "r5xx: other packets")
    for (name, content, place), packet in zip(expected, ours):
        check.count("packets")
        check.expect((packet["packet"], packet["offset"]) == (name, 4 * place), f"r5xx: {name} at {place}, ours {packet['packet']}")
        if name != "PACKET0":
            continue
        check.expect(len(packet["registers"]) == len(content), f"r5xx: {place}: other registers")
        for (address, theirs, value), register in zip(content, packet["registers"]):
            check.count("registers")
            check.expect((int(register["address"], 16), int(register["value"], 16)) == (address, value), f"r5xx: {theirs}: another address or value")
            if theirs.startswith("?"):
                check.expect(register["name"], f"r5xx: {address:#x} has no name")
                known = check.registers("r580").get(register["name"])
                if known:
                    check.sources.setdefault("r580", {})[register["name"]] = known["source"]
                continue
            known = check.named("r580", theirs.split(":")[1])
            check.expect(known and known["name"] == register["name"], f"r5xx: {theirs} is ours {register['name']}")


# Opcodes of GFX12's packets and numbers of its events: Mesa 25.0.7 src/amd/common/sid.h (PKT3_*) and src/amd/registers/gfx12.json
# (VGT_EVENT_TYPE).
GFX12_OPCODES = {
    "NOP": 0x10, "SET_BASE": 0x11, "DISPATCH_DIRECT": 0x15, "SET_PREDICATION": 0x20, "DRAW_INDEX_2": 0x27, "CONTEXT_CONTROL": 0x28,
    "DRAW_INDIRECT_MULTI": 0x2C, "DRAW_INDEX_AUTO": 0x2D, "NUM_INSTANCES": 0x2F, "WRITE_DATA": 0x37, "WAIT_REG_MEM": 0x3C,
    "INDIRECT_BUFFER": 0x3F, "PFP_SYNC_ME": 0x42, "EVENT_WRITE": 0x46, "RELEASE_MEM": 0x49, "DISPATCH_TASKMESH_GFX": 0x4D,
    "DISPATCH_MESH_DIRECT": 0x4E, "DMA_DATA": 0x50, "ACQUIRE_MEM": 0x58, "DISPATCH_DIRECT_INTERLEAVED": 0xA7,
    "DISPATCH_TASK_STATE_INIT": 0xA9, "DISPATCH_TASKMESH_DIRECT_ACE": 0xAA, "EVENT_WRITE_ZPASS": 0xB1}
GFX12_SETS = {  # the packet: (opcode, its registers' first byte address, whether each value has a number of its own)
    "SET_CONTEXT_REG": (0x69, 0x28000, False), "SET_SH_REG": (0x76, 0xB000, False), "SET_UCONFIG_REG": (0x79, 0x30000, False),
    "SET_UCONFIG_REG_INDEX": (0x7A, 0x30000, False), "SET_SH_REG_INDEX": (0x9B, 0xB000, False),
    "SET_CONTEXT_REG_PAIRS": (0xB8, 0x28000, True), "SET_SH_REG_PAIRS": (0xBA, 0xB000, True), "SET_UCONFIG_REG_PAIRS": (0xBE, 0x30000, True)}
GFX12_EVENTS = {"CS_PARTIAL_FLUSH": 0x07, "VS_PARTIAL_FLUSH": 0x0F, "PS_PARTIAL_FLUSH": 0x10, "PIPELINESTAT_START": 0x19,
                "PIPELINESTAT_STOP": 0x1A, "VGT_FLUSH": 0x24, "BREAK_BATCH": 0x0E, "PIXEL_PIPE_STAT_CONTROL": 0x38}


def gfx12_packets(check, path):
    """[(name, predicated, [dword] of what is no register, [(address, name, value, fields that are not 0)])] of a stream's text."""
    packets, length = [], 0
    for number, line in enumerate(open(path), 1):
        text = line.strip()
        head = re.fullmatch(r"(\w+)(?:\(compute\))? \[(\d+)\]( pred)?", text)
        write = re.fullmatch(r"(\w+) \(0x([0-9A-F]+)\) <- 0x([0-9a-f]{8}) *(.*)", text)
        event = re.fullmatch(r"event (\w+) index (\d+)((?: [0-9a-f]{8})*)", text)
        call = re.fullmatch(r"-> 0x([0-9a-f]+) (\d+) dw flags 0x0", text)
        if head:
            packets.append((head[1], bool(head[3]), [], []))
            length = int(head[2])
        elif write:
            fields = {name: int(value) for name, value in (f.split("=") for f in write[4].split())}
            packets[-1][3].append((int(write[2], 16), write[1], int(write[3], 16), fields))
        elif event:
            packets[-1][2].extend([GFX12_EVENTS[event[1]] | int(event[2]) << 8] + [int(w, 16) for w in event[3].split()])
        elif call:
            packets[-1][2].extend([int(call[1], 16) & 0xFFFFFFFF, int(call[1], 16) >> 32, int(call[2])])
        elif re.fullmatch(r"[0-9a-f]{8}(?: [0-9a-f]{8})*", text):
            packets[-1][2].extend(int(w, 16) for w in text.split())
        elif text == "... cut":  # the text's end, behind a whole packet
            break
        else:
            check.expect(not text or text[0] in "#=" or text.startswith("sdma "), f"{path}:{number}: cannot read '{text}'")
        if packets and packets[-1][0] not in GFX12_SETS and (write or event or call or not head):
            check.expect(len(packets[-1][2]) in (0, length), f"{path}:{number}: {len(packets[-1][2])} of {length} dwords")
    return packets


def gfx12(check, path):
    """A stream that radeonsi or RADV made for gfx1201, with the names that another reader of gfx12.json gave its registers and fields."""
    packets, words, counted = gfx12_packets(check, path), [], set()
    for name, predicated, raw, writes in packets:
        if name in GFX12_SETS:
            opcode, first, pairs = GFX12_SETS[name]
            numbers = [(address - first) // 4 for address, *_ in writes]
            body = [w for n, (_, _, value, _) in zip(numbers, writes) for w in (n, value)] if pairs else [numbers[0]] + [w[2] for w in writes]
            check.expect(pairs or numbers == list(range(numbers[0], numbers[0] + len(numbers))), f"{path}: {name}: not in a row")
        else:
            opcode, body = GFX12_OPCODES[name], raw
        words += [0xC0000000 | len(body) - 1 << 16 | opcode << 8 | predicated] + body
    ours = check.decode("gfx1201", words, [f"{w[0]:#x}" for p in packets for w in p[3] if w[1].startswith("0x")])
    check.expect([p[0] for p in packets] == [p["packet"] for p in ours], f"{path}: other packets")
    for (name, _, raw, writes), packet in zip(packets, ours):
        check.count("packets of GFX12")
        check.expect(len(packet["registers"]) == len(writes), f"{path}: {name}: {len(packet['registers'])} registers, not {len(writes)}")
        for (address, theirs, value, fields), register in zip(writes, packet["registers"]):
            check.count("registers of GFX12")
            where = f"{path}: {theirs}"
            check.expect((int(register["address"], 16), int(register["value"], 16)) == (address, value), f"{where}: another address or value")
            if theirs.startswith("0x"):  # RADV 25.0.7 writes eight user clip planes, and there are six
                check.expect(not register["name"], f"{where}: nobody else has a name for it")
                continue
            known = check.named("gfx1201", theirs)
            check.expect(known and known["name"] == register["name"], f"{where} is ours {register['name']}")
            have = {f["name"]: int(f["value"], 16) for f in register["fields"] if int(f["value"], 16)}
            check.expect(have == fields, f"{where} = {value:#x}: ours {have}, theirs {fields}")
            check.count("fields of GFX12 that are not 0", len(fields))
            counted.add(theirs)
        if name == "EVENT_WRITE":
            fields = {f["name"]: f for f in packet["operands"][0]["fields"]}
            event = next(n for n, number in GFX12_EVENTS.items() if number == raw[0] & 0x3F)
            check.expect(fields["EVENT_TYPE"].get("value_name") == event, f"{path}: event {event} is ours {fields['EVENT_TYPE']}")


def main():
    folder = outside.recordings("streams of Mesa's drivers")
    check = Check(sys.argv[1])
    for name, read in (("sea-islands-glxgears-frame.txt", glxgears), ("sea-islands-triangle.summary.txt", triangle),
                       ("sea-islands-piglit.summary.txt", piglit), ("r5xx-triangle.txt", r5xx)):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            check.expect(False, f"{path} is missing")
            continue
        read(check, path)
    streams = os.path.join(folder, "gfx12", "streams")
    names = sorted(os.listdir(streams)) if os.path.isdir(streams) else []
    check.expect(names, f"{streams} is missing or empty")
    for name in names:
        gfx12(check, os.path.join(streams, name))
    for what, number in check.counts.items():
        print(f"{what}: {number}")
    for gpu, sources in check.sources.items():
        public = {n: s for n, s in sorted(sources.items()) if s != "manual"}
        print(f"{gpu}: {len(sources)} registers by name, {len(public)} of them from public sources:")
        for name, source in public.items():
            print(f"  {name}: {source}")
    for failure in check.failures:
        print("FAILED", failure)
    return 1 if check.failures or not check.counts else 0


sys.exit(main())
