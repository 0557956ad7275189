// A buffer object as this process has it: one object an allocation, however many handles, files and mappings name it.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "drm/session/fence.h"
#include "drm/session/session.h"

namespace Atoll::drm {

class Buffer {
public:
  // The allocation is owned by this process already, once for this object.
  Buffer(std::shared_ptr<Session> session, uint32_t index);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  uint32_t index() const { return index_; }
  uint64_t offset() const { return offset_; }  // in the session file
  uint64_t bytes() const { return bytes_; }
  SharedAllocation& shared() const { return session_->allocation(index_); }

  // The buffer's bytes in this process; null when the host gives no room.
  uint8_t* host();

  // The program's memory that it is a copy of; 0 bytes: none. Set before others have it.
  uint64_t user_address = 0, user_bytes = 0;

  // Work of this process that uses it is under way until then. `shared` fence: for other processes.
  void add_use(const FencePtr& fence, const SharedFence& shared);
  void add_use(const FencePtr& sync_file);  // somebody's work, that the sync file stands for
  bool in_use();                            // by work of this process
  // Everything that still uses it, or of other processes only.
  std::vector<FencePtr> uses(bool others_only = false);

private:
  std::shared_ptr<Session> session_;
  uint32_t index_;
  uint64_t offset_, bytes_;
  std::mutex mutex_;
  uint8_t* host_ = nullptr;
  std::vector<FencePtr> uses_;
};
using BufferPtr = std::shared_ptr<Buffer>;

}  // namespace Atoll::drm
