#version 450
// Triangles whose corners are in pixels.
layout(binding = 1) readonly buffer Corners { vec2 corners[]; };

void main() { gl_Position = vec4(corners[gl_VertexIndex] / 32 - 1, 0.5, 1); }
