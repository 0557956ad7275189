#version 450
#extension GL_EXT_multiview : enable
#extension GL_EXT_nonuniform_qualifier : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_vote : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_quad : enable
// What a pixel is told of the way to it.
layout(location = 0) flat in uint instance;
layout(location = 0) out uvec4 colour;
#ifdef UNIFORM
layout(set = 0, binding = 0) uniform Given { uvec4 given[4]; };
#endif
#ifdef ARRAY
layout(set = 0, binding = 0) readonly buffer Words { uint words[]; } buffers[];
#endif
#ifdef TEXTURE
layout(set = 0, binding = 0) uniform usampler2D textures[];
#endif
#ifdef ATTACHMENT
layout(input_attachment_index = 0, set = 0, binding = 0) uniform usubpassInput before;
#endif
#ifdef MULTISAMPLED
layout(input_attachment_index = 0, set = 0, binding = 0) uniform usubpassInputMS before;
#endif

void main() {
  uvec2 at = uvec2(gl_FragCoord.xy);
  colour = uvec4(instance + 1u, at, 1);
#ifdef VIEW
  colour.w = uint(gl_ViewIndex) + 7u;
#endif
#ifdef LAYER
  colour.w = uint(gl_Layer * 16 + gl_ViewportIndex);
#endif
#ifdef UNIFORM
  colour = given[(at.x ^ at.y) & 3u] + uvec4(0, at, instance);
#endif
#ifdef ARRAY
  uint which = (at.x / 3u + at.y) % 8u;
  colour = uvec4(buffers[nonuniformEXT(which)].words[at.x], which, buffers[nonuniformEXT(which)].words.length(), 1);
#endif
#ifdef TEXTURE
  uint which = (at.x / 3u + at.y) % 8u;
  colour = texelFetch(textures[nonuniformEXT(which)], ivec2(at % 4u), 0);
#endif
#ifdef ATTACHMENT
  colour = subpassLoad(before) + uvec4(instance, 0, at);
#endif
#ifdef MULTISAMPLED
  colour = subpassLoad(before, gl_SampleID) + uvec4(gl_SampleID, 0, at);
#endif
#ifdef SAMPLE
  colour = uvec4(gl_SampleID * 17 + 3, gl_SampleMaskIn[0], at);
#endif
#ifdef SUBGROUP
  // Whatever a subgroup's size and pixels are, these agree with each other, or with the pixels beside this one.
  uvec4 all = subgroupBallot(true);
  uint count = subgroupBallotBitCount(all);
  bool odd = ((at.x + at.y) & 1u) != 0u;
  uint right = subgroupQuadSwapHorizontal(at.x), below = subgroupQuadSwapVertical(at.y), other = subgroupQuadSwapDiagonal(at.x + at.y);
  colour.x = uint(subgroupAdd(1u) == count) | uint(subgroupInclusiveAdd(1u) == subgroupBallotInclusiveBitCount(all)) << 1 |
             uint(subgroupExclusiveAdd(2u) == 2u * subgroupBallotExclusiveBitCount(all)) << 2 |
             uint(subgroupBroadcastFirst(gl_SubgroupInvocationID) == subgroupBallotFindLSB(all)) << 3 |
             uint(subgroupAll(true) && subgroupAny(odd) == (subgroupBallotBitCount(subgroupBallot(odd)) > 0u)) << 4 |
             uint(subgroupMax(at.x) >= at.x && subgroupMin(at.x) <= at.x && subgroupOr(at.y) >= at.y) << 5 |
             uint(subgroupAllEqual(count)) << 6;
  colour.yzw = uvec3(right, below, other);
#endif
}
