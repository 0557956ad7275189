#version 450
layout(location = 0) flat in uvec2 place;
layout(location = 0) out vec4 colour;

void main() {
#ifdef DISCARDS
  if (((int(gl_FragCoord.x) ^ int(gl_FragCoord.y)) & 1) != 0) discard;
#endif
  colour = vec4(vec2(place * 17u + 20u) / 255.0, 1, 1);
}
