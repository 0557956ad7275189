#version 450
#extension GL_ARB_shader_viewport_layer_array : enable
#extension GL_EXT_multiview : enable
// Rectangles of the target, one an instance: a corner, a size, the depth of the left and of the right side.
layout(push_constant) uniform Place {
  vec4 rectangle;  // in the viewport; the next instance stands its own width to the right
  vec2 depths;
};
layout(location = 0) flat out uint instance;

void main() {
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
  instance = uint(gl_InstanceIndex);
  float right = 0;
#if !defined LAYER
  right = float(gl_InstanceIndex);
#endif
#ifdef VIEW
  right += float(gl_ViewIndex) * 0.5;
#endif
  gl_Position = vec4(rectangle.xy + rectangle.zw * (corner + vec2(right, 0)), mix(depths.x, depths.y, corner.x), 1);
#ifdef LAYER
  gl_Layer = gl_InstanceIndex % 3;
  gl_ViewportIndex = gl_InstanceIndex / 3;
#endif
}
