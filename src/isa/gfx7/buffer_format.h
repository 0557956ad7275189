// Data and number formats of buffers, as V# (SQ_BUF_RSRC_WORD3: DATA_FORMAT, NUM_FORMAT) and MTBUF (DFMT, NFMT) name them. Sea
// Islands register guide 5 and section 4 (SQ_MTBUF_0). A name lists the widths from the highest bits down, so X's stands last.
#pragma once
#include "isa/amd/buffer_texel.h"

namespace Atoll::gfx7 {

// Null: INVALID (0), reserved, a number that the widths do not allow (floats of 8 bits).
const amd::BufferFormat* buffer_format(unsigned data_format, unsigned number_format);

inline constexpr unsigned two_ten_ten_ten = 9;  // the data format

// NUM_FORMAT of the unsigned numbers beside signed ones.
constexpr unsigned unsigned_of(amd::Number number) {
  return number == amd::Number::Snorm || number == amd::Number::SnormOgl ? 0 : number == amd::Number::Sscaled ? 2 : 4;
}

}  // namespace Atoll::gfx7
