#!/usr/bin/python3
"""How tests/conformance/run runs programs."""
import json
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import fake
from harness import program
from harness.results import Results


def state(process):
    """As proc(5) has it; "" if there is none. Who is to bury the dead is not for us to say."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return ""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        fake.build(self.folder)

    def results(self):
        return Results.read(self.folder / "out")


class Programs(Folder):
    def test_lines_of_piglit(self):
        text = 'PIGLIT: {"enumerate subtests": ["a", "b"]}\nPIGLIT: {"subtest": {"a" : "pass"}}\nno luck\nPIGLIT: {"result": "skip" }\n'
        self.assertEqual(program.piglit_lines(text), ("skip", {"a": "pass", "b": "notrun"}, "no luck"))

    def test_a_crash_is_tried_again_alone(self):
        crashes_once = f"echo x >>{self.folder}/N; [ $(wc -l <{self.folder}/N) -gt 1 ] || kill -SEGV $$"
        crashes = f"echo x >>{self.folder}/M; kill -ABRT $$"
        fails = f"echo x >>{self.folder}/F; exit 1"
        # the second time when no other runs
        others = {f"other{i}": f"echo begin other >>{self.folder}/order; sleep 0.3; echo end >>{self.folder}/order" for i in range(4)}
        fake.programs(self.folder, once=f"echo begin once >>{self.folder}/order; {crashes_once}", always=crashes, fails=fails, **others)
        run = fake.run(self.folder)
        found = self.results()
        self.assertEqual((found["once"]["result"], found["once"]["first"]), ("pass", "crash (SIGSEGV)"))
        self.assertEqual((found["always"]["result"], found["always"]["tries"]), ("crash", 2))
        self.assertNotIn("first", found["always"])
        self.assertEqual([(self.folder / f).read_text().count("x") for f in "NMF"], [2, 2, 1])
        self.assertEqual((self.folder / "order").read_text().splitlines()[-1], "begin once")
        self.assertIn("1 came out otherwise when tried again alone:\n    once: crash (SIGSEGV) -> pass", run.stdout)
        self.assertIn("status 139", (self.folder / "out/logs/once.first.txt").read_text())
        # Going on tries nothing a third time; an expected crash is not tried again at all.
        fake.run(self.folder, "--resume")
        self.assertEqual([(self.folder / f).read_text().count("x") for f in "NMF"], [2, 2, 1])
        run = fake.run(self.folder, "--compare", self.folder / "out")
        self.assertEqual((run.returncode, (self.folder / "M").read_text().count("x")), (0, 3), run.stdout)

    def test_many_crashes_are_no_accidents(self):
        fake.programs(self.folder, **{f"c{i}": f"echo x >>{self.folder}/N; kill -ABRT $$" for i in range(21)})
        self.assertIn("none is tried again", fake.run(self.folder).stdout)
        self.assertEqual((self.folder / "N").read_text().count("x"), 21)

    def test_what_passes_without_the_gpu_is_counted_apart(self):
        needs = '[ -z "$RADEON_NOOP" ]'
        fake.programs(self.folder, needs=needs, idle=": idle", vacuous=":", fails="exit 1", skips="exit 77")
        run = fake.run(self.folder, "--control", "--update", self.folder / "kept.jsonl.gz")
        self.assertEqual({n: r.get("gpu") for n, r in self.results().items()},
                         {"needs": "needed", "idle": "idle", "vacuous": "vacuous", "fails": None, "skips": None})
        self.assertIn("of those that pass: 1 need the GPU, 1 give it nothing to do, 1 pass without it as well\n", run.stdout)
        # A later run without a control has it from the results that it is compared with.
        run = fake.run(self.folder, "--compare", self.folder / "kept.jsonl.gz")
        self.assertIn("of those that pass: 1 need the GPU, 1 give it nothing to do, 1 pass without it as well\n", run.stdout)

    def test_an_ended_run_leaves_no_program_and_no_result_of_it(self):
        fake.programs(self.folder, quick=":", stays=f"echo $$ >{self.folder}/pid; sleep 600")
        run = subprocess.Popen(fake.command(self.folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(1200):
            if (self.folder / "pid").exists() and "quick" in self.results():
                break
            time.sleep(0.05)
        run.send_signal(signal.SIGTERM)
        output, errors = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, errors)
        self.assertIn("--resume goes on", errors)
        self.assertEqual(list(self.results()), ["quick"])
        self.assertIn(state((self.folder / "pid").read_text().strip()), ("", "Z"))

    def test_another_commits_results_are_not_mixed_with_these(self):
        fake.programs(self.folder, a=":")
        self.assertEqual(fake.run(self.folder).returncode, 0)
        head = json.loads((self.folder / "out/run.json").read_text())
        (self.folder / "out/run.json").write_text(json.dumps(head | {"commit": "another"}))
        run = fake.run(self.folder, "--resume")
        self.assertEqual(run.returncode, 3)
        self.assertIn("commit", run.stderr)

    def test_what_failed_runs_again(self):
        subtests = """echo 'PIGLIT: {"subtest": {"x": "fail", "y": "pass"}}'; echo 'PIGLIT: {"result": "pass"}'"""
        fake.programs(self.folder, good=":", bad="exit 1", part=subtests, skips="exit 77")
        fake.run(self.folder, "--update", self.folder / "kept.jsonl.gz")
        run = fake.run(self.folder, "--failed", self.folder / "kept.jsonl.gz")
        self.assertEqual(list(self.results()), ["bad", "part"], run.stderr)

    def test_expected_results_are_of_one_gpu_and_mesa(self):
        fake.programs(self.folder, a=":")
        for mesa, options in (("22.3.6", []), ("25.0.7", ["--mesa", "/m"])):
            run = fake.run(self.folder, "--compare", "expected", *options)
            self.assertEqual(run.returncode, 3)
            self.assertIn(f"expected/programs-r580-{mesa}.jsonl.gz is not there", run.stderr)


unittest.main()
