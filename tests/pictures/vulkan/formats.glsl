// What the shaders of the sheet of formats share. UINT, SINT: the format's components are such integers; else they are floats.
#if defined UINT
#define VALUE uvec4
#define OF_KIND(name) u##name
#elif defined SINT
#define VALUE ivec4
#define OF_KIND(name) i##name
#else
#define VALUE vec4
#define OF_KIND(name) name
#endif

// What is written at a place of 16 x 16: floats from -0.2 to 1.2, integers of all sizes up to `most`.
VALUE written(ivec2 at, uvec4 most, bool turned) {
#if defined UINT || defined SINT
  uvec4 raw = uvec4(at.x * 16 + at.y, at.x * 4007 + at.y, (at.x ^ at.y) * 0x1111111, at.y * 3 + at.x);
  if (turned) raw = raw.wzyx;
  raw &= most;
#if defined SINT
  return ivec4(raw) - ivec4((most >> 1) + 1u);
#else
  return raw;
#endif
#else
  vec4 v = vec4(at.x, at.y, at.x ^ at.y, 15 - at.x) / 15.0 * 1.4 - 0.2;
  return turned ? v.wzyx : v;
#endif
}
