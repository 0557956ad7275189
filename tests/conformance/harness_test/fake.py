"""A build folder whose `atoll` is a script: what the runner makes of results, crashes and signals needs no GPU.
Its programs are sh's; what they do with the GPU they say in FAKE_SUBMISSIONS, and what of Mesa RADEON_NOOP ends is theirs to look at."""
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
CONFORMANCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CONFORMANCE))

ATOLL = """#!/usr/bin/python3
import os, subprocess, sys
command = sys.argv[sys.argv.index("--") + 1:]
if "--mesa" in sys.argv:
    os.environ["LD_LIBRARY_PATH"] = sys.argv[sys.argv.index("--mesa") + 1]
os.environ["ATOLL_GPU"] = os.environ["LD_PRELOAD"] = ""
if command[0] == "wflinfo":
    mesa = "25.0.7-2" if "--mesa" in sys.argv else "22.3.6"
    print("OpenGL renderer string: " + ("zink Vulkan 1.4(AMD Radeon Graphics (RADV GFX1201))" if "MESA_LOADER_DRIVER_OVERRIDE" in os.environ
                                        else os.environ.get("FAKE_RENDERER", "ATI R580")))
    print("atoll: run: of this machine's Mesa", file=sys.stderr)
    print(f"OpenGL version string: 2.1 Mesa {mesa}")
    print("OpenGL shading language version string: 1.20")
    sys.exit(0)
if command[-1].endswith("opencl_device.py"):
    print("DEVICE")
    sys.exit(0)
status = subprocess.run(command).returncode
submissions = 0 if "RADEON_NOOP" in os.environ or "idle" in command[-1] else 1
print('{"gpu":"r580","processes":1,"submissions":%d,"failed":0,"unknown":[],"refused":[]}' % submissions, file=sys.stderr)
sys.exit(status if status >= 0 else 128 - status)
"""


def build(folder, device=""):
    """`device`: what OpenCL finds, as opencl_device.py says it."""
    folder = pathlib.Path(folder)
    (folder / "build/bin").mkdir(parents=True, exist_ok=True)
    atoll = folder / "build/bin/atoll"
    atoll.write_text(ATOLL.replace("DEVICE", device))
    atoll.chmod(0o755)
    return folder / "build"


def software(folder, mesa):
    """A folder for PATH, whose wflinfo is llvmpipe's of that Mesa."""
    place = pathlib.Path(folder) / "software"
    place.mkdir(exist_ok=True)
    (place / "wflinfo").write_text(f"#!/bin/sh\necho 'OpenGL renderer string: llvmpipe'\necho 'OpenGL version string: 4.5 Mesa {mesa}'\n")
    (place / "wflinfo").chmod(0o755)
    return place


def programs(folder, **commands):
    """A list of programs of sh."""
    import shlex
    file = pathlib.Path(folder) / "programs"
    file.write_text("".join(f"{name}: sh -c {shlex.quote(command)}\n" for name, command in commands.items()))
    return file


def command(folder, *options, list_file=None):
    folder = pathlib.Path(folder)
    what = ["--list", list_file or folder / "programs", *([] if "--gpu" in options else ["--gpu", "r580"]), "--build", folder / "build", "--output", folder / "out"]
    return [str(a) for a in (CONFORMANCE / "run", *what, "--jobs", "2", *options)]


def run(folder, *options, **keys):
    return subprocess.run(command(folder, *options, **keys), capture_output=True, text=True)


def merge(folder, *options):
    return subprocess.run([str(a) for a in (CONFORMANCE / "run", "--merge", *options)], capture_output=True, text=True, cwd=folder)
