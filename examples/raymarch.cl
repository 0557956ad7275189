// The picture of the README: an atoll in the evening sun, ray-marched. One work-item a pixel; OpenCL C 1.2, so that the
// same source runs on any OpenCL. Lengths are in units of about ten metres, y is up and the sea lies at y = 0.
// Signed distances and penumbra from the smallest distance along a ray: J. Hart 1996 "Sphere tracing", I. Quilez's articles.

#define HIGHEST 3.1f      /* nothing but sky above this height */
#define SUN ((float3)(-0.6471f, 0.3667f, 0.6686f))
#define LIGHTHOUSE ((float2)(6.3f, -6.6f))

enum Material { Sky, Water, Ground, Tree, Tower };

float hash(int x, int y) {
  uint h = (uint)x * 0x85ebca6bu ^ (uint)y * 0xc2b2ae35u;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return (float)(h >> 8) * 0x1p-24f;
}

// Value noise in [0, 1], with continuous second derivatives.
float noise(float2 p) {
  float2 cell = floor(p), f = p - cell;
  int x = (int)cell.x, y = (int)cell.y;
  float2 u = f * f * f * (f * (f * 6.0f - 15.0f) + 10.0f);
  return mix(mix(hash(x, y), hash(x + 1, y), u.x), mix(hash(x, y + 1), hash(x + 1, y + 1), u.x), u.y);
}

// Octaves of noise, each turned against the last; the sum lies in [0, 1).
float turbulence(float2 p, int octaves) {
  float sum = 0.0f, weight = 0.5f;
  #pragma unroll 1
  for (int i = 0; i < octaves; ++i) {
    sum += weight * noise(p);
    p = (float2)(1.6f * p.x - 1.2f * p.y, 1.2f * p.x + 1.6f * p.y) + 3.7f;
    weight *= 0.5f;
  }
  return sum;
}

// Height of the ground (below zero: of the sea bed): a broken ring of sand around a shallow lagoon.
float ground(float2 p, int octaves) {
  float t = turbulence(p * 0.42f + 11.0f, octaves);
  float across = length(p) - 9.6f - 2.6f * (t - 0.5f);
  float ring = native_exp(-across * across * 0.42f);
  float broken = smoothstep(0.16f, 0.62f, noise(p * 0.19f + 4.3f));
  float floor_height = across > 0.0f ? -0.34f - 0.9f * across * across / (1.0f + 0.4f * across) : -0.34f - 0.10f * t;
  return floor_height + ring * (0.50f + 1.10f * broken * t);
}

// How densely trees stand on ground of that height.
float growth(float2 p, float height) {
  return smoothstep(0.16f, 0.34f, height) * smoothstep(0.9f, 2.0f, distance(p, LIGHTHOUSE));
}

float tower(float3 p) {
  float3 q = p - (float3)(LIGHTHOUSE.x, 0.0f, LIGHTHOUSE.y);
  float r = length(q.xz);
  float shaft = max(r - (0.30f - 0.055f * q.y), q.y - 2.35f) * 0.98f;
  float gallery = max(r - 0.30f, fabs(q.y - 2.38f) - 0.045f);
  float lantern = max(r - 0.15f, fabs(q.y - 2.55f) - 0.16f);
  float roof = max(0.8f * r + 0.6f * (q.y - 3.02f), 2.70f - q.y);
  return min(min(shaft, gallery), min(lantern, roof));
}

// Distance to the nearest thing that is not water, and what it is.
float scene(float3 p, int* material) {
  float height = ground(p.xz, 4);
  // The sea bed is no use as a bound: beside the ring it falls away, and a step as long as that would jump the ring.
  float aside = max(fabs(length(p.xz) - 9.6f) - 2.7f, 0.0f);
  float d = min((p.y - max(height, -0.4f)) * 0.66f, 0.5f + aside);
  *material = Ground;
  float above = p.y - height;
  if (above > 0.8f) d = min(d, (above - 0.58f) * 0.75f);
  if (above < 0.8f && height > 0.02f) {
    // One crown a grid cell; it never leaves its cell, and steps near the crowns are short enough not to jump one.
    float2 grid = floor(p.xz * 2.6f);
    int x = (int)grid.x, y = (int)grid.y;
    float size = hash(x, y + 917);
    float2 centre = (grid + 0.5f + 0.22f * ((float2)(hash(x + 311, y), hash(x, y + 173)) - 0.5f)) * (1.0f / 2.6f);
    float radius = 0.105f + 0.085f * size;
    float foot = ground(centre, 4);
    float3 q = (float3)(p.x - centre.x, (p.y - foot - 0.06f - radius * 1.1f) * 0.8f, p.z - centre.y);
    float leaves = native_sin(p.x * 43.0f) * native_sin(p.y * 39.0f + size * 9.0f) * native_sin(p.z * 41.0f);
    float crown = hash(x + 53, y + 29) < growth(centre, foot) ? length(q) - radius + 0.022f * leaves : 0.25f;
    crown = min(crown, 0.17f);
    if (crown < d) {
      d = crown;
      *material = Tree;
    }
  }
  float t = tower(p);
  if (t < d) {
    d = t;
    *material = Tower;
  }
  return d;
}

// Sky radiance; clouds on a plane far above, thicker where they face away from the sun.
float3 sky(float3 direction) {
  float up = max(direction.y, 0.0f), sun = max(dot(direction, SUN), 0.0f);
  float3 horizon = mix((float3)(0.56f, 0.66f, 0.76f), (float3)(1.15f, 0.72f, 0.42f), 0.10f + 0.90f * sun * sun * sun);
  float3 colour = mix(horizon, (float3)(0.085f, 0.25f, 0.60f), 1.0f - native_exp(-9.0f * up));
  colour += (float3)(1.0f, 0.55f, 0.22f) * (0.42f * native_powr(sun, 6.0f)) + (float3)(1.0f, 0.85f, 0.6f) * (0.6f * native_powr(sun, 90.0f));
  if (up > 0.01f) {
    float2 p = direction.xz * (0.85f / (up + 0.09f)) + (float2)(3.4f, 7.0f);
    float thick = smoothstep(0.43f, 0.70f, turbulence(p, 6));
    float behind = smoothstep(0.40f, 0.80f, turbulence(p + SUN.xz * 0.35f, 4));
    float3 cloud = mix((float3)(1.25f, 1.02f, 0.82f), (float3)(0.52f, 0.48f, 0.55f), behind) + (float3)(0.9f, 0.5f, 0.25f) * (0.5f * native_powr(sun, 8.0f));
    colour = mix(colour, cloud, thick * smoothstep(0.0f, 0.05f, up) * 0.92f);
  }
  return colour + (float3)(14.0f, 10.5f, 6.5f) * smoothstep(0.99955f, 0.9998f, sun);
}

// Share of the sun that reaches a point: the narrowest gap along the way gives the penumbra.
float sunlight(float3 from) {
  float light = 1.0f, t = 0.03f;
  int material;
  for (int i = 0; i < 40 && light > 0.01f; ++i) {
    float3 p = from + SUN * t;
    if (p.y > HIGHEST || t > 9.0f) break;
    float d = scene(p, &material);
    light = min(light, 0.5f + 0.5f * d * 13.0f / t);
    t += clamp(d, 0.035f, 0.5f);
  }
  light = max(light, 0.0f);
  return light * light * (3.0f - 2.0f * light);
}

// Slope of the swell and the ripples at a place; they fade with distance, where they are smaller than a pixel.
float3 wave_normal(float2 p, float range) {
  float2 slope = (float2)(0.0f);
  float fade = 1.0f / (1.0f + 0.0016f * range * range), scale = 3.1f, height = 0.034f;
  #pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    float e = 0.06f;
    float h = noise(p * scale + 5.0f);
    slope += height * (float2)(noise(p * scale + (float2)(5.0f + e, 5.0f)) - h, noise(p * scale + (float2)(5.0f, 5.0f + e)) - h) / e;
    p = (float2)(0.8f * p.x - 0.6f * p.y, 0.6f * p.x + 0.8f * p.y);
    scale *= 2.1f;
    height *= 0.86f;
  }
  return fast_normalize((float3)(-slope.x * fade, 1.0f, -slope.y * fade));
}

// What is seen along a ray. A water surface adds its own light and hands its mirrored ray on, so the loop runs twice at most.
float3 radiance(float3 origin, float3 direction) {
  float3 seen = (float3)(0.0f);
  float3 weight = (float3)(1.0f);
  for (int bounce = 0; bounce < 2; ++bounce) {
    float far = direction.y < -1e-4f ? -origin.y / direction.y : 1e9f;
    float t = origin.y > HIGHEST ? (direction.y < 0.0f ? (HIGHEST - origin.y) / direction.y : 1e9f) : 0.02f;
    int material = Sky;
    float end = min(far, 60.0f);
    float3 p = origin;
    int steps = bounce == 0 ? 110 : 60;
    for (int i = 0; i < steps && t < end; ++i) {
      p = origin + direction * t;
      if (p.y > HIGHEST + 0.01f && direction.y > 0.0f) break;
      int candidate;
      float d = scene(p, &candidate);
      if (d < 0.0006f * t + 0.0008f) {
        material = candidate;
        break;
      }
      t += d;
    }
    if (material == Sky && far < 1e8f) {
      material = Water;
      t = far;
    }
    float3 haze = sky(fast_normalize((float3)(direction.x, 0.015f, direction.z)));
    if (material == Sky) {
      seen += weight * sky(direction);
      break;
    }
    p = origin + direction * t;
    float range = t, clear = native_exp(-range * range * 0.00008f);
    int ignored;
    float3 normal;
    if (material == Water) {
      p.y = 0.0f;
      normal = wave_normal(p.xz, range);
    } else {
      // The gradient of the distance, from the corners of a tetrahedron.
      normal = (float3)(0.0f);
      #pragma unroll 1
      for (int i = 0; i < 4; ++i) {
        float3 corner = (float3)(((i + 3) >> 1 & 1) ? 1.0f : -1.0f, (i >> 1 & 1) ? 1.0f : -1.0f, (i & 1) ? 1.0f : -1.0f);
        normal += corner * scene(p + corner * (0.004f + 0.0005f * range), &ignored);
      }
      normal = fast_normalize(normal);
    }
    float lit = sunlight(p + normal * 0.02f);
    float3 sun_colour = (float3)(2.6f, 1.75f, 1.05f) * lit;
    float3 ambient = (float3)(0.26f, 0.36f, 0.52f);
    if (material == Water) {
      float facing = max(-dot(direction, normal), 0.02f);
      float fresnel = 0.02f + 0.98f * native_powr(1.0f - facing, 5.0f);
      float2 bed = p.xz + normal.xz * 0.5f;
      float depth = max(-ground(bed, 4), 0.0f) + 0.005f;
      float path = depth * (1.0f + 0.75f / (0.35f - direction.y));
      float reef = smoothstep(0.50f, 0.66f, turbulence(bed * 1.7f + 31.0f, 4)) * smoothstep(0.10f, 0.3f, depth);
      float caustic = 1.0f - fabs(2.0f * noise(bed * 5.0f + normal.xz * 9.0f) - 1.0f);
      float3 sand = mix((float3)(0.86f, 0.78f, 0.60f), (float3)(0.16f, 0.20f, 0.14f), reef);
      float3 through = native_exp((float3)(-2.60f, -0.62f, -0.46f) * path);
      float3 light = sun_colour * (0.30f + 0.22f * caustic * caustic) + ambient * 0.8f;
      float3 body = mix((float3)(0.006f, 0.085f, 0.125f) * (0.55f + 0.45f * lit), sand * light, through);
      float foam = smoothstep(0.045f, 0.0f, depth) * smoothstep(0.35f, 0.65f, noise(p.xz * 14.0f));
      body = mix(body, (float3)(0.95f, 0.9f, 0.85f) * (0.35f + 0.5f * lit), foam * 0.8f);
      seen += weight * mix(haze, body * (1.0f - fresnel), clear);
      float3 mirrored = direction + normal * (2.0f * facing);
      mirrored.y = max(mirrored.y, 0.02f);
      direction = fast_normalize(mirrored);
      float glint = native_powr(max(dot(direction, SUN), 0.0f), 420.0f) * lit;
      seen += weight * (float3)(9.0f, 6.2f, 3.6f) * (glint * fresnel * clear);
      weight *= fresnel * clear;
      origin = p + (float3)(0.0f, 0.004f, 0.0f);
      if (bounce == 1) seen += weight * haze;
      continue;
    }
    float facing = max(dot(normal, SUN), 0.0f);
    float3 albedo;
    float shine = 0.0f, through = 0.0f;
    if (material == Tree) {
      float2 grid = floor(p.xz * 2.6f);
      float kind = hash((int)grid.x, (int)grid.y + 917), warm = hash((int)grid.x + 7, (int)grid.y);
      albedo = mix((float3)(0.050f, 0.120f, 0.030f), (float3)(0.170f, 0.215f, 0.045f), kind);
      albedo = mix(albedo, (float3)(0.26f, 0.19f, 0.05f), 0.35f * warm * warm);
      float height = p.y - ground(p.xz, 4);
      ambient *= 0.25f + 0.75f * smoothstep(0.0f, 0.42f, height);
      through = 0.22f;
    } else if (material == Tower) {
      float around = p.y * 2.45f;
      albedo = around - floor(around) < 0.5f && p.y < 2.3f ? (float3)(0.60f, 0.055f, 0.035f) : (float3)(0.86f, 0.83f, 0.78f);
      if (p.y > 2.34f) albedo = (float3)(0.09f, 0.09f, 0.10f);
      if (p.y > 2.70f) albedo = (float3)(0.50f, 0.05f, 0.035f);
      if (p.y > 2.44f && p.y < 2.70f) seen += weight * (float3)(3.2f, 2.1f, 0.8f) * clear;
      shine = 0.25f;
    } else {
      float height = p.y;
      float grain = turbulence(p.xz * 9.0f, 4);
      albedo = mix((float3)(0.78f, 0.66f, 0.46f), (float3)(0.62f, 0.50f, 0.33f), grain);
      float grass = growth(p.xz, height + 0.25f * (grain - 0.5f));
      albedo = mix(albedo, (float3)(0.13f, 0.155f, 0.045f), grass * 0.85f);
      albedo *= mix(0.55f, 1.0f, smoothstep(0.0f, 0.07f, height));
      shine = 0.25f * (1.0f - smoothstep(0.0f, 0.06f, height));
    }
    float3 bounced = (float3)(0.30f, 0.22f, 0.12f) * max(0.35f - 0.65f * normal.y, 0.0f);
    float3 light = sun_colour * (facing + through * (1.0f - facing)) + ambient * (0.55f + 0.45f * normal.y) + bounced;
    float3 half_way = fast_normalize(SUN - direction);
    float3 colour = albedo * light + sun_colour * (shine * native_powr(max(dot(normal, half_way), 0.0f), 40.0f));
    seen += weight * mix(haze, colour, clear);
    break;
  }
  return seen;
}

// image: width * height texels RGBA, 8 bits each, top row first. samples: sub-pixel samples along each side of a pixel.
__kernel void raymarch(__global uchar4* image, int width, int height, int samples) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float3 eye = (float3)(-3.0f, 5.2f, -21.0f), target = (float3)(0.5f, 0.62f, 0.0f);
  float3 forward = fast_normalize(target - eye), right = fast_normalize(cross((float3)(0.0f, 1.0f, 0.0f), forward)), up = cross(forward, right);
  float3 sum = (float3)(0.0f);
  for (int s = 0; s < samples * samples; ++s) {
    float2 offset = ((float2)(s % samples, s / samples) + 0.5f) / samples;
    float2 p = ((float2)(x, y) + offset - 0.5f * (float2)(width, height)) / (float)height;
    float3 colour = radiance(eye, fast_normalize(forward * 1.42f + right * p.x - up * p.y));
    // A filmic curve a sample, so that the sun's glitter stays smooth at its edges.
    colour = colour * 0.82f;
    sum += colour * (2.51f * colour + 0.03f) / (colour * (2.43f * colour + 0.59f) + 0.14f);
  }
  float2 centre = (float2)((float)x / width - 0.5f, (float)y / height - 0.5f);
  float3 display = sum / (float)(samples * samples) * (1.0f - 0.55f * dot(centre, centre));
  display = native_powr(clamp(display, 0.0f, 1.0f), (float3)(1.0f / 2.2f));
  image[y * width + x] = (uchar4)(convert_uchar3_sat_rte(display * 255.0f), 255);
}
