#include "drm/session/buffer.h"

#include <sys/mman.h>

#include <algorithm>

#include "drm/session/sync_table.h"

namespace Atoll::drm {

Buffer::Buffer(std::shared_ptr<Session> session, uint32_t index)
    : session_(std::move(session)),
      index_(index),
      offset_(session_->allocation(index).offset),
      bytes_(session_->allocation(index).bytes) {}

Buffer::~Buffer() {
  if (host_) ::munmap(host_, bytes_);
  session_->disown(index_);
}

uint8_t* Buffer::host() {
  std::lock_guard lock(mutex_);
  if (!host_) {
    void* at =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, session_->descriptor(), off_t(offset_));
    if (at != MAP_FAILED) host_ = static_cast<uint8_t*>(at);
  }
  return host_;
}

void Buffer::add_use(const FencePtr& fence, const SharedFence& mine) {
  {
    std::lock_guard lock(mutex_);
    std::erase_if(uses_, [](auto& one) { return one->done(); });
    uses_.push_back(fence);
  }
  if (!shared().shared) return;
  Session::Lock lock(*session_);
  // in the place of an own older one (a fence stands for all submissions before it too), or of one that is done
  SharedFence* place = nullptr;
  for (auto& one : shared().fences) {
    if (one.submission && one.process == mine.process && one.generation == mine.generation) {
      one.submission = std::max(one.submission, mine.submission);
      return;
    }
    if (!place && session_->is_done(one)) place = &one;
  }
  if (place) *place = mine;
}

void Buffer::add_use(const FencePtr& sync_file) {
  {
    std::lock_guard lock(mutex_);
    std::erase_if(uses_, [](auto& one) { return one->done(); });
    uses_.push_back(sync_file);
  }
  if (!shared().shared) return;
  const CellName cell = publish(session_, sync_file);
  if (!cell.serial) return;
  for (;;) {
    FencePtr first;
    {
      Session::Lock lock(*session_);
      for (auto& one : shared().cells)
        if (session_->is_done(one)) {
          one = cell;
          return;
        }
      first = std::make_shared<CellFence>(session_, shared().cells[0]);
    }
    wait_all(*session_, {&first, 1}, UINT64_MAX);
    if (!first->done()) session_->finish(static_cast<const CellFence&>(*first).cell());  // its process is gone
  }
}

bool Buffer::in_use() {
  std::lock_guard lock(mutex_);
  return std::any_of(uses_.begin(), uses_.end(), [](auto& one) { return !one->done(); });
}

std::vector<FencePtr> Buffer::uses(bool others_only) {
  std::vector<FencePtr> found;
  if (!others_only) {
    std::lock_guard lock(mutex_);
    for (auto& one : uses_)
      if (!one->done()) found.push_back(one);
  }
  if (!shared().shared) return found;
  Session::Lock lock(*session_);
  SharedFence me = session_->fence_of(0);
  for (auto& one : shared().fences)
    if (!session_->is_done(one) && !(one.process == me.process && one.generation == me.generation))
      found.push_back(std::make_shared<ForeignFence>(session_, one));
  for (auto& one : shared().cells)
    if (!session_->is_done(one)) found.push_back(std::make_shared<CellFence>(session_, one));
  return found;
}

}  // namespace Atoll::drm
