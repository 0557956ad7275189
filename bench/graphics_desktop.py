"""Whole programs on the private desktop, for bench/graphics: glmark2 in frames a second, and traces of apitrace in CPU time. llvmpipe's
desktop is drawn by llvmpipe, the emulated GPU's by that GPU."""
import collections
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

# Scenes of glmark2, with their options.
GLMARK2 = ["build", "texture", "shading:shading=phong", "bump", "desktop", "terrain"]


class Desktop:
    def __init__(self, bench, pairs):
        self.bench, self.pairs = bench, pairs

    def run(self, side, words):
        """The output of a program on a desktop of its own. llvmpipe has the same desktop: `atoll run` starts it, Mesa draws it itself."""
        before, environment = self.bench.command(side)
        if side.driver == "llvmpipe":
            before = [str(self.bench.atoll), "run", "--"]
        before = [*before[:2], "--display", "headless", *[w for w in before[2:] if w not in ("--display", "none")]]
        done = subprocess.run([*before, *words], env=environment, capture_output=True, text=True)
        drawn = re.search(r"(\d+) submissions", done.stderr)
        if done.returncode or bool(drawn) == (side.driver == "llvmpipe"):
            sys.exit(f"bench/graphics: {words[0]} on {side}: {f'exit status {done.returncode}' if done.returncode else 'drawn by the wrong driver'}: {done.stderr[-800:]}")
        return done.stdout

    def turns(self, sides, one):
        """What `one` returns for each side, forwards and backwards."""
        results = collections.defaultdict(list)
        for pair in range(self.pairs):
            for side in sides if pair % 2 == 0 else sides[::-1]:
                results[side].append(one(side))
        return results

    def glmark2(self, program, sides, seconds):
        """Frames a second by scene, in a window of 400x300 and off screen, where nothing is presented."""
        found = shutil.which(program)
        if not found:
            print("\nglmark2 is not installed")
            return None
        data = pathlib.Path(found).resolve().parents[1] / "share/glmark2"
        words = [found, "--size", "400x300", *(["--data-path", str(data)] if data.exists() else [])]
        for scene in GLMARK2:
            words += ["-b", f"{scene}:duration={seconds}"]
        rows = {}
        for where, more in (("window", []), ("off screen", ["--off-screen"])):
            runs = self.turns(sides, lambda side: {scene: float(fps) for scene, fps in re.findall(r"^\[([\w-]+)\].*?FPS: (\d+)", self.run(side, words + more), re.M)})
            # Scenes that a driver's OpenGL is too old for are missing.
            rows[where] = {str(side): {scene: statistics.median(each[scene] for each in results) for scene in results[0]} for side, results in runs.items()}
        print(f"\nglmark2, 400x300 on the private desktop, frames a second (wall time; medians of {self.pairs} pairs); in brackets Atoll's by llvmpipe's\n"
              f"{'':14}" + "".join(f"{where + ': ' + str(side.driver):>24}" for where in rows for side in sides))
        reference = str(sides[0])
        for scene in rows["window"][reference]:
            text = f"{scene:14}"
            for where in rows:
                for side in sides:
                    fps = rows[where][str(side)].get(scene)
                    ratio = "" if side is sides[0] else f" ({fps / max(rows[where][reference][scene], 1):5.2f})" if fps else "        "
                    text += f"{fps or 0:{24 - len(ratio)}.0f}{ratio}" if fps else f"{'-':>24}"
            print(text)
        return rows

    def traces(self, files, sides):
        """CPU time of a whole replay, its start and shaders included, and of the last frame drawn again and again, without either."""
        if not shutil.which("apitrace"):
            print("\napitrace is not installed: no traces")
            return None

        def replay(side, file, repeats):
            text = self.run(side, ["bash", "-c", f'apitrace replay --benchmark --headless {f"--loop={repeats}" if repeats else ""} "$0" && times', str(file.resolve())])
            frames = int(re.search(r"Rendered (\d+) frames", text)[1])
            minutes = re.findall(r"(\d+)m([\d.]+)s", text)[-2:]  # of the replay alone: the shell's children
            return sum(60 * float(m) + float(s) for m, s in minutes), frames

        def one(side, file):
            whole, frames = replay(side, file, 0)
            few, many = (replay(side, file, repeats)[0] for repeats in (100, 300))  # (not all versions count the repeated frames)
            return {"seconds": whole, "frames": frames, "last_ms": (many - few) / 200 * 1e3}

        rows = {}
        print(f"\ntraces, CPU time of the replay, nothing presented (medians of {self.pairs} pairs); ratio: llvmpipe's by Atoll's")
        for file in files:
            runs = self.turns(sides, lambda side: one(side, file))
            rows[file.name] = {str(side): {what: statistics.median(each[what] for each in results) for what in results[0]} for side, results in runs.items()}
            reference = rows[file.name][str(sides[0])]
            for side in sides:
                figures = rows[file.name][str(side)]
                print(f"{file.name:24} {side.driver:9} whole, {figures['frames']:.0f} frames: {figures['seconds']:7.2f} s ({reference['seconds'] / figures['seconds']:.2f})   "
                      f"last frame: {figures['last_ms']:7.2f} ms ({reference['last_ms'] / figures['last_ms']:.2f})")
        return rows
