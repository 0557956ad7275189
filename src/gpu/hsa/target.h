// A GPU family's properties for code that dispatches HSA code objects on it. Each family has one (gpu/<family>).
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gpu/hsa/image_arguments.h"

namespace Atoll::hsa {

struct Target {
  std::string_view family;                       // "RDNA4"
  std::span<const std::string_view> processors;  // of the code objects that run on it
  std::string compile_options;                   // that make such an object: "-mcpu=gfx1200 or -mcpu=gfx1201"
  bool wave32;                                   // waves of 32 lanes; waves of 64 all have
  uint16_t refused_properties;                   // of a descriptor (dispatch.h): what asks for SGPRs that it does not have
  unsigned max_user_sgprs;
  // The apertures of LDS and scratch in flat addresses: their addresses' upper halves. Both lie beyond every buffer's.
  uint32_t shared_aperture_high, private_aperture_high;
  uint32_t max_lds_bytes, lds_block;  // of a work-group; allocated in blocks
  uint32_t max_group_items;           // of a work-group
  uint64_t max_groups_yz;             // work-groups in dimensions Y and Z
  uint64_t max_scratch_bytes;         // of a lane
  const ImageTarget* images = nullptr;
};

}  // namespace Atoll::hsa
