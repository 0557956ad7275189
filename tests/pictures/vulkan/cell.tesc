#version 450
layout(vertices = 3) out;
layout(location = 0) flat in uvec2 place[];
layout(location = 0) out uvec2 place_out[];

void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  place_out[gl_InvocationID] = place[gl_InvocationID];
  for (int i = 0; i < 3; i++) gl_TessLevelOuter[i] = 2;
  gl_TessLevelInner[0] = 1;
}
