// The cases of vulkan_features about sparse images.
#pragma once
#include "feature_bench.h"

namespace vulkan {

void sparse_image_cases(Bench& bench);

}  // namespace vulkan
