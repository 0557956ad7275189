#!/usr/bin/python3
"""Which tests tests/conformance/run takes."""
import unittest

import fake  # noqa: F401  (finds the harness)
from harness import gpu, shards, tests


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

    def test_drivers_say_which_chip_they_drive(self):
        for name in ("AMD Radeon R7 200 Series (bonaire, LLVM 15.0.6, DRM 3.49, 6.1)", "AMD Radeon R7 200 Series (radeonsi, bonaire, ACO, DRM 3.49)"):
            self.assertTrue(gpu.is_emulated("bonaire", name))
            self.assertFalse(gpu.is_emulated("hawaii", name))
        self.assertTrue(gpu.is_emulated("r580", "ATI R580"))
        for name in ("ATI RV530", "llvmpipe (LLVM 15.0.6, 256 bits)", "AMD Radeon R7 200 Series (bonaire, LLVM 15.0.6)", ""):
            self.assertFalse(gpu.is_emulated("r580", name))

    def test_shards_are_the_whole_list_and_share_nothing(self):
        names = [f"test {i}" for i in range(2000)]
        for many in (1, 3, 8):
            parts = [{n for n in names if shards.shard_of(n, many) == k} for k in range(1, many + 1)]
            self.assertEqual(sum(len(p) for p in parts), len(names))
            self.assertEqual(set().union(*parts), set(names))
            self.assertTrue(all(abs(len(p) - 2000 / many) < 150 for p in parts))

    def test_the_engines_of_farms_say_which_shard(self):
        self.assertEqual(shards.parse("2/5", {}), (2, 5))
        self.assertEqual(shards.parse("auto", {"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "8", "SLURM_ARRAY_TASK_MIN": "0"}), (8, 8))
        self.assertEqual(shards.parse("auto", {"SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "8", "SLURM_ARRAY_TASK_MIN": "1"}), (1, 8))
        self.assertEqual(shards.parse("auto", {"CI_NODE_INDEX": "3", "CI_NODE_TOTAL": "4"}), (3, 4))
        self.assertEqual(shards.parse("auto", {"JOB_COMPLETION_INDEX": "0", "ATOLL_SHARDS": "4"}), (1, 4))
        for wrong, environment in (("auto", {}), ("auto", {"JOB_COMPLETION_INDEX": "0"}), ("0/4", {}), ("5/4", {}), ("x", {}),
                                   ("auto", {"JOB_COMPLETION_INDEX": "4", "ATOLL_SHARDS": "4"})):
            self.assertRaises(tests.Missing, shards.parse, wrong, environment)


unittest.main()
