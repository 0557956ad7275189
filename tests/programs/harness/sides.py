"""How a program is started on the emulated GPU, and the same in software: words before the program's own, and the environment."""
import os
import pathlib
import subprocess

VULKAN_DRIVERS = pathlib.Path(os.environ.get("ATOLL_VULKAN_DRIVERS", "/usr/share/vulkan/icd.d"))
VENDORS = pathlib.Path("/etc/OpenCL/vendors")
# Variables that would let the caller's own settings into a run.
FOREIGN = ("ATOLL_", "LP_", "GALLIUM_", "GALLIVM_", "LIBGL_", "MESA_", "VK_", "OCL_", "GSK_", "GDK_", "GST_", "LD_PRELOAD", "DISPLAY", "WAYLAND_", "DBUS_")
SESSION = ("ATOLL_ENGINE", "ATOLL_LEVEL", "ATOLL_THREADS", "ATOLL_VULKAN_DRIVERS")  # that may stay


def vulkan_driver(pattern):
    return next((str(file) for file in sorted(VULKAN_DRIVERS.glob(pattern))), "")


def environment(home, **more):
    kept = {k: v for k, v in os.environ.items() if k in SESSION or not k.startswith(FOREIGN)}
    home.mkdir(parents=True, exist_ok=True)
    return kept | {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "XDG_CACHE_HOME": str(home / ".cache"), "XDG_DATA_HOME": str(home / ".local"),
                   "PATH": kept.get("PATH", "") + ":/usr/games", "MESA_SHADER_CACHE_DISABLE": "1", "EGL_LOG_LEVEL": "fatal", "LC_ALL": "C.UTF-8", "PYOPENCL_NO_CACHE": "1",
                   "SDL_AUDIODRIVER": "dummy"} | more


class Side:
    """`emulated`: on the GPU; else by llvmpipe, lavapipe and PoCL."""

    def __init__(self, atoll, gpu, emulated, home):
        self.atoll, self.gpu, self.emulated, self.home = atoll, gpu, emulated, home
        # The second name is what loaders before 1.3.207 read.
        icd = vulkan_driver("lvp_icd*.json" if not emulated else "intel_icd*.json" if gpu == "dg1" else "radeon_icd*.json")
        self.environment = environment(home, VK_DRIVER_FILES=icd, VK_ICD_FILENAMES=icd, OCL_ICD_VENDORS=str(VENDORS / ("mesa.icd" if emulated else "pocl.icd")))
        if not emulated:
            # The second: none of llvmpipe's approximations of levels of detail and of filters.
            self.environment |= {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe", "GALLIVM_PERF": "no_rho_approx,no_brilinear,no_quad_lod,no_filter_hacks,no_aos_sampling"}

    def command(self, display, timeout=0, pictures=(), used=None):
        """Without a window, software needs no `atoll run`."""
        if not self.emulated and display == "none":
            return []
        words = [str(self.atoll), "run", "--gpu", self.gpu, "--stats", "--display", display]
        words += ["--strict"] if self.emulated else []
        words += ["--timeout", str(timeout)] if timeout else []
        words += ["--registers-used", str(used)] if used and self.emulated else []
        return [*words, *[word for picture in pictures for word in ("--screenshot", str(picture))], "--"]

    def run(self, words, log, environment, patience, **options):
        """(status, output and errors together); None as a status: it had to be ended."""
        before = self.command(**options)
        process = subprocess.Popen([*before, *words], env=self.environment | environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, errors="replace", cwd=self.home, start_new_session=True)
        try:
            text, _ = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            # `atoll run` ends its program, and its desktop with it
            process.terminate()
            try:
                text, _ = process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                text, _ = process.communicate()
            process.returncode = None
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(" ".join([*before, *words]) + "\n" + text)
        return process.returncode, text
