#!/usr/bin/env python3
"""Makes the instruction tables of AMD's instruction sets: from isa/ISA.tsv, isa/ISA-fields.tsv and, where there is one,
isa/ISA-aliases.tsv of each ISA, OUT/amd/layout.h (the formats and fields of all), OUT/amd/format_names.inc, OUT/ISA/rows.inc (the
tables of isa/amd/table.h as C++ initialisers), and OUT/ISA/alu_rules.inc (the rules of exceptions, where rows have them).
Usage: generate_tables.py FOLDER OUT ISA... isa/README.md has the dialect of the rows. A mistake in a table ends the build. A file
whose text stays as it was is left alone, so that nothing is built again for it."""
import os
import re
import sys

KINDS = {
    "v": "Vgpr", "s": "Sgpr", "ss": "ScalarSource", "sc": "ScalarInline", "vs": "VectorSource", "vc": "VgprOrInline",
    "vl": "VgprOrDirect", "sl": "ScalarInline", "m": "Mask", "vcc": "ImpliedVcc", "k": "Literal", "returned": "Returned",
    "image_data": "ImageData", "image_address": "ImageAddress", "image_resource": "ImageResource",
    "buffer_address": "BufferAddress", "global_address": "GlobalAddress", "scratch_address": "ScratchAddress",
    "saddr": "ScalarAddress", "soffset": "ScalarOffset", "smrd_offset": "SmrdOffset", "smem_offset": "SmemOffset",
    "offset24": "Offset24", "ds_offset": "DsOffset", "ds_offset01": "DsOffset01", "swizzle": "Swizzle",
    "buffer_format": "BufferFormat", "hex": "Hex", "dec": "Decimal", "optional": "OptionalDecimal", "label": "Label",
    "hwreg": "HwReg", "msg": "Message", "delay_alu": "DelayAlu", "depctr": "DepCtr", "waitcnt": "WaitCnt", "version": "Version",
    "attribute": "Attribute", "param": "Parameter", "wait_va_vdst": "WaitVaVdst", "wait_vm_vsrc": "WaitVmVsrc",
    "export_target": "ExportTarget", "export": "ExportSource",
}
IMMEDIATES = {"hex", "dec", "optional", "label", "hwreg", "msg", "delay_alu", "depctr", "waitcnt", "version"}
SLOTS = {
    "vdst": "Dst", "vdstx": "Dst", "vdsty": "Dst", "sdata": "Dst", "vaddr": "Address", "addr": "Address", "vsrc": "Data",
    "vdata": "Data", "data": "Data", "data0": "Data", "data1": "Data1", "sbase": "Resource", "srsrc": "Resource", "rsrc": "Resource",
    "saddr": "Saddr", "soffset": "Soffset", "samp": "Sampler", "ssamp": "Sampler", "ioffset": "Offset", "offset": "Offset",
    "format": "Format",
    "vaddr0": "Image0", "vaddr1": "Image1", "vaddr2": "Image2", "vaddr3": "Image3", "vaddr4": "Image4",
}
SOURCES = {"src0", "src1", "src2", "ssrc0", "ssrc1", "vsrc1", "srcx0", "vsrcx1", "srcy0", "vsrcy1"}
BASES = {"b": "B", "u": "U", "i": "I", "iu": "IU", "f": "F", "bf": "BF", "fp": "FP"}
WIDE = {1024: (32, 32), 512: (32, 16), 320: (32, 10), 256: (32, 8)}  # Type::bits is a byte
FLOWS = ("branch", "conditional", "indirect", "stop", "end")
CLASSES = {"none": "None", "f32": "F32", "f64": "F64", "nearest": "Nearest"}
NUMBERS = {"neg", "abs", "neghi", "opsel", "index_key", "index_key64", "load", "store", "addresses"}
SHORT = ("VOP1", "VOP2", "VOPC")
VOP3_OFFSET = {"VOP1": 384, "VOP2": 256, "VOPC": 0}  # of gfx7's opcodes in their VOP3 form
SECOND_LAYOUTS = ("VOP3SD", "VOPD", "DPP16", "DPP8")  # of fields files, without rows of their own


def read(path):
    with open(path, encoding="utf-8") as text:
        lines = [(n, line.rstrip("\n")) for n, line in enumerate(text, 1)]
    lines = [(n, line) for n, line in lines if line and not line.startswith("#")]
    header = lines[0][1].split("\t")
    for n, line in lines[1:]:
        cells = line.split("\t")
        if len(cells) != len(header):
            sys.exit(f"{path}:{n}: {len(cells)} columns, not {len(header)}")
        yield f"{path}:{n}", dict(zip(header, cells))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def camel(text):
    return "".join(part.capitalize() for part in text.split("_"))


def bits_of(position):
    """A Bits of isa/amd/table.h from (high, low)."""
    high, low = position
    return f"{{{low // 32}, {low % 32}, {high - low + 1}}}"


class Fields:
    """The encodings of a fields file: formats in its order, their dwords, the (high, low) of each field, and the fixed bits."""

    def __init__(self, path):
        self.formats, self.words, self.of, self.encodings = [], {}, {}, {}
        for where, row in read(path):
            name, high, low = row["format"], int(row["high"]), int(row["low"])
            if name not in self.of:
                self.formats.append(name)
                self.of[name], self.words[name] = {}, int(row["words"])
            if high < low or high // 32 != low // 32 or high >= 32 * self.words[name]:
                sys.exit(f"{where}: field [{high}:{low}] of {name}")
            if row["field"] in self.of[name] or any(low <= h and l <= high for h, l in self.of[name].values()):
                sys.exit(f"{where}: {name}.{row['field']} stands there twice")
            self.of[name][row["field"]] = (high, low)
            if row["field"] == "encoding":
                self.encodings[name] = (high, low, int(row["value"]))

    def row_formats(self):
        return [part for f in self.formats if f not in SECOND_LAYOUTS[:1] + SECOND_LAYOUTS[2:]
                for part in (("VOPDX", "VOPDY") if f == "VOPD" else (f,))]

    def fixed(self, name):
        """Mask and value of the bits that tell the format."""
        if name not in self.encodings:
            return 0, 0
        high, low, value = self.encodings[name]
        return ((1 << (high - low + 1)) - 1) << low, value << low


def layout_name(row_format):
    return "VOPD" if row_format in ("VOPDX", "VOPDY") else row_format


def vop3_form(row):
    """The VOP3 row of a row of VOP1, VOP2 or VOPC with the flag vop3."""
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
    flags = [f for f in row["flags"] if f not in ("vop3", "no_e32")]
    if row["format"] != "VOPC" and any(o.startswith("sdst=") for o in operands):
        flags.append("sd")
    if re.search("readlane|writelane|readfirstlane", row["name"]) and "not_in_llvm" not in flags:
        flags.append("not_in_llvm")
    return dict(row, format="VOP3", opcode=row["opcode"] + VOP3_OFFSET[row["format"]], operands=" ".join(operands), flags=flags)


class Table:
    """The rows of an ISA, sorted by format and opcode, where each format's opcode numbers lead, and the first row of each name."""

    def __init__(self, folder, isa):
        self.isa = isa
        self.fields = Fields(f"{folder}/{isa}-fields.tsv")
        self.formats, self.rows = self.fields.row_formats(), []
        for where, row in read(f"{folder}/{isa}.tsv"):
            row.update(where=where, opcode=int(row["opcode"]), flags=row["flags"].split())
            if row["format"] not in self.formats:
                sys.exit(f"{where}: format '{row['format']}'")
            self.rows.append(row)
            if "vop3" in row["flags"]:
                self.rows.append(vop3_form(row))
                # The modifiers are those of the VOP3 form.
                row["flags"] = [f for f in row["flags"] if f not in ("vop3", "clamp", "omod") and f.split("=")[0] not in ("neg", "abs")]
        self.rows.sort(key=lambda r: (self.formats.index(r["format"]), r["opcode"]))
        self.first, self.lookup = {}, {f: {} for f in self.formats}
        for index, row in enumerate(self.rows):
            self.first.setdefault(row["name"], index)
            if row["opcode"] in self.lookup[row["format"]]:
                sys.exit(f"{row['where']}: {row['format']} opcode {row['opcode']} twice")
            self.lookup[row["format"]][row["opcode"]] = index
        for suffix, these, others in (("e32", SHORT, ("VOP3",)), ("e64", ("VOP3",), SHORT)):
            names = {r["name"] for r in self.rows if r["format"] in others}
            for row in self.rows:
                if row["format"] in these and row["name"] in names and "no_" + suffix not in row["flags"]:
                    row["flags"].append(suffix)
        self.aliases = {}
        if os.path.exists(f"{folder}/{isa}-aliases.tsv"):
            for where, row in read(f"{folder}/{isa}-aliases.tsv"):
                if row["name"] not in self.first or row["alias"] in self.first or row["alias"] in self.aliases:
                    sys.exit(f"{where}: alias {row['alias']} of {row['name']}")
                self.aliases[row["alias"]] = self.first[row["name"]]

    def text(self):
        out = [f"// Generated by isa/amd/generate_tables.py from isa/{self.isa}.tsv; do not edit.\nstatic constexpr Opcode rows[] = {{\n"]
        out += [self.row(index, row) for index, row in enumerate(self.rows)] + ["};\n"]
        return "".join(out)

    def row(self, index, row):
        where, form = row["where"], row["format"]
        values, flags, flow, float_class = {}, [], "Next", None
        for flag in row["flags"]:
            name, _, value = flag.partition("=")
            if name == "flow":
                if value not in FLOWS:
                    sys.exit(f"{where}: flow '{value}'")
                flow = value.capitalize()
            elif name == "float":
                if value not in CLASSES:
                    sys.exit(f"{where}: float class '{value}'")
                float_class = CLASSES[value]
            elif name == "exceptions":
                continue  # rules()
            elif name == "ordinary":
                values[name] = self.first.get(value, index)  # V_DUAL_DOT2ACC has none
            elif value:
                if name not in NUMBERS:
                    sys.exit(f"{where}: flag '{flag}'")
                values[name] = value
                if name in ("load", "store"):
                    flags.append(camel(name))
            elif name not in ("reads_sdst", "no_e32", "no_e64"):
                flags.append(camel(name))
        layout = self.fields.of["VOP3SD" if "Sd" in flags else layout_name(form)]
        operands, sources = [], 0
        for text in row["operands"].split():
            field, _, rest = text.partition("=")
            kind, _, type_text = rest.partition(".")
            if kind not in KINDS:
                sys.exit(f"{where}: kind '{kind}'")
            base, bits, count = operand_type(where, type_text)
            # The class is that of the first float, the result's where the result is one; f16 and bf16 obey the half of f64.
            if float_class is None and base in ("F", "BF"):
                float_class = "F32" if bits == 32 else "F64"
            if kind in IMMEDIATES:
                slot = "Immediate"
            elif kind == "export":
                slot = f"Export{field[4]}"
            elif field in SOURCES or (field == "literal" and type_text) or (field == "sdst" and "reads_sdst" in row["flags"]) or \
                    (field == "vsrc" and form == "VINTRP"):
                slot, sources = f"Src{sources}", sources + 1
            elif field == "sdst":
                slot = "Dst" if form[0] == "S" else "Sdst"
            elif field == "vdst" and form == "VOP3" and kind == "m":
                slot = "Sdst"
            else:
                slot = SLOTS.get(field, "None")
            if form == "VOP3" and field == "sdst" and "Sd" not in flags:
                position = layout["vdst"]  # VOPC's result in VOP3 stands in the VDST field
            elif kind == "vcc" or field == "literal":
                position = None
            elif field in layout:
                position = layout[field]
            elif field in ("offset", "attr", "vaddr"):
                position = None  # DS OFFSET1:OFFSET0, and image addresses, are put together by the format's own code
            else:
                sys.exit(f"{where}: {form} has no field '{field}'")
            place = bits_of(position) if position else "{}"
            operands.append(f"{{Field::{field}, Kind::{KINDS[kind]}, {{Type::{base}, {bits}, {count}}}, Slot::{slot}, {place}}}")
        following = next((n for n in range(index + 1, len(self.rows)) if self.rows[n]["name"] == row["name"]), 0)
        flag_bits = " | ".join(f"bit(Flag::{f})" for f in flags) or "0"
        number = [values.get(n, 0) for n in ("neg", "abs", "neghi", "opsel")]
        return (f'{{"{row["name"]}", Format::{form}, {row["opcode"]}, {len(operands)}, {sources}, {{{", ".join(operands)}}}, {flag_bits}, '
                f'wave::Flow::{flow}, wave::FloatClass::{float_class or "None"}, {", ".join(map(str, number))}, '
                f'{{{values.get("index_key", 0)}, {values.get("index_key64", 0)}}}, {values.get("load", 0)}, {values.get("store", 0)}, '
                f'{values.get("addresses", 0)}, {values.get("ordinary", index)}, {following}, '
                f'{"false" if row["manual"] == "-" else "true"}}},\n')

    def rules(self):
        """What `exceptions=` says of each row, or nothing where no row has it."""
        of_row = [dict(f.partition("=")[::2] for f in row["flags"]).get("exceptions", "none") for row in self.rows]
        if set(of_row) == {"none"}:
            return ""
        return (f"// Generated by isa/amd/generate_tables.py from isa/{self.isa}.tsv; do not edit.\nconstexpr AluRule alu_rules[] = {{"
                + ", ".join(f"AluRule::{rule}" for rule in of_row) + "};\n")

    def lookups(self, all_formats):
        """Opcode numbers and first dwords to rows and formats, fields and layouts of each format, names to rows."""
        out, flat = ["static constexpr amd::OpcodeRange ranges[] = {\n"], []
        for form in all_formats:
            numbers = self.lookup.get(form, {})
            count = max(numbers, default=-1) + 1
            out.append(f"{{{len(flat)}, {count}}},\n")
            flat += [numbers.get(n, 0xFFFF) for n in range(count)]
        out.append("};\nstatic constexpr uint16_t row_of[] = {" + ",".join(map(str, flat)) + "};\n")
        # The nine bits that tell a format; the encoding with the most fixed bits wins.
        by_top = []
        for top in range(512):
            best = ("COUNT", -1)
            for name, (high, low, value) in self.fields.encodings.items():
                if name == "VOP3SD":
                    continue
                if (top << 23) >> low & ((1 << (high - low + 1)) - 1) == value and high - low > best[1]:
                    best = ("VOPDX" if name == "VOPD" else name, high - low)
            by_top.append(f"Format::{best[0]}")
        out.append("static constexpr Format format_by_top[] = {" + ",".join(by_top) + "};\n")
        out.append("static constexpr amd::FieldRow field_rows[] = {\n")
        starts, total, of = [], 0, self.fields.of
        for name in self.fields.formats:
            starts.append(total)
            total += len(of[name])
            out += [f"{{Field::{field}, {bits_of(position)}}},\n" for field, position in of[name].items()]
        out.append("};\nstatic constexpr amd::Layout layouts[] = {\n")
        for name, start in zip(self.fields.formats, starts):
            mask, value = self.fields.fixed(name)
            used = sum(((1 << (h - l + 1)) - 1) << l for h, l in of[name].values())
            dwords = ", ".join(f"{used >> 32 * n & 0xffffffff:#x}u" for n in range(3))
            out.append(f"{{{self.fields.words[name]}, {value:#x}u, {mask:#x}u, {{{dwords}}}, "
                       f"std::span<const amd::FieldRow>(field_rows).subspan({start}, {len(of[name])})}},\n")
        of_format = [self.fields.formats.index(layout_name(f)) if f in self.formats else 0 for f in all_formats]
        out.append("};\nstatic constexpr uint8_t layout_of[] = {" + ",".join(map(str, of_format)) + "};\n")
        for list_name, names in (("by_name", self.first), ("by_alias", self.aliases)):
            out.append(f"static constexpr std::array<amd::NamedRow, {len(names)}> {list_name} = {{{{"
                       + ",".join(f'{{"{n}",{i}}}' for n, i in sorted(names.items())) + "}};\n")
        vop3sd = self.fields.formats.index("VOP3SD")
        out.append("static constexpr amd::Table the_table = {rows, ranges, row_of, format_by_top, layouts, layout_of, "
                   f"{vop3sd}, by_name, by_alias}};\n")
        for name in self.fields.formats:
            if name in SECOND_LAYOUTS:
                out.append(f"[[maybe_unused]] static constexpr const amd::Layout& layout_{name.lower()} = layouts[{self.fields.formats.index(name)}];\n")
        return "".join(out)


def operand_type(where, text):
    if not text:
        return "None", 0, 0
    match = re.fullmatch(r"([a-z]+)(\d+)(?:x(\d+))?", text)
    if not match or match[1] not in BASES:
        sys.exit(f"{where}: type '{text}'")
    base, bits, count = BASES[match[1]], int(match[2]), int(match[3] or 1)
    if base == "BF" and bits == 8:
        base = "FP"
    if bits > 128:
        bits, count = WIDE[bits]
    return base, bits, count


def main():
    folder, out, isas = sys.argv[1], sys.argv[2], sys.argv[3:]
    tables = [Table(folder, isa) for isa in isas]
    formats = list(dict.fromkeys(f for t in tables for f in t.formats))
    fields = list(dict.fromkeys(f for t in tables for of in t.fields.of.values() for f in of)) + ["literal"]
    write(f"{out}/amd/layout.h", "// Generated by isa/amd/generate_tables.py from isa/*-fields.tsv; do not edit.\n#pragma once\n#include <cstdint>\n\n"
          f"namespace Atoll::amd {{\n\nenum class Format : uint8_t {{ {', '.join(formats)}, COUNT }};\n"
          f"enum class Field : uint8_t {{ {', '.join(dict.fromkeys(fields))} }};\n\n}}  // namespace Atoll::amd\n")
    write(f"{out}/amd/format_names.inc", "static constexpr const char* format_names[] = {" + ",".join(f'"{f}"' for f in formats) + "};\n")
    for table in tables:
        write(f"{out}/{table.isa}/rows.inc", table.text() + table.lookups(formats))
        if rules := table.rules():
            write(f"{out}/{table.isa}/alu_rules.inc", rules)


main()
