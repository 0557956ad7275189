#include "memory/partial_view.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace Atoll {
namespace {

constexpr uint64_t page_mask = page_bytes - 1;
// The size of the pattern that is mapped over and over where memory is missing.
constexpr uint64_t pattern_bytes = uint64_t(1) << 21;

std::vector<AddressSpace::Part> present_parts(const AddressSpace& space, uint64_t gpu_address, uint64_t bytes) {
  std::vector<AddressSpace::Part> parts = space.mapped_parts(gpu_address, bytes);
  std::erase_if(parts, [](const AddressSpace::Part& part) { return part.absent; });
  return parts;
}

}  // namespace

Expected<void> PartialView::reserve(uint64_t gpu_address, uint64_t bytes) {
  first_page_ = gpu_address & ~page_mask;
  pages_ = ((gpu_address + bytes + page_mask) & ~page_mask) - first_page_;
  void* at = ::mmap(nullptr, pages_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return fail("no room for a view of {} bytes: {}", bytes, std::strerror(errno));
  base_ = static_cast<uint8_t*>(at);
  data_ = base_ + (gpu_address - first_page_);
  return {};
}

PartialView::~PartialView() {
  if (base_) ::munmap(base_, pages_);
}

Expected<std::unique_ptr<PartialView>> PartialView::make(const AddressSpace& space, uint64_t gpu_address, uint64_t bytes) {
  std::unique_ptr<PartialView> view(new PartialView);
  if (auto reserved = view->reserve(gpu_address, bytes); !reserved) return std::unexpected(reserved.error());
  view->parts_ = present_parts(space, gpu_address, bytes);
  for (const AddressSpace::Part& part : view->parts_)
    if (::mmap(view->base_ + (part.gpu_address - view->first_page_), part.bytes, PROT_READ | (part.writable ? PROT_WRITE : 0),
               MAP_SHARED | MAP_FIXED | MAP_NORESERVE, space.memory().descriptor(), off_t(part.file_offset)) == MAP_FAILED)
      return fail("no view of {} bytes at {:#x}: {}", part.bytes, part.gpu_address, std::strerror(errno));
  return view;
}

Expected<std::unique_ptr<PartialView>> PartialView::missing(const AddressSpace& space, uint64_t gpu_address, uint64_t bytes,
                                                            const std::array<uint32_t, 4>& pattern) {
  std::unique_ptr<PartialView> view(new PartialView);
  if (auto reserved = view->reserve(gpu_address, bytes); !reserved) return std::unexpected(reserved.error());
  view->parts_ = present_parts(space, gpu_address, bytes);
  const int file = ::memfd_create("missing", MFD_CLOEXEC);
  std::vector<std::array<uint32_t, 4>> words(pattern_bytes / sizeof pattern, pattern);
  bool good = file >= 0 && ::write(file, words.data(), pattern_bytes) == ssize_t(pattern_bytes);
  uint64_t at = view->first_page_;
  auto fill = [&](uint64_t end) {
    for (; good && at < end; at += std::min(pattern_bytes, end - at))
      good = ::mmap(view->base_ + (at - view->first_page_), std::min(pattern_bytes, end - at), PROT_READ, MAP_PRIVATE | MAP_FIXED,
                    file, 0) != MAP_FAILED;
  };
  for (const AddressSpace::Part& part : view->parts_) {
    fill(part.gpu_address);
    at = part.gpu_address + part.bytes;
  }
  fill(view->first_page_ + view->pages_);
  const int why = errno;
  if (file >= 0) ::close(file);
  if (!good) return fail("no map of what is missing of {} bytes at {:#x}: {}", bytes, gpu_address, std::strerror(why));
  return view;
}

bool PartialView::is_there(const uint8_t* place, uint64_t bytes, bool writable) const {
  uint64_t at = first_page_ + uint64_t(place - base_);
  const uint64_t end = at + bytes;
  for (const AddressSpace::Part& part : parts_) {
    if (part.gpu_address + part.bytes <= at) continue;
    if (part.gpu_address > at || (writable && !part.writable)) return false;
    if (at = part.gpu_address + part.bytes; at >= end) return true;
  }
  return false;
}

}  // namespace Atoll
