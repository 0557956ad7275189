#version 450
#extension GL_EXT_fragment_shading_rate : require
// Twice the fragment's middle, its rate, and what of its inputs is as that place wants it; fragments are counted. (Mesa's gl_FragCoord of coarse
// fragments lies half a pixel further: 25.0.7 brw_compile_fs.cpp, brw_emit_interpolation_setup, whose places are whole pixels.)
layout(location = 0) in vec3 place;
layout(location = 1) noperspective in vec2 flat_place;
layout(location = 0) out uvec4 colour;
layout(binding = 0) buffer Values { uint count; };

void main() {
  vec2 at = flat_place;
  uint right = 0;
  if (distance(place.xy / place.z, at) < 0.02) right |= 1;
  if (all(lessThan(abs(gl_FragCoord.xy - at), vec2(0.51)))) right |= 2;
  if (abs(gl_FragCoord.z - (0.1 + (0.3 * at.x + 0.2 * at.y) / 64)) < 1e-4) right |= 4;
  if (abs(gl_FragCoord.w - (1 - (0.2 * at.x + 0.1 * at.y) / 64)) < 1e-3) right |= 8;
#ifdef OFFSETS
  // By offsets that count pixels, or fragments.
  const vec2 offset = vec2(0.25, -0.375);
  vec3 moved = interpolateAtOffset(place, offset);
  if (distance(moved.xy / moved.z, at + offset) < 0.02) right |= 16;
  const vec2 size = vec2((gl_ShadingRateEXT & 12) != 0 ? (gl_ShadingRateEXT & 8) != 0 ? 4 : 2 : 1,
                         (gl_ShadingRateEXT & 3) != 0 ? (gl_ShadingRateEXT & 2) != 0 ? 4 : 2 : 1);
  if (distance(moved.xy / moved.z, at + offset * size) < 0.04) right |= 32;
#else
  right |= 48;
#endif
  colour = uvec4(at * 2 + 0.5, gl_ShadingRateEXT, right);
  atomicAdd(count, 1);
}
