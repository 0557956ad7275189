#version 450
layout(triangles, equal_spacing, ccw) in;
layout(location = 0) in uvec2 place_in[];
layout(location = 0) flat out uvec2 place;

void main() {
  gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;
  place = place_in[0];
}
