#version 450
#ifdef PRIMITIVE
#extension GL_EXT_fragment_shading_rate : require
#endif
// One triangle over the target (scale 1) or its corner, with depth, 1/w and the place in pixels linear on the screen.
layout(push_constant) uniform Place {
  vec4 rectangle;  // the scale, and the primitive's rate
  vec2 depths;
};
layout(location = 0) out vec3 place;  // times w, and w
layout(location = 1) noperspective out vec2 flat_place;

void main() {
  vec2 corner = vec2(gl_VertexIndex == 1 ? 2 : 0, gl_VertexIndex == 2 ? 2 : 0) * rectangle.x;  // in targets
  float w = 1 / (1 - 0.2 * corner.x - 0.1 * corner.y);
  gl_Position = vec4(corner * 2 - 1, 0.1 + 0.3 * corner.x + 0.2 * corner.y, 1) * w;
  flat_place = corner * 64;
  place = vec3(flat_place, 1) * w;
#ifdef PRIMITIVE
  gl_PrimitiveShadingRateEXT = int(rectangle.y);
#endif
}
