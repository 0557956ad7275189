#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_image_load_formatted : require
// What a shader finds in an image of 16 x 16 or a buffer of 256 texels of a format, at 32 x 32 places.
// VOLUME, IMAGE, BUFFER, IMAGE_BUFFER: what stands at binding 0; else a sampled image of two dimensions.
#include "formats.glsl"
layout(local_size_x = 8, local_size_y = 8) in;
#if defined BUFFER
layout(binding = 0) uniform OF_KIND(samplerBuffer) source;
#elif defined IMAGE_BUFFER
layout(binding = 0) uniform readonly OF_KIND(imageBuffer) source;
#elif defined IMAGE
layout(binding = 0) uniform readonly OF_KIND(image2D) source;
#elif defined VOLUME
layout(binding = 0) uniform OF_KIND(sampler3D) source;
#else
layout(binding = 0) uniform OF_KIND(sampler2D) source;
#endif
layout(binding = 1) buffer Found { VALUE found[]; };
layout(push_constant) uniform Way { vec4 way; };  // level, depth

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  // Past the edges, and never on a border of two texels.
  vec2 place = (vec2(at) + 0.5) / 32.0 * 1.25 - 0.125;
#if defined BUFFER
  VALUE v = texelFetch(source, (at.y * 32 + at.x) % 256);
#elif defined IMAGE_BUFFER
  VALUE v = imageLoad(source, (at.y * 32 + at.x) % 256);
#elif defined IMAGE
  VALUE v = imageLoad(source, at / 2);
#elif defined VOLUME
  VALUE v = textureLod(source, vec3(place, way.y), way.x);
#else
  VALUE v = textureLod(source, place, way.x);
#endif
  found[at.y * 32 + at.x] = v;
}
