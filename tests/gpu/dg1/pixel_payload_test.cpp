// The registers that pixel threads begin with, written to memory by the threads themselves, against a model of the payload that is
// written apart: register by register, for threads of 8, 16 and 32 pixels, on both engines.
#include "gpu/dg1/draw/pixel_payload.h"

#include <bit>
#include <cmath>
#include <map>

#include "pixel_machine.h"

namespace {

using namespace Atoll;
using namespace Atoll::dg1_tests;
using pipeline::PixelBatch;

constexpr unsigned dumped = 96;  // registers

// Writes r0 to r95 behind 64 owords times the x of the thread's first pixel, then ends with a write to no target.
std::vector<std::string> dump(unsigned width, bool coarse = false) {
  std::vector<std::string> lines{"(W) mov (8|M0) r126.0<1>:ud 0:ud", "(W) and (1|M0) r127.0<1>:ud r1.2<0;1,0>:ud 0xffff:ud",
                                 "(W) shl (1|M0) r126.2<1>:ud r127.0<0;1,0>:ud 6:ud"};
  for (unsigned r = 0; r < dumped; r += 4) {
    lines.push_back(fmt::format("(W) send.dc0 (8|M0) null r126 r{} 0x100 0x020A0401", r));  // 8 owords to surface 1
    lines.emplace_back("(W) add (1|M0) r126.2<1>:ud r126.2<0;1,0>:ud 8:ud");
  }
  for (unsigned first = 0; first < width; first += 16) {
    const bool last = first + 16 >= width;
    lines.push_back(fmt::format("sendc.rc ({}|M{}) null r2 null 0x{:x} 0x{:08x}{}", width == 8 ? 8 : 16, first, 0x100000,
                                (width == 8 ? 0x08031400u : 0x10031000u) | (first ? 0x800u : 0u) | unsigned(coarse) << 18,
                                last ? " {EOT}" : ""));
  }
  return lines;
}

struct Case {
  const char* name;
  gpu::Engine engine;
  unsigned width;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Payload : public testing::TestWithParam<Case> {
protected:
  PixelMachine m{GetParam().engine};
  const unsigned width = GetParam().width;
  std::map<unsigned, uint32_t> expected;  // dwords of a thread's registers
  unsigned next = 0;                      // register

  void begin(uint32_t modes, bool vector_mask, bool depth, bool w, uint32_t offsets, bool coverage, unsigned setup) {
    m.set<_3DSTATE_PS>([&](uint32_t* words) {
      using PS = _3DSTATE_PS;
      PS::_8_Pixel_Dispatch_Enable::set(words, width == 8), PS::_16_Pixel_Dispatch_Enable::set(words, width == 16);
      PS::_32_Pixel_Dispatch_Enable::set(words, width == 32);
      PS::Vector_Mask_Enable::set(words, vector_mask), PS::Position_XY_Offset_Select::set(words, offsets);
      PS::Push_Constant_Enable::set(words, 1);
      PS::Dispatch_GRF_Start_Register_For_Constant_Setup_Data_0::set(words, setup);
    });
    m.set<_3DSTATE_PS_EXTRA>([&](uint32_t* words) {
      using Extra = _3DSTATE_PS_EXTRA;
      Extra::Pixel_Shader_Valid::set(words, 1), Extra::Attribute_Enable::set(words, 1);
      Extra::Pixel_Shader_Uses_Source_Depth::set(words, depth), Extra::Pixel_Shader_Uses_Source_W::set(words, w);
      using State = Extra::Input_Coverage_Mask_State;
      State::set(words, !coverage ? State::NONE : modes & 1 ? State::DEPTH_COVERAGE : State::NORMAL);
    });
    m.set<_3DSTATE_WM>([&](uint32_t* words) { _3DSTATE_WM::Barycentric_Interpolation_Mode::set(words, modes); });
    m.put_kernel(dump(width));
  }
  // A dword for each of some lanes, from register `next` on.
  template <class Value>
  void lanes(unsigned first, unsigned count, Value value) {
    for (unsigned l = 0; l < count; l++) expected[next * 8 + l] = value(first + l);
    next += count / 8;
  }
  static uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }

  // The registers in front of the constants, of lanes `first` of the batch on.
  void expect_inputs(const PixelBatch& b, unsigned first, uint32_t modes, bool depth, bool w, uint32_t offsets, bool coverage,
                     const uint8_t (*samples)[2]) {
    using namespace pipeline;
    constexpr BarycentricSet set_of_bit[] = {PERSPECTIVE_CENTRE, PERSPECTIVE_CENTROID, PERSPECTIVE_SAMPLE,
                                             LINEAR_CENTRE,      LINEAR_CENTROID,      LINEAR_SAMPLE};
    expected.clear();
    const unsigned halves = width == 32 ? 2 : 1, each = width / halves;
    next = 1;
    for (unsigned half = 0; half < halves; half++, next++) {
      const unsigned r = next * 8, at = first + half * 16;
      uint32_t drawn = 0;
      for (unsigned l = 0; l < each; l++)
        if (at + l < 64 && b.covered >> (at + l) & 1) drawn |= 1u << l;
      const bool any = at < b.quads * 4;
      expected[r] = any ? b.sample | b.sample << 4 | b.sample << 8 | b.sample << 12 : 0;
      expected[r + 1] =
          any ? (b.primitive[0].front ? 0u : 0x8000u) | b.primitive[0].layer << 16 | b.primitive[0].viewport << 27 : 0;
      for (unsigned q = 0; q < 4; q++) {
        const unsigned pixel = at + 4 * q;
        const bool there = pixel < b.quads * 4 && q < each / 4;
        expected[r + 2 + q] = there ? uint32_t(b.x[pixel]) | uint32_t(b.y[pixel]) << 16 : 0;
      }
      expected[r + 7] = drawn | drawn << 16;
    }
    for (unsigned half = 0; half < halves; half++) {
      const unsigned at = first + half * 16;
      auto there = [&](unsigned l) { return l < b.quads * 4; };
      for (unsigned bit = 0; bit < 6; bit++) {
        if (!(modes >> bit & 1)) continue;
        for (unsigned eight = 0; eight < each; eight += 8)
          for (unsigned c = 0; c < 2; c++)
            lanes(at + eight, 8, [&](unsigned l) { return there(l) ? bits(b.barycentric[set_of_bit[bit]][c][l]) : 0; });
      }
      if (depth) lanes(at, each, [&](unsigned l) { return there(l) ? bits(b.z[l]) : 0; });
      if (w) lanes(at, each, [&](unsigned l) { return there(l) ? bits(1.0f / b.one_over_w[l]) : 0; });
      if (offsets) {
        for (unsigned d = 0; d < 8; d++) {
          uint32_t word = 0;
          for (unsigned i = 0; i < 2; i++) {
            const unsigned l = at + d * 2 + i;
            if (d * 2 + i >= each || !there(l)) continue;
            const uint32_t x = offsets == 3 ? samples[b.sample][0] : uint32_t(b.centroid[0][l] * 16),
                           y = offsets == 3 ? samples[b.sample][1] : uint32_t(b.centroid[1][l] * 16);
            word |= (x | y << 8) << i * 16;
          }
          expected[next * 8 + d] = word;
        }
        next++;
      }
      // (NORMAL: the primitive's own, in bits 31:16 of a batch's where early tests leave less.)
      auto covered = [&](unsigned l) { return modes & 1 ? b.coverage[l] : (b.coverage[l] | b.coverage[l] >> 16) & 0xffff; };
      if (coverage) lanes(at, each, [&](unsigned l) { return there(l) ? covered(l) : 0; });
    }
  }

  void compare(unsigned thread_first_lane) {
    const uint64_t at = uint64_t(thread_first_lane / 2) * 256;  // dwords
    for (const auto& [dword, value] : expected)
      ASSERT_EQ(m.word(at + dword), value) << "r" << dword / 8 << "." << dword % 8 << " of the thread at lane "
                                           << thread_first_lane;
  }
};

constexpr uint8_t four_samples[4][2] = {{6, 2}, {14, 6}, {2, 10}, {10, 14}};  // Vulkan's standard places
void set_four_samples(uint32_t* w) {
  using P = _3DSTATE_SAMPLE_PATTERN;
  P::_4x_Sample0_X_Offset::set(w, 6), P::_4x_Sample0_Y_Offset::set(w, 2);
  P::_4x_Sample1_X_Offset::set(w, 14), P::_4x_Sample1_Y_Offset::set(w, 6);
  P::_4x_Sample2_X_Offset::set(w, 2), P::_4x_Sample2_Y_Offset::set(w, 10);
  P::_4x_Sample3_X_Offset::set(w, 10), P::_4x_Sample3_Y_Offset::set(w, 14);
}

// Every input there is, and all of the orders that they come in: each set of barycentrics alone and all together.
TEST_P(Payload, InputsByPixel) {
  m.set<_3DSTATE_MULTISAMPLE>([](uint32_t* w) { _3DSTATE_MULTISAMPLE::Number_of_Multisamples::set(w, 2); });
  m.set<_3DSTATE_SAMPLE_PATTERN>(set_four_samples);
  unsigned seed = 1;
  for (uint32_t modes : {0u, 1u, 2u, 4u, 8u, 16u, 32u, 9u, 38u}) {
    for (unsigned inputs = 0; inputs < 16; inputs += seed % 3 + 1, seed++) {
      const bool depth = inputs & 1, w = inputs & 2, coverage = inputs & 4;
      const uint32_t offsets = inputs & 8 ? (seed % 2 ? 3 : 2) : 0;
      begin(modes, seed % 2, depth, w, offsets, coverage, 90);
      ASSERT_EQ(m.make(), "");
      std::mt19937_64 random(seed);
      const unsigned quads = 1 + unsigned(random() % 16);
      uint64_t covered = random() | random();
      if (quads < 16) covered &= (uint64_t(1) << quads * 4) - 1;
      for (unsigned q = 0; q < quads; q++) covered |= uint64_t(1) << (4 * q + random() % 4);
      auto batch = random_batch(seed, quads, covered);
      batch->primitive[0].front = seed % 3 == 0, batch->primitive[0].layer = seed % 2048,
      batch->primitive[0].viewport = seed % 16;
      batch->sample = seed % 4;
      ASSERT_TRUE(m.shade(*batch)) << m.context.report();
      EXPECT_EQ(m.results.killed, 0u);
      EXPECT_EQ(m.results.outputs, 0u);
      for (unsigned first = 0; first < quads * 4; first += width) {
        expect_inputs(*batch, first, modes, depth, w, offsets, coverage, four_samples);
        compare(first);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// The sizes of coarse pixels that are asked for: a register behind coverage in each half, a float a quad, across and down, and planes behind
// all (Intel's IGC, PixelShaderCodeGen.cpp, AllocatePSPayload).
TEST_P(Payload, RequestedSizes) {
  const unsigned halves = width == 32 ? 2 : 1, lanes = width / halves;
  for (bool others : {false, true}) {
    begin(others, false, others, false, 0, others, 90);
    m.set<_3DSTATE_PS_EXTRA>([&](uint32_t* words) {
      using Extra = _3DSTATE_PS_EXTRA;
      Extra::Pixel_Shader_Valid::set(words, 1), Extra::Pixel_Shader_Is_Per_Coarse_Pixel::set(words, 1);
      Extra::Pixel_Shader_Requires_Requested_Coarse_Pixel_Shading_Size::set(words, 1);
      Extra::Pixel_Shader_Uses_Source_Depth::set(words, others);
      Extra::Input_Coverage_Mask_State::set(words, others ? Extra::Input_Coverage_Mask_State::NORMAL : 0u);
      Extra::Pixel_Shader_Requires_Subpixel_Sample_Offsets::set(words, others);
    });
    m.set<_3DSTATE_MULTISAMPLE>([](uint32_t* w) { _3DSTATE_MULTISAMPLE::Number_of_Multisamples::set(w, 2); });
    m.set<_3DSTATE_SAMPLE_PATTERN>(set_four_samples);
    m.put_kernel(dump(width, true));
    ASSERT_EQ(m.make(), "");
    const unsigned quads = width / 4 - 1;  // (the last one is not there)
    auto batch = random_batch(width, quads, (uint64_t(1) << quads * 4) - 1);
    batch->coarse = {2, 4};
    ASSERT_TRUE(m.shade(*batch)) << m.context.report();
    // Barycentrics, depths and coverage stand before it.
    const unsigned before = others ? 4 * lanes / 8 : 0, first = 1 + halves + before;
    for (unsigned half = 0; half < halves; half++)
      for (unsigned q = 0; q < 4; q++) {
        const uint32_t at = (first + half * (before + 1)) * 8;
        const bool there = q < lanes / 4 && half * 4 + q < quads;
        EXPECT_EQ(m.word(at + q), bits(there ? 2 : 0)) << half << " " << q;
        EXPECT_EQ(m.word(at + 4 + q), bits(there ? 4 : 0)) << half << " " << q;
      }
    if (others) EXPECT_EQ(m.word((first + 1 + (halves - 1) * (before + 1)) * 8), 0x0a020e06u);  // samples' places across
  }
}

// Constants from four buffers by either command, then planes: smooth, constant, overridden, of back faces and points.
TEST_P(Payload, ConstantsAndPlanes) {
  using Value = PixelInput::Value;
  float vertices[3][4 * 4];
  std::mt19937 random(7);
  for (auto& vertex : vertices)
    for (float& x : vertex) x = float(int(random() % 2000) - 1000) / 8;  // (differences are exact)
  const uint32_t bits_of_integer = 0x7fa00001;                           // no number: passes as it is
  std::memcpy(&vertices[2][5], &bits_of_integer, 4);
  m.attributes.vertex_attributes = 4;
  m.attributes.inputs = {{0, 0, false, false, 0, Value::CONST_0000},         {1, 1, true, false, 0, Value::CONST_0000},
                         {2, 3, false, true, 0, Value::CONST_0000},          {0, 0, false, false, 0xa, Value::CONST_0001_FLOAT},
                         {0, 0, false, false, 0x5, Value::CONST_1111_FLOAT}, {0, 0, true, false, 0xf, Value::PRIM_ID},
                         {0, 0, false, false, 0xf, Value::CONST_0000},       {9, 9, false, false, 0, Value::CONST_0000},
                         {1, 1, false, false, 0, Value::CONST_0000, 0x6},    {0, 1, false, false, 0, Value::CONST_0000, 0, true}};
  for (bool all : {false, true}) {
    const unsigned lengths[] = {2, 0, 1, 3};
    uint32_t at = 0x9000;
    auto address = [&](unsigned n) { return PixelMachine::states + at + n * 0x100; };
    for (uint32_t n = 0; n < 4 * 64; n++) {
      const uint32_t word = 0xc0000000 + n;
      std::memcpy(m.space->host(address(0) + n * 4), &word, 4);
    }
    if (all) {
      m.set<_3DSTATE_CONSTANT_ALL>(
          [&](uint32_t* w) {
            using All = _3DSTATE_CONSTANT_ALL;
            All::Shader_Update_Enable::set(w, 16), All::Pointer_Buffer_Mask::set(w, 0xd);
            unsigned dword = 2;
            for (unsigned n : {0u, 2u, 3u}) {
              w[dword++] = uint32_t(address(n)) | lengths[n];
              w[dword++] = uint32_t(address(n) >> 32);
            }
          },
          8);
    } else {
      m.set<_3DSTATE_CONSTANT_PS>([&](uint32_t* w) {
        w[1] = lengths[0] | lengths[1] << 16, w[2] = lengths[2] | lengths[3] << 16;
        for (unsigned n = 0; n < 4; n++) w[3 + 2 * n] = uint32_t(address(n)), w[4 + 2 * n] = uint32_t(address(n) >> 32);
      });
    }
    for (bool point : {false, true})
      for (bool front : {false, true})
        for (bool lower : {false, true}) {
          m.attributes.sprite_origin_lower_left = lower;
          const unsigned setup = 20;
          begin(1, true, false, false, 0, false, setup);
          ASSERT_EQ(m.make(), "");
          auto batch = random_batch(3, 9, 0xfffffffff);
          auto& p = batch->primitive[0];
          p.a = vertices[0], p.b = point ? vertices[0] : vertices[1], p.c = point ? vertices[0] : vertices[2];
          p.provoking = point ? vertices[0] : vertices[2];
          p.kind = point ? pipeline::PrimitiveKind::point : pipeline::PrimitiveKind::triangle;
          p.front = front, p.primitive = 77;
          ASSERT_TRUE(m.shade(*batch)) << m.context.report();
          expected.clear();
          next = setup;
          for (unsigned n = 0; n < 4; n++)
            for (unsigned r = 0; r < lengths[n]; r++) lanes(0, 8, [&](unsigned l) { return 0xc0000000 + n * 64 + r * 8 + l; });
          auto plane = [&](unsigned input, unsigned c, float d0, float d1, uint32_t a0) {
            const unsigned dword = (next + input * 2) * 8 + c * 4;
            expected[dword] = bits(d0), expected[dword + 1] = bits(d1), expected[dword + 3] = a0;
          };
          auto smooth = [&](unsigned input, unsigned attribute, unsigned c) {
            const unsigned i = attribute * 4 + c;
            plane(input, c, p.b[i] - p.a[i], p.c[i] - p.a[i], bits(p.a[i]));
          };
          for (unsigned c = 0; c < 4; c++) {
            smooth(0, 0, c);
            uint32_t flat;
            std::memcpy(&flat, &p.provoking[4 + c], 4);
            plane(1, c, 0, 0, flat);
            if (point)
              plane(2, c, c == 0, c == 1 ? (lower ? -1.0f : 1.0f) : 0, bits(c == 3 || (c == 1 && lower)));
            else
              smooth(2, front ? 2 : 3, c);
            c & 1 ? plane(3, c, 0, 0, c == 3 ? bits(1) : 0) : smooth(3, 0, c);
            c & 1 ? smooth(4, 0, c) : plane(4, c, 0, 0, bits(1));
            plane(5, c, 0, 0, 77);
            plane(6, c, 0, 0, 0);
            plane(7, c, 0, 0, 0);  // behind what a vertex has
            // The short way round where that is asked for, of both edges; and the fourth component as the first.
            auto way = [&](float to) { return (c == 1 || c == 2) && std::fabs(to) > 0.5f ? to - std::copysign(1.0f, to) : to; };
            plane(8, c, way(p.b[4 + c] - p.a[4 + c]), way(p.c[4 + c] - p.a[4 + c]), bits(p.a[4 + c]));
            const unsigned i = (front ? 0 : 4) + (c ? c : 3);
            plane(9, c, p.b[i] - p.a[i], p.c[i] - p.a[i], bits(p.a[i]));
          }
          for (unsigned first = 0; first < 36; first += width) {
            compare(first);
            if (HasFatalFailure()) return;
          }
        }
  }
}

// Attributes that the setup backend makes and the pixel shader does not ask for are no part of the payload.
TEST_P(Payload, WithoutAttributes) {
  begin(1, true, false, false, 0, false, 20);
  m.set<_3DSTATE_PS_EXTRA>([](uint32_t* w) { _3DSTATE_PS_EXTRA::Pixel_Shader_Valid::set(w, 1); });
  m.attributes.vertex_attributes = 1;
  m.attributes.inputs.resize(32);
  ASSERT_EQ(m.make(), "");
  auto batch = random_batch(3, 16, ~uint64_t(0));
  const float vertex[4] = {1, 2, 3, 4};
  batch->primitive[0].a = batch->primitive[0].b = batch->primitive[0].c = vertex;
  ASSERT_TRUE(m.shade(*batch)) << m.context.report();
  for (unsigned r = 20; r < dumped; r++)
    for (unsigned d = 0; d < 8; d++) ASSERT_EQ(m.word(r * 8 + d), 0u) << r;
}

// Depth and W where 3DSTATE_WM has them at centroids, and coverage of pixels that lie inside: of functions that are linear on the screen, whose
// values anywhere the test knows.
TEST(PayloadOfKernels, AtCentroidsAndInside) {
  std::mt19937 random(5);
  auto real = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); };
  unsigned inside_seen = 0, outside_seen = 0;
  for (unsigned round = 0; round < 2000; round++) {
    auto batch = random_batch(round, 4, 0xffff);
    const float z[3] = {real(0.2f, 0.8f), real(-0.01f, 0.01f), real(-0.01f, 0.01f)},
                w[3] = {real(0.5f, 2), real(-0.02f, 0.02f), real(-0.02f, 0.02f)};
    float weight[2][3];
    for (auto& plane : weight) plane[0] = real(-0.2f, 0.8f), plane[1] = real(-0.2f, 0.2f), plane[2] = real(-0.2f, 0.2f);
    auto at = [](const float(&plane)[3], float x, float y) { return plane[0] + plane[1] * x + plane[2] * y; };
    for (unsigned l = 0; l < 16; l++) {
      const auto x = float(batch->x[l]) + 0.5f, y = float(batch->y[l] - 34) + 0.5f;
      batch->z[l] = at(z, x, y), batch->one_over_w[l] = at(w, x, y);
      for (unsigned k = 0; k < 2; k++) batch->barycentric[pipeline::LINEAR_CENTRE][k][l] = at(weight[k], x, y);
    }
    PixelPayload payload;
    payload.width = 16, payload.depth = payload.w = payload.coverage = true, payload.setup = 90;
    payload.zw_at_centroid = round % 2, payload.inner_coverage = round % 3;
    std::vector<uint32_t> registers(128 * 8);
    fill_payload(payload, {*batch, 0, 4, true}, {}, registers.data());
    for (unsigned l = 0; l < 16; l++) {
      const float dx = payload.zw_at_centroid ? batch->centroid[0][l] : 0.5f,
                  dy = payload.zw_at_centroid ? batch->centroid[1][l] : 0.5f;
      const float x = float(batch->x[l]) + dx, y = float(batch->y[l] - 34) + dy;
      EXPECT_NEAR(std::bit_cast<float>(registers[2 * 8 + l]), at(z, x, y), 1e-5) << round;
      EXPECT_NEAR(std::bit_cast<float>(registers[4 * 8 + l]), 1 / at(w, x, y), 1e-4) << round;
      // The least weight at a corner of the pixel.
      float least = 1;
      for (unsigned corner = 0; corner < 4; corner++) {
        const float cx = float(batch->x[l]) + float(corner % 2), cy = float(batch->y[l] - 34) + float(corner / 2);
        const float i = at(weight[0], cx, cy), j = at(weight[1], cx, cy);
        least = std::min({least, i, j, 1 - i - j});
      }
      const uint32_t coverage = registers[6 * 8 + l];
      if (!payload.inner_coverage) {
        EXPECT_EQ(coverage, batch->coverage[l]);
      } else if (std::abs(least) > 0.01f) {  // (nearer than 1/256 pixel either is right)
        EXPECT_EQ(coverage, least > 0 ? batch->coverage[l] : 0) << round << " " << l;
        (least > 0 ? inside_seen : outside_seen)++;
      }
    }
  }
  EXPECT_GT(inside_seen, 500u);
  EXPECT_GT(outside_seen, 500u);
}

// The one of three kernels that runs, and the first register of constants.
TEST(PayloadOfKernels, AreThoseOfTheWidth) {
  PixelMachine m(gpu::Engine::Interpreter);
  using PS = _3DSTATE_PS;
  const int expected[8][3] = {{-1, -1, -1}, {0, -1, -1}, {-1, 0, -1}, {0, 2, -1}, {-1, -1, 0}, {0, -1, 1}, {-1, 2, 1}, {0, 2, 1}};
  for (unsigned widths = 0; widths < 8; widths++) {
    m.set<PS>([&](uint32_t* w) {
      PS::_8_Pixel_Dispatch_Enable::set(w, widths & 1), PS::_16_Pixel_Dispatch_Enable::set(w, widths >> 1 & 1);
      PS::_32_Pixel_Dispatch_Enable::set(w, widths >> 2 & 1);
    });
    for (unsigned n = 0; n < 3; n++) EXPECT_EQ(kernel_of_width(m.context.graphics, 8u << n), expected[widths][n]) << widths;
    EXPECT_EQ(widest_threads(m.context.graphics), widths & 4 ? 32 : widths & 2 ? 16 : widths & 1 ? 8 : 0);
  }
}

constexpr Case cases[] = {{"interpreter8", gpu::Engine::Interpreter, 8},
                          {"interpreter16", gpu::Engine::Interpreter, 16},
                          {"interpreter32", gpu::Engine::Interpreter, 32},
                          {"jit8", gpu::Engine::Jit, 8},
                          {"jit16", gpu::Engine::Jit, 16},
                          {"jit32", gpu::Engine::Jit, 32}};
INSTANTIATE_TEST_SUITE_P(All, Payload, testing::ValuesIn(cases), [](const auto& info) { return std::string(info.param.name); });

}  // namespace
