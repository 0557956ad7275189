// Fields of the draw registers of which there are several of a kind, by number (registers/accessors.h, FieldList), for the families that
// have these registers under the same names: `R` names a family's (raster_state.h).
#pragma once
#include "registers/accessors.h"

namespace Atoll::gpu::amd {

using registers::access::FieldList;

// By colour target: the components that the state lets through, and those that the pixel shader exports.
template <class R, class Mask = typename R::CB_TARGET_MASK>
using TargetEnables = FieldList<typename Mask::TARGET0_ENABLE, typename Mask::TARGET1_ENABLE, typename Mask::TARGET2_ENABLE,
                                typename Mask::TARGET3_ENABLE, typename Mask::TARGET4_ENABLE, typename Mask::TARGET5_ENABLE,
                                typename Mask::TARGET6_ENABLE, typename Mask::TARGET7_ENABLE>;
template <class R, class Mask = typename R::CB_SHADER_MASK>
using OutputEnables = FieldList<typename Mask::OUTPUT0_ENABLE, typename Mask::OUTPUT1_ENABLE, typename Mask::OUTPUT2_ENABLE,
                                typename Mask::OUTPUT3_ENABLE, typename Mask::OUTPUT4_ENABLE, typename Mask::OUTPUT5_ENABLE,
                                typename Mask::OUTPUT6_ENABLE, typename Mask::OUTPUT7_ENABLE>;

// By export of the pixel shader.
template <class R, class Formats = typename R::SPI_SHADER_COL_FORMAT>
using ExportFormats =
    FieldList<typename Formats::COL0_EXPORT_FORMAT, typename Formats::COL1_EXPORT_FORMAT, typename Formats::COL2_EXPORT_FORMAT,
              typename Formats::COL3_EXPORT_FORMAT, typename Formats::COL4_EXPORT_FORMAT, typename Formats::COL5_EXPORT_FORMAT,
              typename Formats::COL6_EXPORT_FORMAT, typename Formats::COL7_EXPORT_FORMAT>;

// Clipping, by plane or distance.
template <class R, class Clip = typename R::PA_CL_CLIP_CNTL>
using UserClipPlanes = FieldList<typename Clip::UCP_ENA_0, typename Clip::UCP_ENA_1, typename Clip::UCP_ENA_2,
                                 typename Clip::UCP_ENA_3, typename Clip::UCP_ENA_4, typename Clip::UCP_ENA_5>;
template <class R, class Out = typename R::PA_CL_VS_OUT_CNTL>
using ClipDistances = FieldList<typename Out::CLIP_DIST_ENA_0, typename Out::CLIP_DIST_ENA_1, typename Out::CLIP_DIST_ENA_2,
                                typename Out::CLIP_DIST_ENA_3, typename Out::CLIP_DIST_ENA_4, typename Out::CLIP_DIST_ENA_5,
                                typename Out::CLIP_DIST_ENA_6, typename Out::CLIP_DIST_ENA_7>;
template <class R, class Out = typename R::PA_CL_VS_OUT_CNTL>
using CullDistances = FieldList<typename Out::CULL_DIST_ENA_0, typename Out::CULL_DIST_ENA_1, typename Out::CULL_DIST_ENA_2,
                                typename Out::CULL_DIST_ENA_3, typename Out::CULL_DIST_ENA_4, typename Out::CULL_DIST_ENA_5,
                                typename Out::CULL_DIST_ENA_6, typename Out::CULL_DIST_ENA_7>;

// The samples in the order in which they are preferred as a centroid.
template <class R, class Low = typename R::PA_SC_CENTROID_PRIORITY_0, class High = typename R::PA_SC_CENTROID_PRIORITY_1>
using CentroidPriorities =
    FieldList<typename Low::DISTANCE_0, typename Low::DISTANCE_1, typename Low::DISTANCE_2, typename Low::DISTANCE_3,
              typename Low::DISTANCE_4, typename Low::DISTANCE_5, typename Low::DISTANCE_6, typename Low::DISTANCE_7,
              typename High::DISTANCE_8, typename High::DISTANCE_9, typename High::DISTANCE_10, typename High::DISTANCE_11,
              typename High::DISTANCE_12, typename High::DISTANCE_13, typename High::DISTANCE_14, typename High::DISTANCE_15>;

// Places of samples in one of the pixels of a quad, by sample: `A` to `D` have four of them each.
template <class A, class B, class C, class D>
struct SamplePlaces {
  using X = FieldList<typename A::S0_X, typename A::S1_X, typename A::S2_X, typename A::S3_X, typename B::S4_X, typename B::S5_X,
                      typename B::S6_X, typename B::S7_X, typename C::S8_X, typename C::S9_X, typename C::S10_X,
                      typename C::S11_X, typename D::S12_X, typename D::S13_X, typename D::S14_X, typename D::S15_X>;
  using Y = FieldList<typename A::S0_Y, typename A::S1_Y, typename A::S2_Y, typename A::S3_Y, typename B::S4_Y, typename B::S5_Y,
                      typename B::S6_Y, typename B::S7_Y, typename C::S8_Y, typename C::S9_Y, typename C::S10_Y,
                      typename C::S11_Y, typename D::S12_Y, typename D::S13_Y, typename D::S14_Y, typename D::S15_Y>;
};

}  // namespace Atoll::gpu::amd
