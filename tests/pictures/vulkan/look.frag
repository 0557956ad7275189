#version 450
// What an earlier pass left in a depth or stencil image, as a shader finds it.
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 colour;
#if defined COMPARED
layout(binding = 0) uniform sampler2DShadow image;
#elif defined STENCIL
layout(binding = 0) uniform usampler2D image;
#elif defined MULTISAMPLE
layout(binding = 0) uniform sampler2DMS image;
#else
layout(binding = 0) uniform sampler2D image;
#endif

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
#if defined COMPARED
  colour = vec4(vec3(texture(image, vec3(gl_FragCoord.xy / vec2(textureSize(image, 0)), 0.5))), 1);
#elif defined STENCIL
  uint value = texelFetch(image, at, 0).r;
  colour = vec4(value & 7u, (value >> 3) & 7u, (value >> 6) * 2u, 7) / 7.0;
#elif defined MULTISAMPLE
  colour = vec4(0, 0, 0, 1);
  for (int i = 0; i < 4; i++) colour.rgb += texelFetch(image, at, i).rrr * 0.25;
#else
  colour = vec4(texelFetch(image, at, 0).rrr, 1);
#endif
}
