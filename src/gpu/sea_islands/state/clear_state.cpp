#include "gpu/sea_islands/state/clear_state.h"

#include "registers/sea_islands.h"

namespace Atoll::sea_islands {
namespace {

// The ranges that are cleared, from the first to the last register, byte addresses. PA_SC_RASTER_CONFIG lies between the first
// two and keeps its value.
struct Range {
  uint32_t first, last;
};
constexpr Range ranges[] = {
    {DB_RENDER_CONTROL::address(), PA_SC_VPORT_ZMAX::address(15)},
    {PA_SC_SCREEN_EXTENT_CONTROL::address(), CB_BLEND_CONTROL::address(7)},
    {PA_CL_POINT_X_RAD::address(), VGT_DMA_BASE::address()},
    {DB_DEPTH_CONTROL::address(), IA_ENHANCE::address()},
    {WD_ENHANCE::address(), VGT_PRIMITIVEID_EN::address()},
    {VGT_PRIMITIVEID_RESET::address(), VGT_PRIMITIVEID_RESET::address()},
    {VGT_MULTI_PRIM_IB_RESET_EN::address(), CB_COLOR_CLEAR_WORD1::address(7)},
};

constexpr uint32_t one = 0x3f800000;  // 1.0
constexpr uint32_t far_corner = PA_SC_SCREEN_SCISSOR_BR::BR_X::of(16384) | PA_SC_SCREEN_SCISSOR_BR::BR_Y::of(16384);
constexpr uint32_t no_offset = PA_SC_WINDOW_SCISSOR_TL::WINDOW_OFFSET_DISABLE::of(1);

// Registers that are not cleared to 0.
struct Value {
  uint32_t address, value;
};
constexpr Value values[] = {
    {PA_SC_SCREEN_SCISSOR_BR::address(), far_corner},
    {PA_SC_WINDOW_SCISSOR_TL::address(), no_offset},
    {PA_SC_WINDOW_SCISSOR_BR::address(), far_corner},
    {PA_SC_CLIPRECT_RULE::address(), 0xffff},
    {PA_SC_EDGERULE::address(), 0xaa99aaaa},
    {CB_TARGET_MASK::address(), ~0u},
    {CB_SHADER_MASK::address(), ~0u},
    {PA_SC_GENERIC_SCISSOR_TL::address(), no_offset},
    {PA_SC_GENERIC_SCISSOR_BR::address(), far_corner},
    {VGT_MAX_VTX_INDX::address(), ~0u},
    {SPI_PS_IN_CONTROL::address(), 0x2},
    {PA_CL_CLIP_CNTL::address(), 0x90000},
    {PA_SU_SC_MODE_CNTL::address(), 0x4},
    {VGT_GS_PER_ES::address(), 0x100},
    {VGT_ES_PER_GS::address(), 0x80},
    {VGT_GS_PER_VS::address(), 0x2},
    {IA_MULTI_VGT_PARAM::address(), 0xff},
    {PA_SC_LINE_CNTL::address(), 0x1000},
    {PA_SU_VTX_CNTL::address(), 0x5},
    {PA_CL_GB_VERT_CLIP_ADJ::address(), one},
    {PA_CL_GB_VERT_DISC_ADJ::address(), one},
    {PA_CL_GB_HORZ_CLIP_ADJ::address(), one},
    {PA_CL_GB_HORZ_DISC_ADJ::address(), one},
    {PA_SC_AA_MASK_X0Y0_X1Y0::address(), ~0u},
    {PA_SC_AA_MASK_X0Y1_X1Y1::address(), ~0u},
    {VGT_VERTEX_REUSE_BLOCK_CNTL::address(), 0xe},
    {VGT_OUT_DEALLOC_CNTL::address(), 0x10},
};

}  // namespace

void clear_state(gpu::amd::RegisterFile& registers) {
  for (const Range& range : ranges)
    for (uint32_t address = range.first; address <= range.last; address += 4) registers.set(address, 0);
  for (const Value& v : values) registers.set(v.address, v.value);
  for (unsigned n = 0; n < 4; n++) registers.set(PA_SC_CLIPRECT_BR::address(n), far_corner);
  for (unsigned n = 0; n < 16; n++) {
    registers.set(PA_SC_VPORT_SCISSOR_TL::address(n), no_offset);
    registers.set(PA_SC_VPORT_SCISSOR_BR::address(n), far_corner);
    registers.set(PA_SC_VPORT_ZMAX::address(n), one);
  }
}

}  // namespace Atoll::sea_islands
