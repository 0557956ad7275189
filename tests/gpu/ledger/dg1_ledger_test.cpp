// The ledger of DG1's commands and structures against the model: what acts is what the sweep finds, and every field has one state.
#include <gtest/gtest.h>

#include "dg1_scene.h"

namespace Atoll::ledger {
namespace {

const Family& family() { return registers::dg1_tables; }

TEST(Dg1Ledger, WhatActsIsListed) {
  const Dg1Scenes scenes = dg1_scenes();
  if (HasFailure()) return;
  EXPECT_EQ(compare_with_list(family(), sweep(family(), scenes).acts), "");
}

TEST(Dg1Ledger, WhatDoesNotActYetIsSaid) {
  const Dg1Scenes scenes = dg1_scenes();
  if (HasFailure()) return;
  EXPECT_EQ(plant_not_yet(family(), scenes), "");
}

// Border colours are read as integers, which have the bits of floats; the arithmetic's instructions as structures; with another client
// a command is another. Fields that say which of several a command replaces, and how much of it, are read before it is kept;
// structures that a command repeats are the command's own fields; swizzles of attributes are read as those of the first, colours
// of palettes whole. The values that a command stores are as many as it is long. How many entries of a binding table are fetched
// ahead is how many are looked at for surfaces that were just cleared: it changes what is drawn only where their clear colour
// moved. Three fields of planar surfaces are read only to refuse a surface that sets one by the field's name.
TEST(Dg1Ledger, EveryFieldHasOneState) {
  EXPECT_EQ(check_states(family(), {"SAMPLER_BORDER_COLOR_STATE.Border Color Float",
                                    "MI_MATH.",
                                    "XY_BLOCK_COPY_BLT.Client",
                                    "XY_FAST_COLOR_BLT.Client",
                                    "3DSTATE_SBE_SWIZ.",
                                    "3DSTATE_SAMPLER_PALETTE_LOAD",
                                    "3DSTATE_CONSTANT_ALL.",
                                    "3DSTATE_VF_COMPONENT_PACKING.",
                                    "3DSTATE_PRIMITIVE_REPLICATION.",
                                    "3DSTATE_WM_DEPTH_STENCIL.",
                                    "3DSTATE_DEPTH_BOUNDS.",
                                    "3DSTATE_VF_INSTANCING.",
                                    "3DSTATE_SO_BUFFER.SO Buffer Index",
                                    "3DSTATE_VERTEX_BUFFERS.Vertex Buffer State Vertex Buffer Index",
                                    "3DSTATE_VERTEX_BUFFERS.Vertex Buffer State Address Modify Enable",
                                    "VERTEX_BUFFER_STATE.",
                                    "VERTEX_ELEMENT_STATE.",
                                    "SO_DECL",
                                    "MI_STORE_DATA_IMM.Immediate Data",
                                    "3DSTATE_VS.Binding Table Entry Count",
                                    "3DSTATE_HS.Binding Table Entry Count",
                                    "3DSTATE_DS.Binding Table Entry Count",
                                    "3DSTATE_GS.Binding Table Entry Count",
                                    "3DSTATE_PS.Binding Table Entry Count",
                                    "INTERFACE_DESCRIPTOR_DATA.Binding Table Entry Count",
                                    "RENDER_SURFACE_STATE.YUV Interpolation Enable",
                                    "RENDER_SURFACE_STATE.Half Pitch for Chroma",
                                    "RENDER_SURFACE_STATE.Separate UV Plane Enable"}),
            "");
}

}  // namespace
}  // namespace Atoll::ledger
