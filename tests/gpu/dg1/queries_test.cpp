// Answers of the sampler's query messages (resinfo, sampleinfo, lod) for surfaces of every type, against the table of IGC's
// documentation/visa/instructions/INFO.md, Mesa 22.3.6 (brw_fs_nir.cpp: a buffer's size in red, Wa_1940217: nothing of a null surface;
// brw_nir_clamp_image_1d_2d_array_sizes.c: no layers without Surface Array).
#include <gtest/gtest.h>

#include <array>

#include "gpu/dg1/threads/surface_state.h"
#include "machine.h"
#include "registers/dg1.h"
#include "surface/intel_tiling.h"

namespace {

using namespace Atoll;
using namespace Atoll::dg1_tests;

using Answer = std::array<uint32_t, 4>;
constexpr uint32_t resinfo = 0x0a, sampleinfo = 0x0b, lod = 0x09, ld_mcs = 0x1d;

// Sizes as a program that makes the surface knows them.
struct Shape {
  uint32_t type, width = 1, height = 1, depth = 1, levels = 1, first_level = 0, samples = 0;
  bool array = false;
};

dg1::SurfaceWords words_of(const Shape& s, uint32_t format, uint32_t auxiliary, uint64_t address) {
  dg1::SurfaceWords w{};
  dg1::SurfaceState::Surface_Type::set(w, s.type), dg1::SurfaceState::Surface_Format::set(w, format),
      dg1::SurfaceState::Surface_Array::set(w, s.array);
  dg1::SurfaceState::Auxiliary_Surface_Mode::set(w, auxiliary), dg1::SurfaceState::Number_of_Multisamples::set(w, s.samples);
  dg1::SurfaceState::Surface_Base_Address::set(w, address);
  if (s.type == dg1::SurfaceType::SURFTYPE_BUFFER || s.type == dg1::SurfaceType::SURFTYPE_STRBUF) {
    const uint32_t n = s.width - 1;  // entries
    dg1::SurfaceState::Width::set(w, n & 0x7f), dg1::SurfaceState::Height::set(w, n >> 7 & 0x3fff),
        dg1::SurfaceState::Depth::set(w, n >> 21);
    dg1::SurfaceState::Surface_Pitch::set(w, format == dg1::SURFACE_FORMAT::RAW ? 0 : 3);
    return w;
  }
  dg1::SurfaceState::Width::set(w, s.width - 1), dg1::SurfaceState::Height::set(w, s.height - 1),
      dg1::SurfaceState::Depth::set(w, s.depth - 1);
  dg1::SurfaceState::MIP_Count_LOD::set(w, s.levels - 1), dg1::SurfaceState::Surface_Min_LOD::set(w, s.first_level);
  dg1::SurfaceState::Surface_Pitch::set(w, 4095), dg1::SurfaceState::Tile_Mode::set(w, dg1::TileMode::YMAJOR);
  dg1::SurfaceState::Surface_Horizontal_Alignment::set(w, 1), dg1::SurfaceState::Surface_Vertical_Alignment::set(w, 1);
  return w;
}

Answer expected(const Shape& s, uint32_t level) {
  auto part = [&](uint32_t n) { return level >= s.levels ? 0 : std::max(1u, n >> (s.first_level + level)); };
  const uint32_t layers = s.array && level < s.levels ? s.depth : 0;
  switch (s.type) {
    case dg1::SurfaceType::SURFTYPE_1D: return {part(s.width), layers, 0, s.levels};
    case dg1::SurfaceType::SURFTYPE_2D: return {part(s.width), part(s.height), layers, s.levels};
    case dg1::SurfaceType::SURFTYPE_3D: return {part(s.width), part(s.height), part(s.depth), s.levels};
    case dg1::SurfaceType::SURFTYPE_CUBE: return {part(s.width), part(s.height), level < s.levels ? s.depth : 0, s.levels};
    case dg1::SurfaceType::SURFTYPE_BUFFER:
    case dg1::SurfaceType::SURFTYPE_STRBUF: return {s.width, 0, 0, 0};
    default: return {};
  }
}

class Queries : public testing::TestWithParam<wave::EngineChoice> {
protected:
  Machine m{GetParam(), true};

  // The answers of eight lanes, of which lane l asks with the dword l.
  std::array<Answer, 8> ask(const dg1::SurfaceWords& words, uint32_t message, std::string* fault = nullptr) {
    std::memcpy(m.space->host(m.states), words.data(), sizeof words);
    std::memset(m.space->host(m.output), 0xee, 128);
    std::vector<uint8_t> registers(32);
    for (uint32_t l = 0; l < 8; l++) std::memcpy(&registers[l * 4], &l, 4);
    m.groups.simd = 8, m.groups.cross_thread = registers;
    m.groups.context.sampler_states = m.states + 0x900;  // (lod's)
    const uint32_t d = 1u << 25 | 4u << 20 | 1u << 17 | message << 12;
    auto result = m.run({send("smpl", 8, "r10", 1, -1, 0, d), "(W) mov (8|M0) r3.0<1>:ud 0:ud",
                         send("dc0", 8, "null", 3, 10, 4, descriptor(1, 0, true, 8, 4 << 8 | 1), "(W) ")});
    if (fault) *fault = result.fault ? result.fault->other : "";
    if (!fault) EXPECT_FALSE(result.fault) << text_of(result);
    std::array<Answer, 8> answers;
    for (uint32_t l = 0; l < 8; l++)
      for (uint32_t c = 0; c < 4; c++) answers[l][c] = m.word(m.output + c * 32 + l * 4);
    return answers;
  }
};

const Shape shapes[] = {
    {.type = dg1::SurfaceType::SURFTYPE_1D, .width = 37, .levels = 4},
    {.type = dg1::SurfaceType::SURFTYPE_1D, .width = 16384, .depth = 7, .levels = 2, .first_level = 3, .array = true},
    {.type = dg1::SurfaceType::SURFTYPE_2D, .width = 37, .height = 21, .levels = 6},
    {.type = dg1::SurfaceType::SURFTYPE_2D,
     .width = 5,
     .height = 16000,
     .depth = 3,
     .levels = 2,
     .first_level = 1},  // (one of three layers)
    {.type = dg1::SurfaceType::SURFTYPE_2D, .width = 64, .height = 64, .depth = 2048, .array = true},
    {.type = dg1::SurfaceType::SURFTYPE_2D, .width = 20, .height = 12, .samples = 2},
    {.type = dg1::SurfaceType::SURFTYPE_2D, .width = 20, .height = 12, .depth = 2, .samples = 4, .array = true},
    {.type = dg1::SurfaceType::SURFTYPE_3D, .width = 33, .height = 17, .depth = 9, .levels = 5},
    {.type = dg1::SurfaceType::SURFTYPE_3D, .width = 64, .height = 8, .depth = 64, .levels = 3, .first_level = 2},
    {.type = dg1::SurfaceType::SURFTYPE_CUBE, .width = 32, .height = 32, .levels = 6},
    {.type = dg1::SurfaceType::SURFTYPE_CUBE, .width = 32, .height = 32, .depth = 5, .levels = 3, .array = true},
    {.type = dg1::SurfaceType::SURFTYPE_BUFFER, .width = 1},
    {.type = dg1::SurfaceType::SURFTYPE_BUFFER, .width = 4003},
    {.type = dg1::SurfaceType::SURFTYPE_BUFFER, .width = (1u << 27) + 129},
    {.type = dg1::SurfaceType::SURFTYPE_BUFFER, .width = 0xffff'ffff},
    {.type = dg1::SurfaceType::SURFTYPE_STRBUF, .width = 777},
    {.type = dg1::SurfaceType::SURFTYPE_NULL, .width = 64, .height = 64, .depth = 3, .array = true},
};
constexpr uint32_t formats[] = {dg1::SURFACE_FORMAT::R8G8B8A8_UNORM, dg1::SURFACE_FORMAT::R32_UINT, dg1::SURFACE_FORMAT::RAW,
                                dg1::SURFACE_FORMAT::R64G64_FLOAT, dg1::SURFACE_FORMAT::BC7_UNORM};

// Queries do not look at the format, the auxiliary surface and the memory.
TEST_P(Queries, SizesOfEverySurface) {
  size_t asked = 0;
  for (const Shape& s : shapes)
    for (uint32_t format : formats)
      for (uint32_t auxiliary : {0u, 1u, 5u}) {
        const auto answers = ask(words_of(s, format, auxiliary, auxiliary ? m.input : 0xdead0000), resinfo);
        for (uint32_t l = 0; l < 8; l++, asked++)
          ASSERT_EQ(answers[l], expected(s, l))
              << "type " << s.type << " width " << s.width << " format " << format << " level " << l;
      }
  EXPECT_EQ(asked, std::size(shapes) * std::size(formats) * 3 * 8);
  std::string why;
  ask(words_of({.type = 6}, dg1::SURFACE_FORMAT::R32_UINT, 0, m.input), resinfo, &why);
  EXPECT_EQ(why, "surface type 6, which is reserved");
}

TEST_P(Queries, SamplesOfEverySurface) {
  for (const Shape& s : shapes)
    for (uint32_t format : formats) {
      auto words = words_of(s, format, 0, m.input);
      words[4] |= 3;  // Multisample Position Palette Index
      for (const Answer& a : ask(words, sampleinfo)) {
        EXPECT_EQ(a[0], s.type == dg1::SurfaceType::SURFTYPE_NULL ? 0 : 1u << s.samples) << s.type;
        EXPECT_EQ(a[3], s.type == dg1::SurfaceType::SURFTYPE_NULL ? 0u : 3u) << s.type;
      }
    }
}

// ld_mcs says of every surface that each sample's colour is in its own slice, as one is where nothing is compressed: in the bits that
// Mesa's blorp and compiler take from there (blorp_blit.c, blorp_nir_combine_samples; brw_fs.cpp, 1, 2 and 4 bits a sample).
TEST_P(Queries, SlicesOfSamples) {
  for (const Shape& s : shapes)
    for (uint32_t format : formats)
      for (uint32_t auxiliary : {0u, 1u, 4u, 5u})
        for (const Answer& a : ask(words_of(s, format, auxiliary, m.input), ld_mcs)) {
          const unsigned samples = 1u << s.samples, bits = samples <= 2 ? 1 : samples <= 4 ? 2 : 4;
          const uint64_t given = a[0] | uint64_t(a[1]) << 32;
          if (s.type == dg1::SurfaceType::SURFTYPE_NULL || samples == 1) {
            EXPECT_EQ(given, 0u);
            continue;
          }
          for (unsigned n = 0; n < samples; n++) EXPECT_EQ(given >> n * bits & ((1u << bits) - 1), n) << samples;
          if (samples * bits < 64) {
            EXPECT_EQ(given >> samples * bits, 0u) << samples;
          }
        }
}

// ld2dms, ld2dms_w and ld2dss read the sample that they are told, whatever an MCS would be for: slices of the surface (PRM volume 5,
// "Multisampled surfaces": MSS).
TEST_P(Queries, SamplesWithAnMcs) {
  for (uint32_t log2 : {1u, 2u, 3u, 4u})
    for (uint32_t auxiliary : {0u, 1u, 4u, 5u})
      for (uint32_t message : {0x1cu, 0x1eu, 0x1fu}) {
        dg1::SurfaceWords w = words_of({.type = dg1::SurfaceType::SURFTYPE_2D, .width = 8, .height = 4, .samples = log2},
                                       dg1::SURFACE_FORMAT::R32_UINT, auxiliary, m.input);
        dg1::SurfaceState::Surface_Pitch::set(w, 127), dg1::SurfaceState::Surface_QPitch::set(w, 1);
        for (unsigned c = 0; c < 4; c++) w[7] |= (4 + c) << (25 - 3 * c);
        auto at = [&](uint32_t x, uint32_t y, uint32_t slice) {
          return m.input + surface::address({.tiling = surface::IntelTiling::y, .pitch_bytes = 128}, x * 4, slice * 4 + y);
        };
        auto value = [](uint32_t x, uint32_t y, uint32_t sample) { return 0x1000000 + sample * 0x10000 + y * 0x100 + x; };
        for (uint32_t sample = 0; sample < 1u << log2; sample++)
          for (uint32_t y = 0; y < 4; y++)
            for (uint32_t x = 0; x < 8; x++) m.put(at(x, y, sample), value(x, y, sample));
        std::memcpy(m.space->host(m.states), w.data(), sizeof w);
        const unsigned mcs = message == 0x1f ? 0 : message == 0x1e ? 1 : 2;  // registers between sample and u
        std::vector<uint8_t> registers((3 + mcs) * 32, 0xff);
        auto put = [&](unsigned n, uint32_t lane, uint32_t x) { std::memcpy(&registers[n * 32 + lane * 4], &x, 4); };
        auto sample_of = [&](uint32_t lane) { return (lane * 3 + 1) % (1u << log2); };
        for (uint32_t l = 0; l < 8; l++) put(0, l, sample_of(l)), put(1 + mcs, l, l), put(2 + mcs, l, l % 4);
        m.groups.simd = 8, m.groups.cross_thread = registers;
        const auto result = m.run({send("smpl", 8, "r10", 1, -1, 0, (3 + mcs) << 25 | 1u << 20 | 1u << 17 | message << 12),
                                   "(W) mov (8|M0) r3.0<1>:ud 0:ud",
                                   send("dc0", 8, "null", 3, 10, 1, descriptor(1, 0, true, 8, 2 << 8 | 1), "(W) ")});
        ASSERT_FALSE(result.fault) << text_of(result);
        for (uint32_t l = 0; l < 8; l++)
          EXPECT_EQ(m.word(m.output + l * 4), value(l, l % 4, sample_of(l)))
              << message << " of " << (1u << log2) << ", " << auxiliary;
      }
}

// Buffers and null surfaces have no level between which one could be.
TEST_P(Queries, LevelsOfBuffers) {
  for (const Shape& s : shapes) {
    if (s.type < dg1::SurfaceType::SURFTYPE_BUFFER) continue;
    for (uint32_t format : formats)
      for (const Answer& a : ask(words_of(s, format, 0, m.input), lod)) EXPECT_EQ(a, Answer{}) << s.type << " " << format;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Queries, testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit));

}  // namespace
