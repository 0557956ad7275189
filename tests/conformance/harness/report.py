"""What a run came to, in words."""
import collections
import re

from .chip import Chip
from .results import BAD, CONTROLLED, GOOD, parts
from .running import figures

SHOWN = 40  # changes printed; all are in the file


def show(title, rows):
    if rows:
        print(f"{len(rows)} {title}:")
        for row in rows[:SHOWN]:
            print(f"    {row}")
        if len(rows) > SHOWN:
            print("    ...")


def proof(results, before):
    """How many of the tests that pass say something of the GPU."""
    counts = collections.Counter()
    for name, row in results.items():
        if row["result"] in GOOD:
            earlier = (before or {}).get(name, {}).get("gpu")
            counts[row.get("gpu") or (earlier if earlier in CONTROLLED else "")] += 1
    parts = [f"{counts[key]} {words}" for key, words in (("needed", "need the GPU"), ("idle", "give it nothing to do"),
                                                         ("vacuous", "pass without it as well"), ("", "not tried without it"))
             if counts[key]]
    return "" if set(counts) <= {""} else ", ".join(parts)


def summary(title, suite, results, before, comparison, seconds, output, options):
    """Prints it; the number of tests that are worse than they were (that fail, if there is nothing to compare).
    `before`: the earlier results and where they lie."""
    before, compared_with = (before[1], before[0]) if before else (None, None)
    print(f"{title}: {len(results)} tests: {figures(results)}")
    if said := proof(results, before):
        print(f"of those that pass: {said}")
    slowest = sorted(seconds, key=seconds.get, reverse=True)[:3]
    if slowest:
        print("slowest: " + ", ".join(f"{n} {seconds[n]:.1f} s" for n in slowest) + f"; all {sum(seconds.values()):.0f} s of programs")
    unknown = collections.Counter(r for row in results.values() for r in row.get("reason", "").split("; ") if r.startswith("unknown"))
    for what, times in unknown.most_common():
        print(f"  {what}: {times} tests{', which it ended' if options.strict else ''}")
    show("came out otherwise when tried again alone", [f"{n}: {row['first']} -> {row['result']}" for n, row in sorted(results.items())
                                                       if "first" in row])
    if comparison is None:
        failing = [f"{n}: {row['result']}" + (f" ({row['reason']})" if "reason" in row else "") for n, row in sorted(results.items())
                   if row["result"] in BAD]
        show("fail", failing)
        bad = len(failing)
    else:
        show("new failures", comparison.failures)
        show("new skips: these no longer show anything", comparison.skips)
        show("are listed as flakes", getattr(comparison, "flakes", []))
        show("new passes", comparison.passes)
        if comparison.known:
            print(f"{len(comparison.known)} fail as they did in {compared_with}")
        if comparison.not_run:
            print(f"{len(comparison.not_run)} tests of {compared_with} were not chosen")
        bad = len(comparison.failures) + len(comparison.skips)
    if options.chip:
        chip = Chip(options.chip, results)
        print(f"{len(chip.both)} failures are the chip's as well ({options.chip})")
        show("failures that the chip does not have", chip.here)
        show("pass here and fail on the chip", chip.there)
    counts = results.counts()
    print(f"results: {output}/results.jsonl, logs of what fails: {output}/logs")
    if options.sum:
        reasons = collections.Counter(re.sub(r"\d+", "N", row.get("reason", "said no reason"))
                                      for row in results.values() if row["result"] == "skip")
        for reason, count in reasons.most_common():
            print(f"  {count} skipped: {suite} on {title}: {reason}")
        print(f"{counts['pass'] + counts['warn']} passed, {bad} failed, {counts['skip']} skipped")
    return bad


def beside(gpu, results, software):
    """Prints how the results on a GPU compare with those of the same tests in software; how many parts of tests fail on the GPU alone.
    A part is a test without subtests, or a subtest."""
    counts, alone, there, skipped = collections.Counter(), [], [], []
    for name, row in sorted(results.items()):
        if name not in software:
            counts["not run in software"] += 1
            continue
        here, other = parts(row), parts(software[name])
        if "skip" in (here[""], other[""]):
            here, other = {"": here[""]}, {"": other[""]}
        for part in here.keys() | other.keys():
            if not part and len(here) > 1 and len(other) > 1:
                continue  # what it is of its subtests
            # a test that ended early has no result of its subtests but its own
            a, b = here.get(part, here[""]), other.get(part, other[""])
            text = f"{name}{'@' + part if part else ''}: {gpu} {a}, in software {b}"
            if a in BAD and b in BAD:
                counts["fail on both"] += 1
            elif a in BAD:
                counts[f"fail on {gpu} alone"] += 1
                alone.append(text)
            elif b in BAD:
                counts["fail in software alone"] += 1
                there.append(text)
            elif (a == "skip") != (b == "skip"):
                counts["are skipped on one of them"] += 1
                skipped.append(text)
            else:
                counts["are skipped on both" if a == "skip" else "pass on both"] += 1
    figures_text = ", ".join(f"{n} {what}" for what, n in sorted(counts.items(), key=lambda c: (-c[1], c[0])))
    print(f"{gpu} beside software, tests and subtests: {figures_text}")
    good = [name for name in results if software.get(name, {}).get("result") in GOOD]
    if good:
        passed = sum(results[name]["result"] in GOOD for name in good)
        print(f"of {len(good)} tests that pass in software {gpu} passes {passed} ({100 * passed / len(good):.1f} %)")
    show(f"fail on {gpu} alone", alone)
    show("fail in software alone", there)
    show("are skipped on one of them", skipped)
    return len(alone)
