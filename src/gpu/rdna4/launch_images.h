// Image and sampler objects of HSA kernels as GFX12's T#s and S#s: linear images of one level. RDNA4 ISA 10.5, 10.6.
#pragma once
#include "gpu/hsa/image_arguments.h"

namespace Atoll::rdna4 {

extern const hsa::ImageTarget launch_images;

}  // namespace Atoll::rdna4
