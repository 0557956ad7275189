"""What the tests against the manuals share: finding a manual's text, asking `atoll` for its objects, comparing names.
Where the manuals are: tests/outside.py."""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import outside  # noqa: E402


def find(title):
    """The text of the manual that has `title` among its first lines."""
    folder = outside.manuals(f"'{title}'")
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith(".txt") and os.path.isfile(path):
            with open(path, encoding="utf-8") as text:
                content = text.read()
            # Blanks and line ends in titles are an accident of the text's extraction.
            if title in " ".join(content[:4000].split()):
                return content
    # The folder is there, so a manual that is not in it is a failure, not a skip.
    sys.exit(f"{folder}: no manual is titled '{title}'")


def objects(command):
    """The JSON objects that `command` (a list) prints, one a line."""
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {run.returncode}: {run.stderr.strip()}")
    result = []
    for number, line in enumerate(run.stdout.splitlines(), 1):
        try:
            result.append(json.loads(line))
        except json.JSONDecodeError as error:
            sys.exit(f"{' '.join(command)}: line {number} is no JSON object: {error}")
    return result


def letters(text):
    """Only letters and digits, in capitals: how names are compared where the text's extraction played with blanks and signs."""
    return re.sub(r"[^A-Z0-9]", "", text.upper())


def numbers(values):
    """{"0": "NAME", "4-7": "NAME"} as {0: "NAME", 4: "NAME", 5: "NAME", ...}."""
    result = {}
    for key, name in values.items():
        first, _, last = key.partition("-")
        for value in range(int(first), int(last or first) + 1):
            result[value] = name
    return result


class Findings:
    """Counts what agreed, and keeps what did not."""

    def __init__(self):
        self.counts = {}
        self.problems = []

    def count(self, what, number=1):
        self.counts[what] = self.counts.get(what, 0) + number

    def check(self, good, problem):
        if not good:
            self.problems.append(problem)
        return good

    def expect(self, what, number):
        self.check(self.counts.get(what, 0) == number, f"{self.counts.get(what, 0)} {what}, and not {number}")

    def report(self):
        """Prints counts and problems; the test's exit status."""
        print(", ".join(f"{number} {what}" for what, number in self.counts.items()))
        for problem in self.problems:
            print("DIFFERS:", problem)
        print(f"{len(self.problems)} differences")
        return 1 if self.problems else 0
