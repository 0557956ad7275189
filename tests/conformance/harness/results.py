"""Results as text: one JSON object a line, sorted by name, so that two runs can be diffed; and two runs compared."""
import collections
import gzip
import json
import pathlib

GOOD = ("pass", "warn")
BAD = ("fail", "crash", "timeout")
ACCIDENTS = ("crash", "timeout")
CONTROLLED = ("vacuous", "needed")  # what --control says of a test that passes


class Results(dict):
    """By name."""

    @classmethod
    def read(cls, path):
        path = pathlib.Path(path)
        if path.is_dir():
            path /= "results.jsonl"
        results = cls()
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
            for line in file:
                # The last line of a run that was ended may be a part of one.
                if line.endswith("\n"):
                    row = json.loads(line)
                    results[row["name"]] = row
        return results

    def write(self, path):
        text = "".join(line(self[name]) for name in sorted(self))
        path = pathlib.Path(path)
        new = path.with_name(path.name + ".new")
        # without a time in it: the same results are the same file
        new.write_bytes(gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode())
        new.replace(path)

    def counts(self):
        return collections.Counter(row["result"] for row in self.values())

    def update_file(self, path, known):
        """Writes these where others lie, which stay unless there is no such test any longer."""
        path = pathlib.Path(path)
        merged = Results.read(path) if path.exists() else Results()
        kept = Results({name: row for name, row in merged.items() if name in known})
        for name, row in self.items():
            # The finding of an earlier --control stays true while the test passes.
            earlier = kept.get(name, {}).get("gpu")
            if earlier in CONTROLLED and row["result"] in GOOD and "gpu" not in row:
                row = row | {"gpu": earlier}
            # How often a test was tried, and whether it came out otherwise, is of one run.
            kept[name] = {key: value for key, value in row.items() if key not in ("tries", "first")}
        path.parent.mkdir(parents=True, exist_ok=True)
        kept.write(path)


def read_seconds(folder):
    """How long each test took, of a run's folder."""
    path = pathlib.Path(folder) / "seconds.tsv"
    lines = path.read_text().splitlines() if path.exists() else []
    return {name: float(took) for name, took in (line.split("\t") for line in lines if line.count("\t") == 1)}


def line(row):
    return json.dumps(row, ensure_ascii=False) + "\n"


def parts(row):
    """(name, result) of a test and of each subtest."""
    if row is None:
        return {}
    subtests = row.get("subtests", [])
    found = {"": row["result"]}
    found.update(subtests if isinstance(subtests, dict) else {name: row["result"] for name in subtests})
    return found


class Comparison:
    """What got worse, and what better; a subtest counts as the test that it is of does."""

    def __init__(self, before, now):
        self.failures, self.passes, self.skips, self.known = [], [], [], []
        self.worse = {}  # what is new of a test, by name
        for name in sorted(now):
            old, new = parts(before.get(name)), parts(now[name])
            changes = [self.change(old.get(part), result) for part, result in new.items()]
            texts = [f"{name}{'@' + part if part else ''}: {old.get(part, 'not there')} -> {result}"
                     for part, result in new.items() if old.get(part) != result]
            reason = f" ({now[name]['reason']})" if "reason" in now[name] else ""
            if "worse" in changes:
                self.failures.append("\n    ".join(texts) + reason)
                self.worse[name] = "; ".join(texts)
            elif new[""] == "skip" and old.get("") in GOOD:
                self.skips.append("\n    ".join(texts) + reason)
                self.worse[name] = "; ".join(texts)
            elif "better" in changes:
                self.passes.append("\n    ".join(texts))
            if new[""] in BAD and "worse" not in changes:
                self.known.append(name)
        self.not_run = sorted(set(before) - set(now))

    @staticmethod
    def change(old, new):
        if new in BAD and old != new and (old not in BAD or new != "fail"):
            return "worse"
        if new in GOOD and old not in GOOD:
            return "better"
        return ""
