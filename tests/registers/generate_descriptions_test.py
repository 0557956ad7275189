#!/usr/bin/env python3
"""The generator of the sentences on fields: who gets which, and mistakes that end it with a message that names file and line.
Usage: generate_descriptions_test.py GENERATOR"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

GENERATOR = sys.argv.pop(1)

DATA = {
    "family": "toy", "source": "manual", "section": "Toy, 1",
    "registers": [
        {"name": "A[0-3]_INFO", "address": "0x100", "stride": "0x8", "access": "RW",
         "fields": [{"name": "LOW", "high": 3, "low": 0}, {"name": "HIGH", "high": 31, "low": 4}]},
        {"name": "PLACES_0", "address": "0x200", "access": "RW",
         "fields": [{"name": "S0_X", "high": 3, "low": 0}, {"name": "S1_X", "high": 7, "low": 4}]},
        {"name": "PLACES_1", "address": "0x204", "access": "RW",
         "fields": [{"name": "S2_X", "high": 3, "low": 0}, {"name": "Reserved", "high": 4, "low": 4}, {"name": "Reserved", "high": 9, "low": 8}]}]}
ROWS = """# Toy
A[0-3]_INFO.LOW\tWhat the low bits are for.

A[0-3]_INFO.HIGH | PLACES_1.Reserved[9:8]\tWhat two fields are for.
PLACES_#.S#_X\tPlace of sample #2 in block #1.
PLACES_1.Reserved[4]\tHas no meaning at all.
"""


def generate(rows):
    """Status, what is said, and {(register number, field number): sentence}."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = os.path.join(folder, "toy"), os.path.join(folder, "table.h")
        os.mkdir(source)
        with open(os.path.join(source, "a.json"), "w", encoding="utf-8") as out:
            json.dump(DATA, out)
        if rows is not None:
            with open(os.path.join(source, "descriptions.tsv"), "w", encoding="utf-8") as out:
                out.write(rows)
        done = subprocess.run([sys.executable, GENERATOR, output, source], capture_output=True, text=True, check=False)
        if done.returncode:
            return done.returncode, done.stderr, {}
        with open(output, encoding="utf-8") as table:
            text = table.read()
        pool = "".join(json.loads(line.strip()) for line in re.search(r"sentences\[\] =\n(.*?)\n +\"\";", text, re.S)[1].splitlines()) if '{"toy"' in text else ""
        return 0, done.stderr, {(int(r), int(f)): pool[int(start):int(start) + int(length)]
                                for r, f, length, start in re.findall(r"\{\{(\d+), (\d+)\}, (\d+), (\d+)\}", text)}


class Descriptions(unittest.TestCase):
    def refused(self, message, old, new):
        self.assertIn(old, ROWS)
        status, text, _ = generate(ROWS.replace(old, new, 1))
        self.assertEqual(status, 1)
        self.assertRegex(text, r"registers/toy/descriptions\.tsv:\d+: ")
        self.assertIn(message, text)
        self.assertEqual(text.count("\n"), 1)

    def test_each_field_gets_its_own(self):
        self.assertEqual(generate(ROWS), (0, "", {
            (0, 0): "What the low bits are for.", (0, 1): "What two fields are for.", (1, 0): "Place of sample 0 in block 0.",
            (1, 1): "Place of sample 1 in block 0.", (2, 0): "Place of sample 2 in block 1.", (2, 1): "Has no meaning at all.",
            (2, 2): "What two fields are for."}))

    def test_a_family_may_have_none(self):
        self.assertEqual(generate(None), (0, "", {}))
        self.assertEqual(generate("# nothing yet\n"), (0, "", {}))

    def test_a_name_in_full_goes_before_a_pattern(self):
        rows = ROWS + "PLACES_0.S1_X\tThe one that is otherwise.\n"
        self.assertEqual(generate(rows)[2][1, 1], "The one that is otherwise.")
        self.assertEqual(generate(rows)[2][1, 0], "Place of sample 0 in block 0.")

    def test_names(self):
        self.refused("there is no field A[0-3]_INFO.MIDDLE", "A[0-3]_INFO.LOW", "A[0-3]_INFO.MIDDLE")
        self.refused("there is no field PLACES_1.Reserved", "PLACES_1.Reserved[4]", "PLACES_1.Reserved")
        self.refused("A[0-3]_INFO.LOW has a row already", "A[0-3]_INFO.HIGH", "A[0-3]_INFO.LOW")
        self.refused("PLACES_0.S0_X has a row already", "# Toy", "PLACES_0.*\tA pattern that meets another.")
        self.refused("OTHER_*.S names no field", "# Toy", "OTHER_*.S\tA pattern that meets nothing.")

    def test_sentences(self):
        self.refused("14 characters, not 15 to 160", "Has no meaning at all.", "Has no effect.")
        self.refused("161 characters", "Has no meaning at all.", "H" + "a" * 159 + ".")
        self.refused("ends with a full stop", "for.", "for")
        self.refused("begins with a capital", "What the", "what the")
        self.refused("ends with a full stop", "block #1.", "block #3.")
        self.refused("one tab, and one sentence", "\tWhat the", " What the")
        self.refused("one tab, and one sentence", "What the", "What  the")


unittest.main()
