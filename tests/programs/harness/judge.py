"""What a run on the GPU has to be: of the status that was expected, without a word of Atoll's or of its driver's, and drawn there."""
import json
import pathlib
import re

ENDED_BY_TIME = 124  # of `atoll run --timeout`
# The line of `atoll run` at the end of every run. Everything else that Atoll says is a word.
ORDINARY = (r"run: \S+ still runs after the [\d.]+ s of --timeout: ended$", r"run: \w+: \d+ submissions, \d+ draws, \d+ dispatches of \d+ process(es)?$",
            r"run: nothing reached the (GPU|\w+)\b.*", r"run: the \w+ was asked, nothing was drawn or computed$",
            # helpers that the program left behind when it was ended; what they do with the GPU is counted
            r"run: .* that \S+ left behind (still run after the [\d.]+ s of --timeout: ended|go on: .*)$", r"run: waiting for .* that \S+ left behind .*")
# Messages of drivers, loaders and layers.
DRIVERS = (r"\bamdgpu: ", r"\bradeon: ", r"\bradeonsi: ", r"\br300: ", r"radv/amdgpu:", r"MESA: error", r"VK_ERROR_DEVICE_LOST", r"GL_(GUILTY|INNOCENT|UNKNOWN)_CONTEXT_RESET",
           r"[Cc]ontext (was )?lost", r"GPU hang", r"Validation Error", r"\bVUID-", r"UNASSIGNED-", r"CONTEXT_LOST")


def words_of(text):
    """Lines that Atoll and the drivers said and that no good run has."""
    said = []
    for line in re.split(r"[\r\n]+", text):
        at = line.find("atoll: ")
        if at >= 0 and not any(re.match(one, line[at + 7:]) for one in ORDINARY):
            said.append(line[at:])
        elif any(re.search(one, line) for one in DRIVERS):
            said.append(line.strip())
    return said


def statistics_of(text):
    """The line of --stats, {} if there is none."""
    for line in reversed(text.splitlines()):
        if line.startswith('{"gpu":'):
            return json.loads(line)
    return {}


def own_work(used):
    """Draws and dispatches of the program's own driver, without the desktop's: the summary of --registers-used."""
    file = pathlib.Path(used)
    first = file.read_text().split("\n", 1)[0] if file.exists() else ""
    summary = json.loads(first) if first else {}
    return summary.get("draws", 0), summary.get("dispatches", 0)


def reasons_of(status, text, expected, own=None, frames_wanted=0):
    """Why a run on the GPU was not as it has to be; [] if it was. `own`: draws and dispatches of the program itself, where they were counted."""
    reasons, statistics = [], statistics_of(text)
    if status is None:
        reasons.append("did not end when its time was over")
    elif status != expected:
        reasons.append(f"ended before its time, with status {status}" if expected == ENDED_BY_TIME else f"ended with status {status}" + (" (time over)" if status == ENDED_BY_TIME else ""))
    said = words_of(text)
    reasons += [f"said: {line[:200]}" for line in said[:5]] + ([f"and {len(said) - 5} more words"] if len(said) > 5 else [])
    if not statistics:
        return reasons + ["no statistics of atoll run"]
    if statistics["failed"]:
        reasons.append(f"{statistics['failed']} submissions failed")
    for kind in ("unknown", "refused"):
        reasons += [f"{kind}: {one['what']}" for one in statistics[kind]]
    if not statistics["submissions"] or (own is not None and not sum(own)):
        reasons.append("drew nothing on the GPU")
    if frames_wanted and statistics.get("frames", 0) < frames_wanted:
        reasons.append(f"windows showed {statistics.get('frames', 0)} frames only")
    return reasons
