// T#s from numbers, for tests.
#pragma once
#include "gpu/sea_islands/shaders/descriptors.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands::test {

struct ImageNumbers {
  uint64_t address = 0;
  uint32_t type = SQ_IMG_RSRC_WORD3::TYPE::SQ_RSRC_IMG_2D, data_format = 10, number_format = 0, tile_mode = 8;
  unsigned width = 1, height = 1, depth = 1, pitch = 0;  // pitch 0: the width
  unsigned base_level = 0, last_level = 0, first_layer = 0, last_layer = 0;
  uint32_t select[4] = {4, 5, 6, 7};
  bool pow2_pad = false;
  unsigned min_lod = 0;  // in 256ths, from the first level that the image has

  ImageResourceWords words() const {
    using W1 = SQ_IMG_RSRC_WORD1;
    using W3 = SQ_IMG_RSRC_WORD3;
    return {uint32_t(address >> 8),
            W1::BASE_ADDRESS_HI::of(uint32_t(address >> 40)) | W1::DATA_FORMAT::of(data_format) |
                W1::NUM_FORMAT::of(number_format) | W1::MIN_LOD::of(min_lod),
            SQ_IMG_RSRC_WORD2::WIDTH::of(width - 1) | SQ_IMG_RSRC_WORD2::HEIGHT::of(height - 1),
            W3::DST_SEL_X::of(select[0]) | W3::DST_SEL_Y::of(select[1]) | W3::DST_SEL_Z::of(select[2]) |
                W3::DST_SEL_W::of(select[3]) | W3::BASE_LEVEL::of(base_level) | W3::LAST_LEVEL::of(last_level) |
                W3::TILING_INDEX::of(tile_mode) | W3::POW2_PAD::of(pow2_pad) | W3::TYPE::of(type),
            SQ_IMG_RSRC_WORD4::DEPTH::of(depth - 1) | SQ_IMG_RSRC_WORD4::PITCH::of((pitch ? pitch : width) - 1),
            SQ_IMG_RSRC_WORD5::BASE_ARRAY::of(first_layer) | SQ_IMG_RSRC_WORD5::LAST_ARRAY::of(last_layer),
            0,
            0xfffff1ff};
  }
};

}  // namespace Atoll::sea_islands::test
