// The state of one draw, its vertices and its pixel stage, at random.
#pragma once
#include "case.h"

namespace Atoll::pipeline::test {

void make_random(Random& r, const Case& c, RandomDraw& d);

Blend random_blend(Random& r);
StencilFace random_face(Random& r);

}  // namespace Atoll::pipeline::test
