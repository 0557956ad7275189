// A program's own memory that the GPU shall see (KFD_IOC_ALLOC_MEM_FLAGS_USERPTR). Both see the same bytes at the same time, as signals and
// queues that ROCm keeps in such memory need: the pages are moved into the session's file, and the program's mapping becomes one of those.
// It stays so until the program unmaps them.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "base/expected.h"
#include "drm/core/process.h"
#include "drm/session/buffer.h"

namespace Atoll::drm::kfd {

class ProgramPages {
public:
  struct Piece {
    BufferPtr buffer;
    uint64_t offset, bytes;  // in the buffer
  };
  // The pages of a range, whole pages, in order. 0 or a negative errno: EFAULT where nothing is mapped, EINVAL (and `why`) for memory that
  // cannot be moved.
  int take(Process& process, uint64_t address, uint64_t bytes, std::vector<Piece>& pieces, std::string& why);
  // Gives back the memory of pages that neither a GPU nor the program has any longer.
  void collect(Process& process);

private:
  std::mutex mutex_;
  std::map<uint64_t, BufferPtr> buffers_;  // by their offsets in the session's file
};

}  // namespace Atoll::drm::kfd
