"""Makes tests/isa/vectors: inputs and results of instructions, from the RDNA4 manual's pseudocode and from scalar models of
Sea Islands and R5xx.

    tests/oracle/vectors/generate [--check]

writes all files; --check makes them elsewhere and compares. README.md beside the vectors describes them."""
import os
import re
import sys
import tempfile

from . import amendments, blocks, buffers, cards, control, graphics, images, language, manual, memory, moves, pixels, r500_pixel, r500_vertex, registers, \
    sea_islands, shared, shared_memory, special

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), "../../.."))


def library():
    """The trees of all blocks by the instruction's name. Where the same name stands in several sections the first counts."""
    trees = {}
    for entry in manual.entries():
        if entry.code and entry.name not in trees:
            try:
                trees[entry.name] = language.parse(entry.code)
            except language.SyntaxProblem:
                pass  # images and other blocks that are no program: generate says which instructions have no vectors
    return trees


TITLES = {"r500_us": "ALU pairs of the R5xx pixel shader", "r500_pvs": "Instructions of the R5xx vertex shader"}


def mentions(tree, name):
    if isinstance(tree, tuple) and tree[:2] == ("name", name):
        return True
    return isinstance(tree, (tuple, list)) and any(mentions(t, name) for t in tree)


OTHER_KINDS = {"label", "hwreg", "dec", "msg", "version"}  # operands that registers.py does not know


def register_blocks(trees, rdna4, gfx7):
    """{family: [blocks]}"""
    families, by_name, partners = {}, {}, {}
    for row in rdna4:
        if row.format in registers.SCALAR + registers.VECTOR:
            by_name.setdefault(row.name, []).append(row)
    for row in gfx7:
        partner = shared.partner(row.name)
        if partner:
            partners.setdefault(partner[0], []).append((row, partner[1]))
    for name, rows in by_name.items():
        upper = name.upper()
        if shared.elsewhere(name) or any(kind in OTHER_KINDS for _, kind, _ in rows[0].operands):
            continue
        if upper not in trees and upper not in special.WHOLE:
            continue
        shape = registers.Shape(rows[0])
        if upper in trees and mentions(trees[upper], "VCC"):
            shape.mask_from = ("VCC",)
        if name in shared.COLUMNS:
            shape.columns = shared.COLUMNS[name]
        literals = [None]
        if shape.immediate:
            literals = registers.LITERALS[next((t for _, k, t in rows[0].operands if k == "k"), "hex")]
        variants = shared.VARIANTS.get(name, [("", {})])
        parts = [(literal, variant) for literal in literals for variant in variants]
        types = [type_ for _, _, type_ in rows[0].operands]
        for mode, (begin, count) in shared.modes(name, types):
            rows_each = count // len(parts)
            evaluate = amendments.evaluator(upper, trees, mode, special.WHOLE.get(upper))
            for n, (literal, (extra, fields)) in enumerate(parts):
                runs, own = [], []
                for row in rows:
                    if not extra or row.format in ("VOP3", "VOP3P"):
                        runs += registers.runs_of(row, literal=literal, extra=extra)
                of_cards = cards.of(upper)
                for row, order in partners.get(name, []):
                    (own if name.startswith("v_cmpx_") or of_cards else runs).extend(registers.runs_of(row, order, literal))
                block_name = upper + (f"/{mode:#x}" if mode != 0xf0 else "") + (f"/{n}" if len(parts) > 1 else "")
                part = (begin, count) if len(literals) == 1 and not extra else (begin + n * rows_each, rows_each)
                block = registers.make(block_name, shape, runs, evaluate, "pseudocode", mode, literal, part, fields)
                block.bound = shared.bound(name)
                families.setdefault(rows[0].format.lower(), []).append(block)
                if own and of_cards:  # Sea Islands has what the text says
                    manual_alone = amendments.evaluator(upper, trees, mode, special.WHOLE.get(upper), card=False)
                    families[rows[0].format.lower()].append(registers.make(block_name + "/gfx7", shape, own, manual_alone, "pseudocode", mode, literal,
                                                                           part, fields))
                    families[rows[0].format.lower()][-1].bound = shared.bound(name)
                elif own:  # comparisons that write EXEC write VCC as well on Sea Islands
                    def evaluate_both(names, evaluate=evaluate):
                        evaluate(names)
                        names["D0"] = names["EXEC"]
                    families["vopc"].append(registers.make(block_name + "/gfx7", registers.Shape(partners[name][0][0]), own, evaluate_both,
                                                           "pseudocode", mode, literal, part))
        vop3 = [row for row in rows if row.format == "VOP3" and registers.modified_sources(row)]
        if vop3 and not shape.immediate and name not in shared.VARIANTS:
            modifiers = registers.modified_sources(vop3[0])
            runs = registers.modified_runs(vop3[0], modifiers)
            of_cards = [] if cards.of(upper) else runs
            for row, order in partners.get(name, []):
                if not name.startswith("v_cmpx_") and order == shared.SAME_ORDER and registers.modified_sources(row) == modifiers:
                    of_cards += registers.modified_runs(row, modifiers)
            if of_cards and of_cards is not runs:
                own_block = registers.make(upper + "/modified/gfx7", shape, of_cards, amendments.evaluator(upper, trees, 0xf0, special.WHOLE.get(upper), card=False),
                                           "pseudocode", part=(64, 64), modifiers=modifiers)
                own_block.bound = shared.bound(name)
                families[rows[0].format.lower()].append(own_block)
            block = registers.make(upper + "/modified", shape, runs, amendments.evaluator(upper, trees, 0xf0, special.WHOLE.get(upper)), "pseudocode",
                                   part=(64, 64), modifiers=modifiers)
            block.bound = shared.bound(name)
            families[rows[0].format.lower()].append(block)
    return families


def write_reasons(path, families, rows):
    """The opcodes of complete encodings (families.inc) that no vector runs."""
    run = {(isa, encoding, text.split()[0].rstrip(";").removesuffix("_e32").removesuffix("_e64"))
           for made in families.values() for block in made for isa, encoding, text in block.runs}
    with open(os.path.join(ROOT, "tests/isa/vectors/families.inc"), encoding="utf-8") as file:
        complete = set(re.findall(r"^ATOLL_FAMILY\((\w+), (\w+)\)", file.read(), re.M))
    lines = ["# Opcodes without vectors: instruction set, encoding, mnemonic, why.", ""]
    for row in rows:
        for encoding in [row.format] + (["VOP3"] if row.isa == "gfx7" and "e64" in row.flags and row.format != "VOP3" else []):
            if (row.isa, encoding) in complete and (row.isa, encoding, row.name) not in run:
                reason = shared.no_vectors(row.name)
                if not reason:
                    sys.exit(f"{row.isa} {encoding} {row.name} has no vectors, and shared.NO_VECTORS says nothing of it")
                lines.append(f"{row.isa} {encoding} {row.name} {reason}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main(arguments):
    committed = os.path.join(ROOT, "tests/isa/vectors")
    if "--check" in arguments:
        with tempfile.TemporaryDirectory() as out:
            write_all(out)
            differing = compare(out, committed)
        if differing:
            sys.exit(f"not as the generator makes them: {', '.join(differing)}")
    else:
        write_all(committed)


def compare(made, committed):
    """Names of the files that differ, or that only one of the folders has."""
    names = {name for folder in (made, committed) for name in os.listdir(folder) if name.endswith(".txt") and name != "CMakeLists.txt"}
    problems = []
    for name in sorted(names):
        texts = []
        for folder in (made, committed):
            path = os.path.join(folder, name)
            if not os.path.exists(path):
                texts.append(None)
                continue
            with open(path, encoding="utf-8") as file:
                texts.append(file.read())
        if texts[0] != texts[1]:
            problems.append(name)
    return problems


def write_all(out):
    trees = library()
    rdna4 = registers.table(ROOT, "rdna4.tsv", "gfx1201")
    gfx7 = registers.table(ROOT, "gfx7.tsv", "gfx7")
    families = register_blocks(trees, rdna4, gfx7)
    for more in (moves.blocks(trees), memory.blocks(trees, rdna4, gfx7), shared_memory.blocks(trees), buffers.blocks(), images.blocks(gfx7),
                 graphics.blocks(), pixels.blocks(), control.blocks(trees), sea_islands.blocks(gfx7, shared.bound), r500_pixel.blocks(), r500_vertex.blocks()):
        for family, made in more.items():
            families.setdefault(family, []).extend(made)
    used = set()
    for family, made in sorted(families.items()):
        used |= blocks.write_file(os.path.join(out, f"{family}.txt"), TITLES.get(family, f"{family.upper()} of the RDNA4 manual"), made)
        print(family, len(made), sum(b.rows for b in made))
    blocks.write_inputs(os.path.join(out, "inputs.txt"), used)
    write_reasons(os.path.join(out, "without.txt"), families, rdna4 + gfx7)
    # Each instruction that an erratum speaks of needs it for some row.
    needed = {block.name.split("/")[0] for made in families.values() for block in made if block.errata}
    for name in sorted({block.name.split("/")[0] for made in families.values() for block in made} - needed):
        for erratum, _ in amendments.amendments_of(name) + [cards.of(name)] * bool(cards.of(name)):
            sys.exit(f"no vector of {name} needs erratum {erratum}")


if __name__ == "__main__":
    main(sys.argv[1:])
