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
  for (const Range& range : ranges_) munmap(range.page, range.mapped);
}

bool WatchedBytes::add(const MemoryFile& memory, uint64_t offset, uint64_t bytes, bool zeros) {
  Range range;
  range.offset = offset, range.begin = offset % page_bytes;
  range.mapped = round_up(range.begin + bytes, page_bytes);
  const uint64_t first = offset - range.begin;
  struct stat file{};
  // (A page beyond the file's end would fault.)
  if (!bytes || fstat(memory.descriptor(), &file) != 0 || first + range.mapped > uint64_t(file.st_size)) return false;
  void* at = mmap(nullptr, range.mapped, PROT_READ, MAP_SHARED, memory.descriptor(), off_t(first));
  if (at == MAP_FAILED) return false;
  range.page = static_cast<uint8_t*>(at);
  range.last.resize(bytes);
  if (!zeros) std::memcpy(range.last.data(), range.page + range.begin, range.last.size());
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

void WatchedBytes::look(const Changed& changed, size_t gap) {
  for (Range& range : ranges_) {
    const uint8_t* now = range.page + range.begin;
    const size_t bytes = range.last.size();
    if (!std::memcmp(now, range.last.data(), bytes)) continue;
    for (size_t n = 0; n < bytes; n++) {
      if (now[n] == range.last[n]) continue;
      size_t end = n + 1;
      for (size_t k = end; k < bytes && k - end < gap; k++)
        if (now[k] != range.last[k]) end = k + 1;
      changed(range.offset + n, {range.last.data() + n, end - n}, {now + n, end - n});
      n = end;
    }
    std::memcpy(range.last.data(), now, bytes);
  }
}

bool WatchedBytes::read(uint64_t offset, uint8_t* to, size_t bytes) const {
  for (const Range& range : ranges_) {
    if (offset < range.offset || offset + bytes > range.offset + range.last.size()) continue;
    std::memcpy(to, range.page + range.begin + (offset - range.offset), bytes);
    return true;
  }
  return false;
}

bool WatchedBytes::read_last(uint64_t offset, uint8_t* to, size_t bytes) const {
  for (const Range& range : ranges_) {
    if (offset < range.offset || offset + bytes > range.offset + range.last.size()) continue;
    std::memcpy(to, range.last.data() + (offset - range.offset), bytes);
    return true;
  }
  return false;
}

}  // namespace Atoll::insight
