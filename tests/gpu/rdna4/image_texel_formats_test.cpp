// Formats whose texels are more than fields of a word.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "image_cases.h"

namespace Atoll::rdna4::test {
namespace {

using enum surface::Number;

// GB_GR and BG_RG: two texels that share red and blue, from the lowest byte R G0 B G1 and G0 R G1 B.
TEST_F(ImageValues, PairsShareRedAndBlue) {
  const uint64_t begin = (m.memory.gpu_address + 0x3ffff) & ~uint64_t(0x3ffff);
  for (unsigned x = 0; x < 64; x++) {
    const uint32_t pair = x * 0x01050709u + 0x80402010u;
    std::memcpy(m.space->host(begin + 4 * x), &pair, 4);
  }
  const Opcode* row = nullptr;
  for (const Opcode& o : opcodes())
    if (std::string_view(o.name) == "image_load") row = &o;
  for (unsigned format = 82; format < 90; format++) {
    ImageNumbers n;
    n.address = begin, n.width = 64, n.height = 1, n.format = format;
    n.select[3] = 1;
    Random r(1);
    Call c = make_call(r, *row, 1, false);
    while (c.dmask != 15 || c.tfe) c = make_call(r, *row, 1, false);
    Registers before;
    const auto words = n.words();
    std::copy(words.begin(), words.end(), before.s.begin() + resource_sgpr);
    before.exec = c.lanes == 32 ? 0xffffffff : ~uint64_t(0);
    for (unsigned lane = 0; lane < 64; lane++)
      for (const AddressPart& p : c.address) before.v[p.vgpr][lane] = p.what == "coordinate0" ? lane : 0;
    bool same;
    const Registers after = run(c, before, same);
    EXPECT_TRUE(same);
    for (unsigned lane = 0; lane < c.lanes; lane++) {
      uint8_t pair[4];
      std::memcpy(pair, m.space->host(begin + lane / 2 * 4), 4);
      const bool red_first = format < 86, odd = lane & 1;
      const uint8_t red = pair[red_first ? 0 : 1], green = pair[(red_first ? 1 : 0) + 2 * odd], blue = pair[red_first ? 2 : 3];
      const auto kind = std::array{unorm, snorm, uint, srgb}[(format - 82) % 4];
      const uint32_t expected[] = {surface::decode_field(red, 8, kind), surface::decode_field(green, 8, kind),
                                   surface::decode_field(blue, 8, kind), kind == uint ? 1u : 0x3f800000u};
      for (unsigned k = 0; k < 4; k++)
        ASSERT_EQ(after.v[4 + k][lane], expected[k]) << "format " << format << " lane " << lane << " component " << k;
    }
    m.images.invalidate();
  }
}

// 1 and 1_REVERSED: eight texels in a byte, from its lowest or its highest bit on; two rows, linear.
TEST_F(ImageValues, EightTexelsInAByte) {
  const uint64_t begin = (m.memory.gpu_address + 0x3ffff) & ~uint64_t(0x3ffff);
  Random bytes(7);
  for (unsigned n = 0; n < 4096; n++) *m.space->host(begin + n) = uint8_t(bytes.next());
  for (const char* name : {"image_load", "image_sample_lz"}) {
    const Opcode* row = nullptr;
    for (const Opcode& o : opcodes())
      if (std::string_view(o.name) == name) row = &o;
    for (unsigned format : {73u, 74u}) {
      ImageNumbers n;
      n.address = begin, n.width = 61, n.height = 1, n.format = format;
      Random r(1);
      Call c = make_call(r, *row, 1, false);
      while (c.dmask != 15 || c.tfe || c.d16 || c.a16 || c.unorm) c = make_call(r, *row, 1, false);
      Registers before;
      const auto words = n.words();
      std::copy(words.begin(), words.end(), before.s.begin() + resource_sgpr);
      before.exec = c.lanes == 32 ? 0xffffffff : ~uint64_t(0);
      for (unsigned lane = 0; lane < 64; lane++)
        for (const AddressPart& p : c.address) {
          const uint32_t x = c.sample ? std::bit_cast<uint32_t>((float(lane) + 0.5f) / 61) : lane;
          before.v[p.vgpr][lane] = p.what == "coordinate0" ? x : 0;
        }
      bool same;
      const Registers after = run(c, before, same);
      EXPECT_TRUE(same);
      for (unsigned lane = 0; lane < std::min(c.lanes, 61u); lane++) {
        const unsigned bit = format == 73 ? lane % 8 : 7 - lane % 8;
        const bool set = *m.space->host(begin + lane / 8) >> bit & 1;
        ASSERT_EQ(after.v[4][lane], set ? 0x3f800000u : 0u) << name << " format " << format << " lane " << lane;
      }
      m.images.invalidate();
    }
  }
}

// 6E4: three floats of 10 bits and two bits of alpha, written and read again.
TEST_F(ImageValues, FloatsOfFourBitsOfExponent) {
  const uint64_t begin = (m.memory.gpu_address + 0x3ffff) & ~uint64_t(0x3ffff);
  const Opcode *load = nullptr, *store = nullptr;
  for (const Opcode& o : opcodes()) {
    if (std::string_view(o.name) == "image_load") load = &o;
    if (std::string_view(o.name) == "image_store") store = &o;
  }
  ImageNumbers n;
  n.address = begin, n.width = 64, n.height = 1, n.format = 227;
  const auto words = n.words();
  auto call = [&](const Opcode& row) {
    Random r(1);
    Call c = make_call(r, row, 1, false);
    while (c.dmask != 15 || c.tfe || c.d16 || c.lanes != 64) c = make_call(r, row, 1, false);
    return c;
  };
  Registers before;
  std::copy(words.begin(), words.end(), before.s.begin() + resource_sgpr);
  before.exec = ~uint64_t(0);
  auto place = [&](const Call& c) {
    for (unsigned lane = 0; lane < 64; lane++)
      for (const AddressPart& p : c.address) before.v[p.vgpr][lane] = p.what == "coordinate0" ? lane : 0;
  };
  const float values[][4] = {
      {1, 0.5f, 1016, 1}, {0, -3, 2000, 0.34f}, {0x1p-11f, 0x1p-12f, 0x1.8p-11f, 0}, {1.0078125f, 1.0234375f, 0x1p-5f, 2}};
  const uint32_t codes[] = {384u | 320u << 10 | 1023u << 20 | 3u << 30, 1023u << 20 | 1u << 30, 1u | 0u << 10 | 2u << 20,
                            384u | 386u << 10 | 64u << 20 | 3u << 30};
  bool same;
  const Call stores = call(*store);
  place(stores);
  for (unsigned lane = 0; lane < 64; lane++)
    for (unsigned c = 0; c < 4; c++) before.v[4 + c][lane] = std::bit_cast<uint32_t>(values[lane % 4][c]);
  run(stores, before, same);
  for (unsigned lane = 0; lane < 64; lane++) {
    uint32_t texel;
    std::memcpy(&texel, m.space->host(begin + 4 * lane), 4);
    ASSERT_EQ(texel, codes[lane % 4]) << "lane " << lane;
  }
  const Call loads = call(*load);
  place(loads);
  const Registers after = run(loads, before, same);
  EXPECT_TRUE(same);
  const float read[][4] = {{1, 0.5f, 1016, 1}, {0, 0, 1016, 1 / 3.0f}, {0x1p-11f, 0, 0x1p-10f, 0}, {1, 1.03125f, 0x1p-5f, 1}};
  for (unsigned lane = 0; lane < 64; lane++)
    for (unsigned c = 0; c < 4; c++)
      ASSERT_EQ(std::bit_cast<float>(after.v[4 + c][lane]), read[lane % 4][c]) << "lane " << lane << " component " << c;
}

// Formats of depths by every comparison: those of fixed point, and floats that stand for them (32_FLOAT_CLAMP: Mesa 25.0.7 si_state.c,
// textures whose depths were made floats), clamp references to 0 to 1 (OpenGL 4.6 8.23.1); floats do not. Values sampled without
// a comparison are clamped as well.
TEST_F(ImageValues, DepthFormatsByComparison) {
  struct Depths {
    unsigned format, bytes;
    bool clamps;
    std::vector<uint32_t> texels;
    double (*value)(uint32_t texel);
  };
  auto of_float = [](uint32_t t) { return double(std::bit_cast<float>(t)); };
  auto clamped = [](uint32_t t) {
    const float f = std::bit_cast<float>(t);
    return f > 0 ? std::min(double(f), 1.0) : 0.0;
  };
  const std::vector<uint32_t> floats = {0xbf000000, 0x80000000, 0,          1,          0x3e800000, 0x3f000000, 0x3f7fffff,
                                        0x3f800000, 0x3f800001, 0x40000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000};
  const Depths formats[] = {
      {22, 4, false, floats, of_float},
      {75, 4, true, floats, clamped},
      {7, 2, true, {0, 1, 0x4000, 0x8000, 0xfffe, 0xffff}, [](uint32_t t) { return double(float(t & 0xffff) / 65535); }},
      {76,
       4,
       true,
       {0, 0x12000001, 0xff400000, 0x00800000, 0x7fffffff},
       [](uint32_t t) { return double(float(t & 0xffffff) / 0xffffff); }},
      {78, 4, true, {0xff, 0x00000112, 0x40000000, 0x800000ff, 0xffffff00}, [](uint32_t t) {
         return double(float(t >> 8) / 0xffffff);
       }}};
  const uint32_t references[] = {0xff800000, 0xc0000000, 0x80000001, 0x80000000, 0,          1,          0x3e800000, 0x3f000000,
                                 0x3f7fffff, 0x3f800000, 0x3f800001, 0x40000000, 0x7f800000, 0x7fc00000, 0xffc00000};
  const uint64_t begin = (m.memory.gpu_address + 0x3ffff) & ~uint64_t(0x3ffff);
  for (const char* name : {"image_sample_c_lz", "image_sample_lz"}) {
    const bool compares = has_part(name, "c");
    const Opcode* row = nullptr;
    for (const Opcode& o : opcodes())
      if (std::string_view(o.name) == name) row = &o;
    Random r(1);
    Call c = make_call(r, *row, 1, false);
    while (c.dmask != 1 || c.tfe || c.d16 || c.a16 || c.unorm) c = make_call(r, *row, 1, false);
    for (const Depths& d : formats) {
      const unsigned width = unsigned(d.texels.size());
      ImageNumbers n;
      n.address = begin, n.width = width, n.height = 1, n.format = d.format;
      if (d.format == 78) n.select[0] = 5;  // the depth is the second component
      for (unsigned x = 0; x < width; x++) std::memcpy(m.space->host(begin + x * d.bytes), &d.texels[x], d.bytes);
      m.images.invalidate();
      // Every texel with every reference, as many at once as there are lanes.
      const unsigned pairs = width * unsigned(std::size(references));
      for (unsigned function = 0; function < (compares ? 8 : 1); function++)
        for (unsigned first = 0; first < pairs; first += c.lanes) {
          SCOPED_TRACE(testing::Message() << name << " format " << d.format << " function " << function);
          auto texel_of = [&](unsigned lane) { return (first + lane) % width; };
          auto reference_of = [&](unsigned lane) { return references[(first + lane) / width % std::size(references)]; };
          Registers before;
          const auto words = n.words();
          std::copy(words.begin(), words.end(), before.s.begin() + resource_sgpr);
          std::array<uint32_t, 4> sampler{};
          for (unsigned axis = 0; axis < 3; axis++) put_bits(sampler, 3 * axis + 2, 3 * axis, 2);
          put_bits(sampler, 14, 12, function);
          std::copy(sampler.begin(), sampler.end(), before.s.begin() + sampler_sgpr);
          before.exec = c.lanes == 32 ? 0xffffffff : ~uint64_t(0);
          for (unsigned lane = 0; lane < 64; lane++)
            for (const AddressPart& p : c.address)
              before.v[p.vgpr][lane] = p.what == "coordinate0"
                                           ? std::bit_cast<uint32_t>((float(texel_of(lane)) + 0.5f) / float(width))
                                       : p.what == "reference" ? reference_of(lane)
                                                               : 0;
          bool same;
          const Registers after = run(c, before, same);
          EXPECT_TRUE(same);
          for (unsigned lane = 0; lane < c.lanes; lane++) {
            const double texel = d.value(d.texels[texel_of(lane)]);
            double against = std::bit_cast<float>(reference_of(lane));
            if (d.clamps && !std::isnan(against)) against = std::clamp(against, 0.0, 1.0);
            // VK_COMPARE_OP_*, whose numbers these are.
            const bool results[] = {false,           against < texel,  against == texel, against <= texel,
                                    against > texel, against != texel, against >= texel, true};
            if (compares)
              ASSERT_EQ(after.v[4][lane], results[function] ? 0x3f800000u : 0u) << "texel " << texel << " reference " << against;
            else if (!std::isnan(texel))  // (denormals are flushed)
              ASSERT_EQ(std::bit_cast<float>(after.v[4][lane]), std::abs(texel) < 1e-38 ? 0 : float(texel)) << lane;
          }
        }
    }
  }
}

}  // namespace
}  // namespace Atoll::rdna4::test
