#!/usr/bin/python3
"""tests/conformance/run with tests of OpenCL: whose driver has to answer; results on a GPU beside those in software."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import fake
from harness import gpu, opencl, suite, tests
from harness.results import Results

DEVICE = "Intel(R) OpenCL HD Graphics\\tIntel(R) Iris(R) Xe MAX Graphics [0x4905]\\t22.43.24595"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        fake.build(self.folder, device=DEVICE)
        (self.folder / "vendors").mkdir()
        (self.folder / "vendors/intel.icd").write_text("/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so\n")
        (self.folder / "vendors/other.icd").write_text("libother.so.1\n")

    def environment(self, **variables):
        return {**os.environ, "OCL_ICD_VENDORS": str(self.folder / "vendors"), **variables}

    def run_them(self, *options, **variables):
        call = fake.command(self.folder, *options)
        call[call.index("--gpu") + 1] = "dg1"
        return subprocess.run([*call, "--api", "opencl"], capture_output=True, text=True, env=self.environment(**variables))

    def software(self, **results):
        file = self.folder / "software.jsonl"
        rows = [{"name": name} | (row if isinstance(row, dict) else {"result": row}) for name, row in results.items()]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return file


class Drivers(Folder):
    def test_programs_see_the_one_driver(self):
        self.assertEqual(opencl.loader_file("dg1", self.environment()), self.folder / "vendors/intel.icd")
        self.assertRaisesRegex(tests.Missing, "pocl-opencl-icd", opencl.loader_file, "cpu", self.environment())
        self.assertRaisesRegex(tests.Missing, "choose one of dg1, bonaire, .*, cpu", opencl.loader_file, "r580", self.environment())
        fake.programs(self.folder, sees=f'[ "$OCL_ICD_VENDORS" = {self.folder}/vendors/intel.icd ]')
        run = self.run_them()
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("dg1: Intel(R) Iris(R) Xe MAX Graphics [0x4905]; Intel(R) OpenCL HD Graphics 22.43.24595", run.stdout)

    def test_another_device_is_an_error(self):
        fake.programs(self.folder, one="true")
        fake.build(self.folder, device="Portable Computing Language\\tpthread\\t3.1")
        run = self.run_them()
        self.assertEqual(run.returncode, 3)
        self.assertIn("no device of Intel(R) OpenCL HD Graphics on dg1", run.stderr)

    def test_results_are_named_after_the_driver(self):
        head = {"gpu": "dg1", "api": "opencl", "version": "Intel(R) OpenCL HD Graphics 22.43.24595"}
        self.assertEqual(suite.driver_name(head), "neo-22.43.24595")
        self.assertEqual(suite.driver_name({"gpu": "cpu", "api": "opencl", "version": "Portable Computing Language 3.1+debian"}), "pocl-3.1")
        self.assertEqual(suite.driver_name({"gpu": "r580", "api": "opengl", "version": "2.1 Mesa 22.3.6"}), "22.3.6")

    def test_command_lines_are_those_of_piglits_runner(self):
        one = tests.piglit_test("a", "cl_prog", {"filename": "tests/cl/a.cl"})
        self.assertEqual(one.command, [str(tests.PIGLIT / "bin/cl-program-tester"), str(tests.PIGLIT / "tests/cl/a.cl")])
        two = tests.piglit_test("b", "cl", {"command": ["cl-api-build-program"]})
        self.assertEqual(two.command, [str(tests.PIGLIT / "bin/cl-api-build-program")])
        self.assertEqual((gpu.unmet(one.needs, {}), suite.api_of({"a": one, "b": two})), ("", "opencl"))
        gl = tests.piglit_test("c", "gl", {"command": ["x"]})
        self.assertEqual(suite.api_of({"c": gl}), "opengl")
        self.assertRaises(tests.Missing, suite.api_of, {"a": one, "c": gl})


class Beside(Folder):
    def test_what_fails_on_the_gpu_alone(self):
        fake.programs(self.folder, good="true", both="false", here="false", there="true", skips="exit 77",
                      parts="printf 'PIGLIT: {\"subtest\": {\"x\": \"pass\", \"y\": \"fail\"}}\\nPIGLIT: {\"result\": \"fail\"}\\n'")
        software = self.software(good="pass", both="crash", here="pass", there="fail", skips="pass",
                                 parts={"result": "pass", "subtests": ["x", "y"]})
        run = self.run_them("--beside", software)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("tests and subtests: 2 fail on dg1 alone, 2 pass on both, 1 are skipped on one of them, "
                      "1 fail in software alone, 1 fail on both", run.stdout)
        self.assertIn("2 fail on dg1 alone:\n    here: dg1 fail, in software pass\n    parts@y: dg1 fail, in software pass\n", run.stdout)
        self.assertIn("1 fail in software alone:\n    there: dg1 pass, in software fail\n", run.stdout)
        # A test that fails in software as well is no fault of the GPU's ...
        run = self.run_them("--beside", software, "--tests", "good,both,there,skips")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        # ... and what failed before is not new.
        run = self.run_them("--beside", software, "--compare", self.run_and_keep())
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def run_and_keep(self):
        self.run_them("--update", self.folder / "before.jsonl")
        return self.folder / "before.jsonl"

    def test_both_in_one_call(self):
        try:
            place = {"OCL_ICD_VENDORS": ""}
            pocl = opencl.loader_file("cpu", place)
            opencl.check_device("cpu", [], os.environ | {"OCL_ICD_VENDORS": str(pocl)})
        except tests.Missing as error:
            self.skipTest(str(error))
        (self.folder / "vendors/pocl.icd").write_text(pocl.read_text())
        fake.programs(self.folder, one="true", gpu="test $OCL_ICD_VENDORS = $(dirname $OCL_ICD_VENDORS)/pocl.icd")
        run = self.run_them("--beside", "run", "--sum")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("1 fail on dg1 alone:\n    gpu: dg1 fail, in software pass\n", run.stdout)
        results = {place: {n: r["result"] for n, r in Results.read(self.folder / "out" / place).items()} for place in ("", "cpu")}
        self.assertEqual(results, {"": {"one": "pass", "gpu": "fail"}, "cpu": {"one": "pass", "gpu": "pass"}})

    def test_opengl_beside_llvmpipe(self):
        fake.programs(self.folder, one="true", gpu='test "$LIBGL_ALWAYS_SOFTWARE" = 1')
        run = fake.run(self.folder, "--beside", "run")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("cpu: llvmpipe; ", run.stdout)
        self.assertIn("of 2 tests that pass in software r580 passes 1 (50.0 %)\n1 fail on r580 alone:\n", run.stdout)
        self.assertEqual(set(Results.read(self.folder / "out/cpu")), {"one", "gpu"})
        # A sample is the same tests on both.
        run = fake.run(self.folder, "--beside", "run", "--sample", "1")
        self.assertEqual(Results.read(self.folder / "out").keys(), Results.read(self.folder / "out/cpu").keys())


unittest.main()
