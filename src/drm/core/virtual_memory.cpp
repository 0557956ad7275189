#include "drm/core/virtual_memory.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "base/interval_map.h"
#include "base/log.h"
#include "drm/core/process.h"

namespace Atoll::drm {

std::shared_ptr<VirtualMemory> VirtualMemory::create(Process& process, Expected<std::unique_ptr<AddressSpace>> space) {
  if (space) return std::make_shared<VirtualMemory>(process.session(), std::move(*space), process.recorder());
  log(LogLevel::error, "drm", "{}", space.error().message);
  return nullptr;
}

int VirtualMemory::map(const BufferPtr& buffer, uint64_t address, uint64_t offset, uint64_t bytes, bool writable,
                       const std::vector<FencePtr>& running, bool absent) {
  if (offset > buffer->bytes() || bytes > buffer->bytes() - offset) return -EINVAL;
  if (address >= space_->size() || bytes > space_->size() - address) return -EINVAL;
  std::lock_guard lock(mutex_);
  apply_ready_locked();
  if (overlaps(mappings_, address, bytes)) return -EINVAL;
  mappings_.emplace(address, Mapping{bytes, offset, buffer, writable});
  // where no change waits, nothing that runs can have used the addresses
  bool must_wait = std::any_of(changes_.begin(), changes_.end(),
                               [&](auto& c) { return c.address < address + bytes && address < c.address + c.bytes; });
  change(
      {true, address, bytes, buffer->offset() + offset, writable, absent, buffer, must_wait ? running : std::vector<FencePtr>()});
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
  const int result = map(buffer, address, 0, bytes, true, running, true);
  std::lock_guard lock(mutex_);
  if (!result) nothing_.push_back(buffer);
  return result;
}

void VirtualMemory::drop_writes() {
  std::lock_guard lock(mutex_);
  std::erase_if(nothing_, [&](const std::weak_ptr<Buffer>& one) {
    const BufferPtr buffer = one.lock();
    if (buffer)
      ::fallocate(session_->descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(buffer->offset()),
                  off_t(buffer->bytes()));
    return !buffer;
  });
}

int VirtualMemory::unmap(const BufferPtr& buffer, uint64_t address, const std::vector<FencePtr>& running) {
  std::lock_guard lock(mutex_);
  auto found = mappings_.find(address);
  if (found == mappings_.end() || found->second.buffer != buffer) return -ENOENT;
  uint64_t bytes = found->second.bytes;
  mappings_.erase(found);
  change({false, address, bytes, 0, false, false, buffer, running});
  return 0;
}

int VirtualMemory::clear(uint64_t address, uint64_t bytes, const std::vector<FencePtr>& running) {
  if (address >= space_->size() || bytes > space_->size() - address) return -EINVAL;
  std::lock_guard lock(mutex_);
  cut_range(mappings_, address, bytes, &Mapping::offset, [&](uint64_t from, uint64_t removed, const Mapping& whole) {
    change({false, from, removed, 0, false, false, whole.buffer, running});
  });
  return 0;
}

void VirtualMemory::unmap_all(const Buffer& buffer, const std::vector<FencePtr>& running) {
  std::lock_guard lock(mutex_);
  for (auto it = mappings_.begin(); it != mappings_.end();) {
    if (it->second.buffer.get() != &buffer) {
      ++it;
      continue;
    }
    change({false, it->first, it->second.bytes, 0, false, false, it->second.buffer, running});
    it = mappings_.erase(it);
  }
}

uint64_t VirtualMemory::find(const Buffer& buffer) const {
  std::lock_guard lock(mutex_);
  for (auto& [address, mapping] : mappings_)
    if (mapping.buffer.get() == &buffer && mapping.offset == 0 && mapping.bytes == buffer.bytes()) return address;
  return 0;
}

bool VirtualMemory::is_mapped(const Buffer& buffer, uint64_t address) const {
  std::lock_guard lock(mutex_);
  auto found = mappings_.find(address);
  return found != mappings_.end() && found->second.buffer.get() == &buffer && found->second.offset == 0 &&
         found->second.bytes == buffer.bytes();
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
  apply_ready_locked();
}

void VirtualMemory::carry_out(const Change& c) {
  auto changed =
      c.maps ? space_->map(c.address, c.file_offset, c.bytes, c.writable, c.absent) : space_->unmap(c.address, c.bytes);
  if (!changed) log(LogLevel::error, "drm", "{}", changed.error().message);
  if (!recorder_) return;
  if (c.maps)
    recorder_->map(recorded_space_, c.address, c.file_offset, c.bytes, c.writable, c.absent);
  else
    recorder_->unmap(recorded_space_, c.address, c.bytes);
}

void VirtualMemory::apply_ready_locked() {
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
      apply_ready_locked();
      if (carried_out_ >= mark || changes_.empty()) return;
      after = changes_.front().after;
    }
    wait_all(*session_, after, UINT64_MAX);
  }
}

void VirtualMemory::apply_ready() {
  std::lock_guard lock(mutex_);
  apply_ready_locked();
}

}  // namespace Atoll::drm
