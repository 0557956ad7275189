#!/usr/bin/python3
"""tests/conformance/run with programs that draw on the emulated GPU. Usage: on_gpu_test.py BUILD"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import fake
from harness.results import Results

BUILD = sys.argv.pop(1)


class OnTheGpu(unittest.TestCase):
    def test_a_list_of_programs_on_the_gpu(self):
        draws = f"draws: {BUILD}/bin/gears {{}}/gears.png\n"
        programs = ("# comment\n" + draws + "software: true\nends: sh -c 'kill -SEGV $$'\nskips: sh -c 'exit 77'\nstays: sleep 600\n"
                    "not_there: /no/such/program\n")
        with tempfile.TemporaryDirectory() as folder:
            file, out = pathlib.Path(folder) / "programs", pathlib.Path(folder) / "out"
            file.write_text(programs.replace("{}", folder))
            call = [fake.CONFORMANCE / "run", "--gpu", "r580", "--list", file, "--output", out, "--build", BUILD, "--timeout", "15", "--jobs", "3"]
            run = subprocess.run(call, capture_output=True, text=True)
            self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
            found = {n: r["result"] for n, r in Results.read(out).items()}
            # A program that no driver of the GPU served shows nothing, whatever it says.
            self.assertEqual(found, {"draws": "pass", "software": "fail", "ends": "crash", "skips": "skip", "stays": "timeout",
                                     "not_there": "fail"})
            # Goes on where it was ended: what is there is not run again.
            lines = (out / "results.jsonl").read_text().splitlines(keepends=True)
            kept = [row for row in lines if json.loads(row)["name"] in ("stays", "ends")]
            (out / "results.jsonl").write_text("".join(kept) + '{"name": "skips", "resu')
            before = pathlib.Path(folder) / "before.jsonl"
            before.write_text("".join(lines))
            run = subprocess.run([*call, "--resume", "--compare", before, "--sum"], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertIn("2 of 6 tests are done already", run.stdout)
            self.assertEqual((out / "results.jsonl").read_text(), "".join(lines))
            self.assertEqual(run.stdout.splitlines()[-1], "1 passed, 0 failed, 1 skipped")
            # Another GPU's results are not mixed with these.
            run = subprocess.run([*call[:2], "rv515", *call[3:], "--resume"], capture_output=True, text=True)
            self.assertEqual(run.returncode, 3)
            self.assertIn("gpu", run.stderr)


unittest.main()
