#!/usr/bin/python3
"""What tests/conformance/run makes of results: compared, kept in files, merged from shards, as JUnit XML."""
import json
import pathlib
import shutil
import tempfile
import unittest
import xml.etree.ElementTree as xml

import fake
from harness import junit
from harness.chip import Chip
from harness.results import Comparison, Results


def rows(**results):
    return Results({n: {"name": n, **(r if isinstance(r, dict) else {"result": r})} for n, r in results.items()})


class Comparing(unittest.TestCase):
    def test_what_gets_worse_and_what_better(self):
        before = rows(a="pass", b="fail", c="fail", d="pass", e="skip", f="fail", g="pass", gone="pass", h="crash",
                      i={"result": "fail", "subtests": {"x": "fail", "y": "pass"}}, j={"result": "pass", "subtests": ["x"]})
        now = rows(a="fail", b="pass", c="fail", d="skip", e="pass", f="crash", g="warn", h="fail", new="fail", good="pass",
                   i={"result": "fail", "subtests": {"x": "fail", "y": "fail"}}, j={"result": "pass", "subtests": ["x"]})
        compared = Comparison(before, now)
        self.assertEqual([t.split(":")[0] for t in compared.failures], ["a", "f", "i@y", "new"])
        self.assertEqual([t.split(":")[0] for t in compared.skips], ["d"])
        self.assertEqual([t.split(":")[0] for t in compared.passes], ["b", "e", "good"])
        self.assertEqual(compared.known, ["c", "h"])
        self.assertEqual(compared.not_run, ["gone"])

    def test_files_survive_an_ended_run_and_are_the_same_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("r.jsonl", "r.jsonl.gz"):
                file = pathlib.Path(folder) / name
                rows(b="pass", a="fail").write(file)
                first = file.read_bytes()
                self.assertEqual(list(Results.read(file)), ["a", "b"])
                Results.read(file).write(file)
                self.assertEqual(file.read_bytes(), first)
            file = pathlib.Path(folder) / "r.jsonl"
            file.write_bytes(file.read_bytes() + b'{"name": "c", "res')
            self.assertEqual(list(Results.read(file)), ["a", "b"])

    def test_an_update_keeps_what_was_not_chosen(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "new/expected.jsonl.gz"
            every = rows(a={"result": "pass", "gpu": "needed"}, b={"result": "pass", "gpu": "vacuous"}, c="fail", d="pass", gone="pass")
            every.update_file(file, every)
            rows(a="pass", b="fail", c={"result": "pass", "tries": 2, "first": "crash"}).update_file(file, {"a", "b", "c", "d"})
            # A control's finding about a test stays while it passes; the facts of that run alone go.
            self.assertEqual(Results.read(file), rows(a={"result": "pass", "gpu": "needed"}, b="fail", c="pass", d="pass"))


class Chips(unittest.TestCase):
    def test_what_a_chip_fails_is_told_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "fails.txt"
            file.write_text("# comment, Fail\n\na,Fail\nspec@b@One, Two,Fail\nc,Crash\nd,Pass\ne,Fail\nf@x,Fail\n")
            found = Chip(file, rows(a="fail", **{"Spec@B@one, two": "fail"}, c="pass", d="crash", e={"result": "fail", "subtests": ["y"]},
                                    f={"result": "fail", "subtests": {"x": "fail", "z": "fail", "w": "pass"}}, g="skip"))
            self.assertEqual(found.both, ["Spec@B@one, two: fail", "a: fail", "e: fail", "e@y: fail", "f: fail", "f@x: fail"])
            self.assertEqual(found.here, ["d: crash", "f@z: fail"])
            self.assertEqual(found.there, ["c"])


class JUnit(unittest.TestCase):
    def test_what_is_new_fails_and_what_is_known_does_not(self):
        before = rows(a="pass", b="fail", c="pass")
        now = rows(a={"result": "fail", "reason": "bad \x01 <bytes>"}, b="fail", c="pass", d={"result": "skip", "reason": "needs X"},
                   **{"spec@group@e": "crash"})
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "a").write_text("$ a\n\x1b[31mwrong\n")
            junit.write(folder / "to/r.xml", "suite", now, Comparison(before, now), {"c": 1.5}, lambda name: folder / name)
            suite = xml.parse(folder / "to/r.xml").getroot()
            self.assertEqual({k: suite.get(k) for k in ("tests", "failures", "errors", "skipped")},
                             {"tests": "5", "failures": "1", "errors": "1", "skipped": "2"})
            cases = {c.get("name"): c for c in suite}
            self.assertEqual(cases["a"].find("failure").get("message"), "a: pass -> fail (bad ? <bytes>)")
            self.assertIn("wrong", cases["a"].find("failure").text)
            self.assertEqual(cases["b"].find("skipped").get("message"), "fail, as before")
            self.assertEqual((cases["c"].get("time"), len(cases["c"])), ("1.50", 0))
            self.assertEqual((cases["e"].get("classname"), cases["e"].find("error").get("type")), ("spec@group", "crash"))
            junit.write(folder / "r.xml", "suite", now, None, {}, lambda name: folder / name)
            self.assertEqual(xml.parse(folder / "r.xml").getroot().get("failures"), "2")


class Merging(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        fake.build(self.folder)
        fake.programs(self.folder, **{f"test{i}": "exit 77" if i == 3 else "exit 1" if i == 7 else ":" for i in range(20)})

    def shard(self, text, *options):
        return fake.run(self.folder, "--shard", text, *options)

    def test_shards_give_what_one_run_gives(self):
        whole = fake.run(self.folder, "--output", self.folder / "whole")
        self.assertEqual(whole.returncode, 1, whole.stderr)
        for k in (3, 1, 2):
            self.shard(f"{k}/3")
        merged = fake.merge(self.folder, self.folder / "out", "--sum", "--junit", self.folder / "r.xml")
        self.assertEqual(merged.returncode, 1, merged.stderr)
        self.assertEqual(merged.stdout.splitlines()[-1], "18 passed, 1 failed, 1 skipped")
        self.assertEqual((self.folder / "out/merged/results.jsonl").read_text(), (self.folder / "whole/results.jsonl").read_text())
        self.assertTrue((self.folder / "out/merged/logs/test7.txt").exists())
        self.assertEqual(xml.parse(self.folder / "r.xml").getroot().get("tests"), "20")
        # Again, over what is there; and named one by one.
        self.assertEqual(fake.merge(self.folder, self.folder / "out", "--compare", self.folder / "whole").returncode, 0)
        shards = sorted((self.folder / "out").glob("shard-*"))
        self.assertEqual(fake.merge(self.folder, *shards, "--output", self.folder / "two").returncode, 1)
        self.assertTrue((self.folder / "two/merged/results.jsonl").exists())

    def refused(self, word, *places):
        run = fake.merge(self.folder, *(places or [self.folder / "out"]))
        self.assertEqual((run.returncode, run.stdout), (3, ""), run.stderr)
        self.assertIn(word, run.stderr)

    def test_what_is_not_whole_is_refused(self):
        for k in (1, 2):
            self.shard(f"{k}/3")
        self.refused("no results of shard 3/3")
        self.shard("3/3")
        out, third = self.folder / "out", self.folder / "out/shard-3-of-3"
        kept = (third / "results.jsonl").read_text()
        (third / "results.jsonl").write_text(kept[:kept.index("\n") + 1])
        self.refused("--resume")
        (third / "results.jsonl").write_text(kept)
        shutil.copytree(third, self.folder / "again")
        self.refused("are both shard 3/3", out, self.folder / "again")
        head = json.loads((third / "run.json").read_text())
        (third / "run.json").write_text(json.dumps(head | {"commit": "another"}))
        self.refused("another commit")
        (third / "run.json").write_text(json.dumps(head | {"shard": "4/4"}))
        self.refused("different numbers")
        (third / "run.json").write_text(json.dumps({"gpu": "r580"}))
        self.refused("an earlier version", third)
        self.refused("neither", self.folder)


unittest.main()
