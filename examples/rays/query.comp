#version 460
#extension GL_EXT_ray_query : require
// The picture of picture.h by ray queries of Vulkan, a pixel a thread. The fourth byte of a pixel is how many rays it took.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) readonly buffer Triangles { vec4 corners[]; };  // w of the first: its colour, RGB8
layout(set = 0, binding = 2, std430) writeonly buffer Pixels { uint pixels[]; };
layout(push_constant) uniform Size { int width, height, samples; };

const uint none = 0xffffffffu;
const vec3 to_sun = normalize(vec3(0.72, 0.40, 0.42));
uint rays = 0;

// The nearest triangle before `most`, and how far it is. `any`: some triangle, if there is one.
uint trace(vec3 origin, vec3 direction, float most, bool any, out float distance_to_it) {
  rays++;
  rayQueryEXT q;
  const uint flags = gl_RayFlagsOpaqueEXT | (any ? gl_RayFlagsTerminateOnFirstHitEXT : 0);
  rayQueryInitializeEXT(q, scene, flags, 0xff, origin, 0.0, direction, most);
  while (rayQueryProceedEXT(q)) {
  }
  distance_to_it = most;
  if (rayQueryGetIntersectionTypeEXT(q, true) == gl_RayQueryCommittedIntersectionNoneEXT) return none;
  distance_to_it = rayQueryGetIntersectionTEXT(q, true);
  return rayQueryGetIntersectionPrimitiveIndexEXT(q, true);
}

vec3 sky(vec3 d) {
  const vec3 blue = mix(vec3(0.90, 0.74, 0.60), vec3(0.16, 0.36, 0.74), sqrt(max(d.y, 0.0)));
  const float sun = max(dot(d, to_sun), 0.0);
  return blue + vec3(1.0, 0.75, 0.40) * (0.25 * pow(sun, 12.0) + 3.0 * pow(sun, 900.0));
}

vec3 ground(vec3 at, vec3 direction, uint index) {
  const vec4 first = corners[index * 3];
  const vec3 a = first.xyz, b = corners[index * 3 + 1].xyz, c = corners[index * 3 + 2].xyz;
  const uint rgb = floatBitsToUint(first.w);
  const vec3 colour = vec3(rgb & 255u, rgb >> 8 & 255u, rgb >> 16 & 255u) / 255.0;
  vec3 normal = normalize(cross(b - a, c - a));
  if (dot(normal, direction) > 0.0) normal = -normal;
  float lit = max(dot(normal, to_sun), 0.0), unused;
  if (lit > 0.0 && trace(at + normal * 2e-3, to_sun, 100.0, true, unused) != none) lit = 0.0;
  return colour * (lit * vec3(1.25, 1.08, 0.85) + (0.30 + 0.22 * normal.y) * vec3(0.62, 0.74, 0.95));
}

vec3 seen(vec3 origin, vec3 direction) {
  vec3 colour = vec3(0), share = vec3(1);
  for (int bounce = 0; bounce < 2; bounce++) {
    const float sea = direction.y < 0.0 ? -origin.y / direction.y : 1e30;
    float far;
    const uint hit = trace(origin, direction, min(sea, 200.0), false, far);
    if (hit != none) {
      const float haze = 1.0 - exp(-0.006 * far);
      return colour + share * mix(ground(origin + direction * far, direction, hit), vec3(0.75, 0.76, 0.76), haze);
    }
    if (sea > 200.0 || bounce != 0) break;
    // Water, as picture.h has it.
    const vec3 at = origin + direction * sea;
    const float wave = 0.010 * (sin(9.0 * at.x + 4.0 * at.z) + sin(7.0 * at.z - 5.0 * at.x));
    const vec3 normal = normalize(vec3(wave, 1.0, 0.7 * wave));
    const float mirrored = 0.04 + 0.96 * pow(1.0 - abs(dot(normal, direction)), 5.0);
    const float shallow = exp(-0.35 * abs(length(at.xz) - 8.0)) + 0.6 * exp(-0.05 * dot(at.xz, at.xz));
    colour = (1.0 - mirrored) * mix(vec3(0.02, 0.13, 0.24), vec3(0.12, 0.55, 0.52), clamp(shallow, 0.0, 1.0));
    share = vec3(mirrored);
    origin = at + vec3(0.0, 2e-3, 0.0);
    direction = normalize(direction - 2.0 * dot(direction, normal) * normal);
    direction.y = abs(direction.y);
  }
  return colour + share * sky(direction);
}

void main() {
  const ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (pixel.x >= width || pixel.y >= height) return;
  const vec3 eye = vec3(-9.2, 2.3, 13.6), forward = normalize(vec3(-0.6, 0.75, 0.0) - eye);
  const vec3 right = normalize(cross(forward, vec3(0, 1, 0))), up = cross(right, forward);
  vec3 sum = vec3(0);
  for (int n = 0; n < samples * samples; n++) {
    const vec2 at = vec2(pixel) + (vec2(n % samples, n / samples) + 0.5) / float(samples);
    const float u = (2.0 * at.x - float(width)) / float(height) * 0.52, v = (float(height) - 2.0 * at.y) / float(height) * 0.52;
    sum += seen(eye, normalize(forward + u * right + v * up));
  }
  const vec3 c = sum / float(samples * samples);
  const uvec3 bytes = uvec3(255.0 * clamp(sqrt(c / (1.0 + 0.35 * c)), 0.0, 1.0) + 0.5);
  pixels[pixel.y * width + pixel.x] = bytes.x | bytes.y << 8 | bytes.z << 16 | min(rays, 255u) << 24;
}
