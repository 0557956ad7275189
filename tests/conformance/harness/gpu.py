"""Which driver answers on an emulated GPU, and what it can do: asked of wflinfo, which makes a context as the tests do."""
import dataclasses
import os
import re
import subprocess

from .tests import CPU, PLATFORM, Missing

# What GL_RENDERER says on each chip; a driver that does not find its GPU falls back to software without a word.
RENDERERS = {gpu: rf"AMD .*\((radeonsi, )?{gpu}, " for gpu in ("bonaire", "hawaii", "kaveri", "kabini")} | \
            {gpu: rf"ATI (R|RV)\d+$" for gpu in ("rv515", "r520", "rv530", "r580")} | {"dg1": r"Mesa Intel\(R\) .*\(DG1\)", CPU: "llvmpipe"}


@dataclasses.dataclass
class Context:
    version: float = 0
    shader_version: float = 0
    extensions: frozenset = frozenset()


def wflinfo(command, environment, api):
    """The lines of wflinfo for one kind of context, {} if there is none."""
    kind = {"compat": ["gl"], "core": ["gl", "--profile", "core"], "gles1": ["gles1"], "gles2": ["gles2"], "gles3": ["gles3"]}[api]
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
        if run.returncode == 0 and "OpenGL renderer string" in lines:
            return lines
        if run.returncode == 127 or "wflinfo" in run.stderr and "No such file" in run.stderr:
            raise Missing("wflinfo is not there: install Debian's package waffle-utils")
    return {}


def number(text):
    match = re.search(r"(\d+)\.(\d+)", text or "")
    # GLSL counts 1.30, GL 3.0; the profiles say 1.3 and 3.0.
    return float(f"{match[1]}.{match[2]}") if match else 0


def is_emulated(gpu, renderer):
    return bool(re.match(RENDERERS[gpu], renderer)) and (not gpu.startswith(("r5", "rv5")) or gpu.upper() in renderer)


def check_renderer(gpu, command, environment):
    """GL_RENDERER and GL_VERSION, or Missing if these are not the emulated chip's."""
    lines = wflinfo(command, environment, "compat")
    renderer = lines.get("OpenGL renderer string", "")
    if gpu not in RENDERERS:
        raise Missing(f"no OpenGL driver for {gpu}: choose one of {', '.join(RENDERERS)}")
    if not is_emulated(gpu, renderer):
        raise Missing(f"GL_RENDERER is '{renderer}', not " + ("llvmpipe: install Debian's package libgl1-mesa-dri" if gpu == CPU else
                                                             f"the {gpu}: see `atoll doctor`"))
    if gpu == CPU:  # (how wide its vectors are differs between the machines of a farm)
        renderer = RENDERERS[CPU]
    # radeonsi names the host's kernel as well, which differs between the machines of a farm
    return renderer.replace(f", {os.uname().release}", ""), lines.get("OpenGL version string", "")


def mesa_version(text):
    """Of GL_VERSION: "22.3.6"."""
    match = re.search(r"Mesa ([\d.]+)", text)
    return match[1] if match else "unknown"


def in_software(environment):
    """llvmpipe, which needs no device."""
    return environment | {"LIBGL_ALWAYS_SOFTWARE": "1", "PIGLIT_PLATFORM": "surfaceless_egl"}


def contexts(command, environment):
    found = {}
    for api in ("compat", "core", "gles1", "gles2", "gles3"):
        lines = wflinfo(command, environment, api)
        if lines:
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
