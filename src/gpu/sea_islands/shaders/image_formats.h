// The other way through the table of data and number formats (image_format() in descriptors.h).
#pragma once
#include <optional>

#include "surface/format.h"

namespace Atoll::sea_islands {

struct ImageFormatNumbers {
  uint32_t data, number;  // DATA_FORMAT and NUM_FORMAT of a T#
};
// The numbers of the image format whose texels look like that; nothing: there is none.
std::optional<ImageFormatNumbers> image_format_numbers(surface::Layout layout, surface::Number number);

}  // namespace Atoll::sea_islands
