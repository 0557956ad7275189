"""Results beside what fails on a real chip: Mesa's lists, src/gallium/drivers/r300/ci/*-fails.txt, src/gallium/drivers/radeonsi/ci/*-fail.csv."""
import pathlib

from .results import BAD, GOOD, parts


def listed(path):
    """Names that the list has as failing or crashing, in lower case; of a subtest as TEST@SUBTEST."""
    names = set()
    for line in pathlib.Path(path).read_text().splitlines():
        name, comma, result = line.strip().rpartition(",")
        if comma and not line.startswith("#") and result.lower() in ("fail", "crash", "timeout"):
            names.add(name.lower())
    return names


class Chip:
    """A subtest that is not listed is as the test that it is of."""

    def __init__(self, path, results):
        names = listed(path)
        self.both, self.here, self.there = [], [], []
        for test, row in sorted(results.items()):
            for part, result in parts(row).items():
                full = f"{test}@{part}" if part else test
                # A test of subtests fails because one of them does: these are listed one by one.
                below = not part and any(n.startswith(test.lower() + "@") for n in names)
                fails = full.lower() in names or below or bool(part) and test.lower() in names
                if result in BAD:
                    (self.both if fails else self.here).append(f"{full}: {result}")
                elif result in GOOD and full.lower() in names:
                    self.there.append(full)
