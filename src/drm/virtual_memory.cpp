#include "drm/virtual_memory.h"

#include <algorithm>
#include <cerrno>

#include "base/log.h"

namespace Atoll::drm {

bool VirtualMemory::overlaps(uint64_t address, uint64_t bytes) const {
  auto after = mappings_.lower_bound(address + bytes);
  return after != mappings_.begin() && std::prev(after)->first + std::prev(after)->second.bytes > address;
}

int VirtualMemory::map(const BufferPtr& buffer, uint64_t address, uint64_t offset, uint64_t bytes, bool writable,
                       const std::vector<FencePtr>& running) {
  if (offset > buffer->bytes() || bytes > buffer->bytes() - offset) return -EINVAL;
  if (address >= space_->size() || bytes > space_->size() - address) return -EINVAL;
  std::lock_guard lock(mutex_);
  settle_locked();
  if (overlaps(address, bytes)) return -EINVAL;
  mappings_.emplace(address, Mapping{bytes, offset, buffer, writable});
  // where no change waits, nothing that runs can have used the addresses
  bool must_wait = std::any_of(changes_.begin(), changes_.end(),
                               [&](auto& c) { return c.address < address + bytes && address < c.address + c.bytes; });
  change({true, address, bytes, buffer->offset() + offset, writable, buffer, must_wait ? running : std::vector<FencePtr>()});
  return 0;
}

int VirtualMemory::map_nothing(uint64_t address, uint64_t bytes, bool replaces, const std::vector<FencePtr>& running) {
  Session::Request request;
  request.bytes = request.asked_bytes = bytes;
  request.begin = uint64_t(4) << 30;
  request.end = memory_bytes;
  auto index = session_->allocate(request);
  if (!index) return -ENOMEM;
  auto buffer = std::make_shared<Buffer>(session_, *index);
  if (replaces)
    if (int cleared = clear(address, bytes, running)) return cleared;
  return map(buffer, address, 0, bytes, true, running);
}

int VirtualMemory::unmap(const BufferPtr& buffer, uint64_t address, const std::vector<FencePtr>& running) {
  std::lock_guard lock(mutex_);
  auto found = mappings_.find(address);
  if (found == mappings_.end() || found->second.buffer != buffer) return -ENOENT;
  uint64_t bytes = found->second.bytes;
  mappings_.erase(found);
  change({false, address, bytes, 0, false, buffer, running});
  return 0;
}

int VirtualMemory::clear(uint64_t address, uint64_t bytes, const std::vector<FencePtr>& running) {
  if (address >= space_->size() || bytes > space_->size() - address) return -EINVAL;
  std::lock_guard lock(mutex_);
  clear_locked(address, bytes, running);
  return 0;
}

void VirtualMemory::clear_locked(uint64_t address, uint64_t bytes, const std::vector<FencePtr>& running) {
  uint64_t end = address + bytes;
  auto it = mappings_.upper_bound(address);
  if (it != mappings_.begin()) --it;
  while (it != mappings_.end() && it->first < end) {
    auto [start, mapping] = *it;
    uint64_t mapping_end = start + mapping.bytes;
    if (mapping_end <= address) {
      ++it;
      continue;
    }
    it = mappings_.erase(it);
    if (start < address) mappings_.emplace(start, Mapping{address - start, mapping.offset, mapping.buffer, mapping.writable});
    if (mapping_end > end)
      it = mappings_.emplace(end, Mapping{mapping_end - end, mapping.offset + (end - start), mapping.buffer, mapping.writable})
               .first;
    uint64_t from = std::max(start, address), to = std::min(mapping_end, end);
    change({false, from, to - from, 0, false, mapping.buffer, running});
  }
}

void VirtualMemory::unmap_all(const Buffer& buffer, const std::vector<FencePtr>& running) {
  std::lock_guard lock(mutex_);
  for (auto it = mappings_.begin(); it != mappings_.end();) {
    if (it->second.buffer.get() != &buffer) {
      ++it;
      continue;
    }
    change({false, it->first, it->second.bytes, 0, false, it->second.buffer, running});
    it = mappings_.erase(it);
  }
}

uint64_t VirtualMemory::find(const Buffer& buffer) const {
  std::lock_guard lock(mutex_);
  for (auto& [address, mapping] : mappings_)
    if (mapping.buffer.get() == &buffer && mapping.offset == 0 && mapping.bytes == buffer.bytes()) return address;
  return 0;
}

void VirtualMemory::change(Change change) {
  bool maps = change.maps, waits = !change.after.empty();
  if (maps && !waits) {
    // ahead of the changes that wait, none of which is about these addresses
    carry_out(change);
    return;
  }
  changes_.push_back(std::move(change));
  if (maps) last_map_ = carried_out_ + changes_.size();
  settle_locked();
}

void VirtualMemory::carry_out(const Change& c) {
  auto changed = c.maps ? space_->map(c.address, c.file_offset, c.bytes, c.writable) : space_->unmap(c.address, c.bytes);
  if (!changed) log(LogLevel::error, "drm", "{}", changed.error().message);
  if (!recorder_) return;
  if (c.maps)
    recorder_->map(recorded_space_, c.address, c.file_offset, c.bytes, c.writable);
  else
    recorder_->unmap(recorded_space_, c.address, c.bytes);
}

void VirtualMemory::settle_locked() {
  while (!changes_.empty()) {
    Change& first = changes_.front();
    if (!std::all_of(first.after.begin(), first.after.end(), [](auto& fence) { return fence->done(); })) return;
    carry_out(first);
    changes_.pop_front();
    carried_out_++;
  }
}

uint64_t VirtualMemory::mark() {
  std::lock_guard lock(mutex_);
  return last_map_;
}

void VirtualMemory::bring_to(uint64_t mark) {
  for (;;) {
    std::vector<FencePtr> after;
    {
      std::lock_guard lock(mutex_);
      settle_locked();
      if (carried_out_ >= mark || changes_.empty()) return;
      after = changes_.front().after;
    }
    wait_all(*session_, after, UINT64_MAX);
  }
}

void VirtualMemory::settle() {
  std::lock_guard lock(mutex_);
  settle_locked();
}

}  // namespace Atoll::drm
