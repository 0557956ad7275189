#version 450
layout(location = 0, xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) out uvec4 captured;

void main() {
  captured = uvec4(gl_VertexIndex, gl_InstanceIndex, gl_VertexIndex * 0x9e3779b1u, 7);
  gl_Position = vec4(0, 0, 0, 1);
  gl_PointSize = 1;
}
