// The cases of vulkan_features about fragment shading rates.
#pragma once
#include "feature_bench.h"

namespace vulkan {

std::vector<Extra> rate_extras();

void rate_cases(Bench& bench);

}  // namespace vulkan
