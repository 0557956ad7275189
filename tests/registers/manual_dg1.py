#!/usr/bin/env python3
"""Compares `atoll enum --gpu dg1 --all --json` with the DG1 PRM volume 2b, Command Reference: Enumerations (February 2021):
every enumeration, its size, every named value. This reader shares nothing with what wrote registers/dg1.
Usage: manual_dg1.py PATH_OF_ATOLL"""
import re
import sys

import manual_text

TITLE = "Volume 2b: Command Reference: Enumerations"

# Errata of the manual that the project mends (docs/errata.md says why).
VALUE_NAMES = {("EU_OPCODE", 0x20): "jmpi"}
MISSING_IN_MANUAL = {("EU_OPCODE", 0x58): "dp4a"}
VALUES = {("RenderCompressionFormat", "1100b"): 0b11100}

NUMBER = r"(?:0x[0-9A-Fa-f]+|[01]+b|[0-9A-Fa-f]+h|\d+)"
ROW = re.compile(rf"^\[?({NUMBER})(?: ?- ?({NUMBER}))?\]?$")
UNNAMED = re.compile(r"-|Reserved\d*")
# The table inside RenderCompressionFormat: its head, where the columns before it were lost, is no name.
INNER_HEAD = "Format"


def number(text):
    if text.startswith("0x"):
        return int(text, 16)
    if text.endswith("h"):
        return int(text[:-1], 16)
    return int(text[:-1], 2) if text.endswith("b") else int(text)


def read(text):
    """The manual's enumerations: {name: {"bits", "rows": [(first, last, name)], "formats": {value: [names]}}}."""
    lines = text.split("\n")
    contents = next(i for i, line in enumerate(lines) if line.strip() == "Table of Contents")
    result, current, inner = {}, None, None
    for line in lines[contents + 1:]:
        cells = [cell.strip() for cell in line.split("\t")]
        entry = re.fullmatch(r"(\S[^\t]*)\t\d+", line.rstrip())
        if entry and current is None:
            result[entry[1].strip().upper()] = {"name": entry[1].strip(), "bits": None, "rows": [], "formats": {}}
            continue
        if line.strip().upper() in result and "\t" not in line.rstrip():
            # A heading is repeated on each of its pages: an inner table goes on there.
            if current is not result[line.strip().upper()]:
                current, inner = result[line.strip().upper()], None
            continue
        size = re.match(r"^Size \(in bits\):\s*(\d+)", line)
        if size:
            current["bits"] = int(size[1])
        row = ROW.match(cells[0]) if current and len(cells) > 1 else None
        if not row:
            # A row of the inner table: its cells stand wherever the columns before them were kept.
            names = [cell for cell in cells if re.fullmatch(r"[A-Z][A-Z0-9_]{3,}|Reserved", cell)]
            if inner is not None and names:
                inner.append(names[0])
            continue
        first = VALUES.get((current["name"], cells[0]), number(row[1]))
        name = re.sub(r" \[Default\]$", "", cells[1])
        current["rows"].append((first, number(row[2]) if row[2] else first, name))
        if INNER_HEAD in cells[1:]:
            inner = current["formats"].setdefault(first, [])
    return result


def main():
    enumerations = read(manual_text.find(TITLE))
    findings = manual_text.Findings()
    ours = {}
    for entry in manual_text.objects([sys.argv[1], "enum", "--gpu", "dg1", "--all", "--json"]):
        if findings.check(entry["name"] not in ours, f"{entry['name']}: twice"):
            ours[entry["name"]] = entry
    for enumeration in enumerations.values():
        findings.count("enumerations")
        name = enumeration["name"]
        rows = [row for row in enumeration["rows"] if row[2] and not UNNAMED.fullmatch(row[2])]
        findings.count("named values", sum(row[2] != INNER_HEAD for row in rows))
        findings.count("words 'Format' in the place of a name", sum(row[2] == INNER_HEAD for row in rows))
        match = ours.pop(name, None)
        if not findings.check(match is not None, f"{name}: missing"):
            continue
        findings.check(match["bits"] == enumeration["bits"], f"{name}: {match['bits']} bits, not {enumeration['bits']}")
        # If the manual names a value twice, ours has the second name among the alternatives.
        have = {}
        for values in [match["values"]] + [other["values"] for other in match.get("alternatives", [])]:
            for value, text in manual_text.numbers(values).items():
                have.setdefault(value, []).append(text)
        for first, last, text in rows:
            wanted = VALUE_NAMES.get((name, first), text)
            for value in range(first, last + 1) if text != INNER_HEAD else ():
                if findings.check(wanted in have.get(value, []), f"{name}: value {value} is {have.get(value)}, not '{wanted}'"):
                    have[value].remove(wanted)
        # A code of the inner table has no name of its own: ours lists the formats that it stands for.
        reserved = manual_text.numbers(dict.fromkeys(match.get("reserved", []), ""))
        for value, formats in enumeration["formats"].items():
            findings.count("codes with an inner table")
            findings.count("formats in the inner table", len(formats))
            if formats == ["Reserved"]:
                findings.check(value in reserved and value not in have, f"{name}: value {value} is not marked reserved")
            elif findings.check(have.get(value) == [", ".join(formats)], f"{name}: value {value} is {have.get(value)}, not {formats}"):
                have[value].clear()
        for value, texts in have.items():
            for text in texts:
                findings.count("values that the manual lacks")
                findings.check(MISSING_IN_MANUAL.get((name, value)) == text, f"{name}: value {value} '{text}' is not in the manual")
    findings.expect("values that the manual lacks", len(MISSING_IN_MANUAL))
    for name in ours:
        findings.check(False, f"{name}: not in the manual")
    findings.expect("enumerations", 43)
    # 626 rows have a text in the column of names; in five of them it is the inner table's head.
    findings.expect("named values", 621)
    findings.expect("words 'Format' in the place of a name", 5)
    return findings.report()


if __name__ == "__main__":
    sys.exit(main())
