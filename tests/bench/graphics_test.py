#!/usr/bin/python3
"""Of bench/graphics itself: what it takes for the same picture, and where it puts functions."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import types
import unittest

import numpy as np

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
loader = importlib.machinery.SourceFileLoader("graphics", str(ROOT / "bench/graphics"))
graphics = importlib.util.module_from_spec(importlib.util.spec_from_loader("graphics", loader))
loader.exec_module(graphics)

SIZE = 64


def slope(moved=0):
    """A picture of many colours with an edge in the middle."""
    picture = np.zeros((SIZE, SIZE, 4), np.uint8)
    picture[:, :, 0] = np.arange(SIZE)
    picture[:, SIZE // 2 + moved:, 1] = 200
    return picture.reshape(-1, 4)


def compared(theirs, *ours):
    bench = types.SimpleNamespace(chosen=types.SimpleNamespace(pictures=None, share=1.0))
    runs = {graphics.Side("llvmpipe", 1, None): [{"picture": theirs, "width": SIZE}]}
    runs[graphics.Side("bonaire", 1, None)] = [{"picture": picture, "width": SIZE} for picture in ours]
    return graphics.Bench.compare(bench, "fill", "bonaire", runs)


class Pictures(unittest.TestCase):
    def test_the_same(self):
        self.assertEqual(compared(slope(), slope(), slope()), {"off_percent": 0, "inside_percent": 0, "faults": []})

    def test_two_of_255_are_no_difference_and_three_are(self):
        near, far = slope(), slope()
        near[:, 2] = 2
        far[:, 2] = 3
        self.assertEqual(compared(slope(), near)["off_percent"], 0)
        self.assertEqual(compared(slope(), far)["off_percent"], 100)
        self.assertTrue(compared(slope(), far)["faults"])

    def test_an_edge_may_be_moved_by_a_pixel_but_not_by_three(self):
        by_one, by_three = compared(slope(), slope(1)), compared(slope(), slope(3))
        self.assertGreater(by_one["off_percent"], 1)
        self.assertEqual(by_one["faults"], [])
        self.assertIn("off by more than 2/255", by_three["faults"][0])

    def test_what_draws_nothing_cannot_win(self):
        blank = np.zeros((SIZE * SIZE, 4), np.uint8)
        self.assertTrue(compared(slope(), blank)["faults"])
        self.assertIn("blank", compared(blank, blank)["faults"][0])

    def test_two_runs_have_one_picture(self):
        other = slope()
        other[5, 2] = 1
        self.assertIn("run to run", compared(slope(), slope(), other)["faults"][0])

    def test_rows_with_faults_are_in_no_mean(self):
        row = lambda ratio, *faults: {"scene": "fill", "faults": list(faults), "threads": {"1": {"ratio": ratio}}}
        self.assertEqual(graphics.mean([row(4.0), row(1.0), row(100.0, "blank")], "1"), (2.0, 2))
        self.assertIsNone(graphics.mean([row(1.0, "blank")], "1"))


class Groups(unittest.TestCase):
    def test_functions_by_name(self):
        for function, group in {
            "[compiled]": "shaders: compiled code",
            "[kernel] futex_wait": "kernel",
            "[libc.so.6] __memset_avx512_unaligned_erms": "zeroing and copying (C library)",
            "[radeonsi_dri.so] 0x1234": "Mesa and the program",
            "Atoll::sea_islands::TiledBlocks::load": "targets: load, store, addresses",
            "Atoll::surface::(anonymous namespace)::GroupFilter::filter": "texture sampling and image access",
            "Atoll::pipeline::avx512::test_block": "depth and stencil",
            "Atoll::pipeline::avx512::write_colours": "blend and colour write",
            "Atoll::pipeline::avx512::rasterize": "raster",
            "Atoll::pipeline::set_up_triangle": "vertices, assembly, setup, binning",
            "Atoll::wave::Executor::run": "executor: into and out of waves",
            "Atoll::gfx7::v_exp_f32<Atoll::gfx7::Adaptor<Atoll::wave::avx512::Interpreter> >": "shaders: interpreter and calls",
        }.items():
            self.assertEqual(graphics.group_of(function), group, function)


if __name__ == "__main__":
    unittest.main()
