#version 450
// A quad over the whole screen as a strip: smooth-shaded, or a floor that goes away from the viewer (w is 1 at the bottom, 6 at the top).
layout(push_constant) uniform Layer {
  float number;  // 0 to 1
};
layout(location = 0) out vec4 shade;
layout(location = 1) out vec2 place;

void main() {
  vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
#if defined FLOOR
  float w = mix(6.0, 1.0, at.y);
  place = vec2((at.x - 0.5) * w + number * 0.6, w * 0.75);
#else
  float w = 1.0;
  place = at;
#endif
  gl_Position = vec4((at * 2.0 - 1.0) * w, 0.0, w);
  shade = vec4(mix(vec2(0.1, 0.2), vec2(1.0, 0.9), at), number, 0.3);
}
