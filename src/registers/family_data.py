"""Reads and checks registers/FAMILY/*.json (registers/README.md describes the form): what a family has, as plain dictionaries. A
Mistake names file and register."""
import fnmatch
import json
import os
import re


class Mistake(Exception):
    pass


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
            # One of several fields with the same name, as reserved ones are, is named by its bits: "Reserved[28:23]".
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
                some = False  # a pattern, "3DSTATE_*": every one that has fields without a state
                if key == "command":
                    names = [n for pattern in names for n in fnmatch.filter(numbers, pattern)]
                    some = len(names) > 1
                elif any("*" in pattern for pattern in names):  # (A register's name has brackets, which are no pattern's here.)
                    shapes = [re.compile(re.escape(pattern).replace(r"\*", ".*")) for pattern in names]
                    names, some = [r["name"] for r in self.registers if any(s.fullmatch(r["name"]) for s in shapes)], True
                if not names:
                    raise Mistake(f"{where}: there is no such {key}")
                for name in names:
                    for field in [entry["field"]] if isinstance(entry["field"], str) else entry["field"]:
                        if field == "*":
                            rest.append((f"{where}: {name}", name, row, some))
                            continue
                        keys = fields_of(where, name, field)
                        if not keys and some:
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
