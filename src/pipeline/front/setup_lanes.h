// Eight triangles and eight vertices at once, for each host level: the entries of LevelEntries (level.h) by these names.
#pragma once
#include "pipeline/front/setup.h"
#include "pipeline/lanes.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

unsigned set_up_triangles(const TriangleSetup& setup, const Assembled* assembled, unsigned count, Primitive* out,
                          TriangleState* states);
void to_screen(const DrawConstants& constants, const Viewport& viewport, const GuardBand& guard, const Vertex* vertices,
               size_t count, ScreenVertex* out);

}  // namespace Atoll::pipeline::ATOLL_LEVEL
