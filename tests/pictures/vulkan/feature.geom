#version 450
// Each triangle once a layer and viewport, by one invocation each.
layout(triangles, invocations = 6) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) flat in uint instance_in[];
layout(location = 0) flat out uint instance;

void main() {
  for (int i = 0; i < 3; i++) {
    gl_Position = gl_in[i].gl_Position;
    instance = instance_in[i] + uint(gl_InvocationID) * 16u;
    gl_Layer = gl_InvocationID % 3;
    gl_ViewportIndex = gl_InvocationID / 3;
    EmitVertex();
  }
}
