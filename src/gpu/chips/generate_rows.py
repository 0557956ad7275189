#!/usr/bin/env python3
"""Writes families.inc (enumerators of gpu::Family), family_programs.inc (rows of gpu::FamilyPrograms), kernel_facts.inc (rows of gpu::KernelFacts) and rows.inc (rows of gpu::Chip) from gpus/families.tsv, gpus.tsv and amdgpu.tsv.
Usage: generate_rows.py FAMILIES GPUS AMDGPU OUTPUT_FOLDER. A mistake in a table ends the build, naming the line.
gpus/README.md says what the columns mean."""
import os
import re
import sys

# Columns of gpus.tsv that are numbers, with the members of gpu::Chip that they become.
NUMBERS = {
    "amdgpu_family": "amdgpu_family", "external_revision": "external_revision", "chip_revision": None, "radeon_works": "radeon_works",
    "shader_engines": "shader_engines", "shader_arrays": "shader_arrays", "compute_units": "compute_units",
    "render_backends": "render_backends", "tile_pipes": "tile_pipes", "cache_channels": "cache_channels", "gs_waves": "gs_waves",
    "pixel_pipes": "pixel_pipes", "depth_pipes": "depth_pipes", "vertex_units": "vertex_units",
    "engine_khz": "engine_clock", "memory_khz": "memory_clock", "crystal_khz": "crystal_clock", "memory_type": None, "memory_bits": "memory_bits",
}
BEFORE_VERSION = 4  # so many of them stand before gfx_version
# Columns of amdgpu.tsv, with the members of gpu::AmdgpuFacts.
AMDGPU_NUMBERS = ["compute_rings", "dma_rings", "wave_lanes", "vgprs", "constant_ram", "gds", "gs_table_depth", "gs_primitives"]
FIRMWARE = ["me", "pfp", "ce", "mec", "rlc", "sdma"]
AMDGPU_COLUMNS = ["family", "drm_minor", "dma_version", *AMDGPU_NUMBERS, *FIRMWARE]
CONTAINERS = ["-", "hsa", "intel"]
MEMORY_TYPES = ["-", "ddr3", "gddr5", "gddr6"]
FAMILY_COLUMNS = ["family", "title", "vendor", "page_tables", "registers", "isas", "uapis", "container", "bare_waves", "programs_written", "draws", "mesa", "run_by", "for"]
GPU_COLUMNS = ["gpu", "family", "processors", "pci", "integrated", "amdgpu_family", "external_revision", "chip_revision", "radeon_works", "gfx_version",
               *list(NUMBERS)[BEFORE_VERSION:], "vram_mib", "gtt_mib"]


def read(path, columns):
    with open(path) as text:
        lines = [(n, line.rstrip("\n")) for n, line in enumerate(text, 1)]
    lines = [(n, line.split("\t")) for n, line in lines if line and not line.startswith("#")]
    if not lines or lines[0][1] != columns:
        sys.exit(f"{path}: the columns are not {', '.join(columns)}")
    names = set()
    for n, cells in lines[1:]:
        where = f"{path}:{n}"
        if len(cells) != len(columns) or "" in cells:
            sys.exit(f"{where}: {len(cells)} columns, not {len(columns)} (- is nothing)")
        if cells[0] in names or not re.fullmatch("[a-z][a-z0-9_]*", cells[0]):
            sys.exit(f"{where}: '{cells[0]}' is there twice, or no name of small letters, digits and _")
        names.add(cells[0])
        yield where, dict(zip(columns, cells))


def text(cell):
    return '"' + ("" if cell == "-" else cell.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def names(cell):
    return "{" + ", ".join(text(name) for name in cell.split(",") if name != "-") + "}"


def number(where, cell, bits=32):
    value = 0 if cell == "-" else int(cell, 0) if re.fullmatch("0x[0-9a-f]+|[1-9][0-9]*", cell) else -1
    if not 0 <= value < 1 << bits:
        sys.exit(f"{where}: '{cell}' is no number of {bits} bits")
    return hex(value) if cell.startswith("0x") else str(value)


def flag(where, cell):
    if cell not in ("yes", "no", "-"):
        sys.exit(f"{where}: '{cell}' is neither yes nor no")
    return "true" if cell == "yes" else "false"


def pair(where, cell, mark):
    """Two numbers, 0 and 0 of -."""
    parts = ["0", "0"] if cell == "-" else cell.split(mark)
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        sys.exit(f"{where}: '{cell}' is not two numbers with a {mark} between them")
    return parts


def amdgpu_facts(where, row):
    major, minor = pair(where, row["dma_version"], ".")
    return "{" + ", ".join([
        f".dma_major = {major}", f".dma_minor = {minor}",
        *(f".{column} = {number(where, row[column])}" for column in AMDGPU_NUMBERS),
        *(f".{column} = {{{', '.join(pair(where, row[column], '/'))}}}" for column in FIRMWARE)]) + "}"


def family_programs(where, row):
    if row["container"] not in CONTAINERS:
        sys.exit(f"{where}: '{row['container']}' is none of {', '.join(CONTAINERS)}")
    container = "none" if row["container"] == "-" else row["container"]
    return (f"{{.container = Container::{container}, .bare_waves = {flag(where, row['bare_waves'])}, "
            f".written = {flag(where, row['programs_written'])}, .mesa = {number(where, row['mesa'])}}},\n")


def write(path, lines):
    """What stays the same is not touched: half of the sources include it."""
    text = "".join(lines)
    if not os.path.exists(path) or open(path).read() != text:
        with open(path, "w") as out:
            out.write(text)


def main():
    families_file, gpus_file, amdgpu_file, folder = sys.argv[1:]
    families = {row["family"]: (where, row) for where, row in read(families_file, FAMILY_COLUMNS)}
    amdgpu_rows = list(read(amdgpu_file, AMDGPU_COLUMNS))
    amdgpu = {row["family"]: amdgpu_facts(where, row) for where, row in amdgpu_rows}
    drm_minors = {row["family"]: row["drm_minor"] for _, row in amdgpu_rows}
    for name in families:
        if (name in amdgpu) != ("amdgpu" in families[name][1]["uapis"].split(",")):
            sys.exit(f"{amdgpu_file}: a row for each family that amdgpu brings programs to, no other: {name}")
    if set(amdgpu) - set(families):
        sys.exit(f"{amdgpu_file}: no family '{(set(amdgpu) - set(families)).pop()}'")
    of_family = dict.fromkeys(families, 0)
    rows, facts = [], []
    for where, gpu in read(gpus_file, GPU_COLUMNS):
        if gpu["family"] not in families:
            sys.exit(f"{where}: no family '{gpu['family']}'")
        family_where, family = families[gpu["family"]]
        if family["uapis"] != "-" and (gpu["pci"] == "-" or gpu["vram_mib"] == "-"):
            sys.exit(f"{where}: a GPU with a kernel driver has a PCI device and memory")
        if gpu["memory_type"] not in MEMORY_TYPES:
            sys.exit(f"{where}: '{gpu['memory_type']}' is none of {', '.join(MEMORY_TYPES)}")
        version, _, revision = gpu["gfx_version"], "", ""
        if version.count(".") == 2:
            version, _, revision = version.rpartition(".")
        version = pair(where, version, ".")
        rows.append("{" + ", ".join([
            f".name = {text(gpu['gpu'])}",
            f".family = Family::{gpu['family']}",
            f".number_in_family = {of_family[gpu['family']]}",
            f".family_name = {text(family['title'])}",
            f".registers = {text(family['registers'])}",
            f".isas = {names(family['isas'])}",
            f".processors = {names(gpu['processors'])}",
            f".uapis = {names(family['uapis'])}",
            f".has_graphics = {flag(family_where, family['draws'])}",
            f".run_by = {text(family['run_by'])}",
            f".planned = {text(family['for'])}",
            f".has_page_tables = {flag(family_where, family['page_tables'])}",
            f".pci_vendor = {number(family_where, family['vendor'], 16)}",
            f".pci_device = {number(where, gpu['pci'], 16)}",
            f".integrated = {flag(where, gpu['integrated'])}",
            *(f".{NUMBERS[column]} = {number(where, gpu[column])}" for column in list(NUMBERS)[:BEFORE_VERSION] if NUMBERS[column]),
            f".graphics_major = {version[0]}",
            f".graphics_minor = {version[1]}",
            *(f".{NUMBERS[column]} = {number(where, gpu[column])}" for column in list(NUMBERS)[BEFORE_VERSION:] if NUMBERS[column]),
            f".memory_type = MemoryType::{gpu['memory_type'] if gpu['memory_type'] in ('ddr3', 'gddr5') else 'none'}",
            f".vram_bytes = uint64_t({number(where, gpu['vram_mib'])}) << 20",
            f".gtt_bytes = uint64_t({number(where, gpu['gtt_mib'])}) << 20",
            f".amdgpu = {amdgpu.get(gpu['family'], '{}')}",
        ]) + "},\n")
        facts.append("{" + ", ".join([
            f".drm_minor = {number(where, drm_minors.get(gpu['family'], '-'))}",
            f".chip_revision = {number(where, gpu['chip_revision'])}",
            f".graphics_revision = {number(where, '-' if revision in ('', '0') else revision)}",
            f".gddr6 = {'true' if gpu['memory_type'] == 'gddr6' else 'false'}",
        ]) + "},\n")
        of_family[gpu["family"]] += 1
    write(os.path.join(folder, "families.inc"), [f"{name},\n" for name in families])
    write(os.path.join(folder, "family_programs.inc"), [family_programs(*family) for family in families.values()])
    write(os.path.join(folder, "kernel_facts.inc"), facts)
    write(os.path.join(folder, "rows.inc"), rows)


if __name__ == "__main__":
    main()
