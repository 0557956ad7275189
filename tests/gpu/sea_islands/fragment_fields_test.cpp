// Fields of DB and CB that drivers leave alone: which samples are counted, colours by the tests' outcome, values of stencil operations
// out of the program, what blending clamps and multiplies, formats taken for sRGB, targets beside a second source.
#include <cmath>
#include <limits>

#include "gpu/sea_islands/draws.h"

namespace Atoll::sea_islands::test {
namespace {

using Control = DB_DEPTH_CONTROL;
using Count = DB_COUNT_CONTROL;
using Info = CB_COLOR_INFO;

class FragmentFields : public Draws {
protected:
  FragmentFields() : depth(*space->allocate(width * height * 4, 4096)), stencil(*space->allocate(width * height, 4096)) {}
  uint64_t white() { return program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0 done vm", "s_endpgm"}); }
  // All pixels, depth 0.75, onto `old` with the function.
  Words draw_of(uint64_t pixel, float old, uint32_t function, uint32_t more = 0) {
    for (unsigned n = 0; n < width * height; n++) reinterpret_cast<float*>(depth.host_pointer)[n] = old;
    std::memset(colour.host_pointer, 0, width * height * 4);
    Words w = state(big_triangle(), pixel);
    bind_depth(w, depth, DB_Z_INFO::FORMAT::Z_32_FLOAT);
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    w.shader(SPI_SHADER_USER_DATA_VS::address(0), std::bit_cast<uint32_t>(0.5f));
    w.context(Control::address(),
              Control::Z_ENABLE::of(1) | Control::Z_WRITE_ENABLE::of(1) | Control::ZFUNC::of(function) | more);
    return w;
  }
  Words& bind_stencil(Words& w, uint8_t value) {
    std::memset(stencil.host_pointer, value, width * height);
    w.context(DB_STENCIL_INFO::address(), DB_STENCIL_INFO::FORMAT::of(1));
    return w.context(DB_STENCIL_READ_BASE::address(), uint32_t(stencil.gpu_address >> 8))
        .context(DB_STENCIL_WRITE_BASE::address(), uint32_t(stencil.gpu_address >> 8));
  }
  // The number that the draw adds to the count.
  uint64_t counted(Words w) {
    Words all;
    auto count_to = [&](uint32_t offset) {
      all.packet(EVENT_WRITE::opcode, {21 | 1 << 8, Words::low(at(offset)), Words::high(at(offset))});
    };
    count_to(0);
    all.insert(all.end(), w.begin(), w.end());
    triangle(all);
    count_to(0x100);
    good(all);
    return qword(0x100) - qword(0);
  }

  static constexpr uint64_t all_pixels = width * height;
  Buffer depth, stencil;
};
INSTANTIATE_TEST_SUITE_P(Engines, FragmentFields, testing::Values("interpreter", "jit"));

TEST_P(FragmentFields, SamplesThatFailATestAreCountedWhereAsked) {
  const uint64_t pixel = white();
  // The outcome for all samples: they pass, fail depth, stencil (and depth), bounds (and all).
  enum { passes, depth_fails, stencil_fails, bounds_fail };
  for (int outcome : {passes, depth_fails, stencil_fails, bounds_fail})
    for (uint32_t counts = 0; counts < 16; counts++) {
      Words w = draw_of(pixel, 0.25f, outcome == passes ? CompareFrag::FRAG_GREATER : CompareFrag::FRAG_LESS,
                        Control::STENCIL_ENABLE::of(1) | Control::DEPTH_BOUNDS_ENABLE::of(1) |
                            Control::STENCILFUNC::of(outcome >= stencil_fails ? 0 : 7));
      bind_stencil(w, 0);
      w.context(DB_DEPTH_BOUNDS_MIN::address(), std::bit_cast<uint32_t>(outcome == bounds_fail ? 0.5f : 0.0f))
          .context(DB_DEPTH_BOUNDS_MAX::address(), std::bit_cast<uint32_t>(1.0f));
      w.context(Count::address(), Count::ZPASS_ENABLE::of(counts & 1) | Count::ZFAIL_ENABLE::of(counts >> 1 & 1) |
                                      Count::SFAIL_ENABLE::of(counts >> 2 & 1) | Count::DBFAIL_ENABLE::of(counts >> 3) |
                                      Count::SLICE_EVEN_ENABLE::of(1) | Count::SLICE_ODD_ENABLE::of(1));
      EXPECT_EQ(counted(w), counts >> outcome & 1 ? all_pixels : 0) << "outcome " << outcome << ", " << counts;
    }
}

TEST_P(FragmentFields, DepthAloneIsCountedWhereItFails) {
  const uint64_t pixel = white();
  for (bool fails : {false, true}) {
    Words w = draw_of(pixel, 0.25f, fails ? CompareFrag::FRAG_LESS : CompareFrag::FRAG_GREATER);
    w.context(Count::address(), Count::ZFAIL_ENABLE::of(1) | Count::SLICE_EVEN_ENABLE::of(1) | Count::SLICE_ODD_ENABLE::of(1));
    EXPECT_EQ(counted(w), fails ? all_pixels : 0);
  }
}

// One layer, whose number is the view's first.
TEST_P(FragmentFields, LayersAreCountedByTheirParity) {
  const uint64_t pixel = white();
  depth = *space->allocate(width * height * 4 * 4, 4096);
  for (uint32_t first : {0u, 1u, 2u, 3u})
    for (uint32_t even : {0u, 1u})
      for (uint32_t odd : {0u, 1u}) {
        Words w = draw_of(pixel, 0.25f, CompareFrag::FRAG_ALWAYS);
        w.context(DB_DEPTH_VIEW::address(), DB_DEPTH_VIEW::SLICE_START::of(first) | DB_DEPTH_VIEW::SLICE_MAX::of(first));
        w.context(Count::address(),
                  Count::ZPASS_ENABLE::of(1) | Count::SLICE_EVEN_ENABLE::of(even) | Count::SLICE_ODD_ENABLE::of(odd));
        EXPECT_EQ(counted(w), (first % 2 ? odd : even) * all_pixels) << first << ", " << even << odd;
      }
}

TEST_P(FragmentFields, ColoursAreWrittenByTheOutcomeOfTests) {
  const uint64_t pixel = white();
  for (bool by_stencil : {false, true})
    for (bool passes : {false, true})
      for (uint32_t on_fail : {0u, 1u})
        for (uint32_t not_on_pass : {0u, 1u}) {
          const bool depth_passes = passes || by_stencil;
          Words w = draw_of(pixel, 0.25f, depth_passes ? CompareFrag::FRAG_GREATER : CompareFrag::FRAG_LESS,
                            Control::STENCIL_ENABLE::of(by_stencil) | Control::STENCILFUNC::of(passes ? 7 : 0) |
                                Control::ENABLE_COLOR_WRITES_ON_DEPTH_FAIL::of(on_fail) |
                                Control::DISABLE_COLOR_WRITES_ON_DEPTH_PASS::of(not_on_pass));
          if (by_stencil) bind_stencil(w, 0);
          good(triangle(w));
          const bool written = passes ? !not_on_pass : on_fail;
          for (unsigned x : {0u, 5u, 63u}) EXPECT_EQ(this->pixel(x, 7), written ? ~0u : 0) << by_stencil << passes << on_fail;
          // Depth follows the tests alone.
          EXPECT_EQ(*reinterpret_cast<float*>(depth.host_pointer), passes ? 0.75f : 0.25f);
        }
}

// Green's lowest byte is compared, its second byte is what operations take.
TEST_P(FragmentFields, StencilOperationsTakeTheProgramsValue) {
  const uint64_t pixel = program(
      {"v_mov_b32 v0, 0x2305", "exp mrtz v0, v0, v0, v0 vm", "v_mov_b32 v1, 1.0", "exp mrt0 v1, v1, v1, v1 done vm", "s_endpgm"});
  using Shader = DB_SHADER_CONTROL;
  using Ops = DB_STENCIL_CONTROL;
  for (uint32_t test : {0u, 1u})
    for (uint32_t value : {0u, 1u})
      for (uint32_t op : {uint32_t(Ops::STENCILFAIL::STENCIL_REPLACE_OP), uint32_t(Ops::STENCILFAIL::STENCIL_ADD_WRAP)}) {
        Words w = draw_of(pixel, 0.25f, CompareFrag::FRAG_ALWAYS, Control::STENCIL_ENABLE::of(1) | Control::STENCILFUNC::of(2));
        bind_stencil(w, 0x05);
        w.context(SPI_SHADER_Z_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_GR);
        w.context(Ops::address(), Ops::STENCILZPASS::of(op) | Ops::STENCILFAIL::of(Ops::STENCILFAIL::STENCIL_ZERO));
        using Masks = DB_STENCILREFMASK;
        w.context(Masks::address(), Masks::STENCILTESTVAL::of(5) | Masks::STENCILMASK::of(0xff) |
                                        Masks::STENCILWRITEMASK::of(0xff) | Masks::STENCILOPVAL::of(0x40));
        w.context(Shader::address(),
                  Shader::STENCIL_TEST_VAL_EXPORT_ENABLE::of(test) | Shader::STENCIL_OP_VAL_EXPORT_ENABLE::of(value));
        good(triangle(w));
        const unsigned taken = value ? 0x23 : 0x40;
        EXPECT_EQ(stencil.host_pointer[9], op == Ops::STENCILFAIL::STENCIL_ADD_WRAP ? 5 + taken : taken) << test << value;
      }
}

// --- CB

class BlendFields : public FragmentFields {
protected:
  // Exports the four user values.
  uint64_t exporting() {
    return program({"v_mov_b32 v0, s0", "v_mov_b32 v1, s1", "v_mov_b32 v2, s2", "v_mov_b32 v3, s3",
                    "exp mrt0 v0, v1, v2, v3 done vm", "s_endpgm"});
  }
  Words exported(float red, float green, float blue, float alpha) {
    Words w = state(big_triangle(), exporting());
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    w.shader(SPI_SHADER_PGM_RSRC2_PS::address(), SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(4));
    const float values[] = {red, green, blue, alpha};
    for (unsigned n = 0; n < 4; n++) w.shader(SPI_SHADER_USER_DATA_PS::address(n), std::bit_cast<uint32_t>(values[n]));
    return w;
  }
  // Source times a constant of a quarter, plus target times a factor.
  static void a_quarter_of_the_source(Words& w, uint32_t target_factor) {
    w.context(CB_BLEND_CONTROL::address(0), CB_BLEND_CONTROL::ENABLE::of(1) |
                                                CB_BLEND_CONTROL::COLOR_SRCBLEND::of(BlendOp::BLEND_CONSTANT_COLOR) |
                                                CB_BLEND_CONTROL::COLOR_DESTBLEND::of(target_factor));
    for (uint32_t address :
         {CB_BLEND_RED::address(), CB_BLEND_GREEN::address(), CB_BLEND_BLUE::address(), CB_BLEND_ALPHA::address()})
      w.context(address, std::bit_cast<uint32_t>(0.25f));
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, BlendFields, testing::Values("interpreter", "jit"));

// Source 4 times a constant of a quarter: 1 of 4, and a quarter of what is clamped to 1.
TEST_P(BlendFields, SourcesAreClampedWhereBlendClampSaysSo) {
  for (uint32_t clamps : {0u, 1u}) {
    Words w = exported(4, -4, 4, 1);
    w.context(Info::address(0), Info::FORMAT::of(Info::FORMAT::COLOR_8_8_8_8) | Info::BLEND_CLAMP::of(clamps));
    a_quarter_of_the_source(w, BlendOp::BLEND_ONE);
    for (unsigned n = 0; n < width * height; n++) reinterpret_cast<uint32_t*>(colour.host_pointer)[n] = 0x00008000;
    good(triangle(w));
    EXPECT_EQ(pixel(3, 3), clamps ? 0x40408040u : 0x40ff00ffu);
  }
}

// Sources that BLEND_CLAMP leaves as they are, are clamped all the same if all components are small, unless that is switched off.
TEST_P(BlendFields, SourcesOfSmallComponentsAreClampedUnlessThatIsSwitchedOff) {
  struct Row {
    uint32_t format;
    bool small;
    uint32_t clamped, as_it_is;  // of a word: a quarter of 1, a quarter of 4
  };
  using Format = Info::FORMAT;
  for (const Row& row :
       {Row{Format::COLOR_8_8_8_8, true, 0x40404040, 0xffffffff}, Row{Format::COLOR_10_11_11, true, 0x40100200, 0xffffffff},
        Row{Format::COLOR_16_16, false, 0x40004000, 0xffffffff}})
    for (uint32_t off : {0u, 1u}) {
      SCOPED_TRACE(fmt::format("format {}, {}", row.format, off ? "off" : "on"));
      Words w = exported(4, 4, 4, 4);
      w.context(Info::address(0), Info::FORMAT::of(row.format));
      a_quarter_of_the_source(w, BlendOp::BLEND_ZERO);
      w.packet(SET_CONFIG_REG::opcode,
               {(CB_HW_CONTROL::address() - 0x8000) / 4, CB_HW_CONTROL::DISABLE_INTNORM_LE11BPC_CLAMPING::of(off)});
      good(triangle(w));
      EXPECT_EQ(pixel(3, 3), row.small && !off ? row.clamped : row.as_it_is);
    }
}

// Zero times infinity: nothing, or not a number.
TEST_P(BlendFields, ZerosOfFactorsTakeInfinitiesAwayWhereFloatsAreSimple) {
  Buffer floats = *space->allocate(width * height * 16, 4096);
  for (uint32_t simple : {0u, 1u}) {
    Words w = exported(2, 2, 2, 2);
    w.context(Info::address(0), Info::FORMAT::of(Info::FORMAT::COLOR_32_32_32_32) |
                                    Info::NUMBER_TYPE::of(Info::NUMBER_TYPE::NUMBER_FLOAT) | Info::SIMPLE_FLOAT::of(simple));
    w.context(CB_COLOR_BASE::address(0), uint32_t(floats.gpu_address >> 8));
    w.context(CB_BLEND_CONTROL::address(0), CB_BLEND_CONTROL::ENABLE::of(1) |
                                                CB_BLEND_CONTROL::COLOR_SRCBLEND::of(BlendOp::BLEND_ONE) |
                                                CB_BLEND_CONTROL::COLOR_DESTBLEND::of(BlendOp::BLEND_ZERO));
    float* texels = reinterpret_cast<float*>(floats.host_pointer);
    for (unsigned n = 0; n < width * height * 4; n++) texels[n] = n % 4 ? 1 : std::numeric_limits<float>::infinity();
    good(triangle(w));
    EXPECT_EQ(std::isnan(texels[0]), !simple);
    if (simple) EXPECT_EQ(texels[0], 2);
    EXPECT_EQ(texels[1], 2);
  }
}

// A half is 0x80 as it is, 0xbc as sRGB; formats of other widths have no curve.
TEST_P(BlendFields, FormatsOfEightBitsAreTakenForSrgb) {
  for (uint32_t degamma : {0u, 1u})
    for (bool wide : {false, true}) {
      Words w = exported(0.5f, 0.5f, 0.5f, 0.5f);
      std::memset(colour.host_pointer, 0, width * height * 4);
      w.context(Info::address(0),
                Info::FORMAT::of(wide ? Info::FORMAT::COLOR_16_16 : Info::FORMAT::COLOR_8_8_8_8) | Info::BLEND_CLAMP::of(1));
      w.context(CB_COLOR_CONTROL::address(),
                CB_COLOR_CONTROL::MODE::of(1) | CB_COLOR_CONTROL::ROP3::of(0xcc) | CB_COLOR_CONTROL::DEGAMMA_ENABLE::of(degamma));
      good(triangle(w));
      EXPECT_EQ(pixel(3, 3), wide ? 0x80008000u : degamma ? 0x80bcbcbcu : 0x80808080u);
    }
}

// The pixels of target 2 while target 0 blends with a second source.
TEST_P(BlendFields, TargetsBesideASecondSourceAreWrittenWhereAllowed) {
  Buffer beside = *space->allocate(width * height * 4, 4096);
  for (uint32_t allowed : {0u, 1u})
    for (bool second : {false, true}) {
      std::memset(beside.host_pointer, 0, width * height * 4);
      Words w = state(big_triangle(), program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0 vm", "exp mrt1 v0, v0, v0, v0 vm",
                                               "exp mrt2 v0, v0, v0, v0 done vm", "s_endpgm"}));
      w.context(SPI_SHADER_COL_FORMAT::address(), 0x999).context(CB_SHADER_MASK::address(), 0xfff);
      w.context(CB_TARGET_MASK::address(), 0xf0f);
      w.context(CB_COLOR_BASE::address(2), uint32_t(beside.gpu_address >> 8));
      w.context(CB_COLOR_PITCH::address(2), width / 8 - 1).context(CB_COLOR_SLICE::address(2), width * height / 64 - 1);
      w.context(Info::address(2), Info::FORMAT::of(Info::FORMAT::COLOR_8_8_8_8) | Info::BLEND_CLAMP::of(1));
      w.context(CB_COLOR_ATTRIB::address(2), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(8));
      w.context(CB_BLEND_CONTROL::address(0),
                CB_BLEND_CONTROL::ENABLE::of(1) | CB_BLEND_CONTROL::COLOR_SRCBLEND::of(BlendOp::BLEND_ONE) |
                    CB_BLEND_CONTROL::COLOR_DESTBLEND::of(second ? BlendOp::BLEND_SRC1_COLOR : BlendOp::BLEND_ZERO));
      w.packet(SET_CONFIG_REG::opcode,
               {(CB_HW_CONTROL::address() - 0x8000) / 4, CB_HW_CONTROL::ALLOW_MRT_WITH_DUAL_SOURCE::of(allowed)});
      good(triangle(w));
      EXPECT_EQ(*reinterpret_cast<uint32_t*>(beside.host_pointer), second && !allowed ? 0 : ~0u) << allowed << second;
      EXPECT_EQ(pixel(3, 3), ~0u);
    }
}

// STATUS says whether a wave runs privileged.
TEST_P(FragmentFields, PixelsRunPrivileged) {
  const uint64_t pixel = program({"s_getreg_b32 s4, hwreg(2, 5, 1)", "v_cvt_f32_u32 v0, s4", "v_mov_b32 v1, 1.0",
                                  "exp mrt0 v0, v1, v1, v1 done vm", "s_endpgm"});
  for (uint32_t privileged : {0u, 1u}) {
    Words w = draw_of(pixel, 0.25f, CompareFrag::FRAG_ALWAYS);
    w.shader(SPI_SHADER_PGM_RSRC1_PS::address(), 0x000c0002 | SPI_SHADER_PGM_RSRC1_PS::PRIV::of(privileged));
    good(triangle(w));
    EXPECT_EQ(this->pixel(3, 3), privileged ? ~0u : 0xffffff00u);
  }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
