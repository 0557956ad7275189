// A buffer over the program's own memory (GEM_USERPTR). The program's pages cannot stand in the GPU's memory, so the buffer is a copy:
// brought in before a submission that names it, and what the GPU changed of it is taken back before the GPU says that it is done, and
// after the submission. The program's own writes meanwhile stay, unless the GPU wrote the same bytes. The program's mapping
// itself is never touched.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "drm/session/buffer.h"

namespace Atoll::drm {

class UserMemory {
public:
  // `bytes` of the program's memory at `address`, as many as the buffer has at least. `read_only`: the program has asked for it like that.
  UserMemory(const BufferPtr& buffer, uint64_t address, uint64_t bytes, bool read_only)
      : read_only(read_only), buffer_(buffer), address_(address), bytes_(bytes) {}

  // The GPU may not write there, whatever its mapping says (Linux amdgpu_ttm.c, amdgpu_ttm_tt_pte_flags; radeon_vm.c,
  // radeon_vm_bo_update).
  const bool read_only;

  // A submission begins; what the GPU changed so far; it has ended.
  void bring_in();
  void take_back();
  void done();

private:
  std::weak_ptr<Buffer> buffer_;  // submissions hold it
  const uint64_t address_, bytes_;
  std::mutex mutex_;
  unsigned users_ = 0;           // submissions that run
  std::vector<uint8_t> before_;  // the copy as the GPU found it
};
using UserMemoryPtr = std::shared_ptr<UserMemory>;

// The buffers of a file that are user memory.
class UserMemories {
public:
  void add(const BufferPtr& buffer, uint64_t address, uint64_t bytes, bool read_only);
  UserMemoryPtr find(const Buffer& buffer) const;  // or null
  bool is_read_only(const Buffer& buffer) const {
    auto found = find(buffer);
    return found && found->read_only;
  }
  std::vector<UserMemoryPtr> find(const std::vector<BufferPtr>& buffers) const;
  void forget(const Buffer& buffer);

private:
  mutable std::mutex mutex_;
  std::map<const Buffer*, UserMemoryPtr> all_;
};

}  // namespace Atoll::drm
