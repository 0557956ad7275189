// Clears as r300g draws them (a point, or a quad where there is a scissor): every format of colour buffers in every tiling and
// byte order, depth and stencil in parts, and the Z unit's clears of colour buffers; every byte against what the test works out
// itself.
#include <gtest/gtest.h>

#include <random>

#include "surface/r300_tiling.h"
#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx {
namespace {

using test::Scene;
using Prim = VAP_VF_CNTL::PRIM_TYPE;
using Format = RB3D_COLORPITCH::COLORFORMAT;
using Out = US_OUT_FMT::OUT_FMT;
using surface::R300MicroTile;

constexpr uint32_t out(uint32_t format, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, bool is_signed = false) {
  return format | c0 << 8 | c1 << 10 | c2 << 12 | c3 << 14 | (is_signed ? 0xf0000u : 0);
}

// Whole tiles of all kinds: 256 elements of one byte in a row of a linear macro tile, 32 rows in the highest.
constexpr unsigned pitch = 256, rows = 96;

struct Area {
  unsigned left, top, right, bottom;
  bool has(unsigned x, unsigned y) const { return x >= left && x < right && y >= top && y < bottom; }
};
constexpr Area areas[] = {{0, 0, pitch, rows}, {0, 0, 200, 75}, {33, 17, 230, 91}, {5, 3, 130, 19}, {64, 32, 192, 64}};

struct Tiling {
  R300MicroTile micro;
  bool macro;
};
constexpr Tiling tilings[] = {{R300MicroTile::linear, false}, {R300MicroTile::tiled, false}, {R300MicroTile::square, false},
                              {R300MicroTile::linear, true},  {R300MicroTile::tiled, true},  {R300MicroTile::square, true}};

// The contents of memory before, which have to stand there after.
struct Expected {
  std::vector<uint8_t> bytes;
  void randomize(Buffer& buffer, size_t count, unsigned seed) {
    std::mt19937 random(seed);
    bytes.resize(count);
    for (auto& byte : bytes) byte = uint8_t(random());
    std::memcpy(buffer.host_pointer, bytes.data(), count);
  }
  // Texels of an area; byte n of a dword in memory is byte n ^ `swap` of it. Bits outside of `mask` stay.
  void put(const surface::R300Surface& s, const Area& area, std::span<const uint8_t> texel, std::span<const uint8_t> mask,
           unsigned swap, size_t offset = 0) {
    for (unsigned y = area.top; y < area.bottom; y++)
      for (unsigned x = area.left; x < area.right; x++) {
        uint64_t at = offset + surface::address(s, x, y);
        for (unsigned n = 0; n < s.element_bytes; n++) {
          uint8_t& byte = bytes[(at + n) ^ swap];
          byte = uint8_t((byte & ~mask[n]) | (texel[n] & mask[n]));
        }
      }
  }
  // The first byte that differs, or -1.
  int64_t difference(const Buffer& buffer) const {
    auto found = std::mismatch(bytes.begin(), bytes.end(), buffer.host_pointer);
    return found.first == bytes.end() ? -1 : found.first - bytes.begin();
  }
};

// The values of ByteSwap: none, in halves of a dword, whole, of halves.
constexpr unsigned swap_of[] = {0, 1, 3, 2};

class Clears : public testing::Test {
protected:
  Clears() {
    memory = scene.machine.allocate(pitch * rows * 16 * 2);
    // The pixel shader has the vertex's vector 0 for a colour; quads have the same in all corners.
    scene.stream.set(GA_POINT_MINMAX::address(), 0xffff0000);
  }
  void scissor(const Area& a) {
    scene.stream.set(SC_SCISSOR0::address(), {a.top << 13 | a.left, (a.bottom - 1) << 13 | (a.right - 1)});
  }
  // As Mesa does it: a point as large as the area, or a quad over all under a scissor.
  void clear(const Area& a, bool quad, std::array<float, 4> colour, float z) {
    if (quad) {
      scissor(a);
      scene.rectangle(0, 0, pitch, rows, colour, z);
      return;
    }
    scissor({0, 0, pitch, rows});
    unsigned w = a.right - a.left, h = a.bottom - a.top;
    scene.stream.set(GA_POINT_SIZE::address(), w * 6 << 16 | h * 6);
    scene.draw(Prim::Point_List, {{float(a.left) + float(w) / 2, float(a.top) + float(h) / 2, z, 1, colour, colour}});
  }
  uint64_t waves() const { return scene.machine.queue->statistics().waves; }
  uint64_t pixels() const { return scene.machine.queue->statistics().pixels; }

  Scene scene;
  Buffer memory;
};

// The bits of a texel (in two halves) that red, green, blue and alpha have, and their values where a component is 1.
struct FormatRow {
  const char* name;
  uint32_t colour, out;
  unsigned bytes;
  std::array<uint64_t, 2> mask[4], one[4];
};
constexpr std::array<uint64_t, 2> none{0, 0};
constexpr std::array<uint64_t, 2> low(uint64_t v) { return {v, 0}; }
constexpr FormatRow unorm(const char* name, uint32_t colour, uint32_t out, unsigned bytes, uint64_t r, uint64_t g, uint64_t b,
                          uint64_t a) {
  return {name, colour, out, bytes, {low(r), low(g), low(b), low(a)}, {low(r), low(g), low(b), low(a)}};
}
// Components of `bits` bits at these places (0: none), with a sign.
constexpr FormatRow signed_norm(const char* name, uint32_t colour, uint32_t out, unsigned bytes, unsigned bits, uint64_t r,
                                uint64_t g, uint64_t b, uint64_t a) {
  const uint64_t all = (uint64_t(1) << bits) - 1, largest = all >> 1;
  return {name,
          colour,
          out,
          bytes,
          {low(r * all), low(g * all), low(b * all), low(a * all)},
          {low(r * largest), low(g * largest), low(b * largest), low(a * largest)}};
}
constexpr uint64_t half = 0x3c00, one = 0x3f800000, word = 0xffffffff;
constexpr FormatRow formats[] = {
    unorm("BGRA8", Format::ARGB8888, out(Out::C4_8, 3, 2, 1, 0), 4, 0xff0000, 0xff00, 0xff, 0xff000000),
    unorm("RGBA8", Format::ARGB8888, out(Out::C4_8, 1, 2, 3, 0), 4, 0xff, 0xff00, 0xff0000, 0xff000000),
    unorm("B5G6R5", Format::RGB565, out(Out::C4_8, 3, 2, 1, 0), 2, 0xf800, 0x7e0, 0x1f, 0),
    unorm("B5G5R5A1", Format::ARGB1555, out(Out::C4_8, 3, 2, 1, 0), 2, 0x7c00, 0x3e0, 0x1f, 0x8000),
    unorm("B4G4R4A4", Format::ARGB4444, out(Out::C4_8, 3, 2, 1, 0), 2, 0xf00, 0xf0, 0xf, 0xf000),
    unorm("R8", Format::I8, out(Out::C4_8, 0, 0, 1, 0), 1, 0xff, 0, 0, 0),
    unorm("A8", Format::I8, out(Out::C4_8, 0, 0, 0, 0), 1, 0, 0, 0, 0xff),
    unorm("R8G8", Format::UV88, out(Out::C4_8, 2, 0, 1, 0), 2, 0xff, 0xff00, 0, 0),
    unorm("L8A8", Format::UV88, out(Out::C4_8, 0, 0, 1, 0), 2, 0xff, 0, 0, 0xff00),
    unorm("R16", Format::UV88, out(Out::C_16, 1, 2, 3, 0), 2, 0xffff, 0, 0, 0),
    unorm("R16G16", Format::ARGB8888, out(Out::C2_16, 1, 2, 3, 0), 4, 0xffff, 0xffff0000, 0, 0),
    unorm("RGBA16", Format::ARGB16161616, out(Out::C4_16, 1, 2, 3, 0), 8, 0xffff, 0xffff0000, 0xffff00000000, 0xffffull << 48),
    unorm("RGB10A2", Format::ARGB2101010, out(Out::C4_10, 1, 2, 3, 0), 4, 0x3ff, 0xffc00, 0x3ff00000, 0xc0000000),
    {"RGBA8 signed",
     Format::ARGB8888,
     out(Out::C4_8, 1, 2, 3, 0, true),
     4,
     {low(0xff), low(0xff00), low(0xff0000), low(0xff000000)},
     {low(0x7f), low(0x7f00), low(0x7f0000), low(0x7f000000)}},
    signed_norm("R8 signed", Format::I8, out(Out::C4_8, 0, 0, 1, 0, true), 1, 8, 1, 0, 0, 0),
    signed_norm("A8 signed", Format::I8, out(Out::C4_8, 0, 0, 0, 0, true), 1, 8, 0, 0, 0, 1),
    signed_norm("R8G8 signed", Format::UV88, out(Out::C4_8, 2, 0, 1, 0, true), 2, 8, 1, 1 << 8, 0, 0),
    signed_norm("L8A8 signed", Format::UV88, out(Out::C4_8, 0, 0, 1, 0, true), 2, 8, 1, 0, 0, 1 << 8),
    signed_norm("R16 signed", Format::UV88, out(Out::C_16, 1, 2, 3, 0, true), 2, 16, 1, 0, 0, 0),
    signed_norm("A16 signed", Format::UV88, out(Out::C_16, 0, 1, 2, 3, true), 2, 16, 0, 0, 0, 1),
    signed_norm("R16G16 signed", Format::ARGB8888, out(Out::C2_16, 1, 2, 3, 0, true), 4, 16, 1, 1 << 16, 0, 0),
    signed_norm("L16A16 signed", Format::ARGB8888, out(Out::C2_16, 1, 0, 0, 0, true), 4, 16, 1, 0, 0, 1 << 16),
    signed_norm("RGBA16 signed", Format::ARGB16161616, out(Out::C4_16, 1, 2, 3, 0, true), 8, 16, 1, 1ull << 16, 1ull << 32,
                1ull << 48),
    unorm("A16", Format::UV88, out(Out::C_16, 0, 1, 2, 3), 2, 0, 0, 0, 0xffff),
    unorm("L16A16", Format::ARGB8888, out(Out::C2_16, 1, 0, 0, 0), 4, 0xffff, 0, 0, 0xffff0000),
    unorm("B10G10R10A2", Format::ARGB2101010, out(Out::C4_10, 3, 2, 1, 0), 4, 0x3ff00000, 0xffc00, 0x3ff, 0xc0000000),
    {"A16F", Format::UV88, out(Out::C_16_FP, 0, 1, 2, 3), 2, {none, none, none, low(0xffff)}, {none, none, none, low(half)}},
    {"L16A16F",
     Format::ARGB8888,
     out(Out::C2_16_FP, 1, 0, 0, 0),
     4,
     {low(0xffff), none, none, low(0xffff0000)},
     {low(half), none, none, low(half << 16)}},
    {"A32F", Format::ARGB8888, out(Out::C_32_FP, 0, 1, 2, 3), 4, {none, none, none, low(word)}, {none, none, none, low(one)}},
    {"L32A32F",
     Format::ARGB16161616,
     out(Out::C2_32_FP, 1, 0, 0, 0),
     8,
     {low(word), none, none, low(word << 32)},
     {low(one), none, none, low(one << 32)}},
    {"R16F", Format::UV88, out(Out::C_16_FP, 1, 2, 3, 0), 2, {low(0xffff), none, none, none}, {low(half), none, none, none}},
    {"R16G16F",
     Format::ARGB8888,
     out(Out::C2_16_FP, 1, 2, 3, 0),
     4,
     {low(0xffff), low(0xffff0000), none, none},
     {low(half), low(half << 16), none, none}},
    {"RGBA16F",
     Format::ARGB16161616,
     out(Out::C4_16_FP, 1, 2, 3, 0),
     8,
     {low(0xffff), low(0xffff0000), low(0xffffull << 32), low(0xffffull << 48)},
     {low(half), low(half << 16), low(half << 32), low(half << 48)}},
    {"R32F", Format::ARGB8888, out(Out::C_32_FP, 1, 2, 3, 0), 4, {low(word), none, none, none}, {low(one), none, none, none}},
    {"R32G32F",
     Format::ARGB16161616,
     out(Out::C2_32_FP, 1, 0, 2, 0),
     8,
     {low(word), low(word << 32), none, none},
     {low(one), low(one << 32), none, none}},
    {"RGBA32F",
     Format::ARGB32323232,
     out(Out::C4_32_FP, 1, 2, 3, 0),
     16,
     {low(word), low(word << 32), {0, word}, {0, word << 32}},
     {low(one), low(one << 32), {0, one}, {0, one << 32}}},
};

std::array<uint8_t, 16> bytes_of(std::array<uint64_t, 2> value) {
  std::array<uint8_t, 16> bytes;
  std::memcpy(bytes.data(), value.data(), 16);
  return bytes;
}

TEST_F(Clears, ColourBuffersOfEveryFormatTilingAndByteOrder) {
  unsigned clears = 0, seed = 0;
  uint64_t few = 0;
  for (auto& format : formats)
    for (auto& tiling : tilings) {
      surface::R300Surface s{.element_bytes = format.bytes, .pitch = pitch, .micro = tiling.micro, .macro = tiling.macro};
      if (!surface::check(s)) continue;
      for (uint32_t order = 0; order < 4; order++)
        for (auto& area : areas)
          for (bool quad : {false, true}) {
            const unsigned colour = seed++ % 16;  // a bit a component
            scene.stream.set(RB3D_COLOROFFSET::address(0), uint32_t(memory.gpu_address));
            scene.stream.set(RB3D_COLORPITCH::address(0),
                             RB3D_COLORPITCH::COLORPITCH::of(pitch / 2) | RB3D_COLORPITCH::COLORFORMAT::of(format.colour) |
                                 RB3D_COLORPITCH::COLORMICROTILE::of(uint32_t(tiling.micro)) |
                                 RB3D_COLORPITCH::COLORTILE::of(tiling.macro) | RB3D_COLORPITCH::COLORENDIAN::of(order));
            scene.stream.set(US_OUT_FMT::address(0), format.out);
            Expected expected;
            expected.randomize(memory, size_t(pitch) * rows * format.bytes, seed);
            std::array<uint64_t, 2> value{}, mask{};
            for (unsigned c = 0; c < 4; c++)
              for (unsigned h = 0; h < 2; h++) {
                mask[h] |= format.mask[c][h];
                if (colour >> c & 1) value[h] |= format.one[c][h];
              }
            expected.put(s, area, bytes_of(value), bytes_of(mask), swap_of[order]);
            const uint64_t waves_before = waves(), pixels_before = pixels();
            clear(area, quad, {float(colour & 1), float(colour >> 1 & 1), float(colour >> 2 & 1), float(colour >> 3)}, 0);
            scene.run();
            ASSERT_EQ(expected.difference(memory), -1)
                << format.name << " micro " << int(tiling.micro) << " macro " << tiling.macro << " order " << order << " area "
                << area.left << ", " << area.top << " quad " << quad;
            EXPECT_EQ(pixels() - pixels_before, uint64_t(area.right - area.left) * (area.bottom - area.top));
            few += waves() - waves_before <= 4;
            clears++;
          }
    }
  EXPECT_EQ(clears, 6720u);
  EXPECT_EQ(few, clears);  // filled: not a wave for every 32 pixels
}

TEST_F(Clears, ColourBuffersInPart) {
  for (unsigned written = 0; written < 16; written++)
    for (auto& tiling : {tilings[0], tilings[1], tilings[4]})
      for (bool quad : {false, true}) {
        surface::R300Surface s{.element_bytes = 4, .pitch = pitch, .micro = tiling.micro, .macro = tiling.macro};
        scene.stream.set(RB3D_COLOROFFSET::address(0), uint32_t(memory.gpu_address));
        scene.stream.set(RB3D_COLORPITCH::address(0), RB3D_COLORPITCH::COLORPITCH::of(pitch / 2) |
                                                          RB3D_COLORPITCH::COLORFORMAT::of(Format::ARGB8888) |
                                                          RB3D_COLORPITCH::COLORMICROTILE::of(uint32_t(tiling.micro)) |
                                                          RB3D_COLORPITCH::COLORTILE::of(tiling.macro));
        // Blue, green, red, alpha are the mask's bits 0 to 3 and the texel's bytes.
        scene.stream.set(US_OUT_FMT::address(0), out(Out::C4_8, 3, 2, 1, 0)).set(RB3D_COLOR_CHANNEL_MASK::address(), written);
        Expected expected;
        expected.randomize(memory, size_t(pitch) * rows * 4, written);
        uint8_t texel[] = {0, 0xff, 0xff, 0}, mask[4];
        for (unsigned n = 0; n < 4; n++) mask[n] = written >> n & 1 ? 0xff : 0;
        expected.put(s, areas[2], texel, mask, 0);
        clear(areas[2], quad, {1, 1, 0, 0}, 0);
        scene.run();
        ASSERT_EQ(expected.difference(memory), -1) << written << " quad " << quad;
      }
}

// The API's mask (bit 0 red, 3 alpha) as Mesa turns it for a format: r300_state.c bgra_cmask, rgba_cmask, rrrr_cmask, aaaa_cmask,
// grrg_cmask, arra_cmask; r300_texture.c r300_translate_colormask_swizzle.
uint32_t channel_mask(std::string_view format, uint32_t api) {
  auto pick = [&](std::array<unsigned, 4> from) {
    uint32_t mask = 0;
    for (unsigned n = 0; n < 4; n++) mask |= (api >> from[n] & 1) << n;
    return mask;
  };
  if (format.starts_with("B")) return pick({2, 1, 0, 3});
  if (format.starts_with("A")) return pick({3, 3, 3, 3});
  if (format.starts_with("L")) return pick({3, 0, 0, 3});
  if (format.starts_with("R8G8") || format.starts_with("R16G16") || format.starts_with("R32G32")) return pick({1, 0, 0, 1});
  if (format.starts_with("R8") || format.starts_with("R32")) return pick({0, 0, 0, 0});
  return api;
}

TEST_F(Clears, MasksOfEveryFormatAsMesaWritesThem) {
  const Area area{3, 2, 61, 30};
  for (auto& format : formats)
    for (uint32_t api = 0; api < 16; api++)
      for (bool quad : {false, true}) {
        scene.stream.set(RB3D_COLOROFFSET::address(0), uint32_t(memory.gpu_address));
        scene.stream.set(RB3D_COLORPITCH::address(0),
                         RB3D_COLORPITCH::COLORPITCH::of(pitch / 2) | RB3D_COLORPITCH::COLORFORMAT::of(format.colour));
        scene.stream.set(US_OUT_FMT::address(0), format.out);
        scene.stream.set(RB3D_COLOR_CHANNEL_MASK::address(), channel_mask(format.name, api));
        Expected expected;
        expected.randomize(memory, size_t(pitch) * 40 * format.bytes, api);
        std::array<uint64_t, 2> value{}, mask{};
        for (unsigned c = 0; c < 4; c++)
          for (unsigned h = 0; h < 2; h++) {
            if (api >> c & 1) mask[h] |= format.mask[c][h];
            value[h] |= format.one[c][h];
          }
        expected.put({.element_bytes = format.bytes, .pitch = pitch}, area, bytes_of(value), bytes_of(mask), 0);
        clear(area, quad, {1, 1, 1, 1}, 0);
        scene.run();
        ASSERT_EQ(expected.difference(memory), -1) << format.name << " mask " << api << " quad " << quad;
      }
}

TEST_F(Clears, DepthAndStencilInEveryTiling) {
  using C = ZB_ZSTENCILCNTL;
  unsigned clears = 0;
  scene.stream.set(RB3D_COLOR_CHANNEL_MASK::address(), 0);
  for (uint32_t format : {0u, 2u})
    for (auto& tiling : tilings) {
      const unsigned bytes = format ? 4 : 2;
      surface::R300Surface s{.element_bytes = bytes, .pitch = pitch, .micro = tiling.micro, .macro = tiling.macro};
      if (!surface::check(s)) continue;
      for (bool depth : {true, false})
        for (uint32_t stencil_mask : {0u, 0xffu, 0x0fu})
          for (uint32_t order = 0; order < 4; order++)
            for (auto& area : areas)
              for (bool quad : {false, true}) {
                if (!format && stencil_mask) continue;
                const float z = clears % 2 ? 1 : 0;
                const uint32_t reference = 0xa0 + clears % 16;
                // Mesa: all functions "always", all operations "replace".
                scene.stream.set(ZB_CNTL::address(), ZB_CNTL::Z_ENABLE::of(1) | ZB_CNTL::ZWRITEENABLE::of(depth) |
                                                         ZB_CNTL::STENCIL_ENABLE::of(stencil_mask != 0));
                scene.stream.set(ZB_ZSTENCILCNTL::address(), C::ZFUNC::of(7) | C::STENCILFUNC::of(7) | C::STENCILFAIL::of(2) |
                                                                 C::STENCILZPASS::of(2) | C::STENCILZFAIL::of(2));
                scene.stream.set(ZB_STENCILREFMASK::address(), ZB_STENCILREFMASK::STENCILREF::of(reference) |
                                                                   ZB_STENCILREFMASK::STENCILMASK::of(0xff) |
                                                                   ZB_STENCILREFMASK::STENCILWRITEMASK::of(stencil_mask));
                scene.stream.set(ZB_FORMAT::address(), format);
                scene.stream.set(ZB_DEPTHOFFSET::address(),
                                 {uint32_t(memory.gpu_address), ZB_DEPTHPITCH::DEPTHPITCH::of(pitch / 4) |
                                                                    ZB_DEPTHPITCH::DEPTHMICROTILE::of(uint32_t(tiling.micro)) |
                                                                    ZB_DEPTHPITCH::DEPTHMACROTILE::of(tiling.macro) |
                                                                    ZB_DEPTHPITCH::DEPTHENDIAN::of(order)});
                Expected expected;
                expected.randomize(memory, size_t(pitch) * rows * bytes, clears);
                const uint8_t far = z != 0 ? 0xff : 0, deep = depth ? 0xff : 0;
                uint8_t texel[] = {format ? uint8_t(reference) : far, far, far, far};
                uint8_t mask[] = {format ? uint8_t(stencil_mask) : deep, deep, deep, deep};
                expected.put(s, area, texel, mask, swap_of[order]);
                const uint64_t waves_before = waves();
                clear(area, quad, {1, 1, 1, 1}, z);
                scene.run();
                ASSERT_EQ(expected.difference(memory), -1)
                    << "format " << format << " micro " << int(tiling.micro) << " macro " << tiling.macro << " depth " << depth
                    << " stencil " << stencil_mask << " order " << order << " quad " << quad;
                EXPECT_LE(waves() - waves_before, 4u);
                clears++;
              }
    }
  EXPECT_EQ(clears, 1440u);
}

// Stencils beside depths that were cleared without them come through the draws behind the clear.
TEST_F(Clears, StencilsStayBesideDepthsThatAreClearedAndDrawn) {
  using C = ZB_ZSTENCILCNTL;
  unsigned seed = 0;
  scene.stream.set(RB3D_COLOR_CHANNEL_MASK::address(), 0);
  scene.stream.set(ZB_FORMAT::address(), ZB_FORMAT::DEPTHFORMAT::_24_bit_Integer_Z_8_bit_Stencil);
  for (auto& tiling : tilings) {
    surface::R300Surface s{.element_bytes = 4, .pitch = pitch, .micro = tiling.micro, .macro = tiling.macro};
    if (!surface::check(s)) continue;
    for (uint32_t order = 0; order < 4; order++)
      for (auto& area : areas) {
        scene.stream.set(ZB_DEPTHOFFSET::address(),
                         {uint32_t(memory.gpu_address),
                          ZB_DEPTHPITCH::DEPTHPITCH::of(pitch / 4) | ZB_DEPTHPITCH::DEPTHMICROTILE::of(uint32_t(tiling.micro)) |
                              ZB_DEPTHPITCH::DEPTHMACROTILE::of(tiling.macro) | ZB_DEPTHPITCH::DEPTHENDIAN::of(order)});
        scene.stream.set(ZB_CNTL::address(), ZB_CNTL::Z_ENABLE::of(1) | ZB_CNTL::ZWRITEENABLE::of(1));
        scene.stream.set(ZB_ZSTENCILCNTL::address(), C::ZFUNC::of(7));
        Expected expected;
        expected.randomize(memory, size_t(pitch) * rows * 4, seed++);
        const uint8_t mask[] = {0, 0xff, 0xff, 0xff}, far[] = {0, 0xff, 0xff, 0xff}, near[] = {0, 0, 0, 0};
        clear({0, 0, pitch, rows}, false, {1, 1, 1, 1}, 1);
        expected.put(s, {0, 0, pitch, rows}, far, mask, swap_of[order]);
        scene.stream.set(ZB_ZSTENCILCNTL::address(), C::ZFUNC::of(1));
        scissor(area);
        scene.rectangle(0, 0, pitch, rows, {1, 1, 1, 1}, 0);
        expected.put(s, area, near, mask, swap_of[order]);
        scene.run();
        ASSERT_EQ(expected.difference(memory), -1) << "micro " << int(tiling.micro) << " macro " << tiling.macro << " order "
                                                   << order << " area " << area.left << ", " << area.top;
      }
  }
  EXPECT_EQ(seed, 80u);
}

// The colour buffer has the upper half and the Z unit the lower, each in any tiling.
TEST_F(Clears, ByBothUnitsAtOnce) {
  unsigned clears = 0;
  scene.stream.set(ZB_BW_CNTL::address(), ZB_BW_CNTL::ZB_CB_CLEAR::of(1));
  for (unsigned bytes : {2u, 4u})
    for (uint32_t depth_format : {0u, 2u})
      for (auto& tiling : tilings)
        for (auto& depth_tiling : tilings)
          for (auto& area : areas)
            for (bool quad : {false, true}) {
              const unsigned depth_bytes = depth_format ? 4 : 2;
              surface::R300Surface s{.element_bytes = bytes, .pitch = pitch, .micro = tiling.micro, .macro = tiling.macro};
              surface::R300Surface d{
                  .element_bytes = depth_bytes, .pitch = pitch, .micro = depth_tiling.micro, .macro = depth_tiling.macro};
              if (!surface::check(s) || !surface::check(d)) continue;
              const uint32_t packed = 0x81c35a00 + clears;
              const size_t lower = size_t(pitch) * rows * bytes;
              scene.stream.set(RB3D_COLOROFFSET::address(0), uint32_t(memory.gpu_address));
              scene.stream.set(RB3D_COLORPITCH::address(0),
                               RB3D_COLORPITCH::COLORPITCH::of(pitch / 2) |
                                   RB3D_COLORPITCH::COLORFORMAT::of(bytes == 2 ? Format::RGB565 : Format::ARGB8888) |
                                   RB3D_COLORPITCH::COLORMICROTILE::of(uint32_t(tiling.micro)) |
                                   RB3D_COLORPITCH::COLORTILE::of(tiling.macro));
              scene.stream.set(US_OUT_FMT::address(0), out(Out::C4_8, 3, 2, 1, 0));
              scene.stream.set(ZB_FORMAT::address(), depth_format).set(ZB_DEPTHCLEARVALUE::address(), packed);
              scene.stream.set(ZB_DEPTHOFFSET::address(), {uint32_t(memory.gpu_address + lower),
                                                           ZB_DEPTHPITCH::DEPTHPITCH::of(pitch / 4) |
                                                               ZB_DEPTHPITCH::DEPTHMICROTILE::of(uint32_t(depth_tiling.micro)) |
                                                               ZB_DEPTHPITCH::DEPTHMACROTILE::of(depth_tiling.macro)});
              Expected expected;
              expected.randomize(memory, lower + size_t(pitch) * rows * depth_bytes, clears);
              const uint8_t all[] = {0xff, 0xff, 0xff, 0xff};
              const uint8_t red565[] = {0, 0xf8}, red8888[] = {0, 0, 0xff, 0xff};
              expected.put(s, area, bytes == 2 ? std::span<const uint8_t>(red565) : red8888, all, 0);
              uint8_t value[4];
              std::memcpy(value, &packed, 4);
              expected.put(d, area, value, all, 0, lower);
              const uint64_t waves_before = waves();
              clear(area, quad, {1, 0, 0, 1}, 0);
              scene.run();
              ASSERT_EQ(expected.difference(memory), -1)
                  << bytes << " bytes and depth " << depth_format << " micro " << int(tiling.micro) << int(depth_tiling.micro)
                  << " macro " << tiling.macro << depth_tiling.macro << " area " << area.left << ", " << area.top << " quad "
                  << quad;
              EXPECT_LE(waves() - waves_before, 4u);
              clears++;
            }
  EXPECT_EQ(clears, 1000u);
}

// Mesa's scissor is the rule "inside of clip rectangle 0" (SC_CLIP_RULE 0xaaaa).
TEST_F(Clears, UnderTheRuleOfOneRectangle) {
  constexpr uint32_t rules[] = {0xaaaa, 0xcccc, 0xf0f0, 0xff00};
  for (unsigned n = 0; n < 4; n++) {
    scene.stream.set(RB3D_COLOROFFSET::address(0), uint32_t(memory.gpu_address));
    scene.stream.set(RB3D_COLORPITCH::address(0),
                     RB3D_COLORPITCH::COLORPITCH::of(pitch / 2) | RB3D_COLORPITCH::COLORFORMAT::of(Format::ARGB8888));
    scene.stream.set(US_OUT_FMT::address(0), out(Out::C4_8, 3, 2, 1, 0));
    const Area area{7 + n * 10, 5 + n * 3, 150 + n, 60 + n * 7};
    for (unsigned k = 0; k < 4; k++)
      scene.stream.set(
          SC_CLIP_0_A::address() + k * 8,
          k == n ? std::initializer_list<uint32_t>{area.top << 13 | area.left, (area.bottom - 1) << 13 | (area.right - 1)}
                 : std::initializer_list<uint32_t>{0, 3u << 13 | 3});
    scene.stream.set(SC_CLIP_RULE::address(), rules[n]);
    Expected expected;
    expected.randomize(memory, size_t(pitch) * rows * 4, n);
    const uint8_t texel[] = {0, 0xff, 0, 0xff}, mask[] = {0xff, 0xff, 0xff, 0xff};
    expected.put({.element_bytes = 4, .pitch = pitch}, area, texel, mask, 0);
    const uint64_t waves_before = waves();
    clear(areas[0], true, {0, 1, 0, 1}, 0);
    scene.run();
    EXPECT_EQ(expected.difference(memory), -1) << n;
    EXPECT_LE(waves() - waves_before, 4u) << n;
  }
}

// Four buffers, each of a format and tiling of its own (RB3D_CCTL.INDEPENDENT_COLORFORMAT_ENABLE), from four outputs.
TEST_F(Clears, SeveralBuffersOfDifferentFormats) {
  scene.code({Scene::move(0, 0), Scene::move(0, 1), Scene::move(0, 2), Scene::move(0, 3)});
  scene.stream.set(RB3D_CCTL::address(), RB3D_CCTL::INDEPENDENT_COLORFORMAT_ENABLE::of(1));
  Buffer buffers[4];
  for (Buffer& buffer : buffers) buffer = scene.machine.allocate(pitch * rows * 16);
  const size_t count = std::size(formats);
  for (size_t first = 0; first < count; first++)
    for (bool quad : {false, true}) {
      const unsigned colour = unsigned(first * 5 + 3) % 16;
      const Area& area = areas[first % 5];
      Expected expected[4];
      for (unsigned n = 0; n < 4; n++) {
        const FormatRow& format = formats[(first + n * 9) % count];
        const Tiling& tiling = tilings[(first + n) % 2 == 0 ? 0 : 3];
        surface::R300Surface s{.element_bytes = format.bytes, .pitch = pitch, .micro = tiling.micro, .macro = tiling.macro};
        scene.stream.set(RB3D_COLOROFFSET::address(n), uint32_t(buffers[n].gpu_address));
        scene.stream.set(RB3D_COLORPITCH::address(n), RB3D_COLORPITCH::COLORPITCH::of(pitch / 2) |
                                                          RB3D_COLORPITCH::COLORFORMAT::of(format.colour) |
                                                          RB3D_COLORPITCH::COLORMICROTILE::of(uint32_t(tiling.micro)) |
                                                          RB3D_COLORPITCH::COLORTILE::of(tiling.macro));
        scene.stream.set(US_OUT_FMT::address(n), format.out);
        expected[n].randomize(buffers[n], size_t(pitch) * rows * format.bytes, unsigned(first) * 4 + n);
        std::array<uint64_t, 2> value{}, mask{};
        for (unsigned c = 0; c < 4; c++)
          for (unsigned h = 0; h < 2; h++) {
            mask[h] |= format.mask[c][h];
            if (colour >> c & 1) value[h] |= format.one[c][h];
          }
        expected[n].put(s, area, bytes_of(value), bytes_of(mask), 0);
      }
      clear(area, quad, {float(colour & 1), float(colour >> 1 & 1), float(colour >> 2 & 1), float(colour >> 3)}, 0);
      scene.run();
      for (unsigned n = 0; n < 4; n++)
        ASSERT_EQ(expected[n].difference(buffers[n]), -1)
            << formats[(first + n * 9) % count].name << " as buffer " << n << " quad " << quad;
    }
}

// Several samples: all of a pixel's, whatever their number; masked ones stay.
TEST_F(Clears, OfSeveralSamples) {
  for (uint32_t config : {0u, 2u, 3u})
    for (uint32_t mask : {0x3fu, 0x15u})
      for (bool quad : {false, true}) {
        const unsigned samples = config == 0 ? 2 : config == 2 ? 4 : 6;
        scene.stream.set(GB_AA_CONFIG::address(), GB_AA_CONFIG::AA_ENABLE::of(1) | GB_AA_CONFIG::NUM_AA_SUBSAMPLES::of(config));
        scene.stream.set(GB_MSPOS0::address(), {0x5b3731, 0xa99571}).set(SC_SCREENDOOR::address(), mask * 0x41041);
        scene.stream.set(RB3D_COLOROFFSET::address(0), uint32_t(memory.gpu_address));
        scene.stream.set(RB3D_COLORPITCH::address(0),
                         RB3D_COLORPITCH::COLORPITCH::of(pitch / 2) | RB3D_COLORPITCH::COLORFORMAT::of(Format::ARGB8888));
        scene.stream.set(US_OUT_FMT::address(0), out(Out::C4_8, 3, 2, 1, 0));
        std::vector<uint32_t> expected(size_t(pitch) * 48 * samples, 0x5a5a5a5a);
        std::memcpy(memory.host_pointer, expected.data(), expected.size() * 4);
        const Area area{9, 7, 201, 45};
        for (unsigned y = 0; y < 48; y++)
          for (unsigned x = 0; x < pitch; x++)
            for (unsigned s = 0; s < samples; s++)
              if (area.has(x, y) && mask >> s & 1) expected[(size_t(y) * pitch + x) * samples + s] = 0xff00ff00;
        const uint64_t waves_before = waves();
        clear(area, quad, {0, 1, 0, 1}, 0);
        scene.run();
        EXPECT_EQ(std::memcmp(memory.host_pointer, expected.data(), expected.size() * 4), 0) << samples << " " << mask << quad;
        EXPECT_LE(waves() - waves_before, 4u);
      }
}

}  // namespace
}  // namespace Atoll::r5xx
