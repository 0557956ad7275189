"""tests/conformance/run: see README.md beside it."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

from . import gpu as gpus
from .program import run
from .results import BAD, Comparison, Results, line
from .tests import PIGLIT, Missing, listed_programs, piglit_tests, sample

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHOWN = 40  # changes printed; all are in the file


def arguments():
    parser = argparse.ArgumentParser(
        prog="tests/conformance/run", description="Programs on an emulated GPU, a result each, compared with an earlier run.",
        epilog="Ends with 1 if a test that did not fail in the compared results fails now (or, with nothing to compare, if any fails).")
    parser.add_argument("--gpu", default="bonaire", help="(bonaire)")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--list", metavar="FILE", help="programs: a line each, NAME: COMMAND ARGUMENT...")
    what.add_argument("--piglit", metavar="PROFILE,...", help="of Debian's piglit: quick_gl, quick_shader, ...")
    parser.add_argument("--tests", metavar="NAME,...|FILE", action="append", default=[],
                        help="only these: names, or a file with a name a line or with results")
    parser.add_argument("--match", metavar="EXPRESSION", help="only those whose name matches")
    parser.add_argument("--sample", metavar="N/M|N", help="only this share, or so many: chosen by a hash of the name")
    parser.add_argument("--can-run", action="store_true", help="leave out what needs more than the driver has, before the sample is taken")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once (as many as the machine has cores)")
    parser.add_argument("--strict", action="store_true", help="what the GPU does not know ends the program")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for each program (300)")
    parser.add_argument("--output", metavar="DIR", help="results.jsonl, run.json, seconds.tsv and logs/ (build/conformance/GPU)")
    parser.add_argument("--resume", action="store_true", help="go on with the run in the output folder")
    parser.add_argument("--compare", metavar="RESULTS", help="an earlier results.jsonl (.gz), or the folder it lies in")
    parser.add_argument("--update", metavar="RESULTS", help="write the results here as well (.gz: compressed)")
    parser.add_argument("--build", metavar="DIR", default=str(ROOT / "build/release"), help="(build/release)")
    parser.add_argument("--sum", action="store_true", help="the last line is N passed, N failed, N skipped, as ./test counts")
    return parser.parse_args()


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


def chosen(options, found):
    tests = listed_programs(options.list) if options.list else piglit_tests(options.piglit.split(","))
    names = list(tests)
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
    return [tests[n] for n in names]


def commit():
    said = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def main():
    options = arguments()
    try:
        return conformance(options)
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
    before = Results.read(options.compare) if options.compare else None
    environment = dict(os.environ, PIGLIT_PLATFORM="gbm", WAFFLE_GBM_DEVICE="/dev/dri/renderD128", PIGLIT_SOURCE_DIR=str(PIGLIT),
                       MESA_SHADER_CACHE_DISABLE="1", EGL_LOG_LEVEL="fatal")
    # Each program has its share of the cores.
    environment.setdefault("ATOLL_THREADS", str(max(1, (os.cpu_count() or 1) // options.jobs)))
    ask = [str(atoll), "run", "--gpu", options.gpu, "--display", "none", "--timeout", "100", "--"]
    command = [*ask[:-3], "--timeout", f"{options.timeout:g}", "--stats", *(["--strict"] if options.strict else []), "--"]
    renderer, version = gpus.check_renderer(options.gpu, ask, environment)
    print(f"{options.gpu}: {renderer}; {version}", flush=True)
    found = gpus.contexts(ask, environment)
    tests = chosen(options, found)

    output = pathlib.Path(options.output) if options.output else ROOT / "build/conformance" / options.gpu
    head = {"gpu": options.gpu, "strict": options.strict, "renderer": renderer, "version": version}
    results = Results()
    if options.resume and (output / "run.json").exists():
        earlier = json.loads((output / "run.json").read_text())
        if other := [k for k in head if earlier.get(k) != head[k]]:
            raise Missing(f"{output} holds a run with another {', '.join(other)}: choose another --output, or leave --resume away")
        results = Results.read(output) if (output / "results.jsonl").exists() else results
    elif (output / "run.json").exists():
        for old in ("results.jsonl", "seconds.tsv", "run.json"):
            (output / old).unlink(missing_ok=True)
        shutil.rmtree(output / "logs", ignore_errors=True)
    (output / "logs").mkdir(parents=True, exist_ok=True)
    (output / "run.json").write_text(json.dumps(head | {"commit": commit()}, indent=1) + "\n")

    left = [t for t in tests if t.name not in results]
    if len(left) < len(tests):
        print(f"{len(tests) - len(left)} of {len(tests)} tests are done already", flush=True)
    results.write(output / "results.jsonl")  # without the part of a line that an ended run may have left
    seconds = run_all(left, results, output, command, environment, found, options)
    results.write(output / "results.jsonl")
    # The driver is still the one it was: nothing has been installed or removed meanwhile.
    gpus.check_renderer(options.gpu, ask, environment)
    results = Results({t.name: results[t.name] for t in tests})
    if options.update:
        results.write(options.update)
    return summary(options, results, before, output, seconds)


def run_all(left, results, output, command, environment, found, options):
    lock, seconds = threading.Lock(), {}
    started = said = time.monotonic()
    with open(output / "results.jsonl", "a") as file, open(output / "seconds.tsv", "a") as times:

        def one(test):
            nonlocal said
            took = 0
            if why := test.left_out or gpus.unmet(test.needs, found):
                row = {"name": test.name, "result": "skip", "reason": why}
            else:
                row, took, text = run(test, command, environment, options.timeout)
                if row["result"] in BAD + ("warn",) or "unknown" in row.get("reason", ""):
                    (output / "logs" / (re.sub(r"[^\w.@+-]", "_", test.name)[:200] + ".txt")).write_text(text)
            with lock:
                results[test.name] = row
                file.write(line(row))
                file.flush()
                if took:
                    seconds[test.name] = took
                    times.write(f"{test.name}\t{took:.2f}\n")
                if time.monotonic() - said > 20:
                    said = time.monotonic()
                    print(f"  {sum(t.name in results for t in left)} of {len(left)}, {said - started:.0f} s: {figures(results)}", flush=True)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            try:
                for _ in pool.map(one, left):
                    pass
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return seconds


def figures(results):
    counts = results.counts()
    return ", ".join(f"{counts[k]} {k}" for k in ("pass", "warn", "fail", "crash", "timeout", "skip") if counts[k])


def show(title, rows):
    if rows:
        print(f"{len(rows)} {title}:")
        for row in rows[:SHOWN]:
            print(f"    {row}")
        if len(rows) > SHOWN:
            print("    ...")


def summary(options, results, before, output, seconds):
    idle = sum(row.get("gpu") == "idle" for row in results.values())
    print(f"{options.gpu}: {len(results)} tests: {figures(results)}" + (f" ({idle} of those that pass draw nothing)" if idle else ""))
    slowest = sorted(seconds, key=seconds.get, reverse=True)[:3]
    if slowest:
        print("slowest: " + ", ".join(f"{n} {seconds[n]:.1f} s" for n in slowest) + f"; all {sum(seconds.values()):.0f} s of programs")
    unknown = collections.Counter(r for row in results.values() for r in row.get("reason", "").split("; ") if r.startswith("unknown"))
    for what, times in unknown.most_common():
        print(f"  {what}: {times} tests{', which it ended' if options.strict else ''}")
    if before is None:
        failing = [f"{n}: {row['result']}" + (f" ({row['reason']})" if "reason" in row else "") for n, row in sorted(results.items())
                   if row["result"] in BAD]
        show("fail", failing)
        bad, known = len(failing), 0
    else:
        compared = Comparison(before, results)
        show("new failures", compared.failures)
        show("new skips: these no longer show anything", compared.skips)
        show("new passes", compared.passes)
        known = len(compared.known)
        if known:
            print(f"{known} fail as they did in {options.compare}")
        if compared.not_run:
            print(f"{len(compared.not_run)} tests of {options.compare} were not chosen")
        bad = len(compared.failures) + len(compared.skips)
    counts = results.counts()
    print(f"results: {output}/results.jsonl, logs of what fails: {output}/logs")
    if options.sum:
        reasons = collections.Counter(re.sub(r"\d+", "N", row.get("reason", "said no reason"))
                                      for row in results.values() if row["result"] == "skip")
        for reason, count in reasons.most_common():
            print(f"  {count} skipped: {'piglit' if options.piglit else options.list} on {options.gpu}: {reason}")
        print(f"{counts['pass'] + counts['warn']} passed, {bad} failed, {counts['skip']} skipped")
    return 1 if bad else 0
