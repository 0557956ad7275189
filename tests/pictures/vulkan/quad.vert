#version 450
// A rectangle of the viewport with a depth at each corner, as two triangles.
layout(push_constant) uniform Quad {
  vec4 rectangle;
  vec4 depths;
  vec4 colour;
};
layout(location = 0) out vec4 shade;

void main() {
  int corner = int[](0, 1, 2, 2, 1, 3)[gl_VertexIndex];
  // Push constants take no index that differs from vertex to vertex.
  vec2 at = vec2(corner & 1, corner >> 1);
  float depth = mix(mix(depths.x, depths.y, at.x), mix(depths.z, depths.w, at.x), at.y);
  gl_Position = vec4(mix(rectangle.xy, rectangle.zw, at), depth, 1);
  shade = colour;
}
