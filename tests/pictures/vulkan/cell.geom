#version 450
// Each triangle twice.
layout(triangles) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 0) flat in uvec2 place_in[];
layout(location = 0) flat out uvec2 place;

void main() {
  for (int copy = 0; copy < 2; copy++) {
    for (int i = 0; i < 3; i++) {
      gl_Position = gl_in[i].gl_Position;
      place = place_in[i];
      EmitVertex();
    }
    EndPrimitive();
  }
}
