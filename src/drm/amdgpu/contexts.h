// amdgpu's state of an open file: contexts, each with rings of its own and lost alone, and lists of buffers.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "drm/core/file.h"

namespace Atoll::drm::amdgpu {

struct Context {
  std::shared_ptr<std::atomic<bool>> lost = std::make_shared<std::atomic<bool>>(false);
  std::atomic<bool> told{false};                    // the loss was asked for
  std::map<uint32_t, std::unique_ptr<Ring>> rings;  // by type << 8 | number
  mutable std::mutex mutex;

  Ring* find(uint32_t type, uint32_t number);
};

class Contexts : public FileState {
public:
  static Contexts& of(File& file) { return static_cast<Contexts&>(file.state()); }

  void add_running(std::vector<FencePtr>& fences) const override { drm::add_running(contexts.all(), fences); }

  HandleTable<Context> contexts;

  // Lists of buffers, as AMDGPU_BO_LIST keeps them.
  std::map<uint32_t, std::vector<BufferPtr>> buffer_lists;
  uint32_t next_buffer_list = 1;
  mutable std::mutex lists_mutex;
};

}  // namespace Atoll::drm::amdgpu
