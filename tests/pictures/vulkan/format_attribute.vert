#version 450
#extension GL_GOOGLE_include_directive : require
// A point for each of 16 x 16 vertices, of the colour that its attribute has.
#include "formats.glsl"
layout(location = 0) in VALUE given;
layout(location = 0) flat out VALUE shade;

void main() {
  vec2 at = vec2(gl_VertexIndex & 15, gl_VertexIndex >> 4) + 0.5;
  gl_Position = vec4(at / 8.0 - 1.0, 0, 1);
  gl_PointSize = 1.0;
  shade = given;
}
