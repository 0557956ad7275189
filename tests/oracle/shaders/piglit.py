"""A fixed sample of piglit's quick_shader profile, run by its own shader_runner on the emulated GPU's render node."""
import ast
import collections
import gzip
import hashlib
import pathlib
import re
import subprocess
import xml.etree.ElementTree

FOLDER = pathlib.Path("/usr/lib/x86_64-linux-gnu/piglit")
AT_ONCE = 25  # tests of a process
SECONDS = 600  # that these may take


class Sample:
    def __init__(self, one_in, only=""):
        profile = FOLDER / "tests/quick_shader.xml.gz"
        if not profile.exists():
            from .suite import Missing
            raise Missing("piglit is not installed: apt-get install piglit")
        self.tests = collections.defaultdict(list)  # by runner
        self.of = 0
        with gzip.open(profile) as file:
            for test in xml.etree.ElementTree.parse(file).getroot():
                self.of += 1
                runner, path, *_ = ast.literal_eval(test.find("option[@name='command']").get("value"))
                # By name, so that a sample stays what it is when tests come and go.
                chosen = int(hashlib.sha256(test.get("name").encode()).hexdigest(), 16) % one_in == 0
                if chosen and only in path:
                    self.tests[runner].append(path)

    def run(self, command, env, most, folder):
        """Runs all, or until the folder has `most` shaders; a line of figures, and one for each test that ended its process."""
        env = dict(env, PIGLIT_PLATFORM="gbm", WAFFLE_GBM_DEVICE="/dev/dri/renderD128", PIGLIT_SOURCE_DIR=str(FOLDER))
        results, ended = collections.Counter(), []
        for runner, paths in sorted(self.tests.items()):
            left = sorted(paths)
            while left and not (most and sum(1 for _ in folder.glob("*.bin")) >= most):
                group = left[:AT_ONCE]
                try:
                    run = subprocess.run([*command, FOLDER / "bin" / runner, *(FOLDER / path for path in group), "-auto", "-fbo",
                                          "-report-subtests"],
                                         env=env, capture_output=True, text=True, errors="replace", timeout=SECONDS)
                    output, how = run.stdout, f"status {run.returncode}"
                except subprocess.TimeoutExpired as late:
                    output, how = (late.stdout or b"").decode(errors="replace"), f"more than {SECONDS} s"
                outcomes = re.findall(r'^PIGLIT: \{"(?:subtest": \{.*" : |result": )"(\w+)"', output, re.M)[:len(group)]
                results.update(outcomes)
                # The one behind the last outcome ended the process, and is not run again; those behind it are.
                done = len(outcomes)
                if done < len(group):
                    ended.append(f"\n    {group[done]}: {how}")
                    done += 1
                left = left[done:]
        figures = ", ".join(f"{count} {result}" for result, count in results.most_common())
        total = results.total() + len(ended)
        return f"{total} of {self.of} tests of quick_shader run ({figures}, {len(ended)} ended the process)" + "".join(ended)
