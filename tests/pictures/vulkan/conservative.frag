#version 450
#ifdef INNER
#extension GL_NV_conservative_raster_underestimation : require
#endif
// A bit of each triangle in the pixels that it covers, in those where it covers some samples only, and in those that it covers whole.
layout(location = 0) out uvec4 colour;
layout(binding = 0) buffer Pixels { uvec4 pixels[]; };
layout(constant_id = 0) const int samples = 1;

void main() {
  const uint at = uint(gl_FragCoord.y) * 64 + uint(gl_FragCoord.x), bit = 1u << gl_PrimitiveID;
  atomicOr(pixels[at].x, bit);
#ifdef INNER
  if (gl_FragFullyCoveredNV) atomicOr(pixels[at].z, bit);
#else
  if (gl_SampleMaskIn[0] != (1 << samples) - 1) atomicOr(pixels[at].y, bit);
#endif
  colour = uvec4(255);
}
