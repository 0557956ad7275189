#version 450
// A step of a sequence whose order matters: x = 3x + added + place.
layout(local_size_x = 64) in;
layout(push_constant) uniform Step { uint added; };
layout(binding = 0) buffer Values { uint values[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < values.length()) values[i] = values[i] * 3 + added + i;
}
