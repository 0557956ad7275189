#!/usr/bin/env python3
"""Writes FAMILY.h (typed accessors) and FAMILY.cpp (lookup tables) from registers/FAMILY/*.json, which family_data.py reads.
Usage: generate_tables.py FOLDER_OF_JSON OUTPUT_FOLDER. A mistake in the data ends the build, naming file and register."""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
from family_data import ACCESS, MOMENTS, PM4, SETS, Family, Mistake  # noqa: E402

# Their places in this list are in the numbers by which the model says which fields it reads (accessors.h).
FAMILIES = ["sea_islands", "r5xx", "dg1", "gfx12"]
# Identifiers that a generated name must not be: keywords, macros of the C library, members of the accessors.
TAKEN = set("""alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const consteval
constexpr constinit continue decltype default delete do double else enum explicit export extern false float for friend goto if
inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register requires
return short signed sizeof static struct switch template this throw true try typedef typeid typename union unsigned using virtual
void volatile wchar_t while xor xor_eq linux unix NULL EOF DOMAIN SING OVERFLOW UNDERFLOW INFINITY NAN HUGE_VAL TRUE FALSE BUFSIZ
stdin stdout stderr errno assert major minor get set of mask low width address count stride first bits opcode index space
place register_id field_id field_count""".split())


def text(string):
    return json.dumps(string, ensure_ascii=False)


def identifier(name, *others):
    """The name as a C++ identifier: other signs become _, a taken one gets _ behind it."""
    name = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9_]+", "_", name)) if re.search(r"[^A-Za-z0-9_]", name) else name
    if len(name) > 1:
        name = name.rstrip("_") or "_"
    if not name or name[0].isdigit():
        name = "_" + name
    elif re.match(r"_[A-Z]", name):
        name = name[1:]
    while name in TAKEN or name in others:
        name += "_"
    return name


class Tables:
    """The lookup tables: arrays of fields and values that the registers point into."""

    def __init__(self, family):
        self.family = family
        self.values, self.value_runs = [], {}
        self.fields, self.field_runs = [], {}
        self.numbers, self.texts = [], []
        self.pool_places, self.pool_end = {}, 0
        self.set_widths = {}
        fields = [f for r in family.registers for f in r["fields"]]
        fields += [f for p in family.packets for w in p["words"] for f in w["fields"]]
        fields += [f for c in family.commands + family.structures for f in c["fields"] + c["repeat"]]
        for f in fields:
            self.set_widths[f["set"]] = max(self.set_widths.get(f["set"], 0), f["high"] - f["low"] + 1)

    def text(self, string):
        """The text as an initialiser of Text: its place in the pool."""
        content = string.encode("utf-8")
        if not content:
            return "{}"
        if len(content) > 65535:
            raise Mistake(f"a text of {len(content)} bytes: {string[:60]}...")
        if content not in self.pool_places:
            self.pool_places[content] = self.pool_end
            self.pool_end += len(content)
        return f"{{{{{self.pool_places[content]}, {len(content)}, pool}}}}"

    def value_run(self, rows):
        if not rows:
            return "{}"
        key = tuple(rows)
        if key not in self.value_runs:
            self.value_runs[key] = len(self.values)
            self.values += rows
        return f"{{{self.value_runs[key]}, {len(rows)}, pool}}"

    def field_run(self, fields):
        if not fields:
            return "{}"
        start = len(self.fields)
        for f in fields:
            default = f["default"]
            self.fields.append(f"{{{self.text(f['name'])}, {f['low']}, {f['high']}, {'true' if default is not None else 'false'}, "
                               f"{default or 0:#x}u, {self.value_run(f['values'])}, {self.text(f['set'])}, {self.text(f['access'])}, {self.text(f['source'])}, {self.text(f['erratum'])}, "
                               f"{self.value_run(f['public'])}, {self.text(f['public_source'])}{', true' if f['address'] else ''}}}")
        return f"{{{start}, {len(fields)}, pool}}"

    def number_run(self, numbers):
        if not numbers:
            return "{}"
        start = len(self.numbers)
        self.numbers += numbers
        return f"{{{start}, {len(numbers)}, pool}}"

    def text_run(self, strings):
        if not strings:
            return "{}"
        start = len(self.texts)
        self.texts += strings
        return f"{{{start}, {len(strings)}, pool}}"

    def write(self, out):
        family = self.family
        registers = []
        for r in family.registers:
            address = r["addresses"][0] if r["addresses"] else 0
            view = next((i for i, other in enumerate(family.registers) if other["name"] == r["view_of"]), -1)
            registers.append(
                f"{{{self.text(r['name'])}, {self.text(r['prefix'])}, {self.text(r['suffix'])}, {self.text(r['block'])}, {self.text(r['source'])}, "
                f"{self.text(r['section'])}, {self.text(r['erratum'])}, {'true' if r['addresses'] else 'false'}, "
                f"{'true' if r['repeated'] else 'false'}, {address:#x}u, {r['stride']:#x}u, {r['first']}, {r['count']}, {r['bits']}, "
                f"Access::{ACCESS[r['access']]}, {view}, {self.field_run(r['fields'])}, "
                f"{self.number_run(r['addresses'] if r['irregular'] else [])}, {self.number_run(r['aliases'])}, "
                f"{self.text_run(r['indices'])}}}")
        words, packets = [], []
        for p in sorted(family.packets, key=lambda p: p["opcode"]):
            start = len(words)
            for w in p["words"]:
                words.append(f"{{{self.text(w['name'])}, {w['register_number']}, {self.field_run(w['fields'])}}}")
            run = f"{{{start}, {len(p['words'])}, pool}}" if p["words"] else "{}"
            packets.append(f"{{{self.text(p['name'])}, {p['opcode']:#x}u, {self.text(p['engine'])}, {self.text(p['source'])}, {run}, "
                           f"{{{p['space'][0]:#x}u, {p['space'][1]:#x}u}}, Packet::Sets::{SETS[p['sets']]}}}")
        def command_rows(entries):
            return [f"{{{self.text(c['name'])}, {self.text(c['unit'])}, {c['match']:#x}u, {c['mask']:#x}u, {self.text(c['engine'])}, {self.text(c['source'])}, {c['dwords']}, {c['length_bits']}, "
                    f"{self.field_run(c['fields'])}, {c['first']}, {c['bits']}, {self.field_run(c['repeat'])}}}" for c in entries]
        commands = command_rows(family.commands)
        structures = command_rows(family.structures)
        others, enumerations = [], []
        for e in family.enumerations:
            start = len(others)
            for when, rows in e["alternatives"]:
                others.append(f"{{{self.text(when)}, {self.value_run(rows)}}}")
            run = f"{{{start}, {len(e['alternatives'])}, pool}}" if e["alternatives"] else "{}"
            default = e["default"]
            enumerations.append(
                f"{{{self.text(e['name'])}, {e['bits']}, {self.text(e['source'])}, {self.text(e['section'])}, {self.value_run(e['values'])}, "
                f"{self.text(e['when'])}, {run}, {'true' if default is not None else 'false'}, {default or 0}u, "
                f"{self.value_run(e['reserved'])}, {self.value_run(e['unnamed'])}, {self.text_run(e['aliases'])}, "
                f"{self.text_run(e['errata'])}}}")
        for name, rows in sorted(family.sets.items()):
            # As wide as the widest field that takes them.
            bits = max([self.set_widths.get(name, 0)] + [row[1].bit_length() for row in rows])
            enumerations.append(f"{{{self.text(name)}, {bits}, {{}}, {self.text('value set')}, {self.value_run(rows)}, {{}}, {{}}, false, 0u, {{}}, {{}}, {{}}, {{}}}}")
        # The opcodes as sets of values: PACKET3 for the command processor's packets.
        for engine in sorted({p["engine"] for p in family.packets}):
            rows = sorted((p["opcode"], p["opcode"], p["name"]) for p in family.packets if p["engine"] == engine)
            enumerations.append(f"{{{self.text(engine + '_PACKET' if engine else 'PACKET3')}, 8, {{}}, {self.text('packet opcodes')}, {self.value_run(rows)}, "
                                "{}, {}, false, 0u, {}, {}, {}, {}}")
        states = [f"{{{self.text(s['name'])}, {self.text(s['driver'])}, {self.text(s['function'])}, {self.text(s['packet'])}, "
                  f"DriverState::Moment::{MOMENTS[s['moment']]}, {self.number_run(s['registers'])}}}" for s in family.driver_states]
        ranges, condition_fields, conditions, ledger = [], [], [], []

        def part(rows, more):
            """`more` at the end of the array `rows`, and the Run of them."""
            rows += more
            return f"{{{len(rows) - len(more)}, {len(more)}, pool}}" if more else "{}"

        def range_part(values):
            return part(ranges, [f"{{{first:#x}u, {last:#x}u}}" for first, last in values])
        for (register, field), row in sorted(family.ledger.items()):
            when = [f"{{{part(condition_fields, [f'{{{r}, {f}}}' for r, f in keys])}, {range_part(values)}}}"
                    for keys, values in row["when"]]
            ledger.append(f"{{{register}, {field}, FieldState::{row['state']}, LedgerRow::Checked::{row['checked']}, "
                          f"{self.text(row['why'])}, {range_part(row['harmless'])}, {part(conditions, when)}}}")
        events = [f"{{{number_}u, {number_}u, {self.text(name)}}}" for number_, (name, _) in sorted(family.events.items())]
        keys = sorted((r["prefix"].upper() + ("[]" if r["repeated"] else "") + r["suffix"].upper(), i)
                      for i, r in enumerate(family.registers))

        def array(kind, name, rows):
            body = "".join(f"    {row},\n" for row in rows)
            if rows:
                out.write(f"constexpr {kind} {name}[] = {{\n{body}}};\n\n")
        out.write(f"// Generated by generate_tables.py from registers/{family.name}/*.json; do not edit.\n"
                  f"#include \"registers/tables.h\"\n\nnamespace Atoll::registers {{\nnamespace {{\n\nconstexpr uint8_t pool = {family_number(family.name)};\n\n")
        array("NamedValue", "values", [f"{{{a}u, {b}u, {self.text(n)}}}" for a, b, n in self.values])
        array("Field", "fields", self.fields)
        array("uint32_t", "numbers", [f"{n:#x}u" for n in self.numbers])
        array("Text", "text_lists", [self.text(t) for t in self.texts])
        array("Register", "all_registers", registers)
        array("Place", "places", [f"{{{a:#x}u, {r}, {i}, {alias}}}" for a, r, i, alias in family.places])
        array("NameKey", "names", [f"{{{self.text(k)}, {i}}}" for k, i in keys])
        array("PacketWord", "words", words)
        array("Packet", "packets", packets)
        array("NamedValue", "events", events)
        array("Alternative", "alternatives", others)
        array("Enumeration", "enumerations", enumerations)
        array("DriverState", "driver_states", states)
        array("ValueRange", "ranges", ranges)
        array("FieldNumber", "condition_fields", condition_fields)
        array("LedgerCondition", "conditions", conditions)
        array("LedgerRow", "ledger", ledger)
        array("Command", "commands", commands)
        array("Command", "structures", structures)
        states_of_values = [f"{{{e}, {'true' if value is None else 'false'}, {value or 0}u, {self.text(state)}, {self.text(why)}}}"
                            for e, value, state, why in family.enumeration_states]
        array("EnumerationState", "enumeration_states", states_of_values)
        out.write("}  // namespace\n\n")

        def run(name, rows):
            return f"{{{name}, {len(rows)}}}" if rows else "{}"
        out.write(f"constexpr Family {family.name}_tables = {{{self.text(family.name)}, Pm4Dialect::{PM4[family.pm4]}, {run('all_registers', registers)}, "
                  f"{run('places', family.places)}, {run('names', keys)}, {run('packets', packets)}, {run('events', events)}, "
                  f"{run('enumerations', enumerations)}, {run('driver_states', states)}, {run('ledger', ledger)}, "
                  f"{run('commands', commands)}, {run('structures', structures)}, {run('enumeration_states', states_of_values)}}};\n\n")
        # The texts at last, when all are known: one line each.
        body = "".join(f"    {text(t.decode('utf-8'))}\n" for t in self.pool_places)
        arrays = {"values": self.values, "fields": self.fields, "numbers": self.numbers, "text_lists": self.texts, "words": words,
                  "alternatives": others, "ranges": ranges, "condition_fields": condition_fields, "conditions": conditions}
        out.write(f"namespace {{\n\nconstexpr char texts[] =\n{body}    \"\";\n\n}}  // namespace\n\n"
                  f"constexpr Pools {family.name}_pools = {{texts, {', '.join(name if rows else 'nullptr' for name, rows in arrays.items())}}};\n\n"
                  "}  // namespace Atoll::registers\n")


def write_values(out, rows, taken=()):
    names, lines = set(), []
    for first, last, name in rows:
        word = identifier(name, *taken)
        if first != last or word in names or not re.search(r"[A-Za-z0-9]", word):
            word = None if first != last or not re.search(r"[A-Za-z0-9]", word) else f"{word}_{first}"
        if word is None or word in names:
            continue
        names.add(word)
        lines.append(f"{word} = {first}u")
    if not lines:
        return False
    out.write(" enum : uint32_t { " + ", ".join(lines) + " };")
    return True


def write_fields(out, fields, wide, indent, taken, sets, register=""):
    """`register`: whose fields they are; empty: a packet's word."""
    names = set(taken)
    for number, f in enumerate(fields):
        name = identifier(f["name"], *names)
        names.add(name)
        kind, owner = ("Field", f"{register}, {number}, ") if register else ("Bits", "")
        base = f"{'Wide' if wide else ''}{kind}<{owner}{f['low']}, {f['high'] - f['low'] + 1}>"
        if f["set"]:
            out.write(f"{indent}struct {name} : {base}, {sets[f['set']]} {{")
            write_values(out, f["public"], (name,))
            out.write("};\n")
        elif f["values"] or f["public"]:
            out.write(f"{indent}struct {name} : {base} {{")
            write_values(out, sorted(f["values"] + f["public"]), (name,))
            out.write(" };\n")
        elif register:
            out.write(f"{indent}struct {name} : {base} {{}};\n")
        else:
            out.write(f"{indent}using {name} = {base};\n")


def write_commands(out, what, space, entries, first):
    """`first`: the number of the first of them among all that has fields (Family::registers, commands, structures)."""
    if not entries:
        return
    out.write(f"\n// {what}\nnamespace {space} {{\n")
    names = set()
    for number_, c in enumerate(entries, first & 0xffffff):
        word = identifier(c["name"], *names)
        names.add(word)
        if len(c["fields"]) + len(c["repeat"]) > 255:
            raise Mistake(f"{c['where']}: more than 255 fields")
        out.write(f"struct {word} {{\n  static constexpr uint32_t match = {c['match']:#x}, match_mask = {c['mask']:#x}, dwords = {c['dwords']}, "
                  f"register_id = {first & 0xff000000 | number_ << 8:#x};\n")
        if c["unit"]:
            out.write(f"  static constexpr Unit unit = Unit::{identifier(c['unit'])};\n")
        inside = {word, "match", "match_mask", "dwords", "register_id", "unit", "repeated"}
        for index, f in enumerate(c["fields"]):
            name = identifier(f["name"], *inside)
            inside.add(name)
            base = f"Command{'Address' if f['address'] else 'Field'}<{word}, {index}, {f['low']}, {f['high'] - f['low'] + 1}>"
            if f["values"]:
                out.write(f"  struct {name} : {base} {{")
                write_values(out, f["values"], (name,))
                out.write(" };\n")
            else:
                out.write(f"  using {name} = {base};\n")
        if c["repeat"]:
            out.write(f"  struct repeated {{\n    static constexpr uint32_t first_dword = {c['first'] // 32}, dwords = {c['bits'] // 32};\n")
            inside = {word, "first_dword", "dwords", "repeated"}
            for index, f in enumerate(c["repeat"], len(c["fields"])):
                name = identifier(f["name"], *inside)
                inside.add(name)
                kind = "Address" if f["address"] else "Field"
                out.write(f"    using {name} = Repeated{kind}<{word}, {index}, {f['low']}, {f['high'] - f['low'] + 1}>;\n")
            out.write("  };\n")
        out.write("};\n")
    out.write(f"}}  // namespace {space}\n")


def family_number(name):
    """Its place in ledger.cpp; a family of a test is none of them."""
    return FAMILIES.index(name) if name in FAMILIES else len(FAMILIES)


def write_header(family, out):
    out.write(f"// Generated by generate_tables.py from registers/{family.name}/*.json; do not edit.\n#pragma once\n"
              f"#include \"registers/{'command_fields' if family.commands else 'accessors'}.h\"\n\nnamespace Atoll::{family.name} {{\n\nusing namespace registers::access;\n\n")
    used, sets = set(), {}
    for name, rows in sorted(family.sets.items()):
        word = identifier(name, *used)
        used.add(word)
        sets[name] = f"{family.name}::{word}"
        out.write(f"struct {word} {{")
        write_values(out, rows, (word,))
        out.write(" };\n")
    for e in family.enumerations:
        word = identifier(e["name"], *used)
        used.add(word)
        out.write(f"struct {word} {{\n  static constexpr unsigned bits = {e['bits']};\n ")
        write_values(out, e["values"], (word,))
        out.write("\n};\n")
    for number, r in enumerate(family.registers):
        word = identifier(re.sub(r"__+", "_", (r["prefix"] + r["suffix"]).rstrip("_")) if r["repeated"] else r["name"], *used)
        used.add(word)
        if not r["addresses"]:
            base = "InMemory"
        elif r["irregular"]:
            base = "Irregular<" + ", ".join(f"{a:#x}" for a in r["addresses"]) + ">"
        elif r["repeated"]:
            base = f"Repeated<{r['addresses'][0]:#x}, {r['stride']:#x}, {r['first']}, {r['count']}>"
        else:
            base = f"Single<{r['addresses'][0]:#x}>"
        out.write(f"struct {word} : {base} {{  // {r['name']}\n")
        if r["fields"] and len(r["fields"]) > 255:
            raise Mistake(f"{r['name']}: more than 255 fields")
        out.write(f"  static constexpr uint32_t register_id = {family_number(family.name) << 24 | number << 8:#x}, "
                  f"field_count = {len(r['fields'])};\n")
        write_fields(out, r["fields"], r["bits"] > 32, "  ", (word,), sets, word)
        out.write("};\n")
    if family.packets:
        out.write("\n// Opcodes of type-3 packets, the dwords that they need behind their headers, and the fields of their words.\nnamespace packets {\n")
        packet_names = set()
        for p in family.packets:
            word = identifier(p["name"], *packet_names)
            packet_names.add(word)
            least = sum(not w["optional"] for w in p["words"])
            out.write(f"struct {word} {{\n  static constexpr uint32_t opcode = {p['opcode']:#x}, min_dwords = {least};\n")
            if p["space"][1]:
                out.write(f"  static constexpr RegisterSpace space{{{p['space'][0]:#x}, {p['space'][1]:#x}}};\n")
            words = {word}
            for index, w in enumerate(p["words"]):
                if not w["fields"]:
                    continue
                inner = identifier(w["name"], *words)
                words.add(inner)
                out.write(f"  struct {inner} {{\n    static constexpr unsigned index = {index};\n")
                write_fields(out, w["fields"], False, "    ", (inner,), sets)
                out.write("  };\n")
            out.write("};\n")
        out.write("}  // namespace packets\n")
    units = sorted({c["unit"] for c in family.commands + family.structures if c["unit"]})
    if units:
        out.write("\n// What commands and structures are grouped by.\nenum class Unit : uint8_t { " + ", ".join(identifier(u) for u in units) + " };\n"
                  f"inline constexpr unsigned units = {len(units)};\n"
                  f"inline constexpr const char* unit_names[] = {{{', '.join(text(u) for u in units)}}};\n")
    first = family_number(family.name) << 24 | len(family.registers)
    write_commands(out, "Commands: the first dword under its mask, the dwords that they have usually, and their fields.", "commands", family.commands, first)
    write_commands(out, "Structures in memory that commands point to.", "structures", family.structures, first + len(family.commands))
    if family.events:
        out.write("\nstruct EventType {")
        write_values(out, [(n, n, name) for n, (name, _) in sorted(family.events.items())])
        out.write(" };\n")
    out.write(f"\n}}  // namespace Atoll::{family.name}\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, output = sys.argv[1:]
    try:
        family = Family(folder)
    except Mistake as mistake:
        sys.exit(f"generate_tables.py: {mistake}")
    os.makedirs(output, exist_ok=True)
    with open(os.path.join(output, family.name + ".cpp"), "w", encoding="utf-8") as out:
        Tables(family).write(out)
    with open(os.path.join(output, family.name + ".h"), "w", encoding="utf-8") as out:
        write_header(family, out)


if __name__ == "__main__":
    main()
