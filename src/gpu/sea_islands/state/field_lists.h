// Fields of which there are several of a kind, by number (registers/accessors.h, FieldList).
#pragma once
#include "gpu/sea_islands/state/draw_registers.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

using registers::access::FieldList;

// By colour target: the components that the state lets through, and those that the pixel shader exports.
using TargetEnables = gpu::amd::TargetEnables<DrawRegisters>;
using OutputEnables = gpu::amd::OutputEnables<DrawRegisters>;
// By export of a position.
using PositionFormats = FieldList<SPI_SHADER_POS_FORMAT::POS0_EXPORT_FORMAT, SPI_SHADER_POS_FORMAT::POS1_EXPORT_FORMAT,
                                  SPI_SHADER_POS_FORMAT::POS2_EXPORT_FORMAT, SPI_SHADER_POS_FORMAT::POS3_EXPORT_FORMAT>;

// Clipping, by plane.
using UserClipPlanes = gpu::amd::UserClipPlanes<DrawRegisters>;

// Stream-out, by stream and by buffer.
using StreamEnables = FieldList<VGT_STRMOUT_CONFIG::STREAMOUT_0_EN, VGT_STRMOUT_CONFIG::STREAMOUT_1_EN,
                                VGT_STRMOUT_CONFIG::STREAMOUT_2_EN, VGT_STRMOUT_CONFIG::STREAMOUT_3_EN>;
using StreamBuffers = FieldList<VGT_STRMOUT_BUFFER_CONFIG::STREAM_0_BUFFER_EN, VGT_STRMOUT_BUFFER_CONFIG::STREAM_1_BUFFER_EN,
                                VGT_STRMOUT_BUFFER_CONFIG::STREAM_2_BUFFER_EN, VGT_STRMOUT_BUFFER_CONFIG::STREAM_3_BUFFER_EN>;
using StreamBufferSizes = FieldList<VGT_STRMOUT_BUFFER_SIZE_0::SIZE, VGT_STRMOUT_BUFFER_SIZE_1::SIZE,
                                    VGT_STRMOUT_BUFFER_SIZE_2::SIZE, VGT_STRMOUT_BUFFER_SIZE_3::SIZE>;
using StreamStrides = FieldList<VGT_STRMOUT_VTX_STRIDE_0::STRIDE, VGT_STRMOUT_VTX_STRIDE_1::STRIDE,
                                VGT_STRMOUT_VTX_STRIDE_2::STRIDE, VGT_STRMOUT_VTX_STRIDE_3::STRIDE>;
using StreamOffsets = FieldList<VGT_STRMOUT_BUFFER_OFFSET_0::OFFSET, VGT_STRMOUT_BUFFER_OFFSET_1::OFFSET,
                                VGT_STRMOUT_BUFFER_OFFSET_2::OFFSET, VGT_STRMOUT_BUFFER_OFFSET_3::OFFSET>;
using StreamFilledSizes = FieldList<VGT_STRMOUT_BUFFER_FILLED_SIZE_0::SIZE, VGT_STRMOUT_BUFFER_FILLED_SIZE_1::SIZE,
                                    VGT_STRMOUT_BUFFER_FILLED_SIZE_2::SIZE, VGT_STRMOUT_BUFFER_FILLED_SIZE_3::SIZE>;

// Geometry shaders, by stream: dwords of a vertex, and where the stream begins in the GSVS ring (stream 0 at 0).
using VertexItemSizes = FieldList<VGT_GS_VERT_ITEMSIZE::ITEMSIZE, VGT_GS_VERT_ITEMSIZE_1::ITEMSIZE,
                                  VGT_GS_VERT_ITEMSIZE_2::ITEMSIZE, VGT_GS_VERT_ITEMSIZE_3::ITEMSIZE>;
using RingOffsets = FieldList<VGT_GSVS_RING_OFFSET_1::OFFSET, VGT_GSVS_RING_OFFSET_2::OFFSET, VGT_GSVS_RING_OFFSET_3::OFFSET>;
using OutputTypes = FieldList<VGT_GS_OUT_PRIM_TYPE::OUTPRIM_TYPE, VGT_GS_OUT_PRIM_TYPE::OUTPRIM_TYPE_1,
                              VGT_GS_OUT_PRIM_TYPE::OUTPRIM_TYPE_2, VGT_GS_OUT_PRIM_TYPE::OUTPRIM_TYPE_3>;

// Compute, by axis.
using GroupStarts = FieldList<COMPUTE_START_X::START, COMPUTE_START_Y::START, COMPUTE_START_Z::START>;
using FullGroupThreads = FieldList<COMPUTE_NUM_THREAD_X::NUM_THREAD_FULL, COMPUTE_NUM_THREAD_Y::NUM_THREAD_FULL,
                                   COMPUTE_NUM_THREAD_Z::NUM_THREAD_FULL>;
using PartialGroupThreads = FieldList<COMPUTE_NUM_THREAD_X::NUM_THREAD_PARTIAL, COMPUTE_NUM_THREAD_Y::NUM_THREAD_PARTIAL,
                                      COMPUTE_NUM_THREAD_Z::NUM_THREAD_PARTIAL>;

}  // namespace Atoll::sea_islands
