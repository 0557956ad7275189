#version 450
// One point to stream 0, two to stream 1.
layout(points) in;
layout(points, max_vertices = 3) out;
layout(location = 0) in uvec4 captured[];
layout(location = 0, stream = 0, xfb_buffer = 0, xfb_stride = 8, xfb_offset = 0) out uvec2 first;
layout(location = 1, stream = 1, xfb_buffer = 1, xfb_stride = 4, xfb_offset = 0) out uint second;

void main() {
  first = captured[0].xz;
  gl_PointSize = 1;
  EmitStreamVertex(0);
  EndStreamPrimitive(0);
  for (uint i = 0; i < 2; i++) {
    gl_PointSize = 1;
    second = captured[0].x * 2 + i;
    EmitStreamVertex(1);
    EndStreamPrimitive(1);
  }
}
