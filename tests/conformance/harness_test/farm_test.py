#!/usr/bin/python3
"""The job files of tests/conformance/farm: every call in them is one that the runner takes, and a farm of Slurm on this machine's loopback
runs its own from submission to the merged results."""
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import fake
from harness import shards
from harness.options import ROOT, arguments

FARM = fake.CONFORMANCE / "farm"
SLURM = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue")
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
MISSING = [p for p in SLURM if not shutil.which(p, path=PATH)]


def calls(text):
    """The runner's command lines in a job file, without what its shell does with them."""
    for found in re.findall(r"tests/conformance/run ([^\n;]*)", text):
        found = found.split(" || ")[0].replace('"$@"', "--list programs").replace('"${SLURM_CPUS_PER_TASK:-2}"', "2")
        yield shlex.split(re.sub(r"\$(\w+|\{\w+\})", "x", found.rstrip(' "')))


class JobFiles(unittest.TestCase):
    def test_every_call_is_one_that_the_runner_takes(self):
        for file, many in (("gitlab-ci.yml", 2), ("kubernetes.yaml", 2), ("slurm.sbatch", 2)):
            found = list(calls((FARM / file).read_text()))
            self.assertEqual(len(found), many, file)
            for call in found:
                if call != ["--list", "programs"]:
                    arguments(call)  # ends the test if it is refused
        subprocess.run(["bash", "-n", FARM / "slurm.sbatch"], check=True)

    def test_as_many_shards_as_jobs(self):
        text = (FARM / "kubernetes.yaml").read_text()
        completions = re.search(r"completions: (\d+)", text)[1]
        self.assertEqual(re.search(r'ATOLL_SHARDS\s+value: "(\d+)"', text)[1], completions)
        self.assertEqual(shards.parse("auto", {"JOB_COMPLETION_INDEX": str(int(completions) - 1), "ATOLL_SHARDS": completions}),
                         (int(completions), int(completions)))
        self.assertIn("completionMode: Indexed", text)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@unittest.skipIf(MISSING, f"Slurm is not there ({', '.join(MISSING)}): Debian's package slurm-wlm")
class Slurm(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="atoll-slurm", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        (self.folder / "key").write_bytes(os.urandom(64))
        (self.folder / "key").chmod(0o400)
        host, user = socket.gethostname().split(".")[0], subprocess.check_output(["id", "-un"], text=True).strip()
        d = self.folder
        (d / "slurm.conf").write_text(f"""ClusterName=atoll
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
AuthType=auth/munge
AuthInfo=socket={d}/munge.socket
CryptoType=crypto/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={d}/state
SlurmdSpoolDir={d}/spool
SlurmctldPidFile={d}/slurmctld.pid
SlurmdPidFile={d}/slurmd.pid
SlurmctldLogFile={d}/slurmctld.log
SlurmdLogFile={d}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
        self.environment = dict(os.environ, SLURM_CONF=str(d / "slurm.conf"), PATH=PATH)
        self.daemons = []
        self.addCleanup(self.stop)
        self.start("munged", "--foreground", "--force", f"--socket={d}/munge.socket", f"--key-file={d}/key", f"--pid-file={d}/munged.pid",
                   f"--log-file={d}/munged.log", f"--seed-file={d}/munged.seed")
        self.wait(lambda: (d / "munge.socket").exists(), "munged")
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D", "-N", host)
        self.wait(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%t"), "the node")

    def start(self, *command):
        log = open(self.folder / f"{command[0]}.out", "w")
        self.addCleanup(log.close)
        self.daemons.append(subprocess.Popen(command, env=self.environment, stdout=log, stderr=log))

    def stop(self):
        self.ask("scancel", "--full", "--me")
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def ask(self, *command):
        return subprocess.run(command, env=self.environment, cwd=ROOT, capture_output=True, text=True).stdout.strip()

    def wait(self, done, what):
        for _ in range(1800):
            if done():
                return
            time.sleep(0.1)
        logs = "".join(f"--- {f.name}\n{f.read_text(errors='replace')[-3000:]}" for f in sorted(self.folder.glob("*.log")))
        self.fail(f"no {what} within three minutes\n{logs}")

    def submit(self, *arguments):
        job = self.ask("sbatch", "--parsable", f"--output={self.folder}/job-%a.txt", "--cpus-per-task=1", *arguments)
        self.assertRegex(job, r"^\d+$", (self.folder / "slurmctld.log").read_text()[-3000:])
        return job

    def results(self):
        return sum(file.read_text().count("\n") for file in (self.folder / "out").glob("shard-*/results.jsonl"))

    def test_an_array_of_shards_and_their_results(self):
        fake.build(self.folder)
        # One takes long the first time: its shard is taken from its machine, and goes on.
        once = f"test -e {self.folder}/begun || {{ touch {self.folder}/begun; sleep 600; }}"
        names = [f"test{i}" for i in range(24)]
        slow = next(n for n in names if shards.shard_of(n, 3) == 2)
        fake.programs(self.folder, **{n: once if n == slow else f"echo {n} >>{self.folder}/ran" for n in names},
                      fails="exit 1")
        call = [str(FARM / "slurm.sbatch"), *fake.command(self.folder)[1:]]
        job = self.submit("--array=1-3", *call)
        merge = self.submit(f"--dependency=afterok:{job}", str(FARM / "slurm.sbatch"), "--merge", str(self.folder / "out"), "--sum",
                            "--junit", str(self.folder / "junit.xml"))
        self.wait(lambda: (self.folder / "begun").exists() and self.results() == 24, "results of the others")
        self.ask("scontrol", "requeue", f"{job}_2")
        # Slurm lets a job that it took back wait for two minutes; its machine refuses one of the second in which it ended.
        self.wait(lambda: "PENDING" in self.ask("squeue", "-h", "-j", f"{job}_2", "-o", "%T"), "requeued job")
        self.ask("scontrol", "update", f"JobId={job}_2", "StartTime=now+2")
        self.wait(lambda: not self.ask("squeue", "-h", "-j", merge), "end of the merging job")
        said = (self.folder / "job-4294967294.txt").read_text()
        self.assertEqual(said.splitlines()[-1:], ["24 passed, 1 failed, 0 skipped"], said)
        self.assertEqual(sorted((self.folder / "ran").read_text().split()), sorted(n for n in names if n != slow))
        self.assertTrue((self.folder / "junit.xml").exists())


program = unittest.main(exit=False)
if not program.result.wasSuccessful():
    sys.exit(1)
for _, reason in program.result.skipped:
    print(reason)
sys.exit(77 if program.result.skipped else 0)
