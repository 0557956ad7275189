// Fast clears as Mesa's r300g does them (22.3.6: r300_blit.c, r300_clear, r300_decompress_zmask; r300_emit.c, r300_emit_zmask_clear,
// r300_emit_cmask_clear): masks say which tiles are cleared, and a draw finds their value in them whatever memory holds.
#include <gtest/gtest.h>

#include "gpu/r5xx/tile_mask.h"
#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx {
namespace {

using test::Scene;
using Bw = ZB_BW_CNTL;
using Format = RB3D_COLORPITCH::COLORFORMAT;
using Out = US_OUT_FMT::OUT_FMT;

constexpr uint32_t clear_depth = packets::_3D_CLEAR_ZMASK::opcode, clear_colour = packets::_3D_CLEAR_CMASK::opcode,
                   clear_hierarchy = packets::_3D_CLEAR_HIZ::opcode;
// The values that r300g sets while its mask is in use, and to have the tiles written.
constexpr uint32_t in_use = Bw::FAST_FILL::of(1) | Bw::RD_COMP_ENABLE::of(1) | Bw::WR_COMP_ENABLE::of(1),
                   decompresses = Bw::FAST_FILL::of(1) | Bw::RD_COMP_ENABLE::of(1);
constexpr uint32_t old = 0x40000011, fresh = 0x80000035;  // depth above stencil
constexpr uint32_t test_only = ZB_CNTL::Z_ENABLE::of(1), test_and_write = test_only | ZB_CNTL::ZWRITEENABLE::of(1);
enum Function : uint32_t { less = 1, equal = 3, always = 7 };

// A picture of 128 x 128 pixels, whose depths and stencils are `old`.
constexpr unsigned side = 128;
class Masked : public Scene {
public:
  explicit Masked(std::string_view chip = "r580", gpu::Options options = {.engine = gpu::Engine::Interpreter, .threads = 1})
      : Scene(chip, std::move(options)) {
    static_assert(width * height * 64 >= side * side * 4);
    for (unsigned n = 0; n < side * side; n++) std::memcpy(depth.host_pointer + n * 4, &old, 4);
    stream.set(ZB_FORMAT::address(), 2).set(ZB_DEPTHOFFSET::address(), {uint32_t(depth.gpu_address), side, fresh});
    stream.set(RB3D_COLORPITCH::address(0), side | RB3D_COLORPITCH::COLORFORMAT::of(Format::ARGB8888));
    stream.set(ZB_ZMASK_OFFSET::address(), {0, side});
    scissors(side, side);
  }
  Masked& scissors(unsigned w, unsigned h) {
    stream.set(SC_SCISSOR1::address(), (h - 1) << 13 | (w - 1));
    return *this;
  }
  Masked& all(std::array<float, 4> a, float z = 0.5f) {
    rectangle(0, 0, side, side, a, z);
    return *this;
  }
  uint32_t depth_word(unsigned x, unsigned y) const {
    uint32_t value;
    std::memcpy(&value, depth.host_pointer + (y * side + x) * 4, 4);
    return value;
  }
  uint32_t colour_word(unsigned x, unsigned y) const {
    uint32_t value;
    std::memcpy(&value, target.host_pointer + (y * side + x) * 4, 4);
    return value;
  }
  // Pixels whose depth and stencil are not `value` inside of the rectangle, or are it outside.
  unsigned wrong(uint32_t value, pipeline::Rectangle r) const {
    unsigned n = 0;
    for (unsigned y = 0; y < side; y++)
      for (unsigned x = 0; x < side; x++) {
        const bool inside = int(x) >= r.left && int(x) < r.right && int(y) >= r.top && int(y) < r.bottom;
        n += (depth_word(x, y) == value) != inside;
      }
    return n;
  }
};

// The area that a dword stands for: r300_texture_desc.c's table, by the chip's pipes: Z pipes on RV530, pixel pipes on the
// others.
struct Piece {
  const char* chip;
  int width, height;  // with tiles of 4x4 pixels; twice that with 8x8
};
const Piece of_depth[] = {{"rv515", 16, 16}, {"rv530", 32, 16}, {"r520", 32, 32}, {"r580", 32, 32}},
            of_colour[] = {{"rv515", 16, 16}, {"rv530", 16, 16}, {"r520", 32, 32}, {"r580", 32, 32}};

TEST(ClearedTiles, ADwordStandsForAPieceOfThePicture) {
  for (auto& piece : of_depth)
    for (int times : {1, 2}) {
      const int w = piece.width * times, h = piece.height * times, in_row = int(side) / w;
      for (int at = 0; at < in_row * int(side) / h; at++) {
        Masked scene(piece.chip);
        scene.stream.packet(clear_depth, {uint32_t(at), 1, 0}).set(Bw::address(), in_use);
        scene.stream.set(GB_Z_PEQ_CONFIG::address(), GB_Z_PEQ_CONFIG::Z_PEQ_SIZE::of(uint32_t(times - 1)));
        scene.stream.set(ZB_CNTL::address(), {test_only, always});
        scene.all({1, 1, 1, 1}).run();
        const int x = at % in_row * w, y = at / in_row * h;
        ASSERT_EQ(scene.wrong(fresh, {x, y, x + w, y + h}), 0u) << piece.chip << " tiles of " << times * 4 << ", dword " << at;
      }
    }
}

// Without FAST_FILL memory counts, and the marks stay.
TEST(ClearedTiles, FastFillLooksAtTheMask) {
  for (gpu::Engine engine : {gpu::Engine::Interpreter, gpu::Engine::Jit})
    for (bool fast : {false, true}) {
      Masked scene("r580", {.engine = engine, .threads = 1});
      scene.stream.packet(clear_depth, {0, 64, 0}).set(Bw::address(), fast ? in_use : in_use & ~Bw::FAST_FILL::mask);
      scene.stream.set(ZB_CNTL::address(), {test_and_write, less});
      scene.all({1, 1, 1, 1}, 0.375f).run();  // before 0.5, behind 0.25
      EXPECT_EQ(scene.colour_word(50, 70), fast ? ~0u : 0u);
      EXPECT_EQ(scene.depth_word(50, 70), fast ? 0x60000035u : old);
      scene.stream.set(Bw::address(), in_use).set(ZB_CNTL::address(), {test_only, always});
      scene.all({1, 1, 1, 1}).run();
      EXPECT_EQ(scene.depth_word(50, 70), fast ? 0x60000035u : fresh) << "the mark is gone once a draw has met it";
    }
}

// Stencils are cleared with the depths, whether or not they are tested; a stencil test alone finds them.
TEST(ClearedTiles, StencilsAreInTheValue) {
  Masked scene;
  scene.stream.packet(clear_depth, {0, 64, 0}).set(Bw::address(), in_use);
  scene.stream.set(ZB_CNTL::address(), {ZB_CNTL::STENCIL_ENABLE::of(1), ZB_ZSTENCILCNTL::STENCILFUNC::of(equal)});
  scene.stream.set(ZB_STENCILREFMASK::address(),
                   ZB_STENCILREFMASK::STENCILREF::of(fresh & 0xff) | ZB_STENCILREFMASK::STENCILMASK::of(0xff));
  scene.all({1, 1, 1, 1}).run();
  EXPECT_EQ(scene.wrong(fresh, {0, 0, side, side}), 0u);
  EXPECT_EQ(scene.colour_word(99, 3), ~0u);
}

// r300g has all tiles written by a draw that tests nothing and may write depths. A draw that may not leaves them.
TEST(ClearedTiles, ADrawWithoutTestsWritesThemOut) {
  for (bool writes : {false, true}) {
    Masked scene;
    scene.stream.packet(clear_depth, {0, 64, 0}).set(Bw::address(), decompresses);
    scene.stream.set(ZB_CNTL::address(), {ZB_CNTL::ZWRITEENABLE::of(writes), 0}).set(RB3D_COLOR_CHANNEL_MASK::address(), 0);
    scene.all({1, 1, 1, 1}, 0.25f).run();
    EXPECT_EQ(scene.wrong(fresh, {0, 0, writes ? int(side) : 0, side}), 0u) << writes;
  }
}

// Draws before the clear, which may wait, see what was; those behind it see the clear, and it does not come a second time.
TEST(ClearedTiles, InTheOrderOfTheStream) {
  for (unsigned threads : {1u, 2u}) {
    Masked scene("r580", {.engine = gpu::Engine::Interpreter, .threads = threads});
    auto& s = scene.stream;
    s.set(Bw::address(), in_use).set(ZB_CNTL::address(), {test_and_write, less});
    scene.rectangle(0, 0, 40, side, {1, 0, 0, 1}, 0.125f);
    s.packet(clear_depth, {0, 64, 0});
    scene.rectangle(0, 0, side, 40, {0, 1, 0, 1}, 0.375f);
    scene.rectangle(20, 0, 100, 60, {0, 0, 1, 1}, 0.4375f);
    s.packet(clear_depth, {0, 64, 0}).set(ZB_DEPTHCLEARVALUE::address(), 0x20000001);
    scene.rectangle(0, 0, side, side, {1, 1, 1, 1}, 0.1875f);
    scene.rectangle(0, 0, 10, 10, {1, 1, 1, 1}, 0.0625f).run();
    EXPECT_EQ(scene.colour_word(5, 100), 0xff0000ffu);
    EXPECT_EQ(scene.colour_word(15, 15), 0xff00ff00u) << "behind what was before the clear";
    EXPECT_EQ(scene.colour_word(60, 20), 0xff00ff00u) << "before the blue one, and nearer";
    EXPECT_EQ(scene.colour_word(60, 50), 0xffff0000u);
    EXPECT_EQ(scene.colour_word(110, 100), 0u) << "behind the second clear's depth";
    EXPECT_EQ(scene.colour_word(3, 3), ~0u);
    EXPECT_EQ(scene.depth_word(3, 3), 0x10000001u);
    EXPECT_EQ(scene.depth_word(60, 50), 0x20000001u);
  }
}

TEST(ClearedTiles, OffsetAndPitchOfTheMask) {
  Masked scene;
  // Pieces of 32x32 pixels, four in a row of the picture, six in the mask's: the second row begins at 3 + 6.
  scene.stream.packet(clear_depth, {3 + 6, 2, 0}).set(ZB_ZMASK_OFFSET::address(), {3 << 2, 6 * 32}).set(Bw::address(), in_use);
  scene.stream.set(ZB_CNTL::address(), {test_only, always});
  scene.all({1, 1, 1, 1}).run();
  EXPECT_EQ(scene.wrong(old, {0, 32, 64, 64}), side * side) << "all others keep what was";
  EXPECT_EQ(scene.wrong(fresh, {0, 32, 64, 64}), 0u);
}

// Tiles that a draw's scissors do not let it reach stay cleared for the next; tiles that they cut are written whole.
TEST(ClearedTiles, ScissorsBoundWhatIsWritten) {
  Masked scene;
  // (Micro tiles: rows of tiles that are cut end with them.)
  scene.stream.set(ZB_DEPTHPITCH::address(), side | ZB_DEPTHPITCH::DEPTHMICROTILE::of(1) | ZB_DEPTHPITCH::DEPTHMACROTILE::of(1));
  scene.stream.packet(clear_depth, {0, 64, 0}).set(Bw::address(), in_use).set(ZB_CNTL::address(), {test_only, always});
  scene.scissors(21, 10).all({1, 1, 1, 1}).run();
  const auto count = [&](uint32_t value) {
    unsigned n = 0;
    for (unsigned k = 0; k < side * side; k++) n += scene.depth_word(k % side, k / side) == value;
    return n;
  };
  EXPECT_EQ(count(fresh), 24u * 12);
  scene.stream.set(ZB_DEPTHCLEARVALUE::address(), 0x12345678);
  scene.scissors(side, side).all({1, 1, 1, 1}).run();
  EXPECT_EQ(count(fresh), 24u * 12);
  EXPECT_EQ(count(0x12345678), side * side - 24 * 12);
}

TEST(ClearedTiles, SixteenBitsHaveTheLowerHalf) {
  Masked scene;
  scene.stream.set(ZB_FORMAT::address(), 0).packet(clear_depth, {0, 64, 0}).set(Bw::address(), in_use);
  scene.stream.set(ZB_DEPTHCLEARVALUE::address(), 0x7777abcd).set(ZB_CNTL::address(), {test_only, always});
  scene.all({1, 1, 1, 1}).run();
  EXPECT_EQ(scene.depth_word(0, 0), 0xabcdabcdu);
  EXPECT_EQ(scene.depth_word(63, 127), old) << "half of the memory";
}

// The Z unit's clears of colours have nothing to do with the mask (r300_blit.c, note 9), nor do draws without depth.
TEST(ClearedTiles, OtherDrawsLeaveThem) {
  Masked scene;
  scene.stream.packet(clear_depth, {0, 64, 0}).set(Bw::address(), in_use).set(ZB_CNTL::address(), 0);
  scene.all({1, 1, 1, 1}).run();
  EXPECT_EQ(scene.wrong(old, {0, 0, side, side}), 0u);
  // The colours' second half is the Z unit's, as r300g has it; the depths stand elsewhere.
  const auto half = uint32_t(scene.target.gpu_address) + side * 64 * 4;
  scene.stream.set(Bw::address(), in_use | Bw::ZB_CB_CLEAR::of(1)).set(ZB_DEPTHOFFSET::address(), {half, side, 0x11223344});
  scene.stream.set(ZB_CNTL::address(), ZB_CNTL::ZWRITEENABLE::of(1));
  scene.scissors(side, 64).rectangle(0, 0, side, 64, {0, 0, 0, 0}).run();
  EXPECT_EQ(scene.colour_word(9, 9), 0u);
  EXPECT_EQ(scene.colour_word(9, 99), 0x11223344u);
  scene.stream.set(Bw::address(), in_use).set(ZB_CNTL::address(), {test_only, always});
  scene.stream.set(ZB_DEPTHOFFSET::address(), {uint32_t(scene.depth.gpu_address), side, fresh});
  scene.scissors(side, side).all({1, 1, 1, 1}).run();
  EXPECT_EQ(scene.wrong(fresh, {0, 0, side, side}), 0u);
}

// Values that mark tiles beside others, whose places nobody knows; the others alone are as memory has them.
TEST(ClearedTiles, WhatIsNotPublishedIsSaid) {
  Masked scene;
  scene.stream.packet(clear_depth, {0, 64, 0}).packet(clear_depth, {0, 64, 0x55555555}).set(Bw::address(), in_use);
  scene.stream.set(ZB_CNTL::address(), {test_only, always});
  scene.all({1, 1, 1, 1}).run();
  EXPECT_EQ(scene.wrong(old, {0, 0, side, side}), 0u);
  scene.stream.packet(clear_depth, {0, 64, 0x55555554});
  ASSERT_TRUE(scene.machine.run(scene.stream));
  EXPECT_NE(scene.machine.unknowns().find("3D_CLEAR_ZMASK of cleared tiles and others"), std::string::npos)
      << scene.machine.unknowns();
  EXPECT_FALSE(scene.machine.run(test::Stream().packet(clear_depth, {0, 64})));
}

// Hierarchical depth: its memory is filled, and nothing comes of it whatever it says.
TEST(ClearedTiles, HierarchicalDepthDecidesNothing) {
  for (uint32_t bounds : {0u, ~0u})
    for (uint32_t least : {0u, 1u}) {
      Masked scene;
      scene.stream.packet(clear_hierarchy, {5, 300, bounds}).set(ZB_HIZ_OFFSET::address(), 0).set(ZB_HIZ_PITCH::address(), side);
      scene.stream.set(Bw::address(), Bw::HIZ_ENABLE::of(1) | Bw::HIZ_MIN::of(least) | Bw::HIZ_EQUAL_REJECT_ENABLE::of(1));
      scene.stream.set(SC_HYPERZ_EN::address(), SC_HYPERZ_EN::HZ_EN::of(1) | SC_HYPERZ_EN::HZ_MAX::of(least));
      scene.stream.set(ZB_CNTL::address(), {test_and_write, less});
      scene.rectangle(0, 0, 64, side, {1, 1, 1, 1}, 0.125f).rectangle(64, 0, side, side, {1, 1, 1, 1}, 0.375f).run();
      EXPECT_EQ(scene.colour_word(20, 20), ~0u);
      EXPECT_EQ(scene.colour_word(90, 20), 0u);
    }
  test::Machine machine;
  const uint32_t words[] = {3u << 30 | 2 << 16 | clear_hierarchy << 8, 5, 300, 0x12345678};
  Buffer buffer = machine.upload(words);
  machine.device->write_register(CP_IB_BASE::address(), uint32_t(buffer.gpu_address));
  machine.device->write_register(CP_IB_BUFSZ::address(), 4);
  const auto at = [&](uint32_t n) {
    machine.device->write_register(ZB_HIZ_RDINDEX::address(), ZB_HIZ_RDINDEX::HIZ_RDINDEX::of(n));
    return machine.device->read_register(ZB_HIZ_DWORD::address());
  };
  EXPECT_EQ(at(4), 0u);
  EXPECT_EQ(at(5), 0x12345678u);
  EXPECT_EQ(at(304), 0x12345678u);
  EXPECT_EQ(at(305), 0u);
}

// --- colours

struct Samples {
  uint32_t config;
  unsigned count;
};
constexpr Samples sample_counts[] = {{0, 2}, {2, 4}, {3, 6}};

void set_samples(Scene& scene, Samples samples) {
  scene.stream.set(GB_AA_CONFIG::address(), GB_AA_CONFIG::AA_ENABLE::of(1) | GB_AA_CONFIG::NUM_AA_SUBSAMPLES::of(samples.config));
}
void use_mask(Scene& scene) {
  scene.stream.set(RB3D_CCTL::address(), 0x4000 | RB3D_CCTL::CMASK_ENABLE::of(1) | RB3D_CCTL::AA_COMPRESSION_ENABLE::of(1));
  scene.stream.set(RB3D_CMASK_OFFSET::address(0), 0).set(RB3D_CMASK_PITCH::address(0), Scene::width);
}

// A picture of one sample a pixel, so that the chip's pieces are to be seen.
TEST(ClearedTiles, ADwordOfColoursStandsForAPieceOfThePicture) {
  for (auto& piece : of_colour) {
    const unsigned w = unsigned(piece.width), h = unsigned(piece.height), in_row = Scene::width / w;
    for (unsigned at = 0; at < in_row * Scene::height / h; at++)
      for (bool enabled : {true, false}) {
        Scene scene(piece.chip);
        use_mask(scene);
        if (!enabled) scene.stream.set(RB3D_CCTL::address(), 0x4000);
        scene.stream.packet(clear_colour, {at, 1, 0}).set(RB3D_COLOR_CLEAR_VALUE::address(), 0x12345678);
        scene.rectangle(0, 0, 1, 1, {0, 0, 0, 0}).run();
        for (unsigned y = 0; y < Scene::height; y++)
          for (unsigned x = 0; x < Scene::width; x++) {
            const bool inside = x / w == at % in_row && y / h == at / in_row && (x || y) && enabled;
            ASSERT_EQ(scene.at(x, y), inside ? 0x12345678u : 0u) << piece.chip << " dword " << at << " at " << x << ", " << y;
          }
      }
  }
}

// Both values, in all samples, and of a resolve, which reads them without a draw before.
TEST(ClearedTiles, ColoursOfAllSamplesAndTheirResolve) {
  struct Row {
    uint32_t colour, out;
    unsigned bytes;
    uint64_t value;
  };
  const Row rows[] = {{Format::ARGB8888, Out::C4_8 | 3u << 8 | 2u << 10 | 1u << 12, 4, 0x12345678},
                      {Format::ARGB2101010, Out::C4_10 | 3u << 8 | 2u << 10 | 1u << 12, 4, 0x92345678},
                      {Format::ARGB16161616, Out::C4_16_FP | 1u << 8 | 2u << 10 | 3u << 12, 8, 0x3c00'3800'3400'3555}};
  for (auto& row : rows)
    for (auto& samples : sample_counts)
      for (bool resolves : {false, true}) {
        Scene scene;
        Buffer resolved = scene.machine.allocate(Scene::width * Scene::height * 16);
        set_samples(scene, samples);
        use_mask(scene);
        scene.colour_format(row.colour, row.out);
        scene.stream.packet(clear_colour, {0, 2, 0});
        if (row.bytes == 4)
          scene.stream.set(RB3D_COLOR_CLEAR_VALUE::address(), uint32_t(row.value));
        else
          scene.stream.set(RB3D_COLOR_CLEAR_VALUE_AR::address(), {uint32_t(row.value >> 32), uint32_t(row.value)});
        if (!resolves) scene.rectangle(0, 0, 8, 8, {1, 1, 1, 1});
        scene.stream.set(RB3D_AARESOLVE_OFFSET::address(),
                         {uint32_t(resolved.gpu_address), Scene::width,
                          RB3D_AARESOLVE_CTL::AARESOLVE_MODE::of(resolves) | RB3D_AARESOLVE_CTL::AARESOLVE_ALPHA::of(1)});
        if (resolves) scene.whole({0, 0, 0, 0});
        scene.run();
        const uint8_t* memory = resolves ? resolved.host_pointer : scene.target.host_pointer;
        const unsigned count = resolves ? 1 : samples.count;
        for (unsigned y = resolves ? 0 : 8; y < Scene::height; y++)
          for (unsigned n = 0; n < Scene::width * count; n++) {
            uint64_t value = 0;
            std::memcpy(&value, memory + (y * Scene::width * count + n) * row.bytes, row.bytes);
            ASSERT_EQ(value, row.value) << row.bytes << " bytes, " << samples.count << " samples, resolve " << resolves;
          }
      }
}

// A mask belongs to a buffer that has a pitch in it.
TEST(ClearedTiles, EachBufferHasItsPlaceInTheMask) {
  Scene scene;
  use_mask(scene);
  scene.colour_format(Format::ARGB8888, Out::C4_8, 1).colour_format(Format::ARGB8888, Out::C4_8, 2);
  scene.code({Scene::move(0), Scene::move(0, 1), Scene::move(0, 2)});
  scene.stream.set(RB3D_CMASK_OFFSET::address(1), 2 << 2).set(RB3D_CMASK_PITCH::address(1), 32);
  scene.stream.packet(clear_colour, {1, 3, 0}).set(RB3D_COLOR_CLEAR_VALUE::address(), 0x12345678);
  scene.rectangle(0, 0, 1, 1, {0, 0, 0, 0}).run();
  EXPECT_EQ(scene.at(9, 9), 0u);
  EXPECT_EQ(scene.at(40, 9), 0x12345678u) << "its second dword";
  EXPECT_EQ(scene.at(9, 9, 1), 0x12345678u) << "its first, the third of the mask";
  EXPECT_EQ(scene.at(40, 9, 1), 0u) << "beyond its pitch";
  EXPECT_EQ(scene.at(9, 9, 2), 0u);
}

// --- the mask by itself

TEST(TileMask, RectanglesOfRuns) {
  TileMask mask(1, 64);  // pieces of 16x16 pixels with tiles of 4x4
  const TileMask::Place place{.offset = 0, .pitch = 64, .tile = 4};
  EXPECT_TRUE(mask.take(place, 64, 64).empty());
  EXPECT_TRUE(mask.set(0, 4, 0));
  EXPECT_TRUE(mask.set(5, 2, 0));
  EXPECT_TRUE(mask.set(8, 1, 0));
  EXPECT_EQ(mask.word(5), 0u);
  EXPECT_EQ(mask.word(4), ~0u);
  const std::vector<pipeline::Rectangle> first = {{0, 0, 64, 16}, {16, 16, 48, 32}, {0, 32, 16, 48}};
  EXPECT_EQ(mask.take(place, 64, 64), first);
  EXPECT_TRUE(mask.take(place, 64, 64).empty());
  // Tiles beyond stay, and tiles without memory are left out.
  EXPECT_TRUE(mask.set(0, ~0u, 0));
  EXPECT_EQ(mask.take(place, 20, 5), (std::vector<pipeline::Rectangle>{{0, 0, 20, 8}}));
  EXPECT_EQ(mask.take(place, 24, 8), (std::vector<pipeline::Rectangle>{{20, 0, 24, 8}}));
  EXPECT_EQ(mask.take({.offset = 60, .pitch = 64, .tile = 4}, 64, 64), (std::vector<pipeline::Rectangle>{{0, 0, 64, 16}}));
  EXPECT_TRUE(mask.set(70, 3, 0));
  EXPECT_TRUE(mask.take({.offset = 0, .pitch = 0, .tile = 4}, 64, 64).empty());
}

}  // namespace
}  // namespace Atoll::r5xx
