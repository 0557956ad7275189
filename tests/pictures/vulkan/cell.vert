#version 450
// Cells of a grid: two triangles for every six vertices, the column by the vertex, the row by the instance.
layout(push_constant) uniform Grid {
  vec4 cell;  // the corner of cell 0 and the size of a cell, in the viewport
  float depth;
};
layout(location = 0) flat out uvec2 place;

void main() {
  int corner = int[](0, 1, 2, 2, 1, 3)[gl_VertexIndex % 6];
  place = uvec2(gl_VertexIndex / 6, gl_InstanceIndex);
  gl_Position = vec4(cell.xy + cell.zw * (vec2(place) + vec2(corner & 1, corner >> 1)), depth, 1);
  gl_PointSize = 1;
}
