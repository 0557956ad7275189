"""mesa_shaders: runs OpenGL programs on the emulated bonaire, through radeonsi (LLVM) and through zink on RADV (ACO), and takes
every shader that reaches the GPU from words to text and back."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from . import piglit, round_trip

ROOT = pathlib.Path(__file__).resolve().parents[3]
DRIVERS = ["radeonsi", "radv"]
RADV_ICD = pathlib.Path("/usr/share/vulkan/icd.d/radeon_icd.x86_64.json")
MISSING = 3  # exit status


class Missing(Exception):
    """A tool or driver that is not installed, with the package that has it."""


def environment(driver):
    env = dict(os.environ, MESA_SHADER_CACHE_DISABLE="1", EGL_LOG_LEVEL="fatal", ATOLL_LOG="error")
    if driver == "radv":
        if not RADV_ICD.exists():
            raise Missing("RADV is not installed: apt-get install mesa-vulkan-drivers")
        env.update(MESA_LOADER_DRIVER_OVERRIDE="zink", VK_ICD_FILENAMES=str(RADV_ICD))
    return env


def own_programs(bin_folder, driver, folder, arguments):
    """The programs of programs.cpp, one run; the number of them."""
    run = subprocess.run([bin_folder / "atoll", "run", "--gpu", "bonaire", "--display", "none", "--shaders", folder, "--",
                          bin_folder / "shader_programs"], env=environment(driver), capture_output=True, text=True)
    renderer = next((line for line in run.stdout.splitlines() if line.startswith("GL_RENDERER: ")), "no GL_RENDERER")
    if run.returncode != 0:
        raise RuntimeError(f"{driver}: shader_programs ended with {run.returncode}\n{run.stdout}{run.stderr}")
    # A driver that did not find its GPU falls back to software without a word.
    if "bonaire" not in renderer.lower() or ("zink" in renderer) != (driver == "radv"):
        raise RuntimeError(f"{driver}: {renderer} is another driver")
    return f"{sum(line.startswith('ran ') for line in run.stdout.splitlines())} programs"


def piglit_sample(bin_folder, driver, folder, arguments):
    sample = piglit.Sample(arguments.piglit, arguments.only)
    return sample.run([bin_folder / "atoll", "run", "--gpu", "bonaire", "--display", "none", "--shaders", folder, "--"],
                      environment(driver), arguments.most, folder)


def main():
    parser = argparse.ArgumentParser(
        prog="mesa_shaders", description=__doc__,
        epilog="The last line is the sum: shaders that came through and shaders that did not. Status 3: something is missing.")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of atoll and shader_programs")
    parser.add_argument("--driver", choices=DRIVERS, action="append", help="only this one; may be repeated")
    parser.add_argument("--piglit", type=int, metavar="N", help="instead of our own programs one in N tests of piglit's quick_shader")
    parser.add_argument("--only", default="", metavar="TEXT", help="piglit tests whose file has TEXT in its path")
    parser.add_argument("--most", type=int, default=0, metavar="SHADERS", help="end a driver's piglit run after so many shaders")
    parser.add_argument("--least", type=int, default=1, metavar="SHADERS", help="fail if a driver uploaded fewer")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep the shaders in DIR/DRIVER, and take in what is there")
    arguments = parser.parse_args()
    good = bad = skipped = 0
    try:
        for tool in [arguments.bin / "atoll", *([] if arguments.piglit else [arguments.bin / "shader_programs"])]:
            if not tool.exists():
                raise Missing(f"{tool} is not built: cmake --build build/release --target {tool.name}")
        assemblers = round_trip.Assemblers(arguments.bin / "atoll")
        for driver in arguments.driver or DRIVERS:
            try:
                environment(driver)
            except Missing as why:
                if arguments.driver:
                    raise
                print(f"{driver}: skipped: {why}", flush=True)
                skipped += 1
                continue
            with tempfile.TemporaryDirectory(prefix="mesa_shaders-") as folder:
                folder = arguments.keep / driver if arguments.keep else pathlib.Path(folder)
                folder.mkdir(parents=True, exist_ok=True)
                what = (piglit_sample if arguments.piglit else own_programs)(arguments.bin, driver, folder, arguments)
                result = round_trip.check(folder, assemblers)
            print(f"{driver}: {what}\n{result.text()}", flush=True)
            good += result.shaders - len(result.bad)
            bad += len(result.bad)
            if result.shaders < arguments.least:
                print(f"{driver}: {result.shaders} shaders, at least {arguments.least} were expected")
                bad += 1
    except Missing as why:
        print(f"mesa_shaders: {why}", file=sys.stderr)
        print("0 passed, 0 failed, 1 skipped")
        return MISSING
    print(f"{good} passed, {bad} failed" + (f", {skipped} skipped" if skipped else ""))
    return bad != 0
