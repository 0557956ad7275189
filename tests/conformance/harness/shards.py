"""Parts of one list for machines that do not talk to each other, and their results put together again."""
import hashlib
import json
import os
import pathlib
import re
import shutil

from .results import Results, read_seconds
from .tests import Missing

# Variables by which engines of farms say which of several equal jobs this is: (number, how many, number of the first).
ENGINES = (("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN"),  # sbatch(1), --array
           ("CI_NODE_INDEX", "CI_NODE_TOTAL", 1),  # GitLab's `parallel:`
           ("JOB_COMPLETION_INDEX", "ATOLL_SHARDS", 0))  # an indexed Job of Kubernetes, which does not say how many there are

# Facts that have to be the same for results to be of one run.
SAME = ("gpu", "driver", "strict", "renderer", "version", "suite", "commit", "listed", "digest")


def parse(text, environment=os.environ):
    """(K, N) of "K/N", K from 1; of "auto" as the farm's engine says it."""
    if text == "auto":
        for number, many, first in ENGINES:
            if number in environment and many in environment:
                first = int(environment.get(first, 0)) if isinstance(first, str) else first
                text = f"{int(environment[number]) - first + 1}/{environment[many]}"
                break
        else:
            raise Missing("--shard auto: none of " + ", ".join(f"{n} with {m}" for n, m, _ in ENGINES) + " is set: --shard K/N")
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise Missing(f"--shard {text}: K/N with K from 1 to N")
    return int(match[1]), int(match[2])


def shard_of(name, many):
    """Depends on the name alone: on every machine the same, whatever other tests there are."""
    return int(hashlib.sha1(name.encode()).hexdigest(), 16) % many + 1


def digest(names):
    """Of a list of tests, in any order."""
    return hashlib.sha1("\n".join(sorted(names)).encode()).hexdigest()[:16]


def folder(output, shard):
    return output / f"shard-{shard[0]}-of-{shard[1]}" if shard else output


def folders(places):
    """Of folders that hold a run, or shards."""
    found = []
    for place in map(pathlib.Path, places):
        below = sorted(place.glob("shard-*-of-*/run.json"))
        if not below and not (place / "run.json").exists():
            raise Missing(f"{place}: neither a folder of results nor one with shards (shard-K-of-N) in it")
        found += [f.parent for f in below] or [place]
    return found


def merge(places, output):
    """(what the shards have in common, results, seconds); their logs are copied to the output folder."""
    found = folders(places)
    heads = {place: json.loads((place / "run.json").read_text()) for place in found}
    first, common = found[0], heads[found[0]]
    for place, head in heads.items():
        if not {"tests", "listed", "digest"} <= head.keys():
            raise Missing(f"{place}: run.json does not say of which list it is: a run of an earlier version of this command")
        if other := [key for key in SAME if head.get(key) != common.get(key)]:
            raise Missing(f"{first} and {place} are not of one run: another {', '.join(other)}")
    shards = {}
    for place, head in heads.items():
        shard = head.get("shard", "1/1")
        if shard in shards:
            raise Missing(f"{shards[shard]} and {place} are both shard {shard}")
        shards[shard] = place
    many = {text.split("/")[1] for text in shards}
    if len(many) > 1:
        raise Missing(f"shards of different numbers: {', '.join(sorted(shards))}")
    count = int(many.pop())
    if lost := [f"{k}/{count}" for k in range(1, count + 1) if f"{k}/{count}" not in shards]:
        raise Missing(f"no results of shard {', '.join(lost)}")
    results, seconds = Results(), {}
    for place, head in heads.items():
        part = Results.read(place)
        if len(part) < head["tests"]:
            raise Missing(f"{place} has {len(part)} of its {head['tests']} tests: --resume there goes on")
        results.update(part)
        seconds.update(read_seconds(place))
        shutil.copytree(place / "logs", output / "logs", dirs_exist_ok=True)
    if len(results) != common["listed"] or digest(results) != common["digest"]:
        raise Missing("the shards together are not the list that each was a part of")
    head = {key: value for key, value in common.items() if key not in ("shard", "tests")} | {"tests": len(results)}
    return head, results, seconds
