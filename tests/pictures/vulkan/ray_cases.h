// Cases of ray queries and ray pipelines, each beside the model of ray_model.cpp.
#pragma once
#include "queue_bench.h"

namespace vulkan {

// The features that they need, of a device that offers them.
std::vector<Extra> ray_extras();

void ray_query_cases(Bench& bench);
void ray_structure_cases(Bench& bench);  // what becomes of structures: copies, updates, texts
void ray_pipeline_cases(Bench& bench);

}  // namespace vulkan
