// radeon's state of an open file: it has no contexts, so a file has a ring of each kind, and places for the streams that come
// as the program's memory.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "drm/core/file.h"

namespace Atoll::drm::radeon {

// Room in the GPU's memory for a stream, and its GPU address.
struct CommandPlace {
  BufferPtr buffer;
  uint64_t address = 0;
  std::weak_ptr<Buffer> given;  // of a place that is kept: whoever has it now
};

class Rings : public FileState {
public:
  static Rings& of(File& file) { return static_cast<Rings&>(file.state()); }

  void add_running(std::vector<FencePtr>& fences) const override;

  // A failure on it is like a reset: the next submission starts anew.
  Ring& ring(File& file, gpu::QueueKind kind);
  // A place of that size that no submission uses. Without a buffer: there is no room.
  CommandPlace command_place(File& file, uint64_t bytes);

private:
  mutable std::mutex mutex_;
  std::map<gpu::QueueKind, std::unique_ptr<Ring>> rings_;
  std::mutex places_mutex_;
  std::vector<CommandPlace> places_;
};

}  // namespace Atoll::drm::radeon
