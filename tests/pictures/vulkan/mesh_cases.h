// Cases of mesh and task shaders.
#pragma once
#include "queue_bench.h"

namespace vulkan {

std::vector<Extra> mesh_extras();

void mesh_cases(Bench& bench);
void task_cases(Bench& bench);

}  // namespace vulkan
