// The cases of vulkan_features, by part.
#pragma once
#include "feature_bench.h"

namespace vulkan {

void view_cases(Bench& bench);
void layer_cases(Bench& bench);
void descriptor_cases(Bench& bench);
void depth_cases(Bench& bench);
void attachment_cases(Bench& bench);
void resolve_cases(Bench& bench);
void block_copy_cases(Bench& bench);

}  // namespace vulkan
