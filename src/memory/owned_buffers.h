// Buffers of an address space that end with whoever made them.
#pragma once
#include <cstdint>
#include <vector>

#include "base/expected.h"
#include "memory/address_space.h"

namespace Atoll {

class OwnedBuffers {
public:
  explicit OwnedBuffers(AddressSpace& space) : space_(space) {}
  ~OwnedBuffers() {
    for (const Buffer& buffer : buffers_) space_.free(buffer);
  }
  OwnedBuffers(const OwnedBuffers&) = delete;
  OwnedBuffers& operator=(const OwnedBuffers&) = delete;

  // As AddressSpace::allocate().
  Expected<Buffer> allocate(uint64_t bytes, uint64_t alignment = 16) {
    auto buffer = space_.allocate(bytes, alignment);
    if (buffer) buffers_.push_back(*buffer);
    return buffer;
  }

private:
  AddressSpace& space_;
  std::vector<Buffer> buffers_;
};

}  // namespace Atoll
