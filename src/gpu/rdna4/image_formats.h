// The other way through the table of FORMATs (image_format() in image_descriptors.h).
#pragma once
#include <cstdint>

#include "surface/format.h"

namespace Atoll::rdna4 {

// FORMAT of a T# whose texels look like that; 0: there is none.
uint32_t image_format_number(surface::Layout layout, surface::Number number);

}  // namespace Atoll::rdna4
