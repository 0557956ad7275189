// The register field (or command's field) that decides what became of a primitive at a pixel, as each family calls it.
#pragma once
#include <string_view>

#include "gpu/chips/chip.h"
#include "pipeline/pixel_watch.h"

namespace Atoll::insight {

// "DB_DEPTH_CONTROL.ZFUNC"; empty where no one field does, or the family has no such test.
std::string_view field_of(gpu::Family family, pipeline::FragmentEnd end);

}  // namespace Atoll::insight
