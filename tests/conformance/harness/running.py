"""Many tests at once, each result written as soon as there is one; what crashes is tried again alone."""
import concurrent.futures
import re
import threading
import time

from . import gpu as gpus
from .program import Ended, end_all, passes_without, run
from .results import ACCIDENTS, BAD, GOOD, line

TRIED_AGAIN_AT_MOST = 20  # more crashes and timeouts than these are no accidents
SAY_EVERY = 20  # seconds


def log_file(output, name):
    return output / "logs" / (re.sub(r"[^\w.@+-]", "_", name)[:200] + ".txt")


class Runner:
    def __init__(self, output, target, options, results, seconds):
        self.output, self.target, self.options, self.results, self.seconds = output, target, options, results, seconds
        self.lock = threading.Lock()
        self.started = self.said = time.monotonic()

    def run_all(self, tests, expected):
        """Those of the tests that have no result yet; then the crashes and timeouts that were not expected, alone."""
        left = [t for t in tests if t.name not in self.results]
        if len(left) < len(tests):
            print(f"{len(tests) - len(left)} of {len(tests)} tests are done already", flush=True)
        with open(self.output / "results.jsonl", "a") as self.file, open(self.output / "seconds.tsv", "a") as self.times:
            try:
                with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
                    try:
                        for _ in pool.map(lambda test: self.one(test, left), left):
                            pass
                    except BaseException:
                        end_all()
                        pool.shutdown(wait=False, cancel_futures=True)
                        raise
                self.try_again([t for t in tests if self.accident(self.results[t.name], expected)])
            except BaseException:
                end_all()
                raise

    @staticmethod
    def accident(row, expected):
        before = (expected or {}).get(row["name"], {}).get("result")
        return row["result"] in ACCIDENTS and row["result"] != before and "tries" not in row

    def one(self, test, left):
        took, text = 0, ""
        try:
            if why := test.left_out or gpus.unmet(test.needs, self.target.contexts):
                row = {"name": test.name, "result": "skip", "reason": why}
            else:
                row, took, text = self.execute(test)
        except Ended:
            return
        with self.lock:
            self.keep(row, took, text)
            if time.monotonic() - self.said > SAY_EVERY:
                self.said = time.monotonic()
                done = sum(t.name in self.results for t in left)
                print(f"  {done} of {len(left)}, {self.said - self.started:.0f} s: {figures(self.results)}", flush=True)

    def execute(self, test):
        target = self.target
        row, took, text = run(test, target.command, target.environment, self.options.timeout, target.emulated)
        if self.options.control and row["result"] in GOOD and "gpu" not in row:
            row["gpu"] = "vacuous" if passes_without(test, target.command, target.environment) else "needed"
        return row, took, text

    def keep(self, row, took, text):
        if row["result"] in BAD + ("warn",) or "unknown" in row.get("reason", ""):
            log_file(self.output, row["name"]).write_text(text)
        self.results[row["name"]] = row
        self.file.write(line(row))
        self.file.flush()
        if took:
            self.seconds[row["name"]] = took
            self.times.write(f"{row['name']}\t{took:.2f}\n")
            self.times.flush()

    def try_again(self, tests):
        if len(tests) > TRIED_AGAIN_AT_MOST:
            print(f"{len(tests)} crashes and timeouts are no accidents: none is tried again", flush=True)
            return
        for test in tests:
            first = self.results[test.name]
            row, took, text = self.execute(test)
            row["tries"] = 2
            if row["result"] != first["result"]:
                row["first"] = first["result"] + (f" ({first['reason']})" if "reason" in first else "")
                # the accident's log, not that of the run that went well
                text = log_file(self.output, test.name).read_text()
                log_file(self.output, test.name).with_suffix(".first.txt").write_text(text)
            with self.lock:
                self.keep(row, took, text)


def figures(results):
    counts = results.counts()
    return ", ".join(f"{counts[k]} {k}" for k in ("pass", "warn", "fail", "crash", "timeout", "skip") if counts[k])
