// Setup of eight triangles and of eight vertices at once (setup_triangles.cpp, viewport_lanes.cpp) against setup of one: the same
// primitives, to the bit, in the same bins.
#include "pipeline/front/setup.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

struct Random {
  std::mt19937 engine;
  int pick(int n) { return int(engine() % unsigned(n)); }
  float real(float from, float to) { return from + (to - from) * float(pick(100001)) / 100000; }
};

// `sets`: the weights that are asked for.
std::vector<uint64_t> bits_of(const Primitive& p, const float* attributes, uint8_t sets) {
  std::vector<uint64_t> bits;
  auto add = [&](auto... values) { (bits.push_back(uint64_t(values)), ...); };
  auto add_double = [&](auto... values) { (bits.push_back(std::bit_cast<uint64_t>(values)), ...); };
  add(p.edges, p.left, p.top, p.right, p.bottom, p.stipple);
  for (unsigned e = 0; e < p.edges; e++) add(p.a[e], p.b[e], p.c[e]);
  add_double(p.x, p.y, double(p.depth_low), double(p.depth_high));
  std::vector<const Plane*> planes = {&p.z, &p.one_over_w};
  if (sets & 7) planes.insert(planes.end(), {&p.perspective[0], &p.perspective[1]});
  if (sets >> 3 & 7) planes.insert(planes.end(), {&p.linear[0], &p.linear[1]});
  for (const Plane* plane : planes) add_double(plane->at, plane->x, plane->y);
  for (const float* attribute : {p.attributes.a, p.attributes.b, p.attributes.c, p.attributes.provoking})
    add(attribute - attributes);
  add(p.attributes.kind, p.attributes.front, p.attributes.primitive, p.attributes.layer, p.attributes.viewport);
  return bits;
}

bool is_small(const DrawConstants& constants, const Primitive& p) {
  return constants.places == 1 && p.edges == 3 && p.attributes.kind == PrimitiveKind::triangle && p.right - p.left <= 4 &&
         p.bottom - p.top <= 4;
}
// As raster.cpp has it, a pixel at a time.
uint64_t inside(const DrawConstants& constants, const Primitive& p) {
  uint64_t mask = 0;
  for (int y = p.top; y < p.bottom; y++)
    for (int x = p.left; x < p.right; x++) {
      bool in = true;
      for (unsigned e = 0; e < p.edges; e++)
        in &= constants.floor_divide(p.c[e] + p.a[e] * constants.sample_x[0] + p.b[e] * constants.sample_y[0]) +
                  int64_t(p.a[e]) * x + int64_t(p.b[e]) * y >=
              0;
      if (in) mask |= uint64_t(1) << number_in_block(unsigned(x - (p.left & ~1)), unsigned(y - (p.top & ~1)));
    }
  return mask;
}

TEST(Setup, EightTrianglesAreTheSameAsOneByOne) {
  Random random{std::mt19937(5)};
  size_t small = 0, uncovered = 0, large = 0;
  for (int round = 0; round < 3000; round++) {
    Canvas canvas(unsigned(50 + random.pick(300)), unsigned(50 + random.pick(200)), random.pick(3) ? 1 : 4);
    if (random.pick(4)) canvas.clip_space();
    Draw& draw = canvas.draw;
    FunctionPixels pixels(attribute_colour);
    pixels.sets = uint8_t(random.pick(64));
    draw.pixel_stage = &pixels;
    Rasterization& raster = draw.rasterization;
    raster.grid.denominator = std::array{12u, 16u, 256u, 4096u}[size_t(random.pick(4))];
    raster.grid.pixel_centre = random.pick(2) ? 0.5f : 0;
    for (auto& place : raster.sample_positions) place = {int8_t(random.pick(16)), int8_t(random.pick(16))};
    raster.cull_front = random.pick(4) == 0, raster.cull_back = random.pick(4) == 0, raster.front_is_clockwise = random.pick(2);
    raster.offset_front = random.pick(8) == 0, raster.depth_offset_front = {1, 2, 0};
    if (random.pick(8) == 0) raster.fill_back = Fill::lines;
    if (random.pick(3) == 0) raster.scissors = {{10, 5, 120, 90}};
    draw.scissor_viewports = random.pick(3) == 0, draw.viewport_scissors[0] = {0, 20, 90, 100};
    DrawConstants constants;
    if (!make_constants(draw, constants)) continue;
    std::array<GuardBand, 16> guards;
    for (unsigned n = 0; n < 16; n++) guards[n] = guard_band(constants, draw.viewports[n]);

    std::vector<Vertex> vertices(40 + size_t(random.pick(100)));
    std::vector<ScreenVertex> screen;
    const float across = float(canvas.colour.width), down = float(canvas.colour.height),
                reach = std::array{0.8f, 2.0f, 60.0f}[size_t(random.pick(3))];
    const bool at_corner = random.pick(3) == 0;  // of tiles
    const float x = at_corner ? 64 : random.real(0, across), y = at_corner ? 64 : random.real(0, down);
    for (Vertex& vertex : vertices) {
      float place[2] = {x + random.real(-reach, reach), y + random.real(-reach, reach)};
      if (random.pick(4) == 0) place[0] = std::round(place[0]), place[1] = std::round(place[1]);
      float w = 1;
      if (draw.clip.divide) {
        w = random.pick(4) ? random.real(0.1f, 3) : 1;
        place[0] = (place[0] / across * 2 - 1) * w, place[1] = (1 - place[1] / down * 2) * w;
      }
      vertex.position[0] = place[0], vertex.position[1] = place[1];
      vertex.position[2] = random.pick(5) ? random.real(0, 1) : -0.0f;
      vertex.position[3] = random.pick(100) ? w : std::array{0.0f, -1.0f, NAN}[size_t(random.pick(3))];
      ScreenVertex on_screen = to_screen(constants, draw.viewports[0], vertex.position);
      on_screen.outcode |= outcode(constants, vertex, guards[0]);
      screen.push_back(on_screen);
    }
    std::vector<float> attributes(vertices.size() * constants.attribute_floats);
    std::vector<Assembled> assembled;
    for (unsigned n = 0, count = unsigned(random.pick(60)); n < count; n++) {
      auto slot = [&] { return uint32_t(random.pick(int(vertices.size()))); };
      Assembled triangle{{slot(), slot(), slot()}, 0, n, ~0u, PrimitiveKind::triangle};
      triangle.provoking = triangle.slot[random.pick(3)];
      if (random.pick(30) == 0) triangle.rectangle = true;
      if (!triangle.rectangle && random.pick(30) == 0) triangle.kind = PrimitiveKind::line;
      assembled.push_back(triangle);
    }

    const SetupInput input{constants, vertices.data(), attributes.data(), screen.data(), guards};
    SetupPart one, eight;
    set_up(input, assembled, false, one);
    set_up(input, assembled, true, eight);
    ASSERT_EQ(one.in, eight.in);
    ASSERT_EQ(one.out, eight.out) << round;
    auto bin = eight.bins.begin();
    for (const Binned& expected : one.bins) {
      const Primitive& primitive = one.primitives[expected.primitive];
      const uint64_t mask = is_small(constants, primitive) ? inside(constants, primitive) : 0;
      const bool here = bin != eight.bins.end() && bin->tile == expected.tile &&
                        bits_of(eight.primitives[bin->primitive], attributes.data(), pixels.sets) ==
                            bits_of(primitive, attributes.data(), pixels.sets);
      if (is_small(constants, primitive) && !mask && !here) {
        uncovered++;
        continue;
      }
      ASSERT_TRUE(here) << round;
      const Primitive& other = eight.primitives[bin->primitive];
      if (other.inside) ASSERT_EQ(other.inside, mask) << round;
      (other.inside ? small : large)++;
      bin++;
    }
    ASSERT_EQ(bin, eight.bins.end()) << round;
  }
  EXPECT_GT(small, 1000u);
  EXPECT_GT(uncovered, 1000u);
  EXPECT_GT(large, 1000u);
}

float any_float(Random& random) {
  switch (random.pick(6)) {
    case 0: return std::bit_cast<float>(uint32_t(random.engine()));
    case 1: return std::array{0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN}[size_t(random.pick(7))];
    case 2: return float(random.pick(2000) - 1000) / 16;
    case 3: return random.real(-40000, 40000);
    default: return random.real(-2, 2);
  }
}

TEST(Setup, EightVerticesAreTheSameAsOneByOne) {
  Random random{std::mt19937(8)};
  for (int round = 0; round < 4000; round++) {
    Canvas canvas(100, 100);
    Draw& draw = canvas.draw;
    Clip& clip = draw.clip;
    for (bool* flag : {&clip.enable, &clip.divide, &clip.viewport_transform, &clip.w_is_reciprocal, &clip.depth_from_zero,
                       &clip.cut_near, &clip.cut_far})
      *flag = random.pick(2);
    if (random.pick(4) == 0) clip.distances = uint8_t(random.engine());
    clip.guard_band_x = random.real(0, 50), clip.guard_band_y = random.real(0, 50);
    for (Viewport& viewport : draw.viewports)
      for (unsigned c = 0; c < 3; c++)
        viewport.scale[c] = random.real(-100, 100),
        viewport.offset[c] = random.pick(20) ? random.real(-50, 50) : any_float(random);
    Grid& grid = draw.rasterization.grid;
    grid.denominator = std::array{12u, 16u, 256u, 4096u}[size_t(random.pick(4))];
    grid.rounding = GridRounding(random.pick(3));
    DrawConstants constants;
    ASSERT_TRUE(make_constants(draw, constants));
    std::array<GuardBand, 16> guards;
    for (unsigned n = 0; n < 16; n++) guards[n] = guard_band(constants, draw.viewports[n]);
    std::vector<Vertex> vertices(size_t(random.pick(20)));
    const bool many = random.pick(4) == 0;
    for (Vertex& vertex : vertices) {
      for (float& v : vertex.position) v = any_float(random);
      for (float& v : vertex.clip_distance) v = random.real(-1, 3);
      if (many) vertex.viewport = uint32_t(random.pick(20));
    }
    std::vector<ScreenVertex> screen(vertices.size());
    to_screen(constants, guards, vertices, screen.data());
    for (size_t n = 0; n < vertices.size(); n++) {
      const unsigned viewport = std::min(vertices[n].viewport, 15u);
      ScreenVertex expected = to_screen(constants, draw.viewports[viewport], vertices[n].position);
      expected.outcode |= outcode(constants, vertices[n], guards[viewport]);
      using Words = std::array<uint32_t, 5>;
      ASSERT_EQ(std::bit_cast<Words>(screen[n]), std::bit_cast<Words>(expected)) << round;
    }
  }
}

// Meshes of triangles of about a pixel: every pixel is drawn once, by whatever way.
TEST(Setup, TinyTrianglesOfAMeshCoverEveryPixelOnce) {
  for (float size : {0.3f, 0.8f, 1.7f, 3.1f}) {
    Canvas canvas(100, 70);
    canvas.vertices.count = 1;
    canvas.pixels.function = flat_colour;
    canvas.draw.colour.blend[0].enable = true;
    canvas.draw.colour.blend[0].target_colour = canvas.draw.colour.blend[0].target_alpha = BlendFactor::one;
    const float step = 1.0f / 255;
    auto add = [&](float x, float y) { canvas.vertices.add(x, y, 0, 1, {step, step, step, step}); };
    for (float y = -1; y < 71; y += size)
      for (float x = -1; x < 101; x += size) {
        add(x, y), add(x + size, y), add(x, y + size);
        add(x + size, y), add(x + size, y + size), add(x, y + size);
      }
    ASSERT_TRUE(canvas.run());
    for (unsigned y = 0; y < 70; y++)
      for (unsigned x = 0; x < 100; x++) ASSERT_EQ(canvas.colour.word(x, y), 0x01010101u) << x << ", " << y << " of " << size;
  }
}

}  // namespace
}  // namespace Atoll::pipeline
