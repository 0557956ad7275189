"""What to run: piglit's profiles, or a list of programs; and which of these."""
import ast
import dataclasses
import gzip
import hashlib
import os
import pathlib
import re
import shlex
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[3]
PIGLIT = pathlib.Path(os.environ.get("ATOLL_PIGLIT", "/usr/lib/x86_64-linux-gnu/piglit"))
PLATFORM = "gbm"
CPU = "cpu"  # no emulated GPU, but a driver in software


class Missing(Exception):
    pass


@dataclasses.dataclass
class Test:
    name: str
    command: list
    # api (or "opencl"), api_version, shader_version, extensions, as piglit's profiles say
    needs: dict = dataclasses.field(default_factory=dict)
    left_out: str = ""  # why it cannot run at all


def piglit_tests(profiles):
    """The tests of profiles, with the command lines that piglit's own runner would give them (framework/test/*_test.py)."""
    tests = {}
    for profile in [part for name in profiles for part in profiles_of(name)]:
        file = PIGLIT / f"tests/{profile}.xml.gz"
        if not file.exists():
            found = sorted(f.name.removesuffix(".xml.gz") for f in (PIGLIT / "tests").glob("*.xml.gz"))
            raise Missing(f"no profile {file}: " + (f"choose of {', '.join(found)}" if found else "install Debian's package piglit, "
                          "or set ATOLL_PIGLIT to the folder where its bin and tests lie"))
        with gzip.open(file) as f:
            for element in xml.etree.ElementTree.parse(f).getroot():
                options = {o.get("name"): ast.literal_eval(o.get("value")) for o in element if o.get("name") and o.get("value")}
                tests[element.get("name")] = piglit_test(element.get("name"), element.get("type"), options)
    return tests


def profiles_of(name):
    """Of a profile that is made of others (quick_cl) those that are lists of piglit's own tests."""
    file = PIGLIT / f"tests/{name}.meta.xml"
    if not file.exists():
        return [name]
    parts = [element.text for element in xml.etree.ElementTree.parse(file).getroot().iter("Profile")]
    # (the others are Python that looks for another suite's programs)
    return [inner for part in parts for inner in profiles_of(part) if (PIGLIT / f"tests/{inner}.xml.gz").exists()]


def piglit_test(name, kind, options):
    if kind == "cl_prog":
        options = options | {"command": ["cl-program-tester", str(PIGLIT / options["filename"])]}
    if kind in ("cl", "cl_prog"):
        options = options | {"api": "opencl"}
    if "command" not in options:
        return Test(name, [], left_out=f"tests of the kind {kind} are not run")
    program, *arguments = [a for a in options["command"] if a not in ("-auto", "-fbo")]
    if kind in ("shader", "glsl_parser"):
        arguments[0] = str(PIGLIT / arguments[0])
    elif kind == "gl_builtin":
        arguments[0] = str(PIGLIT / "tests" / arguments[0])
    if kind == "shader":
        arguments += ["-auto", "-fbo"]
    elif kind in ("gl", "gl_builtin"):
        # A test that draws to a window of its own is not run beside others, and is not asked to draw to a framebuffer object.
        arguments += ["-auto"] + (["-fbo"] if options.get("run_concurrent", True) else [])
    required, excluded = options.get("require_platforms") or [], options.get("exclude_platforms") or []
    left_out = ""
    if required and PLATFORM not in required or PLATFORM in excluded:
        left_out = f"not on {PLATFORM}"
    elif not (PIGLIT / "bin" / program).exists():
        left_out = f"the installed piglit has no {program}"
    needs = {k: options[k] for k in ("api", "api_version", "shader_version", "extensions") if k in options}
    return Test(name, [str(PIGLIT / "bin" / program), *arguments], needs, left_out)


def listed_programs(file):
    """A program a line, "NAME: COMMAND ARGUMENT...", as a shell would split it; lines of # are comments."""
    tests = {}
    for number, line in enumerate(pathlib.Path(file).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, command = line.partition(": ")
        if not colon or not command.strip():
            raise Missing(f"{file}:{number}: not of the form NAME: COMMAND ARGUMENT...")
        tests[name] = Test(name, shlex.split(command))
    return tests


def place(name):
    """A number from 0 to 1 that depends on the name alone: a sample is a part of every larger one, whatever tests come and go."""
    return int(hashlib.sha1(name.encode()).hexdigest(), 16) / 2**160


def sample(names, text):
    """N/M: those of the lowest N of M parts; N: the N lowest."""
    match = re.fullmatch(r"(\d+)(?:/(\d+))?", text)
    if not match or match[2] and int(match[2]) == 0:
        raise Missing(f"--sample {text}: a number N or a share N/M")
    if match[2]:
        return [n for n in names if place(n) < int(match[1]) / int(match[2])]
    return sorted(names, key=place)[:int(match[1])]
