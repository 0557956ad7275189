#version 450
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 colour;

void main() {
#ifdef DISCARDS
  if (((int(gl_FragCoord.x) ^ int(gl_FragCoord.y)) & 32) != 0) discard;
#endif
#ifdef WRITES_DEPTH
  gl_FragDepth = fract(gl_FragCoord.x / 128.0) * 0.5 + shade.a * 0.25;
#endif
  colour = vec4(shade.rgb, 1);
}
