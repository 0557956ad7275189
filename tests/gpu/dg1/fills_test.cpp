// Fast clears of render targets, whose colour may be known only from the surface states that come after them.
#include "gpu/dg1/draw/fills.h"

#include "draw_machine.h"
#include "gpu/dg1/draw/draw.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;
using S = SurfaceState;

struct FastClears : DrawMachine {
  // A substitute of the driver's, which has 0, and the surface's own.
  static constexpr uint64_t substitute_at = surfaces_at + 0x8000, own_at = surfaces_at + 0x8040;

  FastClears() {
    const float own[4] = {1, 0, 1, 0};
    std::memcpy(memory<float>(own_at), own, sizeof own);
    put<_3DSTATE_PS::Binding_Table_Entry_Count>(1);
  }
  SurfaceWords cleared(uint64_t colour_at, uint64_t at = colours_at) {
    SurfaceWords words = colour(64, 64, SURFACE_FORMAT::R8G8B8A8_UNORM, at);
    S::Auxiliary_Surface_Mode::set(words, AuxiliaryMode::AUX_CCS_E);
    S::Clear_Value_Address_Enable::set(words, 1), S::Clear_Value_Address::set(words, colour_at);
    return words;
  }
  void clear(const SurfaceWords& words) {
    target(0, words);
    put<_3DSTATE_PS::Render_Target_Fast_Clear_Enable>(1);
    EXPECT_TRUE(run_target_operation(*context, {.vertices = 3, .instances = 1})) << context->report();
    put<_3DSTATE_PS::Render_Target_Fast_Clear_Enable>(0);
  }
  // The word of all 64x64 pixels; else the first that differs from the first pixel's.
  uint32_t pixels_of(uint64_t at = colours_at) {
    EXPECT_TRUE(write_back(*context));
    const uint32_t* words = memory<uint32_t>(at);
    // Tiles of 128 bytes by 32 rows; a row of them has 4096 bytes of pitch.
    for (unsigned row = 0; row < 2; row++)
      for (unsigned n = 0; n < 2 * 1024; n++)
        if (words[row * 32 * 1024 + n] != words[0]) return words[row * 32 * 1024 + n];
    return words[0];
  }
};

// A depth clear of a rectangle, and of what it has in common with the first scissor.
TEST_F(FastClears, ScissoredDepthClear) {
  using D = _3DSTATE_DEPTH_BUFFER;
  send<D>([&](uint32_t* d) {
    D::Surface_Type::set(d, D::Surface_Type::SURFTYPE_2D), D::Surface_Format::set(d, D::Surface_Format::D32_FLOAT);
    D::Depth_Write_Enable::set(d, 1), D::Width::set(d, 63), D::Height::set(d, 63), D::Surface_Pitch::set(d, 511);
    D::Surface_Base_Address::set(d, depth_at);
  });
  using Hz = _3DSTATE_WM_HZ_OP;
  using Rect = structures::SCISSOR_RECT;
  float value = 0;
  for (const bool whole : {false, true})
    for (const bool scissored : {false, true}) {
      std::memset(memory<uint8_t>(depth_at), 0, 64 * 512);
      value += 0.125f;
      put<_3DSTATE_CLEAR_PARAMS::Depth_Clear_Value>(std::bit_cast<uint32_t>(value));
      Rect::Scissor_Rectangle_X_Min::set(dynamic(scissors), 20), Rect::Scissor_Rectangle_X_Max::set(dynamic(scissors), 40);
      Rect::Scissor_Rectangle_Y_Min::set(dynamic(scissors), 5), Rect::Scissor_Rectangle_Y_Max::set(dynamic(scissors), 50);
      send<Hz>([&](uint32_t* w) {
        Hz::Depth_Buffer_Clear_Enable::set(w, 1), Hz::Full_Surface_Depth_and_Stencil_Clear::set(w, whole);
        Hz::Scissor_Rectangle_Enable::set(w, scissored), Hz::Sample_Mask::set(w, 0xffff);
        Hz::Clear_Rectangle_X_Min::set(w, 8), Hz::Clear_Rectangle_X_Max::set(w, 32);
        Hz::Clear_Rectangle_Y_Min::set(w, 16), Hz::Clear_Rectangle_Y_Max::set(w, 60);
      });
      ASSERT_TRUE(run_depth_operation(*context)) << context->report();
      ASSERT_TRUE(write_back(*context));
      for (uint32_t y = 0; y < 64; y++)
        for (uint32_t x = 0; x < 64; x++) {
          bool cleared = whole || (x >= 8 && x < 32 && y >= 16 && y < 60);
          if (scissored) cleared &= x >= 20 && x <= 40 && y >= 5 && y <= 50;
          const uint64_t at = uint64_t(y / 32 * 4 + x / 32) * 4096 + x % 32 / 4 * 512 + y % 32 * 16 + x % 4 * 4;
          ASSERT_EQ(*memory<float>(depth_at + at), cleared ? value : 0) << whole << scissored << " " << x << ", " << y;
        }
    }
}

// A buffer that is wholly clear is as deep as 3DSTATE_CLEAR_PARAMS says when it is used, until it is written, resolved or without a hierarchy.
TEST_F(FastClears, DepthsAreThoseOfTheirUse) {
  using D = _3DSTATE_DEPTH_BUFFER;
  using Hz = _3DSTATE_WM_HZ_OP;
  using P = _3DSTATE_CLEAR_PARAMS;
  auto bind = [&](uint32_t layer, uint32_t more, bool hierarchy = true) {
    send<D>([&](uint32_t* d) {
      D::Surface_Type::set(d, D::Surface_Type::SURFTYPE_2D), D::Surface_Format::set(d, D::Surface_Format::D32_FLOAT);
      D::Depth_Write_Enable::set(d, 1), D::Width::set(d, 31), D::Height::set(d, 31), D::Surface_Pitch::set(d, 127);
      D::Surface_Base_Address::set(d, depth_at), D::Hierarchical_Depth_Buffer_Enable::set(d, hierarchy);
      D::Surface_QPitch::set(d, 8), D::Depth::set(d, 3), D::Minimum_Array_Element::set(d, layer);
      D::Render_Target_View_Extent::set(d, more);
    });
  };
  auto value = [&](float v, bool valid = true) {
    send<P>([&](uint32_t* w) {
      P::Depth_Clear_Value::set(w, std::bit_cast<uint32_t>(v)), P::Depth_Clear_Value_Valid::set(w, valid);
    });
  };
  enum class Operation { clear, part, resolve, ambiguate };
  auto operate = [&](Operation operation) {
    send<Hz>([&](uint32_t* w) {
      Hz::Sample_Mask::set(w, 0xffff), Hz::Clear_Rectangle_X_Max::set(w, 32),
          Hz::Clear_Rectangle_Y_Max::set(w, operation == Operation::part ? 31 : 32);
      if (operation == Operation::resolve)
        Hz::Depth_Buffer_Resolve_Enable::set(w, 1);
      else if (operation == Operation::ambiguate)
        Hz::Hierarchical_Depth_Buffer_Resolve_Enable::set(w, 1);
      else
        Hz::Depth_Buffer_Clear_Enable::set(w, 1);
    });
    ASSERT_TRUE(run_depth_operation(*context)) << context->report();
  };
  auto depth = [&](uint32_t layer) {
    EXPECT_TRUE(write_back(*context));
    return *memory<float>(depth_at + layer * 4096);
  };
  auto settled = [&](float now, uint32_t layer = 0) {
    value(now);
    EXPECT_TRUE(settle_depth_clears(*context)) << context->report();
    return depth(layer);
  };
  bind(0, 0), value(0.5f), operate(Operation::clear);
  bind(1, 0), value(0.5f), operate(Operation::clear);
  EXPECT_EQ(depth(0), 0.5f);
  bind(0, 3);
  EXPECT_EQ(settled(0.25f), 0.25f);
  EXPECT_EQ(depth(1), 0.25f);
  // Another level's or layer's draw leaves it.
  bind(1, 2);
  EXPECT_EQ(settled(0.75f, 1), 0.75f);
  EXPECT_EQ(depth(0), 0.25f);
  // Written by a draw.
  bind(0, 0), forget_depth_clears(*context);
  EXPECT_EQ(settled(0.125f), 0.25f);
  // Resolved: as the clear value of that moment has it, and for good.
  value(0.5f), operate(Operation::clear), value(0.375f), operate(Operation::resolve);
  EXPECT_EQ(depth(0), 0.375f);
  EXPECT_EQ(settled(0.125f), 0.375f);
  // Metadata that is set up anew, buffers without a hierarchy, and a part of a buffer have no marks.
  value(0.5f), operate(Operation::clear), value(0.25f), operate(Operation::ambiguate);
  EXPECT_EQ(settled(0.125f), 0.5f);
  value(0.25f), operate(Operation::clear), bind(0, 0, false);
  EXPECT_EQ(settled(0.125f), 0.25f);
  bind(0, 0);
  EXPECT_EQ(settled(0.125f), 0.25f);
  value(0.5f), operate(Operation::part);
  EXPECT_EQ(settled(0.125f), 0.5f);
}

// Blocks are kept with the samples that the clear has: of a buffer of more it would take those behind them.
TEST_F(FastClears, DepthClearsOfFewerSamplesThanTheBuffersEndTheContext) {
  using D = _3DSTATE_DEPTH_BUFFER;
  using Hz = _3DSTATE_WM_HZ_OP;
  send<D>([&](uint32_t* d) {
    D::Surface_Type::set(d, D::Surface_Type::SURFTYPE_2D), D::Surface_Format::set(d, D::Surface_Format::D32_FLOAT);
    D::Depth_Write_Enable::set(d, 1), D::Width::set(d, 31), D::Height::set(d, 31), D::Surface_Pitch::set(d, 511);
    D::Surface_Base_Address::set(d, depth_at);
  });
  put<_3DSTATE_MULTISAMPLE::Number_of_Multisamples>(1);
  for (const unsigned samples : {1u, 0u}) {
    send<Hz>([&](uint32_t* w) {
      Hz::Depth_Buffer_Clear_Enable::set(w, 1), Hz::Full_Surface_Depth_and_Stencil_Clear::set(w, 1);
      Hz::Number_of_Multisamples::set(w, samples), Hz::Sample_Mask::set(w, 0xffff);
    });
    EXPECT_EQ(run_depth_operation(*context), samples == 1) << context->report();
  }
  EXPECT_NE(context->report().find("3DSTATE_WM_HZ_OP.Number of Multisamples: 1 samples"), std::string::npos) << context->report();
}

TEST_F(FastClears, TheirOwnAddressHasTheColour) {
  clear(cleared(own_at));
  EXPECT_EQ(pixels_of(), 0x00ff00ffu);
  // The same address later: nothing is filled again.
  *memory<uint32_t>(colours_at) = 5;
  target(0, cleared(own_at));
  EXPECT_TRUE(settle_fast_clears(*context));
  EXPECT_EQ(*memory<uint32_t>(colours_at), 5u);
}

// A surface that is wholly clear has the colour that a command wrote to its address, until it is drawn into or resolved. (Mesa 25.0.7's iris
// clears a second time by PIPE_CONTROL's writes alone: 22.3.6 iris_clear.c, fast_clear_color, repeats the operation.)
TEST_F(FastClears, AColourThatIsWrittenLater) {
  auto recolour = [&](float red) {
    const float colour[4] = {red, 0, 0, 0};
    EXPECT_TRUE(context->store(own_at, colour, 8, "test")) << context->report();
    EXPECT_TRUE(settle_fast_clears(*context)) << context->report();
    return pixels_of();
  };
  clear(cleared(own_at));
  EXPECT_TRUE(settle_fast_clears(*context));
  EXPECT_EQ(recolour(0), 0x00ff0000u);
  EXPECT_EQ(recolour(1), 0x00ff00ffu);
  // Writes beside the address recolour nothing.
  *memory<float>(own_at) = 0;
  const uint64_t word = 0;
  EXPECT_TRUE(context->store(own_at - 8, &word, 8, "test") && context->store(own_at + 16, &word, 8, "test"));
  EXPECT_TRUE(settle_fast_clears(*context));
  EXPECT_EQ(pixels_of(), 0x00ff00ffu);
  // Another layer's target leaves it clear, its own does not.
  SurfaceWords other = cleared(own_at);
  S::Surface_Array::set(other, 1), S::Minimum_Array_Element::set(other, 1);
  target(0, other);
  EXPECT_TRUE(forget_fast_clears(*context));
  target(0, cleared(own_at));
  EXPECT_EQ(recolour(0), 0x00ff0000u);
  EXPECT_TRUE(forget_fast_clears(*context));
  EXPECT_EQ(recolour(1), 0x00ff0000u);
  // A resolve leaves the colour of its moment.
  clear(cleared(own_at));
  EXPECT_EQ(recolour(0), 0x00ff0000u);
  using Resolve = _3DSTATE_PS::Render_Target_Resolve_Type;
  put<Resolve>(Resolve::RESOLVE_PARTIAL);
  EXPECT_TRUE(run_target_operation(*context, {.vertices = 3, .instances = 1}));
  EXPECT_EQ(recolour(1), 0x00ff0000u);
}

// Mesa 25.0.7 src/intel/blorp/blorp_genX_exec_brw.h, blorp_emit_surface_state.
TEST_F(FastClears, ALaterStateHasTheColour) {
  clear(cleared(substitute_at));
  EXPECT_EQ(pixels_of(), 0u);
  target(0, cleared(own_at));
  EXPECT_TRUE(settle_fast_clears(*context));
  EXPECT_EQ(pixels_of(), 0x00ff00ffu);
  // Once: what is drawn there afterwards stays.
  *memory<uint32_t>(colours_at) = 5;
  EXPECT_TRUE(settle_fast_clears(*context));
  EXPECT_EQ(*memory<uint32_t>(colours_at), 5u);
}

TEST_F(FastClears, StatesOfOtherSurfacesSayNothing) {
  clear(cleared(substitute_at));
  target(0, cleared(own_at, depth_at));
  EXPECT_TRUE(settle_fast_clears(*context));
  EXPECT_EQ(pixels_of(), 0u);
  EXPECT_EQ(pixels_of(depth_at), 0u);
  // A state without an auxiliary surface reads pixels as they are.
  SurfaceWords plain = cleared(own_at);
  S::Auxiliary_Surface_Mode::set(plain, AuxiliaryMode::AUX_NONE);
  target(0, plain);
  EXPECT_TRUE(settle_fast_clears(*context));
  EXPECT_EQ(pixels_of(), 0u);
  EXPECT_EQ(context->fast_clears.size(), 1u);
}

TEST_F(FastClears, AnyStageMayReadThem) {
  clear(cleared(substitute_at));
  target(0, cleared(own_at));
  put<_3DSTATE_PS::Binding_Table_Entry_Count>(0);
  EXPECT_TRUE(settle_fast_clears(*context));
  EXPECT_EQ(pixels_of(), 0u);
  put<_3DSTATE_GS::Binding_Table_Entry_Count>(1);  // (its table begins where that of the pixel shader does)
  EXPECT_TRUE(settle_fast_clears(*context));
  EXPECT_EQ(pixels_of(), 0x00ff00ffu);
}

TEST_F(FastClears, AResolveFindsTheColour) {
  clear(cleared(substitute_at));
  target(0, cleared(own_at));
  using Resolve = _3DSTATE_PS::Render_Target_Resolve_Type;
  put<Resolve>(Resolve::RESOLVE_FULL);
  EXPECT_TRUE(run_target_operation(*context, {.vertices = 3, .instances = 1}));
  EXPECT_EQ(pixels_of(), 0x00ff00ffu);
}

// Entries of a table that nobody mapped, and states that are not there, are nobody's.
TEST_F(FastClears, WildTables) {
  clear(cleared(substitute_at));
  EXPECT_TRUE(settle_fast_clears(*context, surfaces_at + bytes - 8, 255));
  *memory<uint32_t>(surfaces_at + 0x9000) = 0xffff'ffc0;
  EXPECT_TRUE(settle_fast_clears(*context, surfaces_at + 0x9000, 1));
  EXPECT_TRUE(settle_fast_clears(*context, ~uint64_t(0) - 3, 255));
  EXPECT_FALSE(context->lost());
  // A colour that is not mapped ends the context by name.
  target(0, cleared(0x7000'0000'0000));
  EXPECT_FALSE(settle_fast_clears(*context));
  EXPECT_TRUE(context->lost());
}

// The memory of a surface that was cleared and freed is another one's: nothing of it is filled.
TEST_F(FastClears, SurfacesThatCameAfterAreLeftAlone) {
  clear(cleared(substitute_at));
  *memory<uint32_t>(colours_at) = 5;
  SurfaceWords other = cleared(own_at);
  S::Width::set(other, 31), S::Surface_Pitch::set(other, 127);
  target(0, other);
  EXPECT_TRUE(settle_fast_clears(*context));
  EXPECT_EQ(*memory<uint32_t>(colours_at), 5u);
  // Nor by a clear of that one.
  clear(other);
  EXPECT_EQ(context->fast_clears.size(), 1u);
}

// An MCS of ones says that nothing was drawn: Mesa 22.3.6 iris_resource.c (iris_resource_init_aux_buf) makes it so and leaves out a first
// clear to zeros (iris_clear.c, fast_clear_color).
TEST_F(FastClears, SamplesWithAnMcsOfOnesAreZeros) {
  constexpr uint64_t mcs_at = depth_at;
  constexpr uint32_t layers = 3, layer_rows = 64, samples = 4, mcs_rows = 32;
  SurfaceWords words = colour(64, 64, SURFACE_FORMAT::R8G8B8A8_SNORM, colours_at);
  S::Surface_Array::set(words, 1), S::Depth::set(words, layers - 1), S::Render_Target_View_Extent::set(words, layers - 1);
  S::Surface_Pitch::set(words, 255), S::Surface_QPitch::set(words, layer_rows / 4), S::Number_of_Multisamples::set(words, 2);
  S::Auxiliary_Surface_Mode::set(words, AuxiliaryMode::AUX_MCS_LCE), S::Auxiliary_Surface_Base_Address::set(words, mcs_at);
  S::Auxiliary_Surface_Pitch::set(words, 0), S::Auxiliary_Surface_QPitch::set(words, mcs_rows / 4);
  S::Clear_Value_Address_Enable::set(words, 1), S::Clear_Value_Address::set(words, own_at);
  constexpr size_t layer_words = size_t(layer_rows) * samples * 64;
  uint32_t* const pixels = memory<uint32_t>(colours_at);
  // Layers 0 and 2 are new, 1 is not.
  std::fill_n(pixels, layers * layer_words, 7u);
  std::memset(memory<uint8_t>(mcs_at), 0xff, layers * 4096);
  std::memset(memory<uint8_t>(mcs_at + 4096), 0xe4, 4096);
  put<_3DSTATE_MULTISAMPLE::Number_of_Multisamples>(2);
  auto layer_is = [&](uint32_t layer) {
    EXPECT_TRUE(write_back(*context));
    const uint32_t* first = pixels + layer * layer_words;
    return std::ranges::count(first, first + layer_words, first[0]) == ptrdiff_t(layer_words) ? first[0] : ~0u;
  };
  target(0, words);
  EXPECT_TRUE(settle_fast_clears(*context)) << context->report();
  EXPECT_EQ(layer_is(0), 0u);
  EXPECT_EQ(layer_is(1), 7u);
  EXPECT_EQ(layer_is(2), 0u);
  // Once.
  std::fill_n(pixels, layers * layer_words, 7u);
  EXPECT_TRUE(settle_fast_clears(*context));
  EXPECT_EQ(layer_is(0), 7u);
  // A surface that a clear has filled is not new either.
  std::memset(memory<uint8_t>(mcs_at), 0xff, 4096);
  clear(words);
  EXPECT_TRUE(write_back(*context));
  std::fill_n(pixels, layer_words, 7u);
  EXPECT_TRUE(settle_fast_clears(*context));
  EXPECT_EQ(layer_is(0), 7u);
}

// More than are kept: the oldest keep their colour, nothing grows.
TEST_F(FastClears, Many) {
  for (unsigned n = 0; n < 300; n++) {
    SurfaceWords words = cleared(substitute_at);
    S::Width::set(words, 63 - n % 32), S::Height::set(words, 63 - n / 32);
    clear(words);
  }
  EXPECT_LE(context->fast_clears.size(), 64u);
}

}  // namespace
}  // namespace Atoll::dg1
