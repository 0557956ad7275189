// Texels in memory to colours and back, one at a time and in rows. A colour is four words of 32 bits as a shader holds them:
// floats' bits, or integers where the format's numbers are uint or sint.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "surface/format.h"
#include "surface/number.h"

namespace Atoll::surface {

using Colour = std::array<uint32_t, 4>;  // red, green, blue, alpha

// The texel at `texel` (row(format.layout).bytes bytes, any alignment). In a compressed layout `texel` is the block and
// (x, y), each below 4, the texel in it; elsewhere both are ignored.
Colour read_texel(const Format& format, const uint8_t* texel, unsigned x = 0, unsigned y = 0);

// Writes all bytes of an uncompressed texel. A field takes the first component that `format.order` draws from it; fields
// that no component comes from become 0. Our own mistake if the layout is compressed.
void write_texel(const Format& format, uint8_t* texel, const Colour& colour, Rounding rounding = Rounding::nearest_even);

// `count` texels that follow each other in memory, uncompressed. The common formats have loops of their own.
void read_row(const Format& format, const uint8_t* texels, size_t count, Colour* colours);
void write_row(const Format& format, uint8_t* texels, size_t count, const Colour* colours,
               Rounding rounding = Rounding::nearest_even);

}  // namespace Atoll::surface
