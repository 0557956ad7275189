"""Which OpenCL driver answers, on an emulated GPU or, for "cpu", in software: the tests see no other, and it is asked of its device."""
import dataclasses
import os
import pathlib
import re
import subprocess
import sys

from .tests import CPU, Missing


@dataclasses.dataclass
class Driver:
    library: str  # in the file that names it to the loader
    platform: str
    device: str  # expression
    name: str  # in names of files
    package: str


def clover(chip):
    return Driver("libMesaOpenCL", "Clover", rf"\({chip}, ", "clover", "mesa-opencl-icd")


DRIVERS = {
    "dg1": Driver("igdrcl", "Intel(R) OpenCL HD Graphics", r"Intel\(R\) Iris\(R\) Xe MAX Graphics", "neo", "intel-opencl-icd"),
    **{chip: clover(chip) for chip in ("bonaire", "hawaii", "kaveri", "kabini")},
    CPU: Driver("libpocl", "Portable Computing Language", "", "pocl", "pocl-opencl-icd"),
}


def loader_file(gpu, environment):
    """The driver's .icd file: what OCL_ICD_VENDORS names, or of the folder that the loader reads by itself."""
    if gpu not in DRIVERS:
        raise Missing(f"no OpenCL driver for {gpu}: choose one of {', '.join(DRIVERS)}")
    driver = DRIVERS[gpu]
    place = pathlib.Path(environment.get("OCL_ICD_VENDORS") or "/etc/OpenCL/vendors")
    for file in sorted(place.glob("*.icd")) if place.is_dir() else [place]:
        if file.is_file() and driver.library in file.read_text(errors="replace"):
            return file
    raise Missing(f"{place} names no library {driver.library}: install Debian's package {driver.package}, or set OCL_ICD_VENDORS")


def check_device(gpu, command, environment):
    """Names of the device and of its driver, or Missing if it is not this GPU's."""
    driver = DRIVERS[gpu]
    script = pathlib.Path(__file__).with_name("opencl_device.py")
    try:
        run = subprocess.run([*command, sys.executable, "-B", str(script)], env=environment, capture_output=True, text=True,
                             errors="replace", timeout=120)
    except subprocess.TimeoutExpired:
        raise Missing(f"{driver.platform} does not answer")
    for line in run.stdout.splitlines():
        platform, device, version = (line.split("\t") + ["", ""])[:3]
        if platform == driver.platform and re.search(driver.device, device):
            # (in software the device is the host's processor, which differs between the machines of a farm)
            return device if gpu != CPU else platform, f"{platform} {version}"
    said = (run.stdout + run.stderr).strip().splitlines()
    raise Missing(f"no device of {driver.platform} on {gpu}{': ' + said[-1] if said else ''}: see `atoll doctor`")


def version_name(gpu, version):
    """Of what check_device says, for names of files: "neo-22.43.24595"."""
    match = re.search(r"(\d+(?:\.\d+)+)", version)
    return f"{DRIVERS[gpu].name}-{match[1] if match else 'unknown'}"


def environment_for(gpu, environment):
    return environment | {"OCL_ICD_VENDORS": os.fspath(loader_file(gpu, environment))}
