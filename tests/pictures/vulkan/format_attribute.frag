#version 450
#extension GL_GOOGLE_include_directive : require
#include "formats.glsl"
layout(location = 0) flat in VALUE shade;
layout(location = 0) out VALUE colour;

void main() { colour = shade; }
