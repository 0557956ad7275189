#version 450
// One triangle over all of the target; as instance 1 one inside it, whose edges go between samples.
void main() {
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
  gl_Position = vec4(gl_InstanceIndex == 0 ? corner * 4.0 - 1.0 : corner * vec2(1.57, 1.43) - vec2(0.83, 0.77), 0, 1);
}
