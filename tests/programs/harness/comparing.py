"""The same on the GPU and in software, and how far the two are apart."""
import pathlib
import re
import shutil
import subprocess

import numpy

from . import judge, program

PATIENCE = 90  # seconds beyond what a run was given, on a busy machine
REPLAY = 600


class Differs(Exception):
    """Why a comparison did not come out as it has to."""


def fill(words, **names):
    """{out} and others in the words of a command; other braces stay."""
    return [re.sub(r"\{(\w+)\}", lambda m: str(names.get(m[1], m[0])), word) for word in words]


def bitmap(path):
    """The texels of a Windows bitmap of 32 bits, as gfxrecon-replay writes them: height, width, RGBA; opaque."""
    data = pathlib.Path(path).read_bytes()
    begin, width, height, bits = (int.from_bytes(data[at:at + size], "little", signed=True) for at, size in ((10, 4), (18, 4), (22, 4), (28, 2)))
    if data[:2] != b"BM" or bits != 32:
        raise Differs(f"{path.name} is not a bitmap of 32 bits")
    texels = numpy.frombuffer(data, "u1", width * abs(height) * 4, begin).reshape(abs(height), width, 4)[:, :, [2, 1, 0, 3]].copy()
    texels[:, :, 3] = 255
    return texels[::-1].copy() if height > 0 else texels


class Comparison:
    """One row's comparisons. `names`: what {scenes}, {work} and {bin} are; `folder`: where everything is left."""

    def __init__(self, row, binaries, gpu, software, folder, names):
        self.row, self.binaries, self.gpu, self.software, self.folder, self.names = row, binaries, gpu, software, folder, names
        self.used = "llvmpipe" if row.api == "gl" else "lavapipe" if row.api == "vulkan" else "PoCL"

    def on_gpu(self, words, name, out, expected=(0,), **options):
        """Runs on the GPU, judged like the live run."""
        out.mkdir(parents=True, exist_ok=True)
        status, text = self.gpu.run(fill(words, out=out, **self.names), self.folder / f"{name}.txt", self.row.environment | options.pop("environment", {}), **options)
        reasons = judge.reasons_of(status, text, status if status in expected else expected[0])
        if reasons:
            raise Differs(f"{name}: " + "; ".join(reasons))
        return text

    def in_software(self, words, name, out, expected=(0,), **options):
        out.mkdir(parents=True, exist_ok=True)
        status, text = self.software.run(fill(words, out=out, **self.names), self.folder / f"{name}.txt", self.row.environment | options.pop("environment", {}), **options)
        if status not in expected:
            raise Differs(f"{name}: {self.used} ended with status {status}: {text.strip().splitlines()[-1:]}")
        return text

    def pictures(self, reference, picture, bounds):
        """(within the bounds, percent, elsewhere than at edges)"""
        difference = self.folder / (picture.stem + "-difference.png")
        done = subprocess.run([self.binaries / "compare_pictures", "--tolerance", str(bounds.tolerance), "--share", str(bounds.share), "--inside", str(bounds.inside),
                               "--difference", difference, reference, picture], capture_output=True, text=True)
        match = re.match(r"([\d.]+) % .* (\d+) at edges, (\d+) elsewhere", done.stdout)
        if not match:
            raise Differs(f"{picture.name}: {done.stderr.strip()}")
        if done.returncode == 0:
            difference.unlink(missing_ok=True)
        return done.returncode == 0, float(match[1]), int(match[3])

    def all_pictures(self, pairs, bounds, what):
        """A sentence about pairs of pictures (name, reference, picture)."""
        if not pairs:
            raise Differs(f"no {what} to compare")
        found = [(name, *self.pictures(reference, picture, bounds)) for name, reference, picture in pairs]
        worst = max(found, key=lambda one: one[2])
        text = f"{len(found)} {what} beside {self.used}: at most {worst[2]:.3f} % of the pixels off by more than {bounds.tolerance}/255, {max(one[3] for one in found)} away from edges"
        bad = [one[0] for one in found if not one[1]]
        if bad:
            raise Differs(f"{text}; too many in {', '.join(bad[:4])}{' and more' if len(bad) > 4 else ''}")
        return text

    def still(self, one):
        mine, theirs = self.folder / "still.png", self.folder / "still-software.png"
        by_time = (0, judge.ENDED_BY_TIME)
        options = {"display": "headless", "timeout": one.seconds, "patience": one.seconds + PATIENCE, "environment": one.environment, "expected": by_time}
        for picture in (mine, theirs):
            picture.unlink(missing_ok=True)
        self.on_gpu(one.words, "still", self.folder / "still", pictures=[mine], **options)
        text = self.in_software(one.software or one.words, "still-software", self.folder / "still-software", pictures=[theirs], **options)
        if one.software:
            renderer = re.search(r"renderer: (.*?)\"?, source", text) or re.search(r"renderer: (.*)", text)
            driver = renderer and re.search(r"llvmpipe|SwiftShader", renderer[1])
            if not driver:
                raise Differs(f"the picture to compare with was drawn by {renderer[1] if renderer else 'nobody knows whom'}")
            # Vulkan's device of the name llvmpipe is lavapipe.
            self.used = "lavapipe" if driver[0] == "llvmpipe" and "Vulkan" in renderer[1] else driver[0]
        return self.all_pictures([("the window", theirs, mine)], one.bounds, "window at rest")

    def calls(self, one):
        trace = self.folder / "calls.trace"
        trace.unlink(missing_ok=True)
        options = {"display": "headless", "patience": one.seconds + PATIENCE, "environment": one.environment}
        # llvmpipe's window is still black in the first frames of some replays: the first picture is not compared.
        # The program may end by itself; how it ends when it is told to is its own business, and apitrace's.
        by_time = (judge.ENDED_BY_TIME, 0)
        self.on_gpu(("apitrace", "trace", "-o", str(trace), *one.words), "calls", self.folder / "calls", timeout=one.seconds, expected=by_time, **options)
        ignored = (f"--ignore-calls=@{self.calls_with(trace, one.without)}",) if one.without else ()
        return self.replayed(one.bounds, lambda out: ("apitrace", "replay", f"--snapshot-interval={one.every}", f"--snapshot-prefix={out}/", *ignored, str(trace)), skipped=1)

    def calls_with(self, trace, part):
        """A file with the numbers of the calls that name it."""
        text = subprocess.run(["apitrace", "dump", "--color=never", str(trace)], capture_output=True, text=True, errors="replace").stdout
        file = self.folder / "left-out.txt"
        file.write_text("".join(line.split(" ", 1)[0] + "\n" for line in text.splitlines() if part in line))
        return file

    def vulkan_calls(self, one):
        capture = self.folder / "calls.gfxr"
        capture.unlink(missing_ok=True)
        self.on_gpu(one.words, "calls", self.folder / "calls", display="headless", patience=300, environment={
            "VK_INSTANCE_LAYERS": "VK_LAYER_LUNARG_gfxreconstruct", "GFXRECON_CAPTURE_FILE": str(capture), "GFXRECON_CAPTURE_FILE_TIMESTAMP": "false"})
        frames = ",".join(str(frame) for frame in one.frames)

        def replay(out):
            # Another driver has other kinds of memory: "rebind".
            return ("gfxrecon-replay", "-m", "rebind", "--screenshots", frames, "--screenshot-dir", str(out), "--screenshot-prefix", "frame", str(capture))

        return self.replayed(one.bounds, replay, environment={"VK_INSTANCE_LAYERS": ""})

    def replayed(self, bounds, command, environment=None, skipped=0):
        """A recording's frames, drawn twice; the first `skipped` are not compared."""
        mine, theirs = self.folder / "frames", self.folder / "frames-software"
        for out in (mine, theirs):
            shutil.rmtree(out, ignore_errors=True)
        options = {"display": "headless", "patience": REPLAY, "environment": environment or {}}
        self.on_gpu(command(mine), "frames", mine, **options)
        self.in_software(command(theirs), "frames-software", theirs, **options)
        missing = {file.name for file in theirs.iterdir()} ^ {file.name for file in mine.iterdir()}
        if missing:
            raise Differs(f"{len(missing)} frames are on one side only")
        pairs = []
        for file in sorted(mine.iterdir())[skipped:]:
            if file.suffix == ".bmp":
                pairs += self.texels(file.name, bitmap(theirs / file.name)[None], bitmap(file)[None])
            else:
                pairs.append((file.name, theirs / file.name, file))
        return self.all_pictures(pairs, bounds, "frames of its calls")

    def files(self, one):
        mine, theirs = self.folder / "files", self.folder / "files-software"
        shutil.rmtree(mine, ignore_errors=True), shutil.rmtree(theirs, ignore_errors=True)
        display = "none" if self.row.display == "none" else "headless"
        self.on_gpu(one.words, "files", mine, display=display, patience=one.seconds + PATIENCE)
        self.in_software(one.words, "files-software", theirs, display=display, patience=one.seconds + PATIENCE)
        names = sorted({file.name for file in mine.iterdir() if file.is_file()} | {file.name for file in theirs.iterdir() if file.is_file()})
        pairs, numbers, largest = [], 0, 0.0
        for name in names:
            a, b = theirs / name, mine / name
            if not (a.exists() and b.exists()):
                raise Differs(f"{name} is on one side only")
            if name.endswith(".png"):
                pairs.append((name, a, b))
            elif name.endswith(".rgba"):
                pairs += self.texels(name, *(numpy.fromfile(file, "u1").reshape(-1, one.size[1], one.size[0], 4) for file in (a, b)))
            else:
                wanted, found = numpy.load(a), numpy.load(b)
                if found.shape != wanted.shape:
                    raise Differs(f"{name}: {found.shape} and {wanted.shape}")
                if found.ndim == 3 and found.shape[2] == 4 and found.dtype == numpy.uint8:
                    pairs += self.texels(name, wanted[None], found[None])
                    continue
                numbers += found.size
                off = numpy.abs(found.astype("f8") - wanted) / numpy.maximum(1, numpy.abs(wanted.astype("f8")))
                largest = max(largest, float(off.max()))
                if off.max() > one.tolerance:
                    raise Differs(f"{name}: {numpy.count_nonzero(off > one.tolerance)} of {found.size} numbers differ from {self.used}'s, by {off.max():.2g}")
        said = [self.all_pictures(pairs, one.bounds, "pictures")] if pairs else []
        if numbers:
            said.append(f"{numbers} numbers beside {self.used}: at most {largest:.1g} off")
        if not said:
            raise Differs("it left no results")
        return "; ".join(said)

    def texels(self, name, references, found):
        """PNG files of arrays of pictures."""
        if references.shape != found.shape:
            raise Differs(f"{name}: {len(found)} and {len(references)} pictures")
        for i, both in enumerate(zip(references, found)):
            files = []
            for side, texels in zip(("-software", ""), both):
                raw = self.folder / "texels.raw"
                texels.tofile(raw)
                files.append(self.folder / f"{name.rsplit('.', 1)[0]}-{i}{side}.png")
                subprocess.run([self.binaries / "raw_to_png", raw, str(texels.shape[1]), str(texels.shape[0]), files[-1]], check=True)
                raw.unlink()
            yield f"{name} {i}", *files

    def run(self, one):
        return {program.Still: self.still, program.Calls: self.calls, program.VulkanCalls: self.vulkan_calls, program.Files: self.files}[type(one)](one)
