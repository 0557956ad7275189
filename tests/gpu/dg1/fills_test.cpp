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
  // What all 64x64 pixels have; else the first that differs from the first pixel's.
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

TEST_F(FastClears, TheirOwnAddressHasTheColour) {
  clear(cleared(own_at));
  EXPECT_EQ(pixels_of(), 0x00ff00ffu);
  // The same address later: nothing is filled again.
  *memory<uint32_t>(colours_at) = 5;
  target(0, cleared(own_at));
  EXPECT_TRUE(settle_fast_clears(*context));
  EXPECT_EQ(*memory<uint32_t>(colours_at), 5u);
  EXPECT_TRUE(context->fast_clears.empty());
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
