// The registers that raster_state.h and fragment_state.h read, which several families have under the same names: members of a
// struct, so that templates can name them,
//   struct DrawRegisters {
//     ATOLL_DRAW_REGISTERS(gfx12)
//     ...
//   };
// A family adds what the others do not have or have elsewhere:
//   last_pixel_is_inside  of scissors: whether the bottom right corner is the last pixel that is drawn
//   StippleReset, stipple_reset_name  the field that says where line patterns begin anew
//   ShadedSamples  the field with the logarithm of how often the pixel program runs for a pixel
// and PA_CL_ENHANCE, PA_SC_ENHANCE, PA_SC_CLIPRECT_EXT where it has them.
#pragma once
#include "gpu/amd/draw/field_lists.h"

// clang-format off
#define ATOLL_DRAW_REGISTERS(family)                                                                                            \
  using CB_BLEND_ALPHA = family::CB_BLEND_ALPHA; using CB_BLEND_BLUE = family::CB_BLEND_BLUE;                                   \
  using CB_BLEND_CONTROL = family::CB_BLEND_CONTROL; using CB_BLEND_GREEN = family::CB_BLEND_GREEN;                             \
  using CB_BLEND_RED = family::CB_BLEND_RED; using CB_COLOR_CONTROL = family::CB_COLOR_CONTROL;                                 \
  using CB_COLOR_INFO = family::CB_COLOR_INFO; using CB_SHADER_MASK = family::CB_SHADER_MASK;                                   \
  using CB_TARGET_MASK = family::CB_TARGET_MASK; using DB_ALPHA_TO_MASK = family::DB_ALPHA_TO_MASK;                             \
  using DB_COUNT_CONTROL = family::DB_COUNT_CONTROL; using DB_DEPTH_BOUNDS_MAX = family::DB_DEPTH_BOUNDS_MAX;                   \
  using DB_DEPTH_BOUNDS_MIN = family::DB_DEPTH_BOUNDS_MIN; using DB_DEPTH_CONTROL = family::DB_DEPTH_CONTROL;                   \
  using DB_DEPTH_VIEW = family::DB_DEPTH_VIEW; using DB_EQAA = family::DB_EQAA;                                                 \
  using DB_RENDER_OVERRIDE = family::DB_RENDER_OVERRIDE; using DB_SHADER_CONTROL = family::DB_SHADER_CONTROL;                   \
  using DB_STENCIL_CONTROL = family::DB_STENCIL_CONTROL; using PA_CL_CLIP_CNTL = family::PA_CL_CLIP_CNTL;                       \
  using PA_CL_GB_HORZ_CLIP_ADJ = family::PA_CL_GB_HORZ_CLIP_ADJ;                                                                \
  using PA_CL_GB_HORZ_DISC_ADJ = family::PA_CL_GB_HORZ_DISC_ADJ;                                                                \
  using PA_CL_GB_VERT_CLIP_ADJ = family::PA_CL_GB_VERT_CLIP_ADJ;                                                                \
  using PA_CL_GB_VERT_DISC_ADJ = family::PA_CL_GB_VERT_DISC_ADJ; using PA_CL_NANINF_CNTL = family::PA_CL_NANINF_CNTL;           \
  using PA_CL_POINT_CULL_RAD = family::PA_CL_POINT_CULL_RAD; using PA_CL_POINT_SIZE = family::PA_CL_POINT_SIZE;                 \
  using PA_CL_POINT_X_RAD = family::PA_CL_POINT_X_RAD; using PA_CL_POINT_Y_RAD = family::PA_CL_POINT_Y_RAD;                     \
  using PA_CL_UCP_W = family::PA_CL_UCP_W; using PA_CL_UCP_X = family::PA_CL_UCP_X; using PA_CL_UCP_Y = family::PA_CL_UCP_Y;    \
  using PA_CL_UCP_Z = family::PA_CL_UCP_Z; using PA_CL_VPORT_XOFFSET = family::PA_CL_VPORT_XOFFSET;                             \
  using PA_CL_VPORT_XSCALE = family::PA_CL_VPORT_XSCALE; using PA_CL_VPORT_YOFFSET = family::PA_CL_VPORT_YOFFSET;               \
  using PA_CL_VPORT_YSCALE = family::PA_CL_VPORT_YSCALE; using PA_CL_VPORT_ZOFFSET = family::PA_CL_VPORT_ZOFFSET;               \
  using PA_CL_VPORT_ZSCALE = family::PA_CL_VPORT_ZSCALE; using PA_CL_VS_OUT_CNTL = family::PA_CL_VS_OUT_CNTL;                   \
  using PA_CL_VTE_CNTL = family::PA_CL_VTE_CNTL; using PA_SC_AA_CONFIG = family::PA_SC_AA_CONFIG;                               \
  using PA_SC_AA_MASK_X0Y0_X1Y0 = family::PA_SC_AA_MASK_X0Y0_X1Y0;                                                              \
  using PA_SC_AA_MASK_X0Y1_X1Y1 = family::PA_SC_AA_MASK_X0Y1_X1Y1;                                                              \
  using PA_SC_CENTROID_PRIORITY_0 = family::PA_SC_CENTROID_PRIORITY_0;                                                          \
  using PA_SC_CENTROID_PRIORITY_1 = family::PA_SC_CENTROID_PRIORITY_1; using PA_SC_CLIPRECT_BR = family::PA_SC_CLIPRECT_BR;     \
  using PA_SC_CLIPRECT_RULE = family::PA_SC_CLIPRECT_RULE; using PA_SC_CLIPRECT_TL = family::PA_SC_CLIPRECT_TL;                 \
  using PA_SC_EDGERULE = family::PA_SC_EDGERULE; using PA_SC_GENERIC_SCISSOR_BR = family::PA_SC_GENERIC_SCISSOR_BR;             \
  using PA_SC_GENERIC_SCISSOR_TL = family::PA_SC_GENERIC_SCISSOR_TL; using PA_SC_LINE_CNTL = family::PA_SC_LINE_CNTL;           \
  using PA_SC_LINE_STIPPLE = family::PA_SC_LINE_STIPPLE; using PA_SC_LINE_STIPPLE_STATE = family::PA_SC_LINE_STIPPLE_STATE;     \
  using PA_SC_MODE_CNTL_0 = family::PA_SC_MODE_CNTL_0; using PA_SC_MODE_CNTL_1 = family::PA_SC_MODE_CNTL_1;                     \
  using PA_SC_SCREEN_SCISSOR_BR = family::PA_SC_SCREEN_SCISSOR_BR;                                                              \
  using PA_SC_SCREEN_SCISSOR_TL = family::PA_SC_SCREEN_SCISSOR_TL;                                                              \
  using PA_SC_VPORT_SCISSOR_BR = family::PA_SC_VPORT_SCISSOR_BR;                                                                \
  using PA_SC_VPORT_SCISSOR_TL = family::PA_SC_VPORT_SCISSOR_TL; using PA_SC_VPORT_ZMAX = family::PA_SC_VPORT_ZMAX;             \
  using PA_SC_VPORT_ZMIN = family::PA_SC_VPORT_ZMIN; using PA_SC_WINDOW_OFFSET = family::PA_SC_WINDOW_OFFSET;                   \
  using PA_SC_WINDOW_SCISSOR_BR = family::PA_SC_WINDOW_SCISSOR_BR;                                                              \
  using PA_SC_WINDOW_SCISSOR_TL = family::PA_SC_WINDOW_SCISSOR_TL; using PA_SU_LINE_CNTL = family::PA_SU_LINE_CNTL;             \
  using PA_SU_LINE_STIPPLE_CNTL = family::PA_SU_LINE_STIPPLE_CNTL;                                                              \
  using PA_SU_LINE_STIPPLE_SCALE = family::PA_SU_LINE_STIPPLE_SCALE;                                                            \
  using PA_SU_LINE_STIPPLE_VALUE = family::PA_SU_LINE_STIPPLE_VALUE; using PA_SU_POINT_MINMAX = family::PA_SU_POINT_MINMAX;     \
  using PA_SU_POINT_SIZE = family::PA_SU_POINT_SIZE;                                                                            \
  using PA_SU_POLY_OFFSET_BACK_OFFSET = family::PA_SU_POLY_OFFSET_BACK_OFFSET;                                                  \
  using PA_SU_POLY_OFFSET_BACK_SCALE = family::PA_SU_POLY_OFFSET_BACK_SCALE;                                                    \
  using PA_SU_POLY_OFFSET_CLAMP = family::PA_SU_POLY_OFFSET_CLAMP;                                                              \
  using PA_SU_POLY_OFFSET_DB_FMT_CNTL = family::PA_SU_POLY_OFFSET_DB_FMT_CNTL;                                                  \
  using PA_SU_POLY_OFFSET_FRONT_OFFSET = family::PA_SU_POLY_OFFSET_FRONT_OFFSET;                                                \
  using PA_SU_POLY_OFFSET_FRONT_SCALE = family::PA_SU_POLY_OFFSET_FRONT_SCALE;                                                  \
  using PA_SU_SC_MODE_CNTL = family::PA_SU_SC_MODE_CNTL; using PA_SU_VTX_CNTL = family::PA_SU_VTX_CNTL;                         \
  using SPI_INTERP_CONTROL_0 = family::SPI_INTERP_CONTROL_0; using SPI_PS_INPUT_ADDR = family::SPI_PS_INPUT_ADDR;               \
  using SPI_BARYC_CNTL = family::SPI_BARYC_CNTL; using SPI_SHADER_COL_FORMAT = family::SPI_SHADER_COL_FORMAT;                   \
  using SPI_PS_INPUT_ENA = family::SPI_PS_INPUT_ENA; using VGT_PRIMITIVE_TYPE = family::VGT_PRIMITIVE_TYPE;                     \
  using PlacesX0Y0 = gpu::amd::SamplePlaces<                                                                                    \
      family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0, family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_1,                                     \
      family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_2, family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_3>;                                    \
  using PlacesX1Y0 = gpu::amd::SamplePlaces<                                                                                    \
      family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0, family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_1,                                     \
      family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_2, family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_3>;                                    \
  using PlacesX0Y1 = gpu::amd::SamplePlaces<                                                                                    \
      family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0, family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_1,                                     \
      family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_2, family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_3>;                                    \
  using PlacesX1Y1 = gpu::amd::SamplePlaces<                                                                                    \
      family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0, family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_1,                                     \
      family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_2, family::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_3>;
// clang-format on
