#version 450
#extension GL_GOOGLE_include_directive : require
// A colour for each pixel of a target of the format.
#include "formats.glsl"
layout(push_constant) uniform Most {
  uvec4 most;
  uint turned;
};
layout(location = 0) out VALUE colour;

void main() { colour = written(ivec2(gl_FragCoord.xy), most, turned != 0u); }
