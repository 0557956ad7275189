#!/usr/bin/env python3
"""Writes layout.h (formats, fields, bit positions) and rows.inc (the instruction rows as C++ initialisers) from isa/gfx7.tsv and
isa/gfx7-fields.tsv; the VOP3 forms of VOP1, VOP2 and VOPC rows are derived here. Usage: generate_table.py ROWS FIELDS OUTPUT_FOLDER.
A mistake in a table ends the build."""
import re
import sys


def read(path):
    with open(path) as text:
        lines = [(n, line.rstrip("\n")) for n, line in enumerate(text, 1)]
    lines = [(n, line) for n, line in lines if line and not line.startswith("#")]
    header = lines[0][1].split("\t")
    for n, line in lines[1:]:
        cells = line.split("\t")
        if len(cells) != len(header):
            sys.exit(f"{path}:{n}: {len(cells)} columns, not {len(header)}")
        yield f"{path}:{n}", dict(zip(header, cells))


KINDS = {
    "v": "Vgpr", "s": "Sgpr", "ss": "ScalarSource", "sc": "ScalarInline", "vs": "VectorSource", "vl": "VgprOrDirect",
    "sl": "ScalarInline", "m": "Mask", "vcc": "ImpliedVcc", "k": "Literal", "returned": "Returned", "image_data": "ImageData",
    "image_address": "ImageAddress", "buffer_address": "BufferAddress", "soffset": "ScalarOffset", "smrd_offset": "SmrdOffset",
    "buffer_format": "BufferFormat", "hex": "Hex", "dec": "Decimal", "label": "Label", "hwreg": "HwReg", "msg": "Message",
    "waitcnt": "WaitCnt", "attribute": "Attribute", "param": "Parameter", "export_target": "ExportTarget", "export": "ExportSource",
}
SLOTS = {
    "vdst": "Dst", "sdst": "Dst", "ssrc0": "Src0", "src0": "Src0", "ssrc1": "Src1", "vsrc1": "Src1", "src1": "Src1", "src2": "Src2",
    "vaddr": "Address", "addr": "Address", "vdata": "Data", "data": "Data", "data0": "Data", "data1": "Data1", "sbase": "Resource",
    "srsrc": "Resource", "ssamp": "Sampler", "soffset": "Soffset", "offset": "Offset", "vsrc": "Src0", "vsrc0": "Export0",
    "vsrc2": "Export2", "vsrc3": "Export3",
}
TYPES = {"b": "B", "u": "U", "i": "I", "f": "F"}
FLAGS = ["e64", "derived", "sd", "clamp", "omod", "accumulates", "reads_sdst", "reads_vcc", "writes_exec", "load", "store", "atomic",
         "typed", "lds", "gds_only", "swizzle", "two_address", "stride64", "bare", "sample", "gather4", "cmpswap", "not_in_llvm"]
VOP3_OFFSET = {"VOP1": 384, "VOP2": 256, "VOPC": 0}


def camel(text):
    return "".join(part.capitalize() for part in text.split("_"))


def vop3_form(row):
    """The VOP3 row of a row of VOP1, VOP2 or VOPC."""
    operands = []
    for text in row["operands"].split():
        field, _, kind = text.partition("=")
        if kind == "vcc":
            kind = "m.b64"
        elif kind.startswith("v.") and field == "vsrc1":
            kind = "vs" + kind[1:]
        elif kind.startswith("ss."):
            kind = "sc" + kind[2:]
        if row["format"] == "VOPC" and field == "sdst":
            field = "vdst"
        operands.append(f"{'src1' if field == 'vsrc1' else field}={kind}")
    flags = [f for f in row["flags"].split() if f != "e64"] + ["derived"]
    if row["format"] != "VOPC" and any(o.startswith("sdst=") for o in operands):
        flags.append("sd")
    if re.search("readlane|writelane|readfirstlane", row["name"]) and "not_in_llvm" not in flags:
        flags.append("not_in_llvm")
    return dict(row, format="VOP3", opcode=row["opcode"] + VOP3_OFFSET[row["format"]], operands=" ".join(operands), flags=" ".join(flags))


def main():
    rows_path, fields_path, out = sys.argv[1:]
    formats, words, fields, field_names, encodings = [], {}, {}, [], {}
    for where, row in read(fields_path):
        name, high, low = row["format"], int(row["high"]), int(row["low"])
        if name not in fields:
            formats.append(name)
            fields[name], words[name] = {}, int(row["words"])
        if high < low or high // 32 != low // 32 or high >= 32 * words[name]:
            sys.exit(f"{where}: field [{high}:{low}] of {name}")
        mask = ((1 << (high - low + 1)) - 1) << low
        if row["field"] in fields[name] or any(mask & ((1 << (h - l + 1)) - 1) << l for h, l in fields[name].values()):
            sys.exit(f"{where}: {name}.{row['field']} stands there twice")
        fields[name][row["field"]] = (high, low)
        if row["field"] == "encoding":
            encodings[name] = (high, low, int(row["value"]))
        if row["field"] not in field_names:
            field_names.append(row["field"])
    field_names.append("literal")
    row_formats = [f for f in formats if f != "VOP3SD"]

    rows = []
    for where, row in read(rows_path):
        row["where"], row["opcode"] = where, int(row["opcode"])
        if row["format"] not in row_formats:
            sys.exit(f"{where}: format '{row['format']}'")
        rows.append(row)
        if "e64" in row["flags"].split():
            rows.append(vop3_form(row))
    rows.sort(key=lambda r: (row_formats.index(r["format"]), r["opcode"]))
    first = {}
    for index, row in enumerate(rows):
        first.setdefault(row["name"], index)

    with open(f"{out}/layout.h", "w") as h:
        h.write("// Generated by generate_table.py from isa/gfx7-fields.tsv; do not edit.\n#pragma once\n#include <cstdint>\n\n"
                "namespace Atoll::gcn2 {\n\n")
        h.write(f"enum class Format : uint8_t {{ {', '.join(row_formats)}, COUNT }};\n")
        h.write(f"enum class Field : uint8_t {{ {', '.join(field_names)} }};\n")
        h.write(f"enum class Flag : uint8_t {{ {', '.join(camel(f) for f in FLAGS)} }};\n\n}}  // namespace Atoll::gcn2\n")

    inc = open(f"{out}/rows.inc", "w")
    inc.write("// Generated by generate_table.py from isa/gfx7.tsv; do not edit.\nstatic constexpr Opcode rows[] = {\n")
    lookup = {f: {} for f in row_formats}
    for index, row in enumerate(rows):
        where, form = row["where"], row["format"]
        if row["opcode"] in lookup[form]:
            sys.exit(f"{where}: {form} opcode {row['opcode']} twice")
        lookup[form][row["opcode"]] = index
        values, flags = {"neg": 0, "abs": 0, "addresses": 0}, []
        for flag in row["flags"].split():
            name, _, value = flag.partition("=")
            if value:
                values[name] = int(value)
            elif name in FLAGS:
                flags.append(name)
            else:
                sys.exit(f"{where}: flag '{flag}'")
        if form in VOP3_OFFSET:  # these modifiers are of the VOP3 form
            values.update(neg=0, abs=0)
            flags = [f for f in flags if f not in ("clamp", "omod")]
        layout = fields["VOP3SD" if "sd" in flags else form]
        operands, sources = [], 0
        for text in row["operands"].split():
            field, _, rest = text.partition("=")
            kind, _, type_text = rest.partition(".")
            if kind not in KINDS:
                sys.exit(f"{where}: kind '{kind}'")
            match = re.fullmatch(r"([buif])(\d+)", type_text or "b0")
            if not match:
                sys.exit(f"{where}: type '{type_text}'")
            slot = SLOTS.get(field, "None")
            if field == "sdst" and form not in ("SOP1", "SOP2", "SOPK", "SMRD") or form == "VOP3" and field == "vdst" and kind == "m":
                slot = "Sdst"
            if field == "sdst" and "reads_sdst" in flags:
                slot = "Src0"
            if form == "EXP" and field == "vsrc1":
                slot = "Export1"
            if slot in ("Src0", "Src1", "Src2"):
                sources = max(sources, int(slot[3]) + 1)
            if kind in ("vcc", "k"):
                place = "{}"
            elif field in layout:
                high, low = layout[field]
                place = f"{{{low // 32}, {low % 32}, {high - low + 1}}}"
            else:
                sys.exit(f"{where}: {form} has no field '{field}'")
            operands.append(f"{{Field::{field}, Kind::{KINDS[kind]}, {{Type::{TYPES[match[1]]}, {match[2]}}}, Slot::{slot}, {place}}}")
        following = next((n for n in range(index + 1, len(rows)) if rows[n]["name"] == row["name"]), 0)
        bits = sum(1 << FLAGS.index(f) for f in flags)
        inc.write(f'{{"{row["name"]}", "{row["manual"]}", Format::{form}, {row["opcode"]}, {len(operands)}, {sources}, {{{", ".join(operands)}}}, '
                  f'{bits:#x}u, {values["neg"]}, {values["abs"]}, {values["addresses"]}, {following}}},\n')
    inc.write("};\n\nstruct OpcodeRange { uint16_t first, count; };\nstatic constexpr OpcodeRange ranges[] = {\n")
    flat = []
    for form in row_formats:
        count = max(lookup[form]) + 1
        inc.write(f"{{{len(flat)}, {count}}},\n")
        flat += [lookup[form].get(n, 0xFFFF) for n in range(count)]
    inc.write("};\nstatic constexpr uint16_t row_of[] = {" + ",".join(map(str, flat)) + "};\n")
    inc.write("static constexpr const char* format_names[] = {" + ",".join(f'"{f}"' for f in row_formats) + "};\n")
    # The nine bits that tell a format; the encoding with the most fixed bits wins.
    table = []
    for top in range(512):
        best = ("COUNT", -1)
        for name in row_formats:
            high, low, value = encodings[name]
            if (top << 23) >> low & ((1 << (high - low + 1)) - 1) == value and high - low > best[1]:
                best = (name, high - low)
        table.append(f"Format::{best[0]}")
    inc.write("static constexpr Format format_by_top[] = {" + ",".join(table) + "};\n")
    inc.write("static constexpr FieldRow field_rows[] = {\n")
    starts, total = [], 0
    for name in formats:
        starts.append(total)
        total += len(fields[name])
        for field, (high, low) in fields[name].items():
            inc.write(f"{{Field::{field}, {{{low // 32}, {low % 32}, {high - low + 1}}}}},\n")
    inc.write("};\nstatic constexpr Layout layouts[] = {\n")
    for name, start in zip(formats, starts):
        high, low, value = encodings[name]
        used = sum(((1 << (h - l + 1)) - 1) << l for h, l in fields[name].values())
        inc.write(f"{{{words[name]}, {value << low:#x}u, {{{used & 0xffffffff:#x}u, {used >> 32:#x}u}}, "
                  f"std::span<const FieldRow>(field_rows).subspan({start}, {len(fields[name])})}},\n")
    inc.write("};\nstatic constexpr uint8_t layout_of[] = {" + ",".join(str(formats.index(f)) for f in row_formats) + "};\n")
    inc.write(f"static constexpr unsigned layout_vop3sd = {formats.index('VOP3SD')};\n")
    inc.write("struct Named { std::string_view name; uint16_t row; };\nstatic constexpr Named by_name[] = {"
              + ",".join(f'{{"{n}",{i}}}' for n, i in sorted(first.items())) + "};\n")
    inc.close()


main()
