"""What a driver project keeps of its suites in text: lists of fails, flakes and skips.

The forms are those of deqp-runner, which Mesa's continuous integration runs (README.md and src/deqp_runner.rs there): fails as
NAME,RESULT a line, flakes and skips as a regular expression a line that any part of a name may match, `#` before a remark; and piglit's own,
sections expected-failures and expected-crashes of a piglit.conf, whose names are JUnit's (framework/backends/junit.py)."""
import pathlib
import re

from .results import BAD, GOOD, parts
from .tests import Missing

RESULTS = {"pass": "pass", "warn": "warn", "fail": "fail", "crash": "crash", "timeout": "timeout", "skip": "skip", "missing": "missing",
           "flake": "flake", "expectedfail": "fail"}
SECTIONS = {"expected-failures": "fail", "expected-crashes": "crash"}


def junit_name(name):
    """As piglit looks a test up in its piglit.conf."""
    escaped = [(part.replace(".", "_") + ("_" if part in ("api", "search") else "")) for part in name.split("@")]
    return "piglit." + re.sub("[=:]", ".", ".".join(escaped).lower())


def lines_of(path):
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line


def fails(paths):
    """({name: result}, {JUnit's name: result}) of all the files."""
    names, junit = {}, {}
    for path in paths:
        section = None
        for number, line in lines_of(path):
            line = line.strip()
            if line.startswith("[") and line.endswith("]"):
                section = line[1:-1].strip()
            elif section is not None:
                # (";" is a remark in piglit.conf, and a test may have a value, which is somebody's commit)
                if not line.startswith(";") and section in SECTIONS:
                    junit[re.split(r"\s*[=:]\s*", line.lower())[0] if " = " in line else re.sub("[=:]", ".", line.lower())] = SECTIONS[section]
            else:
                name, comma, result = line.rpartition(",")
                known = RESULTS.get(result.strip().lower())
                if not comma or known is None:
                    raise Missing(f"{path}:{number}: '{line}' is not NAME,RESULT with a result of {', '.join(sorted(set(RESULTS.values())))}")
                names[name] = known
    return names, junit


def expressions(paths):
    """[(expression, where it stands)]"""
    found = []
    for path in paths:
        for number, line in lines_of(path):
            try:
                found.append((re.compile(line), f"{path}:{number}"))
            except re.error as error:
                raise Missing(f"{path}:{number}: '{line}' is no regular expression: {error}") from None
    return found


def place_of(name, found):
    return next((place for expression, place in found if expression.search(name)), None)


class Lists:
    def __init__(self, options):
        self.names, self.junit = fails(options.fails)
        self.flakes, self.skips = expressions(options.flakes), expressions(options.skips)
        self.given = bool(options.fails or options.flakes)
        self.files = ", ".join(options.fails + options.flakes) or "no list"

    def expected(self, name):
        return self.names.get(name) or self.junit.get(junit_name(name))

    def known(self, names):
        """As earlier results, for those who ask whether a crash was expected."""
        return {name: {"name": name, "result": expected} for name in names if (expected := self.expected(name))}

    def leave_out(self, tests):
        for test in tests:
            if place := place_of(test.name, self.skips):
                test.left_out = f"skipped by {place}"


class AgainstLists:
    """Results beside the lists, with the names of results.Comparison. As with deqp-runner, a test that is listed as failing and passes is to be taken
    off the list, and ends the run with 1; what a flake comes to ends nothing. A test of subtests is as they are, if any of them is listed."""

    def __init__(self, lists, now):
        self.failures, self.passes, self.skips, self.known, self.flakes = [], [], [], [], []
        self.worse = {}
        for name, row in sorted(now.items()):
            found = parts(row)
            below = any(part and lists.expected(f"{name}@{part}") for part in found)
            for part, result in found.items():
                full = f"{name}@{part}" if part else name
                expected = lists.expected(full) or (lists.expected(name) if part else None)
                if not part and below and expected is None:
                    continue
                reason = f" ({row['reason']})" if "reason" in row and not part else ""
                if result in BAD and result == expected:
                    self.known.append(full)
                elif result in BAD and place_of(full, lists.flakes):
                    self.flakes.append(f"{full}: {result}")
                elif result in BAD:
                    text = f"{full}: {expected or 'not listed'} -> {result}{reason}"
                    self.failures.append(text)
                    self.worse[name] = "; ".join(filter(None, (self.worse.get(name), text)))
                # (a test whose subtests differ is listed by them)
                elif result in GOOD and lists.expected(full) in BAD and not place_of(full, lists.flakes):
                    text = f"{full}: listed as {expected}, and {result}es: take it off the list".replace("warnes", "warns")
                    self.failures.append(text)
                    self.worse[name] = "; ".join(filter(None, (self.worse.get(name), text)))
        self.not_run = sorted(name for name in lists.names if name not in now and name.rpartition("@")[0] not in now)


def write(prefix, results, options):
    """PREFIX-fails.txt, -flakes.txt, -skips.txt and -piglit.conf of the results; the names of the files."""
    failing, crashing, lines = [], [], []
    for name, row in sorted(results.items()):
        found = parts(row)
        # Subtests that differ are listed one by one.
        several = len(found) > 1 and len(set(found.values())) > 1
        for part, result in found.items():
            if result not in BAD or (several and not part and any(r in BAD for p, r in found.items() if p)) or (part and not several):
                continue
            full = f"{name}@{part}" if part else name
            lines.append(f"{full},{result.capitalize()}")
            (failing if result == "fail" else crashing).append(junit_name(full))
    flaky = [f"^{re.escape(name)}$" for name, row in sorted(results.items()) if "first" in row]
    skipped = [f"^{re.escape(name)}$" for name, row in sorted(results.items()) if row["result"] == "skip"]
    kept = {key: [line for path in getattr(options, key) for _, line in lines_of(path)] for key in ("flakes", "skips")}
    texts = {"-fails.txt": lines, "-flakes.txt": sorted({*flaky, *kept["flakes"]}), "-skips.txt": sorted({*skipped, *kept["skips"]}),
             "-piglit.conf": ["[expected-failures]", *sorted(failing), "", "[expected-crashes]", *sorted(crashing)]}
    written = []
    for end, text in texts.items():
        path = pathlib.Path(f"{prefix}{end}")
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(path.name + ".new")
        new.write_text("".join(f"{line}\n" for line in text))
        new.replace(path)
        written.append(str(path))
    return written
