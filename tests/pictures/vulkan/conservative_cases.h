// The cases of vulkan_features about conservative rasterization.
#pragma once
#include "feature_bench.h"

namespace vulkan {

std::vector<Extra> conservative_extras();

void conservative_cases(Bench& bench);

}  // namespace vulkan
