"""Which Mesa `atoll run` gives to programs, for those that are to run in software beside it."""
import os
import re
import subprocess

from .tests import Missing

# Variables that `atoll run` sets beside those of --mesa.
OF_THE_GPU = re.compile("ATOLL_|ASAN_OPTIONS$|LD_PRELOAD$|XDG_RUNTIME_DIR$|_$")


def sent_there(start, environment):
    """The variables that send a program to the Mesa that `atoll run` chooses; none where that is the system's own.
    `start`: a command line of `atoll run`, to which a program is to be added."""
    # (a script that some `env` of PATH may be is not asked)
    try:
        run = subprocess.run([*start, "/usr/bin/env", "-0"], env=environment, capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        raise Missing(f"{' '.join(start)} env: does not end")
    if run.returncode:
        raise Missing(complaint(run.stderr.decode(errors="replace")) or f"{' '.join(start)} env: status {run.returncode}")
    found = dict(line.split("=", 1) for line in os.fsdecode(run.stdout).split("\0") if "=" in line)
    return {name: value for name, value in found.items() if environment.get(name) != value and not OF_THE_GPU.match(name)}


def complaint(errors):
    """The last that `atoll run` said, "" if it said nothing."""
    said = [line for line in errors.splitlines() if line.startswith("atoll: ")]
    return said[-1] if said else ""


def version(text):
    """Of GL_VERSION: "22.3.6"."""
    match = re.search(r"Mesa ([\d.]+)", text)
    return match[1] if match else "unknown"
