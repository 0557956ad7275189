"""The programs: what runs live, and what is compared with what. Packages are Debian 12's."""
from .program import Bounds, Calls, Files, Program, Still, VulkanCalls

PYTHON = "/usr/bin/python3"
MODULES = "/usr/lib/python3/dist-packages/"
APITRACE = {"apitrace": "apitrace"}
GSTREAMER = {"gst-launch-1.0": "gstreamer1.0-tools", "/usr/lib/x86_64-linux-gnu/gstreamer-1.0/libgstopengl.so": "gstreamer1.0-gl",
             "/usr/lib/x86_64-linux-gnu/gstreamer-1.0/libgstvideotestsrc.so": "gstreamer1.0-plugins-base"}
MPV = {"mpv": "mpv", "ffmpeg": "ffmpeg"}

# A video of ten seconds that loses nothing, so that a frame of it is the same everywhere.
VIDEO = ("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=10", "-c:v", "ffv1", "{work}/video.mkv")


def mpv(*more):
    return ("mpv", "--no-config", "--quiet", "--gpu-sw=yes", "--ao=null", "--no-osc", "--no-input-default-bindings", "{work}/video.mkv", *more)


def paused(*more):
    return mpv(*more, "--pause", "--start=3.2", "--fs")


def on_lavapipe(words):
    """mpv takes a processor for a device of Vulkan only if that is named."""
    return ("bash", "-c", """name=$(mpv --vulkan-device=help | sed -n "s/^ *'\\(.*\\)' (GPU 0.*/\\1/p")
echo "renderer: Vulkan, $name"
exec "$@" --vulkan-device="$name" """, "bash", *words)


PLAIN = ("--vo=gpu",)
# libplacebo's own renderer: polar filters of sampled weights, debanding, dithering.
RICH = ("--vo=gpu-next", "--profile=gpu-hq", "--scale=ewa_lanczos")


def chromium(*more):
    # Its sandbox keeps the GPU process from the session's memory (docs/usual-tools.md).
    return ("chromium", "--no-sandbox", "--disable-gpu-sandbox", "--test-type", "--ignore-gpu-blocklist", "--no-first-run", "--kiosk", "--enable-logging=stderr",
            "--user-data-dir={out}/profile", "--use-gl=angle", *more)


GLES = ("--use-angle=gl-egl", "--ozone-platform=wayland")
VULKAN = ("--use-angle=vulkan", "--enable-features=Vulkan", "--ozone-platform=x11")
# On the desktop that llvmpipe draws ANGLE has no way to it. With these switches Chromium takes the Vulkan driver that the loader
# finds, lavapipe, else its own SwiftShader.
SWIFTSHADER = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ozone-platform=x11")
PAGE = "file://{scenes}/webgl2.html"


def webgl(name, about, switches):
    return Program(name, about, {"chromium": "chromium"}, chromium(*switches, PAGE), gpus=("bonaire", "dg1"),
                   compared=(Still(chromium(*switches, PAGE + "#60"), seconds=45, software=chromium(*SWIFTSHADER, PAGE + "#60"), bounds=Bounds(2, 0.1, 0.0)),))


EFFECTS = ("blur", "bulge", "fisheye", "glow", "heat", "laplacian", "lumaxpro", "mirror", "sepia", "sin", "sobel", "square", "squeeze", "stretch",
           "tunnel", "twirl", "xpro", "xray")


def gstreamer(effect):
    """Three frames of every element that changes a picture."""
    caps = "video/x-raw,format=RGBA,width=320,height=240"
    source = caps if effect != "glcolorscale" else "video/x-raw,format=RGBA,width=200,height=150"
    return ("gst-launch-1.0", "-q", "videotestsrc", "pattern=smpte", "num-buffers=3", "!", source, "!", "glupload", "!", *effect.split(), "!", "gldownload", "!", caps, "!",
            "filesink", "location={out}/" + effect.split()[0] + ".rgba")


GST_BOUNDS = Bounds(4, 0.5, 0.05)
# r300g adds 1/32 to levels of detail, and R5xx's vertices lie on a grid of 1/12 pixel: lookups are off by as much.
R5XX = Bounds(12, 0.5, 0.05)
# Likewise where the nearest texel is taken, lines are drawn, or gl_FragCoord (of a varying in r300g) or a distance is a factor.
R5XX_TIES = Bounds(12, 3.0, 0.05)
GST_ELEMENTS = [f"gleffects_{one}" for one in EFFECTS] + ["glcolorbalance hue=0.3 saturation=1.4", "glalpha method=green", "glfiltercube", "glcolorscale", "gldeinterlace"]
GLMARK2_SCENES = ("build:use-vbo=true", "texture:texture-filter=mipmap", "shading:shading=phong", "bump:bump-render=height", "pulsar:light=true", "desktop:effect=shadow:windows=4",
                  "buffer:update-method=map", "refract", "function:fragment-complexity=low", "conditionals", "shadow", "ideas")
# Multiplies gl_FragCoord by 243, which R5xx's grid does not bear.
GLMARK2_LOOP = ("loop:fragment-steps=5:vertex-steps=5",)
# The first samples to the nearest texel at places between two; the second is of lines.
GLMARK2_TIES = ("effect2d:kernel=1,1,1;1,1,1;1,1,1;", "jellyfish")
# Slopes of heights of 8 bits become normals: one in the last bit is eleven in those, and a hill is lit otherwise. Not compared.
GLMARK2_STEEP = ("terrain",)


def glmark2(seconds, scenes, *more):
    return ("glmark2", "--size", "400x300", *more, *[word for scene in scenes for word in ("-b", f"{scene}:duration={seconds}")])


PROGRAMS = (
    Program("neverball", "a game of OpenGL 1.x: mirrors, shadows, alpha-tested textures; its title flies through the levels", {"neverball": "neverball", **APITRACE},
            ("neverball",),
            # Anisotropy is left out: llvmpipe filters an ellipse by weights, chips take samples along a line. Stars at the edge of the window
            # are points, which radeonsi lets through when only their centre is outside.
            compared=(Calls(("neverball",), seconds=40, every=10, without="TEXTURE_MAX_ANISOTROPY", bounds=Bounds(2, 0.5, 0.05), on={"r580": R5XX}),)),
    Program("chromium-bsu", "a game of OpenGL 1.x: blended sprites, texture environments; its menu", {"chromium-bsu": "chromium-bsu", **APITRACE},
            ("chromium-bsu", "-w", "-na"), compared=(Calls(("chromium-bsu", "-w", "-na"), seconds=15, on={"r580": R5XX}),)),
    Program("glmark2", "16 scenes of OpenGL 2.0, from vertex buffers to shadows, in turns", {"glmark2": "glmark2-x11", **APITRACE},
            glmark2(4, GLMARK2_SCENES + GLMARK2_LOOP + GLMARK2_TIES + GLMARK2_STEEP, "--run-forever"),
            compared=(Calls(glmark2(0.4, GLMARK2_SCENES), seconds=60, every=11, bounds=Bounds(2, 0.5, 0.005), on={"r580": R5XX_TIES}),
                      Calls(glmark2(0.4, GLMARK2_LOOP), seconds=20, every=5, bounds=Bounds(2, 0.5, 0.005), on={"r580": None}),
                      Calls(glmark2(0.4, GLMARK2_TIES), seconds=60, every=5, bounds=Bounds(2, 2.5, 0.01), on={"r580": R5XX_TIES}))),
    Program("gtk4", "GTK 4 by its GL renderer on Wayland, with a GtkGLArea of turning gears", {"gtk4-demo": "gtk-4-examples"},
            ("gtk4-demo", "--run=gears"), gpus=("bonaire", "dg1"), environment={"GSK_RENDERER": "gl"},
            # Windows that do not move. apitrace cannot: libepoxy and its wrapper of EGL do not go together.
            compared=tuple(Still(("gtk4-demo", f"--run={demo}"), seconds=12) for demo in ("css_shadows", "css_blendmodes", "glarea", "listview_colors"))),
    Program("mpv-gl", "mpv plays a video by OpenGL: planes as textures, YUV to RGB, scaling, dithering", MPV, mpv(*PLAIN, "--gpu-api=opengl", "--loop=inf"), prepare=VIDEO,
            compared=(Still(paused(*PLAIN, "--gpu-api=opengl"), seconds=12),
                      Still(paused(*RICH, "--gpu-api=opengl"), seconds=16, on={"r580": None}))),
    Program("mpv-vulkan", "the same by Vulkan (libplacebo)", MPV, mpv(*PLAIN, "--gpu-api=vulkan", "--loop=inf"), prepare=VIDEO, gpus=("bonaire", "dg1"), api="vulkan",
            compared=tuple(Still(paused(*how, "--gpu-api=vulkan"), seconds=16, software=on_lavapipe(paused(*how, "--gpu-api=vulkan"))) for how in (PLAIN, RICH))),
    webgl("webgl2-gl", "Chromium, a page of WebGL 2 (scenes/webgl2.html) by ANGLE on OpenGL ES", GLES),
    webgl("webgl2-vulkan", "the same by ANGLE on Vulkan, Skia likewise", VULKAN),
    Program("moderngl", "OpenGL 4.3 from Python: compute, geometry, feedback, image loads (scenes/moderngl_scene.py)",
            {MODULES + "moderngl": "python3-moderngl", MODULES + "numpy": "python3-numpy"}, (PYTHON, "{scenes}/moderngl_scene.py", "{out}", "{seconds}", "64"),
            ends=True, display="none", gpus=("bonaire", "dg1"),
            # Blades thinner than a pixel, in four samples, then sharpened: what falls on an edge is three times as far off.
            compared=(Files((PYTHON, "{scenes}/moderngl_scene.py", "{out}", "0", "64"), bounds=Bounds(8, 2.0, 0.02)),)),
    Program("gstreamer", "GStreamer's GL elements: a test video, uploaded, by effects into a window", GSTREAMER,
            ("gst-launch-1.0", "-q", "videotestsrc", "pattern=ball", "!", "video/x-raw,width=480,height=360", "!", "glupload", "!", "glcolorconvert", "!", "gleffects_twirl", "!",
             "gleffects_glow", "!", "glfiltercube", "!", "glimagesink"),
            compared=tuple(Files(gstreamer(element), size=(320, 240), bounds=GST_BOUNDS, on={"r580": R5XX_TIES if element == "glfiltercube" else R5XX}) for element in GST_ELEMENTS)),
    Program("vkcube", "vkcube under the Khronos validation layer", {"vkcube": "vulkan-tools", "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json": "vulkan-validationlayers",
                                                                    "gfxrecon-replay": "gfxreconstruct"},
            ("vkcube",), gpus=("bonaire", "dg1"), api="vulkan", environment={"VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation"},
            compared=(VulkanCalls(("vkcube", "--c", "70"), frames=(1, 20, 60)),)),
    Program("pyopencl", "pyopencl on clover: kernels with local memory and atomics, and those that pyopencl makes (scenes/opencl_examples.py)",
            {MODULES + "pyopencl": "python3-pyopencl", "/etc/OpenCL/vendors/mesa.icd": "mesa-opencl-icd", "/etc/OpenCL/vendors/pocl.icd": "pocl-opencl-icd"},
            (PYTHON, "{scenes}/opencl_examples.py", "{out}", "{seconds}"), ends=True, display="none", gpus=("bonaire",), api="opencl",
            compared=(Files((PYTHON, "{scenes}/opencl_examples.py", "{out}", "0"), tolerance=1e-5),)),
    # Programs that need no further package than those of cmake/apt-packages.txt: for continuous integration.
    Program("glxgears", "Mesa's gears in a window of Xwayland", {}, ("glxgears",), compared=()),
    Program("gears", "the demo of this project, again and again", {}, ("bash", "-c", "end=$((SECONDS + {seconds})); while \"{bin}/gears\" --frame 10 \"{out}/live.png\" && ((SECONDS < end)); do :; done"),
            ends=True, display="none", compared=(Files(("{bin}/gears", "--frame", "10", "{out}/frame.png")),)),
)
