#version 450
#extension GL_GOOGLE_include_directive : require
// Writes 16 x 16 texels of an image, or (IMAGE_BUFFER) as many of a buffer.
#include "formats.glsl"
layout(local_size_x = 8, local_size_y = 8) in;
#if defined IMAGE_BUFFER
layout(binding = 0) uniform writeonly OF_KIND(imageBuffer) target;
#else
layout(binding = 0) uniform writeonly OF_KIND(image2D) target;
#endif
layout(push_constant) uniform Most { uvec4 most; };

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
#if defined IMAGE_BUFFER
  imageStore(target, at.y * 16 + at.x, written(at, most, false));
#else
  imageStore(target, at, written(at, most, false));
#endif
}
