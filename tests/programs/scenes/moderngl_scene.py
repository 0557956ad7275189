#!/usr/bin/python3
"""OpenGL 4.3 through moderngl, without a window: a compute shader's waves in a buffer, a field of blades that a geometry shader grows
from points, lit and in four samples, transform feedback, and a tone by image loads. moderngl_scene.py OUT SECONDS FRAMES
draws until the time is over (and FRAMES frames at least), and writes pictures of frames 1, 4, 16, 64 and what the feedback holds."""
import ctypes
import pathlib
import sys
import time

import moderngl
import numpy

SIZE = 256
PICTURES = (1, 4, 16, 64)

WAVES = """#version 430
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Heights { vec4 height[]; };
uniform float time;
shared float row[64];
void main() {
  uint i = gl_GlobalInvocationID.x, n = gl_LocalInvocationID.x;
  vec2 p = vec2(i % 64u, i / 64u) / 32.0 - 1.0;
  row[n] = 0.2 * sin(6.0 * length(p) - time) + 0.1 * sin(5.0 * p.x + 1.3 * time);
  barrier();
  // smoothed along the row by its neighbours in the group
  float smooth_height = (row[(n + 63u) % 64u] + 2.0 * row[n] + row[(n + 1u) % 64u]) * 0.25;
  height[i] = vec4(p, smooth_height, float(i % 7u) / 7.0);
}"""

BLADES_VERTEX = """#version 430
in vec4 one;
out vec4 blade;
void main() { blade = one; gl_Position = vec4(0.0); }"""

BLADES_GEOMETRY = """#version 430
layout(points) in;
layout(triangle_strip, max_vertices = 7) out;
in vec4 blade[];
out vec3 normal;
out vec2 along;
uniform mat4 camera;
uniform float time;
void main() {
  vec3 foot = vec3(blade[0].x, blade[0].z - 0.4, blade[0].y);
  vec2 bend = 0.15 * vec2(sin(time + blade[0].x * 4.0), cos(time * 0.7 + blade[0].y * 4.0));
  for (int i = 0; i < 7; i++) {
    float up = float(i / 2) / 3.0;
    float side = i == 6 ? 0.0 : (i % 2 == 0 ? -1.0 : 1.0);
    vec3 place = foot + vec3(bend.x * up * up + side * 0.016 * (1.0 - up), up * 0.35, bend.y * up * up);
    normal = normalize(vec3(side * 0.5, 0.4, 1.0 - up * bend.y));
    along = vec2(up, blade[0].w);
    gl_Position = camera * vec4(place, 1.0);
    EmitVertex();
  }
  EndPrimitive();
}"""

BLADES_FRAGMENT = """#version 430
in vec3 normal;
in vec2 along;
out vec4 colour;
void main() {
  float light = 0.35 + 0.65 * max(dot(normalize(normal), normalize(vec3(0.4, 0.8, 0.5))), 0.0);
  colour = vec4(mix(vec3(0.05, 0.25, 0.05), vec3(0.6, 0.9, 0.2 + 0.6 * along.y), along.x) * light, 1.0);
}"""

TONE = """#version 430
layout(local_size_x = 16, local_size_y = 16) in;
layout(rgba8, binding = 0) uniform readonly image2D before;
layout(rgba8, binding = 1) uniform writeonly image2D after;
void main() {
  ivec2 p = ivec2(gl_GlobalInvocationID.xy);
  vec3 blurred = vec3(0.0);
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++) blurred += imageLoad(before, clamp(p + ivec2(x, y), ivec2(0), imageSize(before) - 1)).rgb;
  vec3 own = imageLoad(before, p).rgb;
  imageStore(after, p, vec4(clamp(own + 0.5 * (own - blurred / 9.0), 0.0, 1.0), 1.0));
}"""

DRIFT = """#version 430
in vec4 before;
out vec4 after;
uniform int frame;
void main() {
  uint bits = uint(gl_VertexID) * 2654435761u + uint(frame);
  bits ^= bits >> 15; bits *= 2246822519u; bits ^= bits >> 13;
  after = vec4(before.xy + vec2(bits & 0xffu, (bits >> 8) & 0xffu) / 256.0, before.z * 0.5 + 1.0, float(bits & 0xffffu));
}"""


def barrier():
    """What moderngl 5.7 has no call for."""
    ctypes.CDLL("libGL.so.1").glMemoryBarrier(ctypes.c_uint(0xffffffff))


def camera(time_):
    eye = numpy.array([1.6 * numpy.sin(time_ * 0.1), 0.9, 1.6 * numpy.cos(time_ * 0.1)])
    forward = -eye / numpy.linalg.norm(eye)
    right = numpy.cross(forward, [0, 1, 0])
    right /= numpy.linalg.norm(right)
    up = numpy.cross(right, forward)
    view = numpy.eye(4)
    view[:3, :3] = right, up, -forward
    view[:3, 3] = -view[:3, :3] @ eye
    near, far, focus = 0.1, 10.0, 1.7
    lens = numpy.array([[focus, 0, 0, 0], [0, focus, 0, 0], [0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)], [0, 0, -1, 0]])
    return (lens @ view).T.astype("f4").tobytes()


def main(out, seconds, frames):
    out = pathlib.Path(out)
    context = moderngl.create_standalone_context(backend="egl", require=430)
    print("GL_RENDERER:", context.info["GL_RENDERER"], flush=True)
    heights = context.buffer(reserve=64 * 64 * 16)
    waves, tone = context.compute_shader(WAVES), context.compute_shader(TONE)
    blades = context.program(vertex_shader=BLADES_VERTEX, geometry_shader=BLADES_GEOMETRY, fragment_shader=BLADES_FRAGMENT)
    field = context.vertex_array(blades, [(heights, "4f", "one")])
    drift = context.program(vertex_shader=DRIFT, varyings=["after"])
    drops = [context.buffer(numpy.zeros((1000, 4), "f4").tobytes()) for _ in range(2)]
    drifts = [context.vertex_array(drift, [(one, "4f", "before")]) for one in drops]
    many = context.framebuffer([context.renderbuffer((SIZE, SIZE), 4, samples=4)], context.depth_renderbuffer((SIZE, SIZE), samples=4))
    before, after = context.texture((SIZE, SIZE), 4), context.texture((SIZE, SIZE), 4)
    resolved = context.framebuffer([before])
    end = time.monotonic() + seconds
    frame = 0
    while frame < frames or time.monotonic() < end:
        frame += 1
        waves["time"] = frame * 0.1
        heights.bind_to_storage_buffer(0)
        waves.run(64)
        barrier()
        many.use()
        context.enable(moderngl.DEPTH_TEST)
        many.clear(0.5, 0.7, 0.9, 1.0, depth=1.0)
        blades["camera"].write(camera(frame))
        blades["time"] = frame * 0.1
        field.render(moderngl.POINTS)
        context.copy_framebuffer(resolved, many)
        before.bind_to_image(0, read=True, write=False)
        after.bind_to_image(1, read=False, write=True)
        tone.run(SIZE // 16, SIZE // 16)
        barrier()
        drift["frame"] = frame
        drifts[frame % 2].transform(drops[(frame + 1) % 2], moderngl.POINTS)
        if frame in PICTURES:
            numpy.save(out / f"picture-{frame}.npy", numpy.frombuffer(after.read(), "u1").reshape(SIZE, SIZE, 4))
            numpy.save(out / f"heights-{frame}.npy", numpy.frombuffer(heights.read(), "f4"))
            numpy.save(out / f"feedback-{frame}.npy", numpy.frombuffer(drops[(frame + 1) % 2].read(), "f4"))
        else:
            context.finish()
    error = context.error
    print(f"frames: {frame}, error: {error}")
    return error != "GL_NO_ERROR"


sys.exit(main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))
