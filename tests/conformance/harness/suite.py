"""tests/conformance/run: see docs/conformance.md."""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from . import gpu as gpus
from . import junit, lists, mesa, opencl, shards
from .options import EXPECTED, arguments, expected_file
from .report import beside, summary
from .results import BAD, Comparison, Results, parts, read_seconds
from .running import Runner, log_file
from .tests import CPU, PIGLIT, ROOT, Missing, listed_programs, piglit_tests, sample


def names_of(texts):
    names = set()
    for text in texts:
        if not pathlib.Path(text).is_file():
            names |= set(text.split(","))
        elif text.endswith((".jsonl", ".gz")):
            names |= set(Results.read(text))
        else:
            names |= {n for n in pathlib.Path(text).read_text().splitlines() if n and not n.startswith("#")}
    return names


def chosen(options, tests, found, head):
    """The names of those that the options choose, of all shards."""
    names = list(tests)
    if options.failed:
        earlier = Results.read(file_of(options.failed, head))
        names = [n for n in names if n in earlier and set(BAD) & set(parts(earlier[n]).values())]
    if options.tests:
        wanted = names_of(options.tests)
        if lost := sorted(wanted - set(names)):
            print(f"conformance: {len(lost)} tests asked for are not there: {', '.join(lost[:5])}{', ...' if len(lost) > 5 else ''}")
        names = [n for n in names if n in wanted]
    if options.match:
        names = [n for n in names if re.search(options.match, n)]
    if options.can_run:
        names = [n for n in names if not tests[n].left_out and not gpus.unmet(tests[n].needs, found)]
    if options.sample:
        names = sample(names, options.sample)
    return names


def commit():
    said = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def main():
    options = arguments()

    def interrupted(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupted)  # as farms end what they take away
    try:
        return merge(options) if options.merge else conformance(options)
    except (Missing, OSError) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("\nconformance: interrupted; --resume goes on", file=sys.stderr)
        return 130


def conformance(options):
    all_tests = listed_programs(options.list) if options.list else piglit_tests(options.piglit.split(","))
    api = options.api or api_of(all_tests)
    if api == "opencl":
        for test in all_tests.values():
            test.needs = {"api": api}  # and no context of OpenGL's
    if options.zink and api == "opencl":
        raise Missing("--zink: it is a driver of OpenGL alone")
    if options.control and api == "opencl":
        raise Missing("--control: OpenCL's drivers cannot be told to leave the GPU alone")
    output = pathlib.Path(options.output) if options.output else ROOT / "build/conformance" / (options.gpu + "-zink" * options.zink)
    bad, results, version = run_on(options.gpu, api, all_tests, options, output)
    if options.beside:
        if options.beside == "run":
            worse, software, _ = run_on(CPU, api, all_tests, of_software(options, output), output / CPU, (options.gpu, version))
        else:
            worse, software = 0, Results.read(kept_of_software(options, api))
        alone = beside(options.gpu, results, software)
        # Compared with earlier results, what has failed in them may fail.
        bad = bad + worse if options.compare else alone
    return 1 if bad else 0


def of_software(options, output):
    """The options for the run in software, of the tests that the GPU ran: files that are named are of the GPU's results."""
    kept = {key: value if value == "expected" else None for key, value in (("compare", options.compare), ("update", options.update))}
    ran = shards.folder(output, shards.parse(options.shard) if options.shard else None) / "results.jsonl"
    return argparse.Namespace(**vars(options) | kept | {"junit": None, "chip": None, "sum": False, "write_lists": None, "fails": [], "flakes": [],
                                                     "tests": [str(ran)], "failed": None, "sample": None, "can_run": False})


def api_of(tests):
    kinds = {t.needs.get("api") == "opencl" for t in tests.values()}
    if len(kinds) > 1:
        raise Missing("tests of OpenCL and of OpenGL: make two runs of them")
    return "opencl" if kinds == {True} else "opengl"


def kept_of_software(options, api):
    """The file of --beside."""
    if options.beside != "expected":
        return pathlib.Path(options.beside)
    # (of OpenGL a file is named after Mesa's version alone)
    driver = opencl.DRIVERS[CPU].name + "-*" if api == "opencl" else "[0-9]*"
    found = sorted(EXPECTED.glob(f"{suite_of(options)}-{CPU}-{driver}.jsonl.gz"))
    if len(found) != 1:
        raise Missing(f"{EXPECTED} has {len(found)} results of this list in software: --beside run, or --beside FILE")
    return found[0]


def suite_of(options):
    return pathlib.Path(options.list).stem if options.list else "piglit"


class Target:
    """What the tests run on: how a command is run there, and what the driver is and can do."""

    def __init__(self, gpu, api, options, mesa_of=None):
        """`mesa_of`: the GPU whose Mesa is to be taken in software."""
        self.gpu, self.api, self.zink = gpu, api, options.zink and gpu != CPU
        self.environment = dict(os.environ, PIGLIT_PLATFORM="gbm", WAFFLE_GBM_DEVICE="/dev/dri/renderD128", PIGLIT_SOURCE_DIR=str(PIGLIT),
                                MESA_SHADER_CACHE_DISABLE="1", EGL_LOG_LEVEL="fatal")
        # Each program has its share of the cores.
        self.environment.setdefault("ATOLL_THREADS", str(max(1, (os.cpu_count() or 1) // options.jobs)))
        self.emulated = gpu != CPU
        self.ask, self.command = [], []
        atoll = pathlib.Path(options.build).resolve() / "bin/atoll"
        other = ["--mesa", options.mesa] if options.mesa else []
        if not atoll.exists() and (self.emulated or other):
            raise Missing(f"{atoll} is not there: cmake --build {options.build} --target bin/atoll atoll_drm_shim atoll_device_trees")
        start = [str(atoll), "run", "--gpu", gpu if self.emulated else mesa_of or "bonaire", "--display", "none", *other]
        # (a GPU may have a Mesa of its own without --mesa)
        self.mesa = {} if self.emulated or api == "opencl" or not (other or mesa_of) else mesa.sent_there([*start, "--"], self.environment)
        if self.emulated:
            self.ask = [*start, "--timeout", "100", "--"]
            self.command = [*start, "--timeout", f"{options.timeout:g}", "--stats", *(["--strict"] if options.strict else []), "--"]
        if api == "opencl":
            self.environment = opencl.environment_for(gpu, self.environment)
        elif not self.emulated:
            self.environment = gpus.in_software(self.environment | self.mesa)
        elif self.zink:
            # (Mesa's loader takes it for the driver of any device; zink itself looks for Vulkan's of the same)
            self.environment["MESA_LOADER_DRIVER_OVERRIDE"] = "zink"
        self.contexts = {}

    def check(self):
        """Names of the device and of its driver, or Missing if another one answers."""
        if self.api == "opencl":
            return opencl.check_device(self.gpu, self.ask, self.environment)
        return gpus.check_renderer(self.gpu, self.ask, self.environment, self.zink)


def run_on(gpu, api, all_tests, options, output, beside_gpu=None):
    """(the number of tests that are worse than they were, results, GL_VERSION). `beside_gpu`: of a run in software, the GPU that it stands
    beside, and its GL_VERSION."""
    shard = shards.parse(options.shard) if options.shard else None
    target = Target(gpu, api, options, beside_gpu[0] if beside_gpu else None)
    renderer, version = target.check()
    if beside_gpu and (options.mesa or target.mesa) and mesa.version(version) != mesa.version(beside_gpu[1]):
        raise Missing(f"llvmpipe is of Mesa {mesa.version(version)}, {beside_gpu[0]} is driven by {mesa.version(beside_gpu[1])}: has "
                      "that Mesa a llvmpipe? --beside RESULTS takes results instead")
    print(f"{gpu}: {renderer}; {version}", flush=True)
    if api == "opengl":
        target.contexts = gpus.contexts(target.ask, target.environment)
    head = {"gpu": gpu, "api": api, **({"driver": "zink"} if target.zink else {}), "strict": options.strict, "renderer": renderer, "version": version, "commit": commit(),
            "suite": suite_of(options)}
    listed = chosen(options, all_tests, target.contexts, head)
    tests = [all_tests[n] for n in listed if not shard or shards.shard_of(n, shard[1]) == shard[0]]

    kept = lists.Lists(options)
    kept.leave_out(tests)
    output = shards.folder(output, shard)
    before = compared(options, head)
    results, seconds = begin(output, head, options.resume)
    whole = head | {"listed": len(listed), "digest": shards.digest(listed), "tests": len(tests)} | (
        {"shard": f"{shard[0]}/{shard[1]}"} if shard else {})
    (output / "run.json").write_text(json.dumps(whole, indent=1) + "\n")
    results.write(output / "results.jsonl")  # without the part of a line that an ended run may have left
    Runner(output, target, options, results, seconds).run_all(tests, before[1] if before else kept.known(listed))
    # The driver is still the one it was: nothing has been installed or removed meanwhile.
    target.check()
    results = Results({t.name: results[t.name] for t in tests})
    results.write(output / "results.jsonl")
    return told(options, head, results, before, seconds, output, all_tests), results, version


def begin(output, head, resume):
    """(results, seconds) of an earlier run that this one goes on with; the output folder."""
    results, seconds = Results(), {}
    if resume and (output / "run.json").exists():
        earlier = json.loads((output / "run.json").read_text())
        if other := [k for k in head if earlier.get(k) != head[k]]:
            raise Missing(f"{output} holds a run with another {', '.join(other)}: choose another --output, or leave --resume away")
        if (output / "results.jsonl").exists():
            results, seconds = Results.read(output), read_seconds(output)
    else:
        for old in ("results.jsonl", "seconds.tsv", "run.json"):
            (output / old).unlink(missing_ok=True)
        shutil.rmtree(output / "logs", ignore_errors=True)
    (output / "logs").mkdir(parents=True, exist_ok=True)
    return results, seconds


def merge(options):
    places = [pathlib.Path(p) for p in options.merge]
    output = pathlib.Path(options.output or (places[0] if len(places) == 1 else places[0].parent)) / "merged"
    output.mkdir(parents=True, exist_ok=True)
    head, results, seconds = shards.merge(places, output)
    options.strict = head["strict"]
    print(f"{head['gpu']}: {head['renderer']}; {head['version']}; commit {head['commit']}")
    (output / "run.json").write_text(json.dumps(head, indent=1) + "\n")
    (output / "seconds.tsv").write_text("".join(f"{name}\t{took:.2f}\n" for name, took in sorted(seconds.items())))
    results.write(output / "results.jsonl")
    return 1 if told(options, head, results, compared(options, head), seconds, output, None) else 0


def compared(options, head):
    """The earlier results and where they lie, None if there is nothing to compare with."""
    if not options.compare:
        return None
    file = file_of(options.compare, head)
    return file, Results.read(file)


def driver_name(head):
    """In names of files: "22.3.6" of Mesa, "zink-25.0.7", "neo-22.43.24595"."""
    if head.get("api") == "opencl":
        return opencl.version_name(head["gpu"], head["version"])
    return "-".join([*([head["driver"]] if "driver" in head else []), mesa.version(head["version"])])


def file_of(word, head, new=False):
    """That --compare, --failed and --update name."""
    file = expected_file(word, head["suite"], head["gpu"], driver_name(head))
    if word == "expected" and not new and not file.exists():
        raise Missing(f"{file} is not there: --update expected makes it")
    return file


def told(options, head, results, before, seconds, output, known):
    """The number of tests that are worse than they were."""
    kept = lists.Lists(options)
    comparison = Comparison(before[1], results) if before else lists.AgainstLists(kept, results) if kept.given else None
    if comparison and not before:
        before = (kept.files, kept.known(results))
    if options.write_lists:
        print(f"written: {', '.join(lists.write(options.write_lists, results, options))}")
    if options.update:
        file = file_of(options.update, head, new=True)
        # without the whole list at hand, nothing is known to be gone
        results.update_file(file, known if known is not None else set(results) | set(Results.read(file) if file.exists() else ()))
        print(f"written: {file}")
    if options.junit:
        driver = driver_name(head) if head.get("api") == "opencl" else f"Mesa {driver_name(head)}"
        junit.write(pathlib.Path(options.junit), f"{head['suite']} on {head['gpu']}, {driver}", results, comparison, seconds,
                    lambda name: log_file(output, name))
    return summary(head["gpu"], head["suite"], results, before, comparison, seconds, output, options)
