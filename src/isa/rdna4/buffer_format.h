// Buffer resources (V#) and the data formats of buffers: what a texel is in memory and what of it a shader sees.
// RDNA4 ISA 9.2-9.6 (tables 51, 57) and 10.7 (table 62). Conversions are done in integers: no host mode can change them.
#pragma once
#include <cstdint>

#include "isa/amd/buffer_texel.h"

namespace Atoll::rdna4 {

using amd::BufferFormat;
using amd::components_of_texel;
using amd::Number;
using amd::texel_of_components;
using amd::Width;

// The format of that number (1 to 63); null for INVALID (0) and for those that only images have.
const BufferFormat* buffer_format(unsigned number);

// A V# taken apart.
struct BufferResource {
  uint64_t base;
  uint32_t stride;         // bytes, stride scale included
  uint32_t stride_scale;   // 1 where the field is bytes
  uint32_t records;        // NUM_RECORDS
  uint32_t element_bytes;  // of swizzling: 4 or 16; 0: linear
  uint32_t index_stride;   // 8, 16, 32, 64
  uint8_t select[4];       // DST_SEL: 0, 1, 4-7 (R, G, B, A)
  uint8_t format;
  uint8_t out_of_bounds;  // OOB_SELECT
  uint8_t type;           // 0: a buffer
  bool add_lane;          // ADD_TID_ENABLE
};
BufferResource buffer_resource(const uint32_t words[4]);

}  // namespace Atoll::rdna4
