"""Runs the manifest: compiles, asks PoCL, launches on both engines, compares. One `combination` is one entry compiled for
one GPU, optimisation level and wave size; it passes when both engines give results within the bounds and the same bits."""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import warnings
import zlib

import numpy as np

from . import entries as manifest
from . import given, sweep
from .check import Exact, Near, Ulp
from .entry import In, InOut, Kernel, Local, Null, Out, Struct, Value

warnings.simplefilter("ignore", RuntimeWarning)  # the manifest is full of infinities on purpose
ROOT = pathlib.Path(__file__).resolve().parents[3]
GPUS, LEVELS, WAVES, ENGINES = ("gfx1200", "gfx1201", "bonaire"), ("0", "1", "2", "3"), (32, 64), ("interpreter", "jit")
WAVES_OF = {"bonaire": (64,)}  # a fifth of all combinations, and a quarter of a sample, is bonaire's
LACKING = ("bonaire",)         # GPUs without instructions that some of the kernels name
Combination = collections.namedtuple("Combination", "entry gpu level wave")


def label(c):
    return f"{c.entry.name} {c.gpu} -O{c.level} wave{c.wave}"


def digest(*parts):
    h = hashlib.sha256()
    for part in parts:
        h.update(part if isinstance(part, bytes) else str(part).encode())
        h.update(b"\0")
    return h.hexdigest()[:24]


class Suite:
    def __init__(self, options):
        self.options = options
        self.build = pathlib.Path(options.build).resolve()
        self.place = self.build / "kernel_suite"
        self.atoll = pathlib.Path(options.atoll) if options.atoll else self.build / "bin/atoll"
        self.pocl_run = self.build / "tests/pocl_run"
        self.compiler = ROOT / "tests/oracle/compile_kernel"
        for name in ("inputs", "objects", "oracle", "sources", "runs", "pocl_cache"):
            (self.place / name).mkdir(parents=True, exist_ok=True)
        self.sources = {}
        self.failures, self.skips = [], []
        self.oracle_notes = collections.Counter()
        self.toolchain = subprocess.run(["clang-19", "--version"], capture_output=True, text=True).stdout
        self.pool = concurrent.futures.ThreadPoolExecutor(options.jobs)

    # The manifest ------------------------------------------------------------------------------------------------

    def load(self):
        everything = manifest.entries()
        for chunk in sweep.chunks():
            path = self.place / "sources" / f"{chunk.name}.cl"
            if not path.exists() or path.read_text() != chunk.source():
                path.write_text(chunk.source())
            for entry in chunk.entries:
                entry.file = str(path)
            everything += chunk.entries
        place = given.folder()
        if place:
            everything += given.entries(place, self.place / "sources")
        else:
            self.skips.append("given: no folder of given kernels here (ATOLL_GIVEN_KERNELS)")
        names = [e.name for e in everything]
        assert len(set(names)) == len(names), [n for n in names if names.count(n) > 1]
        return everything

    def choose(self, everything):
        """All combinations, or a fixed stratified sample: every source file in turn, every entry once before any twice."""
        rows = []
        for entry in everything:
            if not any(word in entry.name for word in self.options.only or [""]):
                continue
            for gpu in GPUS:
                for level in LEVELS:
                    for wave in WAVES:
                        if wave not in WAVES_OF.get(gpu, WAVES):
                            continue
                        c = Combination(entry, gpu, level, wave)
                        if not all(word in label(c) for word in self.options.where or []):
                            continue
                        if gpu in LACKING and entry.unsound:
                            self.skips.append(f"{label(c)}: {entry.unsound}")
                        elif wave in entry.waves:
                            rows.append(c)
                        elif not self.options.sample:
                            self.skips.append(f"{label(c)}: this kernel has no wave{wave} form")
        if not self.options.sample:
            return rows
        hashed = lambda text: zlib.crc32(text.encode())
        by_entry = collections.defaultdict(list)
        for c in sorted(rows, key=lambda c: hashed(label(c))):
            by_entry[c.entry.name].append(c)
        by_file = collections.defaultdict(list)
        for name in sorted(by_entry, key=hashed):
            for turn, c in enumerate(by_entry[name]):
                by_file[c.entry.file].append((turn, hashed(label(c)), c))
        chosen = []
        for rows_of_file in by_file.values():
            rows_of_file.sort(key=lambda row: row[:2])
        while len(chosen) < self.options.sample and any(by_file.values()):
            for rows_of_file in by_file.values():
                if rows_of_file and len(chosen) < self.options.sample:
                    chosen.append(rows_of_file.pop(0)[2])
        return chosen

    # Files -------------------------------------------------------------------------------------------------------

    def input(self, data):
        data = data.tobytes() if isinstance(data, np.ndarray) else data
        path = self.place / "inputs" / digest(data)
        if not path.exists():
            temporary = path.with_suffix(f".{os.getpid()}.{id(data)}")
            temporary.write_bytes(data)
            temporary.rename(path)
        return path

    def words(self, entry, outputs):
        """The arguments as both programs take them; outputs are written to the given paths."""
        words, paths = [], iter(outputs)
        for a in entry.arguments:
            if isinstance(a, In):
                words.append(f"in={self.input(a.data)}")
            elif isinstance(a, Out):
                words.append(f"out={next(paths)}:{np.dtype(a.dtype).itemsize * a.count}")
            elif isinstance(a, InOut):
                words.append(f"inout={self.input(a.data)}:{next(paths)}")
            elif isinstance(a, Local):
                words.append(f"local={a.bytes}")
            elif isinstance(a, Struct):
                words.append(f"struct={self.input(a.data)}")
            elif isinstance(a, Null):
                words.append("null")
            elif isinstance(a, Value):
                words.append(a.text())
        return words

    def source_text(self, file):
        if file not in self.sources:
            self.sources[file] = (ROOT / file).read_bytes()
        return self.sources[file]

    # Compiling ---------------------------------------------------------------------------------------------------

    def object_for(self, c):
        key = digest(self.source_text(c.entry.file), self.compiler.read_bytes(), self.toolchain, c.gpu, c.level, c.wave)
        return self.place / "objects" / f"{pathlib.Path(c.entry.file).stem}.{c.gpu}.O{c.level}.w{c.wave}.{key}.co"

    def clang(self, c, source, path, *more):
        """What clang says, with errors and, where the GPU lacks instructions, with the library functions whose bodies clang leaves out
        for that, whatever their callers make of it. `path` is there when nothing is wrong."""
        temporary = path.with_suffix(f".{os.getpid()}.{id(c)}.tmp")
        says = ["-Rpass=amdgpu-remove-incompatible-functions"] if c.gpu in LACKING else []
        run = subprocess.run([self.compiler, source, temporary, c.gpu, str(c.wave), f"-O{c.level}", *says, *more], capture_output=True, text=True)
        removed = {name: text for text, name in re.findall(r"remark: (removing function '(\w+)'.*?)(?: \[|$)", run.stderr, re.M)}
        errors = re.findall(r"error: (.*)", run.stderr) or ([f"exit {run.returncode}"] if run.returncode else [])
        if errors or removed:
            temporary.unlink(missing_ok=True)
        else:
            temporary.rename(path)
        return errors, removed

    def compile_one(self, c, path):
        """The object of the kernel's file. Kernels that call what the GPU has no instructions for are left out, with clang's reasons
        beside the object. None, or what is wrong."""
        source = ROOT / c.entry.file
        errors, removed = self.clang(c, source, path)
        if not removed:
            return errors[:1]
        calls = path.with_suffix(".ll")
        self.clang(c._replace(level="0"), source, calls, "-S", "-emit-llvm")
        left_out = reaching(calls.read_text(), removed)
        calls.unlink()
        rest = self.place / "sources" / f"{path.stem}.cl"
        rest.write_text(without_kernels(self.source_text(c.entry.file).decode(), left_out))
        errors, removed = self.clang(c, rest, path)
        path.with_suffix(".left_out").write_text(json.dumps(left_out))
        return errors[:1] or list(removed.values())[:1]

    def compile(self, chosen):
        wanted = {self.object_for(c): c for c in chosen}
        missing = {path: c for path, c in wanted.items() if not path.exists()}
        reasons = self.pool.map(lambda item: self.compile_one(item[1], item[0]), missing.items())
        broken = {path: why for path, why in zip(missing, reasons) if why}
        print(f"kernel suite: {len(wanted)} objects, {len(missing)} compiled now, {len(broken)} do not compile", flush=True)
        return broken

    def unbuildable(self, c):
        """Why clang has no such kernel for a GPU that lacks what it needs. Sources leave some out: with WITH_kernel clang says why."""
        path = self.object_for(c)
        if c.gpu not in LACKING or f"\0{c.entry.kernel}.kd\0".encode() in path.read_bytes():
            return None
        left_out = path.with_suffix(".left_out")
        if left_out.exists() and c.entry.kernel in (reasons := json.loads(left_out.read_text())):
            return f"clang builds none for {c.gpu}: {reasons[c.entry.kernel]}"
        errors, removed = self.clang(c, ROOT / c.entry.file, path.with_suffix(".with"), f"-DWITH_{c.entry.kernel}")
        return f"clang builds none for {c.gpu}: {errors[0]}" if errors else f"clang builds it for {c.gpu}, but the source leaves it out"

    # The oracle --------------------------------------------------------------------------------------------------

    def oracle_key(self, entry):
        return digest(self.source_text(entry.oracle_file or entry.file), self.pocl_run.stat().st_mtime_ns, entry.kernel, entry.grid_on_oracle or entry.grid, entry.group, *self.words(entry, ["-"] * 9))

    def ask_oracle(self, chosen):
        """PoCL's results for every entry that it can run, a file at a time; kept by what went into them."""
        jobs = collections.defaultdict(list)
        for entry in {c.entry.name: c.entry for c in chosen if c.entry.oracle}.values():
            key = self.oracle_key(entry)
            entry.oracle_paths = [self.place / "oracle" / f"{key}.{k}" for k in range(len(entry.outputs()))]
            if not all(p.exists() for p in entry.oracle_paths):
                jobs[entry.oracle_file or entry.file].append(entry)
        parts = [(file, group[k:k + 40]) for file, group in jobs.items() for k in range(0, len(group), 40)]

        def one(part):
            file, group = part
            text = ""
            for entry in group:
                grid, words = entry.grid_on_oracle or entry.grid, self.words(entry, [f"{p}.new" for p in entry.oracle_paths])
                text += "\t".join(["--kernel", entry.kernel, "--grid", ",".join(map(str, grid)), "--group", ",".join(map(str, entry.group)), *words]) + "\n"
            batch = self.place / "oracle" / f"batch.{os.getpid()}.{digest(text)}"
            batch.write_text(text)
            environment = dict(os.environ, POCL_CACHE_DIR=str(self.place / "pocl_cache"))
            run = subprocess.run([self.pocl_run, ROOT / file, "--build", "-cl-std=CL1.2", "--threads", "1", "--batch", batch], capture_output=True, text=True, env=environment)
            batch.unlink()
            for entry in group:
                for p in entry.oracle_paths:
                    if pathlib.Path(f"{p}.new").exists():
                        pathlib.Path(f"{p}.new").rename(p)
            ended = "" if run.returncode in (0, 1) else f"! {file}: pocl_run ended with {run.returncode}\n"
            return run.stderr + ended

        for text in self.pool.map(one, parts):
            for line in text.splitlines():
                if line.startswith("! ") or "error" in line:
                    print("oracle:", line[:300])
        print(f"kernel suite: oracle asked for {sum(len(g) for g in jobs.values())} kernels", flush=True)

    # Launching ---------------------------------------------------------------------------------------------------

    def launch(self, c, engine, folder):
        outputs = [folder / f"{engine}{k}" for k in range(len(c.entry.outputs()))]
        threads = "2" if engine == "jit" and c.gpu != "gfx1200" else "1"
        command = [self.atoll, "launch", self.object_for(c), "--kernel", c.entry.kernel, "--grid", ",".join(map(str, c.entry.grid)), "--group", ",".join(map(str, c.entry.group)),
                   "--engine", engine, "--threads", threads, *(["--deterministic"] if c.entry.ordered else []), *self.words(c.entry, outputs)]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            return None, f"{engine}: no end after {self.options.timeout} s", command
        if run.returncode != 0:
            return None, f"{engine}: exit {run.returncode}: {(run.stderr.strip().splitlines() or ['no message'])[0][:240]}", command
        try:
            data = [np.frombuffer(p.read_bytes(), a.dtype if isinstance(a, Out) else a.data.dtype) for p, a in zip(outputs, c.entry.outputs())]
        except (OSError, ValueError) as error:
            return None, f"{engine}: output: {error}", command
        return (data, run.stdout), None, command

    def wanted(self, c):
        exact = c.entry.exact() if c.entry.exact else [None] * len(c.entry.outputs())
        if c.gpu in LACKING and c.entry.promoted:
            return c.entry.promoted(c.wave), exact, None
        if c.entry.expect:
            return c.entry.expect(c.wave), exact, None
        if not c.entry.oracle:
            return [None] * len(c.entry.outputs()), exact, None
        if not all(p.exists() for p in c.entry.oracle_paths):
            return None, None, "the oracle gave no result (see above)"
        return [np.frombuffer(p.read_bytes(), a.dtype if isinstance(a, Out) else a.data.dtype) for p, a in zip(c.entry.oracle_paths, c.entry.outputs())], exact, None

    def compare(self, c, data):
        """Sentences about what is wrong with one engine's results."""
        wanted, exact, missing = self.wanted(c)
        if missing:
            return [missing]
        wrong = []
        for k, (output, got, want, reference) in enumerate(zip(c.entry.outputs(), data, wanted, exact)):
            if want is None:
                continue
            check = lambda values: output.check(values, want) if isinstance(output.check, Exact) else output.check(values, want, reference)
            want = np.ascontiguousarray(np.asarray(want).astype(got.dtype, copy=False)).ravel()
            if want.shape != got.shape:
                wrong.append(f"output {k}: {got.size} values, wanted {want.size}")
                continue
            text = check(got)
            if text:
                wrong.append(f"output {k}: {text}")
            elif check(spoilt(got)) is None:
                wrong.append(f"output {k}: this comparison cannot fail")
        if c.entry.property:
            text = c.entry.property(data)
            if text:
                wrong.append(text)
        return wrong

    def run(self, c):
        folder = self.place / "runs" / digest(os.getpid(), label(c))
        folder.mkdir(exist_ok=True)
        wrong, results, command = [], {}, []
        try:
            for engine in self.options.engines:
                result, failure, command = self.launch(c, engine, folder)
                if failure:
                    wrong.append(failure)
                    continue
                results[engine] = result
                wrong += [f"{engine}: {text}" for text in self.compare(c, result[0])]
                if c.entry.text is not None and result[1] != c.entry.text:
                    wrong.append(f"{engine}: printed {result[1]!r}")
            if len(results) == 2 and not c.entry.property:
                (first, one), (second, two) = results.values()
                if [d.tobytes() for d in first] != [d.tobytes() for d in second] or one != two:
                    wrong.append("the engines' results differ")
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return c, wrong, command

    # Without Atoll -----------------------------------------------------------------------------------------------

    def check_oracle(self, chosen):
        """What the oracle gives against the references: shows mistakes of the manifest, and the oracle's own."""
        bad = 0
        for entry in {c.entry.name: c.entry for c in chosen if c.entry.oracle}.values():
            c = Combination(entry, "gfx1200", "2", 32)
            wanted, exact, missing = self.wanted(c)
            texts = [missing] if missing else self.compare(c, wanted)
            for text in texts:
                bad += 1
                print(f"oracle {entry.name}: {text}")
        print(f"kernel suite: {bad} entries whose oracle is off its reference")
        return bad


def reaching(module, removed):
    """The functions of an LLVM module that call one of those removed, at any depth, with that one's reason."""
    callers, name = collections.defaultdict(set), None
    for line in module.splitlines():
        if found := re.match(r"define .*?@(\w+)\(", line):
            name = found.group(1)
        elif name:
            for callee in re.findall(r"@(\w+)", line):
                callers[callee].add(name)
    reached, waiting = {}, list(removed.items())
    while waiting:
        name, reason = waiting.pop()
        if name not in reached:
            reached[name] = reason
            waiting += [(caller, reason) for caller in callers[name]]
    return reached


def without_kernels(text, names):
    out, at = "", 0
    for found in re.finditer(r"\b(?:__)?kernel\s[^{;]*?\b(\w+)\s*\([^{;]*\)\s*{", text):
        if found.group(1) not in names or found.start() < at:
            continue
        depth, end = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        out += text[at:found.start()]
        at = end
    return out + text[at:]


def kind_of(text):
    """A failure without the names and numbers that make it a single one, for the counts at the end."""
    missing = re.search(r"\((\w+) has no semantics[^)]*\)", text)
    if missing:
        return f"no semantics: {missing.group(1)}"
    text = re.sub(r"atoll: launch: [\w]+: ", "", text)
    return re.sub(r"0x[0-9a-f]+|\d[\d.e+-]*", "N", text)[:110]


def spoilt(values):
    """A copy with one element plainly wrong, to show that the comparison notices."""
    copy = values.copy()
    at = int(zlib.crc32(values.tobytes()) % values.size)
    if values.dtype.kind != "f":
        copy[at] ^= copy.dtype.type(1)
    elif not np.isfinite(values[at]):
        copy[at] = 1
    else:
        copy[at] = values[at] + abs(values[at]) * copy.dtype.type(0.75) + copy.dtype.type(8) if abs(values[at]) < np.finfo(values.dtype).max / 4 else 0
    return copy


def main():
    parser = argparse.ArgumentParser(prog="kernel_suite", description=__doc__)
    parser.add_argument("--build", default=ROOT / "build/release", help="build folder")
    parser.add_argument("--atoll", help="the binary, when it is not build/bin/atoll")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="a fixed stratified sample of N combinations")
    parser.add_argument("--full", action="store_true", help="every combination (the default)")
    parser.add_argument("--only", action="append", metavar="TEXT", help="entries whose name holds TEXT")
    parser.add_argument("--where", action="append", metavar="TEXT", help="combinations that hold every TEXT, such as gfx1201, -O2, wave32")
    parser.add_argument("--engines", type=lambda t: t.split(","), default=list(ENGINES))
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one launch")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--commands", action="store_true", help="print the command line of every failure")
    parser.add_argument("--check-oracle", action="store_true", help="compare the oracle with the references; Atoll is not run")
    options = parser.parse_args()
    started = time.time()
    suite = Suite(options)
    chosen = suite.choose(suite.load())
    if options.list:
        for c in chosen:
            print(label(c))
        return 0
    if not chosen:
        print("kernel suite: nothing has that name", file=sys.stderr)
        return 2
    needed = [suite.pocl_run] + ([] if options.check_oracle else [suite.atoll])
    for program in needed:
        if not program.exists():
            print(f"kernel suite: {program} is missing: build it first (cmake --build --preset release)", file=sys.stderr)
            return 2
    suite.ask_oracle(chosen)
    if options.check_oracle:
        return 1 if suite.check_oracle(chosen) else 0
    broken = suite.compile(chosen)
    passed, failed, launches = 0, 0, 0
    ready = []
    for c in chosen:
        if suite.object_for(c) in broken:
            failed += 1
            print(f"FAILED {label(c)}: does not compile: {broken[suite.object_for(c)]}")
        elif why := suite.unbuildable(c):
            failed += "leaves it out" in why
            suite.skips.append(f"{label(c)}: {why}")
            print(f"not buildable: {label(c)}: {why}")
        else:
            ready.append(c)
    reasons = collections.Counter()
    for c, wrong, command in suite.pool.map(suite.run, ready):
        launches += len(options.engines)
        if wrong:
            failed += 1
            print(f"FAILED {label(c)}: " + "; ".join(wrong), flush=True)
            reasons[kind_of(wrong[0])] += 1
            if options.commands:
                print("  " + " ".join(map(str, command)))
        else:
            passed += 1
    for reason, count in reasons.most_common(30):
        print(f"  {count} x {reason}")
    skipped = collections.Counter(text.split(": ", 1)[1] for text in suite.skips)
    for reason, count in skipped.items():
        print(f"  {count} skipped: {reason}")
    alone = sum(c.entry.expect is not None and c.entry.text is None and all(w is None for w in c.entry.expect(c.wave)) and bool(c.entry.outputs()) for c in chosen)
    if alone:
        print(f"  {alone} combinations only compare the two engines with each other (results that depend on order, functions that the device library has wrong)")
    entries = len({c.entry.name for c in chosen})
    print(f"kernel suite: {entries} kernels, {len(chosen)} combinations of GPU, level and wave size, {launches} launches on {', '.join(options.engines)}; {time.time() - started:.0f} s")
    print(f"{passed} passed, {failed} failed" + (f", {len(suite.skips)} skipped" if suite.skips else ""))
    return 1 if failed else 0
