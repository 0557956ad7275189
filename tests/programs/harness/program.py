"""What a row of the table says: how a program runs live, and by what its picture or its results are compared."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Bounds:
    """Of compare_pictures: how far a channel may be off, how many percent of the pixels may be further off, and how many away from edges."""
    tolerance: int = 2
    share: float = 0.5
    inside: float = 0.0


@dataclasses.dataclass(frozen=True)
class Still:
    """The program's window when it has come to rest, `seconds` after its start, beside the same program drawn in software."""
    words: tuple
    seconds: int = 20
    bounds: Bounds = Bounds()
    software: tuple = ()  # what stands in place of `words` there, if that is another command; says "renderer: NAME"
    on: dict = dataclasses.field(default_factory=dict)  # as Calls has it
    environment: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Calls:
    """The program's OpenGL calls, recorded by apitrace while it ran on the GPU, replayed there and in software: every `every`-th frame."""
    words: tuple
    seconds: int = 12
    every: int = 20
    bounds: Bounds = Bounds()
    without: str = ""  # calls with this in them are left out of both replays
    on: dict = dataclasses.field(default_factory=dict)  # bounds of a GPU that are others than `bounds`; None: not compared on it
    environment: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class VulkanCalls:
    """Likewise of Vulkan, by GFXReconstruct: these frames."""
    words: tuple
    frames: tuple = (1, 20, 60)
    bounds: Bounds = Bounds()


@dataclasses.dataclass(frozen=True)
class Files:
    """Arrays (.npy) or raw texels (.rgba of `size`) that the program leaves in {out}, on the GPU and in software. Arrays of four bytes a
    texel, and raw texels, are compared as pictures."""
    words: tuple
    bounds: Bounds = Bounds()
    tolerance: float = 1e-5
    size: tuple = ()
    on: dict = dataclasses.field(default_factory=dict)  # as Calls has it
    seconds: int = 60  # at most


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    about: str
    packages: dict  # what is looked for (a command, or a file by its whole path) and Debian's package of it
    live: tuple  # {seconds}, {out}, {scenes}, {work}
    compared: tuple
    gpus: tuple = ("bonaire", "r580", "dg1")
    ends: bool = False  # by itself, after {seconds}, with status 0
    display: str = "headless"
    api: str = "gl"
    environment: dict = dataclasses.field(default_factory=dict)
    prepare: tuple = ()  # makes what the program reads, in {work}
