// Images and samplers as kernel arguments of `launch`.
#pragma once
#include <cstdint>

#include "gpu/hsa/image_arguments.h"

namespace Atoll::dg1 {

// An image object: the surface's 16 words, then what the payload tells of it. A sampler: its 4 words, then the same.
enum ImageWord : uint8_t { IMAGE_WIDTH = 16, IMAGE_HEIGHT, IMAGE_DEPTH, IMAGE_LAYERS, IMAGE_TYPE, IMAGE_ORDER, image_words };
enum SamplerWord : uint8_t { SAMPLER_ADDRESS = 4, SAMPLER_NORMALIZED, SAMPLER_SNAP, sampler_words };

const hsa::ImageTarget& launch_images();

}  // namespace Atoll::dg1
