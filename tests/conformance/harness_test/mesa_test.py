#!/usr/bin/python3
"""tests/conformance/run with another Mesa: what runs in software beside it, zink, and GPUs that the system's Mesa is too old for."""
import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import fake
from harness import gpu, mesa, shards
from harness.results import Results

RADEONSI = "AMD Radeon Graphics (radeonsi, gfx1201, ACO, DRM 3.61, 6.13)"


class AnotherMesa(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        fake.build(self.folder)

    def run_them(self, *options, software="25.0.7", **variables):
        path = f"{fake.software(self.folder, software)}:{os.environ['PATH']}"
        environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"} | {"PATH": path, **variables}
        return subprocess.run(fake.command(self.folder, *options), capture_output=True, text=True, env=environment)

    def results(self, place=""):
        return {n: r["result"] for n, r in Results.read(self.folder / "out" / place).items()}

    def test_llvmpipe_is_of_the_same_mesa(self):
        seen = 'test "$LD_LIBRARY_PATH" = /another'
        fake.programs(self.folder, seen=seen, software=f'{seen} && test "$LIBGL_ALWAYS_SOFTWARE" = 1', ours='test -z "${ATOLL_GPU+set}"')
        run = self.run_them("--beside", "run", "--mesa", "/another")
        self.assertIn("r580: ATI R580; 2.1 Mesa 25.0.7-2\n", run.stdout, run.stderr)
        self.assertIn("cpu: llvmpipe; 4.5 Mesa 25.0.7\n", run.stdout)
        self.assertEqual(self.results(), {"seen": "pass", "software": "fail", "ours": "fail"})
        # (the emulated GPU's own variables are not for programs without it)
        self.assertEqual(self.results("cpu"), {"seen": "pass", "software": "pass", "ours": "pass"})
        # The software alone likewise.
        self.run_them("--gpu", "cpu", "--mesa", "/another")
        self.assertEqual(self.results(), {"seen": "pass", "software": "pass", "ours": "pass"})

    def test_results_of_another_mesa_say_nothing(self):
        fake.programs(self.folder, one=":")
        run = self.run_them("--beside", "run", "--mesa", "/another", software="22.3.6")
        self.assertEqual(run.returncode, 3)
        self.assertIn("llvmpipe is of Mesa 22.3.6, r580 is driven by 25.0.7", run.stderr)

    def test_gpus_of_newer_mesas(self):
        fake.programs(self.folder, one=":")
        run = self.run_them("--gpu", "gfx1201", "--mesa", "/another", FAKE_RENDERER=RADEONSI)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(f"gfx1201: {RADEONSI.replace(', 6.13', '')}", run.stdout.replace(", 6.13", ""))
        # If the system's is too old and nothing was fetched, `atoll run` says what to do.
        run = self.run_them("--gpu", "gfx1201", FAKE_RENDERER="llvmpipe (LLVM 15)")
        self.assertEqual(run.returncode, 3)
        self.assertIn("GL_RENDERER is 'llvmpipe (LLVM 15)', not the gfx1201: atoll: run: of this machine's Mesa", run.stderr)

    def test_zink(self):
        fake.programs(self.folder, seen='test "$MESA_LOADER_DRIVER_OVERRIDE" = zink')
        run = self.run_them("--gpu", "gfx1201", "--zink", "--beside", "run", "--compare", "expected", "--mesa", "/another")
        self.assertIn("expected/programs-gfx1201-zink-25.0.7.jsonl.gz is not there", run.stderr)
        run = self.run_them("--gpu", "gfx1201", "--zink", "--beside", "run", "--mesa", "/another")
        self.assertEqual((self.results(), self.results("cpu")), ({"seen": "pass"}, {"seen": "fail"}), run.stderr)
        run = self.run_them("--gpu", "gfx1200", "--zink", "--mesa", "/another")
        self.assertIn("(RADV GFX1201))', not the gfx1200", run.stderr)
        run = self.run_them("--gpu", "r580", "--zink")
        self.assertIn("no OpenGL driver for r580 by zink: choose one of gfx1200, gfx1201, bonaire", run.stderr)
        self.assertEqual(self.run_them("--gpu", "gfx1201", "--zink", "--control").returncode, 2)
        self.assertIn("driver", shards.SAME)


class Names(unittest.TestCase):
    def test_every_gpu_of_the_table_that_opengl_has_a_driver_for(self):
        self.assertEqual(set(gpu.renderers()), set(gpu.chips()) | {"cpu"})
        for name in gpu.chips():
            self.assertFalse(gpu.is_emulated(name, "llvmpipe (LLVM 19.1.7, 512 bits)"), name)

    def test_drivers_say_which_chip_they_drive(self):
        self.assertTrue(gpu.is_emulated("gfx1201", RADEONSI))
        self.assertFalse(gpu.is_emulated("gfx1200", RADEONSI))
        by_zink = "zink Vulkan 1.4(AMD Radeon Graphics (RADV GFX1201))"
        self.assertTrue(gpu.is_emulated("gfx1201", by_zink, zink=True))
        self.assertFalse(gpu.is_emulated("gfx1200", by_zink, zink=True))
        self.assertFalse(gpu.is_emulated("gfx1201", by_zink))
        self.assertFalse(gpu.is_emulated("gfx1201", "zink Vulkan 1.4(llvmpipe (LLVM 19.1.7, 512 bits))", zink=True))

    def test_what_atoll_run_sets_for_itself_is_left_out(self):
        said = b"A=1\0ATOLL_SESSION=x\0LD_PRELOAD=y\0XDG_RUNTIME_DIR=z\0LD_LIBRARY_PATH=/m\0_=q\0"
        with mock.patch.object(mesa.subprocess, "run", return_value=subprocess.CompletedProcess([], 0, said, b"")):
            self.assertEqual(mesa.sent_there(["atoll", "run", "--"], {"A": "1"}), {"LD_LIBRARY_PATH": "/m"})
        refused = subprocess.CompletedProcess([], 2, b"", b"note\natoll: run: --mesa /m: no such folder\n")
        with mock.patch.object(mesa.subprocess, "run", return_value=refused):
            self.assertRaisesRegex(mesa.Missing, "--mesa /m: no such folder", mesa.sent_there, ["atoll", "run", "--"], {})


unittest.main()
