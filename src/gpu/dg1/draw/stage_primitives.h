// The output of one stage in the URB for the next: vertices, each an entry of its own, and primitives between
// them.
#pragma once
#include <cstdint>
#include <vector>

#include "isa/xe_lp/thread_context.h"

namespace Atoll::dg1 {

struct StagePrimitives {
  xe_lp::UrbEntries vertices;        // entry n is vertex n's
  unsigned corners = 0;              // of a primitive
  std::vector<uint32_t> corner;      // vertices, primitive after primitive
  std::vector<uint32_t> identifier;  // of each primitive (gl_PrimitiveID)
  size_t count() const { return identifier.size(); }
  uint32_t handle(size_t primitive, unsigned c) const { return vertices.first + corner[primitive * corners + c] * vertices.size; }
};

}  // namespace Atoll::dg1
