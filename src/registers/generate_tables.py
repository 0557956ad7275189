#!/usr/bin/env python3
"""Writes FAMILY.h (typed accessors) and FAMILY.cpp (lookup tables) from registers/FAMILY/*.json.
Usage: generate_tables.py FOLDER_OF_JSON OUTPUT_FOLDER. A mistake in the data ends the build, naming file and register.
The form of the data is described in registers/README.md."""
import fnmatch
import json
import os
import re
import sys


class Mistake(Exception):
    pass


# Their places in this list are in the numbers by which the model says which fields it reads (accessors.h).
FAMILIES = ["sea_islands", "r5xx", "dg1", "gfx12"]
MOMENTS = {"start": "Start", "state": "State", "never": "Never"}
FIELD_STATES = {"acts": "Acts", "stored": "Stored", "not yet": "NotYet"}
CHECKED = {"draw": "Draw", "dispatch": "Dispatch", "write": "Write", "use": "Use"}
SETS = {False: "No", True: "Row", "pairs": "Pairs"}
PM4 = {"": "None", "r5xx": "R5xx", "sea_islands": "SeaIslands"}
ACCESS = {"R": "Read", "W": "Write", "RW": "ReadWrite"}
KEYS = {
    "file": {"family", "section", "source", "registers", "value_sets", "packets", "events", "enumerations", "driver_states", "ledger",
             "acts", "pm4", "register_spaces", "commands", "structures", "enumeration_states"},
    "register": {"name", "block", "address", "stride", "addresses", "aliases", "view_of", "access", "bits", "fields", "source",
                 "section", "erratum", "indices"},
    "field": {"name", "high", "low", "default", "values", "erratum", "overlaps", "access", "source",
              "public_values", "public_source", "address"},
    "packet": {"name", "opcode", "source", "words", "engine", "erratum", "space", "sets"},
    "word": {"name", "fields", "register", "optional", "erratum"},
    "command": {"name", "unit", "match", "mask", "engine", "length_bits", "dwords", "fields", "repeat", "source", "erratum"},
    "structure": {"name", "unit", "dwords", "fields", "source", "erratum"},
    "repeat": {"first", "bits", "fields"},
    "enumeration_state": {"enumeration", "state", "why", "values"},
    "value_state": {"state", "why"},
    "ledger_row": {"register", "command", "field", "state", "why", "harmless", "checked", "when"},
    "condition": {"field", "values"},
    "driver_state": {"name", "function", "moment", "packet", "registers"},
    "enumeration": {"name", "bits", "values", "aliases", "default", "alternatives", "when", "reserved", "unnamed", "errata"},
}
# Identifiers that a generated name must not be: keywords, macros of the C library, members of the accessors.
TAKEN = set("""alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const consteval
constexpr constinit continue decltype default delete do double else enum explicit export extern false float for friend goto if
inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register requires
return short signed sizeof static struct switch template this throw true try typedef typeid typename union unsigned using virtual
void volatile wchar_t while xor xor_eq linux unix NULL EOF DOMAIN SING OVERFLOW UNDERFLOW INFINITY NAN HUGE_VAL TRUE FALSE BUFSIZ
stdin stdout stderr errno assert major minor get set of mask low width address count stride first bits opcode index space
place register_id field_id field_count""".split())


def known(kind, where, entry):
    if not isinstance(entry, dict):
        raise Mistake(f"{where}: not an object")
    for key in entry:
        if key not in KEYS[kind]:
            raise Mistake(f"{where}: a {kind} has no '{key}'")


def need(where, entry, *keys):
    for key in keys:
        if key not in entry:
            raise Mistake(f"{where}: '{key}' is missing")


def number(where, what, text, limit):
    """A hexadecimal or decimal text below `limit`."""
    if not isinstance(text, str) or not re.fullmatch(r"0x[0-9a-fA-F]+|[0-9]+", text):
        raise Mistake(f"{where}: {what} is {text!r}, not a number as text")
    value = int(text, 0) if text.startswith("0x") else int(text)
    if value >= limit:
        raise Mistake(f"{where}: {what} {text} does not fit")
    return value


def without_duplicates(path):
    def pairs(items):
        seen = {}
        for key, value in items:
            if key in seen:
                raise Mistake(f"{path}: '{key}' twice in one object")
            seen[key] = value
        return seen
    with open(path, encoding="utf-8") as text:
        try:
            return json.load(text, object_pairs_hook=pairs)
        except json.JSONDecodeError as error:
            raise Mistake(f"{path}:{error.lineno}: {error.msg}")


def read_values(where, values, width):
    """{"0": "NAME", "4-7": "NAME"} as a sorted list of (first, last, name)."""
    if not isinstance(values, dict):
        raise Mistake(f"{where}: values are neither an object nor a set's name")
    limit = 1 << min(width, 32)
    rows = []
    for key, name in values.items():
        first, dash, last = key.partition("-")
        first = number(where, "value", first, limit)
        last = number(where, "value", last, limit) if dash else first
        if last < first:
            raise Mistake(f"{where}: value range {key}")
        if not isinstance(name, str) or not name:
            raise Mistake(f"{where}: value {key} has no name")
        rows.append((first, last, name))
    rows.sort()
    for before, after in zip(rows, rows[1:]):
        if after[0] <= before[1]:
            raise Mistake(f"{where}: value {after[0]} twice")
    return rows


class Family:
    def __init__(self, folder):
        self.name = os.path.basename(os.path.normpath(folder))
        self.registers, self.packets, self.events, self.enumerations, self.sets = [], [], {}, [], {}
        self.driver_states, self.commands, self.structures = [], [], []
        self.pm4, self.spaces = "", {}
        files = []
        for name in sorted(os.listdir(folder)):
            if name.endswith(".json"):
                path = os.path.join(folder, name)
                short = f"registers/{self.name}/{name}"
                content = without_duplicates(path)
                known("file", short, content)
                need(short, content, "family", "source")
                if content["family"] != self.name:
                    raise Mistake(f"{short}: family '{content['family']}' in the folder {self.name}")
                files.append((short, content))
        for short, content in files:
            for name, values in content.get("value_sets", {}).items():
                rows = read_values(f"{short}: value set {name}", values, 32)
                if self.sets.get(name, rows) != rows:
                    raise Mistake(f"{short}: value set {name} has other values in another file")
                self.sets[name] = rows
            self.pm4 = content.get("pm4", self.pm4)
            if self.pm4 not in PM4:
                raise Mistake(f"{short}: pm4 '{self.pm4}' is none of {', '.join(PM4)}")
            for name, space in content.get("register_spaces", {}).items():
                where = f"{short}: register space {name}"
                need(where, space, "first", "end")
                self.spaces[name] = [number(where, end, space[end], 1 << 32) for end in ("first", "end")]
        for short, content in files:
            for entry in content.get("registers", []):
                self.registers.append(self.read_register(short, content, entry))
            for entry in content.get("packets", []):
                self.packets.append(self.read_packet(short, content, entry))
            for kind, rows in (("command", self.commands), ("structure", self.structures)):
                for entry in content.get(kind + "s", []):
                    rows.append(self.read_command(kind, short, content, entry))
            for key, name in content.get("events", {}).items():
                event = number(f"{short}: event {name}", "number", key, 64)
                if event in self.events:
                    raise Mistake(f"{short}: event {event} twice")
                self.events[event] = (name, content["source"])
            for entry in content.get("enumerations", []):
                self.enumerations.append(self.read_enumeration(short, content, entry))
        self.commands.sort(key=lambda c: c["match"])
        self.check_names()
        self.place()
        self.resolve_words()
        for short, content in files:
            for entry in content.get("driver_states", []):
                self.driver_states.append(self.read_driver_state(short, content, entry))
        self.ledger = self.read_ledger(files)
        self.enumeration_states = self.read_enumeration_states(files)

    def read_field(self, where, entry, bits, before):
        known("field", where, entry)
        need(where, entry, "name", "high", "low")
        name, high, low = entry["name"], entry["high"], entry["low"]
        where = f"{where}.{name}"
        if not isinstance(high, int) or not isinstance(low, int) or not 0 <= low <= high < bits or high - low >= 64:
            raise Mistake(f"{where}: bits {high}:{low} of {bits}")
        for other in before:
            if other["name"] == name and name.lower() != "reserved":
                raise Mistake(f"{where}: two fields of that name")
            if low <= other["high"] and other["low"] <= high and entry.get("overlaps") != other["name"] and other["overlaps"] != name:
                raise Mistake(f"{where}: bits {high}:{low} overlap {other['name']}")
        if "overlaps" in entry and entry["overlaps"] not in [other["name"] for other in before]:
            raise Mistake(f"{where}: overlaps '{entry['overlaps']}', which is no field before it")
        if entry.get("access", "RW") not in ACCESS:
            raise Mistake(f"{where}: access '{entry['access']}'")
        default = entry.get("default", "none")
        default = None if default == "none" else number(where, "default", default, 1 << (high - low + 1))
        values, value_set = entry.get("values", {}), ""
        if isinstance(values, str):
            value_set = values
            if value_set not in self.sets:
                raise Mistake(f"{where}: there is no value set {value_set}")
            values = self.sets[value_set]
            if values and values[-1][1] >> (high - low + 1):
                raise Mistake(f"{where}: the values of {value_set} do not fit {high - low + 1} bits")
        else:
            values = read_values(where, values, high - low + 1)
        public = read_values(where, entry.get("public_values", {}), high - low + 1)
        read_values(where, {f"{a}-{b}": n for a, b, n in values + public}, high - low + 1)
        if bool(public) != ("public_source" in entry):
            raise Mistake(f"{where}: public_values go with public_source")
        return {"name": name, "high": high, "low": low, "default": default, "values": values, "set": value_set,
                "erratum": entry.get("erratum", ""), "overlaps": entry.get("overlaps", ""), "access": entry.get("access", ""),
                "source": entry.get("source", ""), "public": public, "public_source": entry.get("public_source", ""),
                "address": entry.get("address", False)}

    def read_fields(self, where, entries, bits):
        fields = []
        for entry in entries:
            fields.append(self.read_field(where, entry, bits, fields))
        return fields

    def read_register(self, short, content, entry):
        where = f"{short}: {entry.get('name', '(no name)')}"
        known("register", where, entry)
        need(where, entry, "name", "access", "fields")
        name = entry["name"]
        match = re.fullmatch(r"([A-Za-z0-9_]*)(?:\[([0-9]+)-([0-9]+)\]([A-Za-z0-9_]*))?", name)
        if not match or not name:
            raise Mistake(f"{where}: a name is letters, digits, _ and one [first-last]")
        repeated = match[2] is not None
        indices = entry.get("indices", [])
        first = int(match[2]) if repeated and not indices else 0
        count = (len(indices) if indices else int(match[3]) - first + 1) if repeated else 1
        if indices and not repeated:
            raise Mistake(f"{where}: indices without [first-last] in the name")
        if count < 1:
            raise Mistake(f"{where}: [{match[2]}-{match[3]}] counts down")
        if entry["access"] not in ACCESS:
            raise Mistake(f"{where}: access '{entry['access']}'")
        bits = entry.get("bits", 32)
        if not isinstance(bits, int) or not 0 < bits <= 512:
            raise Mistake(f"{where}: {bits} bits")

        def address(text):
            value = number(where, "address", text, 1 << 32)
            if value % 4:
                raise Mistake(f"{where}: address {text} is not that of a dword")
            return value
        addresses, stride = [], 0
        if "addresses" in entry:
            if "address" in entry or "stride" in entry:
                raise Mistake(f"{where}: both addresses and address or stride")
            addresses = [address(a) for a in entry["addresses"]]
            if len(addresses) != count:
                raise Mistake(f"{where}: {len(addresses)} addresses for {count} registers")
        elif entry.get("address") is not None:
            if repeated != ("stride" in entry):
                raise Mistake(f"{where}: a stride goes with [first-last] in the name")
            base = address(entry["address"])
            stride = address(entry["stride"]) if repeated else 0
            if repeated and stride == 0:
                raise Mistake(f"{where}: stride 0")
            addresses = [base + stride * i for i in range(count)]
        elif "stride" in entry or entry.get("aliases"):
            raise Mistake(f"{where}: stride or aliases without an address")
        aliases = [address(a) for a in entry.get("aliases", [])]
        if aliases and "addresses" in entry:
            raise Mistake(f"{where}: aliases of irregular addresses")
        return {"where": where, "name": name, "prefix": match[1], "suffix": match[4] or "", "repeated": repeated, "first": first,
                "count": count, "indices": indices, "addresses": addresses, "stride": stride, "irregular": "addresses" in entry,
                "aliases": aliases, "view_of": entry.get("view_of", ""), "access": entry["access"], "bits": bits,
                "block": entry.get("block", ""), "source": entry.get("source", content["source"]),
                "section": entry.get("section", content.get("section", "")), "erratum": entry.get("erratum", ""),
                "fields": self.read_fields(where, entry["fields"], bits)}

    def read_packet(self, short, content, entry):
        where = f"{short}: packet {entry.get('name', '(no name)')}"
        known("packet", where, entry)
        need(where, entry, "name", "opcode")
        space = entry.get("space", "")
        if space and space not in self.spaces:
            raise Mistake(f"{where}: there is no register space {space}")
        if "sets" in entry and not space:
            raise Mistake(f"{where}: what sets registers says in which space")
        if entry.get("sets", False) not in SETS:
            raise Mistake(f"{where}: sets '{entry['sets']}' is neither true nor pairs")
        words = []
        for index, word in enumerate(entry.get("words", [])):
            at = f"{where}, word {index}"
            known("word", at, word)
            need(at, word, "name")
            if "fields" in word and "register" in word:
                raise Mistake(f"{at}: both fields and register")
            if words and words[-1]["optional"] and not word.get("optional"):
                raise Mistake(f"{at}: behind a word that is optional")
            words.append({"where": at, "name": word["name"], "register": word.get("register", ""),
                          "optional": word.get("optional", False),
                          "fields": self.read_fields(f"{at} {word['name']}", word.get("fields", []), 32)})
        return {"where": where, "name": entry["name"], "opcode": number(where, "opcode", entry["opcode"], 256), "words": words,
                "engine": entry.get("engine", ""), "source": entry.get("source", content["source"]),
                "space": self.spaces.get(space, [0, 0]), "sets": entry.get("sets", False)}

    def read_command(self, kind, short, content, entry):
        where = f"{short}: {kind} {entry.get('name', '(no name)')}"
        known(kind, where, entry)
        need(where, entry, "name", "dwords", "fields", *(("match", "mask") if kind == "command" else ()))
        match, mask = (number(where, key, entry.get(key, "0"), 1 << 32) for key in ("match", "mask"))
        length_bits, dwords = entry.get("length_bits", 0), entry["dwords"]
        if match & ~mask or not 0 <= length_bits <= 16 or not 0 < dwords <= 1024:
            raise Mistake(f"{where}: match, mask, length_bits or dwords")
        if entry.get("engine", "") not in ("", "render", "blitter"):
            raise Mistake(f"{where}: there is no engine {entry['engine']}")
        for other in self.commands if kind == "command" else []:
            if (other["match"] ^ match) & other["mask"] & mask == 0:
                raise Mistake(f"{where}: begins as {other['name']} does")
        repeat = entry.get("repeat", {})
        if repeat:
            known("repeat", where, repeat)
            need(where, repeat, "first", "bits", "fields")
        return {"where": where, "name": entry["name"], "unit": entry.get("unit", ""), "match": match, "mask": mask,
                "engine": entry.get("engine", ""),
                "source": entry.get("source", content["source"]), "dwords": dwords, "length_bits": length_bits,
                "fields": self.read_fields(where, entry["fields"], dwords * 32),
                "first": repeat.get("first", 0), "bits": repeat.get("bits", 0),
                "repeat": self.read_fields(where + ", repeated", repeat.get("fields", []), repeat.get("bits", 0))}

    def read_enumeration(self, short, content, entry):
        where = f"{short}: {entry.get('name', '(no name)')}"
        known("enumeration", where, entry)
        need(where, entry, "name", "bits", "values")
        bits = entry["bits"]
        # The DG1 manual gives two enumerations 0 bits: their values are not limited then.
        width = bits or 32

        def ranges(key):
            return read_values(f"{where}: {key}", {k: key for k in entry.get(key, [])}, width)
        rows = read_values(where, entry["values"], width)
        others = []
        for other in entry.get("alternatives", []):
            need(where, other, "when", "values")
            others.append((other["when"], read_values(f"{where}: {other['when']}", other["values"], width)))
        default = entry.get("default")
        if default is not None:
            default = number(where, "default", default, 1 << width)
        return {"where": where, "name": entry["name"], "bits": bits, "values": rows, "aliases": entry.get("aliases", []),
                "default": default, "when": entry.get("when", ""), "alternatives": others, "reserved": ranges("reserved"),
                "unnamed": ranges("unnamed"), "errata": entry.get("errata", []), "source": content["source"],
                "section": content.get("section", "")}

    def read_driver_state(self, short, content, entry):
        where = f"{short}: {entry.get('name', '(no name)')}"
        known("driver_state", where, entry)
        need(where, entry, "name", "function", "moment", "registers")
        if entry["moment"] not in MOMENTS:
            raise Mistake(f"{where}: moment '{entry['moment']}' is none of {', '.join(MOMENTS)}")
        packet = entry.get("packet", "")
        if packet and packet not in [p["name"] for p in self.packets]:
            raise Mistake(f"{where}: there is no packet {packet}")
        by_name = {register["name"]: index for index, register in enumerate(self.registers)}
        for name in entry["registers"]:
            if name not in by_name:
                raise Mistake(f"{where}: there is no register {name}")
        return {"name": entry["name"], "driver": content["section"], "function": entry["function"], "moment": entry["moment"],
                "packet": packet, "registers": [by_name[name] for name in entry["registers"]]}

    def read_enumeration_states(self, files):
        """(number of the enumeration, value or None for all others, state, why), values first; each enumeration of a file has them."""
        numbers = {e["name"]: n for n, e in enumerate(self.enumerations)}
        rows, seen = [], set()
        for short, content in files:
            for entry in content.get("enumeration_states", []):
                names = entry.get("enumeration", "")
                for name in [names] if isinstance(names, str) else names:
                    where = f"{short}: {name}"
                    known("enumeration_state", where, entry)
                    need(where, entry, "state", "why")
                    if name not in numbers or name in seen:
                        raise Mistake(f"{where}: no such enumeration, or twice")
                    seen.add(name)
                    values = {first for first, _, _ in self.enumerations[numbers[name]]["values"]}
                    for value, state in entry.get("values", {}).items():
                        known("value_state", where, state)
                        if int(value) not in values:
                            raise Mistake(f"{where}: there is no value {value}")
                        rows.append((numbers[name], int(value), state["state"], state["why"]))
                    rows.append((numbers[name], None, entry["state"], entry["why"]))
        for row in rows:
            if row[2] not in ("acts", "decode only", "not yet"):
                raise Mistake(f"{self.enumerations[row[0]]['name']}: state '{row[2]}'")
        if seen and seen != set(numbers):
            raise Mistake(f"enumerations without a state: {', '.join(sorted(set(numbers) - seen))}")
        return rows

    def read_ledger(self, files):
        """What each field does: {(register, field): row}, from "acts" (by scene) and "ledger" (what does not act)."""
        owners = self.registers + self.commands + self.structures
        numbers = {owner["name"]: index for index, owner in enumerate(owners)}
        rows = {}

        def fields_of(where, name, field):
            if name not in numbers:
                raise Mistake(f"{where}: there is no register {name}")
            owner = owners[numbers[name]]
            fields = owner["fields"] + owner.get("repeat", [])
            if not fields and numbers[name] < len(self.registers):
                return [(numbers[name], 0)] if field in ("", "*") else []
            # Of several fields of one name, as reserved ones are, one is named by its bits: "Reserved[28:23]".
            return [(numbers[name], n) for n, f in enumerate(fields)
                    if field in (f["name"], "*", f"{f['name']}[{f['high']}" + (f":{f['low']}]" if f["low"] < f["high"] else "]"))]

        def condition(where, entry):
            """([(register, field)], [(first, last)]): any of the fields has any of the values."""
            known("condition", where, entry)
            need(where, entry, "field", "values")
            keys = []
            for name in [entry["field"]] if isinstance(entry["field"], str) else entry["field"]:
                register, _, field = name.partition(".")
                found = fields_of(where, register, field)
                if not found:
                    raise Mistake(f"{where}: when: there is no field {name}")
                keys += found
            return keys, sorted(r[:2] for r in read_values(where, {v: "value" for v in entry["values"]}, 32))

        def add(where, keys, row):
            for key in keys:
                if key in rows:
                    raise Mistake(f"{where}: has a state already, '{rows[key]['state']}'")
                rows[key] = row
        for short, content in files:
            for scene, names in content.get("acts", {}).items():
                for name in names:
                    register, _, field = name.partition(".")
                    where = f"{short}: {scene}: {name}"
                    keys = fields_of(where, register, field)
                    if not keys:
                        raise Mistake(f"{where}: there is no such field")
                    add(where, keys, {"state": "Acts", "why": scene, "harmless": [], "checked": "Draw", "when": []})
        rest = []
        for short, content in files:
            for entry in content.get("ledger", []):
                key = "command" if "command" in entry else "register"
                where = f"{short}: {entry.get(key, '(no register)')}"
                known("ledger_row", where, entry)
                need(where, entry, key, "field", "state", "why")
                if entry["state"] not in FIELD_STATES:
                    raise Mistake(f"{where}: state '{entry['state']}' is none of {', '.join(FIELD_STATES)}")
                if entry["state"] != "not yet" and any(key in entry for key in ("harmless", "checked", "when")):
                    raise Mistake(f"{where}: only a field that does not act yet is checked")
                if entry.get("checked", "draw") not in CHECKED:
                    raise Mistake(f"{where}: checked '{entry['checked']}' is none of {', '.join(CHECKED)}")
                harmless = sorted(r[:2] for r in read_values(where, {v: "harmless" for v in entry.get("harmless", [])}, 32))
                row = {"state": FIELD_STATES[entry["state"]], "why": entry["why"], "harmless": harmless,
                       "checked": CHECKED[entry.get("checked", "draw")] if entry["state"] == "not yet" else "No",
                       "when": [condition(where, c) for c in entry.get("when", [])]}
                if row["when"] and row["checked"] == "Write" and key == "register":
                    raise Mistake(f"{where}: what is checked when it is written depends on nothing else")
                names = [entry[key]] if isinstance(entry[key], str) else entry[key]
                if key == "command":  # "3DSTATE_*": every one that has fields without a state
                    names = [n for pattern in names for n in fnmatch.filter(numbers, pattern)]
                    if not names:
                        raise Mistake(f"{where}: there is no such command or structure")
                for name in names:
                    for field in [entry["field"]] if isinstance(entry["field"], str) else entry["field"]:
                        if field == "*":
                            rest.append((f"{where}: {name}", name, row, key == "command" and len(names) > 1))
                            continue
                        keys = fields_of(where, name, field)
                        if not keys and len(names) > 1 and key == "command":
                            continue
                        if not keys:
                            raise Mistake(f"{where}: {name} has no field {field}")
                        add(f"{where}: {name}.{field}", keys, row)
        # "*": what no other row names.
        for where, name, row, some in rest:
            keys = [key for key in fields_of(where, name, "*") if key not in rows]
            if not keys and not some:
                raise Mistake(f"{where}: all its fields have a state already")
            add(where, keys, row)
        return rows

    def instance(self, register, index):
        text = ""
        if register["repeated"]:
            text = register["indices"][index] if register["indices"] else str(register["first"] + index)
        return register["prefix"] + text + register["suffix"]

    def check_names(self):
        names = {}
        for register in self.registers:
            for index in range(register["count"]):
                name = self.instance(register, index).upper()
                if name in names:
                    raise Mistake(f"{register['where']}: {name} is also a name of {names[name]}")
                names[name] = register["name"]
        for kind, entries, key in (("packet", self.packets, "opcode"), ("packet", self.packets, "name"),
                                   ("enumeration", self.enumerations, "name")):
            seen = {}
            for entry in entries:
                if entry[key] in seen:
                    raise Mistake(f"{entry['where']}: {kind} {key} {entry[key]} twice")
                seen[entry[key]] = entry

    def place(self):
        """Every address with its register, instance and alias number; the register that others are views of comes first."""
        by_name = {register["name"]: register for register in self.registers}
        at = {}
        for number_, register in enumerate(self.registers):
            if register["view_of"]:
                if register["view_of"] not in by_name or by_name[register["view_of"]]["view_of"]:
                    raise Mistake(f"{register['where']}: view of '{register['view_of']}', which is no register of its own")
                missing = set(register["addresses"]) - set(by_name[register["view_of"]]["addresses"])
                if missing:
                    raise Mistake(f"{register['where']}: {min(missing):#x} is no address of {register['view_of']}")
            bases = [(0, register["addresses"])]
            for alias, base in enumerate(register["aliases"], 1):
                bases.append((alias, [base + register["stride"] * i for i in range(register["count"])]))
            for alias, addresses in bases:
                for index, address in enumerate(addresses):
                    at.setdefault(address, []).append((bool(register["view_of"]), number_, index, alias))
        self.places = []
        for address in sorted(at):
            entries = sorted(at[address])
            own = [self.registers[e[1]] for e in entries if not e[0]]
            if len(own) > 1:
                raise Mistake(f"{own[1]['where']}: {address:#x} is also the address of {own[0]['name']}: one needs view_of")
            self.places += [(address, number_, index, alias) for _, number_, index, alias in entries]

    def resolve_words(self):
        by_name = {register["name"]: index for index, register in enumerate(self.registers)}
        for packet in self.packets:
            for word in packet["words"]:
                if word["register"] and word["register"] not in by_name:
                    raise Mistake(f"{word['where']}: there is no register {word['register']}")
                word["register_number"] = by_name.get(word["register"], -1)


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
