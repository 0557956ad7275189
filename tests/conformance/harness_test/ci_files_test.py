#!/usr/bin/python3
"""The files of examples/ci: they are YAML and TOML, what they call of Atoll has the options that they give it, and files that they name are there.
ci_files_test.py ATOLL"""
import contextlib
import importlib
import io
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
import unittest

import fake
from harness.options import ROOT, arguments

ATOLL = sys.argv.pop(1)
CI = ROOT / "examples/ci"
yaml = importlib.import_module("yaml") if importlib.util.find_spec("yaml") else None


def commands():
    """(file, words) of each command of the job files."""
    for file in sorted(CI.glob("*.yml")):
        # a folded block is one line
        text = re.sub(r"- >\n((?: {6,}.*\n)+)", lambda block: "- " + " ".join(block[1].split()) + "\n", file.read_text())
        for line in re.findall(r"^\s*(?:- (?!name|uses)|run: )(.*)$", text, re.M):
            for command in re.split(r" && ", line):
                with contextlib.suppress(ValueError):
                    yield file.name, shlex.split(re.sub(r"\$\{\{ matrix.gpu \}\}|\$GPU", "bonaire", command))


class Files(unittest.TestCase):
    def test_forms(self):
        with open(CI / "suite.toml", "rb") as file:
            suite = tomllib.load(file)
        self.assertEqual(sorted(suite), ["deqp", "piglit"])
        for file in CI.glob("*.yml"):
            self.assertNotIn("\t", file.read_text(), file)
            if yaml:
                yaml.safe_load(file.read_text())

    def test_options_of_run(self):
        help_text = subprocess.run([ATOLL, "run", "--help"], capture_output=True, text=True, check=True).stdout
        known = set(re.findall(r"(--[a-z-]+)", help_text))
        found = 0
        for file, words in [*commands(), ("docker", shlex.split((CI / "docker").read_text().split("exec", 1)[1].replace("\\\n", " ")))]:
            if words[:2] == ["atoll", "run"] or "run" in words and "--gpu" in words and "/atoll/tests/conformance/run" not in words:
                given = words[words.index("--gpu"):words.index("--")]
                self.assertLessEqual({w for w in given if w.startswith("--")}, known, f"{file}: {words}")
                found += 1
        self.assertGreaterEqual(found, 3)

    def test_options_of_the_runner(self):
        found = [words for _, words in commands() if words and words[0] == "/atoll/tests/conformance/run"]
        self.assertEqual(len(found), 1)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            try:
                arguments(found[0][1:])
            except SystemExit:
                self.fail(said.getvalue())

    def test_docker(self):
        """With an engine that says how it is called."""
        with tempfile.TemporaryDirectory() as folder:
            engine = pathlib.Path(folder, "engine")
            engine.write_text('#!/bin/sh\nfor one; do echo "$one"; done\n')
            engine.chmod(0o755)
            run = lambda *words: subprocess.run([CI / "docker", *words], capture_output=True, text=True, cwd=folder,
                                                env=dict(os.environ, CONTAINER_ENGINE=str(engine)))
            words = run("image", "r580", "./app", "two words").stdout.split("\n")
            self.assertEqual(words[words.index("image"):-1], ["image", "run", "--gpu", "r580", "--timeout", "900", "--display", "none", "--", "./app", "two words"])
            self.assertEqual((run("image").returncode, run("image").stderr), (2, "usage: docker IMAGE GPU COMMAND...\n"))


unittest.main()
