#include "insight/watched_bytes.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace Atoll::insight {

WatchedBytes& WatchedBytes::operator=(WatchedBytes&& other) noexcept {
  std::swap(ranges_, other.ranges_);
  return *this;
}

WatchedBytes::~WatchedBytes() {
  for (const Range& range : ranges_) munmap(range.page, page_bytes);
}

bool WatchedBytes::add(const MemoryFile& memory, uint64_t offset, uint64_t bytes) {
  const uint64_t begin = offset % page_bytes, page = offset - begin;
  struct stat file{};
  // (A page beyond the file's end would fault.)
  if (fstat(memory.descriptor(), &file) != 0 || page + page_bytes > uint64_t(file.st_size)) return false;
  void* at = mmap(nullptr, page_bytes, PROT_READ, MAP_SHARED, memory.descriptor(), off_t(page));
  if (at == MAP_FAILED) return false;
  Range range;
  range.offset = offset, range.page = static_cast<uint8_t*>(at), range.begin = begin;
  range.last.resize(std::min(bytes, page_bytes - begin));
  std::memcpy(range.last.data(), range.page + begin, range.last.size());
  ranges_.push_back(std::move(range));
  return true;
}

bool WatchedBytes::changed() {
  bool any = false;
  for (Range& range : ranges_) any |= std::memcmp(range.page + range.begin, range.last.data(), range.last.size()) != 0;
  if (any) look();
  return any;
}

void WatchedBytes::look() {
  for (Range& range : ranges_) std::memcpy(range.last.data(), range.page + range.begin, range.last.size());
}

bool WatchedBytes::read(uint64_t offset, uint8_t* to, size_t bytes) const {
  for (const Range& range : ranges_) {
    if (offset < range.offset || offset + bytes > range.offset + range.last.size()) continue;
    std::memcpy(to, range.page + range.begin + (offset - range.offset), bytes);
    return true;
  }
  return false;
}

}  // namespace Atoll::insight
