#!/usr/bin/env python3
"""The generator of the register tables: mistakes in the data end it with a message that names file and register.
Usage: generate_tables_test.py GENERATOR"""
import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest

GENERATOR = sys.argv.pop(1)

GOOD = {
    "family": "toy", "source": "manual", "section": "Toy, 1",
    "registers": [
        {"name": "A[0-3]_INFO", "block": "A", "address": "0x100", "stride": "0x8", "access": "RW", "bits": 32,
         "fields": [{"name": "LOW", "high": 3, "low": 0, "default": "0xf", "values": {"0": "NONE", "4-7": "MANY"}},
                    {"name": "HIGH", "high": 31, "low": 4, "default": "none", "values": "Set"}]},
        {"name": "B", "address": "0x104", "access": "R", "fields": []},
        {"name": "B_AGAIN", "address": "0x104", "view_of": "B", "access": "R", "fields": []},
        {"name": "WORDS", "address": None, "access": "RW", "bits": 128, "fields": [{"name": "ACROSS", "high": 47, "low": 16}]}],
    "value_sets": {"Set": {"0": "ZERO"}},
    "packets": [{"name": "NOP", "opcode": "0x10", "words": [{"name": "W", "register": "B"}]}],
    "events": {"0x4": "FLUSH"},
    "enumerations": [{"name": "Size", "bits": 2, "values": {"0": "one"}, "reserved": ["2-3"]}],
}


def generate(data):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "toy")
        os.mkdir(source)
        with open(os.path.join(source, "a.json"), "w") as out:
            out.write(data if isinstance(data, str) else json.dumps(data))
        done = subprocess.run([sys.executable, GENERATOR, source, folder], capture_output=True, text=True)
        if done.returncode:
            return done.returncode, done.stderr, ""
        with open(os.path.join(folder, "toy.h")) as header:
            return 0, "", header.read()


class Mistakes(unittest.TestCase):
    def refused(self, message, change):
        data = copy.deepcopy(GOOD)
        change(data)
        status, text, _ = generate(data)
        self.assertEqual(status, 1)
        self.assertIn("registers/toy/a.json", text)
        self.assertIn(message, text)

    def test_good_data(self):
        status, text, header = generate(GOOD)
        self.assertEqual((status, text), (0, ""))
        self.assertIn("struct A_INFO : Repeated<0x100, 0x8, 0, 4>", header)
        self.assertIn("struct ACROSS : WideField<WORDS, 0, 16, 32>", header)

    def test_public_values(self):
        field = lambda d: d["registers"][0]["fields"][0]
        more = lambda d, **values: field(d).update(public_values=values, public_source="Mesa")
        data = copy.deepcopy(GOOD)
        more(data, **{"1": "ONE"})
        status, text, header = generate(data)
        self.assertEqual((status, text), (0, ""))
        self.assertIn("ONE = 1u", header)
        self.refused("A[0-3]_INFO.LOW: value 5 twice", lambda d: more(d, **{"5": "FIVE"}))
        self.refused("A[0-3]_INFO.LOW: value 16 does not fit", lambda d: more(d, **{"16": "WIDE"}))
        self.refused("A[0-3]_INFO.LOW: public_values go with public_source", lambda d: field(d).update(public_values={"1": "ONE"}))

    def test_fields(self):
        first = lambda d: d["registers"][0]["fields"]
        self.refused("A[0-3]_INFO.HIGH: bits 31:3 overlap LOW", lambda d: first(d)[1].update(low=3))
        self.refused("A[0-3]_INFO.LOW: two fields of that name", lambda d: first(d)[1].update(name="LOW"))
        self.refused("bits 32:4 of 32", lambda d: first(d)[1].update(high=32))
        self.refused("bits 2:4 of 32", lambda d: first(d)[1].update(high=2))
        self.refused("default 0x10 does not fit", lambda d: first(d)[0].update(default="0x10"))
        self.refused("value 16 does not fit", lambda d: first(d)[0].update(values={"16": "TOO_MUCH"}))
        self.refused("value 5 twice", lambda d: first(d)[0].update(values={"4-7": "MANY", "5": "ONE"}))
        self.refused("there is no value set Other", lambda d: first(d)[1].update(values="Other"))
        self.refused("do not fit 4 bits", lambda d: (first(d)[0].update(values="Set"), d["value_sets"]["Set"].update({"16": "X"})))
        self.refused("a field has no 'comment'", lambda d: first(d)[0].update(comment="x"))

    def test_registers(self):
        self.refused("A1_INFO is also a name of A[0-3]_INFO", lambda d: d["registers"][1].update(name="A1_INFO"))
        self.refused("0x100 is also the address of A[0-3]_INFO", lambda d: [d["registers"][n].update(address="0x100") for n in (1, 2)])
        self.refused("0x104 is also the address of B", lambda d: d["registers"][2].pop("view_of"))
        self.refused("0x108 is no address of B", lambda d: d["registers"][2].update(address="0x108"))
        self.refused("view of 'C'", lambda d: d["registers"][2].update(view_of="C"))
        self.refused("address 0x105 is not that of a dword", lambda d: d["registers"][1].update(address="0x105"))
        self.refused("a stride goes with", lambda d: d["registers"][0].pop("stride"))
        self.refused("access 'RO'", lambda d: d["registers"][0].update(access="RO"))
        self.refused("'fields' is missing", lambda d: d["registers"][0].pop("fields"))
        self.refused("counts down", lambda d: d["registers"][0].update(name="A[3-0]_INFO"))

    def test_packets_and_enumerations(self):
        self.refused("there is no register X", lambda d: d["packets"][0]["words"][0].update(register="X"))
        self.refused("opcode 0x100 does not fit", lambda d: d["packets"][0].update(opcode="0x100"))
        self.refused("there is no register space far", lambda d: d["packets"][0].update(space="far"))
        self.refused("says in which space", lambda d: d["packets"][0].update(sets=True))
        self.refused("sets 'triples' is neither true nor pairs", lambda d: (
            d.update(register_spaces={"near": {"first": "0x100", "end": "0x200"}}), d["packets"][0].update(space="near", sets="triples")))
        self.refused("pm4 'r200' is none of", lambda d: d.update(pm4="r200"))
        self.refused("packet opcode 16 twice", lambda d: d["packets"].append({"name": "OTHER", "opcode": "16"}))
        self.refused("value 4 does not fit", lambda d: d["enumerations"][0]["values"].update({"4": "five"}))
        self.refused("event 4 twice", lambda d: d["events"].update({"4": "AGAIN"}))

    def test_ledger(self):
        stored = {"register": "A[0-3]_INFO", "field": "LOW", "state": "stored", "why": "debug bus"}
        later = {"register": "A[0-3]_INFO", "field": "HIGH", "state": "not yet", "why": "would have to count", "harmless": ["1", "4-7"]}
        data = copy.deepcopy(GOOD)
        data["ledger"], data["acts"] = [stored, later], {"a triangle": ["B.", "WORDS.ACROSS"]}
        self.assertEqual(generate(data)[:2], (0, ""))
        rows = lambda *rows: lambda d: d.update(ledger=[dict(row) for row in rows])
        self.refused("there is no register X", rows(dict(stored, register="X")))
        self.refused("has no field X", rows(dict(stored, field="X")))
        self.refused("A[0-3]_INFO.LOW: has a state already, 'Stored'", rows(stored, dict(stored, field=["HIGH", "LOW"])))
        self.refused("LOW: has a state already, 'Acts'", lambda d: d.update(acts={"a": ["A[0-3]_INFO.LOW"]}, ledger=[stored]))
        self.refused("there is no such field", lambda d: d.update(acts={"a": ["A[0-3]_INFO.MIDDLE"]}))
        self.refused("all its fields have a state already", rows(stored, later, dict(stored, field="*")))
        self.refused("state 'perhaps' is none of", rows(dict(stored, state="perhaps")))
        self.refused("only a field that does not act yet is checked", rows(dict(stored, harmless=["1"])))
        later["when"] = [{"field": ["B.", "A[0-3]_INFO.LOW"], "values": ["1", "4-7"]}]
        data = copy.deepcopy(GOOD)
        data["ledger"] = [later]
        self.assertEqual(generate(data)[:2], (0, ""))
        self.refused("when: there is no field B.X", rows(dict(later, when=[{"field": "B.X", "values": ["1"]}])))
        self.refused("depends on nothing else", rows(dict(later, checked="write")))
        self.refused("'values' is missing", rows(dict(later, when=[{"field": "B."}])))
        self.refused("'why' is missing", rows({"register": "B", "field": "*", "state": "stored"}))

    def test_text(self):
        self.assertIn("'0' twice in one object", generate('{"family":"toy","source":"manual","value_sets":{"S":{"0":"A","0":"B"}}}')[1])
        self.assertIn("a.json:1:", generate("{")[1])
        self.assertIn("family 'other'", generate('{"family":"other","source":"manual"}')[1])


unittest.main()
