#version 450
#extension GL_ARB_sparse_texture2 : require
// A level's texels, red alone, and whether they are resident.
layout(local_size_x = 64) in;
layout(push_constant) uniform Level { uint width, height, depth, level; };
#if defined IMAGE_3D
layout(binding = 0) uniform usampler3D image;
#elif defined IMAGE_2D_ARRAY
layout(binding = 0) uniform usampler2DArray image;
#else
layout(binding = 0) uniform usampler2D image;
#endif
layout(binding = 1) writeonly buffer Values { uvec2 values[]; };

void main() {
  uint n = gl_GlobalInvocationID.x;
  if (n >= width * height * depth) return;
  ivec3 at = ivec3(n % width, n / width % height, n / (width * height));
  uvec4 texel;
#if defined IMAGE_3D || defined IMAGE_2D_ARRAY
  int code = sparseTexelFetchARB(image, at, int(level), texel);
#else
  int code = sparseTexelFetchARB(image, at.xy, int(level), texel);
#endif
  values[n] = uvec2(texel.r, sparseTexelsResidentARB(code) ? 1 : 0);
}
