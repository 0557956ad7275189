#!/usr/bin/env python3
"""Compares `atoll reg --gpu bonaire --all --json` with the Sea Islands 3D/Compute Register Reference (2012): every entry,
every address of every repeat, every field's bits and default, every named value. This reader shares nothing with what wrote
registers/sea_islands. Usage: manual_sea_islands.py PATH_OF_ATOLL"""
import re
import sys

import manual_text

TITLE = "Radeon Sea Islands 3D/Compute Register Reference Guide"

# Errata of the manual that the project mends (docs/errata.md says why): what the text has -> what is right.
REGISTER_NAMES = {f"SQ_BUFSRC_WORD{i}": f"SQ_BUF_RSRC_WORD{i}" for i in range(4)}
ADDRESSES = {"PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_1": "0x28c0c"}
FIELD_NAMES = {("DB_Htile_Surface", "HTILEUSES_PRELOAD_WIN"): "HTILE_USES_PRELOAD_WIN",
               ("SQ_IMG_SAMP_WORD0", "Reserved", 9): "MAX_ANISO_RATIO",
               ("SQ_IMG_SAMP_WORD0", "Reserved", 16): "ANISO_THRESHOLD",
               ("SQ_IMG_SAMP_WORD0", "Reserved", 21): "ANISO_BIAS"}
# Defaults wider than their fields: the bits that fit.
DEFAULTS = {("SPI_SHADER_PGM_RSRC3_ES", "CU_EN"): "0xfffe", ("SPI_SHADER_PGM_RSRC3_LS", "CU_EN"): "0xfffc"}
# Misprints at the beginning of a value's name, wherever it stands.
MISPRINTS = {"SQ_TTMAP": "SQ_TTMP", "SQ_TTMRP": "SQ_TTMP", "SQ_TTMO:": "SQ_TTMP0:", "SQ_FLAT_LOAD_DWORDDX": "SQ_FLAT_LOAD_DWORDX",
             "SQ_FLAT_STORE_DWORDDX": "SQ_FLAT_STORE_DWORDX", "SQ_FLAT_STORE_BYT:": "SQ_FLAT_STORE_BYTE:",
             "SQ_V_WRITECHAN邦": "SQ_V_WRITELANE_B32", "SQ_V_OPCODE_OFFSET": "SQ_V_OPC_OFFSET", "SQ_V_ASRR_I64": "SQ_V_ASHR_I64",
             "BUF_NUM_FORMAT_SSACLED": "BUF_NUM_FORMAT_SSCALED", "IMG_NUM_FORMAT_SSACLED": "IMG_NUM_FORMAT_SSCALED"}
# Names that are wrong in one place only: (entry, field, value) -> name.
VALUE_NAMES = {("SQ_SOP1", "OP", 24): "SQ_S_FLBIT_I32_I64", ("SQ_IMG_RSRC_WORD1", "DATA_FORMAT", 63): "IMG_DATA_FORMAT_32_AS_32_32_32_32"}

# The chapters whose entries are words of instructions and of descriptors in memory: the address printed there is none.
WORD_CHAPTERS = range(4, 9)

HEAD = re.compile(r"^\**([A-Z_ ]+):([A-Za-z0-9_ \[\]-]+?) [·•] \[(R|W|R/W)\] [·•] (\d+) bits [·•] Access: (\d+) [·•](.*)$")
ADDRESS = re.compile(r"GpuF0MMReg:(0x[0-9a-f]+)(?:-(0x[0-9a-f]+))?")
BITS = re.compile(r"^(\d+)(?::(\d+))?$")
VALUE = re.compile(r"(?<![^\s)])(\d{2,}) - ")


def cell_text(cell):
    """A cell of a table without its marks of HTML."""
    return " ".join(re.sub(r"</?[a-z][^<>]*>", " ", cell).split())


def named_values(text, width):
    """The (number, text) pairs behind "POSSIBLE VALUES:". Numbers ascend; a number that does not is part of a description."""
    behind = text.split("POSSIBLE VALUES:", 1)
    if len(behind) < 2:
        return []
    result, last, starts = [], -1, []
    for match in VALUE.finditer(behind[1]):
        if last < int(match[1]) < 1 << width:
            last = int(match[1])
            starts.append((last, match.start(), match.end()))
    for (value, _, end), (_, after, _) in zip(starts, starts[1:] + [(0, len(behind[1]), 0)]):
        # Some lists repeat the number behind the dash: "00 - 0 = First", "17 - 0x11: NAME".
        text = re.sub(rf"^(?:{value} [=-]|0x{value:02X}:) ", "", behind[1][end:after].strip())
        for wrong, right in MISPRINTS.items():
            if text.startswith(wrong):
                text = right + text[len(wrong):]
        result.append((value, text))
    return result


def read(text):
    """The manual's entries: dictionaries with name, block, access, bits, addresses, word, fields, line."""
    entries, chapter, started = [], 0, False
    for number, line in enumerate(text.split("\n"), 1):
        chapter_head = re.match(r"^(\d+)\. [A-Z][A-Za-z ]+$", line.strip())
        if chapter_head:
            chapter, started = int(chapter_head[1]), True
            continue
        if not started or not line.strip(" \t-"):
            continue
        if "·" in line or "•" in line:
            head = HEAD.match(line.rstrip())
            if not head:
                sys.exit(f"line {number} of the manual looks like an entry's head, but cannot be read: {line}")
            entries.append({"block": head[1].replace(" ", "_"), "name": re.sub(r"[ _]+", "_", head[2]), "access": head[3].replace("/", ""),
                            "bits": int(head[4]), "address": ADDRESS.search(head[6]), "chapter": chapter, "fields": [],
                            "line": number, "text": ""})
            continue
        if not entries:
            continue
        entry = entries[-1]
        entry["text"] += " " + cell_text(line)
        if entry["address"] is None:
            entry["address"] = ADDRESS.search(line)
            continue
        cells = line.split("\t")
        bits = BITS.match(cells[1].replace(" ", "")) if len(cells) > 2 else None
        if bits and re.fullmatch(r"[A-Za-z0-9_ ]+", cells[0]):
            entry["fields"].append({"name": re.sub(r"[ _]+", "_", cells[0].strip()), "high": int(bits[1]), "low": int(bits[2] or bits[1]),
                                    "default": cells[2].strip(), "text": " ".join(cell_text(c) for c in cells[3:]), "line": number})
        elif len(cells) > 3 and not "".join(cells[:3]).strip() and entry["fields"]:
            entry["fields"][-1]["text"] += " " + " ".join(cell_text(c) for c in cells[3:])
    return entries


def instances(entry):
    """[(name, address)] of an entry; [first-last] in a name counts, and the range of its addresses is evenly spaced."""
    name = REGISTER_NAMES.get(entry["name"], entry["name"])
    first, last = (int(a, 16) if a else None for a in entry["address"].groups())
    if name in ADDRESSES:
        first = int(ADDRESSES[name], 16)
    repeat = re.search(r"\[(\d+)-(\d+)\]", name)
    if not repeat:
        return [(name, first)]
    count = int(repeat[2]) - int(repeat[1]) + 1
    step = (last - first) // (count - 1)
    if first + step * (count - 1) != last:
        sys.exit(f"line {entry['line']} of the manual: {count} addresses are not evenly spaced in {first:#x}-{last:#x}")
    return [(name[:repeat.start()] + str(int(repeat[1]) + i) + name[repeat.end():], first + step * i) for i in range(count)]


def compare_values(findings, where, field, ours, entry):
    """Every named value of the manual's field has its number and a name that the manual's text begins with."""
    width = field["high"] - field["low"] + 1
    have = manual_text.numbers(ours.get("values", {}))
    listed = named_values(field["text"], width)
    for value, text in listed:
        findings.count("named values")
        name = have.pop(value, None)
        if not findings.check(name is not None, f"{where}: value {value} '{text[:60]}' is missing"):
            continue
        mended = VALUE_NAMES.get((where.split(".")[0], field["name"], value))
        if mended:
            findings.check(name == mended, f"{where}: value {value} is '{name}', not the mended '{mended}'")
            continue
        # An identifier ahead of a colon, or alone, is the whole name; of a sentence the name is the beginning.
        identifier = re.match(r"^([A-Z][A-Z0-9]*(?:[_ ][A-Z0-9a-z]+)+)(?::|$)", text)
        if identifier:
            good = manual_text.letters(name) == manual_text.letters(identifier[1])
        else:
            good = bool(manual_text.letters(name)) and manual_text.letters(text).startswith(manual_text.letters(name))
        findings.check(good, f"{where}: value {value} is '{name}', in the manual '{text[:80]}'")
    for value, name in have.items():
        # Values that the manual names in running text, for this field or for one that it refers to.
        findings.check(not listed, f"{where}: value {value} '{name}' is not in the manual's list")
        findings.count("values named in running text")
        words = r"\b.*\b".join(map(re.escape, re.findall(r"[A-Za-z0-9_]+", name)))
        findings.check(re.search(words, entry["text"], re.IGNORECASE), f"{where}: value {value} '{name}' is not in the manual's text")


def compare(findings, entry, ours, name):
    """One instance of an entry with the object of the same name."""
    findings.check(ours["access"] == entry["access"], f"{name}: access {ours['access']}, not {entry['access']}")
    findings.check(ours["bits"] == entry["bits"], f"{name}: {ours['bits']} bits, not {entry['bits']}")
    findings.check(ours["block"].upper() == entry["block"], f"{name}: block {ours['block']}, not {entry['block']}")
    findings.check(ours["source"] == "manual", f"{name}: source '{ours['source']}'")
    # Fields that the manual lacks are marked with the public source they are from.
    fields = [dict(field) for field in ours["fields"] if "source" not in field]
    findings.count("fields from public sources", len(ours["fields"]) - len(fields))
    findings.check(len(fields) == len(entry["fields"]), f"{name}: {len(fields)} fields, not {len(entry['fields'])}")
    for field in entry["fields"]:
        findings.count("fields")
        where = f"{name}.{field['name']}"
        at = [f for f in fields if f["high"] == field["high"] and f["low"] == field["low"]]
        wanted = FIELD_NAMES.get((entry["name"], field["name"]), FIELD_NAMES.get((entry["name"], field["name"], field["low"]), field["name"]))
        match = next((f for f in at if f["name"].upper() == wanted.upper()), None)
        if not findings.check(match is not None, f"{where}: no field of that name in bits {field['high']}:{field['low']}"
                              + (f", but {at[0]['name']}" if at else "")):
            continue
        fields.remove(match)
        default = match["default"] if match["default"] == "none" else int(match["default"], 16)
        wanted = DEFAULTS.get((entry["name"], field["name"]), field["default"])
        findings.check(default == (wanted if wanted == "none" else int(wanted, 16)), f"{where}: default {match['default']}, not {field['default']}")
        compare_values(findings, where, field, match, entry)


def main():
    text = manual_text.find(TITLE)
    findings = manual_text.Findings()
    ours, aliases = {}, []
    for entry in manual_text.objects([sys.argv[1], "reg", "--gpu", "bonaire", "--all", "--json"]):
        if "alias_of" in entry:
            aliases.append(entry)
        elif findings.check(entry["name"].upper() not in ours, f"{entry['name']}: twice"):
            ours[entry["name"].upper()] = entry
    seen = set()
    for entry in read(text):
        findings.count("entries")
        findings.check(entry["fields"], f"{entry['name']}: the manual's fields were not found")
        for name, address in instances(entry):
            findings.count("instances")
            match = ours.get(name.upper())
            if not findings.check(match is not None, f"{name}: missing"):
                continue
            seen.add(name.upper())
            if entry["chapter"] in WORD_CHAPTERS:
                findings.check(match["address"] is None, f"{name}: address {match['address']} of a word that is in no register")
            else:
                findings.check(match["address"] is not None and int(match["address"], 16) == address,
                               f"{name}: address {match['address']}, not {address:#x}")
            compare(findings, entry, match, name)
    for name, entry in ours.items():
        findings.check(entry["source"] != "manual" or name in seen, f"{entry['name']}: said to be from the manual, which has no such entry")
        findings.count("registers from public sources", entry["source"] != "manual")
    findings.check(not [a for a in aliases if a["source"] == "manual"], "the manual has no aliases")
    findings.expect("entries", 393)
    return findings.report()


if __name__ == "__main__":
    sys.exit(main())
