#include "drm/core/user_memory.h"

#include <cstring>

#include "drm/core/file.h"

namespace Atoll::drm {

// Page by page: some of them may be gone, as when the program freed memory that it told the driver of.
void UserMemory::bring_in() {
  auto buffer = buffer_.lock();
  uint8_t* copy = buffer ? buffer->host() : nullptr;
  std::lock_guard lock(mutex_);
  users_++;
  if (users_ > 1 || !copy) return;  // another ring runs on the copy
  before_.resize(bytes_);
  if (read_user(before_.data(), address_, bytes_)) {
    std::memcpy(copy, before_.data(), bytes_);
    return;
  }
  for (uint64_t at = 0; at < bytes_; at += page_bytes)
    if (!read_user(&before_[at], address_ + at, page_bytes)) std::memcpy(&before_[at], copy + at, page_bytes);
  std::memcpy(copy, before_.data(), bytes_);
}

void UserMemory::take_back() {
  auto buffer = buffer_.lock();
  const uint8_t* copy = buffer ? buffer->host() : nullptr;
  if (!copy) return;
  std::lock_guard lock(mutex_);
  if (before_.empty()) return;
  for (uint64_t page = 0; page < bytes_; page += page_bytes) {
    if (std::memcmp(copy + page, &before_[page], page_bytes) == 0) continue;
    for (uint64_t at = page, end; at < page + page_bytes; at = end) {
      end = at + 1;
      if (copy[at] == before_[at]) continue;
      while (end < page + page_bytes && copy[end] != before_[end]) end++;
      (void)write_user(address_ + at, copy + at, end - at);
    }
    std::memcpy(&before_[page], copy + page, page_bytes);
  }
}

void UserMemories::add(const BufferPtr& buffer, uint64_t address, uint64_t bytes, bool read_only) {
  std::lock_guard lock(mutex_);
  all_[buffer.get()] = std::make_shared<UserMemory>(buffer, address, bytes, read_only);
}
UserMemoryPtr UserMemories::find(const Buffer& buffer) const {
  std::lock_guard lock(mutex_);
  auto found = all_.find(&buffer);
  return found == all_.end() ? nullptr : found->second;
}
std::vector<UserMemoryPtr> UserMemories::find(const std::vector<BufferPtr>& buffers) const {
  std::vector<UserMemoryPtr> found;
  std::lock_guard lock(mutex_);
  if (all_.empty()) return found;
  for (auto& buffer : buffers)
    if (auto user = all_.find(buffer.get()); user != all_.end()) found.push_back(user->second);
  return found;
}
void UserMemories::forget(const Buffer& buffer) {
  std::lock_guard lock(mutex_);
  all_.erase(&buffer);
}

void UserMemory::done() {
  std::lock_guard lock(mutex_);
  if (users_) users_--;
  if (!users_) before_ = {};
}

}  // namespace Atoll::drm
