#!/usr/bin/python3
"""Of tests/conformance/run itself. Usage: harness_test.py BUILD"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from harness import gpu, program, tests  # noqa: E402
from harness.results import Comparison, Results  # noqa: E402

BUILD = sys.argv.pop(1)


def rows(**results):
    return Results({n: {"name": n, **(r if isinstance(r, dict) else {"result": r})} for n, r in results.items()})


class Selection(unittest.TestCase):
    def test_a_sample_is_a_part_of_every_larger_one(self):
        names = [f"test {i}" for i in range(2000)]
        twentieth, tenth, fifty = tests.sample(names, "1/20"), tests.sample(names, "2/20"), tests.sample(names, "50")
        self.assertLess(set(twentieth), set(tenth))
        self.assertTrue(60 < len(twentieth) < 140)
        self.assertEqual(len(fifty), 50)
        self.assertLessEqual(set(fifty), set(twentieth))
        self.assertEqual(twentieth, [n for n in tests.sample([*names, "another"], "1/20") if n != "another"])
        for wrong in ("1/0", "x", "-1"):
            self.assertRaises(tests.Missing, tests.sample, names, wrong)

    def test_what_a_driver_does_not_have_is_left_out(self):
        found = {"compat": gpu.Context(2.1, 1.20, frozenset(["GL_A"])), "gles2": gpu.Context(2.0, 1.00, frozenset())}
        self.assertEqual(gpu.unmet({"api": "compat", "shader_version": 1.2, "extensions": {"GL_A"}}, found), "")
        self.assertEqual(gpu.unmet({"api": "compat", "shader_version": 1.3}, found), "needs GLSL 1.3")
        self.assertEqual(gpu.unmet({"extensions": {"GL_B"}}, found), "needs GL_B")
        self.assertEqual(gpu.unmet({"api": "gles3", "api_version": 3.0}, found), "needs gles3 3.0")
        self.assertEqual(gpu.unmet({"api": "core"}, found), "needs core")

    def test_command_lines_are_those_of_piglits_runner(self):
        one = tests.piglit_test("a", "gl", {"command": ["linestipple", "-auto"], "run_concurrent": False})
        self.assertEqual((one.command, one.left_out), ([str(tests.PIGLIT / "bin/linestipple"), "-auto"], ""))
        one = tests.piglit_test("a", "shader", {"command": ["shader_runner", "tests/a.shader_test"], "run_concurrent": True})
        self.assertEqual(one.command[1:], [str(tests.PIGLIT / "tests/a.shader_test"), "-auto", "-fbo"])
        self.assertTrue(tests.piglit_test("a", "gl", {"command": ["x"], "require_platforms": ["glx"]}).left_out)
        self.assertTrue(tests.piglit_test("a", "gl", {"command": ["x"], "exclude_platforms": ["gbm"]}).left_out)
        self.assertIn("no-such", tests.piglit_test("a", "gl", {"command": ["no-such-program"]}).left_out)


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


class Programs(unittest.TestCase):
    def test_lines_of_piglit(self):
        text = 'PIGLIT: {"enumerate subtests": ["a", "b"]}\nPIGLIT: {"subtest": {"a" : "pass"}}\nno luck\nPIGLIT: {"result": "skip" }\n'
        self.assertEqual(program.piglit_lines(text), ("skip", {"a": "pass", "b": "notrun"}, "no luck"))

    def test_a_list_of_programs_on_the_gpu(self):
        draws = f"draws: {BUILD}/bin/gears {{}}/gears.png\n"
        programs = ("# comment\n" + draws + "software: true\nends: sh -c 'kill -SEGV $$'\nskips: sh -c 'exit 77'\nstays: sleep 600\n"
                    "not_there: /no/such/program\n")
        with tempfile.TemporaryDirectory() as folder:
            file, out = pathlib.Path(folder) / "programs", pathlib.Path(folder) / "out"
            file.write_text(programs.replace("{}", folder))
            call = [HERE / "run", "--gpu", "r580", "--list", file, "--output", out, "--build", BUILD, "--timeout", "15", "--jobs", "3"]
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
