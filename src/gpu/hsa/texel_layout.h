// The layout of an image argument's texels in memory, as src/surface has it; each family has a number for it in its table of
// formats.
#pragma once
#include <optional>

#include "gpu/hsa/image_arguments.h"
#include "surface/format.h"

namespace Atoll::hsa {

struct TexelLayout {
  surface::Layout layout;
  surface::Number number;
};

// Nothing: OpenCL has no such order with such a type (OpenCL C 6.12.14, tables of image channel orders and types), or none that is stored.
std::optional<TexelLayout> texel_layout(const ImageDescription& image);

}  // namespace Atoll::hsa
