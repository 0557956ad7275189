#!/usr/bin/env python3
"""Compares `atoll reg --gpu r580 --all --json` with section 10 of "R5xx Acceleration" v1.3 (2008): every entry, every address
of every repeat and alias, every field's bits, access and default, every named value. This reader shares nothing with what wrote
registers/r5xx. Usage: manual_r5xx.py PATH_OF_ATOLL"""
import os
import re
import sys

import manual_text

# The text has no title left: this head stands in it and nowhere else.
FIRST_HEAD = "CP:CP_CSQ2_STAT · [R]"

# Errata of the manual that the project mends (docs/errata.md says why).
# VAP_VTX_AOS_ATTR's bracket names pairs of arrays, one word each, followed by the two arrays' addresses: 12 bytes a pair.
PAIRS = {"VAP_VTX_AOS_ATTR[01-1415]": [(f"VAP_VTX_AOS_ATTR{2 * i}{2 * i + 1}", 0x20c4 + 12 * i) for i in range(8)],
         "VAP_VTX_AOS_ADDR[0-15]": [(f"VAP_VTX_AOS_ADDR{i}", 0x20c8 + 12 * (i // 2) + 4 * (i % 2)) for i in range(16)]}
# (entry, field, value) -> the name that is right, or that the manual leaves to the reader ("0 = 1 pipe ... 3 = 4 pipes").
VALUE_NAMES = {("GB_PIPE_SELECT", "MAX_PIPE", 1): "2 pipes", ("GB_PIPE_SELECT", "MAX_PIPE", 2): "3 pipes",
               ("VAP_VTX_STATE_CNTL", "UPDATE_USER_COLOR_0_ENA", 1): "User Color 0 State IS updated",
               ("TX_FORMAT1_[0-15]", "TXFORMAT", 15): "TX_FMT_DXT1", ("TX_FORMAT1_[0-15]", "TXFORMAT", 16): "TX_FMT_DXT3",
               ("TX_FORMAT1_[0-15]", "TXFORMAT", 17): "TX_FMT_DXT5"}

HEAD = re.compile(r"^([A-Z0-9]+):(\S+) · \[(R|W|R/W)\] · (\d+) bits · Access: ([0-9/]+) ·\s*(.*)$")
ADDRESSES = re.compile(r"MMReg:(0x[0-9a-f]+)(?:-(0x[0-9a-f]+))?")
FIELD = re.compile(r"^([A-Za-z][A-Za-z0-9_]*) +(\d+)(:?)(\d*) +(none|0x[0-9A-Fa-f]+)(?: +(.*))?$")
VALUE = re.compile(r"^ +(\d{2,}) [-–] (.*)$")
FURNITURE = re.compile(r"^\s*(© 2008 Advanced Micro Devices, Inc\.|Proprietary\s+\d+|Revision 1\.3\s+March 30, 2008|Defa|Bits +Description|ult)?\s*$")


def find_manual():
    folder = manual_text.outside.manuals("R5xx Acceleration")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".txt"):
            with open(os.path.join(folder, name), encoding="utf-8") as text:
                content = text.read()
            if FIRST_HEAD in content:
                return content
    sys.exit(f"{folder}: no manual has the head '{FIRST_HEAD}'")


def read_manual(content, findings):
    """The entries: name, block, access, bits, addresses as printed [(first, last or None)], fields."""
    lines = [line.rstrip() for line in content.split("\n") if not FURNITURE.match(line)]
    entries, fields, i = [], None, 0
    while i < len(lines):
        line = lines[i]
        i += 1
        head = HEAD.match(line)
        if head:
            rest = head[6]
            # The address, or the range's end, stands on the next line where the name is long.
            if not rest or rest.endswith("-"):
                rest += lines[i].strip()
                i += 1
            places = [(int(a, 16), int(b, 16) if b else None) for a, b in ADDRESSES.findall(rest)]
            findings.check(places and not re.sub(r"[\s,]", "", ADDRESSES.sub("", rest)), f"head not understood: {line} {rest}")
            entries.append({"name": head[2], "block": head[1], "access": head[3].replace("/", ""), "bits": int(head[4]),
                            "places": places, "fields": []})
            fields = None
            continue
        if not entries:
            continue
        if re.match(r"^10\.\d+ ", line):
            fields = None
        elif line.startswith("Field Name"):
            fields = entries[-1]["fields"]
        elif fields is not None:
            read_field_line(line, entries[-1], fields, findings)
    return entries


def read_field_line(line, entry, fields, findings):
    field = FIELD.match(line)
    if field:
        high = int(field[2])
        open_low = field[3] and not field[4]
        fields.append({"name": field[1], "high": high, "low": None if open_low else int(field[4] or high), "default": field[5],
                       "access": None, "text": field[6] or "", "values": [], "listing": False})
        if fields[-1]["text"].startswith("POSSIBLE VALUES:"):
            fields[-1]["listing"] = True
        return
    if not fields:
        findings.check(not line.strip(), f"{entry['name']}: line before any field: {line}")
        return
    last = fields[-1]
    access = re.match(r"^\(Access: (R|W|R/W)\)(.*)$", line)
    if access:
        last["access"] = access[1].replace("/", "")
        line = " " + access[2]
    elif re.match(r"^(\(master with|\(mirror of|[A-Z_]+:[A-Z_]+\))", line):
        line = "  " + (re.split(r" {4,}", line, maxsplit=1) + [""])[1]
    elif line[:1].strip():
        # The rest of a name that the column was too narrow for.
        rest = re.match(r"^([A-Z0-9_]+)(?: {2,}(.*))?$", line)
        if not findings.check(rest is not None, f"{entry['name']}.{last['name']}: line not understood: {line}"):
            return
        last["name"] += rest[1]
        line = " " + (rest[2] or "")
    if last["low"] is None:
        low = re.match(r"^ +(\d+)(?: +(.*))?$", line)
        if low:
            last["low"] = int(low[1])
            line = " " + (low[2] or "")
    value = VALUE.match(line)
    if "POSSIBLE VALUES:" in line:
        last["listing"] = True
    elif last["listing"] and value:
        last["values"].append([int(value[1]), value[2]])
    elif last["listing"] and last["values"]:
        last["values"][-1][1] += " " + line.strip()
    else:
        last["text"] += " " + line.strip()


def instances(entry, findings):
    """Every (name, address) that the head stands for, further addresses of one register included."""
    if entry["name"] in PAIRS:
        first, last = entry["places"][0]
        pairs = PAIRS[entry["name"]]
        findings.check((pairs[0][1], pairs[-1][1]) == (first, last), f"{entry['name']}: not at {first:#x}-{last:#x}")
        return pairs
    bracket = re.fullmatch(r"([A-Z0-9_]*)\[(\d+)-(\d+)\]([A-Z0-9_]*)", entry["name"])
    result = []
    for first, last in entry["places"]:
        if bracket:
            begin, end = int(bracket[2]), int(bracket[3])
            steps = end - begin
            if not findings.check(last and steps and (last - first) % (4 * steps) == 0, f"{entry['name']}: odd stride"):
                continue
            stride = (last - first) // steps
            result += [(f"{bracket[1]}{begin + k}{bracket[4]}", first + k * stride) for k in range(steps + 1)]
        else:
            # A range without an index is an aperture: all its words are the same register.
            result += [(entry["name"], address) for address in range(first, (last or first) + 4, 4)]
    return result


def same_name(ours, text):
    """Whether `ours` is how the manual's `text` of a value begins, up to the end of a word. Names may leave out what the manual
    writes before "=" or ":" or put for it what stands behind; blanks and signs do not count."""
    choices = [text] + [text[m.end():] for m in re.finditer(r"^\S+( ?[=:]| -) ", text)]
    for choice in choices:
        words, joined = re.findall(r"[A-Za-z0-9]+", choice), ""
        for word in words:
            joined += word.upper()
            if joined == manual_text.letters(ours):
                return True
    # Values that are only signs, as "<=".
    return not manual_text.letters(ours) and ours.strip() == text.strip()


def compare_values(entry, field, ours, entries, findings):
    where = f"{entry['name']}.{field['name']}"
    named = manual_text.numbers(ours.get("values", {}))
    listed = dict(field["values"])
    findings.check(len(listed) == len(field["values"]), f"{where}: the manual lists a value twice")
    for value, text in listed.items():
        findings.count("named values")
        right = VALUE_NAMES.get((entry["name"], field["name"], value))
        if value not in named:
            findings.check(False, f"{where}: value {value} '{text[:60]}' is missing")
        elif right:
            findings.check(named[value] == right, f"{where}: value {value} is '{named[value]}', not '{right}'")
        else:
            findings.check(same_name(named[value], text), f"{where}: value {value} is '{named[value]}', the manual has '{text[:60]}'")
    ranges = {value for first, text in listed.items() for a, b in re.findall(r"(\d+) - (\d+)", text)
              for value in range(int(a), int(b) + 1) if int(a) == first}
    for value, name in named.items():
        if value in listed or value in ranges:
            continue
        # Named in the running text of this field, or in what this field is said to be like ("see DATA_TYPE_0").
        findings.count("values named in running text")
        right = VALUE_NAMES.get((entry["name"], field["name"], value)) == name
        findings.check(right or not listed and any(named_in(other, value, name) for other in [field] + alike(entry, field, entries)),
                       f"{where}: value {value} '{name}' is not the manual's")


def alike(entry, field, entries):
    """The other fields of the entry, and those that the field's text names as REGISTER.FIELD."""
    places = set(re.findall(r"([A-Z0-9_]+)\.([A-Z0-9_]+)", field["text"]))
    return [f for f in entry["fields"] if f is not field] + [f for e in entries for f in e["fields"] if (e["name"], f["name"]) in places]


def named_in(field, value, name):
    if any(number == value and same_name(name, text) for number, text in field["values"]):
        return True
    return value in numbers_in(field["text"]) and manual_text.letters(name) in manual_text.letters(field["text"])


def numbers_in(text):
    """Every number of a running text; "9-14" is all of them, ">= 8" everything above, "1XXX" what fits it."""
    result = {int(number) for number in re.findall(r"(?<![\w.])\d+", text)} | {int(n, 16) for n in re.findall(r"0x([0-9A-Fa-f]+)", text)}
    for first, last in re.findall(r"(\d+) ?- ?(\d+)", text):
        result |= set(range(int(first), int(last) + 1))
    for least in re.findall(r">= ?(\d+)", text):
        result |= set(range(int(least), 64))
    for bits in re.findall(r"= ([01X]{4})\b", text):
        result |= {value for value in range(16) if all(b in "X" + d for b, d in zip(bits, f"{value:04b}"))}
    return result


def compare(entries, objects, findings):
    by_name = {}
    for each in objects:
        by_name.setdefault(each["name"], []).append(each)
    seen = set()
    for entry in entries:
        findings.count("entries")
        places = instances(entry, findings)
        want = {}
        for name, address in places:
            want.setdefault(name, set()).add(address)
        for name, addresses in want.items():
            findings.count("registers")
            found = by_name.get(name)
            if not findings.check(found, f"{name}: missing"):
                continue
            seen.add(name)
            findings.check(all(each["source"] == "manual" for each in found), f"{name}: source is {found[0]['source']}")
            have = [int(each["address"], 16) for each in found]
            findings.count("addresses", len(addresses))
            findings.check(sorted(have) == sorted(addresses), f"{name}: at {[hex(a) for a in have[:4]]}, the manual has "
                           f"{[hex(a) for a in sorted(addresses)[:4]]} ({len(have)} and {len(addresses)})")
            findings.check(sum("alias_of" not in each for each in found) == 1, f"{name}: not exactly one object without alias_of")
            for each in found:
                compare_register(entry, name, each, findings)
                findings.check(each["fields"] == by_name.get(places[0][0], [each])[0]["fields"], f"{name}: other fields than {places[0][0]}")
        compare_fields(entry, by_name.get(places[0][0], [{"fields": []}])[0], entries, findings)
    for name, found in by_name.items():
        findings.check(name in seen or found[0]["source"] != "manual", f"{name}: said to be the manual's, and is not")
        findings.count("registers from public sources", name not in seen)


def compare_register(entry, name, ours, findings):
    for key in ("block", "access", "bits"):
        findings.check(ours[key] == entry[key], f"{name}: {key} is {ours[key]}, the manual has {entry[key]}")
    bits = [(f["name"], f["high"], f["low"]) for f in ours["fields"] if "source" not in f]
    findings.check(len(bits) == len(entry["fields"]), f"{name}: {len(bits)} fields, the manual has {len(entry['fields'])}")


def compare_fields(entry, ours, entries, findings):
    have = {(f["name"], f["high"], f["low"]): f for f in ours["fields"] if "source" not in f}
    for field in entry["fields"]:
        findings.count("fields")
        where = f"{entry['name']}.{field['name']}"
        found = have.pop((field["name"], field["high"], field["low"]), None)
        if not findings.check(found, f"{where} {field['high']}:{field['low']}: missing"):
            continue
        findings.check(found["default"] == field["default"].lower() or
                       (field["default"] != "none" != found["default"] and int(found["default"], 16) == int(field["default"], 16)),
                       f"{where}: default {found['default']}, the manual has {field['default']}")
        findings.check(found.get("access", entry["access"]) == (field["access"] or entry["access"]),
                       f"{where}: access {found.get('access')}, the manual has {field['access']}")
        compare_values(entry, field, found, entries, findings)
    for name, high, low in have:
        findings.check(False, f"{entry['name']}.{name} {high}:{low}: not the manual's")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    content = find_manual()
    findings = manual_text.Findings()
    entries = read_manual(content, findings)
    compare(entries, manual_text.objects([sys.argv[1], "reg", "--gpu", "r580", "--all", "--json"]), findings)
    findings.expect("entries", 278)
    sys.exit(findings.report())


if __name__ == "__main__":
    main()
