"""The pseudocode blocks of the RDNA4 ISA manual's chapter 16, read where tests/outside.py finds it.
Nothing of the manual is kept here: names of instructions, and the traps of its text (footers cut blocks, headings stand in fences)."""
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import outside  # noqa: E402

TITLE = "RDNA4"

_SECTION = re.compile(r"^(?:#+ )?(?:<span[^>]*></span>)?\*\*(16\.\d+(?:\.\d+)*)\. (.+?)\*\*")
_HEADING = re.compile(r"^(?:#+ *)?(?:<span[^>]*></span>)*\**([A-Z][A-Z0-9]*(?:\\?_[A-Z0-9]+)+)(?:\s+|\*\*\s*)(\d+)\**\s*$")
_FOOTER = re.compile(r"\d+ of 697\s*$")


class Entry:
    def __init__(self, section, name, number):
        self.section, self.name, self.number, self.lines = section, name, number, []
        self.code = ""  # all of its blocks, one behind the other

    def __repr__(self):
        return f"{self.section}/{self.name}"


def text():
    folder = outside.manuals("the RDNA4 ISA manual: the vectors were not made anew")
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith(".txt") and os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                content = file.read()
            if '"RDNA4"' in content[:6000] and "Instruction Set Architecture" in content[:6000]:
                return content
    sys.exit(f"{folder}: no RDNA4 ISA manual there")


_EXAMPLE = re.compile(r"=>|\u21d2|^\s*[vs]_\w+ \S|\bs_endpgm\b|: xor_mask|\{ A, B|Pseudocode follows|for \(|S0 binary", re.M)
_STATEMENT = re.compile(r"=|\b(declare|then|else|elsif|endif|do|endfor|break)\b|^\s*\w+\(.*\);?\s*$", re.M)
_LOOSE = re.compile(r"^(D0|SCC)[.\w\[\]: ]* = \S.*$")


def _is_code(block):
    """Whether a fenced block is pseudocode, and not an example of results or of assembler text."""
    body = "\n".join(block)
    return bool(_STATEMENT.search(body)) and not _EXAMPLE.search(body)


def entries(content=None):
    """All entries by the manual's order. An entry that stands in two sections (VOP1 and VOP3) is there twice."""
    lines = (content or text()).split("\n")
    start = next(i for i, l in enumerate(lines) if l.startswith("#") and "Chapter 16. Instructions**" in l)
    section, current, result, skip = None, None, [], 0
    for index in range(start, len(lines)):
        line = lines[index].rstrip()
        if skip:
            skip -= 1
            continue
        if _FOOTER.search(line):
            continue
        found = _SECTION.match(line)
        if found:
            section, current = found.group(2).split()[0], None
            continue
        fenced = line.startswith("```") and index + 2 < len(lines) and lines[index + 2].startswith("```")
        found = _HEADING.match(lines[index + 1].rstrip() if fenced else line)
        if found:
            current = Entry(section, found.group(1).replace("\\_", "_"), int(found.group(2)))
            result.append(current)
            skip = 2 if fenced else 0
            continue
        if current:
            current.lines.append(line)
    lost = None
    for entry in result:
        blocks, block = [], None
        for line in entry.lines:
            if line.startswith("```"):
                if block is None:
                    block = []
                else:
                    blocks.append(block)
                    block = None
            elif block is not None:
                block.append(line)
        entry.code = "\n".join("\n".join(b) for b in blocks if _is_code(b))
        if not entry.code:  # single lines may stand outside of fences, with escaped signs
            plain = [line.replace("\\", "") for line in entry.lines]
            entry.code = ";\n".join(line.rstrip(";") for line in plain if _LOOSE.match(line))
        # The heading of S_PACK_LL_B32_B16 is lost: its block stands at the end of the entry before.
        if entry.name == "S_CSELECT_B64" and len(blocks) == 2:
            entry.code = "\n".join(blocks[0])
            lost = Entry(entry.section, "S_PACK_LL_B32_B16", 50)
            lost.code = "\n".join(blocks[1])
    return result + ([lost] if lost else [])
