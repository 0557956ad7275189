// How surfaces lie and what stands between them and memory, field by field and without a driver: the tables of tile modes, swapped
// bytes, FMASK that stays uncompressed, depth that is read elsewhere than it is written. Expectations are worked out here.
#include <algorithm>

#include "gpu/sea_islands/draws.h"
#include "gpu/sea_islands/image_words.h"
#include "surface/banked_tiling.h"

namespace Atoll::sea_islands::test {
namespace {

using surface::Arrangement;
using surface::BankedSurface;
using surface::BankedTiling;
using surface::MicroOrder;
using Info = CB_COLOR_INFO;
using Tile = GB_TILE_MODE;
using Macro = GB_MACROTILE_MODE;

constexpr unsigned side = 128;  // of surfaces in macro tiles
constexpr size_t big_bytes = side * side * 16;

class SurfaceState : public Draws {
protected:
  SurfaceState() : big(*space->allocate(big_bytes + 0x10000, 4096)) {
    // An address at which neither pipe nor bank is swizzled.
    const uint64_t past = (0x10000 - big.gpu_address % 0x10000) % 0x10000;
    big.gpu_address += past, big.host_pointer += past;
  }
  static Words& put(Words& w, uint32_t address, uint32_t value) {
    w.push_back(address / 4), w.push_back(value);  // a packet of type 0
    return w;
  }
  // The interpolating triangle into the large buffer.
  Words gradient(uint32_t tile_mode, uint32_t format = Info::FORMAT::COLOR_8_8_8_8, uint32_t info = 0) {
    Words w = state(vertex_ ? vertex_ : vertex_ = big_triangle(), pixel_ ? pixel_ : pixel_ = interpolating());
    w.context(CB_COLOR_BASE::address(0), uint32_t(big.gpu_address >> 8));
    w.context(CB_COLOR_PITCH::address(0), side / 8 - 1).context(CB_COLOR_SLICE::address(0), side * side / 64 - 1);
    w.context(Info::address(0),
              Info::FORMAT::of(format) | info |
                  (format == Info::FORMAT::COLOR_8_8_8_8 ? Info::BLEND_CLAMP::of(1) : Info::NUMBER_TYPE::of(7)));
    return w.context(CB_COLOR_ATTRIB::address(0), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(tile_mode));
  }
  // The contents of the large buffer, whose pixels lie as `surface` has them; row by row of the window, a sample after the other.
  std::vector<uint64_t> pixels(const BankedSurface& s) {
    std::vector<uint64_t> all;
    for (unsigned sample = 0; sample < s.samples; sample++)
      for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++)
          std::memcpy(&all.emplace_back(), big.host_pointer + surface::address(s, {x, y, 0, sample}), s.element_bytes);
    return all;
  }
  static BankedSurface surface_of(const BankedTiling& tiling, unsigned bytes, unsigned samples = 1) {
    return {tiling, bytes, side, side, samples};
  }

  Buffer big;

private:
  uint64_t vertex_ = 0, pixel_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Engines, SurfaceState, testing::Values("interpreter", "jit"));

struct TableRow {
  const char* what;
  unsigned index;
  uint32_t tile;
  unsigned macro_index;
  uint32_t macro;
  unsigned bytes;
  BankedTiling tiling;
  unsigned log_samples = 0;
};
constexpr uint32_t four = Tile::PIPE_CONFIG::of(PipeConfig::ADDR_SURF_P4_16x16);
constexpr uint32_t one_bank = Macro::BANK_WIDTH::of(0) | Macro::BANK_HEIGHT::of(0) | Macro::MACRO_TILE_ASPECT::of(1);
BankedTiling macro_tiling(MicroOrder order, unsigned split, unsigned banks, unsigned aspect, unsigned bank_width = 1,
                          unsigned bank_height = 1, surface::PipeConfig pipes = surface::PipeConfig::p4_16x16) {
  return {Arrangement::macro_2d_thin, order, pipes, 256, banks, bank_width, bank_height, aspect, split};
}
const TableRow table_rows[] = {
    {"linear", 14, Tile::ARRAY_MODE::of(1), 0, 0, 4, {}},
    {"micro tiles",
     14,
     Tile::ARRAY_MODE::of(2) | four | Tile::MICRO_TILE_MODE_NEW::of(1),
     0,
     0,
     4,
     {Arrangement::micro_thin, MicroOrder::thin}},
    {"micro tiles as depth has them",
     14,
     Tile::ARRAY_MODE::of(2) | four | Tile::MICRO_TILE_MODE_NEW::of(2),
     0,
     0,
     4,
     {Arrangement::micro_thin, MicroOrder::depth}},
    {"rotated micro tiles",
     31,
     Tile::ARRAY_MODE::of(2) | four | Tile::MICRO_TILE_MODE_NEW::of(3),
     0,
     0,
     4,
     {Arrangement::micro_thin, MicroOrder::rotated}},
    {"16 banks", 14, Tile::ARRAY_MODE::of(4) | four, 2, one_bank | Macro::NUM_BANKS::of(3), 4,
     macro_tiling(MicroOrder::display, 256, 16, 2)},
    {"4 banks", 14, Tile::ARRAY_MODE::of(4) | four, 2, one_bank | Macro::NUM_BANKS::of(1), 4,
     macro_tiling(MicroOrder::display, 256, 4, 2)},
    {"wide banks", 14, Tile::ARRAY_MODE::of(4) | four, 2,
     Macro::BANK_WIDTH::of(1) | Macro::MACRO_TILE_ASPECT::of(1) | Macro::NUM_BANKS::of(2), 4,
     macro_tiling(MicroOrder::display, 256, 8, 2, 2)},
    {"high banks", 14, Tile::ARRAY_MODE::of(4) | four, 2,
     Macro::BANK_HEIGHT::of(1) | Macro::MACRO_TILE_ASPECT::of(1) | Macro::NUM_BANKS::of(2), 4,
     macro_tiling(MicroOrder::display, 256, 8, 2, 1, 2)},
    {"an aspect of 4", 14, Tile::ARRAY_MODE::of(4) | four, 2, Macro::MACRO_TILE_ASPECT::of(2) | Macro::NUM_BANKS::of(2), 4,
     macro_tiling(MicroOrder::display, 256, 8, 4)},
    {"other pipes", 14, Tile::ARRAY_MODE::of(4) | Tile::PIPE_CONFIG::of(PipeConfig::ADDR_SURF_P4_8x16), 2,
     one_bank | Macro::NUM_BANKS::of(2), 4, macro_tiling(MicroOrder::display, 256, 8, 2, 1, 1, surface::PipeConfig::p4_8x16)},
    {"tiles split at 64 bytes", 3, Tile::ARRAY_MODE::of(4) | four | Tile::MICRO_TILE_MODE_NEW::of(2), 0,
     one_bank | Macro::NUM_BANKS::of(2), 4, macro_tiling(MicroOrder::depth, 64, 8, 2)},
    {"tiles split at 128 bytes", 3, Tile::ARRAY_MODE::of(4) | four | Tile::MICRO_TILE_MODE_NEW::of(2) | Tile::TILE_SPLIT::of(1),
     1, one_bank | Macro::NUM_BANKS::of(2), 4, macro_tiling(MicroOrder::depth, 128, 8, 2)},
    {"one sample in a split", 14, Tile::ARRAY_MODE::of(4) | four | Tile::MICRO_TILE_MODE_NEW::of(1), 2,
     one_bank | Macro::NUM_BANKS::of(2), 4, macro_tiling(MicroOrder::thin, 256, 8, 2), 2},
    {"two samples in a split", 14, Tile::ARRAY_MODE::of(4) | four | Tile::MICRO_TILE_MODE_NEW::of(1) | Tile::SAMPLE_SPLIT::of(1),
     3, one_bank | Macro::NUM_BANKS::of(2), 4, macro_tiling(MicroOrder::thin, 512, 8, 2), 2},
    {"elements of 8 bytes", 14, Tile::ARRAY_MODE::of(4) | four | Tile::MICRO_TILE_MODE_NEW::of(1), 3,
     one_bank | Macro::NUM_BANKS::of(2), 8, macro_tiling(MicroOrder::thin, 512, 8, 2)},
};

// Draws with the chip's own tables, then with others, in one submission: what was drawn before stays where it was.
TEST_P(SurfaceState, TargetsLieAsTheTablesSay) {
  for (const TableRow& row : table_rows) {
    const uint32_t format = row.bytes == 8 ? Info::FORMAT::COLOR_16_16_16_16 : Info::FORMAT::COLOR_8_8_8_8;
    Words w = gradient(8, format);
    good(triangle(w));
    std::vector<uint64_t> expected = pixels(surface_of({}, row.bytes));
    ASSERT_NE(expected.front(), expected.back());
    const unsigned samples = 1u << row.log_samples;
    for (size_t n = width * height; n < width * height * samples; n++) expected.push_back(expected[n - width * height]);
    std::memset(big.host_pointer, 0, big_bytes);
    w = {};
    put(w, Tile::address(row.index), row.tile);
    if (row.macro) put(w, Macro::address(row.macro_index), row.macro);
    Words rest = gradient(row.index, format);
    using Attrib = CB_COLOR_ATTRIB;
    rest.context(Attrib::address(0), Attrib::TILE_MODE_INDEX::of(row.index) | Attrib::NUM_SAMPLES::of(row.log_samples) |
                                         Attrib::NUM_FRAGMENTS::of(row.log_samples));
    rest.context(PA_SC_AA_CONFIG::address(), PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES::of(row.log_samples));
    rest.context(PA_SC_AA_MASK_X0Y0_X1Y0::address(), ~0u).context(PA_SC_AA_MASK_X0Y1_X1Y1::address(), ~0u);
    w.insert(w.end(), rest.begin(), rest.end());
    good(triangle(w));
    EXPECT_EQ(pixels(surface_of(row.tiling, row.bytes, samples)), expected) << row.what;
    std::memset(big.host_pointer, 0, big_bytes);
  }
}

// The same registers of the target, and another table between two draws.
TEST_P(SurfaceState, KnownTargetsAreFoundAnew) {
  Words w = gradient(13);
  triangle(w);
  put(w, Tile::address(13), Tile::ARRAY_MODE::of(1));
  w.context(PA_SC_WINDOW_SCISSOR_TL::address(), 1u << 31 | 8);  // all but the left tiles
  good(triangle(w));
  const auto tiled = pixels(surface_of({Arrangement::micro_thin, MicroOrder::thin}, 4)), linear = pixels(surface_of({}, 4));
  std::memset(big.host_pointer, 0, big_bytes);
  Words plain = gradient(8);
  good(triangle(plain));
  const auto expected = pixels(surface_of({}, 4));
  constexpr unsigned place = 20 * width + 50;
  ASSERT_NE(expected[place], expected[0]);
  EXPECT_EQ(linear[place], expected[place]);
  EXPECT_EQ(tiled[0], expected[0]) << "of the first draw";
}

TEST_P(SurfaceState, ImagesLieAsTheTablesSay) {
  auto* words = reinterpret_cast<uint32_t*>(big.host_pointer);
  for (unsigned n = 0; n < side * side; n++) words[n] = n;
  Buffer out = *space->allocate(64 * 64 * 4, 4096), constants = *space->allocate(256, 256);
  ImageNumbers image{.address = big.gpu_address,
                     .data_format = 4,
                     .number_format = 4,
                     .tile_mode = 14,
                     .width = 64,
                     .height = 64,
                     .pitch = side};
  const auto resource = image.words();
  std::memcpy(constants.host_pointer, resource.data(), 32);
  // A wave of 64 pixels in a row, which s4 names.
  const uint64_t code =
      program({"s_load_dwordx8 s[8:15], s[0:1], 0x0", "v_mov_b32 v1, s4", "s_waitcnt lgkmcnt(0)",
               "image_load v4, v[0:3], s[8:15] dmask:0x1 unorm", "s_lshl_b32 s5, s4, 8", "v_lshlrev_b32 v0, 2, v0",
               "v_add_i32 v0, vcc, s5, v0", "v_add_i32 v2, vcc, s2, v0", "v_mov_b32 v3, s3", "v_addc_u32 v3, vcc, 0, v3, vcc",
               "s_waitcnt vmcnt(0)", "flat_store_dword v[2:3], v4", "s_endpgm"});
  Words base;
  using Two = COMPUTE_PGM_RSRC2;
  base.shader(COMPUTE_PGM_LO::address(), uint32_t(code >> 8)).shader(COMPUTE_PGM_HI::address(), uint32_t(code >> 40));
  base.shader(COMPUTE_PGM_RSRC1::address(), 0x000c0003);
  base.shader(Two::address(), Two::USER_SGPR::of(4) | Two::TGID_Y_EN::of(1));
  for (unsigned n = 0; n < 2; n++) {
    base.shader(COMPUTE_USER_DATA::address(n), uint32_t(constants.gpu_address >> 32 * n));
    base.shader(COMPUTE_USER_DATA::address(2 + n), uint32_t(out.gpu_address >> 32 * n));
  }
  for (unsigned n = 0; n < 3; n++) base.shader(COMPUTE_NUM_THREAD_X::address() + n * 4, n ? 1 : 64);
  // In one submission: with the tables of each row after those of the one before.
  for (const TableRow& row : table_rows) {
    if (row.index != 14 || row.bytes != 4 || row.log_samples) continue;
    Words w = base;
    w.packet(DISPATCH_DIRECT::opcode, {1, 64, 1, 1});
    put(w, Tile::address(14), row.tile);
    if (row.macro) put(w, Macro::address(row.macro_index), row.macro);
    good(w.packet(DISPATCH_DIRECT::opcode, {1, 64, 1, 1}));
    const BankedSurface s = surface_of(row.tiling, 4);
    unsigned wrong = 0;
    for (unsigned y = 0; y < 64; y++)
      for (unsigned x = 0; x < 64; x++)
        wrong += reinterpret_cast<uint32_t*>(out.host_pointer)[y * 64 + x] != surface::address(s, {x, y, 0, 0}) / 4;
    EXPECT_EQ(wrong, 0u) << row.what;
  }
}

// Any tables whatever: nothing is read or written outside of the GPU's memory, and nothing ends but the context.
TEST_P(SurfaceState, NoTableDoesHarm) {
  uint32_t random = 12345;
  auto next = [&] { return random = random * 1664525 + 1013904223, random >> 8 ^ random << 20; };
  for (unsigned n = 0; n < 60; n++) {
    Words w, rest = gradient(14);
    put(w, Tile::address(14), next());
    for (unsigned m = 0; m < 16; m++) put(w, Macro::address(m), next());
    w.insert(w.end(), rest.begin(), rest.end());
    if (!run(triangle(w))) queues[0] = *device->make_queue(gpu::QueueKind::graphics, *space);
  }
}

// Byte A of the pixels stands at A ^ N; what is read for blending as well.
TEST_P(SurfaceState, BytesAreSwapped) {
  constexpr unsigned exclusive_or[] = {0, 1, 3, 7};
  for (const uint32_t format : {uint32_t(Info::FORMAT::COLOR_8_8_8_8), uint32_t(Info::FORMAT::COLOR_16_16_16_16)})
    for (const uint32_t mode : {8u, 14u})
      for (const bool blended : {false, true}) {
        std::vector<uint8_t> plain;
        for (uint32_t endian = 0; endian < 4; endian++) {
          const unsigned swap = exclusive_or[endian];
          for (unsigned n = 0; n < side * side * 8; n++) big.host_pointer[n ^ swap] = uint8_t(n * 7 % 31);
          Words w = gradient(mode, format, Info::ENDIAN::of(endian));
          using Blend = CB_BLEND_CONTROL;
          if (blended)
            w.context(Blend::address(0), Blend::ENABLE::of(1) | Blend::COLOR_SRCBLEND::of(BlendOp::BLEND_ONE) |
                                             Blend::COLOR_DESTBLEND::of(BlendOp::BLEND_ONE));
          good(triangle(w));
          std::vector<uint8_t> now(side * side * 8);
          for (unsigned n = 0; n < now.size(); n++) now[n] = big.host_pointer[n ^ swap];
          if (endian == 0) plain = now;
          EXPECT_EQ(now, plain) << endian << " of format " << format << (blended ? ", blended" : "");
        }
      }
}

// Tiles that are drawn into name each sample's fragment in FMASK, the others keep what they have.
TEST_P(SurfaceState, FmaskStaysUncompressed) {
  Buffer fmask = *space->allocate(side * side * 4, 4096), cmask = *space->allocate(4096, 4096);
  for (unsigned log_samples = 1; log_samples <= 3; log_samples++)
    for (const bool plain : {false, true}) {
      Buffer target = *space->allocate(side * side * 4 * 8, 4096);
      std::memset(fmask.host_pointer, 0xaa, side * side * 4), std::memset(cmask.host_pointer, 0xff, 4096);
      Words w = gradient(13, Info::FORMAT::COLOR_8_8_8_8, Info::COMPRESSION::of(1) | Info::FMASK_COMPRESSION_DISABLE::of(plain));
      using Attrib = CB_COLOR_ATTRIB;
      w.context(CB_COLOR_BASE::address(0), uint32_t(target.gpu_address >> 8));
      w.context(Attrib::address(0), Attrib::TILE_MODE_INDEX::of(13) | Attrib::NUM_SAMPLES::of(log_samples) |
                                        Attrib::NUM_FRAGMENTS::of(log_samples) | Attrib::FMASK_TILE_MODE_INDEX::of(13));
      w.context(CB_COLOR_FMASK::address(0), uint32_t(fmask.gpu_address >> 8));
      w.context(CB_COLOR_FMASK_SLICE::address(0), side * side / 64 - 1);
      w.context(CB_COLOR_PITCH::address(0),
                CB_COLOR_PITCH::TILE_MAX::of(side / 8 - 1) | CB_COLOR_PITCH::FMASK_TILE_MAX::of(side / 8 - 1));
      w.context(PA_SC_AA_CONFIG::address(), PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES::of(log_samples));
      w.context(PA_SC_MODE_CNTL_0::address(), 1).context(PA_SC_AA_MASK_X0Y0_X1Y0::address(), ~0u);
      w.context(PA_SC_AA_MASK_X0Y1_X1Y1::address(), ~0u);
      w.context(PA_SC_GENERIC_SCISSOR_TL::address(), 1u << 31 | 16 | 8 << 16);
      w.context(PA_SC_GENERIC_SCISSOR_BR::address(), 24 | 16 << 16);  // a tile
      good(triangle(w));
      const unsigned bytes = log_samples == 3 ? 4 : 1;
      const BankedSurface s = surface_of({Arrangement::micro_thin, MicroOrder::thin}, bytes);
      static constexpr uint32_t own[] = {0, 0x02, 0xe4, 0x76543210};
      unsigned wrong = 0;
      for (unsigned y = 0; y < side; y++)
        for (unsigned x = 0; x < side; x++) {
          uint32_t texel = 0;
          std::memcpy(&texel, fmask.host_pointer + surface::address(s, {x, y, 0, 0}), bytes);
          const bool drawn = plain && x / 8 == 2 && y / 8 == 1;
          wrong += texel != (drawn ? own[log_samples] : bytes == 4 ? 0xaaaaaaaa : 0xaa);
        }
      EXPECT_EQ(wrong, 0u) << (1u << log_samples) << " samples" << (plain ? ", uncompressed" : "");
    }
}

// Tests see what the read bases have, whatever draws before have left at the write bases.
TEST_P(SurfaceState, DepthIsReadElsewhereThanItIsWritten) {
  Buffer read = *space->allocate(width * height * 4, 4096), written = *space->allocate(width * height * 4, 4096);
  Buffer stencil_read = *space->allocate(width * height, 4096), stencil_written = *space->allocate(width * height, 4096);
  auto* from = reinterpret_cast<float*>(read.host_pointer);
  auto* to = reinterpret_cast<float*>(written.host_pointer);
  for (unsigned n = 0; n < width * height; n++) from[n] = n / 64 % 8 < 4 ? 0.2f : 0.8f, to[n] = 1;  // the left and the right half
  std::memset(stencil_read.host_pointer, 5, width * height), std::memset(stencil_written.host_pointer, 9, width * height);
  const uint64_t vertex = big_triangle(), white = program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0 done vm", "s_endpgm"});
  auto drawn = [&](float position) {
    Words w = state(vertex, white);
    bind_depth(w, read, DB_Z_INFO::FORMAT::Z_32_FLOAT);
    w.context(DB_Z_WRITE_BASE::address(), uint32_t(written.gpu_address >> 8));
    w.context(DB_STENCIL_INFO::address(), DB_STENCIL_INFO::FORMAT::of(1));
    w.context(DB_STENCIL_READ_BASE::address(), uint32_t(stencil_read.gpu_address >> 8));
    w.context(DB_STENCIL_WRITE_BASE::address(), uint32_t(stencil_written.gpu_address >> 8));
    using Control = DB_DEPTH_CONTROL;
    w.context(Control::address(), Control::Z_ENABLE::of(1) | Control::Z_WRITE_ENABLE::of(1) | Control::STENCIL_ENABLE::of(1) |
                                      Control::STENCILFUNC::of(7) | Control::ZFUNC::of(CompareFrag::FRAG_LESS));
    w.context(DB_STENCIL_CONTROL::address(), DB_STENCIL_CONTROL::STENCILZPASS::of(5));  // one more
    w.context(DB_STENCILREFMASK::address(), DB_STENCILREFMASK::STENCILMASK::of(255) |
                                                DB_STENCILREFMASK::STENCILWRITEMASK::of(255) |
                                                DB_STENCILREFMASK::STENCILOPVAL::of(1));
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    w.shader(SPI_SHADER_USER_DATA_VS::address(0), std::bit_cast<uint32_t>(position));
    return triangle(w);
  };
  Words both;
  for (float position : {-0.5f, 0.5f}) {  // depths 0.25 and 0.75
    const Words one = drawn(position);
    both.insert(both.end(), one.begin(), one.end());
  }
  good(both);
  EXPECT_EQ(pixel(0, 0), 0u);
  EXPECT_EQ(pixel(63, 0), 0xffffffffu);
  const unsigned right = 4 * 64;  // the fifth tile
  EXPECT_EQ(to[right], 0.75f) << "the second draw is not tested against the first";
  EXPECT_EQ(stencil_written.host_pointer[right], 6);
  EXPECT_EQ(from[right], 0.8f);
  EXPECT_EQ(stencil_read.host_pointer[right], 5);
}

}  // namespace
}  // namespace Atoll::sea_islands::test
