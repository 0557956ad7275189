#!/usr/bin/python3
"""What tests/programs/run takes for a failure: judge_test.py BUILD. On emulated GPUs: a right picture, a wrong one, a word under
--strict, a program that draws nothing there, one that ends before its time."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy  # noqa: E402
from harness import comparing, judge, suite, table  # noqa: E402
from harness.program import Files, Program  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
SUMMARY = "atoll: run: bonaire: 5 submissions, 7 draws, 0 dispatches of 2 processes\n"


def statistics(**more):
    return json.dumps({"gpu": "bonaire", "submissions": 5, "failed": 0, "draws": 7, "unknown": [], "refused": []} | more) + "\n"


class Words(unittest.TestCase):
    def test_a_good_run_says_nothing(self):
        text = "glxgears: hello\natoll: run: glxgears still runs after the 2.5 s of --timeout: ended\n" + SUMMARY + statistics()
        self.assertEqual(judge.reasons_of(124, text, 124, (7, 0)), [])

    def test_each_word_fails(self):
        for word in ("atoll: run: unknown register CB_X at draw 3, 1 times", "x\ratoll: gpu: context lost", "atoll: run: bonaire: 1 submissions, 1 draws, 0 dispatches of 1 process; 1 submissions failed",
                     "amdgpu: The CS has been rejected, see dmesg for more information (-22).", "Validation Error: [ VUID-vkCmdDraw-None ]", "r300: CS space validation failed."):
            self.assertEqual(len(judge.reasons_of(0, word + "\n" + statistics(), 0)), 1, word)

    def test_counters(self):
        for more, why in (({"failed": 1}, "failed"), ({"unknown": [{"what": "register X", "where": "", "times": 1}]}, "register X"), ({"refused": [{"what": "ioctl", "times": 1}]}, "ioctl"),
                          ({"submissions": 0}, "drew nothing")):
            self.assertIn(why, "; ".join(judge.reasons_of(0, statistics(**more), 0)))
        self.assertIn("drew nothing", "; ".join(judge.reasons_of(0, statistics(), 0, (0, 0))))
        self.assertIn("no statistics", "; ".join(judge.reasons_of(0, "", 0)))
        self.assertIn("3 frames only", "; ".join(judge.reasons_of(0, statistics(frames=3), 0, frames_wanted=10)))

    def test_status(self):
        self.assertEqual(judge.reasons_of(139, statistics(), 124), ["ended before its time, with status 139"])
        self.assertEqual(judge.reasons_of(124, statistics(), 0), ["ended with status 124 (time over)"])
        self.assertEqual(judge.reasons_of(None, statistics(), 124), ["did not end when its time was over"])


class Table(unittest.TestCase):
    def test_names_and_places(self):
        names = [row.name for row in table.PROGRAMS]
        self.assertEqual(len(names), len(set(names)))
        for row in table.PROGRAMS:
            for word in comparing.fill(row.live, scenes=suite.HERE / "scenes", out="/out", work="/work", seconds=1, bin="/bin"):
                self.assertNotRegex(word, r"\{(scenes|out|work|seconds|bin)\}")
                if word.startswith(str(suite.HERE)):
                    self.assertTrue(pathlib.Path(word).exists(), word)

    def test_a_bitmap_of_either_direction(self):
        texels = numpy.arange(24, dtype="u1").reshape(2, 3, 4)
        for height, rows in ((2, texels[::-1]), (-2, texels)):
            header = bytearray(54)
            header[:2] = b"BM"
            for at, size, value in ((10, 4, 54), (18, 4, 3), (22, 4, height), (28, 2, 32)):
                header[at:at + size] = value.to_bytes(size, "little", signed=True)
            with tempfile.NamedTemporaryFile() as file:
                file.write(header + rows.tobytes())
                file.flush()
                found = comparing.bitmap(pathlib.Path(file.name))
            self.assertTrue((found[:, :, :3] == texels[:, :, 2::-1]).all() and (found[:, :, 3] == 255).all())


class OnGpu(unittest.TestCase):
    def result(self, words, compared=None, gpu="r580", packages=None):
        """Of a program of these words, one second long."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        chosen = suite.options(["--seconds", "1", "--build", str(BUILD), "--output", folder.name])
        chosen.gpu = gpu
        row = Program("tried", "", packages or {}, words, compared or (), gpus=(gpu,), ends=True, display="none")
        return suite.Bench(chosen).run(row)

    def script(self, text):
        return ("bash", "-c", text.replace("GEARS", f"{BUILD}/bin/gears --size 120x90"))

    def test_the_right_picture_passes(self):
        words = self.script('GEARS --frame 10 "{out}/frame.png"')
        result = self.result(words, (Files(words),))
        self.assertEqual((result["result"], result["reasons"]), ("passed", []))
        self.assertIn("1 pictures beside llvmpipe: at most 0.", result["compared"][0])
        self.assertGreater(result["draws"], 0)

    def test_another_picture_than_in_software_fails(self):
        words = self.script('GEARS --frame $([ "$ATOLL_GPU" ] && echo 40 || echo 10) "{out}/frame.png"')
        result = self.result(words, (Files(words),))
        self.assertEqual(result["result"], "failed")
        self.assertIn("too many in frame.png", result["reasons"][0])

    def test_other_numbers_fail(self):
        words = self.script("""GEARS "{out}/x.png"; rm "{out}/x.png"
            /usr/bin/python3 -c 'import numpy, os, sys; numpy.save(sys.argv[1], numpy.array([1.0, 2.0 + 1e-3 * bool(os.environ.get("ATOLL_GPU"))]))' "{out}/n.npy" """)
        self.assertEqual(self.result(words, (Files(words, tolerance=1e-2),))["result"], "passed")
        result = self.result(words, (Files(words, tolerance=1e-4),))
        self.assertIn("1 of 2 numbers differ from llvmpipe's", result["reasons"][0])

    def test_a_word_under_strict_fails(self):
        # The dg1 has no performance counters: what asks i915 for them (DRM_IOCTL_I915_PERF_OPEN, i915_drm.h) is refused by name.
        asks = 'import fcntl, os; fcntl.ioctl(os.open("/dev/dri/renderD128", os.O_RDWR), 0x40106476, bytearray(16))'
        result = self.result(self.script(f"""GEARS --frame 1 "{{out}}/frame.png"; /usr/bin/python3 -c '{asks}' || true"""), gpu="dg1")
        self.assertEqual(result["result"], "failed")
        self.assertIn("performance counters (PERF_OPEN)", "; ".join(result["reasons"]))

    def test_drawing_elsewhere_fails(self):
        result = self.result(self.script('LIBGL_ALWAYS_SOFTWARE=1 GEARS "{out}/frame.png"'))
        self.assertEqual(result["reasons"], ["drew nothing on the GPU"])

    def test_another_status_fails(self):
        self.assertIn("ended with status 3", self.result(self.script('GEARS "{out}/frame.png"; exit 3'))["reasons"])

    def test_a_missing_package_is_a_skip(self):
        result = self.result(self.script("GEARS"), packages={"no-such-program": "some-package"})
        self.assertEqual((result["result"], result["reasons"]), ("skipped", ["needs package some-package"]))
        self.assertEqual(suite.line(result), "skipped: tried: needs package some-package")


if __name__ == "__main__":
    os.environ.pop("ATOLL_STRICT", None)
    unittest.main()
