// Copies of depth and stencil into colour target 0 (DB_RENDER_CONTROL: DEPTH_COPY, STENCIL_COPY, COPY_CENTROID, COPY_SAMPLE):
// every plane by every format, tiling and number of samples that Mesa's si_blit_dbcb_copy() and its like can ask for. The
// expected texel is worked out here; its place, by src/surface, which has an oracle of its own.
#include <algorithm>
#include <cmath>

#include "gpu/chips/rows.h"
#include "gpu/sea_islands/draws.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "gpu/sea_islands/state/tiling.h"
#include "surface/tile_metadata.h"

namespace Atoll::sea_islands::test {
namespace {

constexpr unsigned side = 128, layers = 2;  // of all surfaces: whole macro tiles of every mode
using Format = CB_COLOR_INFO::FORMAT;
using Number = CB_COLOR_INFO::NUMBER_TYPE;
using Swap = CB_COLOR_INFO::COMP_SWAP;

// The shader's results: a quarter in red and integers in the others.
constexpr float shader_red = 0.25f;
constexpr uint32_t shader_green = 11, shader_blue = 77, shader_alpha = 5;

// The values that arrive at the colour buffer.
struct Output {
  float red;
  uint32_t green;
};
uint32_t unorm(float value, unsigned bits) {
  return uint32_t(std::lround(std::clamp(double(value), 0.0, 1.0) * ((1u << bits) - 1)));
}

struct ColourRow {
  const char* name;
  uint32_t format, number, swap;
  unsigned bytes;
  void (*texel)(const Output& o, uint32_t* words);
};
const ColourRow colours[] = {
    {"16 unorm", Format::COLOR_16, Number::NUMBER_UNORM, Swap::SWAP_STD, 2,
     [](const Output& o, uint32_t* w) { w[0] = unorm(o.red, 16); }},
    {"8_24", Format::COLOR_8_24, Number::NUMBER_UNORM, Swap::SWAP_STD, 4,
     [](const Output& o, uint32_t* w) { w[0] = unorm(o.red, 24) | o.green << 24; }},
    {"8_24 uint (X24S8)", Format::COLOR_8_24, Number::NUMBER_UINT, Swap::SWAP_STD, 4,
     [](const Output& o, uint32_t* w) { w[0] = unorm(o.red, 24) | o.green << 24; }},
    {"24_8", Format::COLOR_24_8, Number::NUMBER_UNORM, Swap::SWAP_STD_REV, 4,
     [](const Output& o, uint32_t* w) { w[0] = o.green | unorm(o.red, 24) << 8; }},
    {"32 float", Format::COLOR_32, Number::NUMBER_FLOAT, Swap::SWAP_STD, 4,
     [](const Output& o, uint32_t* w) { w[0] = std::bit_cast<uint32_t>(o.red); }},
    {"X24_8_32", Format::COLOR_X24_8_32_FLOAT, Number::NUMBER_FLOAT, Swap::SWAP_STD, 8,
     [](const Output& o, uint32_t* w) { w[0] = std::bit_cast<uint32_t>(o.red), w[1] = o.green; }},
    {"32_32_32_32 float", Format::COLOR_32_32_32_32, Number::NUMBER_FLOAT, Swap::SWAP_STD, 16,
     [](const Output& o, uint32_t* w) {
       w[0] = std::bit_cast<uint32_t>(o.red), w[1] = o.green, w[2] = shader_blue, w[3] = shader_alpha;
     }},
};

struct Planes {
  const char* name;
  uint32_t format;  // DB_Z_INFO's; 0: none
  unsigned bits;
  bool stencil;
};
const Planes all_planes[] = {
    {"16", DB_Z_INFO::FORMAT::Z_16, 16, false},
    {"24", 2 /* Z_24, a public value */, 24, false},
    {"32 float", DB_Z_INFO::FORMAT::Z_32_FLOAT, 32, false},
    {"16 and stencil", DB_Z_INFO::FORMAT::Z_16, 16, true},
    {"24 and stencil", 2, 24, true},
    {"32 float and stencil", DB_Z_INFO::FORMAT::Z_32_FLOAT, 32, true},
    {"stencil", 0, 0, true},
};

struct Copy {
  bool depth, stencil;
};
// The sample that is copied, and the one that it is copied into.
struct Samples {
  uint32_t drawn = 0xffff;  // the sample mask
  bool first_lit = true;
  unsigned sample = 0;
};
struct Box {
  unsigned left, top, right, bottom;
};

class DepthCopies : public Draws {
protected:
  struct Case {
    const Planes& planes;
    const ColourRow& row;
    Copy copy;
    unsigned mode;        // the colour buffer's tile mode
    uint32_t array_mode;  // the depth buffer's
    unsigned samples = 1;
    unsigned depth_layer = 0, colour_layer = 0;
    Box box{13, 6, 51, 45};
    bool htile = false, cmask = false;
  };

  DepthCopies()
      : target(aligned(size_t(side) * side * layers * 16 * 8)),
        depth(aligned(size_t(side) * side * layers * 4 * 8)),
        stencil(aligned(size_t(side) * side * layers * 8)),
        cmask(aligned(65536)),
        htile(aligned(65536)) {
    vertex = big_triangle();
    pixel_program = program({"v_mov_b32 v0, 0x3e800000", "v_mov_b32 v1, 11", "v_mov_b32 v2, 77", "v_mov_b32 v3, 5",
                             "exp mrt0 v0, v1, v2, v3 done vm", "s_endpgm"});
  }

  // At an address that turns no pipes and banks.
  Buffer aligned(size_t bytes) {
    Buffer b = *space->allocate(bytes + 65536, 4096);
    uint64_t up = -b.gpu_address & 65535;
    b.gpu_address += up, b.host_pointer += up;
    return b;
  }
  // --- where texels lie
  surface::BankedSurface colour_place(const Case& c) {
    return {*tiling_of(chip, c.mode, c.row.bytes, c.samples), c.row.bytes, side, side, c.samples};
  }
  static unsigned depth_bytes(const Planes& p) { return !p.format ? 1 : p.bits == 16 ? 2 : 4; }
  uint32_t depth_info(const Case& c) {
    unsigned tile = std::min(64 * depth_bytes(c.planes) * c.samples, split_bytes);
    uint32_t banks = chip.macrotile_modes[size_t(std::countr_zero(tile / 64))];
    using Info = DB_DEPTH_INFO;
    using Macro = GB_MACROTILE_MODE;
    return Info::ARRAY_MODE::of(c.array_mode) | Info::PIPE_CONFIG::of(sea_islands::PipeConfig::ADDR_SURF_P4_16x16) |
           Info::BANK_WIDTH::of(Macro::BANK_WIDTH::get(banks)) | Info::BANK_HEIGHT::of(Macro::BANK_HEIGHT::get(banks)) |
           Info::MACRO_TILE_ASPECT::of(Macro::MACRO_TILE_ASPECT::get(banks)) | Info::NUM_BANKS::of(Macro::NUM_BANKS::get(banks));
  }
  surface::BankedSurface plane_place(const Case& c, unsigned bytes) {
    return {*depth_tiling_of(chip, registers::access::Word<DB_DEPTH_INFO>(depth_info(c)), split, bytes), bytes, side, side,
            c.samples};
  }
  static uint64_t at(const surface::BankedSurface& s, unsigned x, unsigned y, unsigned layer, unsigned sample) {
    if (s.tiling.arrangement == surface::Arrangement::linear) return ((uint64_t(layer) * side + y) * side + x) * s.element_bytes;
    return surface::address(s, {x, y, layer, sample});
  }
  surface::TileMetadata metadata(bool of_depth) const {
    return {.pipe_config = surface::PipeConfig::p4_16x16, .depth = of_depth, .pitch = side, .height = side};
  }

  // --- what the planes hold
  static uint32_t random_of(unsigned x, unsigned y, unsigned layer, unsigned sample) {
    uint32_t n = ((layer * 16 + sample) * side + y) * side + x + 1;
    n *= 0x9e3779b1u, n ^= n >> 15, n *= 0x85ebca6bu, n ^= n >> 13;
    return n % 13 == 0 ? ~0u : n % 17 == 0 ? 0 : n;  // the ends as well
  }
  static constexpr float depth_clear = 0.625f;
  static constexpr uint8_t stencil_clear = 0xc3;
  static bool cleared(unsigned x, unsigned y, unsigned layer) { return random_of(x / 8, y / 8, layer, 9) % 3 == 0; }
  // As memory has it, and as it reads.
  static uint32_t depth_word(const Planes& p, uint32_t random) {
    return p.bits < 32 ? random & ((1u << p.bits) - 1) : std::bit_cast<uint32_t>(float(random >> 4) / float(1u << 28));
  }
  static float depth_value(const Planes& p, uint32_t word) {
    return p.bits == 32 ? std::bit_cast<float>(word) : float(double(word) / ((1u << p.bits) - 1));
  }
  static Output plane_values(const Case& c, unsigned x, unsigned y, unsigned sample) {
    uint32_t random = random_of(x, y, c.depth_layer, sample);
    if (!c.htile || !cleared(x, y, c.depth_layer))
      return {depth_value(c.planes, depth_word(c.planes, random)), uint8_t(random >> 11)};
    return {depth_value(c.planes, c.planes.bits == 32 ? std::bit_cast<uint32_t>(depth_clear) : unorm(depth_clear, c.planes.bits)),
            stencil_clear};
  }
  // Fills planes, HTILE and the layers behind them.
  void fill(const Case& c) {
    surface::BankedSurface z = plane_place(c, depth_bytes(c.planes)), s = plane_place(c, 1);
    for (unsigned layer = 0; layer <= c.depth_layer; layer++)
      for (unsigned sample = 0; sample < c.samples; sample++)
        for (unsigned y = 0; y < side; y++)
          for (unsigned x = 0; x < side; x++) {
            uint32_t random = random_of(x, y, layer, sample), word = depth_word(c.planes, random);
            if (c.planes.bits == 24) word |= random << 24;
            if (c.planes.format) std::memcpy(depth.host_pointer + at(z, x, y, layer, sample), &word, z.element_bytes);
            if (c.planes.stencil) stencil.host_pointer[at(s, x, y, layer, sample)] = uint8_t(random >> 11);
          }
    for (unsigned layer = 0; layer <= c.depth_layer; layer++)
      for (unsigned y = 0; y < side; y += 8)
        for (unsigned x = 0; x < side; x += 8)
          reinterpret_cast<uint32_t*>(htile.host_pointer)[first_bit(metadata(true), x, y, layer) / 32] = cleared(x, y, layer) ? 0
                                                                                                         : c.planes.stencil
                                                                                                             ? 0xfffff3ff
                                                                                                             : 0xfffc000f;
  }

  // --- a draw
  Words draw_of(const Case& c, const Samples& samples) {
    Words w = state(vertex, pixel_program);
    auto number = [](float x) { return std::bit_cast<uint32_t>(x); };
    w.context(PA_SC_WINDOW_SCISSOR_BR::address(), side | side << 16)
        .context(PA_SC_SCREEN_SCISSOR_BR::address(), side | side << 16);
    w.context(PA_SC_GENERIC_SCISSOR_TL::address(), 1u << 31 | c.box.left | c.box.top << 16)
        .context(PA_SC_GENERIC_SCISSOR_BR::address(), c.box.right | c.box.bottom << 16);
    w.context(PA_CL_VPORT_XSCALE::address(0), number(side / 2)).context(PA_CL_VPORT_XOFFSET::address(0), number(side / 2));
    w.context(PA_CL_VPORT_YSCALE::address(0), number(side / 2)).context(PA_CL_VPORT_YOFFSET::address(0), number(side / 2));
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    unsigned log_samples = unsigned(std::countr_zero(c.samples));
    // The colour buffer.
    using Info = CB_COLOR_INFO;
    w.context(CB_COLOR_BASE::address(0), uint32_t(target.gpu_address >> 8));
    w.context(CB_COLOR_PITCH::address(0), side / 8 - 1).context(CB_COLOR_SLICE::address(0), side * side / 64 - 1);
    w.context(Info::address(0), Info::FORMAT::of(c.row.format) | Info::NUMBER_TYPE::of(c.row.number) |
                                    Info::COMP_SWAP::of(c.row.swap) | Info::BLEND_BYPASS::of(c.row.format >= Format::COLOR_8_24) |
                                    Info::FAST_CLEAR::of(c.cmask));
    w.context(CB_COLOR_ATTRIB::address(0), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(c.mode) |
                                               CB_COLOR_ATTRIB::NUM_SAMPLES::of(log_samples) |
                                               CB_COLOR_ATTRIB::NUM_FRAGMENTS::of(log_samples));
    w.context(CB_COLOR_VIEW::address(0),
              CB_COLOR_VIEW::SLICE_START::of(c.colour_layer) | CB_COLOR_VIEW::SLICE_MAX::of(c.colour_layer));
    w.context(CB_COLOR_CMASK::address(0), uint32_t(cmask.gpu_address >> 8));
    w.context(CB_COLOR_CLEAR_WORD0::address(0), clear_words[0]).context(CB_COLOR_CLEAR_WORD1::address(0), clear_words[1]);
    // The depth buffer.
    w.context(DB_Z_INFO::address(), DB_Z_INFO::FORMAT::of(c.planes.format) | DB_Z_INFO::NUM_SAMPLES::of(log_samples) |
                                        DB_Z_INFO::TILE_SPLIT::of(split) | DB_Z_INFO::TILE_SURFACE_ENABLE::of(c.htile));
    w.context(DB_STENCIL_INFO::address(), DB_STENCIL_INFO::FORMAT::of(c.planes.stencil) | DB_STENCIL_INFO::TILE_SPLIT::of(split) |
                                              DB_STENCIL_INFO::TILE_STENCIL_DISABLE::of(!c.planes.stencil));
    w.context(DB_DEPTH_INFO::address(), depth_info(c)).context(DB_DEPTH_SLICE::address(), side * side / 64 - 1);
    w.context(DB_DEPTH_SIZE::address(),
              DB_DEPTH_SIZE::PITCH_TILE_MAX::of(side / 8 - 1) | DB_DEPTH_SIZE::HEIGHT_TILE_MAX::of(side / 8 - 1));
    w.context(DB_DEPTH_VIEW::address(),
              DB_DEPTH_VIEW::SLICE_START::of(c.depth_layer) | DB_DEPTH_VIEW::SLICE_MAX::of(c.depth_layer));
    for (uint32_t base : {DB_Z_READ_BASE::address(), DB_Z_WRITE_BASE::address()})
      w.context(base, uint32_t(depth.gpu_address >> 8));
    for (uint32_t base : {DB_STENCIL_READ_BASE::address(), DB_STENCIL_WRITE_BASE::address()})
      w.context(base, uint32_t(stencil.gpu_address >> 8));
    w.context(DB_HTILE_DATA_BASE::address(), uint32_t(htile.gpu_address >> 8));
    w.context(DB_DEPTH_CLEAR::address(), number(depth_clear)).context(DB_STENCIL_CLEAR::address(), stencil_clear);
    w.context(DB_DEPTH_CONTROL::address(), 0);
    using Render = DB_RENDER_CONTROL;
    w.context(Render::address(), Render::DEPTH_COPY::of(c.copy.depth) | Render::STENCIL_COPY::of(c.copy.stencil) |
                                     Render::COPY_CENTROID::of(samples.first_lit) | Render::COPY_SAMPLE::of(samples.sample));
    // Samples.
    w.context(PA_SC_AA_CONFIG::address(), PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES::of(log_samples));
    w.context(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::MSAA_ENABLE::of(c.samples > 1));
    w.context(PA_SC_AA_MASK_X0Y0_X1Y0::address(), samples.drawn | samples.drawn << 16)
        .context(PA_SC_AA_MASK_X0Y1_X1Y1::address(), samples.drawn | samples.drawn << 16);
    return w;
  }

  // --- what is expected
  static constexpr uint32_t clear_words[4] = {0x01020304, 0x05060708, 0, 0};
  std::vector<uint8_t> expected;
  void begin(const Case& c) {
    size_t bytes = size_t(side) * side * c.row.bytes * c.samples * (c.colour_layer + 1);
    expected.assign(bytes, 0x5a);
    std::memset(target.host_pointer, 0x5a, bytes);
    std::memset(cmask.host_pointer, 0, 65536);
    if (!c.cmask) return;
    surface::BankedSurface to = colour_place(c);
    for (unsigned sample = 0; sample < c.samples; sample++)
      for (unsigned y = c.box.top & ~7u; y < ((c.box.bottom + 7) & ~7u); y++)
        for (unsigned x = c.box.left & ~7u; x < ((c.box.right + 7) & ~7u); x++)
          std::memcpy(&expected[at(to, x, y, c.colour_layer, sample)], clear_words, c.row.bytes);
  }
  // One more draw.
  template <class Drawn>
  void expect(const Case& c, const Samples& samples, Drawn drawn) {
    surface::BankedSurface to = colour_place(c);
    for (unsigned y = c.box.top; y < c.box.bottom; y++)
      for (unsigned x = c.box.left; x < c.box.right; x++) {
        if (!drawn(x, y)) continue;
        unsigned from = samples.sample % c.samples;
        if (samples.first_lit)
          for (unsigned n = 0; n < c.samples && !(samples.drawn >> from & 1); n++) from = (from + 1) % c.samples;
        Output planes = plane_values(c, x, y, from);
        Output o{c.copy.depth ? planes.red : shader_red, c.copy.stencil ? planes.green : shader_green};
        uint32_t words[4] = {};
        c.row.texel(o, words);
        for (unsigned sample = 0; sample < c.samples; sample++)
          if (samples.drawn >> sample & 1) std::memcpy(&expected[at(to, x, y, c.colour_layer, sample)], words, c.row.bytes);
      }
  }
  void expect(const Case& c, const Samples& samples) {
    expect(c, samples, [](unsigned, unsigned) { return true; });
  }
  void compare(const Case& c) {
    auto difference = std::mismatch(expected.begin(), expected.end(), target.host_pointer);
    ASSERT_EQ(difference.first, expected.end())
        << "byte " << difference.first - expected.begin() << ": " << unsigned(*difference.second) << " for "
        << unsigned(*difference.first) << ", " << c.row.bytes << " a texel";
  }
  static std::string name_of(const Case& c) {
    return fmt::format("{}{} of {} into {}, tile mode {}, depth's array mode {}, {} samples", c.copy.depth ? "depth" : "",
                       c.copy.stencil ? " stencil" : "", c.planes.name, c.row.name, c.mode, c.array_mode, c.samples);
  }

  const ChipConfig& chip = config_of(gpu::chip("bonaire"));
  static constexpr unsigned split = 4, split_bytes = 64u << split;
  Buffer target, depth, stencil, cmask, htile;
  uint64_t vertex = 0, pixel_program = 0;
};
INSTANTIATE_TEST_SUITE_P(Engines, DepthCopies, testing::Values("interpreter", "jit"));

std::vector<Copy> copies_of(const Planes& p) {
  if (!p.stencil) return {{true, false}};
  if (!p.format) return {{false, true}};
  return {{true, false}, {false, true}, {true, true}};
}

// As Mesa's si_blit_dbcb_copy() does it: a draw a sample, in which only that is drawn.
TEST_P(DepthCopies, OfEveryPlaneIntoEveryFormatAndTiling) {
  unsigned cases = 0;
  for (const Planes& planes : all_planes)
    for (unsigned samples : {1u, 2u, 4u, 8u})
      for (uint32_t array_mode : {ArrayMode::ARRAY_1D_TILED_THIN1, ArrayMode::ARRAY_2D_TILED_THIN1}) {
        if (samples > 1 && array_mode == ArrayMode::ARRAY_1D_TILED_THIN1) continue;
        fill({planes, colours[0], {}, 8, array_mode, samples});
        for (const ColourRow& row : colours)
          for (Copy copy : copies_of(planes))
            for (unsigned mode : {8u, 9u, 10u, 13u, 14u, 27u, 28u}) {
              if (samples > 1 && mode != 10 && mode != 14) continue;
              if (row.bytes == 16 && mode != 8 && mode != 13 && mode != 14) continue;  // no display order
              Case c{planes, row, copy, mode, array_mode, samples};
              SCOPED_TRACE(name_of(c));
              begin(c);
              Words all;
              for (unsigned s = 0; s < samples; s++) {
                Words w = draw_of(c, {.drawn = 1u << s, .sample = s});
                triangle(w);
                all.insert(all.end(), w.begin(), w.end());
                expect(c, {.drawn = 1u << s, .sample = s});
              }
              good(all);
              ASSERT_NO_FATAL_FAILURE(compare(c));
              cases++;
            }
      }
  EXPECT_EQ(cases, 1677u);
}

// Every choice of the sample that is copied, and of those that are drawn.
TEST_P(DepthCopies, TakeTheSampleThatIsNamedOrTheFirstLit) {
  const Planes& planes = all_planes[5];  // 32 float and stencil
  const ColourRow& row = colours[5];     // X24_8_32
  for (unsigned samples : {1u, 2u, 4u, 8u}) {
    Case c{planes, row, {true, true}, 14, ArrayMode::ARRAY_2D_TILED_THIN1, samples};
    c.box = {7, 9, 19, 21};
    fill(c);
    for (bool first_lit : {false, true})
      for (unsigned sample = 0; sample < 16; sample++)
        for (uint32_t drawn : {0xffffu, 0x0001u, 0x0002u, 0x0012u, 0x00c4u, 0x0080u, 0x0000u}) {
          Samples s{drawn, first_lit, sample};
          if (!(drawn & ((1u << samples) - 1)) && first_lit) s.sample = 0;
          SCOPED_TRACE(fmt::format("{} samples, of sample {}{}, drawn {:02x}", samples, sample,
                                   first_lit ? " or the first lit" : "", drawn));
          begin(c);
          Words w = draw_of(c, {drawn, first_lit, sample});
          good(triangle(w));
          expect(c, s);
          ASSERT_NO_FATAL_FAILURE(compare(c));
        }
  }
}

// Tiles that HTILE calls cleared read as their clear values, and tiles of the target that CMASK calls cleared keep its colour
// where nothing is copied.
TEST_P(DepthCopies, ObeyTheMetadataOfBoth) {
  for (const Planes& planes : all_planes)
    for (unsigned samples : {1u, 4u})
      for (bool of_depth : {false, true}) {
        if (of_depth && !planes.format) continue;
        Case filled{planes, colours[0], {}, 14, ArrayMode::ARRAY_2D_TILED_THIN1, samples};
        filled.htile = of_depth;
        fill(filled);
        for (const ColourRow& row : colours)
          for (Copy copy : copies_of(planes))
            for (bool of_colour : {false, true}) {
              if (of_colour && row.bytes == 16) continue;  // has two clear words only
              Case c{planes, row, copy, 14, ArrayMode::ARRAY_2D_TILED_THIN1, samples};
              c.htile = of_depth, c.cmask = of_colour;
              SCOPED_TRACE(name_of(c) + (of_depth ? ", HTILE" : "") + (of_colour ? ", CMASK" : ""));
              begin(c);
              for (unsigned s = 0; s < samples; s++) {
                Words w = draw_of(c, {.drawn = 1u << s, .sample = s});
                good(triangle(w));
                expect(c, {.drawn = 1u << s, .sample = s});
              }
              ASSERT_NO_FATAL_FAILURE(compare(c));
            }
      }
}

TEST_P(DepthCopies, FromAnyLayerToAnyWithinTheScissor) {
  for (const Planes& planes : all_planes)
    for (unsigned from = 0; from < layers; from++) {
      Case filled{planes, colours[0], {}, 14, ArrayMode::ARRAY_2D_TILED_THIN1};
      filled.depth_layer = from;
      fill(filled);
      for (unsigned to = 0; to < layers; to++)
        for (unsigned mode : {8u, 13u, 14u})
          for (Box box : {Box{0, 0, side, side}, {0, 0, 1, 1}, {127, 127, 128, 128}, {31, 8, 32, 128}, {3, 5, 3, 9}}) {
            Case c{planes, colours[1], copies_of(planes).back(), mode, ArrayMode::ARRAY_2D_TILED_THIN1};
            c.depth_layer = from, c.colour_layer = to, c.box = box;
            SCOPED_TRACE(name_of(c) +
                         fmt::format(", layer {} to {}, box {},{} to {},{}", from, to, box.left, box.top, box.right, box.bottom));
            begin(c);
            Words w = draw_of(c, {});
            good(triangle(w));
            expect(c, {});
            ASSERT_NO_FATAL_FAILURE(compare(c));
          }
    }
}

// Pixels that fail a test are not copied; those that pass are copied as the draw left them.
TEST_P(DepthCopies, ComeAfterTheTests) {
  const Planes& planes = all_planes[2];  // 32 float
  for (bool writes : {false, true})
    for (bool late : {false, true})
      for (unsigned samples : {1u, 4u}) {
        Case c{planes, colours[4], {true, false}, 14, ArrayMode::ARRAY_2D_TILED_THIN1, samples};
        SCOPED_TRACE(fmt::format("writes {}, late {}, {} samples", writes, late, samples));
        fill(c);
        begin(c);
        Words w = draw_of(c, {.drawn = 1u << (samples - 1), .sample = samples - 1});
        w.context(DB_DEPTH_CONTROL::address(), DB_DEPTH_CONTROL::Z_ENABLE::of(1) | DB_DEPTH_CONTROL::Z_WRITE_ENABLE::of(writes) |
                                                   DB_DEPTH_CONTROL::ZFUNC::of(CompareFrag::FRAG_GREATER));
        w.context(DB_SHADER_CONTROL::address(), DB_SHADER_CONTROL::Z_ORDER::of(late ? 0 : 1));
        w.shader(SPI_SHADER_USER_DATA_VS::address(0), std::bit_cast<uint32_t>(0.0f));  // z: 0.5 on the screen
        good(triangle(w));
        surface::BankedSurface to = colour_place(c);
        for (unsigned y = c.box.top; y < c.box.bottom; y++)
          for (unsigned x = c.box.left; x < c.box.right; x++) {
            float old = plane_values(c, x, y, samples - 1).red, left = writes ? 0.5f : old;
            if (0.5f > old) std::memcpy(&expected[at(to, x, y, 0, samples - 1)], &left, 4);
          }
        ASSERT_NO_FATAL_FAILURE(compare(c));
      }
}

TEST_P(DepthCopies, WriteTheComponentsThatTheMaskNames) {
  const Planes& planes = all_planes[4];  // 24 and stencil
  Case c{planes, colours[1], {true, true}, 14, ArrayMode::ARRAY_2D_TILED_THIN1};
  fill(c);
  for (uint32_t mask = 0; mask < 16; mask++) {
    begin(c);
    Words w = draw_of(c, {});
    w.context(CB_TARGET_MASK::address(), mask);
    good(triangle(w));
    expect(c, {});
    uint32_t bits = (mask & 1 ? 0xffffffu : 0) | (mask & 2 ? 0xff000000u : 0);
    for (size_t n = 0; n < expected.size(); n += 4) {
      uint32_t word;
      std::memcpy(&word, &expected[n], 4);
      word = (word & bits) | (0x5a5a5a5au & ~bits);
      std::memcpy(&expected[n], &word, 4);
    }
    ASSERT_NO_FATAL_FAILURE(compare(c)) << mask;
  }
}

TEST_P(DepthCopies, WithoutADepthBufferAreSaid) {
  Case c{all_planes[0], colours[4], {true, false}, 14, ArrayMode::ARRAY_2D_TILED_THIN1};
  Words w = draw_of(c, {});
  w.context(DB_Z_INFO::address(), 0);
  ASSERT_TRUE(run(triangle(w)));
  EXPECT_NE(unknown().find("copy of depth without a depth buffer"), std::string::npos) << unknown();
}

}  // namespace
}  // namespace Atoll::sea_islands::test
