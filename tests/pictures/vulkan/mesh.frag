#version 460
#extension GL_EXT_mesh_shader : require
// What a primitive has of its own, and what its vertices have.
layout(location = 0) perprimitiveEXT flat in uvec4 own;
layout(location = 1) flat in uint of_vertex;
layout(location = 2) in vec2 along;
layout(location = 0) out uvec4 colour;
void main() {
  const uint x = uint(along.x * 2), y = uint(along.y * 2);
  colour = uvec4(own.x, own.y + 16 * own.z, of_vertex + uint(gl_PrimitiveID), (x << 4 | y) + own.w) & 255;
}
