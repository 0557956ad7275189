// An Intel device binary in a GPU's memory: its sections with their relocations applied.
#pragma once
#include <cstdint>
#include <vector>

#include "base/expected.h"
#include "codeobject/intel_object.h"
#include "memory/owned_buffers.h"

namespace Atoll::dg1 {

struct LoadedSections {
  std::vector<Buffer> sections;  // of the object, in its order
};

// The sections end with `memory`. `kernel`: whose payload R_PER_THREAD_PAYLOAD_OFFSET_32 means.
Expected<LoadedSections> load_sections(const intel::IntelObject& object, const intel::IntelKernel& kernel, OwnedBuffers& memory);

}  // namespace Atoll::dg1
