"""Which driver answers on an emulated GPU, and what it can do: asked of wflinfo, which makes a context as the tests do."""
import dataclasses
import os
import re
import subprocess

from . import mesa
from .tests import CPU, PLATFORM, ROOT, Missing

# The GL_RENDERER of the chips of each family; a driver that does not find its GPU falls back to software without a word.
OF_FAMILIES = {"sea_islands": r"AMD .*\((radeonsi, )?{gpu}, ", "rdna4": r"AMD .*\((radeonsi, )?{gpu}, ", "r5xx": r"ATI {upper}$",
               "xe_lp": r"Mesa Intel\(R\) .*\({upper}\)"}
# The same through zink, which names what Vulkan's device says: Mesa's RADV (radv_device_info, "RADV GFX1201") and anv.
BY_ZINK = {"sea_islands": r"zink Vulkan .*\(RADV {upper}\)", "rdna4": r"zink Vulkan .*\(RADV {upper}\)",
           "xe_lp": r"zink Vulkan .*Intel.*\({upper}\)"}


def chips():
    """Each GPU's family, of gpus/gpus.tsv."""
    rows = [line.split("\t") for line in (ROOT / "gpus/gpus.tsv").read_text().splitlines() if line and not line.startswith("#")]
    return {row[rows[0].index("gpu")]: row[rows[0].index("family")] for row in rows[1:]}


def renderers(zink=False):
    """An expression for each GPU that a driver of OpenGL is there for."""
    of = BY_ZINK if zink else OF_FAMILIES
    found = {gpu: of[family].format(gpu=gpu, upper=gpu.upper()) for gpu, family in chips().items() if family in of}
    return found | {CPU: "llvmpipe"}


COMPLAINT = "atoll"  # beside wflinfo's lines


@dataclasses.dataclass
class Context:
    version: float = 0
    shader_version: float = 0
    extensions: frozenset = frozenset()


def wflinfo(command, environment, api):
    """The lines of wflinfo for one kind of context, without a renderer if there is none, and what `atoll run` complained of."""
    kind = {"compat": ["gl"], "core": ["gl", "--profile", "core"], "gles1": ["gles1"], "gles2": ["gles2"], "gles3": ["gles3"]}[api]
    complaint = {}
    versions = [[]] if api != "core" else [["--version", v] for v in ("4.6", "4.5", "4.3", "4.0", "3.3", "3.2", "3.1")]
    for version in versions:
        try:
            run = subprocess.run([*command, "wflinfo", "--platform", environment.get("PIGLIT_PLATFORM", PLATFORM), "--api", *kind, *version, "--verbose"], env=environment,
                                 capture_output=True, text=True, errors="replace", timeout=120)
        except FileNotFoundError as error:
            raise Missing(f"{error.filename} is not there: build it, or install Debian's package waffle-utils")
        except subprocess.TimeoutExpired:
            raise Missing("wflinfo does not end on this GPU")
        lines = dict(line.split(": ", 1) for line in run.stdout.splitlines() if ": " in line)
        complaint = {COMPLAINT: mesa.complaint(run.stderr)}
        if run.returncode == 0 and "OpenGL renderer string" in lines:
            return lines | complaint
        if run.returncode == 127 or "wflinfo" in run.stderr and "No such file" in run.stderr:
            raise Missing("wflinfo is not there: install Debian's package waffle-utils")
    return complaint


def number(text):
    match = re.search(r"(\d+)\.(\d+)", text or "")
    # GLSL counts 1.30, GL 3.0; the profiles say 1.3 and 3.0.
    return float(f"{match[1]}.{match[2]}") if match else 0


def is_emulated(gpu, renderer, zink=False):
    return bool(re.match(renderers(zink)[gpu], renderer))


def check_renderer(gpu, command, environment, zink=False):
    """GL_RENDERER and GL_VERSION, or Missing if these are not the emulated chip's."""
    if gpu not in renderers(zink):
        raise Missing(f"no OpenGL driver for {gpu}{' by zink' if zink else ''}: choose one of {', '.join(renderers(zink))}")
    lines = wflinfo(command, environment, "compat")
    renderer = lines.get("OpenGL renderer string", "")
    if not is_emulated(gpu, renderer, zink):
        # (a GPU that the system's Mesa is too old for has `atoll run` say how to get another)
        raise Missing(f"GL_RENDERER is '{renderer}', not " + ("llvmpipe: install Debian's package libgl1-mesa-dri" if gpu == CPU else
                                                             f"the {gpu}: " + (lines.get(COMPLAINT) or "see `atoll doctor`")))
    if gpu == CPU:  # (how wide its vectors are differs between the machines of a farm)
        renderer = "llvmpipe"
    # radeonsi names the host's kernel as well, which differs between the machines of a farm
    return renderer.replace(f", {os.uname().release}", ""), lines.get("OpenGL version string", "")


def in_software(environment):
    """llvmpipe, which needs no device."""
    return environment | {"LIBGL_ALWAYS_SOFTWARE": "1", "PIGLIT_PLATFORM": "surfaceless_egl"}


def contexts(command, environment):
    found = {}
    for api in ("compat", "core", "gles1", "gles2", "gles3"):
        lines = wflinfo(command, environment, api)
        if "OpenGL renderer string" in lines:
            found[api] = Context(number(lines.get("OpenGL version string")), number(lines.get("OpenGL shading language version string")),
                                 frozenset(lines.get("OpenGL extensions", "").split()))
    return found


def unmet(needs, found):
    """Why a test would only skip, or "": as piglit's runner decides it (framework/test/opengl.py)."""
    api = needs.get("api") or "compat"
    if api == "opencl":
        return ""
    # GLES contexts are asked for at the highest version.
    context = found.get("gles3" if api in ("gles2", "gles3") and "gles3" in found else "gles2" if api == "gles3" else api)
    if not context:
        return f"needs {api}"
    for extension in sorted(needs.get("extensions") or ()):
        if context.extensions and extension not in context.extensions:
            return f"needs {extension}"
    if context.version and (needs.get("api_version") or 0) > context.version:
        return f"needs {api} {needs['api_version']}"
    if context.shader_version and (needs.get("shader_version") or 0) > context.shader_version:
        return f"needs GLSL {needs['shader_version']}"
    return ""
