// The shared part of this folder's ray tracers, in OpenCL C: an atoll of triangles in the morning sun, on a sea that mirrors it.
// Each has its own way for a ray to find a triangle: rays4.cl and rays8.cl through trees that scene.cpp has built for RDNA4's
// instructions, plain.cl by trying all of them.
typedef struct {
  float4 corner[3];  // w of the first: its colour, RGB8
} Triangle;

typedef struct {
  float distance;
  uint triangle;  // none if there is none
} Hit;
#define NONE 0xffffffffu

// The nearest triangle before `most`. `any`: some triangle, if there is one.
Hit trace(Scene scene, float3 origin, float3 direction, float most, bool any);

#define SUN normalize((float3)(0.72f, 0.40f, 0.42f))

float3 sky(float3 d) {
  float up = fmax(d.y, 0.0f);
  float3 blue = mix((float3)(0.90f, 0.74f, 0.60f), (float3)(0.16f, 0.36f, 0.74f), sqrt(up));
  float sun = fmax(dot(d, SUN), 0.0f);
  return blue + (float3)(1.0f, 0.75f, 0.40f) * (0.25f * pow(sun, 12.0f) + 3.0f * pow(sun, 900.0f));
}

float3 ground(Scene scene, global const Triangle* triangles, float3 at, float3 direction, uint index) {
  float3 a = triangles[index].corner[0].xyz, b = triangles[index].corner[1].xyz, c = triangles[index].corner[2].xyz;
  uint rgb = as_uint(triangles[index].corner[0].w);
  float3 colour = (float3)((float)(rgb & 255), (float)(rgb >> 8 & 255), (float)(rgb >> 16 & 255)) / 255.0f;
  float3 normal = normalize(cross(b - a, c - a));
  if (dot(normal, direction) > 0.0f) normal = -normal;
  float lit = fmax(dot(normal, SUN), 0.0f);
  if (lit > 0.0f && trace(scene, at + normal * 2e-3f, SUN, 100.0f, true).triangle != NONE) lit = 0.0f;
  return colour * (lit * (float3)(1.25f, 1.08f, 0.85f) + (0.30f + 0.22f * normal.y) * (float3)(0.62f, 0.74f, 0.95f));
}

float3 seen(Scene scene, global const Triangle* triangles, float3 origin, float3 direction) {
  float3 colour = (float3)(0.0f), share = (float3)(1.0f);
  for (int bounce = 0; bounce < 2; bounce++) {
    float sea = direction.y < 0.0f ? -origin.y / direction.y : 1e30f;
    Hit hit = trace(scene, origin, direction, fmin(sea, 200.0f), false);
    if (hit.triangle != NONE) {
      float3 at = origin + direction * hit.distance;
      float haze = 1.0f - exp(-0.006f * hit.distance);
      return colour + share * mix(ground(scene, triangles, at, direction, hit.triangle), (float3)(0.75f, 0.76f, 0.76f), haze);
    }
    if (sea > 200.0f || bounce) break;
    // Water: the bottom's colour below, the mirrored world above (Schlick's approximation), small waves.
    float3 at = origin + direction * sea;
    float wave = 0.010f * (sin(9.0f * at.x + 4.0f * at.z) + sin(7.0f * at.z - 5.0f * at.x));
    float3 normal = normalize((float3)(wave, 1.0f, 0.7f * wave));
    float mirrored = 0.04f + 0.96f * pow(1.0f - fabs(dot(normal, direction)), 5.0f);
    float shallow = exp(-0.35f * fabs(length(at.xz) - 8.0f)) + 0.6f * exp(-0.05f * dot(at.xz, at.xz));
    colour = (1.0f - mirrored) * mix((float3)(0.02f, 0.13f, 0.24f), (float3)(0.12f, 0.55f, 0.52f), clamp(shallow, 0.0f, 1.0f));
    share = (float3)(mirrored);
    origin = at + (float3)(0.0f, 2e-3f, 0.0f);
    direction = normalize(direction - 2.0f * dot(direction, normal) * normal);
    direction.y = fabs(direction.y);
  }
  return colour + share * sky(direction);
}

uchar4 pixel(Scene scene, global const Triangle* triangles, int width, int height, int samples) {
  int x = (int)get_global_id(0), y = (int)get_global_id(1);
  float3 eye = (float3)(-9.2f, 2.3f, 13.6f), forward = normalize((float3)(-0.6f, 0.75f, 0.0f) - eye);
  float3 right = normalize(cross(forward, (float3)(0.0f, 1.0f, 0.0f))), up = cross(right, forward);
  float3 sum = (float3)(0.0f);
  for (int n = 0; n < samples * samples; n++) {
    float px = (float)x + ((float)(n % samples) + 0.5f) / (float)samples,
          py = (float)y + ((float)(n / samples) + 0.5f) / (float)samples;
    float u = (2.0f * px - (float)width) / (float)height * 0.52f, v = ((float)height - 2.0f * py) / (float)height * 0.52f;
    sum += seen(scene, triangles, eye, normalize(forward + u * right + v * up));
  }
  float3 c = sum / (float)(samples * samples);
  c = 255.0f * clamp(sqrt(c / (1.0f + 0.35f * c)), 0.0f, 1.0f) + 0.5f;
  return (uchar4)((uchar)c.x, (uchar)c.y, (uchar)c.z, 255);
}
