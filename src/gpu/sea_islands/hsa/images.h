// Image and sampler objects of HSA kernels as T#s and S#s: linear images of one level.
// Sea Islands 3D/Compute Register Reference 6 (SQ_IMG_RSRC_WORD0-7), 7 (SQ_IMG_SAMP_WORD0-3).
#pragma once
#include "gpu/hsa/image_arguments.h"

namespace Atoll::sea_islands {

extern const hsa::ImageTarget hsa_images;

}  // namespace Atoll::sea_islands
