// A range of GPU memory of which not all is mapped, or some stands for memory that there is not (AddressSpace::Part::absent), at host
// addresses of its own: what is there is the same memory, what is not reads as zeros. And the same range as a map of what is missing.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "base/expected.h"
#include "memory/address_space.h"

namespace Atoll {

class PartialView {
public:
  // Code that stores through it asks is_there() first: pages that are not mapped must stay zeros.
  static Expected<std::unique_ptr<PartialView>> make(const AddressSpace& space, uint64_t gpu_address, uint64_t bytes);
  // Read only: zeros where memory is mapped, elsewhere the pattern, from multiples of 16 bytes of GPU addresses on.
  static Expected<std::unique_ptr<PartialView>> missing(const AddressSpace& space, uint64_t gpu_address, uint64_t bytes,
                                                        const std::array<uint32_t, 4>& pattern);
  ~PartialView();
  PartialView(const PartialView&) = delete;
  PartialView& operator=(const PartialView&) = delete;

  uint8_t* data() const { return data_; }  // of the range's first byte
  // True if all bytes from a place of the view on are mapped (and writable, if asked).
  bool is_there(const uint8_t* place, uint64_t bytes, bool writable = false) const;

private:
  PartialView() = default;
  Expected<void> reserve(uint64_t gpu_address, uint64_t bytes);
  uint8_t* base_ = nullptr;  // of the first page
  uint8_t* data_ = nullptr;
  uint64_t pages_ = 0, first_page_ = 0;  // bytes of all pages; the GPU address of the first
  std::vector<AddressSpace::Part> parts_;
};

}  // namespace Atoll
