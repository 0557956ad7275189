"""Words of shaders to text by `atoll disasm`, and from that text back through `atoll asm` and llvm-mc."""
import collections
import dataclasses
import re
import shutil
import subprocess
import tempfile

AT_ONCE = 200  # shaders an assembler gets in one file


class Assemblers:
    def __init__(self, atoll):
        self.atoll = atoll
        self.llvm_mc, self.objcopy = (shutil.which(tool) for tool in ("llvm-mc-19", "llvm-objcopy-19"))
        if not self.llvm_mc or not self.objcopy:
            from .suite import Missing
            raise Missing("llvm-mc-19 is not installed: apt-get install llvm-19")

    def disassemble(self, words, *options):
        """Text, and what was complained of."""
        run = subprocess.run([self.atoll, "disasm", "--isa", "gfx7", *options, "-"], input=words, capture_output=True)
        return run.stdout.decode(), run.stderr.decode() or (f"status {run.returncode}" if run.returncode else "")

    def ours(self, text):
        run = subprocess.run([self.atoll, "asm", "--isa", "gfx7", "-"], input=text.encode(), capture_output=True)
        return run.stdout, run.stderr.decode()

    def llvm(self, text):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([self.llvm_mc, "-triple=amdgcn", "-mcpu=bonaire", "-filetype=obj", "-o", f"{folder}/o", "-"],
                                 input=text.encode(), capture_output=True)
            if run.returncode != 0:
                return b"", run.stderr.decode()
            subprocess.run([self.objcopy, "-O", "binary", "--only-section=.text", f"{folder}/o", f"{folder}/text"], check=True)
            with open(f"{folder}/text", "rb") as file:
                return file.read(), ""


@dataclasses.dataclass
class Result:
    shaders: int = 0
    instructions: int = 0
    bytes: int = 0
    stages: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    words: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # .long, by reason
    bad: dict = dataclasses.field(default_factory=dict)  # file: why

    def text(self):
        stages = ", ".join(f"{count} {stage}" for stage, count in sorted(self.stages.items()))
        lines = [f"  {self.shaders} distinct shaders ({stages}), {self.instructions} instructions, {self.bytes} bytes"]
        share = 1000 / max(self.instructions, 1)
        lines += [f"  {self.words.total()} instructions as .long, {self.words.total() * share:.1f} in 1,000"]
        lines += [f"    {count * share:7.2f} in 1,000: {reason}" for reason, count in self.words.most_common()]
        lines += [f"  {len(self.bad)} shaders do not come back"]
        lines += [f"    {name}: {why}" for name, why in list(self.bad.items())[:20]]
        return "\n".join(lines)


def difference(words, text, again, complaint):
    """Why these words are not the same, with the instruction."""
    if complaint:
        return complaint.strip().splitlines()[0]
    at = next((n for n in range(min(len(words), len(again))) if words[n] != again[n]), min(len(words), len(again))) // 4 * 4
    return f"{words[at:at + 8].hex()} came back as {again[at:at + 8].hex()} at {at:#x}"


def check_one(assemblers, name, words, listing):
    readable, complaint = assemblers.disassemble(words)
    if complaint:
        return f"disasm: {complaint.strip().splitlines()[0]}"
    if readable != listing:
        return "the listing beside the words is not disasm's"
    text, complaint = assemblers.disassemble(words, "--exact")
    if complaint:
        return f"disasm --exact: {complaint.strip().splitlines()[0]}"
    for assembler, label in ((assemblers.ours, "asm"), (assemblers.llvm, "llvm-mc")):
        again, complaint = assembler(text)
        if again != words:
            return f"{label}: {difference(words, text, again, complaint)}"
    return ""


def check(folder, assemblers):
    """Every *.bin of the folder, which has its listing (*.s) beside it."""
    result = Result()
    files = sorted(folder.glob("*.bin"))
    for begin in range(0, len(files), AT_ONCE):
        group = []
        for file in files[begin:begin + AT_ONCE]:
            listing = file.with_suffix(".s").read_text()
            header, listing = listing.split("\n", 1)
            group.append((file.name, file.read_bytes(), listing))
            stage = re.fullmatch(r"// bonaire (\w\w) at 0x[0-9a-f]+, (\d+) bytes", header)
            result.stages[stage[1] if stage and int(stage[2]) == len(group[-1][1]) else "unknown"] += 1
            result.shaders += 1
            result.bytes += len(group[-1][1])
            result.instructions += listing.count("\n")
            for line in listing.splitlines():
                if line.startswith(".long"):
                    reason = line.rsplit("; ", 1)[-1]
                    mnemonic = line.split("// ")[1].split()[0]
                    result.words[reason.removeprefix(mnemonic).lstrip(": ")] += 1
        # All at once; one by one only where that went wrong.
        words, text = b"".join(w for _, w, _ in group), "".join(t for _, _, t in group)
        if check_one(assemblers, "", words, text):
            for name, words, text in group:
                if why := check_one(assemblers, name, words, text):
                    result.bad[name] = why
    return result
