"""The command line, the programs one after another, a line each."""
import argparse
import collections
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from . import judge, table
from .comparing import PATIENCE, Comparison, Differs, fill
from .sides import Side

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = ROOT / "tests/programs"
SKIPPED = 77
EARLY_FRAME = 10


def options(arguments):
    parser = argparse.ArgumentParser(prog="tests/programs/run", description="Programs live on an emulated GPU under --strict, their pictures and results beside Mesa's and PoCL's in software.")
    parser.add_argument("--gpu", default="bonaire", choices=sorted({gpu for row in table.PROGRAMS for gpu in row.gpus}))
    parser.add_argument("--seconds", type=int, default=120, help="how long each runs (120)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--output", type=pathlib.Path, help="what is left of the runs: logs, pictures, results.json (build/programs/GPU)")
    parser.add_argument("--live-only", action="store_true", help="compare nothing")
    parser.add_argument("--list", action="store_true", help="the programs, and the packages that they need")
    parser.add_argument("name", nargs="*", help="all of the GPU if none is named, but for those of this project")
    chosen = parser.parse_args(arguments)
    known = {row.name: row for row in table.PROGRAMS}
    for name in chosen.name:
        if name not in known:
            parser.error(f"no program {name}: one of {', '.join(known)}")
    chosen.rows = [known[name] for name in chosen.name] or [row for row in table.PROGRAMS if row.packages and chosen.gpu in row.gpus]
    chosen.output = (chosen.output or ROOT / "build/programs" / chosen.gpu).resolve()
    chosen.build = chosen.build.resolve()
    return chosen


def missing(row):
    """Packages whose files are not there."""
    path = os.environ.get("PATH", "") + ":/usr/games"
    return sorted({package for what, package in row.packages.items() if not (pathlib.Path(what).exists() if what.startswith("/") else shutil.which(what, path=path))})


class Bench:
    def __init__(self, chosen):
        self.chosen, self.binaries = chosen, chosen.build / "bin"
        for name in ("atoll", "compare_pictures", "raw_to_png"):
            if not (self.binaries / name).exists():
                sys.exit(f"tests/programs/run: {self.binaries / name} is missing: cmake --build {chosen.build}")
        self.empty = None

    def empty_desktop(self):
        """A picture of the desktop without a window."""
        if not self.empty:
            self.empty = self.chosen.output / "empty-desktop.png"
            self.chosen.output.mkdir(parents=True, exist_ok=True)
            Side(self.binaries / "atoll", self.chosen.gpu, False, self.chosen.output / "home").run(
                ["sleep", "4"], self.chosen.output / "empty-desktop.txt", {}, display="headless", patience=PATIENCE, pictures=[self.empty])
        return self.empty

    def changed(self, one, other):
        """The percentage of pixels in which two pictures differ."""
        done = subprocess.run([self.binaries / "compare_pictures", one, other], capture_output=True, text=True)
        match = re.match(r"([\d.]+) %", done.stdout)
        return float(match[1]) if match else 0.0

    def live(self, row, side, folder, names):
        """(why it was not as it has to be, figures)"""
        seconds, windows = self.chosen.seconds, row.display == "headless"
        early, late, used, out = (folder / name for name in ("early.png", "late.png", "used.json", "live"))
        for file in (early, late, used):
            file.unlink(missing_ok=True)
        out.mkdir(exist_ok=True)
        started = time.monotonic()
        status, text = side.run(fill(row.live, out=out, **names), folder / "live.txt", row.environment, display=row.display,
                                timeout=0 if row.ends else seconds, patience=seconds + PATIENCE, used=used, pictures=[f"{early}@{EARLY_FRAME}", late] if windows else [])
        lived = time.monotonic() - started
        own = judge.own_work(used)
        reasons = judge.reasons_of(status, text, 0 if row.ends else judge.ENDED_BY_TIME, own, EARLY_FRAME if windows else 0)
        if windows and not reasons:
            for picture in (early, late):
                if not picture.exists():
                    reasons.append(f"no {picture.name}")
                elif self.changed(self.empty_desktop(), picture) < 1:
                    reasons.append(f"{picture.name} shows no window")
            if not reasons and self.changed(early, late) == 0:
                reasons.append("the window stood still")
        statistics = judge.statistics_of(text)
        figures = {"seconds": round(lived, 1), "frames": statistics.get("frames"), "draws": own[0], "dispatches": own[1], "submissions": statistics.get("submissions"),
                   "pixels": statistics.get("pixels"), "said": [line for line in text.splitlines() if re.match(r"(frames|rounds): ", line)]}
        return reasons, figures

    def run(self, row):
        """A result: passed, failed or skipped, with reasons, figures and what was compared."""
        result = {"name": row.name, "gpu": self.chosen.gpu, "result": "skipped"}
        if self.chosen.gpu not in row.gpus:
            return result | {"reasons": [f"needs more than the {self.chosen.gpu} has"]}
        if packages := missing(row):
            return result | {"reasons": [f"needs package{'s' if len(packages) > 1 else ''} {', '.join(packages)}"]}
        folder = self.chosen.output / row.name
        folder.mkdir(parents=True, exist_ok=True)
        names = {"scenes": HERE / "scenes", "work": folder, "bin": self.binaries, "seconds": self.chosen.seconds}
        home = folder / "home"
        gpu, software = (Side(self.binaries / "atoll", self.chosen.gpu, emulated, home) for emulated in (True, False))
        if row.prepare:
            done = subprocess.run(fill(row.prepare, **names), capture_output=True, text=True)
            if done.returncode:
                return result | {"result": "failed", "reasons": [f"{row.prepare[0]}: {done.stderr.strip()[-200:]}"]}
        reasons, figures = self.live(row, gpu, folder, names)
        compared = []
        for i, one in enumerate(row.compared if not self.chosen.live_only else ()):
            bounds = getattr(one, "on", {}).get(self.chosen.gpu, one.bounds)
            if bounds is None:
                continue
            one = dataclasses.replace(one, bounds=bounds)
            place = folder / f"compared-{i}"
            place.mkdir(exist_ok=True)
            try:
                compared.append(Comparison(row, self.binaries, gpu, software, place, names).run(one))
            except Differs as why:
                reasons.append(str(why))
        shutil.rmtree(home, ignore_errors=True)
        return result | {"result": "failed" if reasons else "passed", "reasons": reasons, "compared": compared, **figures}


def line(result):
    """What is said of a program."""
    if result["result"] == "skipped":
        return f"skipped: {result['name']}: {result['reasons'][0]}"
    counts = ", ".join(f"{result[key]} {key}" for key in ("frames", "draws", "dispatches") if result.get(key))
    text = f"{result['result']}: {result['name']} on {result['gpu']}: lived {result.get('seconds', 0)} s, {counts}"
    times = collections.Counter(result.get("compared", []))
    compared = [f"{one} ({count} times)" if count > 1 else one for one, count in times.items()]
    return "\n".join([text] + [f"  {one}" for one in result.get("said", []) + compared] + [f"  ! {why}" for why in result["reasons"]])


def main(arguments=None):
    chosen = options(arguments)
    if chosen.list:
        for row in chosen.rows:
            print(f"{row.name:14} {','.join(row.gpus):14} {row.about}\n{'':14} {' '.join(sorted(set(row.packages.values()))) or 'no further package'}")
        return 0
    bench = Bench(chosen)
    chosen.output.mkdir(parents=True, exist_ok=True)
    file = chosen.output / "results.json"
    results = {one["name"]: one for one in json.loads(file.read_text())} if file.exists() else {}
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for row in chosen.rows:
        result = bench.run(row)
        counts[result["result"]] += 1
        print(line(result), flush=True)
        results[row.name] = result
        file.write_text(json.dumps(list(results.values()), indent=1) + "\n")
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return 1 if counts["failed"] else SKIPPED if not counts["passed"] else 0
