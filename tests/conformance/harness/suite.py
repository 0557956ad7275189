"""tests/conformance/run: see docs/conformance.md."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from . import gpu as gpus
from . import junit, shards
from .options import ROOT, arguments, expected_file
from .report import summary
from .results import BAD, Comparison, Results, parts, read_seconds
from .running import Runner, log_file
from .tests import PIGLIT, Missing, listed_programs, piglit_tests, sample


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
    atoll = pathlib.Path(options.build).resolve() / "bin/atoll"
    if not atoll.exists():
        raise Missing(f"{atoll} is not there: cmake --build {options.build} --target bin/atoll atoll_drm_shim atoll_device_trees")
    environment = dict(os.environ, PIGLIT_PLATFORM="gbm", WAFFLE_GBM_DEVICE="/dev/dri/renderD128", PIGLIT_SOURCE_DIR=str(PIGLIT),
                       MESA_SHADER_CACHE_DISABLE="1", EGL_LOG_LEVEL="fatal")
    # Each program has its share of the cores.
    environment.setdefault("ATOLL_THREADS", str(max(1, (os.cpu_count() or 1) // options.jobs)))
    shard = shards.parse(options.shard) if options.shard else None
    start = [str(atoll), "run", "--gpu", options.gpu, "--display", "none", *(["--mesa", options.mesa] if options.mesa else [])]
    ask = [*start, "--timeout", "100", "--"]
    command = [*start, "--timeout", f"{options.timeout:g}", "--stats", *(["--strict"] if options.strict else []), "--"]
    renderer, version = gpus.check_renderer(options.gpu, ask, environment)
    print(f"{options.gpu}: {renderer}; {version}", flush=True)
    found = gpus.contexts(ask, environment)
    all_tests = listed_programs(options.list) if options.list else piglit_tests(options.piglit.split(","))
    head = {"gpu": options.gpu, "strict": options.strict, "renderer": renderer, "version": version, "commit": commit(),
            "suite": pathlib.Path(options.list).stem if options.list else "piglit"}
    listed = chosen(options, all_tests, found, head)
    tests = [all_tests[n] for n in listed if not shard or shards.shard_of(n, shard[1]) == shard[0]]

    output = shards.folder(pathlib.Path(options.output) if options.output else ROOT / "build/conformance" / options.gpu, shard)
    before = compared(options, head)
    results, seconds = begin(output, head, options.resume)
    whole = head | {"listed": len(listed), "digest": shards.digest(listed), "tests": len(tests)} | (
        {"shard": f"{shard[0]}/{shard[1]}"} if shard else {})
    (output / "run.json").write_text(json.dumps(whole, indent=1) + "\n")
    results.write(output / "results.jsonl")  # without the part of a line that an ended run may have left
    Runner(output, command, environment, found, options, results, seconds).run_all(tests, before)
    # The driver is still the one it was: nothing has been installed or removed meanwhile.
    gpus.check_renderer(options.gpu, ask, environment)
    results = Results({t.name: results[t.name] for t in tests})
    results.write(output / "results.jsonl")
    return told(options, head, results, before, seconds, output, all_tests)


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
    return told(options, head, results, compared(options, head), seconds, output, None)


def compared(options, head):
    """The earlier results, None if there is nothing to compare with."""
    if not options.compare:
        return None
    options.compare = file_of(options.compare, head)
    return Results.read(options.compare)


def file_of(word, head, new=False):
    """That --compare, --failed and --update name."""
    file = expected_file(word, head["suite"], head["gpu"], gpus.mesa_version(head["version"]))
    if word == "expected" and not new and not file.exists():
        raise Missing(f"{file} is not there: --update expected makes it")
    return file


def told(options, head, results, before, seconds, output, known):
    mesa = gpus.mesa_version(head["version"])
    comparison = Comparison(before, results) if before is not None else None
    if options.update:
        file = file_of(options.update, head, new=True)
        # without the whole list at hand, nothing is known to be gone
        results.update_file(file, known if known is not None else set(results) | set(Results.read(file) if file.exists() else ()))
        print(f"written: {file}")
    if options.junit:
        junit.write(pathlib.Path(options.junit), f"{head['suite']} on {head['gpu']}, Mesa {mesa}", results, comparison, seconds,
                    lambda name: log_file(output, name))
    return 1 if summary(head["gpu"], head["suite"], results, before, comparison, seconds, output, options) else 0
