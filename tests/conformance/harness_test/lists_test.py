#!/usr/bin/python3
"""Lists of fails, flakes and skips in the forms of deqp-runner and piglit: what a run reads of them, how it ends, and what it writes."""
import argparse
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

import fake
from harness import lists
from harness.results import Results
from harness.tests import Missing


def rows(**results):
    return Results({n: {"name": n, **(r if isinstance(r, dict) else {"result": r})} for n, r in results.items()})


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def file(self, name, text):
        (self.path / name).write_text(text)
        return str(self.path / name)

    def lists(self, fails="", flakes="", skips=""):
        return lists.Lists(argparse.Namespace(fails=[self.file("fails", fails)] if fails else [], flakes=[self.file("flakes", flakes)] if flakes else [],
                                              skips=[self.file("skips", skips)] if skips else []))


class Reading(Folder):
    def test_mesas_forms(self):
        found = self.lists(fails="# why\n\nspec@!opengl 1.1@a,b,Fail\ndEQP-GLES2.x,Crash\nt,Timeout\nw,Warn\n").names
        self.assertEqual(found, {"spec@!opengl 1.1@a,b": "fail", "dEQP-GLES2.x": "crash", "t": "timeout", "w": "warn"})

    def test_what_cannot_be_read_names_its_line(self):
        for text, line in (("a,Fail\nb\n", 2), ("a,Broken\n", 1)):
            with self.assertRaisesRegex(Missing, f"fails:{line}: "):
                self.lists(fails=text)
        with self.assertRaisesRegex(Missing, "skips:3: .* is no regular expression"):
            self.lists(skips="# a\nx\n(\n")

    def test_piglits_names(self):
        """As piglit's own framework makes them of the same tests, where it is installed."""
        names = ["spec@!opengl 1.1@a.b=c", "spec@glsl-1.10@execution@x:y", "api@search", "fast_color_clear@fcc-read Two"]
        expected = ["piglit.spec.!opengl 1_1.a_b.c", "piglit.spec.glsl-1_10.execution.x.y", "piglit.api_.search_", "piglit.fast_color_clear.fcc-read two"]
        self.assertEqual([lists.junit_name(n) for n in names], expected)
        place = pathlib.Path("/usr/lib/x86_64-linux-gnu/piglit")
        if (place / "framework/backends/junit.py").exists():
            script = ("import sys; sys.path.insert(0, sys.argv[1])\nfrom framework.backends.junit import JUnitWriter as W\n"
                      "for n in sys.argv[2:]: print('{}.{}'.format(*W._make_names(n)).lower().replace('=', '.').replace(':', '.'))")
            said = subprocess.run(["python3", "-c", script, place, *names], capture_output=True, text=True)
            if said.returncode == 0:
                self.assertEqual(said.stdout.splitlines(), expected)

    def test_piglits_sections(self):
        found = self.lists(fails="[core]\nx=1\n[expected-failures]\n; a remark\npiglit.spec.!opengl 1_1.a_b.c\n[expected-crashes]\npiglit.api_.Two\n")
        self.assertEqual(found.expected("spec@!opengl 1.1@a.b=c"), "fail")
        self.assertEqual(found.expected("api@two"), "crash")
        self.assertIsNone(found.expected("x"))


class Comparing(Folder):
    def test_as_deqp_runner_does(self):
        kept = self.lists(fails="a,Fail\nb,Crash\nc,Fail\ngone,Fail\ns@two,Fail\nflaky2,Fail\n", flakes="^flaky\n")
        now = rows(a="fail", b="fail", c="pass", d="crash", e="pass", flaky1="crash", flaky2="pass",
                   s={"result": "fail", "subtests": {"one": "pass", "two": "fail"}}, u={"result": "fail", "subtests": {"one": "pass", "two": "fail"}})
        found = lists.AgainstLists(kept, now)
        self.assertEqual([t.split(":")[0] for t in found.failures], ["b", "c", "d", "u", "u@two"])
        self.assertEqual(found.known, ["a", "s@two"])
        self.assertEqual(found.flakes, ["flaky1: crash"])
        self.assertEqual(sorted(found.worse), ["b", "c", "d", "u"])
        self.assertEqual(found.not_run, ["gone"])

    def test_what_is_written_is_what_is_read(self):
        now = rows(**{"a (b)": "fail", "c": "crash", "t": "timeout", "p": "pass", "k": "skip", "f": {"result": "pass", "tries": 2, "first": "crash"},
                      "s": {"result": "fail", "subtests": {"one": "pass", "two": "fail"}}, "all": {"result": "fail", "subtests": ["x", "y"]}})
        options = argparse.Namespace(flakes=[self.file("old", "# remark\n^old$\n")], skips=[])
        fails, flakes, skips, conf = lists.write(self.path / "new/gpu", now, options)
        self.assertEqual(pathlib.Path(fails).read_text(), "a (b),Fail\nall,Fail\nc,Crash\ns@two,Fail\nt,Timeout\n")
        self.assertEqual(pathlib.Path(flakes).read_text(), "^f$\n^old$\n")
        self.assertEqual(pathlib.Path(skips).read_text(), "^k$\n")
        for file in (fails, conf):
            kept = lists.Lists(argparse.Namespace(fails=[file], flakes=[], skips=[skips]))
            # (a piglit.conf has no timeouts apart)
            failing = lists.AgainstLists(kept, now).failures
            self.assertEqual(failing, [] if file == fails else ["t: crash -> timeout"])


class Running(Folder):
    def setUp(self):
        super().setUp()
        fake.build(self.path)
        fake.programs(self.path, good="exit 0", bad="exit 1", worse="exit 1", dies="kill -SEGV $$", left="exit 1", **{"sometimes.1": "exit 1"})

    def test_a_run_with_lists(self):
        fails = self.file("fails.txt", "bad,Fail\ndies,Crash\nworse,Fail\n")
        flakes, skips = self.file("flakes.txt", "sometimes\\.\n"), self.file("skips.txt", "# too slow\n^le.t$\n")
        options = ["--fails", fails, "--flakes", flakes, "--skips", skips, "--junit", self.path / "junit.xml"]
        done = fake.run(self.path, *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("1 are listed as flakes:\n    sometimes.1: fail", done.stdout)
        left = Results.read(self.path / "out")["left"]
        self.assertEqual((left["result"], left["reason"]), ("skip", f"skipped by {skips}:2"))
        suite = xml.parse(self.path / "junit.xml").getroot()
        self.assertEqual((suite.get("failures"), suite.get("errors")), ("0", "0"))
        # a failure that is not listed, and one that is and passes
        self.file("fails.txt", "bad,Fail\ndies,Crash\ngood,Fail\n")
        done = fake.run(self.path, *options)
        self.assertEqual(done.returncode, 1)
        self.assertIn("2 new failures:\n    good: listed as fail, and passes: take it off the list\n    worse: not listed -> fail", done.stdout)
        self.assertEqual(xml.parse(self.path / "junit.xml").getroot().get("failures"), "2")
        self.assertEqual(fake.run(self.path, "--fails", fails, "--compare", "expected").returncode, 2)
        self.assertEqual(fake.run(self.path, "--fails", self.path / "none").returncode, 3)

    def test_what_a_run_writes_the_next_one_ends_well_with(self):
        done = fake.run(self.path, "--write-lists", self.path / "r580")
        self.assertEqual(done.returncode, 1)
        for form in ("r580-fails.txt", "r580-piglit.conf"):
            done = fake.run(self.path, "--fails", self.path / form, "--skips", self.path / "r580-skips.txt")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


unittest.main()
