"""One test on the GPU, and what came of it."""
import json
import os
import signal
import subprocess
import threading
import time

from .results import GOOD

PATIENCE = 30  # seconds after --timeout until `atoll run` itself is ended
ENDED_BY_TIME = 124  # `atoll run --timeout` ended the program
# Drops what the driver submits before the kernel sees it: an option of Mesa's radeon and amdgpu winsys. radeonsi then still submits
# empty streams, r300g nothing.
NO_GPU = {"RADEON_NOOP": "1"}
CONTROL_TIMEOUT = 60  # a program that waits for what is never drawn needs the GPU

running, running_lock = set(), threading.Lock()


class Ended(Exception):
    """The whole run is ended: what becomes of its programs is no result."""


ending = threading.Event()


def end_all():
    """Ends the programs that run now."""
    ending.set()
    with running_lock:
        for process in running:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def execute(command, environment, timeout):
    """(status, output, errors, whether it had to be ended)"""
    with running_lock:
        if ending.is_set():
            raise Ended
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
        running.add(process)
    late = False
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        late = True
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
    with running_lock:
        running.discard(process)
    if ending.is_set():
        raise Ended
    return process.returncode, output, errors, late


def passes_without(test, command, environment):
    """Does a test pass although the GPU executes nothing?"""
    status, output, _, _ = execute([*command, *test.command], environment | NO_GPU, CONTROL_TIMEOUT)
    return (piglit_lines(output)[0] or {0: "pass"}.get(status, "fail")) in GOOD


def run(test, command, environment, timeout, emulated=True):
    """(result, seconds, output). A result: name, result, and, where there are any, subtests and reason.
    `emulated`: the command is `atoll run --stats`, which says what reached the GPU."""
    started = time.monotonic()
    status, output, errors, late = execute([*command, *test.command], environment, timeout + PATIENCE)
    result, subtests, skip_reason = piglit_lines(output)
    statistics = last_json(errors)
    reasons = []
    if late or status == ENDED_BY_TIME:
        result = "timeout"
    elif status < 0 or status > 128:
        result = "crash"
        number = -status if status < 0 else status - 128
        reasons.append(signal.Signals(number).name if number in signal.valid_signals() else f"status {status}")
    elif result is None:  # a program that says nothing: its exit status, 77 as in automake's and CTest's tests
        result = {0: "pass", 77: "skip"}.get(status, "fail")
    elif result == "pass" and status != 0:
        result = "warn"
    if result == "crash":
        # what was to come is not known
        subtests = {n: "crash" if r == "notrun" else r for n, r in subtests.items()}
    if result == "skip":
        subtests = {}
        if skip_reason:
            reasons.append(skip_reason)
    # The things unknown to the GPU: with --strict, this ended the program.
    reasons += sorted({f"unknown {u['what']}" for u in statistics.get("unknown", [])})
    reasons += sorted({f"refused {u['what']}" for u in statistics.get("refused", [])})
    if result != "skip" and statistics.get("failed") and not statistics.get("unknown"):
        reasons.append("submissions failed")
    row = {"name": test.name, "result": result}
    if not emulated:
        pass
    elif statistics.get("processes", 0) == 0 and result in ("pass", "warn"):
        row["result"] = "fail"  # a software driver's picture proves nothing
        reasons.append("no process opened the GPU")
    elif statistics.get("submissions", 0) == 0 and result in ("pass", "warn"):
        row["gpu"] = "idle"  # nothing was drawn: proves nothing about pixels
    if subtests and set(subtests.values()) != {row["result"]}:
        row["subtests"] = dict(sorted(subtests.items()))
    elif subtests:
        row["subtests"] = sorted(subtests)
    if reasons:
        row["reason"] = "; ".join(reasons)
    text = f"$ {' '.join(command)} {' '.join(test.command)}\n{output}\n--- standard error\n{errors}\n--- status {status}\n"
    return row, time.monotonic() - started, text


def piglit_lines(output):
    """(result or None, subtests, the line before a skip)"""
    result, subtests, before = None, {}, ""
    for line in output.splitlines():
        if not line.startswith("PIGLIT:"):
            before = line.strip() or before
            continue
        try:
            said = json.loads(line[len("PIGLIT:"):])
        except ValueError:
            continue
        result = said.get("result", result)
        for name in said.get("enumerate subtests", []):
            subtests.setdefault(name, "notrun")
        subtests.update(said.get("subtest", {}))
    return result, subtests, before[:120]


def last_json(errors):
    for line in reversed(errors.splitlines()):
        if line.startswith('{"gpu"'):
            try:
                return json.loads(line)
            except ValueError:
                return {}
    return {}
